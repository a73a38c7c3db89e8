"""Who stays for another match, and what is counted; without processes."""

from types import SimpleNamespace

import pytest
from twisted.internet.task import Clock

from cli.failure import OUR_FAULT
from cli.match.contact import MatchParts
from cli.match.decision import Next, decide
from cli.match.match_end import MatchEnd
from cli.match.series import TIRED, TYPING, Series
from ginpeer.net.close_reasons import words_of
from ginpeer.net.handshake import ANOTHER_MATCH
from ginpeer.net.interfaces import CloseReason
from ginpeer.referee.table import GUEST, HOST
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options
from ginpeer.store import Home
from protocol.frames import Goodbye

FINISHED, DECLINED = CloseReason("finished", "It is."), CloseReason("declined", "It was.")
STAYS = SimpleNamespace(extensions=(ANOTHER_MATCH,))
LEAVES = SimpleNamespace(extensions=())


class Keeper:
    """As much of a TableKeeper as an evening sees."""

    def __init__(self, asks=True):
        self.asks = asks
        self.again = self.waits_with_offer = self.over_on_arrival = False
        self.live = None
        self.options = []
        self.forgotten = 0

    @property
    def meets_again(self):
        return self.again

    def forget_offer(self):
        self.forgotten += 1

    def offer_with(self, options):
        self.options.append(options)

    def play_another(self):
        self.again = True

    def play(self, winner, table=b"t", rules="standard"):
        match = SimpleNamespace(winner=winner, rules=parse_ruleset(rules))
        sat_at = SimpleNamespace(table_id=table, match=match)
        self.live = SimpleNamespace(table=sat_at, can_come_back=lambda: False)


class Table:
    def __init__(self):
        self.cleared = self.left = self.shown = 0
        self.asked = []
        self.proposes = False

    def clear(self):
        self.cleared += 1

    def ask_aside(self, sentence, yes, no, by, what):
        self.asked.append(sentence)
        self.yes, self.no, self.by, self.what = yes, no, by, what

    def leave(self):
        self.left += 1

    def ask_again(self, *, whole=False):
        self.shown += whole


class Lines:
    def __init__(self):
        self.told = []

    def info(self, *lines):
        self.told.extend(lines)


class Session:
    ending = None
    offered = 0
    peer = SimpleNamespace(bot=False)

    def offer(self):
        self.offered += 1


def a_series(seat=HOST, limit=None, asks=True):
    keeper, presenter, session = Keeper(asks), Lines(), Session()
    other = SimpleNamespace(name=lambda the: "Ben")
    sessions = SimpleNamespace(current=session)
    parts = MatchParts(None, "ginpeer", seat, keeper, presenter, other, sessions, Clock())
    series = Series(parts, Options(), limit)
    return series, keeper, presenter, session


def goes_on(series, closed, peer=STAYS):
    """Whether another match follows a session that ended so."""
    series._other.peer = peer
    return decide(closed, series.state()) is Next.NEXT_MATCH


def test_a_person_stays_and_a_program_for_as_many_matches_as_were_asked_for():
    series, keeper, _, _ = a_series()
    assert series.extensions() == (ANOTHER_MATCH,)
    for limit, stays in ((1, [False]), (3, [True, True, False])):
        series, keeper, _, _ = a_series(limit=limit)
        for number, expected in enumerate(stays):
            assert series.extensions() == ((ANOTHER_MATCH,) if expected else ())
            keeper.play(HOST, bytes([number]))
            series.next_match(FINISHED, None)


def test_after_a_match_by_other_rules_a_person_is_asked_by_those_and_a_program_offers_its_own():
    for asks, rules in ((True, "oklahoma"), (False, "standard")):
        series, keeper, _, _ = a_series(asks=asks)
        keeper.play(HOST, rules="oklahoma")  # an old one, which its guest went on with
        series.next_match(FINISHED, None)
        assert [str(options.rules) for options in keeper.options] == ["oklahoma"] * asks
        assert str(series._options.rules) == rules


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_both_have_to_stay(seat):
    series, _, _, _ = a_series(seat)
    assert goes_on(series, FINISHED)
    assert not goes_on(series, FINISHED, LEAVES)
    assert not goes_on(series, FINISHED, None)
    for code in ("left", "paused", "connection-lost", "out-of-turn", "log-full", "kept"):
        assert not goes_on(series, CloseReason(code, ""))


