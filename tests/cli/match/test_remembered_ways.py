"""The options by which a friend connected are used again with that friend, and when the match is
resumed."""

import os
import time
from argparse import Namespace
from types import SimpleNamespace

import pytest

from cli.commands import play
from cli.commands.match_options import (
    listen_address,
    remembered_ways,
    typed_host_options,
    typed_ways,
    ways_of_match,
)
from cli.main import main
from cli.parser import parser
from ginpeer.net.address import Address
from ginpeer.store import Home
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import MatchNotes
from ginpeer.store.peers import merged_ways
from tests.free_port import free_port
from tests.matches.recorded import recorded

KEY, OTHER = bytes([1]) * 32, bytes([2]) * 32
ANN = "ann.home.example:4466"


def typed(*words):
    return parser().parse_args(words)


def test_a_friends_name_may_follow_an_advertised_address():
    assert typed("host", "--advertise", "192.0.2.1:1", "Ben").friend == "Ben"
    several = typed("host", "--advertise", "192.0.2.1:1", "--advertise", ANN, "Ben")
    assert several.advertise == ["192.0.2.1:1", ANN]


def test_a_match_may_follow_the_hosts_present_address(tmp_path, capsys):
    words = ("resume", "--at", "192.0.2.1:1", "d3e530")
    args = typed(*words)
    assert (args.at, args.match) == (["192.0.2.1:1"], "d3e530")
    assert main(["--home", str(tmp_path), *words]) == 2
    assert "(nothing-to-resume)" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["::1", "::", "2001:db8::5"])
def test_an_ipv6_address_without_a_port_is_answered_with_one_that_can_be_typed(
    tmp_path, capsys, host
):
    assert main(["--home", str(tmp_path), "host", "--listen", host]) == 2
    assert f"'{host}' needs a port, like [{host}]:4466." in " ".join(
        capsys.readouterr().err.split()
    )
    assert listen_address(f"[{host}]:4466") == Address(host, 4466)


@pytest.mark.parametrize(
    "words",
    [
        ("host", "--advertise", "192.0.2.1:1", "192.0.2.2:2"),
        ("resume", "--at", "192.0.2.1:1", "192.0.2.2:2"),
        ("resume", "--advertise", "192.0.2.1:1", "192.0.2.2:2"),
    ],
)
def test_a_second_address_after_an_option_is_neither_friend_nor_match(words, tmp_path, capsys):
    assert main(["--home", str(tmp_path), *words]) == 2
    assert f"type {words[1]} before each" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("friend", "found"),
    [(None, KEY), (KEY, KEY), (OTHER, OTHER), (bytes(32), None)],
    ids=["anybody", "the latest", "an earlier one", "a stranger"],
)
def test_a_host_waits_where_the_guest_of_the_latest_match_looks(
    tmp_path, monkeypatch, friend, found
):
    home, played = Home(tmp_path), recorded()
    home.matches.mkdir()
    an_offer, unfinished = played.entries[:1], played.entries[:9]
    for name, key, entries, age in (
        ("0", KEY, played.entries, 9),
        ("1", OTHER, unfinished, 10**9),
        ("2", KEY, an_offer, 0),
    ):
        log = home.matches / f"{name * 16}.ginlog"
        log.write_bytes(log_bytes(entries))
        notes = MatchNotes(key, "host", "Ann", key, (), 0, listens="127.0.0.1:4477")
        log.with_suffix(".match").write_bytes(notes.encode())
        os.utime(log, (time.time() - age,) * 2)
    monkeypatch.setattr(play, "can_ask", lambda: True)
    peer = None if friend is None else SimpleNamespace(key=friend)
    last = play._match_to_come_back_to(typed("--home", str(tmp_path), "host"), peer)
    assert (last and last.notes.peer) == found


