"""Bodies of entries: each has exactly one encoding, and no other bytes are accepted."""

import os
import subprocess
import sys
from dataclasses import fields

import pytest
from google.protobuf.internal import api_implementation
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import messages as m
from protocol.crypto.shuffle import argument_bytes
from protocol.entry import MAX_BODY, NotCanonical, decode_body, encode_body, kind_name
from protocol.messages import Malformed
from protocol.wire import entry_pb2 as pb
from tests.protocol import wire
from tests.protocol.wire import FIXED32, FIXED64, GROUP, LENGTH, VARINT

# Every kind of message.

hashes = st.binary(min_size=32, max_size=32)
blobs = st.binary(max_size=80)
cards = st.integers(0, 51)
melds = st.lists(st.sets(cards, max_size=5).map(lambda meld: tuple(sorted(meld))), max_size=4).map(
    tuple
)
shown = st.lists(cards, max_size=11).map(tuple)
rules = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=60)


def is_name(text):
    try:
        m.check_name(text)
    except Malformed:
        return False
    return True


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(is_name)
numbers = st.integers(0, 2**31 - 1)
totals = st.integers(1 - 2**31, 2**31 - 1)
tosses = st.just(b"") | hashes


def layoffs(melds):
    """Return cards on melds with a number below this."""
    cards_on_melds = st.builds(m.LayOff, cards, st.integers(0, melds - 1))
    return st.lists(cards_on_melds, max_size=5).map(tuple)


def lay_of(opened):
    """Return a lay that opens these cards at these positions."""
    positions, shown = tuple(sorted(opened)), tuple(opened.values())
    return st.builds(
        m.Lay, blobs, blobs, st.just(positions), st.just(shown), melds, layoffs(17), blobs
    )


lays = st.dictionaries(st.integers(0, 51), cards, min_size=1, max_size=6).flatmap(lay_of)

MESSAGES = {
    m.Offer: st.builds(
        m.Offer,
        version=st.integers(1, 2**16 - 1),
        key=hashes,
        name=names,
        rules=rules,
        disclosure=st.sampled_from(m.Disclosure),
        nonce=hashes,
        started=st.integers(0, 2**53 - 1),
    ),
    m.Accept: st.builds(m.Accept, key=hashes, name=names, rules=rules, nonce=hashes),
    m.CutCommit: st.builds(m.CutCommit, hashes),
    m.CutValue: st.builds(m.CutValue, hashes),
    m.CutReveal: st.builds(m.CutReveal, hashes),
    m.DealCommit: st.builds(m.DealCommit, hashes, tosses),
    m.DealKey: st.builds(m.DealKey, hashes, blobs, blobs, tosses),
    m.DealDeck: st.builds(m.DealDeck, blobs, blobs, blobs, blobs, tosses),
    m.DealShuffle: st.builds(m.DealShuffle, blobs, blobs, blobs, blobs),
    m.DealShares: st.builds(m.DealShares, blobs, blobs),
    m.Pass: st.just(m.Pass()),
    m.TakeUpcard: st.just(m.TakeUpcard()),
    m.DrawStock: st.just(m.DrawStock()),
    m.Share: st.builds(m.Share, blobs, blobs),
    m.Discard: st.builds(m.Discard, blobs, blobs, cards, cards, blobs),
    m.Knock: st.builds(m.Knock, blobs, blobs, shown, st.none() | cards, melds, blobs),
    m.Spread: st.builds(m.Spread, shown, melds, layoffs(4), blobs),
    m.Lay: lays,
    m.TakeDiscards: st.builds(m.TakeDiscards, st.integers(2, 31), lays),
    m.Resign: st.just(m.Resign()),
    m.Settle: st.builds(m.Settle, numbers, totals, totals, st.sampled_from(m.Winner)),
    m.Disclose: st.builds(m.Disclose, st.lists(hashes, max_size=4).map(tuple)),
}
bodies = st.builds(
    m.Body,
    table=hashes,
    sequence=st.integers(0, 2**32 - 1),
    previous=hashes,
    message=st.one_of(*MESSAGES.values()),
)

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


