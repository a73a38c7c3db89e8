"""Play one match after another on this machine: assemble the parts and run them as a program.

Start with hosting.host_match, joining.join_match or practice.practise. Each is one coroutine that
lasts from the beginning of the program to its end.

hosting, joining, practice    the three coroutines, and how the two players find each other
aftermath                     what our player reads after a session; the program's end, and Ctrl-C
series                        what follows the end of a session: who stays, what is offered next
one_match                     our side of one table: seat, journal, session, and a person or a bot
sitting                       what all matches share: home, key, settings, screen and event loop
contact                       what the parts of a match share, and how the players find each other
invitation                    how a guest finds its host: ways in, the invite, dialling the guest
onion                         asks Tor for an onion address
public_address                asks STUN servers for our address on the Internet
routers                       asks routers to let a friend in, and keeps track of what they opened
route                         how to reach a known host, and hide our address from it as before
process                       the event loop, signals, and how the program always ends
club, club_table              a bot that plays whoever comes, at several tables; one guest's table
sharing                       who may see the log at the other table of a partnership
linking                       a link between two tables, in a program beside the one at the table
other_player                  the opponent: name, key, warnings
shelved_match                 unfinished matches: shelved by a new one, or found when players meet
bot_player                    the bot that plays in our player's place
identity                      our own key and name
"""
