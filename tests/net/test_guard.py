"""The guard in tests/conftest.py catches what pytest-twisted doesn't."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFTEST = ROOT / "tests" / "conftest.py"

CARELESS = """
from twisted.internet import reactor
from twisted.internet.defer import Deferred, fail
from twisted.internet.protocol import Factory


def test_loses_an_error():
    fail(RuntimeError("nobody looks"))


def test_loses_an_error_in_a_cycle():
    lost = Deferred()
    lost.itself = lost
    lost.errback(RuntimeError("nobody looks"))


def test_leaves_a_timer():
    reactor.callLater(60, print)


def test_leaves_a_port():
    reactor.listenTCP(0, Factory(), interface="127.0.0.1")


async def test_is_wrong():
    assert await Deferred.fromCoroutine(two()) == 3


async def two():
    return 2
"""


@pytest.mark.deep  # it only tests tests/conftest.py
def test_a_test_that_leaves_something_behind_fails(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    (tmp_path / "test_careless.py").write_text(CARELESS)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--reactor=asyncio", "-rA"]
    run = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = set(re.findall(r"^ERROR \S+::(\w+)", run.stdout, re.MULTILINE))
    assert failed == {
        "test_loses_an_error",
        "test_loses_an_error_in_a_cycle",
        "test_leaves_a_timer",
        "test_leaves_a_port",
    }, run.stdout
    assert "1 failed, 4 passed, 4 errors" in run.stdout  # the coroutine was awaited
