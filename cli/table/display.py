"""What is shown of the situation, and when: the hand, the open question, a refusal, a wait.

# How each of it is put, the voice decides (cli.table.voice).
"""

from __future__ import annotations

from collections.abc import Callable

from cli.table.arguments import NewPlace
from cli.table.hand_order import HandOrder
from cli.table.person_voice import PersonVoice
from cli.table.table_state import TableState
from cli.table.turn_words import may_do
from cli.table.voice import Voice
from cli.terminal.attention import Asked, Attention
from cli.terminal.console import Console
from cli.words.cards import Style, in_order
from cli.words.evening import MAY_PROPOSE
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
    """Tells one player what there is to see."""

    def __init__(
        self,
        console: Console,
        voice: Voice,
        clock: Clock,
        state: TableState,
        bell: Callable[[], bool],
    ) -> None:
        """*bell*: whether our player wants to hear it."""
        self._console = console
        self._voice = voice
        self._state = state
        self._held: CardSet = 0  # our cards, when last looked at
        self._shown: CardSet = 0  # our cards, when last shown
        self._told: CardSet = 0  # our cards, as what was shown and told since has them
        self.order = HandOrder()
        self.attention = Attention(console, clock, bell)
        self.waiting = Waiting(
            clock,
            console.interactive,
            self._say_waiting,
            Reminder.of_thinking(clock, self._say_still_waiting),
        )

    def style(self) -> Style:
        """How cards are written now."""
        return self._voice.style if isinstance(self._voice, PersonVoice) else Style()

    # --- the hand and the turn ---------------------------------------------------------

    def drawn(self, event: Admitted) -> Card | None:
        """The card that this share gave us."""
        if not isinstance(event.message, m.Share) or event.author == self._state.seat:
            return None
        view = self._state.look()
        new = 0 if view is None else view.cards & ~self._held
        return Card(new.bit_length() - 1) if new.bit_count() == 1 else None

    def hand(self) -> None:
        """Our cards, if there are any."""
        view = self._state.look()
        if view is not None:
            self._held = self._shown = self._told = view.known
            self._voice.hand(view, self._in_order(view))

    def _in_order(self, view: View) -> tuple[Card, ...]:
        table = self._state.table
        return self.order.of(view.known, (table.table_id, table.hand_number))

    def lay(self, new: tuple[Card, ...] | NewPlace) -> None:
        """Lay the hand in the player's own order. Raises Illegal."""
        view, voice = self._state.look(), self._voice
        if view is None:
            raise Illegal("no-hand", "No cards have been dealt yet.")
        if isinstance(voice, PersonVoice):
            shown = self._in_order(view) or in_order(view.known, view.hand.rules, voice.sort)
            self.order.change(new, shown, voice.style)

    def happened(self, event: Admitted) -> None:
        """An entry; the card that we draw or take is told with what the hand counts then, unless
        the hand itself follows."""
        seat, message = self._state.seat, event.message
        drawn = self.drawn(event)
        deadwood = None
        if isinstance(message, m.Discard) and event.author == seat:
            self._told &= ~CARDS[message.card].bit
        elif drawn is not None or (isinstance(message, m.TakeUpcard) and event.author == seat):
            deadwood = self._counted_with(taken_card(event) if drawn is None else drawn)
        self._voice.happened(event, seat, drawn, deadwood)

    def _counted_with(self, card: Card) -> int | None:
        """The least deadwood with this card, which has just come; None if the hand is to be shown,
        since it has changed by more than an exchanged card from when it was shown last."""
        view, voice = self._state.look(), self._voice
        if view is None or view.hand.rules.mahjong or not isinstance(voice, PersonVoice):
            return None
        now = self._told | card.bit
        if now != view.known or (popcount(now ^ self._shown) > _EXCHANGE and not voice.brief):
            return None
        self._told = now
        return view.hand.melding.deadwood(now)

    def turn(self, view: View) -> None:
        """That a move is ours, and what it can be."""
        if not self._console.interactive:
            known = view.cards == self._shown
        else:  # who has thrown a card knows it, and a spread is told card by card
            known = view.cards == self._told or _begins_turn(view) or _answers_knock(view)
        if not known:
            self.hand()
        self._voice.turn(view)

    def holds(self, view: View) -> None:
        """These are our cards; the next one drawn is one that is not among them."""
        self._held = view.cards
        self._in_order(view)  # or what came first would not stand first

    # --- what is open ------------------------------------------------------------------

    def prompt(self) -> None:
        """Ask what is open: the question that only yes answers stays until it is answered."""
        state, asked = self._state, self._state.questions
        if not self._is_drawing():
            self.attention.tell(*self._asked())
        if asked.confirming is not None or asked.which is not None:
            return
        if asked.offer is not None:
            self._voice.ask_consent(state.table.names[0], asked.offer)
        elif asked.asks_aside:
            self._voice.ask_aside("" if asked.aside is None else asked.aside.what)
        elif state.view is None:
            self._voice.no_turn()
        else:
            self._voice.ask(state.view)

    def _asked(self) -> tuple[Asked, object]:
        """What is asked of our player, as far as it is the other one's doing, and which question of
        all it is."""
        state, asked, table = self._state, self._state.questions, self._state.table
        if state.view is not None:
            return Asked.TURN, (table.table_id, table.sequence)
        if asked.offer is not None:
            return Asked.QUESTION, asked.offer.rules
        if asked.aside is not None and asked.asks_aside:
            return Asked.QUESTION, asked.aside.sentence
        paused = state.session is not None and state.session.pause_offered
        return (Asked.QUESTION, (table.table_id, "pause")) if paused else (Asked.NOTHING, None)

    def _is_drawing(self) -> bool:
        """Whether our player has drawn and is not asked yet what to discard: the other program is
        to give the card out, which takes a moment of the same turn."""
        state, table = self._state, self._state.table
        mine = table.hand is not None and table.hand.to_move == state.seat
        drawn = table.awaiting in (Awaiting.SHARE, Awaiting.DISCARD)
        return mine and drawn and state.view is None and not state.away

    def refuse(self, error: Exception, *, respelt: bool = False) -> None:
        """Say why not, and what may be done instead; every error that reaches a player carries a
        code and a sentence. *respelt*: the sentence is the rules', which write a card as "Tc"; so
        is that of a card named twice."""
        code, sentence = getattr(error, "code", "refused"), str(error)
        view, style = self._state.view, self.style()
        if respelt or code == "repeated-card":
            sentence = style.respelt(sentence)
        if self._state.away and code == SessionOver.code:  # it is over, but the table is kept
            sentence = self._state.why_no_move()
        if view is not None and code not in _ABOUT_WORDS:
            sentence = f"{sentence} You may {may_do(view, style)}."
        self._voice.refused(code, sentence)
        self.prompt()

    # --- the other player's turn -------------------------------------------------------

    def wait_for(self, table: Table) -> None:
        """Begin to wait, if the other player owes the next entry."""
        if table.owed_by == 1 - self._state.seat:
            self.waiting.begin()

    def _say_waiting(self) -> None:
        self._voice.waiting(self._state.table, self._state.other())
        self.attention.tell(*self._asked())
        state = self._state
        may = state.may_propose() and state.proposed is None and self._console.interactive
        if may and not state.is_between:  # between matches it has been said already
            self._voice.info(MAY_PROPOSE)

    def _say_still_waiting(self, minutes: int) -> None:
        self._voice.still_waiting(self._state.table, self._state.other(), minutes)


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
"""Two hands that one card tells apart differ in two cards, the one that went and the one that
came."""


def _answers_knock(view: View) -> bool:
    return view.hand.phase is Phase.LAY_OFF


def _begins_turn(view: View) -> bool:
    """Whether this is a turn like any other before its draw."""
    return view.hand.phase is Phase.DRAW and bool(view.hand.moves)
