"""What players are called, and how anything else that a peer wrote is shown among our words.

quoting    a peer's text made harmless, and quoted in a sentence of ours; which names would be
           taken for each other (its table is confusables.txt)
nicknames  our player's names for the keys that it has met
"""