def test_after_a_declined_offer_a_program_that_would_offer_the_same_again_goes_home():
    assert goes_on(a_series(HOST, asks=True)[0], DECLINED)
    assert not goes_on(a_series(HOST, asks=False)[0], DECLINED)
    assert goes_on(a_series(GUEST, asks=False)[0], DECLINED)


def test_a_program_does_not_decline_for_ever_what_is_offered_for_ever():
    for asks in (True, False):
        series, keeper, _, _ = a_series(GUEST, asks=asks)
        for _ in range(TIRED - 1):
            assert goes_on(series, DECLINED)
            series.next_match(DECLINED, None)
        assert goes_on(series, DECLINED) is asks
        keeper.play(HOST)
        series.next_match(FINISHED, None)
        assert goes_on(series, DECLINED)


def test_each_match_is_counted_once_and_by_who_won_it():
    series, keeper, presenter, _ = a_series()
    for table, winner in ((b"1", HOST), (b"2", GUEST), (b"3", None), (b"4", HOST)):
        keeper.play(winner, table)
        assert not series.has_counted()
        series.next_match(FINISHED, None)
        assert series.has_counted()  # as when a guest comes back who lacks the end
    assert series.played == 4
    assert presenter.told == [
        "Matches won this evening: you 1, Ben 0.",
        "Matches won this evening: you 1, Ben 1.",
        "Matches won this evening: you 1, Ben 1, nobody 1.",
        "Matches won this evening: you 2, Ben 1, nobody 1.",
    ]


def test_a_match_that_was_over_before_both_met_is_not_counted():
    """A peer can name one of another day, and would so win without playing."""
    series, keeper, _, _ = a_series()
    keeper.play(GUEST)
    keeper.over_on_arrival = True
    assert series.has_counted()


def an_end(series, keeper, presenter, home):
    presenter.ended = lambda *said: None
    keeper.stored, keeper.note_closing = None, lambda code: None
    other = SimpleNamespace(peer=STAYS)
    parts = MatchParts(Home(home), "ginpeer", GUEST, keeper, presenter, other, None, Clock())
    return MatchEnd(parts, None, series, None, None, 0.0, give_up=lambda: None)


def test_what_a_guest_says_that_declines_steers_no_terminal(tmp_path):
    series, keeper, presenter, _ = a_series()
    end = an_end(series, keeper, presenter, tmp_path)
    said = words_of(Goodbye("declined", "No.\x1b]2;your turn\x07\x1b[2J\u202e"))
    end.next_match(CloseReason("declined", f"The other side said: {said}"))
    assert presenter.told == ['The other side said: "No.\ufffd]2;your turn\ufffd\ufffd[2J\ufffd"']


def test_a_declined_offer_counts_for_nothing_and_the_next_question_says_so():
    series, keeper, presenter, session = a_series()
    series.next_match(DECLINED, None)
    assert (series.played, presenter.told) == (0, [])
    keeper.waits_with_offer, table = True, Table()
    assert series.ask_before(table, "Besides.")
    (asked,) = table.asked
    assert asked.startswith("Besides. Offer standard to Ben again? Type yes, no to wait, or quit ")
    table.no()
    assert (table.left, session.offered) == (0, 0)
    assert len(table.asked) == 2  # the question stays open
    table.yes()
    assert session.offered == 1


def test_the_next_match_is_offered_by_the_rules_of_the_last_one():
    series, keeper, _, session = a_series()
    keeper.play(HOST, rules="oklahoma target=1")
    table = Table()
    series.next_match(FINISHED, table)
    assert table.cleared == 1
    assert [str(options.rules) for options in keeper.options] == ["oklahoma target=1"]
    keeper.waits_with_offer = True
    series.ask_before(table, None)
    assert "by these rules: oklahoma target=1?" in table.asked[-1]
    table.yes()
    assert session.offered == 1
    table.no()
    assert table.left == 1


