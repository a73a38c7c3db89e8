"""Pure functions for UPnP messages: a router's device description, SOAP requests and SOAP answers.

Sources: InternetGatewayDevice:1 and :2, WANIPConnection:1 and :2, WANPPPConnection:1,
WANIPv6FirewallControl:1 (UPnP Forum). The actions' arguments are in the order given there, which
some routers insist on.

XML from a router is hostile until it has been reduced to a small tree of names and text:

Rule 1: no document type, and no entities except the five of XML itself. Refuse everything that
begins with ``<!``, except a comment or CDATA, before the parser sees it: a handler that raises
doesn't stop the parser, which would still expand entities.
Rule 2: bytes, depth and elements are bounded. The bytes bound the parser's memory.
Rule 3: prefixes are dropped. Routers get namespaces wrong, and nothing here depends on them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement
from xml.parsers import expat
from xml.sax.saxutils import escape

from ginpeer.net.mapping.http import MAX_BODY, RouterUrl, resolve_url
from ginpeer.net.mapping.results import Refusal

FIREWALL = "urn:schemas-upnp-org:service:WANIPv6FirewallControl:1"
CONNECTIONS = (  # in order of preference
    "urn:schemas-upnp-org:service:WANIPConnection:2",
    "urn:schemas-upnp-org:service:WANIPConnection:1",
    "urn:schemas-upnp-org:service:WANPPPConnection:1",
)
MAX_DEPTH = 32  # a device description nests three devices, 12 levels
MAX_ELEMENTS = 4096
MAX_SERVICES = 4  # per router, which has one for each line to the Internet
LABEL = "ginpeer"  # the name of the open port on the router's own pages

INVALID_ACTION, INVALID_ARGUMENTS, ACTION_FAILED, UNSUPPORTED = 401, 402, 501, 602
NO_SUCH_ENTRY = 714
CONFLICTS = frozenset({718, 729})  # another machine, or another service, has the port
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
    724: "port-taken",  # the external port must equal the internal one, and is taken
    728: "no-room",
    729: "port-taken",
}


_DECLARATION = re.compile(rb"<!(?!--|\[CDATA\[)")


def text_of(element: Element, name: str) -> str:
    """Return the stripped text of the first child with this name; "" if there is none."""
    return element.findtext(name, "").strip()


def read_xml(data: bytes) -> Element:
    """Return the root element of a document. Raises Refusal.

    Decode it as UTF-8, and replace invalid bytes: we look only for ASCII text, and routers don't
    always use the encoding that they declare.
    """
    if len(data) > MAX_BODY:
        raise Refusal("answer-too-long")
    if _DECLARATION.search(data):
        raise Refusal("answer-unreadable")
    reading = _Reading()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.characters
    try:
        parser.Parse(data.strip().decode("utf-8", "replace").encode(), True)
    except expat.ExpatError:
        raise Refusal("answer-unreadable") from None
    return reading.document[0]


class _Reading:
    def __init__(self) -> None:
        self.document = Element("")
        self._open = [self.document]
        self._count = 0

    def start(self, name: str, _attributes: Any) -> None:
        self._count += 1
        if len(self._open) > MAX_DEPTH or self._count > MAX_ELEMENTS:
            raise Refusal("answer-too-long")
        self._open.append(SubElement(self._open[-1], name.rpartition(":")[2]))

    def end(self, _name: str) -> None:
        self._open.pop()

    def characters(self, text: str) -> None:
        self._open[-1].text = (self._open[-1].text or "") + text


# --- descriptions and actions -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UpnpService:
    """One of a router's UPnP services: its type, and the URL that takes requests."""

    kind: str
    control: RouterUrl


def read_description(data: bytes, at: RouterUrl, router: str) -> tuple[UpnpService, ...]:
    """Return the services in a device description that can open ports, best first. Raises
    Refusal if it isn't a description, or if its services are on another machine."""
    root = read_xml(data)
    if root.tag != "root":
        raise Refusal("answer-unreadable")
    base = text_of(root, "URLBase")
    if base:
        at = resolve_url(at, base, router)
    found: dict[str, list[UpnpService]] = {kind: [] for kind in (*CONNECTIONS, FIREWALL)}
    for element in root.iter("service"):
        kind = text_of(element, "serviceType")
        if kind in found:
            control = resolve_url(at, text_of(element, "controlURL"), router)
            found[kind].append(UpnpService(kind, control))
    connections = [service for kind in CONNECTIONS for service in found[kind]]
    return (*connections[:MAX_SERVICES], *found[FIREWALL][:1])


def encode_action(kind: str, action: str, arguments: Mapping[str, str]) -> bytes:
    inside = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in arguments.items())
    return (
        '<?xml version="1.0"?>\r\n'
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" '
        's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>'
        f'<u:{action} xmlns:u="{kind}">{inside}</u:{action}>'
        "</s:Body></s:Envelope>\r\n"
    ).encode()


class UpnpFault(Exception):
    """The router refused an action with this UPnP error code."""

    def __init__(self, number: int) -> None:
        super().__init__(f"UPnP error {number}")
        self.number = number

    def refusal(self) -> Refusal:
        return Refusal(_FAULTS.get(self.number, "refused"), self.number)


def read_action(status: int, data: bytes, action: str) -> Element:
    """Return the element that contains an action's results. Raises UpnpFault, or Refusal if the
    answer is anything else."""
    if status not in (200, 500):
        raise Refusal("not-allowed" if status in (401, 403) else "refused", status)
    envelope = read_xml(data)
    body = envelope.find("Body")
    if envelope.tag != "Envelope" or body is None:
        raise Refusal("answer-unreadable")
    if body.find("Fault") is not None:
        for element in body.iter("UPnPError"):
            number = text_of(element, "errorCode")
            if number.isascii() and number.isdigit():
                raise UpnpFault(int(number[:5]))
        raise Refusal("refused")
    answer = body.find(f"{action}Response")
    if answer is None or status != 200:
        raise Refusal("answer-unreadable")
    return answer


def read_number(answer: Element, name: str, most: int = 0xFFFF) -> int:
    """Return a number from an action's results. Raises Refusal."""
    text = text_of(answer, name)
    if not (text.isascii() and text.isdigit() and len(text) <= 10) or int(text) > most:
        raise Refusal("answer-unreadable")
    return int(text)


# --- the actions -------------------------------------------------------------------------------


def entry_arguments(external_port: int) -> dict[str, str]:
    """Return the arguments of GetSpecificPortMappingEntry and DeletePortMapping."""
    return {"NewRemoteHost": "", "NewExternalPort": str(external_port), "NewProtocol": "TCP"}


def mapping_arguments(
    external_port: int, internal_port: int, own: str, lifetime: int
) -> dict[str, str]:
    """Return the arguments of AddPortMapping and AddAnyPortMapping. *lifetime*: seconds; 0 means
    for ever."""
    return {
        **entry_arguments(external_port),
        "NewInternalPort": str(internal_port),
        "NewInternalClient": own,
        "NewEnabled": "1",
        "NewPortMappingDescription": LABEL,
        "NewLeaseDuration": str(lifetime),
    }


def pinhole_arguments(port: int, own: str, lifetime: int) -> dict[str, str]:
    """Return the arguments of AddPinhole for connections from anywhere to this port of ours."""
    return {
        "RemoteHost": "",
        "RemotePort": "0",
        "InternalClient": own,
        "InternalPort": str(port),
        "Protocol": "6",
        "LeaseTime": str(lifetime),
    }
