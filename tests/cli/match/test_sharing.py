"""`tally on` at both ends of a table: the log is shared only while both players consent."""

import errno
import time
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from twisted.internet.task import Clock

from cli.match.sharing import HEARD_EVERY, Sharing
from cli.text.series import LINK_ENDED, NO_RESULT, NOTHING_SHOWN, WHAT_IS_SHOWN, no_link
from ginpeer.net.session import ConsentUnsupported, SessionOver, TooFast
from ginpeer.referee.table import HOST
from ginpeer.store import Home, files
from ginpeer.store.match_files import MatchNotes
from ginpeer.store.partnership_files import (
    EVENING,
    SHARED_SUFFIX,
    cache_standing,
    mark_shared,
    only_link,
    shared_logs,
)
from protocol.frames import Consent

BEN = SimpleNamespace(key=b"b" * 32)
EVE = SimpleNamespace(key=b"e" * 32)


class Session:
    def __init__(self):
        self.sent = []
        self.error = None

    def consent(self, word):
        if self.error:
            raise self.error
        self.sent.append(word)


class Table:
    """Our end of a table, with a home and a list of the problems our player was told about."""

    def __init__(self, folder):
        self.home = Home(folder)
        self.session, self.log, self.trouble = None, None, []
        self.clock, self.late = Clock(), []
        match = SimpleNamespace(
            home=self.home,
            command="ginpeer",
            seat=HOST,
            keeper=self,  # this object is also the keeper
            presenter=SimpleNamespace(info=lambda *lines: self.trouble.extend(lines)),
            other=SimpleNamespace(name=lambda the: "Ben"),
            sessions=self,  # and the list of sessions
            reactor=self.clock,
            table=SimpleNamespace(ask_again=lambda: self.late.append(self.trouble.pop())),
        )
        self.sharing = Sharing(match)

    @property
    def stored(self):
        return None if self.log is None else SimpleNamespace(path=self.log)

    @property
    def current(self):
        return self.session

    def match(self, digit="1"):
        """Begin a match."""
        self.log = self.home.matches / f"{digit * 16}.ginlog"
        self.home.matches.mkdir(parents=True, exist_ok=True)
        self.log.write_bytes(b"ginlog1\n")
        self.sharing.mark()

    def meet(self, peer=BEN, error=None):
        self.session = Session()
        self.session.error = error
        self.sharing.repeat_consent(peer)
        return self.session

    def shown(self):
        return [log.name[0] for log in shared_logs(self.home, 0)]


@pytest.fixture
def table(tmp_path):
    return Table(tmp_path)


def both(table):
    table.meet()
    table.match()
    table.sharing.share(True)
    table.sharing.on_consent(Consent.GIVE)


def test_the_log_is_marked_only_while_both_consent(table):
    session = table.meet()
    table.match()
    assert "once Ben types tally on" in table.sharing.share(True)[0]
    assert (session.sent, table.shown()) == ([Consent.GIVE], [])
    assert table.sharing.on_consent(Consent.GIVE)
    assert table.shown() == ["1"]
    table.sharing.on_consent(Consent.TAKE_BACK)
    assert table.shown() == []
    table.sharing.on_consent(Consent.GIVE)
    table.sharing.share(False)
    assert table.shown() == []
    assert session.sent == [Consent.GIVE, Consent.TAKE_BACK]


def test_a_player_asked_for_consent_reads_what_would_be_shown(table):
    table.meet()
    assert table.sharing.on_consent(Consent.GIVE)[1] == WHAT_IS_SHOWN
    assert "type tally on" in table.sharing.standing()[0]


def test_consent_is_sent_again_on_reconnection_but_announced_once(table):
    both(table)
    assert table.meet().sent == [Consent.GIVE]
    assert table.shown() == []
    assert table.sharing.on_consent(Consent.GIVE) == ()
    assert table.shown() == ["1"]


def test_consent_covers_the_next_match_and_its_withdrawal_covers_all(table):
    both(table)
    table.log = None
    table.meet()
    table.sharing.on_consent(Consent.GIVE)
    assert table.shown() == ["1"]
    table.match("2")
    assert sorted(table.shown()) == ["1", "2"]
    table.sharing.share(False)
    assert table.shown() == []


@pytest.mark.parametrize("who", ["we", "they"])
def test_a_withdrawal_covers_matches_marked_earlier_with_the_same_player(tmp_path, who):
    for digit, peer in (("1", BEN), ("3", EVE)):
        earlier = Table(tmp_path)
        earlier.meet(peer)
        earlier.match(digit)
        notes = MatchNotes(bytes([int(digit * 2, 16)]) * 32, "host", "Ann", peer.key, (), 0)
        earlier.log.with_suffix(".match").write_bytes(notes.encode())
        earlier.sharing.share(True)
        earlier.sharing.on_consent(Consent.GIVE)
    table = Table(tmp_path)
    table.meet()
    table.match("2")
    if who == "we":
        table.sharing.share(False)
    else:
        table.sharing.on_consent(Consent.TAKE_BACK)
    assert table.shown() == ["3"]


