"""The golden logs of tests/vectors/logs/v1: their contents, and how they were made.

`python -m tests.matches.golden_logs` makes the missing ones, with their verdicts and checksums, and
never rewrites the others. Even if today's program would sign something else, they are frozen, and
the verdict on them must stay the same (PROTOCOL 7.4).
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache
from pathlib import Path

from cli.main import main
from ginpeer.referee.table import GUEST, HOST, Awaiting, Table
from ginpeer.rules.ruleset import PRESETS, parse_ruleset
from ginpeer.seat.seat import Seat
from ginpeer.store.log import MAGIC, log_bytes
from protocol import messages as m
from protocol.crypto.elgamal import encode_ciphertexts
from protocol.crypto.hashing import frame
from protocol.entry import RawEntry
from tests.cheating.cheat import RecordedMatch, catch_up, record, seated, steady
from tests.matches.golden_lies import LIES
from tests.matches.recorded_logs import LOGS, played
from tests.matches.table_pair import TablePair, seeded_rng
from tests.matches.variants import laying

FOLDER = Path(__file__).parent.parent / "vectors" / "logs" / "v1"
SUMS = FOLDER / "SHA256SUMS"

Entries = Sequence[bytes]

# --- whole matches --------------------------------------------------------------------------

SHORT = {
    "tournament": "tournament target=1 best-of=3",
    "mahjong": "mahjong target=1",
    "hollywood": "hollywood target=1",
    "multi-match": "multi-match target=2 multi-match=128",
}
"""A match of few hands for each of these presets; the others are played to one point."""

_TRIES = 8


def preset(name: str) -> Entries:
    """Return the shortest of a few matches by a preset."""
    rules = parse_ruleset(SHORT.get(name, f"{name} target=1"))
    chooser = laying if rules.mahjong else steady
    pairs = (TablePair(f"golden {name} {n}", rules).play(chooser) for n in range(_TRIES))
    return min(
        (tuple(pair.host.seat.entries) for pair in pairs), key=lambda log: sum(map(len, log))
    )


@cache
def base(disclosure: m.Disclosure = m.Disclosure.AFTER_MATCH) -> RecordedMatch:
    """Return the match that the others below resign, cut and lie in: a short hand without a cut, in
    which an upcard is taken."""
    rules = parse_ruleset("standard first-dealer=host target=1")
    tries = (record(f"golden {number}", rules, disclosure) for number in range(100))
    return next(match for match in tries if len(match) < 32 and match.has(m.TakeUpcard))


def cut() -> Entries:
    """Play with a cut for deal, and seeds that nobody discloses."""
    return record("golden cut", parse_ruleset("standard target=1"), m.Disclosure.NEVER).entries


def resigned() -> Entries:
    """Resign as the guest instead of its first choice; both sign, and disclose."""
    match = base()
    k = next(s.sequence for s in match.steps if s.before.awaiting is Awaiting.UPCARD)
    pair = seated(match.seat_at(HOST, k), match.seat_at(GUEST, k))
    guest = pair.guest
    guest.perform(guest.seat.resign())
    pair.settle()
    return tuple(pair.host.seat.entries)


def resumed() -> Entries:
    """Stop both machines in the middle of a hand, and restore both seats from what was stored."""
    match = base()
    k = match.find(m.TakeUpcard) + 1
    seats = [
        Seat(
            seat=seat,
            identity=match.identities[seat],
            name=("Ada", "Ben")[seat],
            rng=seeded_rng(f"resumed {seat}"),
            now=lambda: 1_700_000_999,
            peer_key=match.identities[1 - seat].public,
        ).restore(match.entries[:k], match.seeds_at(seat, k))
        for seat in (HOST, GUEST)
    ]
    pair = seated(*seats)
    catch_up(pair)
    pair.play(steady)
    return tuple(pair.host.seat.entries)


WHOLE: dict[str, Callable[[], Entries]] = {
    **{name: lambda name=name: preset(name) for name in PRESETS},  # type: ignore[misc]
    "resigned": resigned,
    "resumed": resumed,
    "never-disclosed": cut,
    "disclosed-after-hand": lambda: base(m.Disclosure.AFTER_HAND).entries,
    "second-deck": lambda: tuple(played("second-deck").host.seat.entries),
    "void-hand": lambda: tuple(played("last-discard").host.seat.entries),
}
assert "second-deck" in LOGS
assert "last-discard" in LOGS

# --- evidence -------------------------------------------------------------------------------


def up_to(k: int, *raw: bytes) -> Entries:
    """Return the first k entries of the match, with these appended."""
    return (*base().entries[:k], *raw)


def lie(k: int, **changes: object) -> Entries:
    """Return entry k with other values in it, signed by its author."""
    match = base()
    message = replace(match.steps[k].message, **changes)  # type: ignore[type-var]
    return up_to(k, match.author(k).sign(match.table_at(k), message))


def illegal_move() -> Entries:
    """Discard the upcard just taken, with every proof valid."""
    match = base()
    k = match.find(m.TakeUpcard) + 1
    cheat, table = match.author(k), match.table_at(k)
    assert table.hand is not None
    assert table.hand.taken is not None
    card = int(table.hand.taken)
    hand, cards, argument = cheat.riffled(table)
    place = cards.index(card)
    opening = cheat.opening(table, [(hand[place], card)])
    thrown = m.Discard(encode_ciphertexts(hand), argument, place, card, opening)
    return up_to(k, cheat.sign(table, thrown))


def bad_proof() -> Entries:
    """Exchange two scalars of the dealer's shuffle argument."""
    k = base().find(m.DealDeck)
    argument = base().steps[k].message.argument  # type: ignore[union-attr]
    return lie(k, argument=argument[:-64] + argument[-32:] + argument[-64:-32])


