"""The table at which one person, or one script, plays. It represents the player in a session and
shows what happens; as a Dispatcher, it obeys typed lines.

The table decides nothing about the game or about how things are shown. It keeps what is known
(cli.table.table_state) and decides when to show something.
"""

from __future__ import annotations

from collections.abc import Callable

from cli.table.chat import Conversation
from cli.table.commands import completions
from cli.table.dispatcher import Dispatcher
from cli.table.display import Display
from cli.table.possible_moves import forced
from cli.table.presenter import Presenter
from cli.table.table_state import ALONE, MatchPort, OpenQuestion, Partnership, TableState
from cli.terminal.console import Console
from cli.text.board import table_lines
from cli.text.grammar import inside
from cli.text.narration import nearly_full_line, taken_back
from cli.text.series import MAY_PROPOSE, disclosure_lines, offer_lines, why_declined
from ginpeer.match_store.table_keeper import Choice
from ginpeer.names import NO_KNOWN_NAMES, KnownNames
from ginpeer.net.interfaces import Clock, CloseReason, PeerInfo
from ginpeer.net.session import Session
from ginpeer.net.timing import LOST, Waiting
from ginpeer.referee.referee import Admitted, result_of
from ginpeer.referee.table import Table
from ginpeer.rules.match import View
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.seat.seat import Options, Seat
from ginpeer.store.small_files import DEFAULT_SETTINGS, Settings
from protocol import messages as m
from protocol.frames import PAUSED, Consent, Pause


