"""One of two real processes is killed: the match continues with the same cards, in one log."""

import errno
import os
import re
import shutil
import signal
import socket
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from twisted.internet.task import Clock

from cli.commands import play
from cli.main import main
from cli.match import hosting
from cli.match.hosting import HostOptions
from cli.match.identity import player_name
from cli.program import Failure
from cli.text.cards import Style
from ginpeer.match_store.matches import is_over
from ginpeer.net.address import Address
from ginpeer.net.connection import Timing
from ginpeer.net.interfaces import CloseReason, PeerInfo
from ginpeer.net.session import SessionOver
from ginpeer.net.tcp import ListenError
from ginpeer.net.timing import SOON as PERSON
from ginpeer.referee.referee import Finding, judge
from ginpeer.referee.table import GUEST
from ginpeer.rules.cards import cards_of
from ginpeer.store import Home, Journal, MatchNotes, read_log
from ginpeer.store.match_files import read_closing_note
from ginpeer.store.small_files import change_settings, read_settings
from protocol import messages as m
from tests.campaign import resuming
from tests.cheating.cheat import tiny, two_hands
from tests.cli.match.sides import (
    PATIENCE,
    RULES,
    Side,
    begin,
    check_both_finished,
    drop_last_entries,
    kill_both,
    restart_both,
)
from tests.cli.seated import Seated
from tests.cli.table.script import play_by_events
from tests.free_port import free_port
from tests.matches.recorded import recorded


@pytest.mark.parametrize("command", ["resume", "host"])
def test_a_killed_host_waits_again_where_its_match_was_played(sides, command):
    """Without --listen, and whether or not it names the match. The guest knows no other address."""
    host, guest = sides
    port = free_port()
    begin(host, guest, port)
    guest.wait_for("^event discard")
    host.kill()
    guest.wait_for("^event away")
    seen = len(host.text)
    host.start(command, "--bot", "--no-mapping", *PATIENCE)
    where = host.wait_for(r"^event listening addresses=\"(.*?)\"", since=seen)[1]
    if command == "resume":
        assert where == f"127.0.0.1:{port}"
    else:  # anybody may come, from any network, but its opponent needs no invite
        host.wait_for("^event info text=.*Ben", since=seen)
        assert f":{port}" in where
        assert "127.0.0.1" not in where
    check_both_finished(host, guest)


@pytest.mark.parametrize("command", [("resume",), ("host", "Ben")])
def test_a_port_taken_in_the_meantime_is_exchanged_for_the_next_on_the_same_host(sides, command):
    host, _ = kill_both(sides)
    port = int(re.search(r'^event listening addresses="127.0.0.1:(\d+)"', host.text, re.M)[1])
    seen = len(host.text)
    with socket.create_server(("127.0.0.1", port)):
        host.start(*command, "--bot", "--no-mapping", *PATIENCE)
        where = host.wait_for(r"^event listening addresses=\"127.0.0.1:(\d+)\"", since=seen)[1]
        host.wait_for(f"^event info .*using port {port}, .* port {where}", since=seen)
    assert int(where) != port


@pytest.mark.parametrize("option", ["--new", "--as-typed"])
def test_a_host_that_wants_a_fresh_start_waits_on_every_network(sides, option):
    host, _ = kill_both(sides)
    seen = len(host.text)
    host.start("host", option, "--bot", "--no-mapping")
    where = host.wait_for(r"^event listening addresses=\"(.*?)\"", since=seen)[1]
    assert "127.0.0.1" not in where


def test_a_host_that_has_left_its_network_waits_on_every_other(sides):
    host, _ = kill_both(sides)
    notes = host.logs[0].with_suffix(".match")
    stored = MatchNotes.decode(notes.read_bytes())
    notes.write_bytes(replace(stored, listens=f"203.0.113.9:{free_port()}").encode())
    seen = len(host.text)
    host.start("resume", "--bot", "--no-mapping", *PATIENCE)
    host.wait_for("^event info .*203.0.113.9.* every network", since=seen)
    host.wait_for("^event listening ", since=seen)


