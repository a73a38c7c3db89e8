"""The command line: what is typed, and what is printed. No rules, no cryptography.

main, parser   from arguments to an exit status, and the last word on every error
unfinished_match   which match can go on, for who types nothing
commands       a module for each command
match          one match on this machine: the parts put together, and run as a program
table          a person at the table: what a line means, what may be asked, what is said when
words          how things are put: cards, hands, moves, scores, rules, evidence
failure        what a command fails with, and the exit statuses
version        which version this is
terminal       the console, its line editor, lines that fit its width, passphrases

Each room knows only those below it (tests/test_floors.py).
"""
