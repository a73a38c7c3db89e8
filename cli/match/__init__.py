"""Play one match after another on this machine: assemble the parts and run them as a program.

Start with hosting.host_match, joining.join_match or practice.practise. Each is a coroutine that
runs as long as the program does.

hosting, joining, practice    the three coroutines, and how the two players find each other
one_match                     our side of one table, and what all matches share: home, screen, ...
aftermath                     what our player reads after a session; the program's end, and Ctrl-C
series                        what follows the end of a session: who stays, what is offered next
contact                       what the parts of a match share; the opponent: name, key, addresses
ways_in                       asks routers, STUN servers and Tor to let a friend connect
process                       the event loop, signals, and how the program always ends
club                          a bot that plays anyone with the invite, at one table or several
sharing                       who may see the log at the other table of a partnership
linking                       a link between two tables, run by a separate program
bot_player                    the bot that plays in our player's place
identity                      our own key and name
"""