def test_consent_does_not_carry_over_to_another_player(table):
    both(table)
    assert table.meet(EVE).sent == []
    table.sharing.on_consent(Consent.GIVE)
    assert table.shown() == []


def test_a_mark_left_by_a_crash_is_removed_at_the_next_meeting(table):
    table.match()
    mark_shared(table.log, 0)
    table.meet()
    assert table.shown() == []


def test_consent_can_be_withdrawn_after_the_other_player_has_gone(table):
    both(table)
    table.session.error = SessionOver("The session is over.")
    table.sharing.share(False)
    assert table.shown() == []


def test_consent_that_comes_too_fast_to_be_repeated_is_not_given(table):
    """The other player's program has heard nothing on this connection, so it says that nothing is
    shown."""
    both(table)
    table.clock.advance(HEARD_EVERY)
    session = table.meet(error=TooFast("Wait a moment."))
    assert table.sharing.on_consent(Consent.GIVE)[1] == WHAT_IS_SHOWN
    assert table.shown() == []
    assert "type tally on" in table.sharing.standing()[0]
    session.error = None
    table.sharing.share(True)
    assert (session.sent, table.shown()) == ([Consent.GIVE], ["1"])


def test_consent_needs_a_connected_player_with_a_recent_program(table):
    with pytest.raises(SessionOver):
        table.sharing.share(True)
    session = table.meet()
    session.error = ConsentUnsupported("The other player's program cannot be asked.")
    with pytest.raises(ConsentUnsupported):
        table.sharing.share(True)
    assert table.sharing.standing()[0] == NOTHING_SHOWN


def test_the_findings_of_the_link_are_shown_and_whether_it_still_runs(table):
    assert table.sharing.standing() == (NOTHING_SHOWN, no_link("ginpeer"))
    with only_link(table.home):
        assert table.sharing.standing()[1:] == (NO_RESULT,)
        cache_standing(table.home, ["The other table is after hand 2."], time.time())
        assert table.sharing.standing()[1:] == ("The other table is after hand 2.",)
    assert table.sharing.standing()[1:] == (LINK_ENDED, "The other table is after hand 2.")
    cache_standing(table.home, ["The other table is after hand 2."], time.time() - EVENING - 60)
    assert table.sharing.standing() == (NOTHING_SHOWN, no_link("ginpeer"))


def test_a_mark_that_cannot_be_written_is_reported_and_written_later(table):
    table.meet()
    table.match()
    log, table.log = table.log, table.home.path / "nowhere" / table.log.name
    table.sharing.share(True)
    assert table.sharing.on_consent(Consent.GIVE) == (NOTHING_SHOWN,)
    assert len(table.trouble) == 1
    table.log.parent.mkdir()
    log.rename(table.log)
    assert table.sharing.share(True)[0] == table.sharing.standing()[0] != NOTHING_SHOWN
    assert table.log.with_suffix(SHARED_SUFFIX).exists()


def test_a_mark_that_cannot_be_removed_is_not_called_removed(table, monkeypatch):
    both(table)
    with monkeypatch.context() as failing:
        failing.setattr(files, "unlink", Mock(side_effect=PermissionError(errno.EACCES, "no")))
        for _ in range(2):
            assert "may still see" in table.sharing.share(False)[0]
    assert len(table.trouble) == 2
    assert "anyway" in table.sharing.share(False)[0]
    assert table.shown() == []


def test_repeated_changes_of_consent_are_announced_twice_a_minute_at_most(table):
    both(table)
    table.clock.advance(HEARD_EVERY)
    told = 0
    for second in range(3 * int(HEARD_EVERY)):
        told += bool(table.sharing.on_consent(Consent.GIVE if second % 2 else Consent.TAKE_BACK))
        assert table.shown() == (["1"] if second % 2 else [])  # a change applies at once
        table.clock.advance(1)
    assert told + len(table.late) <= 3 + 1


def test_a_change_of_consent_may_be_announced_later(table):
    both(table)
    for word in (Consent.TAKE_BACK, Consent.GIVE, Consent.TAKE_BACK):
        assert table.sharing.on_consent(word) == ()
    table.clock.advance(HEARD_EVERY - 1)
    assert table.late == []
    table.clock.advance(1)
    assert len(table.late) == 1
    assert "Ben no longer lets" in table.late[0]
    assert table.sharing.on_consent(Consent.GIVE) == ()
    table.sharing.on_consent(Consent.TAKE_BACK)
    table.clock.advance(HEARD_EVERY)
    assert len(table.late) == 1  # nothing has changed since that message


def test_a_player_who_has_read_the_current_state_is_not_told_again(table):
    table.meet()
    table.match()
    table.sharing.on_consent(Consent.GIVE)
    table.sharing.on_consent(Consent.TAKE_BACK)
    table.sharing.on_consent(Consent.GIVE)
    table.sharing.share(True)
    table.clock.advance(HEARD_EVERY)
    assert table.late == []
