"""What happened in a match, in English sentences made from its entries. cli.text.event_lines has
the lines for programs.

Both are made from an `Admitted` event alone (the message, and the tables before and after it), so
playing and replaying give the same text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cli.text.board import left_in_stock, opening_line, stock_text
from cli.text.cards import Style
from cli.text.grammar import at_start, does, inside, names_seen_by, plural, verb
from cli.text.score_sheet import account, brief_result, result_text, score_line, short_account
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, safe
from ginpeer.referee.referee import Admitted, result_of, rules_of, taken_card, taken_cards
from ginpeer.referee.table import Table, deadwood_of
from ginpeer.rules.cards import CARDS, Card, CardSet, mask_of
from ginpeer.rules.hand import Phase
from ginpeer.rules.melds import melding
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import mahjong_value
from protocol import messages as m

_FEW_LEFT = (10, 7, 6, 5, 4, 3)
"""In brief mode, the stock is counted when this many cards are left."""


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
    *brief*: as few words as possible: the opponent's turn is one sentence, melds that can't be laid
    off on aren't shown, and the stock is counted only when few cards are left.

    A player reads less than a reader of the log. Their own discard and spread aren't repeated,
    because they have just typed them. How many cards are left in the stock is said once in each
    turn of the opponent, with the discard.
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
        self.theirs = self.seat is not None and self.event.author != self.seat
        self.ours = self.event.author == self.seat
        self.names = names_seen_by(self.known.display(after.keys, after.names), self.seat)
        self.author = self.names[self.event.author]

    def lines(self) -> list[str]:
        tell = _TELLERS.get(type(self.event.message))
        lines = [] if tell is None else tell(self, self.event.message)
        result, match = result_of(self.event), self.event.after.match
        if result is None or match is None:
            return lines
        at_table = self.seat is not None
        standing = [] if match.finished else [score_line(match, self.names, short=at_table)]
        ended = (brief_result if self.brief else result_text)(result, self.names, match.rules)
        return [*lines, ended, *standing]

    @property
    def counting(self) -> str:
        """How the deadwood follows a card: "; deadwood 60", " (60)" in brief."""
        if self.deadwood is None:
            return ""
        in_brief = self.brief and not self.style.words
        return f" ({self.deadwood})" if in_brief else f"; deadwood {self.deadwood}"

    def does(self, base: str) -> str:
        return does(self.author, base)

    def verb(self, base: str) -> str:
        return verb(self.author, base)

    def offer(self, message: m.Offer) -> list[str]:
        return [f"{self.does('offer')} a match with these rules: {safe(message.rules)}."]

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
        equal = ", and between equal ranks the lower suit" if host.rank == guest.rank else ""
        return [
            f"{does(self.names[0], 'cut')} {self.style.the(host)}, and "
            f"{inside(self.names[1])} {verb(self.names[1], 'cut')} {self.style.the(guest)}. "
            f"The lower card deals{equal}: {inside(dealer)} {verb(dealer, 'deal')} first."
        ]

    def deal_begins(self, message: m.DealCommit) -> list[str]:
        shuffles = "" if self.seat is not None else f" {self.verb('shuffle')} and"
        begun = f"Hand {self.event.after.hand_number}: {at_start(self.author)}"
        return [f"{begun}{shuffles} {self.verb('deal')}."]

    def dealt(self, message: m.DealShares) -> list[str]:
        hand = self.event.after.hand
        return [] if hand is None else [opening_line(hand, self.style, self.names)]

    def passes(self, message: m.Pass) -> list[str]:
        if self.ours:
            return []
        return [f"{self.does('pass')} {self._upcard()}."]

    def take(self, message: m.TakeUpcard) -> list[str]:
        if self._told_with_discard():
            return []
        card = self.style.the(taken_card(self.event))
        if self.ours:  # our player has just been asked about it
            return [f"{self.does('take')} {card}{self.counting}."]
        if self.theirs:
            return [f"{self.does('take')} {card}."]
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
        if self.ours or self._told_with_discard():
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
        if self.ours:
            return []
        if self.theirs and after is not None:
            left = after.stock_left
            told = left in _FEW_LEFT or not self.brief
            return [f"{thrown}; {left} left." if told else f"{thrown}."]
        return [f"{thrown}{self.counting}."]

    def _throws(self, card: Card) -> str:
        begun = self._turn_begun() if self._told_with_discard() else at_start(self.author)
        return f"{begun} {self.verb('discard')} {self.style.the(card)}"

    def _turn_begun(self) -> str:
        """Say how the opponent began the turn that ends here: "Ann takes 7♦,". A draw from the
        stock goes without saying: "Ann"."""
        before = self.event.before.hand
        taken = None if before is None else before.taken
        if taken is None:
            return at_start(self.author)
        return f"{self.does('take')} {self.style.the(taken)},"

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
            lines.append(f"{self.does('go')} gin, with no cards left.")
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
            ends = f"{self.does('go')} big gin: all eleven cards are melded"
        elif self.ours and not dead:
            ends = self.does("go") + " gin"
        elif self.ours:
            ends = f"{self.does('knock')} with {self._count(dead)}"
        elif not dead:
            ends = f"{self._throws(CARDS[message.discard])} and {self.verb('go')} gin"
        else:
            thrown = self._throws(CARDS[message.discard])
            ends = f"{thrown} and {self.verb('knock')} with {self._count(dead)}"
        melds = [mask_of(meld) for meld in message.melds]
        if self.seat is None:
            left = f"; deadwood: {self.style.deadwood(dead, self.rules)}" if dead else ""
            return [f"{ends}.", f"Melds: {self.style.melds(melds)}{left}."]
        if self.brief:  # melds matter only if our player can lay off on them
            open_melds = f": {self.style.melds(melds)}" if dead and self.theirs else ""
            return [f"{ends}{open_melds}."]
        left = self.style.costliest(dead, self.rules) if dead else ""
        return [f"{ends}.", f"{self.does('show')} {self.style.shown(melds, left)}."]

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
        dead = deadwood_of(message)
        melds = [mask_of(meld) for meld in message.melds]
        count = self.style.deadwood(dead, self.rules)
        if self.seat is None:
            lines = [f"{self.does('spread')}. Melds: {self._melds(message)}."]
        elif self.brief:
            lines = []
        else:
            lines = [f"{self.does('show')} {self.style.shown(melds, count if dead else '')}."]
        knock = None if self.event.before.hand is None else self.event.before.hand.knock
        if message.layoffs and knock is not None:
            style = self.style
            laid = ", ".join(
                f"{style.the(CARDS[layoff.card])} on {style.meld(knock.melds[layoff.meld])}"
                for layoff in message.layoffs
            )
            lines.append(f"{self.does('lay')} off {laid}.")
        if self.seat is None:
            lines.append(f"Deadwood: {count}.")
        return lines

    def resign(self, message: m.Resign) -> list[str]:
        return [f"{self.does('resign')} the match."]

    def settle(self, message: m.Settle) -> list[str]:
        match = self.event.after.match
        if self.event.before.match is None or match is None or self.event.author != 0:
            return []  # both sign the same account; show it once
        if self.seat is not None:
            return short_account(match, self.names)
        # The resignation was already shown with its own entry.
        return account(match, self.names)[match.resigned is not None :]

    def disclose(self, message: m.Disclose) -> list[str]:
        if self.seat is not None:  # the end of the match says that nothing was wrong
            return []
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
    return (
        "The log of this match is nearly full. There is room for about "
        f"{plural(hands_left, 'more hand', 'more hands')}; then the match stops."
    )


# --- moves taken back, in practice -------------------------------------------------------

CANT_UNDO = "You can't take back a move: your opponent has already seen it."
NOTHING_TO_UNDO = "There is nothing to take back yet."
TOO_LATE = "The match is over. You can take back moves only until then."


def taken_back(move: m.Message, table: Table, style: Style) -> str:
    """*table*: the table as it is again, before the move."""
    upcard = None if table.hand is None else table.hand.upcard
    match move:
        case m.Discard(card=card):
            return f"You take back your discard of {style.the(CARDS[card])}."
        case m.TakeUpcard() if upcard is not None:
            return f"You put {style.the(upcard)} back."
        case m.TakeUpcard() | m.TakeDiscards():
            return "You put back what you took."
        case m.DrawStock():
            return "You take back your draw."
        case m.Pass():
            return "You take back your pass."
        case m.Lay():
            return "You take back the cards you laid."
        case m.Knock(discard=card, cards=cards, melds=melds):
            gin = sum(map(len, melds)) == len(cards) - (card is not None)
            return "You take back your gin." if gin else "You take back your knock."
        case _:
            return "You take back your spread."
