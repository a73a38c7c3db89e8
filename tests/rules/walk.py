"""Play random matches under every preset, and check after every move what must always be true.

``python -m tests.rules.walk [--hands N] [--seed S] [--preset RULES]`` walks N hands (default
20,000) of each of ``ALL_RULES`` or of the preset named, and prints what occurred.
tests/rules/test_random_play.py walks a few hundred of each.

It plays four hands side by side: one that knows all cards, one that knows none, as a referee does,
and each player's own. A fifth plays the same hand by the book (tests.rules.by_the_book). Moves are
the engine's own and made-up ones, legal and illegal, and both implementations must judge each
alike.
"""

import argparse
import random
import time
from collections import Counter

from ginpeer.rules import (
    CARDS,
    DECK,
    PRESETS,
    Discard,
    DrawStock,
    Knock,
    Lay,
    Match,
    Outcome,
    Pass,
    Phase,
    Spread,
    TakeDiscards,
    TakeUpcard,
    cards_of,
    mask_of,
    parse_hand,
    parse_move,
    parse_ruleset,
    popcount,
)
from ginpeer.rules.parameters import KnockLimit
from tests.rules.by_the_book import Book
from tests.rules.by_the_book import cards as texts_of
from tests.rules.drawing import best_discards, shuffled_deal

ALL_RULES = (
    *PRESETS,
    "oklahoma knock-limit=second-deck",
    "standard opening=either-pile",
    "oklahoma hollywood multi-match",
    # Features that no preset combines.
    "oklahoma-floating ace-limit=one runs-wrap=yes wall=last-discard swap-limit=5",
    "oklahoma-floating ace-pips=15 spades-double=yes",
    "standard spades-double=yes hands=4 target=60",
    "hollywood hands=9 target=60",
    "mahjong opening=either-pile wall=last-discard swap-limit=5 runs-wrap=yes spades-double=yes",
    "oklahoma knock-limit=second-deck ace-limit=one tie=nobody next-dealer=loser hands=6",
    "oklahoma hollywood after-void=alternates next-dealer=winner swap-limit=4 tie=no-bonus",
)

MADE_UP = 0.06  # the chance that a move is made up
READ_BACK = 0.01  # the chance that the texts of a position are read back


def most_moves(rules):
    """Return a number of moves that no hand exceeds. At most 32 cards are drawn from the stock.
    Between two of these draws, there are fewer turns of two moves than the swap limit. All 52 cards
    may be laid one by one."""
    return 2 * 33 * rules.swap_limit + 2 + 52


def walk(text, hands, seed):
    """Play this many hands by these rules. Return the counts of what occurred. Any fault raises an
    AssertionError that begins with the text of the hand."""
    rng, rules, met = random.Random(f"{seed} {text}"), parse_ruleset(text), Counter()
    match = Match.begin(rules, rng.randrange(2))
    for _ in range(hands):
        second_deck = rules.knock_limit is KnockLimit.SECOND_DECK
        first = match.first_to_play if second_deck else None
        hand, stock = shuffled_deal(rng, match.dealer, rules, first)
        result = _Walked(rng, hand, stock, met).to_the_end()
        if match.finished:
            match = Match.begin(rules, rng.randrange(2))
        match = match.record(result)
        met["hands"] += 1
        met[result.kind] += 1
        met["doubled"] += result.doubled
        if match.finished:
            met["matches"] += 1
    return met


