"""Where a host can be reached and by whom, what to do if two players can't connect, and which
guests were refused.

Of what a refused stranger sent, nothing is shown except the address, the fingerprint of a key
that TLS has proven, and our own words.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from cli.text.grammar import at_start, duration, inside
from ginpeer.names import safe_quote
from ginpeer.net.admission import RejectedConnection
from ginpeer.net.own_addresses import Reach, ReachableAddress
from protocol.crypto.identity import fingerprint

REACH_TEXT = {
    Reach.GIVEN: "given by you",
    Reach.OUTSIDE: "over the Internet",
    Reach.CLOSED: "from outside, if both dial",
    Reach.HOME: "on your home network only",
    Reach.IPV6: "over IPv6, unless your router blocks incoming connections",
    Reach.VPN: "on the same VPN only",
    Reach.LINK: "on the same cable or network only",
    Reach.CONTAINER: "for virtual machines here only",
    Reach.ONION: "through Tor",
    Reach.LOOPBACK: "on this machine only",
}

"""Who can reach an address of this kind."""


_LEFT = (
    "You can still forward a port by hand and name it with --advertise, let your friend host, or "
    "use Tor on both sides (host --tor)."
)
_ROUTER = "a router is most likely the reason: "
_STUCK = {
    None: "one of the two routers probably gives every connection a different port.",
    True: "your friend's router probably gives every connection a different port. Two servers have "
    "seen that yours keeps one port.",
    False: "two servers have seen that yours gives every connection a different port.",
}


def stuck_guest(same_port: bool | None) -> str:
    """*same_port*: whether our router keeps one port, as seen by two servers; None if unknown."""
    return (
        "You have no connection yet. If your friend has already pasted the reply, "
        f"{_ROUTER}{_STUCK[same_port]} {_LEFT}"
    )


def stuck_host(same_port: bool | None) -> str:
    """*same_port*: as in `stuck_guest`."""
    return (
        "Your friend hasn't connected yet. If you have pasted the latest reply, "
        f"{_ROUTER}{_STUCK[same_port]} {_LEFT}"
    )


def random_ports(port: int) -> str:
    """*port*: the one at which we listen."""
    return (
        "Your router gives every connection a different port: two servers saw two different "
        "ones. So a friend can't dial you, and dialling each other works only if your friend's "
        f"router lets you in. Instead, you can forward TCP port {port} by hand and name it with "
        "--advertise, let your friend host if their router opens a port, or use Tor on both sides "
        "(host --tor)."
    )


_ADDRESSES_NEEDED = (
    "To fix this, both of you type quit and start again with --stun public: ginpeer then asks "
    "public servers for your addresses and puts them into the invite and the reply. Or one of you "
    "forwards a port by hand and names it with --advertise. Or both of you use Tor (host --tor)."
)


NOT_DIRECTLY = "You can't reach the host directly yet."
"""For a guest whose reply lets both programs dial."""

SEND_REPLY = "Send this line to the host. They paste it into their waiting program."


def not_there_yet(host: str) -> str:
    return f"{at_start(host)} doesn't answer yet. Perhaps ginpeer isn't running there."


def if_waiting(host: str) -> str:
    return f"If {host}'s ginpeer is already waiting, send this line, to be pasted there."


def no_address_in(*, invite: bool, reply: bool) -> str | None:
    """Say, before anybody dials, which code has no usable address; None if both have one. *invite*,
    *reply*: whether each can be used from outside its own network."""
    if invite and reply:
        return None
    if not invite and not reply:
        who = "Neither of you has given an address"
    elif invite:
        who = "The guest has given no address"
    else:
        who = "The host has given no address"
    return (
        f"{who} that works from outside, so dialling works only if you are both on the same "
        f"network. {_ADDRESSES_NEEDED}"
    )


def asking_stun(servers: str) -> str:
    return f"Asking {servers} for this machine's address on the Internet."


ASK_PUBLIC = (
    "No router has opened a port for you. A friend in another home can still connect if your "
    "invite or reply contains your public address. May ginpeer ask public servers for it? They are "
    "{servers}. They learn your Internet address and nothing about the game. ginpeer remembers "
    "your answer."
)
PUBLIC_PROMPT = "ask public servers"


def asked_nobody(command: str) -> str:
    return (
        "ginpeer will not ask any server. To allow it another time, type "
        f"{command} host (or join) --stun public."
    )


HOME_ONLY_YET = (
    "This invite works only on your own network. If your friend is elsewhere, wait: ginpeer prints "
    "another invite if it finds a way in."
)
"""For a host whose routers, or Tor, haven't answered for a while."""


YOUR_OWN_INVITE = (
    "That is your own invite: give it to your friend, who types ginpeer join and the invite."
)
"""For a host who has pasted their own invite."""


def invite_to_a_host(command: str) -> str:
    return (
        f"That is an invite, and its sender is the host. Type quit, then {command} join and the "
        "invite."
    )


