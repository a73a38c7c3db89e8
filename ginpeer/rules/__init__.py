"""Gin rummy and its variants as pure functions on immutable values; the rules are in RULES.md.

Read cards, ruleset, presets, melds, moves, score, hand, game, match, view: each needs only
those before it.
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
    popcount,
    set_text,
)
from ginpeer.rules.game import Column, Game, Line
from ginpeer.rules.hand import NEXT_PHASE, Hand, Phase, parse_hand
from ginpeer.rules.match import Match, Settlement, cut_dealer, parse_match
from ginpeer.rules.melds import ORDINARY, Meld, Melding, melding
from ginpeer.rules.moves import (
    Discard,
    DrawStock,
    Knock,
    Lay,
    LegalMoves,
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
    "NEXT_PHASE",
    "ORDINARY",
    "PRESETS",
    "STANDARD",
    "Card",
    "CardSet",
    "Column",
    "Discard",
    "DrawStock",
    "Game",
    "Hand",
    "HandResult",
    "Illegal",
    "Knock",
    "Lay",
    "LegalMoves",
    "Line",
    "Match",
    "Meld",
    "Melding",
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
    "canonical_text",
    "cards_of",
    "cut_dealer",
    "mask_of",
    "melding",
    "parse_card",
    "parse_hand",
    "parse_match",
    "parse_move",
    "parse_result",
    "parse_ruleset",
    "parse_set",
    "popcount",
    "score_hand",
    "set_text",
]
