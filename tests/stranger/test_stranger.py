"""The referee and a verifier that was written from PROTOCOL.md alone come to the same verdict."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ginpeer.referee.referee import judge as judge_entries
from ginpeer.store.log import log_bytes
from protocol import messages as m
from protocol.crypto.identity import BadSignature, IdentityKey, verify_signature
from tests.crypto.vectors import vectors
from tests.stranger import group, wire
from tests.stranger.compared import Compared, referee_judges, signed

LOG = Compared("one-hand")
ENTRIES, BODIES = LOG.entries, LOG.bodies
STRANGER = IdentityKey(bytes(32))  # somebody else


# --- the log as it is, cut, damaged, in another order ------------------------------------


def test_a_log_is_valid_for_whoever_has_only_the_document() -> None:
    verdict = judge_entries(ENTRIES)
    command = [sys.executable, "-m", "tests.stranger", str(LOG.path)]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=True, cwd=LOG.path.parents[3]
    )
    stranger = json.loads(run.stdout)
    assert stranger["verdict"] == verdict.finding.name.lower() == "valid"
    assert verdict.table.match is not None
    settlement = verdict.table.match.settlement()
    assert tuple(stranger["totals"]) == settlement.totals
    assert stranger["winner"] == settlement.winner


def test_both_find_a_log_cut_after_any_entry_incomplete(tmp_path: Path) -> None:
    for k in range(len(ENTRIES)):
        cut = log_bytes(ENTRIES[:k])
        outcome = LOG.stranger_judges(cut)
        assert outcome == referee_judges(cut, tmp_path / "cut")
        assert outcome[:2] == ("incomplete", None)


def test_both_say_the_same_of_a_file_that_ends_anywhere(tmp_path: Path) -> None:
    data, rng = LOG.path.read_bytes(), random.Random("torn")
    ends = [0, 1, 7, 9, 11, 12, len(data) - 1, *rng.sample(range(len(data)), 6)]
    tails = [b"\0", bytes(3), bytes(4), bytes(70), b"\0\0\0\x40", b"\0\2\0\1" + bytes(9)]
    tails += [bytes(4) + b"1", b"\0\0\0\5" + b"12345", b"\xff" * 20]
    for damaged in [*(data[:end] for end in ends), *(data + tail for tail in tails)]:
        outcome = LOG.stranger_judges(damaged)
        assert outcome == referee_judges(damaged, tmp_path / "torn")
        assert outcome[0] != "valid"


def test_both_name_the_same_entry_for_a_flipped_byte(tmp_path: Path) -> None:
    """One byte of every entry, of its length, its body or its signature."""
    rng, start = random.Random("flipped"), 8
    for k, entry in enumerate(ENTRIES):
        data = bytearray(LOG.path.read_bytes())
        place = rng.choice([rng.randrange(4), 4 + rng.randrange(len(entry)), len(entry) - 1])
        data[start + place] ^= 1 << rng.randrange(8)
        outcome = LOG.stranger_judges(bytes(data))
        assert outcome == referee_judges(bytes(data), tmp_path / "flipped"), (k, place)
        assert outcome[0] != "valid"
        start += 4 + len(entry)


def reordered() -> Iterator[list[bytes]]:
    """Entries exchanged, left out, repeated, moved, all of them backwards."""
    rng = random.Random("reordered")
    for k in rng.sample(range(len(ENTRIES) - 1), 8):
        swapped = list(ENTRIES)
        swapped[k : k + 2] = reversed(swapped[k : k + 2])
        yield swapped
    for k in rng.sample(range(len(ENTRIES) - 1), 6):
        yield [*ENTRIES[:k], *ENTRIES[k + 1 :]]
        yield [*ENTRIES[: k + 1], *ENTRIES[k:]]
        yield [*ENTRIES, ENTRIES[k]]
    yield list(reversed(ENTRIES))


def test_both_say_the_same_of_entries_in_another_order(tmp_path: Path) -> None:
    for entries in reordered():
        data = log_bytes(entries)
        outcome = LOG.stranger_judges(data)
        assert outcome == referee_judges(data, tmp_path / "reordered")
        assert outcome[0] == "forged"


# --- lies, signed by those who play ---------------------------------------------------------


def test_both_refuse_every_field_that_is_not_as_it_was() -> None:
    """One false value for every field of every entry, signed by its author."""
    rng = random.Random("fields")
    for k in range(len(ENTRIES)):
        for raw in LOG.falsified(k, rng):
            LOG.agree(k, raw)


def test_both_blame_the_same_player_for_a_false_place() -> None:
    """Another table, number, or history, signed by either player or by nobody at the table."""
    rng = random.Random("places")
    for k in rng.sample(range(len(ENTRIES)), 12):
        earlier = rng.randrange(k + 1)
        history = wire.decode_body(BODIES[earlier])["previous"]
        for header in (
            {"table": bytes(32)},
            {"table": b""},
            {"sequence": k + 1},
            {"previous": bytes([1]) * 32},
            {"sequence": earlier, "previous": history},
            {"sequence": earlier, "previous": bytes([1]) * 32},
            {},
        ):
            for identity in (*LOG.identities, STRANGER):
                LOG.agree(k, signed(identity, LOG.changed_body(k, {}, **header)))


def test_both_forgive_an_acceptance_that_comes_again_in_its_place_only() -> None:
    """A guest that has lost its log accepts the same offer again, and never anywhere else."""
    acceptance = wire.decode_body(BODIES[1])["message"]
    acceptance[1]["nonce"] = bytes(32)
    for number, seat, outcome in (
        (0, 0, ("fork", 0)),
        (0, 1, ("out-of-turn", 1)),
        (1, 0, ("out-of-turn", 0)),
        (1, 1, ("duplicate", None)),
        (3, 1, ("fork", 1)),
    ):
        place = {"sequence": number, "previous": LOG.tables[number].head, "message": acceptance}
        body = wire.encode_body({**wire.decode_body(BODIES[number]), **place})
        for k in (4, 9):
            assert LOG.agree(k, signed(LOG.identities[seat], body)) == outcome


def test_both_convict_who_offers_where_an_acceptance_is_owed_and_who_accepts_first() -> None:
    """The key is that in the entry; nobody knows it yet."""
    for k in (0, 1):
        message = wire.decode_body(BODIES[1 - k])["message"]
        message[1]["key"] = STRANGER.public
        body = wire.encode_body({**wire.decode_body(BODIES[k]), "message": message})
        assert LOG.agree(k, signed(STRANGER, body)) == ("not-allowed-now", k)


NO_KEYS = {
    "the identity": bytes([1]) + bytes(31),
    "of small order": bytes(32),
    "not canonical": b"\xff" * 32,
    "off the curve": bytes([2]) + bytes(31),
    "too short": bytes(31),
}


@pytest.mark.parametrize("key", NO_KEYS.values(), ids=list(NO_KEYS))
def test_both_ask_for_a_sound_key_only_of_a_newcomer(key: bytes) -> None:
    none = "malformed" if len(key) < 32 else "bad-public-key"
    for k in (0, 1):
        for identity in (LOG.identities[k], STRANGER):
            raw = signed(identity, LOG.changed_body(k, {"key": key}))
            assert LOG.agree(k, raw) == (none, None)
    # Later a known key has signed, and the entry is judged by its number.
    for k, seat, number, outcome in (
        (4, 0, 0, ("fork", 0)),
        (4, 1, 0, ("wrong-table", None)),
        (4, 1, 1, ("duplicate", None)),
        (4, 0, 1, ("out-of-turn", 0)),
        (1, 0, 0, ("fork", 0)),
    ):
        body = LOG.changed_body(number, {"key": key})
        due = ("malformed", seat) if len(key) < 32 else outcome
        assert LOG.agree(k, signed(LOG.identities[seat], body)) == due


def test_both_read_the_version_of_the_first_entry_alike() -> None:
    for version, outcome in (
        (0, ("malformed", None)),
        (1, ("admitted", 1)),
        (2, ("too-new", None)),
        (65_535, ("too-new", None)),
        (65_536, ("too-new", None)),
        (2**32 - 1, ("too-new", None)),
        (2**32, ("not-canonical", None)),  # the number 0, and one too many for it
        (2**32 + 2, ("too-new", None)),
    ):
        raw = signed(LOG.identities[0], LOG.changed_body(0, {"version": version}))
        assert LOG.agree(0, raw) == outcome
    for version, code in ((0, "malformed"), (2, "fork"), (65_536, "malformed")):
        raw = signed(LOG.identities[0], LOG.changed_body(0, {"version": version}))
        assert LOG.agree(5, raw) == (code, 0)


def test_both_take_a_record_that_is_no_entry_for_one_until_it_is_too_long(tmp_path: Path) -> None:
    good = log_bytes(ENTRIES[:3])
    for length, outcome in (
        (64, ("forged", "not-an-entry", 3)),
        (65, ("forged", "bad-signature", 3)),
        (65_600, ("forged", "bad-signature", 3)),
        (65_601, ("forged", "not-an-entry", 3)),
        (131_072, ("forged", "not-an-entry", 3)),
        (131_073, ("unreadable", "bad-record", 3)),
    ):
        data = good + length.to_bytes(4, "big") + bytes([7]) * length
        judged = LOG.stranger_judges(data)
        assert judged == referee_judges(data, tmp_path / "long")
        assert judged[:3] == outcome


def test_both_say_before_all_else_that_a_lay_belongs_to_mahjong_gin() -> None:
    """Whatever its cards, also where a draw must be from the stock; elsewhere it is not awaited."""
    lay = {"hand": b"", "argument": b"", "positions": b"\0", "cards": b"\0", "melds": [b"\1", b""]}
    lay |= {"adds": [{"card": 5, "meld": 16}], "opening": b""}
    stages = {k: table.awaiting.name for k, table in enumerate(LOG.tables)}
    said = set()
    for k, stage in stages.items():
        table = LOG.tables[k]
        if table.owed_by is None or k < 5:
            continue
        for message in (("lay", lay), ("take_discards", {"count": 31, "lay": lay})):
            due = {"lay": "DISCARD", "take_discards": "DRAW"}[message[0]] == stage
            place = {"table": table.table_id, "sequence": k, "previous": table.head}
            raw = signed(LOG.author(k), wire.encode_body({**place, "message": message}))
            code = "not-mahjong" if due else "not-allowed-now"
            assert LOG.agree(k, raw) == (code, table.owed_by)
            said.add(code)
    assert said == {"not-mahjong", "not-allowed-now"}


def test_both_allow_the_same_kinds_in_every_state() -> None:
    """Messages of all kinds before every entry and after the last, by who owes or does not."""
    rng = random.Random("kinds")
    kinds = {body["message"][0]: body["message"] for body in map(wire.decode_body, BODIES)}
    lay = {"hand": b"", "argument": b"", "positions": b"\0", "cards": b"\0", "melds": [b"\0"]}
    lay |= {"adds": [], "opening": b""}
    kinds |= {"lay": ("lay", lay), "take_discards": ("take_discards", {"count": 2, "lay": lay})}
    resign = ("resign", {})
    admitted = set()
    for k, table in enumerate(LOG.tables):
        place = {"table": table.table_id or bytes(32), "sequence": k}
        others = rng.sample(sorted(kinds.values(), key=lambda m: m[0]), 9)
        for message in (resign, ("pass", {}), *others):
            body = wire.encode_body({**place, "previous": table.head, "message": message})
            owed_by = table.owed_by
            other = owed_by is None or (message is not resign and rng.random() < 0.2)
            raw = signed(LOG.identities[1 - (owed_by or 0) if other else owed_by], body)
            if LOG.agree(k, raw)[0] == "admitted":
                admitted.add(message[0])
    assert "resign" in admitted


def test_both_read_at_most_300_seeds_in_an_entry() -> None:
    k = next(k for k in range(len(ENTRIES)) if "seeds" in wire.decode_body(BODIES[k])["message"][1])
    for count, code in ((300, "wrong-seed-count"), (301, "malformed")):
        raw = LOG.changed(k, {"seeds": [bytes(32)] * count})
        assert LOG.agree(k, raw) == (code, LOG.tables[k].owed_by)


@pytest.mark.parametrize("kind", ["knock", "spread"])
def test_both_read_at_most_52_of_what_a_hand_lists(kind: str) -> None:
    k = next(k for k in range(len(ENTRIES)) if wire.decode_body(BODIES[k])["message"][0] == kind)
    lists: dict[str, object] = {"cards": bytes(range(52)), "melds": [b""] * 52}
    if kind == "spread":
        lists["layoffs"] = [{"card": 0, "meld": 0}] * 52
    for name, most in lists.items():
        assert LOG.agree(k, LOG.changed(k, {name: most}))[0] not in ("malformed", "admitted")
        one_more = most + (b"\0" if name == "cards" else most[:1])  # type: ignore[operator, index]
        assert LOG.agree(k, LOG.changed(k, {name: one_more}))[0] == "malformed"


def test_both_refuse_other_encodings_of_the_same() -> None:
    table_again = BODIES[5][:34]
    for k in (0, 1, 5, 11, 24, 27):
        body = BODIES[k]
        author = LOG.author(k)
        assert body[:34] == table_again
        for other in (
            body + b"\x08\x00",  # a field of that number, of another type
            body + b"\xf8\x07\x01",  # an unknown field
            table_again + body,
            body[34:] + table_again,
            body + b"\x10\x00",  # a default value, explicit
            body[:34] + b"\x10\x80\x00" + body[34:],  # a padded varint
            body[:-1],
            b"\x0b" + body,
            b"\0" * 100,
        ):
            code, culprit = LOG.agree(k, signed(author, other))
            assert code in ("not-canonical", "malformed")
            assert culprit == (None if k < 2 else LOG.tables[k].owed_by)


@pytest.mark.parametrize("case", vectors("ed25519-speccheck.json")["cases"])
def test_both_accept_the_same_odd_signatures(case: dict[str, str]) -> None:
    arguments = [bytes.fromhex(case[name]) for name in ("pub_key", "message", "signature")]
    try:
        verify_signature(*arguments)
        accepted = True
    except BadSignature:
        accepted = False
    assert group.signature_holds(*arguments) == accepted


def test_both_allow_the_same_names() -> None:
    names = [
        "",
        " ",
        "Ada",
        " Ada",
        "Ada ",
        "A da",
        "x" * 64,
        "x" * 65,
        "\u00e9" * 32,
        "\u00e9" * 33,
    ]
    for point in [
        *range(0x300),
        *range(0x600, 0x640),
        *range(0x1FF0, 0x2080),
        *range(0xFEF0, 0x10000),
    ]:
        names.append(f"a{chr(point)}b")
    names += [f"a{chr(point)}b" for point in (0x180E, 0x2FFF, 0x3000, 0x3001, 0xE0000, 0xE1000)]
    for name in names:
        try:
            m.check_name(name)
            allowed = True
        except m.Malformed:
            allowed = False
        assert wire.is_name(name) == allowed, ascii(name)
