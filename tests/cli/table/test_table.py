"""The table itself, line by line, at drawn hands: questions, refusals, waiting, leaving."""

import io
from dataclasses import replace

import pytest

from cli.match.patience import SOON as PATIENCE
from cli.table.help import help_lines
from cli.table.person import PersonVoice
from cli.table.program import ProgramVoice
from cli.terminal.console import Console
from cli.terminal.line_input import End, TooLong
from cli.words.cards import Style
from cli.words.offers import unlike
from ginpeer.net.roles import Closed
from ginpeer.net.session import SessionOver, TooFast, words_of
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules import STANDARD, Match, parse_card, parse_ruleset
from ginpeer.seat.seat import Options
from protocol import messages as m
from protocol.frames import Goodbye, Pause
from tests.cli.seated import Seated
from tests.rules.drawing import deal, played

# 3c 4c 5c    3c 3d 3h
# 3d 4d 5d or 4c 4d 4h
# 3h 4h 5h    5c 5d 5h | As
SQUARE = "3c 4c 5c 3d 4d 5d 3h 4h 5h As"
DEALER = "6c 8s 9s Qd Qh Jc Js Td Tc Kd"


@pytest.fixture(autouse=True)
def wide_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")


@pytest.fixture
def person():
    return Seated(interactive=True).sit()


@pytest.fixture
def program():
    return Seated(interactive=False).sit()


def square_with_a_king():
    """The non-dealer's turn with eleven cards: the king can go, two ways to show the rest."""
    hand = played(deal(1, SQUARE, DEALER, "6d"), "pass", "pass")
    return hand.drawing(parse_card("Ks"))


def first_choice():
    return deal(1, SQUARE, DEALER, "6d")


# --- consent ----------------------------------------------------------------------------


def offered(guest, rules="oklahoma target=150", disclosure=m.Disclosure.AFTER_MATCH):
    """The guest's table when this offer comes."""
    offer = m.Offer(1, bytes(32), "Ann", rules, disclosure, bytes(32), 0)
    state = Table(offer=offer, awaiting=Awaiting.ACCEPT, owed_by=1)
    guest.table.show(Admitted(0, 0, offer, Table(), state))
    guest.table.consider(offer)
    return guest


@pytest.fixture
def guest():
    return Seated(interactive=True, seat=1).sit()


@pytest.fixture
def guest_program():
    return Seated(interactive=False, seat=1).sit()


def test_an_offer_says_by_whom_and_which_rules(guest):
    assert offered(guest).output.getvalue() == (
        "Ann offers a match of gin rummy; the rules: oklahoma target=150.\n"
        "These are the oklahoma rules, but target=150 (oklahoma: 100).\n"
        "After the match both players open their hand seeds: then whoever has the log can see all "
        "hands and check the deals once more.\n"
        "Type rules to have them explained.\n"
        "accept the match, yes or no> "
    )
    assert guest.session.answers == []


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("standard", "These are the standard rules, with nothing changed."),
        (
            "standard hands=6",
            "These are the standard rules, but target=none (standard: 100), "
            "hands=6 (standard: none).",
        ),
        ("tedesco box=10", "These are the tedesco rules, but box=10 (tedesco: 25)."),
        (
            "oklahoma hollywood stake=2",
            "These are the oklahoma hollywood rules, but stake=2 (oklahoma hollywood: 0).",
        ),
    ],
)
def test_an_offer_names_each_rule_that_differs(guest, rules, told):
    assert told in offered(guest, rules).output.getvalue().splitlines()


def test_an_offer_says_when_seeds_are_opened(guest):
    assert "After each hand" in offered(guest, disclosure=m.Disclosure.AFTER_HAND).output.getvalue()
    assert "never opened" in offered(guest, disclosure=m.Disclosure.NEVER).output.getvalue()


@pytest.mark.parametrize("line", ["yes", "y", "accept"])
def test_a_person_accepts_with_yes(guest, line):
    offered(guest).type(line)
    assert guest.session.answers == ["accepted"]


@pytest.mark.parametrize("line", ["no", "n", "decline"])
def test_a_person_declines_with_no(guest, line):
    offered(guest).type(line)
    assert guest.session.answers == ["declined"]


