"""An evening: several matches in a row between the same two players, in one run of their programs.

Each match has its own connection, log, seeds and cut; the players stay. The program itself decides
what follows a session and what is offered next (cli.match.series). This module plays the two
players: a person, who is asked before each further match, or a program, which offers the next one
at once. A guest may suggest other rules instead of playing by those offered.
Faults come as in a single match, and many come just after a match is over.

These invariants are added to those of a single match:

1. Nobody signs an acceptance before their player has said yes, nor an offer that their player was
   to be asked about; and nobody signs anything else for a match that was not accepted.
2. An unfinished match is replaced by an offer of another one only if a player wants that.
3. No hand seed is used twice: not in two matches, and not in two hands.
4. In the end each match that both agreed to is finished, and its log is VALID and the same on both
   machines. It contains everything that was shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from cli.match.series import Next, Series
from cli.table.table_state import OpenQuestion
from ginpeer.match_store import LoadedMatch, stored_matches
from ginpeer.match_store.matches import ACCEPTED, is_over
from ginpeer.net.codes import Invite
from ginpeer.net.interfaces import CloseReason, PeerInfo
from ginpeer.net.session import Session, SessionOver, Side, TooFast
from ginpeer.net.timing import NOT_BACK
from ginpeer.referee.referee import Admitted, Finding, judge
from ginpeer.referee.table import GUEST, HOST
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options, Seat
from ginpeer.store import Home, StoreError
from protocol import messages as m
from protocol.entry import RawEntry
from protocol.messages import Body
from tests.faults.disk import Crash
from tests.simulator.match import Match
from tests.simulator.observer import Observer
from tests.simulator.player import SimPlayer
from tests.simulator.process import Process, SimGuest

if TYPE_CHECKING:
    from tests.simulator.machine import Machine

QUICK = ("standard hands=1", "oklahoma hands=1", "mahjong hands=1", "standard target=10")
_SUGGESTIONS = 3
"""How often a guest may suggest other rules in one evening."""


@dataclass
class EveningPlan:
    """What a seed decides about an evening in addition to what it decides about a match."""

    wanted: int
    """How many matches both players want to play."""
    asks: dict[str, bool]
    """Whether a person is asked before each further match, by role."""
    suggests: float
    """The probability that the guest would rather play something else."""


class EveningPlayer(SimPlayer):
    """A player who stays for more than one match."""

    _process: EveningProcess

    def show(self, event: Admitted) -> None:
        super().show(event)
        process = self._process
        entry = process.seat.entries[event.sequence]
        process.evening.shown[process.machine.role, entry] = event.sequence

    def proposed(self, rules: str) -> None:
        self._process.world.counts["other rules suggested"] += 1
        self._process.series.proposed(rules)

    def closed(self, reason: CloseReason) -> None:
        super().closed(reason)
        if reason.code == "finished":
            self._process.evening.has_played(self._process.machine)

    def _answer(self) -> None:
        process, session = self._process, self._session
        evening, rng = process.evening, self._rng
        if session.ending is not None:
            return
        if evening.has_enough(process.machine):
            session.leave()
            return
        suggests = rng.random() < evening.tonight.suggests and evening.suggestions < _SUGGESTIONS
        if suggests and self._plan.is_stormy and session.may_propose:
            evening.suggestions += 1
            with suppress(TooFast, SessionOver):
                session.propose(rng.choice(QUICK))
            return
        if not (self._plan.is_stormy and rng.random() < self._plan.declines):
            process.watcher.on_accept(process.seat.table.table_id)
            session.accept()
        else:
            process.world.counts["declined"] += 1
            session.decline("Not now.")


class _Questions:
    """The point at which the host's player is asked what to offer next, as on the command line."""

    has_proposed = is_proposing = False

    def __init__(self, process: EveningProcess) -> None:
        self._process = process
        self._rng = process.world.random_for(
            "questions", process.machine.role, process.machine.boots
        )
        self._open = 0
        self._answers: tuple[Any, Any, Any] = (None, None, None)

    def clear(self) -> None:
        """Do nothing: no question is open when nobody is seated."""
        self._open += 1

    def ask_aside(self, question: OpenQuestion) -> None:
        self._answers = question.yes, question.no, question.offer_rules
        self.ask_again()

    def ask_again(self, *, whole: bool = True) -> None:
        self._open += 1
        thinks = self._rng.expovariate(1 / self._process.machine.match.plan.thinking)
        self._process.later(thinks + 0.01, self._answer, self._open)

    def leave(self) -> None:
        session = self._process.current
        if session is not None and session.ending is None:
            session.leave()

    def _answer(self, number: int) -> None:
        process, rng = self._process, self._rng
        yes, no, by = self._answers
        if number != self._open or yes is None:
            return
        if process.current is None or process.current.ending is not None:
            return
        stormy = process.machine.match.plan.is_stormy
        with process.watcher.player_answers():
            if process.evening.has_enough(process.machine):
                self.leave()
            elif stormy and rng.random() < 0.1:
                no()
            elif stormy and rng.random() < 0.15:
                by(parse_ruleset(rng.choice(QUICK)))
            else:
                yes()


