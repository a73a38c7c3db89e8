"""What a player is told, and how: one Presenter for a person, another for a program.

# The table (cli/table/table.py) decides what to say and when; a presenter decides how. Both,
# PersonPresenter and ProgramPresenter, are told the same things, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.own_addresses import Place
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.rules.cards import Card
from ginpeer.rules.moves import Move
from ginpeer.rules.view import View
from protocol import messages as m
from protocol.frames import Pause


class Presenter(Protocol):
    """One way to tell a player everything."""

    def begin_waiting(
        self,
        places: Sequence[Place],
        key: str,
        *,
        again: bool,
        port: int | None,
        friend: str | None = None,
    ) -> None:
        """The host waits at these addresses; *key* is the fingerprint of its own key. *again*: for
        the guest of a match that goes on. *port*: where it listens, if the addresses are its
        player's word for how it is reached from elsewhere. *friend*: who alone is waited for, and
        what that friend types; empty where it was said already what becomes of the invite."""

    def begin_joining(self, addresses: str, key: str) -> None:
        """The guest tries these addresses; *key* is the host's, which the invite names."""

    def unreached(self, why: str, reply: str) -> None:
        """The guest does not reach the host; *why*, and the reply that the host needs. Without a
        reason: the reply has changed."""

    def dialling(self, addresses: str, key: str) -> None:
        """The host dials its guest at these addresses; *key* is the fingerprint in the reply."""

    def connected(self, peer: PeerInfo, *, back: str | None = None) -> None:
        """*back*: the name of who has sat here before in this run of the program, and is back."""

    def happened(
        self, event: Admitted, seat: int, drawn: Card | None, deadwood: int | None = None
    ) -> None:
        """An entry; *drawn* is the card that our own draw brought. *deadwood*: what our hand counts
        now, if a person is to hear that in the place of the whole hand."""

    def offered(self, lines: list[str]) -> None:
        """A match is offered to us: what it is worth to know of it."""

    def ask_consent(self, name: str, offer: m.Offer) -> None:
        """Ask whether we accept it; again after every line that was no answer."""

    def ask_aside(self, what: str) -> None:
        """Ask a person whether to do this. The question stays open until it is answered."""

    def put_aside(self, match: str, sentence: str) -> None:
        """An unfinished match is put aside for the one that was just agreed; it is always the host
        who offers one in the place of another."""

    def hand(self, view: View, order: Sequence[Card] = ()) -> None:
        """Our cards, without one that was drawn and has not come yet. *order*: as our player has
        laid them."""

    def going_on(self, table: Table, own: int | None) -> None:
        """A stored match is taken up again; *own* is our player's seat, None for a bot's."""

    def back(self, table: Table, own: int) -> None:
        """The match goes on where it was, and our player has sat there: what lies open, and whose
        turn it is. Only a person is told."""

    def drew(self, card: Card) -> None:
        """Before that, our player has drawn this card and not discarded yet."""

    def paused(self, table: Table, own: int | None) -> None:
        """The match is put away by agreement: where it stands."""

    def pause(self, word: Pause, seat: int, name: str) -> None:
        """What the player at *seat* says of a pause; *name* is You where it is our own."""

    def away(self, name: str, sentence: str, *, resumable: bool) -> None:
        """The connection is lost, and the other player is waited for. *resumable*: a match was
        agreed, which can also go on another time."""

    def still_away(self, name: str, minutes: int) -> None:
        """The other player has been gone for so long."""

    def still_waiting(self, table: Table, name: str, minutes: int) -> None:
        """The other player is there, and has not moved for so long."""

    def turn(self, view: View, *, looked: bool = False) -> None:
        """It is our move: what lies on the table, which knocks, lays and spreads there are.
        *looked*: our player has asked, and hears what the moves before have told as well."""

    def ask(self, view: View) -> None:
        """Ask for that move; again after every line that was none."""

    def no_turn(self) -> None: ...

    def waiting(self, table: Table, name: str) -> None: ...

    def refused(self, code: str, sentence: str) -> None: ...

    def info(self, *lines: str) -> None:
        """The answer to a question of the player."""

    def confirm(self, what: str, sentence: str) -> None: ...

    def arrangements(self, moves: tuple[Move, ...], view: View) -> None:
        """Ask which of these moves is meant; the answer is a number, counted from 1."""

    def chat(self, seat: int, name: str, text: str) -> None: ...

    def ended(
        self, code: str, sentence: str, status: int, log: str | None, resume: str | None = None
    ) -> None:
        """*resume*: the short name by which the match can go on another time."""
