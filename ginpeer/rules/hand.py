"""One hand from the upcard to its result: public state, transitions, legal moves (RULES 4 to 7)."""
# House rules
#
# 1. A Hand is what one holder knows. Everything on the table is in it; the two private hands are
#    there only if the holder knows them: the referee knows neither, a player the own one, a
#    simulation both. One class serves all three, and with less knowledge fewer things can be
#    checked, never different ones.
# 2. apply() is the only way forward. It returns a new Hand or raises Illegal, and then the old one
#    still stands.
# 3. Cards hidden from the holder are still bound by what everybody saw: a card in the pile, or one
#    that the other player was seen to take, cannot be thrown or shown; a card seen taken must be
#    shown at the end. Those checks need no knowledge of any hand.
# 4. Whether a player really holds what is thrown or shown, and which card comes from the stock, is
#    proven elsewhere. Here a known hand is checked and an unknown one is not.

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from ginpeer.rules.cards import (
    Card,
    CardSet,
    Illegal,
    Unreadable,
    cards_of,
    mask_of,
    parse_card,
    parse_set,
    pips_of,
    popcount,
    set_text,
)
from ginpeer.rules.melds import arrangements, best_spread, deadwood, fits, is_meld
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
from ginpeer.rules.presets import parse_ruleset
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import VOID, HandResult, Outcome, score_hand

__all__ = ["NEXT_PHASE", "Hand", "HandResult", "Outcome", "Phase", "parse_hand"]

_T = TypeVar("_T")

HAND_SIZE = 10
STOCK_AT_DEAL = 31  # 52 less two hands and the upcard
WALL = 2  # stock cards that are never drawn (RULES 4.7)


class Phase(Enum):
    """What is awaited from the player to move."""

    FIRST_UPCARD = "first upcard"  # the non-dealer: take the upcard or pass
    SECOND_UPCARD = "second upcard"  # the dealer, after that pass: the same choice
    FIRST_DRAW = "first draw"  # the non-dealer, after two passes: the stock only
    DRAW = "draw"  # stock or upcard
    DISCARD = "discard"  # throw a card, or knock
    LAY_OFF = "lay off"  # the defender: spread
    OVER = "over"


NEXT_PHASE: dict[tuple[Phase, type[Move]], Phase] = {
    (Phase.FIRST_UPCARD, Pass): Phase.SECOND_UPCARD,
    (Phase.FIRST_UPCARD, TakeUpcard): Phase.DISCARD,
    (Phase.SECOND_UPCARD, Pass): Phase.FIRST_DRAW,
    (Phase.SECOND_UPCARD, TakeUpcard): Phase.DISCARD,
    (Phase.FIRST_DRAW, DrawStock): Phase.DISCARD,
    (Phase.DRAW, TakeUpcard): Phase.DISCARD,
    (Phase.DRAW, DrawStock): Phase.DISCARD,
    (Phase.DISCARD, Discard): Phase.DRAW,  # or OVER: the wall, or too many swaps
    (Phase.DISCARD, Knock): Phase.LAY_OFF,
    (Phase.LAY_OFF, Spread): Phase.OVER,
}
"""Every legal (phase, kind of move), and what follows. The turn passes to the other player except
after TakeUpcard and DrawStock."""


