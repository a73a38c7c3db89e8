"""Checks sentences of advice against the position by trying all cards, without the adviser's facts
and the engine's tables.

`python -m tests.cli.text.advised [HANDS]` does so for every rule set that has advice.
"""

import re
import sys
from functools import cache
from itertools import combinations, permutations

from cli.text.advice import AdvicePhrases, alternative_lines, best_line
from cli.text.cards import Style
from ginpeer.adviser import Advice, choices, explain
from ginpeer.rules import (
    CARDS,
    Discard,
    DrawStock,
    Pass,
    TakeUpcard,
    parse_card,
    parse_ruleset,
)
from tests.adviser.test_advise import ADVISED, positions
from tests.rules.by_the_book import is_meld

OTHER = "Bot"
CARD = r"(?:A|[2-9]|10|J|Q|K)[cdhs]"
COUNT = r"(\d+|none)"
OFTEN = r"about \d+ times in 100|once in 100|hardly ever"
LIST = rf"(?:{CARD}(?:, {CARD})*(?: and {CARD})?|\d+ cards)"


@cache
def all_melds(wraps):
    """Return every meld of the deck as a bit mask, found by trying."""
    found = set()
    for rank in range(13):
        four = [card for card in CARDS if card.rank == rank]
        found |= {bits(meld) for size in (3, 4) for meld in combinations(four, size)}
    for suit in range(4):
        row = [card for card in CARDS if card.suit == suit]
        for size in range(3, 14):
            for start in range(13):
                run = [row[(start + at) % 13] for at in range(size)]
                if melds(run, wraps):
                    found.add(bits(run))
    return tuple(found)


def melds(cards, wraps):
    return is_meld([str(card) for card in cards], wraps)


def bits(cards):
    return sum({card: 1 << card for card in cards}.values())


def cards_in(mask):
    return [card for card in CARDS if mask >> card & 1]


class Position:
    """A view, analysed card by card."""

    def __init__(self, view):
        hand, me = view.hand, view.seat
        self.view, self.rules, self.wraps = view, hand.rules, hand.rules.runs_wrap
        self.own, self.limit, self.stock = view.cards, hand.knock_limit, hand.stock_left
        pile = [] if hand.first_upcard is None else [hand.first_upcard]
        threw, left, held = set(), set(), set()
        for seat, move in hand.moves:
            other = seat != me
            if isinstance(move, TakeUpcard):
                card = pile.pop()
                if other:
                    held.add(card)
            elif isinstance(move, Discard):
                pile.append(move.card)
                if other:
                    threw.add(move.card)
                    held.discard(move.card)
            elif isinstance(move, DrawStock | Pass) and other and pile:
                left.add(pile[-1])
        self.held, self.pile = bits(held), pile
        self.threw, self.left = bits(threw - held), bits(left - held)
        self.unseen = bits(CARDS) & ~(self.own | bits(pile) | self.held)

    def pips(self, mask):
        return sum(
            self.rules.ace_pips if card.rank == 0 else min(10, card.rank + 1)
            for card in cards_in(mask)
        )

    def dead(self, mask):
        """Return the least deadwood over all ways to lay melds."""
        return self.least(mask, [meld for meld in all_melds(self.wraps) if not meld & ~mask])

    def least(self, rest, inside):
        found = self.pips(rest)
        for at, meld in enumerate(inside, 1):
            left = rest & ~meld
            found = min(found, self.least(left, [one for one in inside[at:] if not one & ~left]))
        return found

    def dead_after_throw(self, mask):
        inside = [meld for meld in all_melds(self.wraps) if not meld & ~mask]
        return min(
            self.least(mask & ~(1 << card), [meld for meld in inside if not meld >> card & 1])
            for card in cards_in(mask)
        )

    def draws(self, kept, thrown=0):
        """Return a list of what is left after each card that may come, and what is left without
        one."""
        coming = cards_in(self.unseen & ~thrown)
        return [self.dead_after_throw(kept | 1 << card) for card in coming], self.dead(kept)

    def helping(self, kept, thrown=0):
        left, now = self.draws(kept, thrown)
        return sum(one < now for one in left), len(left)

    def gins(self, kept, thrown=0):
        left, _ = self.draws(kept, thrown)
        return sum(one == 0 for one in left), len(left)

    def near(self, card):
        def close(other):
            steps = abs(card.rank - other.rank)
            steps = min(steps, 13 - steps) if self.wraps else steps
            return other != card and (steps == 0 or (other.suit == card.suit and steps <= 2))

        return bits(filter(close, CARDS))

    def outs(self, card):
        """Return the unseen cards that form a meld with this card and one other card of the
        hand."""
        own = [one for one in cards_in(self.own) if one != card]
        return bits(
            new
            for new in cards_in(self.unseen)
            if any(melds([card, new, one], self.wraps) for one in own)
        )

    def ways(self, card):
        """Return in how many ways the opponent may meld this card with two others."""
        may = cards_in(self.unseen | self.held)
        return sum(melds([card, a, b], self.wraps) for a, b in combinations(may, 2))

    def layoffs(self, laid):
        may = cards_in(self.unseen | self.held)
        return bits(
            card for card in may if any(melds([*cards_in(meld), card], self.wraps) for meld in laid)
        )

    def least_throw(self):
        taken = 0 if self.view.hand.taken is None else self.view.hand.taken.bit
        return min(self.dead(self.own & ~(1 << card)) for card in cards_in(self.own & ~taken))

    def after_taking(self):
        """Return what is left after taking the upcard and each discard, by the ten cards kept."""
        full = self.own | self.pile[-1].bit
        kept = [full & ~(1 << card) for card in cards_in(self.own)]
        big = [full] if self.rules.big_gin is not None else []
        return [(self.dead(cards), cards) for cards in (*kept, *big)]


