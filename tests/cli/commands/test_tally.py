"""`ginpeer tally`: real logs of several tables, and every way in which they can fail to count."""

import json

import pytest

from cli.main import main
from ginpeer.rules import parse_ruleset
from ginpeer.rules.team import TeamMatch, ThreePlayers
from ginpeer.store.log import log_bytes
from protocol.crypto.identity import fingerprint
from protocol.messages import Disclosure
from tests.matches.recorded import plain_player
from tests.matches.table_pair import TablePair
from tests.tally.played import identity, in_the_toy_group, play

toy = pytest.fixture(scope="module", autouse=True)(in_the_toy_group)

TWO = "standard hands=2"
PAIRS = (("Ann", "Ben"), ("Cem", "Dora"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is also the current one, and a home without matches."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def tally(folder, capsys):
    """Run the command on matches (written to 1.log, 2.log, ...) and names of files."""

    def run(*matches_and_words):
        words = []
        for at, item in enumerate(matches_and_words, 1):
            if not isinstance(item, str):
                item.write(folder / f"{at}.log")
                item = f"{at}.log"
            words.append(item)
        status = main(["tally", *words])
        return status, *capsys.readouterr()

    return run


def two_tables(rules=TWO, **more):
    return [play(*pair, rules, **more) for pair in PAIRS]


def fp(player):
    return fingerprint(identity(player).public)


# --- teams ------------------------------------------------------------------------------


def test_two_tables_are_scored_hand_by_hand(tally):
    tables = two_tables()
    status, out, _ = tally(*tables)
    assert status == 0
    assert "Table 1: Ann against Ben (1.log)." in out
    assert "One team: Ann and Cem. The other: Ben and Dora." in out
    running = [0, 0]
    for at, results in enumerate(zip(*(table.match.results for table in tables), strict=True)):
        sums = [sum(result.points_of(seat) for result in results) for seat in (0, 1)]
        running[sums[1] > sums[0]] += abs(sums[0] - sums[1])
        line = next(line for line in out.splitlines() if line.startswith(f"Hand {at + 1}:"))
        assert line.endswith(f"Score: Ann and Cem {running[0]}; Ben and Dora {running[1]}.")
    assert max(running) > 0


@pytest.mark.parametrize(
    ("words", "size", "tedesco", "target"),
    [((), 2, False, None), (("--target", "20"), 2, False, 20), (("--tedesco",), 2, True, None)],
)
def test_the_document_says_what_the_rules_make_of_the_hands(tally, words, size, tedesco, target):
    tables = two_tables()
    status, out, _ = tally(*tables, *words, "--json")
    score = json.loads(out)["score"]
    match = TeamMatch.begin(parse_ruleset(TWO), size, tedesco=tedesco, target=target)
    for results in zip(*(table.match.results for table in tables), strict=True):
        match = match.record(results)
    assert status == 0
    assert (score["kind"], score["tedesco"]) == ("teams", tedesco)
    assert score["target"] == match.game.rules.target
    assert [hand["points"] for hand in score["hands"]] == [
        None if hand is None else [hand.points_of(0), hand.points_of(1)] for hand in match.hands
    ]
    assert score["over"] == match.game.over == (target == 20)
    assert score["winner"] == match.game.winner
    assert len(score["columns"]) == (3 if tedesco else 1)
    for said, column in zip(score["columns"], match.game.columns, strict=True):
        assert [side["hand_points"] for side in said["score"]] == list(column.points)
        if column.over:
            assert [side["total"] for side in said["score"]] == [
                line.total for line in column.lines
            ]


def test_tables_with_tedescos_rules_keep_tedescos_score(tally):
    rules = "tedesco columns=1 hands=1"
    tables = [play(*pair, rules) for pair in (*PAIRS, ("Eva", "Fay"))]
    status, out, _ = tally(*tables)
    assert status == 0
    assert "Teams of 3 at 3 tables, three columns to 300, by Tedesco's rules." in out
    assert "Ann, Cem and Eva: " in out
    document = json.loads(tally(*tables, "--json")[1])["score"]
    winners = {table.match.results[0].winner for table in tables}
    assert document["hands"][0]["bonus"] == (25 if len(winners) == 1 else 0)


def test_a_team_can_be_named_by_name_or_fingerprint(tally):
    hosts = json.loads(tally(*two_tables(), "--json")[1])["score"]
    for team in ("Ann,Dora", "dora, ANN", f"{fp('Ann')},Dora", f"{fp('Dora')},{fp('Ann')}"):
        mixed = json.loads(tally(*two_tables(), "--team", team, "--json")[1])["score"]
        assert {p["name"]: p["team"] for p in mixed["players"]} == {
            "Ann": 0, "Dora": 0, "Ben": 1, "Cem": 1,
        }  # fmt: skip
        assert [hand["tables"][0] for hand in mixed["hands"]] == [
            hand["tables"][0] for hand in hosts["hands"]
        ]
        assert [hand["tables"][1]["points"] for hand in mixed["hands"]] == [
            hand["tables"][1]["points"][::-1] for hand in hosts["hands"]
        ]


@pytest.mark.parametrize(
    ("team", "said"),
    [
        ("Ann,Zoe", 'Nobody is named "Zoe"; the players are "Ann" ('),
        ("", "Nobody is named"),
    ],
)
def test_a_team_that_cannot_be_is_refused(tally, team, said):
    status, out, err = tally(*two_tables(), "--team", team)
    assert (status, out) == (2, "")
    assert said in err
    assert "(tally-team)" in err


def test_two_players_of_one_name_are_told_apart_by_their_keys(tally):
    tables = [play("Ann", "Ben", TWO), play("Ann/2", "Dora", TWO)]
    status, out, _ = tally(*tables)
    assert status == 0
    assert f"One team: Ann ({fp('Ann')}) and Ann ({fp('Ann/2')})." in out
    status, _, err = tally(*tables, "--team", "Ann,Dora")
    assert status == 2
    assert 'Several players are named "Ann"; use a fingerprint instead:' in err
    status, out, _ = tally(*tables, "--team", f"{fp('Ann')},Dora")
    assert status == 0
    assert f"One team: Ann ({fp('Ann')}) and Dora." in out


PAIR_OF = {
    "Ann": "Ann and Cem",
    "Cem": "Ann and Cem",
    "Ben": "Ben and Dora",
    "Dora": "Ben and Dora",
}


def test_a_team_whose_player_resigns_has_lost_and_the_sheet_says_so(tally):
    short = play("Cem", "Dora", TWO, resign=3)
    assert len(short.match.results) == 0
    leaver, stays = (
        short.players[seat] for seat in (short.match.resigned, 1 - short.match.resigned)
    )
    status, out, _ = tally(play("Ann", "Ben", TWO), short)
    assert status == 0
    assert (
        f"Hand 1: not scored. It isn't in 2.log, because {leaver} resigned. "
        f"{PAIR_OF[leaver]} have lost the game as a result." in out
    )
    assert "Hand 2: not counted, because the game was over." in out
    assert f"{PAIR_OF[stays]} win, because the other team has resigned: " in out
    score = json.loads(tally(play("Ann", "Ben", TWO), short, "--json")[1])["score"]
    lost = int(PAIR_OF[leaver] == "Ben and Dora")
    assert (score["over"], score["winner"], score["resigned"]) == (True, 1 - lost, [lost])


def test_hands_after_the_end_are_not_counted(tally):
    status, out, _ = tally(*two_tables(), "--target", "1")
    assert status == 0
    assert "Hand 2: not counted, because the game was over." in out
    assert " win: " in out


def test_the_stake_is_between_the_teams(tally):
    tables = two_tables("standard hands=2 stake=5")
    _, out, _ = tally(*tables, "--target", "1", "--json")
    totals = json.loads(out)["score"]["totals"]
    _, out, _ = tally(*tables, "--target", "1")
    margin = abs(totals[0] - totals[1])
    assert f"5 times {margin}, that is {5 * margin}." in out


# --- three players ----------------------------------------------------------------------


def rotation(hands, rules="standard hands=1"):
    """So many hands of three players, as RULES 14.3 has them follow each other."""
    players, two, logs = {"Ann", "Ben", "Cem"}, ("Ann", "Ben"), []
    for at in range(hands):
        logs.append(play(*two, rules, seed=at, started=1_700_000_000 + 600 * at))
        if logs[-1].winner is not None:
            two = (*(players - {*two}), logs[-1].winner)
    return logs


def test_three_players_keep_their_own_points(tally):
    logs = rotation(4)
    status, out, _ = tally(*logs)
    assert status == 0
    assert "Three players, Ann, Ben and Cem, to 100." in out
    state, players = ThreePlayers(logs[0].match.rules, 100), ("Ann", "Ben", "Cem")
    for at, log in enumerate(logs, 1):
        seats = tuple(players.index(player) for player in log.players)
        state = state.record(seats, log.match.results[0])
        line = next(line for line in out.splitlines() if line.startswith(f"Hand {at}, {at}.log"))
        shown = ", ".join(f"{p} {n}" for p, n in zip(players, state.points, strict=True))
        assert line.endswith(f"Score: {shown}.")
    assert sum(state.points) > 0


def test_the_winner_of_three_has_the_target_first(tally):
    logs = rotation(4)
    _, out, _ = tally(*logs, "--target", "10", "--json")
    score = json.loads(out)["score"]
    assert score["kind"] == "rotation"
    assert score["over"]
    winner = score["winner"]
    assert score["columns"][0]["score"][winner]["hand_points"] >= 10
    assert score["columns"][0]["score"][winner]["game_bonus"] == 100
    assert score["totals"][winner] == score["columns"][0]["score"][winner]["total"]
    counted = [hand["counted"] for hand in score["hands"]]
    assert counted == sorted(counted, reverse=True)


def test_the_logs_of_three_are_ordered_by_their_clocks_unless_asked_otherwise(tally):
    logs = rotation(4)
    in_order = json.loads(tally(*logs, "--json")[1])["score"]
    shuffled = json.loads(tally(*logs[::-1], "--json")[1])["score"]
    assert [hand["points"] for hand in in_order["hands"]] == [
        hand["points"] for hand in shuffled["hands"]
    ]
    assert tally(*logs, "--as-given")[0] == 0


def test_a_wrong_order_is_noticed(tally):
    first = play("Ann", "Ben")
    games = (play("Cem", first.winner, seed=seed, started=1_700_000_600) for seed in range(9))
    second = next(game for game in games if game.winner == "Cem")
    assert tally(first, second)[0] == 0
    assert tally(second, first)[0] == 0  # the clocks put them right
    status, out, err = tally(second, first, "--as-given")
    assert (status, out) == (2, "")
    out_first = next(player for player in first.players if player != first.winner)
    due = [f"{one} and {other}" for one, other in ((out_first, "Cem"), ("Cem", out_first))]
    assert any(f"2.log can't follow 1.log: after that hand, {pair} play" in err for pair in due)
    assert "(tally-order)" in err


def test_after_a_resignation_who_stayed_plays_who_sat_out(tally):
    given_up = play("Ann", "Ben", resign=2)
    stays = given_up.players[1 - given_up.match.resigned]
    leaver = given_up.players[given_up.match.resigned]
    follows = play("Cem", stays, started=1_700_000_600)
    status, out, _ = tally(given_up, follows)
    assert status == 0
    assert f"{leaver} resigned in 1.log and has lost the game; nobody scores in that hand." in out
    assert "Hand 1, 2.log: not counted, because the game was over." in out
    assert f"{stays} wins, because {leaver} has resigned: " in out
    score = json.loads(tally(given_up, follows, "--json")[1])["score"]
    names = [player["name"] for player in score["players"]]
    assert (names[score["winner"]], score["over"]) == (stays, True)
    assert [names[at] for at in score["resigned"]] == [leaver]
    again = play("Cem", leaver, started=1_700_000_600)
    assert tally(given_up, again)[0] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--team", "Ann,Ben"), "no teams"), (("--tedesco",), "is for teams"),
     (("--target", "0"), "target=0")],
)  # fmt: skip
def test_three_players_are_no_teams(tally, words, said):
    status, out, err = tally(*rotation(2), *words)
    assert (status, out) == (2, "")
    assert said in err


