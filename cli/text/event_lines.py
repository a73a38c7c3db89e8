"""The lines for programs: what happened in a match, one event per line, and what each line means.

If stdin or stdout isn't a terminal, and for `replay --events`, each event is one line of printable
ASCII (Unicode is escaped): `event`, a kind, then `key=value` words separated by single spaces,
always in the order given here. A value is a bare word without spaces or quotes, or a JSON string in
double quotes (names and all free text). Seats are `host` and `guest`; a card is its rank and suit,
`7d` or `Td`; a set of cards is written without spaces, `3c4c5c`; melds and lay-offs are separated
by commas; an empty set is `none`. Later versions may add kinds, and keys at the end of a line;
readers skip kinds and keys that they don't know.

From the log, the same for both players and for any reader::

    event offer seat=host name="Ann" rules="standard" disclosure=after-match
    event accept seat=guest name="Bob"
    event cut host=7d guest=Kc dealer=host
    event first-dealer dealer=guest     instead of a cut, if the rules name the dealer
    event shuffle hand=1 dealer=host    the deal begins
    event deal hand=1 dealer=host upcard=5h stock=31 first=guest knock-card=none limit=10 doubled=no
        upcard=none if a card of the second deck, the knock-card, sets the limit; first: whose turn
        it is; limit: the limit of this turn if each upcard sets it, otherwise of the hand
    event pass seat=guest
    event take seat=guest card=5h
    event draw seat=guest stock=30      only the player learns which card it is
    event discard seat=guest card=7d
    event last-chance seat=host card=7d
        after the last discard, which can be taken to end the hand
    event knock seat=guest kind=knock discard=7d melds=3c4c5c,7c7h7s deadwood=2d count=2
        kind: knock, gin, big-gin (discard=none)
    event spread seat=host melds=none layoffs=6c@0 deadwood=9dKs count=19
    event result hand=1 kind=knock winner=guest points=17 host=0 guest=17 other=0 doubled=no game=1
    columns=0:17 ends=hand
        all in one line; kind: knock, gin, big-gin, undercut, tie, mahjong, void; host, guest:
        points from hands so far in this game; other: the points of the player who has not won,
        which can be negative: -5; columns: host and guest in each column; ends: hand, game, match
    event resign seat=guest
    event settle seat=host winner=guest host=25 guest=342 hands=6 games=0:1 pays=none payment=0
        winner, pays: none for nobody; games: how many host and guest have won; payment: what the
        stake comes to
    event disclose seat=host hands=6    hand seeds, for the audit

The same in Mahjong gin::

    event take-several seat=guest count=3 cards=9dKc8s
        from the top of the pile down; what is laid at once is in the next line
    event lay seat=guest melds=3c4c5c adds=6c@0 left=5
        @ counts the melds on the table from 0; left: cards still in the hand, and 0 is gin
    event last-card seat=guest card=7d
        after the discard of the last card, which is gin, too

From the table alone, never from a log (cli.table.presenter writes these)::

    event listening addresses="127.0.0.1:4466" reach=loopback fingerprint=...
        after the line "invite: ..."; reach says for each address, in the same order, who can reach
        it: given (the player named the address), outside, closed (from outside, if both dial),
        home, ipv6, vpn, link, container, loopback, onion
    event joining addresses="..." fingerprint=...       the host's key, which the invite names
    event unreached text="..."
        after the line "reply: ...", which a waiting host accepts as an input line; text: why the
        guest needs it, or empty if this reply replaces the last one
    event dialling addresses="..." fingerprint=...    the host has accepted a reply; the guest's key
    event connected fingerprint=... address="..." known-as="Bob" bot=no
        or known-as=none; bot=yes: the other program says that a bot is playing; older programs
        don't say so
    event drawn card=9c         our own draw; repeated if a match resumes before the discard
    event hand cards=... melds=... deadwood=... count=12
        count: the value of the deadwood; in Mahjong gin, of all cards
    event can-knock discard=9c count=7      count=0 is gin; discard=none is big gin
    event choose what=draw upcard=7d stock=30 limit=10
        what: upcard, draw, discard, spread, last-chance; repeated after every line that isn't a
        move; limit: the most deadwood with which our player may knock
    event arrangement number=1 melds=... deadwood=... adds=none
        one of several ways to knock that differ in what can be laid off, with the least deadwood
        first; or one of several ways to lay cards; answer with the number
    event waiting seat=guest what=discard               once for each wait
    event refused code=card-not-held text="..."         the typed line has had no effect
    event confirm what=quit text="..."
        answer yes or no; what: quit, resign, propose, or accept: a match is offered, and nothing is
        signed before yes; asked again after every line that isn't an answer
    event can-lay melds=3c4c5c adds=6c@0,8d@2
        Mahjong gin: melds of the hand that can be laid together, and cards that fit
    event can-take count=3 melds=8s9sTs adds=none
        Mahjong gin: one way to take several cards
    event info text="..."       an answer to help, table, score, rules or log
    event chat seat=guest text="..."
    event resumed hand=3 entries=140 host=25 guest=10 upcard=7d next=guest awaits=draw
        a stored match continues; host, guest: points in its current game; next: who owes the next
        entry; awaits: what that player decides, as in choose, or none
    event pause seat=guest what=asked
        what: asked, declined, withdrawn. The line yes or no answers the other side's request at any
        time; the line pause makes a request of our own, and no withdraws it
    event paused hand=3 entries=140 ...
        both agreed; keys as in resumed; then end with code=paused and status=0
    event aside match=3f2a1b by=host text="..."
        the match that was just agreed replaces an unfinished one with the same player, which is
        kept under this name. A person is asked first. A program isn't, but a guest's program gets
        an info line before it is asked to accept
    event away text="..."
        the connection is lost, and we wait for the other side; then connected again, or end
    event still-away minutes=2  now and then, while we wait
    event still-waiting seat=guest minutes=10
        now and then, while the other side is connected and owes the next entry
    event end code=finished text="..." status=0 log="..." resume=none
        the last line; status is the exit status, resume is the match's name if it can continue
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from ginpeer.names import safe
from ginpeer.referee.referee import Admitted, result_of, rules_of, taken_card, taken_cards
from ginpeer.referee.table import ROLES, Awaiting, deadwood_of
from ginpeer.rules.card_order import laid_out
from ginpeer.rules.cards import CARDS, Card, CardSet, mask_of, set_text
from ginpeer.rules.hand import Phase
from ginpeer.rules.match import Match
from ginpeer.rules.melds import melding
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import mahjong_value
from protocol import messages as m


def quoted(text: str) -> str:
    """Return free text as a JSON string, without characters that could control a terminal."""
    return json.dumps(safe(text, limit=4_000))


def event_lines(event: Admitted) -> list[str]:
    """Return the lines for one entry, often none. If it ends a hand, the result comes last."""
    lines = _entry_lines(event)
    result, match = result_of(event), event.after.match
    if result is None or match is None:
        return lines
    game = match.played_game
    host, guest = game.scores
    columns = ",".join(_pair(column.points) for column in game.columns)
    ends = "match" if match.finished else "game" if game.over else "hand"
    return [
        *lines,
        f"event result hand={event.before.hand_number} kind={result.kind.value.replace(' ', '-')} "
        f"winner={_seat_or_none(result.winner)} points={result.points} host={host} guest={guest} "
        f"other={result.other_points} doubled={yes_no(result.doubled)} game={game.number} "
        f"columns={columns} ends={ends}",
    ]


def _entry_lines(event: Admitted) -> list[str]:
    seat, table = ROLES[event.author], event.after
    match, hand = table.match, table.hand
    match event.message:
        case m.Offer() as offer:
            return [
                f"event offer seat={seat} name={quoted(offer.name)} rules={quoted(offer.rules)} "
                f"disclosure={offer.disclosure.word}"
            ]
        case m.Accept(name=name):
            lines = [f"event accept seat={seat} name={quoted(name)}"]
            if match is not None:  # no cut: the rules determine the first dealer
                lines.append(f"event first-dealer dealer={ROLES[match.dealer]}")
            return lines
        case m.CutReveal() if table.cut_cards is not None and match is not None:
            host, guest = table.cut_cards
            return [f"event cut host={host} guest={guest} dealer={ROLES[match.dealer]}"]
        case m.DealCommit():
            return [f"event shuffle hand={table.hand_number} dealer={seat}"]
        case m.DealShares() if hand is not None:
            return [
                f"event deal hand={table.hand_number} dealer={ROLES[hand.dealer]} "
                f"upcard={card_word(hand.upcard)} stock={hand.stock_left} "
                f"first={ROLES[hand.to_move]} knock-card={card_word(hand.knock_card)} "
                f"limit={hand.knock_limit} doubled={yes_no(hand.counts_double)}"
            ]
        case m.Pass():
            return [f"event pass seat={seat}"]
        case m.TakeUpcard():
            return [f"event take seat={seat} card={taken_card(event)}"]
        case m.TakeDiscards() as take:
            cards = "".join(map(str, taken_cards(event, take)))
            taken = f"event take-several seat={seat} count={take.count} cards={cards}"
            return [taken, _lay_line(event, take.lay)]
        case m.DrawStock() if hand is not None:
            return [f"event draw seat={seat} stock={hand.stock_left}"]
        case m.Lay() as lay:
            return [_lay_line(event, lay)]
        case m.Discard(card=number):
            card = CARDS[number]
            lines = [f"event discard seat={seat} card={card}"]
            if hand is not None and hand.phase is Phase.LAST_CHANCE:
                lines.append(f"event last-chance seat={ROLES[hand.to_move]} card={card}")
            elif hand is not None and hand.phase is Phase.LAY_OFF:
                lines.append(f"event last-card seat={seat} card={card}")
            return lines
        case m.Knock() as knock:
            return [_knock_line(event, knock)]
        case m.Spread() as spread:
            return [_spread_line(event, spread)]
        case m.Resign():
            return [f"event resign seat={seat}"]
        case m.Settle() as settle if match is not None:
            return [_settle_line(match, seat, settle)]
        case m.Disclose(seeds=seeds):
            return [f"event disclose seat={seat} hands={len(seeds)}"]
    return []


def _lay_line(event: Admitted, message: m.Lay) -> str:
    hand = event.after.hand
    adds = adds_word(tuple((CARDS[add.card], add.meld) for add in message.adds))
    left = 0 if hand is None else hand.size(event.author)
    return f"event lay seat={ROLES[event.author]} {_melds(message)} adds={adds} left={left}"


def _knock_line(event: Admitted, message: m.Knock) -> str:
    dead = deadwood_of(message)
    kind = "big-gin" if message.discard is None else "knock" if dead else "gin"
    discard = card_word(None if message.discard is None else CARDS[message.discard])
    return (
        f"event knock seat={ROLES[event.author]} kind={kind} discard={discard} {_melds(message)} "
        f"deadwood={set_word(dead)} count={melding(rules_of(event)).pips(dead)}"
    )


def _spread_line(event: Admitted, message: m.Spread) -> str:
    dead, rules = deadwood_of(message), rules_of(event)
    layoffs = adds_word(tuple((CARDS[laid.card], laid.meld) for laid in message.layoffs))
    count = mahjong_value(dead) if rules.mahjong else melding(rules).pips(dead)
    return (
        f"event spread seat={ROLES[event.author]} {_melds(message)} layoffs={layoffs} "
        f"deadwood={set_word(dead)} count={count}"
    )


def _settle_line(match: Match, seat: str, message: m.Settle) -> str:
    settlement = match.settlement()
    return (
        f"event settle seat={seat} winner={_seat_or_none(settlement.winner)} "
        f"host={message.host_total} guest={message.guest_total} hands={message.hands} "
        f"games={_pair(match.games_won)} pays={_seat_or_none(settlement.debtor)} "
        f"payment={settlement.payment}"
    )


def hand_line(cards: CardSet, rules: RuleSet, seat: int | None = None) -> str:
    """Return the line for a visible hand. *seat*: whose hand; None for the reader's own."""
    melds, loose, counting = laid_out(cards, rules)
    whose = "" if seat is None else f" seat={ROLES[seat]}"
    return (
        f"event hand cards={set_word(cards)} melds={melds_word(melds)} deadwood={set_word(loose)} "
        f"count={counting}{whose}"
    )


