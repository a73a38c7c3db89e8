"""The referee and a verifier that was written from PROTOCOL.md alone come to the same verdict."""

from __future__ import annotations

import copy
import json
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ginpeer.referee.referee import Referee
from ginpeer.referee.table import Awaiting
from ginpeer.referee.verdict import judge as judge_entries
from ginpeer.referee.violations import Refused, Violation
from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, RulesError, cards_of, mask_of
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.melds import MELDS
from ginpeer.rules.presets import parse_ruleset
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import VOID, HandResult, Outcome
from ginpeer.store.errors import UnreadableLog
from ginpeer.store.log import log_bytes, read_log
from protocol import messages as m
from protocol.crypto.identity import BadSignature, IdentityKey, verify_signature
from protocol.entry import RawEntry
from tests.crypto.vectors import vectors
from tests.stranger import gin, group, log, wire
from tests.stranger.refusal import Refusal

LOG = Path(__file__).parent.parent / "vectors" / "logs" / "one-hand.ginlog"
ENTRIES = read_log(LOG).entries
BODIES = [RawEntry.split(entry).unverified_body for entry in ENTRIES]

# The private identity keys of the host and the guest of this log: with them lies can be signed.
IDENTITIES = (
    IdentityKey(bytes.fromhex("59a567685f6a8f0a400f39e18d2963841284f7e9094cc408692c1dcb51858907")),
    IdentityKey(bytes.fromhex("522e1ec4f78c9e495562a7175a4e7ba6212f4664f60a5e23fcc83ee2c3c8e16c")),
)
STRANGER = IdentityKey(bytes(32))  # somebody else

Answer = tuple[Any, ...]


# --- both verifiers, each put before an entry of the log --------------------------------


@cache
def strangers() -> list[bytes]:
    """The stranger's match before each entry, and after the last."""
    match, stages = log.Match(), []
    for entry in ENTRIES:
        stages.append(pickle.dumps(match))
        match.admit(entry)
    return [*stages, pickle.dumps(match)]


@cache
def referees() -> list[Referee]:
    referee, stages = Referee(), []
    for entry in ENTRIES:
        stages.append(_copy(referee))
        referee.admit(entry)
    return [*stages, referee]


def _copy(referee: Referee) -> Referee:
    """States are immutable; the list of entries is not."""
    copied = copy.copy(referee)
    copied._entries = list(referee.entries)
    return copied


def stranger_admits(k: int, raw: bytes) -> Answer:
    """The code and the culprit's seat for *raw* in the place of entry k; the state it leads to."""
    match: log.Match = pickle.loads(strangers()[k])
    try:
        match.admit(raw)
    except Refusal as refusal:
        return refusal.code, refusal.culprit
    return "admitted", match.owes


def referee_admits(k: int, raw: bytes) -> Answer:
    referee = _copy(referees()[k])
    try:
        referee.admit(raw)
    except Refused as error:
        return error.code, error.seat if isinstance(error, Violation) else None
    return "admitted", referee.table.owed_by


def stranger_judges(data: bytes) -> Answer:
    """The verdict on a log file; what it has in common with the good one is not judged again."""
    try:
        entries, torn = wire.split_log(data)
    except Refusal as refusal:
        return "unreadable", refusal.code
    same = next((k for k, e in enumerate(ENTRIES) if entries[k : k + 1] != [e]), len(ENTRIES))
    match: log.Match = pickle.loads(strangers()[same])
    verdict = log.judge_entries(match, entries[same:], torn)
    names = ("verdict", "code", "entry", "culprit", "owes", "totals")
    return tuple(verdict[name] for name in names)


def referee_judges(data: bytes, path: Path) -> Answer:
    path.write_bytes(data)
    try:
        file = read_log(path)
    except UnreadableLog as error:
        return "unreadable", error.code
    verdict = judge_entries(file.entries, file.torn)
    table = verdict.table
    settled = table.awaiting in (Awaiting.DISCLOSE, Awaiting.NOTHING) and table.match
    return (
        verdict.finding.name.lower(),
        None if verdict.code in ("valid", "incomplete") else verdict.code,
        verdict.failing_entry,
        verdict.culprit,
        table.owed_by,
        list(settled.settlement().totals) if settled else None,
    )


# --- the log as it is, cut, damaged, in another order ------------------------------------


