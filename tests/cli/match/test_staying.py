"""Which players stay for another match, and how matches are counted, without real processes."""

from types import SimpleNamespace

import pytest
from twisted.internet.task import Clock

from cli.match.aftermath import INTERRUPTED, Aftermath
from cli.match.series import TIRED, Next, Series
from cli.program import OUR_FAULT
from ginpeer.names import in_quotes
from ginpeer.net.handshake import ANOTHER_MATCH
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.timing import NOT_BACK
from ginpeer.referee.table import GUEST, HOST
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options

FINISHED, DECLINED = CloseReason("finished", "It is."), CloseReason("declined", "It was.")
STAYS = SimpleNamespace(extensions=(ANOTHER_MATCH,))
LEAVES = SimpleNamespace(extensions=())


class Keeper:
    """The parts of a TableKeeper that a series uses."""

    def __init__(self, asks):
        self.asks = asks
        self.again = self.delays_offer = self.over_on_arrival = False
        self.live = self.stored = self.replaces = self.evidence = self.damage = None
        self.offered = []
        self.resumed = 0

    @property
    def can_resume_unfinished(self):
        return self.replaces is not None and self.replaces.resumable

    def resume_unfinished(self):
        self.resumed += 1
        return True

    @property
    def meets_again(self):
        return self.again

    def note_closing(self, code):
        """Ignore the note."""

    def set_options(self, options):
        self.offered.append(str(options.rules))

    def play_another(self):
        self.again = True


class Evening:
    """A series whose keeper, table, screen and session only record how they are called."""

    def __init__(
        self, seat=HOST, limit=None, asks=True, home=None, patience=0.0, command="ginpeer"
    ):
        self.keeper, self.clock = Keeper(asks), Clock()
        self.told, self.ended, self.asked = [], [], []
        self.cleared = self.left = self.shown = self.offered = 0
        self.other = SimpleNamespace(
            name=lambda the: "Ben", peer=STAYS, word_for_commands=lambda: self.word
        )
        self.word = "Ben"
        self.table = SimpleNamespace(
            clear=self._clear, leave=self._leave, ask_aside=self._ask, ask_again=self._ask_again,
            has_proposed=False, is_proposing=False, decides_offers=False, stay_open=lambda: None,
            give_up=lambda: None,
        )  # fmt: skip
        self.session = SimpleNamespace(
            ending=None, peer=SimpleNamespace(bot=False), offer=self._offer
        )
        presenter = SimpleNamespace(
            info=lambda *lines: self.told.extend(lines),
            show_end=lambda *said: self.ended.append(said),
            show_absence=lambda name, sentence, resumable: self.told.append(resumable),
            show_long_absence=lambda name, minutes, resumable: self.told.append(resumable),
        )
        self.over = []  # whether the series was over when its sessions were stopped
        sessions = SimpleNamespace(
            current=self.session, stop=lambda: self.over.append(self.after.is_over)
        )
        match = SimpleNamespace(
            home=home, command=command, seat=seat, keeper=self.keeper, presenter=presenter,
            other=self.other, sessions=sessions, reactor=self.clock,
            table=self.table if asks else None,
        )  # fmt: skip
        self.series = Series(match, Options(), limit)
        self.stops = []
        process = SimpleNamespace(stop=lambda: self.stops.append(True))
        self.after = Aftermath(match, process, self.series, None, patience)

    def _clear(self):
        self.cleared += 1

    def _leave(self):
        self.left += 1

    def _offer(self):
        self.offered += 1

    def _ask(self, question):
        self.asked.append(f"{question.sentence} {question.what} (yes) or {question.otherwise} (no)")
        self.rules = str(question.rules)
        self.yes, self.no = question.yes, question.no

    def _ask_again(self, *, whole=False):
        self.shown += whole

    def play(self, winner, table=b"t", rules="standard"):
        """Play a match to its end."""
        match = SimpleNamespace(winner=winner, rules=parse_ruleset(rules))
        seat = SimpleNamespace(table_id=table, match=match)
        self.keeper.live = SimpleNamespace(
            table=seat, can_come_back=lambda: False, agreed=lambda: True
        )
        self.after.finish_match(FINISHED)

    def decline(self):
        """Decline an offer."""
        self.series.count_declined()
        self.series.clear()

    def goes_on(self, closed):
        """Return whether another match follows a session with this end."""
        return self.series.what_follows(closed) is Next.NEXT_MATCH

    def asks_next(self, besides=None):
        """Connect the players again. Return whether our player is asked before the next offer."""
        self.keeper.delays_offer = True
        return self.series.ask_before(besides)


