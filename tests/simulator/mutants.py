"""The product broken on purpose, one rule at a time, for the simulator to catch.

Each mutant is a context manager that replaces a function of the product with one that breaks a
house rule.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from unittest import mock

from ginpeer.match_store import TableKeeper
from ginpeer.net import connector, own_addresses, session
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address
from ginpeer.net.connection import PeerConnection
from ginpeer.net.connector import Reconnector
from ginpeer.net.session import Session
from ginpeer.seat.seat import MATCH_SEED, LogRelation, Persist, PersistSeed, Seat, Send, compare
from ginpeer.store import KnownPeers, files
from ginpeer.store.journal import Journal
from protocol import messages as m
from protocol.crypto.hashing import SEED_BYTES, Nonces
from protocol.deck import prover
from tests.simulator.moving import MovingObserver
from tests.simulator.network import Port

Mutant = Callable[[], AbstractContextManager[Any]]


def sends_before_it_stores() -> AbstractContextManager[Any]:
    submit = Seat._submit

    def wrong(seat: Seat, message: m.Message) -> Iterator[Any]:
        effects = list(submit(seat, message))
        yield from sorted(effects, key=lambda effect: isinstance(effect, Persist))

    return mock.patch.object(Seat, "_submit", wrong)


def shows_before_it_stores() -> AbstractContextManager[Any]:
    receive = Seat.receive

    def wrong(seat: Seat, raw: bytes) -> Iterator[Any]:
        held = None
        for effect in receive(seat, raw):
            if isinstance(effect, Persist):
                held = effect
                continue
            yield effect
            if held is not None:
                yield held
                held = None

    return mock.patch.object(Seat, "receive", wrong)


def never_syncs() -> AbstractContextManager[Any]:
    return mock.patch.object(files, "sync")


def never_stores_seeds() -> AbstractContextManager[Any]:
    store = Seat._store_seed

    def wrong(seat: Seat, number: int, seed: bytes) -> Iterator[Any]:
        for effect in store(seat, number, seed):
            if not isinstance(effect, PersistSeed):
                yield effect

    return mock.patch.object(Seat, "_store_seed", wrong)


def forgets_its_log() -> AbstractContextManager[Any]:
    """Restore a seat without its last entry, so that it fills that place again."""
    restore = Seat.restore

    def wrong(seat: Seat, entries: Any, seeds: Any, **rest: Any) -> Seat:
        return restore(seat, entries[:-1] if len(entries) > 2 else entries, seeds, **rest)

    return mock.patch.object(Seat, "restore", wrong)


def signs_before_it_compares() -> AbstractContextManager[Any]:
    def wrong(seat: Seat, theirs: Any) -> Iterator[Any]:
        seat._closed = False
        seat._repeated = 0
        if compare(seat.entries, seat.table.table_id, theirs) is LogRelation.AHEAD:
            first = 0 if theirs is None else theirs.sequence + 1
            yield from map(Send, tuple(seat.entries[first:]))
        yield from seat._submit_owed()

    return mock.patch.object(Seat, "meet", wrong)


def resends_nothing() -> AbstractContextManager[Any]:
    meet = Seat.meet

    def wrong(seat: Seat, theirs: Any) -> Iterator[Any]:
        held = len(seat.entries)
        for effect in meet(seat, theirs):
            if not (isinstance(effect, Send) and effect.entry in seat.entries[:held]):
                yield effect

    return mock.patch.object(Seat, "meet", wrong)


def resends_one_too_many() -> AbstractContextManager[Any]:
    meet = Seat.meet

    def wrong(seat: Seat, theirs: Any) -> Iterator[Any]:
        standing = compare(seat.entries, seat.table.table_id, theirs)
        if theirs is not None and standing is LogRelation.AHEAD:
            yield Send(seat.entries[theirs.sequence])
        yield from meet(seat, theirs)

    return mock.patch.object(Seat, "meet", wrong)


def does_not_cut_torn_tails() -> AbstractContextManager[Any]:
    return mock.patch.object(files, "truncate")


def tells_the_cut_at_once() -> AbstractContextManager[Any]:
    """Have the host commit to its half of the cut by revealing it."""
    owed = Seat._owed_message

    def wrong(seat: Seat) -> m.Message:
        message = owed(seat)
        return m.CutCommit(seat._cut_half()) if isinstance(message, m.CutCommit) else message

    return mock.patch.object(Seat, "_owed_message", wrong)


def commits_to_a_seed_by_its_bytes() -> AbstractContextManager[Any]:
    def wrong(table: bytes, hand: int, seat: int, seed: bytes) -> bytes:
        return seed

    return mock.patch.object(prover, "seed_commitment", wrong)


def draws_nonces_from_the_secret_alone() -> AbstractContextManager[Any]:
    def wrong(nonces: Nonces, secret: bytes, statement: Any) -> None:
        nonces._key = hashlib.sha512(secret).digest()
        nonces._calls = 0

    return mock.patch.object(Nonces, "__init__", wrong)


def lets_faults_of_the_store_escape() -> AbstractContextManager[Any]:
    stack = ExitStack()
    for guarded, name in ((Session, "guard"), (PeerConnection, "_guarded")):
        stack.enter_context(mock.patch.object(guarded, name, lambda _, call, *args: call(*args)))
    return stack


def leaves_timers_running() -> AbstractContextManager[Any]:
    lost = PeerConnection.connectionLost

    def wrong(connection: PeerConnection, *reason: Any) -> None:
        pinger, connection._pinger = connection._pinger, None
        deadline, connection._deadline = connection._deadline, None
        lost(connection, *reason)
        connection._pinger, connection._deadline = pinger, deadline

    return mock.patch.object(PeerConnection, "connectionLost", wrong)


def goes_on_after_a_failed_write() -> AbstractContextManager[Any]:
    append = Journal.append

    def wrong(journal: Journal, entry: bytes) -> None:
        try:
            append(journal, entry)
        except Exception:
            journal.entries.append(entry)

    return mock.patch.object(Journal, "append", wrong)


# --- mutants that only several matches in a row can expose


def accepts_for_its_player() -> AbstractContextManager[Any]:
    make = Seat.__init__

    def wrong(self: Seat, **rest: Any) -> None:
        make(self, **{**rest, "consents": True})

    return mock.patch.object(Seat, "__init__", wrong)


def offers_another_match_unasked() -> AbstractContextManager[Any]:
    return mock.patch.object(TableKeeper, "_holds_offer", return_value=False)


def derives_hand_seeds_from_the_hand_alone() -> AbstractContextManager[Any]:
    def wrong(seat: Seat, hand: int, head: bytes) -> bytes:
        return hashlib.sha256(seat._identity.public + bytes([hand])).digest()

    return mock.patch.object(Seat, "_hand_seed", wrong)


def forgets_the_match_that_is_not_over() -> AbstractContextManager[Any]:
    find = TableKeeper._matches_with

    def wrong(keeper: TableKeeper, *who: Any) -> Any:
        return iter(()) if keeper._role == "host" else find(keeper, *who)

    return mock.patch.object(TableKeeper, "_matches_with", wrong)


def clears_the_log_from_the_table() -> AbstractContextManager[Any]:
    """Throw away the finished match's log along with its cards."""
    expect = TableKeeper.expect_new_match

    def wrong(keeper: TableKeeper) -> None:
        journal = keeper.stored
        expect(keeper)
        if journal is not None:
            files.unlink(journal.path)

    return mock.patch.object(TableKeeper, "expect_new_match", wrong)


