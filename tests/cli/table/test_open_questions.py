"""Questions that stay open, and the lines that answer them: an offer, quit, resign, a spread."""

from dataclasses import replace

import pytest

from cli.text.series import unlike
from ginpeer.net.interfaces import CloseReason, PeerInfo
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules import parse_ruleset
from ginpeer.seat.seat import Options
from protocol import messages as m
from tests.cli.seated import Seated
from tests.cli.table.hands import first_choice, knocked

pytestmark = pytest.mark.usefixtures("wide_screen")


ACCEPTANCE = m.Accept(bytes(32), "Ben", "standard", bytes(32))


def peer(key):
    return PeerInfo(key, "", "test", "nowhere")


def offered(guest, rules="oklahoma target=150", disclosure=m.Disclosure.AFTER_MATCH):
    """The guest's table when this offer comes."""
    offer = m.Offer(1, bytes(32), "Ann", rules, disclosure, bytes(32), 0)
    state = Table(offer=offer, awaiting=Awaiting.ACCEPT, owed_by=1)
    guest.table.show(Admitted(0, 0, offer, Table(), state))
    guest.table.consider(offer)
    return guest


def test_an_offer_says_by_whom_and_which_rules(guest):
    assert offered(guest).output.getvalue() == (
        "Ann offers a match of gin rummy; the rules: oklahoma target=150.\n"
        "In the oklahoma rules: target=100.\n"
        "After the match both players open their hand seeds: then whoever has the log can see all "
        "hands and check the deals once more.\n"
        "Type rules to have them explained.\n"
        "accept the match, yes or no> "
    )
    assert guest.session.answers == []


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("standard", []),
        ("standard hands=6", ["In the standard rules: target=100, hands=none."]),
        ("tedesco box=10", ["In the tedesco rules: box=25."]),
        ("oklahoma hollywood stake=2", ["In the oklahoma hollywood rules: stake=0."]),
    ],
)
def test_an_offer_names_what_each_rule_was_that_differs(guest, rules, told):
    shown = offered(guest, rules).output.getvalue().splitlines()
    assert [line for line in shown if line.startswith("In the ")] == told


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
    assert "oklahoma target=150. In the oklahoma rules: target=100." in asked
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


def test_a_program_is_not_asked_about_its_spread(program):
    program.choose(knocked())
    program.type("spread melds none layoff none")
    assert len(program.session.played) == 1


def test_an_open_question_survives_news(person):
    person.choose(first_choice())
    person.type("quit")
    person.table.chat("are you there?")
    assert person.output.getvalue().endswith("leave the table, yes or no> ")


def asked_for_another(person):
    """A host's table between two matches; what its answers did."""
    did = []
    person.sit().table.ask_aside(
        "Another match?",
        lambda: did.append("offered"),
        lambda: did.append("left"),
        by=lambda rules: did.append(rules and str(rules)),
    )
    return did


def test_a_proposal_ends_the_question_before_it_and_is_confirmed(person):
    """Else the yes to the new question would leave the table."""
    did = asked_for_another(person)
    assert "yes or no> " in person.type("quit")
    shown = person.type("propose oklahoma target=150")
    assert "Offer the guest a match by these rules: oklahoma target=150?\n" in shown
    assert shown.endswith("propose it, yes or no> ")
    assert did == []
    person.type("yes")
    assert did == ["oklahoma target=150"]
    assert person.session.ending is None


def test_a_proposal_that_is_not_confirmed_leaves_the_question_before_it_open(person):
    did = asked_for_another(person)
    person.type("propose oklahoma")
    shown = person.type("no")
    assert "Nothing was proposed." in shown
    assert shown.endswith("begin a new match, yes or no> ")
    person.type("yes")
    assert did == ["offered"]


@pytest.mark.parametrize("rules", ["misdeal=yes", "target=0", "oklahoma targt=150"])
def test_rules_that_cannot_be_played_are_neither_offered_nor_proposed(person, guest, rules):
    did = asked_for_another(person)
    assert "propose it" not in person.type(f"propose {rules}")
    person.type("yes")
    assert did == ["offered"]
    guest.sit().session.may_propose = True
    assert "propose it" not in guest.type(f"propose {rules}")
    assert "explains all of them" not in guest.type(f"rules {rules}")


