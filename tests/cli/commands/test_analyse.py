"""`ginpeer analyse`: which player's mistakes it reports, from which logs, and how it fails."""

import json
import re
from itertools import count

import pytest

from cli.commands.replay import own_seat
from cli.main import main
from cli.text.analysis import judge_line
from ginpeer.names import KnownNames
from ginpeer.record import Record
from ginpeer.store.small_files import change_settings
from protocol.messages import Disclosure
from tests.analysis.test_analysis import played
from tests.cli.commands.test_verify import at_a_slow_terminal
from tests.json_schema import faults
from tests.matches.golden_logs import FOLDER
from tests.notation.test_reading import LATE, TYPED
from tests.toy_group import toy_group

TWO_HANDS = "standard hands=2"
SECRET = ("standard target=1", Disclosure.NEVER)
SCHEMA = "analysis.schema.json"


@pytest.fixture
def analyse(run):
    """Return a function that runs `ginpeer analyse` and returns its exit status, output lines and
    error text."""

    def analyse(*arguments):
        status, out, err = run("analyse", *arguments)
        return status, out.splitlines(), err

    return analyse


@pytest.fixture
def log(tmp_path):
    """Return a function that writes a log; during the test, only logs of the toy group are
    valid."""

    numbers = count()

    def write(*which, entries=None):
        return played(*which).write(tmp_path / f"{next(numbers)}.ginlog", entries)

    with toy_group():
        yield write


def documents(analyse, *arguments):
    status, lines, err = analyse(*arguments, "--json")
    assert err == ""
    return status, json.loads("\n".join(lines))


# --- which players --------------------------------------------------------------------------


def test_own_seat_finds_the_seat_of_our_key_or_none(log):
    record = Record.read(log())
    keys = record.table.keys
    seats = [own_seat(record, KnownNames(key)) for key in (*keys, bytes(32), None)]
    assert seats == [0, 1, None, None]


def test_the_analysis_can_be_limited_to_one_player_and_one_hand(log, analyse):
    _, whole = documents(analyse, log(TWO_HANDS))
    _, alone = documents(analyse, log(TWO_HANDS), "--seat", "ben", "--hand", "2")
    (seat,) = alone["seats"]
    assert seat["role"] == "guest"
    assert seat["hands"] == whole["seats"][1]["hands"][1:]


def test_our_own_stored_seeds_suffice_if_nothing_was_disclosed(log, analyse, tmp_path):
    own = played(*SECRET)
    status, lines, err = analyse(log(*SECRET))
    assert (status, lines) == (2, [])
    assert err.endswith("(hands-hidden)\n")
    matches = tmp_path / "home" / "matches"
    matches.mkdir(parents=True)
    seeds = "".join(f"{hand} {seed.hex()}\n" for hand, seed in own.seeds[1].items())
    stem = own.table.table_id.hex()[:16]
    (matches / f"{stem}.seeds").write_text("ginseeds1\n" + seeds)
    status, lines, _ = analyse(log(*SECRET), "--full")
    assert status == 0
    assert lines[0].startswith("Ada is left out")
    assert lines[1:3] == ["", "For Ben, the guest:"]
    assert not any("actually held" in line for line in lines)
    assert analyse(log(*SECRET), "--seat", "host")[2].endswith("(hands-hidden)\n")


def test_a_slow_analysis_shows_its_progress(log, monkeypatch, capsys):
    arguments = ["analyse", "--json", str(log(TWO_HANDS))]
    main(arguments)
    quick = capsys.readouterr()
    told = at_a_slow_terminal(monkeypatch)
    main(arguments)
    assert capsys.readouterr().out == quick.out
    assert re.findall(r"\ranalysed, (\d+)%", told.getvalue()) == ["0", "25", "50", "75"]
    assert told.getvalue().endswith(f"\r{' ' * len('analysed, 75%')}\r")


# --- the output -----------------------------------------------------------------------------


def test_without_full_the_analysis_fits_on_one_screen(log, analyse):
    path = log(TWO_HANDS)
    status, lines, _ = analyse(path, "--seat", "host")
    _, whole, _ = analyse(path, "--full", "--seat", "host")
    assert status == 0
    assert re.fullmatch(r"(Ada|Ben) won \d+ to (minus )?\d+ in 2 hands\.", lines[0])
    assert len(lines) <= 15 < len(whole)
    worst = whole.index("Your costliest choices:") + 1
    assert lines[-5].strip() == whole[worst].removeprefix("  1. ")
    assert lines[-4].strip() == whole[worst + 2].strip()
    assert lines[-2] == whole[-1] == judge_line("you")
    assert lines[-1] == f"ginpeer analyse {path} --seat host --full shows everything."
    _, lines, _ = analyse(path, "--hand", "2")
    assert lines[-2] == judge_line("each player")
    assert lines[-1] == f"ginpeer analyse {path} --hand 2 --full shows everything."


def test_cards_are_named_in_words_if_the_settings_say_so(log, analyse, tmp_path):
    (tmp_path / "home").mkdir()
    change_settings(tmp_path / "home", words=True)
    _, lines, _ = analyse(log())
    assert any(re.search("you (discarded|took|passed) the [a-z0-9]+ of ", line) for line in lines)


