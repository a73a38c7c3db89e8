"""What ginpeer doctor says: one screen, every code in words."""

from dataclasses import replace

import pytest

from cli.terminal.lines import wrapped
from cli.words import diagnosis
from cli.words.diagnosis import asking_line, friend_lines, report
from ginpeer.net.diagnosis import OwnPort, StunAnswer
from ginpeer.net.mapping.outside import OUTSIDE
from ginpeer.net.mapping.refusals import REFUSALS
from ginpeer.net.own_addresses import OwnAddress, Reach
from ginpeer.net.own_firewall import FIREWALLS, OwnFirewall
from tests.net.test_prospects import AT, FOUR, MAPPED, PLAIN, SIX, STUN, TOR, asked


def test_a_friend_who_gets_in_takes_two_lines_and_nothing_to_change():
    text = "\n".join(report(MAPPED))
    assert "192.168.1.2 (eth0): in your home network only." in text
    assert "Router: 192.168.1.1; has opened a port by PCP; that is closed again." in text
    assert "Outside address: 198.51.100.7, says your router." in text
    assert friend_lines(MAPPED) == (
        "At home: gets in.",
        "From outside: by IPv4 gets in, as the router opens a way; by IPv6 not, as this "
        "machine has no such address.",
    )
    assert text.endswith("There is nothing to change.")


def test_a_router_that_says_nothing_is_told_with_what_to_change():
    text = "\n".join(report(PLAIN))
    assert "Router: 192.168.1.1; has opened no port." in text
    assert "PCP: A sentence." in text
    assert "by IPv4 not, as the router opens no way" in text
    assert "if both of you add --stun HOST" in text
    assert "forward TCP port 4466" in text


@pytest.mark.parametrize("code", sorted({*REFUSALS, *OUTSIDE, "opened-too"} - {"mapped"}))
@pytest.mark.parametrize("own", [(FOUR,), (FOUR, SIX)])
def test_every_answer_has_its_words(code, own):
    found = replace(PLAIN, asked=asked((code, None)), own=own)
    assert len(friend_lines(found)) == 3
    assert all(line.strip() for line in report(found))


@pytest.mark.parametrize("code", FIREWALLS)
def test_every_firewall_has_its_words(code):
    found = replace(MAPPED, firewall=OwnFirewall(code, "nftables"))
    assert any(line.startswith("  Its firewall (nftables): ") for line in report(found))


def test_a_firewall_that_cannot_be_seen_is_not_guessed():
    assert "  Its firewall: cannot be seen without root." in list(report(PLAIN))


def test_a_port_of_another_program_is_told():
    found = replace(MAPPED, port=OwnPort(4466, 40123, "port-taken", "Taken."))
    assert any("maybe a ginpeer host. Port 40123 was tried" in line for line in report(found))
    found = replace(MAPPED, port=OwnPort(80, None, "port-forbidden", "It does not let us."))
    assert "  Port 80: It does not let us." in list(report(found))


def test_a_silent_server_and_an_open_entry_are_told():
    stun = StunAnswer(STUN, None, "stun-silent", "The STUN server does not answer.")
    left = replace(asked(("mapped", AT)), closed_again=False)
    text = "\n".join(report(replace(MAPPED, stun=stun, asked=left)))
    assert "The STUN server does not answer." in text
    assert "it did not confirm that it has closed that again" in text


def test_all_of_it_is_one_screen():
    many = tuple(OwnAddress(f"veth{i}", f"172.17.{i}.1", Reach.CONTAINER, False) for i in range(40))
    crowded = replace(
        PLAIN,
        own=(FOUR, SIX, *many),
        tor=TOR,
        stun=StunAnswer(STUN, None, "stun-silent", "The STUN server does not answer."),
    )
    rows = [row for line in report(crowded) for row in wrapped(line, 100).split("\n")]
    assert len(rows) <= 36
    assert any("more; --json lists them all" in row for row in rows)


def test_whom_it_asks_is_said_before():
    assert "and nobody else" in asking_line(mapping=True, stun=None)
    assert "stun.example:3478" in asking_line(mapping=True, stun="stun.example:3478")
    assert "nobody is asked" in asking_line(mapping=False, stun=None)


def test_what_a_card_is_called_reaches_no_terminal_uncleaned():
    found = replace(MAPPED, own=(FOUR._replace(card="eth\x1b[31m0"),))
    assert not any("\x1b" in line for line in report(found))


def test_every_change_has_its_words():
    assert {"connect", "own-firewall", "tor", "tor-control", "second-router"} <= set(
        diagnosis._CHANGE
    )
    assert all(text.format(port=1).endswith(".") for text in diagnosis._CHANGE.values())