def refused(data, *errors):
    """Check that these bytes aren't a body; return the code."""
    with pytest.raises(errors or (NotCanonical, Malformed)) as caught:
        decode_body(data)
    return caught.value.code


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
    """Return the body with these fields of its message replaced, by their numbers."""
    inner = [(n, k, values.get(n, v)) for n, k, v in inner_fields(message)]
    return with_inner(message, wire.write(inner))


# One encoding.


@settings(deadline=None, max_examples=150)
@given(bodies)
def test_every_body_reads_back(body):
    data = encode_body(body)
    assert decode_body(data) == body
    assert encode_body(decode_body(data)) == data


def test_there_is_an_example_and_a_strategy_of_every_kind():
    kinds = {type(message) for message in EXAMPLES}
    assert kinds == set(MESSAGES) == set(m.Message.__args__)
    in_schema = {field.name for field in pb.Body.DESCRIPTOR.oneofs_by_name["message"].fields}
    assert {kind_name(kind) for kind in kinds} == in_schema


@every_example
def test_dataclass_and_schema_have_the_same_fields(message):
    part = pb.Body.DESCRIPTOR.fields_by_name[kind_name(type(message))].message_type
    assert [f.name for f in part.fields] == [f.name for f in fields(message)]


@every_example
def test_an_encoding_is_minimal_and_in_order(message):
    data = encoded(message)
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


@every_example
def test_padded_varints_are_refused(message):
    for i, (number, kind, value) in enumerate(outer(message)):
        rest = [wire.field(*each) for each in outer(message)]
        for padding in ({"pad_tag": 1}, {"pad_tag": 3}, {"pad_value": 1}, {"pad_value": 4}):
            rest[i] = wire.field(number, kind, value, **padding)
            assert refused(b"".join(rest), NotCanonical) == "not-canonical"
    for i, (number, kind, value) in enumerate(inner_fields(message)):
        rest = [wire.field(*each) for each in inner_fields(message)]
        for padding in ({"pad_tag": 1}, {"pad_value": 1}, {"pad_value": 5}):
            rest[i] = wire.field(number, kind, value, **padding)
            assert refused(with_inner(message, b"".join(rest)), NotCanonical) == "not-canonical"


UNKNOWN = [
    (99, VARINT, 1),
    (99, VARINT, 0),
    (99, LENGTH, b"xyz"),
    (99, FIXED32, b"abcd"),
    (99, FIXED64, b"abcdefgh"),
    (2**29 - 1, VARINT, 1),  # the largest field number
    (19_000, VARINT, 1),  # one that protobuf reserves
]


@every_example
def test_unknown_fields_are_refused_in_any_place(message):
    for unknown in UNKNOWN:
        for place in range(len(outer(message)) + 1):
            body = outer(message)
            body.insert(place, unknown)
            assert refused(wire.write(body), NotCanonical) == "not-canonical"
        for place in range(len(inner_fields(message)) + 1):
            inner = inner_fields(message)
            inner.insert(place, unknown)
            assert refused(with_inner(message, wire.write(inner)), NotCanonical)


@every_example
def test_duplicate_fields_are_refused(message):
    for i in range(len(outer(message))):
        body = outer(message)
        body.insert(i, body[i])
        assert refused(wire.write(body), NotCanonical)
    number = outer(message)[-1][0]
    assert refused(encoded(message) + wire.field(number, LENGTH, b""), NotCanonical)
    repeated = {m.Knock: {5}, m.Spread: {2, 3}, m.Lay: {5, 6}, m.Disclose: {1}}.get(
        type(message), set()
    )
    for i, (number, _, _) in enumerate(inner_fields(message)):
        inner = inner_fields(message)
        inner.insert(i, inner[i])
        if number in repeated:  # this is a different list, and not a second encoding of this one
            assert decode_body(with_inner(message, wire.write(inner))).message != message
        else:
            assert refused(with_inner(message, wire.write(inner)), NotCanonical)


