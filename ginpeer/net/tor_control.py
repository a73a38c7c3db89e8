"""Tor's control protocol: commands and replies as bytes, without I/O (control-spec).

Rule 1: whatever listens on that port is a stranger until it proves that it knows the cookie. The
length of its lines and replies is bounded, and so is the total that it may send.
Rule 2: we never use the method COOKIE: it sends a file's bytes to any program that names that
file, as the specification itself warns (3.21). Every Tor since 0.2.3 offers SAFECOOKIE, by which
both sides prove that they know the cookie without disclosing it.

We don't use txtorcon 26.6, because we would have to replace its log-in: it reads whatever file
the other side names, sends its bytes if only COOKIE is offered (tested: it sent a 32-byte
secret), and keeps a reply that never ends (300 MB in six seconds).
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import Final

from ginpeer.names import safe_quote
from ginpeer.net.address import Address, AddressError, canonical_host
from protocol.codes import CodedError

OK: Final = 250
EVENT: Final = 650
NULL, SAFE_COOKIE, PASSWORD = b"NULL", b"SAFECOOKIE", b"HASHEDPASSWORD"
COOKIE_BYTES: Final = 32
NONCE_BYTES: Final = 32

MAX_LINE: Final = 8192  # a path may be long, and Tor writes some of its bytes as four
MAX_LINES: Final = 32  # in one reply; the longest that we ask for has five
MAX_HEARD: Final = 1 << 20  # bytes on a connection, with events; publishing takes about 10,000

PROTOCOL_INFO = b"PROTOCOLINFO 1"
_SERVER_LABEL = b"Tor safe cookie authentication server-to-controller hash"
_OUR_LABEL = b"Tor safe cookie authentication controller-to-server hash"

_LINE = re.compile(rb"([2-6][0-9]{2})([ -])([^\0\r\n]*)")
_AUTH = re.compile(rb'AUTH METHODS=([A-Z0-9_,]+)(?: COOKIEFILE="((?:[^"\\]|\\.)*)")?(?: .*)?')
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")
_CONTROLS = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_CHALLENGE = re.compile(
    rb"AUTHCHALLENGE SERVERHASH=([0-9A-Fa-f]{64}) SERVERNONCE=([0-9A-Fa-f]{64})"
)
_SERVICE = re.compile(rb"ServiceID=([a-z2-7]{56})")
_KEY_LINE = re.compile(rb"PrivateKey=ED25519-V3:(.*)")
_KEY = re.compile(r"[A-Za-z0-9+/]{85}[AQgw]==", re.ASCII)
_DESCRIPTOR = re.compile(rb"HS_DESC (UPLOAD|UPLOADED|FAILED) ([a-z2-7]{56})(?: .*)?")


class TorError(CodedError):
    """Tor doesn't do what we asked."""


@dataclass(frozen=True, slots=True)
class TorReply:
    """One reply or event: its code, and its lines without the code."""

    code: int
    lines: tuple[bytes, ...]


class ReplyReader:
    """Splits incoming bytes into replies (control-spec, 2.3). Raises TorError with code
    tor-garbled."""

    def __init__(self) -> None:
        self._buffer = b""
        self._lines: list[bytes] = []
        self._code = b""
        self._heard = 0

    def feed(self, data: bytes) -> list[TorReply]:
        """Add the next bytes. Return the replies that are complete now."""
        self._heard += len(data)
        if self._heard > MAX_HEARD:
            raise malformed_reply()
        *lines, self._buffer = (self._buffer + data).split(b"\r\n")
        if len(self._buffer) > MAX_LINE:
            raise malformed_reply()
        return [reply for line in lines if (reply := self._take(line)) is not None]

    def _take(self, line: bytes) -> TorReply | None:
        """Return the reply that this line completes, if any. Replies with data between their lines
        (250+) answer only commands that we never send."""
        found = _LINE.fullmatch(line)
        if found is None or len(line) > MAX_LINE or len(self._lines) == MAX_LINES:
            raise malformed_reply()
        code, more, text = found.groups()
        if self._lines and code != self._code:
            raise malformed_reply()
        self._code = code
        self._lines.append(text)
        if more == b"-":
            return None
        reply = TorReply(int(code), tuple(self._lines))
        self._lines = []
        return reply


def require_ok(reply: TorReply) -> TorReply:
    """Return the reply if Tor has done what we asked. Raises TorError with Tor's own words."""
    if reply.code != OK:
        words = safe_quote(reply.lines[-1].decode("utf-8", "replace"), 120)
        raise TorError("tor-refused", f"Tor refused: {words} ({reply.code})")
    return reply


