"""A person at the table: what a line means, what may be asked, what is said when.

A line that is typed goes from one to the next:

typed_lines                              the way of a line; each step is one of the following
parse, parse_parts, parse_cards          read:       text -> command.Command
near_miss                                not read:   what was probably meant
open_questions                           answered:   does it answer what is asked already?
meaning, knocks, spreads, lays, melds    meant:      Command and View -> a move, or a question
care                                     doubted:    a slip? a person is asked first
                                         judged:     by the session, and nobody here
answers, help, word_help, legal_now,     looked up:  what changes nothing
may_i, hint

completions                              before all that: what Tab makes of a line

And what happens is told:

table, leaving, chat        the player that a session talks to (ginpeer.net.interfaces.Player)
switches                    what a person switches on or off, and is kept
partnership                 how the other table of a partnership stands
situation, possible_moves   what the player sees, and may do now
display, hand_order         what is shown when; the hand as the player has laid it
presenter, person_presenter, program_presenter, turn_words    how: to a person, to a program
"""
