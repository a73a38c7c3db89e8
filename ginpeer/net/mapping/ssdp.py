"""SSDP (UPnP Device Architecture 1.1, section 1.3): where a router's description stands."""

from __future__ import annotations

from ginpeer.net.mapping.http import RouterUrl, parse_url
from ginpeer.net.mapping.refusals import Refusal

MAX_ANSWER = 2048

# Some routers answer only to what they are, some only to what all are.
TARGETS = (
    "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
    "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    "upnp:rootdevice",
)


def encode_search(host: str, port: int, target: str) -> bytes:
    """A search, sent to this host: a group of all devices, or the router alone."""
    return (
        "M-SEARCH * HTTP/1.1\r\n"
        f"HOST: {host}:{port}\r\n"
        'MAN: "ssdp:discover"\r\n'
        "MX: 1\r\n"
        f"ST: {target}\r\n"
        "\r\n"
    ).encode("ascii")


def read_answer(data: bytes, router: str) -> RouterUrl | None:
    """Where *router*, who has sent this, keeps its description; None if it answers no search.

    Raises Refusal, also if that is elsewhere.
    """
    if len(data) > MAX_ANSWER:
        raise Refusal("answer-too-long")
    first, *lines = data.decode("latin-1").split("\r\n")
    if not first.startswith("HTTP/1.") or first.split(" ")[1:2] != ["200"]:
        return None
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and name.strip().lower() == "location":
            return parse_url(value.strip(), router)
    return None
