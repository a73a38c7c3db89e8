"""A signed log as an object. The referee judges it, and you can walk through it hand by hand.

Rule 1: the referee alone gives the verdict (ginpeer.referee.referee). This module passes it all
        entries of a file, and judges nothing itself.
Rule 2: the first fault decides. A damaged length makes the rest unreadable, but the entries
        before it stay valid.
Rule 3: a cached verdict applies only to the very file that was judged. The file's stamp is taken
        before the file is read, so a changed file has a different stamp. The cache is this
        machine's note for its own player (ginpeer.store.log_index) and proves nothing; ginpeer
        verify judges the log again each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from ginpeer.names import safe
from ginpeer.notation import Sheet
from ginpeer.record.steps import (
    BOTH_SEATS,
    AdmittedEntries,
    Degree,
    KnownCards,
    RecordedHand,
    Step,
    Steps,
    step_of,
)
from ginpeer.record.typed_match import TypedMatch
from ginpeer.record.verdict_document import Player, Score, verdict_document
from ginpeer.referee.referee import Admitted, Finding, Verdict, cut_short, judge
from ginpeer.referee.table import Table
from ginpeer.rules.cards import check_seat
from ginpeer.rules.match import Match
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.rules.score import HandResult
from ginpeer.store import (
    Home,
    LogInput,
    LogReader,
    LogSource,
    NotationFile,
    StoreError,
    UnreadableLog,
)

Progress = Callable[[int, int, int], None]
"""Called once for each proven entry, in order, with the entry's number (from 0), the offset of its
end in the log, and the length of the log in bytes. The calls come in groups. If the seeds are
disclosed after the match, the first one may come only once the whole log has been read."""


def judge_log(
    log: LogReader, progress: Progress | None = None, watch: list[Admitted] | None = None
) -> Verdict:
    """Judge an open log up to the first invalid entry. Append every valid entry to *watch*.

    Raises UnreadableLog if not even one entry can be read.
    """
    ends: list[int] = []

    def entries() -> Iterator[bytes]:
        for entry in log:
            ends.append(log.good_end)
            yield entry

    def on_proven(admitted: Admitted) -> None:
        if progress is not None:
            progress(admitted.sequence, ends[admitted.sequence], log.size)
        if watch is not None:
            watch.append(admitted)

    verdict = judge(entries(), on_proven)
    if verdict.finding in (Finding.FORGED, Finding.UNREADABLE):
        return verdict
    if log.fault is not None:
        if not verdict.entries:
            raise log.fault
        return cut_short(verdict, Finding.UNREADABLE, log.fault.code, log.fault.sentence)
    if not log.torn:
        return verdict
    finding = Finding.FORGED if verdict.table.finished else Finding.INCOMPLETE
    sentence = f"The file ends with {log.torn} bytes of an incomplete entry {verdict.entries}."
    return cut_short(verdict, finding, "torn", sentence)


def unreadable_verdict(code: str, sentence: str, entry: int | None = None) -> Verdict:
    """Return a verdict on a file that isn't a log; *entry* is the record at fault, if any."""
    return Verdict(Finding.UNREADABLE, Table(), 0, code, sentence, entry)


