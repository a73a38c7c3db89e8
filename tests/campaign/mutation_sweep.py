"""One process of the mutation sweep: a group of tests, and every mutant that concerns them.

tests.campaign.mutations starts it in a copy of the tree, with a JSON order on standard input. It
writes one JSON object a line to the file that the order names. It works in two rounds.

Round one runs each test once, over code that reports which checks fire (mutants.telling), also in
the programs that the test starts. A mutant concerns the tests in which its check fires; no other
test can notice it. This round also warms the tests' caches, so that the later cost is that of the
tests alone.

Round two takes each mutant in turn. A forked child gives the functions of the module the code that
they have without the check, forgets what the product has cached, and runs the tests that concern
it, quickest first, until one fails. That test has noticed, if the same test passes in a child with
nothing deleted. Every test that ever notices is tried this way once. Each child has a fork server
of its own (tests.campaign.mutated_code), whose programs run the same code as the child.
"""

from __future__ import annotations

import json
import marshal
import os
import selectors
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest
from _pytest.runner import runtestprotocol

from tests.campaign import mutants
from tests.campaign.mutants import Mutant
from tests.campaign.mutated_code import ROOT, code_without, fired, load_telling_code, put_in_place

# How long a test may take with a mutant: a factor times the CPU seconds it took without, plus a
# constant. More work isn't a failure, endless work is. A test that waits for something that never
# happens is ended by the clock, allowing for other work on this machine.
CPU_FACTOR, CPU_EXTRA = 5, 5
WALL_FACTOR, WALL_EXTRA = 30, 60


# --- children ---------------------------------------------------------------------------------


def own_selector() -> None:
    """Let this forked process's event loop wait for its own files, not for its parent's."""
    from twisted.internet import reactor

    loop = getattr(reactor, "_asyncioEventloop", None)
    if loop is None:
        return
    fresh = selectors.DefaultSelector()
    for key in list(loop._selector.get_map().values()):
        fresh.register(key.fd, key.events, key.data)
    loop._selector = fresh
    loop._close_self_pipe()
    loop._make_self_pipe()


def own_threads() -> None:
    """Let this forked process start its own threads: those of the pool exist only in its parent."""
    from twisted.internet import reactor

    reactor.threadpool = None


def own_server(module: str, *arguments: str) -> None:
    """Let the tests of this process start programs from a fork server of its own."""
    from tests.cli import started  # not at the top, because it loads code of the product

    started._server.cache_clear()
    started.SERVER = [sys.executable, "-m", module, *arguments]


def end_orphans() -> None:
    """End the programs that a child has left behind, which this process adopts."""
    for children in Path("/proc/self/task").glob("*/children"):
        for pid in map(int, children.read_text().split()):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of the programs that it has waited for."""
    return sum(os.times()[:4])


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress the output of tests."""
    null = os.open(os.devnull, os.O_WRONLY)
    kept = os.dup(1), os.dup(2)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for file in (null, *kept):
            os.close(file)