@pytest.mark.parametrize(("last", "opened"), [("127.0.0.1", 1), ("::1", 1), ("203.0.113.9", 2)])
def test_a_host_on_its_own_machine_alone_is_never_opened_to_a_network(monkeypatch, last, opened):
    asked = []

    def refuse(*parts, address, **settings):
        asked.append(address.host)
        raise ListenError("address-not-ours", "That isn't an address of this machine.")

    monkeypatch.setattr(hosting, "Acceptor", refuse)
    match = SimpleNamespace(
        only=None,
        reactor=Clock(),
        keeper=SimpleNamespace(expected=frozenset),
        presenter=SimpleNamespace(info=lambda line: None),
        side=lambda: None,
    )
    with pytest.raises(Failure):
        hosting.open_port(match, HostOptions(Address(last, 4466), listens_again=True))
    assert asked == [last, "::"][:opened]


@pytest.mark.parametrize(("typed", "told"), [("oklahoma", True), (RULES, False)])
@pytest.mark.deep
def test_a_player_who_types_other_rules_hears_that_the_match_keeps_its_own(sides, typed, told):
    host, guest = kill_both(sides)
    restart_both(host, guest, ("host", "--rules", typed), ("join", "--rules", typed))
    verdict = check_both_finished(host, guest)
    assert str(verdict.table.match.rules) == RULES
    named = re.search(r"start a new match with \S.* host --new\.", host.text)
    assert (named is not None) == told
    assert (" host --new" in guest.text) == told


def test_a_terminated_program_says_how_to_resume(sides):
    host, guest = sides
    begin(host, guest, free_port())
    guest.wait_for("^event discard")
    guest.kill()
    host.process.send_signal(signal.SIGTERM)
    assert host.ends() == 4
    assert re.search("^event end code=left .* resume=[0-9a-f]{6}$", host.text, re.MULTILINE)


@pytest.mark.deep
def test_the_host_decides_which_of_two_matches_continues(sides):
    """The guest, who uses the invite, names the later match, but the host decides."""
    host, guest = kill_both(sides)
    first = host.logs[0]
    restart_both(host, guest, ("host", "--new", "--rules", "standard target=1"), ("join",))
    assert (host.ends(), guest.ends()) == (0, 0)
    restart_both(host, guest, ("resume", first.stem), ("join",))
    assert (host.ends(), guest.ends()) == (0, 0), host.text[-800:] + guest.text[-800:]
    assert [log.name for log in host.logs] == [log.name for log in guest.logs]
    for log in host.logs:
        data = log.read_bytes()
        assert data == (guest.home / "matches" / log.name).read_bytes()
        assert judge(read_log(log).entries).finding is Finding.VALID


def test_a_match_with_a_proof_does_not_continue_even_if_the_host_wants_it(sides):
    host, guest = kill_both(sides)
    proof = guest.logs[0].with_suffix(".evidence.ginlog")
    proof.write_bytes(guest.logs[0].read_bytes())
    before = guest.logs[0].read_bytes()
    restart_both(host, guest, ("resume",), ("join",))
    assert guest.ends() == 70
    assert "code=match-ended" in guest.text
    assert guest.logs[0].read_bytes() == before


@pytest.mark.deep
def test_patience_that_ends_during_an_attempt_ends_the_program_once(sides):
    host, guest = sides
    begin(host, guest, free_port(), "--patience", "3")
    guest.wait_for("^event discard")
    port = int(re.search(r"127\.0\.0\.1:(\d+)", host.text)[1])
    host.kill()
    with socket.socket() as listening:  # accepts connections, but never answers
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()
        assert guest.ends() == 4
    ends = re.findall("^event end code=(\\S+)", guest.text, re.MULTILINE)
    assert ends == ["connection-lost"]
    assert re.search("resume=[0-9a-f]{6}$", guest.text, re.MULTILINE)


@pytest.mark.parametrize("role", ["host", "guest"])
def test_a_problem_with_the_stored_match_is_reported_before_connecting(sides, role):
    host, guest = kill_both(sides)
    side = host if role == "host" else guest
    seeds = side.logs[0].with_suffix(".seeds")
    kept = seeds.read_bytes()
    seeds.write_bytes(b"ginseeds1\n")
    assert side.start("resume", "--bot").ends() == 70
    assert re.search(
        r"The host can start a new match with .* host --new\. \(seed-lost\)", side.text
    )
    seeds.write_bytes(b"what is this\n")
    assert side.start("resume", "--bot").ends() == 70
    assert "(bad-seeds-file)" in side.text
    seeds.write_bytes(kept)
    with Journal.reopen(side.logs[0]):
        assert side.start("resume", "--bot").ends() == 70
    assert "(match-in-use)" in side.text
    assert re.search("already open in another window .* Continue there, or close that", side.text)


