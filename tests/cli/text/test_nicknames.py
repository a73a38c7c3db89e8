"""A friend you renamed has that name wherever you read about them, and nobody else has it."""

import os
from pathlib import Path

import pytest

from cli.main import main
from cli.match.contact import OtherPlayer
from cli.match.identity import known_names
from cli.text.board import position_lines
from cli.text.cards import Style
from cli.text.event_lines import event_lines
from cli.text.match_list import key_lines
from cli.text.narration import narrate
from cli.text.shelved_match import still_unfinished
from ginpeer.match_store import LoadedMatch
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, PeerNames, PlaceholderName
from ginpeer.net.interfaces import PeerInfo
from ginpeer.store import Home, MatchNotes
from ginpeer.tally.tables import arrange, display
from protocol.crypto.identity import fingerprint
from protocol.messages import Accept
from tests.cheating.cheat import one_hand
from tests.cli.seated import Seated
from tests.matches.recorded import recorded
from tests.rules.played import GUEST, HOST
from tests.tally.test_tables import pair

ADA, BEN = (identity.public for identity in one_hand().identities)
OTHER = bytes([7]) * 32
BENNY = KnownNames(ADA, {BEN: PeerNames("Ben", "Benny", 5)})
TAKEN = KnownNames(ADA, {OTHER: PeerNames("Bernd", "Ben", 5)})


class Nobody:
    """A keeper without a match."""

    live = None


# --- who owns a name ----------------------------------------------------------------------


def test_a_nickname_wins_over_the_name_that_its_owner_has_chosen():
    assert BENNY.display((ADA, BEN), ("Ada", "Ben")) == ("Ada", "Benny")
    assert BENNY.display((None, BEN), ("Ada", "Ben"), quoted=True) == ('"Ada"', '"Benny"')
    assert NO_KNOWN_NAMES.display((ADA, BEN), ("Ada", "Ben")) == ("Ada", "Ben")


@pytest.mark.parametrize("name", ["Benny", "benny.", "B\u0435nny", "Ben"])
def test_a_stranger_using_a_friends_nickname_or_name_is_marked(name):
    shown = BENNY.display((OTHER, BEN), (name, "Ben"))
    assert shown[0].endswith(" (another key)")
    assert shown[1].startswith("Benny")
    assert not shown[1].endswith(" (another key)")


def test_a_placeholder_does_not_count_as_a_renamed_player():
    assert BENNY.renamed(BEN, "Ben")
    assert not BENNY.renamed(BEN, PlaceholderName("the guest"))
    assert not BENNY.renamed(OTHER, "Ben")


def test_a_key_cannot_take_its_own_name_and_an_unknown_key_takes_none():
    known = KnownNames(ADA, {BEN: PeerNames("Ben", "", 5), OTHER: PeerNames("Ben", "", 3)})
    assert known.alike(BEN, "Ben") == [OTHER]
    assert known.owner(BEN, "Ben") == OTHER  # the player met first
    assert known.owner(None, "Ben") is None
    assert not known.is_nickname(BEN, "")  # there is no nickname


def test_a_name_cannot_contain_the_mark_for_another_key():
    assert BENNY.display((OTHER, BEN), ("Eve (another key)", "Ben"))[0] == '"Eve (another key)"'


def test_a_shared_name_belongs_to_the_key_met_first_unless_it_is_a_nickname():
    met = {BEN: PeerNames("Ben", since=5), OTHER: PeerNames("Ben", since=6)}
    names = KnownNames(ADA, met)
    assert (names.owner(BEN, "Ben"), names.owner(OTHER, "Ben")) == (None, BEN)
    ours = KnownNames(ADA, {**met, OTHER: PeerNames("Ben", "Ben", 6)})
    assert (ours.owner(BEN, "Ben"), ours.owner(OTHER, "Ben")) == (OTHER, None)


def test_a_key_that_was_met_before_a_friend_cannot_take_the_friends_name(tmp_path):
    times = iter([1, 2, 3])
    known = Home(tmp_path).known_peers(lambda: next(times))
    known.remember(OTHER, "192.0.2.1:4466", "Mallory")
    known.remember(BEN, "192.0.2.2:4466", "Ben")
    for _ in ("before its new name is kept", "and then"):
        names = KnownNames(ADA, known.peer_names())
        assert (names.owner(OTHER, "Ben"), names.owner(BEN, "Ben")) == (BEN, None)
        if names.met[OTHER].name == "Mallory":
            known.remember(OTHER, "192.0.2.1:4466", "Ben")


