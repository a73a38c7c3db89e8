"""A guest who lacks the end of a match gets it, whichever way the host was restarted."""

import os
import time
from dataclasses import replace

import pytest

from ginpeer.match_store import TableKeeper
from ginpeer.seat.seat import Options, position_of
from ginpeer.store import Home, read_log
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import read_notes
from protocol.crypto.identity import IdentityKey
from tests.cli.match.sides import PATIENCE, store_match


@pytest.fixture
def finished_match(sides):
    """Return two players who have finished a match, and the host's port."""
    return *sides, store_match(sides)


def without_last(side, count):
    """Leave out the last *count* entries of the log, as restoring a backup does. Return the whole
    log."""
    (log,) = side.logs
    whole = log.read_bytes()
    log.write_bytes(log_bytes(read_log(log).entries[:-count]))
    return whole


@pytest.mark.deep  # tests/seat/test_catching_up.py tests this in memory
def test_a_guest_that_lacks_the_end_receives_it_without_sitting_down(finished_match):
    """Even a host that wants a new match sends it."""
    host, guest, port = finished_match
    whole = without_last(guest, 1)
    host.start("host", "--new", "--bot", "--listen", f"127.0.0.1:{port}")
    host.invite()
    guest.start("resume", "--bot", *PATIENCE)
    assert guest.ends() == 0
    host.wait_for("^event info text=.*ginpeer has sent the rest")
    assert host.process.poll() is None  # it is still waiting for a friend
    assert "event connected" not in host.text
    assert guest.logs[0].read_bytes() == host.logs[0].read_bytes() == whole


def test_a_match_that_is_over_on_both_sides_is_not_said_to_continue(finished_match, start_terminal):
    host, guest, port = finished_match
    name = host.logs[0].stem[:6]
    ann = start_terminal(host.home, "resume", name, "--listen", f"127.0.0.1:{port}")
    ann.expect("This match is over: .* won .*in case theirs isn't")
    ann.invite()
    ben = start_terminal(guest.home, "resume", name)
    ben.expect("This match is over: ")
    ann.expect("The match is over: (you|Ben) won ")
    assert "continues" not in ann.child.before
    ann.expect("Another match with Ben .rules: standard target=1.")
    ben.expect("The match is over: ")


def test_the_end_of_a_match_goes_only_to_the_opponent_who_lacks_it(finished_match):
    host, _, _ = finished_match
    (log,) = host.logs
    notes, entries = read_notes(log), read_log(log).entries
    keeper = TableKeeper(
        Home.locate(str(host.home), {}),
        *("host", IdentityKey.generate(os.urandom)),
        name="Ann",
        options=Options(),
        rng=os.urandom,
        now=time.time,
    )
    lacking = position_of(entries[:-1], notes.table)
    assert keeper.missing_entries(notes.peer, lacking, True) == tuple(entries[-1:])
    assert keeper.missing_entries(bytes(32), lacking, True) == ()
    # Once the players have sat down, the host's seat sends it.
    assert keeper.missing_entries(notes.peer, lacking, False) == ()
    assert keeper.missing_entries(notes.peer, replace(lacking, head=bytes(32)), True) == ()
    assert keeper.missing_entries(notes.peer, replace(lacking, table=bytes(32)), True) == ()
    assert keeper.missing_entries(notes.peer, position_of(entries, notes.table), True) == ()
    log.write_bytes(log_bytes(entries[:-5]))
    assert keeper.missing_entries(notes.peer, position_of(entries[:-6], notes.table), True) == ()