def test_an_offer_stays_open_whatever_else_is_typed(guest):
    offered(guest)
    for line, said in {
        "draw": "Answer the offer first, with yes or no.",
        "resign": "Answer the offer first, with yes or no.",
        "help": "A match is offered to you: accept it with yes, or decline it with no.",
        "rules": "target",
        "nonsense": "is no command",
    }.items():
        shown = guest.type(line)
        assert said in shown
        assert shown.endswith("accept the match, yes or no> ")
    guest.type("say which rules?")
    assert guest.session.said == ["which rules?"]
    assert "Leave the table?" in guest.type("quit")
    assert "you are still asked" in guest.type("")  # which is no to the last question asked
    assert guest.session.answers == []
    assert "Answer yes or no." in guest.type("")  # Enter alone accepts nothing
    assert guest.session.answers == []
    guest.type("yes")
    assert guest.session.answers == ["accepted"]


def test_a_program_is_asked_in_one_line_and_answers_in_words(guest_program):
    shown = offered(guest_program).output.getvalue()
    asked = shown.splitlines()[-1]
    assert asked.startswith('event confirm what=accept text="Ann offers a match by these rules: ok')
    assert "but target=150 (oklahoma: 100)." in asked
    for line, code in (("", "unclear"), ("draw", "offer-open")):
        shown = guest_program.type(line).splitlines()
        assert shown[0].startswith(f"event refused code={code} ")
        assert shown[1] == asked
    guest_program.type("yes")
    assert guest_program.session.answers == ["accepted"]


def test_the_answer_of_a_program_may_come_before_the_offer(guest_program):
    assert guest_program.type("no") is None
    offered(guest_program).type("no")
    assert guest_program.session.answers == ["declined"]
    assert "nothing-asked" in Seated(interactive=False).sit().type("yes")


def test_rules_that_were_named_beforehand_are_not_asked_about():
    wanted = Options(parse_ruleset("oklahoma target=150"))
    sure = Seated(interactive=True, seat=1, wanted=wanted).sit()
    offered(sure)
    assert "yes or no" not in sure.output.getvalue()
    offered(sure, "oklahoma ace-limit=one")
    assert sure.session.answers == [
        "accepted",
        "Wanted are the rules oklahoma target=150; offered is ace-limit=one and not gin-only, "
        "target=100 and not 150.",
    ]


def test_seeds_that_are_opened_otherwise_than_wanted_decline_the_match():
    rules = parse_ruleset("standard")
    offer = m.Offer(1, bytes(32), "Ann", "standard", m.Disclosure.NEVER, bytes(32), 0)
    assert unlike(Options(rules, m.Disclosure.NEVER), offer) is None
    assert unlike(Options(rules), offer) == (
        "Wanted are the rules standard; offered is disclose never and not after-match."
    )


# --- moves ------------------------------------------------------------------------------


def test_a_typed_move_reaches_the_session(person):
    person.choose(square_with_a_king())
    person.type("ks")
    assert person.session.played == ["discard Ks"]


def test_a_refused_move_says_why_and_what_may_be_done(person):
    person.choose(first_choice())
    assert "You may take 6d, or pass." in person.type("draw")
    assert "You may take 6d, or pass." in person.type("7d")
    assert person.session.played == []


def test_enter_that_would_do_nothing_does_nothing(person):
    person.choose(square_with_a_king())
    assert "Enter alone does nothing here." in person.type("")
    assert person.session.played == []


def test_a_question_about_arrangements_is_answered_by_number(person):
    person.choose(square_with_a_king())
    asked = person.type("knock ks")
    assert "1: melds " in asked
    assert asked.endswith("which, 1 to 3> ")
    assert "Type a number from 1 to 3." in person.type("9")
    person.type("2")
    assert len(person.session.played) == 1
    assert person.session.played[0].startswith("knock Ks melds ")


def test_it_is_said_that_holding_a_card_back_may_win_more(person):
    person.choose(square_with_a_king())
    asked = person.type("knock ks")
    assert (
        "There are 3 ways to show your hand. To hold cards back leaves more deadwood, and may win "
        "more all the same: less can be laid off then.\n"
    ) in asked
    assert "3: melds 4c 4d 4h, 5c 5d 5h; deadwood 3c 3d 3h As (10).\n" in asked
    person.type("3")
    assert person.session.played == ["knock Ks melds 4c4d4h 5c5d5h deadwood 3c3d3hAs"]


