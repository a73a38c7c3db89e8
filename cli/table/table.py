"""The table as a human player sits at it: a net Player that shows what happens and obeys lines.

# House rules
#
# 1. The table decides nothing about the game. A line becomes a move (cli.table.parse,
#    cli.table.meaning) and the session judges it; what is refused has not happened, and the player
#    hears one sentence and what may be done instead.
# 2. A person's line counts at once, whosever turn it is. A line from a pipe that holds a move waits
#    until a move is due, so a script need not know how long the other side thinks.
# 3. Nothing is asked twice except to quit and to resign. Whatever else is typed instead of yes
#    means no, and is then obeyed as usual.
# 4. Input that ends is a player who leaves: nobody is left to choose a move. But a terminal that is
#    closed is no word to the other player, whose table waits as for a lost connection.
# 5. A hand that was knocked, or in which the other went gin, counts: who leaves or resigns then has
#    the cards laid down first, in the best way (RULES 8.8).
# 6. An offer is a question that stays open, whatever else is typed: nothing is signed before it is
#    accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from cli.match.patience import Reminder, Waiting
from cli.table.answering import (
    CONSENTS,
    DECLINES,
    answers_offer,
    is_of_pause,
    needs_turn,
    speak_of_pause,
)
from cli.table.commands import Ask, Command, Enter, Number, Say, SortBy, Try, Words
from cli.table.help import help_lines, rules_lines
from cli.table.legal_now import now
from cli.table.may_i import no_move_is_due, tried
from cli.table.meaning import Which, move_of
from cli.table.options import enter_move
from cli.table.parse import parse_command
from cli.table.person import PersonVoice
from cli.table.turn import may_do
from cli.table.voice import Voice
from cli.terminal.console import Console
from cli.terminal.line_input import MAX_LINE, End, InputEvent, Line
from cli.words.board import table_lines
from cli.words.cards import Style
from cli.words.grammar import (
    YOU,
    inside,
    plural,
    seen_by,
)
from cli.words.narration import filling_lines
from cli.words.offers import offer_lines, unlike
from cli.words.score_sheet import score_sheet
from cli.words.standing import waiting_for
from ginpeer.names.shown import display_names
from ginpeer.net.roles import Clock, Closed, PeerInfo
from ginpeer.net.session import Session, SessionOver
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import GUEST, Table
from ginpeer.rules.cards import Card, CardSet
from ginpeer.rules.hand import Phase
from ginpeer.rules.moves import Move, Spread
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.rules.view import View
from ginpeer.seat.seat import Options
from protocol import messages as m
from protocol.frames import PAUSED, Pause


class OwnSeat(Protocol):
    """As much of our seat as the table looks at."""

    def view(self) -> View: ...

    def drawn(self) -> Card | None: ...


@dataclass(frozen=True, slots=True)
class _Confirming:
    """A question that only yes answers."""

    what: str
    then: Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Aside:
    """An unfinished match would be put aside: what a player is asked, and what follows. A guest is
    asked with the offer, so only a host's answers have consequences of their own."""

    sentence: str
    yes: Callable[[], None] | None = None
    no: Callable[[], None] | None = None
    because: str = ""


