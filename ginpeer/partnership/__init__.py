"""The tables of one partnership, which see each other's score between hands (WIRE 9.12).

# House rules
#
# 1. We believe only what we have verified here: every entry of another table goes through the
#    referee, like our own.
# 2. Nothing of our table is shown without the consent of both its players (cli.match.sharing), and
#    nothing of a hand that is being played.
# 3. No I/O: entries come in; entries to send and lines to say go out.

Reading order:

logs      our own logs and those of other tables, judged entry by entry as they grow; our end of a
          connection between two tables: what is sent, what is received
standing  how far each table is, and the score of all together
"""
