"""The page in a real browser, where this machine has one; `python -m tests.page` looks longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ginpeer.page import whole
from tests.page.browser import CHROMIUM, DRIVER, MISSING, SIZES, Browser, browser
from tests.page.looked_at import complaints, state, walked_by_keys
from tests.page.pages import HOSTILE, golden, hostile, page_of, repacked, unpacked
from tests.page.test_page import SCRIPTS

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason=MISSING)


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as made:
        yield made


@pytest.fixture
def opened(window: Browser, tmp_path: Path):
    """Open the page of a log at a step, in the size of a phone; nothing may be complained of."""
    path = tmp_path / "page.html"

    def run(log: bytes, step: str = "", size: str = "phone") -> Browser:
        path.write_bytes(page_of(log))
        window.look(SIZES[size], "light")
        window.open(path, step)
        return window

    window.console()
    window.requests()
    yield run
    assert window.alert() is None
    assert complaints(window, path) == []


def test_every_step_is_reached_by_keys_and_said(opened) -> None:
    seen = walked_by_keys(opened(golden("standard")))
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


def test_hands_and_steps_have_keys_and_addresses(opened) -> None:
    window = opened(golden("standard"), "h1s5")
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
    assert (
        window.wait("const done = arguments[0]; setTimeout(() => done(location.hash), 300)")
        == "#h1s9"
    )
    assert state(window)["where"] == "Hand 1, step 9 of 15"


def test_one_players_eyes_do_not_see_what_the_other_draws(opened) -> None:
    window = opened(golden("standard"), "h1s7")
    assert state(window)["sentence"] == "Ben draws 8♣ from the stock."
    hidden = "return document.querySelectorAll('#board .seat .back').length"
    assert window.run(hidden) == 0
    choose = """
    const eyes = document.getElementById('eyes');
    eyes.value = arguments[0];
    eyes.dispatchEvent(new Event('change'));
    """
    window.run(choose, "0")
    assert state(window)["sentence"] == "Ben draws a card from the stock."
    assert window.run(hidden) == 11
    assert "8♣ from the stock" not in window.run("return document.body.textContent")
    window.run(choose, "1")
    assert state(window)["sentence"] == "Ben draws 8♣ from the stock."


def test_names_that_are_markup_stay_names(opened) -> None:
    window = opened(hostile(), "h1s4")
    walked_by_keys(window)
    count = "return [document.images.length, document.querySelectorAll('script').length]"
    assert window.run(count) == [0, SCRIPTS]
    shown = window.run("return document.getElementById('board').textContent")
    for name in HOSTILE:
        assert name.split("<")[-1].split(">")[-1][-6:] in shown
    assert not state(window)["wide"]


def test_a_forged_log_says_so_in_every_view(opened) -> None:
    window = opened(golden("forged-flipped-bit"))
    seen = "return document.querySelector('.banner').getBoundingClientRect().top"
    for place in ("#table", "#moves", "#score", "#proof", "footer"):
        window.run("document.querySelector(arguments[0]).scrollIntoView()", place)
        assert window.run(seen) == 0
    assert window.run("return document.title").startswith("FORGED OR DAMAGED: ")


def test_without_scripts_the_match_stands_there(opened) -> None:
    window = opened(golden("incomplete"))
    try:
        window.scripts(allowed=False)
        window = opened(golden("incomplete"))
    finally:
        window.scripts(allowed=True)
    assert window.run("return document.getElementById('table').hidden")
    text = window.run("return document.body.innerText")
    assert "Ben takes the upcard, 5♥." in text
    assert "Owed next: " in text


def test_a_page_that_cannot_be_unpacked_says_so_and_tells_the_moves(window, tmp_path) -> None:
    page = repacked(page_of(golden("incomplete")), "table", "alert(1)")  # which no hash lets run
    (tmp_path / "page.html").write_bytes(page)
    window.open(tmp_path / "page.html")
    assert window.alert() is None
    text = window.run("return document.body.innerText")
    assert "This browser can't draw the table" in text
    assert "Ben takes the upcard, 5♥." in text
    assert any("violates" in each for each in window.console())


def test_on_a_phone_what_a_step_says_is_not_under_the_buttons(opened) -> None:
    window = opened(golden("standard"))
    window.look(SIZES["phone"], "light")
    for _ in range(8):
        window.press("ArrowRight")
    assert window.run(
        "const at = (id) => document.getElementById(id).getBoundingClientRect();"
        "return at('told').bottom <= at('controls').top + 1"
    )


@pytest.mark.skipif(whole.verifier() is None, reason="this checkout has no second verifier")
@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("forged-flipped-bit", "called Ben."),
        ("incomplete", "The host comes next and owes "),
        ("evidence-illegal-move", "signed the entry that is not allowed."),
    ],
)
def test_the_page_judges_its_own_log(opened, name: str, last: str) -> None:
    window = opened(golden(name))
    assert outcome(window).startswith("The log has been checked: ")
    found = window.run("return document.getElementById('progress').textContent")
    assert "The guest: key " in found
    assert last in found[-80:]


@pytest.mark.skipif(whole.verifier() is None, reason="this checkout has no second verifier")
def test_a_page_that_agrees_with_its_log_says_how_much_was_compared(opened) -> None:
    window = opened(golden("disclosed-after-hand"))
    told = outcome(window)
    assert (
        "Compared with the log: 20 steps at the table and in words, the points, the names" in told
    )
    assert told.endswith("hidden in it; ginpeer verify does.")
    found = window.run("return document.getElementById('progress').textContent")
    assert "The guest: key " in found
    assert " has won, " in found
    # The other player's eyes change what is shown, and nothing of what is compared.
    window.run(
        "const eyes = document.getElementById('eyes'); eyes.value = '0';"
        "eyes.dispatchEvent(new Event('change'));"
    )
    assert "20 steps at the table" in outcome(window)


@pytest.mark.skipif(whole.verifier() is None, reason="this checkout has no second verifier")
@pytest.mark.parametrize(
    ("there", "instead", "said"),
    [
        ('"x":"Yly|mivUhTs|57"', '"x":"Yly|mivUgTs|57"', "Hand 1, step 6: the cards"),
        ("Ben draws 8♣ from", "Ben draws 9♣ from", "Hand 1, step 7: what is told"),
        ("against 24 and scores 18", "against 24 and scores 28", "Hand 1, step 15: what is told"),
        ("<td>18 <small>18</small>", "<td>18 <small>81</small>", "the score sheet"),
        ("55ruo-mglhu", "aaaaa-aaaaa", "names and keys"),
        ('"Ada","Ben"]', '"Ada","Ben","Cay"]', "how many players there are"),
        ("<bdi>Ada</bdi><td>", "<bdi>Ada ᶜ</bdi><td>", "names and keys"),
    ],
)
def test_a_page_that_says_something_else_than_its_log_is_found_out(
    window, tmp_path, there: str, instead: str, said: str
) -> None:
    page = page_of(golden("standard"))
    (tmp_path / "page.html").write_bytes(altered(page, there, instead))
    window.open(tmp_path / "page.html")
    told = outcome(window)
    assert told.startswith("DO NOT BELIEVE THIS PAGE.")
    assert said in told
    assert window.run("return document.title").startswith("DO NOT BELIEVE THIS PAGE")
    bar = "return document.querySelector('.banner').getBoundingClientRect().top"
    assert window.run(bar) == 0


@pytest.mark.skipif(whole.verifier() is None, reason="this checkout has no second verifier")
def test_another_code_for_an_illegal_entry_is_no_reason_not_to_believe(window, tmp_path) -> None:
    """What fails several checks may be called by any of their codes (PROTOCOL 7.1)."""
    page = page_of(golden("evidence-bad-proof"))
    other = altered(page, "(bad-proof)", "(bad-encoding)")
    (tmp_path / "page.html").write_bytes(other)
    window.open(tmp_path / "page.html")
    assert outcome(window).startswith("The log has been checked: ILLEGAL: ")


def altered(page: bytes, there: str, instead: str) -> bytes:
    """A page in which something else stands, in its text or in the steps."""
    if there.encode() in page:
        return page.replace(there.encode(), instead.encode())
    steps = unpacked(page, "steps")
    assert there in steps
    return repacked(page, "steps", steps.replace(there, instead))


def outcome(window: Browser) -> str:
    """What comes of the button, at the end."""
    said = window.wait(
        """
        const done = arguments[0];
        document.getElementById('run').click();
        const timer = setInterval(() => {
          const text = document.getElementById('outcome').textContent;
          if (text && text !== 'Verifying ...') { clearInterval(timer); done(text); }
        }, 20);
        """
    )
    return str(said)
