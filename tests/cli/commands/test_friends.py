"""`ginpeer friends` as a real command: list, rename and forget friends."""

import time

import pytest

from cli.main import main
from ginpeer.store import Home
from protocol.crypto.identity import IdentityKey, fingerprint

ANN, BEN, BEN_TOO = (IdentityKey(bytes([at]) * 32).public for at in (1, 2, 3))


@pytest.fixture
def home(tmp_path):
    known = Home(tmp_path / "home").known_peers(lambda: 1_790_000_000)
    known.remember(ANN, "192.0.2.1:4466", "Ann")
    known.remember(BEN, "192.0.2.2:50000", "Ben")
    known.note_addresses(BEN, ("192.168.1.2:4466", "[2001:db8::2]:4466"))
    return tmp_path / "home"


@pytest.fixture
def friends(home, capsys):
    def run(*arguments):
        status = main(["--home", str(home), "friends", *arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def known(home):
    return Home(home).known_peers(time.time)


def test_a_home_that_has_met_nobody_says_so(tmp_path, capsys):
    assert main(["--home", str(tmp_path), "friends"]) == 0
    assert "haven't met anybody" in capsys.readouterr().out


def test_each_friend_is_a_line_with_key_and_places(friends):
    status, out, _ = friends()
    first, second = out.splitlines()
    assert status == 0
    both = {line.split(",")[0]: line for line in (first, second)}
    assert fingerprint(ANN) in both['"Ann"']
    assert "at 192.0.2.1" in both['"Ann"']
    assert "can be reached at 192.168.1.2:4466, [2001:db8::2]:4466" in both['"Ben"']


def test_a_friend_is_called_what_we_like_whatever_it_calls_itself(friends, home):
    assert friends("--rename", "ben", "Benny")[:2] == (0, '"Ben" is now called "Benny".\n')
    known(home).remember(BEN, "192.0.2.2:50001", "Lord Ben")
    assert known(home).name_of(BEN) == "Benny"
    assert '"Benny" (own name: "Lord Ben")' in friends()[1]
    assert friends("--rename", "Benny", "")[1] == '"Benny" is now called "Lord Ben".\n'


def test_a_friend_can_be_named_by_the_first_letters_of_its_fingerprint(friends, home):
    letters = fingerprint(ANN)[:7]
    assert friends("--rename", letters.upper(), "Mother")[0] == 0
    assert known(home).name_of(ANN) == "Mother"
    assert friends("--forget", fingerprint(ANN)[:3])[0] == 2  # too short to identify a friend


def test_a_name_that_is_like_anothers_fingerprint_does_not_stand_in_for_it(friends, home):
    letters = fingerprint(ANN)[:5]
    known(home).remember(BEN_TOO, "192.0.2.9:1", letters)
    status, _, err = friends("--rename", letters, "Mother")
    assert status == 2
    assert "several-friends" in err
    assert known(home).name_of(BEN_TOO) == letters


@pytest.mark.parametrize("form", [str, str.upper, lambda text: text.replace("-", "")])
def test_a_whole_fingerprint_means_its_key_and_nobody_who_is_called_so(friends, home, form):
    known(home).remember(BEN_TOO, "192.0.2.9:1", form(fingerprint(ANN)))
    assert friends("--rename", form(fingerprint(ANN)), "Mother")[0] == 0
    assert known(home).name_of(ANN) == "Mother"
    status, _, err = friends("--rename", form(fingerprint(bytes(32))), "Mother")
    assert (status, "(friend-unknown)" in err) == (2, True)
    known(home).remember(BEN_TOO, "192.0.2.9:1", form(fingerprint(bytes(32))))
    status, _, err = friends("--rename", form(fingerprint(bytes(32))), "Mother")
    assert (status, "(friend-unknown)" in err) == (2, True)


@pytest.mark.parametrize("form", [str, str.upper, lambda text: text.replace("-", "")])
def test_nobody_is_given_a_fingerprint_for_a_name(friends, home, capsys, form):
    name = form(fingerprint(ANN))
    status, _, err = friends("--rename", "Ben", name)
    assert (status, "(name-unusable)" in err) == (2, True)
    assert known(home).name_of(BEN) == "Ben"
    assert main(["--home", str(home), "id", "--name", name]) == 2
    assert "(bad-name)" in capsys.readouterr().err


def test_who_is_meant_by_several_is_listed_in_lines_of_their_own(friends, home):
    known(home).remember(BEN_TOO, "192.0.2.9:1", "Ben")
    status, out, err = friends("--forget", "Ben")
    assert (status, out) == (2, "")
    one, other, asked = err.splitlines()
    assert all(line.startswith('"Ben", key ') for line in (one, other))
    assert asked.endswith("(several-friends)")
    assert "--rename" in asked
    assert len(asked.replace(f" --home {home}", "")) < 160


@pytest.mark.parametrize(
    ("typed", "meant"), [("mary", "Mary Ann"), ("Bem", "Ben"), ("Dora", None), ("", None)]
)
def test_a_first_name_or_a_typo_asks_whether_that_friend_was_meant(
    friends, home, capsys, typed, meant
):
    known(home).remember(BEN_TOO, "192.0.2.9:1", "Mary Ann")
    for command in (["friends", "--forget"], ["host"], ["join"], ["resume"]):
        assert main(["--home", str(home), *command, typed]) == 2
        question = capsys.readouterr().err.partition("Did you mean ")[2]
        assert question.startswith(f'"{meant}"?') if meant else not question, command
    assert {friend.name for friend in known(home).all()} == {"Ann", "Ben", "Mary Ann"}


@pytest.mark.parametrize(
    ("pasted", "told"),
    [
        ("gin1-abcdefghijklmnop-qrstuvwxyz234567", "This is an invite"),
        ("invite: gin2-abcdefghijklmnop", "This is an invite"),
        ("reply: ginr1-abcdefghijklmnop", "This is a reply"),
    ],
)
def test_a_code_in_the_place_of_a_name_is_told_as_what_it_is(friends, home, pasted, told, capsys):
    for status, _, err in (friends("--forget", pasted), friends("--rename", pasted, "Ben")):
        assert status == 2
        assert told in err
        assert "(friend-unknown)" in err
        assert pasted not in err
    assert main(["--home", str(home), "host", pasted]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("time", ["1" + "0" * 30, "1" + "0" * 17, "-" + "1" + "0" * 17])
def test_a_time_that_cannot_be_is_damage_and_no_fault_of_ours(friends, home, time):
    file = home / "known_peers.json"
    file.write_text(file.read_text().replace('"last_met": 1790000000', f'"last_met": {time}'))
    status, _, err = friends()
    assert status != 0
    assert err.endswith(" (bad-known-peers)\n")


def test_a_clock_that_is_wrong_leaves_no_damaged_file(home):
    for now in (-5.0, 1e30):
        Home(home).known_peers(lambda now=now: now).remember(ANN, "192.0.2.7:1", "Ann")
        assert known(home).peer(ANN) is not None


def test_who_is_forgotten_is_a_stranger(friends, home):
    status, out, _ = friends("--forget", "Ann")
    assert (status, out.split(".")[0]) == (0, '"Ann" has been forgotten')
    assert known(home).peer(ANN) is None
    assert known(home).peer(BEN) is not None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--forget", "Nobody"), "friend-unknown"),
        (("--forget", ""), "friend-unknown"),
        (("--forget", "Ben"), "several-friends"),
        (("--rename", "Ann", "ben"), "name-taken"),
        (("--rename", "Ann", "x" * 65), "name-unusable"),
        (("--rename", "Ann", "\x1b[2J"), "name-unusable"),
    ],
)
def test_what_means_nobody_or_several_is_refused_with_its_code(friends, home, arguments, code):
    known(home).remember(BEN_TOO, "192.0.2.9:1", "Ben")
    before = known(home).all()
    status, _, err = friends(*arguments)
    assert status == 2
    assert f"({code})" in err or code in err
    assert "\x1b" not in err
    assert known(home).all() == before
