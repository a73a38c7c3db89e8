"""The one state machine of a match: public knowledge only, and the same for both seats.

violations    why an entry is refused, and whose fault that is
table         the public state between two entries, and the move that a signed message makes
transitions   which message is owed when, and how each one changes the table
referee       admit(raw entry): the one door for every entry, ours, theirs, and stored;
              and judge(entries), which passes a whole log through that door
"""