def fork() -> Entries:
    """Sign another commitment to a hand seed, as the dealer, after the deal has continued."""
    match = base()
    k = match.find(m.DealCommit)
    second = replace(match.steps[k].message, commitment=bytes(range(32)))
    return up_to(k + 3, match.author(k).sign(match.table_at(k), second))


def fork_at_the_offer() -> Entries:
    """Offer the same table with other rules, as the host."""
    match = base()
    table_id = match.table_at(1).table_id
    second = replace(match.steps[0].message, rules="oklahoma")
    return up_to(3, match.cheat(HOST).sign(Table(), second, table=table_id))


NO_KEY = bytes(32)
"""A point of small order, so nobody's identity key."""


def fork_with_no_key() -> Entries:
    """Offer the same table once more, as the host, under an invalid key. The host's own key has
    signed that, so it is a second entry for its place, like any other offer."""
    match = base()
    second = replace(match.steps[0].message, key=NO_KEY)
    raw = match.cheat(HOST).sign(Table(), second, table=match.table_at(1).table_id)
    return up_to(3, raw)


def out_of_turn() -> Entries:
    """Sign, as the guest, the commitment that the dealer owes."""
    match = base()
    k = match.find(m.DealCommit)
    return up_to(k, match.cheat(GUEST).sign(match.table_at(k), match.steps[k].message))


def out_of_turn_before() -> Entries:
    """Sign a commitment, too, as the guest, long after the dealer's was admitted."""
    match = base()
    k = match.find(m.DealCommit)
    raw = match.cheat(GUEST).sign(match.table_at(k), match.steps[k].message)
    return up_to(k + 2, raw)


def not_allowed() -> Entries:
    """Draw in the middle of the deal."""
    match = base()
    k = match.find(m.DealKey)
    return up_to(k, match.author(k).sign(match.table_at(k), m.DrawStock()))


def not_canonical() -> Entries:
    """Append an unknown field to the body."""
    match = base()
    k = match.find(m.DealKey)
    body = RawEntry.split(match.entries[k]).unverified_body
    return up_to(k, match.author(k).sign_bytes(body + b"\xf8\x07\x01"))


def wrong_score() -> Entries:
    """Sign, as the host, that it has won more."""
    k = base().find(m.Settle)
    return lie(k, host_total=999)


def other_seed() -> Entries:
    """Disclose, as the host, a seed that it hasn't committed to."""
    return lie(base().find(m.Disclose), seeds=(bytes(range(32)),))


def after_the_end() -> Entries:
    """Resign, as the guest, when everything is over."""
    match = base()
    return up_to(len(match), match.cheat(GUEST).sign(match.table_at(len(match)), m.Resign()))


def other_rules() -> Entries:
    """Accept, as the guest, rules that weren't offered."""
    return lie(1, rules="oklahoma")


def other_text() -> Entries:
    """Offer rules, as the host, in a text that isn't the canonical one."""
    match = base()
    table_id = match.table_at(1).table_id
    offer = replace(match.steps[0].message, rules="standard target=1 first-dealer=host")
    return (match.cheat(HOST).sign(Table(), offer, table=table_id),)


EVIDENCE: dict[str, Callable[[], Entries]] = {
    "evidence-illegal-move": illegal_move,
    "evidence-bad-proof": bad_proof,
    "evidence-fork": fork,
    "evidence-fork-at-the-offer": fork_at_the_offer,
    "evidence-fork-no-key": fork_with_no_key,
    "evidence-out-of-turn": out_of_turn,
    "evidence-out-of-turn-before": out_of_turn_before,
    "evidence-not-allowed-now": not_allowed,
    "evidence-malformed": lambda: lie(base().find(m.DealCommit), commitment=_Short(31)),
    "evidence-not-canonical": not_canonical,
    "evidence-wrong-score": wrong_score,
    "evidence-other-seed": other_seed,
    "evidence-after-the-end": after_the_end,
    "evidence-other-rules": other_rules,
    "evidence-other-text": other_text,
}


