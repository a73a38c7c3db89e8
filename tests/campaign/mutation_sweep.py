"""One process of the mutation sweep: a group of tests, and every mutant that concerns them.

tests.campaign.mutations starts it in a copy of the tree, with a JSON order on standard input. It
writes one JSON object a line to the file that the order names. It works in two rounds.

Round one runs each test once, over code that reports which checks it feels (mutants.telling). A
mutant concerns the tests that feel its check; no other test can notice it. This round also warms
the tests' caches, so that the later cost is that of the tests alone.

Round two takes each mutant in turn. A forked child gives the functions of the module the code that
they have without the check, forgets what the product has cached, and runs the tests that concern
it, quickest first, until one fails. That test has noticed, if the same test passes in a child with
nothing deleted. Every test that ever notices is tried this way once.
"""

from __future__ import annotations

import builtins
import functools
import gc
import importlib.machinery
import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import hypothesis
import pytest
from _pytest.runner import runtestprotocol

from tests.campaign import mutants
from tests.campaign.mutants import CAUGHT, FELT, OTHER_CODE, PACKAGES, SAID, WEIGHED, Mutant

ROOT = Path.cwd()

# How long a test may take with a mutant, as a factor of the CPU seconds it took without, plus a
# constant: more work isn't a failure, endless work is. A test that waits for something that never
# comes is ended by the clock, allowing for other work on this machine.
CPU_FACTOR, CPU_EXTRA = 5, 5
WALL_FACTOR, WALL_EXTRA = 30, 60

felt: set[str] = set()


def _felt(key: str) -> None:
    felt.add(key)


def _weighed(key: str, value: object, decisive: bool) -> object:
    if bool(value) is decisive:
        felt.add(key)
    return value


def _caught(keys: Sequence[str], errors: Sequence[type[BaseException]]) -> None:
    felt.update(key for key, error in zip(keys, errors, strict=True) if _handling(error))


def _handling(error: type[BaseException]) -> bool:
    return isinstance(sys.exc_info()[1], error)


class Said:
    """A class's code in the instrumented code: felt when it is read."""

    def __init__(self, key: str, code: str) -> None:
        self.key = key
        self.code = code

    def __get__(self, instance: object, owner: type) -> str:
        felt.add(self.key)
        return self.code


class TellingLoader(importlib.machinery.SourceFileLoader):
    """A loader that loads a module of the product as instrumented code (never from a .pyc)."""

    def get_code(self, fullname: str) -> CodeType:
        path = Path(self.path).relative_to(ROOT).as_posix()
        tree = mutants.parsed(ROOT, path)
        found = mutants.mutants_of(path, tree, mutants.known_of(ROOT))
        return compile(mutants.telling(tree, found), self.path, "exec", dont_inherit=True)


