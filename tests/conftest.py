"""Guard every test: if Twisted would silently drop an error, the test that caused it fails.

pytest-twisted passes a test even if its Deferred failed unobserved, or if it left a timer
running or a socket open. Here a test fails if it leaves behind
  - a failure in Twisted's log ("Unhandled error in Deferred" comes with garbage collection),
  - a delayed call of the reactor, after a moment's grace,
  - a reader or writer (a port, a connection) of the reactor, after the same grace.
A test that expects a logged failure removes it from the `logged_failures` fixture.
"""

import contextlib
import gc
import importlib
import inspect
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import pytest_twisted
from _pytest.runner import runtestprotocol
from twisted.internet.defer import Deferred
from twisted.logger import globalLogPublisher

from tests.remembered import remember
from tests.toy_group import toy_group

# An example's time depends more on the machine than on the code. Each run tries new examples.
hypothesis.settings.register_profile("ginpeer", deadline=None, max_examples=50)
hypothesis.settings.register_profile("deep", deadline=None)

# A suite started in the background (nohup, a script's &) may inherit ignored signals, and our
# commands rightly keep what they inherit. The tests that press Ctrl-C start from the default.
for _name in ("SIGINT", "SIGTERM", "SIGHUP"):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(
            _number,
            signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL,
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", action="store_true", help="run the tests that are marked deep, too")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Run each test that is a coroutine in the reactor."""
    if inspect.iscoroutinefunction(getattr(item, "obj", None)):
        pytest_twisted.ensureDeferred(item.obj)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests marked deep: long sweeps, and all but a sample of some families of cases.

    ``@pytest.mark.deep(keep=3)`` keeps three of a test's parameters, spread evenly over those that
    aren't deep themselves. Nothing is skipped with --deep, and a test named on the command line
    always runs.
    """
    if config.getoption("deep") or any("::" in arg for arg in config.args):
        return
    families: dict[str, list[pytest.Item]] = {}
    left_out: set[pytest.Item] = set()
    for item in items:
        kept = [marker.kwargs.get("keep", 0) for marker in item.iter_markers("deep")]
        if 0 in kept:
            left_out.add(item)
        elif kept:
            families.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for family in families.values():
        marker = family[0].get_closest_marker("deep")
        keep = min(marker.kwargs["keep"], len(family)) if marker else 0
        sample = {(2 * n + 1) * len(family) // (2 * keep) for n in range(keep)}
        left_out.update(item for at, item in enumerate(family) if at not in sample)
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Let the workers share the compiling of the tests, which takes a sixth of a whole run. Each
    starts with a different file, and finds the others' results in the folder of the run."""
    config = session.config
    if not hasattr(config, "workerinput") or config.args_source is not config.ArgsSource.TESTPATHS:
        return
    number = int(config.workerinput["workerid"].removeprefix("gw"))
    files = sorted(config.rootpath.glob("tests/**/test_*.py"))
    start = len(files) * number // config.workerinput["workercount"]
    before = sys.dont_write_bytecode, sys.pycache_prefix
    sys.dont_write_bytecode, sys.pycache_prefix = False, config.workerinput["compiled"]
    try:
        for path in files[start:] + files[:start]:
            name = path.relative_to(config.rootpath).with_suffix("").as_posix().replace("/", ".")
            with contextlib.suppress(Exception):  # collecting the file will report the error
                importlib.import_module(name)
    finally:
        sys.dont_write_bytecode, sys.pycache_prefix = before


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker report only the result of a test that passes, unless --durations asks for more:
    five messages about each of many thousand tests take longer than many of these tests."""
    if not hasattr(item.config, "workerinput") or item.config.getoption("durations"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_xdist_auto_num_workers() -> int:
    """Return one more than the number of cores: every third test waits for processes it started."""
    return (os.cpu_count() or 1) + 1


def pytest_configure_node(node) -> None:
    """Tell the workers in which folder they share compiled modules."""
    node.workerinput["compiled"] = _compiled(node.config)


def pytest_configure(config: pytest.Config) -> None:
    """Start remembering sums. Also compile the program only once for all processes that tests
    start, even if Python is told not to write compiled modules: compiling would add a third of a
    second to each of several hundred processes."""
    hypothesis.settings.load_profile("deep" if config.getoption("deep") else "ginpeer")
    shared = getattr(config, "workerinput", {}).get("compiled")
    # Before the tests are collected, as some modules play a match when they are imported.
    remember(Path(shared, "sums") if shared and hasattr(os, "pread") else None)
    if os.environ.get("PYTHONDONTWRITEBYTECODE") and not config.getoption("numprocesses", None):
        folder = shared or _compiled(config)
        del os.environ["PYTHONDONTWRITEBYTECODE"]
        os.environ["PYTHONPYCACHEPREFIX"] = folder


def _compiled(config: pytest.Config) -> str:
    """Return the folder for compiled modules, which is deleted after the run."""
    if _COMPILED not in config.stash:
        folder = tempfile.TemporaryDirectory(prefix="ginpeer-compiled-", ignore_cleanup_errors=True)
        config.stash[_COMPILED] = folder.name
        config.add_cleanup(folder.cleanup)
    return config.stash[_COMPILED]


_COMPILED = pytest.StashKey[str]()

GRACE_TURNS = 50  # of 10 ms; closing takes a turn or two


def _turn(reactor) -> None:
    """Let the reactor run for a moment. Call this only from outside the reactor."""
    done = Deferred()
    reactor.callLater(0.01, done.callback, None)
    pytest_twisted.blockon(done)


def _open_files(reactor) -> set:
    return {*reactor.getReaders(), *reactor.getWriters()}


@pytest.fixture(scope="session", autouse=True)
def _running_reactor() -> None:
    """Start the reactor, with everything it opens for itself, before the first test.
    The garbage collection after each test skips everything made until then."""
    from twisted.internet import reactor

    _turn(reactor)
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def in_the_toy_group() -> Iterator[None]:
    """Use the toy group in a module whose tests aren't about proofs."""
    with toy_group():
        yield


@pytest.fixture(scope="module")
def in_the_toy_group_unless_deep(request: pytest.FixtureRequest) -> Iterator[None]:
    """Use the toy group, but with --deep the real one, in which the module's tests hold as well."""
    with contextlib.nullcontext() if request.config.getoption("--deep") else toy_group():
        yield


@pytest.fixture
def silent_port():
    """Return a port that never answers: its queue is full, so Linux drops new connections."""
    with contextlib.ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(2):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield full.getsockname()[1]


@pytest.fixture
def closing() -> Iterator[list]:
    """Yield a list to which a test adds coroutine functions that close what it has opened. After
    the test they run in reverse order."""
    closers: list = []

    async def close_all() -> None:
        for close in reversed(closers):
            await close()

    yield closers
    pytest_twisted.blockon(Deferred.fromCoroutine(close_all()))


@pytest.fixture
def logged_failures() -> list:
    """Return the failures that Twisted logged during this test. A test that expects one removes
    it."""
    return []


@pytest.fixture(autouse=True)
def _nothing_left_behind(logged_failures: list) -> Iterator[None]:
    from twisted.internet import reactor

    def observe(event) -> None:
        if event.get("log_failure") is not None:
            logged_failures.append(event["log_failure"])

    files_before = _open_files(reactor)
    calls_before = set(reactor.getDelayedCalls())
    globalLogPublisher.addObserver(observe)
    try:
        yield
        turns = 0
        while turns < GRACE_TURNS and (
            set(reactor.getDelayedCalls()) - calls_before or _open_files(reactor) - files_before
        ):
            _turn(reactor)
            turns += 1
        gc.collect()  # a Deferred reports its unhandled failure when it is collected
        gc.freeze()  # later collections needn't examine objects that outlive this test
    finally:
        globalLogPublisher.removeObserver(observe)

    problems = [f"a failure was logged: {failure!r}" for failure in logged_failures]
    for call in set(reactor.getDelayedCalls()) - calls_before:
        problems.append(f"a delayed call is left: {call}")
        call.cancel()
    for file in _open_files(reactor) - files_before:
        problems.append(f"a file is left open: {file!r}")
        reactor.removeReader(file)
        reactor.removeWriter(file)
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)
