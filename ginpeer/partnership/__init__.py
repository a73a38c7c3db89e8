"""Tables of one partnership that see each other's score between the hands (PROTOCOL 9.12).

# House rules
#
# 1. Nothing is believed that is not verified here: every entry of another table goes through the
#    referee, as those of our own do.
# 2. Nothing of our table is shown that not both of its players have consented to, and nothing of a
#    hand that is being played.
# 3. No I/O: entries and words come in, and what may be sent, or is to be said, goes out.

Reading order:

consent       what both players of a table have said of showing its log
followed_log  a log as it grows: judged, and where its last whole hand ends
own_tables    our own logs, read from where the program at the table writes them
other_tables  the logs that come from another table, and what is not taken of them
link_seat     both ends of a connection between two tables: what is sent, what is taken
standing      how far each table is, and what they come to together
"""
