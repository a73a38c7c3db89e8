"""Two peers over TCP: TLS, frames, invites, sessions. No other part of ginpeer imports Twisted.

Reading order:

interfaces                      what a session talks to: seat, journal, player, clock
address, own_addresses          where a host is; where this machine can be reached, and by whom
peer_addresses                  which addresses from a peer are dialled
address_codec, codes            addresses in few bytes; invites and replies, which hold them
tls                             TLS 1.3 between two identity keys
throttle                        how many frames a peer may send
handshake                       the greeting: hello and welcome
close_reasons                   what is said when one leaves, or when our own program has failed
connection                      one connection, from the first byte to the last
session                         the match over it: asks the seat, performs what it wants
time_grid                       the moments at which what our timing could tell leaves
socks_messages, socks           through a proxy: what is said to it, and a connection by it
tor_control, tor_connection     the Tor of this machine: what is said to it, and over what
tor                             where it listens; an onion service by which it leads to us
direct, dialler                 a plain connection; which of these ways leads to an address
listening_port                  opening a port
mapping                         the router is asked to let peers through (a package of its own)
simultaneous_open               dialling from our own port, so that routers let an answer in
admission                       connections that have said nothing yet, and the limits for strangers
access_policy                   which guests a host admits: one, or as many as a club has room for
acceptor                        the host's side: its invite, its connections, its guest
guest_connection                one connection of a guest's: what it says, and who has answered
hole_punch                      both sides dial, when nothing else leads to the host
stun, stun_client               by which address the outside sees us, asked of a server
connector, reconnecting         the guest's side: one series of attempts; again and again
not_reached                     why no address has led to the host, in the guest's words
waiting                         for a player who is lost, or thinks
diagnosis                       looks at what is between this machine and a friend
findings, reachability          the table of what that may be; what it means; both for programs
in_process, automatic_player    two sessions without a socket; a player that is a function
"""
