"""The state machine of a match. It uses only public knowledge, and is the same for both seats.

table         the public state between two entries, and the move that a signed message makes
transitions   when each message is owed, how it changes the table, and why it may be refused
referee       admit(raw entry): the one door for every entry, ours, theirs, and stored;
              and judge(entries), which passes a whole log through that door
"""
