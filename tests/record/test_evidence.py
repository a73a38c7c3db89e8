"""Evidence: what a log proves against a player, in which section, and that nobody can forge it.

In these tests, the accuser has their own key, every byte that the accused ever signed, and any
program they like. The accused is honest. Whatever the accuser combines, the accused is never
convicted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from ginpeer.record import describe_message
from ginpeer.referee.referee import Referee, judge
from ginpeer.referee.table import GUEST, HOST, Table
from ginpeer.referee.transitions import MalformedEntry, RefusedEntry, Violation
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import MATCH_SEED
from ginpeer.store.log import message_in, read_log
from protocol import messages as m
from protocol.codes import CONVICTING_SECTIONS
from protocol.crypto.hashing import SEED_BYTES, frame
from protocol.entry import RawEntry
from tests.cheating.cheat import Cheat, RecordedMatch, catch_up, record, seated, steady
from tests.document.test_document import table_headed
from tests.matches.golden_logs import EVIDENCE, FOLDER
from tests.matches.table_pair import TablePair, seeded_rng
from tests.seat.support import new_seat

pytestmark = pytest.mark.usefixtures("in_the_toy_group")

DOCUMENT = (Path(__file__).parents[2] / "proto" / "PROTOCOL.md").read_text("utf-8")
RULES = parse_ruleset("standard first-dealer=host target=1")


# --- the description of evidence ----------------------------------------------------------


def test_every_entry_can_be_described_in_words():
    match = next(other_matches(1))
    kinds = {type(step.message): describe_message(step.message) for step in match.steps}
    assert all(text.isprintable() and 0 < len(text) < 200 for text in kinds.values())
    assert kinds[m.DealShuffle] == "deal shuffle"
    assert re.fullmatch(r"discard [2-9TJQKA][cdhs]", kinds[m.Discard])
    assert "knock, cards " in kinds[m.Knock]
    assert ", winner " in kinds[m.Settle]
    # The description leaves out the seed, although the log contains it: people share error reports
    # more readily than logs.
    assert kinds[m.Disclose] == "disclose 1 seed"


def log_entries(name):
    return read_log(FOLDER / f"{name}.ginlog").entries


def sections() -> dict[str, str]:
    """Return the numbered paragraphs of the document."""
    parts = re.split(r"\n\n(\d+\.\d+) ", DOCUMENT)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_named_sections_mention_the_code():
    known = sections()
    for code, named in CONVICTING_SECTIONS.items():
        numbers = re.findall(r"\d+\.\d+", named)
        assert numbers, code
        assert any(f"`{code}`" in known[number] for number in numbers), code
        assert set(numbers) <= set(known)


def test_every_code_that_convicts_has_its_section():
    """These are all codes of 7.1 that convict somebody, and all codes of the rules."""
    known = sections()
    judging = ("7.1", "8.2", "8.3", "8.4", "8.5", "8.6", "8.11")
    words = {word for number in judging for word in re.findall(r"`([a-z-]+)`", known[number])}
    codes = {word for word in words if "-" in word} | {"malformed", "fork"}
    parameters = {
        word for row in table_headed("parameter") for word in re.findall("[a-z-]+", str(row))
    }
    nobody = {
        *("not-an-entry", "bad-signature", "too-new", "bad-public-key", "wrong-table"),
        *("wrong-sequence", "rules-unsupported"),
    }
    assert nobody <= codes
    assert codes - nobody - parameters == set(CONVICTING_SECTIONS)


# --- what an accuser can do -----------------------------------------------------------------
#
# Ada accuses Ben, who has always played honestly. He has lost his folder more than once, but not
# his key.


@cache
def first() -> RecordedMatch:
    """Return the match whose log Ben has lost. Ada was its host."""
    return next(
        match
        for match in (record(f"accused {n}", RULES) for n in range(50))
        if len(match) < 32 and match.has(m.Discard)
    )


def offered_again(offer: bytes, rng: str) -> RecordedMatch:
    """Send this offer to Ben, who remembers nothing, and play the match."""
    seeds = {MATCH_SEED: seeded_rng(f"{rng} seed")(SEED_BYTES)}
    host = new_seat(first(), HOST, f"{rng} host").restore([offer], seeds)
    pair = seated(host, new_seat(first(), GUEST, f"{rng} guest", consents=True))
    catch_up(pair)
    pair.identities = first().identities
    pair.play(steady)
    assert pair.host.seat.table.finished
    return replayed(pair)


def replayed(pair: TablePair) -> RecordedMatch:
    """Return the match as the referee sees it."""
    referee = Referee()
    steps = tuple(referee.admit(raw) for raw in pair.host.seat.entries)
    entries = tuple(pair.host.seat.entries)
    return RecordedMatch(pair.identities, ({}, {}), entries, steps)


def other_matches(count: int | None = None) -> Iterator[RecordedMatch]:
    """Yield the other matches that Ben has signed and Ada could use."""
    mine = first().cheat(HOST)
    offer, table_id = first().steps[0].message, first().table_at(1).table_id
    made = (
        lambda: first(),
        # The same offer again.
        lambda: offered_again(first().entries[0], "again"),
        # A different offer with the same table.
        lambda: offered_again(
            mine.sign(Table(), replace(offer, nonce=bytes(range(32))), table=table_id), "same table"
        ),
        # Other matches, hosted by Ada and by Ben.
        lambda: replayed(TablePair("elsewhere", RULES, identities=first().identities).play(steady)),
        lambda: replayed(
            TablePair(
                "visit", RULES, identities=first().identities[::-1], names=("Ben", "Ada")
            ).play(steady)
        ),
        # An offer with the id of the table that Ben hosted.
        lambda: offered_again(
            mine.sign(Table(), replace(offer, nonce=bytes(32)), table=visited().table_id), "taken"
        ),
    )
    for make in made[:count]:
        yield cached(made.index(make), make)


_MADE: dict[int, RecordedMatch] = {}


def cached(number, make):
    if number not in _MADE:
        _MADE[number] = make()
    return _MADE[number]


def visited() -> Table:
    """Return the table at the end of the match that Ben hosted."""
    match = list(other_matches(5))[4]
    return match.table_at(len(match))


def signed_by_ben() -> list[bytes]:
    """Return every entry that Ben ever signed."""
    key = first().identities[GUEST].public
    return [
        raw
        for match in other_matches()
        for step, raw in zip(match.steps, match.entries, strict=True)
        if step.after.keys[step.author] == key
    ]


def convicted(referee: Referee, raw: bytes) -> bytes | None:
    """Return the key that this entry convicts, or None. The referee's state doesn't change."""
    table, entries = referee.table, list(referee.entries)
    try:
        referee.admit(raw)
    except Violation as error:
        return table.keys[error.seat] or b"a newcomer"
    except RefusedEntry:
        return None
    referee.table, referee.entries = table, entries
    return None


def test_nothing_that_an_honest_player_signed_convicts_it_anywhere():
    """Try every entry of Ben's after every fifth entry of every match that he ever played."""
    everything, tried = signed_by_ben(), 0
    assert len(everything) > 60
    assert len({match.table_at(1).table_id for match in other_matches()}) == 3
    for match in other_matches():
        for k in range(1, len(match) + 1, 5):
            referee = match.referee_at(k)
            for raw in everything:
                if raw not in match.entries[:k]:
                    assert convicted(referee, raw) is None
                    tried += 1
    assert tried > 2000