def test_our_own_name_is_ours_even_if_a_friend_has_it():
    assert TAKEN.owner(ADA, "Ben") is None


def test_an_ambiguous_nickname_is_shown_with_the_seat():
    for nickname in ("Ada", "You"):
        names = KnownNames(ADA, {BEN: PeerNames("Ben", nickname)})
        assert names.display((ADA, BEN), ("Ada", "Ben"))[1].endswith("(guest)")


# --- at the table -------------------------------------------------------------------------


def test_people_see_nicknames_at_the_table_and_programs_see_own_names():
    for step in one_hand().steps:
        told = " ".join(narrate(step, Style(), HOST, known=BENNY))
        told += " ".join(position_lines(step.after, Style(), HOST, BENNY))
        assert "Ben " not in told.replace("Benny", "")
    ours, theirs = Seated(True, HOST, known=BENNY).sit(), Seated(False, HOST, known=BENNY).sit()
    for at in (ours, theirs):
        for step in one_hand().steps:
            at.table.show(step)
        at.table.chat("hello")
    assert "Benny discards" in ours.output.getvalue()
    assert 'Benny says: "hello"' in ours.output.getvalue()
    assert "Benny" not in theirs.output.getvalue()
    lines = [line for step in one_hand().steps for line in event_lines(step)]
    assert any('"Ben"' in line for line in lines)


def test_a_newcomer_with_a_friends_name_is_marked_in_each_line():
    (told,) = [
        line
        for step in one_hand().steps
        if isinstance(step.message, Accept)
        for line in narrate(step, Style(), HOST, known=TAKEN)
        if "accept" in line
    ]
    assert told == "Ben (another key) accepts the match."


def test_a_newcomer_with_a_friends_name_is_marked_from_the_first_line_on():
    names = KnownNames(ADA, {BEN: PeerNames("Ben", since=5), OTHER: PeerNames("Ben", since=6)})
    taken = PeerInfo(OTHER, fingerprint(OTHER), "192.0.2.1:4466", known_as="Ben")
    at = Seated(True, HOST, known=names)
    at.table.connected(taken)
    assert 'Connected to "Ben" (another key); their key is ' in " ".join(
        at.output.getvalue().split()
    )
    other = OtherPlayer(Nobody, HOST, None, names)
    other.peer = taken
    assert other.name() == "Ben (another key)"


@pytest.fixture
def opponent(tmp_path):
    """Return a function that tells how the player with this key is named in a home whose player
    has met BEN as "Ben"."""
    known = Home(tmp_path).known_peers(lambda: 9)
    known.remember(BEN, "192.0.2.1:4466", "Ben")

    def sits(key, nickname=""):
        known.rename(BEN, nickname)
        other = OtherPlayer(None, HOST, known, KnownNames(ADA, known.peer_names()))
        other.peer = PeerInfo(key, fingerprint(key), "192.0.2.1:4466")
        return other

    return sits


def test_a_renamed_friends_own_name_is_shown_as_a_claim(opponent):
    told = 'Your opponent goes by "Lord Ben"; you call them "Benny".'
    assert opponent(BEN, "Benny").note_name("Lord Ben") == [told]
    assert opponent(BEN, "Benny").note_name("Benny") == []
    assert opponent(BEN).note_name("Lord Ben") == []


def test_nobody_is_warned_of_a_friend_or_of_another_name(opponent):
    assert opponent(BEN).note_name("Ben") == opponent(OTHER).note_name("Bea") == []


@pytest.mark.parametrize(
    ("nickname", "name", "why"),
    [
        ("Benny", "Benny", "You use that name for a player with a different key, "),
        ("Benny", "benny", 'That looks like "Benny", your name for a different key, '),
        ("Benny", "Ben", "You know a player of that name with a different key, "),
        ("", "B\u0435n", 'That looks like "Ben", whom you know under a different key, '),
    ],
)
def test_a_warning_says_whose_name_a_newcomer_has(opponent, nickname, name, why):
    (told,) = opponent(OTHER, nickname).note_name(name)
    who = f'this player calls themselves "{name}" (key {fingerprint(OTHER)})'
    assert told.startswith(f"Careful: {who}. {why}")
    assert fingerprint(BEN) in told


