"""What happened in a match, in English sentences made from its entries. cli.text.event_lines makes
the lines for programs. Both modules use an `Admitted` event alone (the message, and the tables
before and after it), so playing and replaying give the same text.
"""

from __future__ import annotations

from dataclasses import dataclass

from cli.text.board import opening_line, stock_text
from cli.text.cards import Style
from cli.text.grammar import at_start, capital, does, inside, names_seen_by, plural, verb
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

_FEW_LEFT = (10, 7, 6, 5, 4, 3)  # in brief mode, only these sizes of the stock are mentioned


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
    """Return what an entry means to a reader, in whole sentences; often there are none. Hands,
    scores and prompts are printed elsewhere.

    *seat*: the reader's seat, whose player is "you"; None names both players. *drawn*: the card
    that this share reveals to the player who drew it, if the reader may know it; our own draw shows
    nothing until then. *known*: the reader's names for players. *deadwood*: the count of our hand
    with the card that it has just got, or of any hand after its discard; None leaves it out.
    *brief*: as few words as possible: the opponent's turn is one sentence, melds that can't be laid
    off on aren't shown, and the stock is mentioned only when few cards are left.

    A player reads less than a reader of the log. Their own discard isn't repeated, because they
    have just typed it. How many cards are left in the stock is said once in each turn of the
    opponent, with the discard.
    """
    return _Narrator(event, style, seat, drawn, known, deadwood, brief).lines()


