"""Two players who have met can play again by name, without an invite, whoever starts first."""

import os
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from cli.commands import play
from cli.main import main
from cli.match.contact import friend_addresses
from cli.parser import parser
from cli.program import Failure
from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, Invite
from ginpeer.store import Home, MatchNotes, Peer
from tests.net.support import HOST_KEY


@pytest.fixture
def acquaintances(tmp_path):
    """Make the homes of two players who have met. Return their lists of known players and their
    keys, by name."""
    keys = {}
    for name in ("Ann", "Ben"):
        keys[name] = Home(tmp_path / name).identity(os.urandom).public
    known = {name: Home(tmp_path / name).known_peers(time.time) for name in keys}
    known["Ann"].remember(keys["Ben"], "192.0.2.9:50000", "Ben")
    known["Ben"].remember(keys["Ann"], "127.0.0.1:1", "Ann")
    return known, keys


@pytest.fixture
def started(tmp_path, start_script):
    return lambda name, *typed: start_script(tmp_path / name, *typed)


def test_a_friend_plays_again_by_name_without_an_invite(acquaintances, started):
    known, keys = acquaintances
    host = started("Ann", "host", "Ben", "--listen", "127.0.0.1:0", "--name", "Ann", "--bot")
    address = host.wait_for("listening")["addresses"]
    known["Ben"].note_addresses(keys["Ann"], (address,))
    guest = started("Ben", "join", "Ann", "--name", "Ben", "--bot")
    assert guest.wait_for("connected")["known-as"] == "Ann"
    for script in (host, guest):
        script.wait_for("accept")


def test_a_friend_who_hosted_at_a_high_port_is_sought_there(acquaintances, tmp_path, monkeypatch):
    _, keys = acquaintances
    matches = Home(tmp_path / "Ben").matches
    matches.mkdir()
    for role, digit, port in (("host", "1", 50_001), ("guest", "2", 50_002), ("guest", "3", 4_470)):
        peer = keys["Ben" if digit == "3" else "Ann"]
        notes = MatchNotes(bytes(32), role, "Ben", peer, (f"192.0.2.1:{port}",), 1)
        (matches / f"{digit * 16}.match").write_bytes(notes.encode())
        (matches / f"{digit * 16}.ginlog").touch()
    sought = []
    monkeypatch.setattr(play, "OneMatch", lambda *_: SimpleNamespace(run=lambda role: role()))
    monkeypatch.setattr(play, "join_match", lambda match, invite, *_, **__: sought.append(invite))
    main(["--home", str(tmp_path / "Ben"), "join", "Ann", "--name", "Ben"])
    assert [str(each) for each in sought[0].addresses] == ["192.0.2.1:50002", "127.0.0.1:1"]


def test_a_friend_may_be_named_after_the_rules(acquaintances, tmp_path, monkeypatch):
    monkeypatch.setattr(play, "OneMatch", lambda args, plan: SimpleNamespace(run=lambda role: plan))
    named = ("--home", str(tmp_path / "Ann"), "host", "--rules")

    def started(*typed):
        args = parser().parse_args([*named, *typed])
        plan = play.run_host(args)
        return str(plan.offers.rules), args.friend

    assert started("oklahoma", "target=1", "Ben") == ("oklahoma target=1", "ben")
    assert started("oklahoma target=1", "--name", "Ann", "Ben") == ("oklahoma target=1", "Ben")
    assert started("oklahoma", "hollywood")[1] is None
    for typed in (("Ben",), ("oklahoma", "Bob"), ("oklahoma", "Ben", "--", "Ben")):
        with pytest.raises(Failure, match="no rules named"):
            started(*typed)


@pytest.mark.parametrize("rule", ["hollywood", "target=1"])
def test_a_rule_is_never_taken_for_a_friend_of_that_name(
    acquaintances, tmp_path, monkeypatch, rule
):
    known, keys = acquaintances
    known["Ann"].rename(keys["Ben"], rule)
    monkeypatch.setattr(play, "OneMatch", lambda args, plan: SimpleNamespace(run=lambda role: plan))
    args = parser().parse_args(
        ["--home", str(tmp_path / "Ann"), "host", "--rules", "oklahoma", rule]
    )
    play.run_host(args)
    assert args.friend is None


def test_a_guest_by_name_learns_that_the_host_expects_an_invite(acquaintances, started):
    known, keys = acquaintances
    host = started("Ann", "host", "--listen", "127.0.0.1:0", "--bot")
    known["Ben"].note_addresses(keys["Ann"], (host.wait_for("listening")["addresses"],))
    guest = started("Ben", "join", "Ann", "--bot")
    while "you need an invite" not in guest.wait_for("info")["text"]:
        pass


def test_joining_a_friend_without_a_known_address_needs_an_invite(acquaintances, started):
    known, _ = acquaintances
    known["Ben"].remember(b"e" * 32, "", "Eve")
    status, errors = started("Ben", "join", "Eve").end()
    assert (status, errors.endswith("(no-address)\n")) == (2, True)


@pytest.mark.parametrize(
    "around",
    [
        "<{}>",
        "({}).",
        "ginpeer join {}",
        "invite: {}",
        '"{}",',
        "`{}`",
        ".venv/bin/ginpeer join {}!",
    ],
)
def test_text_around_a_pasted_invite_is_ignored(around, tmp_path, capsys):
    """The command reads the invite, then rejects a malformed proxy before it connects anywhere."""
    invite = str(Invite.of(HOST_KEY.public, bytes(SECRET_BYTES), (Address("192.0.2.1", 4466),)))
    typed = around.format(invite)
    assert main(["--home", str(tmp_path), "join", "--through", "nothing", typed]) == 2
    assert "(address-unreadable)" in capsys.readouterr().err


def test_a_temporary_port_of_a_guest_is_replaced_by_the_default_port():
    ben = Peer(b"b" * 32, "Ben", ("192.0.2.9:50000", "192.0.2.9:50001", "192.0.2.1:4470"), 1, 1)
    assert list(map(str, friend_addresses(ben))) == ["192.0.2.9:4466", "192.0.2.1:4470"]
    told = replace(ben, told=("192.168.1.2:4466",))
    assert list(map(str, friend_addresses(told, ("gin.example:1",))))[:2] == [
        "192.168.1.2:4466",
        "gin.example:1",
    ]