EVENING_MUTANTS: dict[Mutant, int] = {
    accepts_for_its_player: 0,
    offers_another_match_unasked: 0,
    derives_hand_seeds_from_the_hand_alone: 0,
    forgets_the_match_that_is_not_over: 8,
    clears_the_log_from_the_table: 0,
}
"""The first seed with which to look for each mutant."""


# --- mutants that only a moving host can expose


def looks_only_where_it_was() -> AbstractContextManager[Any]:
    return mock.patch.object(Reconnector, "_newest", lambda reconnector: reconnector.invite)


def does_not_store_where_the_host_is() -> AbstractContextManager[Any]:
    return mock.patch.object(KnownPeers, "note_addresses")


def keeps_every_address_that_a_peer_names() -> AbstractContextManager[Any]:
    return mock.patch.object(session, "addresses_to_keep", lambda told, met_at: told)


def dials_every_address_that_a_peer_names() -> AbstractContextManager[Any]:
    stack = ExitStack()
    for module in (own_addresses, connector):
        stack.enter_context(mock.patch.object(module, "may_be_dialled", return_value=True))
    # With this, the stored addresses aren't looked at.
    fits = mock.patch.object(MovingObserver, "on_addresses")
    stack.enter_context(fits)
    return stack


MOVING_MUTANTS: dict[Mutant, int] = {
    looks_only_where_it_was: 24,
    does_not_store_where_the_host_is: 0,
    keeps_every_address_that_a_peer_names: 0,
    dials_every_address_that_a_peer_names: 0,
}
"""The first seed with which to look for each mutant."""