def test_a_question_that_came_while_another_was_open_is_asked_again_behind_it(person):
    person.type("quit")
    person.table.ask_aside("Offer standard to Ben again?", lambda: None, lambda: None)
    assert "Offer standard to Ben again?" in person.type("no")


def between_two_matches(seated):
    """A guest's table after a match with Ann, when she has not offered another one."""
    offered(seated)
    seated.type("no")
    seated.table.clear()
    seated.table.sit_down(seated.session)
    seated.session.may_propose = True
    return seated


def test_between_two_matches_the_other_player_is_still_called_by_name(guest):
    between_two_matches(guest)
    guest.table.chat("once more?")
    assert '\nAnn says: "once more?"\n' in guest.output.getvalue()
    assert "waiting for Ann to offer the match" in guest.type("help")


def test_somebody_else_is_not_called_as_who_sat_there_before(guest):
    guest.table.connected(peer(b"ann"))
    between_two_matches(guest)
    guest.table.connected(peer(b"ann"))
    guest.table.chat("here I am")
    assert 'Ann says: "here I am"' in guest.output.getvalue()
    guest.table.connected(peer(b"eve"))
    guest.table.chat("good evening")
    assert 'The host says: "good evening"' in guest.output.getvalue()


def test_a_guest_that_looks_up_the_rules_between_two_matches_hears_how_to_propose_some(guest):
    assert guest.type("rules").startswith("The match has not begun.")
    between_two_matches(guest)
    assert guest.type("rules").startswith("If Ann offers another match, you will be asked.")
    assert guest.type("score").startswith("The next match has not begun.")


@pytest.mark.parametrize("sort", ["person", "program"])
def test_at_an_offer_rules_explain_and_decline_nothing(sort):
    guest = offered(Seated(interactive=sort == "person", seat=1).sit(), "standard")
    guest.session.may_propose = True
    shown = guest.type("rules oklahoma target=150")
    assert "The rules oklahoma target=150:" in shown
    assert "(10.3)." in shown
    assert "To propose these rules, type: propose oklahoma target=150" in shown
    assert (guest.session.proposed, guest.session.answers) == ([], [])
    guest.type("yes")
    assert guest.session.answers == ["accepted"]


def test_at_an_offer_a_proposal_is_confirmed_and_then_sent(guest):
    offered(guest, "standard").session.may_propose = True
    shown = guest.type("propose oklahoma target=150")
    assert "Propose oklahoma target=150 to Ann instead of accepting this offer?" in shown
    assert shown.endswith("propose it, yes or no> ")
    assert guest.session.proposed == []
    assert guest.type("no").endswith("accept the match, yes or no> ")
    guest.type("propose oklahoma target=150")
    shown = guest.type("yes")
    assert "You have proposed oklahoma target=150. If Ann agrees, the match starts." in shown
    assert "accept the match" not in shown
    assert guest.session.proposed == ["oklahoma target=150"]


def proposed(seated, rules="oklahoma target=150", first="standard", **offer):
    """A guest's table after it has proposed these rules instead of those that were offered."""
    offered(seated, first, **offer).session.may_propose = True
    seated.type(f"propose {rules}")
    seated.type("yes")
    seated.table.clear()
    return seated.sit()


@pytest.mark.parametrize("sort", ["person", "program"])
def test_what_the_guest_proposed_starts_without_asking_it_again(sort):
    guest = proposed(Seated(interactive=sort == "person", seat=1).sit())
    offered(guest)
    assert guest.session.answers == ["accepted"]
    assert "You proposed these rules, so the match starts." in guest.output.getvalue()


def test_what_the_guest_proposed_starts_also_where_the_command_accepts_other_rules_only():
    wanted = Options(parse_ruleset("standard"))
    guest = proposed(Seated(interactive=True, seat=1, wanted=wanted).sit(), first="oklahoma")
    guest.session.answers.clear()
    offered(guest)
    assert guest.session.answers == ["accepted"]


