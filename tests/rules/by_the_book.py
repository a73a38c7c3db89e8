"""A second, slow implementation of the rules of a hand, to compare with the engine.

It is written from RULES.md, not from ginpeer.rules.hand. Cards are strings, hands are Python sets,
and it uses none of the engine's tables. From the engine, it takes only the moves and the values of
the rule set. A Book knows both hands and the stock; it judges moves and makes them.
"""

from ginpeer.rules import (
    Discard,
    DrawStock,
    Knock,
    Lay,
    Pass,
    Spread,
    TakeDiscards,
    TakeUpcard,
    set_text,
)

ORDER = "A23456789TJQK"
SUITS = "cdhs"
ALL = {rank + suit for rank in ORDER for suit in SUITS}


def cards(mask):
    """Return a set of cards as a list of strings."""
    text = set_text(mask)
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def is_meld(texts, wraps):
    """Return whether these cards are a meld (RULES 2.1, 2.2, 11.1, 11.2)."""
    ranks = [text[0] for text in texts]
    if len(texts) < 3 or len(set(texts)) < len(texts):
        return False
    if len(set(ranks)) == 1:
        return True
    if len({text[1] for text in texts}) > 1:
        return False
    held = "".join(rank if rank in ranks else " " for rank in ORDER)
    # A run around the corner is consecutive in some rotation of the ranks.
    turns = [held[at:] + held[:at] for at in range(13 if wraps else 1)]
    return any(" " not in turn.strip() for turn in turns)


def pips(texts, rules):
    """Return how many points these cards count (RULES 1.3, 11.3)."""
    counts = {"A": rules.ace_pips, "T": 10, "J": 10, "Q": 10, "K": 10}
    return sum(counts.get(text[0]) or int(text[0]) for text in texts)


def mahjong_pips(texts):
    """Return how many points these cards count in Mahjong gin (RULES 12.8)."""
    return sum(15 if text[0] == "A" else 10 if text[0] in "TJQK" else 5 for text in texts)