def test_where_all_ways_leave_the_same_nothing_is_said_of_holding_back(person):
    hand = played(deal(1, SQUARE.replace("As", "Td"), DEALER.replace("Td", "As"), "6d"), "pass")
    person.choose(played(hand, "pass").drawing(parse_card("Ks")))
    asked = person.type("knock ks")
    assert (
        "There are 2 ways to show a hand that leaves 10; they differ in what can be laid off on "
        "them.\n"
    ) in asked


def test_anything_but_a_number_drops_the_question(person):
    person.choose(square_with_a_king())
    person.type("knock ks")
    person.type("hand")
    assert "say the suit too" in person.type("1")
    assert person.session.played == []


def test_possible_knocks_are_told_with_what_they_leave(person):
    person.choose(square_with_a_king())
    shown = person.output.getvalue()
    assert "You can knock: knock Ks leaves 1" in shown
    assert shown.endswith("discard a card, or knock> ")


# --- questions that only yes answers -----------------------------------------------------


def test_quit_and_resign_want_a_yes(person):
    person.choose(first_choice())
    for word in ("quit", "resign"):
        assert "yes or no> " in person.type(word)
        assert "the game goes on" in person.type("no")
        assert "yes or no> " in person.type(word)
        person.type("hand")  # anything else is no, and is obeyed
        assert "Nothing was asked." in person.type("yes")
    assert (person.session.played, person.session.ending) == ([], None)
    person.type("resign")
    person.type("y")
    assert person.session.played == ["resign"]
    person.type("quit")
    person.type("yes")
    assert person.session.ending.code == "left"


def knocked():
    """The dealer is to spread; the best way lays off a card on each of the knocker's melds."""
    hand = played(deal(1, "3c 4c 5c 7c 7h 7s Ac 2d 4d Ah", "6c 7d Qd Qh Qs Js Td 9c 9d Kd", "6d"))
    hand = played(hand, "pass", "pass").drawing(parse_card("Ks"))
    return played(hand, "knock Ks melds 3c4c5c 7c7h7s deadwood Ac2d4dAh")


def test_a_spread_that_gives_points_away_wants_a_yes(person):
    person.choose(knocked())
    asked = person.type("layoff 6c on 1")
    assert "That spread leaves 55; the best leaves 48." in asked
    assert asked.endswith("lay it down, yes or no> ")
    assert "the game goes on" in person.type("no")
    person.type("layoff 6c on 1")
    assert person.session.played == []
    person.type("yes")
    assert len(person.session.played) == 1


def test_the_best_spread_and_an_illegal_one_are_not_asked_about(person):
    person.choose(knocked())
    assert "yes or no" not in person.type("spread melds 2c3c4c layoff none")
    assert person.session.played == []
    person.type("spread layoff 7d on 2, 6c on 1")
    assert len(person.session.played) == 1


def test_a_lay_off_is_offered_only_where_a_card_fits(person):
    person.choose(knocked())
    assert "You may lay off on meld 1, 3c 4c 5c; meld 2, 7c 7h 7s." in person.output.getvalue()
    # Nothing of Qd Qh Qs Js Td 9d 9s Kd Ks 2s goes on 3c 4c 5c and 7c 7h 7s.
    hand = played(deal(1, "3c 4c 5c 7c 7h 7s Ac 2d 4d Ah", "2s 9s Qd Qh Qs Js Td Ks 9d Kd", "6d"))
    hand = played(hand, "pass", "pass").drawing(parse_card("Kh"))
    nothing = Seated(interactive=True).sit()
    nothing.choose(played(hand, "knock Kh melds 3c4c5c 7c7h7s deadwood Ac2d4dAh"))
    shown = nothing.output.getvalue()
    assert "None of your cards can be laid off." in shown
    assert "You may lay off" not in shown


def test_a_program_is_not_asked_about_its_spread(program):
    program.choose(knocked())
    program.type("spread melds none layoff none")
    assert len(program.session.played) == 1


BEST = "spread melds QdQhQs layoff 6c@0 7d@1 deadwood 9c9dTdKdJs"


def test_who_leaves_after_a_knock_has_the_cards_laid_down_first(person):
    person.choose(knocked())
    asked = person.type("quit")
    assert "This hand counts: your cards are laid down first, in the best way." in asked
    assert person.session.played == []
    person.type("yes")
    assert person.session.played == [BEST]
    assert person.session.ending.code == "left"


