"""The one state machine of a match: public knowledge only, blind to whose seat is ours.

violations   what an entry can be refused for, and whose fault it is
signed_moves the move of the rules that a signed message makes
table        the public state between two entries
transitions  which message is owed when, and what each one does to the table
referee      admit(raw entry): the one door for every entry, ours, theirs, and stored
outcome      what an entry has brought about
verdict      a whole log, judged by that same door
"""
