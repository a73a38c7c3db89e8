"""`ginpeer replay`: what it shows, from which player's view, and that this matches the play."""

import re
import tracemalloc

import pytest

from cli.commands.demo import parse_event
from cli.main import main
from cli.text.replay import step_paragraphs
from ginpeer.rules import TakeUpcard, parse_ruleset
from ginpeer.store import files
from ginpeer.store.log import log_bytes
from ginpeer.store.small_files import change_settings
from protocol import messages as m
from protocol.messages import Disclosure
from tests.cheating.cheat import one_hand, seated
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import recorded
from tests.matches.table_pair import TablePair
from tests.notation.test_reading import LATE, TYPED

pytestmark = pytest.mark.usefixtures("in_the_toy_group")

TWO_HANDS = "standard hands=2"
SECRET = (TWO_HANDS, Disclosure.NEVER)


@pytest.fixture
def replay(run):
    """Return a function that runs `ginpeer replay` and returns exit status and lines."""

    def replay(*arguments):
        status, out, _ = run("replay", *arguments)
        return status, out.splitlines()

    return replay


def test_a_draw_whose_share_never_came_shows_no_card(replay, tmp_path):
    """The player who owes the share resigns instead, which only a modified client can do."""
    match = one_hand()
    at = match.find(m.Share)
    pair = seated(match.seat_at(0, at), match.seat_at(1, at))
    leaver = pair.performers[match.steps[at].author]
    leaver.perform(leaver.seat._submit_and_continue(m.Resign()))
    pair.settle()
    log = tmp_path / "resigned.ginlog"
    log.write_bytes(log_bytes(tuple(pair.host.stored)))
    status, lines = replay(log)
    assert status == 0
    assert sum("resigns the match" in line for line in lines) == 1
    assert any(line.startswith(f"{at - 1}: ") and "draws" in line for line in lines)
    _, lines = replay(log, "--events")
    kinds = [line.split()[1] for line in lines]
    assert kinds.count("drawn") == kinds.count("draw") - 1


def test_one_seat_sees_only_its_own_cards(log, replay):
    _, lines = replay(log(), "--seat", "ben", "--events")
    seats = {event["seat"] for kind, event in map(parse_event, lines) if kind in ("hand", "drawn")}
    assert seats == {"guest"}
    _, lines = replay(log(), "--seat", "guest", "--full")
    assert any(re.fullmatch("  Ada: 10 cards, hidden.", line) for line in lines)
    _, lines = replay(log(), "--seat", "guest")
    assert any(re.match("  Ben: .*deadwood", line) for line in lines)
    assert not any(re.match("  Ada: .*deadwood", line) for line in lines)


def test_undisclosed_cards_are_not_shown(log, replay):
    status, lines = replay(log(*SECRET))
    assert status == 0
    assert "Both players' cards are hidden, because they aren't disclosed." in lines
    assert any("draws from the stock" in line for line in lines)
    _, lines = replay(log(*SECRET), "--events")
    assert not any(line.startswith(("event hand", "event drawn")) for line in lines)


def cards_shown(lines):
    """Return, for each player, whether their cards are shown or hidden."""
    return dict(re.findall(r"(\w+)'s cards are (\w+)", "\n".join(lines)))


def test_our_own_cards_are_shown_from_our_stored_seeds(log, replay, tmp_path):
    """The log doesn't contain these seeds; they're used only if they match its commitments."""
    own = recorded(*SECRET)
    matches = tmp_path / "home" / "matches"
    matches.mkdir(parents=True)
    stem = own.table.table_id.hex()[:16]
    seeds = "".join(f"{hand} {seed.hex()}\n" for hand, seed in own.seeds[1].items())
    (matches / f"{stem}.seeds").write_text("ginseeds1\n" + seeds)
    _, lines = replay(log(*SECRET))
    assert cards_shown(lines) == {"Ben": "shown", "Ada": "hidden"}
    wrong = re.sub("[0-9a-f]{64}", "00" * 32, seeds)
    (matches / f"{stem}.seeds").write_text("ginseeds1\n" + wrong)
    _, lines = replay(log(*SECRET))
    assert "Both players' cards are hidden, because they aren't disclosed." in lines


def test_each_player_is_named_if_their_cards_may_be_known_in_different_hands(replay, tmp_path):
    hand = TYPED.replace("d8c", "d").replace("d6c", "d")
    hand = "\n".join(line for line in hand.split("\n") if not line.startswith("guest:"))
    path = tmp_path / "friday.gin"
    path.write_text(f"hand 1\n{hand}hand 2\n{hand.replace('host', 'guest')}")
    _, lines = replay(path)
    assert lines[3:5] == [
        "The host's cards are shown in 1 of 2 hands, as typed.",
        "The guest's cards are shown in 1 of 2 hands, as typed.",
    ]


def test_the_end_of_a_match_is_stated_once_wherever_the_log_ends(log, replay):
    """The score sheet ends with the account if the log ends before the settlement, and otherwise
    with the settlement."""
    entries = recorded().entries
    for kept in range(len(entries) - 4, len(entries) + 1):
        _, lines = replay(log(entries=entries[:kept]))
        assert sum(" the match, " in line for line in lines) == 1, kept