class _Walked:
    """One hand in progress, as everybody and the book see it."""

    def __init__(self, rng, hand, stock, met):
        self.rng, self.hand, self.stock, self.met = rng, hand, stock, met
        self.haste = rng.choice([0.02, 0.3])
        self.blind = hand.seen_by(0).seen_by(1)
        self.own = [hand.seen_by(0), hand.seen_by(1)]
        self.full = hand.knowing_stock(tuple(stock))
        self.book = Book(
            hand.rules,
            hand.dealer,
            hand.hands,
            map(str, stock),
            *(None if card is None else str(card) for card in (hand.first_upcard, hand.knock_card)),
            hand.to_move if hand.first_upcard is None else None,
        )

    def to_the_end(self):
        try:
            self._watch()
            while self.hand.result is None:
                move = likely(self.rng, self.hand, self.haste)
                assert self.book.allows(move), f"listed, but not by the book: {move}"
                for _ in range(3 if self.rng.random() < MADE_UP else 0):
                    strange = made_up(self.rng, self.hand)
                    allowed = self._judged(strange)
                    if allowed and self.rng.random() < 0.5:
                        move = strange
                self._play(move)
                self._watch()
            assert self.hand.legal_moves() == ()
            for _ in range(3):
                assert not self._judged(made_up(self.rng, self.hand))
        except Exception as failure:
            failure.add_note(f"in the hand {self.hand}")
            raise
        return self.hand.result

    def _judged(self, move):
        """Return whether the move is legal. All implementations and views must agree, as far as
        they can see."""
        allowed = self.book.allows(move)
        assert self.hand.is_legal(move) is allowed, f"by the book {allowed}: {move}"
        mover = self.hand.to_move
        assert self.own[mover].is_legal(move) is allowed, f"the mover's own view: {move}"
        # A view that knows less can accept more moves, but never fewer.
        assert self.blind.is_legal(move) or not allowed, f"a referee refuses {move}"
        assert self.own[1 - mover].is_legal(move) or not allowed, f"the other refuses {move}"
        assert parse_move(str(move)) == move
        self.met["made up, legal" if allowed else "made up, refused"] += 1
        return allowed

    def _play(self, move):
        mover = self.hand.to_move
        self.met[type(move)] += 1
        self.book.play(move)
        self.blind = self.blind.apply(move)
        self.full = self.full.apply(move)  # this also draws the card, as it knows the stock
        self.own[1 - mover] = self.own[1 - mover].apply(move)
        if isinstance(move, DrawStock):
            card = self.stock.pop(0)
            self.hand = self.hand.drawing(card)
            self.own[mover] = self.own[mover].drawing(card)
        else:
            self.hand = self.hand.apply(move)
            self.own[mover] = self.own[mover].apply(move)

    def _watch(self):
        """Check what must be true of every position."""
        hand, book = self.hand, self.book
        # Every card is in exactly one place, as each bit is set once.
        on_table = hand.laid(0) | hand.laid(1)
        places = (*hand.hands, hand.laid(0), hand.laid(1), mask_of(hand.pile), mask_of(self.stock))
        assert sum(places) == DECK
        assert sum(map(popcount, places)) == 52
        assert len(hand.pile) == popcount(mask_of(hand.pile))
        assert sum(hand.table_melds) == on_table
        # The numbers that everybody can count.
        assert hand.stock_left == len(self.stock) >= 2
        assert len(hand.moves) < most_moves(hand.rules)
        for seat in (0, 1):
            assert hand.size(seat) == popcount(hand.hands[seat])
            assert hand.known_held(seat) & ~hand.hands[seat] == 0
            assert self.own[seat] == hand.seen_by(seat)
        assert self.blind == hand.seen_by(0).seen_by(1)
        assert self.full == hand.knowing_stock(tuple(self.stock))
        # The same numbers by the book.
        assert hand.phase.value == book.step
        if hand.result is None:
            assert hand.to_move == book.turn
            if hand.phase is Phase.DISCARD and not hand.rules.mahjong:
                assert hand.knock_limit == book.limit()
            assert [set(texts_of(cards)) for cards in hand.hands] == book.hands
            assert [set(texts_of(meld)) for meld in hand.table_melds] == list(map(set, book.table))
            assert list(map(str, hand.pile)) == book.pile
        else:
            result = hand.result
            points = (result.points_of(0), result.points_of(1))
            assert (result.winner, points, result.doubled) == book.result
            assert (result.kind is Outcome.VOID) is (hand.knocker is None)
        if self.rng.random() < READ_BACK:
            for known in (hand, self.full, self.blind, *self.own):
                assert parse_hand(str(known)) == known
            self._every_plain_move()

    def _every_plain_move(self):
        """Check that plain moves, and lays of one meld or card, are listed exactly if legal."""
        listed = set(self.hand.legal_moves())
        plain = [Pass(), TakeUpcard(), DrawStock(), *map(Discard, CARDS)]
        if self.hand.rules.mahjong:
            plain += [Lay((meld,), ()) for meld in self.hand.melding.melds]
            tops = range(len(self.hand.table_melds) + 1)
            plain += [Lay((), ((card, at),)) for card in CARDS for at in tops]
        for move in plain:
            assert (move in listed) is self.book.allows(move), f"wrongly listed or not: {move}"


