"""The report on this machine's own firewall, in the words of each system."""

import pytest
from twisted.internet import reactor

from ginpeer.net import diagnosis
from ginpeer.net.diagnosis import FirewallStatus, inspect_firewall, look_at_firewall
from ginpeer.net.mapping.gateways import CommandResult
from ginpeer.net.reachability import FIREWALLS

PORT = 4466
REFUSED = CommandResult(1, "")


def check_firewall(answers, file="", platform="linux"):
    """Run the check. *answers*: the output of each command, by a word in the command."""
    asked = []

    def run(command):
        asked.append(command)
        return next((said for word, said in answers.items() if word in " ".join(command)), None)

    found = look_at_firewall(PORT, platform, run, lambda path: file)
    assert all(command[0].startswith(("/", "C:\\")) for command in asked)
    assert found.code in FIREWALLS
    return found


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Firewall is enabled. (State = 1) \n", "on"),
        ("Firewall is disabled. (State = 0) \n", "off"),
        ("Firewall is blocking all non-essential connections. (State = 2)\n", "all-closed"),
        ("", "unknown"),
    ],
)
def test_the_firewall_of_macos_is_recognised(text, code):
    said = check_firewall({"socketfilterfw": CommandResult(0, text)}, platform="darwin")
    assert said == FirewallStatus(code, "" if code == "unknown" else "socketfilterfw")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("word", "code"), [("ON", "on"), ("OFF", "off"), ("EIN", "unknown")])
def test_the_firewall_of_windows_is_recognised(word, code, end):
    lines = ("", "Public Profile Settings: ", "-" * 70, f"State{word:>33}", "Ok.", "", "")
    said = check_firewall({"netsh": CommandResult(0, end.join(lines))}, platform="win32")
    assert said == FirewallStatus(code, "" if code == "unknown" else "netsh")


def test_firewall_rules_on_linux_are_unseen_without_root():
    assert check_firewall({"nft": REFUSED, "iptables": CommandResult(4, "")}) == FirewallStatus(
        "unseen"
    )
    assert check_firewall({"iptables": REFUSED}) == FirewallStatus("unseen")


def test_root_is_not_advised_to_become_root_if_the_rules_cannot_be_read():
    assert check_firewall({"nft": CommandResult(0, "policy drop")}) == FirewallStatus("unknown")
    assert check_firewall({"nft": CommandResult(0, ""), "iptables": REFUSED}) == FirewallStatus(
        "unknown"
    )


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("# comment\nENABLED=yes\nLOGLEVEL=low\n", "on"),
        ("# ENABLED=yes\nENABLED=no\n", "unseen"),
        ("", "unseen"),
    ],
)
def test_an_enabled_ufw_is_seen_without_root(file, code):
    assert check_firewall({"nft": REFUSED}, file) == FirewallStatus(
        code, "ufw" if code == "on" else ""
    )


@pytest.mark.parametrize(("status", "code"), [(0, "port-open"), (1, "on")])
def test_firewalld_answers_without_root(status, code):
    said = check_firewall(
        {
            "nft": REFUSED,
            "--state": CommandResult(0, "running\n"),
            "--query-port=4466/tcp": CommandResult(status, ""),
        }
    )
    assert said == FirewallStatus(code, "firewalld")


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32", "freebsd14"])
def test_a_firewall_that_cannot_be_examined_is_unknown(platform):
    assert check_firewall({}, platform=platform) == FirewallStatus("unknown")


async def test_an_error_of_our_own_leaves_the_firewall_unknown(monkeypatch):
    monkeypatch.setattr(diagnosis, "look_at_firewall", lambda *_: 1 / 0)
    assert await inspect_firewall(reactor, PORT) == FirewallStatus("unknown")
