"""Gin rummy and its variants as pure functions on immutable values; the rules are in RULES.md.

Read cards, ruleset, presets, melds, moves, score, hand, match, view: each needs only those before
it.
"""

from ginpeer.rules.cards import (
    CARDS,
    DECK,
    Card,
    CardSet,
    Illegal,
    RulesError,
    Unreadable,
    Unsupported,
    cards_of,
    mask_of,
    parse_card,
    parse_set,
    pips_of,
    popcount,
    set_text,
)
from ginpeer.rules.hand import NEXT_PHASE, Hand, Phase, parse_hand
from ginpeer.rules.match import Line, Match, Settlement, cut_dealer, parse_match
from ginpeer.rules.melds import (
    MELDS,
    Meld,
    arrangements,
    best_discards,
    best_spread,
    deadwood,
    deadwood_after_discard,
    fits,
    is_meld,
)
from ginpeer.rules.moves import (
    Discard,
    DrawStock,
    Knock,
    Lay,
    Move,
    Pass,
    Spread,
    TakeDiscards,
    TakeUpcard,
    parse_move,
)
from ginpeer.rules.presets import PRESETS, canonical_text, parse_ruleset
from ginpeer.rules.ruleset import STANDARD, RuleSet
from ginpeer.rules.score import HandResult, Outcome, parse_result, score_hand
from ginpeer.rules.view import View

__all__ = [
    "CARDS",
    "DECK",
    "MELDS",
    "NEXT_PHASE",
    "PRESETS",
    "STANDARD",
    "Card",
    "CardSet",
    "Discard",
    "DrawStock",
    "Hand",
    "HandResult",
    "Illegal",
    "Knock",
    "Lay",
    "Line",
    "Match",
    "Meld",
    "Move",
    "Outcome",
    "Pass",
    "Phase",
    "RuleSet",
    "RulesError",
    "Settlement",
    "Spread",
    "TakeDiscards",
    "TakeUpcard",
    "Unreadable",
    "Unsupported",
    "View",
    "arrangements",
    "best_discards",
    "best_spread",
    "canonical_text",
    "cards_of",
    "cut_dealer",
    "deadwood",
    "deadwood_after_discard",
    "fits",
    "is_meld",
    "mask_of",
    "parse_card",
    "parse_hand",
    "parse_match",
    "parse_move",
    "parse_result",
    "parse_ruleset",
    "parse_set",
    "pips_of",
    "popcount",
    "score_hand",
    "set_text",
]
