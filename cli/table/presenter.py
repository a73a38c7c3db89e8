"""What a player is told, and how: one Presenter for a person, another for a program.

# The table (cli/table/table.py) decides what to say and when; a presenter decides how. Both,
# PersonPresenter and ProgramPresenter, are told the same things, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.own_addresses import ReachableAddress
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.rules.cards import Card
from ginpeer.rules.moves import Move
from ginpeer.rules.view import View
from protocol import messages as m
from protocol.frames import Pause


class Presenter(Protocol):
    """Tells a player everything, in one way."""

    def begin_waiting(
        self,
        places: Sequence[ReachableAddress],
        key: str,
        *,
        again: bool,
        port: int | None,
        friend: str | None = None,
    ) -> None:
        """Say that the host waits at these addresses. *key*: the fingerprint of its own key.
        *again*: it waits for the guest of a match to resume. *port*: where it listens, if its
        player has typed the addresses. *friend*: what the only friend who is waited for has to
        type; empty if our player has heard already what to do with the invite."""

    def begin_joining(self, addresses: str, key: str) -> None:
        """Say which addresses the guest tries. *key*: the fingerprint of the host's key."""

    def unreached(self, why: str, reply: str) -> None:
        """Say why the guest does not reach the host, and the reply that the host needs. Without a
        reason, only the reply has changed."""

    def dialling(self, addresses: str, key: str) -> None:
        """Say where the host dials its guest. *key*: the fingerprint in the reply."""

    def connected(self, peer: PeerInfo, *, back: str | None = None) -> None:
        """Say who has connected. *back*: the name of a player who was here before, and is back."""

    def happened(
        self, event: Admitted, seat: int, drawn: Card | None, deadwood: int | None = None
    ) -> None:
        """Tell an entry of the match. *drawn*: the card that our own draw brought. *deadwood*: what
        our hand counts now, if a person hears that instead of the whole hand."""

    def offered(self, lines: list[str]) -> None:
        """Say what our player should know about the match that is offered."""

    def ask_consent(self, name: str, offer: m.Offer) -> None:
        """Ask whether we accept the match, and again after every line that was no answer."""

    def ask_aside(self, what: str) -> None:
        """Ask a person whether to do this. The question stays open until it is answered."""

    def put_aside(self, match: str, sentence: str) -> None:
        """Say which unfinished match is shelved for the one that was just agreed. It is always the
        host who offers one match in the place of another."""

    def hand(self, view: View, order: Sequence[Card] = ()) -> None:
        """Show our cards, without one that was drawn and has not come yet. *order*: as our player
        has arranged them."""

    def going_on(self, table: Table, own: int | None) -> None:
        """Say where the stored match stands that is resumed. *own*: our seat; None for a bot's."""

    def back(self, table: Table, own: int) -> None:
        """Tell a person what lies open and whose turn it is, now that the match continues."""

    def drew(self, card: Card) -> None:
        """Say which card our player has drawn, and not discarded yet."""

    def paused(self, table: Table, own: int | None) -> None:
        """Say where the match stands that is paused by agreement."""

    def pause(self, word: Pause, seat: int, name: str) -> None:
        """Tell what the player at *seat* says about a pause. *name*: You for our own player."""

    def away(self, name: str, sentence: str, *, resumable: bool) -> None:
        """Say that the connection is lost, and that we wait for the other player. *resumable*: the
        match can also be resumed another time."""

    def still_away(self, name: str, minutes: int) -> None:
        """Say for how long the other player has been gone."""

    def still_waiting(self, table: Table, name: str, minutes: int) -> None:
        """Say for how long the other player, who is connected, has not moved."""

    def turn(self, view: View, *, looked: bool = False) -> None:
        """Say what lies on the table, and which knocks, lays and spreads there are: it is our move.
        *looked*: our player has asked, and also hears what the last moves have told already."""

    def ask(self, view: View) -> None:
        """Ask for that move, and again after every line that was none."""

    def no_turn(self) -> None:
        """Take the prompt away: nothing is asked."""

    def waiting(self, table: Table, name: str) -> None:
        """Say whom we wait for, and for what."""

    def refused(self, code: str, sentence: str) -> None:
        """Say why something that was typed is refused."""

    def info(self, *lines: str) -> None:
        """Tell our player something else."""

    def confirm(self, what: str, sentence: str) -> None:
        """Ask a question that only yes answers."""

    def arrangements(self, moves: tuple[Move, ...], view: View) -> None:
        """Ask which of these moves is meant; the answer is a number, counted from 1."""

    def chat(self, seat: int, name: str, text: str) -> None:
        """Tell what the player at *seat* says."""

    def ended(
        self, code: str, sentence: str, status: int, log: str | None, resume: str | None = None
    ) -> None:
        """Say how the match or the program ended. *resume*: the short name of a match that can be
        resumed."""
