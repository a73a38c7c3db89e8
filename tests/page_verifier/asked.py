"""Random rule texts, rule sets, moves and decks, given to both program and page."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, Card, RulesError
from ginpeer.rules.hand import Hand
from ginpeer.rules.ruleset import PRESETS, RuleSet, parse_ruleset
from tests.rules.texts import VALUES

# --- rule texts ------------------------------------------------------------------------------


def ends_of_ranges() -> list[str]:
    """Return rule texts in which every parameter has numbers in and outside its range, and every
    word."""
    numbers = (-1, 0, 1, 2, 3, 10, 15, 99, 100, 101, 1000, 1001, 10**4, 10**5, 10**6)
    words = [f"{name}={value}" for name in VALUES for value in (*numbers, "none", "no", "010", "")]
    words += [f"{name}={value}" for name, values in VALUES.items() for value in values]
    words += ["10001=1", "target=10001", "multi-match=100001", "stake=1000001", "moon=1", "=1"]
    return [f"{head} {word}" for word in words for head in ("standard", "oklahoma", "multi-match")]


def random_text(rng: random.Random) -> str:
    """Return a rule text of presets and parameters that may contradict each other."""
    chosen = rng.sample(list(VALUES), rng.choice([0, 1, 1, 2, 2, 3]))
    words = rng.sample(list(PRESETS), rng.choice([0, 0, 1, 1, 1, 2, 2, 3]))
    words += [f"{name}={rng.choice([VALUES[name][0], *VALUES[name]])}" for name in chosen]
    if rng.random() < 0.6:
        rng.shuffle(words)
    text = " ".join(words)
    spoilt = rng.random()
    if spoilt > 0.95:
        return text.replace("=", rng.choice(["==", "= ", " =", "=0", "=+", "=-", ""]), 1)
    if spoilt > 0.92:
        return rng.choice([f" {text}", f"{text} ", text.replace(" ", "  "), text.upper()])
    return text


def text_near_a_bound(rng: random.Random) -> str:
    """Return a rule text with a number near a bound W, M or F, and with rules that change these
    bounds."""
    name = rng.choice(["target", "hands", "multi-match"])
    words = rng.choice(_BOUNDED).split() + rng.sample(_BOUNDING, rng.randrange(4))
    pairs = {word.partition("=")[0]: word for word in words}
    if name in ("target", "multi-match"):
        number = rng.choice([rng.randrange(1, 40), rng.randrange(1, 1200)])
        pairs[name] = f"{name}={number}"
        if name == "multi-match":
            pairs["target"] = f"target={rng.choice([1, 2, 7, 25, 26, 60, 75, 100])}"
            pairs.pop("hands", None)
    else:
        pairs[name] = f"{name}={rng.randrange(1, 4)}"
        pairs["target"] = f"target={rng.randrange(1, 400)}"
    return " ".join(pairs.values())


_BOUNDED = ["standard", "straight", "mahjong", "classic", "tedesco", "hollywood", "oklahoma"]
_BOUNDING = [
    *("gin-bonus=0", "gin-bonus=60", "gin-bonus=77", "big-gin=0", "big-gin=none", "big-gin=70"),
    *("undercut-bonus=0", "undercut-bonus=300", "tie=no-bonus", "tie=nobody", "ace-pips=15"),
    *("spades-double=yes", "knock-limit=0", "knock-limit=1", "lead-of-fifty-loses=yes", "box=0"),
    *("box=1000", "box=3", "game-bonus=0", "game-bonus=33", "columns=3", "next-dealer=loser"),
    *("after-void=alternates", "shutout=double-game-bonus", "best-of=3", "hands=1", "hands=2"),
]


# --- rule sets and moves ---------------------------------------------------------------------

MORE_RULES = (
    *("standard", "oklahoma", "oklahoma-floating", "oklahoma knock-limit=second-deck", "tedesco"),
    *("standard tie=nobody", "straight big-gin=none", "mahjong", "mahjong spades-double=yes"),
)

# Together, these cover every way to set the limit, to wrap runs and to count.
HANDS = (
    *("standard", "classic", "standard knock-limit=4 big-gin=50", "oklahoma"),
    *("oklahoma ace-limit=one spades-double=no", "oklahoma-floating"),
    *("standard tie=nobody knock-limit=9", "straight", "straight spades-double=yes", "tedesco"),
    *("around-the-corner undercut-bonus=0", "classic knock-limit=7 spades-double=yes"),
    *("oklahoma-floating spades-double=yes", "oklahoma knock-limit=second-deck ace-pips=15"),
)


def rule_set(text: str) -> RuleSet | None:
    """Return the rule set of this text, or None if there is none."""
    try:
        rules = parse_ruleset(text)
        rules.check()
    except RulesError:
        return None
    return rules


def random_rules(rng: random.Random, ending: str = "") -> RuleSet:
    """Return a rule set with random parameters. *ending*: further words for its text."""
    while True:
        more = random_text(rng) if rng.random() < 0.6 else ""
        rules = rule_set(f"{rng.choice([*MORE_RULES, *HANDS])} {more} {ending}".strip())
        if rules is not None:
            return rules


def random_move(rng: random.Random, hand: Hand) -> moves.Move:
    """Return a move that tends to end the hand soon: mostly a sensible one, sometimes any legal
    one."""
    found = hand.legal_moves() if rng.random() < 0.1 else hand.sensible_moves()
    ending = moves.Knock | moves.Lay | moves.TakeDiscards | moves.Spread
    ends = [move for move in found if isinstance(move, ending)]
    move = rng.choice(ends if ends and rng.random() < 0.8 else tuple(found))
    if isinstance(move, moves.Discard) and rng.random() < 0.8:
        left, deadwood = hand.hand_of(hand.to_move), hand.melding.deadwood
        throws = [move for move in found if isinstance(move, moves.Discard)]
        return min(throws, key=lambda each: deadwood(left & ~each.card.bit))
    return move


# --- decks -----------------------------------------------------------------------------------


def _groups(rules: RuleSet) -> list[list[int]]:
    """Return all sets, and all runs of up to six cards."""
    wraps = rules.runs_wrap
    groups = [[rank + 13 * suit for suit in suits] for rank in range(13) for suits in _SUITS]
    for suit in range(4):
        for low in range(13):
            for length in range(3, 7):
                if wraps or low + length <= 13:
                    groups.append([13 * suit + (low + i) % 13 for i in range(length)])
    return groups


_SUITS = ([0, 1, 2, 3], [1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2])


def _melded(rng: random.Random, rules: RuleSet, size: int, taken: set[int]) -> list[int]:
    """Return a hand of mostly melds and low cards, without the *taken* cards."""
    cards: list[int] = []
    groups = _groups(rules)
    for group in rng.sample(groups, rng.choice([5, 60, len(groups)])):
        if len(cards) + len(group) <= size and not taken & {*group} and not {*cards} & {*group}:
            cards += group
    free = [card for card in range(52) if card not in taken and card not in cards]
    rng.shuffle(free)
    if rng.random() < 0.8:
        free.sort(key=lambda card: card % 13)
    return cards + free[: size - len(cards)]


def random_deck(rng: random.Random, rules: RuleSet, rare: Sequence[Card]) -> list[Card]:
    """Return a deck in which both players are dealt mostly melds, so that a hand can end in any
    turn, and in which *rare* cards are often the upcard or the first cards of the stock. In a
    random deal, a hand hardly ever ends in a turn in which such a card counts."""
    mine = _melded(rng, rules, 10, set())
    others = _melded(rng, rules, 10, set(mine))
    dealt = [card for pair in zip(mine, others, strict=True) for card in pair]
    rest = rng.sample([card for card in range(52) if card not in dealt], 32)
    wanted = rng.sample([int(card) for card in rare], rng.randrange(len(rare) + 1))
    rest.sort(key=lambda card: card not in wanted)
    if rng.random() < 0.5:  # so that the upcard isn't a rare card
        rest.insert(0, rest.pop())
    return [CARDS[card] for card in (*dealt, *rest)]
