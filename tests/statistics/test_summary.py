"""Which logs are verified and when, and statistics as lines, as a document and as a page."""

import hashlib
import json
import os
import re
from base64 import b64encode
from dataclasses import replace
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path

import pytest

from cli.main import main
from cli.text.statistics import FEW, average, section_lines, statistics_sections
from ginpeer.record import judge_log
from ginpeer.statistics.page import MIN_PLOTTED, Plot, Section, figure, page, plots_of
from ginpeer.statistics.summary import Average, CountedLog, stats_document, summarize, verify_log
from ginpeer.store import Home, MatchNotes, open_log
from ginpeer.store.json_files import decode, plain
from tests.json_schema import faults
from tests.matches.recorded import recorded
from tests.statistics.test_counts import BOT, HANDS, OTHER, THEM, US, dated, match

OURS = recorded().identities[0]
SCHEMA = "stats.schema.json"


@pytest.fixture
def home(tmp_path):
    """Return a home with a finished match, a copy of it, an unfinished match, and a file that isn't
    a log."""
    (tmp_path / "matches").mkdir()
    home = Home(tmp_path)
    home.identity_file.create(OURS, None, os.urandom)
    peer = recorded().identities[1].public
    home.known_peers(lambda: 1).remember(peer, "", "Ben")
    entries = recorded().entries
    for digit, kept in (("1", entries), ("2", entries), ("3", entries[:-5])):
        path = recorded().write(home.matches / f"{digit * 16}.ginlog", kept)
        notes = MatchNotes(bytes(32), "host", "Ada", peer, (), 1)
        path.with_suffix(".match").write_bytes(notes.encode())
    (home.matches / f"{'4' * 16}.ginlog").write_bytes(b"what is this")
    return home


@pytest.fixture
def judged(monkeypatch):
    """Return a list that gets every log that is judged."""
    logs = []

    def judge(log, *how):
        logs.append(log)
        return judge_log(log, *how)

    monkeypatch.setattr("ginpeer.statistics.summary.judge_log", judge)
    return logs


def counted(home):
    home = Home(home.path)
    home.remember()
    return {
        log.name[0]: home.cached(log, CountedLog) or verify_log(home, log)
        for log in sorted(home.logs(), key=lambda log: log.name)
    }


def test_each_log_is_verified_once(home, judged):
    first = counted(home)
    assert len(judged) == 3
    assert {digit: (one.word, one.code) for digit, one in first.items()} == {
        "1": ("valid", "valid"),
        "2": ("valid", "valid"),
        "3": ("incomplete", "incomplete"),
        "4": ("unreadable", "not-a-log"),
    }
    assert first["1"].match == first["2"].match
    assert counted(home) == first
    assert len(judged) == 3


def test_a_changed_log_is_verified_again_even_if_its_file_looks_the_same(home, judged):
    counted(home)
    path = home.matches / f"{'1' * 16}.ginlog"
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    again = counted(home)
    assert len(judged) == 4
    assert (again["1"].word, again["1"].match) == ("forged", None)
    assert again["2"].match is not None


def test_a_log_that_ends_in_a_damaged_record_is_judged_once(home, judged):
    path = home.matches / f"{'1' * 16}.ginlog"
    path.write_bytes(path.read_bytes() + b"\xff" * 9)
    assert counted(home)["1"].word == "unreadable"
    assert len(judged) == 3
    counted(home)
    assert len(judged) == 3


def test_a_log_that_the_disk_did_not_give_is_read_again(home, judged, monkeypatch):
    with open_log(home.matches / f"{'1' * 16}.ginlog") as log:
        failed = replace(judge_log(log), code="disk-error")
    with monkeypatch.context() as patch:
        patch.setattr("ginpeer.statistics.summary.judge_log", lambda *_: failed)
        assert counted(home)["1"].code == "disk-error"
    assert counted(home)["1"].code == "valid"


@pytest.mark.parametrize("lacking", [1, 2, 3, 4])
def test_a_match_not_fully_signed_or_audited_is_not_finished(home, lacking):
    kept = recorded().entries[:-lacking]
    path = recorded().write(home.matches / f"{'1' * 16}.ginlog", kept)
    (log,) = (log for log in home.logs() if log.path == path)
    found = verify_log(home, log)
    assert (found.word, found.match.finished, found.match.totals) == ("incomplete", False, None)
    summary = summarize([dated(found.match)], OURS.public)
    assert (summary.people.matches, summary.unfinished.matches) == (0, 1)


