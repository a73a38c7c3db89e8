"""A person at the table: what a line means, what the player may be asked, and what is shown when.

A typed line passes through these steps:

dispatcher        all steps; the next modules do one each; the open question; leaving
commands          read:     text -> a move or a Command, using the table of commands, which also
                            has their conditions, their help and their Tab completion
arguments                   what follows a command: cards, melds, on and off; the Command
near_misses                 what a line that isn't a command means
table_state       answered: does the line answer an open question? Also the break after a hand
resolve           resolved: a Command and the View -> a move, or a question
possible_moves    asked:    if it looks like a slip, a person is asked first
                  judged:   by the hand in the View, and then by the session
lookups           looked up: lines that change nothing: what the rules allow, the score, help

And these show what happens:

table, chat       the player that a session talks to (ginpeer.net.interfaces.PlayerPort)
possible_moves    what the player can do now
display           our hand, in the player's own order; the settings
presenter         how to show it to a person, or to a program

Rule 1: this package sees a position only through a View, so no sentence or question can reveal what
  the player doesn't know.
Rule 2: the hand decides whether a move is legal (Hand.apply, on a copy).
"""
