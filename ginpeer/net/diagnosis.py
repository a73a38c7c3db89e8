"""Looking at what stands between this machine and a friend: our addresses, our firewall, the
router, the outside, Tor.

# Rule 1: nobody is asked but the routers, unless they are forbidden; and the STUN server that the
# player has named. Tor is looked for on this machine alone.
# Rule 2: the routers are asked to open a port at which we listen while we ask. What they opened is
# taken back before the diagnosis is told. A port that another program has is left alone: taking it
# back would close it for that program; another of ours is tried in its place.
# Rule 3: all is looked at side by side, and it ends within SECONDS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from twisted.internet.defer import (
    Deferred,
    TimeoutError,  # of addTimeout, and another than Python's own
    gatherResults,
)
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol

from ginpeer.net.address import DEFAULT_PORT, Address
from ginpeer.net.interfaces import Clock
from ginpeer.net.listening_port import ListenError, bind_everywhere
from ginpeer.net.mapping.gateways import Gateway, find_gateways
from ginpeer.net.mapping.lease import Lease
from ginpeer.net.mapping.methods import MappingTiming, RouterPorts
from ginpeer.net.mapping.port_mapping import PortMapping
from ginpeer.net.mapping.results import MappingEvent, MappingProtocol, MappingResult, RouterAnswer
from ginpeer.net.own_addresses import OwnAddress, Reach, own_addresses
from ginpeer.net.own_firewall import FirewallStatus, inspect_firewall
from ginpeer.net.stun import StunError
from ginpeer.net.stun_client import ask_stun
from ginpeer.net.tor import CONTROL_PORTS, SOCKS_PORTS, find_listener

SECONDS: Final = 10.0

# Every protocol is asked at once, and what they open ends soon if we should be killed meanwhile.
TIMING: Final = MappingTiming(lifetime=120, whole=6.0, head_starts=(0.0, 0.0, 0.0))

_ASKING_SECONDS = 7.5  # for all who are asked; taking back comes after it
_LEAST_SECONDS = 0.5  # for the routers, however long this system took to name them


@dataclass(frozen=True, slots=True)
class PortStatus:
    """*wanted*: the port that was asked for. *used*: where we listened meanwhile, None if nowhere.
    *code*: ``free``, or why not *wanted*: a code of ListenError, as ``port-taken``."""

    wanted: int
    used: int | None
    code: str = "free"
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class RouterReport:
    """What came of asking the routers. *code*: as of a MappingResult. *closed_again*: whether nothing is
    left open."""

    code: str
    sentence: str
    answers: tuple[RouterAnswer, ...]
    closed_again: bool


@dataclass(frozen=True, slots=True)
class StunAnswer:
    """*outside*: None where *code* is one of StunError's and not ``answered``."""

    server: Address
    outside: Address | None
    code: str
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class TorStatus:
    """Where Tor listens on this machine: for programs that dial, and for those that give it orders.
    None: nowhere that we know."""

    socks: Address | None
    control: Address | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that was found. *asked*: None where no router was to be asked. *stun*: None where no
    server was named. *forwarded*: the public address whose port, says the player, a router forwards
    to us."""

    port: PortStatus
    own: tuple[OwnAddress, ...]
    firewall: FirewallStatus
    routers: tuple[Gateway, ...]
    asked: RouterReport | None
    stun: StunAnswer | None
    tor: TorStatus
    forwarded: Address | None = None


def diagnose(
    reactor: Any,
    *,
    rng: Callable[[int], bytes],
    port: int = DEFAULT_PORT,
    mapping: bool = True,
    stun: Address | None = None,
    forwarded: Address | None = None,
    remembered: Callable[[int], Sequence[Lease]] = lambda port: (),
    stored: Callable[[int, tuple[Lease, ...]], None] = lambda port, leases: None,
    clock: Clock | None = None,
    gateways: Sequence[Gateway] | None = None,
    timing: MappingTiming = TIMING,
    ports: RouterPorts | None = None,
    socks: Sequence[Address] = SOCKS_PORTS,
    control: Sequence[Address] = CONTROL_PORTS,
) -> Deferred[Diagnosis]:
    """Look. Fails only if it is cancelled, and then has taken back what it asked for.

    *rng* gives random bytes. *forwarded*: the player's word on a port forward. *remembered*,
    *stored*: the leases of a port of ours, as PortMapping has them. *gateways*: found, if none are
    given. *ports*: where routers listen. *socks*, *control*: where to look for Tor."""
    ticking: Any = clock if clock is not None else reactor

    async def look() -> Diagnosis:
        begun = ticking.seconds()
        own = own_addresses()
        own_port, listening = _listen(reactor, port)
        looking: list[Deferred[Any]] = []
        try:
            looking = [
                inspect_firewall(reactor, port),
                _start(_tor(reactor, ticking, socks, control)),
            ]
            if stun is not None and listening is not None:
                looking.append(_start(_stun(reactor, ticking, rng, stun, listening)))
            routers = await _routers(reactor, own, gateways)
            asking = None
            if mapping and own_port.used is not None:
                left = max(_LEAST_SECONDS, _ASKING_SECONDS - (ticking.seconds() - begun))
                asking = _Routers(
                    reactor,
                    own_port.used,
                    ticking,
                    remembered(own_port.used),
                    stored,
                    rng=rng,
                    gateways=routers,
                    timing=replace(timing, whole=min(timing.whole, left)),
                    ports=ports,
                )
            asked = await asking.ask() if asking is not None else None
            found: Any = await gatherResults(looking)
        finally:
            for each in looking:
                each.addErrback(lambda _: None)
                each.cancel()
            if listening is not None:
                await listening.stopListening()
        seen = found[2] if len(found) > 2 else None
        return Diagnosis(own_port, own, found[0], routers, asked, seen, found[1], forwarded)

    return _start(look())


_start = Deferred.fromCoroutine


class _Nobody(Factory):
    """Whoever comes while we only look is turned away at once."""

    noisy = False

    def buildProtocol(self, addr: IAddress | None) -> Protocol | None:
        return None


def _listen(reactor: Any, wanted: int) -> tuple[PortStatus, Any]:
    """Where we listen, and the IListeningPort; None where this machine does not let us."""
    try:
        return PortStatus(wanted, wanted), bind_everywhere(reactor, wanted, _Nobody())
    except ListenError as error:
        code, sentence = error.code, error.sentence
    try:
        listening = bind_everywhere(reactor, 0, _Nobody())
    except ListenError:
        return PortStatus(wanted, None, code, sentence), None
    return PortStatus(wanted, listening.getHost().port, code, sentence), listening


async def _routers(
    reactor: Any, own: tuple[OwnAddress, ...], given: Sequence[Gateway] | None
) -> tuple[Gateway, ...]:
    """As a host asks them: of IPv6 for the one address that its invite would name."""
    if given is not None:
        return tuple(given)
    six = [each.host for each in own if each.reach is Reach.IPV6][:1]
    return await find_gateways(reactor, six)


async def _tor(
    reactor: Any, clock: Any, socks: Sequence[Address], control: Sequence[Address]
) -> TorStatus:
    return TorStatus(
        await find_listener(reactor, socks, clock), await find_listener(reactor, control, clock)
    )


async def _stun(
    reactor: Any, clock: Any, rng: Callable[[int], bytes], server: Address, listening: Any
) -> StunAnswer:
    asking = ask_stun(reactor, clock, rng, server)(listening)
    asking.addTimeout(_ASKING_SECONDS, clock)
    try:
        return StunAnswer(server, await asking, "answered")
    except StunError as error:
        return StunAnswer(server, None, error.code, error.sentence)
    except TimeoutError:
        return StunAnswer(server, None, "stun-silent", f"The STUN server {server} does not answer.")


class _Routers:
    """The routers, asked once for one port."""

    def __init__(
        self,
        reactor: Any,
        port: int,
        clock: Any,
        remembered: Sequence[Lease],
        stored: Callable[[int, tuple[Lease, ...]], None],
        **given: Any,
    ) -> None:
        self._port = port
        self._clock = clock
        self._stored = stored
        self._before = {lease.key for lease in remembered}
        self._tried: set[tuple[MappingProtocol, str, str, int]] = set()
        self._outcome: Deferred[MappingResult] = Deferred()
        self._mapping = PortMapping(
            reactor,
            port,
            on_event=self._on_event,
            store=self._keep,
            remembered=remembered,
            clock=clock,
            **given,
        )

    async def ask(self) -> RouterReport:
        """Ask, and take back what was opened, also where this is cancelled."""
        self._outcome.addTimeout(SECONDS, self._clock)  # it comes sooner, unless we are at fault
        try:
            self._mapping.begin()
            outcome = await self._outcome
        finally:
            await self._mapping.stop()
        answers = tuple(map(self._answer, outcome.answers))
        return RouterReport(outcome.code, outcome.sentence, answers, not self._mapping.leases)

    def _on_event(self, event: MappingEvent) -> None:
        if isinstance(event, MappingResult) and not self._outcome.called:
            self._outcome.callback(event)

    def _keep(self, leases: tuple[Lease, ...]) -> None:
        self._tried |= {lease.key for lease in leases}
        self._stored(self._port, leases)

    def _answer(self, answer: RouterAnswer) -> RouterAnswer:
        """A way that was asked, and says that it was not needed, has opened the port as well: what
        is not needed before it is asked for is not asked for."""
        way = (answer.protocol, *answer.gateway, self._port)
        code, sentence = answer.code, answer.sentence
        if code == "not-needed" and way in self._tried - self._before:
            code, sentence = "opened-too", "The router has opened the port by this way as well."
        return replace(answer, code=code, sentence=sentence)
