"""One hand, from the upcard to its result: its public state and legal moves (RULES 4 to 7)."""
# House rules
#
# 1. A Hand is what one holder knows. It has everything on the table, and a private hand only if the
#    holder knows it: the referee knows neither hand, a player knows their own, and a simulation
#    knows both hands and the stock. One class serves all three; with less knowledge it makes fewer
#    checks, never different ones.
# 2. apply() is the only way forward. It returns a new Hand, or raises Illegal and leaves the old
#    one unchanged.
# 3. Hidden cards must agree with what everybody saw: nobody can discard or show a card of the pile,
#    or one that the opponent was seen to take; a player who took a card openly and still holds it
#    must show it at the end. These checks don't require knowing any hand.
# 4. Other modules prove that players hold what they discard or show, and which card comes from the
#    stock. This module only checks known hands.

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from random import Random
from typing import Any, NamedTuple, TypeVar

from ginpeer.rules.card_order import costliest_first, in_row, laid_out
from ginpeer.rules.cards import (
    CARDS,
    DECK,
    Card,
    CardSet,
    Illegal,
    Unreadable,
    cards_of,
    check_seat,
    check_set,
    mask_of,
    parse_card,
    parse_set,
    popcount,
    set_text,
    union_of,
)
from ginpeer.rules.mahjong import LaidMelds, after_lay, lays_with, single_lays
from ginpeer.rules.melds import Meld, Melding, all_knocks, melding, sensible_arrangements
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
from ginpeer.rules.parameters import KnockLimit, Opening, Wall
from ginpeer.rules.ruleset import STANDARD, RuleSet, parse_ruleset
from ginpeer.rules.score import SEATS, VOID, HandResult, named, score_hand, score_mahjong

_T = TypeVar("_T")

HAND_SIZE = 10
STOCK_AT_DEAL = 31  # 52 minus two hands and the upcard
WALL = 2  # stock cards that are never drawn (RULES 4.7)


class Phase(Enum):
    """The decision that the player to move has to make."""

    FIRST_UPCARD = "first upcard"  # the non-dealer: take the upcard or pass
    SECOND_UPCARD = "second upcard"  # the dealer, after that pass: the same choice
    FIRST_DRAW = "first draw"  # the stock only: after two passes, or if there is no upcard
    DRAW = "draw"  # stock or upcard
    DISCARD = "discard"  # discard or knock; in Mahjong gin lay cards first
    LAST_CHANCE = "last chance"  # at the wall: take the last discard to knock, or pass
    LAY_OFF = "lay off"  # the defender: spread
    OVER = "over"


NEXT_PHASE: dict[tuple[Phase, type[Move]], Phase] = {
    (Phase.FIRST_UPCARD, Pass): Phase.SECOND_UPCARD,
    (Phase.FIRST_UPCARD, TakeUpcard): Phase.DISCARD,
    (Phase.SECOND_UPCARD, Pass): Phase.FIRST_DRAW,
    (Phase.SECOND_UPCARD, TakeUpcard): Phase.DISCARD,
    (Phase.FIRST_DRAW, DrawStock): Phase.DISCARD,
    (Phase.DRAW, TakeUpcard): Phase.DISCARD,
    (Phase.DRAW, TakeDiscards): Phase.DISCARD,  # or LAY_OFF, if the last card is laid
    (Phase.DRAW, DrawStock): Phase.DISCARD,
    (Phase.DISCARD, Lay): Phase.DISCARD,  # or LAY_OFF
    (Phase.DISCARD, Discard): Phase.DRAW,  # or LAST_CHANCE or OVER at the wall; or OVER after too
    #                                        many swaps; or LAY_OFF, if it was the last card
    (Phase.DISCARD, Knock): Phase.LAY_OFF,
    (Phase.LAST_CHANCE, TakeUpcard): Phase.DISCARD,
    (Phase.LAST_CHANCE, Pass): Phase.OVER,
    (Phase.LAY_OFF, Spread): Phase.OVER,
}
"""Every legal (phase, kind of move), and the phase that follows. The turn passes to the opponent
unless DISCARD follows."""


