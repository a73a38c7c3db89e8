"""Check how non-canonical encodings are refused (cases 5 and 40 of tests/campaign/cases.txt): the
class and the code, that table and log are unchanged, and that the honest entry is admitted after
that."""

from itertools import cycle

import pytest

from ginpeer.referee.transitions import Violation
from protocol import messages as m
from protocol.frames import MalformedFrame, decode_frame, enclose
from tests.campaign.frames import toy_match
from tests.cheating.cheat import one_hand, violation
from tests.cheating.lies import inner, lying
from tests.crypto.encodings import NO_ELEMENTS, NO_SCALARS
from tests.fuzz.door import Sitting, stranger_is_refused
from tests.fuzz.protobuf import NOT_UTF8
from tests.matches.variants import mahjong
from tests.net.test_frames import NOT_CANONICAL
from tests.protocol.wire import LENGTH, VARINT, field, write
from tests.toy_group import toy_group

ELEMENTS = {"key": 1, "deck": 104, "hand": 22, "shares": 11, "share": 1, "argument": 8}
"""The largest number of elements at the start of each field; in an argument, scalars follow."""
SCALARS = ("possession", "proof", "opening", "argument")

KINDS = (
    *((one_hand, kind) for kind in (m.DealKey, m.DealDeck, m.DealShuffle, m.DealShares, m.Share)),
    *((one_hand, kind) for kind in (m.Discard, m.Knock, m.Spread)),
    *((mahjong, kind) for kind in (m.Lay, m.TakeDiscards)),
)


def places(message):
    """Yield each 32-byte part of the fields with elements or scalars, as the field's name and the
    part's number, along with encodings that are invalid there."""
    for name in {*ELEMENTS, *SCALARS} & {*message.__dataclass_fields__}:
        for at in range(len(getattr(message, name)) // 32):
            is_element = at < ELEMENTS.get(name, 0)
            yield name, at, NO_ELEMENTS if is_element else NO_SCALARS


@pytest.mark.parametrize(("recorded", "kind"), KINDS, ids=lambda one: one.__name__)
def test_every_part_of_every_field_must_be_a_canonical_element_or_scalar(recorded, kind):
    """Put one of the impossible encodings in every place, and use each encoding somewhere."""
    match = recorded()
    k = match.find(kind)
    cheat, table, honest = match.author(k), match.table_at(k), match.steps[k].message
    turns = {id(odd): cycle(odd.items()) for odd in (NO_ELEMENTS, NO_SCALARS)}
    referee, seen = match.referee_at(k), set()
    for name, at, impossible in places(inner(honest)):
        what, odd = next(turns[id(impossible)])
        value = getattr(inner(honest), name)
        spoilt = value[: 32 * at] + odd + value[32 * at + 32 :]
        raw = cheat.sign(table, lying(honest, name, spoilt))
        if (name, what) not in seen:
            seen.add((name, what))
            violation(match, k, raw, "bad-encoding", by=cheat.seat)
            continue
        with pytest.raises(Violation) as caught:
            referee.admit(raw)
        assert (caught.value.code, caught.value.seat) == ("bad-encoding", cheat.seat)
        assert referee.table is table
    assert seen
    referee.admit(match.entries[k])


@pytest.mark.parametrize("text", NOT_UTF8, ids=bytes.hex)
@pytest.mark.parametrize("number", [10, 11])  # an offer, an acceptance
def test_signed_text_that_is_not_utf8_convicts(number, text):
    match = one_hand()
    k = match.find(m.CutCommit)
    cheat, table = match.author(k), match.table_at(k)
    head = [(1, LENGTH, table.table_id), (2, VARINT, k), (3, LENGTH, table.head)]
    for name in (3, 4) if number == 10 else (2, 3):
        raw = cheat.sign_bytes(write([*head, (number, LENGTH, field(name, LENGTH, text))]))
        violation(match, k, raw, "not-canonical", by=cheat.seat)


@pytest.mark.parametrize("name", NOT_CANONICAL)
def test_a_non_canonical_frame_ends_only_the_connection(name):
    data = NOT_CANONICAL[name]
    with pytest.raises(MalformedFrame) as caught:
        decode_frame(data)
    stream = enclose(data) if data else bytes(4)
    with toy_group():
        match = toy_match()
        for kind in (m.Accept, m.Share):
            sitting = Sitting(match, match.find(kind))
            if len(stream) < 4_000:
                stranger_is_refused(sitting.side, stream, caught.value.code)
            sitting.refuses(stream, caught.value.code)
