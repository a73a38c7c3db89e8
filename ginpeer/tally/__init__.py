"""Add up several tables: the score of three players, or of teams, from their logs (RULES 14).

# House rules
#
# 1. Every log is judged first (ginpeer.referee.referee). If one is invalid, unfinished or
#    unreadable, the tally names it and gives no score.
# 2. If logs don't belong together, the refusal names two of them.
# 3. A hand that is missing from the log of any table counts for nobody.

Reading order:

logs    a log as the tally needs it, each match counted once, and why there may be no score
tables  which logs belong together
totals  what they add up to, also as a JSON document
"""