# A tuple, not a frozen dataclass: every move copies the hand, which takes a microsecond;
# dataclasses.replace would take four and a half.
class Hand(NamedTuple):
    """One hand, as far as its cards are known. Begin with ``Hand.deal`` or ``Hand.begin`` and
    continue with ``apply``. A Hand never changes: to take a move back, return to the value before
    the move.

    ``Hand.deal`` returns a hand in which every card is known, so ``apply`` is all you need.
    ``Hand.begin`` returns one as a referee or a player knows it; add what they learn with
    ``knowing`` and ``drawing``. ``str`` writes the hand in one line, which ``parse_hand`` reads
    back; ``board`` draws the table.

    ``first_upcard`` is the card turned up at the deal, and ``knock_card`` is the second deck's
    card, if there is one. ``pile`` is the discard pile with its top last. ``taken`` is the card
    just taken from the pile on its own, which can't be discarded in the same turn. ``swaps`` counts
    the turns in a row that didn't begin with a draw from the stock. ``held`` has, for each seat,
    the cards that everybody saw it take and that it still holds. ``hands`` has the whole hands, and
    ``stock`` the cards still to be drawn, the next one first, as far as they are known. ``knocker``
    is the seat that knocked or, in Mahjong gin, went gin; ``laid_melds`` is the table in Mahjong
    gin. ``moves`` has every move with the seat that made it. Once the hand is over, ``to_move``
    means nothing.
    """

    rules: RuleSet
    dealer: int
    first_upcard: Card | None
    knock_card: Card | None
    phase: Phase
    to_move: int
    pile: tuple[Card, ...]
    stock_left: int
    laid_melds: LaidMelds | None
    taken: Card | None = None
    swaps: int = 0
    held: tuple[CardSet, CardSet] = (0, 0)
    hands: tuple[CardSet | None, CardSet | None] = (None, None)
    stock: tuple[Card, ...] | None = None
    knocker: int | None = None
    knock: Knock | None = None
    spread: Spread | None = None
    result: HandResult | None = None
    moves: tuple[tuple[int, Move], ...] = ()

    @classmethod
    def deal(
        cls,
        rules: RuleSet = STANDARD,
        dealer: int = 0,
        *,
        seed: int | str | None = None,
        deck: Sequence[Card] | None = None,
        knock_card: Card | None = None,
        first: int | None = None,
    ) -> Hand:
        """Return a hand in which every card is known, from a shuffled deck or from a seed.

        The *deck* is 52 cards in the order in which they are dealt: ten to each player in turn, the
        non-dealer first, then the upcard and the stock (RULES 4.1). The same *seed* gives the same
        hand on every machine; use seeds for experiments, not against an opponent, who could guess
        the seed. With a second deck, pass a *knock_card* with the deck (a seed determines it), and
        pass *first* if the non-dealer doesn't draw first (RULES 10.4).

        Raises Unreadable for an invalid deck or seat, and whatever ``rules.check`` raises.
        """
        if (seed is None) == (deck is None):
            raise ValueError("a hand is dealt from a seed or from a deck")
        second_deck = rules.knock_limit is KnockLimit.SECOND_DECK
        if deck is None:
            draw = Random(seed).random  # noqa: S311 - for experiments only, as documented
            deck = sorted(CARDS, key=lambda _: draw())
            if second_deck and knock_card is None:
                knock_card = CARDS[int(52 * draw())]
        if sorted(deck) != list(CARDS):
            raise Unreadable("unreadable-hand", "A deck has each of the 52 cards once.")
        if second_deck and first is None:
            first = 1 - check_seat(dealer)
        upcard = None if second_deck else deck[2 * HAND_SIZE]
        hand = cls.begin(rules, dealer, upcard, knock_card=knock_card, first=first)
        for seat, start in ((1 - dealer, 0), (dealer, 1)):
            hand = hand.knowing(seat, mask_of(deck[start : 2 * HAND_SIZE : 2]))
        return hand.knowing_stock(tuple(deck[-hand.stock_left :]))

    @classmethod
    def begin(
        cls,
        rules: RuleSet,
        dealer: int,
        upcard: Card | None,
        *,
        knock_card: Card | None = None,
        first: int | None = None,
    ) -> Hand:
        """Return the state after the deal, with both hands unknown.

        With a second deck there is a *knock_card* instead of an upcard, and the seat *first* draws
        first (RULES 10.4). Raises Unreadable for an invalid seat, and whatever ``rules.check``
        raises.
        """
        rules.check()
        check_seat(dealer)
        if first is not None:
            check_seat(first)
        second_deck = rules.knock_limit is KnockLimit.SECOND_DECK
        if (upcard is None, knock_card is None, first is None) != (
            (True, False, False) if second_deck else (False, True, True)
        ):
            raise ValueError("a hand starts with an upcard, or with a knock card and who is first")
        if second_deck:
            phase = Phase.FIRST_DRAW
        elif rules.opening is Opening.EITHER_PILE:
            phase = Phase.DRAW
        else:
            phase = Phase.FIRST_UPCARD
        return cls(
            rules=rules,
            dealer=dealer,
            first_upcard=upcard,
            knock_card=knock_card,
            phase=phase,
            to_move=1 - dealer if first is None else first,
            pile=() if upcard is None else (upcard,),
            stock_left=STOCK_AT_DEAL + (upcard is None),
            laid_melds=LaidMelds((), (0, 0), (HAND_SIZE, HAND_SIZE)) if rules.mahjong else None,
        )

    # The public interface

    def board(self, names: tuple[str, str] = SEATS) -> str:
        """Return the table as a few lines of text to print, with the cards that are known."""
        return _board_text(self, names)

    def layoffs(self, seat: int) -> tuple[tuple[Card, int], ...]:
        """Return the cards that this seat laid off, each with the index of the knocker's meld."""
        check_seat(seat)
        return () if self.spread is None or seat == self.knocker else self.spread.layoffs

    @property
    def over(self) -> bool:
        """Whether the hand has a ``result`` and no move is left."""
        return self.result is not None

    @property
    def upcard(self) -> Card | None:
        """The top of the pile; None if its only card was taken, or nothing was discarded yet."""
        return self.pile[-1] if self.pile else None

    @property
    def knock_limit(self) -> int:
        """The most deadwood with which a player may knock in this turn (RULES 5.1, 10)."""
        return self.rules.limit(self.limit_card)

    @property
    def limit_card(self) -> Card | None:
        """The card that sets the knock limit of this turn; None if no card does (RULES 10)."""
        match self.rules.knock_limit:
            case KnockLimit.UPCARD:
                return self.first_upcard
            case KnockLimit.SECOND_DECK:
                return self.knock_card
            case KnockLimit.FLOATING:
                return self._shown
            case _:
                return None

    @property
    def is_last_turn(self) -> bool:
        """Whether the hand becomes void unless the player ends it in this turn, or the opponent
        ends it with this turn's discard (RULES 4.7, 4.8)."""
        return self.stock_left == WALL or self.swaps == self.rules.swap_limit

    @property
    def counts_double(self) -> bool:
        """Whether a spade doubles this hand (RULES 10.3)."""
        if not self.rules.spades_double:
            return False
        limit = self.limit_card
        card = self.first_upcard if limit is None else limit  # None if a number is the limit
        return card is not None and card.suit == _SPADES

    @property
    def _shown(self) -> Card | None:
        """The last card discarded without knocking, or the first upcard, even if it is now in a
        hand."""
        for _, move in reversed(self.moves):
            if type(move) is Discard:
                return move.card
        return self.first_upcard

    @property
    def melding(self) -> Melding:
        """The rules by which this hand's cards meld and count."""
        return melding(self.rules)

    def size(self, seat: int) -> int:
        """Return how many cards this seat holds, as everybody can work out."""
        check_seat(seat)
        if self.laid_melds is not None:
            return self.laid_melds.sizes[seat]
        if self.knock is not None and self.knocker == seat:
            return popcount(self.knock.cards)
        return HAND_SIZE + (self.phase is Phase.DISCARD and seat == self.to_move)

    @property
    def table_melds(self) -> tuple[CardSet, ...]:
        """The melds on the table, in Mahjong gin only (RULES 12.4)."""
        return () if self.laid_melds is None else self.laid_melds.melds

    def laid(self, seat: int) -> CardSet:
        """Return the cards that this seat has put on the table, in Mahjong gin only."""
        check_seat(seat)
        return 0 if self.laid_melds is None else self.laid_melds.laid[seat]

    def hand_of(self, seat: int) -> CardSet:
        """Return this seat's cards. Raises Illegal ("hand-unknown") if any of them is unknown, as
        after a draw from the stock until ``knowing`` adds the card."""
        check_seat(seat)
        cards = self.hands[seat]
        if cards is None or popcount(cards) != self.size(seat):
            raise Illegal("hand-unknown", f"The cards of seat {seat} aren't known here.")
        return cards

    def known_held(self, seat: int) -> CardSet:
        """Return the cards that everybody saw this seat take from the pile and keep."""
        check_seat(seat)
        return self.held[seat]

    def knowing(self, seat: int, cards: CardSet) -> Hand:
        """Return a copy that knows this seat's cards: all of them, or all but the one just drawn
        from the stock.

        Raises Illegal if they contradict what happened on the table.
        """
        check_set(cards)
        size = self.size(seat)
        drew = self.phase is Phase.DISCARD and seat == self.to_move and self.taken is None
        if popcount(cards) != size and not (drew and popcount(cards) == size - 1):
            raise Illegal("wrong-card-count", f"This hand must have {size} cards.")
        self._check_could_hold(seat, cards)
        if self.held[seat] & ~cards:
            raise Illegal("card-missing", _says(self.held[seat] & ~cards, "{} is missing."), "4.6")
        other = self.hands[1 - seat]
        if other is not None and other & cards:
            raise Illegal(
                "card-not-held", _says(other & cards, "{} can't be in both hands."), "1.1"
            )
        if self.stock is not None and cards & mask_of(self.stock):
            in_stock = cards & mask_of(self.stock)
            raise Illegal("card-not-held", _says(in_stock, "{} is in the stock."), "4.1")
        return self._replace(hands=_with(self.hands, seat, cards))

    def knowing_stock(self, stock: tuple[Card, ...]) -> Hand:
        """Return a copy that knows the stock, the next card first. Raises Illegal if that
        contradicts anything else that is known."""
        cards = mask_of(stock)
        if len(stock) != self.stock_left or popcount(cards) != len(stock):
            raise Illegal(
                "wrong-card-count", f"The stock here must have {self.stock_left} cards.", "4.1"
            )
        elsewhere = mask_of(self.pile) | self.held[0] | self.held[1]
        elsewhere |= (self.hands[0] or 0) | (self.hands[1] or 0) | self.laid(0) | self.laid(1)
        elsewhere |= 0 if self.knock is None else self.knock.cards
        elsewhere |= 0 if self.spread is None else self.spread.cards
        if cards & elsewhere:
            where = _says(cards & elsewhere, "{} can't be in the stock.")
            raise Illegal("card-not-held", where, "4.1")
        return self._replace(stock=stock)

    def drawing(self, card: Card) -> Hand:
        """Return the hand after the player to move draws this card from the stock. That player's
        cards must be known. Raises Illegal."""
        if self.stock is not None and self.stock[:1] != (card,):
            raise Illegal("card-not-held", f"{card} isn't the next card of the stock.", "4.1")
        seat = self.to_move
        after = self.apply(_DRAW_STOCK)
        return after.knowing(seat, self.hand_of(seat) | card.bit)

    def seen_by(self, seat: int) -> Hand:
        """Return a copy that knows neither the stock nor the hand of this seat's opponent."""
        check_seat(seat)
        return self._replace(hands=_with(self.hands, 1 - seat, None), stock=None)

    def apply(self, move: Move) -> Hand:
        """Return the hand after this move by ``to_move``. Raises Illegal if it isn't allowed."""
        following = NEXT_PHASE.get((self.phase, type(move)))
        if following is None:
            raise self._wrong_phase()
        seat = self.to_move
        changes = _STEPS[type(move)](self, move)
        following = changes.setdefault("phase", following)
        return self._replace(
            **changes,
            to_move=seat if following is Phase.DISCARD else 1 - seat,
            moves=(*self.moves, (seat, move)),
        )

    def is_legal(self, move: Move) -> bool:
        """Return whether ``apply`` would accept the move."""
        try:
            self.apply(move)
        except Illegal:
            return False
        return True

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every move that ``to_move`` may make; none once the hand is over.

        ``move in hand.legal_moves()`` gives the same answer as ``is_legal``. Of equivalent moves
        only one is listed (see ``LegalMoves``), which is enough to reach every reachable position.
        For the few moves that a player would consider, see ``sensible_moves``. Raises Illegal
        ("hand-unknown") if the moves depend on cards that this value doesn't know.
        """
        match self.phase:
            case Phase.DISCARD:
                hand, discards = self._discards()
                moves: tuple[Move, ...] = tuple([_DISCARDS[card] for card in discards])
                if self.laid_melds is not None:
                    lays = single_lays(hand, self.laid_melds, self.melding)
                    return LegalMoves(self.is_legal, (*moves, *filter(self.is_legal, lays)))
                # Usually no discard leaves little enough deadwood to knock.
                if self.melding.deadwood_after_discard(hand) > self.knock_limit:
                    return moves
                knocks = all_knocks(
                    hand,
                    mask_of(discards),
                    self.knock_limit,
                    self.melding,
                    big_gin=self.rules.big_gin is not None,
                )
                return LegalMoves(self.is_legal, (*moves, *knocks))
            case Phase.LAY_OFF if self.laid_melds is None:
                spreads = self.melding.all_spreads(self.hand_of(self.to_move), self.open_melds)
                return LegalMoves(self.is_legal, spreads)
            case Phase.LAY_OFF:
                return (self._best_answer(),)
            case Phase.DRAW if self.laid_melds is not None:
                plain = _PLAIN_MOVES[self.phase]
                return LegalMoves(self.is_legal, (*plain, *self._ways_to_take(self.laid_melds)))
        return _PLAIN_MOVES[self.phase]

    def sensible_moves(self) -> tuple[Move, ...]:
        """Return those ``legal_moves`` that can be best; no legal move is better than all of them.

        Of knocks with the same discard it lists those with the least deadwood and those that hold
        cards back in a way that can win more (RULES 5.3), but none that another knock always equals
        or beats. Of spreads it lists one with the least deadwood (RULES 6.4). It uses only what
        ``to_move`` can know, and raises as ``legal_moves`` does.
        """
        match self.phase:
            case Phase.LAY_OFF:
                return (self._best_answer(),)
            case Phase.DISCARD if self.laid_melds is None:
                hand, discards = self._discards()
                moves = tuple([_DISCARDS[card] for card in discards])
                if self.melding.deadwood_after_discard(hand) > self.knock_limit:
                    return moves
                return (*moves, *self._sensible_knocks(hand, discards))
        return tuple(self.legal_moves())

    @property
    def open_melds(self) -> tuple[CardSet, ...]:
        """The knocker's melds on which the defender may lay off; none against gin (RULES 6.3)."""
        if self.knock is None or not self.knock.deadwood:
            return ()
        return self.knock.melds

    # How each move changes the hand: the fields that change, except to_move and moves

    def _pass(self, move: Pass) -> dict[str, Any]:
        return {"result": VOID} if self.phase is Phase.LAST_CHANCE else {}

    def _draw_stock(self, move: DrawStock) -> dict[str, Any]:
        changes: dict[str, Any] = {"stock_left": self.stock_left - 1, "swaps": 0}
        if self.laid_melds is not None:
            changes["laid_melds"] = self.laid_melds.holding(self.to_move, 1)
        if self.stock is not None:
            changes["stock"] = self.stock[1:]
            hand = self.hands[self.to_move]
            if hand is not None:
                changes["hands"] = _with(self.hands, self.to_move, hand | self.stock[0].bit)
        return changes

    def _take_upcard(self, move: TakeUpcard) -> dict[str, Any]:
        return {**self._taking(1), "taken": self.pile[-1]}

    def _taking(self, count: int) -> dict[str, Any]:
        """Return the changes if the player takes this many cards from the top of the pile."""
        seat = self.to_move
        cards, hand = mask_of(self.pile[-count:]), self.hands[seat]
        changes: dict[str, Any] = {
            "pile": self.pile[:-count],
            "swaps": self.swaps + 1,
            "held": _with(self.held, seat, self.held[seat] | cards),
        }
        if hand is not None:
            changes["hands"] = _with(self.hands, seat, hand | cards)
        if self.laid_melds is not None:
            changes["laid_melds"] = self.laid_melds.holding(seat, count)
        return changes

    def _take_discards(self, move: TakeDiscards) -> dict[str, Any]:
        if self.laid_melds is None:
            raise Illegal("not-mahjong", "You can take several cards only in Mahjong gin.", "4.6")
        if move.count > len(self.pile):
            raise Illegal(
                "pile-too-small", f"The pile has {len(self.pile)} cards, not {move.count}.", "12.3"
            )
        lowest = self.pile[-move.count]
        if not move.lay.cards & lowest.bit:
            raise Illegal("lowest-not-laid", f"{lowest} must be laid at once.", "12.3")
        taking = self._taking(move.count)
        return taking | self._replace(**taking)._lay(move.lay)

    def _lay(self, lay: Lay) -> dict[str, Any]:
        if self.laid_melds is None:
            raise Illegal(
                "not-mahjong", "You can lay cards on the table only in Mahjong gin.", "12.4"
            )
        seat = self.to_move
        self._check_holds(seat, lay.cards)
        laid = after_lay(self.laid_melds, seat, lay, self.melding)
        changes = {"laid_melds": laid, **self._without(lay.cards)}
        if not laid.sizes[seat]:
            return changes | self._gin()
        if laid.sizes[seat] == 1 and self.taken is not None and not laid.cards & self.taken.bit:
            raise Illegal(
                "just-taken",
                f"{self.taken} was just taken and would be the only card left to discard.",
                "4.4",
            )
        return changes

    def _gin(self) -> dict[str, Any]:
        """Return the changes if the player goes gin in Mahjong gin. The opponent then shows the
        cards that they still hold."""
        return {"taken": None, "knocker": self.to_move, "phase": Phase.LAY_OFF}

    def _discard(self, move: Discard) -> dict[str, Any]:
        changes = self._throw(move.card)
        if self.laid_melds is not None:
            changes["laid_melds"] = laid = self.laid_melds.holding(self.to_move, -1)
            if not laid.sizes[self.to_move]:
                return changes | self._gin()
        if self.stock_left == WALL:  # RULES 4.7
            if self.rules.wall is Wall.LAST_DISCARD and self.taken is None:
                changes["phase"] = Phase.LAST_CHANCE
            else:  # also if the player took the last discard and didn't knock
                changes["result"] = VOID
        elif self.swaps == self.rules.swap_limit:  # RULES 4.8
            changes["result"] = VOID
        if "result" in changes:
            changes["phase"] = Phase.OVER
        return changes

    def _throw(self, card: Card) -> dict[str, Any]:
        if card == self.taken:
            raise Illegal("just-taken", f"{card} was just taken; discard a different card.", "4.4")
        self._check_holds(self.to_move, card.bit)
        return {"pile": (*self.pile, card), "taken": None, **self._without(card.bit)}

    def _without(self, cards: CardSet) -> dict[str, Any]:
        """Return the changes that remove these cards from the hand of the player to move."""
        seat = self.to_move
        hand = self.hands[seat]
        changes: dict[str, Any] = {}
        if self.held[seat] & cards:
            changes["held"] = _with(self.held, seat, self.held[seat] & ~cards)
        if hand is not None:
            changes["hands"] = _with(self.hands, seat, hand & ~cards)
        return changes

    def _knock(self, knock: Knock) -> dict[str, Any]:
        if self.laid_melds is not None:
            raise Illegal(
                "no-knocking", "Nobody knocks in Mahjong gin; lay your melds on the table.", "12.2"
            )
        changes: dict[str, Any] = {"taken": None}
        if knock.discard is None:
            if self.rules.big_gin is None:
                raise Illegal("no-big-gin", "Big gin isn't played in this match.", "7.4")
            if knock.deadwood:
                raise Illegal(
                    "no-discard", "Without a discard, all eleven cards must be melded.", "5.5"
                )
            self._check_shown(knock.melds, ())
        else:
            self._check_shown(knock.melds, (knock.deadwood, knock.discard.bit))
            changes = self._throw(knock.discard)
        count, limit = self.melding.pips(knock.deadwood), self.knock_limit
        if count > limit:
            allowed = f"the limit is {limit}" if limit else "only gin ends the hand"
            rule = _LIMIT_RULES.get(self.rules.knock_limit, "5.1")
            raise Illegal("knock-over-limit", f"The deadwood is {count}; {allowed}.", rule)
        return {**changes, "knocker": self.to_move, "knock": knock}

    def _spread(self, spread: Spread) -> dict[str, Any]:
        knocker, knock = self.knocker, self.knock
        if knocker is None:
            raise AssertionError("NEXT_PHASE reaches LAY_OFF only through a knock or gin")
        laid = tuple(card.bit for card, _ in spread.layoffs)
        if self.laid_melds is not None:
            if spread.melds or spread.layoffs:
                raise Illegal(
                    "too-late",
                    "The hand is over: you can only show your remaining cards, not lay them.",
                    "12.7",
                )
            self._check_shown((), (spread.deadwood,))
            result = score_mahjong(
                self.rules,
                knocker,
                self.laid_melds.laid,
                spread.deadwood,
                doubled=self.counts_double,
            )
            return {"spread": spread, "result": result}
        if knock is None:
            raise AssertionError("outside Mahjong gin a hand ends with a knock")
        self._check_shown(spread.melds, (spread.deadwood, *laid))
        if spread.layoffs and not self.open_melds:
            raise Illegal("layoff-on-gin", "You can't lay off against gin.", "6.3")
        self.melding.extended(self.open_melds, spread.layoffs, "layoff-does-not-fit", "6.3")
        result = score_hand(self.rules, knocker, knock, spread, doubled=self.counts_double)
        return {"spread": spread, "result": result}

    # Checks

    def _wrong_phase(self) -> Illegal:
        sentence, rule = _AWAITED[self.phase]
        if self.phase is Phase.FIRST_DRAW and self.first_upcard is None:
            sentence, rule = "There is no upcard, so you have to draw from the stock.", "10.4"
        return Illegal("wrong-phase", sentence, rule)

    def _check_shown(self, melds: tuple[CardSet, ...], loose: tuple[CardSet, ...]) -> None:
        """Check a shown hand: its size, its melds, and that no card is repeated or withheld."""
        seat = self.to_move
        shown = union_of((*melds, *loose))
        count, size = popcount(shown), self.size(seat)
        if count != size:
            raise Illegal("wrong-card-count", f"{count} cards were shown, not {size}.", "5.1")
        self.melding.check_melds(melds)
        self._check_holds(seat, shown)
        if self.held[seat] & ~shown:
            raise Illegal("card-missing", _says(self.held[seat] & ~shown, "{} isn't shown."), "4.6")

    def _check_holds(self, seat: int, cards: CardSet) -> None:
        """Refuse cards that this seat is known not to hold."""
        hand = self.hands[seat]
        # A known hand has been checked against the table, and every move checks it again.
        if hand is None or popcount(hand) != self.size(seat) or cards & ~hand:
            self._check_could_hold(seat, cards)
            if hand is not None:
                strangers = cards & ~self.hand_of(seat)
                raise Illegal("card-not-held", _says(strangers, "You don't have {}."), "4.3")

    def _check_could_hold(self, seat: int, cards: CardSet) -> None:
        """Refuse cards that everybody can see elsewhere."""
        elsewhere = mask_of(self.pile) | self.held[1 - seat]
        if self.knock is not None and self.knocker != seat:
            elsewhere |= self.knock.cards
        if self.laid_melds is not None:
            elsewhere |= self.laid_melds.cards
        if cards & elsewhere:
            known = self.hands[seat] is not None
            sentence = "You don't have {}." if known else "{} can't be in this hand."
            raise Illegal("card-not-held", _says(cards & elsewhere, sentence), "4.6")

    # Possible moves

    def _discards(self) -> tuple[CardSet, tuple[Card, ...]]:
        """Return the hand of the player who has to discard, and the cards that they may discard."""
        hand = self.hand_of(self.to_move)
        return hand, cards_of(hand if self.taken is None else hand & ~self.taken.bit)

    def _sensible_knocks(self, hand: CardSet, discards: tuple[Card, ...]) -> list[Move]:
        ways, limit = self.melding, self.knock_limit
        unseen = DECK & ~(hand | mask_of(self.pile))
        knocks: list[Move] = []
        for card in discards:
            kept = hand ^ card.bit
            if ways.deadwood(kept) <= limit:
                telling = sensible_arrangements(kept, unseen, limit, ways)
                knocks += [Knock(card, melds, kept ^ sum(melds)) for melds in telling]
        if self.rules.big_gin is not None and ways.deadwood(hand) == 0:
            knocks.append(Knock(None, ways.arrangements(hand)[0], 0))
        return knocks

    def _ways_to_take(self, laid_melds: LaidMelds) -> list[Move]:
        """Return every way to take several discards and lay the lowest (RULES 12.3)."""
        hand = self.hand_of(self.to_move)
        found: list[Move] = []
        for count in range(1, len(self.pile) + 1):
            lowest = self.pile[-count]
            hand |= lowest.bit
            if count > 1:
                lays = lays_with(lowest, hand, laid_melds, self.melding)
                found += [TakeDiscards(count, lay) for lay in lays]
        return found

    def _best_answer(self) -> Spread:
        hand = self.hand_of(self.to_move)
        if self.laid_melds is not None:
            return Spread((), (), hand)
        return self.melding.best_spread(hand, self.open_melds)

    # The text

    def __str__(self) -> str:
        """Return the rules, the deal, the moves, and the known hands and stock in one line."""
        parts = [str(self.rules), f"dealer {self.dealer}"]
        if self.first_upcard is None:
            first = self.moves[0][0] if self.moves else self.to_move
            parts += [f"knock card {self.knock_card}", f"first {first}"]
        else:
            parts.append(f"upcard {self.first_upcard}")
        parts += [str(move) for _, move in self.moves]
        for seat, cards in enumerate(self.hands):
            if cards is not None:
                parts.append(f"seat {seat} holds {set_text(cards)}")
        if self.stock is not None:
            parts.append(f"stock {''.join(map(str, self.stock))}")
        return "; ".join(parts)

    def __repr__(self) -> str:
        return f"parse_hand({str(self)!r})"