def test_a_log_is_valid_for_whoever_has_only_the_document() -> None:
    verdict = judge_entries(ENTRIES)
    command = [sys.executable, "-m", "tests.stranger", str(LOG)]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=True, cwd=LOG.parents[3]
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
        outcome = stranger_judges(cut)
        assert outcome == referee_judges(cut, tmp_path / "cut")
        assert outcome[:2] == ("incomplete", None)


def test_both_say_the_same_of_a_file_that_ends_anywhere(tmp_path: Path) -> None:
    data, rng = LOG.read_bytes(), random.Random("torn")
    ends = [0, 1, 7, 9, 11, 12, len(data) - 1, *rng.sample(range(len(data)), 6)]
    tails = [b"\0", bytes(3), bytes(4), bytes(70), b"\0\0\0\x40", b"\0\2\0\1" + bytes(9)]
    tails += [bytes(4) + b"1", b"\0\0\0\5" + b"12345", b"\xff" * 20]
    for damaged in [*(data[:end] for end in ends), *(data + tail for tail in tails)]:
        outcome = stranger_judges(damaged)
        assert outcome == referee_judges(damaged, tmp_path / "torn")
        assert outcome[0] != "valid"


def test_both_name_the_same_entry_for_a_flipped_byte(tmp_path: Path) -> None:
    """One byte of every entry, of its length, its body or its signature."""
    rng, start = random.Random("flipped"), 8
    for k, entry in enumerate(ENTRIES):
        data = bytearray(LOG.read_bytes())
        place = rng.choice([rng.randrange(4), 4 + rng.randrange(len(entry)), len(entry) - 1])
        data[start + place] ^= 1 << rng.randrange(8)
        outcome = stranger_judges(bytes(data))
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
        outcome = stranger_judges(data)
        assert outcome == referee_judges(data, tmp_path / "reordered")
        assert outcome[0] == "forged"


# --- lies, signed by those who play ---------------------------------------------------------


def signed(identity: IdentityKey, body: bytes) -> bytes:
    return body + identity.sign(RawEntry(body, b"").signed_message)


def agree(k: int, raw: bytes) -> Answer:
    """What both say of *raw* in the place of entry k."""
    outcome = stranger_admits(k, raw)
    assert outcome == referee_admits(k, raw), (k, raw.hex())
    return outcome


def encoded(k: int, changes: dict[str, Any], **header: Any) -> bytes:
    """The body of entry k with fields of its message changed, possible or not."""
    body = wire.decode_body(BODIES[k])
    kind, message = body["message"]
    return wire.encode_body({**body, "message": (kind, {**message, **changes}), **header})


def false_values(value: Any, rng: random.Random) -> list[Any]:
    """Other values of the same type."""
    if isinstance(value, bytes):
        place = rng.randrange(len(value) + 1) // 32 * 32
        off_group = value[:place] + b"\xff" * 32 + value[place + 32 :]
        identity = value[:place] + bytes(32) + value[place + 32 :]
        swapped = value[1:2] + value[:1] + value[2:]
        return [b"", value[:-1], value + b"\1", value * 2, off_group, identity, swapped]
    if isinstance(value, str):
        return ["", value + " ", value + "\u202e", value + "\n", value * 70, "standard box=25"]
    if isinstance(value, list):
        return [[], value[1:], value[::-1], [*value, *value], [*value, b""], [bytes(32)]]
    return [number for number in (0, 1, 3, 7, 11, 51, 52, 2**31, 2**32 - 1) if number != value]


def test_both_refuse_every_field_that_is_not_as_it_was() -> None:
    """One false value for every field of every entry, signed by its author."""
    rng = random.Random("fields")
    for k, (raw, step) in enumerate(zip(ENTRIES, referees(), strict=False)):
        author = IDENTITIES[step.table.owed_by]
        for name, value in wire.decode_body(BODIES[k])["message"][1].items():
            falsehood = rng.choice([v for v in false_values(value, rng) if v != value])
            try:
                body = encoded(k, {name: falsehood})
            except (TypeError, AttributeError):
                continue  # a list of lay-offs holds no bytes
            assert signed(author, body) != raw
            agree(k, signed(author, body))


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
            for identity in (*IDENTITIES, STRANGER):
                agree(k, signed(identity, encoded(k, {}, **header)))