# --- logs that do not belong together ---------------------------------------------------


def test_logs_that_do_not_fit_are_refused_with_the_names_of_two(tally):
    said = "1.log and 2.log have different rules: standard hands=2; standard hands=1."
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


# --- logs that do not hold --------------------------------------------------------------


def refused(out):
    """What was said of each log, where there is no score."""
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


def test_an_incomplete_log_is_status_3(tally, folder):
    one, other = two_tables()
    other.write(folder / "short.log", other.entries[:-3])
    status, out, _ = tally(one, "short.log")
    assert status == 3
    assert refused(out)[1].startswith("short.log: incomplete.")
    status, out, _ = tally(one, "short.log", "--json")
    document = json.loads(out)
    assert (status, document["verdict"], document["score"]) == (3, "incomplete", None)
    assert [log["verdict"] for log in document["logs"]] == ["valid", "incomplete"]


def test_a_log_that_is_missing_or_no_log_is_status_2(tally, folder):
    (folder / "text.log").write_text("dear diary")
    for name in ("nowhere.log", "text.log", str(folder)):
        status, out, _ = tally(play("Ann", "Ben", TWO), name)
        assert status == 2
        assert refused(out)[1].startswith(f"{name}: unreadable.")


def test_one_match_counts_once(tally, folder):
    one, other = two_tables()
    one.write(folder / "copy.log")
    status, out, _ = tally(one, other, "copy.log")
    assert status == 0
    assert (
        "copy.log: duplicate. It's the same match as 1.log, so it counts once. (tally-duplicate)"
    ) in out.splitlines()
    alone = json.loads(tally(one, other, "--json")[1])
    document = json.loads(tally(one, other, "copy.log", "1.log", "--json")[1])
    assert document["score"] == alone["score"]
    assert [log["verdict"] for log in document["logs"]] == ["valid", "valid", *["duplicate"] * 2]
    status, _, err = tally(one, "1.log")
    assert status == 2
    assert "between the same two players" in err