@dataclass
class _Narrator:
    """Narrates one entry to one reader; the fields are the arguments of `narrate`."""

    event: Admitted
    style: Style
    seat: int | None
    drawn: Card | None
    known: KnownNames
    deadwood: int | None
    brief: bool

    def __post_init__(self) -> None:
        before, after = self.event.before.hand, self.event.after
        self.theirs = self.seat is not None and self.event.author != self.seat
        self.ours = self.event.author == self.seat
        self.names = names_seen_by(self.known.display(after.keys, after.names), self.seat)
        self.author = self.names[self.event.author]
        self.last_chance = before is not None and before.phase is Phase.LAST_CHANCE

    def lines(self) -> list[str]:
        lines = self._entry()
        result, match = result_of(self.event), self.event.after.match
        if result is None or match is None:
            return lines
        at_table = self.seat is not None
        goes_on = not match.finished and self.event.after.begins == 1
        standing = [score_line(match, self.names, short=at_table)] if goes_on else []
        ended = (brief_result if self.brief else result_text)(result, self.names)
        return [*lines, ended, *standing]

    def _entry(self) -> list[str]:
        """Return the lines for the entry, without the result if it ends a hand."""
        table = self.event.after
        match self.event.message:
            case m.Offer(rules=rules):
                return [f"{self.does('offer')} a match with these rules: {safe(rules)}."]
            case m.Accept():
                lines = [f"{self.does('accept')} the match."]
                if table.match is not None:  # no cut: the rules name the first dealer
                    first = does(self.names[table.match.dealer], "deal")
                    lines.append(f"{first} first, as the rules say.")
                return lines
            case m.CutReveal():
                return self._cut()
            case m.DealCommit():
                shuffles = "" if self.seat is not None else f" {self.verb('shuffle')} and"
                begun = f"Hand {table.hand_number}: {at_start(self.author)}"
                return [f"{begun}{shuffles} {self.verb('deal')}."]
            case m.DealShares() if table.hand is not None:
                return [opening_line(table.hand, self.style, self.names)]
            case m.Pass() if not self.ours:
                return [f"{self.does('pass')}."]
            case m.TakeUpcard() if not self._told_with_discard:
                return self._take()
            case m.DrawStock() if self.theirs and not self._told_with_discard:
                return [f"{self.does('draw')}."]
            case m.DrawStock() if self.seat is None:
                left = 0 if table.hand is None else table.hand.stock_left
                told = f"{self.does('draw')} from the stock"
                return [f"{told}; {plural(left, 'card is', 'cards are')} left in it."]
            case m.Share() if self.drawn is not None:
                taker = self.names[1 - self.event.author]
                told = " from the stock" if self.seat is None else self.counting
                return [f"{does(taker, 'draw')} {self.style.the(self.drawn)}{told}."]
            case m.Discard(card=card):
                return self._discard(CARDS[card])
            case m.Lay() as lay:
                return self._lay(lay)
            case m.TakeDiscards() as take:
                cards = self.style.cards(taken_cards(self.event, take))
                top = f"{self.does('take')} the top {take.count} cards of the pile: {cards}."
                return [top, *self._lay(take.lay)]
            case m.Knock() as knock:
                return self._knock(knock)
            case m.Spread() as spread:
                return self._spread(spread)
            case m.Resign():
                return [f"{self.does('resign')} the match."]
            case m.Settle():
                return self._settle()
            case m.Disclose(seeds=seeds) if self.seat is None:
                # Players aren't told: the end of the match says whether anything was wrong.
                return [f"{self.does('disclose')} {plural(len(seeds), 'hand seed')}."]
        return []

    @property
    def counting(self) -> str:
        """The deadwood, for use after a card: "; deadwood 60", or " (60)" in brief mode."""
        if self.deadwood is None:
            return ""
        in_brief = self.brief and not self.style.words
        return f" ({self.deadwood})" if in_brief else f"; deadwood {self.deadwood}"

    @property
    def rules(self) -> RuleSet:
        return rules_of(self.event)

    def does(self, base: str) -> str:
        return does(self.author, base)

    def verb(self, base: str) -> str:
        return verb(self.author, base)

    @property
    def _told_with_discard(self) -> bool:
        """Whether the opponent's draw is shown together with the discard. In Mahjong gin, cards may
        be laid between the two, so it isn't."""
        return self.brief and self.theirs and not self.last_chance and not self.rules.mahjong

    @property
    def _upcard(self) -> str:
        return "the last discard" if self.last_chance else "the upcard"

    def _cut(self) -> list[str]:
        table = self.event.after
        if table.cut_cards is None or table.match is None:
            return []
        host, guest = table.cut_cards
        dealer = self.names[table.match.dealer]
        equal = ", or the lower suit if the ranks are equal" if host.rank == guest.rank else ""
        return [
            f"{does(self.names[0], 'cut')} {self.style.the(host)}, and "
            f"{inside(self.names[1])} {verb(self.names[1], 'cut')} {self.style.the(guest)}. "
            f"The lower card deals{equal}: {inside(dealer)} {verb(dealer, 'deal')} first."
        ]

    def _take(self) -> list[str]:
        card = self.style.the(taken_card(self.event))
        which = f"{self._upcard}, " if self.seat is None else ""  # our player has just seen it
        return [f"{self.does('take')} {which}{card}{self.counting if self.ours else ''}."]

    def _discard(self, card: Card) -> list[str]:
        thrown, after = self._throws(card), self.event.after.hand
        if after is not None and after.phase is Phase.LAST_CHANCE:
            other = inside(self.names[after.to_move])
            return [
                f"{thrown}{self.counting}.",
                f"{stock_text(after)}: {other} may take this card, or pass.",
            ]
        if after is not None and after.phase is Phase.LAY_OFF:
            return [f"{thrown}, the last card, and {self.verb('go')} gin."]
        if self.ours:
            return []
        if not self.theirs or after is None:
            return [f"{thrown}{self.counting}."]
        if self.brief and after.stock_left not in _FEW_LEFT:
            return [f"{thrown}."]
        where = " in the stock" if self.rules.mahjong else ""
        return [f"{thrown}; {after.stock_left} left{where}."]

    def _throws(self, card: Card) -> str:
        """Return "Ann discards 7♦", or "Ann takes 5♠, discards 7♦" if she took a card."""
        before, begun = self.event.before.hand, at_start(self.author)
        if self._told_with_discard and before is not None and before.taken is not None:
            begun = f"{self.does('take')} {self.style.the(before.taken)},"
        return f"{begun} {self.verb('discard')} {self.style.the(card)}"

    def _lay(self, message: m.Lay) -> list[str]:
        before, after = self.event.before.hand, self.event.after.hand
        if before is None or after is None:
            return []
        style, laid = self.style, [mask_of(meld) for meld in message.melds]
        lines = [f"{self.does('lay')} {style.melds(laid)}."] if laid else []
        melds = [*before.table_melds, *laid]
        for add in message.adds:
            card = CARDS[add.card]
            lines.append(f"{self.does('add')} {style.the(card)} to {style.meld(melds[add.meld])}.")
            melds[add.meld] |= card.bit
        if after.phase is Phase.LAY_OFF:
            lines.append(f"{self.does('go')} gin, with no cards left.")
        elif self.theirs:
            held = plural(after.size(self.event.author), "card")
            lines.append(f"{self.does('hold')} {held}.")
        return lines

    def _knock(self, message: m.Knock) -> list[str]:
        dead = deadwood_of(message)
        count = melding(self.rules).pips(dead)
        if message.discard is None:
            ends = f"{self.does('go')} big gin: all eleven cards are melded"
        elif self.ours:
            ends = f"{self.does('knock')} with {count}" if dead else f"{self.does('go')} gin"
        else:
            how = f"{self.verb('knock')} with {count}" if dead else f"{self.verb('go')} gin"
            ends = f"{self._throws(CARDS[message.discard])} and {how}"
        melds = [mask_of(meld) for meld in message.melds]
        if self.seat is None:
            left = f"; {self._deadwood(dead)}" if dead else ""
            return [f"{ends}.", f"Melds: {self.style.melds(melds)}{left}."]
        if self.brief:  # melds matter only if our player can lay off on them
            open_melds = f": {self.style.melds(melds)}" if dead and self.theirs else ""
            return [f"{ends}{open_melds}."]
        left = self.style.costliest(dead, self.rules) if dead else ""
        return [f"{ends}.", f"{self.does('show')} {self.style.shown(melds, left)}."]

    def _spread(self, message: m.Spread) -> list[str]:
        style, rules = self.style, self.rules
        if rules.mahjong:
            left = mask_of(message.cards)
            shown = style.costliest(left, rules)
            return [f"{self.does('show')} what is left: {shown}, counting {mahjong_value(left)}."]
        dead = deadwood_of(message)
        melds = [mask_of(meld) for meld in message.melds]
        count = style.deadwood(dead, rules)
        lines = []
        if self.seat is None:
            lines.append(f"{self.does('spread')}. Melds: {style.melds(melds)}.")
        elif not self.brief:
            lines.append(f"{self.does('show')} {style.shown(melds, count if dead else '')}.")
        knock = None if self.event.before.hand is None else self.event.before.hand.knock
        if message.layoffs and knock is not None:
            layoffs = [(CARDS[layoff.card], layoff.meld) for layoff in message.layoffs]
            lines.append(f"{self.does('lay')} off {style.layoffs(layoffs, knock.melds)}.")
        if self.seat is None:
            lines.append(f"{capital(self._deadwood(dead))}.")
        return lines

    def _deadwood(self, dead: CardSet) -> str:
        told = self.style.deadwood(dead, self.rules)
        if self.style.words:  # the count comes first
            return f"deadwood {told}" if dead else "no deadwood"
        return f"deadwood: {told}"

    def _settle(self) -> list[str]:
        match = self.event.after.match
        if self.event.before.match is None or match is None or self.event.author != 0:
            return []  # both sign the same account; show it once
        if self.seat is not None:
            return short_account(match, self.names)
        # The resignation was already shown with its own entry.
        return account(match, self.names)[match.resigned is not None :]


def nearly_full_line(hands_left: int) -> str:
    return (
        "The log of this match is nearly full. There is room for about "
        f"{plural(hands_left, 'more hand', 'more hands')}; then the match stops."
    )


# --- pauses, and moves taken back in practice --------------------------------------------

YOU_ASKED_TO_PAUSE = (
    "You asked for a pause. The game continues until your opponent agrees. To withdraw your "
    "request, type no."
)


def asks_to_pause(name: str) -> str:
    return (
        f"{at_start(name)} asks to pause and continue the match another time. To agree, type "
        "pause; until then, the game continues."
    )


UNDO_AT_A_TERMINAL = "You can take back moves only at a terminal."
UNDO_IN_PRACTICE = "You can take back moves only in a practice match."
NOTHING_TO_UNDO = "There is nothing to take back yet."
TOO_LATE = "The match is over, so you can't take back moves any more."


def taken_back(move: m.Message, table: Table, style: Style) -> str:
    """Say which move our player takes back. *table*: the table before that move."""
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
