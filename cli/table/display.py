"""When to show things at the table: the hand, the open question, a refusal, a wait. Also the bell
and the window title, which call a player who is looking elsewhere.

# Rule 1: the presenter decides how each of these is worded (cli.table.presenter).
# Rule 2: a title is one of our own, an AlertState. It never contains a peer's words, a name or a
#   card: a window manager, a shell and anybody looking over the player's shoulder can read it.
#   Pipes get no title, nor does a terminal that might print the codes as letters.
# Rule 3: the bell rings once for a question. It stays silent when the question is asked again after
#   a typed line, or after a lost player has come back.
# Rule 4: at the end the title is cleared, and the terminal restores the old one if it kept it.
# Rule 5: in the player's own order of the hand, a new card goes to the end wherever it would fit,
#   so that a player using a screen reader knows where to expect it. A discarded card leaves no gap.
#   The order is kept only in memory; the next hand begins in the order set by `sort`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum

from cli.table.arguments import NewPlace
from cli.table.presenter import Presenter
from cli.table.table_state import TableState
from cli.table.turn_words import may_do
from cli.terminal.console import Console
from cli.text.cards import Style, displayed_order
from cli.text.series import MAY_PROPOSE
from ginpeer.net.interfaces import Clock, Timer, cancel
from ginpeer.net.session import SessionOver
from ginpeer.net.waiting import Reminder, Waiting
from ginpeer.referee.referee import Admitted, taken_card
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules.cards import CARDS, Card, CardSet, Illegal, cards_of, mask_of, popcount
from ginpeer.rules.hand import Phase
from ginpeer.rules.view import View
from protocol import messages as m


class Display:
    """Shows the events of the table to one player."""

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
        self._held: CardSet = 0  # our cards, when they were last read
        self._shown: CardSet = 0  # our cards, when the hand was last shown
        self._reported: CardSet = 0  # our cards, as far as the player has read since
        self._asked_in: View | None = None  # the choice of the last question
        self.order = HandOrder()
        self.alerts = Alerts(console, clock)
        self.hand_break = HandBreak(clock, self._on_break)
        self.waiting = Waiting(
            clock,
            console.interactive,
            self._say_waiting,
            Reminder.thinking_reminder(clock, self._say_still_waiting),
        )

    def style(self) -> Style:
        """Return the current style of writing cards."""
        return self._presenter.style

    # --- the hand and the turn ---------------------------------------------------------

    def drawn_card(self, event: Admitted) -> Card | None:
        """Return the card that this share gave us; None if it gave us none."""
        if not isinstance(event.message, m.Share) or event.author == self._state.seat:
            return None
        view = self._state.look()
        new = 0 if view is None else view.cards & ~self._held
        return Card(new.bit_length() - 1) if new.bit_count() == 1 else None

    def show_hand(self) -> None:
        """Show our cards, if there are any."""
        view = self._state.look()
        if view is not None:
            self._held = self._shown = self._reported = view.known
            self._presenter.hand(view, self._in_order(view))

    def _in_order(self, view: View) -> tuple[Card, ...]:
        table = self._state.table
        return self.order.of(view.known, (table.table_id, table.hand_number))

    def arrange_hand(self, new: tuple[Card, ...] | NewPlace) -> None:
        """Arrange the hand in the player's own order. Raises Illegal."""
        view, sort = self._state.look(), self._presenter.sort
        if view is None:
            raise Illegal("no-hand", self._state.why_no_cards())
        shown = self._in_order(view) or displayed_order(view.known, view.hand.rules, sort)
        self.order.change(new, shown, self.style())

    def show_event(self, event: Admitted) -> None:
        """Show an entry. If we draw or take a card, show the new deadwood count, too, unless the
        hand itself follows."""
        seat, message = self._state.seat, event.message
        drawn = self.drawn_card(event)
        deadwood = None
        if isinstance(message, m.Discard) and event.author == seat:
            self._reported &= ~CARDS[message.card].bit
        elif drawn is not None or (isinstance(message, m.TakeUpcard) and event.author == seat):
            deadwood = self._deadwood_with(taken_card(event) if drawn is None else drawn)
        self._presenter.show_event(event, seat, drawn, deadwood)

    def _deadwood_with(self, card: Card) -> int | None:
        """Return the least deadwood with *card*, which has just come. None means that the hand has
        to be shown: since it was last shown, more than one card has been exchanged."""
        view, presenter = self._state.look(), self._presenter
        if presenter.shows_hand or view is None or view.hand.rules.mahjong:
            return None
        now = self._reported | card.bit
        if now != view.known or (popcount(now ^ self._shown) > _EXCHANGE and not presenter.brief):
            return None
        self._reported = now
        return view.hand.melding.deadwood(now)

    def show_turn(self, view: View) -> None:
        """Say that it is our turn, and which moves are possible."""
        if self.shows_hand_in(view):
            known = True
        elif not self._console.interactive:
            known = view.cards == self._shown
        else:
            begins = view.hand.phase is Phase.DRAW and bool(view.hand.moves)
            answers = view.hand.phase is Phase.LAY_OFF  # which is shown card by card
            known = begins or answers or view.cards == self._reported
        if not known:
            self.show_hand()
        self._presenter.turn(view)

    def shows_hand_in(self, view: View) -> bool:
        """Return whether the next question of this choice contains our hand."""
        return self._presenter.shows_hand_in(view, again=view is self._asked_in)

    def note_hand(self, view: View) -> None:
        """Remember our cards, so that the next card drawn can be told from them."""
        self._held = view.cards
        self._in_order(view)  # otherwise the card that came first would not be shown first

    # --- the open question -------------------------------------------------------------

    def prompt(self) -> None:
        """Show the open question as the prompt. A question that only yes answers is left as it
        is."""
        state, asked = self._state, self._state.questions
        if not self._is_drawing():
            self._alert()
        if asked.confirming is not None or asked.which is not None:
            return
        if self.hand_break.lasts:
            self._presenter.ask_for_next_hand()
        elif state.view is not None:
            order = self._in_order(state.view) if self.shows_hand_in(state.view) else ()
            self._presenter.ask(state.view, order, again=state.view is self._asked_in)
            self._asked_in = state.view
        elif asked.offer is not None:
            self._presenter.ask_consent(state.table.names[0], asked.offer)
        elif asked.asks_aside:
            self._presenter.ask_aside("" if asked.aside is None else asked.aside.what)
        else:
            self._presenter.clear_prompt()

    def _on_break(self) -> None:
        self._state.in_break = self.hand_break.lasts
        self.prompt()

    def _alert(self) -> None:
        asked, question = self._asked()
        self.alerts.update(asked, question, bell=self._state.likes.bell)

    def _asked(self) -> tuple[AlertState, object]:
        """Return what the other player's last act asks of our player, and an object that identifies
        the question."""
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
        """Return whether our player has drawn but can't discard yet: the other program reveals the
        card first, a moment later in the same turn."""
        state, table = self._state, self._state.table
        mine = table.hand is not None and table.hand.to_move == state.seat
        drawn = table.awaiting in (Awaiting.SHARE, Awaiting.DISCARD)
        return mine and drawn and state.view is None and not state.away

    def refuse(self, error: Exception, *, respelt: bool = False) -> None:
        """Say why something was refused, and what the player may do instead. Every error that
        reaches a player has a code and a sentence. *respelt*: the sentence comes from the rules,
        which write a card as "Tc", so its cards are respelt. So are those of the error about a card
        named twice."""
        code, sentence = getattr(error, "code", "refused"), str(error)
        view, style = self._state.view, self.style()
        if respelt or code == "repeated-card":
            sentence = style.respelt(sentence)
        if self._state.away and code in (SessionOver.code, "not-your-turn"):  # the table is kept
            sentence = f"Nothing was done. {self._state.why_no_move()}"
        if view is not None and code not in _ABOUT_WORDS:
            sentence = f"{sentence} You may {may_do(view, style)}."
        self._presenter.show_refusal(code, sentence)
        self.prompt()

    # --- the other player's turn -------------------------------------------------------

    def wait_for(self, table: Table) -> None:
        """Start waiting if the other player owes the next entry."""
        if table.owed_by == 1 - self._state.seat:
            self.waiting.begin()

    def _say_waiting(self) -> None:
        if self._state.proposed is None or not self._state.awaits_offer():  # else it's been said
            self._presenter.show_waiting(self._state.table, self._state.other())
        self._alert()
        state = self._state
        may = state.may_propose() and state.proposed is None and self._console.interactive
        if may and not state.is_between:  # between matches it has already been said
            self._presenter.info(MAY_PROPOSE)

    def _say_still_waiting(self, minutes: int) -> None:
        self._presenter.show_long_wait(self._state.table, self._state.other(), minutes)


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
        "just-taken",
        "unknown-command",
    }
)
"""Refusals that aren't about possible moves, or that already say what to type."""
_EXCHANGE = 2
"""Hands that differ by one exchanged card differ in two cards: the old one and the new one."""


