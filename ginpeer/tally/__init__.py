"""Add up several tables: the score of three players, or of teams, from their logs (RULES 14).

House rules

1. Every log is judged first (ginpeer.referee.referee). If one is invalid, unfinished or
   unreadable, the tally names it and gives no score.
2. If logs don't belong together, the refusal names two of them.
3. A hand that is missing from the log of any table counts for nobody.

Reading order:

tables  which logs count, and which belong together
totals  the score of the tables, also as a JSON document
"""
