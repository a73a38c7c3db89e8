"""Tables of one partnership that see each other's score between the hands (PROTOCOL 9.12).

# House rules
#
# 1. Nothing is believed that is not verified here: every entry of another table goes through the
#    referee, as those of our own do.
# 2. Nothing of our table is shown without the consent of both its players (cli.match.sharing), and
#    nothing of a hand that is being played.
# 3. No I/O: entries come in; what may be sent, or is to be said, goes out.

Reading order:

logs      our own logs and those of other tables, judged entry by entry as they grow; our end of a
          connection between two tables: what is sent, what is taken
standing  how far each table is, and the score of all together
"""
