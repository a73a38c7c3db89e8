"""Walking through a match: the lines that can be typed between two steps, and their answers.

commands  what can be typed, and the answer to each command as lines; prints nothing
repl      reads lines from a keyboard or a pipe, and prints the answers
"""