@every_example
def test_reordered_fields_are_refused(message):
    for i in range(1, len(outer(message))):
        body = outer(message)
        body[i - 1], body[i] = body[i], body[i - 1]
        assert refused(wire.write(body), NotCanonical) == "not-canonical"
    for i in range(1, len(inner_fields(message))):
        inner = inner_fields(message)
        if inner[i - 1][0] != inner[i][0]:
            inner[i - 1], inner[i] = inner[i], inner[i - 1]
            assert refused(with_inner(message, wire.write(inner)), NotCanonical)


@every_example
def test_a_wrong_wire_type_is_refused(message):
    other = {
        VARINT: [
            (LENGTH, b""),
            (LENGTH, b"\x05"),
            (FIXED32, b"\x05\0\0\0"),
            (FIXED64, b"\x05" * 8),
        ],
        LENGTH: [(VARINT, 5), (VARINT, 0), (FIXED32, b"abcd"), (FIXED64, b"abcdefgh")],
    }
    for i, (number, kind, _) in enumerate(outer(message)):
        for wrong in other[kind]:
            body = outer(message)
            body[i] = (number, *wrong)
            assert refused(wire.write(body), NotCanonical)
    for i, (number, kind, _) in enumerate(inner_fields(message)):
        for wrong in other[kind]:
            inner = inner_fields(message)
            inner[i] = (number, *wrong)
            assert refused(with_inner(message, wire.write(inner)), NotCanonical)


def defaults(descriptor, present):
    """Return absent fields without presence, written with their default value."""
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
        part = pb.Body.DESCRIPTOR.fields_by_name[kind_name(type(message))].message_type
        present = {number for number, _, _ in inner_fields(message)}
        for extra in defaults(part, present):
            inner = sorted([*inner_fields(message), extra], key=lambda each: each[0])
            assert refused(with_inner(message, wire.write(inner)), NotCanonical)
            tried += 1
    assert tried == 35
    head = [(1, LENGTH, X), (2, VARINT, 0), (3, LENGTH, Y), (30, LENGTH, b"")]
    assert refused(wire.write(head), NotCanonical)
    layoff = wire.write([(1, VARINT, 0), (2, VARINT, 1)])
    assert refused(
        with_inner(m.Spread((), (), (), B), wire.write([(3, LENGTH, layoff)])), NotCanonical
    )


@every_example
def test_bytes_after_the_end_are_refused(message):
    for tail in (b"\0", b"\0\0", b"\xff", b"trailing", encoded(message)[:5]):
        assert refused(encoded(message) + tail) == "not-canonical"


@every_example
def test_two_messages_in_one_body_are_refused(message):
    for other in (m.Pass(), m.Share(B, B)):
        if type(other) is not type(message):
            second = outer(other)[-1]
            assert refused(wire.write([*outer(message), second])) == "not-canonical"
            both = [*outer(message)[:-1], second, outer(message)[-1]]
            assert refused(wire.write(both), NotCanonical)


@every_example
def test_a_truncated_body_is_refused(message):
    data = encoded(message)
    for end in range(len(data)):
        assert refused(data[:end])


def test_a_body_without_a_message_or_with_an_unknown_one_is_refused():
    head = outer(m.Pass())[:3]
    assert refused(wire.write(head), NotCanonical)
    assert refused(wire.write([*head, (43, LENGTH, b"")]), NotCanonical)
    assert refused(b"", NotCanonical)


# Numbers and texts.


@pytest.mark.parametrize("number", [2**32, 2**32 + 5, 2**63, 2**64 - 1, 2**64, 2**70])
def test_numbers_too_long_for_their_field_are_refused(number):
    for at, value in ((3, 10), (4, 51)):
        assert {n: v for n, _, v in inner_fields(EXAMPLES[14])}[at] == value
        assert refused(changed(EXAMPLES[14], {at: number}), NotCanonical)
    body = [(1, LENGTH, X), (2, VARINT, number), (3, LENGTH, Y), (30, LENGTH, b"")]
    assert refused(wire.write(body), NotCanonical)