def test_a_person_stays_and_a_program_stays_for_the_requested_matches():
    assert Evening().series.extensions() == (ANOTHER_MATCH,)
    for limit, stays in ((1, [False]), (3, [True, True, False])):
        evening = Evening(limit=limit)
        for number, expected in enumerate(stays):
            assert evening.series.extensions() == ((ANOTHER_MATCH,) if expected else ())
            evening.play(HOST, bytes([number]))


@pytest.mark.parametrize("resumable", [True, False])
def test_a_host_whose_offer_was_declined_can_continue_an_unfinished_match(resumable):
    """If the players sat in opposite seats in that match, the host is told how to continue it."""
    evening, ended = Evening(), []
    evening.keeper.replaces = SimpleNamespace(
        match=SimpleNamespace(short="957689"), resumable=resumable
    )
    evening.session.resume_stored = lambda: ended.append("resumed")
    evening.decline()
    assert evening.asks_next()
    told = "type quit, and then ginpeer resume 957689." in evening.asked[-1]
    assert told is not resumable
    evening.no()
    assert (evening.keeper.resumed, ended) == ((1, ["resumed"]) if resumable else (0, []))


@pytest.mark.parametrize("asks", [True, False])
def test_after_other_rules_a_person_is_asked_and_a_program_offers_its_own(asks):
    evening = Evening(asks=asks)
    evening.play(HOST, rules="oklahoma target=1")  # an old match that the guest resumed
    assert evening.keeper.offered == ["oklahoma target=1"] * asks
    assert evening.cleared == asks
    if asks:
        assert evening.asks_next()
        assert "oklahoma target=1)?" in evening.asked[-1]
        evening.yes()
        evening.no()
        assert (evening.offered, evening.left) == (1, 1)


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_another_match_needs_both_players_to_stay(seat):
    evening = Evening(seat)
    assert evening.goes_on(FINISHED)
    for code in ("left", "paused", "connection-lost", "out-of-turn", "log-full", "kept"):
        assert not evening.goes_on(CloseReason(code, ""))
    for evening.other.peer in (LEAVES, None):
        assert not evening.goes_on(FINISHED)


@pytest.mark.parametrize("can_come_back", [True, False])
def test_after_a_lost_connection_a_match_that_is_not_over_is_resumed_even_if_only_offered(
    can_come_back,
):
    evening = Evening()
    evening.keeper.live = SimpleNamespace(can_come_back=lambda: can_come_back)
    lost = CloseReason("connection-lost", "Gone.", "A")
    assert evening.series.what_follows(lost) is (Next.RESUME if can_come_back else Next.END)


@pytest.mark.parametrize(
    ("seat", "asks", "follows"), [(HOST, True, True), (HOST, False, False), (GUEST, False, True)]
)
def test_a_program_that_would_repeat_a_declined_offer_ends(seat, asks, follows):
    assert Evening(seat, asks=asks).goes_on(DECLINED) is follows


@pytest.mark.parametrize("asks", [True, False])
def test_a_program_eventually_stops_declining_the_same_offer(asks):
    evening = Evening(GUEST, asks=asks)
    for _ in range(TIRED - 1):
        assert evening.goes_on(DECLINED)
        evening.decline()
    assert evening.goes_on(DECLINED) is asks
    evening.play(HOST)
    assert evening.goes_on(DECLINED)


def test_a_program_repeats_its_offer_to_a_guest_that_suggests_other_rules():
    evening = Evening(asks=False)
    for _ in range(TIRED - 1):
        evening.series.proposed("oklahoma")
        assert evening.goes_on(DECLINED)
        evening.decline()
        assert not evening.goes_on(DECLINED)  # without a new suggestion
    evening.series.proposed("oklahoma")
    assert not evening.goes_on(DECLINED)


