"""A module for each command of `ginpeer`, imported only when it runs.

host, join, resume, practice     play
rules                            explain the rules
verify, replay, logs, tally      look at what was played
link                             show each other how two tables stand, while they play
export                           a match in a form that others can look at
analyse                          say what could have been done better
stats                            what the stored matches add up to
archive                          a friend's matches in one file, and back
friends, id                      whom we have met; our name and key
doctor                           what stands between this machine and a friend
demo                             two bots and a proof

arguments                        what may be typed after each of them; the list of all
home_and_log                     the home and the logs that a command line names
analysed                         whose choices in a log are looked at
new_file                         a file that a command writes
match_options, typed_rules       addresses, options and rules, as they are typed
"""
