"""What happened in a match, in English sentences made from its entries. cli.text.event_lines has
the lines for programs.

Both are made from an `Admitted` event alone (the message, and the tables before and after it), so
playing and replaying give the same text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cli.text.board import left_in_stock, left_now, opening_line, stock_text
from cli.text.cards import Style
from cli.text.grammar import at_start, does, inside, names_seen_by, plural, verb
from cli.text.score_sheet import account, result_text, score_line
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, safe
from ginpeer.referee.referee import Admitted, result_of, rules_of, taken_card, taken_cards
from ginpeer.referee.table import deadwood_of
from ginpeer.rules.cards import CARDS, Card, CardSet, mask_of
from ginpeer.rules.hand import Phase
from ginpeer.rules.melds import melding
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import mahjong_value
from protocol import messages as m


def narrate(
    event: Admitted,
    style: Style,
    seat: int | None = None,
    drawn: Card | None = None,
    known: KnownNames = NO_KNOWN_NAMES,
    *,
    deadwood: int | None = None,
    brief: bool = False,
) -> list[str]:
    """Return what an entry means to a reader, in whole sentences; often nothing. Hands, scores and
    prompts are printed elsewhere.

    *seat*: the reader's seat, whose player is "you"; None names both players. *drawn*: the card
    that a share gave to its taker, if the reader may know it; it is shown at the share, not at our
    own draw. *known*: the reader's names for players. *deadwood*: what our hand counts with the
    card that it has just got, or what any hand counts after its discard; None leaves it out.
    *brief*: put the opponent's draw and discard into one sentence.

    In each turn of the opponent, a player reads once how many cards are left in the stock: with the
    discard.
    """
    return _Narrator(event, style, seat, drawn, known, deadwood, brief).lines()


@dataclass
class _Narrator:
    """One entry and its reader, from the arguments of `narrate`."""

    event: Admitted
    style: Style
    seat: int | None
    drawn: Card | None
    known: KnownNames
    deadwood: int | None
    brief: bool

    def __post_init__(self) -> None:
        after = self.event.after
        self.counting = "" if self.deadwood is None else f"; deadwood {self.deadwood}"
        self.theirs = self.seat is not None and self.event.author != self.seat
        self.names = names_seen_by(self.known.display(after.keys, after.names), self.seat)
        self.author = self.names[self.event.author]

    def lines(self) -> list[str]:
        tell = _TELLERS.get(type(self.event.message))
        lines = [] if tell is None else tell(self, self.event.message)
        result, match = result_of(self.event), self.event.after.match
        if result is None or match is None:
            return lines
        standing = [] if match.finished else [score_line(match, self.names)]
        return [*lines, result_text(result, self.names, match.rules), *standing]

    def does(self, base: str) -> str:
        return does(self.author, base)

    def verb(self, base: str) -> str:
        return verb(self.author, base)

    def offer(self, message: m.Offer) -> list[str]:
        return [f"{self.does('offer')} a match of gin rummy; the rules: {safe(message.rules)}."]

    def accept(self, message: m.Accept) -> list[str]:
        lines = [f"{self.does('accept')} the match."]
        match = self.event.after.match
        if match is not None:  # no cut: the rules determine the first dealer
            lines.append(f"{does(self.names[match.dealer], 'deal')} first, as the rules say.")
        return lines

    def cut(self, message: m.CutReveal) -> list[str]:
        table = self.event.after
        if table.cut_cards is None or table.match is None:
            return []
        host, guest = table.cut_cards
        dealer = self.names[table.match.dealer]
        equal = ", of equal ranks the lower suit" if host.rank == guest.rank else ""
        return [
            f"The cut for deal: {self.names[0]} {self.style.the(host)}, "
            f"{self.names[1]} {self.style.the(guest)}. "
            f"The lower card deals{equal}: {inside(dealer)} {verb(dealer, 'deal')} first."
        ]

    def deal_begins(self, message: m.DealCommit) -> list[str]:
        return [
            f"Hand {self.event.after.hand_number}: {self.does('shuffle')} and {self.verb('deal')}."
        ]

    def dealt(self, message: m.DealShares) -> list[str]:
        hand = self.event.after.hand
        return [] if hand is None else [opening_line(hand, self.style, self.names)]

    def passes(self, message: m.Pass) -> list[str]:
        return [f"{self.does('pass')} {self._upcard()}."]

    def take(self, message: m.TakeUpcard) -> list[str]:
        if self._told_with_discard():
            return []
        card = self.style.the(taken_card(self.event))
        if self.event.author == self.seat:  # our player has just been asked about it
            return [f"{self.does('take')} {card}{self.counting}."]
        return [f"{self.does('take')} {self._upcard()}, {card}."]

    def _told_with_discard(self) -> bool:
        """Return whether the opponent's draw is shown together with the discard. In Mahjong gin,
        cards may be laid between the two, so it isn't."""
        before = self.event.before.hand
        last = before is not None and before.phase is Phase.LAST_CHANCE
        return self.brief and self.theirs and not last and not self.rules.mahjong

    def _upcard(self) -> str:
        before = self.event.before.hand
        last = before is not None and before.phase is Phase.LAST_CHANCE
        return "the last discard" if last else "the upcard"

    def draw(self, message: m.DrawStock) -> list[str]:
        if self.event.author == self.seat or self._told_with_discard():
            return []
        if self.theirs:
            return [f"{self.does('draw')}."]
        return [f"{self.does('draw')} from the stock; {left_in_stock(self.event.after.hand)}."]

    def share(self, message: m.Share) -> list[str]:
        if self.drawn is None:
            return []
        taker = self.names[1 - self.event.author]
        told = f"{does(taker, 'draw')} {self.style.the(self.drawn)}"
        return [f"{told} from the stock." if self.seat is None else f"{told}{self.counting}."]

    def discard(self, message: m.Discard) -> list[str]:
        thrown = self._throws(CARDS[message.card])
        after = self.event.after.hand
        if after is not None and after.phase is Phase.LAST_CHANCE:
            other = inside(self.names[after.to_move])
            ends = "knock or go gin" if after.knock_limit else "go gin"
            return [
                f"{thrown}{self.counting}.",
                f"{stock_text(after)}: {other} may take this card to {ends}, or pass.",
            ]
        if after is not None and after.phase is Phase.LAY_OFF:
            return [f"{thrown}, the last card, and {self.verb('go')} gin."]
        if self.theirs and after is not None:
            left = f"{after.stock_left} left" if self.brief else left_now(after)
            return [f"{thrown}; {left}."]
        return [f"{thrown}{self.counting}."]

    def _throws(self, card: Card) -> str:
        begun = f"{self._turn_begun()}," if self._told_with_discard() else at_start(self.author)
        return f"{begun} {self.verb('discard')} {self.style.the(card)}"

    def _turn_begun(self) -> str:
        """Say how the opponent began the turn that ends here: "Ann draws", "Ann takes 7♦"."""
        before = self.event.before.hand
        taken = None if before is None else before.taken
        if taken is None:
            return self.does("draw")
        return f"{self.does('take')} {self.style.the(taken)}"

    def lay(self, message: m.Lay) -> list[str]:
        before, after = self.event.before.hand, self.event.after.hand
        if before is None or after is None:
            return []
        lines = []
        if message.melds:
            lines.append(f"{self.does('lay')} {self._melds(message)}.")
        style, melds = self.style, [*before.table_melds, *map(mask_of, message.melds)]
        for add in message.adds:
            card = CARDS[add.card]
            lines.append(f"{self.does('add')} {style.the(card)} to {style.meld(melds[add.meld])}.")
            melds[add.meld] |= card.bit
        if after.phase is Phase.LAY_OFF:
            lines.append(f"No card is left: {inside(self.author)} {self.verb('go')} gin.")
        return lines

    def take_several(self, message: m.TakeDiscards) -> list[str]:
        cards = self.style.cards(taken_cards(self.event, message))
        return [
            f"{self.does('take')} the top {message.count} cards of the pile: {cards}.",
            *self.lay(message.lay),
        ]

    def knock(self, message: m.Knock) -> list[str]:
        dead = deadwood_of(message)
        if message.discard is None:
            begun = f"{self._turn_begun()}. " if self._told_with_discard() else ""
            return [
                f"{begun}{self.does('go')} big gin: all eleven cards are melded.",
                f"Melds: {self._melds(message)}.",
            ]
        thrown = self._throws(CARDS[message.discard])
        if not dead:
            return [
                f"{thrown} and {self.verb('go')} gin.",
                f"Melds: {self._melds(message)}.",
            ]
        return [
            f"{thrown} and {self.verb('knock')} with {self._count(dead)}.",
            f"Melds: {self._melds(message)}; deadwood: {self.style.deadwood(dead, self.rules)}.",
        ]

    @property
    def rules(self) -> RuleSet:
        return rules_of(self.event)

    def _count(self, deadwood: CardSet) -> int:
        return melding(self.rules).pips(deadwood)

    def _melds(self, message: m.Knock | m.Spread | m.Lay) -> str:
        return self.style.melds([mask_of(meld) for meld in message.melds])

    def spread(self, message: m.Spread) -> list[str]:
        if self.rules.mahjong:
            left = mask_of(message.cards)
            shown = self.style.costliest(left, self.rules)
            return [f"{self.does('show')} what is left: {shown}, counting {mahjong_value(left)}."]
        lines = [f"{self.does('spread')}. Melds: {self._melds(message)}."]
        knock = None if self.event.before.hand is None else self.event.before.hand.knock
        if message.layoffs and knock is not None:
            style, melds = self.style, knock.melds
            laid = ", ".join(
                f"{style.the(CARDS[layoff.card])} on {style.meld(melds[layoff.meld])}"
                for layoff in message.layoffs
            )
            lines.append(f"{self.does('lay')} off {laid}.")
        return [*lines, f"Deadwood: {self.style.deadwood(deadwood_of(message), self.rules)}."]

    def resign(self, message: m.Resign) -> list[str]:
        return [f"{self.does('resign')} the match."]

    def settle(self, message: m.Settle) -> list[str]:
        match = self.event.after.match
        if self.event.before.match is None or match is None or self.event.author != 0:
            return []  # both sign the same account; show it once
        # The resignation was already shown with its own entry.
        return account(match, self.names)[match.resigned is not None :]

    def disclose(self, message: m.Disclose) -> list[str]:
        hands = plural(len(message.seeds), "hand")
        return [f"{self.does('disclose')} the seeds of {hands}; they agree with every card shown."]


_TELLERS: dict[type[m.Message], Callable[[_Narrator, Any], list[str]]] = {
    m.Offer: _Narrator.offer,
    m.Accept: _Narrator.accept,
    m.CutReveal: _Narrator.cut,
    m.DealCommit: _Narrator.deal_begins,
    m.DealShares: _Narrator.dealt,
    m.Pass: _Narrator.passes,
    m.TakeUpcard: _Narrator.take,
    m.DrawStock: _Narrator.draw,
    m.Share: _Narrator.share,
    m.Discard: _Narrator.discard,
    m.Knock: _Narrator.knock,
    m.Spread: _Narrator.spread,
    m.Lay: _Narrator.lay,
    m.TakeDiscards: _Narrator.take_several,
    m.Resign: _Narrator.resign,
    m.Settle: _Narrator.settle,
    m.Disclose: _Narrator.disclose,
}


def filling_line(hands_left: int) -> str:
    """Warn after a hand that the log is nearly full, after which the match will have to stop."""
    return (
        "The log of this match is nearly full. There is room for about "
        f"{plural(hands_left, 'more hand', 'more hands')}; then the match stops."
    )
