"""Verifying with other processes has the same outcome as verifying alone, whatever they do."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ginpeer
from ginpeer import helpers
from ginpeer.helpers import Process, start_helpers
from ginpeer.referee.referee import Admitted, Helper, Helpers, Referee, Share
from ginpeer.store.log import read_log
from protocol.crypto import group_sodium, shuffle
from protocol.deck.audit import Disclosed
from protocol.entry import entry_hash
from tests.cheating.cheat import one_hand, two_hands
from tests.matches.golden_logs import FOLDER
from tests.referee.test_admit_all import outcome, with_false_proof

REPOSITORY = Path(ginpeer.__file__).parent.parent


class InProcess:
    """A helper in this process."""

    def __init__(self, verified: Sequence[bytes] = ()) -> None:
        self._referee, self._answers, self._works = Referee(), list[bytes](), True
        self._referee.admit_all(verified, verified=len(verified))
        self.ended = 0

    def send(self, entries: Sequence[bytes], share: Share) -> bool:
        if self._works:
            try:
                self._referee.admit_share(entries, share)
            except Exception:
                self._works = False
            else:
                self._answers.append(self._referee.table.head)
        return True

    def confirms(self, head: bytes) -> bool:
        return bool(self._answers) and self._answers.pop(0) == head

    def end(self) -> None:
        self.ended += 1


def in_process(number: int) -> Helpers:
    """Return what starts this many helpers in this process."""
    return lambda verified: [InProcess(verified) for _ in range(number)]


@pytest.mark.parametrize(("batch", "number"), [(2, 1), (5, 2), (9, 3)])
def test_a_valid_log_leads_to_the_same_table(batch: int, number: int) -> None:
    entries = two_hands().entries
    assert outcome(entries, batch, in_process(number)) == outcome(entries, None)


@pytest.mark.parametrize("number", [1, 2])
def test_a_false_proof_is_refused_at_its_entry(number: int) -> None:
    """No matter whose turn it is."""
    match, tried = one_hand(), 0
    for entry in range(len(match.entries)):
        false = with_false_proof(match, entry)
        if false is not None:
            entries = [*match.entries[:entry], false]
            expected = outcome(entries, None)
            assert expected[0] is not None
            assert outcome(entries, 4, in_process(number)) == expected
            tried += 1
    assert tried > 10


@pytest.mark.parametrize(
    "lie", ["audit-failed", "audit-failed-in-the-shuffle", "cut-mismatch", "fork"]
)
@pytest.mark.parametrize("number", [1, 2])
def test_other_lies_are_refused_at_their_entry(lie: str, number: int) -> None:
    entries = list(read_log(FOLDER / f"evidence-{lie}.ginlog").entries)
    expected = outcome(entries, None)
    assert expected[0] is not None
    assert outcome(entries, 3, in_process(number)) == expected


def test_a_false_signature_is_noticed_by_the_process_whose_turn_it_is() -> None:
    match = one_hand()
    for entry in range(20, 32):
        raw = match.entries[entry]
        entries = [*match.entries[:entry], raw[:-1] + bytes([raw[-1] ^ 1])]
        expected = outcome(entries, None)
        assert expected[0] is not None
        assert outcome(entries, 4, in_process(1)) == expected


def test_the_processes_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is verified twice."""
    entries, done = two_hands().entries, list[str]()
    equation, audit = shuffle.equation, Disclosed.audit
    monkeypatch.setattr(shuffle, "equation", lambda *_: done.append("shuffle") or equation(*_))
    monkeypatch.setattr(Disclosed, "audit", lambda *_: done.append("audit") or audit(*_))
    outcome(entries, 5)
    alone, done[:] = sorted(done), ()
    outcome(entries, 5, in_process(2))
    assert sorted(done) == alone
    assert {"shuffle", "audit"} <= set(alone)


class Failing(InProcess):
    """A helper that fails in one way after it has confirmed *good* batches."""

    def __init__(self, how: str, good: int) -> None:
        super().__init__()
        self._how, self._good = how, good

    def send(self, entries: Sequence[bytes], share: Share) -> bool:
        if self._how == "can't be reached" and not self._good:
            return False
        return super().send(entries, share)

    def confirms(self, head: bytes) -> bool:
        self._good -= 1
        if self._good < 0:
            self._answers[:] = [bytes(32)] if self._how == "says something else" else []
        return super().confirms(head)


@pytest.mark.parametrize("how", ["ends", "says something else", "can't be reached"])
@pytest.mark.parametrize("good", [0, 1, 3])
def test_if_a_helper_fails_everything_is_verified_here(how: str, good: int) -> None:
    entries, helper = two_hands().entries, Failing(how, good)
    assert outcome(entries, 5, lambda verified: [helper]) == outcome(entries, None)
    assert helper.ended == 1


