"""What a router offers and answers by UPnP: device description, SOAP requests, SOAP answers. Pure.

Sources: InternetGatewayDevice:1 and :2, WANIPConnection:1 and :2, WANPPPConnection:1,
WANIPv6FirewallControl:1 (UPnP Forum), with the actions' arguments in the order given there, which
some routers insist on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from ginpeer.net.mapping.http import RouterUrl, resolve_url
from ginpeer.net.mapping.refusals import Refusal
from ginpeer.net.mapping.router_xml import XmlElement, read_xml

FIREWALL = "urn:schemas-upnp-org:service:WANIPv6FirewallControl:1"
CONNECTIONS = (  # the better first
    "urn:schemas-upnp-org:service:WANIPConnection:2",
    "urn:schemas-upnp-org:service:WANIPConnection:1",
    "urn:schemas-upnp-org:service:WANPPPConnection:1",
)
MAX_SERVICES = 4
"""Of one router that are asked; it has one for each line to the outside."""
LABEL = "ginpeer"
"""What the router's own pages show beside the open port."""

INVALID_ACTION, INVALID_ARGUMENTS, ACTION_FAILED, UNSUPPORTED = 401, 402, 501, 602
NO_SUCH_ENTRY = 714
CONFLICTS = frozenset({718, 729})  # the port is another machine's, or another service's
ONLY_PERMANENT = 725
NO_PORTS = 728

_FAULTS = {
    INVALID_ACTION: "not-offered",
    UNSUPPORTED: "not-offered",
    606: "not-allowed",
    701: "no-room",  # PinholeSpaceExhausted
    702: "firewall-off",
    703: "not-allowed",  # InboundPinholeNotAllowed
    718: "port-taken",
    724: "port-taken",  # only the same port outside as inside, and that is taken
    728: "no-room",
    729: "port-taken",
}


@dataclass(frozen=True, slots=True)
class UpnpService:
    """One of a router's services: its type, and where it takes requests."""

    kind: str
    control: RouterUrl


def read_description(data: bytes, at: RouterUrl, router: str) -> tuple[UpnpService, ...]:
    """The services in a device description that can open something, the better first.

    Raises Refusal: what is no description, or one whose services stand elsewhere.
    """
    root = read_xml(data)
    if root.name != "root":
        raise Refusal("answer-unreadable")
    base = root.text_of("URLBase")
    if base:
        at = resolve_url(at, base, router)
    found = []
    for element in root.walk():
        kind = element.text_of("serviceType")
        if element.name == "service" and kind in (*CONNECTIONS, FIREWALL):
            found.append(UpnpService(kind, resolve_url(at, element.text_of("controlURL"), router)))
    order = (*CONNECTIONS, FIREWALL)
    found.sort(key=lambda service: order.index(service.kind))
    connections = [service for service in found if service.kind != FIREWALL]
    firewalls = [service for service in found if service.kind == FIREWALL]
    return (*connections[:MAX_SERVICES], *firewalls[:1])


def encode_action(kind: str, action: str, arguments: Mapping[str, str]) -> bytes:
    """The body of a request."""
    inside = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in arguments.items())
    return (
        '<?xml version="1.0"?>\r\n'
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" '
        's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>'
        f'<u:{action} xmlns:u="{kind}">{inside}</u:{action}>'
        "</s:Body></s:Envelope>\r\n"
    ).encode()


class UpnpFault(Exception):
    """The router refuses an action, with UPnP's error code."""

    def __init__(self, number: int) -> None:
        super().__init__(f"UPnP error {number}")
        self.number = number

    def refusal(self) -> Refusal:
        """What that means to the player."""
        return Refusal(_FAULTS.get(self.number, "refused"), self.number)


def read_action(status: int, data: bytes, action: str) -> XmlElement:
    """The element with what an action returned. Raises UpnpFault, or Refusal for what is neither."""
    if status not in (200, 500):
        raise Refusal("not-allowed" if status in (401, 403) else "refused", status)
    envelope = read_xml(data)
    body = envelope.child("Body")
    if envelope.name != "Envelope" or body is None:
        raise Refusal("answer-unreadable")
    if body.child("Fault") is not None:
        for element in body.walk():
            number = element.text_of("errorCode")
            if element.name == "UPnPError" and number.isascii() and number.isdigit():
                raise UpnpFault(int(number[:5]))
        raise Refusal("refused")
    answer = body.child(f"{action}Response")
    if answer is None or status != 200:
        raise Refusal("answer-unreadable")
    return answer


def read_number(answer: XmlElement, name: str, most: int = 0xFFFF) -> int:
    """A number that an action returned. Raises Refusal."""
    text = answer.text_of(name)
    if not (text.isascii() and text.isdigit() and len(text) <= 10) or int(text) > most:
        raise Refusal("answer-unreadable")
    return int(text)


# --- the actions -------------------------------------------------------------------------------


def entry_arguments(external_port: int) -> dict[str, str]:
    """Of GetSpecificPortMappingEntry and DeletePortMapping."""
    return {
        "NewRemoteHost": "",
        "NewExternalPort": str(external_port),
        "NewProtocol": "TCP",
    }


def mapping_arguments(
    external_port: int, internal_port: int, own: str, lifetime: int
) -> dict[str, str]:
    """Of AddPortMapping and AddAnyPortMapping; *lifetime* in seconds, 0 for ever."""
    return {
        **entry_arguments(external_port),
        "NewInternalPort": str(internal_port),
        "NewInternalClient": own,
        "NewEnabled": "1",
        "NewPortMappingDescription": LABEL,
        "NewLeaseDuration": str(lifetime),
    }


def pinhole_arguments(port: int, own: str, lifetime: int) -> dict[str, str]:
    """Of AddPinhole: from anybody to this port of ours."""
    return {
        "RemoteHost": "",
        "RemotePort": "0",
        "InternalClient": own,
        "InternalPort": str(port),
        "Protocol": "6",
        "LeaseTime": str(lifetime),
    }
