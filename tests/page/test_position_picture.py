"""The picture of one step: what it shows, and that it can't run or load anything."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from cli.text.position import position_at, position_picture, position_text
from ginpeer.record import Record
from tests.page.pages import HOSTILE, golden, hostile
from tests.page_verifier.test_positions import WHOLE

SVG = "{http://www.w3.org/2000/svg}"


def drawn(log: bytes, step: str) -> ElementTree.Element:
    return ElementTree.fromstring(position_picture(position_at(Record.read(log), step)))


def texts(picture: ElementTree.Element, *classes: str) -> list[str]:
    found = picture.iter(f"{SVG}text")
    return [str(each.text) for each in found if not classes or each.get("class") in classes]


def test_a_picture_shows_cards_names_and_what_happened() -> None:
    picture = drawn(golden("standard"), "h1s9")
    assert texts(picture, "told") == ["Ada takes the upcard, 9♣."]
    assert texts(picture, "name") == ["Ben", "Ada"]
    assert texts(picture, "tag") == ["dealer · to play"]
    ranks = texts(picture, "rank")
    assert ranks[:10] == ["5", "6", "7", "8", "8", "5", "5", "3", "3", "2"]
    assert len(ranks) == 10 + 1 + 11
    assert len(picture.findall(f".//{SVG}rect[@class='card moved']")) == 1


def test_after_a_knock_the_other_player_is_to_spread() -> None:
    picture = drawn(golden("standard"), "h1s14")
    assert "knocks with 6." in texts(picture, "told")[0]
    assert texts(picture, "tag") == ["to spread", "dealer"]


def test_after_a_resignation_nobody_is_to_play() -> None:
    assert texts(drawn(golden("resigned"), "h1s3"), "tag") == ["dealer"]
    assert texts(drawn(golden("resigned"), "ends1"), "tag") == []


def test_a_picture_shows_only_the_cards_that_everybody_knows() -> None:
    picture = drawn(golden("incomplete"), "h1s7")
    assert texts(picture, "rank") == ["5", "10", "10"]
    assert len(picture.findall(f".//{SVG}rect[@class='back']")) == 10 + 1 + 9
    assert texts(picture, "on-warn bold")[0].startswith("INCOMPLETE: ")


def test_a_picture_of_an_invalid_log_says_so_first() -> None:
    picture = drawn(golden("forged-flipped-bit"), "h1s1")
    assert texts(picture)[0].startswith("FORGED OR DAMAGED: ")


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.deep(keep=4)
def test_a_picture_is_well_formed_and_fits_at_every_step(name: str) -> None:
    record = Record.read(golden(name))
    for number, hand in enumerate(record.hands, 1):
        for at in range(1, len(hand.steps) - 2):
            try:
                position = position_at(record, f"h{number}s{at}")
            except LookupError:
                break
            picture = ElementTree.fromstring(position_picture(position))
            assert picture.findtext(f"{SVG}desc") == position_text(position)
            cards = picture.findall(f".//{SVG}g[@transform]")
            places = [re.findall(r"[-.\d]+", each.attrib["transform"]) for each in cards]
            height = float(picture.attrib["viewBox"].split()[3])
            assert all(0 < float(x) < 400 - 30 and 0 < float(y) < height - 43 for x, y in places)


def test_markup_in_names_is_shown_as_text() -> None:
    step = position_at(Record.read(hostile()), "h1s4")
    content = position_picture(step)
    picture = ElementTree.fromstring(content)
    tags = {each.tag.removeprefix(SVG) for each in picture.iter()}
    assert tags == {"svg", "title", "desc", "style", "rect", "g", "path", "text"}
    names = {name for each in picture.iter() for name in each.attrib}
    assert not any(name.startswith("on") or "href" in name for name in names)
    assert b"url(" not in content
    for name in HOSTILE:
        assert name[-12:].replace('"', "'") in str(picture.findtext(f"{SVG}desc"))
