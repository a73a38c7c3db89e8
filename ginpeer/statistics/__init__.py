"""Add up the matches of one player, from logs that the referee has verified.

House rules

1. Only verified logs count. The result says how many other logs there are, by the code of each
   verdict.
2. A player is a key. Two keys are two players whatever their names say, and a match that our key
   didn't sign isn't ours.
3. Unfinished matches are counted separately, and so are matches against a bot on this machine.
4. Every number is a whole number: an average is a sum and a count.

Reading order:

summary   verify each log once; what matches add up to for one player: people and bots, rule sets,
          opponents; also as JSON; and what the adviser thinks of the player's choices, by kind
page      the same as one web page with charts, which runs nothing and loads nothing
"""