@pytest.mark.parametrize(
    ("message", "at", "number"),
    [
        (EXAMPLES[0], 1, 2**16),  # version
        (EXAMPLES[0], 5, 4),  # disclosure
        (EXAMPLES[0], 5, 2**32 - 1),
        (EXAMPLES[0], 7, 2**53),  # started
        (EXAMPLES[0], 7, 2**64 - 1),
        (EXAMPLES[14], 3, 52),  # position
        (EXAMPLES[14], 4, 52),  # card
        (EXAMPLES[14], 4, 2**32 - 1),
        (EXAMPLES[15], 4, 52),  # the knock's discard
        (EXAMPLES[19], 1, 2**31),
        (EXAMPLES[19], 2, 2**32 - 1),  # zigzag for -2**31
        (EXAMPLES[19], 3, 2**32 - 1),
        (EXAMPLES[26], 1, 1),  # how many are taken
        (EXAMPLES[26], 1, 32),
        (EXAMPLES[19], 4, 3),  # winner
    ],
)
def test_numbers_out_of_range_are_refused(message, at, number):
    assert refused(changed(message, {at: number}), Malformed) == "malformed"


@pytest.mark.parametrize("at", [1, 5])
def test_an_offer_without_version_or_disclosure_is_refused(at):
    inner = [each for each in inner_fields(EXAMPLES[0]) if each[0] != at]
    assert refused(with_inner(EXAMPLES[0], wire.write(inner)), Malformed)


@pytest.mark.parametrize("card", [52, 128, 255])
def test_cards_beyond_the_deck_are_refused(card):
    bad = bytes([1, card])
    for message, at in ((EXAMPLES[15], 3), (EXAMPLES[15], 5), (EXAMPLES[17], 1), (EXAMPLES[17], 2)):
        inner = [*inner_fields(message)]
        place = next(i for i, each in enumerate(inner) if each[0] == at)
        inner[place] = (at, LENGTH, bad)
        assert refused(with_inner(message, wire.write(inner)), Malformed) == "malformed"
    layoff = wire.write([(1, VARINT, card)])
    assert refused(with_inner(EXAMPLES[17], wire.write([(3, LENGTH, layoff)])), Malformed)


@pytest.mark.parametrize("meld", [bytes([5, 4]), bytes([5, 5]), bytes([1, 2, 2, 3])])
def test_melds_out_of_order_are_refused(meld):
    for message, at in ((EXAMPLES[15], 5), (EXAMPLES[17], 2)):
        inner = [(at, LENGTH, meld)]
        assert refused(with_inner(message, wire.write(inner)), Malformed) == "malformed"


def test_a_layoff_names_one_of_four_melds_at_most():
    layoff = wire.write([(1, VARINT, 3), (2, VARINT, 4)])
    assert refused(with_inner(EXAMPLES[17], wire.write([(3, LENGTH, layoff)])), Malformed)


def test_a_card_is_added_to_one_of_seventeen_melds_at_most():
    add = wire.write([(1, VARINT, 3), (2, VARINT, 17)])
    assert refused(changed(EXAMPLES[25], {6: add}), Malformed) == "malformed"


@pytest.mark.parametrize(
    ("positions", "cards"),
    [
        ([1, 0], [51, 13]),
        ([0, 0], [51, 13]),
        ([0, 52], [51, 13]),
        ([0, 51], [51, 52]),
        ([0, 51], [51]),
        ([0], [51, 13]),
        ([0, 50, 51], [51, 13]),
    ],
)
def test_a_lay_names_a_card_for_each_of_its_ascending_positions(positions, cards):
    body = changed(EXAMPLES[25], {3: bytes(positions), 4: bytes(cards)})
    assert refused(body, Malformed) == "malformed"


def test_a_lay_without_a_card_is_refused_alone_and_after_taking():
    empty = [each for each in inner_fields(EXAMPLES[25]) if each[0] not in (3, 4)]
    assert refused(with_inner(EXAMPLES[25], wire.write(empty)), Malformed) == "malformed"
    for lay in ([(2, LENGTH, wire.write(empty))], [(2, LENGTH, b"")], []):
        inner = wire.write([(1, VARINT, 2), *lay])
        assert refused(with_inner(EXAMPLES[26], inner), Malformed) == "malformed"
    without_count = wire.write(inner_fields(EXAMPLES[26])[1:])
    assert refused(with_inner(EXAMPLES[26], without_count), Malformed) == "malformed"


