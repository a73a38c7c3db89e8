"""What needs neither root nor namespaces: the lab stays inside its namespaces, and its scenes can
fail."""

from dataclasses import replace

import pytest

from ginpeer.net.stun import encode_binding_request, read_mapped_address
from tests.lab.homes import DROPS, one_home, two_homes
from tests.lab.play import Played
from tests.lab.scene import CannotWork, Meanwhile, Plays, Scene
from tests.lab.scenes import SCENES
from tests.lab.stun_server import answer
from tests.lab.topology import PREFIX, build, power_off


def test_scenes_have_different_names_and_titles():
    for kind in ("name", "title"):
        assert len({getattr(scene, kind) for scene in SCENES}) == len(SCENES)


def test_no_wire_leads_out_of_the_lab():
    for scene in SCENES:
        for argv, _ in build(scene.world):
            assert argv[0] == "ip"
            words = list(argv)
            # The others are ip netns add NAME and ip netns exec NAME.
            at = words.index("-n") + 1 if "-n" in words[:4] else 3
            assert words[at].startswith(PREFIX), argv
            if "netns" in words[5:]:  # the other end of a cable is moved there
                assert words[words.index("netns", 5) + 1].startswith(PREFIX)


_SCENE = Scene("s", "a scene", one_home(), Plays())


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


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8:1234:5678:11:2233:4455:6677"])
def test_the_stun_server_answers_our_client_and_nothing_but_its_requests(host):
    request = encode_binding_request(bytes(12))
    assert read_mapped_address(answer(request, host, 32853), bytes(12)) == (host, 32853)
    for other in (b"", request[:19], b"\x01" + request[1:], request[:4] + bytes(16)):
        assert answer(other, host, 1) is None


def test_a_rebooted_router_forgets_its_connections_and_mappings():
    off = [argv for argv, _ in power_off(two_homes(DROPS, DROPS).machine("host-router"))]
    assert any(argv[-2:] == ("conntrack", "-F") for argv in off)
    assert any(argv[-3:] == ("nft", "flush", "ruleset") for argv in off)
