"""Player names that look like our own sentences, in everything that prints a name.

Each name contains the word QQX. Every sentence puts the name in quotation marks, which the name
can't close, so the word never appears outside of quotation marks.
"""

import json
import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.commands.replay import seat_named
from cli.main import main
from cli.match.contact import OtherPlayer
from cli.text.advice import AdvicePhrases
from cli.text.analysis import (
    hindsight,
    lesson_advice,
    lesson_reason,
    mistake_reasons,
)
from cli.text.board import position_lines, table_lines
from cli.text.cards import Style
from cli.text.event_lines import event_lines
from cli.text.grammar import names_seen_by
from cli.text.match_list import key_lines
from cli.text.narration import narrate
from cli.text.score_sheet import score_sheet
from ginpeer.analysis.report import HiddenInfo
from ginpeer.names import (
    MAX_PLAIN,
    KnownNames,
    PeerNames,
    PlaceholderName,
    display_name,
    display_names,
    in_quotes,
    is_plain,
    look_alike,
    prototypes,
    safe,
    safe_quote,
    skeleton,
)
from ginpeer.names import quoted_name as called_unsafe
from ginpeer.net.close_reasons import said_by
from ginpeer.referee.referee import judge
from ginpeer.referee.table import Table
from ginpeer.rules import STANDARD, parse_set
from ginpeer.store import Home
from ginpeer.store.log import log_bytes
from ginpeer.tally.tables import display
from protocol import messages as m
from protocol.crypto.identity import IdentityKey, fingerprint
from protocol.entry import GENESIS, entry_hash, sign_entry
from protocol.frames import Goodbye
from protocol.messages import check_name, clean_name
from tests.cli.seated import Seated
from tests.cli.table.script import parse
from tests.cli.text.test_lessons import FED, mistake
from tests.matches.recorded import recorded
from tests.rules.played import GUEST, HOST, VOID, knock, mahjong, match_of

VICTIM = IdentityKey(bytes(range(32)))
VICTIMS_FINGERPRINT = fingerprint(VICTIM.public)

HOSTILE = (
    f"QQX, the host, key {VICTIMS_FINGERPRINT}. X",
    "QQX: finished, you won 224 to 82",
    "Ann. VALID: all 40 QQX entries hold",
    'Ann" wins. QQX says: "no',
    "Ann\u201d wins. QQX",
    "Ann'' QQX",
    "Ann\u2019\u2019 QQX",
    "Ann\u02ba QQX \u301e",
    "Ann \u030e QQX",
    "\u00abAnn\u00bb QQX",
    "You QQX",
    "Nobody wins the match QQX",
    "Ann (host) QQX (guest)",
    "QQX 45, Ben 20",
    "QQX.",
    "QQX\u05d0\u05d1\u05d2 45",
    "\u05d0 QQX 224",
    "event end code=finished QQX",
    "/home/QQX/a b",
    "| QQX",
    "> QQX",
)
FEW = HOSTILE[0], HOSTILE[3], "\u05d0 QQX 224"
"""A sentence, a quotation mark and a right-to-left name: one for each mistake that code printing a
name can make. All other names are quoted in the same way."""

ANTON = "\u0410\u043d\u0442\u043e\u043d"
PLAIN = ("Ann", "jörg", "Anna-Maria", "O'Brien", "bob_2", "Øystein", "Nguyễn", "Иван", "張偉")
NOT_PLAIN = (
    *("you", "You", "YOU", "Nobody", "n\u043ebody", "N0body", "the host", "host", "Guest", "None"),
    *("224", "45", "Valid", "Ann Smith", "Ann.", ".Ann", "Ann-", "-Ann", "Ann''", "a--b", ""),
    *("x" * (MAX_PLAIN + 1), "שרה", "عمر", "Ann\u2010", "Ann,", "Ann:", "2pac"),
)


def outside(line):
    """Return the text outside of quotation marks."""
    line = line.translate({0x2066: None, 0x2069: None})
    assert line.count('"') % 2 == 0, line
    return re.sub('"[^"]*"', "", line)


def assert_bounded(lines):
    lines = lines.splitlines() if isinstance(lines, str) else lines
    assert any("QQX" in line for line in lines)
    for line in lines:
        assert "QQX" not in outside(line), line


def test_every_hostile_name_can_really_be_signed():
    for name in HOSTILE:
        check_name(name)
        assert clean_name(name)


# --- the one form ------------------------------------------------------------------------


def test_a_hostile_name_is_quoted():
    for name in HOSTILE:
        assert_bounded([display_name(name)])
        assert_bounded([safe_quote(name)])


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_name_is_shown_unchanged(name):
    assert display_name(name) == called_unsafe(name) == name
    assert safe_quote(name) == f'"{name}"'