def test_a_host_who_takes_the_id_of_another_match_does_not_keep_it_from_counting(tally, folder):
    """The host chooses the table id; two matches of other players are not one for it."""
    pairs = [
        TablePair(
            "one id",
            parse_ruleset(TWO),
            Disclosure.NEVER,
            identities=tuple(map(identity, players)),
            names=("Eve", players[1]),  # the seats' own randomness comes from seed and name
        ).play(plain_player)
        for players in PAIRS
    ]
    assert len({pair.host.seat.table.table_id for pair in pairs}) == 1
    for at, pair in enumerate(pairs):
        (folder / f"{at}.log").write_bytes(log_bytes(pair.host.stored))
    status, out, _ = tally("0.log", "1.log")
    assert status == 0
    assert "Not scored" not in out


@pytest.mark.parametrize("claimed", ["Ann ({})", "Nobody", "you"])
def test_a_name_that_misleads_is_shown_with_its_key(tally, folder, claimed):
    claimed = claimed.format(fp("Ann"))
    pair = TablePair(
        "claims",
        parse_ruleset(TWO),
        Disclosure.NEVER,
        identities=(identity("Cem"), identity("Dora")),
        names=(claimed, "Dora"),
    ).play(plain_player)
    (folder / "claims.log").write_bytes(log_bytes(pair.host.stored))
    status, out, _ = tally(play("Ann", "Ben", TWO), "claims.log")
    assert status == 0
    assert f'One team: Ann and "{claimed}" ({fp("Cem")}). The other: Ben and Dora.' in out


