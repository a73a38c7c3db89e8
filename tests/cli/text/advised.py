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
from ginpeer.adviser import Advice, choices
from ginpeer.adviser.advise import explain
from ginpeer.rules import (
    CARDS,
    Discard,
    DrawStock,
    Pass,
    TakeUpcard,
    parse_card,
    parse_ruleset,
)
from ginpeer.rules.parameters import KnockLimit
from tests.adviser.test_advise import ADVISED, positions
from tests.rules.by_the_book import is_meld

OTHER = "Bot"
CARD = r"(?:A|[2-9]|10|J|Q|K)[cdhs]"
COUNT = r"(\d+|none)"
ONLY = rf"but (?:only )?{COUNT}"
OF_UNSEEN = rf"{COUNT} of (?:the )?(\d+) unseen cards"
OFTEN = (
    r"hardly ever undercuts such a knock|"
    r"undercuts such a knock about (?:\d+ times in 100|one time in 100)"
)
KNOCK = r"(?:knocking|(?:that|the other) knock)"
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

    def lowering(self, kept, thrown=0):
        left, now = self.draws(kept, thrown)
        return sum(one < now for one in left), len(left)

    def melding(self, kept, thrown=0):
        """Return how many cards leave less and are in a meld with cards kept, and how many may
        come."""
        left, now = self.draws(kept, thrown)
        coming = cards_in(self.unseen & ~thrown)
        return sum(
            one < now and self.dead(kept | 1 << card) < now + self.pips(1 << card)
            for card, one in zip(coming, left, strict=True)
        ), len(left)

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
        return len(self.pairs(card))

    def partners(self, card):
        """Return the cards of the pairs with which the opponent may meld this card."""
        return bits({one for pair in self.pairs(card) for one in pair})

    def pairs(self, card):
        may = cards_in(self.unseen | self.held)
        return [pair for pair in combinations(may, 2) if melds([card, *pair], self.wraps)]

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


def card_named(text):
    """Return the card that the text names."""
    return parse_card(text.replace("10", "T"))


def numbers(texts):
    return tuple(int(text.replace("none", "0")) for text in texts)


def names_cards(text, mask):
    """Return whether the sentence names these cards, or their number."""
    count = re.fullmatch(r"(\d+) cards", text)
    if count:
        return int(count[1]) == mask.bit_count()
    return sorted(map(card_named, re.findall(CARD, text))) == cards_in(mask)


def rest(position, move):
    return position.own & ~move.card.bit


def from_stock(position, move, helps, of, does, more):
    """Check what a card from the stock can do, and the text after it about gin and a knock."""
    left, _ = position.draws(position.own)
    gins, knocks = sum(one == 0 for one in left), sum(one <= position.limit for one in left)
    parts = [f"{gins} make gin"] if gins else []
    floats = isinstance(move, Pass) and position.rules.knock_limit is KnockLimit.FLOATING
    parts += [f"{knocks} let you knock"] if len(left) > knocks > gins and not floats else []
    *commas, last = ["", *parts] if parts else [""]
    more = more.replace("1 makes", "1 make").replace("1 lets", "1 let")
    return helping(position, position.own, 0, does) == numbers((helps, of)) and more == (
        f"{', '.join(commas)} and {last}" if last else ""
    )


def helping(position, kept, thrown, does):
    """Return how many cards do this, and how many may come."""
    return {
        "a meld": position.melding,
        "your deadwood": position.lowering,
    }[" ".join(does.split()[1:])](kept, thrown)


def few_in_the_stock(position, move, best, count, of, does):
    if does == "let you knock":
        left, _ = position.draws(position.own)
        found = sum(one <= position.limit for one in left), len(left)
    else:
        found = helping(position, position.own, 0, does)
    return found == numbers((count, of))


def upcard_melds(position, cards):
    upcard = position.pile[-1]
    count = re.fullmatch(r"(\d+) cards", cards)
    if count:
        return any(
            meld >> upcard & 1 and not meld & ~(position.own | upcard.bit)
            for meld in all_melds(position.wraps)
            if meld.bit_count() == int(count[1]) + 1
        )
    return melds([upcard, *map(card_named, re.findall(CARD, cards))], position.wraps)