def test_the_json_document_always_matches_its_schema(log, analyse, tmp_path):
    status, document = documents(analyse, log(TWO_HANDS))
    assert (status, document["analysis"], document["reason"]) == (0, "analysed", None)
    assert faults(SCHEMA, document) == []
    assert [seat["role"] for seat in document["seats"]] == ["host", "guest"]
    for seat in document["seats"]:
        assert set(seat["kinds"]) == {"draw", "throw", "knock", "answer"}
        assert seat["loss"] == pytest.approx(sum(d["loss"] for d in seat["decisions"]), abs=0.1)
        assert seat["luck"] == pytest.approx(sum(d["luck"] for d in seat["draws"]), abs=0.1)
    for arguments, wanted in (
        ((log(*SECRET),), (2, "hands-hidden", "valid")),
        ((log(), "--hand", "9"), (2, "no-such-hand", "valid")),
        ((log(), "--seat", "Eve"), (2, "no-such-seat", "valid")),
        ((tmp_path / "none",), (2, "no-such-log", "unreadable")),
    ):
        status, document = documents(analyse, *arguments)
        assert faults(SCHEMA, document) == []
        assert (status, document["analysis"], document["verdict"]) == wanted


# --- logs that cannot be analysed -----------------------------------------------------------


@pytest.mark.parametrize("command", [("analyse",), ("export", "--as", "text"), ("replay",)])
def test_a_log_that_ends_between_two_hands_has_only_the_first(log, run, command):
    second = Record.read(log(TWO_HANDS)).hands[1].steps[0].entry
    status, out, err = run(
        *command, log(TWO_HANDS, entries=played(TWO_HANDS).entries[:second]), "--hand", "2"
    )
    assert (status, out) == (2, "")
    assert "There is no hand 2: the log has one hand, number 1. (no-such-hand)" in err


def test_mahjong_gin_has_no_advice_and_an_error_says_so(analyse, capsys):
    path = FOLDER / "mahjong.ginlog"
    status, lines, err = analyse(path)
    assert (status, lines) == (2, [])
    assert err.endswith("(no-advice)\n")
    assert main(["replay", str(path), "--values"]) == 2
    assert capsys.readouterr().err.endswith("(no-advice)\n")
    status, document = documents(analyse, path)
    assert faults(SCHEMA, document) == []
    assert (status, document["analysis"], document["verdict"]) == (2, "no-advice", "valid")


@pytest.mark.parametrize(
    ("name", "status", "begins"),
    [
        ("forged-entry-left-out", 1, "FORGED OR DAMAGED: "),
        ("incomplete-torn", 3, "INCOMPLETE: "),
        ("impossible-length", 2, "CANNOT BE READ "),
        ("resigned", 0, "There are no choices to analyse."),
        pytest.param("second-deck", 0, "For Ada, the host:", marks=pytest.mark.deep),
    ],
)
def test_an_invalid_log_is_analysed_up_to_where_it_fails(analyse, name, status, begins):
    done, lines, err = analyse(FOLDER / f"{name}.ginlog", "--full")
    assert done == status
    assert lines[0].startswith(begins)
    assert err == "" or err.endswith("(hands-hidden)\n")


def test_a_log_without_its_offer_has_no_choices_to_analyse(log, analyse):
    status, lines, _ = analyse(log(entries=played().entries[1:]))
    assert (status, lines[-1]) == (1, "There are no choices to analyse yet.")


def test_a_log_cut_after_any_entry_is_analysed(log, analyse):
    entries = played().entries
    for kept in range(1, len(entries), 9):
        status, lines, err = analyse(log(entries=entries[:kept]))
        assert status == 3
        assert lines[0].startswith("INCOMPLETE: ")
        assert err == "" or err.endswith("(hands-hidden)\n")


# --- in a replay ----------------------------------------------------------------------------


def test_replay_shows_the_value_of_each_choice_on_request(log, analyse, capsys):
    path = log(TWO_HANDS)
    _, document = documents(analyse, path, "--seat", "host", "--hand", "2")
    made = document["seats"][0]["decisions"]
    assert main(["replay", str(path), "--seat", "host", "--hand", "2", "--values"]) == 0
    lines = capsys.readouterr().out.splitlines()
    values = [line for line in lines if line.startswith("  Value: ")]
    assert len(values) == len(made)
    best = sum(line.endswith(", the best choice.") for line in values)
    assert best == sum(not each["loss"] for each in made)
    assert main(["replay", str(path), "--seat", "host", "--hand", "2"]) == 0
    others = [line for line in lines if line not in values]
    others.remove(judge_line("the player"))
    assert others == capsys.readouterr().out.splitlines()


def test_a_match_without_a_hand_can_be_replayed_with_values(log, capsys):
    path = log(TWO_HANDS, entries=played(TWO_HANDS).entries[:2])
    assert main(["replay", str(path), "--values"]) == 3
    assert "accepts the match" in capsys.readouterr().out


def test_the_analysis_of_a_text_that_begins_late_names_no_winner(analyse, tmp_path):
    path = tmp_path / "late.gin"
    path.write_text(LATE)
    _, lines, _ = analyse(path)
    assert not any(" won " in line for line in lines)


def test_the_analysis_of_a_typed_match_names_its_lines(analyse, tmp_path, capsys):
    path = tmp_path / "friday.gin"
    path.write_text(TYPED)
    _, lines, _ = analyse(path, "--all")
    place = re.compile(r"Hand 1, your \d+.. turn, line (\d+): you (?:discarded|knocked)")
    places = [place.findall(line) for line in lines]
    knock = TYPED.split("\n").index("t -7d knock 8c8d8h, 9c9h9s, qdqhqs / 6s") + 1
    assert [str(knock)] in places
    assert sum(map(len, places)) == 3
    main(["replay", "--full", str(path)])
    lines += capsys.readouterr().out.splitlines()
    told = [line.partition(": ")[2] if line[:1].isdigit() else line for line in lines]
    assert [line for line in told if re.search(r"(?:^ *|[.!?] )the ", line)] == []
    assert any(line.startswith("  The guest lays off ") for line in told)
