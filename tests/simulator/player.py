"""The players: a bot, or a random player who makes any legal move, fast or slowly, and chats."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ginpeer.adviser.advise import choose
from ginpeer.net.interfaces import CloseReason, PeerInfo
from ginpeer.net.session import PauseRefused, Session, SessionOver, TooFast
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Awaiting
from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, Illegal
from ginpeer.rules.match import View
from protocol import messages as m
from protocol.frames import Pause

if TYPE_CHECKING:
    from tests.simulator.process import Process


class SimPlayer:
    """One player for one session, with the methods of the command line's table."""

    def __init__(self, process: Process, session: Session) -> None:
        self._process = process
        self._session = session
        self._plan = process.machine.match.plan
        self._rng = process.world.random_for(
            "player", process.machine.role, process.machine.boots, process.sessions
        )
        self._closed = False
        self._asked: set[int] = set()

    def connected(self, peer: PeerInfo) -> None:
        self._process.world.note("connected", self._process.machine.role)

    def show(self, event: Admitted) -> None:
        process = self._process
        process.touch("show")
        process.observer.on_show(process, event)
        process.world.note("show", process.machine.role, event.sequence, event.author)
        if event.sequence == 0:
            process.machine.finished = None
        process.touch("shown")

    def consider(self, offer: m.Offer) -> None:
        self._soon(self._answer)

    def choose(self, view: View) -> None:
        position = self._process.seat.table.sequence
        if position in self._asked:
            self._process.world.refute(f"asked twice for the move at place {position}")
        self._asked.add(position)
        self._soon(self._move)

    def chat(self, text: str) -> None:
        self._process.world.counts["line of chat heard"] += 1

    def pause(self, word: Pause) -> None:
        """Agree to a pause, decline it, or leave the opponent waiting for an answer."""
        if word is Pause.ASK:
            self._soon(self._answer_pause)

    def proposed(self, rules):
        """Ignore the guest's suggestion; the next offer is already decided."""

    def closed(self, reason: CloseReason) -> None:
        if self._closed:
            self._process.world.refute("a session has ended twice")
        self._closed = True
        process = self._process
        process.observer.on_close(process, reason)
        if reason.code == "finished":
            process.machine.finished = process.seat.table.table_id

    # --- inside ------------------------------------------------------------------------

    def _soon(self, call) -> None:
        thinks = 0.0 if self._rng.random() < 0.3 else self._rng.expovariate(1 / self._plan.thinking)
        self._process.later(thinks, call)

    def _answer(self) -> None:
        if self._session.ending is not None:
            return
        if self._plan.is_stormy and self._rng.random() < self._plan.declines:
            self._process.world.counts["declined"] += 1
            self._session.decline("Not now.")
        else:
            self._session.accept()

    def _answer_pause(self) -> None:
        answer = self._rng.choice((self._session.pause, self._session.decline_pause, lambda: None))
        with suppress(PauseRefused, SessionOver):  # withdrawn meanwhile, or the match ended first
            answer()

    def _move(self) -> None:
        session, rng, plan = self._session, self._rng, self._plan
        if session.ending is not None:
            return
        seat = self._process.seat
        if plan.is_stormy and rng.random() < plan.chats:
            with suppress(TooFast):
                session.say("Nice weather for cards.")
        if plan.is_stormy and rng.random() < plan.pauses:
            with suppress(PauseRefused):
                session.pause()
            if session.ending is not None:  # the opponent had asked for one
                return
        if plan.is_stormy and rng.random() < plan.leaves:
            self._process.world.counts["left the table"] += 1
            session.leave()
            return
        knocked = seat.table.awaiting is Awaiting.SPREAD  # after a knock nobody may resign
        if rng.random() < plan.resigns and not knocked:
            self._process.world.counts["resigned"] += 1
            session.resign()
            return
        view = seat.view()
        if plan.is_stormy and rng.random() < plan.blunders:
            with suppress(Illegal):  # refused without any effect
                session.play(moves.Discard(next(c for c in CARDS if not c.bit & view.cards)))
        move = rng.choice(view.legal_moves()) if plan.is_random and plan.is_stormy else choose(view)
        session.play(move)
