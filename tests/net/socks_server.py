"""A SOCKS5 proxy in this process: real bytes on the loopback, and failures of every kind."""

from twisted.internet import reactor
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.protocol import Protocol

from ginpeer.net.address import Address
from ginpeer.net.socks import Proxy
from ginpeer.net.tcp import ProtocolFactory
from tests.net.support import LOOPBACK, collecting, hang_up

OK = b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50"


class SocksServer:
    """A listening proxy. ``asked`` lists the requested targets as (kind, host bytes, port),
    ``said`` everything that clients have sent.

    *answers*: what it sends in turn instead of SOCKS. *login*: the user name and password that it
    requires. *replies*: its answers to requests in turn, the last one repeatedly; "" means no
    answer. *leads_to*: the port of this machine to which it connects every client, whatever the
    request. *trailing*: bytes that immediately follow its last answer. *drip*: it sends everything
    a byte at a time. *any_login*: it accepts any user name, as Tor does, and lists them in
    ``logins``.
    """

    def __init__(
        self,
        closing,
        *,
        answers=None,
        login=None,
        replies=(OK,),
        leads_to=None,
        trailing=b"",
        drip=False,
        any_login=False,
    ):
        self.answers = None if answers is None else list(answers)
        self.login, self.leads_to = login, leads_to
        self.replies = list(replies)
        self.trailing = trailing
        self.drip, self.any_login = drip, any_login
        self.asked, self.said, self.guests, self.logins = [], b"", [], []
        factory = collecting(self.guests, lambda: _Guest(self))
        port = reactor.listenTCP(0, factory, interface=LOOPBACK)
        self.proxy = Proxy(Address(LOOPBACK, port.getHost().port))
        closing.append(lambda: hang_up(self.guests))
        closing.append(port.stopListening)

    @property
    def address(self):
        return self.proxy.address


class _Guest(Protocol):
    def __init__(self, server):
        self.server = server
        self.buffer = b""
        self.step = self.greeted
        self.lost = False
        self.other = None

    def dataReceived(self, data):
        self.server.said += data
        if self.server.answers is not None:
            answer = self.server.answers.pop(0) if self.server.answers else b""
            if answer is None:
                self.transport.abortConnection()
            else:
                self.transport.write(answer)
            return
        if self.other is not None:
            self.other.transport.write(data)
            return
        self.buffer += data
        self.step()

    def greeted(self):
        assert self.buffer[0] == 5
        if len(self.buffer) < 2 + self.buffer[1]:
            return
        methods = self.buffer[2 : 2 + self.buffer[1]]
        self.buffer = b""
        wanted = 2 if self.server.login or self.server.any_login else 0
        if wanted not in methods:
            self.transport.write(b"\x05\xff")
            self.transport.loseConnection()
            return
        self.say(bytes([5, wanted]))
        self.step = self.logged_in if wanted else self.requested

    def logged_in(self):
        user = self.buffer[2 : 2 + self.buffer[1]]
        password = self.buffer[3 + len(user) :]
        self.server.logins.append(user)
        right = self.server.any_login or (user, password) == self.server.login
        self.buffer = b""
        self.say(b"\x01\x00" if right else b"\x01\x01")
        self.step = self.requested

    def requested(self):
        assert self.buffer[:3] == b"\x05\x01\x00"
        kind = self.buffer[3]
        host = self.buffer[5:-2] if kind == 3 else self.buffer[4:-2]
        if kind == 3:
            assert self.buffer[4] == len(host)
        self.server.asked.append((kind, host, int.from_bytes(self.buffer[-2:], "big")))
        self.buffer = b""
        replies = self.server.replies
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if not reply:
            return
        if self.server.leads_to is None or reply[1:2] != b"\0":
            self.say(reply + self.server.trailing)
            return
        far = ProtocolFactory(lambda _: _FarEnd(self))
        dialling = TCP4ClientEndpoint(reactor, LOOPBACK, self.server.leads_to).connect(far)
        dialling.addCallback(self.joined)

    def joined(self, other):
        self.other = other
        self.say(OK)

    def say(self, data):
        """Send these bytes in one piece, or a byte at a time."""
        if not self.server.drip:
            self.transport.write(data)
            return
        self.transport.setTcpNoDelay(True)
        self.transport.write(data[:1])
        if data[1:]:
            reactor.callLater(0.002, self.say, data[1:])

    def connectionLost(self, reason):
        self.lost = True
        if self.other is not None:
            self.other.transport.abortConnection()


class _FarEnd(Protocol):
    """The proxy's connection to its target."""

    def __init__(self, guest):
        self.guest = guest

    def dataReceived(self, data):
        if not self.guest.lost:
            self.guest.transport.write(data)

    def connectionLost(self, reason):
        if not self.guest.lost:
            self.guest.transport.loseConnection()