def parse_hand(text: str) -> Hand:
    """Parse the text that ``str`` returns for a hand. Raises Unreadable or Illegal."""
    words = text.split("; ")
    if len(words) < 3 or words[1] not in ("dealer 0", "dealer 1"):
        raise Unreadable("unreadable-hand", "A hand starts with rules, dealer and upcard.")
    rules, dealer = parse_ruleset(words[0]), int(words[1][-1])
    kind, _, card = words[2].rpartition(" ")
    if kind == "upcard" and rules.knock_limit is not KnockLimit.SECOND_DECK:
        hand = Hand.begin(rules, dealer, parse_card(card))
        words = words[3:]
    elif (
        kind == "knock card"
        and rules.knock_limit is KnockLimit.SECOND_DECK
        and words[3:4] in (["first 0"], ["first 1"])
    ):
        first = int(words[3][-1])
        hand = Hand.begin(rules, dealer, None, knock_card=parse_card(card), first=first)
        words = words[4:]
    else:
        raise Unreadable(
            "unreadable-hand",
            "After the dealer, write the upcard, or the knock card and who is first.",
        )
    known = []
    stock = None
    if words and words[-1].startswith("stock "):
        drawn = words.pop()[6:]
        stock = tuple(parse_card(drawn[at : at + 2]) for at in range(0, len(drawn), 2))
    for word in words:
        if word.startswith(("seat 0 holds ", "seat 1 holds ")):
            known.append((int(word[5]), parse_set(word[13:])))
        else:
            hand = hand.apply(parse_move(word))
    for seat, cards in known:
        hand = hand.knowing(seat, cards)
    return hand if stock is None else hand.knowing_stock(stock)


