"""Using this machine's Tor: finding it, its onion service, and every way to fail."""

import random

import pytest
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from ginpeer.net import tor
from ginpeer.net.address import Address
from ginpeer.net.tor import (
    MAX_HEARD,
    MAX_LINE,
    PUBLISH_SECONDS,
    ControlConnection,
    OnionService,
    TorError,
    TorReply,
    answer_challenge,
    find_listener,
    is_onion_key,
    read_added,
    read_protocol_info,
    read_publication,
    require_ok,
)
from tests.fuzz.protobuf import spoilt
from tests.net.support import LOOPBACK, failure_of, pause, timed_by, until
from tests.net.tor_server import COOKIE, HOST, KEY, NONCE, OTHER, TorServer
from tests.refusals import code_of

TARGET = Address(LOOPBACK, 4466)
PATH = '/var/lib/a "tor"/\u00fc\\cookie'


def service(closing, server, *, clock=None, **settings):
    kept, lost = [], []

    def read_cookie(path, port):
        assert (path, port) == (PATH, server.address.port)
        return COOKIE

    settings.setdefault("read_cookie", read_cookie)
    settings.setdefault("ports", (server.address,))
    settings.setdefault("socks", ())
    made = OnionService(
        timed_by(clock),
        TARGET,
        rng=lambda count: bytes(count),
        keep_key=kept.append,
        lost=lost.append,
        **settings,
    )
    made.kept, made.told = kept, lost

    closing.append(made.stop)
    return made


async def waiting_after(order, closing, server, **settings):
    """Begin a service, and wait until Tor has received this command."""
    beginning = service(closing, server, **settings).begin()
    await until(lambda: server.words[-1:] == [order])
    return beginning


async def failing(closing, server, **settings):
    error = await failure_of(service(closing, server, **settings).begin(), TorError)
    assert error.sentence.isprintable()
    assert error.sentence[-1] in ".)"
    await until(lambda: all(client.lost for client in server.clients))
    return error


# --- finding Tor ------------------------------------------------------------------------


async def test_a_listener_is_found_by_connecting(closing, unused_address):
    server = TorServer(closing)
    find = find_listener(reactor, (unused_address, server.address))
    assert await Deferred.fromCoroutine(find) == server.address
    assert await Deferred.fromCoroutine(find_listener(reactor, (unused_address,))) is None
    assert server.orders == []


async def test_an_unresponsive_port_is_waited_for_a_fraction_of_a_second(silent_port):
    clock = Clock()
    address = Address(LOOPBACK, silent_port)
    found = Deferred.fromCoroutine(find_listener(timed_by(clock), (address,)))
    await pause(0.05)
    assert not found.called
    clock.advance(0.31)
    assert await found is None


# --- an onion service -------------------------------------------------------------------


async def test_a_new_service_is_created_and_its_key_saved(closing):
    server = TorServer(closing)
    made = service(closing, server)
    assert await made.begin() == Address(f"{HOST}.onion", 4466)
    assert made.kept == [KEY]
    assert server.words == [
        *("PROTOCOLINFO", "AUTHCHALLENGE", "AUTHENTICATE", "SETEVENTS", "ADD_ONION", "SETEVENTS"),
    ]
    assert server.orders[4] == "ADD_ONION NEW:ED25519-V3 Port=4466,127.0.0.1:4466"


async def test_a_saved_key_restores_the_old_address(closing):
    server = TorServer(closing)
    made = service(closing, server, key=KEY)
    await made.begin()
    assert made.kept == []
    assert server.orders[4] == f"ADD_ONION ED25519-V3:{KEY} Port=4466,127.0.0.1:4466"


@pytest.mark.parametrize(
    ("methods", "settings"),
    [("NULL", {}), ("HASHEDPASSWORD", {"password": b"a password"}), ("COOKIE,SAFECOOKIE", {})],
)
async def test_there_are_three_ways_to_authenticate(closing, methods, settings):
    await service(closing, TorServer(closing, methods=methods), **settings).begin()