class EveningGuest(SimGuest):
    """A guest's port for several matches in a row, like the one in cli.match.joining."""

    @property
    def was_admitted(self) -> bool:
        keeper = self._process.keeper
        return keeper is not None and (keeper.live is not None or keeper.again)


class EveningProcess(Process):
    """One run of a program that stays for another match."""

    machine: Machine
    series: Series

    def __init__(self, machine: Machine, mode: str) -> None:
        super().__init__(machine, mode)
        self.current: Session | None = None
        self._other = SimpleNamespace(peer=None, name=lambda start="the": f"{start} other player")

    @property
    def evening(self) -> Evening:
        return self.machine.match

    @property
    def watcher(self) -> EveningObserver:
        return self.observer

    def _side_with(self, side: Side, options: Options) -> Side:
        machine, evening = self.machine, self.evening
        asks = evening.tonight.asks[machine.role]
        self.keeper.asks = asks
        match = SimpleNamespace(
            home=None,
            command="ginpeer",
            keeper=self.keeper,
            presenter=SimpleNamespace(info=lambda *lines: None),
            seat=HOST if machine.role == "host" else GUEST,
            other=self._other,
            sessions=self,
            reactor=SimpleNamespace(seconds=self.seconds, callLater=self.later),
            table=_Questions(self) if asks else None,
        )
        self._table = match.table
        left = max(1, evening.tonight.wanted - len(evening.played[machine.role]))
        self.series = Series(match, options, None if asks else left)
        return replace(
            side,
            joins=machine.role == "guest",
            extensions=self.series.extensions,
            missing_entries=self.keeper.missing_entries,
            unfinished=lambda: self.keeper.replaces is not None,
        )

    def _chosen(self, home: Home) -> LoadedMatch | None:
        found = super()._chosen(home)
        if self.mode != "resume" or found is not None:
            return found
        return next(stored_matches(home), None)

    def _expected_at_the_door(self, expected: set[bytes]) -> frozenset[bytes]:
        return self.keeper.expected() | expected

    def _guest_port(self, invite: Invite) -> SimGuest:
        return EveningGuest(self)

    def _player(self, session: Session) -> SimPlayer:
        self.current = session
        return EveningPlayer(self, session)

    def _seat_for(self, peer: PeerInfo) -> Seat:
        self._other.peer = peer
        self._absence.end()
        seat = self.keeper.seat_for(peer)
        self.observer.check_stored(self)
        asked = self._table is not None and self.series.ask_before(None)
        if not asked and self.keeper.delays_offer:
            self.later(1.0, self._decides_about_stored, self.current)
        return seat

    def _decides_about_stored(self, session: Session) -> None:
        """Continue the match that a new one would shelve, if it can continue, as a person would."""
        if session.ending is not None or not self.keeper.delays_offer:
            return
        if self.keeper.resume_unfinished():
            session.resume_stored()
        else:
            with self.watcher.player_answers():
                session.offer()

    def _ended(self, closed: CloseReason) -> None:
        self._is_seated = False
        if not self.is_over:
            with suppress(Crash):  # this is a Deferred's callback; `run` notices that we have died
                self._goes_on(closed)

    def _goes_on(self, closed: CloseReason) -> None:
        """Do what host_match and join_match do next (cli.match.hosting, cli.match.joining)."""
        if closed.code == "declined":
            with suppress(StoreError):
                self.keeper.forget_offer()
        ended = self.keeper.only_sent_end
        match self.series.what_follows(closed, has_left=self.leaving, only_lacked_end=ended):
            case Next.WAIT:
                self.keeper.expect_new_match()
                self._listening.reopen()
                self._leaves_if_content()
            case Next.RESUME:
                self._absence.begin(closed)
                self._tries_again()
            case Next.NEXT_MATCH:
                if closed.code != "finished":
                    self.series.count_declined()
                elif not self.series.was_already_over():
                    self.series.count_match()
                self.series.clear()
                self._absence.begin(CloseReason(NOT_BACK, "Nobody came back."))
                self._tries_again()
                self.world.counts["stayed for another match"] += 1
                self.evening.between_matches(self.machine)
                self._leaves_if_content()
            case Next.END:
                self._exit(closed.code)

    def _tries_again(self) -> None:
        if self._connection is not None:
            self._connection.try_later()

    def _leaves_if_content(self) -> None:
        """Leave between two matches if this player has had enough; that needs no goodbye."""
        if self.evening.has_enough(self.machine):
            self.later(2.0, self._leaves_empty_table, self.sessions)

    def _leaves_empty_table(self, sessions: int) -> None:
        if sessions == self.sessions:
            self._exit("left")


