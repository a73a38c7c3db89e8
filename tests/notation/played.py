"""Matches played with only the rules, and noted move by move."""

from random import Random

from ginpeer.notation import Sheet, SheetMaker, write_sheet
from ginpeer.notation.sheet import second_deck
from ginpeer.rules import DrawStock, Match, View, parse_ruleset


def played(rules: str, seed: int, *, known=(True, True), hands=2, tags=(), chooser=None) -> Sheet:
    """Play some hands between two players who choose at random among sensible moves, and may
    resign. *known*: for each player, whether their cards are noted. *hands*: the maximum number of
    hands. *chooser*: a function that is given a View and chooses instead."""
    rule_set, random = parse_ruleset(rules), Random(seed)
    match = Match.begin(rule_set, random.randrange(2))
    maker = SheetMaker(rule_set)
    while not match.finished and len(maker.hands) < hands:
        hand = match.deal(seed=random.randrange(2**32))
        cards = tuple(
            held if shown else None for held, shown in zip(hand.hands, known, strict=True)
        )
        maker.begin(len(maker.hands) + 1, match.dealer)
        first = hand.to_move if second_deck(rule_set) else None
        maker.deal(cards, hand.first_upcard, hand.knock_card, first)
        while not hand.over:
            if chooser is None and random.random() < 0.002:
                maker.resign(random.randrange(2)) if hand.knocker is None else None
                if maker.position is None:
                    return maker.sheet(tags)
            if chooser is None:
                move = random.choice(hand.sensible_moves())
            else:
                move = chooser(View(hand.to_move, hand, match))
            drawn = None
            if isinstance(move, DrawStock) and known[hand.to_move]:
                drawn = hand.stock[0]
            maker.make(move, drawn)
            hand = hand.apply(move)
        match = match.record(hand.result)
    return maker.sheet(tags)


def lines_of(sheet: Sheet) -> list[str]:
    return write_sheet(sheet).split("\n")
