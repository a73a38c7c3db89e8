"""The page's verifier compared with the program: both give a log the same verdict.

mutants    broken logs, and logs signed by a cheat
compare    the verdicts of page and program, and how they differ
told       what happened in a log, in the form of the steps document
judge.mjs  runs the script of a page in node
"""
