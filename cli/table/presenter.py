"""What a program reads at the table: event lines.

The table (cli/table/table.py) decides what to say and when; a Presenter decides how. The table
calls PersonPresenter (cli/table/person_presenter.py), which describes the methods, and
ProgramPresenter in the same way, with the same news in the same order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from cli.table.person_presenter import PersonPresenter
from cli.table.possible_moves import knock_options, layable, take_counts, takes_of
from cli.terminal.console import Console
from cli.text.cards import Sort, Style
from cli.text.event_lines import (
    AWAITED_WORDS,
    adds_word,
    card_word,
    event_lines,
    hand_line,
    melds_word,
    quoted,
    set_word,
    yes_no,
)
from cli.text.series import offer_lines
from ginpeer.names import display_name
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.own_addresses import ReachableAddress
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import HOST, ROLES, Table
from ginpeer.rules.cards import Card
from ginpeer.rules.hand import Phase
from ginpeer.rules.match import View
from ginpeer.rules.moves import Knock, Lay, Move, TakeDiscards
from protocol import messages as m
from protocol.frames import Pause


class ProgramPresenter:
    """Prints the lines that cli.text.event_lines documents. No setting changes them."""

    style = Style()
    sort = Sort.MELDS
    brief = shows_hand = False

    def __init__(self, console: Console) -> None:
        self._console = console

    def _tell(self, event: str) -> None:
        self._console.print(f"event {event}")

    def shows_hand_in(self, view: View) -> bool:
        return False

    def begin_waiting(
        self,
        addresses: Sequence[ReachableAddress],
        key: str,
        *,
        port: int | None,
        friend: str | None = None,
    ) -> None:
        listed = ", ".join(str(each.address) for each in addresses)
        reach = ",".join(each.reach.value for each in addresses)
        self._tell(f"listening addresses={quoted(listed)} reach={reach} fingerprint={key}")

    def await_guest(
        self,
        waiting: str,
        otherwise: str,
        invite: str,
        addresses: Sequence[ReachableAddress],
        key: str,
    ) -> None:
        self._console.print(invite, whole=True)
        self.begin_waiting(addresses, key, port=None)

    def begin_joining(self, addresses: str, key: str, host: bytes | None) -> None:
        self._tell(f"joining addresses={quoted(addresses)} fingerprint={key}")

    def show_reply(self, why: str, reply: str, then: str = "") -> None:
        self._console.print(f"reply: {reply}")
        self._tell(f"unreached text={quoted(why)}")

    def show_dialling(self, addresses: str, key: str) -> None:
        self._tell(f"dialling addresses={quoted(addresses)} fingerprint={key}")

    def connected(self, peer: PeerInfo, *, back: str | None = None) -> None:
        known = "none" if peer.known_as is None else quoted(peer.known_as)
        self._tell(
            f"connected fingerprint={peer.fingerprint} address={quoted(peer.address)} "
            f"known-as={known} bot={yes_no(peer.bot)}"
        )

    def show_event(
        self, event: Admitted, seat: int, drawn: Card | None, deadwood: int | None = None
    ) -> None:
        self._console.print(*event_lines(event))
        if drawn is not None:
            self.show_drawn_card(drawn)

    def ask_consent(self, name: str, offer: m.Offer) -> None:
        rules = f"{display_name(name)} offers a match (rules: {offer.rules})."
        self.confirm("accept", " ".join((rules, *offer_lines(offer))))

    def show_shelved(self, match: str, sentence: str) -> None:
        self._tell(f"aside match={match} by={ROLES[HOST]} text={quoted(sentence)}")

    def hand(self, view: View, order: Sequence[Card] = ()) -> None:
        self._console.print(hand_line(view.known, view.hand.rules))

    def show_resumed_match(self, table: Table, own: int | None) -> None:
        self._tell(f"resumed {_standing(table)}")

    def show_drawn_card(self, card: Card) -> None:
        self._tell(f"drawn card={card}")

    def show_paused_match(self, table: Table, own: int | None) -> None:
        self._tell(f"paused {_standing(table)}")

    def pause(self, word: Pause, seat: int, name: str) -> None:
        self._tell(f"pause seat={ROLES[seat]} what={_PAUSE_WORDS[word]}")

    def show_absence(self, name: str, sentence: str, *, resumable: bool) -> None:
        self._tell(f"away text={quoted(sentence)}")

    def show_long_absence(self, name: str, minutes: int, *, resumable: bool) -> None:
        self._tell(f"still-away minutes={minutes}")

    def show_long_wait(self, table: Table, name: str, minutes: int) -> None:
        if table.owed_by is not None:
            self._tell(f"still-waiting seat={ROLES[table.owed_by]} minutes={minutes}")

    def turn(self, view: View, *, looked: bool = False) -> None:
        for option in knock_options(view):
            discard = card_word(option.discard)
            self._tell(f"can-knock discard={discard} count={option.deadwood}")
        melds, adds = layable(view)
        if melds or adds:
            self._tell(f"can-lay melds={melds_word(melds)} adds={adds_word(adds)}")
        for count in take_counts(view):
            for move in takes_of(count, view):
                laid, added = melds_word(move.lay.melds), adds_word(move.lay.adds)
                self._tell(f"can-take count={count} melds={laid} adds={added}")

    def ask(self, view: View, order: Sequence[Card] = ()) -> None:
        hand = view.hand
        self._tell(
            f"choose what={_WHAT[hand.phase]} upcard={card_word(hand.upcard)} "
            f"stock={hand.stock_left} limit={hand.knock_limit}"
        )

    def _ignore(self, *_: object, **__: object) -> None:
        """Print nothing: a program has read it already, or isn't asked."""

    show_offer = ask_aside = show_position = ask_for_next_hand = clear_prompt = _ignore
    ask_again = ask_which_again = _ignore

    def show_waiting(self, table: Table, name: str) -> None:
        what = AWAITED_WORDS.get(table.awaiting)
        if what is not None and table.owed_by is not None:
            self._tell(f"waiting seat={ROLES[table.owed_by]} what={what}")

    def show_refusal(self, code: str, sentence: str) -> None:
        self._tell(f"refused code={code} text={quoted(sentence)}")

    def info(self, *lines: str) -> None:
        for line in lines:
            self._tell(f"info text={quoted(line)}")

    def confirm(self, what: str, sentence: str) -> None:
        self._tell(f"confirm what={what} text={quoted(sentence)}")

    def ask_which(self, moves: tuple[Move, ...], view: View) -> None:
        for number, move in enumerate(moves, 1):
            match move:
                case Knock(_, melds, dead):
                    words = f"melds={melds_word(melds)} deadwood={set_word(dead)} adds=none"
                case TakeDiscards(_, Lay(melds, adds)) | Lay(melds, adds):
                    words = f"melds={melds_word(melds)} deadwood=none adds={adds_word(adds)}"
                case _:
                    continue
            self._tell(f"arrangement number={number} {words}")

    def chat(self, seat: int, name: str, text: str) -> None:
        self._tell(f"chat seat={ROLES[seat]} text={quoted(text)}")

    def show_end(
        self,
        code: str,
        sentence: str,
        status: int,
        log: str | None,
        resume: str | None = None,
        name: str | None = None,
    ) -> None:
        # The path isn't sanitised: a program must be able to open it.
        where = "none" if log is None else json.dumps(log)
        self._tell(
            f"end code={code} text={quoted(sentence)} status={status} log={where} "
            f"resume={resume or 'none'}"
        )


Presenter = PersonPresenter | ProgramPresenter
"""Shows everything to our player: to a person as sentences, to a program as event lines."""

_PAUSE_WORDS = {Pause.ASK: "asked", Pause.DECLINE: "declined", Pause.WITHDRAW: "withdrawn"}


def _standing(table: Table) -> str:
    host, guest = (0, 0) if table.match is None else table.match.scores
    upcard = card_word(None if table.hand is None else table.hand.upcard)
    owes = "none" if table.owed_by is None else ROLES[table.owed_by]
    return (
        f"hand={table.hand_number} entries={table.sequence} host={host} guest={guest} "
        f"upcard={upcard} next={owes} awaits={AWAITED_WORDS.get(table.awaiting, 'none')}"
    )


_WHAT = {
    Phase.FIRST_UPCARD: "upcard",
    Phase.SECOND_UPCARD: "upcard",
    Phase.FIRST_DRAW: "draw",
    Phase.DRAW: "draw",
    Phase.DISCARD: "discard",
    Phase.LAST_CHANCE: "last-chance",
    Phase.LAY_OFF: "spread",
}