def test_each_match_is_counted_once_for_its_winner(transcript):
    evening = Evening(asks=False)
    for table, winner in ((b"1", HOST), (b"2", GUEST), (b"3", None), (b"4", HOST), (b"4", HOST)):
        evening.play(winner, table)  # the last guest returns for the end of match 4
    assert evening.series.played == len(evening.ended) == 4
    transcript(evening.told)


def test_a_match_that_was_over_before_both_met_is_not_counted():
    """Otherwise, a peer could name a match of another day, and win without playing."""
    evening = Evening(asks=False)
    evening.keeper.over_on_arrival = True
    evening.play(GUEST)
    assert (evening.series.played, evening.told, evening.keeper.again) == (0, [], True)


def test_control_characters_in_a_declining_guests_words_are_not_printed():
    evening = Evening()
    said = in_quotes("No.\x1b]2;your turn\x07\x1b[2J\u202e")
    evening.after.finish_match(CloseReason("declined", f"Their message: {said}"))
    assert '"No.\ufffd]2;your turn\ufffd\ufffd[2J\ufffd"' in evening.told[0]


def test_a_declined_offer_is_not_counted_and_the_next_question_says_so(transcript):
    evening = Evening()
    evening.decline()
    assert (evening.series.played, evening.told) == (0, [])
    assert evening.asks_next("Besides.")
    transcript(evening.asked)
    evening.no()
    assert (evening.left, evening.offered) == (0, 0)
    assert len(evening.asked) == 2  # the question stays open
    evening.yes()
    assert evening.offered == 1


@pytest.mark.parametrize(("agreed", "told"), [(None, 1), (False, 1), (True, 0)])
def test_a_guest_between_two_matches_is_told_that_another_may_follow(agreed, told):
    """The guest is also told if the connection was lost during a match."""
    evening = Evening(GUEST)
    assert not evening.series.ask_before(None)
    assert evening.told == []
    evening.keeper.play_another()
    if agreed is not None:
        evening.keeper.live = SimpleNamespace(agreed=lambda: agreed)
    assert not evening.series.ask_before(None)
    assert len(evening.told) == told


@pytest.mark.parametrize(
    ("typed", "unfinished", "asked"),
    [(False, False, True), (True, False, False), (True, True, True)],
)
def test_a_guest_who_typed_the_only_rules_to_accept_is_not_told_that_it_will_be_asked(
    typed, unfinished, asked
):
    evening = Evening(GUEST)
    evening.keeper.play_another()
    evening.table.decides_offers = typed
    evening.keeper.replaces = SimpleNamespace() if unfinished else None
    assert not evening.series.ask_before(None)
    (told,) = evening.told
    assert ("you will be asked" in told) is asked


@pytest.mark.parametrize("doing", ["has_proposed", "is_proposing"])
def test_a_guest_who_proposes_rules_is_not_told_that_another_match_may_follow(doing):
    evening = Evening(GUEST)
    evening.keeper.play_another()
    setattr(evening.table, doing, True)
    assert not evening.series.ask_before(None)
    assert evening.told == []


def test_nobody_is_asked_before_the_first_match():
    assert not Evening().asks_next("Besides.")  # a warning about an unfinished match


def between_two(*, declined=False):
    """Return a series in which our player, the host, is asked about the next match."""
    evening = Evening()
    if declined:
        evening.decline()
    else:
        evening.play(HOST)
    assert evening.asks_next()
    return evening


def test_a_suggestion_is_still_known_after_the_guest_declines_the_hosts_own_rules():
    """The guest reads that the suggestion still stands, but nobody would tell the host again."""
    evening = between_two()
    evening.series.proposed("oklahoma target=1")
    evening.clock.advance(10)
    evening.no()  # offers our own rules
    assert not evening.series.will_ask  # so that our player reads that the guest declined
    evening.decline()
    assert evening.asks_next()
    assert "Ben suggests other rules: oklahoma target=1" in evening.asked[-1]
    evening.yes()
    assert evening.offered == 2
    evening.decline()
    assert evening.asks_next()
    assert "Ben suggests" not in evening.asked[-1]


