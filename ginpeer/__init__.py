"""Gin rummy between two peers.

rules         the game and its variants
names         players' names, and how to show any other text from a peer among our own words
adviser       the value of every choice: the bot, and hints
referee       the one state machine of a match, which judges every entry
seat          our side of a match
store         everything that is stored on disk
net           two peers over TCP
notation      a match as text that people write and read
record        a signed log as a Python object
match_store   the stored matches of a home
statistics    the matches of one player, added up
tally         the score of three players, or of teams
partnership   the tables of one partnership
analysis      how well a player chose, and how lucky the cards were
page          the frame, the script and the verifier of a match's web page
"""

__version__ = "1.24.2"
