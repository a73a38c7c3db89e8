"""Two whole peers under a seeded scheduler: real code, and a clock, network and disk of ours.

Everything that happens follows from one seed, so that a failing match can be played again to the
byte. What is real: seats, referee, sessions, connections, greeting, door, keeper, home, journal.
What is replaced: sockets and TLS (network, plain_tls), time (world), the disk below the store
(tests/faults/disk), randomness, and the player.

Reading order:

world          the clock, the one random generator, the trace
network        connections of bytes that are delayed, split, cut, half-open
plain_tls      what stands in for TLS
observer       the invariants
machine        a player's computer: boots, crashes, comes back; its disk and its wall clock
process        one run of the program on it: what cli/match puts together, without a screen
player         who plays
liar           a peer that sends what it likes
scenario       what a seed decides before the match begins
match          one match, from the first boot to the verdict
evening        several matches in a row, and what the players agree to between them
moving         a host whose address changes, and a guest that finds it again
punching       both sides dial, from behind routers that let nobody in
mutants        the product broken on purpose, for the simulator to find
"""
