"""The page in a real browser, if this machine has one; `python -m tests.page` checks more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.text.position import position_at, position_text
from ginpeer.record import Record
from ginpeer.store.page_log import log_element
from tests import page_build
from tests.page.browser import SIZES, Browser
from tests.page.looked_at import (
    address,
    click,
    complaints,
    look_with_eyes_of,
    outcome,
    settled,
    state,
    text_in,
    walked_by_keys,
)
from tests.page.pages import HOSTILE, golden, hostile, page_of, sheet_page, weak_match
from tests.page.test_page import SCRIPTS


@pytest.fixture
def open_page(show, window: Browser, tmp_path: Path):
    """Return a function that opens the page of a log at a step; the browser must not report any
    problem."""
    window.console()
    window.requests()
    yield lambda log, step="", size="phone": show(page_of(log), step, SIZES[size])
    assert window.alert() is None
    assert complaints(window, tmp_path / "page.html") == []


def test_every_step_can_be_reached_by_keys_and_is_described(open_page) -> None:
    seen = walked_by_keys(open_page(golden("standard")))
    assert seen[0]["where"].startswith("Before the first hand, step 1 of ")
    assert seen[-1]["where"].startswith("After the last hand, step ")
    places = [each["where"] for each in seen]
    assert len(set(places)) == len(places)
    for number, each in enumerate(seen):
        assert each["slider"] == str(number)
        assert each["current"] == 1
        assert not each["wide"]
        if number:
            assert each["live"].startswith(each["where"])
    (knock,) = (each for each in seen if "knocks with 6.\n" in each["sentence"])
    assert "Ada discards 7 of diamonds and knocks with 6." in knock["live"]


def test_hands_and_steps_can_be_reached_by_key_and_by_link(open_page) -> None:
    window = open_page(golden("standard"), "h1s5")
    assert state(window)["where"] == "Hand 1, step 5 of 15"
    for key, where in (
        ("End", "After the last hand, step 3 of 3"),
        ("PageUp", "Hand 1, step 2 of 15"),
        ("PageUp", "Before the first hand, step 1 of 3"),
        ("1", "Hand 1, step 2 of 15"),
        ("ArrowLeft", "Hand 1, step 1 of 15"),
    ):
        window.press(key)
        assert state(window)["where"] == where
    window.run("location.hash = '#h1s9'")
    assert address(window) == "#h1s9"
    assert state(window)["where"] == "Hand 1, step 9 of 15"


def test_one_players_view_hides_what_the_other_draws(open_page) -> None:
    window = open_page(golden("standard"), "h1s7")
    assert state(window)["sentence"] == "Ben draws 8♣ from the stock."
    hidden = "return document.querySelectorAll('#board .seat .back').length"
    assert window.run(hidden) == 0
    look_with_eyes_of(window, 0)
    assert state(window)["sentence"] == "Ben draws a card from the stock."
    assert window.run(hidden) == 11
    assert "8♣ from the stock" not in window.run("return document.body.textContent")
    look_with_eyes_of(window, 1)
    assert state(window)["sentence"] == "Ben draws 8♣ from the stock."


ADVICE = """
const at = (id) => document.getElementById(id).textContent;
return {advice: at('advice'), chance: at('chances'), list:
  [...document.querySelectorAll('#analysis li[data-entry]')].map((item) => item.textContent)}
"""


def test_the_next_mistake_is_reached_by_key_button_and_link_and_explained(open_page) -> None:
    page = open_page(weak_match(), "h1s3")
    listed = {each.partition(": ")[2] for each in page.run(ADVICE)["list"]}
    told = []
    for _ in listed:
        page.press("m")
        told.append(page.run(ADVICE)["advice"])
    assert {each.partition(": ")[2] for each in told} == listed
    where = state(page)["where"]
    page.run("document.getElementById('mistake').click()")
    assert page.run(ADVICE)["advice"] == told[0]
    assert state(page)["where"] != where
    page.press("c")
    firsts = page.run(
        "return [...document.querySelectorAll('#analysis ol > li[data-entry]:first-child span')]"
        ".map((item) => item.textContent)"
    )
    assert page.run(ADVICE)["advice"].partition(": ")[2] in firsts  # of either player
    last = page.run("return document.querySelector('#analysis li:last-child a').hash")
    page.run("document.querySelector('#analysis li:last-child a').click()")
    assert page.run("return location.hash") in ("", last) or state(page)["current"] == 1
    assert page.run(ADVICE)["advice"].partition(": ")[2] in listed


def test_the_chance_to_win_begins_even_and_ends_with_the_winner(open_page) -> None:
    page = open_page(weak_match(), "h1s1")
    label, *axis = page.run("return document.getElementById('chances').innerText").splitlines()
    assert label == "Ada's chance of winning the game: unknown before the first choice."
    assert [each for each in axis if each] == ["100%", "50%", "0%"]
    page.run("location.hash = '#h1s4'")
    settled(page)
    assert page.run(ADVICE)["chance"].startswith("Ada's chance of winning the game: 5")
    page.press("End")
    assert page.run(ADVICE)["chance"].startswith("Ada's chance of winning the game: 0%")
    page.run("document.getElementById('turn').click()")
    assert page.run(ADVICE)["chance"].startswith("Ben's chance of winning the game: 100%")


def test_one_players_view_has_no_advice_for_the_other_player(open_page) -> None:
    page = open_page(weak_match(), "h1s3")
    look_with_eyes_of(page, 0)
    assert "by what Ada saw." in page.run(ADVICE)["chance"]
    for _ in page.run(ADVICE)["list"]:
        page.press("m")
        assert not page.run(ADVICE)["advice"].startswith("For Ben")


MARKED = """
return [...document.querySelectorAll('#moves .cost')]
  .map((each) => [each.textContent, each.parentNode.hash ?? each.parentNode.tagName]);