def test_cards_are_named_in_words_if_the_settings_say_so(log, replay, tmp_path):
    (tmp_path / "home").mkdir()
    change_settings(tmp_path / "home", words=True)
    _, lines = replay(log())
    assert any(re.fullmatch("  Ada: .*deadwood .* of .*", line) for line in lines)
    assert any(re.fullmatch("Hand 1: .* The upcard is the [a-z0-9]+ of [a-z]+.", x) for x in lines)


def test_only_the_last_hand_of_a_log_says_that_the_log_ends(log, replay):
    cut = log(TWO_HANDS, entries=recorded(TWO_HANDS).entries[:-5])
    for hand, ends in (("1", False), ("2", True)):
        status, lines = replay(cut, "--hand", hand)
        assert status == 3
        assert any(line.startswith("The log ends here. INCOMPLETE: ") for line in lines) == ends
        assert sum(line.startswith("INCOMPLETE: ") for line in lines) == 2 - ends  # also at the top
        assert any(line.startswith("Still missing from the ") for line in lines)


def test_a_log_does_not_end_with_a_hand_that_is_followed_by_the_score(log, replay):
    entries = recorded(TWO_HANDS).entries
    for kept, ends in ((-4, True), (-3, False), (-1, False)):
        _, lines = replay(log(TWO_HANDS, entries=entries[:kept]), "--hand", "2")
        assert any(line.startswith("The log ends here. ") for line in lines) == ends


def test_a_single_hand_can_be_replayed(log, replay):
    status, lines = replay(log(TWO_HANDS), "--hand", "2")
    assert status == 0
    assert "The score sheet:" not in lines
    numbers = {match[1] for line in lines if (match := re.match(r"Hand (\d+): ", line))}
    assert numbers == {"2"}
    assert not any(line.startswith("Entry ") for line in lines)


@pytest.mark.parametrize(
    "arguments", [["--hand", "9"], ["--hand", "0"], ["--hand", "x"], ["--seat", "Eve"]]
)
def test_a_hand_or_player_not_in_the_log_is_a_usage_error(log, run, arguments):
    status, out, err = run("replay", log(), *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)


def swapping(view):
    """Take the upcard whenever possible, and discard a card, until the rules end the hand."""
    legal = view.legal_moves()
    return next((move for move in legal if isinstance(move, TakeUpcard)), legal[0])


@pytest.mark.deep
def test_a_replay_needs_at_most_half_more_memory_than_a_verification(tmp_path, capsys):
    """The log is one of the costliest kind: one hand of hundreds of turns."""
    rules = parse_ruleset("standard hands=1 swap-limit=300 opening=either-pile")
    path = tmp_path / "long.ginlog"
    path.write_bytes(log_bytes(TablePair("long", rules).play(swapping).host.stored))
    peaks = {}
    for command in ("verify", "replay"):
        tracemalloc.start()
        assert main([command, str(path)]) == 0
        peaks[command] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert len(capsys.readouterr().out.splitlines()) > 600
    one_batch = 8_000_000  # the proofs that are verified together, however long the log is
    assert peaks["verify"] < one_batch + 6 * path.stat().st_size
    assert peaks["replay"] < 1.5 * peaks["verify"]


def test_the_lines_of_one_hand_are_printed_as_they_are_made(log, replay, monkeypatch):
    """A stranger's log may have a hand of a hundred thousand entries."""
    done = []

    def told(*asked):
        for lines in step_paragraphs(*asked):
            done.append("told")
            yield lines

    monkeypatch.setattr("cli.commands.replay.step_paragraphs", told)
    monkeypatch.setattr("cli.commands.replay.print_lines", lambda *lines: done.append("printed"))
    assert replay(log(TWO_HANDS), "--hand", "2")[0] == 0
    last_told = len(done) - 1 - done[::-1].index("told")
    assert done[:last_told].count("printed") > 10


def test_a_log_of_a_later_version_is_not_replayed(monkeypatch, capsys):
    monkeypatch.chdir(FOLDER)
    for name in ("too-new-format", "too-new-offer"):
        assert main(["replay", f"{name}.ginlog"]) == 2
        out, err = capsys.readouterr()
        assert "(too-new)" in out + err
        assert "Hand 1" not in out


@pytest.mark.parametrize("command", ["verify", "replay", "analyse", "tally"])
def test_a_log_is_opened_once(log, monkeypatch, capsys, command):
    """On some systems, /dev/stdin can't be read a second time."""
    opened, really = [], files.open_for_reading

    def noted(path, *more):
        opened.append(str(path))
        return really(path, *more)

    monkeypatch.setattr(files, "open_for_reading", noted)
    path = str(log())
    main([command, path])
    assert opened.count(path) == 1


@pytest.mark.parametrize("late", [LATE, LATE.replace(" target=1", "")])
def test_a_text_that_begins_late_has_no_score_and_no_winner(replay, tmp_path, late):
    text = tmp_path / "late.gin"
    text.write_text(late)
    _, lines = replay(text)
    told = " ".join(lines)
    assert "begins with hand 3" in told
    assert "scores 18" in told
    assert not re.search("wins|161|score sheet|Score", told)