@pytest.mark.parametrize("entries", [1, 2, 3])
def test_an_offer_alone_is_not_a_match(home, entries):
    path = recorded().write(home.matches / f"{'5' * 16}.ginlog", recorded().entries[:entries])
    (offer,) = (log for log in home.logs() if log.path == path)
    found = verify_log(home, offer)
    assert (found.word, found.code, found.match) == ("incomplete", "not-begun", None)


def test_without_the_index_each_log_is_verified_with_the_same_result(home, judged):
    first = counted(home)
    home = Home(home.path)
    for log in home.logs():
        assert home.cached(log, CountedLog) is None
        assert verify_log(home, log) == first[log.name[0]]


def test_a_remembered_match_reads_back_and_its_fields_are_checked():
    whole = dated(match(*HANDS)).counted
    assert decode(CountedLog, json.loads(json.dumps(plain(whole)))) == whole
    held = plain(whole)
    for field, odd in (
        *(("table", "x"), ("keys", ["aa"]), ("names", [1, 2]), ("rules", None), ("winner", 2)),
        *(("totals", [1]), ("hands", [["void"]]), ("hands", [["won", 1]]), ("hands", [7])),
    ):
        changed = {**held, "match": {**held["match"], field: odd}}
        with pytest.raises(ValueError):  # noqa: PT011 - the messages differ
            decode(CountedLog, changed)


# --- output -----------------------------------------------------------------------------

HOSTILE = ("</title><script>alert(1)</script>", "\x1b[31m\u202e\"'<&", "a\nb", "&lt;b&gt;")


def hostile_summary():
    logs = [
        dated(match(*HANDS, table=bytes([at]), keys=(US, bytes([9 + at]) * 32), names=(name, name)))
        for at, name in enumerate(HOSTILE)
    ]
    logs += [
        dated(match(HANDS[0], table=b"r", rules=HOSTILE[0], keys=(US, THEM))),
        dated(match(HANDS[0], table=b"b", keys=(US, BOT))),
        dated(match(HANDS[0], table=b"o", keys=(OTHER, THEM))),
        dated(match(HANDS[0], table=b"u", finished=False, winner=None, totals=None)),
    ]
    return summarize(logs, US, bots=[BOT])


class Parsed(HTMLParser):
    """Collects the elements of a page, and checks that each open tag is closed."""

    VOID = ("meta", "line", "rect")

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.cells, self._open = [], [], [], []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *each) for each in attrs]
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *each) for each in attrs]

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] in ("td", "th"):
            self.cells.append(data)


def test_names_and_rules_cannot_become_markup_or_steer_a_terminal():
    summary = hostile_summary()
    sections = statistics_sections(summary)
    text = page(HOSTILE[0], sections).decode()
    parsed = Parsed(text)
    assert "script" not in parsed.tags
    assert not [each for each in parsed.attributes if each[1].startswith("on") or each[1] == "src"]
    assert "<script" not in text
    for line in (line for section in sections for line in section_lines(section)):
        assert "\x1b" not in line
        assert "\u202e" not in line
        assert "\n" not in line
    said = json.dumps(stats_document(summary))
    assert "\\u001b" not in said
    assert "\\u202e" not in said


def test_the_page_allows_only_its_own_style():
    text = page("Your matches", statistics_sections(hostile_summary())).decode()
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    (style,) = re.findall("<style>(.*)</style>", text, re.DOTALL)
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.replace("&#x27;", "'").split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert not re.search(r"(?i)https?:|url\(|@import|style=", text)
    assert len(text) < 20_000


def test_every_plot_has_a_table_and_a_description_in_words():
    summary = hostile_summary()
    text = page("Your matches", [Section("With people", counts=summary.people)]).decode()
    parsed = Parsed(text)
    assert parsed.tags.count("svg") == parsed.tags.count("table") == 3
    assert parsed.tags.count("rect") * 2 + 6 == len(parsed.cells)
    named = {value for tag, name, value in parsed.attributes if name == "aria-labelledby"}
    assert named == {
        value for tag, name, value in parsed.attributes if (tag, name) == ("title", "id")
    }
    numbers = [*map(int, (cell for cell in parsed.cells if re.fullmatch(r"-?\d+", cell)))]
    margins = summary.people.margins
    assert numbers[1 : 2 * len(margins) : 2] == [*accumulate(margins)]


