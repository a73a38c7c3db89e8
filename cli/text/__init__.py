"""Sentences, for people and for programs. Nothing is decided or printed here. A short sentence that
only one module needs is written in that module. Lines are plain sentences, one fact at a time, and
every number comes with a word or a name, so that they can be read aloud.

cards, grammar                  cards, melds and hands, shown and typed; subjects, verbs, plurals
board                           the cards on the table, and whose turn it is
narration, event_lines          what happened: as sentences, as lines for programs; moves taken back
score_sheet                     the results of hands, the score sheet, the final account
rules                           a rule set explained
verdict                         what a log proves, and against whom
advice                          reasons for and against a move; a hint
analysis                        how a player chose in a match; why another choice was better
replay, position                a replayed match, or one step of it; a position to send to somebody
match_list                      players by their keys and names; the stored matches
shelved_match                   unfinished matches
tally, statistics               the score of several tables; the statistics of many matches
page, page_texts                the page of a match or an evening; sentences that its script also
                                writes
series                          offers, what is said between two matches, and consent to show a log
connecting                      where a host can be reached, what to do if it can't, who was refused
diagnosis                       what may prevent a friend from connecting
"""
