"""This machine's own firewall, as far as it can be seen.

# Rule 1: nothing is guessed. Linux tells its rules to root alone; where they cannot be read, that
# is the answer.
# Rule 2: commands are called by their full path, without a shell, in a thread, and for
# COMMAND_SECONDS each. They only look.
# Rule 3: a rule that names our port is taken for what lets a friend in; from which card or network
# it does is not judged.

Sources: nft(8), iptables(8), ufw.conf, firewall-cmd(1); macOS socketfilterfw; Windows netsh
advfirewall.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure

COMMAND_SECONDS: Final = 1.5
MAX_ANSWER: Final = 1 << 20
"""Bytes of rules that are looked at; those of a machine with many containers have some 100 KB."""

# Where these stand; looking along PATH would run what a stranger put there.
_NFT = ("/usr/sbin/nft", "list", "ruleset")
_IPTABLES = ("/usr/sbin/iptables", "-S")
_FIREWALLD = "/usr/bin/firewall-cmd"
_UFW = "/etc/ufw/ufw.conf"
_MACOS = ("/usr/libexec/ApplicationFirewall/socketfilterfw", "--getglobalstate")
_NETSH = (
    r"C:\Windows\System32\netsh.exe",
    *("advfirewall", "show", "currentprofile", "state"),
)

FIREWALLS: Final = (
    "off",  # nothing keeps anybody out
    "port-open",  # closed, but a rule names our port
    "rules",  # some are kept out; whom, is not judged
    "on",  # the system's own: lets in whom it was told to, and may ask
    "closed",  # keeps out whom no rule lets in, and none names our port
    "all-closed",  # keeps out everybody (macOS)
    "unseen",  # cannot be seen without root
    "unknown",  # this system does not say, or not in words that we know
)


@dataclass(frozen=True, slots=True)
class FirewallStatus:
    """*code*: one of FIREWALLS. *seen_by*: what has told it, empty if nothing has."""

    code: str
    seen_by: str = ""


class CommandResult(NamedTuple):
    """What a command has answered."""

    status: int
    text: str


Run = Callable[[tuple[str, ...]], CommandResult | None]
"""Runs a command; None if there is none, or if it takes too long."""


def inspect_firewall(
    reactor: Any, port: int, platform: str = sys.platform
) -> Deferred[FirewallStatus]:
    """Never fails; takes four commands at the most."""
    looked: Deferred[FirewallStatus] = deferToThreadPool(
        reactor, reactor.getThreadPool(), look, port, platform, _run, _read
    )

    def failed(_failure: Failure) -> FirewallStatus:
        return FirewallStatus("unknown")

    return looked.addErrback(failed)


def look(port: int, platform: str, run: Run, read: Callable[[str], str | None]) -> FirewallStatus:
    """*read* gives a file's text, None if there is none."""
    if platform == "darwin":
        said = run(_MACOS)
        code = "unknown" if said is None else macos_state(said.text)
        return FirewallStatus(code, "" if code == "unknown" else "socketfilterfw")
    if platform in ("win32", "cygwin"):
        said = run(_NETSH)
        code = "unknown" if said is None else windows_state(said.text)
        return FirewallStatus(code, "" if code == "unknown" else "netsh")
    if platform.startswith("linux"):
        return _look_on_linux(port, run, read)
    return FirewallStatus("unknown")


def _look_on_linux(port: int, run: Run, read: Callable[[str], str | None]) -> FirewallStatus:
    nft, iptables = run(_NFT), run(_IPTABLES)
    found = []
    if nft is not None and nft.status == 0:
        found.append(FirewallStatus(nft_rules(nft.text, port), "nftables"))
    if iptables is not None and iptables.status == 0:
        found.append(FirewallStatus(iptables_rules(iptables.text, port), "iptables"))
    if found:  # what passes one of them still has to pass the other
        return max(found, key=lambda each: FIREWALLS.index(each.code))
    if ufw_is_on(read(_UFW) or ""):
        return FirewallStatus("on", "ufw")
    state = run((_FIREWALLD, "--state"))
    if state is not None and state.status == 0:
        named = run((_FIREWALLD, f"--query-port={port}/tcp"))
        is_open = named is not None and named.status == 0
        return FirewallStatus("port-open" if is_open else "on", "firewalld")
    return FirewallStatus("unknown" if nft is iptables is None else "unseen")


# --- what each of them says -----------------------------------------------------------------

# Of nft and of iptables, whose targets are written in small letters before they are judged.
_KEEPS_OUT = re.compile(r"\b(drop|reject)\b")
_LEADS_TO = re.compile(r"(?:\b(?:jump|goto)|-[jg]) ([\w.-]+)")
_BESIDE = re.compile(r"\bcounter packets \d+ bytes \d+ ?|\bcomment \"[^\"]*\"")
_INVALID = re.compile(r"\bct state (\{ ?)?invalid|--(ct)?state INVALID", re.I)  # no friend's
_PORTS = re.compile(r"\btcp dport (?:\{([^}]*)\}|([\d-]+))|-p tcp .*?--dports? ([\d,:]+)")
_UNREADABLE = re.compile(r"\bdport (vmap|@)|\bvmap\b.*dport|--match-set")
_SOMEBODY = re.compile(r'saddr|iifname (?!"lo")|-s \d|-i (?!lo\b)')
_SOMETHING = re.compile(r"dport|sport|icmp|udp|established", re.I)