def test_a_nested_lay_must_be_canonical_too():
    lay = wire.read(inner_fields(EXAMPLES[26])[1][2])
    for spoilt in (
        [(1, LENGTH, b""), *lay],  # an explicit default
        [*lay, (99, VARINT, 1)],
        [*lay, (7, LENGTH, b"")],
        lay[::-1],
        [lay[0], *lay],
    ):
        inner = wire.write([(1, VARINT, 2), (2, LENGTH, wire.write(spoilt))])
        assert refused(with_inner(EXAMPLES[26], inner), NotCanonical) == "not-canonical"


@pytest.mark.parametrize("length", [1, 31, 33, 64])
def test_half_a_toss_must_have_32_bytes_or_be_empty(length):
    for example, at in ((21, 2), (22, 4), (23, 5)):
        body = changed(EXAMPLES[example], {at: bytes(length)})
        assert refused(body, Malformed) == "malformed"


def test_totals_below_zero_are_written_zigzag():
    # sint32: 0, -1, 1, -2 are 0, 1, 2, 3, so that small losses stay short.
    assert inner_fields(m.Settle(1, -1, 1, m.Winner.GUEST))[1:3] == [(2, VARINT, 1), (3, VARINT, 2)]
    assert inner_fields(EXAMPLES[24])[1:3] == [(2, VARINT, 259), (3, VARINT, 2**32 - 3)]


def test_the_largest_lay_fits_into_an_entry():
    # A hand of 49 cards, more than is possible: two are left in the stock and one in the opponent's
    # hand. It is riffled, and all of it laid after taking as many cards as possible.
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


BAD_UTF8 = {
    "lone continuation": b"A\x80",
    "cut off": b"A\xe2\x82",
    "overlong": b"\xc0\xaf",
    "surrogate": b"\xed\xa0\x80",
    "beyond unicode": b"\xf4\x90\x80\x80",
    "latin-1": b"L\xf6we",
}


@pytest.mark.parametrize("text", BAD_UTF8.values(), ids=BAD_UTF8)
@pytest.mark.parametrize(("message", "at"), [(EXAMPLES[0], 3), (EXAMPLES[0], 4), (EXAMPLES[1], 2)])
def test_bad_utf8_is_refused(text, message, at):
    assert refused(changed(message, {at: text}), NotCanonical) == "not-canonical"


@pytest.mark.parametrize(
    "name",
    [
        *("", " A", "A ", "x" * 65, "ä" * 33, "A\nB", "A\x1b[31m", "A\x7f", "A\x9b31m", "A\u200b"),
        *("A\u202eB", "A\u2066B", "A\ufeff", "A\U000e0041", "A\u00a0B", "A\u3000B"),
    ],
)
def test_names_that_could_steer_a_terminal_are_refused(name):
    with pytest.raises(Malformed):
        m.check_name(name)
    for message, at in ((EXAMPLES[0], 3), (EXAMPLES[1], 2)):
        text = name.encode()
        inner = [(n, k, text if n == at else v) for n, k, v in inner_fields(message)]
        if not text:
            inner = [each for each in inner if each[0] != at]
        assert refused(with_inner(message, wire.write(inner)), Malformed) == "malformed"


@settings(deadline=None)
@given(st.text(max_size=80))
def test_a_name_is_refused_or_cleaned_into_a_valid_one(typed):
    try:
        cleaned = m.clean_name(typed)
    except Malformed:
        return
    m.check_name(cleaned)
    assert m.clean_name(cleaned) == cleaned


@pytest.mark.parametrize("text", ["", "x" * 513, "stand\nard", "ständard", "a\x7f"])
def test_rules_are_printable_ascii(text):
    for message, at in ((EXAMPLES[0], 4), (EXAMPLES[1], 3)):
        inner = [(n, k, text.encode() if n == at else v) for n, k, v in inner_fields(message)]
        inner = [each for each in inner if each[2] != b""]
        assert refused(with_inner(message, wire.write(inner)), Malformed) == "malformed"


