"""The rule sets of the campaigns: every preset, and some mixes of the hard options."""

from ginpeer.rules import PRESETS

MIXES = (
    "oklahoma knock-limit=second-deck next-dealer=loser",
    "standard first-dealer=guest next-dealer=winner opening=either-pile",
    "oklahoma hollywood multi-match",
    "classic lead-of-fifty-loses=yes stake=5",
    "tedesco columns=1 hands=6",
    "mahjong runs-wrap=yes wall=last-discard",
)
"""Together they cover a second deck, the winner and the loser as next dealer, an agreed first
dealer, columns in a series, a stake, a number of hands, and Mahjong gin around the corner."""

RULE_SETS = (*PRESETS, *MIXES)
