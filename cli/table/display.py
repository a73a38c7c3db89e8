"""What is shown of the situation, and when: the hand, the open question, a refusal, a wait.

# How each of it is put, the voice decides (cli.table.voice).
"""

from __future__ import annotations

from collections.abc import Callable

from cli.table.command import Order, Place
from cli.table.hand_order import HandOrder
from cli.table.person_voice import PersonVoice
from cli.table.situation import Situation
from cli.table.turn_words import may_do
from cli.table.voice import Voice
from cli.terminal.alerts import Alerts, AlertState
from cli.terminal.console import Console
from cli.text.cards import Style, displayed_order
from cli.text.evening import MAY_PROPOSE
from ginpeer.net.interfaces import Clock
from ginpeer.net.session import SessionOver
from ginpeer.net.waiting import Reminder, Waiting
from ginpeer.referee.outcome import taken_card
from ginpeer.referee.referee import Admitted
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
        here: Situation,
        bell: Callable[[], bool],
    ) -> None:
        """*bell*: whether our player wants to hear it."""
        self._console = console
        self._voice = voice
        self._here = here
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
        """How cards are written now."""
        return self._voice.style if isinstance(self._voice, PersonVoice) else Style()

    # --- the hand and the turn ---------------------------------------------------------

    def drawn(self, event: Admitted) -> Card | None:
        """The card that this share gave us."""
        if not isinstance(event.message, m.Share) or event.author == self._here.seat:
            return None
        view = self._here.look()
        new = 0 if view is None else view.cards & ~self._held
        return Card(new.bit_length() - 1) if new.bit_count() == 1 else None

    def hand(self) -> None:
        """Our cards, if there are any."""
        view = self._here.look()
        if view is not None:
            self._held = self._shown = self._told = view.known
            self._voice.hand(view, self._in_order(view))

    def _in_order(self, view: View) -> tuple[Card, ...]:
        table = self._here.table
        return self.order.of(view.known, (table.table_id, table.hand_number))

    def lay(self, command: Order | Place) -> None:
        """Lay the hand in the player's own order. Raises Illegal."""
        view, voice = self._here.look(), self._voice
        if view is None:
            raise Illegal("no-hand", "No cards have been dealt yet.")
        if isinstance(voice, PersonVoice):
            shown = self._in_order(view) or displayed_order(view.known, view.hand.rules, voice.sort)
            self.order.change(command, shown, voice.style)

    def happened(self, event: Admitted) -> None:
        """An entry; the card that we draw or take is told with what the hand counts then, unless
        the hand itself follows."""
        seat, message = self._here.seat, event.message
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
        view, voice = self._here.look(), self._voice
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
        here, asked = self._here, self._here.questions
        if not self._is_drawing():
            self.attention.tell(*self._asked())
        if asked.confirming is not None or asked.which is not None:
            return
        if asked.offer is not None:
            self._voice.ask_consent(here.table.names[0], asked.offer)
        elif asked.asks_aside:
            self._voice.ask_aside("" if asked.aside is None else asked.aside.what)
        elif here.view is None:
            self._voice.no_turn()
        else:
            self._voice.ask(here.view)

    def _asked(self) -> tuple[AlertState, object]:
        """What is asked of our player, as far as it is the other one's doing, and which question of
        all it is."""
        here, asked, table = self._here, self._here.questions, self._here.table
        if here.view is not None:
            return AlertState.TURN, (table.table_id, table.sequence)
        if asked.offer is not None:
            return AlertState.QUESTION, asked.offer.rules
        if asked.aside is not None and asked.asks_aside:
            return AlertState.QUESTION, asked.aside.sentence
        paused = here.session is not None and here.session.pause_offered
        return (
            (AlertState.QUESTION, (table.table_id, "pause"))
            if paused
            else (AlertState.NOTHING, None)
        )

    def _is_drawing(self) -> bool:
        """Whether our player has drawn and is not asked yet what to discard: the other program is
        to give the card out, which takes a moment of the same turn."""
        here, table = self._here, self._here.table
        mine = table.hand is not None and table.hand.to_move == here.seat
        drawn = table.awaiting in (Awaiting.SHARE, Awaiting.DISCARD)
        return mine and drawn and here.view is None and not here.away

    def refuse(self, error: Exception, *, respelt: bool = False) -> None:
        """Say why not, and what may be done instead; every error that reaches a player carries a
        code and a sentence. *respelt*: the sentence is the rules', which write a card as "Tc"; so
        is that of a card named twice."""
        code, sentence = getattr(error, "code", "refused"), str(error)
        view, style = self._here.view, self.style()
        if respelt or code == "repeated-card":
            sentence = style.respelt(sentence)
        if self._here.away and code == SessionOver.code:  # it is over, but the table is kept
            sentence = self._here.why_no_move()
        if view is not None and code not in _ABOUT_WORDS:
            sentence = f"{sentence} You may {may_do(view, style)}."
        self._voice.refused(code, sentence)
        self.prompt()

    # --- the other player's turn -------------------------------------------------------

    def wait_for(self, table: Table) -> None:
        """Begin to wait, if the other player owes the next entry."""
        if table.owed_by == 1 - self._here.seat:
            self.waiting.begin()

    def _say_waiting(self) -> None:
        self._voice.waiting(self._here.table, self._here.other())
        self.attention.tell(*self._asked())
        here = self._here
        may = here.may_propose() and here.proposed is None and self._console.interactive
        if may and not here.is_between:  # between matches it has been said already
            self._voice.info(MAY_PROPOSE)

    def _say_still_waiting(self, minutes: int) -> None:
        self._voice.still_waiting(self._here.table, self._here.other(), minutes)


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