class Sweep:
    """The pytest plugin: collects as usual, and then runs the two rounds."""

    def __init__(self, order: dict) -> None:
        self.wanted = set(order["mutants"])
        self.out = Path(order["out"]).open("w", encoding="utf-8")  # noqa: SIM115
        self.scratch = Path(order["out"]).with_suffix(".scratch")
        self.seconds = order["seconds"]
        self.items: list[pytest.Item] = []
        self.cost: dict[str, float] = {}
        self.fired_in: dict[str, list[pytest.Item]] = {}
        self.sound: dict[str, bool] = {}

    def tell(self, **what: object) -> None:
        self.out.write(json.dumps(what) + "\n")
        self.out.flush()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Make Hypothesis deterministic, so that every run notices the same mutants. Build the
        parser again for each test (see tests.remembered), because a mutant may change it."""
        from cli import main, parser  # only now, so that ChangedFinder loads them

        main.parser = parser.parser  # type: ignore[attr-defined]
        hypothesis.settings.register_profile(
            "sweep",
            deadline=None,
            derandomize=True,
            database=None,
            phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
        )
        hypothesis.settings.load_profile("sweep")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            self.tell(problem="the tests could not be collected")
            return True
        self.items = list(session.items)
        self.round_one(session)
        self.round_two(session)
        return True

    def round_one(self, session: pytest.Session) -> None:
        failed = []
        begun = time.monotonic()
        self.scratch.touch()
        fired_in_programs = self.scratch.open(encoding="utf-8")
        for number, item in enumerate(self.items):
            fired.clear()
            before = cpu_seconds()
            passed = run_one(item, session)
            self.cost[item.nodeid] = cpu_seconds() - before
            fired.update(fired_in_programs.read().splitlines())
            if not passed:
                failed.append(item.nodeid)
                continue
            for key in fired & self.wanted:
                self.fired_in.setdefault(key, []).append(item)
            if number % 200 == 0:
                self.tell(tests=number, of=len(self.items), after=time.monotonic() - begun)
        for items in self.fired_in.values():
            items.sort(key=lambda item: (self.cost[item.nodeid], item.nodeid))
        self.tell(round=1, tests=len(self.items), failed=failed, fired=len(self.fired_in))

    def round_two(self, session: pytest.Session) -> None:
        known = mutants.known_of(ROOT)
        for path in mutants.sources(ROOT):
            for mutant in mutants.mutants_of(path, mutants.parsed(ROOT, path), known):
                if mutant.key in self.wanted and mutant.key in self.fired_in:
                    self.try_out(mutant, session)

    def try_out(self, mutant: Mutant, session: pytest.Session) -> None:
        concerned = self.fired_in[mutant.key]
        budget, items = self.seconds, []
        for item in concerned:
            items.append(item)
            budget -= self.cost[item.nodeid]
            if budget < 0:
                break
        how, ran, unsound = "passed", len(items), 0
        while items:
            how, at = self.in_child(mutant, items, session)
            if how not in ("noticed", "hung"):
                break
            noticing = items[at]
            if self.is_sound(noticing, session):
                self.tell(
                    key=mutant.key, killed=True, how=how, by=noticing.nodeid, fired=len(concerned)
                )
                return
            unsound, items, how = unsound + 1, items[at + 1 :], "passed"
        self.tell(
            key=mutant.key,
            killed=False,
            how=how,
            fired=len(concerned),
            ran=ran - unsound,
            by=[item.nodeid for item in concerned[:5]],
        )

    def is_sound(self, item: pytest.Item, session: pytest.Session) -> bool:
        """Return whether a test passes in a child in which nothing was deleted."""
        if item.nodeid not in self.sound:
            self.sound[item.nodeid] = self.in_child(None, [item], session)[0] == "passed"
            if not self.sound[item.nodeid]:
                self.tell(unsound=item.nodeid)
        return self.sound[item.nodeid]

    def in_child(
        self, mutant: Mutant | None, items: list[pytest.Item], session: pytest.Session
    ) -> tuple[str, int]:
        """Run these tests without this check until one fails; return the outcome, and the test that
        failed."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                os.setpgid(0, 0)
                self.be_child(mutant, items, session, writing)
            finally:
                os._exit(70)
        os.close(writing)
        with open(reading, "rb") as pipe:
            said = pipe.read().decode()
        try:
            os.killpg(child, signal.SIGKILL)  # and what it has started
        except (ProcessLookupError, PermissionError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        end_orphans()
        lines = said.split("\n")[:-1]
        if lines and lines[-1].startswith("end "):
            _, how, at = lines[-1].split()
            return how, int(at)
        if lines and lines[-1].startswith("unable"):
            return lines[-1], 0
        return "hung", len(lines) - 1 if lines else 0

    def be_child(
        self,
        mutant: Mutant | None,
        items: list[pytest.Item],
        session: pytest.Session,
        writing: int,
    ) -> None:
        own_selector()
        own_threads()
        own_server("tests.cli.fork_server")
        if mutant is not None:
            code = code_without(mutant)
            self.scratch.write_bytes(marshal.dumps(code))
            own_server("tests.campaign.mutated_code", mutant.path, str(self.scratch))
            try:
                put_in_place(mutant, code)
            except ValueError as error:
                os.write(writing, f"unable: {error}\n".encode())
                os._exit(0)
        for number, item in enumerate(items):
            os.write(writing, f"at {number}\n".encode())
            cost = self.cost[item.nodeid]  # the signals of these two clocks end the process
            signal.setitimer(signal.ITIMER_PROF, CPU_FACTOR * cost + CPU_EXTRA)
            signal.setitimer(signal.ITIMER_REAL, WALL_FACTOR * cost + WALL_EXTRA)
            if not run_one(item, session):
                os.write(writing, f"end noticed {number}\n".encode())
                os._exit(0)
        os.write(writing, b"end passed 0\n")
        os._exit(0)


def run_one(item: pytest.Item, session: pytest.Session) -> bool:
    """Run one test with its fixtures, leaving only session fixtures set up."""
    generated = getattr(getattr(item, "obj", None), "hypothesis", None)
    inner = generated and generated.inner_test
    with quiet():
        reports = runtestprotocol(item, nextitem=session, log=False)  # type: ignore[arg-type]
    if generated:  # pytest-twisted wraps it at each run, and can't wrap it twice
        generated.inner_test = inner
    return not any(report.failed for report in reports)


def main() -> None:
    order = json.load(sys.stdin)
    load_telling_code()
    sweep = Sweep(order)
    own_server("tests.campaign.mutated_code", "fired", str(sweep.scratch))
    options = ["-q", "-s", "-n", "0", *order["options"]]
    status = pytest.main([*options, *order["tests"]], plugins=[sweep])
    sweep.tell(status=int(status))
    os._exit(0)  # a test that failed may have left a thread behind that never ends


if __name__ == "__main__":
    main()