"""
LISTED = """
return [...document.querySelectorAll(`#analysis ${arguments[0]} li[data-entry] a`)]
  .map((each) => each.hash);
"""


def test_mistakes_are_marked_in_words_in_the_list_of_moves(open_page) -> None:
    page = open_page(weak_match(), "h1s3")
    marked = page.run(MARKED)
    page.press("c")
    worst = address(page)
    costliest = [where for words, where in marked if words == "Costliest mistake"]
    assert costliest == ["SUMMARY", worst]
    assert {words for words, where in marked if where not in costliest} == {"Mistake"}
    assert {where for _, where in marked} - {"SUMMARY"} == set(page.run(LISTED, ""))
    look_with_eyes_of(page, 0)
    seen = {where for _, where in page.run(MARKED)} - {"SUMMARY"}
    assert seen == set(page.run(LISTED, "[data-seat='0']"))


@pytest.mark.parametrize("values", ["{", '{"best":1}', '{"best":[],"close":[],"chances":[7]}'])
def test_a_page_with_a_damaged_analysis_is_drawn_without_it(show, values) -> None:
    page = re.sub(rb'(id="values" hidden>)[^<]*', rb"\1" + values.encode(), page_of(weak_match()))
    window = show(page, "h1s3")
    assert state(window)["where"].startswith("Hand 1, step 3 of ")
    assert window.run(ADVICE)["chance"] == ""


def test_space_plays_the_match_until_another_key_is_pressed(open_page) -> None:
    page = open_page(weak_match(), "h1s3")
    page.press(" ")
    assert text_in(page, "play") == "Pause"
    page.wait(
        "const done = arguments[0], began = Date.now();"
        "const look = () => document.getElementById('where').textContent.includes('step 4')"
        " || Date.now() - began > 20000 ? done() : setTimeout(look, 50); look();"
    )
    assert state(page)["where"].startswith("Hand 1, step 4 of ")
    page.press("ArrowLeft")
    assert text_in(page, "play") == "Play"
    page.press("k")
    assert "knocks with" in state(page)["sentence"]


def test_space_plays_after_a_click_but_presses_a_button_that_tab_reached(open_page) -> None:
    page = open_page(weak_match(), "h1s3", size="desk")
    click(page, "#next")
    assert state(page)["where"].startswith("Hand 1, step 4 of ")
    page.press(" ")
    assert text_in(page, "play") == "Pause"
    page.press(" ")
    page.press("Tab")
    page.press(" ")
    assert state(page)["where"].startswith("Hand 2, ")
    assert text_in(page, "play") == "Play"


ACTS = """
const event = new KeyboardEvent('keydown', {key: arguments[0], bubbles: true, cancelable: true});
return !document.activeElement.dispatchEvent(event);
"""


def test_keys_scroll_the_page_until_the_focus_is_in_the_table(open_page) -> None:
    page = open_page(weak_match(), size="desk")
    keys = ("PageDown", "Home", "k", "1")
    assert [page.run(ACTS, key) for key in (*keys, "ArrowRight")] == [False] * 4 + [True]
    click(page, "#board")
    assert [page.run(ACTS, key) for key in keys] == [True] * 4
    page.run("document.getElementById('save').focus()")
    assert [page.run(ACTS, key) for key in (*keys, "ArrowRight")] == [False] * 4 + [True]


def test_keys_go_on_if_showing_a_step_removes_the_focus(open_page) -> None:
    page = open_page(weak_match(), "h1s2", size="desk")
    page.run("document.querySelector('#moves [aria-current]').focus()")
    page.press("PageDown")
    assert not state(page)["where"].startswith("Hand 1, ")
    page.press("PageUp")  # the list with the link is closed now
    assert state(page)["where"].startswith("Hand 1, ")


def test_a_region_that_will_be_announced_is_there_before_its_text(open_page) -> None:
    page = open_page(golden("standard"))
    regions = "['copied', 'missing', 'outcome'].map((id) => document.getElementById(id))"
    shown = "[each.textContent, each.checkVisibility(), each.offsetHeight]"
    assert page.run(f"return {regions}.map((each) => {shown})") == [["", True, 0]] * 3


def test_the_costliest_mistake_is_a_click_away_from_the_heading(open_page) -> None:
    page = open_page(weak_match(), size="desk")
    click(page, "#worst")
    told = page.run(ADVICE)["advice"]
    assert "was worth" in told
    page.press("ArrowLeft")
    page.press("c")
    assert page.run(ADVICE)["advice"] == told


COPY = """
const [fails, done] = arguments;
let copied = null;
const writeText = async (text) => { if (fails) throw new Error("forbidden"); copied = text; };
const value = fails === null ? undefined : {writeText};
Object.defineProperty(navigator, "clipboard", {value, configurable: true});
const [said, text] = ["copied", "position"].map((id) => document.getElementById(id));
document.getElementById("copy").click();
setTimeout(() => done([said.textContent, copied, text.hidden]), 50);
"""


def test_a_position_is_copied_as_the_text_that_the_program_writes(open_page) -> None:
    page = open_page(golden("standard"), "h1s9")
    text = position_text(position_at(Record.read(golden("standard")), "h1s9"))
    assert page.wait(COPY, False) == ["Copied.", text, True]
    page.press("ArrowRight")
    assert text_in(page, "copied") == ""


@pytest.mark.parametrize("fails", [True, None])
def test_a_position_that_the_browser_will_not_copy_is_shown_and_selected(open_page, fails) -> None:
    page = open_page(golden("incomplete"), "h1s7")
    text = position_text(position_at(Record.read(golden("incomplete")), "h1s7"))
    said, copied, hidden = page.wait(COPY, fails)
    assert "selected" in said
    assert (copied, hidden) == (None, False)
    selected = "const {value, selectionStart: a, selectionEnd: b} = document.activeElement;"
    assert page.run(f"{selected} return value.slice(a, b)") == text
    page.run("document.getElementById('next').click(); document.getElementById('back').click()")
    assert page.run("return document.getElementById('position').hidden")


WALK = """
const count = document.querySelectorAll('#moves li').length;
for (let step = 0; step < count; step++) document.getElementById('next').click();
return document.getElementById('where').textContent;
"""


def test_markup_in_names_is_shown_as_text(open_page) -> None:
    window = open_page(hostile(), "h1s4")
    assert window.run(WALK) == "After the last hand, step 3 of 3"
    count = "return [document.images.length, document.querySelectorAll('script').length]"
    assert window.run(count) == [0, SCRIPTS]
    shown = text_in(window, "board")
    for name in HOSTILE:
        assert name.split("<")[-1].split(">")[-1][-6:] in shown
    assert not state(window)["wide"]


def test_the_page_of_a_forged_log_says_so_in_every_view(open_page) -> None:
    window = open_page(golden("forged-flipped-bit"))
    seen = "return document.querySelector('.banner').getBoundingClientRect().top"
    for place in ("#table", "#moves", "#score", "#proof", "footer"):
        window.run("document.querySelector(arguments[0]).scrollIntoView()", place)
        assert window.run(seen) == 0
    assert window.run("return document.title").startswith("FORGED OR DAMAGED: ")


def test_the_match_can_be_read_without_scripts(open_page) -> None:
    window = open_page(golden("incomplete"))
    try:
        window.scripts(allowed=False)
        window = open_page(golden("incomplete"))
    finally:
        window.scripts(allowed=True)
    assert window.run("return document.getElementById('table').hidden")
    text = window.run("return document.body.innerText")
    assert "guest t 5h" in text
    assert "Still missing from " in text


def test_a_page_that_cannot_be_unpacked_says_so_and_lists_the_moves(show) -> None:
    page = page_of(golden("incomplete"))
    alert = page_build.packed(b"alert(1)")  # no hash in the page's policy allows this script
    window = show(page.replace(page_build.PACKED.read_bytes(), alert))
    assert window.alert() is None
    text = window.run("return document.body.innerText")
    assert "This browser can't draw the table" in text
    assert "guest t 5h" in text
    assert any("violates" in each for each in window.console())


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("forged-flipped-bit", "called Ben."),
        ("incomplete", "Still missing from the host: "),
        ("evidence-illegal-move", "signed the illegal entry."),
    ],
)
def test_the_page_judges_its_own_log(open_page, name: str, last: str) -> None:
    window = open_page(golden(name))
    assert outcome(window).startswith("The log has been checked: ")
    found = text_in(window, "progress")
    assert "The guest: key " in found
    assert last in found[-80:]


def test_the_button_beside_the_outcome_verifies_and_says_what_was_compared(open_page) -> None:
    window = open_page(golden("disclosed-after-hand"), size="desk")
    window.run("document.getElementById('way').click()")
    ended = """
    const [done] = arguments;
    (function again() {
      const {textContent} = document.getElementById('outcome');
      if (textContent.startsWith('The log is verified')) done(true);
      else setTimeout(again, 20);
    })();
    """
    assert window.wait(ended)
    assert window.run(
        "const {top, bottom} = document.getElementById('outcome').getBoundingClientRect();"
        "return top >= 0 && bottom <= innerHeight && document.activeElement.id === 'run'"
    )
    assert text_in(window, "way") == "Check it again here"
    told = text_in(window, "outcome")
    assert "verdict, names, keys, rules, moves and points were compared with the log" in told
    assert told.endswith("hidden in it; ginpeer verify can.")
    found = text_in(window, "progress")
    assert "The guest: key " in found
    assert " won, " in found


def test_a_verification_shows_its_progress_and_can_be_stopped(show) -> None:
    window = show(page_of(weak_match()))
    labels = window.wait(
        """
        const [done] = arguments, run = document.getElementById('run'), seen = [run.textContent];
        run.click();
        new MutationObserver((_, observer) => {
          seen.push(run.textContent);
          if (run.textContent.includes('hand 1')) run.click();
          else if (!run.textContent.startsWith('Stop')) {
            observer.disconnect();
            done([...seen, document.getElementById('outcome').textContent]);
          }
        }).observe(run, {childList: true, characterData: true, subtree: true});
        """
    )
    assert labels[0] == labels[-2] == "Verify here, now"
    assert "Stop (hand 1 of 2)" in labels
    assert labels[-1] == "You stopped this before the whole log was checked."
    assert outcome(window).startswith("The log is verified")


LIES = (
    ("guest d 8c -9c", "guest d 9c -9c", "the moves, line 8"),
    ("55ruo-mglhu", "aaaaa-aaaaa", "the names and keys"),
    ("by 161 points", "by 1 point", "who won, and when the match started"),
    ('">Ben</bdi> <span>by', '">Cay</bdi> <span>by', "the name of the guest"),
)
"""What a page shows, a lie that replaces it, and what Verify then names."""


def test_a_page_that_contradicts_its_log_is_detected(show) -> None:
    page = page_of(golden("standard")).decode()
    for there, instead, _ in LIES:
        assert there in page
        page = page.replace(there, instead)
    window = show(page.encode())
    told = outcome(window)
    assert told.startswith("DON'T TRUST THIS PAGE.")
    for *_, said in LIES:
        assert said in told
    assert window.run("return document.title").startswith("DON'T TRUST THIS PAGE")
    bar = "return document.querySelector('.banner').getBoundingClientRect().top"
    assert window.run(bar) == 0


def test_a_drawn_forged_entry_disappears_when_the_log_is_verified(show) -> None:
    """Before the verdict, the page draws the log as its own text describes it."""
    page = page_of(golden("standard"))
    log = bytearray(golden("standard"))
    log[-20] ^= 1  # a bit in the signature of the last entry
    forged = page.replace(log_element(golden("standard")).encode(), log_element(log).encode())
    window = show(forged, "h1s2")
    window.press("End")
    shown = state(window)["where"]
    assert outcome(window).startswith("DON'T TRUST THIS PAGE.")
    window.press("End")
    assert state(window)["where"] != shown


def test_a_typed_match_is_drawn_but_cannot_be_verified(show) -> None:
    window = show(sheet_page(hands=2), "h2s3")
    assert state(window)["where"].startswith("Hand 2, step 3 of ")
    assert window.run("return document.getElementById('verify')") is None


def test_a_page_with_a_different_code_for_an_illegal_entry_is_not_trusted(show) -> None:
    page = page_of(golden("evidence-bad-proof")).replace(b"(bad-proof)", b"(bad-encoding)")
    assert "the verdict" in outcome(show(page))
