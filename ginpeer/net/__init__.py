"""Two peers over TCP: TLS, frames, invites, sessions. No other part of ginpeer imports Twisted.

Reading order:

interfaces                      the objects that this code is passed: seat, journal, player and more
address                         a host's address, as text and packed for use in a code
own_addresses                   who can reach an address; which of a peer's addresses we dial
codes                           invites and replies
tls                             TLS 1.3 between two identity keys
limits                          rate limits; limits on connections whose peer hasn't been admitted
handshake                       the greeting: hello and welcome
close_reasons                   goodbyes, and the faults of our own program
connection                      one connection, from the first byte to the last
session                         the match over a connection: asks the seat, performs its effects
timing                          delays that hide our cards; waiting for an opponent
tcp                             looking up names, connecting, reading, opening a port
socks                           a connection through a proxy
tor                             an onion service, through the Tor on this machine
mapping                         asks the router to let peers through (a package of its own)
simultaneous_open               dials from our own port, so that routers let an answer in
access_policy                   which guests a host admits: one, or as many as a club has room for
acceptor                        the host's side: its invite, its connections, its guest
hole_punch                      both sides dial, if no address of the host works
stun                            asks servers for our public address
connection_attempt              a guest's attempt at one address: dial, say hello, be admitted
connector                       the guest's side: one series of attempts, or repeated series
not_reached                     tells the guest why no address reached the host
diagnosis                       examines what is between this machine and a friend
reachability                    the conclusions from a diagnosis, and the table of findings
in_process                      two sessions without a socket
"""
