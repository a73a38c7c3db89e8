"""The page's verifier against the program: one verdict, whoever is asked.

mutants    logs that are broken, and logs that a cheating player has signed
compare    the verdicts of both, and where they part
told       what happened, as the page tells it, and as the steps document does
judge.mjs  runs what a page carries in node
"""