def test_both_allow_the_same_kinds_in_every_state() -> None:
    """Messages of all kinds before every entry and after the last, by who owes or does not."""
    rng = random.Random("kinds")
    kinds = {body["message"][0]: body["message"] for body in map(wire.decode_body, BODIES)}
    kinds |= {"pass": ("pass", {}), "resign": ("resign", {})}
    admitted = set()
    for k, step in enumerate(referees()):
        place = {"table": step.table.table_id or bytes(32), "sequence": k}
        for message in rng.sample(sorted(kinds.values(), key=lambda m: m[0]), 9):
            body = wire.encode_body({**place, "previous": step.table.head, "message": message})
            owed_by = step.table.owed_by
            other = rng.random() < 0.2 or owed_by is None
            raw = signed(IDENTITIES[1 - (owed_by or 0) if other else owed_by], body)
            if agree(k, raw)[0] == "admitted":
                admitted.add(message[0])
    assert "resign" in admitted


def test_both_refuse_other_encodings_of_the_same() -> None:
    table_again = BODIES[5][:34]
    for k in (0, 1, 5, 11, 24, 27):
        body = BODIES[k]
        author = IDENTITIES[referees()[k].table.owed_by]
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
            code, culprit = agree(k, signed(author, other))
            assert code in ("not-canonical", "malformed")
            assert culprit == (None if k < 2 else referees()[k].table.owed_by)


@pytest.mark.parametrize("case", vectors("ed25519-speccheck.json")["cases"])
def test_both_accept_the_same_odd_signatures(case: dict[str, str]) -> None:
    arguments = [bytes.fromhex(case[name]) for name in ("pub_key", "message", "signature")]
    try:
        verify_signature(*arguments)
        accepted = True
    except BadSignature:
        accepted = False
    assert group.signature_holds(*arguments) == accepted


# --- rules -----------------------------------------------------------------------------------


def test_both_read_the_same_rule_sets() -> None:
    rng = random.Random("rule sets")
    words = [
        f"{field.name.replace('_', '-')}={value}"
        for field in fields(RuleSet)
        for value in (0, 1, 2, 10, 25, 31, 40, 100, "010", 10**4, 10**6, "none", "no", "nobody")
    ]
    words += ["shutout=double-hands", "shutout=double-game-bonus", "tie=undercut", "wall=void"]
    words += ["target", "target=", "=1", "moon=1", "Target=5", "first-dealer=lower-cut"]
    texts = ["", "standard", " standard", "standard ", "gin", "standard target=10 target=10"]
    texts += [f"standard {word}" for word in words]
    texts += [" ".join(["standard", *rng.sample(words, 2)]) for _ in range(300)]
    texts += ["standard tie=nobody box=20", "standard box=20 tie=nobody", "standard  box=20"]
    outcomes = set()
    for text in texts:
        try:
            rules = parse_ruleset(text)
            rules.check()
            outcome = "played" if str(rules) == text else "rules-not-canonical"
        except RulesError:
            outcome = "rules-unsupported"
        try:
            gin.parse_rules(text)
            stranger = "played"
        except Refusal as refusal:
            stranger = refusal.code
        assert stranger == outcome, text
        outcomes.add(outcome)
    assert len(outcomes) == 3


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


def melded(rng: random.Random, size: int, taken: set[int]) -> tuple[list[int], list[list[int]]]:
    """A hand of mostly melds and low cards, none of them *taken*, and its melds."""
    cards: list[int] = []
    melds = []
    for meld in rng.sample(MELDS, rng.choice([5, 60, 329])):
        group = [int(card) for card in cards_of(meld)]
        if len(cards) + len(group) <= size and not taken & {*group} and not {*cards} & {*group}:
            melds.append(group)
            cards += group
    free = [card for card in range(52) if card not in taken and card not in cards]
    rng.shuffle(free)
    if rng.random() < 0.8:
        free.sort(key=lambda card: card % 13)
    return cards + free[: size - len(cards)], melds