# --- authentication -----------------------------------------------------------------------------


def read_protocol_info(reply: TorReply) -> tuple[frozenset[bytes], str | None]:
    """Return how Tor lets us authenticate, and where it says its cookie file is. Raises
    TorError."""
    if reply.lines[0] != PROTOCOL_INFO:
        raise malformed_reply()
    for line in reply.lines[1:]:
        found = _AUTH.fullmatch(line)
        if found is not None:
            methods, path = found.groups()
            return frozenset(methods.split(b",")), None if path is None else _unquoted(path)
    raise malformed_reply()


def _unquoted(text: bytes) -> str:
    """Return a QuotedString (2.1.1) without its quotes, as a path."""

    def plain(escape: re.Match[bytes]) -> bytes:
        what = escape[1]
        if not what.isdigit():
            return _CONTROLS.get(what, what)
        if not what < b"8" or int(what, 8) > 0xFF:
            raise malformed_reply()
        return bytes([int(what, 8)])

    return _ESCAPE.sub(plain, text).decode("utf-8", "surrogateescape")


def answer_challenge(reply: TorReply, cookie: bytes, nonce: bytes) -> bytes:
    """Return the proof that we know the cookie (3.24). *nonce*: the one that we sent. Raises
    TorError with code tor-impostor if the other side hasn't proven that it knows the cookie as
    well."""
    found = _CHALLENGE.fullmatch(reply.lines[0])
    if found is None:
        raise malformed_reply()
    theirs, their_nonce = (bytes.fromhex(each.decode("ascii")) for each in found.groups())
    both = cookie + nonce + their_nonce
    if not hmac.compare_digest(hmac.digest(_SERVER_LABEL, both, "sha256"), theirs):
        raise TorError(
            "tor-impostor",
            "The program at Tor's control port isn't the Tor that this cookie belongs to.",
        )
    return hmac.digest(_OUR_LABEL, both, "sha256")


def authenticate(proof: bytes) -> bytes:
    """Encode AUTHENTICATE (section 3.5). *proof*: the answer to the challenge, a password, or
    nothing."""
    return b"AUTHENTICATE " + proof.hex().encode("ascii") if proof else b"AUTHENTICATE"


# --- the onion service ------------------------------------------------------------------------


def is_onion_key(text: str) -> bool:
    """Return whether this is a key as Tor writes it: base64 of 64 bytes."""
    return _KEY.fullmatch(text) is not None


def add_onion(key: str | None, port: int, target: Address, *, discard: bool = False) -> bytes:
    """Encode ADD_ONION (section 3.27). *key*: None for a new one, which Tor doesn't disclose to us
    if *discard* is set. *port*: that of the onion service. *target*: where Tor forwards its
    visitors. We don't set the flag Detach, so the service ends with our connection."""
    which = "NEW:ED25519-V3" if key is None else f"ED25519-V3:{key}"
    flags = " Flags=DiscardPK" if discard else ""
    return f"ADD_ONION {which}{flags} Port={port},{target}".encode("ascii")


def read_added(reply: TorReply, *, new: bool) -> tuple[str, str | None]:
    """Return the new onion service's host name, and its key if that is *new*. Raises TorError."""
    found = _SERVICE.fullmatch(reply.lines[0])
    if found is None:
        raise malformed_reply()
    try:
        host = canonical_host(f"{found[1].decode('ascii')}.onion")
    except AddressError:
        raise malformed_reply() from None
    if not new:
        return host, None
    written = _KEY_LINE.fullmatch(reply.lines[1]) if len(reply.lines) > 1 else None
    key = "" if written is None else written[1].decode("ascii", "replace")
    if not is_onion_key(key):
        raise malformed_reply()
    return host, key


def read_publication(event: TorReply, host: str) -> bytes | None:
    """Return what has happened to this onion service at a directory (4.1.25): UPLOAD, UPLOADED or
    FAILED; None if the event is about anything else."""
    found = _DESCRIPTOR.fullmatch(event.lines[0])
    if found is None or found[2] != host.removesuffix(".onion").encode("ascii"):
        return None
    return found[1]


def malformed_reply() -> TorError:
    """Return the error for bytes that Tor wouldn't send."""
    return TorError(
        "tor-garbled", "The program at Tor's control port doesn't speak Tor's protocol."
    )