def test_a_name_that_is_not_plain_is_quoted():
    for name in NOT_PLAIN:
        assert not is_plain(name)
        assert display_name(name).strip("\u2066\u2069")[0] == '"'


def test_a_placeholder_is_not_quoted_but_an_identical_name_is():
    assert display_names(Table().names) == ("the host", "the guest")
    assert display_name(PlaceholderName("the guest")) == "the guest"
    assert display_names(("the guest", "the host")) == ('"the guest" (host)', '"the host" (guest)')


@pytest.mark.parametrize("marks", ["'\"", "\"'", "`\u2018\u201c", "''", '""', "\u2033"])
def test_adjacent_quotation_marks_become_one_apostrophe(marks):
    assert in_quotes(f"a{marks}b") == '"a\'b"'


@given(st.text())
def test_quoted_text_cannot_end_its_quotation_marks(text):
    quoted = in_quotes(text)
    within = quoted[1:-1]
    assert quoted[0] == quoted[-1] == '"'
    assert within
    assert not re.search("[\"\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02\u2033]|''", within)
    assert "  " not in within
    assert not any(c.isspace() and c != " " for c in within)


def test_a_right_to_left_name_does_not_swap_places_with_a_number():
    name = "שרה"
    line = f"{display_name(name)} 45, Ann 20"
    assert line == f'\u2066"{name}"\u2069 45, Ann 20'
    assert display_name("Ann Smith") == '"Ann Smith"'


def test_a_goodbye_cannot_end_its_own_quotation_marks():
    for said in ('bye" You win.', "bye\u201d You win.", "bye'' You win.", "bye" + " " * 99 + "You"):
        assert outside(f"It said: {said_by(Goodbye('left', said))}") == "It said:  (left)"
    assert "  " not in said_by(Goodbye("left", "bye" + " " * 99 + "You win."))


# --- names that look alike -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("bob", "Bob."), ("Bob", "B\u043eb"), ("Bob", "B0b"), ("Bob", "b o b")),
        *(("Bill", "BiII"), ("Bill", "B1ll"), ("Helen", "\u041delen"), ("Anna", "\u0391nna")),
        *(("Emma", "Ernma"), ("Bob", "\U0001d401ob"), ("Bob", "\uff22ob"), ("Bob", "B\xf3b")),
        *((ANTON, ANTON.upper()), ("Ann", "Ann!"), ("A B", "AB"), ("vera", "\u03bdera")),
        *(("Bob", "BobI"), ("Bob", "Bob|"), ("Bob", "8ob"), ("Bob", "Bo\u044c"), ("Paul", "PauI")),
        *(("Sam", "5am"), ("Liz", "Li2"), ("Ben", "B3n"), ("Ann", "4nn"), ("Tom", "7om")),
    ],
)  # fmt: skip
def test_names_that_look_alike_are_found(one, other):
    assert look_alike(one, other)
    assert look_alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Bob", "Rob"), ("Ann", "Anna"), ("Ada", "Ben"), ("Bob2", "Bob3"), ("?", "!")),
        *(("Ann", "Anni"), ("Charles I", "Charles"), ("ANNI", "ANN"), ("Joe", "Joel")),
    ],
)
def test_names_that_do_not_look_alike_are_not_confused(one, other):
    assert not look_alike(one, other)


def test_characters_that_unicode_calls_confusable_share_a_skeleton():
    assert len(prototypes()) > 1000
    for character, prototype in prototypes().items():
        assert skeleton(character) == skeleton(prototype), hex(ord(character))


@given(st.text())
def test_every_text_looks_like_itself(text):
    assert look_alike(text, text)
    assert skeleton(text) or not text.split()


@pytest.fixture
def warnings_on_meeting(tmp_path):
    """Return a function that returns what our player reads, before the first card, when a player
    with this name and key sits down."""
    known = Home(tmp_path).known_peers(lambda: 1_700_000_000)

    def meet(name, key):
        peer = SimpleNamespace(key=key, address="192.0.2.1:4466", fingerprint=fingerprint(key))
        other = OtherPlayer(None, 0, known)
        other.peer = peer
        return other.note_name(name)

    return meet


@pytest.mark.parametrize("name", FEW)
def test_the_warning_itself_cannot_be_forged(warnings_on_meeting, name):
    warnings_on_meeting(name, bytes(32))
    assert_bounded(warnings_on_meeting(name, bytes(31) + b"\2"))
    assert_bounded(warnings_on_meeting(f"{name[:-1]}!{name[-1]}", bytes(31) + b"\3"))