def test_of_several_reasons_the_worst_is_the_status(tally, folder):
    one, other = two_tables()
    other.write(folder / "short.log", other.entries[:-3])
    entries = list(one.entries)
    entries[9] = entries[9][:-1] + bytes([entries[9][-1] ^ 1])
    one.write(folder / "bad.log", tuple(entries))
    assert tally("short.log", "nowhere.log", "bad.log")[0] == 1
    assert tally("short.log", "nowhere.log")[0] == 2


def test_what_was_typed_is_cleaned_before_it_reaches_the_screen(tally):
    status, out, _ = tally("a\x1b[31m.log", play("Cem", "Dora", TWO))
    assert status == 2
    assert "\x1b" not in out
    _, _, err = tally(*two_tables(), "--team", "A\x1b[31mn,Cem")
    assert "\x1b" not in err


def test_wrong_usage_is_a_sentence(tally):
    assert tally()[0] == 2
    status, _, err = tally(*two_tables(), "--target", "many")
    assert status == 2
    assert "must be a number of points" in err
    status, _, err = tally(*two_tables(), "--target", "20000")
    assert status == 2
    assert "rule-out-of-range" in err


# --- whose keys they are ------------------------------------------------------------------


def know(folder, *players, own=None):
    """A home that has met these players, with the key of *own*."""
    from ginpeer.store import Home

    home = Home(folder / "home")
    peers = home.known_peers(lambda: 1_700_000_000)
    for player in players:
        peers.remember(identity(player).public, "192.0.2.1:4466", player.partition("/")[0])
    if own is not None:
        home.identity_file.path.parent.mkdir(exist_ok=True)
        home.identity_file.create(identity(own), None, lambda count: bytes(count))
    return home


