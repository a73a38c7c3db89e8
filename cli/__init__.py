"""The command line: what is typed, and what is printed. No rules, no cryptography.

main, parser   from arguments to an exit status; how errors are reported
commands       a module for each command
match          one match on this machine: assembles the parts and runs them as a program
walk           steps through a log
table          a person at the table: what a line means, what to ask, what to show when
text           sentences about cards, hands, moves, scores, rules and evidence
terminal       the console, its line editor, wrapped lines, passphrases
program        the version, the command that starts this program, and how a command fails

Each of these imports only those below it (tests/test_floors.py).
"""
