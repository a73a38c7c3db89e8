"""Explains to a guest why it couldn't reach the host at any address of the invite.

Rule 1: the host's own answer counts most, then an answer from somebody else in its place. If
nobody has answered, the likeliest cause comes first.
Rule 2: 127.0.0.1 is the guest's own machine, not the host's, unless both play on one machine. The
same applies to an address that the guest's machine itself has. We report the result of dialling
such an address only if the invite names no other.
Rule 3: two homes often use the same private addresses. An address that looks like one of the
guest's own network doesn't prove that both are on it, so no sentence assumes that.
Rule 4: if the host wasn't reached, only the guest can tell the host's player what to do, so the
last sentence is for the guest to pass on.
"""

from __future__ import annotations

import errno
import os
import socket
from dataclasses import dataclass

from twisted.internet.defer import CancelledError
from twisted.internet.error import (
    ConnectError,
    ConnectingCancelledError,
    ConnectionRefusedError,
    DNSLookupError,
    NoRouteError,
    TCPTimedOutError,
    TimeoutError,
)

from ginpeer.net.address import Address, is_onion
from ginpeer.net.handshake import REFUSALS
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.own_addresses import Reach, classify_address, is_loopback
from ginpeer.net.socks import UNREACHED, SocksError
from protocol.codes import CodedError

VERDICTS = frozenset(REFUSALS) | {"welcome-forged", "peer-closed"}
"""Codes that only the pinned host itself can have caused."""

MET_NOBODY = UNREACHED | {
    *("connection-refused", "connect-timeout", "unreachable", "unknown-host", "cannot-connect"),
}

NO_WAY_OUT = frozenset(
    {"proxy-not-there", "proxy-closed", "proxy-forbids", "proxy-cannot", "tor-not-there"}
)
"""Codes of failures caused by the guest's own proxy or Tor, not by the host."""

_NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH)


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    address: Address
    code: str
    sentence: str


class JoinError(CodedError):
    """The guest couldn't join at any address of the invite."""


def not_dialled(address: Address) -> FailedAttempt:
    """Return the failed attempt for an address that a peer may not make us dial
    (own_addresses.py)."""
    return FailedAttempt(
        address,
        "not-dialled",
        f"{address}: not dialled, because an invite may not point to a system port or a special "
        "address inside your own network.",
    )


def connect_failure(address: Address, error: BaseException | None) -> CloseReason:
    number = error.osError if isinstance(error, ConnectError) else None
    match error:
        case SocksError():
            code, what = error.code, error.sentence
        case ConnectionRefusedError():
            code = "connection-refused"
            what = "a machine answers, but ginpeer isn't listening on that port."
        case TimeoutError() | TCPTimedOutError() | ConnectingCancelledError() | CancelledError():
            code = "connect-timeout"
            what = "no answer in time; a firewall or router may be blocking it."
        case DNSLookupError():
            code, what = "unknown-host", "there is no host with that name."
        case _ if isinstance(error, NoRouteError) or number in _NO_ROUTE:
            code, what = "unreachable", "it can't be reached from this network."
        case _ if number in (errno.EPERM, errno.EACCES, getattr(errno, "WSAEACCES", errno.EACCES)):
            code, what = "cannot-connect", "this machine's own firewall blocked the connection."
        case _:
            why = f": {_text_of(number).lower()}" if isinstance(number, int) else ""
            code, what = "cannot-connect", f"this machine couldn't connect{why}."
    return CloseReason(code, f"{address}: {what}", "A")


def _text_of(number: int) -> str:
    """Return the text for a socket error. os.strerror doesn't know the Windows ones."""
    known: dict[int, str] = getattr(socket, "errorTab", {})
    return known.get(number, "").rstrip(".") or os.strerror(number)


def join_error(attempts: tuple[FailedAttempt, ...], own: tuple[str, ...] = ()) -> JoinError:
    """Summarize all attempts as the most informative code and sentence. *own*: the addresses of
    this machine."""
    told = worth_telling(attempts, own)
    telling = min(told, key=rank)  # the earliest of the most informative
    if rank(telling) < 3:
        return JoinError(telling.code, telling.sentence)
    codes = {attempt.code for attempt in told}
    code = codes.pop() if len(codes) == 1 else "host-unreachable"
    cause, ask = _likeliest(told, own)
    return JoinError(code, f"Couldn't reach the host: {cause} {_once_each(told)} {ask}".strip())


