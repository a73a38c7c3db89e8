"""One match after another on this machine: the parts put together, and run as a program.

Start with hosting.host_match, joining.join_match or practice.practise: each is one coroutine, from
the beginning of the program to its end.

hosting, joining, practice    the three coroutines, and how the two players find each other
decision                      what follows the end of a session: a table of its own
aftermath                     what our player is told then, the last word of all, and Ctrl-C
series                        several matches in one sitting: who stays, what is offered next
one_match                     our side of one table: seat, journal, session, and a person or a bot
sitting                       home, key, settings, screen and event loop: before an opponent comes
contact                       what the parts of a match share; how the players find each other
invitation                    how a guest finds its host: ways in, the invite, dialling the guest
onion                         asks Tor for an onion address
public_address                our address on the Internet, from STUN servers
routers                       asking routers to let a friend in; what they may have open
route                         the way to a host that we know; unseen, if it was so before
process                       the process: event loop, signals, and how it ends in any case
club, club_table              a bot that plays whoever comes, at several tables; one guest there
sharing                       who may see the log at another table of a partnership
linking                       a link between two tables, for a program beside the table's
other_player                  whom we play with: name, key, warnings
shelved_match                 unfinished matches that a new one puts aside, or that are found
bot_player                    the bot, where it plays for us
identity                      our own key and name
"""
