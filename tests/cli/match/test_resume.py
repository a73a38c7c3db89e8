"""After one of two real processes is killed, the match continues with the same cards and log."""

import errno
import os
import re
import signal
import socket
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli import program
from cli.commands import play
from cli.main import main
from cli.match import hosting, one_match
from cli.match.hosting import HostOptions
from cli.match.identity import player_name
from cli.program import OUR_FAULT, Failure
from cli.text.cards import Style
from ginpeer.match_store.matches import is_over
from ginpeer.net import in_process
from ginpeer.net.address import Address
from ginpeer.net.interfaces import CloseReason, PeerInfo
from ginpeer.net.session import SessionOver
from ginpeer.net.tcp import ListenError
from ginpeer.net.timing import SOON as PERSON
from ginpeer.referee.referee import Finding, judge
from ginpeer.referee.table import GUEST, Table
from ginpeer.rules.cards import cards_of
from ginpeer.store import Home, Journal, MatchNotes, read_log
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import read_closing_note
from ginpeer.store.small_files import change_settings, read_settings
from protocol import messages as m
from tests.campaign import resuming
from tests.cheating.cheat import tiny, two_hands
from tests.cli.match.fakes import FakeMatch
from tests.cli.match.sides import (
    BEGUN,
    PATIENCE,
    begin,
    check_both_finished,
    store_broken_off,
)
from tests.cli.seated import Seated
from tests.cli.table.hands import first_choice, knocked
from tests.cli.table.script import play_by_events
from tests.free_port import free_port
from tests.matches.recorded import recorded


def test_a_killed_host_waits_again_where_its_match_was_played(sides):
    """No --listen is needed. The guest knows no other address of the host."""
    host, guest = sides
    port = free_port()
    begin(host, guest, port)
    guest.wait_for(BEGUN)
    host.kill()
    guest.wait_for("^event away")
    seen = len(host.text)
    host.start("resume", "--bot", "--no-mapping", *PATIENCE)
    host.wait_for(f'^event listening addresses="127.0.0.1:{port}"', since=seen)
    check_both_finished(host, guest)


@pytest.mark.parametrize("command", [("resume",), ("host", "Ben")])
def test_a_port_taken_in_the_meantime_is_exchanged_for_the_next_on_the_same_host(sides, command):
    host, port = sides[0], store_broken_off(sides)
    with socket.create_server(("127.0.0.1", port)):
        host.start(*command, "--bot", "--no-mapping", *PATIENCE)
        where = host.wait_for(r"^event listening addresses=\"127.0.0.1:(\d+)\"")[1]
        host.wait_for(f"^event info .*using port {port}, .* port {where}")
    assert int(where) != port


@pytest.mark.parametrize(
    ("last", "again", "opened"),
    [
        ("127.0.0.1", True, 1),
        ("::1", True, 1),
        ("203.0.113.9", True, 2),
        ("203.0.113.9", False, 1),  # the player has just typed it
    ],
)
def test_a_host_is_opened_to_other_networks_only_if_it_was_open_to_one_last_time(
    monkeypatch, last, again, opened
):
    asked = []

    def refuse(*parts, address, **settings):
        asked.append(address.host)
        raise ListenError("address-not-ours", "That isn't an address of this machine.")

    monkeypatch.setattr(hosting, "Acceptor", refuse)
    match = FakeMatch(keeper=SimpleNamespace(expected=frozenset), side=lambda: None)
    with pytest.raises(Failure):
        hosting.open_port(match, HostOptions(Address(last, 4466), listens_again=again))
    assert asked == [last, "::"][:opened]
    assert ["every network" in line for line in match.told] == [True] * (opened - 1)