def nft_rules(text: str, port: int) -> str:
    """The code for ``nft list ruleset``: the worst of all chains that what comes in passes."""
    tables: dict[str, dict[str, list[str]]] = {}
    bases: list[tuple[str, str, bool]] = []
    table = chain = ""
    for line in map(str.strip, text.splitlines()):
        words = line.split()
        if words[:1] == ["table"] and line.endswith("{"):
            table = " ".join(words[1:-1])
        elif words[:1] == ["chain"] and line.endswith("{"):
            chain = words[1]
            tables.setdefault(table, {})[chain] = []
        elif line == "}":
            chain = ""
        elif chain:
            hook = re.match(r"type (\w+) hook (\w+) ", line)
            if hook is None:
                tables[table][chain].append(line)
            elif hook.groups() == ("filter", "input"):
                bases.append((table, chain, "policy drop" in line))
    found = [_judged(tables[table], chain, shut, port) for table, chain, shut in bases]
    return max(found, key=FIREWALLS.index, default="off")


def iptables_rules(text: str, port: int) -> str:
    """The code for ``iptables -S``."""
    chains: dict[str, list[str]] = {"INPUT": []}
    closed = False
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["-P", "INPUT"]:
            closed = words[2:] == ["DROP"]
        elif len(words) > 2 and words[0] == "-A":
            rule = re.sub(
                r"-j (DROP|REJECT|ACCEPT)\b", lambda each: each[0].lower(), " ".join(words[2:])
            )
            chains.setdefault(words[1], []).append(rule)
    return _judged(chains, "INPUT", closed, port)


def _judged(chains: dict[str, list[str]], base: str, closed: bool, port: int) -> str:
    """*closed*: whether the chain keeps out what none of its rules has let in."""
    rules, straight = _reached(chains, base)
    plain = [_BESIDE.sub("", rule).strip() for rule in straight]
    closed = closed or any(re.match(r"(-j )?(drop|reject)\b", rule) for rule in plain)
    if not closed:
        some = any(_KEEPS_OUT.search(rule) and not _INVALID.search(rule) for rule in rules)
        return "rules" if some else "off"
    if any(re.fullmatch(r"(-j )?accept", rule) for rule in plain):
        return "rules"
    lets_in = [rule for rule in rules if re.search(r"\baccept\b", rule)]
    if any(_names(rule, port) for rule in lets_in):
        return "port-open"
    unclear = any(_UNREADABLE.search(rule) for rule in rules) or any(
        _SOMEBODY.search(rule) and not _SOMETHING.search(rule) for rule in lets_in
    )
    return "rules" if unclear else "closed"


def _reached(chains: dict[str, list[str]], base: str) -> tuple[list[str], list[str]]:
    """The rules of a chain and of those that it leads to, each once; and of them those that
    everything passes."""
    rules: list[str] = []
    straight: list[str] = []
    seen = {base}
    todo = [(base, True)]
    while todo:
        name, always = todo.pop()
        rules += chains.get(name, [])
        straight += chains.get(name, []) if always else []
        for rule in chains.get(name, []):
            target = _LEADS_TO.search(rule)
            if target is not None and target[1] not in seen:
                seen.add(target[1])
                plain = _BESIDE.sub("", rule).strip()
                todo.append((target[1], always and _LEADS_TO.fullmatch(plain) is not None))
    return rules, straight


def _names(rule: str, port: int) -> bool:
    """Whether our port is in it: alone, in a list, or in a range."""
    found = _PORTS.search(rule)
    for each in (found[1] or found[2] or found[3]).split(",") if found else ():
        first, _, last = each.strip().replace(":", "-").partition("-")
        ends = (first, last or first)
        if all(map(str.isdecimal, ends)) and int(ends[0]) <= port <= int(ends[1]):
            return True
    return False


def ufw_is_on(conf: str) -> bool:
    """From /etc/ufw/ufw.conf, which everybody may read; its rules nobody but root."""
    return re.search(r"^\s*ENABLED\s*=\s*[\"']?yes\b", conf, re.MULTILINE | re.I) is not None


def macos_state(text: str) -> str:
    """The code for ``socketfilterfw --getglobalstate``; the number stands in every language."""
    found = re.search(r"State = (\d)", text)
    return {"0": "off", "1": "on", "2": "all-closed"}.get(found[1] if found else "", "unknown")


def windows_state(text: str) -> str:
    """The code for ``netsh advfirewall show currentprofile state``, in English; another language
    says nothing to us."""
    found = re.search(r"^State\s+(ON|OFF)\s*$", text, re.MULTILINE)
    return {"ON": "on", "OFF": "off"}.get(found[1] if found else "", "unknown")


# --- the system -----------------------------------------------------------------------------


def _run(command: tuple[str, ...]) -> CommandResult | None:
    try:
        said = subprocess.run(  # noqa: S603 - rule 2
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=COMMAND_SECONDS,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return CommandResult(said.returncode, said.stdout[:MAX_ANSWER].decode("ascii", "replace"))


def _read(path: str) -> str | None:
    try:
        with Path(path).open("rb") as file:
            return file.read(1 << 14).decode("ascii", "replace")
    except OSError:
        return None
