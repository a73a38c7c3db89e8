"""Tests that sittings can't express: of single parts of the table, and with random hands."""

import random
from dataclasses import replace
from types import SimpleNamespace

import pytest

from cli.match.aftermath import Aftermath
from cli.match.series import Next, decide
from cli.table.arguments import NewPlace
from cli.table.display import HandOrder
from cli.table.lookups import look_up
from cli.table.possible_moves import broken_meld
from cli.terminal.line_input import LineEditor
from cli.text.board import awaited_action, taken_line
from cli.text.cards import Style
from cli.text.series import why_declined
from ginpeer.net.interfaces import CloseReason
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import GUEST, Awaiting, Table
from ginpeer.rules import (
    Discard,
    Illegal,
    Match,
    cards_of,
    parse_card,
    parse_hand,
    parse_ruleset,
    parse_set,
)
from ginpeer.rules.cards import Card
from ginpeer.seat.seat import Options
from ginpeer.store.small_files import Settings
from protocol import messages as m
from protocol.frames import Pause
from tests.cheating.cheat import tiny, two_hands
from tests.cli.seated import Seated
from tests.cli.table.hands import first_choice, random_views, square_with_a_king

pytestmark = pytest.mark.usefixtures("wide_screen")

LOST = CloseReason("connection-lost", "The connection was lost.", "A")


def test_a_player_who_leaves_while_the_connection_is_cut_waits_for_nobody():
    match = tiny()
    count = match.find(m.Discard) + 1
    seat = match.table_at(count).owed_by
    here = Seated(True, seat=seat)
    here.table.take_seat(match.seat_at(seat, count))
    here.table.resume_match(match.table_at(count))
    here.sit()
    nothing = ("home", "command", "keeper", "presenter", "other", "sessions", "reactor")
    match = SimpleNamespace(**dict.fromkeys(nothing), seat=seat, table=here.table)
    exits = Aftermath(match, None, None, None, None)

    def follows():
        resumable = here.table._state.own.can_come_back()
        return decide(LOST, has_left=exits.has_left, can_resume=resumable)

    assert follows() is Next.RESUME
    here.session.ending = LOST  # the connection isn't closed yet
    here.table.leave()
    assert here.stopped == []
    assert follows() is Next.END


def test_no_timer_is_left_once_a_session_has_ended(person):
    match = Match.begin(parse_ruleset("standard"), 1)
    person.table._state.table = Table(match=match, owed_by=1)
    person.table._wait()
    assert person.clock.getDelayedCalls()
    person.end(CloseReason("left", "You left the table. The log is kept."))
    assert not person.clock.getDelayedCalls()


def test_the_title_does_not_change_while_our_drawn_card_is_on_its_way():
    seated = Seated(True, settings=Settings(confirm=False, bell=True)).sit()
    seated.clock.advance(2)
    seated.console.kind = "xterm"
    seated.choose(first_choice())
    here = seated.table._state
    here.view = None
    for awaiting in (Awaiting.SHARE, Awaiting.DISCARD, Awaiting.SHARE):
        here.table = replace(here.table, hand=first_choice(), awaiting=awaiting)
        seated.table.ask_again()
    assert "waiting - ginpeer" not in seated.output.getvalue()
    here.table = replace(here.table, owed_by=1)
    seated.table._wait()
    seated.clock.advance(2)  # long enough to be shown
    assert "waiting - ginpeer" in seated.output.getvalue()


def test_the_title_says_that_it_is_our_turn_once_our_drawn_card_has_come():
    seated = Seated(True).sit()
    seated.console.kind = "xterm"
    here = seated.table._state
    here.table = replace(here.table, hand=first_choice(), awaiting=Awaiting.DISCARD)
    seated.choose(first_choice())
    assert "your turn - ginpeer" in seated.output.getvalue()


@pytest.mark.parametrize(
    ("to_move", "awaiting", "away"),
    [(0, Awaiting.UPCARD, False), (1, Awaiting.SHARE, False), (0, Awaiting.SHARE, True)],
)
def test_the_title_says_that_we_wait_unless_we_have_drawn_and_are_connected(
    to_move, awaiting, away
):
    seated = Seated(True).sit()
    seated.console.kind = "xterm"
    seated.choose(first_choice())
    here = seated.table._state
    here.view, here.away = None, away
    hand = first_choice()._replace(to_move=to_move)
    here.table = replace(here.table, hand=hand, awaiting=awaiting)
    seated.table.ask_again()
    assert "waiting - ginpeer" in seated.output.getvalue()


def test_ctrl_c_erases_a_half_typed_line_before_it_asks_whether_to_leave(person):
    person.console._input = editor = LineEditor()
    assert list(editor.feed(b"dra")) == []
    person.table.interrupt()
    assert editor.text == ""
    assert "leave the table" not in person.output.getvalue()
    person.table.interrupt()
    assert "leave the table" in person.output.getvalue()


def test_chat_of_the_other_player_is_cleaned_and_quoted(person):
    person.table.chat("\x1b[2J\u202eevil\n")
    assert person.output.getvalue().endswith(' "\ufffd[2J\ufffdevil"\n')


def test_a_screen_reader_is_not_given_a_question_that_is_no_longer_open():
    """After a line is printed above the prompt, the prompt is repeated. It must be the new one."""
    seated = Seated(interactive=True)
    seated.sit()
    for seated.session.pause_offered, word in ((True, Pause.ASK), (False, Pause.WITHDRAW)):
        before = len(seated.output.getvalue())
        seated.table.pause(word)
    told = seated.output.getvalue()[before:]
    assert "withdraws" in told
    assert "pause the match (yes)" not in told.partition("withdraws")[2]


