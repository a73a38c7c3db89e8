"""Gin rummy and its variants as pure functions on immutable values; the rules are in RULES.md.

A match between two players who choose sensible moves at random:

>>> from random import Random
>>> from ginpeer.rules import Match, parse_ruleset
>>> match, rng = Match.begin(parse_ruleset("oklahoma target=40"), dealer=0), Random(5)
>>> while not match.finished:
...     hand = match.deal(seed=rng.randrange(1_000_000))
...     while not hand.over:
...         hand = hand.apply(rng.choice(hand.sensible_moves()))
...     match = match.record(hand.result)
>>> print(match.settlement())  # doctest: +ELLIPSIS
            seat 0  seat 1
hands ...

Nothing changes in place: ``apply`` and ``record`` return new values, so to take a move back,
continue with the old value. ``hand.legal_moves()`` lists every legal move, and
``move in hand.legal_moves()`` gives the same answer as ``hand.is_legal(move)``. ``str`` writes
moves, cards, hands, matches and rule sets; ``parse_move``, ``parse_card`` and so on read them back.
``hand.board()`` and ``match.sheet()`` return text for people to read. A set of cards is an int,
which ``set_text`` shows. Seats are 0 and 1. Invalid values are refused with a ``RulesError``, which
has a ``code``, a ``sentence`` and the number of the rule.

A ``Hand`` knows what its holder knows: ``Hand.deal`` and ``Match.deal`` return one that knows every
card, ``Hand.begin`` one that knows only the table, and ``View`` is what one player sees.

Reading order; each module needs only those before it:

cards                      cards and sets of cards, and the errors that every rule raises
parameters                 every parameter, and which values can't be played together
ruleset                    the named rule sets, and a whole rule set as one value
moves                      the moves, and how each is written
melds                      which cards are melds, least deadwood, the knocks that can matter, and
                           the best answer to a knock
score                      the result and points of a hand, and one game
mahjong                    the melds on the table in Mahjong gin
card_order                 a hand sorted as people lay it out
hand                       one hand, from the upcard to its result; ``hand.board()``
match                      the match, its account, and ``match.sheet()``; what one player sees
team                       the scores of several tables, added up
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
from ginpeer.rules.hand import NEXT_PHASE, Hand, Phase, parse_hand
from ginpeer.rules.match import Match, Settlement, View, cut_dealer, parse_match
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
from ginpeer.rules.ruleset import PRESETS, STANDARD, RuleSet, canonical_text, parse_ruleset
from ginpeer.rules.score import (
    Column,
    Game,
    HandResult,
    Outcome,
    ScoreLine,
    parse_result,
    score_hand,
)

Line = ScoreLine  # ScoreLine's name up to version 1.3

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
    "ScoreLine",
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
