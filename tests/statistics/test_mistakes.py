"""A player's choices in many matches, by kind."""

import json
import os
from dataclasses import replace
from types import SimpleNamespace

import pytest

from cli.commands import stats
from cli.main import main
from cli.text.statistics import section_lines, statistics_sections
from ginpeer.analysis.decisions import MIN_MISTAKE_LOSS, DecisionKind, analyse
from ginpeer.net.in_process import ADDRESS
from ginpeer.record import Record
from ginpeer.rules import Discard, Knock, parse_card
from ginpeer.statistics import summary
from ginpeer.statistics.summary import (
    ChoiceCounts,
    CountedLog,
    KindCount,
    choices_in,
    count_choices,
    summarize,
)
from ginpeer.store import Home, MatchNotes
from ginpeer.store.match_files import file_stem
from protocol.messages import Disclosure
from tests.analysis.test_analysis import played
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import recorded
from tests.statistics.test_counts import HANDS, US, dated, match
from tests.statistics.test_summary import home  # noqa: F401 - a fixture

KNOCK, THROW = Knock(None, (), 0), Discard(parse_card("7d"))


def decision(kind, played, best, loss, could_knock=False):
    return SimpleNamespace(
        kind=kind,
        played=SimpleNamespace(move=played),
        best=SimpleNamespace(move=best),
        loss=loss,
        could_knock=could_knock,
    )


@pytest.mark.parametrize(
    ("made", "counts"),
    [
        ((DecisionKind.DRAW, THROW, THROW, 2.5), {"draws": KindCount(1, 1, 250)}),
        ((DecisionKind.DRAW, THROW, THROW, MIN_MISTAKE_LOSS / 2), {"draws": KindCount(1, 0, 0)}),
        ((DecisionKind.THROW, THROW, THROW, MIN_MISTAKE_LOSS), {"discards": KindCount(1, 1, 50)}),
        (
            (DecisionKind.THROW, THROW, THROW, 1.0, True),
            {"discards": KindCount(1, 1, 100), "waits": KindCount(1, 0, 0)},
        ),
        ((DecisionKind.KNOCK, KNOCK, THROW, 1.0), {"knocks": KindCount(1, 1, 100)}),
        ((DecisionKind.KNOCK, THROW, KNOCK, 1.0), {"waits": KindCount(1, 1, 100)}),
        ((DecisionKind.KNOCK, KNOCK, KNOCK, 1.0), {"knocks": KindCount(1, 0, 0)}),
        ((DecisionKind.KNOCK, THROW, THROW, 1.0), {"waits": KindCount(1, 0, 0)}),
        ((DecisionKind.ANSWER, THROW, THROW, 1.0), {}),
    ],
)
def test_each_choice_is_counted_by_its_kind(made, counts):
    assert count_choices((decision(*made),)) == ChoiceCounts(**counts)


def test_a_stored_match_is_analysed_once(tmp_path, monkeypatch):
    (tmp_path / "matches").mkdir()
    data = (FOLDER / "standard.ginlog").read_bytes()
    (tmp_path / "matches" / f"{'1' * 16}.ginlog").write_bytes(data)
    expected = count_choices(analyse(Record.read(data), 0, luck=False).decisions)
    assert expected.draws.choices
    assert expected.discards.choices
    for analysed_again in (True, False):
        stored = Home(tmp_path)
        stored.remember()
        (log,) = stored.logs()
        if not analysed_again:
            monkeypatch.setattr(summary, "analyse", None)
        assert choices_in(stored, log, 0) == expected
    with pytest.raises(TypeError):
        choices_in(stored, log, 1)  # the other seat's choices weren't counted


@pytest.mark.usefixtures("in_the_toy_group")
def test_an_undisclosed_match_is_counted_if_we_have_our_seeds(tmp_path):
    match = played("standard target=1", Disclosure.NEVER)
    path = tmp_path / "matches" / f"{file_stem(match.table.table_id)}.ginlog"
    path.parent.mkdir()
    match.write(path)
    stored = Home(tmp_path)
    stored.remember()
    (log,) = stored.logs()
    assert choices_in(stored, log, 0) == ChoiceCounts()
    lines = [f"{hand} {seed.hex()}\n" for hand, seed in match.seeds[0].items()]
    for known in (0, len(lines)):  # the first file may be an older copy, without this hand
        path.with_suffix(".seeds").write_text("".join(["ginseeds1\n", *lines[:known]]))
        assert bool(choices_in(stored, log, 0).draws.choices) is bool(known)


def test_a_match_that_the_adviser_does_not_cover_has_no_choices(tmp_path):
    (tmp_path / "matches").mkdir()
    data = (FOLDER / "mahjong.ginlog").read_bytes()
    (tmp_path / "matches" / f"{'1' * 16}.ginlog").write_bytes(data)
    stored = Home(tmp_path)
    (log,) = stored.logs()
    assert choices_in(stored, log, 0) == ChoiceCounts()


