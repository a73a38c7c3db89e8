"""Standard gin rummy as pure functions on immutable values; the rules are in RULES.md.

Read cards, ruleset, melds, moves, score, hand, match, view: each needs only those before it.
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
    fits,
    is_meld,
)
from ginpeer.rules.moves import (
    Discard,
    DrawStock,
    Knock,
    Move,
    Pass,
    Spread,
    TakeUpcard,
    parse_move,
)
from ginpeer.rules.ruleset import STANDARD, RuleSet, parse_ruleset
from ginpeer.rules.score import HandResult, Outcome, parse_result, score_hand
from ginpeer.rules.view import View

__all__ = [
    "CARDS",
    "DECK",
    "MELDS",
    "NEXT_PHASE",
    "STANDARD",
    "Card",
    "CardSet",
    "Discard",
    "DrawStock",
    "Hand",
    "HandResult",
    "Illegal",
    "Knock",
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
    "TakeUpcard",
    "Unreadable",
    "Unsupported",
    "View",
    "arrangements",
    "best_discards",
    "best_spread",
    "cards_of",
    "cut_dealer",
    "deadwood",
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
