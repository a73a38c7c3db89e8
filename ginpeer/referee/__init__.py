"""The one state machine of a match: public knowledge only, and the same for both seats.

table         the public state between two entries, and the move that a signed message makes
transitions   which message is owed when, how each one changes the table, and why one is refused
referee       admit(raw entry): the one door for every entry, ours, theirs, and stored;
              and judge(entries), which passes a whole log through that door
"""
