"""How strong the bot is: mirrored games (tests/bench/mirrored.py) against players to measure by.

version_1_0  the bot as ginpeer 1.0 had it, with reading_1_0
reference    players that are simple enough to be said in a sentence
checkout     the bot of any other version, in a process of its own
named        each of them by its name
"""