class Record:
    """A log of a match. It is judged when you first use an attribute that needs the verdict. That
    takes seconds for a match and minutes for the longest log, and raises UnreadableLog if the file
    has disappeared.

    The valid entries prove every attribute that isn't documented as a claim. A log that breaks off
    or lies raises no error: the entries before that point are still proven."""

    def __init__(self, source: LogSource, *, seeds: Mapping[int, bytes] | None = None) -> None:
        """Take a source without reading it. For a path, use ``read``."""
        if not isinstance(source, LogSource):
            raise TypeError(
                f"a Record needs a LogSource, not {type(source).__name__}; Record.read takes a "
                "path or bytes"
            )
        self._judgement = _Judgement(source)
        self._seeds: Mapping[int, bytes] = dict(seeds or {})
        self._seats = BOTH_SEATS

    @classmethod
    def read(cls, source: LogInput, *, seeds: Mapping[int, bytes] | None = None) -> Record:
        """Read a log from a path or bytes, without judging it.

        *seeds* are one player's own hand seeds of 32 bytes, by hand number; seeds that don't fit
        the log are ignored. This also reads a match that somebody typed (ginpeer.notation). Its
        verdict has the code unproven, because nobody signed it.

        Raises UnreadableLog, with a ``code`` and a ``sentence``, if there is no such log, if not
        even one entry can be read, or if a typed match breaks the rules.
        """
        given = LogSource.of(source)
        try:
            with given.opened() as log:
                next(iter(log), None)
                if log.fault is not None:
                    raise log.fault
        except NotationFile as noted:
            TypedMatch.of(noted)
        return cls(given, seeds=seeds)

    def judge(self, progress: Progress | None = None, *, steps: bool = True) -> Verdict:
        """Return the referee's verdict. Judge the log now unless it has been judged before.

        *progress* is called once for each proven entry. Without *steps*, the record keeps less in
        memory, but using ``steps`` or ``hands`` later judges the log again. If the log has changed
        by then, that raises UnreadableLog with the code log-changed.
        """
        return self._judgement.verdict(progress, steps=steps)

    # --- which cards are known -----------------------------------------------------------

    def with_seeds(self, seeds: Mapping[int, bytes]) -> Record:
        """Return the same record, using only these hand seeds of one player."""
        return self._like(seeds, self._seats)

    def with_home(self, home: Home) -> Record:
        """Return the same record, also using the seeds that this home stores for its table. Seeds
        that the record already has take precedence."""
        table_id = self.table.table_id
        try:
            kept = home.seeds(table_id) if table_id else {}
        except StoreError:
            kept = {}
        return self._like({**kept, **self._seeds}, self._seats)

    def seen_by(self, seat: int) -> Record:
        """Return the same record as this player saw the match: without the other seat's seeds.
        Seeds that were already left out stay out, so calling this for both seats leaves none.

        This is only a view: ``table`` and the messages of the steps still contain disclosed seeds.
        Raises ginpeer.rules.Unreadable for an invalid seat.
        """
        return self._like(self._seeds, self._seats & {check_seat(seat)})

    def _like(self, seeds: Mapping[int, bytes], seats: frozenset[int]) -> Record:
        other = Record(self._judgement.source, seeds=seeds)
        other._judgement, other._seats = self._judgement, seats
        return other

    @cached_property
    def known_cards(self) -> KnownCards:
        """The known seeds, and the cards that they reveal."""
        typed = self._judgement.typed_match()
        if typed is None:
            return KnownCards(self.table, self._seeds, self._seats)
        return typed.known_cards(self._seats)

    def degree(self, hand: int, seat: int) -> Degree:
        """Return how this seat's cards in this hand are known, as ``RecordedHand.degree`` does.
        Raises LookupError if there is no such hand."""
        return self.known_cards.degree(hand, seat)

    # --- the match -----------------------------------------------------------------------

    @property
    def typed(self) -> Sheet | None:
        """The match that somebody typed, none of which is proven; None if this is a log."""
        typed = self._judgement.typed_match()
        return None if typed is None else typed.sheet

    def line_of(self, entry: int) -> int | None:
        """Return the line in which this entry's move was typed, counted from 1; None in a log."""
        typed = self._judgement.typed_match()
        return None if typed is None else typed.lines.get(entry)

    @property
    def name(self) -> str:
        """The name of the log: its path, ``<bytes>`` or ``<file>``."""
        return self._judgement.source.name

    @property
    def page(self) -> bytes | None:
        """The page from which the log was read, with the very bytes that were judged; None if it
        wasn't read from a page. The verdict covers only the log, and nothing else in the page."""
        self.judge()
        return self._judgement.page

    def log(self) -> bytes:
        """Return the log itself, taken out of the page if it was read from one. Any other file is
        read again, and may have changed. Raises UnreadableLog."""
        page = self._judgement.page
        source = self._judgement.source if page is None else LogSource(self.name, page)
        return source.snapshot().data or b""

    @property
    def verdict(self) -> Verdict:
        return self.judge()

    @property
    def table(self) -> Table:
        """The public state of the match after the last valid entry."""
        return self.verdict.table

    @property
    def players(self) -> tuple[Player, Player]:
        """Host and guest. Each key is proven; each name is only a claim."""
        return Player.of(self.table, 0), Player.of(self.table, 1)

    @property
    def rules(self) -> RuleSet | None:
        """The rules; None until the host has offered some."""
        offer, match = self.table.offer, self.table.match
        if offer is None:
            return None if match is None else match.rules
        return parse_ruleset(offer.rules)

    @property
    def started(self) -> int | None:
        """When the match began, in seconds since 1970. The host's own clock claims this, so it can
        be any number of 53 bits. None without an offer."""
        offer = self.table.offer
        return None if offer is None else offer.started

    @property
    def match(self) -> Match | None:
        """The match with its games and settlement; None before it is known who deals first."""
        return self.table.match

    @property
    def results(self) -> tuple[HandResult, ...]:
        """The results of the finished hands, in order."""
        return () if self.match is None else self.match.results

    @property
    def score(self) -> Score | None:
        """The score so far; None before the match has begun."""
        return None if self.match is None else Score.of(self.match)

    @property
    def winner(self) -> int | None:
        """The seat that has won; None during play, if nobody won, or if the log has a fault."""
        sound = self.verdict.finding in (Finding.VALID, Finding.INCOMPLETE)
        return self.match.winner if self.match is not None and sound else None

    def document(self) -> dict[str, Any]:
        """Return what ``ginpeer verify --json`` prints (proto/verdict.schema.json)."""
        return verdict_document(self.verdict)

    # --- step by step --------------------------------------------------------------------

    @cached_property
    def steps(self) -> Steps:
        """All steps from the offer to the last valid entry. A draw with its share is one step."""
        return Steps(self._judgement.trace(), self.known_cards)

    def step_of(self, entry: int) -> Step:
        """Return the step with this entry; a share is in its draw's step. Raises LookupError."""
        return step_of(self._judgement.trace(), self.known_cards, entry)

    @cached_property
    def hands(self) -> tuple[RecordedHand, ...]:
        """The hands, including an unfinished last one."""
        match = self.match
        if match is None:
            return ()
        return tuple(
            RecordedHand.of(steps, number, match, self.known_cards)
            for number, steps in self.steps.in_hands()
        )

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __repr__(self) -> str:
        found = self._judgement.found
        said = "not judged yet" if found is None else f"{found.word}, {found.entries} valid entries"
        return f"<Record {safe(self.name)}: {said}>"