@every_example
def test_fields_of_fixed_length_must_have_that_length(message):
    for at in (1, 3):
        for wrong in (X + b"\0", X[:-1]):
            body = [(n, k, wrong if n == at else v) for n, k, v in outer(message)]
            assert refused(wire.write(body), Malformed) == "malformed"
    for number, kind, value in inner_fields(message):
        if kind == LENGTH and value in (X, Y):
            for wrong in (value + b"\0", value[:-1]):
                assert refused(changed(message, {number: wrong}), Malformed) == "malformed"


# Size, depth, chance.


def test_a_body_has_a_maximum_size():
    big = m.DealShares(b"x" * (MAX_BODY - 200), b"")
    assert decode_body(encoded(big)).message == big
    assert refused(encoded(m.DealShares(b"x" * MAX_BODY, b"")), NotCanonical) == "not-canonical"


def test_an_entry_discloses_a_limited_number_of_seeds():
    most = m.Disclose(tuple(number.to_bytes(32, "big") for number in range(m.MAX_SEEDS)))
    data = encoded(most, 2**32 - 1)
    assert decode_body(data).message == most
    assert len(data) <= MAX_BODY
    one_more = [*inner_fields(most), inner_fields(most)[0]]
    assert refused(with_inner(most, wire.write(one_more)), Malformed) == "malformed"


@pytest.mark.parametrize(
    ("message", "at", "one"),
    [
        (EXAMPLES[15], 3, None),  # the cards of a knock
        (EXAMPLES[15], 5, b"\1\2\3"),
        (EXAMPLES[17], 1, None),  # of a spread
        (EXAMPLES[17], 2, b"\1\2\3"),
        (EXAMPLES[17], 3, b""),
        (EXAMPLES[25], 5, b"\1\2\3"),  # of a lay
        (EXAMPLES[25], 6, b""),
    ],
)
def test_no_list_is_longer_than_the_deck(message, at, one):
    """A list of thirty thousand items, as many as fit in an entry, isn't even built."""
    others = [each for each in inner_fields(message) if each[0] != at]

    def listing(count):
        values = [bytes(count)] if one is None else [one] * count
        listed = [*others, *((at, LENGTH, value) for value in values)]
        return with_inner(message, wire.write(sorted(listed, key=lambda each: each[0])))

    assert type(decode_body(listing(52)).message) is type(message)
    for count in (53, 12_000):
        assert refused(listing(count), Malformed) == "malformed"


@pytest.mark.parametrize("depth", [1, 99, 101, 1000, 30_000])
def test_groups_nested_to_any_depth_are_refused(depth):
    nested = wire.tag(99, GROUP) * depth + wire.tag(99, wire.END_GROUP) * depth
    for data in (
        nested,
        nested[: len(nested) // 2],
        encoded(m.Pass()) + nested,
        with_inner(m.Pass(), nested),
    ):
        if len(data) <= MAX_BODY:
            assert refused(data, NotCanonical) == "not-canonical"


def test_many_empty_parts_are_refused():
    many = wire.write([(3, LENGTH, b"")] * 20_000)
    assert refused(with_inner(EXAMPLES[17], many), Malformed)
    assert refused(with_inner(m.Pass(), many), NotCanonical)


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=200))
def test_random_bytes_are_refused(data):
    assert refused(data)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(EXAMPLES), st.data())
def test_a_changed_byte_is_refused_or_changes_the_message(message, data):
    body = bytearray(encoded(message))
    body[data.draw(st.integers(0, len(body) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        read = decode_body(bytes(body))
    except (NotCanonical, Malformed):
        return
    assert encode_body(read) == bytes(body)
    assert read != m.Body(X, 300, Y, message)


# Both protobuf back-ends.


@pytest.mark.skipif(
    api_implementation.Type() == "python", reason="this is the run that the other back-end does"
)
@pytest.mark.deep
def test_these_tests_pass_with_the_python_back_end_of_protobuf():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", __file__],
        env={**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