class TellingFinder:
    """A finder that comes before all others and finds the modules that are mutated."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name.split(".")[0] not in PACKAGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:
            return None
        if Path(spec.origin).relative_to(ROOT).as_posix() in mutants.sources(ROOT):
            spec.loader = TellingLoader(name, spec.origin)
        return spec


# --- a mutant's code in place of the module's ------------------------------------------------


def code_of(path: str, mutant: Mutant | None) -> dict[tuple[str, int], CodeType]:
    """Return the code of every function in a module without this check, by name and first line."""
    tree = mutants.parsed(ROOT, path)
    if mutant is not None:
        found = mutants.mutants_of(path, tree, mutants.known_of(ROOT))
        tree = mutants.without(tree, next(each for each in found if each.key == mutant.key))
    whole = compile(tree, str(ROOT / path), "exec", dont_inherit=True)
    return {(code.co_qualname, code.co_firstlineno): code for code in _inside(whole)}


def _inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)


def put_in_place(mutant: Mutant) -> None:
    """Make this process run the module without the check from now on. Raises ValueError if it
    cannot.

    Only the code of functions is replaced, wherever they have been imported to. Classes and
    constants stay the ones that everything else already refers to.
    """
    path = str(ROOT / mutant.path)
    if exchanged_in_class(mutant):
        return
    codes = code_of(mutant.path, mutant)
    gc.unfreeze()
    exchanged = 0
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename == path:
            at = (thing.__code__.co_qualname, thing.__code__.co_firstlineno)
            if thing.__name__ != "<lambda>" and at in codes:
                thing.__code__ = codes[at]
                exchanged += 1
        elif isinstance(thing, functools._lru_cache_wrapper) and is_of_the_product(thing):
            thing.cache_clear()
    if not exchanged:
        raise ValueError(f"no function of {mutant.path} is loaded")


def exchanged_in_class(mutant: Mutant) -> bool:
    """Replace a code that is a class attribute, if the mutant is of that kind."""
    module = sys.modules.get(mutant.path.removesuffix(".py").replace("/", "."))
    found: object = module
    for name in mutant.key.split(":")[1].split("."):
        found = vars(found).get(name) if isinstance(found, type | ModuleType) else None
    said = vars(found).get("code") if isinstance(found, type) else None
    if not isinstance(said, Said) or said.key != mutant.key:
        return False
    found.code = OTHER_CODE  # type: ignore[union-attr]
    return True


def is_of_the_product(thing: object) -> bool:
    return str(getattr(thing, "__module__", "")).split(".")[0] in PACKAGES


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
    """Let this forked process start its own threads: those of the pool stayed with its parent."""
    from twisted.internet import reactor

    reactor.threadpool = None


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress the output of tests, which nobody needs here."""
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
        self.seconds = order["seconds"]
        self.items: list[pytest.Item] = []
        self.cost: dict[str, float] = {}
        self.felt_by: dict[str, list[pytest.Item]] = {}
        self.sound: dict[str, bool] = {}

    def tell(self, **what: object) -> None:
        self.out.write(json.dumps(what) + "\n")
        self.out.flush()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Make Hypothesis deterministic, so that every run notices the same, and build the parser
        for each test again (see tests.remembered), as a mutant may change it."""
        from cli import main, parser  # only now, so that TellingFinder loads them

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
        for number, item in enumerate(self.items):
            felt.clear()
            before = time.process_time()
            passed = run_one(item, session)
            self.cost[item.nodeid] = time.process_time() - before
            if not passed:
                failed.append(item.nodeid)
                continue
            for key in felt & self.wanted:
                self.felt_by.setdefault(key, []).append(item)
            if number % 200 == 0:
                self.tell(tests=number, of=len(self.items), after=time.monotonic() - begun)
        for items in self.felt_by.values():
            items.sort(key=lambda item: (self.cost[item.nodeid], item.nodeid))
        self.tell(round=1, tests=len(self.items), failed=failed, felt=len(self.felt_by))

    def round_two(self, session: pytest.Session) -> None:
        known = mutants.known_of(ROOT)
        for path in mutants.sources(ROOT):
            for mutant in mutants.mutants_of(path, mutants.parsed(ROOT, path), known):
                if mutant.key in self.wanted and mutant.key in self.felt_by:
                    self.try_out(mutant, session)

    def try_out(self, mutant: Mutant, session: pytest.Session) -> None:
        concerned = self.felt_by[mutant.key]
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
                    key=mutant.key, killed=True, how=how, by=noticing.nodeid, felt=len(concerned)
                )
                return
            unsound, items, how = unsound + 1, items[at + 1 :], "passed"
        self.tell(
            key=mutant.key,
            killed=False,
            how=how,
            felt=len(concerned),
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
        if mutant is not None:
            try:
                put_in_place(mutant)
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
    for name, function in ((FELT, _felt), (WEIGHED, _weighed), (CAUGHT, _caught), (SAID, Said)):
        setattr(builtins, name, function)
    sys.meta_path.insert(0, TellingFinder)  # type: ignore[arg-type]
    sweep = Sweep(order)
    options = ["-q", "-s", "-n", "0", *order["options"]]
    status = pytest.main([*options, *order["tests"]], plugins=[sweep])
    sweep.tell(status=int(status))
    os._exit(0)  # a test that failed may have left a thread behind that never ends


if __name__ == "__main__":
    main()