@pytest.mark.parametrize(
    ("rules", "disclosure"),
    [
        ("oklahoma target=151", m.Disclosure.AFTER_MATCH),
        ("oklahoma target=150 stake=1", m.Disclosure.AFTER_MATCH),
        ("oklahoma target=150", m.Disclosure.AFTER_HAND),
        ("oklahoma target=150", m.Disclosure.NEVER),
    ],
)
def test_anything_else_than_what_it_proposed_is_asked(guest, rules, disclosure):
    offered(proposed(guest), rules, disclosure)
    assert guest.session.answers == []
    assert guest.output.getvalue().endswith("accept the match, yes or no> ")


def test_the_seeds_are_disclosed_as_in_the_offer_before(guest):
    offered(proposed(guest, disclosure=m.Disclosure.NEVER), disclosure=m.Disclosure.NEVER)
    assert guest.session.answers == ["accepted"]


def test_an_offer_that_is_declined_meanwhile_forgets_no_proposal(guest):
    offered(proposed(guest), "straight").type("no")
    assert guest.session.answers == ["declined"]
    guest.table.clear()
    offered(guest.sit())
    assert guest.session.answers == ["declined", "accepted"]


def test_a_guest_that_would_rather_be_asked_says_no(guest):
    assert "You will be asked before a match begins." in proposed(guest).type("no")
    offered(guest)
    assert guest.session.answers == []
    assert "Nothing was asked." in proposed(Seated(interactive=True, seat=1).sit()).type("yes")


def test_a_proposal_is_for_the_host_that_it_was_made_to(guest):
    guest.table.connected(peer(b"ann"))
    proposed(guest).table.connected(peer(b"eve"))
    offered(guest)
    assert guest.session.answers == []


def test_a_lost_connection_forgets_no_proposal(guest):
    guest.table.connected(peer(b"ann"))
    proposed(guest).end(CloseReason("connection-lost", "The connection was lost.", "A"))
    guest.sit().table.connected(peer(b"ann"))
    offered(guest)
    assert guest.session.answers == ["accepted"]


def test_a_match_that_began_ends_the_proposal(guest):
    offered(proposed(guest))
    state = Table(
        offer=guest.table._state.table.offer,
        accept=ACCEPTANCE,
        awaiting=Awaiting.CUT_COMMIT,
        owed_by=0,
    )
    guest.table.show(Admitted(1, 1, state.accept, guest.table._state.table, state))
    assert not guest.table.proposes


def test_a_proposal_does_not_outlive_a_match_that_is_continued_instead(guest):
    acceptance = m.Accept(bytes(32), "Ben", "standard", bytes(32))
    proposed(guest).table.take_up(Table(accept=acceptance))
    guest.table.clear()
    offered(guest.sit())
    assert guest.session.answers == []


@pytest.mark.parametrize("sort", ["person", "program"])
def test_an_unfinished_match_is_asked_about_also_with_what_the_guest_proposed(sort):
    guest = Seated(interactive=sort == "person", seat=1).sit()
    proposed(guest).table.say_aside("A match with this player is not finished.", "It goes on.")
    offered(guest)
    assert guest.session.answers == []


def test_the_old_form_names_the_new_word(person, guest):
    for seated in (person, guest):
        assert "answer yes when you are asked" in seated.type("rules theirs")
        assert "propose oklahoma target=150" in seated.type("rules theirs")
    between_two_matches(guest)
    assert "To propose these rules, type: propose straight" in guest.type("rules straight")
    assert guest.session.proposed == []


def bot(key):
    return replace(peer(key), bot=True)


def test_to_a_bot_nobody_proposes(guest):
    offered(guest, "standard")
    guest.table.connected(bot(b"ann"))
    shown = guest.type("propose oklahoma")
    assert "A bot plays for Ann, and it takes no proposals." in shown
    assert shown.endswith("accept the match, yes or no> ")
    guest.type("yes")
    assert (guest.session.proposed, guest.session.answers) == ([], ["accepted"])


