"""What a waiting host reads: who needs no invite, who tried to connect, and who is a bot."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest

from cli.match import hosting
from cli.match.hosting import HostContact, HostOptions, _tell_rejected
from cli.text.connecting import REASONS
from ginpeer.net import in_process
from ginpeer.net.acceptor import END_GIVEN
from ginpeer.net.address import Address
from ginpeer.net.limits import RejectedConnection
from ginpeer.net.own_addresses import classify_address
from ginpeer.store import MatchNotes
from tests.cli.match.fakes import FakeMatch
from tests.net.support import LOOPBACK, acceptor_at


def test_failed_connections_are_reported_in_verbose_mode(tmp_path, start_script):
    script = start_script(tmp_path, "host", "--listen", f"{LOOPBACK}:0", "-v")
    port = int(script.wait_for("listening")["addresses"].rpartition(":")[2])
    for _ in range(2):
        with socket.create_connection((LOOPBACK, port), timeout=10) as stranger:
            stranger.sendall(b"\x1b[2J event info text=lies\r\n\r\n")
            while stranger.recv(1000):  # until the host closes the connection
                pass
        told = script.wait_for("info")["text"]
        assert f" {LOOPBACK}:" in told
        assert told.endswith(f": {REASONS['tls-failed']}. (tls-failed)")
    assert script.end("quit") == (4, "")
    assert script.lines[-1].startswith("event end code=left ")
    assert not any("lies" in line for line in script.lines)


def rejected(code, *, verbose=False, has_invite=False):
    """Return what the host's player reads when a guest is refused with this code."""
    ben = SimpleNamespace(name=lambda the: "Ben", name_of=lambda key: "Ben")
    match = FakeMatch(verbose=verbose, other=ben)
    guest = RejectedConnection("192.0.2.1:1", code, bytes(32), has_invite=has_invite)
    _tell_rejected(match)(guest)
    return match.told


@pytest.mark.parametrize("verbose", [True, False])
def test_a_friend_who_only_needed_the_end_of_a_match_is_not_called_refused(verbose):
    (line,) = rejected(END_GIVEN, verbose=verbose)
    assert line.startswith("Ben's log ")


def test_only_a_refused_guest_with_the_invite_is_reported_without_verbose_mode():
    assert rejected("tls-failed") == []
    (line,) = rejected("not-expected", has_invite=True)
    assert "Ben connected first" in line
    assert "type quit, then type ginpeer host --new, and send the new invite" in line


def test_bots_and_friends_played_in_another_window_are_not_expected(monkeypatch):
    monkeypatch.setattr(hosting, "still_unfinished", lambda stored, *_: stored.who)
    monkeypatch.setattr(hosting, "played_elsewhere", lambda stored, names: f"not {stored.who}")
    monkeypatch.setattr(hosting.Journal, "is_in_use", lambda path: path == "Jon")
    at = {"Bot": in_process.ADDRESS, "Ben": "192.168.1.2:4466", "Jon": "192.168.1.2:4467"}
    stored = [
        SimpleNamespace(
            who=who,
            notes=MatchNotes(bytes(32), "host", "", bytes(32), (address,), 0),
            match=SimpleNamespace(path=who),
        )
        for who, address in at.items()
    ]
    keeper = SimpleNamespace(awaited_matches=lambda: stored, played_with=lambda: None)
    match = FakeMatch(names=None, keeper=keeper)
    hosting._tell_who_is_expected(match)
    assert match.told == ["Ben", "not Jon"]