def test_the_keys_of_all_players_are_told_and_whether_this_home_knows_them(tally, folder):
    know(folder, "Ben", own="Ann")
    status, out, _ = tally(*two_tables())
    assert status == 0
    lines = out.splitlines()
    assert lines[:4] == [
        f'Key {fp("Ann")}, called "Ann": your own.',
        f'Key {fp("Ben")}, called "Ben": you know it as "Ben".',
        f'Key {fp("Cem")}, called "Cem": you have never met it.',
        f'Key {fp("Dora")}, called "Dora": you have never met it.',
    ]
    assert lines[4].startswith("Careful: you have met neither player of 2.log. ")
    assert not any("1.log" in line for line in lines[:5])
    players = json.loads(tally(*two_tables(), "--json")[1])["score"]["players"]
    assert {player["name"]: player["known"] for player in players} == {
        "Ann": "own",
        "Ben": "met",
        "Cem": None,
        "Dora": None,
    }


def test_tables_that_a_forger_made_up_under_the_friends_names_are_not_told_like_theirs(
    tally, folder
):
    """The very tables that were scored as the honest ones are."""
    know(folder, "Ben", "Cem", "Dora", own="Ann")
    made_up = [play("Ann/forged", "Ben/forged", TWO), play("Cem/forged", "Dora/forged", TWO)]
    honest, forged = tally(*two_tables())[1], tally(*made_up)[1]
    assert "Careful" not in honest
    assert forged.count("Careful: you have met neither player of ") == 2
    for friend in ("Ben", "Cem", "Dora"):
        assert (
            f'Key {fp(f"{friend}/forged")}, called "{friend}": you have never met it. '
            f"Careful: the {friend} you know has a different key, {fp(friend)}."
        ) in forged.splitlines()


def test_a_table_of_one_friend_and_one_stranger_is_warned_of(tally, folder):
    know(folder, "Ann", "Ben", "Cem")
    _, out, _ = tally(*two_tables())
    assert f"Careful: you have never met a player of 2.log, key {fp('Dora')}." in out


def test_friends_that_cannot_be_read_are_a_fault_of_this_machine(tally, folder):
    (folder / "home").mkdir()
    (folder / "home" / "known_peers.json").write_text("{")
    status, _, err = tally(*two_tables())
    assert status == 70
    assert "(bad-known-peers)" in err


def test_two_endings_of_one_match_are_no_copies(tally, folder):
    """Both are signed by both players, who have signed twice."""
    one, other = play("Ann", "Ben", TWO), play("Ann", "Ben", TWO, resign=3)
    assert one.entries[:2] == other.entries[:2]
    status, out, _ = tally(one, other, play("Cem", "Dora", TWO))
    assert status == 2
    assert refused(out)[1] == (
        "2.log: fork. It's the same match as 1.log, but with a different ending: a player signed "
        "twice. (tally-fork)"
    )
