"""What ginpeer doctor says: one screen, every code in words."""

import re
from dataclasses import replace

import pytest

from cli.terminal.output import wrap_line
from cli.text.diagnosis import asking_line, friend_lines, report
from ginpeer.net.address import Address
from ginpeer.net.diagnosis import FirewallStatus, PortStatus, StunAnswer
from ginpeer.net.findings import FIREWALLS, OTHER_REASON, REASONS, REMEDIES
from ginpeer.net.mapping.results import GRANT_SENTENCES, REFUSALS
from ginpeer.net.own_addresses import OwnAddress, Reach
from tests.net.test_reachability import (
    AT,
    FOUR,
    MAPPED,
    PLAIN,
    ROUTER,
    ROUTER6,
    SIX,
    STUN,
    TOR,
    asked,
)


def test_a_friend_who_gets_in_takes_three_lines_and_nothing_to_change():
    text = "\n".join(report(MAPPED))
    assert "Address 192.168.1.2 (eth0) works in your home network only." in text
    assert "The router at 192.168.1.1 opened a port by PCP, and closed it again." in text
    assert "Your public address is 198.51.100.7, according to your router." in text
    assert friend_lines(MAPPED) == (
        "A friend on your network can connect.",
        "A friend on the Internet can connect over IPv4, because the router opens the port.",
        "A friend on the Internet can't connect over IPv6, because this machine has no such "
        "address.",
    )
    assert text.endswith("There is nothing to change.")


def test_a_router_that_says_nothing_is_told_with_what_to_change():
    text = "\n".join(report(PLAIN))
    assert "The router at 192.168.1.1 didn't open a port." in text
    assert "Answer by PCP: A sentence." in text
    assert "can't connect over IPv4" not in text
    assert (
        "A friend on the Internet may be able to connect over IPv4, if you have set your router to "
        "forward TCP port 4466 to this machine: it opened no port when asked, and ginpeer can't "
        "see a port forward that you set up by hand." in text
    )
    assert "if you both allow public STUN servers" in text
    assert "forward TCP port 4466" in text


@pytest.mark.parametrize(
    "code", sorted({*REFUSALS, *GRANT_SENTENCES, "opened-too"} - {"mapped", "firewall-off"})
)
@pytest.mark.parametrize("own", [(FOUR,), (FOUR, SIX)])
def test_every_answer_has_its_words(code, own):
    found = replace(PLAIN, router_report=asked((code, None)), own=own)
    assert len(friend_lines(found)) == 4
    assert all(line.strip() for line in report(found))


@pytest.mark.parametrize("code", FIREWALLS)
def test_every_firewall_has_its_words(code):
    found = replace(MAPPED, firewall=FirewallStatus(code, "nftables"))
    assert any(
        line.startswith("  The firewall of this machine (nftables) ") for line in report(found)
    )


def test_a_firewall_that_cannot_be_seen_is_not_guessed():
    assert "  The firewall of this machine can only be seen by root." in list(report(PLAIN))


def test_a_port_of_another_program_is_told():
    found = replace(MAPPED, port=PortStatus(4466, 40123, "port-taken", "Taken."))
    assert any("maybe a ginpeer host. Port 40123 was tried" in line for line in report(found))
    found = replace(MAPPED, port=PortStatus(80, None, "port-forbidden", "It does not let us."))
    assert "  Port 80: It does not let us." in list(report(found))


def test_a_forward_that_the_player_names_is_taken_at_their_word():
    found = replace(PLAIN, forwarded=AT)
    assert friend_lines(found)[1] == (
        "A friend on the Internet can connect over IPv4, because you say that your router forwards "
        "the port."
    )


def test_most_routers_are_not_spoken_of_where_this_one_changes_ports():
    stun = StunAnswer(STUN, AT._replace(port=51234), "answered")
    line = friend_lines(replace(PLAIN, stun=stun))[-1]
    assert "most routers" not in line
    assert "unless your router gives every connection a different port, and it seems to" in line
    assert "most routers" in friend_lines(replace(PLAIN, stun=replace(stun, outside=AT)))[-1]


def test_a_router_that_is_slow_is_not_one_that_offers_nothing():
    found = replace(PLAIN, router_report=asked("not-offered", "answer-late"))
    assert any("doctor again: your router speaks UPnP" in line for line in report(found))


def test_a_silent_server_and_an_open_entry_are_told():
    stun = StunAnswer(STUN, None, "stun-silent", "The STUN server does not answer.")
    left = replace(asked(("mapped", AT)), closed_again=False)
    text = "\n".join(report(replace(MAPPED, stun=stun, router_report=left)))
    assert "The STUN server does not answer." in text
    assert "opened a port by PCP, but didn't confirm closing it again." in text


def test_all_of_it_is_one_screen():
    many = tuple(OwnAddress(f"veth{i}", f"172.17.{i}.1", Reach.CONTAINER, False) for i in range(40))
    crowded = replace(
        PLAIN,
        own=(FOUR, SIX, *many),
        tor=TOR,
        stun=StunAnswer(STUN, None, "stun-silent", "The STUN server does not answer."),
    )
    rows = [row for line in report(crowded) for row in wrap_line(line, 100).split("\n")]
    assert len(rows) <= 36
    assert any("more addresses aren't shown here; --json lists them all" in row for row in rows)


def test_a_line_that_is_heard_alone_says_what_it_speaks_of():
    """Without its heading: who listens to a screen may hear one line of it."""
    subjects = re.compile(
        "  (Address |Port |The firewall of this machine|Tor |The routers? at |Your |No |Answer by "
        "|IPv6: |A friend on (your network|the Internet) |Otherwise a friend "
        "|(Let|Turn|Ask|Run) )"
    )
    unasked = replace(PLAIN, router_report=None, routers=(ROUTER, ROUTER6), own=(FOUR, SIX))
    shared = replace(
        PLAIN, router_report=asked(("shared-address", Address("100.64.1.2", 4466))), tor=TOR
    )
    for found in (PLAIN, MAPPED, unasked, shared):
        lines = list(report(found))
        told = [line for line in lines if line.startswith(" ")]
        assert [line for line in told if not subjects.match(line)] == []
        assert all(line.endswith(".") for line in told)
        assert len(told) >= 9
    text = "\n".join(report(unasked))
    assert "The routers at 192.168.1.1 and fe80::1%eth0 weren't asked." in text
    assert (
        "A friend on the Internet may or may not be able to connect over IPv4: the router wasn't "
        "asked." in text
    )


def test_whom_it_asks_is_said_before():
    assert "and nobody else" in asking_line(mapping=True, stun=None)
    assert "stun.example:3478" in asking_line(mapping=True, stun="stun.example:3478")
    assert "nobody is asked" in asking_line(mapping=False, stun=None)


def test_what_a_card_is_called_reaches_no_terminal_uncleaned():
    found = replace(MAPPED, own=(FOUR._replace(card="eth\x1b[31m0"),))
    assert not any("\x1b" in line for line in report(found))


def test_every_remedy_has_its_words():
    named = {each.remedy for each in (*FIREWALLS.values(), *REASONS.values())} - {""}
    assert {"connect", OTHER_REASON.remedy, *named} == set(REMEDIES)
    assert all(text.format(port=1, command="ginpeer").endswith(".") for text in REMEDIES.values())
