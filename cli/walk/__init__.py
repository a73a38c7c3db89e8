"""Walking through a match step by step: the commands that can be typed, and their answers.

commands  the commands, and what each answers, as lines; prints nothing
repl      reads lines from a keyboard or a pipe, and prints the answers
"""
