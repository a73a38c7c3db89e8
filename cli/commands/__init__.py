"""The commands of `ginpeer`: a module for each, imported only when it runs.

host, join, resume, practice     play
rules                            explain the rules
verify, replay, logs, tally      look at what was played
link                             show each other how two tables stand, while they play
export                           write a match for others to look at
analyse                          say what could have been done better
stats                            statistics of the stored matches
archive                          a friend's matches packed into one file, and back
friends, id                      the friends we have met; our name and key
doctor                           whether a friend can connect, and what to change
demo                             two bots play a match, which is verified

arguments                        what may be typed after each of them; the list of all
home_and_files                   the home, the logs and the new files that a command line names
match_options                    addresses, options and remembered options of a match
"""
