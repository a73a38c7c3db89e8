"""Several tables added up: the score of three players, or of teams, from their logs (RULES 14).

# House rules
#
# 1. Every log is judged first (ginpeer.referee.verdict). If one of them does not hold, is not
#    finished or cannot be read, it is named, and there is no score at all.
# 2. Logs that do not belong together are refused with the names of two of them.
# 3. No score is invented: a hand that is not in the log of every table counts for nobody.

Reading order:

errors     why there is no score
logs       what a tally needs of a log, and each match counted once
tables     which logs belong together
score      what they add up to
document   all of it as one JSON document
"""