@pytest.mark.parametrize(("typed", "told"), [("oklahoma", True), ("standard target=1", False)])
@pytest.mark.deep
def test_a_player_who_types_other_rules_hears_that_the_match_keeps_its_own(sides, typed, told):
    host, guest = sides
    store_broken_off(sides)
    host.start("host", "--rules", typed, "--bot", *PATIENCE, "--listen", "127.0.0.1:0")
    guest.start("join", "--rules", typed, "--bot", *PATIENCE, host.invite())
    verdict = check_both_finished(host, guest)
    assert str(verdict.table.match.rules) == "standard target=1"
    named = re.search(r"start a new match with \S.* host --new\.", host.text)
    assert (named is not None) == told
    assert (" host --new" in guest.text) == told


class Beginning:
    """A Process without an event loop, which only begins the match."""

    reactor = SimpleNamespace(callFromThread=None)

    def run(self, begin, *_):
        begin()


@pytest.mark.parametrize("role", [0, 1], ids=["host", "guest"])
def test_a_problem_with_the_stored_match_is_reported_before_connecting(
    sides, role, monkeypatch, capsys
):
    store_broken_off(sides)
    side = sides[role]
    monkeypatch.setattr(one_match, "Process", Beginning)

    def refused():
        assert main(["--home", str(side.home), "resume", "--bot", "--no-mapping"]) == OUR_FAULT
        return " ".join(capsys.readouterr().err.split())

    with Journal.reopen(side.logs[0]):
        told = refused()
    assert told.endswith("(match-in-use)")
    assert re.search("already open in another window .* Continue there, or close that", told)
    side.logs[0].with_suffix(".seeds").write_bytes(b"ginseeds1\n")
    told = refused()
    assert told.endswith("(seed-lost)")
    assert re.search("The host can start a new match with .* host --new", told)


def test_only_a_complete_log_is_over():
    match = tiny()
    assert is_over(match.entries)
    assert not any(is_over(match.entries[:count]) for count in range(len(match)))


def test_a_practice_match_continues_where_it_was(tmp_path, start_script):
    first = start_script(tmp_path, "practice", "--name", "Ada", "--rules", "standard target=1")
    first.wait_for("choose")
    assert first.end("quit", "yes")[0] == 4
    (log,) = (tmp_path / "matches").glob("????????????????.ginlog")
    kept = log.read_bytes()
    assert f"resume={log.stem[:6]}" in first.lines[-1]
    assert read_settings(tmp_path).name == "Ada"  # saved for the next match
    again = start_script(tmp_path, "resume")
    assert again.wait_for("resumed")["entries"] == str(len(read_log(log).entries))
    assert play_by_events(again)["code"] == "finished"
    assert log.read_bytes().startswith(kept)
    assert judge(read_log(log).entries).finding is Finding.VALID
    bots = tmp_path / "bot" / "matches" / log.name
    assert bots.read_bytes() == log.read_bytes()
    bots.unlink()
    assert start_script(tmp_path, "resume", log.stem).end()[0] == 2  # the bot's log is gone


@pytest.mark.parametrize(
    ("lost", "damage", "code"),
    [
        ("matches/*.seeds", Path.unlink, "bad-seeds-file"),
        ("matches/*.seeds", lambda file: file.write_bytes(b""), "seed-lost"),
        ("identity.pem", Path.unlink, "practice-over"),
    ],
)
def test_a_practice_match_cannot_continue_without_the_bots_seeds_or_key(
    tmp_path, start_script, lost, damage, code
):
    first = start_script(tmp_path, "practice", "--name", "Ada")
    first.wait_for("choose")
    assert first.end("quit", "yes")[0] == 4
    (file,) = (tmp_path / "bot").glob(lost)
    damage(file)
    status, errors = start_script(tmp_path, "resume").end()
    assert (status, f"({code})" in errors) == (program.STATUS_OF[code], True)
    assert len(Home(tmp_path).logs()) == 1  # no new match has begun


