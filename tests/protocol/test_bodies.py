"""Bodies of entries: each has exactly one encoding, and no other bytes are accepted."""

from dataclasses import fields

import pytest

from protocol import messages as m
from protocol.crypto.shuffle import argument_bytes
from protocol.entry import MAX_BODY, NotCanonical, decode_body, encode_body, kind_name
from protocol.messages import Malformed
from protocol.wire import entry_pb2 as pb
from tests.protocol import wire
from tests.protocol.wire import FIXED32, FIXED64, GROUP, LENGTH, VARINT
from tests.refusals import code_of

# Every kind of message.

X, Y, B = b"\x01" * 32, b"\x02" * 32, b"bytes"
EXAMPLES = [
    m.Offer(1, X, "Ada Löwe 🂡", "standard", m.Disclosure.NEVER, Y, 1_700_000_000),
    m.Accept(X, "Ben", "standard target=150", Y),
    m.CutCommit(X),
    m.CutValue(X),
    m.CutReveal(X),
    m.DealCommit(X),
    m.DealKey(X, B, B + B),
    m.DealDeck(B, B, B * 40, B * 50),
    m.DealShuffle(B * 40, B, B, B),
    m.DealShares(B * 30, B),
    m.Pass(),
    m.TakeUpcard(),
    m.DrawStock(),
    m.Share(B, B),
    m.Discard(B * 40, B, 10, 51, B),
    m.Knock(B, B, (0, 51, 13, 26), 0, ((0, 1, 2), (5, 18, 31, 44)), B),
    m.Knock(B, B, (0, 51), None, (), B),
    m.Spread((3, 2, 1), ((7, 8, 9),), (m.LayOff(10, 0), m.LayOff(11, 3)), B),
    m.Resign(),
    m.Settle(7, 130, 245, m.Winner.GUEST),
    m.Disclose((X, Y)),
    m.DealCommit(X, Y),
    m.DealKey(X, B, B + B, Y),
    m.DealDeck(B, B, B * 40, B * 50, Y),
    m.Settle(7, -130, -(2**31) + 1, m.Winner.NOBODY),
    m.Lay(B * 40, B, (0, 51), (51, 13), ((0, 1, 2), (5, 18, 31, 44)), (m.LayOff(51, 16),), B),
    m.TakeDiscards(2, m.Lay(b"", b"", (0,), (0,), (), (m.LayOff(0, 0),), b"")),
]
every_example = pytest.mark.parametrize("message", EXAMPLES, ids=lambda x: type(x).__name__)


def encoded(message, sequence=300):
    return encode_body(m.Body(X, sequence, Y, message))


def refused(data):
    """Check that these bytes aren't accepted as a body. Return the code of the error."""
    return code_of((NotCanonical, Malformed), decode_body, data)


def outer(message):
    """Return the fields of a body: table, sequence, previous, message."""
    return wire.read(encoded(message))


def with_inner(message, inner):
    """Return the body with the bytes of its message replaced."""
    *head, (number, kind, _) = outer(message)
    return wire.write([*head, (number, kind, inner)])


def inner_fields(message):
    return wire.read(outer(message)[-1][2])


def changed(message, values):
    """Return the body with fields of its message replaced by *values*, keyed by field number."""
    inner = [(n, k, values.get(n, v)) for n, k, v in inner_fields(message)]
    return with_inner(message, wire.write(inner))


# One encoding.


def test_there_is_an_example_of_every_kind():
    kinds = {type(message) for message in EXAMPLES}
    assert kinds == set(m.Message.__args__)
    in_schema = {field.name for field in pb.Body.DESCRIPTOR.oneofs_by_name["message"].fields}
    assert {kind_name(kind) for kind in kinds} == in_schema


@every_example
def test_dataclass_and_schema_have_the_same_fields(message):
    part = pb.Body.DESCRIPTOR.fields_by_name[kind_name(type(message))].message_type
    assert [f.name for f in part.fields] == [f.name for f in fields(message)]


@every_example
def test_a_body_is_encoded_minimally_and_in_order_and_reads_back(message):
    data = encoded(message)
    assert decode_body(data) == m.Body(X, 300, Y, message)
    assert wire.write(wire.read(data)) == data
    assert [number for number, _, _ in outer(message)][:3] == [1, 2, 3]
    numbers = [number for number, _, _ in inner_fields(message)]
    assert numbers == sorted(numbers)


def test_empty_messages_and_card_zero_are_still_written():
    assert outer(m.Pass())[-1] == (30, LENGTH, b"")
    assert decode_body(encoded(m.Pass())).message == m.Pass()
    knock = m.Knock(b"", b"", (), 0, (), b"")
    assert inner_fields(knock) == [(4, VARINT, 0)]
    assert decode_body(encoded(knock)).message == knock
    assert decode_body(encoded(m.Knock(b"", b"", (), None, (), b""))).message.discard is None


def test_the_first_entry_leaves_its_number_out():
    data = encoded(m.Pass(), sequence=0)
    assert [number for number, _, _ in wire.read(data)] == [1, 3, 30]
    assert decode_body(data).sequence == 0