def cut_mismatch() -> Entries:
    """Open, as the host, a half of the cut other than the committed one."""
    match = record("golden cut", parse_ruleset("standard target=1"), m.Disclosure.NEVER)
    k = match.find(m.CutReveal)
    revealed = m.CutReveal(bytes(range(32)))
    return (*match.entries[:k], match.author(k).sign(match.table_at(k), revealed))


def toss_mismatch() -> Entries:
    """Open, as the dealer, a half of the toss other than the committed one."""
    match = RecordedMatch.of(played("second-deck"))
    k = match.find(m.DealDeck)
    lie = replace(match.steps[k].message, toss=bytes(range(32)))
    return (*match.entries[:k], match.author(k).sign(match.table_at(k), lie))


def deal_key(**changes: object) -> Entries:
    """Return the entry with the guest's key of a hand, with other values."""
    return lie(base().find(m.DealKey), **changes)


def first_of_a_deck() -> Entries:
    """Send an invalid point in the deck, and a false proof of possession: everything is decoded
    before anything is verified."""
    k = base().find(m.DealDeck)
    deal = base().steps[k].message
    assert isinstance(deal, m.DealDeck)
    swapped = deal.possession[32:] + deal.possession[:32]
    return lie(k, deck=b"\xff" * 32 + deal.deck[32:], possession=swapped)


def accepted_first() -> Entries:
    """Send an acceptance in place of the offer: its signer is the host."""
    acceptance = replace(base().steps[1].message, key=base().identities[HOST].public)
    return (base().cheat(HOST).sign(Table(), acceptance, table=bytes(range(32))),)


def offered_second() -> Entries:
    """Answer the offer, as the guest, with another offer."""
    offer = replace(base().steps[0].message, key=base().identities[GUEST].public, name="Ben")
    return up_to(1, base().cheat(GUEST).sign(base().table_at(1), offer))


def later_version_later() -> Entries:
    """Offer the table again, as the host, in a later version, which is a second entry for the same
    place."""
    match = base()
    second = replace(match.steps[0].message, version=2)
    return up_to(3, match.cheat(HOST).sign(Table(), second, table=match.table_at(1).table_id))


EVIDENCE |= {
    "evidence-cut-mismatch": cut_mismatch,
    "evidence-wrong-toss": lambda: lie(base().find(m.DealCommit), toss=bytes(range(32))),
    "evidence-toss-mismatch": toss_mismatch,
    "evidence-bad-length": lambda: deal_key(possession=bytes(63)),
    "evidence-bad-encoding": lambda: deal_key(key=bytes(32)),
    "evidence-first-of-a-deck": first_of_a_deck,
    "evidence-accepted-first": accepted_first,
    "evidence-offered-second": offered_second,
    "evidence-later-version-later": later_version_later,
    **LIES,
}


class _Short(bytes):
    """A commitment that is too short, but reports the right length within this process."""

    def __len__(self) -> int:
        return 32


# --- cut, damaged, of another version -------------------------------------------------------


def flipped() -> Entries:
    """Flip one bit of one entry."""
    raw = bytearray(base().entries[3])
    raw[40] ^= 1
    return (*base().entries[:3], bytes(raw), *base().entries[4:])


def other_history() -> Entries:
    """Continue, as the host, after an acceptance that isn't the one in this log."""
    match = base()
    accept = replace(match.steps[1].message, nonce=bytes(range(32)))
    again = match.cheat(GUEST).sign(match.table_at(1), accept)
    return (match.entries[0], again, *match.entries[2:5])


def accepted_twice() -> Entries:
    """Accept the same offer again, as the guest, who has lost its log and isn't convicted."""
    match = base()
    accept = replace(match.steps[1].message, nonce=bytes(range(32)))
    return up_to(5, match.cheat(GUEST).sign(match.table_at(1), accept))


def accepted_with_no_key() -> Entries:
    """Accept the same offer again, as the guest, under an invalid key."""
    match = base()
    accept = replace(match.steps[1].message, key=NO_KEY)
    return up_to(5, match.cheat(GUEST).sign(match.table_at(1), accept))


def version_zero() -> Entries:
    """Make an offer that omits the version."""
    offer = replace(base().steps[0].message)
    object.__setattr__(offer, "version", 0)
    return (base().cheat(HOST).sign(Table(), offer, table=bytes(range(32))),)