# --- the break between two hands --------------------------------------------------------

BREAK = 3.0
"""Seconds to look at the end of a hand before the next one is shown."""

SLIP = 0.5
"""Enter within this many seconds after a break was meant to end it."""


class HandBreak:
    """Holds back what follows a hand until our player has looked at its end. Only what is shown
    waits: the match itself continues, and the other player notices nothing."""

    def __init__(self, clock: Clock, prompt: Callable[[], None]) -> None:
        """*prompt*: shows the question that is open once the break has begun or ended."""
        self._clock = clock
        self._prompt = prompt
        self._shows: list[Callable[[], None]] = []
        self._choice: Callable[[], None] | None = None
        self._timer: Timer | None = None
        self._lasts = False
        self._guard: Callable[[Callable[[], None]], None] = lambda call: call()
        self.waits = False
        """Whether a break lasts until our player continues: a screen reader may still be reading
        the end of the hand."""
        self._expired: float | None = None

    @property
    def lasts(self) -> bool:
        """Whether the break lasts."""
        return self._lasts

    @property
    def has_just_expired(self) -> bool:
        """Whether the break has ended by itself so recently that Enter was meant for it."""
        return self._expired is not None and self._clock.seconds() - self._expired < SLIP

    def begin(self, guard: Callable[[Callable[[], None]], None]) -> None:
        """Begin the break. *guard*: makes a call when the break ends, and handles every error in
        it."""
        self._lasts, self._guard = True, guard
        if not self.waits:
            self._timer = self._clock.callLater(BREAK, self._expire)
        self._prompt()

    def defer(self, call: Callable[[], None], *, choice: bool = False) -> bool:
        """Return whether the break lasts; if so, make this call at its end. *choice*: it asks for a
        move, which nothing follows."""
        if not self._lasts:
            return False
        if choice:
            self._choice = call
        else:
            self._shows.append(call)
        return True

    def _expire(self) -> None:
        self._expired = self._clock.seconds()
        self.end()

    def drop(self) -> None:
        """End the break, if it lasts, and forget the calls that were held back."""
        self._shows, self._choice = [], None
        self.end()

    def end(self) -> bool:
        """End the break, if it lasts, and make the calls that were held back. Return whether it
        lasted."""
        if not self._lasts:
            return False
        cancel(self._timer)
        self._timer, self._lasts = None, False
        self._prompt()
        shows, self._shows, asks, self._choice = self._shows, [], self._choice, None
        for call in shows if asks is None else [*shows, asks]:
            self._guard(call)
        return True