def test_the_pending_move_and_its_time_are_noted_beside_the_log_only(sides, capsys):
    host, guest = sides
    begin(host, guest, free_port())
    guest.wait_for(BEGUN)
    guest.kill()
    host.wait_for("^event away")
    host.process.send_signal(signal.SIGTERM)
    assert host.ends() == 4
    assert re.search("^event end code=left .* resume=[0-9a-f]{6}$", host.text, re.MULTILINE)
    log = host.logs[0]
    entries = read_log(log).entries
    table = judge(entries).table
    note = read_closing_note(log)
    assert note is not None
    assert note.entry == table.sequence == len(entries)
    assert note.owed_by == ("host", "guest")[table.owed_by]
    assert note.owes == table.awaiting.value
    assert note.since == int(log.stat().st_mtime) <= note.closed
    assert note.code == "left"
    assert main(["--home", str(host.home), "logs", log.stem]) == 0
    told = capsys.readouterr().out
    since = time.strftime("%Y-%m-%d %H:%M", time.localtime(note.since))
    assert f"{table.awaiting.value} (since {since})" in told
    guest_log = guest.logs[0]
    assert read_closing_note(guest_log) is None  # it was killed, so it wrote no note
    assert main(["--home", str(guest.home), "logs", log.stem]) == 0
    assert "(since " not in capsys.readouterr().out
    log.write_bytes(log_bytes(entries[:-1]))  # the note doesn't apply to a different log
    assert main(["--home", str(host.home), "logs", log.stem]) == 0
    assert "(since " not in capsys.readouterr().out


@pytest.fixture
def home(tmp_path):
    """Return the home that `run` gives to its commands."""
    return Home(tmp_path / "home")


def know(home, name, key=bytes(32)):
    home.known_peers(lambda: 9).remember(key, "", name)


def refused(run, *typed, status=2):
    """Resume this match, which fails. Return the error message as one line."""
    failed, _, errors = run("resume", *typed)
    assert failed == status
    return " ".join(errors.split())


def test_an_unreadable_address_is_not_ignored(run):
    assert "(address-unreadable)" in refused(run, "--at", "host:door")


def test_nobody_can_be_dialled_at_port_0(home, run):
    store(home, "guest", 20)
    assert "(invite-addresses)" in refused(run, "--at", "192.0.2.1:0")


