"""What we send to routers, byte for byte, and which of their answers we accept."""

import json
import struct
from dataclasses import replace
from ipaddress import ip_address
from xml.parsers import expat

import pytest
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ginpeer.net.mapping import datagrams, igd, pcp
from ginpeer.net.mapping.http import (
    MAX_BODY,
    MAX_HEAD,
    MAX_URL,
    HttpResponse,
    RouterUrl,
    encode_request,
    parse_url,
    read_response,
    resolve_url,
)
from ginpeer.net.mapping.igd import (
    FIREWALL,
    MAX_DEPTH,
    MAX_ELEMENTS,
    UpnpFault,
    UpnpService,
    read_xml,
)
from ginpeer.net.mapping.methods import MAX_TEXT, Lease, LeaseError, read_leases, write_leases
from ginpeer.net.mapping.results import MappingProtocol, Refusal, classify_public_address
from ginpeer.net.tcp import Stream
from tests.refusals import code_of

NONCE = bytes(range(12))
OWN = "192.168.1.7"
ROUTER = "192.168.1.1"
AT = RouterUrl(ROUTER, 5000, "/desc.xml")
IP_1 = "urn:schemas-upnp-org:service:WANIPConnection:1"
IP_2 = "urn:schemas-upnp-org:service:WANIPConnection:2"


def refused(read, *given):
    """Return the code of the Refusal that *read* raises."""
    with pytest.raises(Refusal) as caught:
        read(*given)
    assert caught.value.sentence.isprintable()
    return caught.value.code


# --- PCP ------------------------------------------------------------------------------------

PCP = Lease(MappingProtocol.PCP, ROUTER, OWN, 4466, 4466, NONCE)


def pcp_answer(*, version=2, opcode=0x81, result=0, lifetime=60, nonce=NONCE, inside=4466, out=9):
    head = struct.pack("!BBBBII12x", version, opcode, 0, result, lifetime, 5)
    outside = bytes.fromhex("00000000000000000000ffffc6336407")
    return head + struct.pack("!12sB3xHH16s", nonce, 6, inside, out, outside)


def test_a_pcp_request_is_encoded_as_in_the_rfc():
    assert pcp.encode_pcp(PCP, 3600).hex() == (
        "0201000000000e10"  # version 2, MAP, an hour
        "00000000000000000000ffffc0a80107"  # from 192.168.1.7
        "000102030405060708090a0b06000000"  # the nonce, TCP
        "11721172"  # 4466, and 4466 if possible
        "00000000000000000000ffff00000000"  # from any IPv4 address
    )


def test_a_pcp_request_over_ipv6_asks_for_an_ipv6_address():
    asked = pcp.encode_pcp(replace(PCP, own_address="2001:db8::5"), 0)
    assert asked[8:24] == ip_address("2001:db8::5").packed
    assert asked[-18:] == bytes(18)  # any port, because this one is being closed


def test_a_pcp_answer_is_read_with_any_options():
    whole = pcp.GrantedPort(60, 9, ip_address("198.51.100.7"))
    assert pcp.read_pcp(pcp_answer() + bytes(8), PCP, 3600) == whole
    assert pcp.read_pcp(pcp_answer().ljust(pcp.MAX_MESSAGE, b"\0"), PCP, 3600) == whole
    assert pcp.read_pcp(pcp_answer(opcode=0x80)[:24], PCP, 3600) is None  # an answer to ANNOUNCE


@pytest.mark.parametrize(
    "other",
    [
        {"nonce": bytes(12)},
        {"inside": 4467},
        {"opcode": 0x82},
        {"opcode": 0x01},  # our own request, sent back
        {"nonce": bytes(12), "result": 2},
    ],
)
def test_a_pcp_answer_to_another_request_is_ignored(other):
    assert pcp.read_pcp(pcp_answer(**other), PCP, 3600) is None


