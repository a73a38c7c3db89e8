"""Why a router opened nothing: stable codes, and the sentence for the player."""

from __future__ import annotations

from enum import Enum


class MappingProtocol(Enum):
    """How a router is asked; the value is its name."""

    PCP = "PCP"  # RFC 6887
    NAT_PMP = "NAT-PMP"  # RFC 6886
    UPNP = "UPnP"  # UPnP Forum, InternetGatewayDevice 1 and 2


REFUSALS = {
    # nothing to ask for
    "not-needed": "The router had opened the port by another way already.",
    "firewall-off": "The router's IPv6 firewall is off, so there is nothing to open in it.",
    # nobody answers
    "no-gateway": "No router was found on this machine's networks.",
    "no-answer": "The router did not answer in time. It may be slow, or may not let programs open "
    "ports.",
    "answer-late": "The router started to answer but did not finish in time.",
    "not-offered": "The router does not offer this.",
    "router-unreachable": "The router cannot be reached.",
    # what it answers is of no use
    "answer-unreadable": "The router's answer makes no sense.",
    "answer-too-long": "The router's answer does not end.",
    "answer-elsewhere": "The router's answer points to another machine, and was not followed.",
    "version-unsupported": "The router speaks another version of this.",
    # it says no
    "not-allowed": "The router does not allow programs to open ports. Its settings may have a "
    "switch for UPnP, NAT-PMP or PCP.",
    "port-taken": "Every port that was asked for is in use at the router.",
    "no-room": "The router has no room for another open port.",
    "router-without-address": "The router has no address on the Internet: it is offline, or the "
    "Internet provider shares one address among many customers, or another router is before it.",
    "router-between": "Another router stands between this machine and the one that was asked.",
    "refused": "The router refused.",
}


SILENT = frozenset(
    {"no-answer", "answer-late", "answer-unreadable", "answer-too-long", "router-unreachable"}
)
"""After these the router may have opened the port without our knowing."""


class Refusal(Exception):
    """One way to ask came to nothing. ``number`` is the router's own error code, if it gave one;
    ``seen_at`` the IP address by which the outside sees the router, if it has told that at least.
    """

    def __init__(self, code: str, number: int | None = None) -> None:
        self.code = code
        self.number = number
        self.seen_at: str | None = None
        self.sentence = REFUSALS[code] if number is None else f"{REFUSALS[code]} (error {number})"
        super().__init__(self.sentence)
