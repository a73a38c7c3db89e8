"""Nonsense answers: whatever a router sends is read as a value or refused with a listed code."""

import json
import random
from ipaddress import ip_address

import pytest

from ginpeer.net.mapping import datagrams, igd, pcp
from ginpeer.net.mapping.gateways import linux_ipv4, linux_ipv6, netstat, route_print
from ginpeer.net.mapping.http import RouterUrl, parse_url, resolve_url
from ginpeer.net.mapping.igd import MAX_ELEMENTS, read_xml
from ginpeer.net.mapping.methods import LeaseError, read_leases, write_leases
from ginpeer.net.mapping.results import GRANT_SENTENCES, REFUSALS, Refusal, classify_public_address
from tests.fuzz.odd import odd
from tests.fuzz.protobuf import spoilt
from tests.fuzz.texts import VALUES, any_text, edited
from tests.net.mapping import test_codecs, test_routes
from tests.net.mapping.gateways import _DESCRIPTION, _FIREWALL

SAMPLES = 1_500
ROUTER = "192.168.1.1"
AT = RouterUrl(ROUTER, 5000, "/desc.xml")
DESCRIPTION = _DESCRIPTION.format(
    version=2, kind="WANIPConnection:2", control="/c", more=_FIREWALL.format(control="/f")
).encode()
SEARCHED = b"HTTP/1.1 200 OK\r\nST: x\r\nLOCATION: http://192.168.1.1:5000/desc.xml\r\n\r\n"
RETURNED = test_codecs.envelope("<u:AResponse><B>7</B></u:AResponse>")
FAULT = test_codecs.envelope(
    "<s:Fault><detail><UPnPError><errorCode>725</errorCode></UPnPError></detail></s:Fault>"
)
TAGS = (b"<!DOCTYPE r>", b"&a;", b"&#0;", b"<![CDATA[", b"<a>" * 40, b"\xff", b"<?x?>", b"</")


def take_pcp(data):
    answer = pcp.read_pcp(data, test_codecs.PCP, 3600)
    return answer is None or classify_public_address(str(answer.external)) in GRANT_SENTENCES


def take_nat_pmp(data):
    pcp.read_address(data)
    pcp.read_nat_pmp(data, test_codecs.NAT_PMP, 3600)
    return True


def take_search(data):
    url = datagrams.read_search_answer(data, ROUTER)
    return url is None or (url.host == ROUTER and parse_url(str(url), ROUTER) == url)


def take_description(data):
    found = igd.read_description(data, AT, ROUTER)
    return all(service.control.host == ROUTER for service in found)


def take_xml(data):
    elements = list(read_xml(data).iter())
    return len(elements) <= MAX_ELEMENTS


def take_action(data):
    status = (200, 500)[len(data) % 2]
    try:
        igd.read_number(igd.read_action(status, data, "A"), "B")
    except igd.UpnpFault as fault:
        raise fault.refusal() from None
    return True


def take_http(data):
    reader = test_codecs.Reading()
    for at in range(0, len(data), 13):
        answer = reader.feed(data[at : at + 13])
        if answer is not None:
            return 200 <= answer.status < 600
    reader.end()
    return True


BYTES = {
    "pcp": (take_pcp, [test_codecs.pcp_answer(), bytes.fromhex("0081000100000000")]),
    "nat-pmp": (take_nat_pmp, [bytes.fromhex("0082000000000005117211730000003c"), b"\0\x80\0\0"]),
    "search": (take_search, [SEARCHED]),
    "description": (take_description, [DESCRIPTION]),
    "xml": (take_xml, [DESCRIPTION, FAULT]),
    "action": (take_action, [RETURNED, FAULT]),
    "http": (take_http, test_codecs.WHOLE),
}


def bytes_of(sound, rng):
    """Return a valid answer, perhaps changed, cut or with odd tags; or return arbitrary bytes."""
    kind, data = rng.random(), rng.choice(sound)
    if kind < 0.05:
        return data
    if kind < 0.15:
        return data[: int(rng.random() * len(data))]
    if kind < 0.3:
        at = int(rng.random() * len(data))
        return data[:at] + rng.choice(TAGS) + data[at:]
    if kind < 0.35:
        return rng.randbytes(int(rng.random() * 200))
    return spoilt(data, rng)


@pytest.mark.parametrize("name", BYTES)
def test_any_bytes_from_a_router_give_a_value_or_a_listed_code(name):
    take, sound = BYTES[name]
    rng, met = random.Random(f"{name} 11"), {}
    for _ in range(SAMPLES):
        data = bytes_of(sound, rng)
        try:
            word = take(data)
        except Refusal as refusal:
            word = refusal.code
            if word not in REFUSALS or not refusal.sentence.isprintable():
                raise odd(f"the refusal {refusal!r}", data) from refusal
        except Exception as error:  # no other exception is allowed
            raise odd(f"{error!r}", data) from error
        if not word:
            raise odd("not as it should be", data)
        met[word] = met.get(word, 0) + 1
    assert 0 < met[True] < SAMPLES
    assert len(met) > 1


def test_no_text_leads_away_from_the_router():
    rng, followed = random.Random("urls 11"), 0
    for _ in range(SAMPLES):
        text = rng.choice((str(AT), "/ctl", "ctl?x", "//192.168.1.1/x", "http://192.168.1.1"))
        text = edited(text, rng) if rng.random() < 0.8 else any_text(rng)
        try:
            url = resolve_url(AT, text, ROUTER)
        except Refusal as refusal:
            assert refusal.code == "answer-elsewhere"  # noqa: PT017
            continue
        followed += 1
        assert ip_address(url.host) == ip_address(ROUTER)
        assert 0 < url.port < 65_536
        assert url.path.isascii()
        assert url.path.isprintable()
        assert " " not in url.path
    assert followed


def test_a_note_of_leases_is_read_or_refused():
    rng, read = random.Random("leases 11"), 0
    sound = write_leases(test_codecs.LEASES)
    for _ in range(SAMPLES):
        text = sound
        if rng.random() < 0.5:
            document = json.loads(sound)
            row = rng.choice(document["leases"])
            row[rng.choice(list(row))] = rng.choice(VALUES)
            text = json.dumps(document)
        elif rng.random() < 0.95:
            text = edited(sound, rng)
        try:
            leases = read_leases(text)
        except LeaseError:
            continue
        read += 1
        assert read_leases(write_leases(leases)) == leases
    assert 0 < read < SAMPLES


@pytest.mark.parametrize("reader", [linux_ipv4, linux_ipv6, netstat, route_print])
def test_a_senseless_routing_table_is_not_an_error(reader):
    rng = random.Random("routes 11")
    tables = (test_routes.LINUX_4, test_routes.LINUX_6, test_routes.MACOS, test_routes.WINDOWS)
    for _ in range(SAMPLES // 3):
        table = rng.choice(tables)
        cut = table[: int(rng.random() * len(table))]
        for name in reader(rng.choice((cut, edited(table, rng)))):
            ip_address(name)