# --- after the match ----------------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return Ada's home. It contains the same match twice, and its guest has a nickname."""
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path))
    home = Home(tmp_path)
    home.matches.mkdir()
    for digit in "12":
        path = recorded().write(home.matches / f"{digit * 16}.ginlog")
        notes = MatchNotes(bytes.fromhex(digit * 64), "host", "Ada", guest(), (), 0)
        path.with_suffix(".match").write_bytes(notes.encode())
        os.utime(path, (0, 0))
    known = home.known_peers(lambda: 9)
    known.remember(guest(), "192.0.2.1:4466", "Ben")
    known.rename(guest(), "Benny")
    return home


def guest():
    return recorded().identities[GUEST].public


def test_the_list_shows_nicknames_and_a_single_match_both_names(home, capsys):
    assert main(["logs"]) == 0
    for row in capsys.readouterr().out.splitlines():
        assert '  "Benny"  ' in row
        assert '"Ben"' not in row
    assert main(["logs", "1111"]) == 0
    assert 'with "Benny" (own name: "Ben"): finished' in capsys.readouterr().out


def test_a_replay_and_a_verdict_show_nickname_name_and_key(home, capsys):
    assert main(["verify", "1111"]) == 0
    text = capsys.readouterr().out
    assert f'Guest: key {fingerprint(guest())}, called "Ben", whom you call "Benny"' in text
    assert "Ben " not in text.replace("Benny", "")
    assert main(["replay", "1111", "--seat", "benny"]) == 0
    text = capsys.readouterr().out
    assert "Benny discards" in text
    assert "Ben " not in text.replace("Benny", "")
    assert main(["analyse", "1111", "--seat", "benny"]) == 0
    assert "\nFor Benny, the guest:\n" in capsys.readouterr().out


def test_documents_and_lines_for_programs_keep_the_names_in_the_log(home, capsys):
    assert main(["verify", "--json", "1111"]) == 0
    assert main(["replay", "--events", "1111"]) == 0
    assert "Benny" not in capsys.readouterr().out


def test_nicknames_are_used_in_a_match_only_for_a_person(home):
    own, known = recorded().identities[HOST], home.known_peers(lambda: 9)
    assert known_names(own, known).name(guest(), "Ben") == "Benny"
    assert known_names(own, None).name(guest(), "Ben") == "Ben"  # as for a program
    (home.path / "known_peers.json").write_text("{}")
    assert known_names(own, home.known_peers(lambda: 9)).name(guest(), "Ben") == "Ben"


def test_an_unfinished_match_is_described_with_the_nickname():
    entries = one_hand().entries[:9]
    notes = MatchNotes(bytes(32), "host", "Ada", BEN, (), 0)

    class Match:
        name, short, modified = "1" * 16, "1" * 6, 0
        path = Path("/nowhere/1.ginlog")

    told = still_unfinished(LoadedMatch(Match, notes, entries), BENNY, "ginpeer", "press Ctrl-C")
    assert told.startswith("Your match with Benny isn't finished")
    assert "To start afresh, press Ctrl-C, then type" in told
    assert "Ben " not in told.replace("Benny", "")


def test_a_tally_shows_nicknames_and_finds_teams_by_them():
    logs = [pair("Ann", "Ben"), pair("Cem", "Dora")]
    known = KnownNames(None, {b"Ben": PeerNames("Ben", "Benny"), b"Eve": PeerNames("Dora")})
    assert list(display(logs, known).values()) == [
        "Ann",
        "Benny",
        "Cem",
        f"Dora ({fingerprint(b'Dora')})",
    ]
    assert set(arrange(logs, team=["benny", "Cem"], known=known).team(0)) == {b"Ben", b"Cem"}
    keys = list(key_lines(logs, known))
    assert keys[1].endswith('called "Ben": you know it as "Benny".')
    assert "Careful: the Dora you know has a different key" in keys[3]