@pytest.mark.parametrize(("agreed", "told"), [(None, 1), (False, 1), (True, 0)])
def test_a_guest_is_told_of_another_match_where_none_goes_on(agreed, told):
    """It also comes back when the connection was lost in the midst of one."""
    series, keeper, presenter, _ = a_series(GUEST)
    assert not series.ask_before(Table(), None)
    assert presenter.told == []
    keeper.play_another()
    if agreed is not None:
        keeper.live = SimpleNamespace(agreed=lambda: agreed)
    assert not series.ask_before(Table(), None)
    assert len(presenter.told) == told


def test_the_first_match_of_all_is_asked_for_by_nobody():
    series, keeper, _, _ = a_series()
    keeper.waits_with_offer = True  # an unfinished one would be put aside
    assert not series.ask_before(Table(), "Besides.")


def between_two(declined=False):
    """A host that is asked about the next match."""
    series, keeper, presenter, session = a_series()
    if declined:
        series.next_match(DECLINED, None)
    else:
        keeper.play(HOST)
        series.next_match(FINISHED, None)
    keeper.waits_with_offer, table = True, Table()
    series.ask_before(table, None)
    return series, keeper, presenter, session, table


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_an_answer_that_was_typed_for_the_question_before_counts_for_nothing(answer):
    series, keeper, presenter, session, table = between_two()
    before = list(keeper.options)
    series.proposed("oklahoma target=1", table)
    assert table.asked[-1].startswith("Ben suggests oklahoma target=1. Play that? Type yes, ")
    assert table.shown == 1
    getattr(table, answer)()
    assert presenter.told[-1] == "The question changed while you typed, so nothing was done."
    assert (keeper.options, session.offered, table.left) == (before, 0, 0)
    assert table.asked[-1] == table.asked[-2]
    getattr(table, answer)()  # now it has been asked twice
    assert session.offered == 1
    rules = "oklahoma target=1" if answer == "yes" else "standard"
    assert str(keeper.options[-1].rules) == rules


def test_who_suggests_and_comes_back_at_once_gets_no_answer_to_the_question_before():
    series, _, _, session, table = between_two()
    series.proposed("oklahoma target=1", table)
    series.ask_before(table, None)  # on the next connection
    table.yes()
    assert session.offered == 0
    series._clock.advance(TYPING)
    table.yes()
    assert session.offered == 1


def test_a_later_answer_is_meant_for_the_question_that_is_shown():
    series, keeper, _, session, table = between_two()
    series.proposed("oklahoma target=1", table)
    series._clock.advance(TYPING)
    table.yes()
    assert (str(keeper.options[-1].rules), session.offered) == ("oklahoma target=1", 1)


def test_who_refuses_what_the_guest_suggests_offers_what_was_offered_before_and_is_told_so():
    series, keeper, _voice, session, table = between_two(declined=True)
    series.proposed("oklahoma", table)
    series._clock.advance(TYPING)
    assert table.asked[-1] == (
        "Ben suggests oklahoma. Play that? Type yes, no to offer standard again, or quit to leave."
    )
    table.no()
    assert (session.offered, table.left) == (1, 0)
    assert [str(options.rules) for options in keeper.options] == []  # standard is what it was


def test_between_two_matches_no_offers_the_rules_before_instead_and_not_again():
    series, _, _, _session, table = between_two()
    series.proposed("oklahoma", table)
    assert "no to offer standard instead, " in table.asked[-1]


def test_a_guest_that_suggests_what_would_be_offered_is_taken_at_its_word():
    series, _, _, session, table = between_two(declined=True)
    series.proposed("standard", table)
    series._clock.advance(TYPING)
    assert table.asked[-1] == (
        "Ben suggests standard. Play that? Type yes, no to wait, or quit to leave."
    )
    table.no()
    assert (session.offered, table.left) == (0, 0)
    table.yes()
    assert session.offered == 1