def test_input_that_ends_after_a_knock_lays_the_cards_down(program):
    program.choose(knocked())
    program.table.leave()
    assert program.session.played == [BEST]
    assert program.session.ending.code == "left"


def test_who_leaves_in_any_other_turn_plays_nothing(person):
    person.choose(first_choice())
    assert "laid down" not in person.type("quit")
    person.type("yes")
    assert (person.session.played, person.session.ending.code) == ([], "left")


def test_a_session_that_takes_no_spread_any_more_is_left_all_the_same(person):
    person.choose(knocked())
    person.session.play = refusing(SessionOver("The session is over."))
    person.table.leave()
    assert person.session.ending.code == "left"


def refusing(error):
    def refuse(*_):
        raise error

    return refuse


def test_who_resigns_after_a_knock_lays_down_and_resigns_at_the_next_choice(person):
    person.choose(knocked())
    assert "This hand counts: your cards are laid down first" in person.type("resign")
    person.type("yes")
    assert person.session.played == [BEST]
    person.choose(first_choice())
    assert person.session.played == [BEST, "resign"]
    person.choose(first_choice())  # once is enough
    assert person.session.played == [BEST, "resign"]


def test_a_second_knock_before_the_resignation_is_answered_as_well(person):
    person.choose(knocked())
    person.type("resign")
    person.type("yes")
    person.choose(knocked())
    person.choose(first_choice())
    assert person.session.played == [BEST, BEST, "resign"]


def test_no_is_no_resignation_after_the_spread_either(person):
    person.choose(knocked())
    person.type("resign")
    person.type("no")
    person.type("spread")
    person.choose(first_choice())
    assert person.session.played == [BEST]


def test_resigning_waits_for_the_own_turn(person):
    assert "You can resign in your turn." in person.type("resign")
    assert "Nothing was asked." in person.type("yes")


def test_an_open_question_survives_news(person):
    person.choose(first_choice())
    person.type("quit")
    person.table.chat("are you there?")
    assert person.output.getvalue().endswith("leave the table, yes or no> ")


def test_the_second_interrupt_leaves(person):
    person.choose(first_choice())
    person.table.interrupt()
    assert person.session.ending is None
    person.table.interrupt()
    assert person.session.ending.code == "left"


def test_ctrl_d_asks_and_the_end_of_input_leaves(person):
    person.table._lines.take(End(final=False))
    assert person.session.ending is None
    person.table._lines.take(End())
    assert person.session.ending.code == "left"


def test_leaving_before_anybody_came_stops_the_wait():
    alone = Seated(interactive=True)
    assert "Nobody sits at the table with you yet." in alone.type("draw")
    assert "Nobody is there to hear it yet." in alone.type("say hello")
    assert "Stop waiting and leave?" in alone.type("quit")
    alone.type("yes")
    alone.table.leave()
    assert alone.stopped == [True]


# --- a pipe -------------------------------------------------------------------------------


def test_a_move_from_a_pipe_waits_for_its_turn_and_a_question_does_not(program):
    assert program.type("draw") is None
    assert program.type("") is None
    assert program.type("resign") is None
    assert "event info" in program.type("score")
    assert "event refused code=unknown-command" in program.type("foo")
    program.choose(first_choice())
    assert program.type("pass") is not None
    assert program.session.played == ["pass"]


def test_a_program_is_told_the_arrangements(program):
    program.choose(square_with_a_king())
    shown = program.type("knock ks")
    assert shown.count("event arrangement number=") == 3
    program.type("knock ks 1")
    assert len(program.session.played) == 1


def test_a_program_is_asked_again_after_each_line_that_is_no_move(program):
    program.choose(first_choice())
    for line in ("foo", "draw", "hand", "say hi", "score"):
        assert program.type(line).splitlines()[-1] == (
            "event choose what=upcard upcard=6d stock=31 limit=10"
        )


# --- talking, waiting --------------------------------------------------------------------


def test_chat_goes_out_and_its_refusal_is_told(person):
    person.choose(first_choice())
    person.type("say good evening")
    assert person.session.said == ["good evening"]
    person.session.error = TooFast("That is faster than the other side can read.")
    shown = person.type("say again")
    assert "faster" in shown
    assert "You may" not in shown
    person.session.error = SessionOver("The session is over.")
    assert "The session is over." in person.type("say again")


