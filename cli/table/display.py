"""When to show what at the table: the hand, the open question, a refusal, a wait.

# How each of these is said, the presenter decides (cli.table.presenter).
"""

from __future__ import annotations

from collections.abc import Callable

from cli.table.arguments import NewPlace
from cli.table.hand_order import HandOrder
from cli.table.person_presenter import PersonPresenter
from cli.table.presenter import Presenter
from cli.table.table_state import TableState
from cli.table.turn_words import may_do
from cli.terminal.alerts import Alerts, AlertState
from cli.terminal.console import Console
from cli.text.cards import Style, displayed_order
from cli.text.series import MAY_PROPOSE
from ginpeer.net.interfaces import Clock
from ginpeer.net.session import SessionOver
from ginpeer.net.waiting import Reminder, Waiting
from ginpeer.referee.referee import Admitted, taken_card
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules.cards import CARDS, Card, CardSet, Illegal, popcount
from ginpeer.rules.hand import Phase
from ginpeer.rules.view import View
from protocol import messages as m


class Display:
    """Shows one player what there is to see."""

    def __init__(
        self,
        console: Console,
        presenter: Presenter,
        clock: Clock,
        state: TableState,
        bell: Callable[[], bool],
    ) -> None:
        """*bell*: whether our player wants to hear it."""
        self._console = console
        self._presenter = presenter
        self._state = state
        self._held: CardSet = 0  # our cards, when last looked at
        self._shown: CardSet = 0  # our cards, when last shown
        self._told: CardSet = 0  # our cards, as what was shown and told since has them
        self.order = HandOrder()
        self.attention = Alerts(console, clock, bell)
        self.waiting = Waiting(
            clock,
            console.interactive,
            self._say_waiting,
            Reminder.of_thinking(clock, self._say_still_waiting),
        )

    def style(self) -> Style:
        """Return how cards are written now."""
        return self._presenter.style if isinstance(self._presenter, PersonPresenter) else Style()

    # --- the hand and the turn ---------------------------------------------------------

    def drawn(self, event: Admitted) -> Card | None:
        """Return the card that this share gave us, if it was ours."""
        if not isinstance(event.message, m.Share) or event.author == self._state.seat:
            return None
        view = self._state.look()
        new = 0 if view is None else view.cards & ~self._held
        return Card(new.bit_length() - 1) if new.bit_count() == 1 else None

    def hand(self) -> None:
        """Show our cards, if there are any."""
        view = self._state.look()
        if view is not None:
            self._held = self._shown = self._told = view.known
            self._presenter.hand(view, self._in_order(view))

    def _in_order(self, view: View) -> tuple[Card, ...]:
        table = self._state.table
        return self.order.of(view.known, (table.table_id, table.hand_number))

    def lay(self, new: tuple[Card, ...] | NewPlace) -> None:
        """Lay the hand in the player's own order. Raises Illegal."""
        view, presenter = self._state.look(), self._presenter
        if view is None:
            raise Illegal("no-hand", "No cards have been dealt yet.")
        if isinstance(presenter, PersonPresenter):
            shown = self._in_order(view) or displayed_order(
                view.known, view.hand.rules, presenter.sort
            )
            self.order.change(new, shown, presenter.style)

    def happened(self, event: Admitted) -> None:
        """Show an entry. A card that we draw or take comes with the new deadwood count, unless the
        hand itself follows."""
        seat, message = self._state.seat, event.message
        drawn = self.drawn(event)
        deadwood = None
        if isinstance(message, m.Discard) and event.author == seat:
            self._told &= ~CARDS[message.card].bit
        elif drawn is not None or (isinstance(message, m.TakeUpcard) and event.author == seat):
            deadwood = self._counted_with(taken_card(event) if drawn is None else drawn)
        self._presenter.happened(event, seat, drawn, deadwood)

    def _counted_with(self, card: Card) -> int | None:
        """Return the least deadwood with this card, which has just come. None: show the hand, which
        differs by more than one exchanged card from when it was last shown."""
        view, presenter = self._state.look(), self._presenter
        if view is None or view.hand.rules.mahjong or not isinstance(presenter, PersonPresenter):
            return None
        now = self._told | card.bit
        if now != view.known or (popcount(now ^ self._shown) > _EXCHANGE and not presenter.brief):
            return None
        self._told = now
        return view.hand.melding.deadwood(now)

    def turn(self, view: View) -> None:
        """Say that it is our turn, and which moves there are."""
        if not self._console.interactive:
            known = view.cards == self._shown
        else:  # who has thrown a card knows it, and a spread is told card by card
            known = view.cards == self._told or _begins_turn(view) or _answers_knock(view)
        if not known:
            self.hand()
        self._presenter.turn(view)

    def holds(self, view: View) -> None:
        """Remember our cards: the next one drawn is not among them."""
        self._held = view.cards
        self._in_order(view)  # or what came first would not stand first

    # --- what is open ------------------------------------------------------------------

    def prompt(self) -> None:
        """Show the open question as the prompt. A question that only yes answers stays as it is."""
        state, asked = self._state, self._state.questions
        if not self._is_drawing():
            self.attention.tell(*self._asked())
        if asked.confirming is not None or asked.which is not None:
            return
        if asked.offer is not None:
            self._presenter.ask_consent(state.table.names[0], asked.offer)
        elif asked.asks_aside:
            self._presenter.ask_aside("" if asked.aside is None else asked.aside.what)
        elif state.view is None:
            self._presenter.no_turn()
        else:
            self._presenter.ask(state.view)

    def _asked(self) -> tuple[AlertState, object]:
        """Return what our player is asked because of the other one, and which question it is."""
        state, asked, table = self._state, self._state.questions, self._state.table
        if state.view is not None:
            return AlertState.TURN, (table.table_id, table.sequence)
        if asked.offer is not None:
            return AlertState.QUESTION, asked.offer.rules
        if asked.aside is not None and asked.asks_aside:
            return AlertState.QUESTION, asked.aside.sentence
        paused = state.session is not None and state.session.pause_offered
        return (
            (AlertState.QUESTION, (table.table_id, "pause"))
            if paused
            else (AlertState.NOTHING, None)
        )

    def _is_drawing(self) -> bool:
        """Whether our player has drawn but is not asked for a discard yet: the other program gives
        the card out first, a moment later in the same turn."""
        state, table = self._state, self._state.table
        mine = table.hand is not None and table.hand.to_move == state.seat
        drawn = table.awaiting in (Awaiting.SHARE, Awaiting.DISCARD)
        return mine and drawn and state.view is None and not state.away

    def refuse(self, error: Exception, *, respelt: bool = False) -> None:
        """Say why something was refused, and what may be done instead. Every error that reaches a
        player has a code and a sentence. *respelt*: the sentence comes from the rules, which write
        a card as "Tc"; so does the one about a card named twice."""
        code, sentence = getattr(error, "code", "refused"), str(error)
        view, style = self._state.view, self.style()
        if respelt or code == "repeated-card":
            sentence = style.respelt(sentence)
        if self._state.away and code == SessionOver.code:  # it is over, but the table is kept
            sentence = self._state.why_no_move()
        if view is not None and code not in _ABOUT_WORDS:
            sentence = f"{sentence} You may {may_do(view, style)}."
        self._presenter.refused(code, sentence)
        self.prompt()

    # --- the other player's turn -------------------------------------------------------

    def wait_for(self, table: Table) -> None:
        """Begin to wait, if the other player owes the next entry."""
        if table.owed_by == 1 - self._state.seat:
            self.waiting.begin()

    def _say_waiting(self) -> None:
        self._presenter.waiting(self._state.table, self._state.other())
        self.attention.tell(*self._asked())
        state = self._state
        may = state.may_propose() and state.proposed is None and self._console.interactive
        if may and not state.is_between:  # between matches it has been said already
            self._presenter.info(MAY_PROPOSE)

    def _say_still_waiting(self, minutes: int) -> None:
        self._presenter.still_waiting(self._state.table, self._state.other(), minutes)


_ABOUT_WORDS = frozenset(
    {
        "chat-too-fast",
        "nothing-said",
        "nobody-there",
        "no-terminal",
        "pause-open",
        "pause-too-soon",
        "no-match",
        "no-proposal",
        "unknown-command",
    }
)
"""Refusals that have nothing to do with what may be played, or say themselves what to type."""
_EXCHANGE = 2
"""Two hands between which one card was exchanged differ in two cards: the old and the new."""


def _answers_knock(view: View) -> bool:
    return view.hand.phase is Phase.LAY_OFF


def _begins_turn(view: View) -> bool:
    """Whether this is a turn like any other before its draw."""
    return view.hand.phase is Phase.DRAW and bool(view.hand.moves)