# All other encodings.

UNKNOWN = [
    (99, VARINT, 1),
    (99, VARINT, 0),
    (99, LENGTH, b"xyz"),
    (99, FIXED32, b"abcd"),
    (99, FIXED64, b"abcdefgh"),
    (2**29 - 1, VARINT, 1),  # the largest field number
    (19_000, VARINT, 1),  # one that protobuf reserves
]
OTHER_TYPES = {
    VARINT: [(LENGTH, b""), (LENGTH, b"\x05"), (FIXED32, b"\x05\0\0\0"), (FIXED64, b"\x05" * 8)],
    LENGTH: [(VARINT, 5), (VARINT, 0), (FIXED32, b"abcd"), (FIXED64, b"abcdefgh")],
}
REPEATED = {m.Knock: {5}, m.Spread: {2, 3}, m.Lay: {5, 6}, m.Disclose: {1}}
"""The numbers of repeated fields. A value that occurs twice there is a different list."""


def other_encodings(fields, repeated=()):
    """Yield encodings of these fields that no honest encoder writes."""
    for at, each in enumerate(fields):
        before, after = wire.write(fields[:at]), wire.write(fields[at + 1 :])
        for padding in ({"pad_tag": 1}, {"pad_tag": 3}, {"pad_value": 1}, {"pad_value": 5}):
            yield before + wire.field(*each, **padding) + after
        for wrong in OTHER_TYPES[each[1]]:
            yield before + wire.field(each[0], *wrong) + after
        if each[0] not in repeated:
            yield before + wire.write([each, each]) + after
        if at and fields[at - 1][0] != each[0]:
            yield wire.write([*fields[: at - 1], each, fields[at - 1]]) + after
    for at in range(len(fields) + 1):
        for unknown in UNKNOWN:
            yield wire.write([*fields[:at], unknown, *fields[at:]])


@every_example
def test_a_body_has_no_other_encoding(message):
    for data in other_encodings(outer(message)):
        assert refused(data) == "not-canonical"
    for inner in other_encodings(inner_fields(message), REPEATED.get(type(message), ())):
        assert refused(with_inner(message, inner)) == "not-canonical"


def test_a_nested_lay_has_no_other_encoding():
    lay = wire.read(inner_fields(EXAMPLES[26])[1][2])
    for spoilt in (*other_encodings(lay, REPEATED[m.Lay]), wire.write([(1, LENGTH, b""), *lay])):
        inner = wire.write([(1, VARINT, 2), (2, LENGTH, spoilt)])
        assert refused(with_inner(EXAMPLES[26], inner)) == "not-canonical"


def defaults(descriptor, present):
    """Yield the absent fields that have no presence, with their default values."""
    for f in descriptor.fields:
        if f.number not in present and not f.has_presence:
            if f.type in (f.TYPE_BYTES, f.TYPE_STRING):
                yield (f.number, LENGTH, b"")
            else:
                yield (f.number, VARINT, 0)


def test_explicit_defaults_are_refused():
    emptied = [
        m.DealKey(X, b"", b""),
        m.DealDeck(b"", b"", b"", b""),
        m.DealShuffle(b"", b"", b"", b""),
        m.DealShares(b"", b""),
        m.Share(b"", b""),
        m.Discard(b"", b"", 0, 0, b""),
        m.Knock(b"", b"", (), None, ((1, 2, 3),), b""),
        m.Spread((), ((1, 2, 3),), (m.LayOff(1, 1),), b""),
        m.Lay(b"", b"", (0,), (0,), ((1, 2, 3),), (m.LayOff(1, 1),), b""),
        m.Settle(0, 0, 0, m.Winner.HOST),
        m.Offer(1, X, "A", "r", m.Disclosure.NEVER, Y, 0),
    ]
    tried = 0
    for message in emptied:
        assert decode_body(encoded(message)).message == message
        part = pb.Body.DESCRIPTOR.fields_by_name[kind_name(type(message))].message_type
        present = {number for number, _, _ in inner_fields(message)}
        for extra in defaults(part, present):
            inner = sorted([*inner_fields(message), extra], key=lambda each: each[0])
            assert refused(with_inner(message, wire.write(inner))) == "not-canonical"
            tried += 1
    assert tried == 35
    head = [(1, LENGTH, X), (2, VARINT, 0), (3, LENGTH, Y), (30, LENGTH, b"")]
    assert refused(wire.write(head)) == "not-canonical"
    layoff = wire.write([(1, VARINT, 0), (2, VARINT, 1)])
    spread = with_inner(m.Spread((), (), (), B), wire.write([(3, LENGTH, layoff)]))
    assert refused(spread) == "not-canonical"


@every_example
def test_bytes_after_the_end_or_missing_there_are_refused(message):
    data, other = encoded(message), m.Share(B, B) if message == m.Pass() else m.Pass()
    for tail in (b"\0", b"\xff", b"trailing", data[:5], wire.write(outer(other)[-1:])):
        assert refused(data + tail) == "not-canonical"
    for end in range(len(data)):
        assert refused(data[:end])


