"""Players' names, and how to show any other text from a peer among our own words.

quoting    a peer's text made harmless, and quoted in a sentence of ours; which names could be
           mistaken for each other (the table is confusables.txt)
nicknames  our player's names for the keys that it has met
"""
