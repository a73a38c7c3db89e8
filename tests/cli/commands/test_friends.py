"""`ginpeer friends` as a real command: list, rename and forget friends."""

import time
from functools import partial

import pytest

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
def friends(home, run):
    return partial(run, "friends")


def known(home):
    return Home(home).known_peers(time.time)


def test_an_empty_list_of_friends_says_so(run):
    status, out, _ = run("friends")
    assert (status, "haven't met anybody" in out) == (0, True)


def test_each_friend_is_listed_with_key_and_addresses(friends):
    status, out, _ = friends()
    first, second = out.splitlines()
    assert status == 0
    both = {line.split(",")[0]: line for line in (first, second)}
    assert fingerprint(ANN) in both['"Ann"']
    assert "at 192.0.2.1" in both['"Ann"']
    assert "can be reached at 192.168.1.2:4466, [2001:db8::2]:4466" in both['"Ben"']


def test_our_nickname_for_a_friend_outlasts_changes_of_its_own_name(friends, home):
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


def test_a_name_that_looks_like_a_friends_fingerprint_is_ambiguous(friends, home):
    letters = fingerprint(ANN)[:5]
    known(home).remember(BEN_TOO, "192.0.2.9:1", letters)
    status, _, err = friends("--rename", letters, "Mother")
    assert status == 2
    assert "several-friends" in err
    assert known(home).name_of(BEN_TOO) == letters


FORMS = [str, str.upper, lambda text: text.replace("-", "")]


@pytest.mark.parametrize("form", FORMS)
def test_a_whole_fingerprint_never_matches_a_name(friends, home, form):
    known(home).remember(BEN_TOO, "192.0.2.9:1", form(fingerprint(ANN)))
    assert friends("--rename", form(fingerprint(ANN)), "Mother")[0] == 0
    assert known(home).name_of(ANN) == "Mother"
    known(home).remember(BEN_TOO, "192.0.2.9:1", form(fingerprint(bytes(32))))
    status, _, err = friends("--rename", form(fingerprint(bytes(32))), "Mother")
    assert (status, "(friend-unknown)" in err) == (2, True)


@pytest.mark.parametrize("form", FORMS)
def test_a_fingerprint_cannot_be_used_as_a_name(friends, home, run, form):
    name = form(fingerprint(ANN))
    status, _, err = friends("--rename", "Ben", name)
    assert (status, "(name-unusable)" in err) == (2, True)
    assert known(home).name_of(BEN) == "Ben"
    status, _, err = run("id", "--name", name)
    assert (status, "(bad-name)" in err) == (2, True)


def test_an_ambiguous_name_lists_each_candidate_on_its_own_line(friends, home):
    known(home).remember(BEN_TOO, "192.0.2.9:1", "Ben")
    status, out, err = friends("--forget", "Ben")
    assert (status, out) == (2, "")
    one, other, asked = err.splitlines()
    assert all(line.startswith('"Ben", key ') for line in (one, other))
    assert asked.endswith("(several-friends)")
    assert "--rename" in asked


@pytest.mark.parametrize(
    ("typed", "meant"), [("mary", "Mary Ann"), ("Bem", "Ben"), ("Dora", None), ("", None)]
)
def test_a_first_name_or_a_typo_suggests_the_friend(home, run, typed, meant):
    known(home).remember(BEN_TOO, "192.0.2.9:1", "Mary Ann")
    for command in (["friends", "--forget"], ["host"], ["join"], ["resume"]):
        status, _, err = run(*command, typed)
        question = err.partition("Did you mean ")[2]
        assert status == 2
        assert question.startswith(f'"{meant}"?') if meant else not question, command
    assert {friend.name for friend in known(home).all()} == {"Ann", "Ben", "Mary Ann"}


@pytest.mark.parametrize(
    ("pasted", "told"),
    [
        ("gin1-abcdefghijklmnop-qrstuvwxyz234567", "This is an invite"),
        ("reply: ginr1-abcdefghijklmnop", "This is a reply"),
    ],
)
def test_a_code_in_place_of_a_name_is_identified(friends, run, pasted, told):
    for status, _, err in (friends("--forget", pasted), friends("--rename", pasted, "Ben")):
        assert status == 2
        assert told in err
        assert "(friend-unknown)" in err
        assert pasted not in err
    status, _, err = run("host", pasted)
    assert (status, told in err) == (2, True)


def test_an_impossible_time_is_reported_as_damage(friends, home):
    file = home / "known_peers.json"
    impossible = f'"last_met": {10**17}'
    file.write_text(file.read_text().replace('"last_met": 1790000000', impossible))
    status, _, err = friends()
    assert (status, err.endswith(" (bad-known-peers)\n")) == (70, True)


def test_a_wrong_clock_does_not_damage_the_file(home):
    for now in (-5.0, 1e30):
        Home(home).known_peers(lambda now=now: now).remember(ANN, "192.0.2.7:1", "Ann")
        assert known(home).peer(ANN) is not None


def test_a_forgotten_friend_is_a_stranger_again(friends, home):
    status, out, _ = friends("--forget", "Ann")
    assert (status, out.split(".")[0]) == (0, '"Ann" has been forgotten')
    assert known(home).peer(ANN) is None
    assert known(home).peer(BEN) is not None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--forget", "Nobody"), "friend-unknown"),
        (("--forget", "Ben"), "several-friends"),
        (("--rename", "Ann", "ben"), "name-taken"),
        (("--rename", "Ann", "x" * 65), "name-unusable"),
        (("--rename", "Ann", "\x1b[2J"), "name-unusable"),
    ],
)
def test_an_unknown_or_ambiguous_friend_is_refused_with_a_code(friends, home, arguments, code):
    known(home).remember(BEN_TOO, "192.0.2.9:1", "Ben")
    before = known(home).all()
    status, _, err = friends(*arguments)
    assert status == 2
    assert f"({code})" in err
    assert "\x1b" not in err
    assert known(home).all() == before
