"""The mapping methods of UPnP: find a router's services, and ask them for a port, or for a pinhole
in the IPv6 firewall.

Rule 1: anybody may make a router open a port, even in place of an existing entry. So we check an
entry before we write it and again before we delete it, and leave another machine's entry alone.
Rule 2: if a router grants only permanent leases, we accept one, and the caller keeps it stored
until it has been released.
"""

from __future__ import annotations

import socket
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_address
from xml.etree.ElementTree import Element

from twisted.internet.defer import Deferred

from ginpeer.net.address import ip_of
from ginpeer.net.mapping import igd
from ginpeer.net.mapping.datagrams import search
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.http import HttpResponse, RouterUrl, encode_request, fetch, parse_url
from ginpeer.net.mapping.igd import CONNECTIONS, FIREWALL, UpnpFault, UpnpService, text_of
from ginpeer.net.mapping.methods import Grant, Lease, MappingContext, MappingMethod
from ginpeer.net.mapping.results import MappingProtocol, Refusal
from ginpeer.net.own_addresses import own_towards

_TRIES = 4  # external ports to try, including the one that we want
_FIRST_PORT, _PORTS = 20_000, 12_000  # below the ports that systems use for outgoing connections
_MOST_DESCRIPTIONS = 4  # a hostile router could name new ones for ever
_FOR_EVER = 604_800  # seconds; IGD 2 never grants more (WANIPConnection:2, 2.3.21)


class UpnpRouter:
    """One router's UPnP services, which are found when first needed and then kept."""

    def __init__(self, context: MappingContext, gateway: Gateway) -> None:
        self.gateway = gateway
        self._context = context
        self._services: tuple[UpnpService, ...] = ()
        self.has_answered = False  # whether the router has announced that it speaks UPnP
        self._looking: list[Deferred[None]] | None = None

    def forget(self) -> None:
        """Search again next time: a restarted router may have its services at another URL."""
        self._services = ()

    async def services(self) -> tuple[UpnpService, ...]:
        """Return the services, best first. Raises Refusal. Concurrent calls share one search."""
        if self._looking is not None:
            search_ends: Deferred[None] = Deferred()
            self._looking.append(search_ends)
            await search_ends
        if not self._services:
            waiting = self._looking = []
            try:
                self._services = await self._look()
            except Refusal as refusal:
                for other in waiting:
                    if not other.called:
                        other.errback(refusal)
                raise
            finally:
                self._looking = None
                for other in waiting:
                    if not other.called:
                        other.callback(None)
        return self._services

    async def _look(self) -> tuple[UpnpService, ...]:
        """Search until a description has services for us: a media server on the router may answer,
        too."""
        context, ports, waits = self._context, self._context.ports, self._context.timing.search
        ignored: list[RouterUrl] = []
        why: Refusal | None = None
        while len(ignored) < _MOST_DESCRIPTIONS:
            try:
                at = await search(
                    context.reactor, self.gateway, ports.ssdp, ports.multicast, waits, ignored
                )
            except Refusal as silence:
                why = why or (None if ignored else silence)
                break
            self.has_answered = True
            try:
                _, body = await _fetch(context, self.gateway, at, encode_request(at))
                services = igd.read_description(body, at, self.gateway.host)
            except Refusal as unreadable:
                why, services = unreadable, ()
            if services:
                return services
            ignored.append(at)
        if why is not None:
            raise why
        return ()


async def _call(
    context: MappingContext,
    gateway: Gateway,
    service: UpnpService,
    action: str,
    arguments: dict[str, str],
) -> Element:
    """Call an action of the router at *gateway*. Raises UpnpFault or Refusal."""
    body = igd.encode_action(service.kind, action, arguments)
    request = encode_request(service.control, f"{service.kind}#{action}", body)
    return igd.read_action(*await _fetch(context, gateway, service.control, request), action)


async def _fetch(
    context: MappingContext, gateway: Gateway, url: RouterUrl, request: bytes
) -> HttpResponse:
    """Send a request to *url*, on the router at *gateway*. The host in *url* lacks the network
    interface. The router has answered a search, so if it is silent now, it is slow."""
    try:
        return await fetch(context.reactor, gateway, url.port, request, context.timing.http)
    except Refusal as refusal:
        raise Refusal("answer-late") if refusal.code == "no-answer" else refusal from None


