"""Connecting through a SOCKS5 proxy: what we ask it for, and every way in which it can fail."""

import ipaddress
import random
from dataclasses import replace

import pytest
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol
from twisted.internet.testing import StringTransport

from ginpeer.net.address import Address, AddressError
from ginpeer.net.socks import (
    PROXY_REFUSALS,
    Proxy,
    SocksError,
    ask_proxy,
    connect_through,
    parse_proxy,
)
from ginpeer.net.tcp import ProtocolFactory, Stream
from tests.fuzz.protobuf import spoilt
from tests.net.socks_server import OK, SocksServer
from tests.net.support import LOOPBACK, collecting, failure_of, hang_up, pause, until
from tests.net.test_onion_address import ONION

TARGET = Address("gin.example", 4466)
LOGIN = (b"ada", b"p:@ss")


class Talker(Protocol):
    """A protocol that records what it receives."""

    def __init__(self):
        self.heard = b""
        self.lost = None

    def dataReceived(self, data):
        self.heard += data

    def connectionLost(self, reason):
        self.lost = reason


def dial(closing, proxy, target=TARGET):
    factory = collecting(made := [], Talker)
    closing.append(lambda: hang_up(made))
    connecting = connect_through(reactor, proxy, target, factory)
    return Deferred.fromCoroutine(connecting), made


async def failing(closing, server, proxy=None):
    connecting, made = dial(closing, proxy or server.proxy)
    error = await failure_of(connecting, SocksError)
    assert made == []  # no protocol is built for a failed connection
    assert error.sentence.isprintable()
    assert error.sentence.endswith((".", "?"))
    await until(lambda: all(guest.lost for guest in server.guests))
    return error


# --- what we ask ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "kind", "sent"),
    [
        ("gin.example", 3, b"gin.example"),
        (ONION.host, 3, ONION.host.encode()),
        ("192.0.2.7", 1, bytes([192, 0, 2, 7])),
        ("2001:db8::7", 4, ipaddress.ip_address("2001:db8::7").packed),
    ],
)
@pytest.mark.parametrize("drip", [False, True])
async def test_the_proxy_gets_the_host_exactly_as_written(closing, host, kind, sent, drip):
    server = SocksServer(closing, drip=drip)
    connecting, made = dial(closing, server.proxy, Address(host, 4466))
    talker = await connecting
    assert server.asked == [(kind, sent, 4466)]
    assert made == [talker]
    peer = talker.transport.getPeer()
    assert (peer.host, peer.port) == (host, 4466)  # not the proxy


async def test_bytes_after_the_last_reply_belong_to_the_other_end(closing):
    server = SocksServer(closing, trailing=b"first words")
    connecting, _ = dial(closing, server.proxy)
    talker = await connecting
    await until(lambda: talker.heard == b"first words")


async def test_a_proxy_that_wants_a_login_gets_it(closing):
    server = SocksServer(closing, login=LOGIN)
    connecting, _ = dial(closing, Proxy(server.address, *LOGIN))
    await connecting
    assert server.asked == [(3, b"gin.example", 4466)]


async def test_a_login_is_sent_only_to_a_proxy_that_asks_for_it(closing):
    server = SocksServer(closing)
    connecting, _ = dial(closing, Proxy(server.address, *LOGIN))
    await connecting
    assert LOGIN[1] not in server.said


# --- how it fails -----------------------------------------------------------------------


@pytest.mark.parametrize("byte", PROXY_REFUSALS)
async def test_each_refusal_has_its_code(closing, byte):
    server = SocksServer(closing, replies=[bytes([5, byte]) + OK[2:]])
    error = await failing(closing, server)
    assert (error.code, error.sentence) == PROXY_REFUSALS[byte]


async def test_an_undefined_refusal_is_reported_with_its_number(closing):
    error = await failing(closing, SocksServer(closing, replies=[b"\x05\x63" + OK[2:]]))
    assert error.code == "proxy-failed"
    assert "(99)" in error.sentence


async def test_a_missing_or_wrong_login_is_reported(closing):
    server = SocksServer(closing, login=LOGIN)
    assert (await failing(closing, server)).code == "proxy-needs-login"
    wrong = Proxy(server.address, b"ada", b"?")
    assert (await failing(closing, server, proxy=wrong)).code == "proxy-wrong-login"
    odd = SocksServer(closing, answers=[b"\x05\x02", b"\x05\x00"])  # the version is 1 in this reply
    assert (
        await failing(closing, odd, proxy=replace(odd.proxy, user=b"a"))
    ).code == "proxy-garbled"


@pytest.mark.parametrize(
    "answers",
    [
        [b"HTTP/1.1 400 Bad Request\r\n"],
        [b"\x04\x00"],
        [b"\x05\x01"],  # GSSAPI, which was not offered
        [b"\x05\x02"],  # a login, which was not offered either
        [b"\x05\x00\x05"],  # it sends too early
        [b"\x05\x00", b"\x04"],
        [b"\x05\x00", b"\x05\x00\x01\x01\0\0\0\0\0\0"],
        [b"\x05\x00", b"\x05\x00\x00\x02\0\0\0\0\0\0"],
        [b"x" * 100_000],
    ],
)
async def test_a_server_that_does_not_speak_socks_is_reported(closing, answers):
    assert (await failing(closing, SocksServer(closing, answers=answers))).code == "proxy-garbled"


@pytest.mark.parametrize("answers", [[None], [b"\x05\x00", None], [b"\x05\x00", b"\x05", None]])
async def test_a_proxy_that_closes_early_is_reported(closing, answers):
    server = SocksServer(closing, answers=answers)
    connecting, made = dial(closing, server.proxy)
    if len(answers) == 3:  # the proxy hangs up in the middle of its answer
        await until(lambda: len(server.answers) == 1)
        server.guests[0].transport.abortConnection()
    assert (await failure_of(connecting, SocksError)).code == "proxy-closed"
    assert made == []


