"""Two peers over TCP: TLS, frames, invites, sessions. No other part of ginpeer imports Twisted.

Reading order:

interfaces                      who stands around a session: seat, journal, player, clock
address, own_addresses          where a host is; where this machine can be reached, and by whom
told_addresses                  which addresses from a peer are dialled
packed, pasted_code, invite     addresses in few bytes; the code that leads to a host
certificate, tls                TLS 1.3 between two identity keys
framing, throttle               frames on a stream of bytes; how many a peer may send
connection                      one connection, from the first byte to the last
handshake                       hello and welcome: who may sit down, and why not
session                         the match over it: asks the seat, performs what it wants
goodbyes, own_faults            what is told of why one leaves; failures of our own
socks                           a connection through a proxy
tor_control                     what is said to the Tor of this machine, and what it answers
tor                             where it listens; an onion service by which it leads to us
direct, dialler                 a plain connection; which of these ways leads to an address
listening_port                  where somebody can come
mapping                         the router is asked to let them through (a package of its own)
simultaneous_open               dialling from there, so that what drops strangers lets an answer in
host, entrance                  the host's side, and those who have said nothing yet
club_door                       whom a host lets in that plays whoever comes, at several tables
hall, host_connection           those who have; one of them, until it is let in or sent away
reply                           the code by which a guest can be dialled
crossing, resolve               the guest's own door, where nothing else leads to the host; names
stun, stun_client               by which address the outside sees us, asked of a server
guest_connection                one that leads to the host: what is said, and who has answered
join, reconnecting              the guest's side: the race of attempts; again and again
not_reached                     why no address has led to the host, in the guest's words
waiting                         for a player who is lost, or thinks
diagnosis                       looks at what is between this machine and a friend
findings, reachability          the table of what that may be; what it means; both for programs
grid                            the moments at which what our timing could tell leaves
in_process, automatic_player    two sessions without a socket; a player that is a function
memory                          which errors say that there is none left
"""