def said(text):
    """Return the card that the text names."""
    return parse_card(text.replace("10", "T"))


def names(text, mask):
    """Return whether the sentence names these cards, or their number."""
    count = re.fullmatch(r"(\d+) cards", text)
    if count:
        return int(count[1]) == mask.bit_count()
    return sorted(map(said, re.findall(CARD, text))) == cards_in(mask)


def rest(at, move):
    return at.own & ~move.card.bit


def from_stock(at, move, helps, of, more):
    """Check what a card from the stock can do, and the text after it about gin and a knock."""
    left, _ = at.draws(at.own)
    gins, knocks = sum(one == 0 for one in left), sum(one <= at.limit for one in left)
    parts = [f"{gins} of them for gin"] if gins else []
    parts += [f"{knocks} for a knock"] if len(left) > knocks > gins else []
    return at.helping(at.own) == (int(helps), int(of)) and more == (
        f", {' and '.join(parts)}" if parts else ""
    )


def upcard_melds(at, cards):
    upcard = at.pile[-1]
    count = re.fullmatch(r"(\d+) cards", cards)
    if count:
        return any(
            meld >> upcard & 1 and not meld & ~(at.own | upcard.bit)
            for meld in all_melds(at.wraps)
            if meld.bit_count() == int(count[1]) + 1
        )
    return melds([upcard, *map(said, re.findall(CARD, cards))], at.wraps)


def compared(at, first, second, told, count):
    """Check two cards, each with a count, of which the second move's is said to be worse."""
    one, count_one, other, count_other = told
    if (said(one), said(other)) == (second.card, first.card):
        first, second = second, first
    return (
        (said(one), said(other)) == (first.card, second.card)
        and count(first) == int(count_one)
        and count(second) == int(count_other.replace("none", "0"))
    )


def fewer_gins(at, move, best, more, better, less, card):
    told = better, more, card, less
    return compared(at, move, best, told, lambda one: at.gins(rest(at, one), one.card.bit)[0])


def fewer_help(at, move, best, more, better, less, card):
    told = better, more, card, less
    return compared(at, move, best, told, lambda one: at.helping(rest(at, one), one.card.bit)[0])


def often_enough(at, move, often):
    chance = explain(at.view, move).undercut
    told = re.fullmatch(r"about (\d+) times in 100", often)
    if told:
        return int(told[1]) == chance > 1
    return chance == {"hardly ever": 0, "once in 100": 1}[often]


def held_and_melds(at, move, best, *told):
    *pair, card = map(said, told)
    held = not bits(pair) & ~at.held
    return card == move.card and held and melds([*pair, card], at.wraps)


