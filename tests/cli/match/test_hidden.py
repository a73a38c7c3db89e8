"""A guest who has hidden their address connects the same way again or not at all."""

import os
import time
from types import SimpleNamespace

import pytest
from twisted.internet.defer import Deferred

from cli.commands.play import check_may_tell
from cli.main import main
from cli.match import joining
from cli.match.contact import OtherPlayer, Sessions, friend_addresses
from cli.match.joining import TOR, Route, join_match, remembered_route
from cli.program import Failure
from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, Invite
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.socks import parse_proxy
from ginpeer.store import Home, Peer
from protocol.crypto.identity import fingerprint
from tests.cli.match.fakes import FakeMatch
from tests.net.support import HOST_KEY
from tests.net.tor_server import HOST

KEY = HOST_KEY.public
ONION = f"{HOST}.onion"
DIRECT, ONIONS = Address("192.0.2.1", 4466), Address(ONION, 4466)
BOTH = (DIRECT, ONIONS)
PROXY = "socks5://127.0.0.1:9050"


def friend(hidden):
    return Peer(KEY, "Ben", ("192.0.2.1:4466", f"{ONION}:4466"), 1, 1, hidden=hidden)


def test_waiting_by_name_for_a_friend_we_hid_from_needs_the_direct_option():
    check_may_tell(friend(TOR), direct=True)
    check_may_tell(friend(""), direct=False)
    with pytest.raises(Failure):
        check_may_tell(friend(TOR), direct=False)


def test_an_unreadable_noted_address_is_left_out():
    assert friend_addresses(None, ("/a/path", "192.0.2.1:4466")) == (DIRECT,)


# --- which route --------------------------------------------------------------------------


def test_a_friend_we_never_hid_from_is_reached_as_typed():
    route = Route(punching_seconds=5)
    for known in (None, friend("")):
        assert remembered_route(route, known, BOTH, direct=False) == (route, BOTH)


def test_a_proxy_used_before_is_used_again_without_hole_punching():
    typed = Route(punching_seconds=5)
    route, addresses = remembered_route(typed, friend(PROXY), BOTH, direct=False)
    assert route == Route(parse_proxy(PROXY), hides=PROXY, again=PROXY)
    assert addresses == BOTH


def test_a_friend_reached_by_an_onion_address_is_reached_only_that_way():
    route, addresses = remembered_route(Route(punching_seconds=5), friend(TOR), BOTH, direct=False)
    assert (route.punching_seconds, route.again, addresses) == (0, "Tor", (ONIONS,))


@pytest.mark.parametrize(
    ("hidden", "addresses"), [(TOR, (DIRECT,)), ("proxy", BOTH), ("nonsense", BOTH), (" ", BOTH)]
)
def test_a_hidden_way_that_is_unavailable_is_refused_with_what_to_type(hidden, addresses):
    with pytest.raises(Failure) as caught:
        remembered_route(Route(), friend(hidden), addresses, direct=False)
    assert caught.value.code == "was-hidden"
    assert "--through" in caught.value.sentence
    assert "--direct" in caught.value.sentence
    assert ("password" in caught.value.sentence) is (hidden == "proxy")


def test_a_newly_typed_way_replaces_the_old_one():
    other = parse_proxy("socks5://ada:secret@192.0.2.9:1")
    route, _ = remembered_route(Route(other), friend(TOR), BOTH, direct=False)
    assert (route.through, route.hides) == (other, "proxy")  # and the password isn't kept
    for hidden in (TOR, PROXY, "proxy"):
        route, addresses = remembered_route(
            Route(punching_seconds=5), friend(hidden), BOTH, direct=True
        )
        assert route == Route(punching_seconds=5, hides="")
        assert addresses == BOTH


# --- while connecting ---------------------------------------------------------------------


@pytest.fixture
def join_host(monkeypatch):
    """Return a function that joins a host without dialling. It returns the match and the arguments
    for dialling."""

    def go(addresses, route):
        made = {}

        class Dialling:
            def __init__(self, *arguments, **how):
                made.update(how)

            try_later = give_up = try_now = lambda self: None

        monkeypatch.setattr(joining, "Reconnector", Dialling)
        match = FakeMatch(
            console=SimpleNamespace(interactive=True),
            keeper=SimpleNamespace(key_of=lambda hashed: None),
            other=SimpleNamespace(addresses_after_move=lambda addresses: addresses),
            after=SimpleNamespace(on_unreachable=None),
            side=lambda: None,
            sessions=Sessions(),
        )
        match.presenter.begin_joining = lambda *words: None
        invite = Invite.of(KEY, bytes(SECRET_BYTES), addresses)
        Deferred.fromCoroutine(join_match(match, invite, route))
        match.contact.on_peer_addresses((DIRECT,))
        return match.contact, match.told, made

    return go


