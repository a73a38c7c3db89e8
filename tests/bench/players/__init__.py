"""Measure how strong the bot is, in mirrored games (tests/bench/mirrored.py) against other players.

reference  players simple enough to describe in a sentence
checkout   the bot of another version, in a process of its own
named      all of these by name
"""
