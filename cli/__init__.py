"""The command line: what is typed, and what is printed. No rules, no cryptography.

main, parser   from arguments to an exit status, and the last word on every error
commands       a module for each command
match          one match on this machine: the parts put together, and run as a program
walk           a log, walked through step by step
table          a person at the table: what a line means, what may be asked, what is said when
text           sentences: cards, hands, moves, scores, rules, evidence
terminal       the console, its line editor, lines that fit its width, passphrases
failure        what a command fails with, and the exit statuses
program        which version this is, and the command that starts it

Each room knows only those below it (tests/test_floors.py).
"""
