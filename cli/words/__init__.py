"""How things are put, for people and for programs. Nothing is decided here and nothing printed.

cards, grammar                  cards, melds, hands; you and the others, one and many
board, match_state              what lies open; whose turn it is
narration, event_lines          what happened: as sentences, as lines for programs
result, score_sheet, settlement the result of a hand, the sheet, the final account
rules, offers                   the rules explained; what is offered
verdict, evidence, whose_keys   what a log proves, against whom, and whose keys they are
advice, hint_lines              what speaks for a choice and against another; a hint
replay, step_lines              a match again, and one step of it
match_list, tally               the stored matches, several tables
statistics                      what many matches add up to
page_texts                      a match as a page tells it
archive                         what was packed into one file, or put back
analysis                        how a player chose in a match
choices, lessons, hindsight     what was chosen, why another was better; what could not be seen
shelved_match, turned_away      unfinished matches; who knocked and was not let in
series, club                    what is said between two matches of one sitting, between two guests
partnership                     two tables of one partnership: who may see what, how they stand
places                          where a host can be reached, and by whom
friend_list, own_names          whom we have met; what they call themselves
own_command                     how this program is called, with the home that was named
diagnosis                       what stands between this machine and a friend
"""