def showdown(rng: random.Random) -> tuple[m.Knock, m.Spread, int]:
    """A knock, an answer to it, and the knocker's card that was just taken; both often false."""
    cards, melds = melded(rng, 11, set())
    loose = [card for card in cards if not any(card in meld for meld in melds)]
    if len(loose) >= 4 and rng.random() < 0.1:
        melds.append(sorted(loose.pop() for _ in range(3)))
    discard = max(loose, key=lambda card: card % 13) if loose else None
    if rng.random() < 0.1:
        discard = None
    knock = m.Knock(b"", b"", tuple(cards), discard, tuple(map(tuple, melds)), b"")
    just_taken = rng.choice(cards)

    cards, own_melds = melded(rng, 10, set(cards))
    loose = [card for card in cards if not any(card in meld for meld in own_melds)]
    layoffs = []
    for card in loose:
        for index, meld in enumerate(melds):
            fits = gin.is_meld(sorted([*meld, card]))
            if rng.random() < (0.8 if fits else 0.005):
                layoffs.append(m.LayOff(card, index))
                break
    return (
        knock,
        m.Spread(tuple(cards), tuple(map(tuple, own_melds)), tuple(layoffs), b""),
        just_taken,
    )


def stranger_scores(text: str, knock: m.Knock, spread: m.Spread, just_taken: int) -> Answer:
    try:
        rules = gin.parse_rules(text)
        laid = gin.knock(rules, asdict(knock), gin.Known(set(), {just_taken}), just_taken)
        defence = gin.spread(asdict(spread), gin.Known(set(knock.cards), set()), laid)
    except Refusal as refusal:
        return (refusal.code,)
    won, points = gin.score(rules, laid, defence)
    return (None if won is None else 0 if won else 1), points


def referee_scores(text: str, knock: m.Knock, spread: m.Spread, just_taken: int) -> Answer:
    def masks(groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
        return tuple(mask_of(CARDS[card] for card in group) for group in groups)

    def loose(message: m.Knock | m.Spread, other: Sequence[int]) -> int:
        used = {*other, *(card for meld in message.melds for card in meld)}
        return mask_of(CARDS[card] for card in message.cards if card not in used)

    thrown = () if knock.discard is None else (knock.discard,)
    layoffs = tuple((CARDS[layoff.card], layoff.meld) for layoff in spread.layoffs)
    laid_off = [layoff.card for layoff in spread.layoffs]
    hand = Hand.begin(parse_ruleset(text), 1, CARDS[just_taken]).apply(moves.TakeUpcard())
    try:
        discard = CARDS[knock.discard] if thrown else None
        hand = hand.apply(moves.Knock(discard, masks(knock.melds), loose(knock, thrown)))
        hand = hand.apply(moves.Spread(masks(spread.melds), layoffs, loose(spread, laid_off)))
    except RulesError as error:
        return (error.code,)
    assert hand.result is not None
    return hand.result.winner, hand.result.points


def test_both_score_the_same_hands() -> None:
    rng = random.Random("showdowns")
    texts = ["standard", "standard tie=nobody big-gin=none", "standard knock-limit=4 big-gin=50"]
    seen = set()
    for _ in range(600):
        text, hands = rng.choice(texts), showdown(rng)
        outcome = stranger_scores(text, *hands)
        assert outcome == referee_scores(text, *hands), (text, hands)
        seen.add(outcome[0])
    assert seen >= {0, 1, None, "knock-over-limit", "not-a-meld", "just-taken", "no-discard"}
    assert seen >= {"no-big-gin", "layoff-does-not-fit", "layoff-on-gin"}


def test_both_add_up_the_same_match() -> None:
    rng = random.Random("matches")
    for _ in range(200):
        shutout = rng.choice(["", " shutout=double-game-bonus", " shutout=none"])
        text = f"standard target={rng.choice([20, 60])}{rng.choice(['', ' box=20'])}{shutout}"
        match = Match.begin(parse_ruleset(text), 0)
        points, hands_won = [0, 0], [0, 0]
        while not match.finished:
            if rng.random() < 0.1:
                match = match.resign(rng.randrange(2))
                break
            winner, worth = rng.choice([0, 0, 1, None]), rng.randrange(30)
            result = HandResult(Outcome.KNOCK, winner, worth, 0, 0, worth)
            match = match.record(VOID if winner is None else result)
            if winner is not None:
                points[winner] += worth
                hands_won[winner] += 1
        settlement = match.settlement()
        resigned = match.resigned is not None
        totals = gin.totals(gin.parse_rules(text), points, hands_won, settlement.winner, resigned)
        assert tuple(totals) == settlement.totals