def not_by_name(host: str) -> str:
    """Tell a guest without an invite that the host waits only for guests with one."""
    return (
        f"{at_start(host)} is waiting, but not for you by name. Ask {host} to type ginpeer host "
        "and your name, or to send you an invite."
    )


def nobody_yet(friend: str, own: str, minutes: int, command: str = "ginpeer") -> str:
    """*friend*: our name for the friend. *own*: our own name."""
    return (
        f"Nobody has connected for {duration(minutes)}. Ask {friend} to type ginpeer join "
        f"and the name that you have there, perhaps {safe_quote(own)}. If your friend typed "
        f"ginpeer host too, you are waiting for each other: type quit, then {command} join and "
        "your friend's name."
    )


def addresses_text(addresses: Sequence[ReachableAddress]) -> str:
    """Return every address and who can reach it: "192.168.1.20:4466 (in your home network only)".
    Neighbours with the same reach share the brackets."""
    groups: list[tuple[Reach, list[str]]] = []
    for address, reach in addresses:
        if not groups or groups[-1][0] is not reach:
            groups.append((reach, []))
        groups[-1][1].append(str(address))
    return ", ".join(f"{' and '.join(at)} ({REACH_TEXT[reach]})" for reach, at in groups)


def outside_line(addresses: Sequence[ReachableAddress], port: int) -> str | None:
    """Say what a friend elsewhere needs; None if somebody outside can reach an address."""
    reaches = {reach for _, reach in addresses}
    if reaches <= {Reach.LOOPBACK}:
        return (
            "This machine has no network address, so the invite works only on this machine. "
            "Connect it to a network and run the command again, or name an address with "
            "--advertise."
        )
    if any(each.from_outside for each in addresses):
        return None
    by_hand = (
        f"set your router to forward TCP port {port} to this machine, and add --advertise with the "
        "router's public address"
    )
    if Reach.CLOSED in reaches:
        return (
            "Nobody outside your home can connect directly. When a friend elsewhere tries, their "
            'program shows a line that begins with "reply:". They send it to you; paste it here, '
            f"and both programs dial. Or {by_hand}."
        )
    return (
        "This invite works only on your own network. If your friend is elsewhere, type quit, then "
        "host again with --stun public, which asks public servers for your Internet address. Your "
        f"friend does the same with join. Or {by_hand}. Or use Tor on both sides (--tor)."
    )


def does_not_answer(name: str, address: str, *, resumable: bool) -> str:
    """*resumable*: whether a match continues."""
    then = f" When {inside(name)} types ginpeer resume, the hand continues." if resumable else ""
    return f"{name}'s program doesn't answer at {address}. Still trying.{then}"


def may_have_moved(host: str, *, resumes: bool = False) -> str:
    """*resumes*: whether the guest is resuming a match, which the host may have finished."""
    moved = f"If {host}'s address has changed, ask for a new invite, type quit, and join with that."
    if not resumes:
        return moved
    return (
        f"{moved} If {host} has already seen the end of the match, ask {host} to run ginpeer host; "
        "you'll receive the end when you connect."
    )


TABLE_TAKEN = (
    "The host's table is taken, or you have connected too often in a short time. Trying again "
    "until you type quit."
)
"""For a guest whose program waits for a place at the table."""


def still_no_answer(name: str, address: str) -> str:
    return f"{name}'s program still doesn't answer at {address}."


# --- guests that were refused -----------------------------------------------------------

REASONS = {
    "invite-wrong": "its invite has a different secret; maybe it is an older one",
    "invite-used": "somebody else has used this invite",
    "not-expected": "this match continues with a different player",
    "table-taken": "somebody is at the table, or it tried too often",
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
    """*met*: whether we have met the key."""
    who = f"{_time(at)} {stranger.address}"
    if stranger.key is not None:
        known = " (which you have met)" if met else ""
        who += f", with the key {fingerprint(stranger.key)}{known},"
    reason = REASONS.get(stranger.code, "what it sent makes no sense")
    if stranger.our_fault:
        reason = "something went wrong on this machine"
    return f"{who} tried to connect and was refused: {reason}. ({stranger.code})"


def kept_out(stranger: RejectedConnection, name: str, at: time.struct_time, command: str) -> str:
    """*name*: the player who came first, without an invite."""
    return (
        f"{_time(at)} Somebody with your invite connected from {stranger.address} and was refused: "
        f"{name} connected first, and your match with {name} is unfinished or has just ended. To "
        f"play with your friend instead, type quit, then {command} host --new, and send the new "
        "invite."
    )


def end_given(name: str) -> str:
    return f"{name} was missing the end of a finished match and has it now."


def more_turned_away(count: int, at: time.struct_time) -> str:
    return f"{_time(at)} {count} more tried to connect and were refused."


def _time(at: time.struct_time) -> str:
    return time.strftime("%H:%M:%S", at)