@pytest.mark.parametrize("first_of_them", range(4))
@pytest.mark.deep(keep=1)
def test_nothing_an_honest_player_signed_convicts_it_on_another_history(
    first_of_them,
):
    """Instead of one of her entries, Ada resigns or signs the message with other contents. Ben's
    entries follow."""
    everything = signed_by_ben()
    for match in other_matches():
        seat = match.table_at(len(match)).keys.index(first().identities[HOST].public)
        ada = Cheat(seat, first().identities[HOST], {})
        for k in range(1, len(match)):
            if match.steps[k].author != seat:
                continue
            for message in (m.Resign(), *otherwise(match.steps[k].message)):
                referee = match.referee_at(k)
                if convicted(referee, raw := ada.sign(match.table_at(k), message)):
                    continue
                with suppress(MalformedEntry):
                    referee.admit(raw)
                for raw in everything[first_of_them::4]:
                    assert convicted(referee, raw) is None


def otherwise(message: m.Message) -> Iterator[m.Message]:
    """Yield messages that Ada could sign instead of this one."""
    match message:
        case m.Accept():
            yield replace(message, nonce=bytes(32))
        case m.DealCommit():
            yield replace(message, commitment=bytes(range(32)))
        case m.TakeUpcard() | m.Pass():
            yield m.Pass()
            yield m.TakeUpcard()
        case m.DrawStock():
            yield m.TakeUpcard()


@pytest.mark.parametrize("label", ["ginpeer/v2", "ginpeer/v", "ginpeer/v11"])
def test_an_entry_of_a_later_version_convicts_nobody(label):
    """The body isn't canonical here, nor signed under this version's label (PROTOCOL 7.4)."""
    match = first()
    k = match.find(m.DealKey)
    body = RawEntry.split(match.entries[k]).unverified_body + b"\xf8\x07\x01"
    guest = match.identities[GUEST]
    with pytest.raises(MalformedEntry):
        match.referee_at(k).admit(body + guest.sign(frame(label, b"entry") + body))
    with pytest.raises(Violation):
        match.referee_at(k).admit(body + guest.sign(frame("ginpeer/v1", b"entry") + body))


@pytest.mark.parametrize("name", EVIDENCE)
@pytest.mark.deep(keep=10)
def test_evidence_needs_all_of_its_history(name):
    """Evidence accuses nobody if its history is shortened, or if an earlier entry is missing or
    changed. Only a body that no honest program ever signs convicts on any history."""
    entries = log_entries(name)
    conviction, code = judge(entries).conviction, judge(entries).code
    assert conviction is not None
    if code in ("malformed", "not-canonical"):
        verdict = judge([*entries[:2], conviction.entry])
        assert (verdict.code, verdict.culprit) == (code, conviction.seat)
        return
    for k in range(min(conviction.place, 4)):
        assert judge(entries[:k]).culprit is None
        assert judge([*entries[:k], *entries[k + 1 :]]).culprit is None
        changed = bytearray(entries[k])
        changed[-1] ^= 0x40
        assert judge([*entries[:k], bytes(changed), *entries[k + 1 :]]).culprit is None


@pytest.mark.parametrize("raw", [b"", b"\0", bytes(96), b"no entry at all" * 10])
def test_bytes_that_are_not_an_entry_have_no_message(raw):
    assert message_in(raw) is None
