"""The keys of the players we have met: their names, their addresses, and when we met them.

The file is read again under a lock before each change, so two running ginpeers don't undo each
other's changes. A file that can't be understood is never overwritten: an attacker would want us to
forget the keys that we know.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

from ginpeer.names import PeerNames, comparable, is_fingerprint
from ginpeer.store import files
from ginpeer.store.files import StoreError, printable
from ginpeer.store.json_files import LATEST, decode, json_bytes, of_32_bytes, plain, within
from protocol.crypto.identity import fingerprint

MAX_FILE_BYTES: Final = 16 * 1024 * 1024
_MAX_WRITTEN: Final = 4 * 1024 * 1024  # all that earlier versions read, although some wrote more
_MAX_PEERS: Final = 2000  # past this, forget those met longest ago, but those with a nickname last
_MAX_ADDRESSES: Final = 8  # the latest
_MAX_WAYS: Final = 20
_MAX_TEXT: Final = 300  # enough for a proxy or an option with the longest host name
_SOON: Final = 60  # seconds
_FEWEST_LETTERS: Final = 4  # letters of a fingerprint
_Time = Annotated[int, within(0, LATEST)]


@dataclass(frozen=True, slots=True)
class Peer:
    """A key whose owner has proven to us that they hold it. Times are seconds since 1970."""

    key: Annotated[bytes, of_32_bytes]
    name: str  # the name that its owner last used, or empty
    addresses: tuple[str, ...]  # the addresses at which we met it, latest first
    first_met: _Time
    last_met: _Time
    told: tuple[str, ...] = ()  # the addresses at which it says that it can be reached
    nickname: str = ""  # our player's name for it, or empty
    hidden: str = ""
    """How our player hides our address from this peer; empty: the peer may know it."""
    named: _Time = 0  # when its owner began to use that name
    ways: tuple[str, ...] = ()
    """The options by which it reaches us, like "tor" or "advertise=my.home.example:4466"."""

    @property
    def called(self) -> str:
        """The nickname that our player gave this peer, or else its own name."""
        return self.nickname or self.name


class KnownPeers:
    """The file of known peers. The names and addresses in it are the peers' own claims. Every
    method raises `StoreError` if the file is damaged, or can't be read or written."""

    def __init__(self, path: Path, now: Callable[[], float]) -> None:
        self._path = path
        self._now = now
        self._last_read: tuple[tuple[int, ...], dict[bytes, Peer]] | None = None

    def all(self) -> tuple[Peer, ...]:
        """Return the peers, those met most recently first."""
        return tuple(sorted(self._current().values(), key=lambda peer: -peer.last_met))

    def peer_names(self) -> dict[bytes, PeerNames]:
        return {peer.key: PeerNames(peer.name, peer.nickname, peer.named) for peer in self.all()}

    def peer(self, key: bytes) -> Peer | None:
        return self._current().get(key)

    def name_of(self, key: bytes) -> str | None:
        """Return our name for this key, or None for a stranger or a peer without a name."""
        peer = self.peer(key)
        return peer.called or None if peer else None

    def find(self, text: str) -> tuple[Peer, ...]:
        """Return the peers that a player may mean by *text*: those with this name and, if it has
        at least four letters, those whose fingerprint begins with it. A whole fingerprint means
        only its own key, whatever others call themselves."""
        letters, whole = _letters(text), is_fingerprint(text)

        def is_meant(one: Peer) -> bool:
            if text and not whole and comparable(one.called) == comparable(text):
                return True
            enough = len(letters) >= _FEWEST_LETTERS
            return enough and _letters(fingerprint(one.key)).startswith(letters)

        return tuple(filter(is_meant, self.all()))

    def remember(self, key: bytes, address: str, name: str | None = None) -> None:
        """Record that we met this key now, at `address` (empty: unknown), if that is news."""
        of_32_bytes(key)

        def meet(old: Peer | None) -> Peer:
            now = min(max(int(self._now()), 0), LATEST)
            peer = old or Peer(key, "", (), now, now, named=now)
            addresses = peer.addresses
            if address:
                latest = address[:_MAX_TEXT]
                addresses = (latest, *(each for each in addresses if each != latest))
            called, named = peer.name if name is None else name[:_MAX_TEXT], peer.named
            if called != peer.name:  # after all earlier ones, even if the clock has been set back
                earlier = (each.named for each in self.all())
                named = min(max(now, 1 + max(earlier, default=0)), LATEST)
            met = replace(
                peer,
                name=called,
                addresses=addresses[:_MAX_ADDRESSES],
                last_met=now,
                named=named,
            )
            return met if _is_news(old, met) else peer

        self._change(key, meet)

    def note_addresses(self, key: bytes, addresses: tuple[str, ...]) -> None:
        """Record where a known peer says that it can be reached."""
        new = tuple(address[:_MAX_TEXT] for address in addresses[:_MAX_ADDRESSES])
        self._change(key, lambda peer: peer and replace(peer, told=new))

    def rename(self, key: bytes, nickname: str) -> None:
        """Give a known key a nickname; empty: use its owner's name again."""
        self._change(key, lambda peer: peer and replace(peer, nickname=nickname[:_MAX_TEXT]))

    def hide(self, key: bytes, way: str) -> None:
        """Record how our player hides our address from a known key; empty: not at all."""
        self._change(key, lambda peer: peer and replace(peer, hidden=way[:_MAX_TEXT]))

    def note_ways(self, key: bytes, typed: tuple[str, ...], *, only: bool = False) -> None:
        """Record the options typed for a known key. They replace earlier values of the same
        options, or with *only* all earlier options."""
        new = tuple(way[:_MAX_TEXT] for way in typed)

        def change(peer: Peer | None) -> Peer | None:
            ways = new if peer is None or only else merged_ways(peer.ways, new)
            return peer and replace(peer, ways=ways[:_MAX_WAYS])

        self._change(key, change)

    def forget(self, key: bytes) -> None:
        """Forget a key. Its matches stay."""
        self._change(key, lambda peer: None)

    def _change(self, key: bytes, change: Callable[[Peer | None], Peer | None]) -> None:
        """Replace the peer with this key by *change(peer)*. In both places, None means no peer."""
        files.make_folder(self._path.parent)
        with files.locked(self._path.with_suffix(".lock")):
            peers = self._read()
            changed = change(peers.get(key))
            if changed == peers.get(key):
                return
            if changed is None:
                del peers[key]
            else:
                peers[key] = changed
            self._write(peers)

    def _current(self) -> Mapping[bytes, Peer]:
        """Return the peers. The file is read again only if it has changed: any stranger's greeting
        leads to a lookup, and reading two thousand peers takes a tenth of a second."""
        try:
            held = self._path.stat()
        except OSError:
            return self._read()
        stamp = (held.st_ino, held.st_mtime_ns, held.st_ctime_ns, held.st_size)
        if self._last_read is None or self._last_read[0] != stamp:
            self._last_read = stamp, self._read()
        return self._last_read[1]

    def _read(self) -> dict[bytes, Peer]:
        data = files.read_stored(self._path, MAX_FILE_BYTES)
        try:
            return {} if data is None else _decode(data)
        except (ValueError, RecursionError) as why:
            raise StoreError(
                "bad-known-peers",
                f"{printable(self._path)} is damaged. Repair it, or move it away to start over.",
            ) from why

    def _write(self, peers: dict[bytes, Peer]) -> None:
        # A club meets many peers, and anybody can make as many keys as they like. None of those
        # displaces a friend who has a nickname, or from whom our player hides our address.
        first = sorted(
            peers.values(), key=lambda peer: (not (peer.nickname or peer.hidden), -peer.last_met)
        )
        kept = first[:_MAX_PEERS]
        while len(data := _encode(kept)) > _MAX_WRITTEN:
            kept = kept[: len(kept) * 9 // 10]  # many at once, since each attempt encodes them all
        files.write_atomically(self._path, data, replace=True)


def merged_ways(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Merge two lists of options; new values replace old ones. "stun" and "no-stun" count as one
    option."""

    def option(way: str) -> str:
        return way.partition("=")[0].removeprefix("no-")

    typed = set(map(option, new))
    return (*(way for way in old if option(way) not in typed), *new)


def _letters(fingerprint: str) -> str:
    return fingerprint.strip().replace("-", "").lower()


def _is_news(old: Peer | None, new: Peer) -> bool:
    """Return whether a meeting is worth recording: the name or host is new, or a minute has passed
    since the last. On a bad line, a guest reconnects every few seconds, always from a new port."""
    if old is None or old.name != new.name:
        return True
    soon = 0 <= new.last_met - old.last_met < _SOON
    return not soon or _host(old) != _host(new)


def _host(peer: Peer) -> str:
    latest = peer.addresses[0] if peer.addresses else ""
    return latest.rpartition(":")[0] or latest


def _encode(peers: Iterable[Peer]) -> bytes:
    entries = {}
    for peer in sorted(peers, key=lambda peer: -peer.last_met):
        entry = plain(peer)
        entries[entry.pop("key")] = entry
    return json_bytes({"version": 1, "peers": entries})


def _decode(data: bytes) -> dict[bytes, Peer]:
    match json.loads(data):
        case {"version": 1, "peers": dict(entries)}:
            peers = (_peer(key, fields) for key, fields in entries.items())
            return {peer.key: peer for peer in peers}
    raise ValueError("not a file of known peers")


def _peer(key: str, entry: object) -> Peer:
    if not isinstance(entry, dict):
        raise ValueError("not a known peer")
    return decode(Peer, {"named": entry.get("first_met"), **entry, "key": key})
