"""The parts of the lab that need neither root nor namespaces: descriptions, commands, reading
output, the table."""

from dataclasses import replace

import pytest

from ginpeer.net.stun import encode_binding_request, parse_servers, read_mapped_address
from tests.lab import __main__ as command
from tests.lab import namespaces
from tests.lab.homes import DROPS, STUN, STUN_LIST, one_home, router_rules, two_homes
from tests.lab.play import Played
from tests.lab.reading import invite_in, is_connected, reply_in, sentences, without_prompts
from tests.lab.scene import CannotWork, Meanwhile, Plays, Scene
from tests.lab.scenes import SCENES, scenes_named
from tests.lab.stun_server import answer
from tests.lab.table import HEAD, row, text
from tests.lab.topology import PREFIX, build, power_off, power_on


def test_scenes_have_different_names_and_titles():
    for kind in ("name", "title"):
        assert len({getattr(scene, kind) for scene in SCENES}) == len(SCENES)


def test_no_wire_leads_out_of_the_lab():
    for scene in SCENES:
        for argv, _ in build(scene.world):
            assert argv[0] == "ip"
            words = list(argv)
            at = (
                words.index("-n") + 1 if "-n" in words[:4] else 3
            )  # ip netns add X, ip netns exec X
            assert words[at].startswith(PREFIX), argv
            if "netns" in words[5:]:  # the other end of a cable is moved there
                assert words[words.index("netns", 5) + 1].startswith(PREFIX)


def test_ipv6_routes_are_added_with_the_ipv6_option():
    world = two_homes(replace(DROPS, six="drop"), DROPS)
    routes = [argv for argv, _ in build(world) if "route" in argv and "::" in " ".join(argv)]
    assert routes
    assert all(argv[1] == "-6" for argv in routes)


def test_a_router_forwards_only_if_it_is_told_to():
    assert "dnat" not in router_rules(DROPS, "192.168.1.2").replace("ct status dnat", "")
    forwarding = router_rules(replace(DROPS, forwards=True), "192.168.1.2")
    assert "tcp dport 4466 dnat ip to 192.168.1.2:4466" in forwarding


@pytest.mark.parametrize(
    ("read", "line", "found"),
    [
        (invite_in, "invite: gin1-abc", "gin1-abc"),
        (invite_in, "event listening addresses=x", None),
        (reply_in, "reply: ginr1-abc def ", "ginr1-abc def"),
        (reply_in, 'event info text="reply: x"', None),
        (is_connected, "event connected fingerprint=x", True),
        (is_connected, "event connecting fingerprint=x", False),
        (without_prompts, "ask them, yes or no> reply: x", "reply: x"),
        (without_prompts, "The upcard is 6.", "The upcard is 6."),
    ],
)
def test_a_line_is_read_as_the_players_read_it(read, line, found):
    assert read(line) == found


def test_sentences_are_the_texts_of_events_and_plain_lines():
    lines = [
        "invite: gin1-abc",
        'event chat seat=host text="hello"',
        'event end code=x text="He said \\"no\\"." status=4',
        "ginpeer host: error: unrecognized arguments: --tor",
        "",
    ]
    assert sentences(lines) == ['He said "no".', "unrecognized arguments: --tor"]


_SCENE = Scene("s", "a | scene", one_home(), Plays())


def test_a_row_says_what_was_played():
    played = Played(_SCENE, invited=0.55, connected=1.26, verified=True)
    told = row(played)
    assert told == ("a | scene", "none", "a verified match", "0.6", "1.3", "no", "", "yes")
    assert len(told) == len(HEAD)


def test_a_row_of_a_failure_says_what_each_player_read():
    end = 'event end code=x text="No way." status=4'
    played = Played(_SCENE, invited=1, ended=11.2, guest=[end], waiting=("host",))
    assert row(played)[6:] == ("after 11 s; guest: No way.; host (still waiting): nothing", "NO")


def test_a_row_says_which_options_were_typed_on_both_sides():
    scene = replace(_SCENE, host=("--tor",), guest=("--stun", "public"))
    assert row(Played(scene))[1] == "host: --tor; guest: --stun public"
    assert row(Played(replace(_SCENE, at_terminals=True)))[1].startswith("none; at terminals")


def test_the_lab_has_the_listed_servers_under_their_names():
    listed = parse_servers(STUN_LIST.read_text())
    known = dict(two_homes(DROPS, DROPS).names)
    assert set(known) == {server.host for server in listed}
    assert set(known.values()) == set(STUN)
    assert f"{STUN[0]} {listed[0].host}\n" in two_homes(DROPS, DROPS).hosts_file()


def test_a_table_has_as_many_cells_in_every_row():
    assert {line.count("|") for line in text([Played(_SCENE)]).split("\n")} == {len(HEAD) + 1}


def test_an_unexpected_reply_code_makes_a_result_unexpected():
    assert not Played(_SCENE, verified=True, reply=True).as_expected()
    either = replace(_SCENE, expected=Plays(reply=None))
    assert Played(either, verified=True, reply=True).as_expected()


def test_a_match_over_before_the_planned_event_is_not_as_expected():
    scene = replace(_SCENE, meanwhile=Meanwhile(()))
    assert not Played(scene, verified=True).as_expected()
    assert Played(scene, verified=True, happened=True).as_expected()


def test_an_expected_failure_must_be_explained_to_a_player():
    scene = replace(_SCENE, expected=CannotWork(r"\btor\b"))
    silent = Played(scene, guest=['event end text="No." status=4'])
    told = Played(scene, guest=['event end text="Only Tor is left." status=4'])
    assert (silent.as_expected(), told.as_expected()) == (False, True)


def test_scenes_are_chosen_by_name():
    assert [scene.name for scene in scenes_named(["forward", "lan"])] == ["forward", "lan"]
    assert scenes_named([]) == list(SCENES)
    with pytest.raises(ValueError, match="no such scene: lam"):
        scenes_named(["lam"])


def test_listing_the_scenes_does_not_need_root(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lab", "--list"])
    assert command.main() == 0
    assert len(capsys.readouterr().out.splitlines()) == len(SCENES)


def test_the_lab_says_that_it_needs_root(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lab"])
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(namespaces.os, "geteuid", lambda: 1000, raising=False)
    assert command.main() == 2
    assert "root" in capsys.readouterr().err


def test_without_nft_the_lab_names_the_package(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lab"])
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(namespaces.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(
        namespaces.shutil, "which", lambda name: None if name == "nft" else f"/sbin/{name}"
    )
    assert command.main() == 2
    assert "nftables" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8:1234:5678:11:2233:4455:6677"])
def test_the_stun_server_answers_our_client_and_nothing_but_its_requests(host):
    request = encode_binding_request(bytes(12))
    assert read_mapped_address(answer(request, host, 32853), bytes(12)) == (host, 32853)
    for other in (b"", request[:19], b"\x01" + request[1:], request[:4] + bytes(16)):
        assert answer(other, host, 1) is None


def test_a_rebooted_router_forgets_connections_and_is_as_built():
    world = two_homes(replace(DROPS, forwards=True), DROPS)
    router = world.machine("host-router")
    off = [argv for argv, _ in power_off(router)]
    assert any(argv[-2:] == ("conntrack", "-F") for argv in off)
    assert any(argv[-3:] == ("nft", "flush", "ruleset") for argv in off)
    on = power_on(router)
    assert on[-1].stdin == router.rules
    built = [argv for argv, _ in build(world) if "ginlab-host-router" in argv]
    for argv in (argv for argv in built if "route" in argv):
        assert argv in [argv for argv, _ in on]