def test_chat_of_the_other_player_is_cleaned_and_quoted(person):
    person.table.chat("\x1b[2J\u202eevil\n")
    assert person.output.getvalue() == 'the guest says: "\ufffd[2J\ufffdevil"\n'


@pytest.mark.parametrize("interactive", [True, False])
def test_who_is_muted_is_not_shown_and_counted(interactive):
    seated = Seated(interactive=interactive).sit()
    seated.choose(first_choice())
    seated.table.chat("one")
    assert "one" in seated.output.getvalue()
    assert "not shown any more" in seated.type("mute")
    assert "already" in seated.type("mute")
    for at in range(149):
        seated.table.chat(f"flood {at}")
    assert "flood" not in seated.output.getvalue()
    seated.type("say still here")
    assert seated.session.said == ["still here"]
    assert "149 lines were kept silent." in seated.type("unmute")
    seated.table.chat("two")
    assert "two" in seated.output.getvalue()
    seated.type("mute")
    assert "Nothing was kept silent." in seated.type("unmute")
    assert "shown already" in seated.type("unmute")


def test_what_was_kept_silent_is_counted_at_the_end_too(person):
    person.choose(first_choice())
    person.type("mute")
    person.table.chat("bye")
    before = len(person.output.getvalue())
    person.table.closed(Closed("peer-left", "The other player left the table; the log is kept."))
    assert "1 line was kept silent." in person.output.getvalue()[before:]


def test_muting_decides_nothing_about_the_game(person):
    """A question of the game stays open, and a pause that is asked for is heard."""
    person.choose(square_with_a_king())
    person.type("quit")
    assert "yes or no" in person.type("mute") or person.table._here.questions.confirming is None
    person.table.pause(Pause.ASK)
    assert "asks for a pause" in person.output.getvalue()
    assert "mute shows no more" in " ".join(help_lines(None))


def test_a_goodbye_that_is_padded_to_the_width_makes_no_row_that_looks_like_ours(monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    forged = "You win the match, 224 to 82."
    for padding in range(120):
        person = Seated(interactive=True)
        said = words_of(Goodbye("left", f"bye{' ' * padding}{forged} {'x' * padding}{forged}"))
        person.table._voice.ended("peer-closed", f"It said: {said} (left)", 4, None)
        rows = person.output.getvalue().splitlines()
        assert all(len(row) <= 44 for row in rows)
        assert all(row.startswith("| ") or row == "(left)" for row in rows[1:])


def waits(table):
    before = Table(match=Match.begin(STANDARD, 1), hand=first_choice())
    return Admitted(7, 0, m.Pass(), before, table)


def test_waiting_is_said_after_a_while_and_once(person):
    table = Table(match=Match.begin(STANDARD, 1), hand=played(first_choice(), "pass"))
    state = {"owed_by": 1, "awaiting": Awaiting.UPCARD}
    for _ in range(3):
        person.table.show(waits(replace(table, **state)))
        person.clock.advance(PATIENCE + 1)
    assert person.output.getvalue().count("Waiting for the guest") == 1
    assert "waiting for the guest to take the upcard or pass" in person.type("draw")
    person.table.closed(Closed("left", "You left the table; the log is kept."))
    assert not person.clock.getDelayedCalls()


def test_a_line_that_is_too_long_costs_a_sentence(person):
    person.choose(first_choice())
    assert person.table._lines.take(TooLong())
    assert "longer than 4000 characters" in person.output.getvalue()


@pytest.mark.parametrize("interactive", [True, False])
def test_what_the_other_side_says_when_it_closes_cannot_steer_the_terminal(interactive):
    """The sentence of a goodbye is any text that a peer likes (case 41)."""
    output = io.StringIO()
    console = Console(None, output, lambda *call: None, {})
    console.interactive = interactive
    voice = PersonVoice(console, Style()) if interactive else ProgramVoice(console)
    said = "It said: bye\x1b[2J\x1b]0;mine\x07\u202e\x9b31m\nevent end code=finished (left)"
    voice.ended("peer-closed", said, 4, None)
    shown = output.getvalue()
    assert "It said: bye" in shown
    assert not set("\x1b\x07\x9b\u202e") & set(shown)
    assert shown.count("\n") == 1
