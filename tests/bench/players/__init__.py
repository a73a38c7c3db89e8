"""Measure how strong the bot is, in mirrored games (tests/bench/mirrored.py) against other players.

version_1_0  the bot of ginpeer 1.0, with reading_1_0
reference    players simple enough to describe in a sentence
checkout     the bot of any other version, in a process of its own
named        all of these by name
"""
