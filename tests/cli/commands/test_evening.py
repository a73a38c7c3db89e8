"""Exporting several matches as one page, and verifying that page."""

from __future__ import annotations

import json
import os
import re
import time
from datetime import datetime

import pytest

from ginpeer.net.in_process import ADDRESS
from ginpeer.record import Record
from ginpeer.store import Home
from ginpeer.store.log import LogReader, log_bytes
from ginpeer.store.match_files import MatchNotes
from ginpeer.store.page_log import log_element, logs_in_page
from tests.json_schema import faults
from tests.page.pages import (
    HOSTILE,
    PLAYERS,
    evening_logs,
    evening_match,
    evening_of,
    golden,
    page_of,
)

pytestmark = pytest.mark.usefixtures("in_the_toy_group")

SAME = "byte for byte.\n"


@pytest.fixture
def run(run, monkeypatch, tmp_path):
    """Return a function that runs a command in a folder that contains the logs of an evening."""
    monkeypatch.chdir(tmp_path)
    for at, log in enumerate(evening_logs(), 1):
        (tmp_path / f"{at}.ginlog").write_bytes(log)
    return run


def plain(*logs: bytes) -> str:
    """Return the page of these logs, without analyses."""
    return evening_of(*logs, analysed=False).decode()


def test_several_logs_make_one_page_in_any_order(run, tmp_path) -> None:
    status, out, _ = run("export", "3.ginlog", "1.ginlog", "4.ginlog", "2.ginlog", "all.html")
    assert status == 3
    assert out.startswith("Match 4: INCOMPLETE: ")
    assert out.endswith("Written: all.html\n")
    page = (tmp_path / "all.html").read_bytes()
    assert page == evening_of(*evening_logs())
    assert logs_in_page(page, "all.html") == evening_logs()
    status, out, err = run("export", "1.ginlog", "2.ginlog", "none/all.html", "--no-analysis")
    assert (status, out, "Couldn't write" in err) == (70, "", True)


def test_results_are_totalled_for_each_pair_of_keys() -> None:
    page = plain(*evening_logs())
    assert "<h1>3 finished matches between 3 players</h1>" in page
    assert "Match 4 isn&#x27;t counted: it isn&#x27;t finished." in page
    table = page[page.index('<table class="sums">') : page.index("</table>")]
    assert table.count("<tbody>") == 2
    assert "<bdi>Cleo</bdi> and <bdi>Ada</bdi>, 1 match</th>" in table
    assert ", 2 matches</th>" in table
    won, points = 0, 0
    for log in evening_logs()[:2]:
        record = Record.read(log)
        ada = [player.name for player in record.players].index("Ada")
        won += record.winner == ada
        points += record.score.totals[ada]
    assert f"<bdi>Ada</bdi></th><td>{won}</td><td>{points}</td>" in table


@pytest.mark.parametrize("other", ["Ben", "B\u0435n"])
def test_the_same_name_with_another_key_is_another_player(other) -> None:
    page = plain(evening_match(1), evening_match(3, 0, 2, ("Ada", other)))
    table = page[page.index('<table class="sums">') : page.index("</table>")]
    marked = re.findall(r"<bdi>B.n \(", table)
    assert (table.count("<tbody>"), len(marked)) == (2, 4)
    assert "<h1>2 finished matches between 3 players</h1>" in page


def test_a_match_counts_once_and_an_invalid_log_does_not_count() -> None:
    page = plain(evening_match(1), evening_match(1))
    assert "Match 2 isn&#x27;t counted again: it&#x27;s the same as match 1." in page
    assert "by 1 match to 0" in page
    page = plain(evening_match(1), golden("evidence-wrong-score"))
    assert "<title>ILLEGAL: " in page
    assert "isn&#x27;t counted: its log isn&#x27;t valid." in page
    withheld = log_bytes([*LogReader.of_bytes(evening_match(2), "withheld")][:-1])
    page = plain(evening_match(1), withheld)
    assert "Match 2 isn&#x27;t counted: its log isn&#x27;t complete." in page


HOUR = 3600


@pytest.fixture
def home(tmp_path, run):
    """Return a day, the time of its 6 o'clock in the morning, and a function that stores a log in
    a home."""
    day = "2023-11-14"
    six = int(datetime.fromisoformat(f"{day}T06:00").timestamp())
    folder = tmp_path / "home" / "matches"
    folder.mkdir(parents=True)

    bot = Home(tmp_path / "home" / "bot").identity(os.urandom).public

    def store(
        number: int,
        log: bytes,
        level: int | None = None,
        *,
        bots: bool = False,
        local: bool = False,
    ) -> None:
        path = folder / f"{number:016x}.ginlog"
        path.write_bytes(log)
        where = (ADDRESS,) if local else ()
        notes = MatchNotes(bytes(32), "host", "", bot if bots else bytes(32), where, 0, level)
        path.with_suffix(".match").write_bytes(notes.encode())

    return day, six, store