def test_only_a_complete_log_is_over():
    match = tiny()
    assert is_over(match.entries)
    assert not any(is_over(match.entries[:count]) for count in range(len(match)))


@pytest.mark.deep
def test_resume_prefers_a_match_against_a_friend_to_a_practice_match(sides):
    """`resume` prefers a match against a friend; one against the bot is resumed by its name."""
    host, guest = sides
    host.start("practice", "--rules", RULES)
    assert host.ends() == 4
    practised = host.logs[0]
    port = free_port()
    kill_both(sides, port)
    host.start("resume", "--bot", *PATIENCE, "--listen", f"127.0.0.1:{port}")
    guest.start("resume", "--bot", *PATIENCE)
    assert (host.ends(), guest.ends()) == (0, 0)
    assert judge(read_log(practised).entries).finding is Finding.INCOMPLETE


def test_a_practice_match_continues_where_it_was(tmp_path, start_script):
    for named in (False, True):
        home = tmp_path / str(named)
        first = start_script(home, "practice", "--name", "Ada", "--rules", "standard target=1")
        first.wait_for("choose")
        status, _ = first.end("quit", "yes")
        assert status == 4
        (log,) = (home / "matches").glob("????????????????.ginlog")
        kept = log.read_bytes()
        assert f"resume={log.stem[:6]}" in first.lines[-1]
        assert read_settings(home).name == "Ada"  # for the next time
        again = start_script(home, "resume", *([log.stem] if named else []))
        assert again.wait_for("resumed")["entries"] == str(len(read_log(log).entries))
        if not named:
            assert again.end("quit", "yes")[0] == 4
            continue
        assert play_by_events(again)["code"] == "finished"
        assert log.read_bytes().startswith(kept)
        assert judge(read_log(log).entries).finding is Finding.VALID
        bots = home / "bot" / "matches" / log.name
        assert bots.read_bytes() == log.read_bytes()
    bots.unlink()
    assert start_script(home, "resume", log.stem).end()[0] == 2  # the bot's log is gone


@pytest.mark.deep
def test_a_bot_without_patience_continues_with_a_guest_back_before_it_is_missed(sides, tmp_path):
    """The guest's machine vanishes without closing the connection, and another machine with its
    home connects."""
    host, guest = sides
    port = free_port()
    host.start(
        *("host", "--bot", "--name", "Ann", "--rules", RULES),
        *("--listen", f"127.0.0.1:{port}"),
    )
    invite = host.invite()
    guest.start("join", "--bot", "--name", "Ben", invite)
    guest.wait_for("^event discard")
    guest.process.send_signal(signal.SIGSTOP)
    time.sleep(Timing().greeting)  # earlier, it might be an attempt at another address
    second = Side(tmp_path / "ben-again")
    shutil.copytree(guest.home, second.home)
    second.start("resume", "--bot", *PATIENCE)
    try:
        assert (host.ends(), second.ends()) == (0, 0)
        assert "event away" in host.text
        assert host.logs[0].read_bytes() == second.logs[0].read_bytes()
    finally:
        second.kill()


def test_the_pending_move_and_its_time_are_noted_beside_the_log_only(sides, capsys):
    host, guest = sides
    begin(host, guest, free_port(), "--patience", "0")
    guest.wait_for("^event discard")
    guest.kill()
    host.wait_for("^event away")
    host.process.send_signal(signal.SIGTERM)
    assert host.ends() == 4
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
    assert read_closing_note(guest_log) is None  # killed: there was nobody to look at a clock
    assert main(["--home", str(guest.home), "logs", log.stem]) == 0
    assert "(since " not in capsys.readouterr().out
    drop_last_entries(host, 1)  # a note about a different log says nothing
    assert main(["--home", str(host.home), "logs", log.stem]) == 0
    assert "(since " not in capsys.readouterr().out