def compared(position, first, second, quoted, count):
    """Check two cards, each with a count, of which the second move's is said to be worse."""
    one, count_one, other, count_other = quoted
    if (card_named(one), card_named(other)) == (second.card, first.card):
        first, second = second, first
    return (
        (card_named(one), card_named(other)) == (first.card, second.card)
        and count(first) == int(count_one)
        and count(second) == numbers([count_other])[0]
    )


def fewer(helping):
    """Return a check of how many cards help after each of two discards, as *helping* (a method of
    Position) counts them."""

    def check(position, move, best, more, better, less, card):
        def count(one):
            return helping(position, rest(position, one), one.card.bit)[0]

        return compared(position, move, best, (better, more, card, less), count)

    return check


def often_enough(position, move, often):
    chance = explain(position.view, move).undercut
    quoted = re.search(r"about (\d+) times in 100", often)
    if quoted:
        return int(quoted[1]) == chance > 1
    return chance == ("one time" in often)


def held_and_melds(position, move, best, *quoted):
    *pair, card = map(card_named, quoted)
    held = not bits(pair) & ~position.held
    return card == move.card and held and melds([*pair, card], position.wraps)


def left_by_taking(position, move, best, card, then, now):
    left = [left for left, _ in position.after_taking()]
    return (
        card_named(card) == position.pile[-1]
        and int(now) == position.dead(position.own)
        and int(then) in left
    )