class EveningObserver(Observer):
    """An observer that also knows what the players have agreed to."""

    evening: Evening

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._said_yes: set[bytes] = set()
        self._may_offer = False
        self._used: dict[bytes, tuple[str, bytes, int]] = {}

    def on_accept(self, table: bytes) -> None:
        """Record that the guest's player accepts this match."""
        self._said_yes.add(table)

    @contextmanager
    def player_answers(self) -> Iterator[None]:
        """Record that the host's player has been asked, so that a match may be offered now."""
        self._may_offer = True
        try:
            yield
        finally:
            self._may_offer = False

    def on_sign(self, entry: bytes) -> None:
        super().on_sign(entry)
        body = RawEntry.split(entry).decode()
        if isinstance(body.message, m.Offer):
            host = self.evening.host
            keeper = host.process.keeper
            if keeper.again and self.evening.tonight.asks["host"] and not self._may_offer:
                self.world.refute("another match is offered, and the host's player was not asked")
            unfinished = any(
                self._read.get(("host", table), 0) >= ACCEPTED and not is_over(history)
                for table, history in self.history.items()
            )
            if unfinished and not self._may_offer:
                self.world.refute("another match is offered in the place of one that is not over")
        elif body.table not in self._said_yes:
            self.world.refute(f"the {self.running} plays a match that nobody has accepted")

    def _leaves(self, process: Process, entry: bytes, body: Body, how: str) -> None:
        super()._leaves(process, entry, body, how)
        seat = process.seat_at(body.table)
        for hand, seed in () if seat is None else seat._seeds.items():
            place = process.machine.role, body.table, hand
            if self._used.setdefault(seed, place) != place:
                self.world.refute(f"the {process.machine.role} uses one seed for two hands")