async def test_a_missing_proxy_is_reported_with_its_address(closing, unused_address):
    connecting, _ = dial(closing, Proxy(unused_address))
    error = await failure_of(connecting, SocksError)
    assert error.code == "proxy-not-there"
    assert str(unused_address) in error.sentence


async def test_a_proxy_that_does_not_accept_us_is_given_up_when_we_cancel(closing, silent_port):
    connecting, _ = dial(closing, Proxy(Address(LOOPBACK, silent_port)))
    await pause()
    connecting.cancel()
    assert (await failure_of(connecting, SocksError)).code == "proxy-timeout"


@pytest.mark.parametrize("answers", [[], [b"\x05"], [b"\x05\x00", b"\x05\x00\x00\x03\xff" + b"n"]])
async def test_cancelling_closes_the_connection_to_the_proxy(closing, answers):
    server = SocksServer(closing, answers=answers)
    connecting, made = dial(closing, server.proxy)
    await until(lambda: server.said and not server.answers)
    await pause(0.02)
    connecting.cancel()
    assert (await failure_of(connecting, SocksError)).code == "proxy-timeout"
    await until(lambda: server.guests[0].lost)
    assert made == []


class Failing(Protocol):
    def connectionMade(self):
        raise KeyError("a bug")


@pytest.mark.parametrize("build", [lambda _: {}["a bug"], lambda _: Failing()])
async def test_a_factory_or_protocol_that_fails_closes_the_connection(closing, build):
    server = SocksServer(closing)
    connecting = connect_through(reactor, server.proxy, TARGET, ProtocolFactory(build))
    await failure_of(connecting, KeyError)
    await until(lambda: server.guests[0].lost)


# --- how a proxy is written -------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "address", "login"),
    [
        ("socks5://127.0.0.1:9050", (LOOPBACK, 9050), (None, b"")),
        ("socks5://Proxy.Example", ("proxy.example", 1080), (None, b"")),
        ("SOCKS5h://[2001:db8::1]:1081/", ("2001:db8::1", 1081), (None, b"")),
        ("socks5://ada:p%3A%40ss@h:1", ("h", 1), LOGIN),
        ("socks5://ada:p:w@h:1", ("h", 1), (b"ada", b"p:w")),
        ("socks5://ada@h:1", ("h", 1), (b"ada", b"")),
        (f"socks5://{'u' * 255}:{'p' * 255}@h:1", ("h", 1), (b"u" * 255, b"p" * 255)),
    ],
)
def test_a_proxy_url_is_parsed(text, address, login):
    proxy = parse_proxy(text)
    assert proxy == Proxy(Address(*address), *login)
    assert parse_proxy(str(proxy)) == Proxy(Address(*address))


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1:9050", "http://127.0.0.1:8080", "socks4://127.0.0.1", "socks5://"),
        *("socks5://h:0", "socks5://h:1/path", "socks5://:secret@h:1", "socks5://ada:secret%zz@h"),
        *(f"socks5://ada:{'secret'.ljust(256, 's')}@h", "socks5://ada:sec@ret@h:1"),
        *("socks5://ada:secret@under_score:1", f"socks5://ada:secret@{ONION.host}:1"),
    ],
)
def test_an_invalid_proxy_url_is_refused_without_showing_the_password(text):
    with pytest.raises(AddressError) as caught:
        parse_proxy(text)
    assert caught.value.sentence.isprintable()
    assert "sec" not in caught.value.sentence


def test_a_proxy_does_not_show_its_login():
    assert "ada" not in repr(Proxy(TARGET, *LOGIN)) + str(Proxy(TARGET, *LOGIN))
    assert "@ss" not in repr(Proxy(TARGET, *LOGIN))


# --- arbitrary answers from a proxy -------------------------------------------------------

SOUND = (
    *(b"\x05\x00" + OK, b"\x05\x02\x01\x00" + OK + b"rest"),
    *(b"\x05\x00\x05\x00\x00\x03\x0bgin.example\x11\x72", b"\x05\x00\x05\x00\x00\x04" + bytes(18)),
    *(b"\x05\xff", b"\x05\x02\x01\x01", b"\x05\x00\x05\xf0\x00\x01" + bytes(6)),
)


def test_any_reply_of_a_proxy_gives_an_answer_or_a_listed_code():
    rng = random.Random(11)
    met = {}
    for _ in range(4_000):
        proxy = Proxy(TARGET, *LOGIN) if rng.random() < 0.5 else Proxy(TARGET)
        connection = Stream()
        connection.makeConnection(StringTransport())
        ended = []
        Deferred.fromCoroutine(ask_proxy(connection, proxy, TARGET)).addBoth(ended.append)
        data = rng.choice(SOUND)
        data = spoilt(data, rng) if rng.random() < 0.7 else data
        data = rng.randbytes(40) if rng.random() < 0.1 else data
        while data and not ended:
            said = len(connection.transport.value())
            step = 2 if said < 5 else 1 + int(rng.random() * 12)
            piece, data = data[:step], data[step:]
            connection.dataReceived(piece)
            assert len(connection.heard) < 262
        outcome = "connected" if ended else "waits"
        if ended and ended[0] is not None:
            error = ended[0].trap(SocksError) and ended[0].value
            outcome = error.code if error.sentence.isprintable() else "odd"
        met[outcome] = met.get(outcome, 0) + 1
    assert {"connected", "waits", "proxy-garbled", "proxy-needs-login", "onion-not-found"} <= set(
        met
    )
