"""The results of asking routers to open a port: stable codes with sentences, and values for the
caller."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv6Address, ip_network

from ginpeer.net.address import Address, ip_of
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.own_addresses import HOME_IPV4, PROVIDERS, SHARED
from protocol.codes import CodedError


class MappingProtocol(Enum):
    """A protocol for asking routers. The value is its name."""

    PCP = "PCP"  # RFC 6887
    NAT_PMP = "NAT-PMP"  # RFC 6886
    UPNP = "UPnP"  # UPnP Forum, InternetGatewayDevice 1 and 2


REFUSALS = {
    # nothing to ask for
    "not-needed": "The router had already opened the port another way.",
    "firewall-off": "The router's IPv6 firewall is off, so there is nothing to open in it.",
    # nobody answers
    "no-gateway": "ginpeer found no router on this machine's networks.",
    "no-answer": (
        "The router didn't answer in time. It may be slow, or may not let programs open ports."
    ),
    "answer-late": "The router started to answer but didn't finish in time.",
    "not-offered": "The router doesn't offer this.",
    "router-unreachable": "The router can't be reached.",
    # its answer is unusable
    "answer-unreadable": "The router's answer is invalid.",
    "answer-too-long": "The router's answer is too long.",
    "answer-elsewhere": "The router's answer points to a different machine, so ginpeer ignored it.",
    "version-unsupported": "The router speaks a different version of this protocol.",
    # it says no
    "not-allowed": (
        "The router doesn't allow programs to open ports. Its settings may have a switch for "
        "UPnP, NAT-PMP or PCP."
    ),
    "port-taken": "Every port that ginpeer asked for is already in use on the router.",
    "no-room": "The router has no room for another open port.",
    "router-without-address": (
        "The router has no public address: it's offline, your Internet provider shares one "
        "address among many customers, or there's another router in front of it."
    ),
    "router-between": "There's another router between this machine and the one that ginpeer asked.",
    "refused": "The router refused.",
}

GRANT_SENTENCES = {
    "mapped": "The router has opened the port.",
    "second-router": "The router has opened the port, but it's behind another router that hasn't.",
    "shared-address": (
        "The router has opened the port, but your Internet provider shares one address among "
        "many customers, so nobody outside can reach it."
    ),
    "outside-unknown": "The router has opened the port, but doesn't say at which address.",
}

SILENT = frozenset(
    {"no-answer", "answer-late", "answer-unreadable", "answer-too-long", "router-unreachable"}
)
"""The codes after which the router may have opened the port without our knowledge."""

# From the best result to the worst.
_RANKING = (
    *("mapped", "shared-address", "second-router", "outside-unknown", "firewall-off"),
    *("router-without-address", "not-allowed", "port-taken", "no-room", "router-between"),
    *("refused", "answer-elsewhere", "answer-too-long", "answer-unreadable", "answer-late"),
    *("version-unsupported", "no-answer", "not-offered", "router-unreachable", "no-gateway"),
)


class Refusal(CodedError):
    """A router didn't open the port that a method asked for. *number* is the router's own error
    code, if it sent one. ``seen_at`` is the router's public IP address, if it named at least
    that."""

    def __init__(self, code: str, number: int | None = None) -> None:
        self.seen_at: str | None = None
        more = "" if number is None else f" (error {number})"
        super().__init__(code, REFUSALS[code] + more)


@dataclass(frozen=True, slots=True)
class PortMapped:
    """A router has opened our port to the Internet. ``instead_of`` is the address that was reported
    before and no longer works."""

    outside: Address
    protocol: MappingProtocol
    instead_of: Address | None = None


@dataclass(frozen=True, slots=True)
class PortUnmapped:
    """An announced address no longer works. The router is asked again, and PortMapped follows if it
    opens the port again."""

    outside: Address
    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class RouterAnswer:
    """What one router answered over one protocol. ``code`` is one of GRANT_SENTENCES if the router
    opened the port (``mapped`` if the Internet can reach it there), and otherwise one of REFUSALS.
    ``lifetime`` is in seconds."""

    protocol: MappingProtocol
    gateway: Gateway
    code: str
    sentence: str
    outside: Address | None = None
    lifetime: int | None = None
    seen_at: str | None = None


@dataclass(frozen=True, slots=True)
class MappingResult:
    """The overall result of asking all routers, reported once. ``code`` is ``mapped`` if friends
    can connect, or else the code of the best answer."""

    code: str
    sentence: str
    answers: tuple[RouterAnswer, ...]

    @property
    def seen_at(self) -> str | None:
        """The public address that a router has named without opening our port, if any. Our outgoing
        connections come from there."""
        for answer in self.answers:
            if answer.seen_at is not None and classify_public_address(answer.seen_at) == "mapped":
                return answer.seen_at
        return None


MappingEvent = PortMapped | PortUnmapped | MappingResult


def overall_result(answers: tuple[RouterAnswer, ...]) -> MappingResult:
    """Return the overall result, which is that of the best answer."""
    ranked = [each for each in answers if each.code in _RANKING]
    if not ranked:
        return MappingResult("no-gateway", REFUSALS["no-gateway"], answers)
    best = min(ranked, key=lambda each: _RANKING.index(each.code))
    return MappingResult(best.code, best.sentence, answers)


# --- whether a router's external address is public ----------------------------------------------

_NOBODY = tuple(
    ip_network(n) for n in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3")
)
_GLOBAL = ip_network("2000::/3")  # RFC 4291, 2.4, and IANA's assignments


def classify_public_address(host: str | None) -> str:
    """Return the code, one of GRANT_SENTENCES, for the address at which a router claims to have
    opened a port. Documentation addresses (RFC 5737) count as public: labs use them."""
    ip = ip_of(host or "")
    if ip is None:
        return "outside-unknown"
    if isinstance(ip, IPv6Address):
        return "mapped" if ip in _GLOBAL and ip.ipv4_mapped is None else "outside-unknown"
    if any(ip in network for network in HOME_IPV4):
        return "second-router"
    if ip in SHARED or ip in PROVIDERS:  # a router that many customers share
        return "shared-address"
    return "outside-unknown" if any(ip in network for network in _NOBODY) else "mapped"