# --- everything that prints a name ---------------------------------------------------------


def opening(names):
    """Return the keys of a host and a guest, and an offer and an acceptance with these names."""
    host, guest = IdentityKey(bytes([7] * 32)), IdentityKey(bytes([8] * 32))
    rules, nonce = "standard target=1", bytes(range(32))
    offer = m.Offer(1, host.public, names[0], rules, m.Disclosure.AFTER_MATCH, nonce, 1_700_000_000)
    accept = m.Accept(guest.public, names[1], rules, nonce)
    return host, guest, offer, accept


def entries_of(names, *more):
    """Return the first entries of a match between players with these names, followed by these
    messages, signed by the guest."""
    host, guest, offer, accept = opening(names)
    entries = [sign_entry(host, m.Body(TABLE, 0, GENESIS, offer))]
    for signer, message in ((guest, accept), *((guest, message) for message in more)):
        body = m.Body(TABLE, len(entries), entry_hash(entries[-1]), message)
        entries.append(sign_entry(signer, body))
    return entries


TABLE = bytes(range(32))


def names_of(name):
    """Return the names of host and guest if the host, the guest or both have this name."""
    return ((name, "Ben"), ("Ada", name), (name, name))


@pytest.mark.parametrize(
    "more", [(), (m.Settle(1, 0, 9, m.Winner.GUEST),)], ids=["open", "illegal"]
)
@pytest.mark.parametrize("name", FEW)
def test_verify_and_replay_bound_every_name(tmp_path, capsys, name, more):
    for names in names_of(name):
        path = tmp_path / "log"
        path.write_bytes(log_bytes(entries_of(names, *more)))
        for command in (("verify", str(path)), ("replay", str(path))):
            assert main(command) == (1 if more else 3)
            assert_bounded(capsys.readouterr().out)
        assert main(["verify", str(path), "--json"]) == (1 if more else 3)
        document = json.loads(capsys.readouterr().out)
        assert [player["name"] for player in document["players"]] == [safe(n) for n in names]
        assert "QQX" not in outside(document["sentence"])
        assert main(["replay", str(path), "--events"]) == (1 if more else 3)
        events = [parse(line) for line in capsys.readouterr().out.splitlines()]
        assert [fields["name"] for kind, fields in events if "name" in fields] == [
            safe(n) for n in names
        ]


def test_an_analysis_bounds_the_other_players_name():
    for name in FEW:
        teller = AdvicePhrases(display_names((name, "Ben"))[0], Style(), STANDARD)
        made = mistake(FED, "discard Jc", "discard Kh")
        truth = HiddenInfo(parse_set("JhJs"), 20, 3, 1, parse_set("JhJs"), 0, -27)
        for line in (
            lesson_advice(teller, made),
            lesson_reason(teller, made),
            hindsight(teller, made, truth),
        ):
            assert_bounded([line])
        assert "QQX" not in outside(mistake_reasons(teller, made))


def test_an_entry_that_fits_no_match_is_described_with_bounded_names(tmp_path, capsys):
    """The rules in an offer can't pass for our own text, either."""
    host, _, offer, _ = opening(("Ada", "Ben"))
    entries = entries_of(("Ada", "Ben"))
    again = replace(offer, name=HOSTILE[0], rules="standard. QQX: you won 224 to 82")
    entries.append(sign_entry(host, m.Body(TABLE, 0, GENESIS, again)))
    path = tmp_path / "log"
    path.write_bytes(log_bytes(entries))
    assert main(["verify", str(path)]) == 1
    assert_bounded(capsys.readouterr().out)