def test_a_host_that_looks_up_the_rules_while_it_is_asked_hears_the_question_again(person):
    person.table.ask_aside(
        "Another match with Ben?", lambda: None, lambda: None, lambda rules: None
    )
    assert person.type("rules").startswith("Another match with Ben?")


def test_in_a_match_rules_are_explained_and_none_are_proposed(person, program):
    for seated in (person, program):
        seated.table._state.table = Table(accept=ACCEPTANCE)
        seated.choose(first_choice())
        shown = seated.type("rules oklahoma target=150")
        assert "The rules oklahoma target=150:" in shown
        assert "To propose" not in shown
        assert "The rules can't change during a match." in seated.type("propose oklahoma")
        seated.type("yes")
        assert seated.session.proposed == []
    assert "code=no-proposal" in program.type("propose oklahoma")


@pytest.mark.parametrize("seat", [0, 1])
def test_before_anybody_has_come_nothing_is_proposed(seat):
    alone = Seated(interactive=True, seat=seat)
    assert "Your opponent isn't here yet." in alone.type("propose oklahoma")


def test_in_practice_the_rules_are_chosen_at_the_start():
    alone = Seated(interactive=True, practice=True).sit()
    assert "In practice you choose the rules when you start it" in alone.type("propose oklahoma")


def test_a_host_whose_offer_is_open_waits_for_the_answer(person):
    offer = m.Offer(1, bytes(32), "Ann", "standard", m.Disclosure.AFTER_MATCH, bytes(32), 0)
    person.table._state.table = Table(offer=offer, awaiting=Awaiting.ACCEPT, owed_by=1)
    assert "The guest has to answer your offer first." in person.type("propose oklahoma")


def test_a_host_that_leaves_after_one_match_takes_no_proposals(guest):
    assert "that program leaves after one match" in offered(guest).type("propose oklahoma")


def test_propose_alone_says_how_it_goes_on(guest):
    assert "as in: propose oklahoma target=150." in guest.type("propose")


@pytest.mark.parametrize("seat", [0, 1])
def test_between_two_matches_the_other_player_is_not_said_to_be_missing(seat):
    """The next match has a connection of its own, which takes a moment."""
    seated = Seated(interactive=True, seat=seat)
    offered(seated.sit()).type("no")
    seated.table.clear()
    seated.table._state.away = True
    told = ["Waiting for the guest to reconnect for the next match.", "Reconnecting to Ann for the"]
    for line in ("draw", "pause", "help", "propose oklahoma"):
        shown = seated.type(line)
        assert told[seat] in shown
        assert "isn't here" not in shown
        assert "reply:" not in shown


def test_who_waits_for_an_offer_hears_whose_by_the_name_of_the_key(guest):
    known = PeerInfo(bytes(32), "", "test", "nowhere", known_as="Ann")
    guest.session.may_propose = True
    guest.table.connected(known)
    guest.table.seated()
    guest.clock.advance(2)
    shown = guest.output.getvalue()
    assert "Waiting for Ann to offer the match.\nTo propose other rules, type propose " in shown
    guest.table.chat("one moment")
    assert 'Ann says: "one moment"' in guest.output.getvalue()


def test_a_question_before_the_match_is_asked_at_its_own_prompt_and_stays_open(person):
    answers = []
    person.table.ask("May public servers be asked?", "ask them, yes or no> ", answers.append)
    assert "May public servers be asked?" in person.output.getvalue()
    assert "Answer yes or no first." in person.type("draw")
    assert answers == []
    person.type("yes")
    assert answers == [True]
    person.table.ask("May public servers be asked?", "ask them, yes or no> ", answers.append)
    person.type("no")
    assert answers == [True, False]


def test_a_question_that_is_withdrawn_leaves_the_questions_of_others_alone(person):
    answers = []
    person.table.ask("May public servers be asked?", "ask them, yes or no> ", answers.append)
    person.table.withdraw()
    person.table.ask_aside("Another match?", lambda: answers.append("match"), lambda: None)
    person.table.withdraw()
    person.type("yes")
    assert answers == ["match"]