def left_by_taking(at, move, best, card, then, now):
    left = [left for left, _ in at.after_taking()]
    return said(card) == at.pile[-1] and int(now) == at.dead(at.own) and int(then) in left


# For each clause: its pattern, and whether it is true of the position, the move it is about and the
# better move.
FOR = {
    r"all the other cards are melded": lambda at, move: at.dead(rest(at, move)) == 0,
    r"none of your cards is near it": lambda at, move: not at.near(move.card) & at.own,
    r"no unseen card would meld it": lambda at, move: not at.outs(move.card),
    rf"only ({LIST}) would meld it": lambda at, move, cards: names(cards, at.outs(move.card)),
    r"it counts (\d+)": lambda at, move, count: int(count) == at.pips(move.card.bit),
    r"Bot can't meld it": lambda at, move: at.ways(move.card) == 0,
    rf"Bot discarded ({LIST})": lambda at, move, cards: names(cards, at.near(move.card) & at.threw),
    rf"Bot didn't take ({LIST})": lambda at, move, cards: names(
        cards, at.near(move.card) & at.left
    ),
    r"then (\d+) of (\d+) unseen cards makes? gin": lambda at, move, *counts: (
        at.gins(rest(at, move), move.card.bit) == tuple(map(int, counts)) and at.stock > 3
    ),
    r"then (\d+) of (\d+) unseen cards helps?": lambda at, move, *counts: (
        at.helping(rest(at, move), move.card.bit) == tuple(map(int, counts)) and at.stock > 3
    ),
    r"no other discard leaves less deadwood than (\d+)": lambda at, move, count: (
        at.dead(rest(at, move)) == int(count) == at.least_throw()
    ),
    r"no more cards can be drawn in this hand": lambda at, move: at.stock == 2,
    r"(\d+) of (\d+) unseen cards helps?((?:, | and )?.*)": from_stock,
    r"it lets you knock with (\d+)": lambda at, move, count: (
        int(count) in [left for left, _ in at.after_taking()] and 0 < int(count) <= at.limit
    ),
    r"it gives you gin": lambda at, move: 0 in [left for left, _ in at.after_taking()],
    rf"it melds with ({LIST})": lambda at, move, cards: upcard_melds(at, cards),
    r"your deadwood goes from (\d+) to (\d+)": lambda at, move, now, then: (
        int(now) == at.dead(at.own)
        and int(then) < int(now)
        and int(then) in [left for left, _ in at.after_taking()]
    ),
    rf"you can discard ({CARD})": lambda at, move, card: bool(at.own & said(card).bit),
    r"all your cards are melded": lambda at, move: (
        at.dead(at.own & ~(0 if move.discard is None else move.discard.bit)) == 0
    ),
    r"you show (\d+), and the limit is (\d+)": lambda at, move, shown, limit: (
        at.pips(move.deadwood) == int(shown) <= int(limit) == at.limit
    ),
    rf"Bot undercuts it ({OFTEN})": lambda at, move, often: often_enough(at, move, often),
    r"Bot can't lay off anything": lambda at, move: at.layoffs(move.melds) == 0,
    r"you can lay off (\d+) cards?": lambda at, move, count: len(move.layoffs) == int(count),
    r"(\d+) is left, against (\d+) for Bot": lambda at, move, mine, theirs: (
        at.pips(move.deadwood) == int(mine) and at.pips(at.view.hand.knock.deadwood) == int(theirs)
    ),
}
AGAINST = {
    rf"discarding ({CARD}) breaks a meld and adds (\d+)": lambda at, move, best, card, count: (
        said(card) == move.card and at.dead(rest(at, move)) - at.dead(at.own) == int(count) > 0
    ),
    rf"Bot holds ({CARD}) and ({CARD}) and would meld ({CARD})": held_and_melds,
    rf"Bot took ({LIST}), so keep ({CARD})": lambda at, move, best, cards, card: (
        said(card) == move.card and names(cards, at.held & at.near(move.card))
    ),
    rf"({LIST}) would meld ({CARD})": lambda at, move, best, cards, card: (
        said(card) == move.card and names(cards, at.outs(move.card))
    ),
    rf"(\d+) unseen cards? makes? gin if you discard ({CARD}), {COUNT} if ({CARD})": fewer_gins,
    rf"(\d+) unseen cards? helps? if you discard ({CARD}), {COUNT} if ({CARD})": fewer_help,
    rf"discarding ({CARD}) leaves deadwood of (\d+), discarding ({CARD}) (\d+)": (
        lambda at, move, best, *told: compared(
            at, best, move, told, lambda one: at.dead(rest(at, one))
        )
    ),
    rf"Bot may meld ({CARD}) in (\d+) ways?, ({CARD}) in {COUNT}": lambda at, move, best, *told: (
        compared(at, best, move, told, lambda one: at.ways(one.card))
    ),
    r"playing on, (\d+) of (\d+) unseen cards makes? gin": lambda at, move, best, *counts: (
        at.gins(rest(at, best), best.card.bit) == tuple(map(int, counts)) and at.stock > 3
    ),
    r"playing on, (\d+) of (\d+) unseen cards would make gin": lambda at, move, best, *counts: (
        at.gins(rest(at, move), move.card.bit) == tuple(map(int, counts))
    ),
    r"the stock is nearly used up": lambda at, move, best: at.stock <= 3,
    r"from the stock only (\d+) of (\d+) unseen cards would help": (
        lambda at, move, best, *counts: at.helping(at.own) == tuple(map(int, counts))
    ),
    r"the hand is void without it": lambda at, move, best: at.view.hand.apply(move).over,
    rf"({CARD}) wouldn't be in a meld": lambda at, move, best, card: any(
        left == at.dead(kept & ~said(card).bit) + at.pips(said(card).bit)
        for left, kept in at.after_taking()
    ),
    rf"taking ({CARD}) would leave (\d+), and you have (\d+)": left_by_taking,
    rf"knocking would show (\d+)(?:, and Bot undercuts it ({OFTEN}))?": (
        lambda at, move, best, shown, often: (
            at.pips(move.deadwood) == int(shown)
            and (often is None or often_enough(at, move, often))
        )
    ),
    rf"({LIST}) could be laid off on the other knock": lambda at, move, best, cards: names(
        cards, at.layoffs(move.melds)
    ),
}


