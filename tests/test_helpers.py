"""Verifying with other processes has the same outcome as verifying alone, whatever they do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

import ginpeer
from ginpeer import helpers
from ginpeer.helpers import Process, start_helpers
from ginpeer.referee.referee import Helper, Helpers, Referee
from ginpeer.store.log import read_log
from protocol.crypto import group_sodium, shuffle
from protocol.deck.audit import Disclosed
from tests.cheating.cheat import one_hand, two_hands
from tests.matches.golden_logs import FOLDER
from tests.referee.test_admit_all import outcome, with_false_proof

REPOSITORY = Path(ginpeer.__file__).parent.parent


class InProcess:
    """A helper in this process."""

    def __init__(self, index: int, processes: int, verified: Sequence[bytes] = ()) -> None:
        self._place = index, processes
        self._referee, self._answers, self._broken = Referee(), list[bytes](), False
        self._referee.admit_all(verified, verified=len(verified))
        self.ended = 0

    def send(self, entries: Sequence[bytes], turn: int) -> None:
        try:
            assert not self._broken
            self._referee.admit_share(entries, turn, *self._place)
        except Exception:
            self._broken = True
        else:
            self._answers.append(self._referee.table.head)

    def confirms(self, head: bytes) -> bool:
        return bool(self._answers) and self._answers.pop(0) == head

    def end(self) -> None:
        self.ended += 1


def in_process(number: int) -> Helpers:
    """Return what starts this many helpers in this process."""

    def start(verified: Sequence[bytes]) -> Sequence[Helper]:
        return [InProcess(index, number + 1, verified) for index in range(1, number + 1)]

    return start


@pytest.mark.parametrize(("batch", "number"), [(2, 1), (5, 2), (9, 3)])
def test_a_valid_log_leads_to_the_same_table(batch: int, number: int) -> None:
    entries = two_hands().entries
    assert outcome(entries, batch, in_process(number)) == outcome(entries, None)


@pytest.mark.parametrize("number", [1, 2])
def test_a_false_proof_is_refused_at_its_entry(number: int) -> None:
    """Whoever's turn it is."""
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
        super().__init__(1, 2)
        self._how, self._good = how, good

    def confirms(self, head: bytes) -> bool:
        self._good -= 1
        if self._good < 0:
            self._answers[:] = {"ends": [], "says something else": [bytes(32)]}[self._how]
        return super().confirms(head)


@pytest.mark.parametrize("how", ["ends", "says something else"])
@pytest.mark.parametrize("good", [0, 1, 3])
def test_if_a_helper_fails_everything_is_verified_here(how: str, good: int) -> None:
    entries, helper = two_hands().entries, Failing(how, good)
    assert outcome(entries, 5, lambda verified: [helper]) == outcome(entries, None)
    assert helper.ended == 1


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
    monkeypatch.setattr(helpers, "__version__", "0.1")
    entries = one_hand().entries
    assert outcome(entries, 5, start_helpers) == outcome(entries, None)
    assert not any(confirmed)


def test_a_helper_with_another_group_confirms_nothing(
    confirmed: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GINPEER_GROUP", "pure")  # only new processes read it
    entries = one_hand().entries
    assert outcome(entries, 5, start_helpers) == outcome(entries, None)
    assert not any(confirmed)


@pytest.mark.parametrize(("name", "value"), [("frozen", True), ("executable", "")])
def test_no_helper_is_started_without_an_interpreter(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    monkeypatch.setattr(group_sodium, "CORES", 3)
    monkeypatch.setattr(sys, name, value, raising=False)
    assert start_helpers(()) == []


def test_a_helper_that_cannot_be_started_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_sodium, "CORES", 3)
    monkeypatch.setattr(sys, "executable", str(REPOSITORY / "no such program"))
    assert start_helpers(()) == []


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
        "helper = Process(1, 2, [])\n"
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
