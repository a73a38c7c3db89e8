"""Where a host can be reached and by whom, what to do if two players can't connect, and which
guests were refused.

About a refused stranger, we show only the address, the fingerprint of the key if TLS has proven it,
and sentences of our own, never the stranger's.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import groupby

from ginpeer.net.limits import RejectedConnection
from ginpeer.net.own_addresses import Reach, ReachableAddress
from protocol.crypto.identity import fingerprint

REACH_TEXT = {
    Reach.GIVEN: "given by you",
    Reach.OUTSIDE: "over the Internet",
    Reach.CLOSED: "over the Internet, if both programs dial",
    Reach.HOME: "on your home network only",
    Reach.IPV6: "over IPv6, unless your router blocks incoming connections",
    Reach.VPN: "on the same VPN only",
    Reach.LINK: "on the same cable or network only",
    Reach.CONTAINER: "for virtual machines on this machine only",
    Reach.ONION: "through Tor",
    Reach.LOOPBACK: "on this machine only",
}
"""Who can reach an address of this kind."""


def like_last_time(way: str) -> str:
    """Say that we connect through the same proxy as last time, or through Tor again, and why."""
    return f"Connecting through {way}, like last time, so that the host doesn't learn your address."


_LEFT = (
    "You can still forward a port by hand and name it with --advertise, {instead}, or use Tor on "
    "both sides (host --tor)."
)
_STUCK = {
    None: "one of the two routers probably gives every connection a different port.",
    True: "your friend's router probably gives every connection a different port. Two servers "
    "found that yours keeps the same port.",
    False: "two servers found that yours gives every connection a different port.",
}


def stuck(opening: str, same_port: bool | None, *, hosts: bool) -> str:
    """Say what probably prevents a connection, and what else to try. *same_port*: whether our
    router keeps one port, as seen by two servers; None if unknown. *hosts*: whether we host."""
    left = _LEFT.format(instead="let your friend host" if hosts else "host yourself")
    return f"{opening}, the cause is most likely a router: {_STUCK[same_port]} {left}"


_ADDRESSES_NEEDED = (
    "To fix this, start again with --stun public unless you have used it, and ask your friend to "
    "do the same: ginpeer then asks public servers for your addresses and puts them into the "
    "invite and the reply. Or one of you forwards a port by hand and names it with --advertise. Or "
    "both of you use Tor (host --tor)."
)


NOT_DIRECTLY = "You can't reach the host directly yet."
"""Said to a guest who can send a reply, so that both programs dial."""

SEND_REPLY = "Send this line to the host. They paste it into their waiting program."


def no_address_in(*, invite: bool, reply: bool) -> str | None:
    """Say, before anybody dials, whose code has no usable address; None if both have one. *invite*,
    *reply*: whether each code can be used from outside its own network."""
    if invite and reply:
        return None
    who = "The guest has given no address" if invite else "The host has given no address"
    if not invite and not reply:
        who = "Neither of you has given an address"
    return (
        f"{who} that works from outside, so dialling works only if you are both on the same "
        f"network. {_ADDRESSES_NEEDED}"
    )


ASK_PUBLIC = (
    "No router has opened a port for you. Friends outside your home network can still connect if "
    "your invite or reply contains your public address. May ginpeer ask public servers for it? "
    "They are {servers}. They learn your Internet address and nothing about the game. ginpeer "
    "remembers your answer."
)
PUBLIC_PROMPT = "ask public servers"


def addresses_text(addresses: Sequence[ReachableAddress]) -> str:
    """Return every address and who can reach it: "192.168.1.20:4466 (on your home network only)".
    Consecutive addresses with the same reach share one pair of parentheses."""
    return ", ".join(
        f"{' and '.join(str(each.address) for each in group)} ({REACH_TEXT[reach]})"
        for reach, group in groupby(addresses, key=lambda each: each.reach)
    )


def only_nearby(addresses: Sequence[ReachableAddress]) -> str:
    """Say who can use an invite whose addresses can't be reached from outside."""
    vpn = " or on the same VPN" if any(each.reach is Reach.VPN for each in addresses) else ""
    return f"This invite works only on your own network{vpn}."


def outside_line(
    addresses: Sequence[ReachableAddress], port: int, leave: str, *, asked: bool
) -> str | None:
    """Say what a friend elsewhere needs; None if an address can be reached from outside. *leave*:
    how to leave, such as "type quit". *asked*: whether ginpeer may already ask STUN servers."""
    reaches = {reach for _, reach in addresses}
    if reaches <= {Reach.LOOPBACK}:
        return (
            "This invite works only on this machine. To let others in, connect this machine to a "
            "network and host again, let --listen accept connections from other machines, or name "
            "an address with --advertise."
        )
    if any(each.from_outside for each in addresses):
        return None
    by_hand = (
        f"set your router to forward TCP port {port} to this machine, and add --advertise with the "
        "router's public address"
    )
    if Reach.CLOSED in reaches:
        who = "Nobody outside your home"
        if Reach.VPN in reaches:
            who = "Only people on your home network or your VPN"
        return (
            f"{who} can connect directly. When a friend elsewhere tries, "
            'their program shows a line that begins with "reply:". They send it to you; paste it '
            f"here, and both programs dial. Or {by_hand}."
        )
    ask = (
        f"{leave}, then host again with --stun public, which asks public servers for your Internet "
        "address. Your friend does the same with join. Or "
    )
    return (
        f"{only_nearby(addresses)} If your friend is elsewhere, {'' if asked else ask}{by_hand}. "
        "Or use Tor on both sides (--tor)."
    )


# --- guests that were refused -----------------------------------------------------------

REASONS = {
    "invite-wrong": "its invite has a different secret; maybe it is an older one",
    "invite-used": "somebody else has used this invite",
    "not-expected": "this match continues with a different player",
    "table-taken": "the table is taken, or it tried too often",
    "same-key": "it has your own key; each player needs their own home (--home)",
    "version-mismatch": "it speaks a different version of the protocol",
    "wrong-alpn": "it speaks TLS, but isn't ginpeer",
    "tls-version": "it doesn't speak TLS 1.3",
    "tls-failed": "it doesn't speak TLS 1.3 the way ginpeer does, or didn't show a key",
    "no-certificate": "it didn't show a key",
    "bad-certificate": "its key can't be used",
    "greeting-timeout": "it was too slow, or said nothing",
    "connection-lost": "it disconnected before its greeting",
    "crowded-out": "too many others connected",
    "peer-closed": "it closed the connection itself",
    "peer-not-reading": "it didn't read what was sent to it",
}
"""Why a guest was refused, by the code that ended its connection. Any other code means that the
guest sent something invalid."""


def turned_away(stranger: RejectedConnection, at: time.struct_time, *, met: bool) -> str:
    """Say that a guest was refused, and why. *met*: whether we have met the guest's key."""
    who = f"{_time(at)} {stranger.address}"
    if stranger.key is not None:
        known = " (which you know)" if met else ""
        who += f", with the key {fingerprint(stranger.key)}{known},"
    reason = REASONS.get(stranger.code, "what it sent makes no sense")
    if stranger.our_fault:
        reason = "something went wrong on this machine"
    return f"{who} tried to connect and was refused: {reason}. ({stranger.code})"


def more_turned_away(count: int, at: time.struct_time) -> str:
    return f"{_time(at)} {count} more tried to connect and were refused."


def _time(at: time.struct_time) -> str:
    return time.strftime("%H:%M:%S", at)