@pytest.mark.parametrize(
    ("rules", "offered"),
    [("oklahoma", 1), ("standard", 0)],  # standard would be offered anyway
)
def test_a_host_who_refuses_a_suggestion_repeats_the_previous_offer(rules, offered, transcript):
    evening = between_two(declined=True)
    evening.series.proposed(rules)
    transcript(evening.asked[-1])
    assert evening.rules == rules
    evening.no()
    assert (evening.offered, evening.left, evening.keeper.offered) == (offered, 0, [])


def test_a_host_that_offers_nothing_for_now_can_refuse_a_suggestion():
    evening = between_two(declined=True)
    evening.no()
    evening.series.proposed("oklahoma")
    assert "or wait (no)" in evening.asked[-1]
    evening.no()
    assert (evening.offered, evening.left) == (0, 0)


def test_a_repeated_suggestion_is_not_asked_about_again():
    evening = between_two()
    for _ in range(3):
        evening.series.proposed("oklahoma")
    assert (len(evening.asked), evening.shown) == (2, 1)


def test_a_suggestion_made_while_declining_is_asked_about_on_the_guests_return():
    evening = Evening()
    evening.keeper.live = SimpleNamespace(entries=(b"offer",), agreed=lambda: False)
    evening.series.proposed("oklahoma")
    assert evening.series.will_ask
    evening.decline()
    evening.asks_next()
    evening.clock.advance(60)
    assert (len(evening.asked), evening.told) == (1, [])
    assert evening.asked[0].startswith("Ben suggests other rules: oklahoma")
    evening.yes()  # at once: no other question was open
    assert evening.offered == 1


def test_a_connection_that_is_lost_before_the_answer_loses_no_suggestion():
    evening = between_two(declined=True)
    evening.series.proposed("oklahoma")
    evening.session.ending = CloseReason("connection-lost", "It was.")
    evening.yes()
    assert (evening.offered, evening.keeper.offered) == (0, [])
    evening.session.ending = None
    evening.series.ask_before(None)
    assert evening.asked[-1].startswith("Ben suggests other rules: oklahoma")
    evening.yes()
    assert evening.offered == 1


@pytest.mark.parametrize("agreed", [False, True])
def test_a_suggestion_by_a_guest_who_leaves_the_offer_open_is_reported(agreed):
    evening = Evening()
    evening.keeper.live = SimpleNamespace(entries=(b"offer",), agreed=lambda: agreed)
    evening.series.proposed("oklahoma")
    evening.clock.advance(60)
    assert len(evening.told) == (not agreed)
    assert evening.asked == []


def test_a_program_is_told_of_a_suggestion_but_not_asked():
    evening = Evening(asks=False)
    evening.series.proposed("oklahoma")
    assert "oklahoma" in evening.told[0]
    assert not evening.series.will_ask


@pytest.mark.parametrize(
    "text",
    [
        *("\x1b[2Jstandard", "standard " * 50, "no such rules", "\n"),
        *("misdeal=yes", "target=0", "standard stake=-1"),  # our own referee would refuse the offer
    ],
)
def test_a_suggestion_of_senseless_or_forbidden_rules_is_rejected(text):
    evening = Evening()
    evening.series.proposed(text)
    (told,) = evening.told
    assert "can't play" in told
    evening.keeper.again = True
    evening.asks_next()
    assert evening.asked[-1].startswith("Another match with Ben")
    assert evening.keeper.offered == []


def test_an_internal_error_ends_the_program_with_its_code():
    evening = Evening()
    assert not evening.after.is_over
    evening.after.fail(OSError("of ours"))
    ((code, _, status, log),) = evening.ended
    assert (code, status, log) == ("internal-error", OUR_FAULT, None)
    assert (evening.after.status, evening.after.is_over) == (OUR_FAULT, True)


def test_a_failing_last_message_does_not_keep_the_program_from_ending():
    def failing(*_):
        raise OSError("no such file")

    evening = Evening(GUEST)
    evening.keeper.note_closing = failing
    with pytest.raises(OSError, match="no such file"):
        evening.after.stop_waiting(CloseReason("left", "You left the table. The log is kept."))
    assert (evening.stops, evening.over, evening.after.status) == ([True], [True], 4)


@pytest.mark.parametrize("resumable", [True, False])
def test_a_waiting_player_is_told_whether_the_match_can_be_resumed(resumable):
    evening = Evening()
    evening.other.name = lambda the="the": "Ben"
    evening.keeper.live = SimpleNamespace(can_continue=lambda: resumable)
    evening.after.tell_lost(CloseReason("connection-lost", "Gone.", "A"))
    assert evening.told == [resumable]


