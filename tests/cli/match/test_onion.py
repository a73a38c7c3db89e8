"""`ginpeer host --tor` and `ginpeer join --through`: what they print, store and tell the host."""

from __future__ import annotations

import socket
from functools import partial
from types import SimpleNamespace

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from cli.main import main
from cli.match import ways_in
from cli.match.ways_in import PASSWORD_VARIABLE, offer_onion
from cli.program import Failure
from ginpeer.net.address import Address
from ginpeer.net.connector import connect
from ginpeer.net.tor import OnionService
from ginpeer.store.small_files import OnionKeyFile
from tests.net.support import LOOPBACK, a_guest, a_host, leave, open_house, until
from tests.net.tor_server import COOKIE, HOST, KEY, TorServer

EXAMPLE = (
    "gin1-pwlyabl6ut4prf7j-aj3rdvgdfeaacaqd-aqcqmbyibeaqcfae-yyzwibygeaaq3oaa-"
    "aaaaaaaaaaaaaaaa-a6aawz3jnyxgk6db-nvygyziromdozr6l"
)


class Match:
    """The parts of a match that offer_onion() uses."""

    way_to_leave = "type quit"

    def __init__(self, home):
        self.told = []
        self.triggers = []
        self.home = SimpleNamespace(path=home)
        self.presenter = SimpleNamespace(info=lambda *lines: self.told.extend(lines))
        self.reactor = self
        self.answered = []  # whether each of Tor's connections to our port was answered

    def __getattr__(self, name):
        return getattr(reactor, name)

    def addSystemEventTrigger(self, phase, event, call):
        assert (phase, event) == ("before", "shutdown")
        self.triggers.append(call)


@pytest.fixture
def offer_address(closing, tmp_path, monkeypatch):
    """Return a function that offers an onion address. It returns the match, the listening port and
    the fake Tor."""

    def offer(key=None, **settings):
        server = TorServer(closing, **settings)
        path = tmp_path / "cookie"
        path.write_bytes(COOKIE)
        path.chmod(0o600)
        server.path = str(path)
        monkeypatch.setattr(
            ways_in, "OnionService", partial(OnionService, ports=(server.address,), socks=())
        )
        match = Match(tmp_path / "home")
        listening = open_house(closing, a_host(eager=False))
        if key is not None:
            OnionKeyFile(match.home.path).keep(key)
        offer_onion(match, listening, match.answered.append)

        async def stop():
            for call in match.triggers:
                await call()

        closing.append(stop)
        return match, listening, server

    return offer


@ensureDeferred
async def test_the_invite_names_the_onion_address_once_the_service_is_ready(offer_address):
    match, listening, server = offer_address()
    before = listening.invite
    await until(lambda: match.answered)
    assert match.answered == [True]
    invite = listening.invite
    assert invite.secret == before.secret
    assert invite.addresses == (*before.addresses, Address(f"{HOST}.onion", 4466))
    assert f"Port=4466,{LOOPBACK}:{listening.port}" in server.orders[4]
    assert len(match.told) == 2
    assert OnionKeyFile(match.home.path).load() == KEY


@ensureDeferred
async def test_the_key_in_the_home_gives_the_same_onion_address_again(offer_address):
    other = "B" * 85 + "A=="
    match, _, server = offer_address(key=other)
    await until(lambda: match.answered)
    assert server.orders[4].startswith(f"ADD_ONION ED25519-V3:{other} ")
    assert OnionKeyFile(match.home.path).load() == other


@ensureDeferred
async def test_a_tor_that_proves_nothing_gives_an_address_for_this_time_only(offer_address):
    match, _, _ = offer_address(methods="NULL")
    await until(lambda: match.answered)
    assert OnionKeyFile(match.home.path).load() is None
    assert "works only this time" in match.told[-1]


@ensureDeferred
async def test_the_onion_service_is_removed_when_the_program_ends(offer_address):
    match, _, server = offer_address()
    await until(lambda: match.answered)
    (call,) = match.triggers
    await call()
    assert server.orders[-1] == f"DEL_ONION {HOST}"
    assert len(match.told) == 2


@ensureDeferred
async def test_a_tor_failure_is_reported_and_the_host_keeps_waiting(offer_address):
    match, listening, _ = offer_address(says={"ADD_ONION": b"512 Not now\r\n"})
    before = listening.invite
    await until(lambda: len(match.told) == 2)
    assert match.told[1].endswith("(tor-refused)")
    assert "Not now" in match.told[1]
    assert (match.answered, listening.invite) == ([False], before)


@ensureDeferred
async def test_the_end_of_tor_is_reported(offer_address):
    match, _, server = offer_address()
    await until(lambda: match.answered)
    server.clients[0].abort()
    await until(lambda: len(match.told) == 3)
    assert match.told[2].endswith("(tor-gone)")


@ensureDeferred
async def test_tor_is_not_mentioned_once_the_friend_is_connected(offer_address, closing):
    match, listening, server = offer_address(publishes=False)
    await until(lambda: server.words[-1:] == ["ADD_ONION"])
    session = await connect(reactor, listening.invite, a_guest(eager=False).side)
    await until(lambda: listening.arrival.called)
    server.clients[0].event("UPLOADED", HOST)
    await until(lambda: len(listening.addresses) == 2)  # the next connection will use it
    assert len(match.told) == 1
    await leave(session)


def test_a_damaged_onion_key_ends_the_command(tmp_path):
    (tmp_path / "onion.key").write_bytes(b"not a key")
    with pytest.raises(Failure) as caught:
        offer_onion(Match(tmp_path), None, lambda up: None)
    assert (caught.value.code, caught.value.status) == ("bad-onion-key-file", 70)


def test_the_password_of_the_control_port_comes_from_a_file(tmp_path):
    assert ways_in._password({}) is None
    path = tmp_path / "password"
    path.write_bytes(b"a password\r\n")
    assert ways_in._password({PASSWORD_VARIABLE: str(path)}) == b"a password"
    path.write_bytes(bytes(2_000))
    for named in (path, tmp_path, tmp_path / "none", "\0"):
        with pytest.raises(Failure) as caught:
            ways_in._password({PASSWORD_VARIABLE: str(named)})
        assert caught.value.code == "usage"


@pytest.mark.parametrize("command", [("join", EXAMPLE), ("resume",)])
def test_an_invalid_proxy_is_refused_in_one_line(tmp_path, capsys, command):
    proxy = "http://ada:secret@h:1"
    assert main(["--home", str(tmp_path), *command, "--through", proxy]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith("(address-unreadable)\n")
    assert "secret" not in printed.err


def test_a_host_next_door_is_not_reached_if_the_proxy_is_off(tmp_path, start_script):
    host = start_script(tmp_path / "a", "host", "--listen", f"{LOOPBACK}:0", "-v")
    invite = host.invite()
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        proxy = f"socks5://{LOOPBACK}:{taken.getsockname()[1]}"
        guest = start_script(tmp_path / "b", "join", "--through", proxy, invite)
        assert guest.wait_for("end")["code"] == "proxy-not-there"
        assert guest.end()[0] == 4
    assert host.end("quit") == (4, "")
    assert not any("tried to connect" in line for line in host.lines)