class _UpnpMethod(MappingMethod):
    protocol = MappingProtocol.UPNP

    def __init__(
        self, context: MappingContext, router: UpnpRouter, gateway: Gateway, port: int
    ) -> None:
        super().__init__(context, gateway, port)
        self._router = router

    @property
    def has_answered(self) -> bool:
        return self._router.has_answered

    async def ask(self, wanted: Lease | None, keep: Callable[[Lease], None]) -> Grant:
        try:
            return await self._ask(wanted, keep)
        except Refusal:
            self._router.forget()
            raise

    @abstractmethod
    async def _ask(self, wanted: Lease | None, keep: Callable[[Lease], None]) -> Grant: ...


class Upnp(_UpnpMethod):
    """Opens an IPv4 port through the WANIPConnection or WANPPPConnection service."""

    async def _ask(self, wanted: Lease | None, keep: Callable[[Lease], None]) -> Grant:
        service, outside = await self._connected()
        lease = Lease(
            self.protocol,
            *self.gateway,
            self._port,
            (wanted.external_port if wanted is not None else 0) or self._port,
            control=str(service.control),
            service=service.kind,
            permanent=wanted is not None and wanted.permanent,
        )
        try:
            for left in reversed(range(_TRIES)):
                try:
                    lease = await self._open(lease, keep)
                    break
                except UpnpFault as fault:
                    if fault.number == igd.ACTION_FAILED and outside is None:
                        raise Refusal("router-without-address", fault.number) from None
                    if fault.number not in igd.CONFLICTS or not left:
                        raise fault.refusal() from None
                    port = _FIRST_PORT + int.from_bytes(self._context.rng(4), "big") % _PORTS
                    lease = replace(lease, external_port=port, permanent=False)
        except Refusal as refusal:
            refusal.seen_at = outside
            raise
        keep(lease)
        if wanted is not None and wanted.external_port not in (0, lease.external_port):
            with suppress(Refusal):
                await self._delete(replace(lease, external_port=wanted.external_port))
        lifetime = _FOR_EVER if lease.permanent else self._context.timing.lifetime
        return Grant(lease, outside, lifetime)

    async def take_back(self, lease: Lease) -> None:
        try:
            await self._delete(lease)
        except Refusal as refusal:
            # A router that has restarted may use a different URL, but keeps its permanent
            # entries.
            self._router.forget()
            services = [s for s in await self._router.services() if s.kind == lease.service]
            if not services:
                raise refusal from None
            await self._delete(replace(lease, control=str(services[0].control)))

    async def _delete(self, lease: Lease) -> None:
        try:
            if await self._is_ours(lease) is not False:
                arguments = igd.entry_arguments(lease.external_port)
                await self._call(lease, "DeletePortMapping", arguments)
        except UpnpFault as fault:
            if fault.number != igd.NO_SUCH_ENTRY:
                raise fault.refusal() from None

    async def _connected(self) -> tuple[UpnpService, str | None]:
        """Return the first service with an external address, and that address; if none has one, the
        first service and None."""
        services = [one for one in await self._router.services() if one.kind in CONNECTIONS]
        if not services:
            raise Refusal("not-offered")
        problem = None
        for service in services:
            try:
                answer = await _call(
                    self._context, self.gateway, service, "GetExternalIPAddress", {}
                )
                ip = ip_address(text_of(answer, "NewExternalIPAddress"))
            except UpnpFault as fault:
                problem = problem or fault.refusal()
                continue
            except ValueError:
                continue
            if ip.version == 4 and not ip.is_unspecified:
                return service, str(ip)
        if problem is not None and problem.code == "not-allowed":
            raise problem
        return services[0], None

    async def _open(self, lease: Lease, keep: Callable[[Lease], None]) -> Lease:
        """Open the port of this lease. Raises UpnpFault, with a code from CONFLICTS if another
        machine has the external port."""
        if await self._is_ours(lease) is False:
            raise UpnpFault(min(igd.CONFLICTS))
        keep(lease)
        try:
            return await self._add(lease)
        except UpnpFault as fault:
            # The standard's code is 725; routers without leases also answer with the other two.
            no_lease = (igd.ONLY_PERMANENT, igd.INVALID_ARGUMENTS, igd.ACTION_FAILED)
            if fault.number not in no_lease:
                raise
        lease = replace(lease, permanent=True)
        keep(lease)
        return await self._add(lease)

    async def _add(self, lease: Lease) -> Lease:
        lifetime = 0 if lease.permanent else self._context.timing.lifetime
        arguments = igd.mapping_arguments(
            lease.external_port, lease.internal_port, lease.own_address, lifetime
        )
        if lease.service == CONNECTIONS[0]:
            try:
                answer = await self._call(lease, "AddAnyPortMapping", arguments)
            except UpnpFault as fault:
                # A router that would refuse any single port may answer 728 here as well. The older
                # action says why.
                if fault.number not in (igd.INVALID_ACTION, igd.UNSUPPORTED, igd.NO_PORTS):
                    raise
            else:
                port = igd.read_number(answer, "NewReservedPort")
                if port == 0:
                    raise Refusal("answer-unreadable")
                return replace(lease, external_port=port)
        await self._call(lease, "AddPortMapping", arguments)
        return lease

    async def _is_ours(self, lease: Lease) -> bool | None:
        """Return whether the entry at this external port is ours; None if there is no entry, or the
        router doesn't say."""
        try:
            arguments = igd.entry_arguments(lease.external_port)
            entry = await self._call(lease, "GetSpecificPortMappingEntry", arguments)
        except UpnpFault:
            return None
        client, port = text_of(entry, "NewInternalClient"), text_of(entry, "NewInternalPort")
        if ip_of(client) is None:  # the standard allows a host name here
            is_here = _first_label(client) == _first_label(socket.gethostname())
        else:
            is_here = client == lease.own_address
        return is_here and port == str(lease.internal_port)

    async def _call(self, lease: Lease, action: str, arguments: dict[str, str]) -> Element:
        service = UpnpService(lease.service, parse_url(lease.control, self.gateway.host))
        return await _call(self._context, self.gateway, service, action, arguments)


