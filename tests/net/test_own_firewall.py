"""What the rules of this machine's own firewall say, in the words of each system."""

import random
import subprocess

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from ginpeer.net import own_firewall
from ginpeer.net.own_firewall import (
    FIREWALLS,
    CommandResult,
    FirewallStatus,
    inspect_firewall,
    iptables_rules,
    look,
    macos_state,
    nft_rules,
    ufw_is_on,
    windows_state,
)

PORT = 4466

NFT_CLOSED = """\
table inet own {
\tset friends {
\t\ttype ipv4_addr
\t\telements = { 192.0.2.9 }
\t}

\tchain input {
\t\ttype filter hook input priority filter; policy drop;
\t\tiifname "lo" accept
\t\tct state established,related accept
\t\tmeta l4proto { icmp, ipv6-icmp } accept
\t\ttcp dport 22 accept
\t}

\tchain forward {
\t\ttype filter hook forward priority filter; policy drop;
\t\ttcp dport 4466 accept
\t}
}
"""

# As ufw has them, by iptables-nft; firewalld's chains are like its.
NFT_UFW = """\
# Warning: table ip filter is managed by iptables-nft, do not touch!
table ip filter {
\tchain ufw-user-input {
\t\ttcp dport 4466 counter packets 3 bytes 180 accept
\t}

\tchain ufw-before-input {
\t\tiifname "lo" counter packets 8 bytes 640 accept
\t\tct state invalid counter packets 0 bytes 0 drop
\t\tcounter packets 7 bytes 420 jump ufw-user-input
\t}

\tchain INPUT {
\t\ttype filter hook input priority filter; policy drop;
\t\tcounter packets 90 bytes 9000 jump ufw-before-input
\t}
}
"""

NFT_FIREWALLD = """\
table inet firewalld {
\tchain filter_INPUT {
\t\ttype filter hook input priority filter + 10; policy accept;
\t\tct state { established, related } accept
\t\tct status dnat accept
\t\tiifname "lo" accept
\t\tct state invalid drop
\t\tjump filter_INPUT_ZONES
\t\treject with icmpx admin-prohibited
\t}

\tchain filter_INPUT_ZONES {
\t\tiifname "eth0" goto filter_IN_public
\t}

\tchain filter_IN_public {
\t\tjump filter_IN_public_allow
\t}

\tchain filter_IN_public_allow {
\t\ttcp dport 22 accept
\t\ttcp dport 1025-65535 accept
\t}
}
"""

NFT_DOCKER = """\
table ip nat {
\tchain PREROUTING {
\t\ttype nat hook prerouting priority dstnat; policy accept;
\t\tfib daddr type local counter packets 5 bytes 300 jump DOCKER
\t}

\tchain DOCKER {
\t\ttcp dport 8080 dnat to 172.17.0.2:80
\t}
}
table ip filter {
\tchain FORWARD {
\t\ttype filter hook forward priority filter; policy drop;
\t}
}
"""


def closed_but(rule):
    """The closed one, with this in the place of the rule for ssh."""
    return NFT_CLOSED.replace("tcp dport 22 accept", rule)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "off"),
        (NFT_DOCKER, "off"),
        (NFT_CLOSED, "closed"),
        (NFT_UFW, "port-open"),
        (NFT_UFW.replace("4466", "22"), "closed"),
        (NFT_FIREWALLD, "port-open"),
        (NFT_FIREWALLD.replace("1025-65535", "1025-4465"), "closed"),
        (closed_but("tcp dport { 22, 4000-5000 } accept"), "port-open"),
        (closed_but("tcp dport { 22, 4467 } accept"), "closed"),
        (closed_but("tcp dport @ours accept"), "rules"),
        (closed_but("ip saddr 192.168.1.0/24 accept"), "rules"),
        (closed_but("counter packets 1 bytes 60 accept"), "rules"),
        (closed_but("tcp dport 4466 drop"), "closed"),
        (NFT_CLOSED.replace("policy drop", "policy accept"), "off"),
        (closed_but('iifname "eth1" drop').replace("policy drop", "policy accept"), "rules"),
        (closed_but("log prefix x").replace("policy drop", "policy accept"), "off"),
        (NFT_UFW + NFT_CLOSED, "closed"),
    ],
)
def test_what_nftables_lets_in(text, code):
    assert nft_rules(text, PORT) == code


IPTABLES_CLOSED = """\
-P INPUT DROP
-P FORWARD DROP
-P OUTPUT ACCEPT
-N ours
-A INPUT -i lo -j ACCEPT
-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A INPUT -j ours
-A FORWARD -p tcp -m tcp --dport 4466 -j ACCEPT
-A ours -p tcp -m tcp --dport 22 -j ACCEPT
"""
IPTABLES_SOMEBODY = IPTABLES_CLOSED.replace("-p tcp -m tcp --dport 22", "-s 10.0.0.0/8")
IPTABLES_REJECTS = """\
-P INPUT ACCEPT
-A INPUT -m state --state RELATED,ESTABLISHED -j ACCEPT
-A INPUT -p tcp -m multiport --dports 80,4400:4500 -j ACCEPT
-A INPUT -j REJECT --reject-with icmp-host-prohibited
"""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("-P INPUT ACCEPT\n-P FORWARD DROP\n-P OUTPUT ACCEPT\n", "off"),
        (IPTABLES_CLOSED, "closed"),
        (IPTABLES_CLOSED.replace("--dport 22", "--dport 4466"), "port-open"),
        (
            IPTABLES_CLOSED.replace("-A ours -p tcp -m tcp --dport 22", "-A ours -s 10.0.0.0/8"),
            "rules",
        ),
        (IPTABLES_REJECTS, "port-open"),
        (IPTABLES_REJECTS.replace("4500", "4460"), "closed"),
        ("-P INPUT ACCEPT\n-A INPUT -s 192.0.2.0/24 -j DROP\n", "rules"),
        ("-P INPUT ACCEPT\n-A INPUT -m conntrack --ctstate INVALID -j DROP\n", "off"),
    ],
)
def test_what_iptables_lets_in(text, code):
    assert iptables_rules(text, PORT) == code


