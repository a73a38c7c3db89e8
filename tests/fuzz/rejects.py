"""Entries that are refused for their form: the costliest that fit in a frame, unsigned and signed.

Each consists of a match, the number of the entry that it replaces, its bytes, and the sender. None
of them gives a reason to verify a proof.
"""

from dataclasses import dataclass, replace

from ginpeer.referee.transitions import TRANSITIONS
from protocol import messages as m
from protocol.entry import MAX_BODY, MAX_ENTRY
from protocol.frames import MAX_FRAME
from tests.cheating.cheat import RecordedMatch, one_hand, two_hands
from tests.cheating.lies import inner, lying
from tests.matches.variants import mahjong, second_deck
from tests.protocol.wire import END_GROUP, GROUP, LENGTH, VARINT, field, tag


@dataclass(frozen=True)
class Reject:
    """An entry to refuse. *name* says what is wrong with it."""

    name: str
    match: RecordedMatch
    k: int
    raw: bytes
    by: int


def rejects():
    """Yield every entry to refuse."""
    for match in (one_hand(), second_deck(), mahjong()):
        yield from unsigned(match)
        yield from full_of_small_things(match)
        yield from spoilt_ends(match)
    yield from rules_broken()


def places(match):
    """Return one place for each kind of entry."""
    return {type(step.message): step.sequence for step in match.steps}.values()


def unsigned(match):
    """Yield entries of every size with no signature, a wrong one, or another player's."""
    for k in places(match):
        author = match.steps[k].author
        for size in (1, 64, 65, MAX_ENTRY, MAX_ENTRY + 1, MAX_FRAME - 16):
            yield Reject(f"{size} zeros", match, k, bytes(size), author)
        body = match.entries[k][:-64]
        yield Reject("a signature of zeros", match, k, body + bytes(64), author)
        yield Reject("another's signature", match, k, body + match.entries[k - 1][-64:], author)


SMALL = {
    "empty melds of a knock": (35, field(5, LENGTH, b"")),
    "empty melds": (36, field(2, LENGTH, b"")),
    "empty lay-offs": (36, field(3, LENGTH, b"")),
    "lay-offs": (36, field(3, LENGTH, field(1, VARINT, 1) + field(2, VARINT, 1))),
    "empty additions": (37, field(6, LENGTH, b"")),
    "empty seeds": (42, field(1, LENGTH, b"")),
    "seeds": (42, field(1, LENGTH, bytes(32))),
    "unknown numbers": (30, field(50, VARINT, 1)),
    "unknown messages": (30, field(50, LENGTH, field(50, LENGTH, b""))),
    "unknown groups": (30, tag(50, GROUP) + tag(50, END_GROUP)),
    "open groups": (30, tag(50, GROUP)),
    "the same name": (11, field(2, LENGTH, b"x")),
    "lays inside": (38, field(2, LENGTH, b"")),
}
"""Small fields to fill an entry with, and the number of the message that contains them."""


def full_of_small_things(match):
    for k in places(match):
        if not match.table_at(k).table_id:
            continue
        cheat, table = match.author(k), match.table_at(k)
        room = MAX_BODY - 100
        head = [(1, LENGTH, table.table_id), (2, VARINT, k), (3, LENGTH, table.head)]
        start = b"".join(field(*each) for each in head)
        contents = {
            name: (number, one * (room // len(one))) for name, (number, one) in SMALL.items()
        }
        half = bytes(at % 52 for at in range(room // 2))
        contents |= {
            "cards": (36, field(1, LENGTH, bytes(room))),
            "one meld": (36, field(2, LENGTH, half)),
            "positions": (37, field(3, LENGTH, half[:-9]) + field(4, LENGTH, half[:-9])),
            "a deck": (22, field(3, LENGTH, bytes(room))),
            "a share": (33, field(1, LENGTH, bytes(room))),
            "a name": (11, field(2, LENGTH, b"x" * room)),
            "rules": (11, field(3, LENGTH, b"x" * room)),
        }
        for name, (number, content) in contents.items():
            raw = cheat.sign_bytes(start + field(number, LENGTH, content))
            yield Reject(f"full of {name}", match, k, raw, cheat.seat)
        again = cheat.sign_bytes(start + field(30, LENGTH, b"") * (room // 3))
        yield Reject("one message many times", match, k, again, cheat.seat)


def spoilt_ends(match):
    """Yield the honest message with the end of one field corrupted, and everything before it
    valid."""
    for k in places(match):
        cheat, table, honest = match.author(k), match.table_at(k), match.steps[k].message
        for name in ("deck", "argument", "shares", "share", "proof", "hand", "opening", "key"):
            value = getattr(inner(honest), name, b"")
            for lie in (value[:-1], value + b"\0", value[:-32] + b"\xff" * 32):
                if not value or (isinstance(honest, m.Offer | m.Accept)):
                    continue
                raw = cheat.sign(table, lying(honest, name, lie))
                yield Reject(f"{type(honest).__name__}.{name} spoilt", match, k, raw, cheat.seat)
        for at in (11, 51) if isinstance(honest, m.Discard) else ():
            raw = cheat.sign(table, replace(honest, position=at))
            yield Reject("a place that is not there", match, k, raw, cheat.seat)


def rules_broken():
    """Yield entries that the rules refuse: illegal moves, a hand shown wrongly, another match's
    seeds."""
    match = one_hand()
    for k in places(match):
        cheat, table = match.author(k), match.table_at(k)
        if not table.table_id:
            continue
        for message in (
            m.Pass(),
            m.DrawStock(),
            m.TakeUpcard(),
            m.Disclose((bytes(32),) * m.MAX_SEEDS),
            m.Settle(1, 1, 1, m.Winner.HOST),
            m.Knock(b"", b"", tuple(range(11)), None, ((),) * 52, b""),
            m.Spread(tuple(range(10)), ((),) * 52, (m.LayOff(51, 0),) * 52, b""),
        ):
            move = isinstance(message, m.Pass | m.DrawStock | m.TakeUpcard)
            if not move or (table.awaiting, type(message)) not in TRANSITIONS:
                raw = cheat.sign(table, message)
                yield Reject(f"{type(message).__name__} now", match, k, raw, cheat.seat)
    match = two_hands()
    k = match.find(m.Disclose)
    seeds = match.steps[k].message.seeds
    raw = match.author(k).sign(match.table_at(k), m.Disclose((*seeds[:-1], bytes(32))))
    yield Reject("the last seed is another", match, k, raw, match.steps[k].author)
