"""How the adviser's values are learned; not shipped. Run `python -m tests.training`.

cards.h, features.h   cards and features in C; a test compares them with the rules and with
                      ginpeer.adviser.features
net.h, score.h        the functions that are learned, and the value of a hand at the current score
players.h             the learner, and the simple players of its league
kernel.c              plays hands and learns from them, several thousand a second
kernel                compiles the C code, and calls it
plans                 what is learned for which rules
"""
