"""What the parts of a match share: the contact between the two players, and their sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.match.other_player import OtherPlayer
from cli.match.sitting import Sitting
from cli.table.presenter import Presenter
from cli.table.table import HumanTable
from cli.table.table_state import no_reply_expected
from ginpeer.match_store import TableKeeper
from ginpeer.net.address import Address
from ginpeer.net.interfaces import Clock
from ginpeer.net.session import Session
from ginpeer.rules.ruleset import RuleSet
from ginpeer.store import Home

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred, DeferredQueue


class Sessions:
    """The sessions with the other player. ``current`` is the running one, or else the last."""

    def __init__(self) -> None:
        from twisted.internet.defer import DeferredQueue

        self.current: Session | None = None
        self._coming: DeferredQueue[Session | None] = DeferredQueue()

    def begin(self, session: Session) -> None:
        """Note that the other player has been admitted."""
        self.current = session
        self._coming.put(session)

    def next(self) -> Deferred[Session | None]:
        """Return a Deferred of the next session, or of None once we no longer wait for anybody."""
        return self._coming.get()

    def stop(self) -> None:
        """Stop waiting, so that `next` returns None from now on."""
        self._coming.put(None)


@dataclass(slots=True)
class MatchParts:
    """What the parts of a match share. *command*: the command that starts this program. *seat*: our
    seat. *table*: our player's table; None if a bot plays for us."""

    home: Home
    command: str
    seat: int
    keeper: TableKeeper
    presenter: Presenter
    other: OtherPlayer
    sessions: Sessions
    clock: Clock
    table: HumanTable | None = None

    @classmethod
    def of(cls, sitting: Sitting, seat: int, keeper: TableKeeper) -> MatchParts:
        """Return the parts for a match of this sitting with a new opponent."""
        other = OtherPlayer(keeper, seat, sitting.known, sitting.names)
        home, command, presenter = sitting.home, sitting.command, sitting.presenter
        return cls(home, command, seat, keeper, presenter, other, Sessions(), sitting.reactor)


class MatchPart:
    """A part of a match, and what it shares with the other parts."""

    def __init__(self, parts: MatchParts) -> None:
        self._parts = parts
        self._home, self._command, self._seat = parts.home, parts.command, parts.seat
        self._keeper, self._presenter = parts.keeper, parts.presenter
        self._other, self._sessions, self._clock = parts.other, parts.sessions, parts.clock

    @property
    def _table(self) -> HumanTable | None:
        return self._parts.table

    @property
    def _name(self) -> str:
        """Our name for the other player, to begin a sentence."""
        return self._other.name("The")


class Contact:
    """How the two players find each other. This base class finds nobody, which is all that a
    practice match needs. A host's contact (cli.match.invitation) listens; a guest's
    (cli.match.joining) dials."""

    takes_replies = False  # whether a guest's reply may be pasted here
    hides: str | None = None
    """The route to save for the other player because it hides our address from them; empty if they
    may know our address, None to save nothing."""

    def __init__(self, command: str = "ginpeer") -> None:
        self._command = command

    def own_addresses(self) -> tuple[Address, ...]:
        """Return the addresses at which the other player can reach us another time."""
        return ()

    def on_peer_addresses(self, addresses: tuple[Address, ...]) -> None:
        """Note the addresses at which the other player claims to be reachable."""

    def invite_line(self) -> str | None:
        """Return the line with our invite, if the other player may still need it."""
        return None

    def on_arrival(self) -> None:
        """Note that the other player has arrived."""

    def on_match_start(self, rules: RuleSet) -> None:
        """Note that a match by these rules begins, or continues."""

    def on_paste(self, text: str) -> None:
        """Accept a pasted reply, or a line of it. Raises ReplyError."""
        raise no_reply_expected(text, self._command)

    def accepts_more(self, text: str) -> bool:
        """Return whether this line continues a reply whose beginning was pasted."""
        return False

    def stop(self) -> None:
        """Stop looking for the other player."""
