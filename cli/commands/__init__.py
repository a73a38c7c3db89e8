"""The commands of `ginpeer`: nearly each has a module of its own, imported only when it runs.

play                             host, join, resume: play with a friend
practice                         play against the bot
rules                            explain the rules
verify, replay, logs, tally      look at what was played
link                             share the scores of a partnership's two tables while they play
export                           write a match, or several, for others to look at
analyse                          say what could have been done better
stats                            statistics of the stored matches
archive                          pack a friend's matches into one file, and unpack them
friends, id                      the friends we have met; our name and key
doctor                           whether a friend can connect, and what to change
demo                             two bots play a match, which is then verified

arguments                        the arguments of each command, and the list of all commands
home_and_files                   the home, the logs and the new files that a command line names
match_options                    addresses, options and saved options of a match

Any function here may end its command by raising Failure (cli.program).
"""