def _likeliest(attempts: tuple[FailedAttempt, ...], own: tuple[str, ...]) -> tuple[str, str]:
    """Return the likeliest cause, and what the guest should do or tell the host."""
    if {each.code for each in attempts} == {"not-dialled"}:
        return (
            "the invite contains no address that could be a friend's.",
            'If you know who sent it, ask: "Which addresses are in your invite?"',
        )
    if {each.code for each in attempts} <= NO_WAY_OUT:
        return "your proxy or Tor didn't connect.", ""
    outside = [each for each in attempts if classify_address(each.address).from_outside]
    codes = {each.code for each in outside or attempts}
    only_onions = bool(outside) and all(is_onion(each.address.host) for each in outside)
    if not only_onions and codes <= {"unreachable", "unknown-host", "cannot-connect"}:
        if {each.code for each in attempts} <= {"unreachable", "cannot-connect"}:
            at = " and ".join(dict.fromkeys(str(each.address) for each in attempts))
            return (
                "your machine can't reach any of the host's addresses.",
                f'Are you online? If you are, tell the host: "Your invite leads to {at}, and '
                "I can't reach it.\"",
            )
        return (
            "the addresses in the invite can't be found.",
            'Tell the host: "Please check the addresses in your invite; I can\'t reach them."',
        )
    if all(_is_here(each.address, own) for each in attempts):
        return (
            "every address in the invite is this machine's own, and nobody is waiting here.",
            f"If the host is on another machine, tell the host: {_HOME_ONLY}",
        )
    near = [each for each in attempts if _looks_near(each.address, own)]
    cause, ask = _from_elsewhere(outside, codes)
    if not near or (outside and "connection-refused" in codes):
        return cause, ask
    if not outside:
        cause = "the invite works only inside the host's own network."
    return cause, f"{_if_near(near)} If you are somewhere else: {ask}"


_HOME_ONLY = (
    '"Your invite works only in your home. Your router must let me in, and the invite must '
    "contain the router's public address (--advertise).\""
)


def _if_near(near: list[FailedAttempt]) -> str:
    """Return what to do if the guest is on the host's network."""
    if any(each.code == "connection-refused" for each in near):
        return 'If you are on the host\'s network, ask the host: "Are you still waiting?"'
    return (
        "If you are on the host's network, tell the host: \"Your firewall must let ginpeer in on "
        f'TCP port {near[0].address.port}."'
    )


def _from_elsewhere(outside: list[FailedAttempt], codes: set[str]) -> tuple[str, str]:
    """Return the likeliest cause for a guest on another network, and what to do. *codes*: those of
    *outside*, or of all attempts if *outside* is empty."""
    if not outside:
        return (
            "the invite works only inside the host's own network, and you don't seem to be on it.",
            f"Tell the host: {_HOME_ONLY}",
        )
    if "tor-not-there" in codes and "connection-refused" not in codes:
        return (
            "nobody answers, and the onion address needs Tor, which isn't running on this machine.",
            "Start Tor (the package tor, or Tor Browser), and join again.",
        )
    direct = [each for each in outside if not is_onion(each.address.host)]
    at = " and ".join(dict.fromkeys(str(each.address) for each in direct or outside))
    if not direct:
        return (
            "nobody answers at the onion address.",
            f'Tell the host: "Nothing answers at {at}. Are you still waiting, and is your Tor '
            'running?"',
        )
    ports = " and ".join(dict.fromkeys(str(each.address.port) for each in direct))
    if "connection-refused" in {each.code for each in direct}:
        return (
            "nobody is waiting there, or the host's router refused the connection.",
            f'Tell the host: "My connection to {at} was refused. Are you still waiting? If you '
            f'are, your router must forward TCP port {ports} to your machine."',
        )
    return (
        "nobody answers; most likely the host's router or firewall blocks the connection.",
        f'Tell the host: "Nothing answers at {at}. Your router must forward TCP port {ports} to '
        'your machine, and your firewall must let ginpeer in."',
    )


def _looks_near(address: Address, own: tuple[str, ...]) -> bool:
    """Return whether this home IPv4 address shares its first three numbers with one of ours."""
    if classify_address(address).reach is not Reach.HOME or ":" in address.host:
        return False
    return any(address.host.rpartition(".")[0] == each.rpartition(".")[0] for each in own)


def rank(attempt: FailedAttempt) -> int:
    """Rank an attempt by how informative it is; 0 is the most. Below 2, a peer has answered."""
    if attempt.code in VERDICTS:
        return 0
    if attempt.code in ("pinned-key-mismatch", "both-join"):
        return 1
    return 3 if attempt.code in MET_NOBODY | {"not-dialled"} else 2


def worth_telling(
    attempts: tuple[FailedAttempt, ...], own: tuple[str, ...] = ()
) -> tuple[FailedAttempt, ...]:
    """Drop the attempts that only reached the guest's own machine, unless all of them did. *own*:
    the addresses of this machine."""
    if all(_is_here(attempt.address, own) for attempt in attempts):
        return attempts
    says_nothing = MET_NOBODY | {"not-dialled", "pinned-key-mismatch"}
    return tuple(
        attempt
        for attempt in attempts
        if not (_is_here(attempt.address, own) and attempt.code in says_nothing)
    )


def _is_here(address: Address, own: tuple[str, ...]) -> bool:
    """Return whether dialling this address reaches the dialling machine itself."""
    return is_loopback(address) or address.host in own


def _once_each(attempts: tuple[FailedAttempt, ...]) -> str:
    """List the results of the attempts, each result once with all its addresses."""
    addresses: dict[str, list[str]] = {}
    for attempt in attempts:
        what = attempt.sentence.removeprefix(f"{attempt.address}: ")
        addresses.setdefault(what, []).append(str(attempt.address))
    return " ".join(f"{', '.join(where)}: {what}" for what, where in addresses.items())