def lines_for(*choices):
    sections = statistics_sections(summarize([dated(match(*HANDS))], US), choices=choices)
    (section,) = (each for each in sections if each.heading == "Your mistakes")
    return [*section_lines(section)]


def test_the_advice_is_to_practise_the_costliest_kind():
    one = ChoiceCounts(
        KindCount(40, 2, 310), KindCount(38, 3, 455), KindCount(5, 1, 120), KindCount(21)
    )
    assert lines_for(one, one) == [
        "Your mistakes:",
        "  In your latest 2 matches with people, the bot judged your choices by the cards that you "
        "saw. It can be wrong.",
        "  Draws: 4 mistakes in 80 choices, at a cost of 6.2 points.",
        "  Discards: 6 mistakes in 76 choices, at a cost of 9.1 points.",
        "  Knocking too early: 2 mistakes in 10 knocks and gins, at a cost of 2.4 points.",
        "  Knocking too late: 0 mistakes in 42 chances to knock that you let pass.",
        "  Practise choosing discards: mistakes there cost you 4.6 points a match.",
        "  Figures from fewer than 20 cases may just be luck.",
    ]


def test_two_mistakes_are_too_few_for_advice():
    assert "Practise" not in " ".join(lines_for(ChoiceCounts(draws=KindCount(20, 2, 900))))


def test_the_command_shows_mistakes_but_not_in_json(home, capsys):  # noqa: F811
    assert main(["--home", str(home.path), "stats"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Your mistakes: In your latest match with a person, the bot judged" in out
    assert main(["--home", str(home.path), "stats", "--json"]) == 0
    assert "mistakes" not in json.loads(capsys.readouterr().out)


def test_only_our_own_finished_matches_with_people_are_judged(tmp_path, monkeypatch):
    us, ben, cas, bot = (bytes([at]) * 32 for at in range(4))
    stored = {
        "1": match(table=b"1", keys=(us, ben)),
        "2": match(table=b"2", keys=(cas, us)),
        "3": match(table=b"2", keys=(cas, us)),  # a copy
        "4": match(table=b"4", keys=(us, bot)),
        "5": match(table=b"5", keys=(us, ben)),  # against the bot, as the notes say
        "6": match(table=b"6", keys=(us, ben)),  # a move was taken back
        "7": match(table=b"7", keys=(us, ben), finished=False, winner=None, totals=None),
        "8": match(table=b"8", keys=(ben, cas)),
        "9": match(table=b"9", keys=(us, ben)),  # without notes
        "a": None,  # not verified
        "b": match(table=b"b", keys=(us, ben)),  # against the bot, in Mahjong gin
    }
    (tmp_path / "matches").mkdir()
    for digit in stored:
        path = tmp_path / "matches" / f"{digit * 16}.ginlog"
        path.write_bytes(b"")
        if digit != "9":
            level, undone = (3 if digit == "5" else None), digit == "6"
            where = (ADDRESS,) if digit == "b" else ()
            notes = MatchNotes(bytes(32), "host", "Ada", ben, where, 1, level, undone)
            path.with_suffix(".match").write_bytes(notes.encode())
    counted = {
        f"{digit * 16}": one and CountedLog("valid", "valid", one) for digit, one in stored.items()
    }
    judged = []

    def judge(_, log, seat):
        judged.append((log.name[0], seat))
        return ChoiceCounts() if log.name[0] == "9" else ChoiceCounts(KindCount(1))

    monkeypatch.setattr(Home, "cached", lambda _, log, kind: counted[log.name])
    monkeypatch.setattr(stats, "choices_in", judge)

    def judged_with(friend):
        judged.clear()
        found = list(stats._choices(Home(tmp_path), us, friend, frozenset({bot})))
        assert len(found) == sum(digit != "9" for digit, _ in judged)  # 9 isn't counted
        return sorted((digit.replace("3", "2"), seat) for digit, seat in judged)

    assert judged_with(None) == [("1", 0), ("2", 1), ("9", 0)]
    assert judged_with(ben) == [("1", 0), ("9", 0)]
    monkeypatch.setattr(stats, "JUDGED", 1)
    assert len([digit for digit, _ in judged_with(None) if digit != "9"]) == 1


def test_choices_against_the_bot_are_not_judged(home, capsys):  # noqa: F811
    bot = Home(home.path / "bot")
    bot.identity_file.create(recorded().identities[1], None, os.urandom)
    assert main(["--home", str(home.path), "stats"]) == 0
    assert "Your mistakes" not in capsys.readouterr().out


def test_a_match_in_our_own_process_was_practice_even_if_the_bot_is_gone(home, capsys):  # noqa: F811
    for log in home.logs():
        notes = home.notes(log)
        if notes is not None:
            local = replace(notes, addresses=(ADDRESS,))
            log.path.with_suffix(".match").write_bytes(local.encode())
    assert main(["--home", str(home.path), "stats"]) == 0
    out = capsys.readouterr().out
    assert "Against the bot" in out
    assert "With people" not in out
