"""One match on this machine: the parts put together, and run as a program.

one_match                     home, identity, seat, journal, session, and a person or a bot
hosting, joining, practice    the three ways in which it begins
invitation                    asks for a way in, and prints the invite
public_address                our address on the Internet, from STUN servers
bots_level                    how well the bot plays, where it plays for us and in practice
onion                         the host's onion address, where Tor is to lead to it
routers, router_leases        asking routers to let a friend in; what they may have open
lost_host                     what a guest is told whose host does not answer any more
way_back, hidden              to a host that we know by its key; unseen, if it was so before
ending, interrupts            how it ends, or waits; what Ctrl-C and other signals do
last_resort                   a program that is to end does so, whatever it is doing
club, club_sitting            a bot that plays whoever comes, at several tables; one guest there
club_queue, kept_seats          who waits for a table; seats of those who left in the middle
evening                       several in one sitting: who stays, what is offered next
sharing                       who may see the log at another table of a partnership
linking                       a link between two tables, for a program beside the table's
other_player                  whom we play with: name, key, warnings
put_aside                     the unfinished match that a new one would put aside
stored_match_notices          what is told of stored matches while it is found out which goes on
bot_player                    the bot, where it plays for us
identity                      our own key and name
process, reactor              the process: event loop and signals
out_of_memory                 what happens when the memory runs out
"""