def test_a_body_without_a_message_or_with_an_unknown_one_is_refused():
    head = outer(m.Pass())[:3]
    for data in (wire.write(head), wire.write([*head, (43, LENGTH, b"")]), b""):
        assert refused(data) == "not-canonical"


# Numbers and strings. test_messages tests the limits of every field.


@pytest.mark.parametrize("number", [2**32, 2**32 + 5, 2**63, 2**64 - 1, 2**64, 2**70])
def test_numbers_too_long_for_their_field_are_refused(number):
    for at, value in ((3, 10), (4, 51)):
        assert {n: v for n, _, v in inner_fields(EXAMPLES[14])}[at] == value
        assert refused(changed(EXAMPLES[14], {at: number})) == "not-canonical"
    body = [(1, LENGTH, X), (2, VARINT, number), (3, LENGTH, Y), (30, LENGTH, b"")]
    assert refused(wire.write(body)) == "not-canonical"


@pytest.mark.parametrize(
    ("message", "at", "number"),
    [
        (EXAMPLES[0], 5, 4),  # disclosure
        (EXAMPLES[0], 5, 2**32 - 1),
        (EXAMPLES[14], 4, 52),  # card
        (EXAMPLES[19], 2, 2**32 - 1),  # zigzag for -2**31
        (EXAMPLES[19], 4, 3),  # winner
    ],
)
def test_numbers_out_of_range_are_refused(message, at, number):
    assert refused(changed(message, {at: number})) == "malformed"


@pytest.mark.parametrize("at", [1, 5])
def test_an_offer_without_version_or_disclosure_is_refused(at):
    inner = [each for each in inner_fields(EXAMPLES[0]) if each[0] != at]
    assert refused(with_inner(EXAMPLES[0], wire.write(inner))) == "malformed"


def test_a_lay_without_a_card_is_refused_alone_and_after_taking():
    empty = [each for each in inner_fields(EXAMPLES[25]) if each[0] not in (3, 4)]
    assert refused(with_inner(EXAMPLES[25], wire.write(empty))) == "malformed"
    for lay in ([(2, LENGTH, wire.write(empty))], [(2, LENGTH, b"")], []):
        inner = wire.write([(1, VARINT, 2), *lay])
        assert refused(with_inner(EXAMPLES[26], inner)) == "malformed"
    without_count = wire.write(inner_fields(EXAMPLES[26])[1:])
    assert refused(with_inner(EXAMPLES[26], without_count)) == "malformed"


def test_totals_below_zero_are_written_zigzag():
    # sint32: 0, -1, 1, -2 are 0, 1, 2, 3, so that small losses stay short.
    assert inner_fields(m.Settle(1, -1, 1, m.Winner.GUEST))[1:3] == [(2, VARINT, 1), (3, VARINT, 2)]
    assert inner_fields(EXAMPLES[24])[1:3] == [(2, VARINT, 259), (3, VARINT, 2**32 - 3)]


def test_the_largest_lay_fits_into_an_entry():
    # A hand of 49 cards, more than is possible, as two are left in the stock and one in the
    # opponent's hand. It is riffled, and all cards are laid.
    cards = tuple(range(49))
    hand, argument = bytes(64 * 49), bytes(argument_bytes(49))
    adds = tuple(m.LayOff(card, 16) for card in cards)
    lay = m.Lay(hand, argument, cards, cards, (), adds, bytes(64))
    melds = tuple(cards[at : at + 3] for at in range(0, 48, 3))
    other = m.Lay(hand, argument, cards, cards, melds, (m.LayOff(48, 16),), bytes(64))
    for message in (m.TakeDiscards(31, lay), m.TakeDiscards(31, other)):
        data = encoded(message, 2**32 - 1)
        assert decode_body(data).message == message
        assert len(data) < 9_000 < MAX_BODY


# Size, depth, chance.


def test_a_body_has_a_maximum_size():
    big = m.DealShares(b"x" * (MAX_BODY - 200), b"")
    assert decode_body(encoded(big)).message == big
    assert refused(encoded(m.DealShares(b"x" * MAX_BODY, b""))) == "not-canonical"


def test_an_entry_discloses_a_limited_number_of_seeds():
    most = m.Disclose(tuple(number.to_bytes(32, "big") for number in range(m.MAX_SEEDS)))
    data = encoded(most, 2**32 - 1)
    assert decode_body(data).message == most
    assert len(data) <= MAX_BODY
    one_more = [*inner_fields(most), inner_fields(most)[0]]
    assert refused(with_inner(most, wire.write(one_more))) == "malformed"


@pytest.mark.parametrize("depth", [1, 101, 10_000])
def test_groups_nested_to_any_depth_are_refused(depth):
    nested = wire.tag(99, GROUP) * depth + wire.tag(99, wire.END_GROUP) * depth
    half = nested[: len(nested) // 2]
    for data in (nested, half, encoded(m.Pass()) + nested, with_inner(m.Pass(), nested)):
        assert refused(data) == "not-canonical"
