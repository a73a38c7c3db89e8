"""One match on this machine: the parts put together, and run as a program.

one_match                     home, identity, seat, journal, session, and a person or a bot
hosting, joining, practice    the three ways in which it begins
ending, leaving               how it ends, or waits; who has got up
other_player                  whom we play with: name, key, warnings
put_aside                     the unfinished match that a new one would put aside
notices                       what is told now and then
bot_player                    the bot, where it plays for us
identity                      our own key and name
program, reactor, memory      the process: event loop, signals, the end of memory
"""