class Evening(Match):
    """Two machines, and several matches."""

    process = EveningProcess
    watched_by = EveningObserver
    observer: EveningObserver

    def __init__(self, seed: int, **more: Any) -> None:
        super().__init__(seed, **{**more, "kind": "honest"})
        rng = self.world.random_for("evening")
        self.tonight = EveningPlan(
            wanted=rng.choice((2, 2, 3, 4)),
            asks={role: rng.random() < 0.5 for role in ("host", "guest")},
            suggests=rng.choice((0.0, 0.4, 0.8)),
        )
        plan = self.plan
        plan.thinking = min(plan.thinking, 3.0)
        if rng.random() < 0.7:
            plan.rules = parse_ruleset(rng.choice(QUICK))
        plan.storm *= 2  # with at most 3 s for a move, the usual patience is enough for all of it
        self.observer.evening = self
        self.suggestions = 0
        self.played: dict[str, set[bytes]] = {"host": set(), "guest": set()}
        self.shown: dict[tuple[str, bytes], int] = {}
        self.world.note("evening", self.tonight)

    # --- what the players know -----------------------------------------------------------

    def has_played(self, machine: Machine) -> None:
        """Count the match that this player has just been told is over."""
        self.played[machine.role].add(machine.finished)

    def has_enough(self, machine: Machine) -> bool:
        return len(self.played[machine.role]) >= self.tonight.wanted

    def between_matches(self, machine: Machine) -> None:
        """Perhaps make something fail here: the gap between two matches is a likely time for
        faults."""
        if self.plan.is_stormy and self.rng.random() < 0.5:
            self.world.callLater(self.rng.choice((0.0, 0.5, 2.0)), self._go_wrong_between, machine)

    def _go_wrong_between(self, machine: Machine) -> None:
        if not self.plan.is_stormy:
            return
        self.world.counts["fault between two matches"] += 1
        what = self.rng.choice(("kill", "power", "cut", "fuse"))
        if what == "cut":
            self._cut(("both", "guest", "host", "nobody"))
        elif what == "fuse":
            machine.light_fuse(self.rng.randint(1, 30))
        elif machine.is_running:
            machine.goes_down(what)

    # --- beginning and end ---------------------------------------------------------------

    def _boot(self, machine: Machine) -> None:
        if machine.is_running:
            return
        for stored in stored_matches(Home(machine.home)):  # as `ginpeer logs` lists them
            if is_over(stored.entries):
                self.played[machine.role].add(stored.notes.table)
        if self.has_enough(machine) and machine.boots:
            machine.boot("resume")
        else:
            super()._boot(machine)

    def _returns(self, machine: Machine) -> None:
        if machine.is_running:
            return
        if not self._all_is_played():
            self._boot(machine)
        elif machine.other.process is not None:  # waiting, until it learns that this was all
            process = machine.other.process
            self.world.callLater(20.0, process.run, process.hears_that_nobody_comes)

    def _all_is_played(self) -> bool:
        here, there = self.played["host"], self.played["guest"]
        return here == there and self.has_enough(self.host) and not self._unfinished()

    def _ending(self) -> str | None:
        if any(machine.is_running for machine in self.machines) or not self._all_is_played():
            return None
        return "finished"

    def _unfinished(self) -> set[bytes]:
        """Return the matches that both agreed to, and whose end at least one player hasn't seen."""
        logs = [self._logs(machine) for machine in self.machines]
        agreed = {
            table for log in logs[:1] for table, entries in log.items() if len(entries) >= ACCEPTED
        }
        return {
            table
            for table in agreed
            if not all(table in log and is_over(log[table]) for log in logs)
        }

    def _logs(self, machine: Machine) -> dict[bytes, list[bytes]]:
        return {
            stored.notes.table: list(stored.entries)
            for stored in stored_matches(Home(machine.home))
        }

    def _check(self, ended: str) -> None:
        if ended == "finished" and not self._all_is_played():
            self.world.refute("the evening ended before all of its matches did")
        for machine in self.machines:
            self._check_home(machine)
        here, there = (self._logs(machine) for machine in self.machines)
        for table, history in self.observer.history.items():
            if len(history) <= ACCEPTED and len(here.get(table, ())) < ACCEPTED:
                continue  # an acceptance that never reached the host starts nothing
            if not history == here.get(table) == there.get(table):
                self.world.refute("a match of this evening is not whole on both machines")
            if judge(history).finding is not Finding.VALID:
                self.world.refute("a match of this evening is not valid")
        for role, log in (("host", here), ("guest", there)):
            kept = {entry for entries in log.values() for entry in entries}
            for (whose, entry), sequence in self.shown.items():
                if whose == role and sequence >= ACCEPTED and entry not in kept:
                    self.world.refute(f"entry {sequence} was shown to the {role} and is lost")
        self.world.counts["matches of evenings"] += len(self.played["host"])