# --- choosing moves --------------------------------------------------------------------


def likely(rng, hand, haste=0.3):
    """Return a legal move, mostly one that leads towards a knock or gin, so that hands end in every
    way and not only at the wall. *haste*: how often a knock isn't delayed."""
    moves, cards = hand.legal_moves(), hand.hands[hand.to_move]
    if hand.phase is Phase.LAY_OFF and rng.random() < 0.7:
        return rng.choice(hand.sensible_moves())
    if hand.phase not in (Phase.DRAW, Phase.DISCARD) or rng.random() < 0.15:
        return rng.choice(moves)
    if hand.phase is Phase.DRAW:
        several = [move for move in moves if isinstance(move, TakeDiscards)]
        if several and rng.random() < 0.3:
            return rng.choice(several)
        with_upcard = cards | hand.upcard.bit
        if popcount(cards) == 10 and rng.random() < 0.8:
            ways = hand.melding
            better = ways.deadwood_after_discard(with_upcard) < ways.deadwood(cards)
            return TakeUpcard() if better else DrawStock()
        return rng.choice([TakeUpcard(), DrawStock()])
    knocks = [move for move in moves if isinstance(move, Knock)]
    if knocks and rng.random() < haste:
        least = min(hand.melding.pips(knock.deadwood) for knock in knocks)
        return rng.choice([k for k in knocks if hand.melding.pips(k.deadwood) == least])
    lays = [move for move in moves if isinstance(move, Lay)]
    if lays and rng.random() < 0.5:
        return rng.choice(lays)
    if popcount(cards) == 11:
        _, loose = best_discards(hand.melding, cards)
    else:
        loose = cards_of(cards & ~sum(hand.melding.melds_in(cards)))
    good = [Discard(card) for card in loose if card != hand.taken]
    return rng.choice(good or moves)


def made_up(rng, hand):
    """Return a move of any kind that somebody might try, legal or not."""
    cards = hand.hands[hand.to_move]
    kind = rng.choice(_KINDS_NEAR.get(hand.phase, _KINDS)) if rng.random() < 0.7 else None
    kind = kind or rng.choice(_KINDS)
    return kind(rng, hand, cards)


def _plain(rng, hand, cards):
    return rng.choice([Pass(), TakeUpcard(), DrawStock()])


def _discard(rng, hand, cards):
    return Discard(rng.choice(cards_of(cards) if cards and rng.random() < 0.5 else CARDS))


def _parted(rng, hand, cards):
    """Return most melds of a good arrangement, and the other cards, with at most one fault."""
    ways = hand.melding
    melds = [meld for meld in ways.melds_in(cards) if rng.random() < 0.85]
    loose = cards & ~sum(melds)
    wrong = rng.randrange(12)
    if wrong == 0:
        melds.append(rng.choice(ways.melds))
    elif wrong == 1 and loose:
        loose ^= rng.choice(cards_of(loose)).bit  # hold a card back
    elif wrong == 2:
        loose |= rng.choice(CARDS).bit
    elif wrong == 3 and len(melds) > 1:
        melds[:2] = [melds[0] | melds[1]]
    elif wrong == 4 and melds:
        end = rng.choice(cards_of(melds[0])).bit  # legal if it is the end of a long run
        melds[0], loose = melds[0] ^ end, loose | end
    elif wrong == 5 and melds:
        melds.append(melds[0])
    rng.shuffle(melds)
    return tuple(melds), loose


