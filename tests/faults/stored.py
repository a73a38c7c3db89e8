"""Players with real stores who share a table without a network, and checks of their stores.

`StoredPlayer` is one side as it runs: a home on the disk, the keeper that finds the match in it,
the seat, and effects performed one by one as the session performs them. `Match` drives two players
step by step. Each step is one event for one player (it starts, the peer connects, an entry arrives,
it chooses), so that a test can fail a disk or kill a process anywhere in a step, and continue from
there. `after_restart` brings two homes together again and plays to the end.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ginpeer.adviser.advise import choose
from ginpeer.match_store.matches import LoadedMatch, stored_matches
from ginpeer.match_store.table_keeper import TableKeeper
from ginpeer.referee.referee import Finding, judge
from ginpeer.rules.ruleset import RuleSet
from ginpeer.seat.seat import (
    Close,
    Effect,
    Options,
    Persist,
    PersistEvidence,
    PersistSeed,
    Seat,
    Send,
    Show,
)
from ginpeer.store import (
    Home,
    Journal,
    KnownPeers,
    StoreError,
    UnreadableLog,
    read_log,
    read_own_log,
)
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import SEEDS_HEADER, read_notes, seed_line
from protocol.crypto.identity import IdentityKey
from protocol.entry import NotAnEntry, RawEntry, sign_entry
from protocol.frames import Position
from protocol.messages import Body, CutValue, Disclosure
from tests.faults.disk import Disk, Operation, faulty
from tests.matches.table_pair import seeded_rng

HOST, GUEST = 0, 1
STARTED = 1_700_000_000
OPERATIONS_AFTER_RESTART = 100
"""How many points, before and after disk operations, a power cut may hit after a restart. They
cover the identity, the known peers, the opened journal, and some entries."""
CUTS_AFTER_RESTART = 4
ADDRESSES = ("192.0.2.1:4000", "192.0.2.2:4000")


class Broken(AssertionError):
    """Something happened that must not; the sentence says what."""


@dataclass(frozen=True)
class ConnectedPeer:
    """The connected peer, with what the keeper needs to know about it."""

    key: bytes
    address: str
    position: Position | None


@dataclass
class Told:
    """A record of what one player's machine has sent or shown, in order: (kind, bytes).

    *kind*: identity (its public key was used), met (a key was remembered), seed (one may be used
    now), send, show (an entry), evidence (its last entry). Each is recorded only after it was
    stored.
    """

    items: list[tuple[str, bytes]] = field(default_factory=list)

    def __call__(self, kind: str, data: bytes) -> None:
        self.items.append((kind, data))

    def of(self, *kinds: str) -> list[bytes]:
        return [data for kind, data in self.items if kind in kinds]


class StoredPlayer:
    """One side of a match. *tell* is called before anything leaves the machine."""

    def __init__(
        self, role: int, home: Path, seed: str, options: Options, tell: Callable[[str, bytes], None]
    ) -> None:
        self.role = role
        self.home = Home(home)
        self.tell = tell
        self.outbox: list[bytes] = []
        self.seen: list[bytes] = []  # stored by this process
        self.closed: Close | None = None
        self.seat: Seat | None = None
        self.identity: IdentityKey | None = None
        self.known: KnownPeers | None = None
        self.keeper: TableKeeper | None = None
        self._options = options
        self._rng = seeded_rng(seed)

    def start(self, only: LoadedMatch | None = None, fresh: bool = False) -> None:
        """Do what a command does when it starts."""
        self.identity = self.home.identity(self._rng)
        self.known = self.home.known_peers(lambda: STARTED)
        self.keeper = TableKeeper(
            self.home,
            "guest" if self.role else "host",
            self.identity,
            name=("Ada", "Ben")[self.role],
            options=self._options,
            rng=self._rng,
            now=lambda: STARTED,
            only=only,
            fresh=fresh,
        )
        self.tell("identity", self.identity.public)

    def meet(self, key: bytes, position: Position | None) -> None:
        """Let the other side connect."""
        address = ADDRESSES[1 - self.role]
        self.known.remember(key, address)
        self.tell("met", key)
        self.seat = self.keeper.seat_for(ConnectedPeer(key, address, position))
        self.perform(self.seat.meet(position))

    def receive(self, raw: bytes) -> None:
        self.perform(self.seat.receive(raw))

    def decide(self) -> None:
        """Accept the offer, or make the move that is owed."""
        if self.seat.offer_to_consider() is not None:
            self.perform(self.seat.accept())
        else:
            self.perform(self.seat.play(choose(self.seat.view())))

    @property
    def has_to_decide(self) -> bool:
        seat = self.seat
        return seat.owes_choice() or seat.offer_to_consider() is not None

    def perform(self, effects: Iterator[Effect]) -> None:
        journal = self.keeper
        for effect in effects:
            match effect:
                case PersistSeed(table, hand, seed):
                    journal.persist_seed(table, hand, seed)
                    self.tell("seed", seed)
                case Persist(table, entry):
                    journal.persist(table, entry)
                    self.seen.append(entry)
                case PersistEvidence(table, entries):
                    journal.persist_evidence(table, entries)
                    self.tell("evidence", entries[-1])
                case Send(entry):
                    self.tell("send", entry)
                    self.outbox.append(entry)
                case Show(event):
                    self.tell("show", self.seat.entries[event.sequence])
                case Close():
                    self.closed = effect

    def let_go(self) -> None:
        """Close the files, so that another process can open them; `take_up` opens them again."""
        if self.keeper is not None and self.keeper.stored is not None:
            self.keeper.stored.close()

    def take_up(self) -> None:
        if self.keeper is not None and self.keeper.stored is not None:
            self.keeper.stored = Journal.reopen(self.keeper.stored.path)


Step = tuple[StoredPlayer, Callable[[], None]]


class Match:
    """Two players from their first start to the end, one step at a time."""

    def __init__(self, folder: Path, seed: str, rules: RuleSet, disclosure: Disclosure) -> None:
        options = Options(rules, disclosure)
        self.seed = seed
        self.options = options
        self.told = (Told(), Told())
        for name in ("host", "guest"):
            (folder / name).mkdir(parents=True)
        self.players = tuple(
            StoredPlayer(role, folder / name / "home", f"{seed}/{name}", options, self.told[role])
            for role, name in enumerate(("host", "guest"))
        )

    def let_go(self) -> None:
        """Close the files of both players."""
        for player in self.players:
            player.let_go()

    def take_up(self) -> None:
        """Open the files of both players again."""
        for player in self.players:
            player.take_up()

    @contextlib.contextmanager
    def put_back(self, scratch: Path) -> Iterator[None]:
        """Undo afterwards whatever happens to both homes in this context."""
        with contextlib.ExitStack() as stack:
            for player in self.players:
                stack.enter_context(put_back(player.home.path, scratch))
            yield

    def steps(self) -> Iterator[Step]:
        """Yield each step as a player and a function. The caller performs the step by calling the
        function."""
        host, guest = self.players
        for player in self.players:
            yield player, player.start
        yield from meeting(host, guest)
        yield from going_on(host, guest)


def meeting(host: StoredPlayer, guest: StoredPlayer) -> Iterator[Step]:
    """Yield the steps that connect the guest to the host. Each first says where its log ends (WIRE
    9.6)."""
    guests = guest.keeper.position_for(host.identity.public, None)
    hosts = host.keeper.position_for(guest.identity.public, guests)
    other = guests is not None and hosts is not None and guests.table != hosts.table
    theirs = None if hosts is None or other else guests
    yield host, lambda: host.meet(guest.identity.public, theirs)
    yield guest, lambda: guest.meet(host.identity.public, hosts)


def going_on(host: StoredPlayer, guest: StoredPlayer) -> Iterator[Step]:
    """Yield steps that deliver entries and let each side decide, until nothing is left to do."""
    players = (host, guest)
    while True:
        for player, other in (players, players[::-1]):
            if player.outbox:
                raw = player.outbox.pop(0)
                yield other, lambda other=other, raw=raw: other.receive(raw)
                break
        else:
            player = next((one for one in players if one.has_to_decide), None)
            if player is None:
                return
            yield player, player.decide


def illegal_entry(author: StoredPlayer) -> bytes:
    """Return an entry signed by this player, who must decide: a kind of entry that no hand
    allows."""
    table = author.seat.table
    body = Body(table.table_id, table.sequence, table.head, CutValue(bytes(32)))
    return sign_entry(author.identity, body)


# --- after a failure -------------------------------------------------------------------


def logs_in(home: Path) -> dict[str, tuple[bytes, ...]]:
    """Return the entries of each readable log, by its name."""
    found = {}
    for match in Home(home).logs():
        try:
            found[match.name] = read_own_log(match.path).entries
        except UnreadableLog as why:
            if why.code not in ("empty-log", "not-a-log"):
                raise
    return found


def check_kept(home: Path, told: Told) -> None:
    """Check that everything reported before the failure is in the store. Raises Broken."""
    entries = {entry for entries in logs_in(home).values() for entry in entries}
    seeds = {seed for match in Home(home).logs() for seed in _seeds_of(home, match.path)}
    _check_kept(home, told, entries, seeds)


def check_reopens(home: Path, entries: Sequence[bytes], told: Told) -> None:
    """Do `check_kept`. Then check that each stored match either opens with exactly the entries on
    the disk, or is refused with a code, which is allowed only if nothing of it was reported. The
    entries on the disk must be the first of *entries*, which are all that this player has had.
    Raises Broken."""
    kept: set[bytes] = set()
    seeds: set[bytes] = set()
    for match in Home(home).logs():
        try:
            with Journal.reopen(match.path) as journal:
                opened = tuple(journal.entries)
                seeds.update(journal.seeds.values())
                lines = [seed_line(hand, seed) for hand, seed in journal.seeds.items()]
        except (StoreError, UnreadableLog) as why:
            if told.of("send", "show", "seed"):
                raise Broken(f"a match that was played does not open: {why.code}: {why}") from why
            continue
        if opened != tuple(entries[: len(opened)]):
            raise Broken("what is stored is not what was signed")
        if match.path.read_bytes() != log_bytes(opened):
            raise Broken("the log that was opened is not what it was opened as")
        if match.path.with_suffix(".seeds").read_bytes() != b"".join((SEEDS_HEADER, *lines)):
            raise Broken("the seeds that were opened are not what they were opened as")
        kept.update(opened)
    _check_kept(home, told, kept, seeds)


def _check_kept(home: Path, told: Told, entries: set[bytes], seeds: set[bytes]) -> None:
    for kind in ("send", "show"):
        if not entries.issuperset(told.of(kind)):
            raise Broken(f"an entry was lost after {kind}")
    if not seeds.issuperset(told.of("seed")):
        raise Broken("a seed was lost")
    for key in told.of("identity"):
        stored = Home(home).identity(_no_more_randomness)
        if stored.public != key:
            raise Broken("another identity is stored than was used")
    for key in told.of("met"):
        if Home(home).known_peers(lambda: STARTED).peer(key) is None:
            raise Broken("a key that was met is forgotten")
    for entry in told.of("evidence"):
        files = [p for m in Home(home).logs() for p in Home(home).evidence_beside(m.path)]
        if not any(read_log(path).entries[-1] == entry for path in files):
            raise Broken("evidence was lost")


def _seeds_of(home: Path, log: Path) -> Iterable[bytes]:
    notes = read_notes(log)
    return () if notes is None else Home(home).seeds(notes.table).values()


def _no_more_randomness(length: int) -> bytes:
    raise Broken("the identity that was used is not stored")


@dataclass
class Restarted:
    """How a resumed match ended."""

    players: tuple[StoredPlayer, StoredPlayer]
    told: tuple[Told, Told]


def after_restart(
    homes: tuple[Path, Path],
    match: Match,
    seed: str,
    *,
    live: Seat | None = None,
    alive: int = GUEST,
    chooses: bool = False,
    told: tuple[Told, Told] | None = None,
) -> Restarted:
    """Restart both on these homes and play to the end. Raises Broken if they don't get there.

    *live*: the seat of the player whose process wasn't stopped; *alive* says which one. *chooses*:
    a player whose store has a match asks for it (`resume`) instead of any match in progress.
    *told*: collects the reports, for a caller that watches meanwhile.
    """
    told = (Told(), Told()) if told is None else told
    names = (f"{seed}/host", f"{seed}/guest")
    players = tuple(
        StoredPlayer(role, homes[role], names[role], match.options, told[role])
        for role in (HOST, GUEST)
    )
    for player in players:
        latest = next(stored_matches(player.home), None) if chooses else None
        player.start(only=latest)
    if live is not None:
        players[alive].keeper.live = live
    try:
        for _, act in meeting(*players):
            act()
        for _, act in going_on(*players):
            act()
        check_finished(players)
    finally:
        for player in players:
            player.keeper.close()
    return Restarted(players, told)


def restart_without_reboot(
    match: Match, role: int, disk: Disk, told: Told, rng: random.Random, live: Seat | None = None
) -> tuple[Told, Told]:
    """Continue to the end with the homes as they are; return what both reported meanwhile. The disk
    of one player, who has reported *told*, has failed and works again, without a restart of the
    machine, so data that a sync has dropped can still be read. Also raises Broken if a power cut at
    some of the first operations loses something reported. *live*: the seat of the other player."""
    home = match.players[role].home.path
    homes = (match.players[HOST].home.path, match.players[GUEST].home.path)
    more = (Told(), Told())
    points = iter(range(1_000_000))
    chosen = set(rng.sample(range(OPERATIONS_AFTER_RESTART), CUTS_AFTER_RESTART))

    def cut(operation: Operation) -> None:
        if next(points) not in chosen:
            return
        with tempfile.TemporaryDirectory(dir=disk.folder.parent) as scratch:
            image = disk.crash(rng, Path(scratch, "image")) / home.name
            try:
                check_kept(image, told)
                check_kept(image, more[role])
            except (Broken, StoreError, UnreadableLog) as why:
                at = f"at {operation.kind} {operation.path.name} after a restart without reboot"
                raise Broken(f"{why}, {at}") from why

    check_kept(home, told)
    with faulty(disk):
        disk.before = disk.after = cut
        seed = f"{match.seed}/again {rng.random()}"
        after_restart(homes, match, seed, live=live, alive=1 - role, told=more)
        disk.before = disk.after = None
    check_kept(home, told)
    return more


def check_finished(players: tuple[StoredPlayer, StoredPlayer]) -> None:
    """Check that both players have the same complete, valid match in memory and on the disk. Raises
    Broken."""
    host, guest = players
    if not (host.seat.table.finished and guest.seat.table.finished):
        ends = [player.closed for player in players]
        raise Broken(f"the match does not come to its end: {ends}, {host.seat.table.awaiting}")
    logs = [tuple(read_log(player.keeper.stored.path).entries) for player in players]
    if logs[HOST] != logs[GUEST] or logs[HOST] != tuple(host.seat.entries):
        raise Broken("the two logs differ")
    verdict = judge(logs[HOST])
    if verdict.finding is not Finding.VALID:
        raise Broken(f"the log is {verdict.finding.name}: {verdict.sentence}")


def check_signed_once(entries: list[bytes]) -> None:
    """Check that no two different signed entries have the same author and place."""
    found: dict[object, bytes] = {}
    for raw in entries:
        body = _body(raw)
        if body is None:
            continue
        place = (body.table, body.sequence)
        if found.setdefault(place, raw) != raw:
            raise Broken(f"two entries were signed for place {body.sequence}")


def _body(raw: bytes) -> Body | None:
    try:
        return RawEntry.split(raw).decode()
    except NotAnEntry:
        return None


def some(rng: random.Random, items: list[bytes]) -> list[bytes]:
    """Return the first few items, as a network may have delivered before it was cut."""
    return items[: rng.randint(0, len(items))]


@contextlib.contextmanager
def put_back(home, scratch):
    """Undo afterwards whatever happens to this home in this context."""
    copy = Path(scratch, f"saved-{home.parent.name}")
    if home.exists():
        shutil.copytree(home, copy)
    try:
        yield
    finally:
        if home.exists():
            shutil.rmtree(home)
        if copy.exists():
            copy.rename(home)
