"""Walking through a match: what is typed between two steps, and what is answered.

commands  what can be typed, and the answer to each command, in lines; nothing is printed here
repl      read lines from a keyboard or a pipe, and print the answers
"""
