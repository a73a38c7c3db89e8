"""Entries with several faults: program and page name the same fault (PROTOCOL 7.5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from ginpeer.referee.table import HOST
from ginpeer.rules import moves
from ginpeer.rules.cards import parse_card
from ginpeer.rules.match import View
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.store.log import log_bytes
from protocol import messages as m
from protocol.entry import RawEntry
from tests.cheating.cheat import OtherKey, RecordedMatch, mover, one_hand
from tests.document import PROTOCOL
from tests.document.test_document import table_of
from tests.matches.scenes import (
    ELEVEN,
    LAYING,
    MAHJONG,
    NEAR_GIN,
    ORDINARY,
    Scene,
    given_up,
    seeds_of,
)
from tests.matches.table_pair import TablePair
from tests.matches.variants import lay_of, mahjong
from tests.page_verifier.compare import lacking, page, program

NO_SCALAR = b"\xff" * 32
NO_POINT = b"\xff" * 32

Lie = tuple[str, tuple[bytes, ...]]
"""The code of the first fault, and the log."""


def card(text: str) -> int:
    return int(parse_card(text))


def first(match: RecordedMatch, kind: type[m.Message]) -> tuple[int, Any]:
    """Return the number and the message of the first entry of this kind."""
    k = match.find(kind)
    return k, match.steps[k].message


def in_a_scene(scene: Scene, *lies: tuple[str, m.Message]) -> Iterator[Lie]:
    for code, message in lies:
        yield code, scene.signed(message)


def in_a_match(match: RecordedMatch, k: int, *lies: tuple[str, m.Message]) -> Iterator[Lie]:
    for code, message in lies:
        yield code, (*match.entries[:k], match.author(k).sign(match.table_at(k), message))


def knock_lies() -> Iterator[Lie]:
    scene = Scene.after(NEAR_GIN, ORDINARY, "take")
    fair = scene.knock(["4c5c6c", "9d9h9s"], "Kc")
    runs = fair.melds
    no_meld = (card("Ac"), card("Kc"))
    yield from in_a_scene(
        scene,
        ("wrong-hand", replace(fair, cards=fair.cards[:9], melds=runs * 2)),
        ("card-used-twice", replace(fair, melds=(*runs, runs[0], (card("Td"),)))),
        ("card-not-held", replace(fair, melds=(*runs, (card("Td"),), ()))),
        ("unreadable-move", replace(fair, melds=(*runs, no_meld, ()), discard=None)),
        ("no-discard", replace(fair, melds=(*runs, no_meld), discard=None)),
        ("not-a-meld", replace(scene.knock([], "2d", Qc="Jd"), melds=(no_meld,))),
        ("card-missing", scene.knock([], "2d", Qc="Jd")),
        ("just-taken", scene.knock([], "Qc")),
        ("knock-over-limit", replace(scene.knock([], "2d"), opening=b"", hand=b"")),
    )
    # After two turns, Kc is in the pile, so the guest may not show it.
    pile = Scene.after(NEAR_GIN, ORDINARY, "take", "discard Kc", "draw", "discard Kd", "draw")
    lie = pile.knock(["4c5c6c"], "Ac", **{"2c": "Kc", "Qc": "Jh"})
    yield from in_a_scene(pile, ("card-not-held", lie))
    lie = replace(lie, melds=(*lie.melds, (card("2d"),)))
    yield from in_a_scene(pile, ("not-a-meld", lie))


def spread_lies() -> Iterator[Lie]:
    scene = Scene.after(ELEVEN, ORDINARY, "take", "knock melds 3c4c5c6c 7d7h7s KcKdKhKs")
    fair = scene.spread(("2c", 0))
    two = (card("8d"), card("8h"))
    yield from in_a_scene(
        scene,
        ("wrong-hand", replace(fair, cards=fair.cards[:9], layoffs=fair.layoffs * 2)),
        ("card-used-twice", replace(fair, layoffs=fair.layoffs * 2, melds=((card("Td"),),))),
        ("card-not-held", replace(fair, melds=((card("Td"),), ()))),
        ("unreadable-move", replace(fair, melds=(two, ()))),
        ("not-a-meld", replace(fair, melds=(two,))),
        ("layoff-on-gin", replace(fair, opening=b"")),
    )
    lay = (m.LayOff(card("2c"), 3),)
    shown = tuple(card("Kc") if own == card("Qd") else own for own in fair.cards)
    yield from in_a_scene(
        scene,
        ("not-a-meld", replace(fair, cards=shown, melds=(two,), layoffs=lay)),
        ("card-not-held", replace(fair, cards=shown, layoffs=lay)),
    )


def mahjong_lies() -> Iterator[Lie]:
    scene = Scene.after(LAYING, MAHJONG, "draw")
    knock = scene.knock(["3c4c5c"], "Kc")
    twice = replace(knock, melds=knock.melds * 2)
    fair = scene.lay("3c4c5c")
    run = fair.melds[0]
    pair_of = (card("7d"), card("7h"))
    yield from in_a_scene(
        scene,
        ("wrong-hand", replace(knock, cards=knock.cards[:10])),
        ("card-used-twice", twice),
        ("unreadable-move", replace(knock, melds=((),))),
        ("no-knocking", replace(knock, discard=None)),
        ("no-knocking", replace(knock, melds=(pair_of,))),
        ("card-used-twice", replace(fair, melds=(run, run, pair_of))),
        ("wrong-cards", replace(fair, melds=(run, pair_of, ()))),
        ("unreadable-move", replace(fair, melds=(run[:2], run[2:], ()))),
        ("not-a-meld", replace(fair, melds=(run[:2],), adds=(m.LayOff(run[2], 5),))),
        (
            "add-does-not-fit",
            replace(fair, melds=(), adds=tuple(m.LayOff(each, 0) for each in run), hand=b""),
        ),
    )


def take_lies() -> Iterator[Lie]:
    scene = Scene.after(LAYING, MAHJONG, "draw", "discard Kc")
    fair = scene.taking(2, "TcJcQc")
    lay = fair.lay
    no_melds = replace(lay, melds=tuple((each,) for each in lay.cards))
    without = scene.taking(2, "JcQcKc").lay
    yield from in_a_scene(
        scene,
        ("card-used-twice", replace(fair, count=9, lay=replace(lay, melds=lay.melds * 2))),
        ("wrong-cards", replace(fair, count=9, lay=replace(lay, melds=((), lay.melds[0][:2])))),
        ("unreadable-move", replace(fair, count=9, lay=replace(lay, melds=(*lay.melds, ())))),
        ("pile-too-small", m.TakeDiscards(3, replace(no_melds, hand=b""))),
        (
            "lowest-not-laid",
            m.TakeDiscards(2, replace(without, melds=tuple((c,) for c in without.cards))),
        ),
        ("not-a-meld", replace(fair, lay=replace(no_melds, hand=b""))),
    )
    # In the first turn, the draw must be from the stock.
    match = mahjong()
    k = match.find(m.DrawStock)
    cheat, table = match.author(k), match.table_at(k)
    lay = lay_of(cheat, table, "3c4c5c")
    yield from in_a_match(
        match,
        k,
        ("card-used-twice", m.TakeDiscards(2, replace(lay, melds=lay.melds * 2))),
        ("wrong-cards", m.TakeDiscards(2, replace(lay, melds=()))),
        ("unreadable-move", m.TakeDiscards(2, replace(lay, melds=(*lay.melds, ())))),
        ("wrong-phase", m.TakeDiscards(31, lay)),
    )


def mahjong_end_lies() -> Iterator[Lie]:
    scene = Scene.after(LAYING, MAHJONG, "draw", "lay 3c4c5c6c 7d7h7s KcKdKhKs")
    fair = scene.spread()
    own = fair.cards
    yield from in_a_scene(
        scene,
        ("wrong-hand", replace(fair, cards=own[:9], melds=((own[0],),))),
        ("card-used-twice", replace(fair, layoffs=(m.LayOff(own[0], 0),) * 2)),
        ("card-not-held", replace(fair, layoffs=(m.LayOff(card("Kc"), 0),))),
        ("unreadable-move", replace(fair, melds=((), (own[0],)))),
        ("too-late", replace(fair, cards=(card("Kc"), *own[1:]), melds=((own[1],),))),
        ("card-not-held", replace(fair, cards=(card("Kc"), *own[1:]), opening=b"")),
    )


def malformed_lies() -> Iterator[Lie]:
    """Yield lies that fail check 9, which checks all lengths and encodings before it verifies a
    proof."""
    match = one_hand()
    k, deal = first(match, m.DealDeck)
    unproven = replace(deal, possession=deal.possession[32:] + deal.possession[:32])
    yield from in_a_match(
        match,
        k,
        ("wrong-toss", replace(deal, toss=bytes(32), deck=b"")),
        ("bad-length", replace(unproven, deck=deal.deck[1:], key=NO_POINT)),
        ("bad-encoding", replace(unproven, deck=NO_POINT + deal.deck[32:], argument=b"")),
        ("bad-length", replace(unproven, argument=b"", key=NO_POINT)),
        ("bad-encoding", replace(deal, key=b"", possession=b"")),
        (
            "bad-length",
            replace(deal, possession=deal.possession * 2, deck=deal.deck[64:] + deal.deck[:64]),
        ),
        ("bad-proof", unproven),
    )
    k, shuffle = first(match, m.DealShuffle)
    false = replace(shuffle, argument=shuffle.argument[:-64] + shuffle.argument[-32:] * 2)
    yield from in_a_match(
        match,
        k,
        ("bad-length", replace(false, shares=b"")),
        ("bad-encoding", replace(false, proof=NO_SCALAR * 2)),
        ("bad-encoding", replace(shuffle, shares=bytes(352), proof=b"")),
        ("bad-proof", false),
    )
    k, discard = first(match, m.Discard)
    yield from in_a_match(
        match,
        k,
        ("bad-proof", replace(discard, position=11, opening=b"")),
        ("bad-encoding", replace(discard, opening=NO_SCALAR * 2, hand=b"")),
        ("bad-length", replace(discard, opening=b"", hand=NO_POINT * 22)),
        ("bad-encoding", replace(discard, hand=NO_POINT * 22, argument=b"")),
    )


def swapping(view: View) -> moves.Move:
    """Take the upcard, discard another card, and never knock, so that the hand is soon void."""
    throws = [move for move in view.legal_moves() if isinstance(move, moves.Discard)]
    return throws[0] if throws else moves.TakeUpcard()


def seed_lies() -> Iterator[Lie]:
    """Yield lies about seeds, which are all compared with their commitments before an audit."""
    pair = TablePair("seeds", parse_ruleset("standard first-dealer=host swap-limit=4"))
    guest = pair.guest.seat
    guest._hand_secrets = lambda: OtherKey(  # type: ignore[method-assign]
        guest._seeds[guest.table.hand_number]
    )
    while guest.table.hand_number < 2:
        performer = mover(pair)
        performer.perform(performer.seat.play(swapping(performer.seat.view())))
    seeds = pair.guest.seeds
    for code, second in (("seed-mismatch", bytes(32)), ("audit-failed", seeds[2])):
        lie = m.Disclose((seeds[1], second))
        yield (
            code,
            given_up(pair, pair.host.seat.entries, seeds_of(pair, HOST), lambda _, lie=lie: lie),
        )


GROUPS = (
    knock_lies,
    spread_lies,
    mahjong_lies,
    take_lies,
    mahjong_end_lies,
    malformed_lies,
    seed_lies,
)


@pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
@pytest.mark.deep(keep=1)
def test_program_and_page_name_the_same_fault_first(group: Callable[[], Iterator[Lie]]) -> None:
    lies = list(group())
    answers = page([log_bytes(entries) for _, entries in lies])
    for number, ((code, entries), answer) in enumerate(zip(lies, answers, strict=True)):
        assert program(log_bytes(entries))["code"] == code, number
        assert answer["verdict"]["code"] == code, number


def test_the_order_in_the_document_has_every_code_of_the_rules_and_no_other() -> None:
    table = PROTOCOL.split("\n\n7.5 ")[1].split("*Check 9.*")[0]
    rows = [line for line in table.split("\n") if line.startswith("| `")]
    ordered = {code for row in rows for code in re.findall(r"`([a-z-]+)`", row)}
    assert ordered == {code for code, (check, *_) in table_of("11.1").items() if check == "8"}
    for number, group in enumerate(GROUPS):
        for code, entries in group() if number < 5 else ():
            kind = RawEntry.split(entries[-1]).decode().message
            row = next(row for row in rows if f"`{type(kind).__name__}`" in row)
            assert f"`{code}`" in row