def test_a_guest_by_onion_address_never_dials_the_hosts_announced_addresses(join_host):
    for addresses in ((ONIONS,), (Address("127.0.0.1", 4466), ONIONS)):
        contact, told, _ = join_host(addresses, Route(hides=""))
        assert (contact.hides, told) == (TOR, [])
        assert (contact.host_addresses, contact.own_addresses()) == ((), ())
    contact, _, _ = join_host(BOTH, Route())
    assert (contact.hides, contact.host_addresses) == (None, (DIRECT,))


def test_reusing_the_same_way_is_reported_in_one_line(join_host):
    route, addresses = remembered_route(Route(), friend(PROXY), BOTH, direct=False)
    contact, told, made = join_host(addresses, route)
    (line,) = told
    assert f"through {PROXY}" in line
    assert (contact.hides, str(made["dialler"].through), contact.own_addresses()) == (
        PROXY,
        PROXY,
        (),
    )


def test_the_longest_name_of_a_proxy_is_noted_whole(tmp_path):
    """A part of it would be the name of another machine, which would be looked up and dialled."""
    proxy = parse_proxy(f"socks5://{'a.' * 120}example:65535")
    known = Home(tmp_path).known_peers(time.time)
    known.remember(KEY, "192.0.2.1:4466", "Ben")
    known.hide(KEY, str(proxy))
    known.note_ways(KEY, (f"advertise={proxy.address}",))
    noted = known.peer(KEY)
    route, _ = remembered_route(Route(), noted, BOTH, direct=False)
    assert route.through == proxy
    assert noted.ways == (f"advertise={proxy.address}",)


def test_a_note_that_we_hide_keeps_our_addresses_from_that_friend(tmp_path):
    known = Home(tmp_path).known_peers(time.time)
    known.remember(KEY, "192.0.2.1:4466", "Ben")
    other = OtherPlayer(None, 0, known)
    assert not other.is_hidden_from()
    assert other.note_way(PROXY, (), only=False) is None  # nobody has connected yet
    other.peer = PeerInfo(bytes(32), "", "192.0.2.1:4466")
    assert not other.is_hidden_from()  # we haven't met
    other.peer = PeerInfo(KEY, fingerprint(KEY), "192.0.2.1:4466")
    assert other.note_way(PROXY, (), only=False) is None
    assert other.is_hidden_from()
    known.remember(KEY, "192.0.2.2:4466", "Lord Ben")
    assert known.peer(KEY).hidden == PROXY
    other.note_way("", (), only=False)
    assert not other.is_hidden_from()
    (tmp_path / "known_peers.json").write_text("{}")
    assert "(bad-known-peers)" in other.note_way(PROXY, (), only=False)
    assert other.is_hidden_from()


# --- as commands --------------------------------------------------------------------------


@pytest.fixture
def hidden_home(tmp_path):
    """Return a home whose player hides their address from Ben behind a proxy with a password."""
    known = Home(tmp_path).known_peers(time.time)
    known.remember(KEY, "192.0.2.1:4466", "Ben")
    known.hide(KEY, "proxy")
    return tmp_path


def test_no_command_directly_dials_a_friend_we_hid_from(hidden_home, capsys):
    invite = str(Invite.of(KEY, bytes(SECRET_BYTES), (DIRECT,)))
    for words in (("join", "Ben"), ("join", invite), ("host", "Ben")):
        assert main(["--home", str(hidden_home), *words]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert "(was-hidden)" in printed.err
    assert main(["--home", str(hidden_home), "friends"]) == 0
    assert "hidden" in capsys.readouterr().out


def test_forgetting_a_friend_says_that_we_no_longer_hide_from_them(hidden_home, capsys):
    assert main(["--home", str(hidden_home), "friends", "--forget", "Ben"]) == 0
    assert "--through" in capsys.readouterr().out


def test_a_match_begun_through_a_proxy_continues_through_it(tmp_path, start_script):
    """The proxy isn't running, so the guest can't connect, although the host is on this machine."""
    host = start_script(tmp_path / "a", "host", "--listen", "127.0.0.1:0")
    invite = host.invite()
    key = Home(tmp_path / "a").identity(os.urandom).public
    known = Home(tmp_path / "b").known_peers(time.time)
    known.remember(key, "127.0.0.1:1", "Ann")
    known.hide(key, "socks5://127.0.0.1:1")
    guest = start_script(tmp_path / "b", "join", invite, "--patience", "0")
    assert "socks5://127.0.0.1:1" in guest.wait_for("info")["text"]
    assert guest.wait_for("end")["code"] == "proxy-not-there"
    guest.end()
    guest = start_script(tmp_path / "b", "join", invite, "--direct", "--bot")
    guest.wait_for("offer")  # it is noted after connected is printed
    assert not known.peer(key).hidden
