"""What came of asking the routers, as values that the caller shows."""

from __future__ import annotations

from dataclasses import dataclass

from ginpeer.net.address import Address
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.methods import Grant, MappingMethod
from ginpeer.net.mapping.outside import GRANT_SENTENCES, classify_public_address
from ginpeer.net.mapping.refusals import REFUSALS, MappingProtocol, Refusal


@dataclass(frozen=True, slots=True)
class PortMapped:
    """A way in from the Internet. ``instead_of``: the one told before, which has gone.
    ``lifetime``: seconds, as granted; it is renewed until ``stop``."""

    outside: Address
    protocol: MappingProtocol
    gateway: Gateway
    lifetime: int
    instead_of: Address | None = None


@dataclass(frozen=True, slots=True)
class PortUnmapped:
    """A way in that was told has gone. It is asked for again, and told if it comes back."""

    outside: Address
    gateway: Gateway
    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class RouterAnswer:
    """What one router said to one protocol: a code of GRANT_SENTENCES where it opened the port (``mapped``
    where that is of use), else one of REFUSALS."""

    protocol: MappingProtocol
    gateway: Gateway
    code: str
    sentence: str
    outside: Address | None = None
    lifetime: int | None = None
    seen_at: str | None = None


@dataclass(frozen=True, slots=True)
class MappingResult:
    """The whole, told once. ``code``: ``mapped`` if there is a way in; else what came nearest."""

    code: str
    sentence: str
    answers: tuple[RouterAnswer, ...]

    @property
    def seen_at(self) -> str | None:
        """Where nothing was opened: the address of the Internet by which the outside sees this
        machine all the same, if a router has told one. Who dials out is seen there."""
        for answer in self.answers:
            if answer.seen_at is not None and classify_public_address(answer.seen_at) == "mapped":
                return answer.seen_at
        return None


MappingEvent = PortMapped | PortUnmapped | MappingResult

_NEAREST = (
    *("mapped", "shared-address", "second-router", "outside-unknown", "firewall-off"),
    *(
        "router-without-address",
        "not-allowed",
        "port-taken",
        "no-room",
        "router-between",
        "refused",
    ),
    *("answer-elsewhere", "answer-too-long", "answer-unreadable", "answer-late"),
    *("version-unsupported", "no-answer", "not-offered", "router-unreachable", "no-gateway"),
)


def answer_granted(way: MappingMethod, grant: Grant, code: str) -> RouterAnswer:
    """For a router that has opened the port."""
    host, port = grant.outside, grant.lease.external_port
    outside = None if host is None else Address(host, port)
    sentence = GRANT_SENTENCES[code]
    return RouterAnswer(way.protocol, way.gateway, code, sentence, outside, grant.lifetime)


def answer_refused(way: MappingMethod, refusal: Refusal) -> RouterAnswer:
    """For one that has not."""
    seen_at = refusal.seen_at
    return RouterAnswer(way.protocol, way.gateway, refusal.code, refusal.sentence, seen_at=seen_at)


def overall_result(answers: tuple[RouterAnswer, ...]) -> MappingResult:
    """The answer that came nearest stands for all."""
    ranked = [each for each in answers if each.code in _NEAREST]
    if not ranked:
        return MappingResult("no-gateway", REFUSALS["no-gateway"], answers)
    best = min(ranked, key=lambda each: _NEAREST.index(each.code))
    return MappingResult(best.code, best.sentence, answers)
