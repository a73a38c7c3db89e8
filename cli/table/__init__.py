"""A person at the table: what a line means, what may be asked, what is said when.

A typed line passes through these steps:

dispatcher               all of its way; each step is one of the following; quit and resign
commands, command_table  read:     text -> a move, or a Command, by the table of commands, from
                                   which help, Tab and "did you mean" follow, too
arguments                          what follows a command: cards, melds, and the Command itself
table_state              answered: does it answer what is asked already?
resolve, lays            resolved: a Command and the View -> a move, or a question
turn_words               asked:    a slip? a person is asked first
                         judged:   by the session, and nobody here
lookups, legality        looked up: what changes nothing

And what happens is told:

table, chat                the player that a session talks to (ginpeer.net.interfaces.PlayerPort)
possible_moves             what the player may do now, when a command is possible, what Tab offers
display                    what is shown when; the hand as the player has laid it; the bell
presenter                  how: to a program
person_presenter, turn_words    how: to a person
"""