def test_an_unreadable_address_is_not_ignored(tmp_path, capsys):
    assert main(["--home", str(tmp_path), "resume", "--at", "host:door"]) == 2
    assert "address-unreadable" in capsys.readouterr().err


def test_a_match_that_may_not_be_read_is_not_called_missing(tmp_path, capsys, monkeypatch):
    notes = MatchNotes(b"t" * 32, "host", "Ann", bytes(32), (), 5)
    Journal.create(Home(tmp_path).matches, notes).close()
    opens, allows = os.open, os.access

    def refuse(path, *args, **kwargs):
        if str(path).endswith(".ginlog"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opens(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(
        os, "access", lambda path, mode: path.suffix != ".ginlog" and allows(path, mode)
    )
    assert main(["--home", str(tmp_path), "resume"]) == 70
    assert "(no-permission)" in capsys.readouterr().err


def test_having_nothing_to_resume_is_reported(tmp_path, capsys):
    assert main(["--home", str(tmp_path), "resume"]) == 2
    assert "nothing-to-resume" in capsys.readouterr().err
    assert main(["--home", str(tmp_path), "resume", "abc"]) == 2
    assert "abc" in capsys.readouterr().err
    Home(tmp_path).known_peers(lambda: 9).remember(bytes(32), "", "Ben")
    assert main(["--home", str(tmp_path), "resume", "Ben"]) == 2
    assert 'no unfinished match with "Ben"' in " ".join(capsys.readouterr().err.split())
    Home(tmp_path).known_peers(lambda: 9).remember(bytes([1]) * 32, "", "Ben")
    assert main(["--home", str(tmp_path), "resume", "Ben"]) == 2
    assert "several-friends" in capsys.readouterr().err


def stored(folder, role, count, name="a" * 16):
    """Store the first entries of a match with Ben, whose key is all zeros."""
    (folder / "matches").mkdir()
    path = recorded().write(folder / "matches" / f"{name}.ginlog", recorded().entries[:count])
    notes = MatchNotes(recorded().table.table_id, role, "Ada", bytes(32), ("192.0.2.7:1",), 9)
    path.with_suffix(".match").write_bytes(notes.encode())


def test_to_resume_the_name_of_a_match_counts_before_a_friends(tmp_path, capsys):
    stored(tmp_path, "guest", 1)
    Home(tmp_path).known_peers(lambda: 9).remember(bytes(32), "", "aaaaaa")
    assert main(["--home", str(tmp_path), "resume", "aaaaaa"]) == 2
    assert "The match aaaaaa was offered" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("suffix", "content", "status", "said"),
    [
        (".match", b"{", 70, "(bad-match-file)"),
        (".ginlog", b"ginlog1\n\xff\xff\xff\xff", 70, "(bad-record)"),
        (".evidence.ginlog", b"", 2, "broke the rules"),
    ],
)
def test_why_a_listed_match_cannot_be_resumed_is_said(
    tmp_path, capsys, suffix, content, status, said
):
    stored(tmp_path, "guest", 20)
    (tmp_path / "matches" / ("a" * 16 + suffix)).write_bytes(content)
    assert main(["--home", str(tmp_path), "resume", "aaaaaa"]) == status
    assert said in " ".join(capsys.readouterr().err.split())


def test_to_resume_a_friends_name_counts_before_the_beginning_of_a_matchs(tmp_path, capsys):
    stored(tmp_path, "guest", 20, name="ed" * 8)
    Home(tmp_path).known_peers(lambda: 9).remember(bytes([1]) * 32, "", "Ed")
    assert main(["--home", str(tmp_path), "resume", "ed"]) == 2
    assert 'no unfinished match with "ed"' in " ".join(capsys.readouterr().err.split())


def test_the_match_after_a_resumed_one_gets_our_present_name(tmp_path, monkeypatch):
    stored(tmp_path, "guest", 20)
    change_settings(tmp_path, name="Zoe")
    names = []

    def note(args, plan):
        names.append(player_name(Home(tmp_path), args.name))
        return SimpleNamespace(run=lambda role: 0)

    monkeypatch.setattr(play, "OneMatch", note)
    assert main(["--home", str(tmp_path), "resume"]) == 0
    assert names == ["Zoe"]


@pytest.mark.parametrize(("role", "status"), [("host", 2), ("guest", 0)])
def test_only_a_guest_may_resume_through_a_proxy(tmp_path, monkeypatch, capsys, role, status):
    stored(tmp_path, role, 20)
    monkeypatch.setattr(play, "OneMatch", lambda args, plan: SimpleNamespace(run=lambda role: 0))
    typed = ("resume", "--through", "socks5://127.0.0.1:9")
    assert main(["--home", str(tmp_path), *typed]) == status
    assert ("(usage)" in capsys.readouterr().err) is (role == "host")


# --- a person who was left alone, or who comes back -------------------------------------------


def a_person_at(match, count, seat):
    """Return a person's table in this seat, with a match resumed after *count* entries."""
    seated = Seated(interactive=True, seat=seat)
    seated.over = lambda closed: True
    seated.table.take_seat(match.seat_at(seat, count))
    seated.table.resume_match(match.table_at(count))
    return seated.sit()


def test_a_returning_person_hears_once_whose_turn_it_is():
    match = tiny()
    count = match.find(m.Discard) + 1
    other = match.table_at(count).owed_by
    seated = a_person_at(match, count, 1 - other)
    seated.table.connected(PeerInfo(bytes(32), "aaaaa", "ginpeer", "192.0.2.1:4711"))
    seated.table.seated()
    seated.clock.advance(PERSON)
    assert f"It's {('Ada', 'Ben')[other]}'s turn to " in seated.output.getvalue()
    assert "Waiting for" not in seated.output.getvalue()


def test_a_guest_without_an_offer_is_told_what_it_waits_for():
    """The host's player may first be asked whether to put another match aside."""
    guest = Seated(True, seat=GUEST).sit()
    guest.table.connected(PeerInfo(bytes(32), "aaaaa", "ginpeer", "192.0.2.1:4711"))
    guest.table.seated()
    guest.clock.advance(PERSON - 0.1)
    assert "Waiting" not in guest.output.getvalue()
    guest.clock.advance(0.1)
    assert "Waiting for the host" in guest.output.getvalue()


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
        for asked in ("hand", "table", "score", "rules", "help", "log", "try draw", "draw", "7d"):
            assert seated.type(asked)


@pytest.mark.deep
def test_resuming_can_be_measured(tmp_path):
    """Run one round of the campaign; the time isn't checked, as the machine may be busy."""
    figures = resuming.play(tmp_path, rounds=1, tell=lambda line: None)
    assert len(figures) == 2
    assert max(figures) < 20 * resuming.GOAL


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_resuming_before_a_discard_is_told_the_card_just_drawn(seat):
    match = two_hands()
    drawn = 0
    for count in range(1, len(match) + 1):
        last, table = match.steps[count - 1].message, match.table_at(count)
        seated = a_person_at(match, count, seat)
        told = re.findall(r"You have just drawn (\S+)\.", seated.output.getvalue())
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
    match = two_hands()
    taken = 0
    for count in range(1, len(match) + 1):
        last, table = match.steps[count - 1].message, match.table_at(count)
        told = re.findall(
            r"(\w+ ha\w+) just taken (\S+)\.", a_person_at(match, count, seat).output.getvalue()
        )
        if isinstance(last, m.TakeUpcard):
            who = "You have" if table.owed_by == seat else f"{('Ada', 'Ben')[1 - seat]} has"
            assert told == [(who, Style().the(table.hand.taken))]
            taken += 1
        else:
            assert told == []
    assert taken > 0


def test_a_program_resuming_before_a_discard_is_told_the_card(tmp_path, start_script):
    home = tmp_path / "ada"
    first = start_script(home, "practice", "--name", "Ada", "--rules", "standard target=1")
    for kind, fields in first.events():
        if kind == "drawn":
            break
        if kind == "choose":
            first.send("pass" if fields["what"] == "upcard" else "draw")
    assert first.end("quit", "yes")[0] == 4
    again = start_script(home, "resume")
    again.wait_for("resumed")
    assert again.wait_for("drawn") == fields