@pytest.fixture
def waiting(monkeypatch):
    """Return a function that returns a match and its contact, which asks nobody but perhaps a
    router."""
    monkeypatch.setattr(hosting, "_tell_who_is_expected", lambda match: match.told.append("Jon"))
    public = SimpleNamespace(may_ask=False, on_router_result=lambda **_: None)
    monkeypatch.setattr(hosting, "HostRouters", lambda *_: SimpleNamespace(ask=lambda: None))
    monkeypatch.setattr(hosting, "PublicAddressLookup", lambda *_, **more: public)

    def waiting(*, has_come=False, mapping=False):
        match = FakeMatch(
            console=SimpleNamespace(print=lambda *_, **more: None),
            keeper=SimpleNamespace(live=object() if has_come else None),
            identity=SimpleNamespace(public=bytes(32)),
        )
        match.presenter.begin_waiting = lambda *_, **more: None
        listening = acceptor_at((classify_address(Address("192.168.1.2", 4466)),), match.reactor)
        return match, HostContact(match, listening, HostOptions(mapping=mapping))

    return waiting


@pytest.mark.parametrize("has_come", [False, True])
def test_once_a_guest_has_come_nobody_else_is_said_to_be_expected(waiting, has_come):
    """The guest may come, and lose the connection, before the invite is printed."""
    match, contact = waiting(has_come=has_come)
    contact.await_friend()
    assert ("Jon" in match.told) is not has_come


def test_what_a_friend_elsewhere_needs_is_said_once_when_the_router_has_answered(waiting):
    match, contact = waiting(mapping=True)
    contact.begin()
    contact.await_friend()  # who came and left in the meantime
    assert not any("forward TCP port" in line for line in match.told)
    contact.on_router_answer(None)
    contact.await_friend()
    assert sum("forward TCP port" in line for line in match.told) == 1


def test_a_club_with_a_free_table_is_not_told_that_its_guest_has_not_connected(waiting):
    match, contact = waiting()
    match.other = SimpleNamespace(peer=None)  # each table of a club has its own
    contact._public.same_port = None
    contact._tell_stuck()
    assert len(match.told) == 1
    contact._listening.arrival.callback(None)
    contact._tell_stuck()
    assert len(match.told) == 1


@pytest.mark.parametrize(
    ("friend", "expected", "nobody_else"),
    [(None, {b"opponent"}, False), (SimpleNamespace(key=b"friend"), {b"friend"}, True)],
)
def test_a_host_expects_only_its_friend_or_else_the_opponents_of_its_matches(
    monkeypatch, friend, expected, nobody_else
):
    opened = []

    def accept(*parts, **settings):
        opened.append((settings["expected"], settings["nobody_else"]))
        here = SimpleNamespace(host=LOOPBACK, port=4466)
        return SimpleNamespace(listening_port=SimpleNamespace(getHost=lambda: here))

    monkeypatch.setattr(hosting, "Acceptor", accept)
    keeper = SimpleNamespace(expected=lambda: frozenset({b"opponent"}))
    match = FakeMatch(keeper=keeper, side=lambda: None, open_stored=lambda key: None)
    hosting.open_port(match, HostOptions(friend=friend))
    assert opened == [(expected, nobody_else)]
    assert keeper.listens == f"{LOOPBACK}:4466"


@pytest.fixture
def scripts(tmp_path, start_script):
    return lambda name, *typed: start_script(tmp_path / name, *typed, "--name", name)


def test_host_and_guest_each_learn_whether_the_other_is_a_bot(scripts):
    host = scripts("ann", "host", "--listen", f"{LOOPBACK}:0")
    guest = scripts("ben", "join", "--bot", host.invite())
    assert host.wait_for("connected")["bot"] == "yes"
    assert guest.wait_for("connected")["bot"] == "no"


def test_a_program_in_practice_learns_that_a_bot_plays(scripts):
    assert scripts("ann", "practice").wait_for("connected")["bot"] == "yes"


def test_a_host_that_is_reached_elsewhere_says_where_it_waits_and_where_the_invite_leads(
    tmp_path, start_terminal
):
    where = ("--listen", "127.0.0.1:0", "--advertise", "my.home.example:4466")
    host = start_terminal(tmp_path, "host", *where)
    host.expect(r"Waiting on port (\d+)[^(]* leads to\s+(\S+)\s+\(")
    assert host.child.match[2] == "my.home.example:4466"
    with socket.create_connection((LOOPBACK, int(host.child.match[1]))):
        pass