class HumanTable(Dispatcher):
    def __init__(
        self,
        console: Console,
        presenter: Presenter,
        clock: Clock,
        seat: int,
        port: MatchPort,
        *,
        wanted: Options | None = None,
        settings: Settings = DEFAULT_SETTINGS,
        known: KnownNames = NO_KNOWN_NAMES,
        partnership: Partnership = ALONE,
        practice: bool = False,
        expected: RuleSet | None = None,
    ) -> None:
        """*wanted*: as a guest, accept only this match, without asking our player. *practice*: the
        opponent is this program's own bot. *expected*: the rules of the match to offer or resume,
        if they are known."""
        self._wanted = wanted
        self._other_came = False  # whether a different player had connected before
        self._asked: OpenQuestion | None = None  # the question set by `ask`
        self._sat_here: bytes | None = None  # a key whose next connection isn't announced
        self._taken_back: Choice | None = None  # the move taken back, until our player is told
        self._counts = True  # whether this match counts in the statistics: no move was taken back
        self._offered: m.Offer | None = None  # the offer, if it was the last entry shown
        allows_undo = practice and console.interactive
        state = TableState(
            *(seat, known, settings, practice, allows_undo),
            against_bot=practice,
            decides_offers=wanted is not None,
            expected=expected,
        )
        display = Display(console, presenter, state, port)
        chat = Conversation(presenter, state, clock, console.interactive)
        super().__init__(console, presenter, display, state, chat, port, partnership, clock)
        self._waiting = Waiting(
            clock, console.interactive, self._say_waiting, self._say_still_waiting
        )

    # --- called by the match -----------------------------------------------------------

    def open(self) -> None:
        self._console.start(
            self.take,
            self.on_input_end,
            complete=lambda typed: completions(typed, self._state),
            seconds=self._clock.seconds,
        )

    def give_up(self) -> None:
        self._chat.give_up()

    def use_session(self, session: Session) -> None:
        self._state.session = session
        self._state.away = False

    def take_seat(self, seat: Seat) -> None:
        self._state.own = seat

    def set_bot_level(self, level: int) -> None:
        self._state.level = level

    def clear(self) -> None:
        self._state.clear()
        self.resigns = False
        self._sat_here = self._chat.other

    def ask_aside(self, question: OpenQuestion) -> None:
        """Ask a host's player a question before a match is offered, or tell a guest what the next
        offer would shelve. The question stays open."""
        self._state.questions.aside = question

    def ask(
        self,
        sentence: str,
        what: str,
        answered: Callable[[bool], None],
        *,
        otherwise: str = "",
        leaving_means_no: bool = False,
    ) -> None:
        """Ask a yes-or-no question: yes does *what*, no does *otherwise*, if given. The question
        stays open until it is answered or withdrawn. *leaving_means_no*: leaving answers no."""
        self._asked = OpenQuestion(
            sentence,
            lambda: answered(True),
            lambda: answered(False),
            what=what,
            otherwise=otherwise,
            leaving_means_no=leaving_means_no,
        )
        self._state.questions.aside = self._asked
        self._presenter.info(sentence)
        self.prompt()

    def withdraw(self) -> None:
        """Drop the question set by `ask`."""
        if self._state.questions.aside is self._asked:
            self._state.questions.aside = None
            self.prompt()

    def ask_again(self, *, whole: bool = False) -> None:
        """Show the open question's prompt again, below news just printed. *whole*: the host's
        question has changed, so print it, too, and no longer ask whether to propose rules."""
        aside = self._state.questions.aside
        if whole:
            self._drop_proposal("the question has changed")
        if whole and aside is not None:
            self._presenter.clear_prompt()
            self._presenter.info(aside.sentence)
        self.prompt()

    def _drop_proposal(self, why: str) -> None:
        """If our player is being asked whether to propose rules, drop that question and say why."""
        if self.is_proposing:
            self._state.questions.confirming = None
            self._presenter.clear_prompt()
            self._presenter.info(f"Nothing was proposed: {why}.")

    @property
    def has_proposed(self) -> bool:
        """Whether our player, as a guest, has proposed rules and is waiting for the host."""
        return self._state.proposed is not None

    @property
    def decides_offers(self) -> bool:
        """Whether our player, as a guest, has typed the only rules to accept, so isn't asked."""
        return self._state.decides_offers

    @property
    def is_proposing(self) -> bool:
        """Whether our player is being asked whether to propose rules."""
        return self._state.questions.to_propose is not None

    def note_taken_back(self, move: Choice) -> None:
        """Note which move our player takes back. The next seat continues from before that move."""
        self.resigns = False
        self._taken_back, self._sat_here = move, self._chat.other

    def resume_match(self, table: Table) -> None:
        """Show the position of a stored match, or the position once a move was taken back."""
        state = self._state
        if table.table_id != state.table.table_id:  # the host has chosen another match
            self.resigns, state.plays_on = False, None
        state.table = table
        if self._taken_back is not None:
            self._show_taken_back(self._taken_back)
            return
        if table.accept is not None:
            state.proposed = None  # this match continues instead
        self._waiting.new_turn()
        if table.match is not None:
            self._presenter.show_resumed_match(table, state.seat)
            self._waiting.skip_announcement()
        is_over = table.match is not None and table.match.finished
        if table.hand is not None and table.hand.result is None and not is_over:
            self._display.show_hand_before(state.look())
            self._show_drawn_card()

    def _show_taken_back(self, move: Choice) -> None:
        state, style, self._taken_back = self._state, self._presenter.style, None
        state.plays_on = None
        self._presenter.forget_recent()
        self._waiting.new_turn()
        self._presenter.info(taken_back(move, state.table, style))
        if self._counts:
            self._presenter.info(
                "Because you took back a move, this match no longer counts in your statistics."
            )
        self._counts = False
        view = state.look()
        if view is None:
            return
        self._presenter.info(*table_lines(view.hand, style, state.names()))
        self._waiting.skip_announcement()
        self._display.show_hand_before(view)

    def continue_match(self) -> None:
        """Tell a person where the match stands, now that the other player is back."""
        state = self._state
        self._waiting.new_turn()
        if state.table.match is None or not self._console.interactive:
            return
        self._presenter.show_position(state.table, state.seat)
        self._waiting.skip_announcement()
        self._show_drawn_card()

    def _show_drawn_card(self) -> None:
        drawn = None if self._state.own is None else self._state.own.drawn()
        if drawn is not None:
            self._presenter.show_drawn_card(drawn)

    @property
    def leaving(self) -> bool:
        return self._state.leaving

    # --- called by the session (PlayerPort) --------------------------------------------

    def connected(self, peer: PeerInfo) -> None:
        """Say who has connected. A person is told only once, no matter how many matches follow."""
        came_back = peer.key == self._chat.other
        self._other_came = self._chat.other is not None and not came_back
        if self._other_came:
            self._state.forget()
            self._presenter.forget_recent()
            self._unsaid = ""
        self._chat.other = peer.key
        self._state.note_peer(peer)
        if peer.key != self._sat_here or not self._console.interactive:
            self._presenter.connected(peer, back=self._state.other() if came_back else None)
        self._sat_here = None
        self._asked_to_quit = not came_back and self.welcome()

    def seated(self) -> None:
        """Now that our seat exists, ask the open question, or wait for the other player."""
        self._chat.send_kept(other=self._other_came)
        self._other_came = False
        self._clock.callLater(0, self.send_proposal)  # once the session has our seat
        if self._state.questions.host_question is not None:
            self.ask_again(whole=True)
            return
        self._wait()  # even for an offer: the host's player may have a question to answer first

    def show(self, event: Admitted) -> None:
        if self.hand_break.defer(lambda: self.show(event)):
            return
        state, message = self._state, event.message
        self._offered = message if isinstance(message, m.Offer) else None
        self._waiting.stop()
        state.view = state.questions.which = state.questions.offer = None
        state.table = event.after
        self._display.show_event(event)
        if isinstance(message, m.Offer) and event.author == state.seat:
            state.questions.aside = None
            if not state.practice:
                self._presenter.info(*disclosure_lines(message, first=state.is_news(message)))
                state.disclosure = message.disclosure
        if isinstance(message, m.Accept):
            self._counts = True
            state.questions.aside = state.proposed = None
            self._drop_proposal("the match has begun")
            self._port.on_agreement()
        if isinstance(message, m.Offer | m.Accept) and event.author != state.seat:
            self._presenter.info(*self._port.name_notes(message.name))
        if result_of(event) is not None and (left := self._port.hands_left()):
            self._presenter.info(nearly_full_line(left))
        if isinstance(message, m.DealShares):
            self._waiting.new_turn()
            self._display.show_hand()
        self._wait()
        self.prompt()
        session, match = state.session, event.after.match
        breaks = self._console.interactive and state.settings.pace and result_of(event) is not None
        if session is not None and breaks and match is not None and not match.finished:
            self._waiting.stop()
            self.hand_break.begin(session.guard)

    def consider(self, offer: m.Offer) -> None:
        """Ask about the offered match, unless our player proposed or requires exactly this one."""
        state, session, aside = self._state, self._state.session, self._state.questions.aside
        proposed = state.is_as_proposed(offer)
        because = None if self._wanted is None or proposed else why_declined(self._wanted, offer)
        asks = aside is not None and (self._console.interactive or self._wanted is None)
        if session is not None and because is not None:
            session.decline(because)
        elif session is not None and (proposed or self._wanted is not None) and not asks:
            if proposed:
                self._presenter.info("You proposed these rules, so the match starts.")
            session.accept()
        else:
            self._waiting.stop()
            state.questions.offer = offer
            if (
                offer != self._offered and self._console.interactive
            ):  # it was made on an earlier connection
                self._presenter.info(state.open_question())
            self._offered = None
            rules, name = parse_ruleset(offer.rules), inside(state.other())
            if state.questions.to_propose == rules:
                self._drop_proposal(f"{name} has just offered these rules")
            if state.proposed is not None and not state.unsent and rules != state.proposed:
                self._presenter.info(f"These are {name}'s rules, not the ones you proposed.")
            lines = offer_lines(offer, first=state.is_news(offer))
            self._presenter.show_offer(lines, may_propose=state.may_propose())
            state.disclosure = offer.disclosure
            if aside is not None:
                self._presenter.info(aside.sentence)
            self.prompt()
            self.ask_again_to_propose()  # yes would decline this offer
            self._console.offer()

    def choose(self, view: View) -> None:
        """Ask our player for a move, or make the move if it is the only one."""
        if self.hand_break.defer(lambda: self.choose(view), choice=True):
            return
        session, move = self._state.session, forced(view)
        if session is not None and session.ending is not None:
            return  # it ended during the break after a hand
        self._waiting.stop()
        self._waiting.new_turn()
        self._state.view = view
        self._display.note_hand(view)
        if self.resigns:
            self.resign()
            return
        if self._console.interactive and session is not None and move is not None:
            session.play(move)
            return
        self._display.show_turn(view)
        self.prompt()
        self._console.offer()

    def chat(self, text: str) -> None:
        self._chat.receive(text)

    def pause(self, word: Pause) -> None:
        """Show what the other player says about a pause. A request stays open until we answer."""
        self._presenter.pause(word, 1 - self._state.seat, self._state.other())
        self.prompt()

    def proposed(self, rules: str) -> None:
        """Report which rules the guest would like to play by, unless the guest is muted."""
        if not self._chat.silences():
            self._port.on_proposal(rules)

    def consent(self, word: Consent) -> None:
        lines = self._partnership.on_consent(word)
        if lines:
            self._presenter.info(*lines)
            self.prompt()

    def closed(self, reason: CloseReason) -> None:
        """Do nothing: the coroutine that plays the match calls `end_session`."""

    # --- the other player's turn -------------------------------------------------------

    def _wait(self) -> None:
        if self._state.table.owed_by == 1 - self._state.seat:
            self._waiting.begin()

    def _say_waiting(self) -> None:
        state = self._state
        proposes = self.has_proposed or self.is_proposing
        if not proposes or not state.awaits_offer():  # otherwise the proposal says so
            self._presenter.show_waiting(state.table, state.other())
        self.alert()
        may = state.may_propose() and not proposes and self._console.interactive
        if may and not state.is_between:  # between matches it has already been said
            self._presenter.info(MAY_PROPOSE)
        self.await_offer()

    def _say_still_waiting(self, minutes: int) -> None:
        # If this machine has slept, the connection may be due to end at this moment, too.
        self._clock.callLater(0, self._say_if_connected, minutes)

    def _say_if_connected(self, minutes: int) -> None:
        session = self._state.session
        if session is None or session.ending is None:
            self._presenter.show_long_wait(self._state.table, self._state.other(), minutes)

    # --- between two sessions ----------------------------------------------------------

    def end_session(self, reason: CloseReason) -> CloseReason:
        """End the break, the wait and all questions. Return the reason without a muted player's
        words."""
        state = self._state
        self.hand_break.end()
        self._waiting.stop()
        waited = self._asked_to_quit and state.table.accept is None
        self._asked_to_quit = waited or state.questions.asks_to_quit
        self.say_not_done()
        state.view = None
        state.questions.close()
        state.resend = reason.code in LOST
        reason = self._chat.close(reason)
        if reason.code == PAUSED:
            self._presenter.show_paused_match(state.table, state.seat)
            self._display.show_hand()
        return reason

    def stay_open(self) -> None:
        """Keep the table open, because the other player may come back."""
        self._state.away = True
        if self._asked_to_quit:  # otherwise a peer that comes and goes could keep us from leaving
            self.ask_to_quit()
        else:
            self.prompt()