def test_no_match_can_be_resumed_between_two_matches():
    evening = Evening(patience=None)
    evening.play(HOST)
    evening.keeper.live, evening.told = None, []
    evening.clock.advance(3600)
    assert set(evening.told) == {False}


@pytest.mark.parametrize(
    ("can_continue", "evidence", "named"),
    [(True, (), "3kq7"), (False, (), None), (True, ("3kq7.illegal",), None), (None, (), None)],
)
def test_only_a_match_that_can_continue_is_named_at_the_end(can_continue, evidence, named):
    log = SimpleNamespace(path="3kq7.ginlog")
    home = SimpleNamespace(short_name=lambda path: "3kq7", evidence_beside=lambda path: evidence)
    evening = Evening(home=home)
    evening.keeper.stored = log
    if can_continue is not None:
        evening.keeper.live = SimpleNamespace(
            can_continue=lambda: can_continue, agreed=lambda: True
        )
    evening.after.say_last_word(CloseReason("left", "You left the table."))
    (ended,) = evening.ended
    assert ended[4] == named


def test_only_our_own_command_to_resume_contains_our_home():
    evening = Evening(command="ginpeer --home /srv/gin")
    kept = CloseReason("kept", "Your unfinished match stays as it is.")
    evening.after.say_last_word(kept)
    assert "resume" not in evening.ended[-1][1]  # the host kept it, but the match isn't here
    evening.keeper.replaces = SimpleNamespace()
    evening.after.say_last_word(kept)
    assert evening.ended[-1][1].endswith(
        " type ginpeer --home /srv/gin resume; your opponent types ginpeer resume."
    )


def test_evidence_is_named_at_the_end_even_if_no_match_began():
    evening = Evening()
    evening.keeper.evidence = "3kq7.evidence.ginlog"
    evening.after.say_last_word(CloseReason("bad-rules", "Those rules can't be played.", "B"))
    ((_, _, status, log, *_),) = evening.ended
    assert (status, log) == (1, "3kq7.evidence.ginlog")


def test_a_program_ends_once():
    evening = Evening()
    evening.after.stop("left", "Nothing was played.")
    evening.after.stop("no-address", "The host can't be reached.")
    assert [ended[0] for ended in evening.ended] == ["left"]
    assert evening.over == [True]


@pytest.mark.parametrize("asks", [True, False])
def test_a_second_ctrl_c_while_leaving_ends_the_program(asks):
    evening = Evening(asks=asks)
    interrupts = evening.after
    evening.table.leaving = False
    evening.session.done, evening.session.leave = SimpleNamespace(called=False), evening._leave
    assert not interrupts.has_left
    interrupts.leave()
    interrupts.interrupt()
    assert (evening.left, evening.after.status) == (1, INTERRUPTED)


def test_a_player_who_confirms_leaving_has_left():
    evening = Evening()
    evening.table.leaving = True
    assert evening.after.has_left


def test_a_closed_terminal_cuts_the_session_without_a_goodbye():
    evening, cuts = Evening(), []
    evening.session.cut = cuts.append
    interrupts = evening.after
    interrupts.hang_up()
    assert [cut.code for cut in cuts] == ["hung-up"]
    assert interrupts.has_left


@pytest.mark.parametrize(
    ("seat", "how"),
    [
        (HOST, "To play Ben again, type ginpeer host Ben."),
        (GUEST, "To play again, type ginpeer join Ben once Ben has typed ginpeer host and "
         "your name."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("code", ["peer-left", NOT_BACK])
def test_a_friend_who_leaves_between_matches_can_be_met_again(seat, how, code, monkeypatch):
    monkeypatch.setattr(Aftermath, "_tells_person", True)
    evening = Evening(seat)
    evening.play(HOST)
    evening.keeper.live = None
    evening.after.say_last_word(CloseReason(code, "Ben is gone."))
    assert evening.ended[-1][1].endswith(how)
    evening.word = None  # somebody we haven't met
    evening.after.say_last_word(CloseReason(code, "Ben is gone."))
    assert how not in evening.ended[-1][1]
