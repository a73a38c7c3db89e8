"""A person at the table: what a line means, what the player may be asked, and what is shown when.

A typed line passes through these steps:

dispatcher               all steps; the next modules do one each; the open question; leaving
commands, command_table  read:     text -> a move, or a Command, by the table of commands, which
                                   also says when each is possible, and gives help, Tab and "did
                                   you mean"
arguments                          what follows a command: cards, melds, on and off; the Command
table_state              answered: does the line answer an open question?
resolve                  resolved: a Command and the View -> a move, or a question
possible_moves           asked:    if it looks like a slip, a person is asked first
                         judged:   by the hand in the View, and then by the session
lookups, legality        looked up: lines that change nothing

And these show what happens:

table, chat              the player that a session talks to (ginpeer.net.interfaces.PlayerPort)
possible_moves           what the player can do now
display                  our hand, in the player's own order; the settings; the break after a hand
presenter                how to show it to a program
person_presenter         how to show it to a person

Rule 1: a position is seen only through a View, so no sentence or question can reveal what the
  player doesn't know.
Rule 2: the hand decides whether a move is legal (Hand.apply, on a copy).
"""