@pytest.mark.parametrize(("opcode", "result"), [(0x81, 0), (0x01, 1)])
def test_a_nat_pmp_answer_to_pcp_is_ignored_unless_it_refuses_the_version(opcode, result):
    assert pcp.read_pcp(struct.pack("!BBHI", 0, opcode, result, 0), PCP, 3600) is None


def test_a_removed_mapping_has_no_lifetime_and_no_port():
    taken = pcp.read_pcp(pcp_answer(lifetime=0, out=0), PCP, 0)
    assert taken == pcp.GrantedPort(0, 0, ip_address("198.51.100.7"))
    mapped = bytes.fromhex("00820000 00000005 1172 0000 00000000")
    assert pcp.read_nat_pmp(mapped, NAT_PMP, 0) == (0, 0, None)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "answer-unreadable"),
        (pcp_answer()[:-4], "answer-unreadable"),
        (pcp_answer() + b"\0", "answer-unreadable"),
        (pcp_answer() + bytes(1100), "answer-unreadable"),
        (pcp_answer(lifetime=0), "answer-unreadable"),
        (pcp_answer(out=0), "answer-unreadable"),
        (pcp_answer(version=3), "version-unsupported"),
        (struct.pack("!BBHI", 0, 0x81, 1, 0), "version-unsupported"),
        (pcp_answer(result=2), "not-allowed"),
        (pcp_answer(result=3), "refused"),
        (pcp_answer(result=7), "router-without-address"),
        (pcp_answer(result=8), "no-room"),
        (pcp_answer(result=10), "no-room"),
        (pcp_answer(result=11), "port-taken"),
        (pcp_answer(result=12), "router-between"),
        (pcp_answer(result=99), "refused"),
    ],
)
def test_an_invalid_or_negative_pcp_answer_has_a_code(data, code):
    assert refused(pcp.read_pcp, data, PCP, 3600) == code


# --- NAT-PMP --------------------------------------------------------------------------------

NAT_PMP = Lease(MappingProtocol.NAT_PMP, ROUTER, OWN, 4466, 4466)


def test_nat_pmp_requests_are_encoded_as_in_the_rfc():
    assert pcp.ADDRESS_REQUEST == b"\0\0"
    assert pcp.encode_nat_pmp(NAT_PMP, 3600).hex() == "000200001172117200000e10"
    # 3.4: to close a port, set external port and lifetime to 0
    assert pcp.encode_nat_pmp(NAT_PMP, 0).hex() == "000200001172000000000000"


def test_nat_pmp_answers_are_read():
    address = bytes.fromhex("00800000 00000005 c6336407")
    assert pcp.read_address(address) == ip_address("198.51.100.7")
    mapped = bytes.fromhex("00820000 00000005 1172 1173 0000003c")
    assert pcp.read_nat_pmp(mapped, NAT_PMP, 3600) == (60, 4467, None)
    assert pcp.read_nat_pmp(address, NAT_PMP, 3600) is None
    assert pcp.read_address(mapped) is None
    assert pcp.read_nat_pmp(mapped, replace(NAT_PMP, internal_port=1), 1) is None


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("", "answer-unreadable"),
        ("00820000", "answer-unreadable"),
        ("00820000 00000005 1172 1173 00003c", "answer-unreadable"),
        ("00820000 00000005 1172 1173 00000000", "answer-unreadable"),
        ("00820000 00000005 1172 0000 0000003c", "answer-unreadable"),
        ("00820001", "version-unsupported"),
        ("00820002", "not-allowed"),
        ("00820003", "router-without-address"),
        ("00820004 00000005", "no-room"),
        ("00820063 00000005", "refused"),
        ("01820000 00000005", "version-unsupported"),
    ],
)
def test_an_invalid_or_negative_nat_pmp_answer_has_a_code(data, code):
    assert refused(pcp.read_nat_pmp, bytes.fromhex(data), NAT_PMP, 3600) == code


