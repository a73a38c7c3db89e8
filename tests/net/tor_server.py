"""Tor's control port in this process: real bytes on the loopback, and failures of every kind."""

import hmac

from twisted.internet import reactor
from twisted.internet.protocol import Protocol

from ginpeer.net.address import Address
from tests.net.support import LOOPBACK, collecting, hang_up

HOST = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd"
OTHER = "sp3k262uwy4r2k3ycr5awluarykdpag6a7y33jxop4cs2lu5uz5sseqd"
KEY = "A" * 86 + "=="
COOKIE = bytes(range(32))
NONCE = b"\x55" * 32
SERVER = b"Tor safe cookie authentication server-to-controller hash"
CLIENT = b"Tor safe cookie authentication controller-to-server hash"


class TorServer:
    """A listening control port. ``orders`` lists the commands that it received.

    *methods*: how it authenticates. *says*: its answers, by the command or its first word, instead
    of Tor's: bytes, None for no answer, or "close". *publishes*: how many directories accept the
    descriptor, once each; with False, none is reported.
    """

    def __init__(
        self, closing, *, methods="COOKIE,SAFECOOKIE", cookie=COOKIE, says=(), publishes=3
    ):
        self.methods, self.cookie, self.says = methods, cookie, dict(says)
        self.publishes = publishes
        self.tells_key = False  # whether an impostor reveals a key without being asked
        self.path = r"/var/lib/a \"tor\"/\303\274\\cookie"
        self.orders, self.clients = [], []
        factory = collecting(self.clients, lambda: _Client(self))
        self._port = reactor.listenTCP(0, factory, interface=LOOPBACK)
        self.address = Address(LOOPBACK, self._port.getHost().port)
        closing.append(self.close)

    async def close(self):
        await self._port.stopListening()
        await hang_up(self.clients)

    @property
    def words(self):
        return [order.partition(" ")[0] for order in self.orders]


class _Client(Protocol):
    def __init__(self, server):
        self.server = server
        self.buffer = b""
        self.lost = self.let_in = False
        self.expected = None

    def dataReceived(self, data):
        *lines, self.buffer = (self.buffer + data).split(b"\r\n")
        for line in lines:
            self.take(line.decode())

    def take(self, order):
        self.server.orders.append(order)
        word, _, rest = order.partition(" ")
        named = order if order in self.server.says else word
        if named in self.server.says:
            said = self.server.says[named]
            if said == "close":
                self.transport.loseConnection()
            elif said is not None:
                self.transport.write(said)
            return
        if word not in ("PROTOCOLINFO", "AUTHCHALLENGE", "AUTHENTICATE") and not self.let_in:
            self.say("514 Authentication required.")
            self.transport.loseConnection()
            return
        getattr(self, word.lower())(rest)

    def say(self, *lines):
        for line in lines:
            self.transport.write(line.encode() + b"\r\n")

    def protocolinfo(self, rest):
        cookie = f' COOKIEFILE="{self.server.path}"' if "COOKIE" in self.server.methods else ""
        self.say(
            "250-PROTOCOLINFO 1",
            f"250-AUTH METHODS={self.server.methods}{cookie}",
            '250-VERSION Tor="0.4.9.11"',
            "250 OK",
        )

    def authchallenge(self, rest):
        nonce = bytes.fromhex(rest.removeprefix("SAFECOOKIE "))
        both = self.server.cookie + nonce + NONCE
        self.expected = hmac.digest(CLIENT, both, "sha256")
        proof = hmac.digest(SERVER, both, "sha256").hex().upper()
        self.say(f"250 AUTHCHALLENGE SERVERHASH={proof} SERVERNONCE={NONCE.hex().upper()}")

    def authenticate(self, rest):
        given = bytes.fromhex(rest)
        if self.server.methods == "NULL":
            self.let_in = given == b""
        else:
            by_password = "HASHEDPASSWORD" in self.server.methods and given == b"a password"
            self.let_in = by_password or given == self.expected
        self.say("250 OK" if self.let_in else "515 Authentication failed")

    def setevents(self, rest):
        self.say("250 OK")

    def add_onion(self, rest):
        told = (rest.startswith("NEW") and "DiscardPK" not in rest) or self.server.tells_key
        new = [f"250-PrivateKey=ED25519-V3:{KEY}"] if told else []
        self.say(f"250-ServiceID={HOST}", *new, "250 OK")
        if self.server.publishes is not False:
            for _ in range(4):
                self.event("UPLOAD", HOST, "$" + "A" * 40 + "~relay descriptor HSDIR_INDEX=00")
            self.event("UPLOADED", OTHER)
            self.answer(self.server.publishes)

    def answer(self, taken):
        for _ in range(taken):
            self.event("UPLOADED", HOST)
        for _ in range(4 - taken):
            self.event("FAILED", HOST, "$" + "A" * 40 + " REASON=UPLOAD_REJECTED")

    def event(self, action, host, more="UNKNOWN"):
        self.say(f"650 HS_DESC {action} {host} UNKNOWN {more}")

    def del_onion(self, rest):
        self.say("250 OK")

    def abort(self):
        if not self.lost:
            self.transport.abortConnection()

    def connectionLost(self, reason):
        self.lost = True
