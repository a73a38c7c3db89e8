"""Complete players for tests of the wire, with a real home, journal, seat and bot, and a record of
events."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ginpeer.adviser.advise import choose
from ginpeer.match_store.table_keeper import TableKeeper
from ginpeer.net.session import Side, TooFast
from ginpeer.seat.seat import Options
from ginpeer.store import Home
from tests.matches.table_pair import seeded_rng

STARTED = 1_700_000_000


class NetPlayer:
    """One player, with all its sessions so far. Its bot plays at once, and accepts any offer.

    *seed* determines everything random, in one sequence over all connections.
    """

    def __init__(self, role: str, folder: Path, seed: str, options: Options, chats: int = 0):
        """*chats*: send a line after this many choices; 0 means never."""
        self.role = role
        self.chats = chats
        self.home = Home(folder / role)
        rng = seeded_rng(f"{seed}/{role}")
        self.identity = self.home.identity(rng)
        self.keeper = TableKeeper(
            self.home, role, self.identity, name=role, options=options, rng=rng, now=lambda: STARTED
        )
        self.side = Side(
            identity=self.identity,
            software=f"test {role}",
            seat_for=self.keeper.seat_for,
            player_for=self._sit_down,
            journal=self.keeper,
            position_for=self.keeper.position_for,
        )
        self.sessions = 0
        self.closed = []
        self.heard = []
        self.chosen = 0
        self.leaves_at = None  # after this many choices, it leaves once

    @property
    def entries(self):
        stored = self.keeper.stored
        return [] if stored is None else stored.entries

    @property
    def finished(self):
        seat = self.keeper.live
        return seat is not None and seat.table.finished

    @property
    def away(self):
        """Return whether every session so far has ended."""
        return len(self.closed) == self.sessions

    @property
    def log(self) -> bytes:
        return self.keeper.stored.path.read_bytes()

    @property
    def evidence(self):
        return list(self.home.path.rglob("*evidence*"))

    def _sit_down(self, session):
        self.sessions += 1
        return _Bot(self, session)


class _Bot:
    def __init__(self, owner: NetPlayer, session) -> None:
        self._owner = owner
        self._session = session

    def connected(self, peer):
        pass

    def show(self, event):
        pass

    def consider(self, offer):
        self._session.accept()

    def choose(self, view):
        owner = self._owner
        owner.chosen += 1
        if owner.chosen == owner.leaves_at:
            self._session.leave()
            return
        if owner.chats and owner.chosen % owner.chats == 0:
            with suppress(TooFast):  # bots play faster than anyone can chat
                self._session.say(f"choice {owner.chosen}")
        self._session.play(choose(view))

    def chat(self, text):
        self._owner.heard.append(text)

    def closed(self, reason):
        self._owner.closed.append(reason)
