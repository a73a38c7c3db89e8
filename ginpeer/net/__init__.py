"""Two peers over TCP: TLS, frames, invites, sessions. No other part of ginpeer imports Twisted.

Reading order:

interfaces                      the ports: seat, journal, player, wire, clock, and a guest
address                         where a host is, as text and in the few bytes of a code
own_addresses                   where an address can be reached from; which of a peer's we dial
codes                           invites and replies
tls                             TLS 1.3 between two identity keys
throttle                        how many frames a peer may send
handshake                       the greeting: hello and welcome
close_reasons                   goodbyes, and the faults of our own program
connection                      one connection, from the first byte to the last
session                         the match over it: asks the seat, performs its effects
time_grid                       the moments at which we send what our timing could reveal
socks                           a connection through a proxy
tor_control, tor                Tor's control protocol; an onion service of this machine's Tor
tcp                             looking up names, connecting, opening a port
mapping                         asks the router to let peers through (a package of its own)
simultaneous_open               dials from our own port, so that routers let an answer in
admission                       connections that are still silent, and the limits for strangers
access_policy                   which guests a host admits: one, or as many as a club has room for
acceptor                        the host's side: its invite, its connections, its guest
hole_punch                      both sides dial, if no address of the host works
stun, stun_client               STUN messages; asking servers for our public address
connection_attempt              a guest's attempt at one address: dial, say hello, be admitted
connector                       the guest's side: one series of attempts, or repeated series
not_reached                     tells the guest why no address reached the host
waiting                         waits for an opponent who has disconnected or is thinking
diagnosis                       examines what is between this machine and a friend
reachability                    the conclusions from a diagnosis, and the table of findings
in_process                      two sessions without a socket
"""
