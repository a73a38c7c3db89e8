"""What happened in a match, told from its entries: in English, and as lines for programs.

Both forms come from an ``Admitted`` event alone (the message and the tables before and after it),
so that playing and replaying say the same.

The lines for programs
----------------------
Where stdin or stdout is no terminal, and for ``replay --events``, each event is one line of
printable ASCII (Unicode is escaped): ``event``, a kind, then ``key=value`` words separated by
single spaces, always in the order given here. A value is a bare word without spaces or quotes, or
a JSON string in double quotes (names and every free text). Seats are ``host`` and ``guest``, cards
are rank and suit, ``7d``, ``Td``; a set of cards is written together, ``3c4c5c``; melds and
lay-offs are separated by commas; an empty set is ``none``. Later versions may add kinds, and keys
at the end of a line; readers skip what they do not know.

From the log, the same for both players and for any reader::

    event offer seat=host name="Ann" rules="standard" disclosure=after-match
    event accept seat=guest name="Bob"
    event cut host=7d guest=Kc dealer=host
    event shuffle hand=1 dealer=host                 the deal begins
    event deal hand=1 dealer=host upcard=5h stock=31 first=guest knock-card=none limit=10 doubled=no
                                                     upcard=none where a card of the second deck,
                                                     knock-card, sets the limit; first: who is to
                                                     move; limit: of this turn, where each upcard
                                                     sets it, else of the hand
    event pass seat=guest
    event take seat=guest card=5h
    event draw seat=guest stock=30                   which card it is, only the player learns
    event discard seat=guest card=7d
    event knock seat=guest kind=knock discard=7d melds=3c4c5c,7c7h7s deadwood=2d count=2
                                                     kind: knock, gin, big-gin (discard=none)
    event spread seat=host melds=none layoffs=6c@0 deadwood=9dKs count=19
    event result hand=1 kind=knock winner=guest points=17 host=0 guest=17 other=0 doubled=no game=1
    columns=0:17 ends=hand
                                                     (one line.) kind: knock, gin, big-gin,
                                                     undercut, tie, mahjong, void; host, guest:
                                                     points from hands so far in this game; other:
                                                     the points of who has not won, below 0 as -5;
                                                     columns: host and guest in each column;
                                                     ends: hand, game, match
    event resign seat=guest
    event settle seat=host winner=guest host=25 guest=342 hands=6 games=0:1 pays=none payment=0
                                                     winner, pays: none if nobody; games: won by
                                                     host and guest; payment: what the stake
                                                     comes to
    event disclose seat=host hands=6                 hand seeds, for the audit
    event first-dealer dealer=guest                  in the place of a cut, where the rules say it
    event last-chance seat=host card=7d              behind the last discard: it can be taken to
                                                     end the hand
    event take-several seat=guest count=3 cards=9dKc8s   Mahjong gin: from the top of the pile down;
                                                     what is laid at once is in the next line
    event lay seat=guest melds=3c4c5c adds=6c@0 left=5   Mahjong gin: @ counts the melds on the
                                                     table from 0; left: cards still in the hand,
                                                     and 0 is gin
    event last-card seat=guest card=7d               Mahjong gin: behind a discard of the last card,
                                                     which is gin, too

From the table alone, never from a log (cli.table_voice writes these)::

    event listening addresses="127.0.0.1:4466" fingerprint=...   after the line "invite: ..."
    event joining addresses="..." fingerprint=...    the host's key, which the invite names
    event connected fingerprint=... address="..." known-as="Bob"   or known-as=none
    event drawn card=9c                              our own draw
    event hand cards=... melds=... deadwood=... count=12   count: of the deadwood; in Mahjong gin
                                                     of all cards
    event can-knock discard=9c count=7               count=0 is gin; discard=none is big gin
    event choose what=draw upcard=7d stock=30 limit=10   what: upcard, draw, discard, spread,
                                                     last-chance; again after every line that was
                                                     no move; limit: the most deadwood that knocks
    event arrangement number=1 melds=... deadwood=... adds=none   several ways to knock differ in
                                                     what can be laid off, or there are several
                                                     ways to lay cards; answer with the number
    event waiting seat=guest what=discard            once for each wait
    event refused code=card-not-held text="..."      what was typed has not happened
    event confirm what=quit text="..."               answer yes or no; what: quit, resign, or
                                                     accept: a match is offered to us, and nothing
                                                     is signed before yes; asked again after every
                                                     line that was no answer
    event can-lay melds=3c4c5c adds=6c@0,8d@2        Mahjong gin: melds of the hand that can be laid
                                                     together, and single cards that fit
    event can-take count=3 melds=8s9sTs adds=none    Mahjong gin: one way to take several cards
    event info text="..."                            an answer to help, table, score, rules or
                                                     log
    event chat seat=guest text="..."
    event resumed hand=3 entries=140 host=25 guest=10 upcard=7d next=guest awaits=draw
                                                     a stored match goes on; points of its game;
                                                     next: who owes the next entry; awaits: what
                                                     this player decides, as for choose, or none
    event pause seat=guest what=asked                what: asked, declined, withdrawn. Answer what
                                                     the other side asked with yes or no, now or
                                                     later or never; pause asks, no takes it back
    event paused hand=3 entries=140 ...              both agreed; keys as for resumed; then end with
                                                     code=paused and status=0
    event away text="..."                            the connection is lost, and the other side
                                                     waited for; then connected again, or end
    event still-away minutes=2                       now and then, while it lasts
    event still-waiting seat=guest minutes=10        the same where the other side is there, and
                                                     owes the next entry
    event end code=finished text="..." status=0 log="..." resume=none
                                                     the last line; status is the exit status,
                                                     resume the match's name if it can go on
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from cli.account import account
from cli.board import opening_line, stock_text
from cli.scoresheet import score_line
from cli.text import (
    Style,
    disclosure_word,
    display_names,
    does,
    inside,
    laid_out,
    plural,
    result_text,
    safe,
    seen_by,
    verb,
)
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Awaiting
from ginpeer.rules.cards import CARDS, Card, CardSet, mask_of, set_text
from ginpeer.rules.hand import Phase
from ginpeer.rules.melds import melding
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import HandResult, mahjong_value
from protocol import messages as m

SEAT_WORDS = ("host", "guest")

# --- in English ---------------------------------------------------------------------


def narrate(
    event: Admitted, style: Style, seat: int | None = None, drawn: Card | None = None
) -> list[str]:
    """What this entry means to a reader, in whole sentences; often nothing.

    With *seat* it is told to that player ("You discard"), else by names. *drawn* is the card that
    a share gave to its taker, where the reader may know it; it is told at the share, and the own
    draw from the stock is left to that line. Hands, scores and prompts are not told here.
    """
    return _Narrator(event, style, seat, drawn).lines()


class _Narrator:
    """One entry, and the eyes it is told for."""

    def __init__(self, event: Admitted, style: Style, seat: int | None, drawn: Card | None) -> None:
        self.event = event
        self.style = style
        self.seat = seat
        self.drawn = drawn
        self.names = seen_by(display_names(event.after.names), seat)
        self.author = self.names[event.author]

    def lines(self) -> list[str]:
        tell = _TELLERS.get(type(self.event.message))
        lines = [] if tell is None else tell(self, self.event.message)
        result, match = result_of(self.event), self.event.after.match
        if result is None or match is None:
            return lines
        standing = [] if match.finished else [score_line(match, self.names)]
        return [*lines, result_text(result, self.names), *standing]

    def does(self, base: str) -> str:
        return does(self.author, base)

    def verb(self, base: str) -> str:
        return verb(self.author, base)

    def offer(self, message: m.Offer) -> list[str]:
        return [f"{self.does('offer')} a match of gin rummy; the rules: {safe(message.rules)}."]

    def accept(self, message: m.Accept) -> list[str]:
        lines = [f"{self.does('accept')} the match."]
        match = self.event.after.match
        if match is not None:  # no cut: the rules say who begins
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
        return [f"{self.does('take')} {self._upcard()}, {self.style.the(taken_card(self.event))}."]

    def _upcard(self) -> str:
        before = self.event.before.hand
        last = before is not None and before.phase is Phase.LAST_CHANCE
        return "the last discard" if last else "the upcard"

    def draw(self, message: m.DrawStock) -> list[str]:
        if self.event.author == self.seat:
            return []
        return [f"{self.does('draw')} from the stock; {left_in_stock(self.event)}."]

    def share(self, message: m.Share) -> list[str]:
        if self.drawn is None:
            return []
        taker = self.names[1 - self.event.author]
        return [f"{does(taker, 'draw')} {self.style.the(self.drawn)} from the stock."]

    def discard(self, message: m.Discard) -> list[str]:
        thrown = f"{self.does('discard')} {self.style.the(CARDS[message.card])}"
        after = self.event.after.hand
        if after is not None and after.phase is Phase.LAST_CHANCE:
            other = inside(self.names[after.to_move])
            ends = "knock or go gin" if after.knock_limit else "go gin"
            return [
                f"{thrown}.",
                f"{stock_text(after)}: {other} may take this card to {ends}, or pass.",
            ]
        if after is not None and after.phase is Phase.LAY_OFF:
            return [f"{thrown}, the last card, and {self.verb('go')} gin."]
        return [f"{thrown}."]

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
            return [
                f"{self.does('go')} big gin: all eleven cards are melded.",
                f"Melds: {self._melds(message)}.",
            ]
        thrown = self.style.the(CARDS[message.discard])
        if not dead:
            return [
                f"{self.does('discard')} {thrown} and {self.verb('go')} gin.",
                f"Melds: {self._melds(message)}.",
            ]
        return [
            f"{self.does('discard')} {thrown} and {self.verb('knock')} with {self._count(dead)}.",
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
            shown = self.style.dearest(left, self.rules)
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
            return []  # both sign the same account; it is told once
        return account(match, self.names)

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


def left_in_stock(event: Admitted) -> str:
    """ "27 cards are left in it", for a sentence about the stock."""
    left = 0 if event.after.hand is None else event.after.hand.stock_left
    return f"{plural(left, 'card')} {'is' if left == 1 else 'are'} left in it"


def taken_card(event: Admitted) -> Card:
    """The card that a TakeUpcard took."""
    hand = event.before.hand
    if hand is None or hand.upcard is None:
        raise ValueError("an upcard is taken only where one lies")
    return hand.upcard


def taken_cards(event: Admitted, message: m.TakeDiscards) -> tuple[Card, ...]:
    """The cards that a TakeDiscards took, from the top of the pile down."""
    hand = event.before.hand
    if hand is None:
        raise ValueError("cards are taken only in a hand")
    return hand.pile[: -message.count - 1 : -1]


def rules_of(event: Admitted) -> RuleSet:
    """The rules of the match that this entry belongs to."""
    match = event.after.match
    if match is None:
        raise ValueError("the match has not begun")
    return match.rules


def deadwood_of(message: m.Knock | m.Spread) -> CardSet:
    """What is left of the shown cards without melds, discard and lay-offs."""
    used = [card for meld in message.melds for card in meld]
    if isinstance(message, m.Spread):
        used += [layoff.card for layoff in message.layoffs]
    elif message.discard is not None:
        used.append(message.discard)
    return mask_of(set(message.cards) - set(used))


def result_of(event: Admitted) -> HandResult | None:
    """The result of the hand that this entry ended; None for every other entry."""
    before, after = event.before.match, event.after.match
    if before is None or after is None or len(after.results) == len(before.results):
        return None
    return after.results[-1]


# --- for programs -------------------------------------------------------------------


def event_line(kind: str, /, **fields: str | int) -> str:
    """One line for programs. Text that is no bare word is written as a JSON string."""
    return " ".join(["event", kind, *(f"{_key(k)}={_value(v)}" for k, v in fields.items())])


def quoted(text: str) -> str:
    """Free text as a JSON string, cleaned, whatever it holds."""
    return json.dumps(safe(text, limit=4_000))


def _key(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _value(value: str | int) -> str:
    return str(value)


def event_lines(event: Admitted) -> list[str]:
    """The lines of one entry: none for those that say nothing new to a reader, two for the one
    that ends a hand."""
    tell = _LINES.get(type(event.message))
    lines = [] if tell is None else [tell(event, event.message)]
    lines += _more_lines(event)
    result, match = result_of(event), event.after.match
    if result is None or match is None:
        return lines
    game = match.played_game
    host, guest = game.scores
    return [
        *lines,
        event_line(
            "result",
            hand=event.before.hand_number,
            kind=result.kind.value.replace(" ", "-"),
            winner=_seat_or_none(result.winner),
            points=result.points,
            host=host,
            guest=guest,
            other=result.other_points,
            doubled="yes" if result.doubled else "no",
            game=game.number,
            columns=",".join(_pair(column.points) for column in game.columns),
            ends="match" if match.finished else "game" if game.over else "hand",
        ),
    ]


def _more_lines(event: Admitted) -> list[str]:
    """What some entries bring about besides."""
    message, match, hand = event.message, event.after.match, event.after.hand
    if isinstance(message, m.Accept) and match is not None:
        return [event_line("first-dealer", dealer=SEAT_WORDS[match.dealer])]
    if isinstance(message, m.TakeDiscards):
        return [_lay_line(event, message.lay)]
    if isinstance(message, m.Discard) and hand is not None:
        if hand.phase is Phase.LAST_CHANCE:
            seat, card = SEAT_WORDS[hand.to_move], str(CARDS[message.card])
            return [event_line("last-chance", seat=seat, card=card)]
        if hand.phase is Phase.LAY_OFF:
            card = str(CARDS[message.card])
            return [event_line("last-card", seat=_author(event), card=card)]
    return []


def _seat_or_none(seat: int | None) -> str:
    return "none" if seat is None else SEAT_WORDS[seat]


def _pair(numbers: tuple[int, int]) -> str:
    """Host's and guest's number as one word: "40:15"."""
    return f"{numbers[0]}:{numbers[1]}"


def hand_line(cards: CardSet, rules: RuleSet, seat: int | None = None) -> str:
    """A hand that the reader may see; of which seat, is said where there are two."""
    melds, loose, counting = laid_out(cards, rules)
    whose = {} if seat is None else {"seat": SEAT_WORDS[seat]}
    return event_line(
        "hand",
        cards=set_word(cards),
        melds=melds_word(melds),
        deadwood=set_word(loose),
        count=counting,
        **whose,
    )


def card_word(card: Card | None) -> str:
    """A card as one word, "none" where there is none."""
    return "none" if card is None else str(card)


def set_word(cards: CardSet) -> str:
    """A set of cards as one word, "none" if it is empty."""
    return set_text(cards) or "none"


def melds_word(melds: tuple[CardSet, ...]) -> str:
    """Melds as one word, "none" without any."""
    return ",".join(map(set_text, melds)) or "none"


def adds_word(adds: tuple[tuple[Card, int], ...]) -> str:
    """Cards that go on melds as one word, "6c@0,8d@2", "none" without any."""
    return ",".join(f"{card}@{meld}" for card, meld in adds) or "none"


def _author(event: Admitted) -> str:
    return SEAT_WORDS[event.author]


def _offer_line(event: Admitted, message: m.Offer) -> str:
    rules = quoted(message.rules)
    return event_line(
        "offer",
        seat=_author(event),
        name=quoted(message.name),
        rules=rules,
        disclosure=disclosure_word(message.disclosure),
    )


def _accept_line(event: Admitted, message: m.Accept) -> str:
    return event_line("accept", seat=_author(event), name=quoted(message.name))


def _cut_line(event: Admitted, message: m.CutReveal) -> str:
    table = event.after
    if table.cut_cards is None or table.match is None:
        raise ValueError("the opening of the cut turns two cards")
    host, guest = table.cut_cards
    dealer = SEAT_WORDS[table.match.dealer]
    return event_line("cut", host=str(host), guest=str(guest), dealer=dealer)


def _shuffle_line(event: Admitted, message: m.DealCommit) -> str:
    return event_line("shuffle", hand=event.after.hand_number, dealer=_author(event))


def _deal_line(event: Admitted, message: m.DealShares) -> str:
    hand = event.after.hand
    if hand is None:
        raise ValueError("the last shares of a deal begin a hand")
    return event_line(
        "deal",
        hand=event.after.hand_number,
        dealer=SEAT_WORDS[hand.dealer],
        upcard=card_word(hand.upcard),
        stock=hand.stock_left,
        first=SEAT_WORDS[hand.to_move],
        knock_card=card_word(hand.knock_card),
        limit=hand.knock_limit,
        doubled="yes" if hand.counts_double else "no",
    )


def _pass_line(event: Admitted, message: m.Pass) -> str:
    return event_line("pass", seat=_author(event))


def _take_line(event: Admitted, message: m.TakeUpcard) -> str:
    return event_line("take", seat=_author(event), card=str(taken_card(event)))


def _draw_line(event: Admitted, message: m.DrawStock) -> str:
    left = 0 if event.after.hand is None else event.after.hand.stock_left
    return event_line("draw", seat=_author(event), stock=left)


def _discard_line(event: Admitted, message: m.Discard) -> str:
    return event_line("discard", seat=_author(event), card=str(CARDS[message.card]))


def _knock_line(event: Admitted, message: m.Knock) -> str:
    dead = deadwood_of(message)
    kind = "big-gin" if message.discard is None else "knock" if dead else "gin"
    return event_line(
        "knock",
        seat=_author(event),
        kind=kind,
        discard="none" if message.discard is None else str(CARDS[message.discard]),
        melds=melds_word(tuple(mask_of(meld) for meld in message.melds)),
        deadwood=set_word(dead),
        count=melding(rules_of(event)).pips(dead),
    )


def _take_several_line(event: Admitted, message: m.TakeDiscards) -> str:
    cards = "".join(map(str, taken_cards(event, message)))
    return event_line("take-several", seat=_author(event), count=message.count, cards=cards)


def _lay_line(event: Admitted, message: m.Lay) -> str:
    hand = event.after.hand
    if hand is None:
        raise ValueError("cards are laid only in a hand")
    return event_line(
        "lay",
        seat=_author(event),
        melds=melds_word(tuple(mask_of(meld) for meld in message.melds)),
        adds=adds_word(tuple((CARDS[add.card], add.meld) for add in message.adds)),
        left=hand.size(event.author),
    )


def _spread_line(event: Admitted, message: m.Spread) -> str:
    dead, rules = deadwood_of(message), rules_of(event)
    return event_line(
        "spread",
        seat=_author(event),
        melds=melds_word(tuple(mask_of(meld) for meld in message.melds)),
        layoffs=adds_word(tuple((CARDS[laid.card], laid.meld) for laid in message.layoffs)),
        deadwood=set_word(dead),
        count=mahjong_value(dead) if rules.mahjong else melding(rules).pips(dead),
    )


def _resign_line(event: Admitted, message: m.Resign) -> str:
    return event_line("resign", seat=_author(event))


def _settle_line(event: Admitted, message: m.Settle) -> str:
    match = event.after.match
    if match is None:
        raise ValueError("only a match is settled")
    settlement = match.settlement()
    return event_line(
        "settle",
        seat=_author(event),
        winner=_seat_or_none(settlement.winner),
        host=message.host_total,
        guest=message.guest_total,
        hands=message.hands,
        games=_pair(match.games_won),
        pays=_seat_or_none(settlement.debtor),
        payment=settlement.payment,
    )


def _disclose_line(event: Admitted, message: m.Disclose) -> str:
    return event_line("disclose", seat=_author(event), hands=len(message.seeds))


_LINES: dict[type[m.Message], Callable[[Admitted, Any], str]] = {
    m.Offer: _offer_line,
    m.Accept: _accept_line,
    m.CutReveal: _cut_line,
    m.DealCommit: _shuffle_line,
    m.DealShares: _deal_line,
    m.Pass: _pass_line,
    m.TakeUpcard: _take_line,
    m.DrawStock: _draw_line,
    m.Discard: _discard_line,
    m.Knock: _knock_line,
    m.Spread: _spread_line,
    m.Lay: _lay_line,
    m.TakeDiscards: _take_several_line,
    m.Resign: _resign_line,
    m.Settle: _settle_line,
    m.Disclose: _disclose_line,
}

AWAITED_WORDS = {
    Awaiting.ACCEPT: "accept",
    Awaiting.UPCARD: "upcard",
    Awaiting.DRAW: "draw",
    Awaiting.DISCARD: "discard",
    Awaiting.LAST_CHANCE: "last-chance",
    Awaiting.SPREAD: "spread",
}
"""What a player decides, as the lines for programs call them."""