class HumanTable:
    """Joins one person, or one script, to one session."""

    def __init__(
        self,
        console: Console,
        voice: Voice,
        clock: Clock,
        seat: int,
        *,
        log: Callable[[], str | None],
        stop: Callable[[], None],
        hang_up: Callable[[], None] | None = None,
        named: Callable[[str], list[str]],
        over: Callable[[Closed], bool],
        agreed: Callable[[], None] = lambda: None,
        wanted: Options | None = None,
        words_set: Callable[[bool], None] = lambda on: None,
        hands_left: Callable[[], int | None] = lambda: None,
    ) -> None:
        """*log*: the log's path, once there is one. *stop*: end the wait for another player.
        *hang_up*: end because the terminal is gone, without a word to the other player.
        *named*: what is worth saying about the other player's name. *over*: the session ended;
        whether the table is kept for the other player to come back. *agreed*: a new match is.
        *wanted*: the match that a guest accepts unasked, and no others. *words_set*: the player
        wants cards in words, or not. *hands_left*: for how many hands the log has room, once it is
        nearly full."""
        self._console = console
        self._voice = voice
        self._seat = seat
        self._log = log
        self._stop = stop
        self._hang_up = hang_up or self.leave
        self._named = named
        self._over = over
        self._agreed = agreed
        self._wanted = wanted
        self._words_set = words_set
        self._hands_left = hands_left
        self._session: Session | None = None
        self._own: OwnSeat | None = None
        self._table = Table()
        self._offer: m.Offer | None = None  # which we have not answered yet
        self._aside: _Aside | None = None  # what we are asked before a match is offered, or with it
        self._view: View | None = None  # the choice that is ours now
        self._held: CardSet = 0  # our cards, when last looked at
        self._shown: CardSet = 0  # our cards, when last shown
        self._question: Which | None = None
        self._confirming: _Confirming | None = None
        self._waiting = Waiting(
            clock,
            console.interactive,
            self._say_waiting,
            Reminder.of_thinking(clock, self._say_still_waiting),
        )
        self._away = False  # the connection was lost, and the other player may come back
        self._resigns = False  # as soon as the hand that counts is over
        self._muted = False
        self._unheard = 0  # lines that the other player has said since
        self.leaving = False
        """Whether the player has got up already."""

    # --- what the outside tells us -----------------------------------------------------

    def open(self) -> None:
        """Begin to listen to the person."""
        self._console.start(self._take, self._nobody_there)

    def sit_down(self, session: Session) -> None:
        """The session that our moves go to."""
        self._session = session
        self._away = False

    def own(self, seat: OwnSeat) -> None:
        """Our seat in it."""
        self._own = seat

    def ask_aside(self, sentence: str, yes: Callable[[], None], no: Callable[[], None]) -> None:
        """A host begins a new match in the place of an unfinished one only if its player wants it.
        The question stays open, like an offer."""
        self._aside = _Aside(sentence, yes, no)

    def say_aside(self, sentence: str, because: str) -> None:
        """A guest hears, with the next offer, which unfinished match it would put aside; *because*
        is what the host is told if it is declined."""
        self._aside = _Aside(sentence, because=because)

    def take_up(self, table: Table) -> None:
        """The match goes on from here, as it was stored."""
        self._table = table
        self._waiting.new_turn()
        if table.match is not None:
            self._voice.going_on(table, self._seat)
        if table.hand is not None and table.hand.result is None:
            self._show_hand()
            drawn = None if self._own is None else self._own.drawn()
            if drawn is not None:
                self._voice.drew(drawn)

    def interrupt(self) -> None:
        """Ctrl-C: ask whether to leave; the second time, leave."""
        asked = self._confirming is not None and self._confirming.what == "quit"
        if asked or not self._console.interactive or self._over_already():
            self.leave()
        else:
            self._ask_to_quit("Ctrl-C once more leaves, too.")

    def _nobody_there(self) -> None:
        """There is no more input, or no output. That is a script that has ended, or a person who
        has lost the terminal and not left the table."""
        if self._console.terminal_gone:
            self._hang_up()
        else:
            self.leave()

    def leave(self) -> None:
        """Get up from the table, or stop waiting for somebody to sit down."""
        if self.leaving:
            return
        self.leaving = True
        if self._session is not None and self._session.ending is None:
            if self._is_knocked():
                with suppress(ValueError, SessionOver):
                    self._lay_down()
            self._session.leave()
        elif self._session is None or self._away:
            self._stop()

    # --- Player ------------------------------------------------------------------------

    def connected(self, peer: PeerInfo) -> None:
        """The other side has proven its key."""
        self._voice.connected(peer)
        if self._aside is not None and self._aside.yes is not None:
            self._voice.info(self._aside.sentence)
            self._prompt()
            return
        if self._table.sequence:  # the match goes on, and the other player may have to move
            self._waiting.new_turn()
            self._wait_for(self._table)

    def show(self, event: Admitted) -> None:
        """An entry of the match."""
        self._waiting.stop()
        self._view = self._question = self._offer = None
        self._table = event.after
        self._voice.happened(event, self._seat, self._drawn(event))
        if isinstance(event.message, m.Accept):
            self._aside = None
            self._agreed()
        if isinstance(event.message, m.Offer | m.Accept) and event.author != self._seat:
            warnings = self._named(event.message.name)
            if warnings:
                self._voice.info(*warnings)
        filling = filling_lines(event, self._hands_left())
        if filling:
            self._voice.info(*filling)
        if isinstance(event.message, m.DealShares):
            self._waiting.new_turn()
            self._show_hand()
        self._wait_for(event.after)
        self._prompt()

    def consider(self, offer: m.Offer) -> None:
        """A match is offered: ask, unless the answer was given with the command."""
        because = None if self._wanted is None else unlike(self._wanted, offer)
        asks = self._aside is not None and self._console.interactive
        if self._session is not None and because is not None:
            self._session.decline(because)
        elif self._session is not None and self._wanted is not None and not asks:
            self._session.accept()
        else:
            self._waiting.stop()
            self._offer = offer
            self._voice.offered(offer_lines(offer))
            if self._aside is not None:
                self._voice.info(self._aside.sentence)
            self._prompt()
            self._console.offer()

    def choose(self, view: View) -> None:
        """A move is ours to choose."""
        self._waiting.stop()
        self._waiting.new_turn()
        self._view = view
        self._held = view.cards
        if self._resigns:
            self._resign()
            return
        # A person has just thrown a card and hears the hand again with the card that is drawn.
        if view.cards != self._shown and not (self._console.interactive and _begins_turn(view)):
            self._show_hand()
        self._voice.turn(view)
        self._prompt()
        self._console.offer()

    def chat(self, text: str) -> None:
        """The other player says something."""
        other = 1 - self._seat
        if self._muted:
            self._unheard += 1
        else:
            self._voice.chat(other, self._names()[other], text)

    def pause(self, word: Pause) -> None:
        """The other player says something of a pause. What it asks stays open until we answer."""
        other = 1 - self._seat
        self._voice.pause(word, other, self._names()[other])
        self._prompt()

    def closed(self, reason: Closed) -> None:
        """The session is over."""
        self._waiting.stop()
        quits = self._confirming is not None and self._confirming.what == "quit"
        self._view = self._question = self._confirming = self._offer = self._aside = None
        if self._unheard:
            self._voice.info(f"{self._kept_silent()}.")
        if reason.code == PAUSED:
            self._voice.paused(self._table, self._seat)
            self._show_hand()
        self._away = self._over(reason)
        if self._away and quits:  # else a peer that comes and goes would keep us from leaving
            self._ask_to_quit()
        elif self._away:
            self._prompt()

    # --- what is seen ------------------------------------------------------------------

    def _names(self) -> tuple[str, str]:
        return seen_by(display_names(self._table.names), self._seat)

    def _look(self) -> View | None:
        """Our view, whosever turn it is; None before the first deal."""
        if self._view is not None:
            return self._view
        if self._own is None or self._table.hand is None:
            return None
        return self._own.view()

    def _drawn(self, event: Admitted) -> Card | None:
        """The card that this share gave us."""
        if not isinstance(event.message, m.Share) or event.author == self._seat:
            return None
        view = self._look()
        new = 0 if view is None else view.cards & ~self._held
        return Card(new.bit_length() - 1) if new.bit_count() == 1 else None

    def _show_hand(self) -> None:
        view = self._look()
        if view is not None:
            self._held = self._shown = view.known
            self._voice.hand(view)

    def _wait_for(self, table: Table) -> None:
        if table.owed_by == 1 - self._seat:
            self._waiting.begin()

    def _say_waiting(self) -> None:
        self._voice.waiting(self._table, self._names()[1 - self._seat])

    def _say_still_waiting(self, minutes: int) -> None:
        self._voice.still_waiting(self._table, self._names()[1 - self._seat], minutes)

    def _prompt(self) -> None:
        """Ask what is open: the question that only yes answers stays until it is answered."""
        if self._confirming is not None or self._question is not None:
            return
        if self._offer is not None:
            self._voice.ask_consent(self._table.names[0], self._offer)
        elif self._asks_aside():
            self._voice.ask_aside()
        elif self._view is None:
            self._voice.no_turn()
        else:
            self._voice.ask(self._view)

    # --- what is typed -----------------------------------------------------------------

    def _take(self, event: InputEvent) -> bool:
        """One line. False if it has to wait for our turn."""
        match event:
            case Line(text):
                return self._take_line(text)
            case End(final=False):
                self.interrupt()
            case End():
                self._nobody_there()
            case _:
                self._refuse(
                    "line-too-long",
                    f"That line is longer than {MAX_LINE} characters; it was not read.",
                )
        return True

    def _take_line(self, text: str) -> bool:
        try:
            command = parse_command(text)
        except ValueError as error:
            self._drop_questions()
            self._refuse(*_reason(error))
            return True
        if self._confirmed(command) or self._answers_aside(command):
            return True
        if self._answers_offer(command) or self._of_pause(command):
            return True
        if command in (*CONSENTS, *DECLINES) and self._comes_early():
            return False
        if needs_turn(command) and self._view is None and not self._console.interactive:
            return self._over_already()
        question, self._question = self._question, None
        self._obey(command, question)
        return True

    def _over_already(self) -> bool:
        gone = self._session is not None and self._session.ending is not None
        return self.leaving or (gone and not self._away)

    def _confirmed(self, command: Command) -> bool:
        """Whether the line answered an open yes-or-no question."""
        confirming, self._confirming = self._confirming, None
        if confirming is None:
            return False
        if command == Ask("yes"):
            confirming.then()
        elif command in (Ask("no"), Enter()):
            self._voice.info(self._going_on())
            self._prompt()
        else:
            return False
        return True

    def _going_on(self) -> str:
        if self._session is None or self._away:
            return "Good; still waiting."
        return "Good; the game goes on." if self._offer is None else "Good; you are still asked."

    def _asks_aside(self) -> bool:
        """Whether a host's player is asked before a new match is offered."""
        return self._aside is not None and self._aside.yes is not None

    def _answers_aside(self, command: Command) -> bool:
        """Whether the line answered the question before a new match is offered."""
        asked = self._aside
        if asked is None or asked.yes is None or asked.no is None or not answers_offer(command):
            return False
        if command in CONSENTS or command in DECLINES:
            self._aside = None
            self._voice.no_turn()
            (asked.yes if command in CONSENTS else asked.no)()
        else:
            self._refuse("unclear", "Answer yes or no first.")
        return True

    def _answers_offer(self, command: Command) -> bool:
        """Whether the line answered an offer. An empty one does not: it is too easily typed."""
        session = self._session
        if self._offer is None or session is None or not answers_offer(command):
            return False
        try:
            if command == Enter():
                self._refuse("unclear", "Answer yes or no.")
            elif command in DECLINES:
                self._offer = None
                session.decline("" if self._aside is None else self._aside.because)
            elif command in CONSENTS:
                self._offer = None
                session.accept()
            else:
                self._refuse("offer-open", "Answer the offer first, with yes or no.")
        except (ValueError, SessionOver) as error:
            self._refuse(*_reason(error))
        return True

    def _of_pause(self, command: Command) -> bool:
        """Whether the line had to do with a pause."""
        if not is_of_pause(command, self._session):
            return False
        try:
            word = speak_of_pause(command, self._session)
        except (ValueError, SessionOver) as error:
            self._refuse(*_reason(error))
            return True
        if word is not None:
            self._voice.pause(word, self._seat, YOU)
        self._prompt()
        return True

    def _comes_early(self) -> bool:
        """Whether a script has sent the answer to an offer before there is one."""
        waits = self._seat == GUEST and self._table.offer is None and not self._over_already()
        return waits and not self._console.interactive

    def _drop_questions(self) -> None:
        self._question = self._confirming = None

    def _obey(self, command: Command, question: Which | None) -> None:
        match command:
            case Say(text):
                self._say(text)
            case SortBy() | Words():
                self._set(command)
            case Ask(what):
                self._answer(what)
            case Number(number):
                self._pick(number, question)
            case Try(command):
                self._answer_try(command)
            case _:
                self._move(command)

    def _say(self, text: str) -> None:
        if self._session is None:
            self._refuse("nobody-there", "Nobody is there to hear it yet.")
            return
        try:
            self._session.say(text)
        except (ValueError, SessionOver) as error:
            self._refuse(*_reason(error))
            return
        self._prompt()

    def _set(self, command: SortBy | Words) -> None:
        voice = self._voice
        if not isinstance(voice, PersonVoice):
            self._refuse("no-terminal", "Lines for programs have one form only.")
            return
        if isinstance(command, SortBy):
            voice.sort = command.sort
        else:
            voice.set_words(command.on)
            self._words_set(command.on)
        if self._look() is None:
            voice.info("Good; from the first hand on.")
        else:
            self._show_hand()
        self._prompt()

    def _move(self, command: Command) -> None:
        if self._view is None:
            self._refuse("not-your-turn", self._why_not())
            return
        try:
            move = move_of(command, self._view, self._style())
            if isinstance(move, Which):
                self._question = move
                self._voice.arrangements(move.moves, self._view)
            elif not self._asks_first(move):
                self._play_or_refuse(move)
        except (ValueError, SessionOver) as error:
            self._refuse(*_reason(error))

    def _asks_first(self, move: Move) -> bool:
        """Ask a person before a spread that gives points away; whether that was done."""
        view = self._view
        if view is None or not isinstance(move, Spread) or not self._console.interactive:
            return False
        if not view.hand.is_legal(move):  # then playing it says why
            return False
        best, pips = enter_move(view), view.hand.melding.pips
        if not isinstance(best, Spread) or pips(move.deadwood) <= pips(best.deadwood):
            return False
        self._confirming = _Confirming("spread", lambda: self._play_or_refuse(move))
        self._voice.confirm(
            "spread",
            f"That spread leaves {pips(move.deadwood)}; the best leaves "
            f"{pips(best.deadwood)}. Lay it down all the same?",
        )
        return True

    def _play_or_refuse(self, move: Move) -> None:
        try:
            self._play(move)
        except (ValueError, SessionOver) as error:
            code, sentence = _reason(error)
            self._refuse(code, self._style().respelt(sentence))

    def _pick(self, number: int, question: Which | None) -> None:
        if question is None:
            self._refuse("unclear", f"{number} alone is no card; say the suit too, like 7d.")
        elif not 1 <= number <= len(question.moves):
            self._question = question
            self._voice.refused("unclear", f"Type a number from 1 to {len(question.moves)}.")
        else:
            self._play_or_refuse(question.moves[number - 1])

    def _play(self, move: Move) -> None:
        if self._session is None:
            raise SessionOver("The match has not begun.")
        self._session.play(move)

    def _why_not(self) -> str:
        """Why no move is ours, as a sentence."""
        if self._session is None:
            return "Nobody sits at the table with you yet."
        table = self._table
        if self._away:
            return f"The connection is lost; {self._names()[1 - self._seat]} may come back."
        if self._offer is not None:
            return "A match is offered to you: accept it with yes, or decline it with no."
        if self._asks_aside():
            return "You are asked whether to begin a new match: answer yes or no."
        if self._over_already() or table.owed_by is None:
            return "The match is over."
        if table.owed_by == self._seat:
            return "One moment: your own deal is being prepared."
        name = self._names()[1 - self._seat]
        return f"It is not your turn; waiting for {name} {waiting_for(table)}."

    def _refuse(self, code: str, sentence: str) -> None:
        """Say why not, and what may be done instead."""
        if self._away and code == SessionOver.code:  # it is over, but the table is kept
            sentence = self._why_not()
        if self._view is not None and code not in _ABOUT_WORDS:
            sentence = f"{sentence} You may {may_do(self._view, self._style())}."
        self._voice.refused(code, sentence)
        self._prompt()

    def _style(self) -> Style:
        return self._voice.style if isinstance(self._voice, PersonVoice) else Style()

    # --- what is asked -----------------------------------------------------------------

    def _answer(self, what: str) -> None:
        match what:
            case "help":
                now = self._why_not() if self._view is None else f"You may {self._may()}."
                self._voice.info(now, *help_lines(self._rules()))
            case "show" if self._shows_what_is_left():
                self._move(Enter())
                return
            case "hand" | "show":
                self._answer_hand()
            case "table":
                self._answer_table()
            case "score":
                self._answer_score()
            case "rules":
                self._answer_rules()
            case "log":
                log = self._log()
                self._voice.info("There is no log yet." if log is None else f"The log is in {log}")
            case "mute":
                self._mute()
            case "unmute":
                self._unmute()
            case "quit":
                self._ask_to_quit()
                return
            case "resign":
                self._ask_to_resign()
                return
            case _:
                self._voice.refused("nothing-asked", "Nothing was asked.")
        self._prompt()

    def _mute(self) -> None:
        name = inside(self._names()[1 - self._seat])
        if self._muted:
            self._voice.info(f"What {name} says is not shown already; unmute shows it again.")
            return
        self._muted = True
        self._voice.info(
            f"What {name} says is not shown any more, until you type unmute. {name} is not told, "
            "and hears what you say."
        )

    def _unmute(self) -> None:
        name = inside(self._names()[1 - self._seat])
        if not self._muted:
            self._voice.info(f"What {name} says is shown already.")
            return
        self._muted = False
        self._voice.info(f"What {name} says is shown again. {self._kept_silent()}.")

    def _kept_silent(self) -> str:
        """How much was said to nobody; it is counted from nothing again."""
        lines, self._unheard = self._unheard, 0
        were = "was" if lines == 1 else "were"
        return f"{plural(lines, 'line')} {were} kept silent" if lines else "Nothing was kept silent"

    def _may(self) -> str:
        return "" if self._view is None else may_do(self._view, self._style())

    def _answer_hand(self) -> None:
        if self._look() is None:
            self._voice.refused("no-hand", "No cards have been dealt yet.")
            return
        self._show_hand()
        if self._view is not None:
            self._voice.turn(self._view)
        elif self._table.hand is not None:
            self._answer_table()

    def _answer_table(self) -> None:
        hand = self._table.hand if self._view is None else self._view.hand
        if hand is None:
            self._voice.refused("no-hand", "No cards have been dealt yet.")
        else:
            self._voice.info(*table_lines(hand, self._style(), self._names()))

    def _shows_what_is_left(self) -> bool:
        """Whether show means to lay the rest open: after the gin of the other in Mahjong gin."""
        hand = None if self._view is None else self._view.hand
        return hand is not None and hand.rules.mahjong and hand.phase is Phase.LAY_OFF

    def _rules(self) -> RuleSet | None:
        """The rules that are offered or agreed."""
        offer = self._table.offer
        return None if offer is None else parse_ruleset(offer.rules)

    def _answer_rules(self) -> None:
        rules = self._rules()
        if rules is None:
            self._voice.info("The match has not begun.")
        else:
            self._voice.info(*rules_lines(rules))
            if self._view is not None:
                self._voice.info(*now(self._view, self._style()))

    def _answer_try(self, command: Command) -> None:
        """Whether a move may be made; it is not."""
        if self._view is None:
            self._voice.info(no_move_is_due(self._why_not()))
        else:
            self._voice.info(tried(command, self._view, self._style()))
        self._prompt()

    def _answer_score(self) -> None:
        if self._table.match is None:
            self._voice.info("The match has not begun.")
        else:
            self._voice.info(*score_sheet(self._table.match, self._names()))

    def _ask_to_quit(self, hint: str = "") -> None:
        self._confirming = _Confirming("quit", self.leave)
        if self._session is None:
            sentence = "Stop waiting and leave?"
        elif self._log() is None or self._offer is not None:
            sentence = "Leave the table?"
        else:
            sentence = (
                f"Leave the table? {self._laid_first()}The match is kept, and can go on later."
            )
        self._voice.confirm("quit", f"{sentence} {hint}".strip())

    def _ask_to_resign(self) -> None:
        if self._view is None:
            self._refuse("not-your-turn", f"You can resign in your turn. {self._why_not()}")
            return
        self._confirming = _Confirming("resign", self._resign)
        self._voice.confirm(
            "resign", f"Resign? {self._laid_first()}The other player then wins the whole match."
        )

    def _is_knocked(self) -> bool:
        """Whether it is for us to lay down our cards."""
        return self._view is not None and self._view.hand.phase is Phase.LAY_OFF

    def _laid_first(self) -> str:
        if not self._is_knocked():
            return ""
        return "This hand counts: your cards are laid down first, in the best way. "

    def _lay_down(self) -> None:
        best = None if self._view is None else enter_move(self._view)
        if best is not None:
            self._play(best)

    def _resign(self) -> None:
        self._resigns = self._is_knocked()
        try:
            if self._resigns:
                self._lay_down()
            elif self._session is not None:
                self._session.resign()
        except (ValueError, SessionOver) as error:
            self._refuse(*_reason(error))


_ABOUT_WORDS = frozenset(
    {
        "chat-too-fast",
        "nothing-said",
        "nobody-there",
        "no-terminal",
        "pause-open",
        "pause-too-soon",
        "no-match",
    }
)
"""Refusals that have nothing to do with what may be played."""


def _begins_turn(view: View) -> bool:
    """Whether this is a turn like any other before its draw."""
    return view.hand.phase is Phase.DRAW and bool(view.hand.moves)


def _reason(error: Any) -> tuple[str, str]:
    """Code and sentence of an error; every one that reaches a player carries both."""
    return getattr(error, "code", "refused"), str(error)