def test_knocking_is_not_awaited_if_the_rules_have_no_knock():
    table = Table(match=Match.begin(parse_ruleset("straight"), 0), awaiting=Awaiting.DISCARD)
    assert "knock" not in awaited_action(table)


def test_an_offer_with_the_requested_disclosure_is_not_declined():
    offer = m.Offer(1, bytes(32), "Ann", "standard", m.Disclosure.NEVER, bytes(32), 0)
    assert why_declined(Options(parse_ruleset("standard"), m.Disclosure.NEVER), offer) is None


@pytest.mark.parametrize(("wanted", "asked"), [(None, True), (Options(), False)])
def test_only_a_guest_who_is_asked_reads_so_after_withdrawing_a_proposal(wanted, asked):
    seated = Seated(True, seat=GUEST, wanted=wanted).sit()
    seated.table._state.proposed = parse_ruleset("straight")
    assert ("you will be asked first" in seated.type("no")) is asked


# --- cards ------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["standard", "tedesco", "mahjong"])
def test_a_discard_that_breaks_a_meld_leaves_more_deadwood_in_every_variant(rules):
    rng = random.Random(rules)
    seen = 0
    for view in random_views(parse_ruleset(rules), 2, rng):
        for move in view.legal_moves() if view.hand.phase.value == "discard" else ():
            if not isinstance(move, Discard):
                continue
            meld = broken_meld(move.card, view)
            ways, seen = view.hand.melding, seen + 1
            if meld is None:
                continue
            assert meld & move.card.bit
            assert ways.is_meld(meld)
            if not view.hand.rules.mahjong:
                kept = view.cards ^ move.card.bit
                assert ways.deadwood(kept) > ways.deadwood(view.cards)
    assert seen > 20


def test_a_hand_not_shown_since_a_card_was_exchanged_is_shown_after_the_next_draw():
    match, seated = two_hands(), Seated(True).sit()
    draws = [step.sequence for step in match.steps if isinstance(step.message, m.Share)]
    for step in match.steps[: draws[3] + 1]:
        if step.sequence == draws[2]:  # until here, each prompt contained the hand
            seated.type("hand off")
        chooses = step.after.hand is not None and step.after.owed_by == 0
        if chooses or isinstance(step.message, m.DealShares):
            own = match.seat_at(0, step.sequence + 1)
            seated.table.take_seat(own)
        seated.table.show(step)
        if chooses and own.owes_choice():
            seated.table.choose(own.view())
    assert "You draw 9s.\nYour hand: " in seated.output.getvalue()


def test_table_does_not_say_that_nobody_has_points_yet_after_a_resignation():
    seated = Seated(interactive=True).sit()
    seated.choose(square_with_a_king())
    state, match = seated.table._state, Match.begin(parse_ruleset("standard"), 1)
    told = []
    for each in (match, match.resign(0)):
        state.table = replace(state.table, match=each)
        told.append("Nobody has any points yet." in look_up("table", state, Style(), None))
    assert told == [True, False]


@pytest.mark.parametrize("rules", ["standard", "tedesco", "mahjong"])
def test_only_cards_that_everybody_has_seen_are_listed(rules):
    """The list stays the same if only the moves of the hand are known."""
    rng = random.Random(rules)
    for view in random_views(parse_ruleset(rules), 1, rng):
        text = str(view.hand._replace(hands=(None, None)))
        told = taken_line(view.hand, Style(), 1 - view.seat, "Bob")
        assert told == taken_line(parse_hand(text), Style(), 1 - view.seat, "Bob")
        assert not any(card.bit & view.cards for card in cards_of(view.hand.held[1 - view.seat]))


def cards(text):
    return tuple(map(parse_card, text.split()))


def test_the_next_hand_begins_sorted():
    order, held = HandOrder(), parse_set("2c3c")
    order.of(held, 1)
    order.change(cards("3c"), cards("2c 3c"), Style())
    assert order.of(held, 1) == cards("3c 2c")
    assert order.of(held, 2) == ()
    assert order.of(held, 1) == ()


def test_the_shown_order_always_contains_exactly_the_cards_held():
    order, held = HandOrder(), parse_set("2c3c4c")
    order.of(held, 1)
    order.change(cards("4c"), cards("2c 3c 4c"), Style())
    for now in ("2c3c", "2c3c9d", "2c9d", "4c2c9d"):
        in_order = order.of(parse_set(now), 1)
        assert sorted(in_order) == sorted(Card(c) for c in {*in_order})
        assert sum(card.bit for card in in_order) == parse_set(now)
    assert in_order == cards("2c 9d 4c")
    with pytest.raises(Illegal):
        order.change(NewPlace(parse_card("3c"), before=True), in_order, Style())


def test_last_keeps_only_the_first_fifty_lines_of_chat(person):
    for number in range(60):
        person.table.chat(f"line {number}")
    told = person.type("last")
    assert told.count("says:") == 50
    assert "line 49" in told


def test_that_a_match_no_longer_counts_is_said_once_in_each_match(person):
    def take_back():
        before = len(person.output.getvalue())
        person.table.note_taken_back(m.Pass())
        person.table.resume_match(Table())
        return "no longer counts" in person.output.getvalue()[before:]

    assert [take_back(), take_back()] == [True, False]
    accept = m.Accept(bytes(32), "Ben", "standard", bytes(32))
    after = Table(accept=accept, awaiting=Awaiting.CUT_COMMIT, owed_by=1)
    person.table.show(Admitted(1, 1, accept, Table(), after))
    assert take_back()
