"""The commands of `ginpeer`. A module is imported only when one of its commands runs.

play                             host, join, resume: play with a friend
practice                         play against the bot
rules                            explain the rules
verify, logs, tally              look at what was played
replay                           replay, analyse: step through a match; look for better moves
link                             share the scores of a partnership's two tables while they play
export                           write a match, or several, for others to look at
stats                            statistics of the stored matches
archive                          pack a friend's matches into one file, and unpack them
friends                          friends, id: the friends we have met; our name and key
doctor                           whether a friend can connect, and what to change
demo                             two bots play a match, which is then verified

arguments                        the arguments of each command, and the list of all commands
home_and_files                   the home, the logs and the new files that a command line names
match_options                    addresses, options and saved options of a match

Any function here may end its command by raising Failure (cli.program).
"""