@dataclass(frozen=True, slots=True, repr=False)
class Hand:
    """One hand as its holder knows it; begin with ``Hand.begin``, go on with ``apply``.

    ``first_upcard`` is the card turned up at the deal, ``pile`` the discard pile with its top last,
    ``taken`` the card just taken from it, which may not be thrown in this turn. ``swaps`` counts
    the turns in a row without a stock draw. ``held`` has for each seat the cards that everybody saw
    it take and not yet throw, ``hands`` the whole hands as far as they are known. ``moves`` is what
    happened, each with the seat that did it. When the hand is over, ``to_move`` means nothing.
    """

    rules: RuleSet
    dealer: int
    first_upcard: Card
    phase: Phase
    to_move: int
    pile: tuple[Card, ...]
    stock_left: int
    taken: Card | None
    swaps: int
    held: tuple[CardSet, CardSet]
    hands: tuple[CardSet | None, CardSet | None]
    knocker: int | None
    knock: Knock | None
    spread: Spread | None
    result: HandResult | None
    moves: tuple[tuple[int, Move], ...]

    @classmethod
    def begin(cls, rules: RuleSet, dealer: int, upcard: Card) -> Hand:
        """The state after the deal. Raises what ``rules.check`` raises."""
        rules.check()
        return cls(
            rules=rules,
            dealer=dealer,
            first_upcard=upcard,
            phase=Phase.FIRST_UPCARD,
            to_move=1 - dealer,
            pile=(upcard,),
            stock_left=STOCK_AT_DEAL,
            taken=None,
            swaps=0,
            held=(0, 0),
            hands=(None, None),
            knocker=None,
            knock=None,
            spread=None,
            result=None,
            moves=(),
        )

    # What can be read off it

    @property
    def upcard(self) -> Card | None:
        """The top of the discard pile; None while it is in the hand of who took it."""
        return self.pile[-1] if self.pile else None

    @property
    def knock_limit(self) -> int:
        """The most deadwood that may knock in this hand (RULES 5.1)."""
        return self.rules.limit(self.first_upcard)

    def hand_of(self, seat: int) -> CardSet:
        """This seat's cards. Raises Illegal ("hand-unknown") if any of them is not known, as after
        a draw from the stock before ``knowing`` is told the eleven."""
        cards = self.hands[seat]
        has_drawn = self.phase is Phase.DISCARD and seat == self.to_move
        if cards is None or (has_drawn and popcount(cards) == HAND_SIZE):
            raise Illegal("hand-unknown", f"The cards of seat {seat} are not known here.")
        return cards

    def known_held(self, seat: int) -> CardSet:
        """The cards that everybody saw this seat take from the pile and not throw since."""
        return self.held[seat]

    def knowing(self, seat: int, cards: CardSet) -> Hand:
        """A copy that knows this seat's cards: ten, or eleven between a draw and the discard.

        Raises Illegal if what happened on the table rules them out.
        """
        self._check_size(seat, cards)
        self._check_could_hold(seat, cards)
        if self.held[seat] & ~cards:
            raise Illegal(
                "card-missing", _says(self.held[seat] & ~cards, "{} should be there."), "4.6"
            )
        other = self.hands[1 - seat]
        if other is not None and other & cards:
            raise Illegal(
                "card-not-held", _says(other & cards, "{} cannot be in both hands."), "1.1"
            )
        return replace(self, hands=_with(self.hands, seat, cards))

    def seen_by(self, seat: int) -> Hand:
        """A copy that knows this seat's hand only, if it was known."""
        return replace(self, hands=_with(self.hands, 1 - seat, None))

    def apply(self, move: Move) -> Hand:
        """The hand after this move of ``to_move``. Raises Illegal and changes nothing."""
        following = NEXT_PHASE.get((self.phase, type(move)))
        if following is None:
            sentence, rule = _AWAITED[self.phase]
            raise Illegal("wrong-phase", f"That cannot be done now: {sentence}.", rule)
        seat = self.to_move
        match move:
            case TakeUpcard():
                after = self._take_upcard()
            case DrawStock():
                after = replace(self, stock_left=self.stock_left - 1)
            case Discard():
                after = self._discard(move.card)
            case Knock():
                after = self._knock(move)
            case Spread():
                after = self._spread(move)
            case Pass():
                after = self
        keeps_turn = following is Phase.DISCARD
        return replace(
            after,
            phase=following if after.result is None else Phase.OVER,
            to_move=seat if keeps_turn else 1 - seat,
            moves=(*self.moves, (seat, move)),
        )

    def is_legal(self, move: Move) -> bool:
        """Whether ``apply`` would accept the move."""
        try:
            self.apply(move)
        except Illegal:
            return False
        return True

    def legal_moves(self) -> tuple[Move, ...]:
        """What ``to_move`` may do, empty when the hand is over.

        Of knocks, one for each discard and each arrangement of least deadwood is listed, of spreads
        the best one; ``apply`` also accepts poorer ones (RULES 5.3, 6.2). Raises Illegal
        ("hand-unknown") where the moves depend on cards that this value does not know.
        """
        if self.phase is Phase.DISCARD:
            return self._ways_to_end_turn()
        if self.phase is Phase.LAY_OFF:
            hand = self.hand_of(self.to_move)
            return (best_spread(hand, self.open_melds),)
        return tuple(_PLAIN_MOVES[kind] for phase, kind in NEXT_PHASE if phase is self.phase)

    @property
    def open_melds(self) -> tuple[CardSet, ...]:
        """The knocker's melds on which the defender may lay off: none against gin (RULES 6.3)."""
        if self.knock is None or not self.knock.deadwood:
            return ()
        return self.knock.melds

    # How each move changes it

    def _take_upcard(self) -> Hand:
        seat, card = self.to_move, self.pile[-1]
        hand = self.hands[seat]
        return replace(
            self,
            pile=self.pile[:-1],
            taken=card,
            held=_with(self.held, seat, self.held[seat] | card.bit),
            hands=self.hands if hand is None else _with(self.hands, seat, hand | card.bit),
        )

    def _discard(self, card: Card) -> Hand:
        self._check_discard(card)
        after = self._throw(card)
        after = replace(after, swaps=0 if self.taken is None else self.swaps + 1)
        if after.stock_left == WALL or after.swaps == self.rules.swap_limit:  # RULES 4.7, 4.8
            return replace(after, result=VOID)
        return after

    def _throw(self, card: Card) -> Hand:
        seat = self.to_move
        hand = self.hands[seat]
        return replace(
            self,
            pile=(*self.pile, card),
            taken=None,
            held=_with(self.held, seat, self.held[seat] & ~card.bit),
            hands=self.hands if hand is None else _with(self.hands, seat, hand & ~card.bit),
        )

    def _knock(self, knock: Knock) -> Hand:
        if knock.discard is None:
            if self.rules.big_gin is None:
                raise Illegal("no-big-gin", "Big gin is not played in this match.", "7.4")
            if knock.deadwood:
                raise Illegal("no-discard", "Without a discard all eleven must be melded.", "5.5")
            self._check_shown(knock.melds, (), HAND_SIZE + 1)
        else:
            loose = (knock.deadwood, knock.discard.bit)
            self._check_shown(knock.melds, loose, HAND_SIZE + 1)
            self._check_discard(knock.discard)
        count = pips_of(knock.deadwood)
        if count > self.knock_limit:
            raise Illegal(
                "knock-over-limit",
                f"The deadwood counts {count}; to knock it may count at most {self.knock_limit}.",
                "5.1",
            )
        after = self if knock.discard is None else self._throw(knock.discard)
        return replace(after, taken=None, knocker=self.to_move, knock=knock)

    def _spread(self, spread: Spread) -> Hand:
        knocker, knock = self.knocker, self.knock
        if knocker is None or knock is None:
            raise AssertionError("NEXT_PHASE reaches LAY_OFF only through a knock")
        laid = tuple(card.bit for card, _ in spread.layoffs)
        self._check_shown(spread.melds, (spread.deadwood, *laid), HAND_SIZE)
        self._check_layoffs(spread.layoffs)
        result = score_hand(self.rules, knocker, knock, spread)
        return replace(self, spread=spread, result=result)

    # What is judged

    def _check_discard(self, card: Card) -> None:
        if card == self.taken:
            raise Illegal("just-taken", f"{card} was just taken; throw another card.", "4.4")
        self._check_holds(self.to_move, card.bit)

    def _check_shown(
        self, melds: tuple[CardSet, ...], loose: tuple[CardSet, ...], count: int
    ) -> None:
        """Check a whole hand laid open: each card once, so many, true melds, nothing withheld."""
        seat = self.to_move
        union, total = 0, 0
        for group in (*melds, *loose):
            union |= group
            total += popcount(group)
        if popcount(union) != total:
            raise Illegal("card-twice", "A card is used twice.", "2.3")
        if total != count:
            raise Illegal("wrong-card-count", f"{total} cards are shown, not {count}.", "5.1")
        for meld in melds:
            if not is_meld(meld):
                raise Illegal("not-a-meld", f"{set_text(meld)} is not a meld.", "2.1, 2.2")
        self._check_holds(seat, union)
        if self.held[seat] & ~union:
            raise Illegal(
                "card-missing", _says(self.held[seat] & ~union, "{} is not shown."), "4.6"
            )

    def _check_layoffs(self, layoffs: tuple[tuple[Card, int], ...]) -> None:
        if layoffs and not self.open_melds:
            raise Illegal("layoff-on-gin", "Nothing can be laid off against gin.", "6.3")
        melds = list(self.open_melds)
        for card, index in layoffs:
            if index >= len(melds):
                raise Illegal("layoff-does-not-fit", f"There is no meld number {index}.", "6.3")
            if not fits(card, melds[index]):
                raise Illegal(
                    "layoff-does-not-fit",
                    f"{card} does not fit on {set_text(melds[index])}.",
                    "6.3",
                )
            melds[index] |= card.bit

    def _check_holds(self, seat: int, cards: CardSet) -> None:
        """Refuse cards that this seat does not hold, as far as that is known."""
        self._check_could_hold(seat, cards)
        if self.hands[seat] is not None:
            strangers = cards & ~self.hand_of(seat)
            if strangers:
                raise Illegal("card-not-held", _says(strangers, "{} is not in the hand."), "4.3")

    def _check_could_hold(self, seat: int, cards: CardSet) -> None:
        """Refuse cards that everybody can see elsewhere."""
        elsewhere = mask_of(self.pile) | self.held[1 - seat]
        if self.knock is not None and self.knocker != seat:
            elsewhere |= self.knock.cards
        if cards & elsewhere:
            where = _says(cards & elsewhere, "{} is known to be elsewhere.")
            raise Illegal("card-not-held", where, "4.6")

    def _check_size(self, seat: int, cards: CardSet) -> None:
        sizes = [HAND_SIZE]
        if self.knocker == seat and self.knock is not None:
            sizes = [popcount(self.knock.cards)]
        elif self.phase is Phase.DISCARD and seat == self.to_move:
            sizes = [HAND_SIZE + 1] if self.taken else [HAND_SIZE, HAND_SIZE + 1]
        if popcount(cards) not in sizes:
            raise Illegal("wrong-card-count", f"A hand here is of {sizes[-1]} cards.")

    def _ways_to_end_turn(self) -> tuple[Move, ...]:
        hand = self.hand_of(self.to_move)
        discards = [card for card in cards_of(hand) if card != self.taken]
        moves: list[Move] = [Discard(card) for card in discards]
        for card in discards:
            kept = hand ^ card.bit
            if deadwood(kept) <= self.knock_limit:
                for melds in arrangements(kept):
                    moves.append(Knock(card, melds, kept ^ sum(melds)))
        if self.rules.big_gin is not None and deadwood(hand) == 0:
            moves += [Knock(None, melds, 0) for melds in arrangements(hand)]
        return tuple(moves)

    # The text

    def __str__(self) -> str:
        """All of it in one line: the rules, the deal, the moves, and the hands that are known."""
        parts = [str(self.rules), f"dealer {self.dealer}", f"upcard {self.first_upcard}"]
        parts += [str(move) for _, move in self.moves]
        for seat, cards in enumerate(self.hands):
            if cards is not None:
                parts.append(f"seat {seat} holds {set_text(cards)}")
        return "; ".join(parts)

    def __repr__(self) -> str:
        return f"parse_hand({str(self)!r})"