class Book:
    """One hand. ``step`` names the awaited move, and ``turn`` is the seat that makes it. ``result``
    is None, or the winner, each seat's points, and whether they are doubled."""

    def __init__(self, rules, dealer, hands, stock, upcard=None, knock_card=None, first=None):
        self.rules, self.stock = rules, list(stock)
        self.hands = [set(cards(hands[0])), set(cards(hands[1]))]
        self.pile = [] if upcard is None else [upcard]
        self.dealt_card = knock_card if upcard is None else upcard
        self.turn = 1 - dealer if first is None else first
        self.step = "first upcard"
        if upcard is None:
            self.step = "first draw"
        elif rules.opening.value == "either-pile":
            self.step = "draw"
        self.taken = None  # the card that can't be discarded
        self.shows = None  # the discard on top when this turn began
        self.idle = 0  # consecutive turns without a stock card
        self.chance = False  # whether this turn is the last chance at the wall
        self.table = []
        self.laid = [set(), set()]
        self.knocked = None  # seat, melds, deadwood, and whether a card was discarded
        self.result = None

    # The limit

    def limit(self):
        kind = self.rules.knock_limit
        if isinstance(kind, int):
            return kind
        card = self.shows if kind.value == "floating" else self.dealt_card
        if card[0] == "A":
            return 1 if self.rules.ace_limit.value == "one" else 0
        return pips([card], self.rules)

    def doubled(self):
        floating = getattr(self.rules.knock_limit, "value", None) == "floating"
        card = self.shows if floating else self.dealt_card
        return self.rules.spades_double and card[1] == "s"

    # Legal moves

    def allows(self, move):
        """Return whether the player to move may make this move."""
        kind = type(move)
        if self.step in ("first upcard", "second upcard", "last chance"):
            return kind in (Pass, TakeUpcard)
        if self.step == "first draw":
            return kind is DrawStock
        if self.step == "draw":
            return kind in (DrawStock, TakeUpcard) or (
                kind is TakeDiscards and self._may_take_several(move)
            )
        if self.step == "lay off":
            return kind is Spread and self._may_spread(move)
        if self.step != "discard":
            return False
        hand = self.hands[self.turn]
        if kind is Discard:
            return str(move.card) in hand - {self.taken}
        if kind is Knock:
            return self._may_knock(move)
        return kind is Lay and self._may_lay(move, hand)

    def _may_take_several(self, move):
        if not self.rules.mahjong or move.count > len(self.pile):
            return False
        several = self.pile[-move.count :]
        if several[0] not in cards(move.lay.cards):
            return False
        return self._may_lay(move.lay, self.hands[self.turn] | set(several))

    def _may_lay(self, lay, hand):
        if not self.rules.mahjong:
            return False
        used = [card for meld in lay.melds for card in cards(meld)]
        used += [str(card) for card, _ in lay.adds]
        if not used or len(set(used)) < len(used) or not set(used) <= hand:
            return False
        table = self._table_after(lay)
        return table is not None and hand - set(used) != {self.taken}

    def _table_after(self, lay):
        """Return the melds on the table after this lay, or None if some cards aren't a meld."""
        table = [list(meld) for meld in self.table] + [cards(meld) for meld in lay.melds]
        if not all(is_meld(meld, self.rules.runs_wrap) for meld in table):
            return None
        for card, at in lay.adds:
            if at >= len(table):
                return None
            table[at].append(str(card))
            if not is_meld(table[at], self.rules.runs_wrap):
                return None
        return table

    def _all_shown(self, melds, loose):
        """Return whether these are the cards of the hand, each once, and *melds* are valid."""
        shown = [card for meld in melds for card in cards(meld)] + loose
        return sorted(shown) == sorted(self.hands[self.turn]) and all(
            is_meld(cards(meld), self.rules.runs_wrap) for meld in melds
        )

    def _may_knock(self, knock):
        dead = cards(knock.deadwood)
        if self.rules.mahjong:
            return False
        if knock.discard is None:
            return self.rules.big_gin is not None and not dead and self._all_shown(knock.melds, [])
        thrown = str(knock.discard)
        return (
            thrown != self.taken
            and self._all_shown(knock.melds, [*dead, thrown])
            and pips(dead, self.rules) <= self.limit()
        )

    def _may_spread(self, spread):
        laid_off = [str(card) for card, _ in spread.layoffs]
        if not self._all_shown(spread.melds, cards(spread.deadwood) + laid_off):
            return False
        if self.rules.mahjong:
            return not spread.melds and not laid_off
        _, melds, dead, _ = self.knocked
        melds = [cards(meld) for meld in melds] if dead else []
        for card, at in spread.layoffs:
            if at >= len(melds):
                return False
            melds[at].append(str(card))
            if not is_meld(melds[at], self.rules.runs_wrap):
                return False
        return True

    # The effect of a move

    def play(self, move):
        """Make a move that ``allows`` has allowed. A draw takes the next card of the stock."""
        kind, seat, hand = type(move), self.turn, self.hands[self.turn]
        if self.step in ("first upcard", "draw", "first draw", "second upcard", "last chance"):
            self.shows = self.pile[-1] if self.pile else None
        if kind is Pass:
            self._passed()
        elif kind is DrawStock:
            hand.add(self.stock.pop(0))
            self.idle, self.step = 0, "discard"
        elif kind is TakeUpcard:
            self.taken = self.pile.pop()
            hand.add(self.taken)
            self.chance = self.step == "last chance"
            self.idle, self.step = self.idle + 1, "discard"
        elif kind is TakeDiscards:
            hand |= set(self.pile[-move.count :])
            del self.pile[-move.count :]
            self.idle, self.step = self.idle + 1, "discard"
            self._lay(move.lay)
        elif kind is Lay:
            self._lay(move)
        elif kind is Discard:
            self._thrown(str(move.card))
        elif kind is Knock:
            self.knocked = (seat, move.melds, cards(move.deadwood), move.discard is not None)
            if move.discard is not None:
                hand.remove(str(move.discard))
                self.pile.append(str(move.discard))
            self.turn, self.step = 1 - seat, "lay off"
        else:
            self._settle(cards(move.deadwood))

    def _passed(self):
        if self.step == "last chance":
            self._over((None, (0, 0), False))
        else:
            self.step = {"first upcard": "second upcard", "second upcard": "first draw"}[self.step]
            self.turn = 1 - self.turn

    def _lay(self, lay):
        self.table = self._table_after(lay)
        self.hands[self.turn] -= set(cards(lay.cards))
        self.laid[self.turn] |= set(cards(lay.cards))
        self._gin_without_cards()

    def _gin_without_cards(self):
        if self.hands[self.turn]:
            return False
        self.knocked = (self.turn, (), [], True)
        self.turn, self.step = 1 - self.turn, "lay off"
        return True

    def _thrown(self, card):
        self.hands[self.turn].remove(card)
        self.pile.append(card)
        self.taken = None
        if self.rules.mahjong and self._gin_without_cards():
            return
        self.turn, self.step = 1 - self.turn, "draw"
        if self.chance or self.idle == self.rules.swap_limit:
            self._over((None, (0, 0), False))
        elif len(self.stock) == 2:
            if self.rules.wall.value == "last-discard":
                self.step = "last chance"
            else:
                self._over((None, (0, 0), False))

    def _settle(self, left):
        knocker, _, dead, with_discard = self.knocked
        if self.rules.mahjong:
            points = [mahjong_pips(self.laid[0]), mahjong_pips(self.laid[1])]
            points[knocker] += self.rules.gin_bonus
            points[1 - knocker] -= mahjong_pips(left)
            times = 2 if self.doubled() else 1
            self._over((knocker, tuple(times * each for each in points), self.doubled()))
            return
        mine, theirs = pips(dead, self.rules), pips(left, self.rules)
        winner = knocker
        if not with_discard:
            gained = self.rules.big_gin + theirs
        elif not dead:
            gained = self.rules.gin_bonus + theirs
        elif mine < theirs:
            gained = theirs - mine
        elif mine == theirs and self.rules.tie.value == "nobody":
            winner, gained = None, 0
        elif mine == theirs and self.rules.tie.value == "no-bonus":
            winner, gained = 1 - knocker, 0
        else:
            winner, gained = 1 - knocker, mine - theirs + self.rules.undercut_bonus
        gained *= 2 if self.doubled() else 1
        self._over((winner, tuple(gained * (winner == seat) for seat in (0, 1)), self.doubled()))

    def _over(self, result):
        self.result, self.step = result, "over"
