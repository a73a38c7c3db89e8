"""The output of ginpeer doctor: it fits one screen and has a sentence for every code."""

import re
from dataclasses import replace

import pytest

from cli.terminal.output import wrap_line
from cli.text.diagnosis import asking_line, friend_lines, report
from ginpeer.net.address import Address
from ginpeer.net.diagnosis import FirewallStatus, PortStatus, StunAnswer
from ginpeer.net.mapping.results import GRANT_SENTENCES, REFUSALS
from ginpeer.net.own_addresses import OwnAddress, Reach
from ginpeer.net.reachability import FIREWALLS, OTHER_REASON, REASONS, REMEDIES
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
    router_report_of,
)

SILENT = StunAnswer(STUN, None, "stun-silent", "The STUN server does not answer.")
ELSEWHERE = StunAnswer(STUN, AT._replace(port=51234), "answered")
FOUND = {
    "a port of another program": replace(
        MAPPED, port=PortStatus(4466, 40123, "port-taken", "Taken.")
    ),
    "a port that is not ours": replace(
        MAPPED, port=PortStatus(80, None, "port-forbidden", "It does not let us.")
    ),
    "a forward that the player names": replace(PLAIN, forwarded=AT),
    "a router that changes ports": replace(PLAIN, stun=ELSEWHERE),
    "a router that keeps ports": replace(PLAIN, stun=replace(ELSEWHERE, outside=AT)),
    "a router that is slow": replace(
        PLAIN, router_report=router_report_of("not-offered", "answer-late")
    ),
    "a silent server": replace(MAPPED, stun=SILENT),
    "no router": replace(PLAIN, router_report=None, routers=()),
    "an entry that stays open": replace(
        MAPPED, router_report=replace(router_report_of(("mapped", AT)), closed_again=False)
    ),
    "two routers that were not asked": replace(
        PLAIN, router_report=None, routers=(ROUTER, ROUTER6), own=(FOUR, SIX)
    ),
    "an address shared by several homes, and Tor": replace(
        PLAIN,
        router_report=router_report_of(("shared-address", Address("100.64.1.2", 4466))),
        tor=TOR,
    ),
}


def test_a_report_says_who_can_connect_and_what_to_change(transcript):
    transcript(report(MAPPED), report(PLAIN))


@pytest.mark.parametrize("what", FOUND)
def test_other_findings_are_reported(what, transcript):
    usual = {*report(MAPPED), *report(PLAIN)}
    transcript([line for line in report(FOUND[what]) if line not in usual])


def test_every_answer_of_a_router_has_a_description():
    for code in sorted({*REFUSALS, *GRANT_SENTENCES, "opened-too"} - {"mapped", "firewall-off"}):
        for own in [(FOUR,), (FOUR, SIX)]:
            found = replace(PLAIN, router_report=router_report_of((code, None)), own=own)
            assert len(friend_lines(found)) == 4
            assert all(line.strip() for line in report(found))


@pytest.mark.parametrize("code", FIREWALLS)
def test_every_firewall_has_a_description(code):
    found = replace(MAPPED, firewall=FirewallStatus(code, "nftables"))
    assert any(line.startswith("  This machine's firewall (nftables) ") for line in report(found))


def test_the_whole_report_fits_one_screen():
    many = tuple(OwnAddress(f"veth{i}", f"172.17.{i}.1", Reach.CONTAINER, False) for i in range(40))
    crowded = replace(
        PLAIN,
        own=(FOUR, SIX, *many),
        tor=TOR,
        stun=SILENT,
    )
    rows = [row for line in report(crowded) for row in wrap_line(line, 100).split("\n")]
    assert len(rows) <= 36
    assert any("more addresses aren't shown here; --json lists them all" in row for row in rows)


def test_every_line_makes_sense_on_its_own():
    """People who use a screen reader may hear a line without its heading."""
    subjects = re.compile(
        "  (Address |Port |This machine's firewall|Tor |The routers? at |Your |No "
        "|The STUN server |Tried |IPv6: |A friend on (your network|the Internet) "
        "|Otherwise a friend |(Let|Turn|Ask|Run) )"
    )
    for found in (PLAIN, MAPPED, *FOUND.values()):
        lines = list(report(found))
        told = [line for line in lines if line.startswith(" ")]
        assert [line for line in told if not subjects.match(line)] == []
        assert all(line.endswith(".") for line in told)
        assert len(told) >= 8


def test_the_servers_to_be_asked_are_named_beforehand(transcript):
    stun = "stun.example:3478"
    for mapping in (True, False):
        assert (stun in asking_line(mapping=mapping, stun=stun)) is True
    transcript(asking_line(mapping=mapping, stun=None) for mapping in (True, False))


def test_the_name_of_an_interface_is_cleaned_before_it_is_shown():
    found = replace(MAPPED, own=(FOUR._replace(interface="eth\x1b[31m0"),))
    assert not any("\x1b" in line for line in report(found))


def test_every_remedy_has_a_description():
    named = {each.remedy for each in (*FIREWALLS.values(), *REASONS.values())} - {""}
    assert {"connect", OTHER_REASON.remedy, *named} == set(REMEDIES)
    assert all(text.format(port=1, command="ginpeer").endswith(".") for text in REMEDIES.values())