# --- mutants that only two sides that both dial can expose


def leaves_the_guests_port_open() -> AbstractContextManager[Any]:
    return mock.patch.object(Port, "stopListening")


def dials_on_when_the_guest_is_there() -> AbstractContextManager[Any]:
    admitted = Acceptor.admitted

    def wrong(acceptor: Acceptor, *what: Any) -> None:
        dialling, acceptor._dialling = acceptor._dialling, None
        admitted(acceptor, *what)
        acceptor._dialling = dialling

    return mock.patch.object(Acceptor, "admitted", wrong)


def dials_where_a_guest_came_from() -> AbstractContextManager[Any]:
    """Make the host dial the address a connection came from, as if the guest listened there."""
    closed = Acceptor.closed

    def wrong(acceptor: Acceptor, connection: Any, *, admitted: bool) -> None:
        if admitted:
            acceptor.dial([Address(connection.address.host, connection.address.port)])
        closed(acceptor, connection, admitted=admitted)

    return mock.patch.object(Acceptor, "closed", wrong)


PUNCHING_MUTANTS: dict[Mutant, int] = {
    leaves_the_guests_port_open: 0,
    dials_on_when_the_guest_is_there: 0,
    dials_where_a_guest_came_from: 0,
}
"""The first seed with which to look for each mutant."""


# --- mutants that only a peer that sends old entries can expose


def draws_a_lost_match_seed_again() -> AbstractContextManager[Any]:
    prepare = Seat._prepare_seeds

    def wrong(seat: Seat) -> Iterator[Any]:
        if MATCH_SEED not in seat._seeds:
            yield from seat._store_seed(MATCH_SEED, seat._rng(SEED_BYTES))
        yield from prepare(seat)

    return mock.patch.object(Seat, "_prepare_seeds", wrong)


FORGETTING_MUTANTS: dict[Mutant, int] = {draws_a_lost_match_seed_again: 7}
"""The first seed with which to look for each mutant."""


# The kind of match that each mutant needs, and the first seed with which to look for it.
MUTANTS: dict[Mutant, tuple[str, int]] = {
    sends_before_it_stores: ("honest", 0),
    shows_before_it_stores: ("honest", 0),
    never_syncs: ("honest", 0),
    never_stores_seeds: ("honest", 0),
    forgets_its_log: ("honest", 3),
    signs_before_it_compares: ("old copy", 30),
    resends_nothing: ("honest", 3),
    resends_one_too_many: ("honest", 3),
    does_not_cut_torn_tails: ("honest", 360),
    tells_the_cut_at_once: ("honest", 0),
    commits_to_a_seed_by_its_bytes: ("honest", 0),
    draws_nonces_from_the_secret_alone: ("honest", 0),
    lets_faults_of_the_store_escape: ("honest", 0),
    leaves_timers_running: ("honest", 0),
    goes_on_after_a_failed_write: ("honest", 20),
}
