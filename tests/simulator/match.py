"""One match: two machines, a storm, a calm, and a verdict.

During the storm things fail as planned. After it nothing fails, and a pair of honest players has to
finish within `PATIENCE` simulated seconds, with the same bytes in both logs.
"""

from __future__ import annotations

import contextlib
import gc
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ginpeer.match_store import stored_matches
from ginpeer.net.codes import Invite
from ginpeer.referee.referee import Finding, judge
from ginpeer.store import Home, files, read_log
from tests.simulator.liar import Liar
from tests.simulator.machine import Machine
from tests.simulator.network import Network
from tests.simulator.observer import OLD_COPY_CODES, Observer
from tests.simulator.plain_tls import plain_tls
from tests.simulator.process import Process
from tests.simulator.scenario import plan_for
from tests.simulator.world import World
from tests.toy_group import toy_group

PATIENCE = 3600.0
"""Simulated seconds in which an honest pair must finish its match after the storm. A move takes 20
s of thought on average, and a match has up to a hundred or so."""

_MAX_STEPS = 400_000


@dataclass(frozen=True)
class Outcome:
    """The outcome of one seed."""

    kind: str
    ending: str
    digest: str
    seconds: float
    steps: int
    counts: Counter[str]


class Match:
    """One simulated match."""

    process: type[Process] = Process
    watched_by: type[Observer] = Observer
    patience = PATIENCE

    def __init__(
        self, seed: int, *, real: bool, kind: str | None, trace: bool, where: Path
    ) -> None:
        self.world = World(seed, trace=trace)
        self.plan = plan_for(self.world, kind)
        self.observer = self.watched_by(self.world, real=real)
        self.observer.disclosure = self.plan.disclosure
        self.network = Network(self.world)
        self.invite: Invite | None = None
        self.rng = self.world.random_for("storm")
        self.host = Machine(self, "host", where)
        self.guest = Machine(self, "guest", where)
        self.host.other, self.guest.other = self.guest, self.host
        self.machines = (self.host, self.guest)
        self.liar: Liar | None = None
        if self.plan.liar is not None:
            signs = self.plan.kind == "signing liar"
            self.liar = Liar(self.world.random_for("liar"), self.plan.lie_rate, signs=signs)
            liar = self.machines[self.plan.liar == "guest"]
            liar.lies, liar.signs_lies = True, signs

    # --- running -----------------------------------------------------------------------

    def play(self) -> Outcome:
        """Play from the first boot to the end. Raises Violated."""
        world, plan = self.world, self.plan
        world.note("plan", plan)
        world.callLater(0, self._boot, self.host)
        world.callLater(0.5, self._boot, self.guest)
        world.callLater(plan.storm, self._calm)
        self._next_fault()
        limit = plan.storm + self.patience
        ending = None
        while ending is None:
            if not world.step() or world.steps > _MAX_STEPS:
                world.refute("nothing happens any more, or too much")
            ending = self._ending()
            if ending is None and world.seconds() > limit:
                ending = self._dead_end()
        self._check(ending)
        gc.collect()  # a Deferred reports its failure when it is collected
        self.observer.complain()
        return Outcome(
            plan.kind,
            ending,
            world.digest,
            world.seconds(),
            world.steps,
            world.counts,
        )

    def _ending(self) -> str | None:
        """Return how the match ended, or None while it is still running."""
        if any(machine.is_running for machine in self.machines):
            return None
        table = self.host.finished
        if table is not None and table == self.guest.finished:
            return "finished"
        if self.liar is not None and self._evidence(self._honest()):
            return "convicted"
        return None

    def _dead_end(self) -> str:
        """Return why the match can't finish, if an older copy or a liar excuses that. Raises
        Violated if nothing does."""
        if self.liar is not None and self.liar.signs:
            liar = self._honest().other
            if any(
                judge(read_log(path).entries).culprit is not None for path in self._evidence(liar)
            ):
                return "the liar has convicted itself"
        if any(machine.is_behind for machine in self.machines):
            stopped = self.observer.codes & OLD_COPY_CODES
            if stopped:
                return f"stopped by an older copy: {min(stopped)}"
        self.world.refute("the match does not come to its end though nothing goes wrong any more")

    def _honest(self) -> Machine:
        return self.guest if self.host.lies else self.host

    # --- users -------------------------------------------------------------------------

    def _boot(self, machine: Machine) -> None:
        if machine.is_running:
            return
        if machine is self.guest and self.invite is None:
            self.world.callLater(1.0, self._boot, machine)
            return
        resumes = machine.boots and self.rng.random() < 0.5
        machine.boot("resume" if resumes else "new")

    def user_returns(self, machine: Machine) -> None:
        """Let the user of a program that has ended start it again after a while, if there is a
        reason."""
        pause = self.rng.choice((0.3, 2.0, 10.0, 40.0)) * (0.5 + self.rng.random())
        if machine.finished is not None:
            pause += 20.0
        self.world.callLater(pause, self._returns, machine)

    def _returns(self, machine: Machine) -> None:
        if machine.is_running:
            return
        if self.plan.is_stormy and self.plan.kind == "old copy" and self.rng.random() < 0.3:
            machine.go_back()
        if machine.finished is not None and machine.finished == machine.other.finished:
            return
        self._boot(machine)

    # --- faults ------------------------------------------------------------------------

    def _next_fault(self) -> None:
        self.world.callLater(self.rng.expovariate(1 / self.plan.pause), self._go_wrong)

    def _go_wrong(self) -> None:
        if not self.plan.is_stormy:
            return
        self._next_fault()
        rng = self.rng
        machine = rng.choice(self.machines)
        if self.plan.kind == "old copy" and rng.random() < 0.5:
            machine.remember_home()
        match rng.choice(self.plan.faults):
            case "cut":
                self._cut(("both",))
            case "half-open":
                self._cut(("guest", "host", "nobody"))
            case "kill" | "power" as kind:
                if machine.is_running:
                    machine.goes_down(kind)
            case "both at once":
                for each in self.machines:
                    if each.is_running:
                        each.goes_down(rng.choice(("kill", "power")))
            case "fuse":
                machine.light_fuse(rng.choice((3, 20, 100)) * rng.randint(1, 4))
            case "disk":
                machine.fill_disk(rng.randint(1, 40), rng.choice((1, 3, 20)))
            case "slow network":
                self.network.slow = rng.choice((0.0, 0.01, 0.1))
                self.network.busy = rng.choice((1.0, 5.0, 50.0))
                self.world.fault("slow network")
            case "sleep":
                if machine.process is not None:
                    machine.process.sleep(rng.choice((5.0, 59.0, 200.0)))
                    self.world.fault("lid closed")
            case "wall clock":
                machine.wall_offset += rng.choice((-1e8, -4000.0, -1.0, 3600.0, 1e8))
                self.world.fault("wall clock set")

    def _cut(self, who: tuple[str, ...]) -> None:
        alive = [one for one in self.network.alive() if not one.is_cut]
        if alive:
            noticed = self.rng.choice(who)
            self.rng.choice(alive).cut(noticed)
            self.world.fault("connection cut" if noticed == "both" else f"cut, {noticed} notices")

    def _calm(self) -> None:
        """Stop all faults; from now on a liar keeps to the rules."""
        self.world.note("calm")
        self.plan.is_stormy = False
        self.network.slow, self.network.busy = 0.0, 1.0
        for machine in self.machines:
            machine.calm()
        if self.liar is not None:
            self.liar.lying = False
            for machine in self.machines:  # whatever it left out is sent on another connection
                if machine.lies and machine.is_running:
                    machine.goes_down("kill")

    # --- checks at the end -------------------------------------------------------------

    def _check(self, ending: str) -> None:
        for machine in self.machines:
            if not machine.lies:
                self._check_home(machine)
        if ending != "finished":
            return
        logs = [self._log_of(machine) for machine in self.machines]
        if self.liar is None and logs[0] != logs[1]:
            self.world.refute("both have finished, and their logs differ")
        if judge(read_log(logs_path(self._honest())).entries).finding is not Finding.VALID:
            self.world.refute("the finished log is not valid")

    def _log_of(self, machine: Machine) -> bytes:
        return logs_path(machine).read_bytes()

    def _check_home(self, machine: Machine) -> None:
        """Check that every log of an honest player is valid, and that no evidence accuses an honest
        player."""
        for stored in stored_matches(Home(machine.home)):
            verdict = judge(stored.entries)
            if verdict.finding not in (Finding.VALID, Finding.INCOMPLETE):
                self.world.refute(f"the {machine.role}'s own log is {verdict.finding.name}")
        if machine.accuses and not machine.restored and not self._evidence(machine):
            self.world.refute(f"the {machine.role} accuses and has kept no proof")
        for path in self._evidence(machine):
            verdict = judge(read_log(path).entries)
            if verdict.culprit is None:
                self.world.refute("a kept proof convicts nobody")
            culprit = self.machines[verdict.culprit]
            if not (culprit.signs_lies or culprit.signed_twice):
                self.world.refute(f"a kept proof convicts the {culprit.role}, who is honest")

    def _evidence(self, machine: Machine) -> list[Path]:
        return sorted(machine.home.glob("matches/*.evidence*"))


def logs_path(machine: Machine) -> Path:
    """Return the path of the log of the match that this machine has finished."""
    for stored in stored_matches(Home(machine.home)):
        if stored.notes.table == machine.finished:
            return stored.match.path
    machine.world.refute(f"the {machine.role} has no log of the match that it has finished")


@contextlib.contextmanager
def _own_files() -> Iterator[None]:
    usual = files.os
    try:
        yield
    finally:
        files.os = usual


def play(
    seed: int,
    *,
    real: bool = False,
    kind: str | None = None,
    trace: bool = False,
    scene: type[Match] = Match,
) -> Outcome:
    """Play the match, or another scene, of this seed. Raises Violated."""
    memory = Path("/dev/shm")
    where = Path(tempfile.mkdtemp(prefix="simulated-", dir=memory if memory.is_dir() else None))
    try:
        with contextlib.nullcontext() if real else toy_group(), plain_tls(), _own_files():
            match = scene(seed, real=real, kind=kind, trace=trace, where=where)
            with match.observer.instrumented():
                return match.play()
    finally:
        shutil.rmtree(where, ignore_errors=True)