# --- the bell and the window title ------------------------------------------------------

LONG = 2.0
"""After this many seconds of waiting, a player may be looking elsewhere."""

_BELL = "\a"
# Operating system command 2, the window title, ended by ST (xterm control sequences). BEL would end
# it, too, but would ring on terminals that don't understand the rest.
_TITLE = "\x1b]2;{}\x1b\\"
_PUT_BY, _PUT_BACK = "\x1b[22;2t", "\x1b[23;2t"  # save and restore the title

_TITLELESS = re.compile(r"$|dumb|unknown|network|ansi|linux|fbterm|cons\d|vt\d|sun|eterm|emacs")
"""Terminal types (TERM) without a title; consoles and editors are among them."""


class AlertState(Enum):
    """Whether our player is being asked something. The value is the window title."""

    NOTHING = "waiting - ginpeer"
    QUESTION = "a question - ginpeer"
    TURN = "your turn - ginpeer"


class Alerts:
    """The bell and the title of a person's terminal, which call a player who is looking
    elsewhere."""

    def __init__(self, console: Console, clock: Clock) -> None:
        self._console = console
        self._clock = clock
        self._asked = AlertState.NOTHING
        self._since = clock.seconds()  # since when nothing has been asked
        self._titled = False
        self._last: object = None  # the last question that was asked

    def update(self, asked: AlertState, question: object = None, *, bell: bool) -> None:
        """Set what is being asked now, which may be the same as before. *question*: identifies the
        question; an equal object means the same question. *bell*: whether the bell may ring."""
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
    """The cards of one hand in the player's own order; empty while the hand is sorted."""

    def __init__(self) -> None:
        self._cards: list[Card] = []
        self._hand: object = None

    def of(self, held: CardSet, hand: object) -> tuple[Card, ...]:
        """Return the cards *held* in this *hand* in the player's own order; empty while it is
        sorted."""
        if hand != self._hand:
            self._cards, self._hand = [], hand
        if self._cards:
            self._cards = [card for card in self._cards if held & card.bit]
            self._cards += cards_of(held & ~mask_of(self._cards))
        return tuple(self._cards)

    def forget(self) -> None:
        """Return to showing the hand sorted."""
        self._cards = []

    def change(self, new: tuple[Card, ...] | NewPlace, shown: Sequence[Card], style: Style) -> None:
        """Rearrange the cards that were *shown*: put some cards first, or move one card. Raises
        Illegal for a card that isn't among them."""
        named: tuple[Card | None, ...] = new if isinstance(new, tuple) else (new.card, new.beside)
        missing = [card for card in dict.fromkeys(named) if card is not None and card not in shown]
        if missing:
            lacking = style.the(missing[0]) if len(missing) == 1 else style.cards(missing)
            sentence = f"You don't have {lacking}. Nothing was moved."
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