def test_whatever_stands_in_the_rules_the_answer_is_a_code():
    rng = random.Random(7)
    for seed in (NFT_CLOSED, NFT_UFW, NFT_FIREWALLD, IPTABLES_CLOSED, IPTABLES_REJECTS):
        for _ in range(200):
            letters = list(seed)
            for _ in range(rng.randrange(1, 12)):
                at = rng.randrange(len(letters))
                letters[at : at + rng.randrange(4)] = rng.choices("{}-\n\t 4,:jump", k=2)
            text = "".join(letters)
            assert nft_rules(text, PORT) in FIREWALLS
            assert iptables_rules(text, PORT) in FIREWALLS


def test_rules_that_lead_in_a_circle_are_read_once():
    text = "-P INPUT ACCEPT\n-A INPUT -j a\n-A a -j b\n-A b -j a\n-A b -j DROP\n"
    assert iptables_rules(text, PORT) == "closed"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Firewall is enabled. (State = 1) \n", "on"),
        ("Firewall is disabled. (State = 0) \n", "off"),
        (
            "Firewall is blocking all non-essential connections. (State = 2)\n",
            "all-closed",
        ),
        ("", "unknown"),
    ],
)
def test_what_macos_says(text, code):
    assert macos_state(text) == code


@pytest.mark.parametrize(("word", "code"), [("ON", "on"), ("OFF", "off"), ("EIN", "unknown")])
def test_what_windows_says(word, code):
    lines = ("", "Public Profile Settings: ", "-" * 70, f"State{word:>33}", "Ok.", "", "")
    text = "\r\n".join(lines)
    assert windows_state(text.replace("\r\n", "\n")) == code
    assert windows_state(text) == code


def test_what_ufw_says():
    assert ufw_is_on("# comment\nENABLED=yes\nLOGLEVEL=low\n")
    assert not ufw_is_on("# ENABLED=yes\nENABLED=no\n")
    assert not ufw_is_on("")


# --- which of them is asked -------------------------------------------------------------------


def looked(answers, file=None, platform="linux"):
    """*answers*: by a word of the command."""
    asked = []

    def run(command):
        asked.append(command)
        return next((said for word, said in answers.items() if word in " ".join(command)), None)

    return look(PORT, platform, run, lambda path: file), asked


def test_without_root_the_rules_of_linux_cannot_be_seen():
    said, _ = looked({"nft": CommandResult(1, ""), "iptables": CommandResult(4, "")})
    assert said == FirewallStatus("unseen")


def test_without_root_it_can_be_seen_that_ufw_is_on():
    said, _ = looked({"nft": CommandResult(1, "")}, "ENABLED=yes\n")
    assert said == FirewallStatus("on", "ufw")


@pytest.mark.parametrize(("status", "code"), [(0, "port-open"), (1, "on")])
def test_firewalld_says_it_to_everybody(status, code):
    said, asked = looked(
        {
            "nft": CommandResult(1, ""),
            "--state": CommandResult(0, "running\n"),
            "--query-port=4466/tcp": CommandResult(status, ""),
        }
    )
    assert said == FirewallStatus(code, "firewalld")
    assert all(command[0].startswith("/") for command in asked)


def test_what_passes_one_of_two_still_has_to_pass_the_other():
    said, _ = looked({"nft": CommandResult(0, ""), "iptables": CommandResult(0, IPTABLES_CLOSED)})
    assert said == FirewallStatus("closed", "iptables")


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32", "freebsd14"])
def test_where_nothing_can_be_asked_that_is_the_answer(platform):
    assert looked({}, platform=platform)[0] == FirewallStatus("unknown")


def test_each_other_system_has_its_own_command():
    assert (
        looked({"socketfilterfw": CommandResult(0, "(State = 1)")}, platform="darwin")[0].code
        == "on"
    )
    assert looked({"netsh": CommandResult(0, "State  OFF\n")}, platform="win32")[0].code == "off"


@pytest.mark.parametrize("error", [FileNotFoundError("nft"), subprocess.TimeoutExpired("nft", 1.5)])
def test_a_command_that_is_not_there_or_hangs_says_nothing(monkeypatch, error):
    def run(command, **_given):
        raise error

    monkeypatch.setattr(subprocess, "run", run)
    assert own_firewall._run(("/usr/sbin/nft",)) is None


def test_a_file_that_is_not_there_says_nothing(tmp_path):
    assert own_firewall._read(str(tmp_path / "ufw.conf")) is None


@ensureDeferred
async def test_a_fault_of_ours_leaves_it_unknown(monkeypatch):
    monkeypatch.setattr(own_firewall, "look", lambda *_: 1 / 0)
    assert await inspect_firewall(reactor, PORT) == FirewallStatus("unknown")