def test_each_option_that_is_typed_replaces_its_own_earlier_values():
    old = ("tor", "advertise=a:1", "advertise=b:1", "stun=192.0.2.9")
    assert merged_ways(old, ()) == old
    assert merged_ways(old, ("advertise=c:1",)) == ("tor", "stun=192.0.2.9", "advertise=c:1")
    assert merged_ways(old, ("no-stun",))[-1] == "no-stun"
    assert "stun=192.0.2.9" not in merged_ways(old, ("no-stun",))


def test_noted_options_survive_the_next_visit_and_can_be_cleared(tmp_path):
    peers = Home(tmp_path).known_peers(time.time)
    peers.remember(KEY, "198.51.100.7:4466", "Ben")
    peers.note_ways(KEY, ("tor",))
    peers.remember(KEY, "198.51.100.8:4466", "Ben")
    peers.note_ways(KEY, ("stun=192.0.2.9",))
    assert peers.peer(KEY).ways == ("tor", "stun=192.0.2.9")
    peers.note_ways(KEY, (), only=True)
    assert peers.peer(KEY).ways == ()


def test_only_options_that_the_player_can_use_are_reused():
    ways = ("tor", f"advertise={ANN}", "stun=192.0.2.9", "no-mapping", "stun", "--rm", "x=y")
    args = typed("join", "Ann")
    told = remembered_ways(args, ways, "guest")
    assert ": --stun 192.0.2.9 --no-mapping. " in told
    assert (args.stun, args.no_mapping, args.advertise) == (["192.0.2.9"], True, None)
    told = remembered_ways(typed("host", "Ann"), ways, "host")
    assert f": --tor --advertise {ANN} --stun 192.0.2.9 --no-mapping. " in told


def test_where_a_host_listens_is_noted_as_it_was_typed():
    args = typed("host", "--listen", "127.0.0.1:5000", "--advertise", "a.example")
    assert typed_ways(args, "host") == ("listen=127.0.0.1:5000", "advertise=a.example:5000")
    args = typed("host", "--listen", ":5000")
    assert typed_ways(args, "host") == ("listen=:5000",)
    assert remembered_ways(Namespace(**vars(args)), ("listen=:7",), "host") == ""


@pytest.mark.parametrize(
    ("listens", "expected"),
    [
        (None, ("tor", "listen=:7")),
        ("from a damaged file", ("tor", "listen=:7")),
        ("127.0.0.1:5000", ("listen=127.0.0.1:5000", "tor")),
        ("0.0.0.0:5000", ("listen=:5000", "tor")),
        ("[::]:4467", ("listen=[::]:4467", "tor")),
        ("[::]:4466", ("tor",)),  # the default
        ("0.0.0.0:4466", ("tor",)),
        ("127.0.0.1:4466", ("listen=127.0.0.1:4466", "tor")),
    ],
)
def test_where_a_match_was_played_counts_more_than_what_was_typed_for_the_friend(listens, expected):
    assert ways_of_match(("tor", "listen=:7"), listens) == expected


def test_a_host_for_anybody_waits_at_the_port_of_its_match_on_every_network():
    assert ways_of_match((), "127.0.0.1:5000", for_anybody=True) == ("listen=[::]:5000",)
    assert ways_of_match((), "127.0.0.1:4466", for_anybody=True) == ()


@pytest.mark.parametrize(
    ("words", "usual_port"), [(("--listen", ":9"), None), (("--as-typed",), 4466), ((), 7)]
)
def test_only_an_address_that_was_not_typed_now_may_be_exchanged_for_another(words, usual_port):
    args = typed("host", "--stun", "192.0.2.9", *words)
    ways = typed_ways(args, "host")
    remembered_ways(args, ("listen=127.0.0.1:7",), "host")
    options = typed_host_options(args, ways)
    assert (options.listens_again, options.usual_port) == (not words, usual_port)


def test_a_guest_looking_for_a_friend_by_name_reads_that_they_may_have_moved(
    tmp_path, start_script
):
    peers = Home(tmp_path).known_peers(time.time)
    peers.remember(KEY, f"127.0.0.1:{free_port()}", "Ann")
    script = start_script(tmp_path, "join", "Ann")
    assert "address has changed" in script.wait_for("info")["text"]
    script.end("quit")
