"""What came of asking the routers, as values that the caller shows."""

from __future__ import annotations

from dataclasses import dataclass

from ginpeer.net.address import Address
from ginpeer.net.mapping.gateway import Gateway
from ginpeer.net.mapping.outside import OUTSIDE, judge_outside
from ginpeer.net.mapping.refusals import REFUSALS, MappingProtocol, Refusal
from ginpeer.net.mapping.ways import Grant, Way


@dataclass(frozen=True, slots=True)
class Mapped:
    """A way in from the Internet. ``instead_of``: the one told before, which has gone.
    ``lifetime``: seconds, as granted; it is renewed until ``stop``."""

    outside: Address
    protocol: MappingProtocol
    gateway: Gateway
    lifetime: int
    instead_of: Address | None = None


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A way in that was told has gone. It is asked for again, and told if it comes back."""

    outside: Address
    gateway: Gateway
    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What one router said to one protocol: a code of OUTSIDE where it opened the port (``mapped``
    where that is of use), else one of REFUSALS."""

    protocol: MappingProtocol
    gateway: Gateway
    code: str
    sentence: str
    outside: Address | None = None
    lifetime: int | None = None
    seen_at: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole, told once. ``code``: ``mapped`` if there is a way in; else what came nearest."""

    code: str
    sentence: str
    answers: tuple[Answer, ...]

    @property
    def seen_at(self) -> str | None:
        """Where nothing was opened: the address of the Internet by which the outside sees this
        machine all the same, if a router has told one. Who dials out is seen there."""
        for answer in self.answers:
            if answer.seen_at is not None and judge_outside(answer.seen_at) == "mapped":
                return answer.seen_at
        return None


Event = Mapped | Unmapped | Outcome

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


def answer_granted(way: Way, grant: Grant, code: str) -> Answer:
    """For a router that has opened the port."""
    host, port = grant.outside, grant.lease.external_port
    outside = None if host is None else Address(host, port)
    sentence = OUTSIDE[code]
    return Answer(way.protocol, way.gateway, code, sentence, outside, grant.lifetime)


def answer_refused(way: Way, refusal: Refusal) -> Answer:
    """For one that has not."""
    seen_at = refusal.seen_at
    return Answer(way.protocol, way.gateway, refusal.code, refusal.sentence, seen_at=seen_at)


def whole_outcome(answers: tuple[Answer, ...]) -> Outcome:
    """The answer that came nearest stands for all."""
    ranked = [each for each in answers if each.code in _NEAREST]
    if not ranked:
        return Outcome("no-gateway", REFUSALS["no-gateway"], answers)
    best = min(ranked, key=lambda each: _NEAREST.index(each.code))
    return Outcome(best.code, best.sentence, answers)