class UpnpPinhole(_UpnpMethod):
    """Opens an IPv6 port through WANIPv6FirewallControl, on a router found over IPv4.

    Some routers (miniupnpd) open a pinhole only for the address from which the request comes, and
    others take requests only over IPv4. So we use two of these methods: *gateway* has either the
    router's IPv6 address, with the same port and path, or its IPv4 address. Both contain our
    IPv6 address, to which friends connect.
    """

    async def _ask(self, wanted: Lease | None, keep: Callable[[Lease], None]) -> Grant:
        services = [one for one in await self._router.services() if one.kind == FIREWALL]
        if not services:
            raise Refusal("not-offered")
        control = services[0].control._replace(host=self.gateway.host.partition("%")[0])
        lifetime = self._context.timing.lifetime
        lease = Lease(
            self.protocol,
            *self.gateway,
            self._port,
            self._port,
            control=str(control),
            service=FIREWALL,
            pinhole=None if wanted is None else wanted.pinhole,
        )
        try:
            status = await self._request(lease, "GetFirewallStatus", {})
            if text_of(status, "FirewallEnabled") == "0":
                raise Refusal("firewall-off")
            if text_of(status, "InboundPinholeAllowed") == "0":
                raise Refusal("not-allowed")
            keep(lease)
            # If the pinhole is open already, the router extends its lifetime (2.5.2).
            arguments = igd.pinhole_arguments(self._port, self.gateway.own_address, lifetime)
            answer = await self._request(lease, "AddPinhole", arguments)
        except UpnpFault as fault:
            raise fault.refusal() from None
        granted = replace(lease, pinhole=igd.read_number(answer, "UniqueID"))
        keep(granted)
        return Grant(granted, self.gateway.own_address, lifetime)

    async def take_back(self, lease: Lease) -> None:
        if lease.pinhole is None:
            return  # we never got its number; it expires by itself
        try:
            await self._request(lease, "DeletePinhole", {"UniqueID": str(lease.pinhole)})
        except UpnpFault as fault:
            raise fault.refusal() from None

    async def _request(self, lease: Lease, action: str, arguments: dict[str, str]) -> Element:
        gateway = self.gateway
        if ":" not in gateway.host:
            own = own_towards(gateway.host)
            if own is None:
                raise Refusal("router-unreachable")
            gateway = Gateway(gateway.host, own)
        service = UpnpService(lease.service, parse_url(lease.control, gateway.host))
        return await _call(self._context, gateway, service, action, arguments)


def _first_label(name: str) -> str:
    return name.partition(".")[0].casefold()