# --- words -------------------------------------------------------------------------------


def card_word(card: Card | None) -> str:
    return "none" if card is None else str(card)


def set_word(cards: CardSet) -> str:
    return set_text(cards) or "none"


def melds_word(melds: Iterable[CardSet]) -> str:
    return ",".join(map(set_text, melds)) or "none"


def adds_word(adds: tuple[tuple[Card, int], ...]) -> str:
    return ",".join(f"{card}@{meld}" for card, meld in adds) or "none"


def _melds(message: m.Knock | m.Spread | m.Lay) -> str:
    return f"melds={melds_word(map(mask_of, message.melds))}"


def _seat_or_none(seat: int | None) -> str:
    return "none" if seat is None else ROLES[seat]


def _pair(numbers: tuple[int, int]) -> str:
    return f"{numbers[0]}:{numbers[1]}"


def yes_no(condition: bool) -> str:
    return "yes" if condition else "no"


AWAITED_WORDS = {
    Awaiting.ACCEPT: "accept",
    Awaiting.UPCARD: "upcard",
    Awaiting.DRAW: "draw",
    Awaiting.DISCARD: "discard",
    Awaiting.LAST_CHANCE: "last-chance",
    Awaiting.SPREAD: "spread",
}
"""What the lines for programs call each decision that a player may owe."""