_SPADES = 3
_DRAW_STOCK = DrawStock()
_DISCARDS = tuple(map(Discard, CARDS))
_PLAIN_MOVES: dict[Phase, tuple[Move, ...]] = {
    Phase.FIRST_UPCARD: (Pass(), TakeUpcard()),
    Phase.SECOND_UPCARD: (Pass(), TakeUpcard()),
    Phase.FIRST_DRAW: (_DRAW_STOCK,),
    Phase.DRAW: (TakeUpcard(), _DRAW_STOCK),
    Phase.LAST_CHANCE: (TakeUpcard(), Pass()),
    Phase.OVER: (),
}
_STEPS: dict[type[Move], Callable[[Hand, Any], dict[str, Any]]] = {
    Pass: Hand._pass,
    TakeUpcard: Hand._take_upcard,
    TakeDiscards: Hand._take_discards,
    DrawStock: Hand._draw_stock,
    Lay: Hand._lay,
    Discard: Hand._discard,
    Knock: Hand._knock,
    Spread: Hand._spread,
}

_LIMIT_RULES: dict[int | KnockLimit, str] = {
    KnockLimit.UPCARD: "10.1",
    KnockLimit.SECOND_DECK: "10.4",
    KnockLimit.FLOATING: "10.5",
    0: "10.6",
}

