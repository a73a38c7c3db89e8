"""What routers may have open for a port of ours: on the disk before one is asked for it, so that
the next start takes back what a crash has left."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from pathlib import Path

from ginpeer.net.mapping.lease import Lease, LeaseError, read_leases, write_leases
from ginpeer.store import StoreError
from ginpeer.store.network_files import MappingNotes


class RouterLeases:
    """The notes of one home, for whoever listens at *port*."""

    def __init__(self, home: Path, port: int, told: Callable[[str], None]) -> None:
        """*told* hears once that nothing can be stored."""
        self._notes = MappingNotes(home)
        self._port = port
        self._told: Callable[[str], None] | None = told

    def remembered(self) -> tuple[Lease, ...]:
        """Those of our port, and of every other where nobody of ours listens any more."""
        found: list[Lease] = []
        for port in self._notes.ports():
            if port != self._port and not _is_free(port):
                continue
            try:
                found += read_leases(self._notes.read(port) or "")
            except LeaseError:
                continue  # the routers close what it named when its time is over
        return tuple(found)

    def store(self, leases: tuple[Lease, ...]) -> None:
        """All that may stand open now."""
        ports = {lease.internal_port for lease in leases}
        try:
            for port in {*self._notes.ports(), *ports}:
                of_this = [lease for lease in leases if lease.internal_port == port]
                if of_this:
                    self._notes.write(port, write_leases(of_this))
                elif port == self._port or _is_free(port):
                    self._notes.forget(port)
        except StoreError as error:
            told, self._told = self._told, None
            if told is not None:
                told(f"{error.sentence} ({error.code})")


def _is_free(port: int) -> bool:
    """Whether no program listens at this port, at any of our addresses: then what was opened for it
    is left over."""
    for family, everywhere in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):  # noqa: S104
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind((everywhere, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
    return True