async def test_an_unproven_tor_is_sent_neither_key_nor_password(closing):
    """Another user of the machine may listen on that port while Tor isn't running."""
    server = TorServer(closing, methods="NULL")
    error = await failing(closing, server, key=KEY)
    assert error.code == "tor-login"
    assert "CookieAuthentication" in error.sentence
    assert KEY not in "".join(server.orders)
    both = TorServer(closing, methods="NULL,HASHEDPASSWORD,COOKIE,SAFECOOKIE")
    await service(closing, both, key=KEY, password=b"a password").begin()
    assert both.words[1] == "AUTHCHALLENGE"
    assert b"a password".hex() not in "".join(both.orders).lower()


@pytest.mark.parametrize("tells", [False, True])
async def test_no_key_is_saved_from_a_tor_that_needs_no_login(closing, tells):
    """An impostor could make us save its own key and use it again."""
    server = TorServer(closing, methods="NULL")
    server.tells_key = tells
    made = service(closing, server)
    await made.begin()
    assert made.kept == []
    assert "ADD_ONION NEW:ED25519-V3 Flags=DiscardPK Port=4466,127.0.0.1:4466" in server.orders


async def test_the_cookie_is_never_sent(closing):
    server = TorServer(closing)
    await service(closing, server).begin()
    assert COOKIE.hex() not in "".join(server.orders).lower()
    plain = TorServer(closing, methods="COOKIE")
    assert (await failing(closing, plain)).code == "tor-login"


async def test_a_stopped_service_is_removed(closing):
    server = TorServer(closing)
    made = service(closing, server)
    await made.begin()
    await made.stop()
    assert server.orders[-1] == f"DEL_ONION {HOST}"
    assert made.told == []
    await until(lambda: server.clients[0].lost)


async def test_stopping_takes_two_seconds_at_most(closing):
    clock = Clock()
    server = TorServer(closing, says={"DEL_ONION": None})
    made = service(closing, server, clock=clock)
    await made.begin()
    stopping = made.stop()
    await until(lambda: server.words[-1] == "DEL_ONION")
    clock.advance(2.1)
    await stopping
    assert clock.getDelayedCalls() == []


async def test_a_service_stopped_before_it_is_published_says_so(closing):
    server = TorServer(closing, publishes=False)
    made = service(closing, server)
    beginning = made.begin()
    await until(lambda: server.words[-1:] == ["ADD_ONION"])
    await made.stop()
    assert (await failure_of(beginning, TorError)).code == "tor-stopped"


async def test_a_service_stopped_during_the_search_for_tor_orders_nothing(closing):
    server = TorServer(closing)
    made = service(closing, server)
    beginning = made.begin()
    await made.stop()
    assert (await failure_of(beginning, TorError)).code == "tor-stopped"
    await until(lambda: all(client.lost for client in server.clients))
    assert server.orders == []


async def test_the_end_of_tor_is_reported_once(closing):
    server = TorServer(closing)
    made = service(closing, server)
    await made.begin()
    server.clients[0].abort()
    await until(lambda: made.told)
    assert [error.code for error in made.told] == ["tor-gone"]
    await made.stop()
    assert len(made.told) == 1


@pytest.mark.parametrize("says", ["HTTP/1.1 200 OK", "250 OK"])
async def test_a_later_line_that_tor_would_not_send_ends_the_service(closing, says):
    server = TorServer(closing)
    made = service(closing, server)
    await made.begin()
    server.clients[0].say(says)
    await until(lambda: made.told)
    assert [error.code for error in made.told] == ["tor-garbled"]


# --- when the service is reachable ------------------------------------------------------


async def test_the_service_is_ready_when_all_directories_have_answered(closing):
    server = TorServer(closing, publishes=0)
    beginning = await waiting_after("ADD_ONION", closing, server)
    await pause(0.02)
    assert not beginning.called  # all directories have refused, so Tor tries again
    for _ in range(3):
        server.clients[0].event("UPLOAD", HOST)
    for _ in range(2):
        server.clients[0].event("UPLOADED", HOST)
        await pause(0.02)
        assert not beginning.called
    server.clients[0].event("UPLOADED", HOST)
    assert (await beginning).host == f"{HOST}.onion"