_AWAITED = {
    Phase.FIRST_UPCARD: ("Now you can only take the upcard or pass.", "4.2"),
    Phase.SECOND_UPCARD: ("Now you can only take the upcard or pass.", "4.2"),
    Phase.FIRST_DRAW: ("After two passes, you have to draw from the stock.", "4.2"),
    Phase.DRAW: ("First draw a card, or take the upcard.", "4.3"),
    Phase.DISCARD: ("You've already drawn or taken a card this turn.", "4.3"),
    Phase.LAST_CHANCE: (
        "Now you can only take the last discard and end the hand with it, or pass.",
        "4.7",
    ),
    Phase.LAY_OFF: ("The hand has ended; you can only show your cards.", "6.1"),
    Phase.OVER: ("The hand is over.", None),
}


def _says(cards: CardSet, sentence: str) -> str:
    return sentence.format(cards_of(cards)[0])


def _with(pair: tuple[_T, _T], seat: int, value: _T) -> tuple[_T, _T]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


# --- the picture of the table -------------------------------------------------------------


def _board_text(hand: Hand, names: tuple[str, str]) -> str:
    lines = [f"{hand.rules}, dealt by {names[hand.dealer]}"]
    if hand.result is None:
        lines[0] += f"; {names[hand.to_move]} to move: {hand.phase.value}"
    pile = " ".join(map(str, reversed(hand.pile))) or "empty"
    knock_card = f"; knock card {hand.knock_card}" if hand.knock_card is not None else ""
    lines.append(f"stock {hand.stock_left}; pile, from the top: {pile}{knock_card}")
    if hand.table_melds:
        lines.append(f"table: {_melds(hand.table_melds)}")
    for seat, name in enumerate(names):
        shown = hand.knock if seat == hand.knocker else hand.spread
        if shown is None or hand.laid_melds is not None:
            lines.append(f"{name}: {_held(hand, seat)}")
            continue
        laid = [f"{card} on {_row(in_row(hand.open_melds[at]))}" for card, at in hand.layoffs(seat)]
        parts = [_melds(shown.melds) or "no melds", *laid, _dead(shown.deadwood, hand.rules)]
        lines.append(f"{name}{' knocks' if seat == hand.knocker else ''}: {'; '.join(parts)}")
    if hand.result is not None:
        lines.append(named(hand.result, names))
    return "\n".join(lines)


def _held(hand: Hand, seat: int) -> str:
    cards = hand.hands[seat]
    if cards is None:
        return f"{hand.size(seat)} cards"
    melds, loose, total = laid_out(cards, hand.rules)
    if hand.rules.mahjong:
        parts = [_melds(melds), _row(costliest_first(loose, hand.rules))]
        return f"{'; '.join(filter(None, parts)) or 'no card'} ({total})"
    return f"{_melds(melds) or 'no melds'}; {_dead(loose, hand.rules)}"


def _melds(melds: Iterable[Meld]) -> str:
    return ", ".join(_row(in_row(meld)) for meld in melds)


def _dead(cards: CardSet, rules: RuleSet) -> str:
    if not cards:
        return "no deadwood"
    return f"deadwood {_row(costliest_first(cards, rules))} ({melding(rules).pips(cards)})"


def _row(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards))
