"""The other player withholds the share of a drawn card: the table stays usable."""

import pytest

from ginpeer.referee.table import Awaiting
from ginpeer.rules import DrawStock, Pass, Phase, cards_of
from protocol import messages as m
from tests.cheating.cheat import steady
from tests.cli.seated import Seated
from tests.matches.table_pair import TablePair


def waiting_for_a_share():
    """Return a table pair whose host has drawn but gets no share, and the view before the draw."""
    pair = TablePair("withheld")
    while (performer := pair.to_choose()) is not None:
        view = performer.seat.view()
        if performer is pair.host and view.hand.phase in (Phase.FIRST_DRAW, Phase.DRAW):
            break
        move = Pass() if Pass() in view.legal_moves() else steady(view)
        performer.perform(performer.seat.play(move))
    performer.perform(performer.seat.play(DrawStock()))
    assert performer.seat.table.awaiting is Awaiting.SHARE
    return pair, view


def seated(pair, interactive):
    """Return the host's table, which has just shown the draw."""
    here = Seated(interactive).sit()
    here.table.take_seat(pair.host.seat)
    here.table.show(pair.host.shown[-1])
    return here


@pytest.mark.parametrize("interactive", [True, False])
def test_the_hand_is_shown_without_the_card_that_has_not_arrived(interactive):
    pair, before = waiting_for_a_share()
    here = seated(pair, interactive)
    for line in ("hand", "show", "h"):
        shown = here.type(line)
        assert all(str(card) in shown for card in cards_of(before.cards))
    for line in ("sort rank", "words on", "table", "score", "rules", "help", "quit"):
        assert here.type(line), line


@pytest.mark.parametrize("interactive", [True, False])
def test_the_hand_can_be_shown_after_a_resignation_instead_of_a_share(interactive):
    pair, before = waiting_for_a_share()
    here = seated(pair, interactive)
    guest = pair.guest
    for raw in pair.host.outbox:
        guest.seat._referee.admit(raw)  # an honest seat would answer with the share at once
    pair.host.outbox.clear()
    guest.perform(guest.seat._submit_and_continue(m.Resign()))
    pair.host.perform(pair.host.seat.receive(guest.outbox[0]))
    for event in pair.host.shown[-2:]:
        here.table.show(event)
    shown = here.type("hand")
    assert all(str(card) in shown for card in cards_of(before.cards))