# --- addresses of routers --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://192.168.1.1:5000/a.xml", RouterUrl(ROUTER, 5000, "/a.xml")),
        ("http://192.168.1.1", RouterUrl(ROUTER, 80, "/")),
        ("HTTP://192.168.1.1/x?y=1", RouterUrl(ROUTER, 80, "/x?y=1")),
    ],
)
def test_a_url_of_the_router_is_read(text, url):
    assert parse_url(text, ROUTER) == url
    assert parse_url(str(url), ROUTER) == url


def test_a_url_is_limited_to_its_largest_length():
    text = "http://192.168.1.1/".ljust(MAX_URL, "a")
    assert parse_url(text, ROUTER).path == text[18:]
    assert refused(parse_url, text + "a", ROUTER) == "answer-elsewhere"


def test_an_ipv6_router_is_named_without_its_interface():
    assert str(parse_url("http://[fe80::1]:80/x", "fe80::1%eth0")) == "http://[fe80::1]:80/x"


@pytest.mark.parametrize(
    "text",
    [
        *("", "/a", "http://192.168.1.2/", "http://192.168.1.1.example/", "http://router/"),
        *("ftp://192.168.1.1/", "http://192.168.1.1:0/", "http://192.168.1.1:65536/"),
        *("http://u@192.168.1.1/", "http://192.168.1.1/a b", "http://192.168.1.1/a\r\nX: y"),
        *("http://192.168.1.1/" + "a" * 600, "http://192.168.1.1/é", "http://0300.168.1.1/"),
        *("http://3232235777/", "http://192.168.1.1\n", "http://192.168.1.1@192.0.2.1/"),
        *("https://192.168.1.1/", "file:///etc/passwd", "http://localhost/"),
    ],
)
def test_a_url_that_leads_elsewhere_is_not_followed(text):
    assert refused(parse_url, text, ROUTER) == "answer-elsewhere"


def test_no_url_is_followed_for_a_router_that_has_no_ip_address():
    for text in ("http://router/", "http://192.168.1.256/"):
        assert refused(parse_url, text, "router") == "answer-elsewhere"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/ctl", "/ctl"),
        ("ctl", "/a/ctl"),
        ("http://192.168.1.1:9/z", "/z"),
        ("?x", "/a/desc.xml?x"),
    ],
)
def test_a_relative_url_is_resolved_against_its_base(text, path):
    assert resolve_url(RouterUrl(ROUTER, 80, "/a/desc.xml"), text, ROUTER).path == path


@pytest.mark.parametrize(
    "text",
    [
        *("//192.0.2.1/", "http://192.0.2.1/", "file:///x", "http://[", "\0"),
        *("/a\nb", "/é", "/" + "a" * 600),
    ],
)
def test_a_relative_url_cannot_lead_elsewhere(text):
    assert refused(resolve_url, AT, text, ROUTER) == "answer-elsewhere"


# --- HTTP -----------------------------------------------------------------------------------


class Reading:
    """An HTTP answer that is being read."""

    def __init__(self):
        self.stream, self.results = Stream(), []
        Deferred.fromCoroutine(read_response(self.stream)).addBoth(self.results.append)

    def feed(self, data):
        """Return the answer if it is complete, or None. Raises the Refusal of an invalid answer."""
        self.stream.dataReceived(data)
        return self.result()

    def end(self):
        self.stream.connectionLost()
        return self.result()

    def result(self):
        for result in self.results:
            if isinstance(result, Failure):
                result.raiseException()
            return result
        return None


def read_in_pieces(data, size=None, ended=False):
    """Read an answer in pieces of *size* bytes, or in one piece. Return it, or None if it is
    incomplete."""
    reading, answer = Reading(), None
    for at in range(0, len(data), size or len(data)):
        answer = answer or reading.feed(data[at : at + (size or len(data))])
    return answer if answer is not None or not ended else reading.end()


WHOLE = [
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.0 200\r\nCONTENT-length:5\r\n\r\nhello, and more",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n05 \r\nhello\r\n0\r\nA: b\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello",
]


