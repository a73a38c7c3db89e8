"""Asks our player the open question, obeys each typed line in the steps that cli.table lists, and
asks again.

Rule 1: nothing about the game is decided here. A move that the hand refuses never reaches the
  session; the player reads one sentence and what is allowed instead.
Rule 2: a person's line takes effect at once, even during the opponent's turn. A move from a pipe
  waits until a move is due, so a script needn't know how long the opponent thinks.
Rule 3: only quitting, resigning, proposing rules and a move that looks like a slip need a
  confirmation. Help leaves the question open. Looking something up or changing a setting also
  leaves open the question of which move is meant. Any other line except yes means no, and is then
  obeyed as usual. An offer, or a question before an offer, stays open no matter what else is typed:
  nothing is signed before a yes. Enter alone never answers yes or no, because it is too easily
  pressed: the question is asked again.
Rule 4: when the input ends, our player leaves, because nobody is left to choose a move. If the
  terminal was closed, the opponent isn't told and waits, as after a lost connection.
Rule 5: the other player can change the question while ours is typing the answer, by arriving,
  leaving or suggesting something. So a yes or no isn't obeyed if its line was begun before the
  question was asked, or less than TYPING or SLOW_TYPING seconds after it replaced another question.
  If we don't know when a line was begun, we use the time when it was finished. If our player's own
  line changed the question, any answer counts, unless that line uncovered a request for a pause.
Rule 6: a hand counts once the opponent has knocked or gone gin. If our player then leaves or
  resigns, we make the best spread first (RULES 8.8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import inf

from cli.table.arguments import Command
from cli.table.chat import Conversation
from cli.table.commands import (
    NotACommand,
    explain_command,
    lone_command,
    parse_command,
    suggested_move,
)
from cli.table.display import Display
from cli.table.lookups import judge_line, look_up, rules_lines, term_lines, topic_lines
from cli.table.possible_moves import best_answer, question_before, what_to_do
from cli.table.presenter import Presenter
from cli.table.resolve import resolve
from cli.table.table_state import (
    AwaitedYes,
    HandBreak,
    MatchPort,
    Partnership,
    TableState,
    WhichMove,
)
from cli.terminal.console import Alerts, AlertState, Console
from cli.terminal.line_input import MAX_LINE, EndOfInput, InputEvent, TypedLine
from cli.text.cards import meant_card, rank_of
from cli.text.grammar import YOU, at_start, inside
from cli.text.narration import UNDO_AT_A_TERMINAL, UNDO_IN_PRACTICE
from cli.text.series import TO_WITHDRAW, no_offer_yet, offer_these, propose_these
from ginpeer.net.interfaces import Clock, Timer, cancel
from ginpeer.net.session import Session, SessionOver
from ginpeer.rules.cards import Illegal, Unreadable
from ginpeer.rules.hand import Phase
from ginpeer.rules.moves import Discard, Knock, Move, Spread
from ginpeer.rules.ruleset import RuleSet
from protocol.frames import Pause

_IN_BREAK = frozenset(
    {
        *("help", "hint", "last", "log", "mute", "number", "rank", "rules", "say", "score"),
        *("tally", "unmute"),
    }
)
"""Commands that need no cards, so they work during the break after a hand. So does any command
that switches something on or off."""
_TOO_EARLY = "You typed that before you saw your next hand, so nothing was done."

_YES, _NO, _ENTER = Command("yes"), Command("no"), Command("enter")
_CONSENTS = (_YES, Command("accept"))
_DECLINES = (_NO, Command("decline"))
_ANSWERS = (*_CONSENTS, *_DECLINES)

TYPING = 2.0
"""A line begun within this many seconds after the question has changed may answer the old one."""
SLOW_TYPING = 10.0
"""Like TYPING, if we don't know when a line was begun or the question may still be read aloud."""

NO_OFFER = 30.0  # seconds until a guest between two matches is told that no offer has come

_INSTEAD_OF_A_NUMBER = frozenset(
    {"yes", "no", "accept", "decline", "propose", "undo", "resign", "quit"}
)
"""Commands that withdraw the question of which move is meant. Others leave it open."""

_STOP_WAITING = "Stop waiting and leave?"
_NOT_DONE = {
    "discard": "Nothing was discarded.",
    "knock": "You haven't knocked yet.",
    "spread": "You haven't spread your cards yet.",
    "resign": "You haven't resigned.",
    "propose": "Nothing was proposed.",
}
"""What to say if our player, asked to confirm one of these actions, answers no."""