def _knock(rng, hand, cards):
    if not cards or (rng.random() < 0.1):
        return Knock(None, *_parted(rng, hand, cards))
    near = best_discards(hand.melding, cards)[1] if popcount(cards) == 11 else cards_of(cards)
    pool = near if rng.random() < 0.7 else cards_of(cards) if rng.random() < 0.7 else CARDS
    thrown = rng.choice(pool)
    return Knock(thrown, *_parted(rng, hand, cards & ~thrown.bit))


def _spread(rng, hand, cards):
    melds, loose = _parted(rng, hand, cards)
    layoffs, open_melds = [], list(hand.open_melds)
    for card in rng.sample(CARDS, 52):
        fitting = [at for at, meld in enumerate(open_melds) if hand.melding.fits(card, meld)]
        if loose & card.bit and (fitting or rng.random() < 0.02) and rng.random() < 0.8:
            at = rng.choice(fitting or range(4))
            layoffs.append((card, at))
            loose ^= card.bit
            if fitting:
                open_melds[at] |= card.bit
    return Spread(melds, tuple(layoffs[:10]), loose)


def _lay(rng, hand, cards):
    ways = hand.melding
    own = [meld for meld in ways.melds if not meld & ~cards]
    melds = [meld for meld in ways.melds_in(cards) if rng.random() < 0.5]
    if own and rng.random() < 0.3:
        melds = [rng.choice(own) for _ in range(rng.randrange(1, 3))]
    if rng.random() < 0.1:
        melds.append(rng.choice(ways.melds))
    table, adds = [*hand.table_melds, *melds], []
    left = cards & ~sum(melds)
    for card in cards_of(left):
        for at, meld in enumerate(table[:17]):
            if ways.fits(card, meld) and rng.random() < 0.6:
                adds.append((card, at))
                table[at] |= card.bit
                break
    if rng.random() < 0.1:
        adds.append((rng.choice(CARDS), rng.randrange(17)))
    if rng.random() < 0.1:
        rng.shuffle(adds)
    return Lay(tuple(melds[:17]), tuple(adds))


def _take_several(rng, hand, cards):
    count = rng.randrange(2, max(3, min(31, len(hand.pile) + 2)))
    several = mask_of(hand.pile[-count:])
    lay = _lay(rng, hand, cards | several)
    return TakeDiscards(count, lay)


_KINDS = (_plain, _discard, _knock, _spread, _lay, _take_several)
_KINDS_NEAR = {
    Phase.DRAW: (_plain, _take_several),
    Phase.DISCARD: (_discard, _knock, _knock, _lay),
    Phase.LAY_OFF: (_spread,),
    Phase.LAST_CHANCE: (_plain, _take_several),
}


# --- the command -----------------------------------------------------------------------


def described(met):
    """Return the counts as one line of text."""
    words = [f"{met['hands']:,} hands, {met['matches']:,} matches"]
    words += [f"{kind.value} {met[kind]:,}" for kind in Outcome if met[kind]]
    words += [f"doubled {met['doubled']:,}"] if met["doubled"] else []
    kinds = (Pass, TakeUpcard, TakeDiscards, DrawStock, Lay, Discard, Knock, Spread)
    words += [f"{kind.__name__} {met[kind]:,}" for kind in kinds if met[kind]]
    words += [f"{name} {met[name]:,}" for name in ("made up, legal", "made up, refused")]
    return "; ".join(words)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.rules.walk", description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preset", metavar="RULES", help='"oklahoma", or any text of a rule set')
    chosen = parser.parse_args()
    for text in (chosen.preset,) if chosen.preset else ALL_RULES:
        start = time.process_time()
        met = walk(text, chosen.hands, chosen.seed)
        taken = time.process_time() - start
        print(f"{text}: {described(met)}; seed {chosen.seed}, {taken:.0f} s", flush=True)


if __name__ == "__main__":
    main()
