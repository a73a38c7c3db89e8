"""How the adviser's values are learned; not shipped. `python -m tests.training`.

cards.h, features.h   cards and features once more, in C: a test holds them to the rules and to
                      ginpeer.adviser.features
net.h, score.h        the functions that are learned; what a hand is worth as the score stands
players.h             the learner, and the simple players of its league
kernel.c              hands played and learned from, some thousand a second
kernel                compiles it, and calls it
plans                 what is learned for which rules
"""
