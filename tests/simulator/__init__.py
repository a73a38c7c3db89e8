"""Two complete peers under a seeded scheduler: real code on a simulated clock, network and disk.

Everything that happens follows from one seed, so a failing match can be replayed to the byte. The
seats, referee, sessions, connections, greeting, door, keeper, home and journal are real. Stand-ins
replace sockets and TLS (network, plain_tls), time (world), the disk below the store
(tests/faults/disk), randomness, and the player.

Reading order:

world          the clock, the only random generator, the trace
network        byte connections that are delayed, split, cut or half-open
plain_tls      the replacement for TLS
observer       the invariants
machine        a player's computer: boots, crashes and restarts; its disk and its wall clock
process        one run of the program on a machine: what cli/match builds, without a screen
player         the players
liar           a peer that sends whatever it likes
scenario       what a seed decides before the match begins
match          one match, from the first boot to the verdict
evening        several matches in a row, and what the players agree on between them
moving         a host whose address changes, and a guest that finds it again
replaying      a peer that sends old entries again, and a player whose match files are lost
punching       both sides dial, from behind routers that block incoming connections
mutants        the product broken on purpose, for the simulator to catch
"""