def judged(clauses, text, *of):
    """Return whether this clause is in the table and true."""
    found = [(re.fullmatch(pattern, text), check) for pattern, check in clauses.items()]
    matching = [(match, check) for match, check in found if match]
    assert len(matching) == 1, f"{len(matching)} readings of: {text}"
    match, check = matching[0]
    return check(*of, *match.groups())


def check(view, moves=None):
    """Check every sentence for one of the three best choices (or of *moves*), and against each
    compared with another; return how many clauses were true. Raise AssertionError on the first
    false one, or if a hint says anything else."""
    moves = [one.move for one in choices(view)[:3]] if moves is None else moves
    found = [Advice(move, -at, explain(view, move)) for at, move in enumerate(moves)]
    at, words, true = Position(view), AdvicePhrases(Style(), OTHER), set()
    for one in found:
        for text in words.reasons(one.facts):
            assert judged(FOR, text, at, one.move), f"{one.move}: {text!r} at {view.hand}"
            true.add(text)
    for worse, better in permutations(found, 2):
        for text in words.drawbacks(worse, better):
            those = worse.move, better.move
            assert judged(AGAINST, text, at, *those), f"{those}: {text!r} at {view.hand}"
            true.add(text)
    for line in (best_line(found, Style(), OTHER), *alternative_lines(found, Style(), OTHER)):
        assert true.issuperset(parts(line)), line
        assert len(set(parts(line))) == len(parts(line)) <= 3, line
    return len(true)


def parts(line):
    head, _, why = line.removesuffix(".").partition(": ")
    assert head
    return why.split("; ") if why else []


def main(hands):
    for text in (*ADVISED, "oklahoma knock-limit=second-deck"):
        count = clauses = 0
        for view in positions(parse_ruleset(text), hands, text):
            count, clauses = count + 1, clauses + check(view)
        print(f"{text}: {count:,} positions, {clauses:,} clauses, all true", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
