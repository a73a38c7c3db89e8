"""Players' names, and how to show any other text from a peer among our own words.

lookalikes  which names could be mistaken for each other; its table is confusables.txt
quoting     a peer's text made harmless, and quoted in a sentence of ours
nicknames   our player's names for the keys that it has met
"""
