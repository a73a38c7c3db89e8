"""The command line: what is typed, and what is printed. No rules, no cryptography.

main, parser   from arguments to an exit status; how errors are reported
commands       a module for each command
match          one match on this machine: assembles the parts and runs them as a program
walk           steps through a log
table          a person at the table: what a line means, what to ask, what to show when
text           sentences: cards, hands, moves, scores, rules, evidence
terminal       the console, its line editor, wrapped lines, passphrases
program        which version this is, the command that starts it, and how a command fails

Each of these imports only those below it (tests/test_floors.py).
"""
