"""The page's verifier against the program: one verdict, whoever is asked.

mutants    logs that are broken, and logs that a cheating player has signed
compare    the verdicts of both, and where they part
judge.mjs  runs what a page carries in node
"""
