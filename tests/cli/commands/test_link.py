"""`ginpeer link`: errors that end it before it waits for anybody."""

import sys
import time

import pytest

from cli.main import main
from cli.match.linking import LinkEnd, TableLink
from cli.match.process import Process
from ginpeer.net.address import Address
from ginpeer.net.codes import Invite
from ginpeer.store import Home
from ginpeer.store.partnership_files import cache_standing, cached_standing, only_link
from protocol.crypto.identity import key_hash


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path))
    return Home(tmp_path)


def test_an_invalid_invite_is_a_usage_error(home, capsys):
    assert main(["link", "gin1-", "mistyped"]) == 2
    assert "(invite-" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["--friends", "4"],
        ["--friends", "0"],
        ["--friends", "2", "--listen", "127.0.0.1:65535"],  # the second port would be 65536
        ["--target", "x"],
        ["--target", "0"],
    ],
)
def test_an_impossible_number_is_a_usage_error(home, capsys, words):
    assert main(["link", *words]) == 2


def test_a_second_link_in_a_home_is_refused(home, capsys):
    invite = str(Invite(b"h" * 16, b"s" * 10, (Address("127.0.0.1", 9),)))
    with only_link(home):
        assert main(["link", invite]) == 70
    assert "(link-runs)" in capsys.readouterr().err


def test_a_link_without_standard_output_ends(home, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(Process, "run", lambda *_: None)  # otherwise it would run for ever
    assert main(["link"]) == 70
    assert "(no-output)" in capsys.readouterr().err


@pytest.mark.parametrize("at_terminal", [True, False])
def test_a_link_fails_if_its_output_breaks_unless_its_terminal_was_closed(
    home, monkeypatch, at_terminal
):
    def run(process, begin, link):
        link.broken, link.at_terminal, link.status = OSError("gone"), at_terminal, 4

    monkeypatch.setattr(Process, "run", run)
    assert (main(["link"]) == 4) is at_terminal


@pytest.mark.parametrize(
    ("hidden", "told"),
    [("tor", "is an onion address"), ("proxy", "weren't saved")],
)
def test_a_link_does_not_tell_a_friend_where_we_are_if_we_hid_before(home, capsys, hidden, told):
    key = bytes([1]) * 32
    peers = home.known_peers(lambda: 9)
    peers.remember(key, "", "Ben")
    peers.hide(key, hidden)
    invite = str(Invite(key_hash(key), b"s" * 10, (Address("127.0.0.1", 9),)))
    assert main(["link", invite]) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert told in err
    assert "The link was not opened." in err


def test_a_link_goes_through_the_proxy_that_hid_us_before(home, monkeypatch, capsys):
    key, dialled = bytes([1]) * 32, []
    peers = home.known_peers(lambda: 9)
    peers.remember(key, "", "Ben")
    peers.hide(key, "socks5://127.0.0.1:9050")
    invite = Invite(key_hash(key), b"s" * 10, (Address("192.0.2.1", 9),))

    def connect(end, given, through):
        dialled.append((given, str(through)))

    monkeypatch.setattr(LinkEnd, "connect", connect)
    monkeypatch.setattr(TableLink, "begin", lambda link: None)
    monkeypatch.setattr(Process, "run", lambda process, begin, run: begin())
    cache_standing(home, ["Ann 3."], time.time())
    assert main(["link", str(invite)]) == 0
    assert cached_standing(home, time.time()) is None  # it was from an earlier link
    assert dialled == [(invite, "socks5://127.0.0.1:9050")]
    assert "through socks5://127.0.0.1:9050" in " ".join(capsys.readouterr().out.split())