def foreign_entry() -> Entries:
    """Insert an entry of another match of the same two players."""
    other = TablePair("golden other", identities=base().identities).play(steady)
    return up_to(4, other.host.seat.entries[4])


LATEST = 2**16 - 1
"""The highest version that an offer can have, which no program will ever reach."""


def later_version() -> Entries:
    """Make an offer as a later version may: with other fields, and another label under the
    signature."""
    offer = replace(base().steps[0].message, version=LATEST)
    body = m.Body(bytes(range(32)), 0, bytes(32), offer)
    data = RawEntry.split(base().cheat(HOST).sign(Table(), offer, table=body.table)).unverified_body
    data += b"\xf8\x07\x01"
    identity = base().identities[HOST]
    return (data + identity.sign(frame(f"ginpeer/v{LATEST}", b"entry") + data),)


def later_rules() -> Entries:
    """Offer a rule set with a parameter that this version doesn't know."""
    offer = replace(base().steps[0].message, rules="standard jokers=2")
    return (base().cheat(HOST).sign(Table(), offer, table=bytes(range(32))),)


def no_key() -> Entries:
    """Make an offer under an invalid key."""
    offer = replace(base().steps[0].message, key=NO_KEY)
    return (base().cheat(HOST).sign(Table(), offer, table=bytes(range(32))),)


OTHER: dict[str, Callable[[], Entries]] = {
    "incomplete": lambda: up_to(12),
    "offer-alone": lambda: up_to(1),
    "forged-flipped-bit": flipped,
    "forged-other-history": other_history,
    "forged-accepted-twice": accepted_twice,
    "forged-accepted-no-key": accepted_with_no_key,
    "forged-version-zero": version_zero,
    "forged-foreign-entry": foreign_entry,
    "forged-not-an-entry": lambda: up_to(2, bytes(64)),
    "forged-no-key": no_key,
    "forged-entry-left-out": lambda: (*base().entries[:5], *base().entries[6:]),
    "too-new-offer": later_version,
    "unknown-rules": later_rules,
}


def later_format() -> bytes:
    """Return a log file of format 9, the last that the digit in its first line can name."""
    return MAGIC.replace(b"1", b"9") + log_bytes(base().entries[:2])[len(MAGIC) :]


def impossible_length() -> bytes:
    """Return two good entries and a record with a length of 4 GiB."""
    return log_bytes(base().entries[:2]) + b"\xff" * 8


RAW: dict[str, Callable[[], bytes]] = {
    "incomplete-torn": lambda: log_bytes(up_to(12))[:-9],
    "torn-after-the-end": lambda: log_bytes(base().entries) + bytes(5),
    "too-new-format": later_format,
    "impossible-length": impossible_length,
    "empty": lambda: b"",
    "not-a-log": lambda: b"ginlog1\r\n" + log_bytes(base().entries[:1])[len(MAGIC) :],
}

NOT_KEPT = {"log-too-large": "it takes more than 64 MiB, or more than 131,072 entries that hold"}
"""Codes of PROTOCOL 11.1 and 11.2 that no golden log has, with the reason."""

GOLDEN: dict[str, Callable[[], bytes]] = {
    **{
        name: lambda make=make: log_bytes(tuple(make()))  # type: ignore[misc]
        for name, make in {**WHOLE, **EVIDENCE, **OTHER}.items()
    },
    **RAW,
}

# --- the folder -----------------------------------------------------------------------------


def verdict_on(name: str) -> tuple[int, str]:
    """Return the exit status and output of `ginpeer verify --json` on a golden log."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(FOLDER), redirect_stdout(out), redirect_stderr(err):
        status = main(["verify", "--json", f"{name}.ginlog"])
    assert not err.getvalue()
    return status, out.getvalue()


def sums() -> dict[str, str]:
    """Return the SHA-256 of every golden file, by its name."""
    lines = SUMS.read_text("ascii").splitlines() if SUMS.exists() else []
    return {name: digest for digest, name in (line.split("  ") for line in lines)}


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def freeze(name: str) -> None:
    """Write a missing golden log, its verdict, and their checksums."""
    paths = [FOLDER / f"{name}.ginlog", FOLDER / f"{name}.json"]
    if any(path.exists() for path in paths):
        return
    paths[0].write_bytes(GOLDEN[name]())
    status, document = verdict_on(name)
    paths[1].write_text(document, "ascii")
    with SUMS.open("a", encoding="ascii") as file:
        file.writelines(f"{sha256_of(path)}  {path.name}\n" for path in paths)
    print(name, status, paths[0].stat().st_size, flush=True)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for golden in GOLDEN:
        freeze(golden)
