"""When to show what at the table: the hand, the open question, a refusal, a wait; the bell and the
window's title, which call a player who looks elsewhere.

# Rule 1: how each of these is said, the presenter decides (cli.table.presenter).
# Rule 2: a title is one of ours, an AlertState. It never contains a peer's words, a name or a card:
#   a window manager, a shell and anybody looking over the shoulder can read it. Pipes get nothing,
#   and no terminal gets a title that may show its codes as letters.
# Rule 3: the bell rings once for a question, however often it is asked again: after each line that
#   is typed, and after each return of a player who comes and goes.
# Rule 4: at the end the title is cleared, and the old one is back if the terminal has kept it.
# Rule 5: in the player's own order of the hand a new card goes to the end, wherever it would fit,
#   so that a player who listens to a screen reader knows where to expect it. A discarded card
#   leaves no gap. The order is kept in memory alone; the next hand begins in the order set by
#   `sort`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from cli.table.arguments import NewPlace
from cli.table.person_presenter import PersonPresenter
from cli.table.presenter import Presenter
from cli.table.table_state import TableState
from cli.table.turn_words import may_do
from cli.terminal.console import Console
from cli.text.cards import Style, displayed_order
from cli.text.series import MAY_PROPOSE
from ginpeer.net.interfaces import Clock
from ginpeer.net.session import SessionOver
from ginpeer.net.waiting import Reminder, Waiting
from ginpeer.referee.referee import Admitted, taken_card
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules.cards import CARDS, Card, CardSet, Illegal, cards_of, mask_of, popcount
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
    ) -> None:
        self._console = console
        self._presenter = presenter
        self._state = state
        self._held: CardSet = 0  # our cards, when last looked at
        self._shown: CardSet = 0  # our cards, when last shown
        self._told: CardSet = 0  # our cards, according to what was shown and told since
        self.order = HandOrder()
        self.attention = Alerts(console, clock)
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
        else:
            begins = view.hand.phase is Phase.DRAW and bool(view.hand.moves)
            answers = view.hand.phase is Phase.LAY_OFF  # which is told card by card
            known = begins or answers or view.cards == self._told
        if not known:
            self.hand()
        self._presenter.turn(view)

    def holds(self, view: View) -> None:
        """Remember our cards: the next one drawn is not among them."""
        self._held = view.cards
        self._in_order(view)  # else the card that came first would not be shown first

    # --- what is open ------------------------------------------------------------------

    def prompt(self) -> None:
        """Show the open question as the prompt. A question that only yes answers stays as it is."""
        state, asked = self._state, self._state.questions
        if not self._is_drawing():
            self._alert()
        if asked.confirming is not None or asked.which is not None:
            return
        if state.view is not None:
            self._presenter.ask(state.view)
        elif asked.offer is not None:
            self._presenter.ask_consent(state.table.names[0], asked.offer)
        elif asked.asks_aside:
            self._presenter.ask_aside("" if asked.aside is None else asked.aside.what)
        else:
            self._presenter.no_turn()

    def _alert(self) -> None:
        asked, question = self._asked()
        self.attention.tell(asked, question, bell=self._state.likes.bell)

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
        self._alert()
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


# --- the bell and the window's title ----------------------------------------------------

LONG = 2.0
"""Seconds of waiting after which a player may be looking elsewhere."""

_BELL = "\a"
# Operating system command 2, the window's title, ended by ST (xterm control sequences). The bell
# would end it too, and ring where the rest is not understood.
_TITLE = "\x1b]2;{}\x1b\\"
_PUT_BY, _PUT_BACK = "\x1b[22;2t", "\x1b[23;2t"  # the old title; ignored where it is not known

_TITLELESS = re.compile(r"$|dumb|unknown|network|ansi|linux|fbterm|cons\d|vt\d|sun|eterm|emacs")
"""Names (TERM) of terminals without a title, consoles and editors among them."""


class AlertState(Enum):
    """Whether our player is asked something; the value is the window's title."""

    NOTHING = "waiting - ginpeer"
    QUESTION = "a question - ginpeer"
    TURN = "your turn - ginpeer"


class Alerts:
    """The bell and the title of one person's terminal. They call a player who looks elsewhere."""

    def __init__(self, console: Console, clock: Clock) -> None:
        self._console = console
        self._clock = clock
        self._asked = AlertState.NOTHING
        self._since = clock.seconds()  # that nothing is asked
        self._titled = False
        self._last: object = None  # question that was asked

    def tell(self, asked: AlertState, question: object = None, *, bell: bool) -> None:
        """Set what is asked now, which may be the same as before. *question*: which question it is;
        one that compares equal is the same question. *bell*: whether the bell may ring."""
        before, self._asked = self._asked, asked
        if asked is AlertState.NOTHING and before is not asked:
            self._since = self._clock.seconds()
        waited = before is AlertState.NOTHING and self._clock.seconds() - self._since >= LONG
        news = question is None or question != self._last
        if waited and asked is not AlertState.NOTHING and news and bell:
            self._console.signal(_BELL)
        if asked is not AlertState.NOTHING:
            self._last = question
        if before is not asked or not self._titled:
            self._show(asked)

    def answered(self) -> None:
        """Treat whatever is asked next as a new question, because our player has answered."""
        self._last = None

    def _show(self, asked: AlertState) -> None:
        if _TITLELESS.match(self._console.kind) is None:
            put_by = "" if self._titled else _PUT_BY
            self._titled = True
            self._console.signal(put_by + _TITLE.format(asked.value))

    def close(self) -> None:
        """Clear the title."""
        if self._titled:
            self._console.signal(_TITLE.format("") + _PUT_BACK)
            self._titled = False


# --- the order of the hand --------------------------------------------------------------


class HandOrder:
    """The cards of one hand in the player's order; empty while the hand is sorted by kind."""

    def __init__(self) -> None:
        self._cards: list[Card] = []
        self._hand: object = None

    def of(self, held: CardSet, hand: object) -> tuple[Card, ...]:
        """Return the cards *held* in this *hand* in the player's order; empty if sorted by kind."""
        if hand != self._hand:
            self._cards, self._hand = [], hand
        if self._cards:
            self._cards = [card for card in self._cards if held & card.bit]
            self._cards += cards_of(held & ~mask_of(self._cards))
        return tuple(self._cards)

    def forget(self) -> None:
        """Go back to showing the hand sorted by kind."""
        self._cards = []

    def change(self, new: tuple[Card, ...] | NewPlace, shown: Sequence[Card], style: Style) -> None:
        """Put the cards that were *shown* in a new order: some cards first, or one card elsewhere.
        Raises Illegal for a card that is not among them."""
        named: tuple[Card | None, ...] = new if isinstance(new, tuple) else (new.card, new.beside)
        missing = [card for card in dict.fromkeys(named) if card is not None and card not in shown]
        if missing:
            them = "That is" if len(missing) == 1 else "These are"
            sentence = f"{them} not in your hand: {style.cards(missing)}. Nothing was moved."
            raise Illegal("card-not-held", sentence)
        if not isinstance(new, NewPlace):
            self._cards = [*new, *(card for card in shown if card not in new)]
            return
        cards = [card for card in shown if card != new.card]
        if new.beside is None:
            at = 0 if new.before else len(cards)
        else:
            at = cards.index(new.beside) + (not new.before)
        self._cards = [*cards[:at], new.card, *cards[at:]]
