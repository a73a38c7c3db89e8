"""What a page draws and says about its log before the log is verified.

`python -m tests.page_verifier.test_drawing` rewrites sentences.txt. Read the diff afterwards.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ginpeer.notation import write_sheet
from ginpeer.record import Record
from ginpeer.store.log import log_bytes, read_log
from tests.matches.golden_logs import FOLDER
from tests.notation.played import played
from tests.notation.test_reading import DEAL, LATE, LINES
from tests.page.pages import page_of
from tests.page.shown import shown
from tests.page_verifier.compare import lacking, node_says

pytestmark = pytest.mark.skipif(lacking() is not None, reason=str(lacking()))

SENTENCES = Path(__file__).with_name("sentences.txt")
TOLD = (
    *("around-the-corner", "classic", "hollywood", "incomplete", "mahjong", "multi-match"),
    *("never-disclosed", "oklahoma-floating", "resigned", "second-deck", "straight", "tedesco"),
    *("tournament", "void-hand"),
)
TYPED = ("mahjong target=120", "oklahoma-floating target=40", "tournament target=30 best-of=3")
PARTLY_KNOWN = (
    b'[Gin "1"]\ndealer host\nguest 3c9c 2d5d 3h5h6h7hQh 8s\nupcard 5c\nt -Qh\nt -Tc\nd -9c',
    b'[Gin "1"]\ndealer host\nguest resigns',
    b'[Gin "1"]\n[Rules "standard\ttarget=1"]\ndealer host\nguest resigns',
)


@cache
def typed_matches() -> tuple[bytes, ...]:
    """Return matches typed by hand. The names of their tags may be in any case."""
    sheets = [played(rules, 1, hands=4, tags=(("rules", rules),)) for rules in TYPED]
    return (*(write_sheet(each).encode() for each in sheets), *PARTLY_KNOWN)


def drawn(*pages: bytes) -> list[dict[str, Any]]:
    """Return the views that these pages draw."""
    asked = [
        {**shown(each), "log": b64encode(Record.read(each).log()).decode("ascii")} for each in pages
    ]
    return node_says("draw.mjs", asked)


def _plain(log: bytes) -> bytes:
    return page_of(log, analysed=False)


def sentences() -> list[str]:
    """Return each kind of sentence in the pages once, with # for cards and N for a number."""
    pages = [_plain((FOLDER / f"{name}.ginlog").read_bytes()) for name in TOLD]
    found: dict[str, None] = {}
    for view in drawn(*pages):
        steps = [
            line for group in view["groups"] for step in group["steps"] for line in step["lines"]
        ]
        dealt = [line for group in view["groups"] for line in group["deal"]]
        for line in (*steps, *dealt, *view["outcome"]):
            cards = re.sub(r"(?:10|[2-9AJQK])[♣♦♥♠](?:,? (?:10|[2-9AJQK])[♣♦♥♠])*", "#", line)
            found[re.sub(r"\d+", "N", re.sub(r"Ada|Ben", "X", cards))] = None
    return sorted(found)


def test_a_page_describes_every_kind_of_step_as_in_the_file() -> None:
    assert sentences() == SENTENCES.read_text("utf-8").splitlines()


def test_a_page_shows_a_hand_when_only_one_seed_is_disclosed() -> None:
    whole = read_log(FOLDER / "standard.ginlog").entries
    both, one = drawn(*(_plain(log_bytes(each)) for each in (whole, whole[:-1])))
    (dealt,) = one["groups"][1]["deal"]
    assert dealt == both["groups"][1]["deal"][0]
    assert dealt.startswith("Ada is dealt: melds ")


def test_a_page_draws_a_typed_match() -> None:
    pages = [*map(_plain, typed_matches())]
    for page, view in zip(pages, drawn(*pages), strict=True):
        assert view["moves"] == shown(page)["moves"]


def test_a_hand_in_which_a_player_resigned_is_not_called_unfinished() -> None:
    (view,) = drawn(_plain((FOLDER / "resigned.ginlog").read_bytes()))
    assert view["sheet"][-1]["how"] == ["Ben resigned.", "Dealt by Ada."]


def test_sentences_about_players_without_names_begin_with_a_capital() -> None:
    head = ('[Gin "1"]', '[Rules "standard target=1"]')
    texts = ["\n".join((*head, *lines)) for lines in (LINES, (*DEAL, "guest resigns"))]
    won, given_up = drawn(*(_plain(text.encode()) for text in texts))
    (hand,) = (group for group in won["groups"] if group["deal"])
    said = [*hand["deal"], hand["result"], *won["outcome"], *given_up["outcome"]]
    begins = [line.split(" ", 2)[:2] for line in said]
    assert begins == [["The", role] for role in ("host", "guest", "host", "host", "guest", "host")]


@pytest.mark.parametrize("late", [LATE, LATE.replace(" target=1", "")])
def test_a_page_of_later_hands_has_no_score_and_no_winner(late: str) -> None:
    page = page_of(late.encode())
    (view,) = drawn(page)
    assert (view["outcome"], view["account"], view["result"]) == ([], [], None)
    assert [row["cells"] for row in view["sheet"]] == [[["18"], ["0"]]]
    assert "scores 18." in view["groups"][-1]["steps"][-1]["lines"][-1]
    assert "begins with hand 3" in page.decode()
    assert "chances&quot;:[]" in page.decode()


if __name__ == "__main__":
    SENTENCES.write_text("".join(f"{each}\n" for each in sentences()), "utf-8")
