"""`ginpeer tally`: real logs of several tables, and every reason why they can't be
scored."""

import json

import pytest

from ginpeer.store import Home
from protocol.crypto.identity import fingerprint
from tests.tally.played import identity, play

pytestmark = pytest.mark.usefixtures("in_the_toy_group")

TWO = "standard hands=2"
PAIRS = (("Ann", "Ben"), ("Cem", "Dora"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make an empty folder the current one, and return it. The home in it has no matches."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tally(folder, run):
    """Return a function that runs `ginpeer tally` with these arguments; it writes those that are
    matches to 1.log, 2.log, ..."""

    def tally(*matches_and_words):
        words = []
        for at, item in enumerate(matches_and_words, 1):
            if not isinstance(item, str):
                item.write(folder / f"{at}.log")
                item = f"{at}.log"
            words.append(item)
        return run("tally", *words)

    return tally


def two_tables(rules=TWO, **more):
    return [play(*pair, rules, **more) for pair in PAIRS]


def fp(player):
    return fingerprint(identity(player).public)


# --- teams ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "tedesco", "target", "over"),
    [
        ((), False, 125, False),
        (("--target", "20"), False, 20, True),
        (("--tedesco",), True, 200, False),
    ],
)
def test_the_options_decide_how_teams_are_scored(tally, words, tedesco, target, over):
    status, out, _ = tally(*two_tables(), *words, "--json")
    document = json.loads(out)
    score = document["score"]
    assert (status, document["code"], score["kind"]) == (0, "scored", "teams")
    assert (score["tedesco"], score["target"], score["over"]) == (tedesco, target, over)
    assert len(score["columns"]) == (3 if tedesco else 1)


# --- three players ----------------------------------------------------------------------


def test_a_wrong_order_is_noticed(tally):
    first = play("Ann", "Ben")
    games = (play("Cem", first.winner, seed=seed, started=1_700_000_600) for seed in range(9))
    second = next(game for game in games if game.winner == "Cem")
    assert tally(first, second)[0] == 0
    assert tally(second, first)[0] == 0  # the time stamps put them in order
    status, out, err = tally(second, first, "--as-given")
    assert (status, out) == (2, "")
    assert "(tally-order)" in err


# --- logs that don't belong together ----------------------------------------------------


def test_logs_that_do_not_fit_together_are_refused(tally):
    said = "1.log and 2.log have different rules"
    matches = [play("Ann", "Ben", TWO), play("Cem", "Dora", "standard hands=1")]
    status, out, err = tally(*matches)
    assert (status, out) == (2, "")
    assert said in err
    assert "(tally-mismatch)" in err
    status, out, err = tally(*matches, "--json")
    document = json.loads(out)
    assert (status, err) == (2, "")
    assert document["verdict"] == "mismatch"
    assert document["score"] is None
    assert said in document["sentence"]


# --- invalid logs -----------------------------------------------------------------------


def refused(out):
    """Check that the output has no score, and return what it says about each log."""
    first, *lines = out.splitlines()
    assert first.startswith("Not scored: ")
    assert "Score" not in out
    assert "win" not in out
    return lines


def test_a_forged_log_is_named_and_nothing_is_scored(tally, folder):
    one, other = two_tables()
    entries = list(other.entries)
    entries[9] = entries[9][:-1] + bytes([entries[9][-1] ^ 1])
    other.write(folder / "bad.log", tuple(entries))
    status, out, _ = tally(one, "bad.log")
    assert status == 1
    fine, bad = refused(out)
    assert fine.startswith("1.log: valid.")
    assert bad.startswith("bad.log: forged. At entry 9: ")


def test_an_incomplete_log_gives_status_3(tally, folder):
    one, other = two_tables()
    other.write(folder / "short.log", other.entries[:-3])
    status, out, _ = tally(one, "short.log")
    assert status == 3
    assert refused(out)[1].startswith("short.log: incomplete.")
    status, out, _ = tally(one, "short.log", "--json")
    document = json.loads(out)
    assert (status, document["verdict"], document["score"]) == (3, "incomplete", None)


def test_a_missing_file_or_one_that_is_not_a_log_gives_status_2(tally, folder):
    (folder / "text.log").write_text("dear diary")
    for name in ("nowhere.log", "text.log", str(folder)):
        status, out, _ = tally(play("Ann", "Ben", TWO), name)
        assert status == 2
        assert refused(out)[1].startswith(f"{name}: unreadable.")


def test_typed_text_is_cleaned_before_it_is_shown(tally):
    status, out, _ = tally("a\x1b[31m.log", play("Cem", "Dora", TWO))
    assert status == 2
    assert "\x1b" not in out
    _, _, err = tally(*two_tables(), "--team", "A\x1b[31mn,Cem")
    assert "\x1b" not in err


def test_wrong_usage_is_explained(tally):
    assert tally()[0] == 2
    for target in ("many", "0", "10001"):
        status, _, err = tally(*two_tables(), "--target", target)
        assert (status, "(usage)" in err) == (2, True)
    assert tally(*two_tables(), "--target", "10000")[0] == 0


# --- who owns the keys --------------------------------------------------------------------


def know(folder, *players, own=None):
    """Make a home whose player, *own*, has met these players. It has no key if *own* is None."""
    home = Home(folder / "home")
    peers = home.known_peers(lambda: 1_700_000_000)
    for player in players:
        peers.remember(identity(player).public, "192.0.2.1:4466", player.partition("/")[0])
    if own is not None:
        home.identity_file.path.parent.mkdir(exist_ok=True)
        home.identity_file.create(identity(own), None, lambda count: bytes(count))
    return home


def test_all_players_keys_are_listed_with_whether_they_are_known(tally, folder, transcript):
    know(folder, "Ben", own="Ann")
    status, out, _ = tally(*two_tables())
    assert status == 0
    transcript(out.splitlines()[:6])
    players = json.loads(tally(*two_tables(), "--json")[1])["score"]["players"]
    assert {player["name"]: player["known"] for player in players} == {
        "Ann": "own",
        "Ben": "met",
        "Cem": None,
        "Dora": None,
    }


def test_a_team_is_named_by_our_names_for_friends_in_json_too(tally, folder, run):
    know(folder, "Ben", "Dora", own="Ann")
    assert run("friends", "--rename", "Dora", "Cem")[0] == 0
    status, out, _ = tally(*two_tables(), "--team", "Ann,Cem", "--json")
    assert status == 0
    players = json.loads(out)["score"]["players"]
    assert [player["name"] for player in players if player["team"] == 0] == ["Ann", "Dora"]
    assert "One team: Ann and Cem" in tally(*two_tables(), "--team", "Ann,Cem")[1]


def test_tables_forged_under_friends_names_are_warned_of(tally, folder, transcript):
    """Except for the warning, the honest and the forged score look the same."""
    know(folder, "Ben", "Cem", "Dora", own="Ann")
    made_up = [play("Ann/forged", "Ben/forged", TWO), play("Cem/forged", "Dora/forged", TWO)]
    honest, forged = tally(*two_tables())[1], tally(*made_up)[1]
    assert "Careful" not in honest
    transcript(line for line in forged.splitlines() if "Careful" in line)


def test_a_table_of_one_friend_and_one_stranger_is_warned_of(tally, folder):
    know(folder, "Ann", "Ben", "Cem")
    _, out, _ = tally(*two_tables())
    assert f"one of the players in 2.log: key {fp('Dora')}." in out


def test_an_unreadable_friends_file_is_a_fault_of_this_machine(tally, folder):
    (folder / "home").mkdir()
    (folder / "home" / "known_peers.json").write_text("{")
    status, _, err = tally(*two_tables())
    assert status == 70
    assert "(bad-known-peers)" in err