def start_time(seconds: int) -> str:
    """Return the start time that the host claimed, as text. It can be any 53-bit number."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return f"{seconds} seconds after 1970"


class _Judgement:
    """The verdict on one log, shared by all records of it, so that it is judged only once."""

    def __init__(self, source: LogSource) -> None:
        self.source = source
        self.found: Verdict | None = None
        self.page: bytes | None = None
        self._typed_match: TypedMatch | None = None
        self._trace: AdmittedEntries | None = None

    def verdict(self, progress: Progress | None, *, steps: bool) -> Verdict:
        """Return the verdict, which never changes. Judge the log on the first call."""
        if self.found is None:
            trace = AdmittedEntries() if steps else None
            try:
                with self.source.opened() as log:
                    self.page = log.page
                    if log.page is not None:
                        trace = AdmittedEntries()  # comparing a page needs the moves
                    self.found = judge_log(log, progress, trace)
            except NotationFile as noted:
                self._typed_match = TypedMatch.of(noted)
                self.found, trace = self._typed_match.verdict, self._typed_match.trace
            self._trace = trace
        return self.found

    def typed_match(self) -> TypedMatch | None:
        """Return the typed match; None if this is a log."""
        self.verdict(None, steps=True)
        return self._typed_match

    def trace(self) -> AdmittedEntries:
        """Return the valid entries. This may judge the log again; raises UnreadableLog if the log
        has changed."""
        found = self.verdict(None, steps=True)
        if self._trace is None:
            trace = AdmittedEntries()
            with self.source.opened() as log:
                again = judge_log(log, watch=trace)
            if _seal(again) != _seal(found):
                raise UnreadableLog(
                    "log-changed",
                    f"{safe(self.source.name, 200)} has changed since it was verified; read it "
                    "again.",
                )
            self._trace = trace
        return self._trace


def _seal(verdict: Verdict) -> tuple[Finding, str, int, bytes]:
    """Return a value that is equal only for verdicts with the same valid entries and ending."""
    return verdict.finding, verdict.code, verdict.entries, verdict.table.head


# --- cached verdicts for lists -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CachedVerdict:
    """The verdict on a stored log, kept in the home's index so that lists needn't judge it."""

    word: str  # valid, incomplete, illegal, forged or unreadable
    entries: int  # the number of valid entries, which is also the number of the first invalid one
    sentence: str

    @classmethod
    def of(cls, verdict: Verdict) -> CachedVerdict:
        return cls(verdict.word, verdict.entries, verdict.sentence)

    @property
    def has_bad_entry(self) -> bool:
        """Whether the log has an illegal or forged entry."""
        return self.word in ("illegal", "forged")