# For each clause: its pattern, and whether it is true of the position, the move it is about and the
# better move.
FOR = {
    r"all the other cards are melded": lambda position, move: (
        position.dead(rest(position, move)) == 0
    ),
    rf"none of your cards goes with {CARD}": lambda position, move: (
        not position.near(move.card) & position.own
    ),
    rf"no unseen card makes a meld with {CARD}": lambda position, move: (
        not position.outs(move.card)
    ),
    rf"{CARD} could still meld only with ({LIST})": lambda position, move, cards: names_cards(
        cards, position.outs(move.card)
    ),
    rf"(?:it|{CARD}) counts (\d+)": lambda position, move, count: (
        int(count) == position.pips(move.card.bit)
    ),
    r"Bot can't meld it": lambda position, move: position.ways(move.card) == 0,
    rf"Bot can't meld ({CARD})": lambda position, move, card: (
        card_named(card) == move.card and position.ways(move.card) == 0
    ),
    rf"Bot discarded ({LIST})": lambda position, move, cards: names_cards(
        cards, position.near(move.card) & position.threw
    ),
    rf"Bot didn't take ({LIST})": lambda position, move, cards: names_cards(
        cards, position.near(move.card) & position.left
    ),
    r"then (\d+) of (\d+) unseen cards makes? gin": lambda position, move, *counts: (
        position.gins(rest(position, move), move.card.bit) == tuple(map(int, counts))
        and position.stock > 3
    ),
    r"then (\d+) of (\d+) unseen cards makes? a meld": lambda position, move, *counts: (
        position.melding(rest(position, move), move.card.bit) == tuple(map(int, counts))
        and position.stock > 3
    ),
    r"no other discard leaves less deadwood than (\d+)": lambda position, move, count: (
        position.dead(rest(position, move)) == int(count) == position.least_throw()
    ),
    r"no more cards can be drawn in this hand": lambda position, move: position.stock == 2,
    rf"{OF_UNSEEN} (makes? a meld|lowers? your deadwood)((?:, | and )?.*)": from_stock,
    r"it lets you knock with (\d+)": lambda position, move, count: (
        int(count) in [left for left, _ in position.after_taking()]
        and 0 < int(count) <= position.limit
    ),
    r"it gives you gin": lambda position, move: 0 in [left for left, _ in position.after_taking()],
    rf"it melds with ({LIST})": lambda position, move, cards: upcard_melds(position, cards),
    r"your deadwood goes from (\d+) to (\d+)": lambda position, move, now, then: (
        int(now) == position.dead(position.own)
        and int(then) < int(now)
        and int(then) in [left for left, _ in position.after_taking()]
    ),
    rf"then you can let go of ({CARD})": lambda position, move, card: bool(
        position.own & card_named(card).bit
    ),
    r"all your cards are melded": lambda position, move: (
        position.dead(position.own & ~(0 if move.discard is None else move.discard.bit)) == 0
    ),
    r"that leaves (\d+), and the limit is (\d+)": lambda position, move, shown, limit: (
        position.pips(move.deadwood) == int(shown) <= int(limit) == position.limit
    ),
    rf"Bot ({OFTEN})": lambda position, move, often: often_enough(position, move, often),
    r"Bot can't lay off anything": lambda position, move: position.layoffs(move.melds) == 0,
    r"you can lay off (\d+) cards?": lambda position, move, count: len(move.layoffs) == int(count),
    r"that leaves (\d+), against Bot's (\d+)": lambda position, move, mine, theirs: (
        position.pips(move.deadwood) == int(mine)
        and position.pips(position.view.hand.knock.deadwood) == int(theirs)
    ),
}
AGAINST = {
    rf"discarding ({CARD}) breaks a meld and adds (\d+) to your deadwood": (
        lambda position, move, best, card, count: (
            card_named(card) == move.card
            and position.dead(rest(position, move)) - position.dead(position.own) == int(count) > 0
        )
    ),
    rf"Bot holds ({CARD}) and ({CARD}) and would meld ({CARD})": held_and_melds,
    rf"Bot took ({LIST}) and may want ({CARD})": lambda position, move, best, cards, card: (
        card_named(card) == move.card
        and names_cards(cards, position.held & position.partners(move.card))
    ),
    rf"({CARD}) could still meld with ({LIST})": lambda position, move, best, card, cards: (
        card_named(card) == move.card and names_cards(cards, position.outs(move.card))
    ),
    rf"(\d+) unseen cards? makes? gin if you discard ({CARD}), {ONLY} if you discard ({CARD})": (
        fewer(Position.gins)
    ),
    rf"(\d+) unseen cards? makes? a meld if you discard ({CARD}), {ONLY} if you discard ({CARD})": (
        fewer(Position.melding)
    ),
    rf"discarding ({CARD}) leaves deadwood of (\d+), and discarding ({CARD}) leaves (\d+)": (
        lambda position, move, best, *told: compared(
            position, best, move, told, lambda one: position.dead(rest(position, one))
        )
    ),
    rf"Bot may meld ({CARD}) in (\d+) ways?, but ({CARD}) in (?:only )?{COUNT}": (
        lambda position, move, best, *told: compared(
            position, best, move, told, lambda one: position.ways(one.card)
        )
    ),
    r"if you play on, (\d+) of (\d+) unseen cards makes? gin": (
        lambda position, move, best, *counts: (
            position.gins(rest(position, best), best.card.bit) == tuple(map(int, counts))
            and position.stock > 3
        )
    ),
    rf"if you play on, (?:only )?{OF_UNSEEN} would make gin": (
        lambda position, move, best, *counts: (
            position.gins(rest(position, move), move.card.bit) == numbers(counts)
        )
    ),
    r"the stock is nearly used up": lambda position, move, best: position.stock <= 3,
    rf"from the stock(?:,| only) {OF_UNSEEN} would "
    r"(make a meld|lower your deadwood|let you knock)": few_in_the_stock,
    r"if you pass, the hand is void": lambda position, move, best: (
        position.view.hand.apply(move).over
    ),
    rf"({CARD}) wouldn't be in a meld": lambda position, move, best, card: any(
        left == position.dead(kept & ~card_named(card).bit) + position.pips(card_named(card).bit)
        for left, kept in position.after_taking()
    ),
    rf"taking ({CARD}) would leave (\d+), and you have (\d+)": left_by_taking,
    rf"{KNOCK} would leave (\d+)(?:, and Bot ({OFTEN}))?": (
        lambda position, move, best, shown, often: (
            position.pips(move.deadwood) == int(shown)
            and (often is None or often_enough(position, move, often))
        )
    ),
    rf"({LIST}) could be laid off on {KNOCK}": lambda position, move, best, cards: names_cards(
        cards, position.layoffs(move.melds)
    ),
}


def is_true(clauses, text, *of):
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
    found = [Advice(move, -rank, explain(view, move)) for rank, move in enumerate(moves)]
    position, words, true = Position(view), AdvicePhrases(Style(), OTHER), set()
    for one in found:
        for text in words.reasons(one.facts):
            assert is_true(FOR, text, position, one.move), f"{one.move}: {text!r} at {view.hand}"
            true.add(text)
    for worse, better in permutations(found, 2):
        those = worse.move, better.move
        beside = words.drawbacks(worse, better, beside_better=True)
        for text in (*words.drawbacks(worse, better), *beside):
            assert is_true(AGAINST, text, position, *those), f"{those}: {text!r} at {view.hand}"
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