@pytest.mark.parametrize("name", FEW)
def test_logs_bounds_every_name(tmp_path, capsys, name):
    (tmp_path / "matches").mkdir()
    for at, names in enumerate(names_of(name)):
        stem = f"{at}{TABLE.hex()[:15]}"
        (tmp_path / "matches" / f"{stem}.ginlog").write_bytes(log_bytes(entries_of(names)))
    assert main(["logs", "--home", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 3
    assert_bounded(out)


SHEETS = [
    match_of(knock(HOST, 110), knock(GUEST, 15), VOID, rules="hollywood best-of=3 box=20 stake=5"),
    match_of(knock(HOST, 20), knock(GUEST, 90), rules="standard stake=5"),
    match_of(knock(HOST, 120), rules="standard stake=5"),
    match_of(knock(HOST, 20), rules="standard").resign(HOST),
    match_of(mahjong(GUEST, 120, -35), rules="mahjong target=100"),
    match_of(knock(HOST, 30), knock(GUEST, 30), rules="standard hands=2"),
]


def test_every_score_sheet_bounds_every_name():
    for names in names_of(HOSTILE[0]):
        for seat in (None, HOST, GUEST):
            shown = names_seen_by(display_names(names), seat)
            if any("QQX" in name for name in shown):
                for match in SHEETS:
                    assert_bounded(score_sheet(match, shown))


@pytest.mark.parametrize("name", FEW)
def test_the_table_bounds_every_name_for_every_reader(name):
    events = judged_events()
    for names in names_of(name):
        for seat in (None, HOST, GUEST):
            told = []
            for event in events:
                event = called_so(event, names)
                told += narrate(event, Style(), seat)
                told += position_lines(event.after, Style(), seat)
                if event.after.hand is not None:
                    shown = names_seen_by(display_names(names), seat)
                    told += table_lines(event.after.hand, Style(), shown)
                for line in event_lines(event):
                    assert "QQX" not in re.sub(r'"([^"\\]|\\.)*"', "", line)
            if seat is None or "QQX" in names[1 - seat]:
                assert_bounded(told)


@cache
def judged_events():
    watched = []
    judge(recorded().entries, watched.append)
    return watched


def called_so(event, names):
    """Return the same entry in a match between players with these names."""

    def other(table):
        offer = table.offer and replace(table.offer, name=names[0])
        return replace(
            table, offer=offer, accept=table.accept and replace(table.accept, name=names[1])
        )

    return replace(event, before=other(event.before), after=other(event.after))


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("interactive", [True, False])
def test_every_message_at_the_table_bounds_the_other_players_name(name, interactive, monkeypatch):
    """These include chat, a pause, a lost connection, a wait and a muted player."""
    monkeypatch.setenv("COLUMNS", "9999")
    seated = Seated(interactive).sit()
    seated.table._state.table = replace(
        judged_events()[5].after, offer=opening(("Ada", name))[2], accept=opening(("Ada", name))[3]
    )
    presenter, other = seated.table._presenter, display_names(("Ada", name))[1]
    seated.table.chat("good evening")
    presenter.show_absence(other, "The connection was lost.", resumable=True)
    presenter.show_long_absence(other, 2, resumable=True)
    presenter.show_waiting(seated.table._state.table, other)
    presenter.ask_consent(name, opening((name, "Ben"))[2])
    for line in ("mute", "unmute", "score"):
        seated.type(line)
    shown = seated.output.getvalue()
    if interactive:
        assert_bounded([line for line in shown.splitlines() if "QQX" in line])
    else:
        for line in shown.splitlines():
            kind, fields = parse(line)
            assert "QQX" not in re.sub(r'"([^"\\]|\\.)*"', "", line)
            for text in fields.values():
                if kind in ("info", "confirm") and isinstance(text, str):
                    assert "QQX" not in outside(text)


def test_a_tally_bounds_every_name():
    for name in FEW:
        ours, theirs = (
            SimpleNamespace(
                keys=(bytes([at] * 32), bytes([at + 1] * 32)), names=(name,) * 2, name=""
            )
            for at in (0, 2)
        )
        assert_bounded(display([ours]).values())
        met = {bytes([1] * 32): PeerNames("Ben"), bytes([2] * 32): PeerNames(name)}
        lines = list(key_lines([ours, theirs], KnownNames(bytes(32), met)))[:4]
        assert_bounded(lines)
        assert "you know has a different key" in lines[3]


def test_a_seat_is_found_by_name_with_or_without_quotation_marks():
    table = replace(recorded().table, offer=replace(recorded().table.offer, name="Ann Smith"))
    for typed in ("Ann Smith", '"ann smith"', "host"):
        assert seat_named(typed, table) == HOST
    assert seat_named("ben", table) == GUEST


# --- whole programs -----------------------------------------------------------------------


def test_host_and_guest_are_warned_before_the_first_card(tmp_path, start_script):
    for home, friend in (("a", "Bob"), ("b", "Ann")):
        Home(tmp_path / home).known_peers(lambda: 1).remember(bytes(32), "192.0.2.1:1", friend)
    host = start_script(tmp_path / "a", "host", "--listen", "127.0.0.1:0", "--name", "Ann.")
    guest = start_script(tmp_path / "b", "join", host.invite(), "--name", "B\u043eb")
    guest.wait_for("confirm", what="accept")
    assert len(warnings_in(guest.lines)) == 1
    guest.send("yes")
    host.wait_for("deal")
    assert len(warnings_in(host.lines)) == 1


def warnings_in(lines):
    return [line for line in lines if "Careful: this player " in line]