async def test_a_slow_directory_is_waited_for_only_a_limited_time(closing):
    clock = Clock()
    server = TorServer(closing, publishes=False)
    beginning = await waiting_after("ADD_ONION", closing, server, clock=clock)
    for action in ("UPLOAD", "UPLOAD", "UPLOADED"):
        server.clients[0].event(action, HOST)
    await until(  # not the time limit of ADD_ONION's answer, which may still run
        lambda: any(call.getTime() < tor.ANSWER_SECONDS for call in clock.getDelayedCalls())
    )
    clock.advance(10.1)
    await beginning
    assert clock.getDelayedCalls() == []


async def test_it_is_reported_if_no_directory_accepts_the_service(closing):
    clock = Clock()
    server = TorServer(closing, publishes=0)
    beginning = await waiting_after("ADD_ONION", closing, server, clock=clock)
    await until(  # not the time limit of ADD_ONION's answer, which may still run
        lambda: any(call.getTime() >= PUBLISH_SECONDS for call in clock.getDelayedCalls())
    )
    clock.advance(PUBLISH_SECONDS + 1)
    assert (await failure_of(beginning, TorError)).code == "tor-no-descriptor"


def test_events_of_other_services_are_ignored():
    def read(line):
        return read_publication(TorReply(650, (line.encode(),)), f"{HOST}.onion")

    for line in (f"HS_DESC UPLOADED {OTHER} UNKNOWN x", "HS_DESC UPLOADED UNKNOWN", "CIRC 1"):
        assert read(line) is None
    assert read(f"HS_DESC UPLOADED {HOST} UNKNOWN x") == b"UPLOADED"


# --- how it fails -----------------------------------------------------------------------


async def test_no_tor_and_a_tor_without_control_port_are_distinguished(closing, unused_address):
    server = TorServer(closing)
    error = await failing(closing, server, ports=(unused_address,), socks=(unused_address,))
    assert error.code == "tor-not-there"
    error = await failing(closing, server, ports=(unused_address,), socks=(server.address,))
    assert error.code == "tor-no-control"
    assert "ControlPort" in error.sentence


def _fails(path, port):
    raise PermissionError(13, "Permission denied")


def _is_relative(path, port):
    raise ValueError("relative")


@pytest.mark.parametrize("read", [_fails, _is_relative, lambda path, port: COOKIE[1:]])
async def test_an_unreadable_cookie_is_reported(closing, read):
    assert (await failing(closing, TorServer(closing), read_cookie=read)).code == "tor-cookie"


async def test_the_password_is_used_if_the_cookie_cannot_be_read(closing):
    both = TorServer(closing, methods="COOKIE,SAFECOOKIE,HASHEDPASSWORD")
    await service(closing, both, read_cookie=_fails, password=b"a password").begin()
    assert "AUTHCHALLENGE" not in both.words
    impostor = TorServer(closing, methods=both.methods, cookie=bytes(32))
    error = await failing(closing, impostor, password=b"a password")
    assert error.code == "tor-impostor"
    assert "AUTHENTICATE" not in impostor.words


@pytest.mark.parametrize("password", [None, b"another"])
async def test_a_missing_or_wrong_password_is_reported(closing, password):
    server = TorServer(closing, methods="HASHEDPASSWORD")
    assert (await failing(closing, server, password=password)).code == "tor-login"


async def test_a_server_without_the_cookie_is_an_impostor_and_gets_no_proof(closing):
    server = TorServer(closing, cookie=bytes(32))
    assert (await failing(closing, server)).code == "tor-impostor"
    assert "AUTHENTICATE" not in server.words