def test_an_evening_lasts_from_six_to_six(run, home, tmp_path) -> None:
    day, six, store = home
    # The match with number n began n hours after 1,700,000,000.
    first = -(-(six - 1_700_000_000) // HOUR)
    inside = [first, first + 23]
    for number in (first - 1, *inside, first + 24):
        store(number + 1000, evening_match(number))
    store(1, evening_match(first), level=3)
    store(2, evening_match(first), bots=True)
    offer = log_bytes(list(LogReader.of_bytes(evening_match(first), ""))[:1])
    store(3, offer + b"\xff" * 4)
    store(4, evening_match(first), local=True)  # the bot has no level in Mahjong gin
    for number in range(5, 26):
        store(number, offer)
    status, out, _ = run("export", "--evening", day, "evening.html", "--no-analysis")
    assert status == 0
    assert out.startswith(
        "Left out: 3 practice matches, 21 matches that never began, 1 log that can't be read."
    )
    logs = logs_in_page((tmp_path / "evening.html").read_bytes(), "evening.html")
    assert logs == tuple(map(evening_match, inside))
    err = run("export", "--evening", day, "-", "--no-analysis")[2]
    assert err == out[: out.index("Written: ")]


def test_practice_is_left_out_even_if_its_notes_are_missing(run, home, tmp_path) -> None:
    day, six, store = home
    number = -(-(six - 1_700_000_000) // HOUR)
    bot = Home(tmp_path / "home" / "bot").identity_file
    bot.path.unlink()
    bot.create(PLAYERS[2], None, os.urandom)
    store(1, evening_match(number))
    store(2, evening_match(number, 0, 2, ("Ada", "Robot")))
    for notes in (tmp_path / "home" / "matches").glob("*.match"):
        notes.unlink()
    status, out, _ = run("export", "--evening", day, "evening.html", "--no-analysis")
    assert (status, out) == (0, "Left out: 1 practice match.\nWritten: evening.html\n")


def test_an_evening_of_more_matches_than_a_page_can_contain_is_refused(
    run, home, monkeypatch
) -> None:
    day, six, store = home
    for number in (1, 2):
        store(number, evening_match(-(-(six - 1_700_000_000) // HOUR)))
    monkeypatch.setattr("cli.commands.export.MAX_LOGS", 1)
    status, _, err = run("export", "--evening", day, "evening.html")
    assert (status, "(usage)" in err) == (2, True)


def test_an_evening_without_a_readable_match_is_reported(run, home) -> None:
    day, six, store = home
    first = -(-(six - 1_700_000_000) // HOUR)
    store(1, evening_match(1), level=3)
    store(2, evening_match(2**40))
    store(3, log_bytes(list(LogReader.of_bytes(evening_match(first), ""))[:1]) + b"\xff" * 4)
    for none in ("2001-01-01", "0001-01-01", "9999-12-31", day):
        status, _, err = run("export", "--evening", none, "e.html")
        assert (status, "(no-such-log)" in err) == (2, True)
        unread = "1 log from that time can't be read." in " ".join(err.split())
        assert unread == (none == day)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--evening", "2023-11-14", "1.ginlog", "e.html"), "usage"),
        (("1.ginlog", "2.ginlog", "e.gin"), "usage"),
        (("1.ginlog", "2.ginlog", "e.json"), "usage"),
        (("1.ginlog", "2.ginlog", "e.html", "--hand", "1"), "usage"),
        (("1.ginlog", "2.ginlog", "e.html", "--step", "h1s1"), "usage"),
        ((*["1.ginlog"] * 21, "e.html"), "usage"),
        (("1.ginlog", "missing.ginlog", "e.html"), "no-such-log"),
    ],
)
def test_wrong_usage_is_reported_and_writes_no_page(run, arguments, code) -> None:
    status, _, err = run("export", *arguments)
    assert (status, f"({code})" in err) == (2, True)
    assert not os.path.exists("e.html")


def test_a_typed_match_and_an_oversized_page_are_refused(run, monkeypatch) -> None:
    with open("typed.html", "wb") as file:
        file.write(page_of(b'[Gin "1"]\ndealer host\nguest resigns', analysed=False))
    assert "(unproven)" in run("export", "1.ginlog", "typed.html", "e.html")[2]
    monkeypatch.setattr("cli.commands.export.MAX_PAGE_BYTES", 1000)
    status, _, err = run("export", "1.ginlog", "2.ginlog", "e.html", "--no-analysis")
    assert (status, "(page-too-large)" in err) == (2, True)


def test_a_page_of_one_match_can_stand_in_for_its_log(run, tmp_path) -> None:
    (tmp_path / "one.html").write_bytes(page_of(evening_match(1), analysed=False))
    assert run("export", "one.html", "2.ginlog", "all.html", "--no-analysis")[0] == 0
    assert (tmp_path / "all.html").read_text("utf-8") == plain(*evening_logs()[:2])
    assert run("verify", "all.html")[1].endswith(SAME)


def test_the_page_of_an_evening_with_one_match_is_that_of_the_match(run, home, tmp_path) -> None:
    day, six, store = home
    store(1, evening_match(-(-(six - 1_700_000_000) // HOUR)))
    assert run("export", "--evening", day, "e.html", "--no-analysis")[0] == 0
    status, out, _ = run("verify", "e.html")
    assert (status, "byte for byte." in out) == (0, True)


def test_every_log_of_a_page_is_judged_and_the_page_compared(run, tmp_path) -> None:
    page = tmp_path / "all.html"
    page.write_bytes(evening_of(*evening_logs()))
    status, out, _ = run("verify", page)
    assert status == 3
    assert out.count("VALID: ") == 3
    assert "Match 3 of 4: Ada and Cleo\nVALID: " in out
    assert "Match 4 of 4: Ada and Ben\nINCOMPLETE: " in out
    assert out.endswith(SAME)
    status, out, _ = run("verify", page, "--json")
    document = json.loads(out)
    assert (status, document["schema"], document["page"]) == (3, 1, "same")
    verdicts = [each["verdict"] for each in document["matches"]]
    assert verdicts == ["valid"] * 3 + ["incomplete"]
    assert [faults("verdict.schema.json", each) for each in document["matches"]] == [[]] * 4
    page.write_bytes(page.read_bytes() + b"\n")
    assert json.loads(run("verify", page, "--json")[1])["page"] == "differs"


CHANGES = {
    "a sum": lambda page: page.replace(b"</th><td>1</td>", b"</th><td>2</td>", 1),
    "a log less": lambda page: page.replace(
        log_element(*evening_logs()).encode(), log_element(*evening_logs()[:2]).encode()
    ),
    "a log that can't be read": lambda page: page.replace(
        log_element(*evening_logs()).encode(),
        log_element(*evening_logs()[:2], b"ginlog1\n\xff\xff\xff\xff").encode(),
    ),
    "a byte at the end": lambda page: page + b"\n",
}


@pytest.mark.parametrize("what", CHANGES)
def test_any_change_to_an_evening_page_is_found(run, tmp_path, what) -> None:
    page, own = tmp_path / "all.html", evening_of(*evening_logs(), analysed=False)
    changed = CHANGES[what](own)
    assert changed != own
    page.write_bytes(changed)
    _, out, _ = run("verify", page)
    assert SAME not in out
    assert out.startswith("This page was changed")


def test_the_worst_log_decides_the_status(run, tmp_path) -> None:
    page = tmp_path / "all.html"
    valid, incomplete = evening_logs()[::3]
    forged = valid[:-1] + bytes([valid[-1] ^ 1])
    page.write_text(plain(incomplete, forged, valid), "utf-8")
    assert run("verify", page)[0] == 1
    broken = log_element(incomplete, b"ginlog1\n\xff\xff\xff\xff")
    page.write_bytes(f"<!doctype html>{broken}".encode())
    status, out, _ = run("verify", page)
    assert status == 2
    assert "Match 2 of 2: " in out
    assert "CANNOT BE READ (bad-record)" in out


@pytest.mark.parametrize("command", ["replay", "analyse", "export", "tally"])
def test_commands_for_one_match_explain_how_to_get_one_from_a_page(run, tmp_path, command) -> None:
    (tmp_path / "all.html").write_text(plain(*evening_logs()), "utf-8")
    status, out, err = run(command, "all.html")
    assert status == 2
    assert "is a page of 4 matches. Open it in a browser" in out + err
    assert "(page-with-two-logs)" in out + err


def test_hostile_names_stay_text_in_every_part_of_an_evening() -> None:
    page = plain(evening_match(1, names=HOSTILE), evening_match(2, names=HOSTILE))
    body = page[page.index("<body") : page.index('<script type="text/plain" id="ginpeer-log">')]
    for markup in ("<img", "onload=", "<svg onload", "</script>", "<b id=", "{{log}}<!--'"):
        assert markup not in body
    assert body.count("<svg ") == 1


def test_a_page_of_four_matches_is_little_larger_than_one_page_and_the_logs() -> None:
    logs = evening_logs()
    four, one = plain(*logs), page_of(logs[0], analysed=False)
    beside = len(four.encode()) - len(log_element(*logs))
    alone = len(one) - len(log_element(logs[0]))
    assert beside - alone < 2 * 16_000


def test_the_same_evening_makes_the_same_page_in_any_time_zone(monkeypatch) -> None:
    pages = set()
    for zone in ("UTC", "Pacific/Auckland"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        pages.add(evening_of.__wrapped__(*evening_logs()[2:], analysed=False))
    monkeypatch.undo()
    time.tzset()
    assert len(pages) == 1