def test_the_running_sum_is_shown_only_from_five_matches_on():
    for matches in (MIN_PLOTTED - 1, MIN_PLOTTED):
        logs = [dated(match(*HANDS, table=bytes([at]))) for at in range(matches)]
        (section, _) = statistics_sections(summarize(logs, US))
        titles = [plot.title for plot in plots_of(section.counts)]
        enough = matches == MIN_PLOTTED
        assert ("Your lead after each match" in titles) == enough
        lines = [line for line in section_lines(section) if "match by match" in line]
        told = ", ".join(f"{60 * at} after {at}" for at in range(1, matches + 1))
        assert lines == [f"  Your lead, match by match: {told}."] * enough


def test_a_label_of_an_axis_that_would_overlap_zero_is_left_out():
    labels = []
    for least in (-9, -10):  # 17 and 18 units below 0; a label needs 18
        plot = Plot("", "", "", ((1, 78), (2, least)))
        labels.append(re.findall('class="value".*?>(-?[0-9]+)<', figure(plot, "a")))
    assert labels == [["78", "0"], ["78", "0", "-10"]]


def test_one_column_of_a_chart_is_not_called_columns():
    for columns, told in ((((7, 5),), "1 column, from 5"), (((7, 5), (8, 3)), "2 columns, from 3")):
        assert f". {told} to 5; " in figure(Plot("", "", "", columns), "a")


def test_a_long_running_sum_is_given_at_eight_places():
    logs = [dated(match(*HANDS, table=bytes([at]))) for at in range(21)]
    (section, _) = statistics_sections(summarize(logs, US))
    (line,) = (line for line in section_lines(section) if "match by match" in line)
    assert re.findall(r"after (\d+)", line) == ["2", "5", "7", "10", "13", "15", "18", "21"]
    assert line.endswith(" 1260 after 21.")


def test_figures_from_enough_hands_need_no_caution():
    logs = [dated(match(*HANDS, table=bytes([at]))) for at in range(FEW)]
    (section, _) = statistics_sections(summarize(logs, US))
    assert "just be luck" not in " ".join(section_lines(section))


def test_the_page_looks_like_a_match_page():
    """Neither module may import the other's style, as they are on different floors."""
    style = (Path(page.__code__.co_filename).parents[1] / "page" / "page.css").read_text("utf-8")
    colours = dict(re.findall(r"--([a-z]+): ([^;]+);", style.partition("@media")[0]))
    text = page("Your matches", []).decode()
    ours = dict(re.findall(r"--([a-z]+): ([^;]+);", text.partition("@media")[0]))
    assert len(ours) == 9
    assert ours.items() <= colours.items()


def test_the_document_follows_its_schema_and_adds_up():
    for summary in (hostile_summary(), summarize([], None), summarize([], US, friend=THEM)):
        assert faults(SCHEMA, stats_document(summary)) == []
    found = stats_document(hostile_summary())
    for field in ("matches", "hands", "gins", "points"):
        assert found["people"][field] == sum(each["counts"][field] for each in found["rules"])
        assert found["people"][field] == sum(each["counts"][field] for each in found["opponents"])


def test_three_figures_come_first_then_those_of_both_players_then_the_rest():
    (section, _) = statistics_sections(summarize([dated(match(*HANDS))], US))
    assert [*section_lines(section)] == [
        "With people:",
        "  Matches won: 1 of 1.",
        "  Hands won: 3 of 8.",
        "  Lead in points: 60.",
        "  Gin: you 1, opponent 0.",
        "  Big gin: you 0, opponent 1.",
        "  Knocks: you 3, opponent 2.",
        "  Undercuts: you 1, opponent 1.",
        "  Turns to end a hand: you 5.3 over 4 hands, opponent 3.3 over 3 hands.",
        "  Points from hands: you 80, opponent 107.",
        "  Points with bonuses: you 100, opponent 40.",
        "  Hands without a winner: 2.",
        "  Your deadwood when you knock: 7.3 on average over 3 knocks.",
        "  Your deadwood when your opponent ends the hand: 19.3 on average over 3 hands, after "
        "laying off.",
        "  Longest streaks: 1 won, 0 lost; now 1 won.",
        "  Figures from fewer than 20 cases may just be luck.",
    ]