# fmt: off
_ABOUT_WORDS = frozenset((
    "chat-too-fast", "nothing-said", "nobody-there", "no-terminal", "pause-open", "pause-too-soon",
    "no-match", "no-proposal", "no-suit", "just-taken", "unknown-command",
))
# fmt: on
"""Refusals that aren't about possible moves, or that already say what to type."""


_ANSWER_OR_TALK = "Type yes or no. Or was that a message? To send it, type say on its own."


class _NoAnswer(Unreadable):
    """A line that neither answers the open question nor means anything else."""

    def __init__(self) -> None:
        super().__init__("unclear", "Type yes or no.")


@dataclass(eq=False)
class Dispatcher:
    _console: Console
    _presenter: Presenter
    _display: Display
    _state: TableState
    _chat: Conversation
    _port: MatchPort
    _partnership: Partnership
    _clock: Clock

    def __post_init__(self) -> None:
        self._letter = ""  # the last line, if it was a single letter
        self._unsaid = ""  # the last line refused because it looked like chat, until the next move
        self._no_offer: Timer | None = None  # when it expires, tell a guest that no offer has come
        self._pasted_before = False  # before the first paste, no line can continue a reply
        self._question: object = None  # the question that yes or no answers, or the last such one
        self._asked_until = inf  # when that question was last open; infinity if it still is
        self._answerable = 0.0  # a line begun before this time doesn't answer it
        self._asked_to_quit = False  # whether to ask again about leaving once the session is over
        self.alerts = Alerts(self._console, self._clock.seconds)
        self.hand_break = HandBreak(self._clock, self._state, self.prompt)
        self.resigns = False
        """Whether our player resigns as soon as the hand that counts is over."""

    def close(self) -> None:
        cancel(self._no_offer)
        self.alerts.close()

    def take(self, event: InputEvent) -> bool:
        """Take one line, or the end of the input. Return False if it has to wait for our turn. The
        reactor would silently drop an error in our own code, so report it to the match, which then
        ends."""
        self._letter = ""
        says_no = isinstance(event, TypedLine) and lone_command(event.text) in ("no", "decline")
        if says_no or self._state.questions.asks_to_quit:
            self._asked_to_quit = False  # this line answers that question, even if it has lapsed
        try:
            match event:
                case TypedLine(text, begun):
                    with self._own_doing():
                        now = self._clock.seconds()
                        return self._obey_line(text, now if begun is None else begun)
                case EndOfInput(final=False):
                    self.interrupt()
                case EndOfInput():
                    self.on_input_end()
                case _:
                    sentence = f"That line is longer than {MAX_LINE} characters. It was ignored."
                    self.refuse(Unreadable("line-too-long", sentence))
        except Exception as error:  # any error (class C)
            self._port.on_fault(error)
        return True

    def _read(self, text: str) -> Command | Move:
        """Read a line. Keep it in the history unless it is a pasted code, which is secret."""
        if self._pasted_before and self._port.accepts_more(text):
            return Command("paste", text)
        line: Command | Move | None = None
        try:
            line = parse_command(text)
        finally:
            if not isinstance(line, Command) or line.name != "paste":
                self._console.keep(text)
        if line == Command("undo") and not self._state.allows_undo:
            cant = UNDO_AT_A_TERMINAL if self._state.practice else UNDO_IN_PRACTICE
            raise Unreadable("unknown-command", cant)
        return line

    @contextmanager
    def _own_doing(self) -> Iterator[None]:
        """Mark what happens in this context as our player's own doing: if it brings up a question,
        any answer counts, except an early answer to a request for a pause (rule 5)."""
        before = self._what_is_asked()
        try:
            yield
        finally:
            self._question, self._asked_until = self._what_is_asked(), inf
            if self._question != before:
                uncovers = self._question == "pause"
                self._answerable = self._clock.seconds() + self._typing() if uncovers else 0.0

    def _obey_line(self, text: str, begun: float) -> bool:
        """Obey a line that was begun at this time. Return False if it has to wait for our turn."""
        if self._take_in_break(text):
            return True
        confirming, which = self._state.questions.confirming, self._state.questions.which
        self._letter = text.strip() if len(text.strip()) == 1 else ""
        try:
            line = self._read(text)
            answers = line in _ANSWERS and self._what_is_asked() is not None
            if answers and begun < self._answerable and self._console.interactive:
                self._ask_again()
                return True
            act = self._answer(line)
            if act is None and not self._console.interactive and self._comes_early(line):
                return self._state.is_over()
            if act is None:
                act = self._usual_meaning(line, confirming, which)
        except (ValueError, SessionOver) as error:
            if isinstance(error, NotACommand) and error.is_talk:
                self._unsaid = text.strip()
            self._refuse_line(error, confirming, which)
        else:
            act()
        return True

    def _usual_meaning(
        self, line: Command | Move, confirming: AwaitedYes | None, which: WhichMove | None
    ) -> Callable[[], None]:
        """Return what to do for a line that answers no question. *confirming* and *which*: the
        questions that were open before. Raises Unreadable or Illegal."""
        if line == Command("say") and not self._unsaid:
            how = "Type your message after say, as in: say good game."
            raise Unreadable("nothing-said", how)
        proposes = isinstance(line, Command) and line.name == "propose"
        if confirming is not None and not (proposes or _needs_turn(line)):
            self._presenter.info(self._unchanged(confirming.what))
        self._state.questions.which = None
        meant: Command | Move | WhichMove = line
        if isinstance(line, Command):
            meant = resolve(line, which, self._state, self._presenter.style)
        if isinstance(meant, WhichMove) and not self._console.interactive:
            meant = meant.if_it_is_a_count()
        if isinstance(meant, Knock) and (hint := self._card_hint()):
            raise Unreadable("no-suit", f"To knock, type knock. {hint}")
        return partial(self._carry_out, meant, which)

    def _refuse_line(
        self, error: Exception, confirming: AwaitedYes | None, which: WhichMove | None
    ) -> None:
        """Refuse a line. If it couldn't be read, ask the earlier question again: a typo isn't an
        answer."""
        asked, interactive = self._state.questions, self._console.interactive
        typo = isinstance(error, Unreadable)
        asked.confirming = confirming if typo else None
        asked.which = which if typo and interactive else None
        wants_yes = interactive and self._what_is_asked() is not None
        if wants_yes and isinstance(error, NotACommand) and error.is_talk:
            error = Unreadable("unknown-command", _ANSWER_OR_TALK)  # "sure" may be either
        if wants_yes and self._is_no_answer(error):
            error = _NoAnswer()
        else:
            self.refuse(error)  # a person still sees the question, as the prompt
        if asked.confirming is not None and (isinstance(error, _NoAnswer) or not interactive):
            self._presenter.confirm(asked.confirming.what, str(_NoAnswer()))
        elif wants_yes and isinstance(error, _NoAnswer):
            self._tell(str(error))

    def _is_no_answer(self, error: Exception) -> bool:
        """Return whether to answer only "Type yes or no.": the line isn't a command, or resembles a
        move that isn't possible now."""
        if not isinstance(error, NotACommand):
            return isinstance(error, _NoAnswer)
        move = suggested_move(error)
        return not error.meant or (move is not None and not move.when(self._state))

    def _take_in_break(self, text: str) -> bool:
        """End the break unless it allows this line. Return whether nothing is left to do."""
        if not (self.hand_break.is_on or self.hand_break.has_just_expired):
            return False
        if self._state.questions.confirming is not None:  # the prompt asks this instead
            self.hand_break.end()
            return False
        try:
            line = parse_command(text)
        except ValueError:
            return False  # it is refused, and the break continues
        if self._state.allows_undo and self.hand_break.is_on and line == Command("undo"):
            self._console.keep(text)
            self._take_back()
            return True
        if isinstance(line, Command) and (
            line.name in _IN_BREAK or isinstance(line.argument, bool)
        ):
            return False
        self.hand_break.end()
        if not text.strip() or lone_command(text) in ("hand", "show", "yes"):
            return True  # the next hand is shown now anyway
        if not isinstance(line, Command) or line.is_move:
            self._console.keep(text)
            self._tell(_TOO_EARLY)
            return True
        return False

    def _carry_out(self, meant: Move | WhichMove | Command, which: WhichMove | None) -> None:
        """Carry out a line. *which*: the question of which move is meant, if it was open before."""
        match meant:
            case WhichMove():
                self._ask_which(meant)
            case Command("number" | "yes" | "no" | "accept" | "decline") if which is not None:
                self._state.questions.which = which
                last = len(which.moves)
                numbers = "1 or 2" if last == 2 else f"a number from 1 to {last}"
                self._presenter.show_refusal("unclear", f"Type {numbers}, or another move.")
            case Command(name) if which is not None and name not in _INSTEAD_OF_A_NUMBER:
                self._state.questions.which = which
                self._obey(meant)
                self._ask_which(which)
            case Command():
                self._obey(meant)
            case _:
                self._move(meant)

    def _obey(self, command: Command) -> None:
        match command:
            case Command("say", text):
                if self._accepted(lambda: self._chat.say(str(text or self._unsaid))):
                    self._unsaid = ""
                    self.prompt()
            case Command("paste", str(text)):
                self._pasted_before = True
                if self._accepted(lambda: self._port.on_paste(text)):
                    self.prompt()
            case Command("help", str(word)):
                self._explain(word)
            case Command("rules", RuleSet() as rules):
                self._explain_rules(rules)
            case Command("rules", tried) if isinstance(tried, Command | Move):
                view, style = self._state.to_judge(), self._presenter.style
                no = f"No. {self._state.why_no_move()}"
                self._tell(no if view is None else judge_line(tried, view, style))
            case Command("propose", RuleSet() as rules):
                self._ask_to_propose(rules)
            case Command("tally", None):
                self._accepted(lambda: self._tell(*self._partnership.standing()))
            case Command("tally", on):
                self._accepted(lambda: self._tell(*self._partnership.share(bool(on))))
            case Command("sort" | "order" | "move") | Command(_, bool()):
                if self._accepted(lambda: self._display.change(command)):
                    self.prompt()
            case Command("quit") if self._state.is_between:  # nothing can be lost
                self.leave()
            case Command("quit"):
                self.ask_to_quit(self._card_hint())
            case Command("undo"):
                self._take_back()
            case Command("resign"):
                self._ask_to_resign()
            case Command("last"):
                self._presenter.repeat()
                self.prompt()
            case Command("mute"):
                self._tell(self._chat.mute())
            case Command("unmute"):
                self._tell(self._chat.unmute())
            case Command("no") if self._state.proposed is not None and self._state.awaits_offer():
                self._withdraw_proposal()
            case Command(name):
                self._look_up("hand" if name == "show" else name)
                self.prompt()

    def _tell(self, *lines: str) -> None:
        self._presenter.info(*lines)
        self.prompt()

    def _accepted(self, act: Callable[[], object], *, respelt: bool = False) -> bool:
        """Call *act*, and say why if it is refused. Return whether it succeeded. *respelt*: see
        `refuse`."""
        try:
            act()
        except (ValueError, SessionOver) as error:
            self.refuse(error, respelt=respelt)
            return False
        return True

    # --- the open question -------------------------------------------------------------

    def prompt(self) -> None:
        """Show the open question as the prompt."""
        state, asked = self._state, self._state.questions
        self._note_change()
        if not state.is_drawing():
            self.alert()
        if asked.confirming is not None:
            self._ask_for_yes_again(asked.confirming)
        elif asked.which is not None:
            self._presenter.ask_which_again(asked.which.moves)
        elif self.hand_break.is_on:
            self._presenter.ask_for_next_hand()
        elif state.view is not None:
            shows_hand = self._presenter.shows_hand_in(state.view)
            order = self._display.in_order(state.view) if shows_hand else ()
            self._presenter.ask(state.view, order)
        elif asked.offer is not None:
            self._presenter.ask_consent(state.table.names[0], asked.offer)
        elif asked.host_question is not None:
            self._presenter.ask_aside(asked.host_question.what, asked.host_question.otherwise)
        elif state.asks_to_pause():
            self._presenter.ask_aside("pause the match", "play on")
        else:
            self._presenter.clear_prompt()

    def _what_is_asked(self) -> object:
        """Return a value that identifies the question that yes would answer now, or None."""
        asked = self._state.questions
        if asked.confirming is not None:
            what = asked.confirming.what
            return what if what == "quit" else (what, asked.confirming.sentence)
        if asked.host_question is not None:
            return asked.host_question.sentence, asked.host_question.what
        if asked.offer is not None:
            return asked.offer
        return "pause" if self._state.asks_to_pause() else None

    def _note_change(self) -> None:
        """If the question has changed, note which lines may answer it. A question that soon comes
        back counts as unchanged. If our player's own line changed the question, any line may
        answer it."""
        was, now, seconds = self._question, self._what_is_asked(), self._clock.seconds()
        if now is None:
            self._asked_until = min(self._asked_until, seconds)
            return
        if seconds >= self._asked_until + self._typing():
            was = None
        self._asked_until = inf
        if now != was:
            wait = 0.0 if was is None else self._typing()
            self._question, self._answerable = now, seconds + wait

    def _typing(self) -> float:
        """Return for how many seconds a line may still be meant for the previous question."""
        slow = self._state.settings.words or not self._console.takes_keys
        return SLOW_TYPING if slow else TYPING

    def _ask_again(self) -> None:
        """Ask the open question again, because our player may have meant a different one. The next
        answer always counts."""
        self._answerable = 0.0
        asked = self._state.questions.confirming
        question = self._state.open_question() if asked is None else asked.sentence
        early = "You may have typed that before you saw this question, so nothing was done."
        self._presenter.show_refusal("unclear", f"{early} {question}")
        self.prompt()

    def alert(self) -> None:
        """Ring the terminal's bell and set its title, to show what is being asked now."""
        state, asked, table = self._state, self._state.questions, self._state.table
        question: object = None
        kind = AlertState.QUESTION
        if state.view is not None:
            kind, question = AlertState.TURN, (table.table_id, table.sequence)
        elif asked.offer is not None:
            question = asked.offer.rules
        elif asked.host_question is not None:
            question = asked.host_question.sentence
        elif state.session is not None and state.session.pause_offered:
            question = (table.table_id, "pause")
        else:
            kind = AlertState.NOTHING
        self.alerts.update(kind, question, bell=state.settings.bell)

    def refuse(self, error: Exception, *, respelt: bool = False) -> None:
        """Say why something was refused, and what the player may do instead. *respelt*: the
        sentence comes from the rules, so write its cards in our player's style. This is always
        done for a card named twice."""
        view, style = self._state.view, self._presenter.style
        code, sentence = getattr(error, "code", "refused"), str(error)
        if respelt or code == "repeated-card":
            sentence = style.respelt(sentence)
        if self._state.away and code in (SessionOver.code, "not-your-turn"):  # the table stays open
            sentence = f"Nothing was done. {self._state.why_no_move()}"
        prompt_says_it = self._console.interactive or isinstance(error, _NoAnswer)
        if view is not None and code not in _ABOUT_WORDS and not prompt_says_it:
            sentence = f"{sentence} {what_to_do(view, style)}"
        if code not in ("no-suit", "just-taken"):
            sentence = f"{sentence} {self._card_hint()}".strip()
        self._presenter.show_refusal(code, sentence)
        self.prompt()

    def _card_hint(self) -> str:
        """If the last line was just a card's one-letter rank, say how to type the card; else ""."""
        view, rank = self._state.view, rank_of(self._letter)
        if view is None or rank is None or view.hand.phase is not Phase.DISCARD:
            return ""
        taken = view.hand.taken  # it can't be discarded in this turn
        return meant_card(rank, view.cards if taken is None else view.cards & ~taken.bit)

    # --- answers to questions ----------------------------------------------------------

    def _answer(self, line: Command | Move) -> Callable[[], None] | None:
        """Return what to do if this line answers a question; None if it has its usual meaning.
        Raises Unreadable or Illegal if an open question must be answered first, and SessionOver for
        a request to pause without a session."""
        asked, session = self._state.questions, self._state.session
        confirming, asked.confirming = asked.confirming, None
        is_rank = isinstance(line, Command) and line.name in ("number", "rank")
        if confirming is not None:
            if line == _YES or (confirming.what == "quit" and line == Command("quit")):
                self._presenter.clear_prompt()
                return confirming.then
            if isinstance(line, Command) and line.name == "help":
                return partial(self._help_and_ask_again, confirming, line)
            if line == _ENTER or (is_rank and confirming.what != "discard"):  # j may mean "ja"
                raise _NoAnswer
            if line == _NO:
                return partial(self._reject, confirming.what)
            if confirming.rules is not None and line == Command("rules"):
                return partial(self._explain_proposal, confirming, confirming.rules)
        aside = asked.aside
        if aside is not None and aside.yes and aside.no and _answers_offer(line):
            if line == _ENTER:
                raise _NoAnswer
            if line not in _ANSWERS:
                raise Unreadable("unclear", "Answer yes or no first.")
            return partial(self._answer_aside, aside.yes if line in _CONSENTS else aside.no)
        if asked.offer is not None and session is not None and _answers_offer(line):
            if line == _ENTER:
                raise _NoAnswer
            if line not in _ANSWERS:
                raise Illegal("offer-open", "Answer the offer first, with yes or no.")
            return partial(self._answer_offer, line in _CONSENTS)
        asks_to_pause = self._state.asks_to_pause()
        unclear = is_rank or line in (_ENTER, Command("accept"), Command("decline"))
        if asks_to_pause and unclear and self._console.interactive:
            raise _NoAnswer
        asks_for_pause = line == Command("pause")
        if session is None and asks_for_pause:
            raise SessionOver("Your opponent isn't here yet.")
        # "accept" doesn't answer a request to pause, and a person's "yes" answers only what the
        # prompt asks.
        agrees = line == _YES and (asks_to_pause or not self._console.interactive)
        picks = asked.which is not None and self._console.interactive  # "no" names no move
        declines = line == _NO and not picks
        if session is not None and (
            asks_for_pause
            or ((agrees or declines) and session.pause_offered)
            or (declines and session.pause_wanted)
        ):
            return partial(self._negotiate_pause, not declines)
        return None

    def _comes_early(self, line: Command | Move) -> bool:
        """Return whether a script sent an answer before an offer, or a move before its turn."""
        if line in _ANSWERS:
            return self._state.awaits_offer()
        return _needs_turn(line) and self._state.view is None

    def _ask_yes(
        self,
        what: str,
        question: str,
        then: Callable[[], None],
        rules: RuleSet | None = None,
        hint: str = "",
    ) -> None:
        """Ask a question to which only yes does something."""
        asked = AwaitedYes(what, question, then, rules, hint)
        self._state.questions.confirming = asked
        self._note_change()
        self._presenter.confirm(what, asked.sentence)

    def _ask_for_yes_again(self, asked: AwaitedYes) -> None:
        """Show the prompt of this question again. If the consequences of leaving have changed,
        ask the whole question."""
        if asked.what == "quit" and asked.question != self._quit_question():
            self._ask_yes("quit", self._quit_question(), self.leave)
        else:
            self._presenter.ask_again(asked.what)

    def say_not_done(self) -> None:
        """Say that the action to confirm wasn't done, because the session is over."""
        asked = self._state.questions.confirming
        if asked is not None and asked.what in _NOT_DONE:
            self._presenter.clear_prompt()
            self._presenter.info(_NOT_DONE[asked.what])

    def _reject(self, what: str) -> None:
        """Say what stays unchanged after a no, and repeat a question that is still open."""
        self._presenter.info(self._unchanged(what))
        question = self._state.questions.host_question
        if question is not None:
            self._presenter.info(question.sentence)
        self.prompt()

    def _answer_aside(self, then: Callable[[], None]) -> None:
        self.alerts.answered()
        self._state.questions.aside = None
        self._presenter.clear_prompt()
        then()

    def _answer_offer(self, yes: bool) -> None:
        self.alerts.answered()
        questions, session = self._state.questions, self._state.in_session()
        because = "" if questions.aside is None else questions.aside.because
        questions.offer = None
        self._presenter.clear_prompt()
        if not yes and self._state.proposed is not None:
            stands = f"Your proposal still stands: {self._state.proposed}."
            self._presenter.info(f"You declined the match. {stands} {TO_WITHDRAW}")
        self._accepted(session.accept if yes else lambda: session.decline(because, asked=True))

    def _unchanged(self, what: str) -> str:
        if what in _NOT_DONE:
            return _NOT_DONE[what]
        if self._state.questions.offer is not None:
            return "You can still answer the offer."
        if self._state.session is None or self._state.away or self._state.table.match is None:
            return "Still waiting."
        return "You stay at the table." if self._state.is_between else "The game continues."

    def _negotiate_pause(self, yes: bool) -> None:
        self.alerts.answered()
        session = self._state.in_session()
        offered = session.pause_offered
        if yes and offered:
            self._presenter.clear_prompt()
        if not self._accepted(session.pause if yes else session.decline_pause) or (yes and offered):
            return
        if not yes:
            word = Pause.DECLINE if offered else Pause.WITHDRAW
            self._presenter.pause(word, self._state.seat, YOU)
            state = self._state
            if offered and self._console.interactive and state.table.owed_by == 1 - state.seat:
                self._presenter.show_waiting(state.table, state.other())
        elif not (self._state.practice and self._console.interactive):  # the bot agrees at once
            self._presenter.pause(Pause.ASK, self._state.seat, YOU)
        self.prompt()

    # --- rules for the next match ------------------------------------------------------

    def _ask_to_propose(self, rules: RuleSet) -> None:
        state, name = self._state, inside(self._state.other())
        if not state.may_propose():
            self.refuse(Illegal("no-proposal", state.why_no_proposal()))
            return
        aside = state.questions.aside
        offer_rules = None if aside is None else aside.offer_rules
        if offer_rules is not None:
            follows, sentence = partial(offer_rules, rules), offer_these(name, rules)
        else:
            declines = state.questions.offer is not None
            follows = partial(self._propose, rules)
            sentence = propose_these(name, rules, declines=declines)
        self._ask_yes("propose", sentence, follows, rules)

    def ask_again_to_propose(self) -> None:
        """If our player is being asked whether to propose rules, ask again after a change."""
        rules = self._state.questions.to_propose
        if rules is not None:
            self._ask_to_propose(rules)

    def _propose(self, rules: RuleSet) -> None:
        state = self._state
        if state.is_reconnecting:
            state.proposed, state.unsent = rules, True
            name = inside(state.other())
            then = f"ginpeer will propose {rules} as soon as you are connected to {name} again."
            self._tell(f"{then} {TO_WITHDRAW}")
        elif self._accepted(lambda: state.in_session().propose(str(rules))):
            state.proposed, state.unsent, state.questions.offer = rules, False, None
            name = inside(state.other())
            agreed = f"If {name} agrees, the match starts at once."
            self._tell(f"You have proposed {rules}. {agreed} {TO_WITHDRAW}")
            self.await_offer()

    def await_offer(self) -> None:
        """Tell a guest if no offer comes for a while after a match or a declined offer."""
        state = self._state
        if state.is_between and state.awaits_offer() and self._console.interactive:
            cancel(self._no_offer)
            self._no_offer = self._clock.callLater(
                NO_OFFER, self._say_no_offer, state.session, state.proposed
            )

    def _say_no_offer(self, session: Session | None, proposed: RuleSet | None) -> None:
        state = self._state
        same = state.session is session and state.proposed == proposed and not state.away
        if same and state.awaits_offer():
            may_propose, answers = state.may_propose(), proposed is not None
            self._presenter.info(
                no_offer_yet(state.other(), answers=answers, may_propose=may_propose)
            )
            self.ask_again_to_propose()

    def send_proposal(self) -> None:
        """Send the proposal that our player made while there was no connection, or that was lost
        with one, unless the host has offered a match meanwhile: proposing would decline that
        offer."""
        state, rules = self._state, self._state.proposed
        if rules is None or not (state.unsent or state.resend) or not state.may_propose():
            return
        if state.questions.offer is None:
            self._propose(rules)
        elif state.unsent:
            state.proposed = None
            name = at_start(state.other())
            self._tell(f"{name} made this offer first, so your proposal wasn't sent.")

    def _withdraw_proposal(self) -> None:
        state = self._state
        told = "You withdrew your proposal."
        if not (state.unsent or state.decides_offers):
            offers = f"If {inside(state.other())} offers a match with those rules anyway"
            told = f"{told} {offers}, you will be asked first."
        state.proposed = None
        self._tell(told)

    def _explain_proposal(self, proposal: AwaitedYes, rules: RuleSet) -> None:
        self._presenter.info(*rules_lines(rules))
        self._ask_yes(proposal.what, proposal.question, proposal.then, rules)

    def _explain_rules(self, rules: RuleSet) -> None:
        self._presenter.info(*rules_lines(rules))
        if self._state.may_propose():
            self._presenter.info(f"To propose these rules, type: propose {rules}")
        self.prompt()

    def _help_and_ask_again(self, asked: AwaitedYes, command: Command) -> None:
        self._state.questions.confirming = asked
        self._obey(command)
        self._presenter.confirm(asked.what, asked.sentence)

    # --- moves -------------------------------------------------------------------------

    def _ask_which(self, which: WhichMove) -> None:
        if self._state.view is not None:
            self._state.questions.which = which
            self._presenter.ask_which(which.moves, self._state.view)

    def _move(self, move: Move) -> None:
        """Make a move if the rules allow it, but ask a person first if it looks like a slip."""
        state, view, slip = self._state, self._state.view, None
        if view is None:
            self.refuse(Illegal("not-your-turn", state.why_no_move()))
            return
        if not self._accepted(lambda: view.hand.apply(move), respelt=True):
            return
        if self._console.interactive and (
            isinstance(move, Spread)
            or (isinstance(move, Discard | Knock) and state.settings.confirm)
        ):
            plays_on = state.plays_on == state.table.hand_number
            style = self._presenter.style
            slip = question_before(move, view, style, plays_on=plays_on)
        advised = state.hinted is view and state.advised == move
        if slip is None or advised:
            self._play(move, plays_on=slip is not None and slip[1])
            return
        question, yes_plays_on = slip
        what = {Spread: "spread", Knock: "knock", Discard: "discard"}[type(move)]
        self._ask_yes(what, question, partial(self._play, move, plays_on=yes_plays_on))

    def _play(self, move: Move, *, plays_on: bool = False) -> None:
        """Make a legal move. *plays_on*: our player has decided not to knock yet in this hand."""
        state, self._unsaid = self._state, ""
        if plays_on:
            state.plays_on = state.table.hand_number
        self._accepted(lambda: state.in_session().play(move), respelt=True)

    def _take_back(self) -> None:
        """Take back our player's last choice, and drop what the break has held back since then."""
        if self._accepted(self._port.take_back):
            self.hand_break.drop()
            self._state.view = None
            self._presenter.clear_prompt()

    # --- leaving ----------------------------------------------------------------------------

    def leave(self) -> None:
        state, aside = self._state, self._state.questions.aside
        if state.leaving:
            return
        state.leaving = True
        if aside is not None and aside.leaving_means_no and aside.no is not None:
            state.questions.aside = None
            self._presenter.clear_prompt()
            aside.no()
            return
        if state.session is not None and state.session.ending is None:
            if state.is_knocked():
                with suppress(ValueError, SessionOver):
                    self._play_best_spread()
            state.session.leave()
        elif state.session is None or state.away:
            self._port.stop_waiting()

    def interrupt(self) -> None:
        """Handle Ctrl-C: clear a half-typed line, ask whether to leave, or leave if asked."""
        if self._console.clear_typed():
            return
        asked = self._state.questions.asks_to_quit or self._leaving_is_an_answer()
        if asked or not self._console.interactive or self._state.is_over():
            self.leave()
        else:
            with self._own_doing():
                self.ask_to_quit("Press Ctrl-C again to leave.")

    def on_input_end(self) -> None:
        """Handle the end of a script, or the loss of a person's terminal."""
        if self._console.terminal_gone:
            self._port.hang_up()
        else:
            self.leave()

    def ask_to_quit(self, hint: str = "") -> None:
        self.hand_break.end()  # a knock that our player has to answer may be held back
        if self._leaving_is_an_answer():
            self.leave()
        else:
            self._ask_yes("quit", self._quit_question(), self.leave, hint=hint)

    def _quit_question(self) -> str:
        state = self._state
        if state.session is None:
            return _STOP_WAITING
        if self._port.log_path() is None:
            return "Leave the table?"
        if state.table.offer is not None and state.table.accept is None:
            return "This match hasn't begun."
        return f"{self._lay_warning()}The match will be kept. You can continue it later."

    def welcome(self) -> bool:
        """Because the other player has come, no longer ask whether to stop waiting. Return whether
        that question was dropped. A program's isn't, because its answer may be on its way."""
        asked = self._state.questions.confirming
        waits = asked is not None and asked.question == _STOP_WAITING
        lapses = waits and self._console.interactive
        if lapses:
            self._state.questions.confirming = None
            self._presenter.clear_prompt()
            self._presenter.info(
                "Your opponent has just connected, so you are no longer asked whether to leave."
            )
        return lapses

    def _leaving_is_an_answer(self) -> bool:
        aside = self._state.questions.aside
        return aside is not None and aside.leaving_means_no

    def _ask_to_resign(self) -> None:
        if self._state.is_between:
            self.refuse(Illegal("no-match", "There is no match to resign."))
            return
        if self._state.view is None:
            sentence = f"You can resign only on your turn. {self._state.why_no_move()}"
            self.refuse(Illegal("not-your-turn", sentence))
            return
        then = "If you resign, your opponent wins the match."
        if self._state.is_knocked():
            then = "If you resign, your opponent wins the match, unless this hand ends it first."
        self._ask_yes("resign", f"{self._lay_warning()}{then}", self.resign)

    def resign(self) -> None:
        """Resign the match. If this hand counts, spread first and resign at the next choice."""
        session, self.resigns = self._state.session, self._state.is_knocked()
        if self.resigns:
            self._accepted(self._play_best_spread)
        elif session is not None:
            self._accepted(session.resign)

    def _lay_warning(self) -> str:
        if not self._state.is_knocked():
            return ""
        return "This hand still counts, so ginpeer first makes the best spread for you. "

    def _play_best_spread(self) -> None:
        view = self._state.view
        if view is not None:
            self._state.in_session().play(best_answer(view))

    # --- looking things up -------------------------------------------------------------

    def _explain(self, word: str) -> None:
        state = self._state
        last = state.last_rules() or (RuleSet(), "")
        rules = state.rules() or state.proposed or state.expected or last[0]
        mahjong = rules.mahjong
        lines = topic_lines(word, mahjong=mahjong, undo=state.allows_undo)
        lines = lines or term_lines(word, rules)
        self._accepted(lambda: self._tell(*lines or [explain_command(word, mahjong=mahjong)]))

    def _look_up(self, what: str) -> None:
        view = self._state.view
        try:
            lines = look_up(what, self._state, self._presenter.style, self._port.log_path())
        except Illegal as error:
            self._presenter.show_refusal(error.code, error.sentence)
            return
        invite = self._port.invite_line() if what == "help" else None
        if invite is not None:
            self._console.print(invite, whole=True)
        if what == "hand":
            self._display.show_hand_before(view)
            if view is not None:
                self._presenter.turn(view, looked=True)
        self._presenter.info(*lines)
        if what == "table":  # the hand comes last, because our player knows it best
            self._display.show_hand_before(view)


def _needs_turn(line: Command | Move) -> bool:
    return (
        not isinstance(line, Command) or line.is_move or line.name in ("number", "rank", "resign")
    )


def _answers_offer(line: Command | Move) -> bool:
    """Return whether a line answers an offer, or is a move that has to wait for the answer."""
    return line in _ANSWERS or _needs_turn(line)
