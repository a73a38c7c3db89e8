"""Whom a home has met, one line for each."""

from __future__ import annotations

import time

from cli.words.own_names import claimed_name
from ginpeer.names.shown import in_marks, safe
from ginpeer.store import Peer
from protocol.crypto.identity import fingerprint


def friend_name(friend: Peer) -> str:
    """What we call this key."""
    return in_marks(friend.called) if friend.called else "a player without a name"


def friend_line(friend: Peer) -> str:
    """As in: "Ben", key abcde-...: met last on 2026-11-22, at 192.0.2.1:4466."""
    met = time.strftime("%Y-%m-%d", time.localtime(friend.last_met))
    own = ""
    if friend.nickname and friend.name and friend.nickname != friend.name:
        own = claimed_name(friend.name)
    at = f", at {safe(friend.addresses[0].rpartition(':')[0])}" if friend.addresses else ""
    told = f"; can be reached at {safe(', '.join(friend.told), 300)}" if friend.told else ""
    if friend.hidden:
        told += "; not to learn where you are"
    key = fingerprint(friend.key)
    return f"{friend_name(friend)}{own}, key {key}: met last on {met}{at}{told}"