def parse_hand(text: str) -> Hand:
    """The hand of a text as ``str`` writes it, by playing its moves again.

    Raises Unreadable for what is no such text, and Illegal for a move that the rules refuse.
    """
    words = text.split("; ")
    if len(words) < 3 or not words[1].startswith("dealer ") or not words[2].startswith("upcard "):
        raise Unreadable("unreadable-hand", "A hand begins with rules, dealer and upcard.")
    dealer = words[1].removeprefix("dealer ")
    if dealer not in ("0", "1"):
        raise Unreadable("unreadable-hand", f"The dealer is 0 or 1, not {dealer[:20]!r}.")
    upcard = parse_card(words[2].removeprefix("upcard "))
    hand = Hand.begin(parse_ruleset(words[0]), int(dealer), upcard)
    known = []
    for word in words[3:]:
        if word.startswith(("seat 0 holds ", "seat 1 holds ")):
            known.append((int(word[5]), parse_set(word[13:])))
        else:
            hand = hand.apply(parse_move(word))
    for seat, cards in known:
        hand = hand.knowing(seat, cards)
    return hand


_PLAIN_MOVES: dict[type[Move], Move] = {
    Pass: Pass(),
    TakeUpcard: TakeUpcard(),
    DrawStock: DrawStock(),
}

_AWAITED = {
    Phase.FIRST_UPCARD: ("the non-dealer takes the upcard or passes", "4.2"),
    Phase.SECOND_UPCARD: ("the dealer takes the upcard or passes", "4.2"),
    Phase.FIRST_DRAW: ("after two passes the first card comes from the stock", "4.2"),
    Phase.DRAW: ("the turn begins with a card from the stock or the upcard", "4.3"),
    Phase.DISCARD: ("the turn ends with a discard or a knock", "4.3"),
    Phase.LAY_OFF: ("the defender shows melds, lay-offs and deadwood", "6.1"),
    Phase.OVER: ("the hand is over", None),
}


def _says(cards: CardSet, sentence: str) -> str:
    """The sentence for the first of these cards."""
    return sentence.format(cards_of(cards)[0])


def _with(pair: tuple[_T, _T], seat: int, value: _T) -> tuple[_T, _T]:
    """The pair with the seat's item replaced."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)
