"""Impossible messages are refused, whether a decoder, our own seat or a test makes them.

A decoder never yields a negative number, because the schema has none. Messages still refuse them,
so that it doesn't matter who made a message.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol import entry
from protocol import messages as m
from protocol.entry import encode_body, kind_name
from protocol.frames import MAX_FRAME, Chat, MalformedFrame, Pong, Welcome, decode_frame
from protocol.wire import entry_pb2, frame_pb2

HASH = bytes(32)
OFFER = m.Offer(1, HASH, "Ada", "standard", m.Disclosure.AFTER_MATCH, HASH, 1_700_000_000)
ACCEPT = m.Accept(HASH, "Ben", "standard", HASH)
DISCARD = m.Discard(b"", b"", 0, 0, b"")
KNOCK = m.Knock(b"", b"", (0, 1, 2), None, ((0, 1, 2),), b"")
SPREAD = m.Spread((0, 1, 2), ((0, 1, 2),), (), b"")
LAY = m.Lay(b"", b"", (0, 1, 2), (0, 1, 2), ((0, 1, 2),), (), b"")
SETTLE = m.Settle(1, 100, -3, m.Winner.HOST)
TOSSES = (m.DealCommit(HASH), m.DealKey(HASH, b"", b""), m.DealDeck(b"", b"", b"", b""))

IMPOSSIBLE: list[tuple[object, str, list[object]]] = [
    (OFFER, "version", [0, 2**16]),
    (OFFER, "started", [-1, 2**53]),
    (DISCARD, "position", [-1, 52]),
    (DISCARD, "card", [-1, 52]),
    (KNOCK, "cards", [(-1,), (52,), (0,) * 53]),
    (KNOCK, "discard", [-1, 52]),
    (KNOCK, "melds", [((-1, 0),), ((),) * 53, ((*range(52), 52),), ((5, 4),), ((1, 2, 2, 3),)]),
    (SPREAD, "cards", [(52,), (0,) * 53]),
    (SPREAD, "melds", [((),) * 53, ((5, 5),)]),
    (SPREAD, "layoffs", [(m.LayOff(0, 0),) * 53, (m.LayOff(3, 4),)]),
    (LAY, "positions", [(-1, 0, 1), (0, 0, 1), (2, 1, 0), (0, 1, 52), (0, 1), (0, 1, 2, 3), ()]),
    (LAY, "cards", [(0, 1, 52), (0, 1)]),
    (LAY, "melds", [((),) * 53, ((5, 4),)]),
    (LAY, "adds", [(m.LayOff(0, 0),) * 53]),
    (m.LayOff(0, 0), "meld", [-1, 17]),
    (m.LayOff(0, 0), "card", [-1, 52]),
    (m.TakeDiscards(2, LAY), "count", [1, 32]),
    (SETTLE, "hands", [-1, 2**31]),
    (SETTLE, "host_total", [-(2**31), 2**31]),
    (SETTLE, "guest_total", [-(2**31)]),
    *((each, "name", ["", " A", "A ", "x" * 65, "\u00e4" * 33]) for each in (OFFER, ACCEPT)),
    *((each, "name", [f"A{bad}B" for bad in "\n\x1b\x7f\x9b\xa0"]) for each in (OFFER, ACCEPT)),
    (OFFER, "name", [f"A{bad}B" for bad in "\u200b\u202e\u2066\ufeff\U000e0041\u3000"]),
    *(
        (each, "rules", ["", "x" * 513, "stand\nard", "st\u00e4ndard", "a\x7f"])
        for each in (OFFER, ACCEPT)
    ),
    *((each, "toss", [bytes(length) for length in (1, 31, 33)]) for each in TOSSES),
    *(
        (each, name, [bytes(31), bytes(33)])
        for each in (OFFER, ACCEPT, m.CutCommit(HASH), m.CutValue(HASH), m.CutReveal(HASH), *TOSSES)
        for name in ("key", "nonce", "commitment", "value")
        if getattr(each, name, b"") == HASH
    ),
    (m.Disclose((HASH,)), "seeds", [(bytes(31),), (HASH,) * (m.MAX_SEEDS + 1)]),
    (m.Body(HASH, 7, HASH, m.Pass()), "table", [bytes(31), bytes(33)]),
    (m.Body(HASH, 7, HASH, m.Pass()), "previous", [bytes(31), bytes(33)]),
    (m.Body(HASH, 7, HASH, m.Pass()), "sequence", [-1, 2**32]),
]


@pytest.mark.parametrize(
    ("message", "field", "values"),
    IMPOSSIBLE,
    ids=lambda value: getattr(type(value), "__name__", "") if not isinstance(value, str) else value,
)
def test_a_field_out_of_range_is_refused(message: object, field: str, values: list[object]) -> None:
    for value in values:
        with pytest.raises(m.Malformed) as caught:
            replace(message, **{field: value})  # type: ignore[type-var]
        assert caught.value.code == "malformed"


def test_the_length_of_a_list_is_checked_before_its_cards() -> None:
    """For 30,000 invalid cards, the error is about their number, not about one of them."""
    for build in (
        lambda: replace(KNOCK, cards=(99,) * 30_000),
        lambda: replace(KNOCK, melds=((99,) * 30_000,)),
        lambda: replace(SPREAD, cards=(99,) * 30_000),
        lambda: replace(LAY, positions=(99,) * 30_000),
    ):
        with pytest.raises(m.Malformed, match="there are 30000"):
            build()


@pytest.mark.parametrize("message", [KNOCK, SPREAD, LAY], ids=lambda each: type(each).__name__)
def test_nothing_is_built_from_a_list_that_is_too_long(
    message: m.Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decoder counts before it builds anything, as 64 KiB have room for 32,000 lay-offs."""
    wire = entry_pb2.Body()
    wire.ParseFromString(encode_body(m.Body(HASH, 7, HASH, message)))
    getattr(wire, kind_name(type(message))).melds.extend([b""] * 12_000)

    def built(_: object) -> None:
        raise AssertionError("built of 12,000 melds")

    monkeypatch.setitem(entry._FORMS, "melds", (list, built))
    with pytest.raises(m.Malformed):
        entry.decode_body(wire.SerializeToString(deterministic=True))