@pytest.mark.parametrize("data", WHOLE)
@pytest.mark.parametrize("size", [None, 1])
def test_a_complete_answer_is_read_in_pieces_of_any_size(data, size):
    assert read_in_pieces(data, size) == HttpResponse(200, b"hello")


def test_an_answer_without_a_length_ends_with_the_connection():
    assert read_in_pieces(b"HTTP/1.1 500 No\r\n\r\nhello", 3, ended=True) == HttpResponse(
        500, b"hello"
    )


@pytest.mark.parametrize("data", WHOLE[:1] + WHOLE[2:])
def test_a_truncated_answer_is_refused(data):
    for end in range(len(data)):
        reader = Reading()
        assert reader.feed(data[:end]) is None
        assert refused(reader.end) == "answer-unreadable"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"SSH-2.0-router\r\n\r\n\r\n", "answer-unreadable"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n", "answer-too-long"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "answer-unreadable"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n", "answer-unreadable"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "answer-unreadable"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", "answer-too-long"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "answer-unreadable"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", "answer-unreadable"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", "answer-unreadable"),
    ],
)
def test_an_answer_beyond_the_limits_has_a_code(data, code):
    assert refused(read_in_pieces, data) == code


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("size", [None, 1, 4096])
def test_a_head_is_limited_to_its_largest_size(size):
    head = OK + b"Content-Length: 0\r\nX: "
    head += b"y" * (MAX_HEAD - len(head))
    assert read_in_pieces(head + b"\r\n\r\n", size) == HttpResponse(200, b"")
    assert refused(read_in_pieces, head + b"y\r\n\r\n", size) == "answer-too-long"


@pytest.mark.parametrize(
    "answer",
    [
        lambda body: OK + b"Content-Length: %d\r\n\r\n%s" % (len(body), body),
        lambda body: CHUNKED + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body),
        lambda body: CHUNKED + b"1\r\na\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body) - 1, body[1:]),
        lambda body: OK + b"\r\n" + body,
    ],
    ids=["length", "chunk", "chunks", "close"],
)
def test_a_body_is_limited_to_its_largest_size(answer):
    body = b"a" * MAX_BODY
    assert read_in_pieces(answer(body), 4096, ended=True) == HttpResponse(200, body)
    assert refused(read_in_pieces, answer(body + b"a"), 4096, True) == "answer-too-long"


def test_a_chunk_size_line_is_limited_to_255_bytes_and_its_line_end():
    assert read_in_pieces(CHUNKED + b"0;" + b"x" * 253 + b"\n\n") == HttpResponse(200, b"")
    reader = Reading()
    assert reader.feed(CHUNKED + b"0;" + b"x" * 253) is None
    assert refused(reader.feed, b"x") == "answer-unreadable"


def test_a_request_is_acceptable_to_strict_routers():
    asked = encode_request(RouterUrl(ROUTER, 5000, "/c"), f"{IP_1}#DeletePortMapping", b"<x/>")
    head, _, body = asked.partition(b"\r\n\r\n")
    assert body == b"<x/>"
    lines = head.decode().split("\r\n")
    assert lines[:2] == ["POST /c HTTP/1.1", "Host: 192.168.1.1:5000"]
    assert f'SOAPAction: "{IP_1}#DeletePortMapping"' in lines
    assert "Content-Length: 4" in lines
    assert encode_request(AT).startswith(b"GET /desc.xml HTTP/1.1\r\n")


# --- XML ------------------------------------------------------------------------------------


def test_xml_is_read_without_prefixes_and_attributes():
    root = read_xml(
        b'\xef\xbb\xbf<?xml version="1.0"?><a:r x="1"><!-- c --><b:c> d&amp; </b:c></a:r>'
    )
    assert (root.tag, igd.text_of(root, "c"), igd.text_of(root, "e")) == ("r", "d&", "")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<a>",
        b"<a></b>",
        b"<a/><b/>",
        b"<a>&x;</a>",
        b"<!DOCTYPE a><a/>",
        b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        b"<a><!ELEMENT b></a>",
        "<!DOCTYPE a><a/>".encode("utf-16"),
        b'<?xml version="1.0" encoding="utf-7"?>+ADw-!DOCTYPE a+AD4-<a/>',
        b"\0<a/>",
    ],
)
def test_anything_but_plain_xml_is_refused(data):
    assert refused(read_xml, data) == "answer-unreadable"