def test_the_same_suggestion_again_asks_nothing_anew():
    series, _, _, _, table = between_two()
    for _ in range(3):
        series.proposed("oklahoma", table)
    assert (len(table.asked), table.shown) == (2, 1)


def test_a_suggestion_that_comes_with_a_declined_offer_is_asked_about_when_the_guest_is_back():
    series, keeper, presenter, session = a_series()
    keeper.live, table = SimpleNamespace(entries=(b"offer",), agreed=lambda: False), Table()
    series.proposed("oklahoma", table)
    assert series.will_ask
    series.next_match(DECLINED, table)
    keeper.live, keeper.waits_with_offer = SimpleNamespace(agreed=lambda: False), True
    series.ask_before(table, None)
    series._clock.advance(60)
    assert (len(table.asked), presenter.told) == (1, [])
    assert table.asked[0].startswith("Ben suggests oklahoma. Play that?")
    table.yes()  # at once: no other question was open
    assert session.offered == 1


def test_a_connection_that_is_lost_before_the_answer_loses_no_suggestion():
    series, keeper, _, session, table = between_two(declined=True)
    series.proposed("oklahoma", table)
    session.ending = CloseReason("connection-lost", "It was.")
    series._clock.advance(TYPING)
    table.yes()
    assert (session.offered, keeper.options) == (0, [])
    session.ending = None
    series.ask_before(table, None)
    assert table.asked[-1].startswith("Ben suggests oklahoma. Play that?")
    table.yes()
    assert session.offered == 1


@pytest.mark.parametrize("agreed", [False, True])
def test_a_suggestion_of_a_guest_that_leaves_the_offer_open_is_told(agreed):
    series, keeper, presenter, _ = a_series()
    keeper.live, table = SimpleNamespace(entries=(b"offer",), agreed=lambda: agreed), Table()
    series.proposed("oklahoma", table)
    series._clock.advance(60)
    assert presenter.told == ([] if agreed else ["Ben suggests oklahoma."])
    assert table.asked == []


def test_a_program_is_told_what_its_guest_suggests_and_is_not_asked():
    series, _keeper, presenter, _ = a_series(asks=False)
    series.proposed("oklahoma", Table())
    assert presenter.told == ["Ben suggests oklahoma."]
    assert not series.will_ask


def test_a_program_offers_the_same_again_to_a_guest_that_suggests_something_else():
    series, _, _, _ = a_series(asks=False)
    for _ in range(TIRED - 1):
        series.proposed("oklahoma", Table())
        assert goes_on(series, DECLINED)
        series.next_match(DECLINED, None)
        assert not goes_on(series, DECLINED)  # if it only declines
    series.proposed("oklahoma", Table())
    assert not goes_on(series, DECLINED)


@pytest.mark.parametrize("text", ["\x1b[2Jstandard", "standard " * 50, "no such rules", "\n"])
def test_rules_that_make_no_sense_are_told_in_our_words(text):
    series, _, presenter, _ = a_series()
    series.proposed(text, None)
    assert presenter.told == ["Ben suggests rules that this version of ginpeer can't play."]


@pytest.mark.parametrize("text", ["misdeal=yes", "target=0", "standard stake=-1"])
def test_rules_that_nobody_may_offer_are_none_to_offer(text):
    """Our own offer of them would be refused by our own referee."""
    series, keeper, presenter, _ = a_series()
    series.proposed(text, None)
    assert presenter.told == ["Ben suggests rules that this version of ginpeer can't play."]
    keeper.again, keeper.waits_with_offer, table = True, True, Table()
    series.ask_before(table, None)
    assert table.asked[-1].startswith("Another match with Ben")
    assert keeper.options == []


def test_a_fault_of_our_own_is_the_last_word(tmp_path):
    series, keeper, presenter, _ = a_series()
    end, said = an_end(series, keeper, presenter, tmp_path), []
    presenter.ended = lambda *told: said.append(told)
    end.fail(OSError("of ours"))
    ((code, _, status, log),) = said
    assert (code, status, log, end.status) == ("internal-error", OUR_FAULT, None, OUR_FAULT)