@pytest.mark.parametrize(
    "started", [[], [InProcess], [partial(Failing, "ends", 0)]], ids=["none", "one", "one fails"]
)
@pytest.mark.parametrize("fails_at", [0, 1, 3, 5, 6])
def test_a_transient_fault_loses_no_entry(
    started: list[Callable[[], Helper]], fails_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example, the memory may run out for a moment."""
    entries, calls, admit_share = two_hands().entries, list[int](), Referee.admit_share

    def failing(referee: Referee, some: Sequence[bytes], share: Share) -> list[Admitted]:
        calls.append(share.index)
        if share.index == 0 and calls.count(0) == fails_at + 1:
            raise MemoryError
        return admit_share(referee, some, share)

    monkeypatch.setattr(Referee, "admit_share", failing)
    helped = outcome(entries, 5, lambda verified: [start() for start in started])
    assert calls.count(0) > fails_at
    assert helped == outcome(entries, None)


def test_what_is_verified_already_is_not_verified_again(monkeypatch: pytest.MonkeyPatch) -> None:
    entries, started = two_hands().entries, list[Sequence[bytes]]()

    def start(verified: Sequence[bytes]) -> Sequence[Helper]:
        started.append(list(verified))
        return in_process(1)(verified)

    referee = Referee()
    referee.admit_all(entries, verified=30, batch=5, helpers=start)
    assert started == [list(entries[:30])]
    assert referee.table.finished


# --- real processes -----------------------------------------------------------------------


@pytest.fixture
def confirmed(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Start two helpers, whatever this machine has; return what they have confirmed."""
    if sys.platform == "win32":
        pytest.skip("no helper is started on Windows")
    answers, confirms = list[bool](), Process.confirms

    def noted(process: Process, head: bytes) -> bool:
        answers.append(confirms(process, head))
        return answers[-1]

    monkeypatch.setattr(group_sodium, "CORES", 3)
    monkeypatch.setattr(Process, "confirms", noted)
    return answers


def test_real_helpers_confirm_every_batch_of_a_valid_log(confirmed: list[bool]) -> None:
    entries = two_hands().entries
    assert outcome(entries, 20, start_helpers) == outcome(entries, None)
    assert confirmed == [True] * 2 * -(-len(entries) // 20)


def test_a_real_helper_confirms_no_false_proof(confirmed: list[bool]) -> None:
    match = one_hand()
    theirs = [k for k in range(len(match.entries)) if (k // 5) % 3 != 1 and k >= 20]
    found = ((k, with_false_proof(match, k)) for k in theirs)  # this process begins with two turns
    entry, false = next((k, raw) for k, raw in found if raw is not None)
    entries = [*match.entries[:entry], false]
    assert outcome(entries, 5, start_helpers) == outcome(entries, None)
    assert False in confirmed


def test_a_helper_of_another_version_confirms_nothing(
    confirmed: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ginpeer, "__version__", "0.1")
    entries = one_hand().entries
    assert outcome(entries, 5, start_helpers) == outcome(entries, None)
    assert not any(confirmed)


def test_a_helper_with_another_group_confirms_nothing(
    confirmed: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = one_hand().entries
    monkeypatch.setenv("GINPEER_GROUP", "pure")  # this process has chosen its group by now
    assert outcome(entries, 5, start_helpers) == outcome(entries, None)
    assert not any(confirmed)


@pytest.mark.parametrize(
    ("name", "value"),
    [("frozen", True), ("executable", ""), ("executable", "/bin/gdb"), ("platform", "win32")],
)
def test_no_helper_is_started_without_an_interpreter(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    monkeypatch.setattr(group_sodium, "CORES", 3)
    monkeypatch.setattr(sys, name, value, raising=False)
    assert start_helpers(()) == []


@pytest.mark.parametrize("possible", [0, 1])
def test_helpers_that_fail_to_start_get_no_share(
    possible: int, confirmed: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    started, start = list[object](), subprocess.Popen

    def starting(*arguments: object, **options: object) -> object:
        if len(started) == possible:
            raise BlockingIOError("the process limit is reached")
        started.append(None)
        return start(*arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", starting)
    shares, send = list[Share](), Process.send
    monkeypatch.setattr(Process, "send", lambda *_: shares.append(_[2]) or send(*_))
    entries = two_hands().entries
    assert outcome(entries, 20, start_helpers) == outcome(entries, None)
    batches = -(-len(entries) // 20)
    assert confirmed == [True] * possible * batches
    assert [(each.index, each.processes) for each in shares] == [(1, 2)] * possible * batches


@pytest.mark.parametrize("possible", [1, 2])
def test_ctrl_c_leaves_no_helper(
    possible: int, confirmed: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither while they are started nor while the first of them is ended."""
    started, start, end = list[Any](), subprocess.Popen, Process.end

    def starting(*arguments: Any, **options: Any) -> Any:
        if len(started) == possible:
            raise KeyboardInterrupt
        started.append(start(*arguments, **options))
        return started[-1]

    def ending(process: Process) -> None:
        end(process)
        if process._process is started[-1]:
            raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", starting)
    monkeypatch.setattr(Process, "end", ending)
    with pytest.raises(KeyboardInterrupt):
        outcome(one_hand().entries, 5, start_helpers)
    assert len(started) == possible
    assert all(each.returncode is not None for each in started)


def test_a_stalled_helper_is_killed(confirmed: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helpers, "PATIENCE", 2.0)
    stopped, send = list[int](), Process.send

    def stopping(process: Process, entries: Sequence[bytes], share: Share) -> bool:
        if not stopped:
            stopped.append(process._process.pid)
            os.kill(process._process.pid, signal.SIGSTOP)
        return send(process, entries, share)

    monkeypatch.setattr(Process, "send", stopping)
    entries = one_hand().entries
    assert outcome(entries, 5, start_helpers) == outcome(entries, None)
    assert False in confirmed
    with pytest.raises(ProcessLookupError):
        os.kill(stopped[0], 0)


def test_a_helper_that_finds_other_files_confirms_nothing(
    confirmed: list[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The same version of this program may be installed twice."""
    for package in ("ginpeer", "protocol"):
        ignored = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(REPOSITORY / package, tmp_path / package, ignore=ignored)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path, tmp_path])
    entries = one_hand().entries
    assert outcome(entries, 5, start_helpers) == outcome(entries, None)
    assert not any(confirmed)
    assert not list(tmp_path.glob("**/__pycache__"))  # nor does it leave files there


@pytest.mark.skipif(sys.platform == "win32", reason="no helper is started on Windows")
def test_a_helper_confirms_only_its_own_history_and_ignores_signals() -> None:
    """The signals are for the process that it helps."""
    entries = one_hand().entries
    helper = Process(helpers._same_program(), entries[:2])
    try:
        assert helper._has_started()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            helper._process.send_signal(number)
        for some in (entries[2:5], entries[5:8]):
            assert helper.send(some, Share(1, 2, 0))
        assert helper.confirms(entry_hash(entries[4]))
        assert not helper.confirms(entry_hash(entries[6]))
    finally:
        helper.end()


TRAPPED = """
import sys
sys.path.insert(0, sys.argv[1])
from ginpeer import helpers
from ginpeer.referee import referee
from ginpeer.store.log import read_log
from protocol.crypto import group_sodium
group_sodium.CORES, confirmed, confirms = 2, [], helpers.Process.confirms
def noted(process, head):
    confirmed.append(confirms(process, head))
    return confirmed[-1]
helpers.Process.confirms = noted
sys.path.insert(0, "")
judge = referee.Referee()
judge.admit_all(read_log(sys.argv[2]).entries, batch=9, helpers=helpers.start_helpers)
print(judge.table.finished, set(confirmed))
"""


def test_a_helper_imports_nothing_from_the_current_folder(tmp_path: Path) -> None:
    """Not even if PYTHONPATH or our own sys.path says so."""
    for name in ("json", "sitecustomize", "ginpeer", "protocol", "queue"):
        trap = tmp_path / name / "__init__.py"
        trap.parent.mkdir()
        trap.write_text("open('imported', 'w').write(__name__)\n")
    log = REPOSITORY / "tests/vectors/logs/one-hand.ginlog"
    run = subprocess.run(
        [sys.executable, "-I", "-c", TRAPPED, str(REPOSITORY), str(log)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (run.stdout, run.stderr) == ("True {True}\n", "")
    assert not (tmp_path / "imported").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="it has no SIGKILL")
def test_a_helper_ends_with_the_process_that_started_it() -> None:
    program = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from ginpeer.helpers import Process\n"
        "helper = Process([], [])\n"
        "print(helper._process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-I", "-c", program, str(REPOSITORY)], stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    helper = int(started.stdout.readline())
    started.kill()
    started.wait()
    started.stdout.close()
    for _ in range(200):
        try:
            os.kill(helper, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    with suppress(ProcessLookupError):
        os.kill(helper, signal.SIGKILL)
    pytest.fail("the helper is still running")