@pytest.mark.parametrize(
    ("made", "limit"),
    [
        (lambda depth: b"<a>" * depth + b"</a>" * depth, MAX_DEPTH),
        (lambda elements: b"<a>" + b"<b/>" * (elements - 1) + b"</a>", MAX_ELEMENTS),
        (lambda size: b"<a>".ljust(size - 4) + b"</a>", MAX_BODY),
    ],
    ids=["depth", "elements", "size"],
)
def test_xml_may_be_as_large_as_its_limits_and_no_larger(made, limit):
    assert read_xml(made(limit)).tag == "a"
    assert refused(read_xml, made(limit + 1)) == "answer-too-long"


def test_the_parser_sees_no_document_type(monkeypatch):
    monkeypatch.setattr(expat, "ParserCreate", None)
    assert refused(read_xml, b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>') == "answer-unreadable"


def test_xml_in_another_encoding_keeps_its_ascii_letters():
    data = '<?xml version="1.0" encoding="ISO-8859-1"?><r><c>caf\xe9 1</c></r>'.encode("latin-1")
    assert igd.text_of(read_xml(data), "c") == "caf\ufffd 1"


# --- UPnP -----------------------------------------------------------------------------------


def services(*rows, base=""):
    inside = "".join(
        f"<service><serviceType>{kind}</serviceType><controlURL>{at}</controlURL></service>"
        for kind, at in rows
    )
    return f"<root>{base}<device><serviceList>{inside}</serviceList></device></root>".encode()


def test_a_search_names_the_address_it_is_sent_to():
    search = datagrams.encode_search("239.255.255.250", 1900, datagrams.SEARCH_TARGETS[0])
    assert search.startswith(b"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n")
    assert search.endswith(b"InternetGatewayDevice:2\r\n\r\n")


@pytest.mark.parametrize(
    "data",
    [
        b"NOTIFY * HTTP/1.1\r\nLocation: http://192.168.1.1/\r\n\r\n",
        b"NOTIFY 200 HTTP/1.1\r\nLocation: http://192.168.1.1/\r\n\r\n",
        b"HTTP/1.1 404 No\r\nLocation: http://192.168.1.1/\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nST: x\r\n\r\n",
        b"",
    ],
)
def test_a_datagram_that_answers_no_search_is_ignored(data):
    assert datagrams.read_search_answer(data, ROUTER) is None


def test_a_search_answer_gives_the_url_of_the_description():
    data = b"HTTP/1.1 200 OK\r\nLOCATION:http://192.168.1.1:5000/desc.xml\r\n\r\n"
    assert datagrams.read_search_answer(data, ROUTER) == AT
    assert refused(datagrams.read_search_answer, data, "192.168.1.2") == "answer-elsewhere"
    whole = data.ljust(datagrams.MAX_SEARCH_ANSWER)
    assert datagrams.read_search_answer(whole, ROUTER) == AT
    assert refused(datagrams.read_search_answer, whole + b" ", ROUTER) == "answer-too-long"


def test_the_better_service_comes_first_and_the_firewall_last():
    data = services(("other", "/o"), (FIREWALL, "/f"), (IP_1, "/1"), (IP_2, "/2"))
    found = igd.read_description(data, AT, ROUTER)
    assert [service.control.path for service in found] == ["/2", "/1", "/f"]


def test_a_base_url_in_the_description_applies_to_its_services():
    data = services((IP_1, "c"), base="<URLBase>http://192.168.1.1:99/b/</URLBase>")
    [service] = igd.read_description(data, AT, ROUTER)
    assert service == UpnpService(IP_1, RouterUrl(ROUTER, 99, "/b/c"))


def test_an_invalid_description_is_refused():
    page = services((IP_1, "/1")).replace(b"root>", b"html>")
    assert refused(igd.read_description, page, AT, ROUTER) == "answer-unreadable"


def test_only_a_few_of_many_services_are_used():
    data = services(*((IP_1, f"/{number}") for number in range(50)))
    assert len(igd.read_description(data, AT, ROUTER)) == igd.MAX_SERVICES


def test_a_mapping_request_contains_only_our_own_text():
    asked = igd.encode_action(IP_1, "AddPortMapping", igd.mapping_arguments(1, 2, "a<b", 3))
    action = read_xml(asked)[0][0]
    assert [(each.tag, each.text or "") for each in action] == [
        ("NewRemoteHost", ""),
        ("NewExternalPort", "1"),
        ("NewProtocol", "TCP"),
        ("NewInternalPort", "2"),
        ("NewInternalClient", "a<b"),
        ("NewEnabled", "1"),
        ("NewPortMappingDescription", "ginpeer"),
        ("NewLeaseDuration", "3"),
    ]


def envelope(inside):
    return f"<s:Envelope><s:Body>{inside}</s:Body></s:Envelope>".encode()


def test_the_result_of_an_action_is_read():
    answer = igd.read_action(200, envelope("<u:AResponse><B> 7 </B></u:AResponse>"), "A")
    assert igd.read_number(answer, "B") == 7
    assert refused(igd.read_number, answer, "C") == "answer-unreadable"
    assert igd.read_number(answer, "B", 7) == 7
    assert refused(igd.read_number, answer, "B", 6) == "answer-unreadable"
    assert igd.read_number(read_xml(b"<A><B>0000065535</B></A>"), "B") == 65535


@pytest.mark.parametrize("text", ["", "-1", "1.0", "²", "٣", "0" * 11, "1" * 5000])
def test_an_invalid_number_is_refused(text):
    assert refused(igd.read_number, read_xml(f"<A><B>{text}</B></A>".encode()), "B") == (
        "answer-unreadable"
    )


def test_a_upnp_fault_has_its_number():
    inside = "<s:Fault><detail><UPnPError><errorCode>725</errorCode></UPnPError></detail></s:Fault>"
    with pytest.raises(UpnpFault) as caught:
        igd.read_action(500, envelope(inside), "A")
    assert caught.value.number == 725


@pytest.mark.parametrize(
    ("number", "code"),
    [(606, "not-allowed"), (718, "port-taken"), (724, "port-taken"), (728, "no-room")],
)
def test_a_upnp_fault_has_a_code(number, code):
    assert UpnpFault(number).refusal().code == code


@pytest.mark.parametrize(
    ("status", "data", "code"),
    [
        (404, b"", "refused"),
        (403, b"<html>", "not-allowed"),
        (200, b"<html/>", "answer-unreadable"),
        (200, b"<html><Body><AResponse/></Body></html>", "answer-unreadable"),
        (200, b"<Envelope/>", "answer-unreadable"),
        (200, envelope("<BResponse/>"), "answer-unreadable"),
        (500, envelope("<AResponse/>"), "answer-unreadable"),
        (500, envelope("<Fault/>"), "refused"),
        (500, envelope("<Fault><Other><errorCode>7</errorCode></Other></Fault>"), "refused"),
        (
            500,
            envelope("<Fault><UPnPError><errorCode>²</errorCode></UPnPError></Fault>"),
            "refused",
        ),
    ],
)
def test_an_unexpected_answer_to_an_action_has_a_code(status, data, code):
    assert refused(igd.read_action, status, data, "A") == code


# --- external addresses, leases --------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("93.184.216.34", "mapped"),
        ("198.51.100.7", "mapped"),
        ("2001:db8::5", "mapped"),
        ("100.127.255.255", "shared-address"),
        ("172.31.0.1", "second-router"),
        ("255.255.255.255", "outside-unknown"),
        ("169.254.1.1", "outside-unknown"),
        ("fd00::1", "outside-unknown"),
        ("::", "outside-unknown"),
        (None, "outside-unknown"),
        ("router", "outside-unknown"),
    ],
)
def test_an_outside_address_is_classified(host, code):
    assert classify_public_address(host) == code