# --- what protobuf's Python back-end raises ------------------------------------------------------


class Failing:
    """A protobuf message whose parser fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def ParseFromString(self, data: bytes) -> None:
        raise self.error


PARSER_ERRORS = [
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    RecursionError("maximum recursion depth exceeded"),
]


@pytest.mark.parametrize("error", PARSER_ERRORS, ids=lambda error: type(error).__name__)
def test_any_parser_error_means_that_the_bytes_are_not_canonical(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either of protobuf's back-ends may be installed; tests/fuzz/back_ends.py compares them."""
    monkeypatch.setattr(entry_pb2, "Body", lambda: Failing(error))
    with pytest.raises(entry.NotCanonical):
        entry.decode_body(b"x")
    monkeypatch.setattr(frame_pb2, "Frame", lambda: Failing(error))
    with pytest.raises(MalformedFrame) as caught:
        decode_frame(b"x")
    assert caught.value.code == "frame-not-canonical"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "frame-empty"),
        (b"\xff", "frame-not-canonical"),
        (frame_pb2.Frame(pause=77).SerializeToString(), "pause-malformed"),
        (frame_pb2.Frame(chat="x" * 100_000).SerializeToString(), "chat-too-long"),
        (frame_pb2.Frame(entry=b"").SerializeToString(), "entry-malformed"),
    ],
)
def test_bytes_that_are_not_a_frame_are_refused_with_their_code(data: bytes, code: str) -> None:
    with pytest.raises(MalformedFrame) as caught:
        decode_frame(data)
    assert caught.value.code == code


def test_an_oversized_frame_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_pb2, "Frame", lambda: Failing(AssertionError("parsed")))
    with pytest.raises(MalformedFrame) as caught:
        decode_frame(bytes(MAX_FRAME + 1))
    assert caught.value.code == "frame-too-large"


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: Welcome(0, None, "test", bytes(64)), "versions-malformed"),
        (lambda: Welcome(1, None, "", bytes(64)), "software-malformed"),
        (lambda: Pong(-1), "token-malformed"),
        (lambda: Pong(2**64), "token-malformed"),
        (lambda: Chat(""), "chat-empty"),
    ],
)
def test_a_frame_out_of_range_cannot_be_built(build: object, code: str) -> None:
    with pytest.raises(MalformedFrame) as caught:
        build()  # type: ignore[operator]
    assert caught.value.code == code