async def test_a_refusal_by_tor_is_reported_in_its_own_words_but_cleaned(closing):
    says = {"ADD_ONION": b"512 Not in \x1b[2J this mode\r\n"}
    error = await failing(closing, TorServer(closing, says=says))
    assert error.code == "tor-refused"
    assert "this mode" in error.sentence
    assert "512" in error.sentence


OK = b"250 OK\r\n"


@pytest.mark.parametrize(
    "says",
    [
        {"PROTOCOLINFO": b"HTTP/1.1 400 Bad Request\r\n\r\n"},
        {"PROTOCOLINFO": OK},
        {"PROTOCOLINFO": b"250-PROTOCOLINFO 2\r\n250-AUTH METHODS=NULL\r\n" + OK},
        {"PROTOCOLINFO": b"250-PROTOCOLINFO 1\r\n" + OK},
        {"PROTOCOLINFO": b"250-PROTOCOLINFO 1\r\n250-AUTH METHODS=\r\n" + OK},
        {"PROTOCOLINFO": b'250-PROTOCOLINFO 1\r\n250-AUTH METHODS=A COOKIEFILE="\\777"\r\n' + OK},
        {"PROTOCOLINFO": b'250-PROTOCOLINFO 1\r\n250-AUTH METHODS=A COOKIEFILE="\\8"\r\n' + OK},
        {"PROTOCOLINFO": b"x" * 9_000},
        {"PROTOCOLINFO": b"250-line\r\n" * 33},
        {"PROTOCOLINFO": b"250-PROTOCOLINFO 1\r\n650 HS_DESC\r\n"},
        {"PROTOCOLINFO": b"250+DATA\r\n.\r\n" + OK},
        {"AUTHCHALLENGE": b"250 AUTHCHALLENGE SERVERHASH=00 SERVERNONCE=00\r\n"},
        {"SETEVENTS": OK + OK},
        {"SETEVENTS HS_DESC": OK, "SETEVENTS": OK + OK},  # one more after the last
        {"ADD_ONION": OK},
        {"ADD_ONION": f"250-ServiceID={HOST}\r\n".encode() + OK},
        {"ADD_ONION": f"250 ServiceID={HOST}\r\n".encode()},
        {"ADD_ONION": f"250-ServiceID={HOST[:-1]}a\r\n250-PrivateKey=x\r\n".encode() + OK},
        {"ADD_ONION": f"250-ServiceID={HOST}\r\n250-PrivateKey=ED25519-V3:x\r\n".encode() + OK},
        {"ADD_ONION": b"650 HS_DESC CREATED x\r\n" * (MAX_HEARD // 20)},
    ],
)
async def test_a_server_that_does_not_speak_like_tor_is_reported(closing, says):
    assert (await failing(closing, TorServer(closing, says=says))).code == "tor-garbled"


@pytest.mark.parametrize("word", ["PROTOCOLINFO", "ADD_ONION"])
async def test_a_tor_that_closes_the_connection_is_reported(closing, word):
    server = TorServer(closing, says={word: "close"})
    assert (await failing(closing, server)).code == "tor-gone"


@pytest.mark.parametrize("word", ["PROTOCOLINFO", "ADD_ONION"])
async def test_a_tor_that_does_not_answer_is_reported(closing, word):
    clock = Clock()
    server = TorServer(closing, says={word: None})
    beginning = await waiting_after(word, closing, server, clock=clock)
    clock.advance(tor.ANSWER_SECONDS + 1)
    assert (await failure_of(beginning, TorError)).code == "tor-silent"
    assert clock.getDelayedCalls() == []


async def test_waiting_on_a_lost_control_connection_fails():
    connection = ControlConnection(reactor)
    connection.connectionLost()
    error = await failure_of(Deferred.fromCoroutine(connection.next_event()), TorError)
    assert error.code == "tor-gone"


# --- arbitrary answers -------------------------------------------------------------------

SOUND = (
    b'250-PROTOCOLINFO 1\r\n250-AUTH METHODS=COOKIE,SAFECOOKIE COOKIEFILE="/a\\303\\274"\r\n'
    b'250-VERSION Tor="0.4.9.11"\r\n250 OK\r\n',
    b"250 AUTHCHALLENGE SERVERHASH="
    + b"aB" * 32
    + b" SERVERNONCE="
    + NONCE.hex().encode()
    + b"\r\n",
    f"250-ServiceID={HOST}\r\n250-PrivateKey=ED25519-V3:{KEY}\r\n250 OK\r\n".encode(),
    f"650 HS_DESC UPLOADED {HOST} UNKNOWN $AA~b\r\n".encode() * 2,
    b"515 Authentication failed\r\n",
)


def _judged(reply):
    """Yield what each of our readers makes of this reply: its name, or the code of the error."""
    readers = {
        "info": read_protocol_info,
        "challenge": lambda reply: answer_challenge(reply, COOKIE, NONCE),
        "added": lambda reply: read_added(reply, new=True),
        "require_ok": require_ok,
        "event": lambda reply: read_publication(reply, HOST),
    }
    for name, read in readers.items():
        try:
            read(reply)
        except TorError as error:
            yield error.code if error.sentence.isprintable() else "odd"
        else:
            yield name


class Replies:
    """Reads replies from the bytes that are fed to a connection."""

    def __init__(self):
        self.connection, self.heard = ControlConnection(reactor), []
        self.reading = Deferred.fromCoroutine(self._read())

    async def _read(self):
        while True:
            self.heard.append(await self.connection.next_reply())

    def feed(self, data):
        """Return the replies that are complete now. Raises TorError."""
        self.heard.clear()
        self.connection.dataReceived(data)
        if self.reading.called:
            failed = []
            self.reading.addErrback(failed.append)
            failed[0].raiseException()
        return list(self.heard)


def test_an_overlong_line_is_refused_even_if_it_is_complete():
    line = b"250 " + b"x" * MAX_LINE
    assert Replies().feed(line[:MAX_LINE] + b"\r\n")
    assert Replies().feed(line[:MAX_LINE]) == []
    assert code_of(TorError, lambda: Replies().feed(line + b"\r\n")) == "tor-garbled"


def test_the_events_from_tor_are_limited_in_size():
    reader, event = Replies(), b"650 " + b"x" * 1018 + b"\r\n"
    assert len(reader.feed(event * (MAX_HEARD // 1024))) == MAX_HEARD // 1024
    assert code_of(TorError, reader.feed, b"650 \r\n") == "tor-garbled"


def test_a_path_may_contain_bytes_written_as_octal_numbers():
    lines = (b"PROTOCOLINFO 1", rb'AUTH METHODS=SAFECOOKIE COOKIEFILE="/\0\377\n"')
    assert read_protocol_info(TorReply(250, lines))[1] == "/\0\udcff\n"


def test_any_bytes_from_a_control_port_are_read_or_give_a_listed_code():
    rng = random.Random(12)
    met = set()
    for _ in range(2_000):
        data = rng.choice(SOUND)
        data = spoilt(data, rng) if rng.random() < 0.7 else data
        data = rng.randbytes(60) + b"\r\n" if rng.random() < 0.1 else data
        reader = Replies()
        while data:
            step = 1 + int(rng.random() * 200)
            piece, data = data[:step], data[step:]
            try:
                replies = reader.feed(piece)
            except TorError as error:
                met.add(error.code)
                break
            for reply in replies:
                met.update(_judged(reply))
    assert met == {
        *("info", "challenge", "added", "require_ok", "event"),
        *("tor-garbled", "tor-impostor", "tor-refused"),
    } - {"challenge"}  # a proof can't be guessed


@pytest.mark.parametrize(
    "text", ["", "A" * 88, "A" * 85 + "B==", "A" * 86 + "==\n", "\u0661" * 86 + "=="]
)
def test_a_text_that_is_not_a_key_of_64_bytes_is_refused(text):
    assert not is_onion_key(text)
    assert is_onion_key(KEY)