LEASES = (
    Lease(MappingProtocol.PCP, "fe80::1%eth0", "2001:db8::5", 4466, 4466, NONCE),
    Lease(MappingProtocol.NAT_PMP, ROUTER, "192.168.1.7", 4466, 4467),
    Lease(
        MappingProtocol.UPNP,
        ROUTER,
        "192.168.1.7",
        4466,
        control="http://192.168.1.1:5000/ctl",
        service=IP_1,
        permanent=True,
    ),
    Lease(
        MappingProtocol.UPNP,
        ROUTER,
        "2001:db8::5",
        4466,
        control="http://192.168.1.1:5000/ctl",
        service=FIREWALL,
        pinhole=3,
    ),
)


def test_leases_are_read_back_as_they_were_written():
    assert read_leases(write_leases(LEASES)) == LEASES
    assert read_leases(write_leases(())) == ()


def test_a_note_of_leases_is_limited_to_its_largest_length():
    card = "e" * (80 - len("fe80::1%"))
    leases = (replace(LEASES[0], gateway=f"fe80::1%{card}"),)
    text = write_leases(leases).ljust(MAX_TEXT)
    assert read_leases(text) == leases
    with pytest.raises(LeaseError):
        read_leases(text + " ")


def test_permanent_leases_are_kept_if_there_are_too_many():
    short = LEASES[0]
    lasting = replace(short, permanent=True)
    kept = read_leases(write_leases((*(short,) * 20, lasting)))
    assert len(kept) == 16
    assert kept[0] == lasting


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"version": 1', '"version": 2'),
        ('"version": 1', '"version": true'),
        ('"version": 1', '"version": 1, "more": 1'),
        ('"internal_port": 4466', '"internal_port": 0'),
        ('"internal_port": 4466', '"internal_port": "4466"'),
        ('"internal_port": 4466', '"internal_port": 4466.0'),
        ('"external_port": 4466', '"external_port": 65536'),
        ('"own": "192.168.1.7"', '"own": "here"'),
        ('"own": "192.168.1.7"', '"own": "192.168.1.7", "own_address": "192.168.1.7"'),
        ('"nonce": "000102', '"nonce": "0102'),
        ('"control": "http://192.168.1.1', '"control": "http://192.0.2.1'),
        ('"control": ""', '"control": "http://192.168.1.1/"'),
        ('"protocol": "PCP"', '"protocol": "pcp"'),
        ("WANIPConnection:1", "WANIPConnection:9"),
        ('"pinhole": 3', '"pinhole": -3'),
        ('"permanent": true', '"permanent": 1'),
        ('"pinhole": null, ', ""),
        ('"pinhole": null, ', '"pinhole": null, "more": 1, '),
        ("%eth0", "%eth\\u001b"),
        ("%eth0", "%" + "e" * 80),
        ("{", "["),
    ],
)
def test_an_altered_note_of_leases_is_refused(old, new):
    text = write_leases(LEASES)
    assert old in text
    assert code_of(LeaseError, lambda: read_leases(text.replace(old, new))) == "leases-unreadable"


@pytest.mark.parametrize(
    "text",
    [
        *(
            *("", "null", "[" * 5000, "{}", " " * 20_000, '{"version": 1e999}'),
            '["version", "leases"]',
        ),
        *('{"version": 1, "leases": {}}', '{"version": 1, "leases": [1]}'),
    ],
)
def test_text_that_is_not_a_note_of_leases_is_refused(text):
    with pytest.raises(LeaseError):
        read_leases(text)


def test_a_note_of_too_many_leases_is_refused():
    row = json.loads(write_leases(LEASES[1:2]))["leases"]
    with pytest.raises(LeaseError):
        read_leases(json.dumps({"version": 1, "leases": row * 17}))