def test_a_match_that_may_not_be_read_is_not_called_missing(home, run, monkeypatch):
    notes = MatchNotes(b"t" * 32, "host", "Ann", bytes(32), (), 5)
    Journal.create(home.matches, notes).close()
    opens, allows = os.open, os.access

    def refuse(path, *args, **kwargs):
        if str(path).endswith(".ginlog"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opens(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(
        os, "access", lambda path, mode: path.suffix != ".ginlog" and allows(path, mode)
    )
    assert "(no-permission)" in refused(run, status=OUR_FAULT)


def test_having_nothing_to_resume_is_reported(home, run):
    told = refused(run)
    assert told.endswith("(nothing-to-resume)")
    assert "If a friend doesn't have the end of a finished match" in told
    assert "if that friend was the host, " in told
    assert "abc" in refused(run, "abc")
    know(home, "Ben")
    assert 'no unfinished match with "Ben"' in refused(run, "Ben")
    know(home, "Ben", bytes([1]) * 32)
    assert "several-friends" in refused(run, "Ben")


def store(home, role, count, name="a" * 16, address="192.0.2.7:1", listens=None):
    """Store the first entries of a match with Ben, whose key is all zeros."""
    home.matches.mkdir(parents=True, exist_ok=True)
    path = recorded().write(home.matches / f"{name}.ginlog", recorded().entries[:count])
    table = recorded().table.table_id
    notes = MatchNotes(table, role, "Ada", bytes(32), (address,), 9, listens=listens)
    path.with_suffix(".match").write_bytes(notes.encode())


def test_to_resume_the_name_of_a_match_counts_before_a_friends(home, run):
    store(home, "guest", 1)
    know(home, "aaaaaa")
    assert "The match aaaaaa was offered" in refused(run, "aaaaaa")


@pytest.mark.parametrize(
    ("suffix", "content", "status", "said"),
    [
        (".match", b"{", 70, "(bad-match-file)"),
        (".ginlog", b"ginlog1\n\xff\xff\xff\xff", 70, "(bad-record)"),
        (".evidence.ginlog", b"", 2, "broke the rules"),
    ],
)
def test_why_a_listed_match_cannot_be_resumed_is_said(home, run, suffix, content, status, said):
    store(home, "guest", 20)
    (home.matches / ("a" * 16 + suffix)).write_bytes(content)
    assert said in refused(run, "aaaaaa", status=status)


def test_to_resume_a_friends_name_counts_before_the_beginning_of_a_matchs(home, run):
    store(home, "guest", 20, name="ed" * 8)
    know(home, "Ed", bytes([1]) * 32)
    assert 'no unfinished match with "ed"' in refused(run, "ed")


@pytest.fixture
def begun(monkeypatch):
    """Return a list that gets the arguments and the plan of each match that a command begins. None
    of the matches is played."""
    matches = []

    def begin(*args_and_plan):
        matches.append(args_and_plan)
        return SimpleNamespace(run=lambda role: role() or 0)

    monkeypatch.setattr(play, "OneMatch", begin)
    monkeypatch.setattr(play, "join_match", lambda *_, **more: None)
    monkeypatch.setattr(play, "practise", lambda match: None)
    return matches


def test_the_match_after_a_resumed_one_gets_our_present_name(home, run, begun):
    store(home, "guest", 20)
    change_settings(home.path, name="Zoe")
    assert run("resume")[0] == 0
    ((args, _),) = begun
    assert player_name(home, args.name) == "Zoe"


@pytest.mark.parametrize(("role", "status"), [("host", 2), ("guest", 0)])
def test_only_a_guest_may_resume_through_a_proxy(home, run, begun, role, status):
    store(home, role, 20)
    ended, _, errors = run("resume", "--through", "socks5://127.0.0.1:9")
    assert (ended, "(usage)" in errors) == (status, role == "host")


@pytest.mark.parametrize(("role", "status"), [("host", 0), ("guest", 2)])
def test_only_a_host_may_resume_with_an_onion_address(home, run, hosted, begun, role, status):
    """A guest would connect directly, although it may have meant to hide."""
    store(home, role, 20)
    ended, _, errors = run("resume", "--tor")
    assert (ended, "socks5://127.0.0.1:9050" in errors) == (status, role == "guest")


def test_a_guest_who_resumes_may_name_an_address_for_the_reply(home, run, begun, monkeypatch):
    routes = []
    monkeypatch.setattr(play, "join_match", lambda match, invite, route, **_: routes.append(route))
    store(home, "guest", 20)
    assert run("resume", "--advertise", "203.0.113.7:4470")[0] == 0
    assert routes[0].advertise == (Address("203.0.113.7", 4470),)


def test_resume_prefers_a_match_against_a_friend_to_a_practice_match(home, run, begun):
    store(home, "host", 21, name="b" * 16, address=in_process.ADDRESS)
    for _ in range(2):
        assert run("resume")[0] == 0
        store(home, "guest", 20, name="f" * 16)
    assert [plan.only.match.short for _, plan in begun] == ["bbbbbb", "ffffff"]


@pytest.fixture
def hosted(begun, monkeypatch):
    """Return a list that gets the options of each host that a command starts."""
    options = []
    monkeypatch.setattr(play, "host_match", lambda match, given: options.append(given))
    return options


@pytest.mark.parametrize(
    ("typed", "listens"),
    [
        (("resume",), "192.0.2.1:4477"),
        (("host", "Ben"), "192.0.2.1:4477"),
        (("host",), "[::]:4477"),  # anybody may come, from any network
        (("host", "Ben", "--new"), "192.0.2.1:4477"),  # where Ben's program looks for us
        (("host", "--new"), "[::]:4477"),
        (("host", "--as-typed"), "None"),
    ],
)
def test_a_host_waits_where_its_match_was_played(home, run, hosted, typed, listens):
    store(home, "host", 20, listens="192.0.2.1:4477")
    know(home, "Ben")
    assert run(*typed)[0] == 0
    assert str(hosted[0].listen) == listens


@pytest.mark.parametrize("typed", [("resume",), ("host", "Ben")])
def test_a_host_names_the_address_again_that_it_advertised_to_its_friend(
    home, run, begun, hosted, typed
):
    store(home, "host", 20)
    know(home, "Ben")
    ways = ("advertise=ann.home.example:4466", "no-mapping")
    home.known_peers(lambda: 9).note_ways(bytes(32), ways)
    assert run(*typed)[0] == 0
    ((_, plan),) = begun
    assert ": --advertise ann.home.example:4466 --no-mapping. " in plan.as_before
    assert [str(address) for address in hosted[0].advertise] == ["ann.home.example:4466"]
    assert run(*typed, "--as-typed")[0] == 0
    assert hosted[1].advertise == ()


# --- a person who was left alone, or who returns ----------------------------------------------


def a_person_at(match, count, seat, *, interactive=True):
    """Return a person's table in this seat, with a match resumed after *count* entries."""
    seated = Seated(interactive, seat=seat)
    seated.over = lambda closed: True
    seated.table.take_seat(match.seat_at(seat, count))
    seated.table.resume_match(match.table_at(count))
    return seated.sit()


def test_a_returning_person_hears_once_whose_turn_it_is():
    match = tiny()
    count = match.find(m.Discard) + 1
    other = match.table_at(count).owed_by
    seated = a_person_at(match, count, 1 - other)
    seated.table.connected(PeerInfo(bytes(32), "aaaaa", "192.0.2.1:4711"))
    seated.table.seated()
    seated.clock.advance(PERSON)
    assert f"It's {('Ada', 'Ben')[other]}'s turn to " in seated.output.getvalue()
    assert "Waiting for" not in seated.output.getvalue()


@pytest.mark.parametrize("bot", [True, False])
def test_a_player_who_returns_with_a_bot_is_announced_as_one(bot):
    seated = Seated(True).sit()
    for plays in (False, bot):
        came = PeerInfo(bytes(32), "aaaaa", "192.0.2.1:4711", bot=plays)
        seated.table.connected(came)
    assert ("A bot is playing" in seated.output.getvalue()) is bot


def test_a_guest_without_an_offer_is_told_what_it_waits_for():
    """The host's player may first be asked whether to put another match aside."""
    guest = Seated(True, seat=GUEST).sit()
    guest.table.connected(PeerInfo(bytes(32), "aaaaa", "192.0.2.1:4711"))
    guest.table.seated()
    guest.clock.advance(PERSON - 0.1)
    assert "Waiting" not in guest.output.getvalue()
    guest.clock.advance(0.1)
    assert "Waiting for the host" in guest.output.getvalue()


@pytest.mark.parametrize("same", [True, False])
def test_a_resignation_delayed_until_a_hand_is_over_counts_for_that_match_only(same):
    """After the best spread, the connection is lost. The host returns, perhaps with a new match."""
    match = tiny()
    count = match.find(m.Discard) + 1
    seated = a_person_at(match, count, GUEST)
    seated.choose(knocked())
    for line in ("resign", "yes"):
        seated.type(line)
    (spread,) = seated.session.played
    seated.end(CloseReason("connection-lost", "The connection was lost.", "A"))
    seated.table.resume_match(match.table_at(count) if same else Table())
    seated.choose(first_choice())
    assert seated.session.played == ([spread, "resign"] if same else [spread])


def test_a_person_who_decides_not_to_quit_still_waits_for_the_absent_player():
    match = tiny()
    seated = a_person_at(match, match.find(m.Discard) + 1, 0)
    seated.end(CloseReason("connection-lost", "The connection was lost.", "A"))
    seated.type("quit")
    assert "Still waiting." in seated.type("no")
    assert seated.stopped == []


def test_a_command_that_needs_an_absent_player_says_that_they_may_come_back():
    match = tiny()
    for seat, other in ((0, "Ben"), (1, "Ada")):
        seated = a_person_at(match, match.find(m.Discard) + 1, seat)
        seated.end(CloseReason("connection-lost", "The connection was lost.", "A"))
        seated.session.error = SessionOver("The session is over.")
        shown = seated.type("pause")
        assert f"{other} may come back" in shown
        assert "is over" not in shown


@pytest.mark.parametrize("seat", [0, 1])
def test_a_match_can_be_resumed_after_any_entry(seat):
    """This includes entries after which the other player owes a share of a drawn card."""
    match = two_hands()
    for count in range(1, len(match) + 1):
        seated = a_person_at(match, count, seat)
        for asked in ("hand", "table", "score", "try draw", "draw", "7d"):
            assert seated.type(asked)


def test_a_match_that_was_resigned_is_not_said_to_continue():
    """Its last hand isn't over, and the score hasn't been signed yet."""
    match, k = tiny(), tiny().find(m.Discard)
    seat = match.seat_at(0, k)
    list(seat.receive(match.cheat(1).sign(match.table_at(k), m.Resign())))
    seated = Seated(True, seat=0)
    seated.table.take_seat(seat)
    seated.table.resume_match(seat.table)
    told = seated.output.getvalue()
    assert "The match is over: you won " in told
    assert "The two programs still have to exchange the end of the log." in told
    assert "continues" not in told
    assert "Your hand" not in told


@pytest.mark.deep
def test_resuming_can_be_measured(tmp_path):
    """Run one round of the campaign. The limit is lenient, as the machine may be busy."""
    figures = resuming.play(tmp_path, rounds=1, tell=lambda line: None)
    assert len(figures) == 2
    assert max(figures) < 20 * resuming.GOAL


def returns(seat):
    """Resume a match after each of its entries. Yield the number of entries, the message of the
    last one, the table, and the output that this player reads."""
    match = two_hands()
    for count in range(1, len(match) + 1):
        shown = a_person_at(match, count, seat).output.getvalue()
        yield count, match.steps[count - 1].message, match.table_at(count), shown


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_resuming_before_a_discard_is_told_the_card_just_drawn(seat):
    match, drawn = two_hands(), 0
    for count, last, table, shown in returns(seat):
        told = re.findall(r"You have just drawn (\S+)\.", shown)
        if isinstance(last, m.Share) and table.owed_by == seat:
            before = match.seat_at(seat, count - 1).view().known
            (card,) = cards_of(match.seat_at(seat, count).view().cards & ~before)
            assert told == [Style().the(card)]
            drawn += 1
        else:
            assert told == []
    assert drawn > 3


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_resuming_before_a_discard_is_told_who_took_which_card(seat):
    taken = 0
    for _, last, table, shown in returns(seat):
        told = re.findall(r"(\w+ ha\w+) just taken (\S+)\.", shown)
        if isinstance(last, m.TakeUpcard):
            who = "You have" if table.owed_by == seat else f"{('Ada', 'Ben')[1 - seat]} has"
            assert told == [(who, Style().the(table.hand.taken))]
            taken += 1
        else:
            assert told == []
    assert taken > 0


def test_a_program_resuming_before_a_discard_is_told_the_card_just_drawn():
    count = next(
        n for n, last, table, _ in returns(0) if table.owed_by == 0 and isinstance(last, m.Share)
    )
    shown = a_person_at(two_hands(), count, 0, interactive=False).output.getvalue()
    assert re.search("^event resumed .*^event drawn card=..$", shown, re.MULTILINE | re.DOTALL)
