"""A port mapping under test, with a record of everything that it reports and stores."""

import errno
import random
import socket

from twisted.internet import reactor
from twisted.internet.defer import fail

from ginpeer.net.mapping.methods import MappingTiming, read_leases, write_leases
from ginpeer.net.mapping.port_mapping import PortMapping
from ginpeer.net.mapping.results import MappingProtocol, MappingResult, Refusal
from tests.net.support import failure_of, until

PORT = 4466
TIMING = MappingTiming(
    total=4.0,
    pcp=(0.1, 0.2),
    nat_pmp=(0.1, 0.2),
    search=(0.1, 0.2),
    http=1.0,
    head_starts=(0.0, 0.03, 0.06),
    forgetting=0.8,
    stopping=1.0,
    renewal=30.0,
    soonest=0.02,
    retry=0.05,
)
PCP, NAT_PMP, UPNP = MappingProtocol.PCP, MappingProtocol.NAT_PMP, MappingProtocol.UPNP


def ipv6_here():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


class Asking:
    """A port mapping with a record of everything that it reports and stores."""

    def __init__(self, router, *, gateways=None, timing=TIMING, port=PORT, remembered=(), seed=11):
        self.events = []
        self.stored = [""]
        self.mapping = PortMapping(
            reactor,
            port,
            rng=random.Random(seed).randbytes,
            on_event=self.events.append,
            store=lambda leases: self.stored.append(write_leases(leases)),
            gateways=(router.gateway,) if gateways is None else gateways,
            timing=timing,
            ports=router.ports,
            remembered=remembered,
        )

    async def outcome(self):
        self.mapping.begin()
        await until(lambda: self.told(MappingResult))
        return self.told(MappingResult)[0]

    def told(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    def kept(self):
        """Return the leases that the program would read at its next start."""
        return read_leases(self.stored[-1])


def codes_of(outcome):
    """Return the code of each answer in an outcome, by protocol."""
    return {answer.protocol: answer.code for answer in outcome.answers}


async def refused(deferred):
    """Return the code of the Refusal with which a Deferred must fail."""
    return (await failure_of(deferred, Refusal)).code


class OnePort:
    """A system with one UDP port, from which some hosts are unreachable."""

    def __init__(self, clock, no_way_to=()):
        self.callLater = clock.callLater
        self.no_way_to = no_way_to
        self.sent = []
        self.open = True

    def listenUDP(self, port, question, interface):
        self.question, question.transport = question, self

    listenMulticast = listenUDP

    def connect(self, host, port):
        """Do nothing. A real system would pass on only datagrams from there."""

    def hear(self, datagram, sender):
        self.question.datagramReceived(datagram, sender)

    def setOutgoingInterface(self, own):
        return fail(OSError(errno.ENODEV, own))

    def write(self, data, to):
        if self.no_way_to and to[0] in self.no_way_to:
            raise OSError(errno.ENETUNREACH, "no way there")
        self.sent.append((data, to))

    def stopListening(self):
        self.open = False