def test_a_player_who_ended_no_hand_has_never_done_so():
    (section, _) = statistics_sections(summarize([dated(match(HANDS[0]))], US))
    assert "  Turns to end a hand: you 4.0 over 1 hand, opponent never." in section_lines(section)


def test_unfinished_matches_are_listed_apart_without_copies_of_finished_ones():
    left = match(*HANDS[:2], table=b"u", finished=False, winner=None, totals=None)
    early = match(HANDS[0], finished=False, winner=None, totals=None)
    logs = [dated(early, -1.0), dated(match(*HANDS)), dated(left)]
    (*_, section) = statistics_sections(summarize(logs, US))
    assert [*section.lines] == [
        "Counted: 1 match with a valid and complete log.",
        "Not counted: 1 unfinished match with 2 hands.",
        "Not counted: 1 duplicate copy of a match.",
    ]


@pytest.mark.parametrize(
    ("sum_", "of", "said"),
    [(0, 0, "0.0"), (2, 3, "0.7"), (1, 20, "0.1")],
)
def test_an_average_is_rounded_to_the_nearest_tenth(sum_, of, said):
    assert average(Average(sum_, of)) == said


def test_the_command_counts_once_for_three_forms_of_output(home, judged, capsys, tmp_path):
    file = tmp_path / "stats.html"

    def stats(*arguments):
        status = main(["--home", str(home.path), "stats", *arguments])
        return status, *capsys.readouterr()

    status, out, _ = stats()
    assert status == 0
    assert len(judged) == 3
    assert "Counted: 1 match with " in out
    assert "Not counted: 2 duplicate copies of matches." in out
    assert "Not counted: 1 log that didn't pass verification (not-a-log)." in out
    found = json.loads(stats("--json")[1])
    assert faults(SCHEMA, found) == []
    assert (found["people"]["matches"], found["people"]["hands"]) == (1, 1)
    assert found["player"]["key"] == OURS.public.hex()
    assert stats("--html", str(file))[:2] == (0, f"Written: {file}\n")
    Parsed(file.read_text(encoding="utf-8"))
    assert stats("--html", str(file))[0] == 2
    assert stats("--html", str(file), "--replace")[0] == 0
    status, out, err = stats("--html", str(tmp_path / "none" / "stats.html"))
    assert (status, out, "Couldn't write" in err) == (70, "", True)
    out = stats("Ben")[1]
    assert out.startswith("With Ben:\n")
    assert "  In your latest match with Ben, " in out
    assert stats("Ben", "--json")[0] == 0
    assert stats("Dora")[0] == 2
    assert len(judged) == 3


def test_a_friend_without_a_match_here_is_named(tmp_path, capsys):
    Home(tmp_path).known_peers(lambda: 1).remember(bytes(32), "", "Ben B")
    assert main(["--home", str(tmp_path), "stats", "Ben B"]) == 0
    assert capsys.readouterr().out == 'No match with "Ben B" is stored here.\n'


def test_a_match_with_a_move_taken_back_is_neither_won_nor_lost():
    going_on = match(HANDS[0], table=b"3", finished=False, winner=None, totals=None)
    logs = [
        dated(match(HANDS[0], table=b"1"), bot=True, taken_back=True),
        dated(match(HANDS[0], table=b"2"), bot=True),
        dated(going_on, bot=True, taken_back=True),
    ]
    summary = summarize(logs, US)
    assert (summary.bots.matches, summary.left_out) == (1, {"practised": 1})
    assert summary.unfinished.matches == 1
    (section,) = [each for each in statistics_sections(summary) if "counted" in each.heading]
    assert section.lines[-1] == "Not counted: 1 match in which you took back a move."
    for played in (-1.0, 1.0):
        copy = dated(match(HANDS[0], table=b"1"), played, bot=True)  # no notes of ours beside it
        assert summarize([*logs, copy], US).left_out == {"practised": 1, "copy": 1}
