"""How strong the bot is: mirrored games against players to measure by.

version_1_0  the bot as ginpeer 1.0 had it, with reading_1_0
reference    players that are simple enough to be said in a sentence
mirrored     games in which each deal is played from both sides
"""
