"""What a player is called, and whatever else a peer has said, where it stands among our words.

lookalikes, confusables  which names would be taken for each other
quoting                  how it stands in a sentence of ours
shown                    made harmless for a terminal, a line and a sentence
nicknames                our player's names for the keys that it has met
"""
