"""What a typed line does. It goes one way: it is read, understood, judged, and answered.

#   text --parse--> Command     what was said, wherever it is said: cli.table.parse
#        --mean---> what it means where it is said: an answer to what was asked
#                   (cli.table.open_questions), or a move, a question, talk (cli.table.meaning)
#        --judge--> yes or no: the session says so, or of `rules knock 7d` cli.table.may_i
#        --say----> a sentence or an event line: cli.table.display, cli.table.answers, the voice
#
# House rules
#
# 1. Nothing is decided here about the game. The session judges a move; what is refused has not
#    happened, and the player hears one sentence and what may be done instead.
# 2. A person's line counts at once, whosever turn it is. A line from a pipe that holds a move waits
#    until a move is due, so a script need not know how long the other side thinks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cli.table.answers import looked_up
from cli.table.care import Doubt, doubt_about
from cli.table.chat import Chat
from cli.table.command import (
    Ask,
    Explain,
    ExplainRules,
    Order,
    Paste,
    Place,
    Propose,
    Say,
    Setting,
    Share,
    SortBy,
    Switch,
)
from cli.table.display import Display
from cli.table.help import rules_lines, topic_lines
from cli.table.leaving import Leaving
from cli.table.may_i import may_i
from cli.table.meaning import Meaning, NoneOf, Tried, mean
from cli.table.open_questions import (
    Answer,
    Confirming,
    Kept,
    OfPause,
    ToAside,
    ToOffer,
    Which,
    comes_early,
)
from cli.table.parse import is_code, parse_command
from cli.table.partnership import Partnership
from cli.table.person_voice import PersonVoice
from cli.table.situation import Situation
from cli.table.switches import Switches
from cli.table.voice import Voice
from cli.table.word_help import explained
from cli.terminal.console import Console
from cli.terminal.line_input import MAX_LINE, EndOfInput, InputEvent, TypedLine
from cli.text.evening import YOU_ARE_ASKED, offer_these, propose_these, proposed_these
from cli.text.grammar import YOU, inside
from ginpeer.net.session import SessionOver
from ginpeer.rules.cards import Illegal, Unreadable
from ginpeer.rules.moves import Discard, Move
from ginpeer.rules.ruleset import RuleSet
from protocol.frames import Pause


class TypedLines:
    """Obeys the lines of one player, or says why not."""

    def __init__(
        self,
        console: Console,
        voice: Voice,
        display: Display,
        here: Situation,
        chat: Chat,
        leaving: Leaving,
        *,
        switches: Switches,
        log: Callable[[], str | None],
        pasted: Callable[[str], None],
        goes_on: Callable[[str], bool],
        partnership: Partnership,
    ) -> None:
        """*log*: the log's path, once there is one. *pasted*: gets what is meant as a guest's
        reply; may raise a ValueError with code and sentence. *goes_on*: whether a line is more of
        a reply that was begun. *partnership*: the other table."""
        self._console = console
        self._voice = voice
        self._display = display
        self._here = here
        self._chat = chat
        self._leaving = leaving
        self._switches = switches
        self._log = log
        self._pasted = pasted
        self._goes_on = goes_on
        self._partnership = partnership

    def take(self, event: InputEvent) -> bool:
        """One line, or the end of them. False if it has to wait for our turn."""
        match event:
            case TypedLine(text):
                return self.take_line(text)
            case EndOfInput(final=False):
                self._leaving.interrupt()
            case EndOfInput():
                self._leaving.nobody_there()
            case _:
                sentence = f"That line is longer than {MAX_LINE} characters; it was not read."
                self._display.refuse(Unreadable("line-too-long", sentence))
        return True

    def keeps(self, text: str) -> bool:
        """Whether a line may be brought back by a key: a code is a secret, and of use once."""
        return not (self._goes_on(text) or is_code(text.strip()))

    def take_line(self, text: str) -> bool:
        """One line. False if it has to wait for our turn."""
        here = self._here
        confirming = here.questions.confirming
        try:
            command = Paste(text) if self._goes_on(text) else parse_command(text)
            meant: Answer | Meaning | None = here.questions.answer(command, here.session)
            if meant is None and not self._console.interactive:
                offered, due = not here.awaits_offer(), here.view is not None
                if comes_early(command, offered=offered, due=due):
                    return here.is_over()
            if meant is None:
                which = here.questions.take_which()
                meant = mean(command, which, here, self._display.style())
        except (ValueError, SessionOver) as error:
            asked = confirming if isinstance(error, Unreadable) else None
            here.questions.drop()
            if asked is not None:  # a slip of the fingers answers nothing: it is asked still
                here.questions.confirming = asked
            self._display.refuse(error)
            if asked is not None:
                self._voice.confirm(asked.what, "Answer yes or no.")
            return True
        self._obey(meant)
        return True

    def _obey(self, meant: Answer | Meaning) -> None:
        if isinstance(meant, ToAside | ToOffer | OfPause):
            self._display.attention.answered()
        match meant:
            case Confirming(then=then):
                then()
            case Kept(what):
                self._voice.info(self._going_on(what))
                aside = self._here.questions.aside
                if aside is not None and aside.yes is not None:  # it came meanwhile, or stands open
                    self._voice.info(aside.sentence)
                self._display.prompt()
            case ToAside(follows):
                self._here.questions.aside = None
                self._voice.no_turn()
                follows()
            case ToOffer(accepts):
                self._answer_offer(accepts)
            case OfPause(yes, offered):
                self._speak_of_pause(yes, offered)
            case Say(text):
                if self._judged(lambda: self._chat.say(text)):
                    self._display.prompt()
            case Paste(text):
                if self._judged(lambda: self._pasted(text)):
                    self._display.prompt()
            case SortBy() | Order() | Place() | Switch():
                self._set(meant)
            case Share(on):
                self._share(on)
            case Ask(what):
                self._answer(what)
            case Explain(word):
                self._explain(word)
            case ExplainRules(rules):
                self._explain_rules(rules)
            case Propose(rules):
                self._ask_to_propose(rules)
            case Tried():
                self._voice.info(may_i(meant, self._display.style()))
                self._display.prompt()
            case Which():
                self._ask_which(meant)
            case NoneOf(which):
                self._here.questions.which = which
                self._voice.refused("unclear", f"Type a number from 1 to {len(which.moves)}.")
            case _:
                self._move(meant)

    def _judged(self, act: Callable[[], None], *, respelt: bool = False) -> bool:
        """Whether the session allows it; if not, the player hears why. *respelt*: by a sentence of
        the rules."""
        try:
            act()
        except (ValueError, SessionOver) as error:
            self._display.refuse(error, respelt=respelt)
            return False
        return True

    # --- answers to what was asked -----------------------------------------------------

    def _going_on(self, what: str) -> str:
        if what == "propose":
            return "Nothing was proposed."
        if self._here.session is None or self._here.away:
            return "Good; still waiting."
        if self._here.is_between:
            return "You stay."
        asked = self._here.questions.offer is not None
        return "Good; you are still asked." if asked else "Good; the game goes on."

    def _answer_offer(self, accepts: bool) -> None:
        questions = self._here.questions
        because = "" if questions.aside is None else questions.aside.because
        questions.offer = None
        if accepts:
            self._judged(lambda: self._here.in_session().accept())
        else:
            self._judged(lambda: self._here.in_session().decline(because))

    def _speak_of_pause(self, yes: bool, offered: bool) -> None:
        """Ask for a pause or agree to one; decline it, or take our own question back."""
        session = self._here.in_session()
        if not self._judged(session.pause if yes else session.no_pause):
            return
        if not yes:
            word = Pause.DECLINE if offered else Pause.WITHDRAW
            self._voice.pause(word, self._here.seat, YOU)
        elif not offered:
            self._voice.pause(Pause.ASK, self._here.seat, YOU)
        self._display.prompt()

    # --- rules for the next match ------------------------------------------------------

    def _ask_to_propose(self, rules: RuleSet) -> None:
        here, name = self._here, inside(self._here.other())
        if not here.may_propose():
            self._display.refuse(Illegal("no-proposal", here.why_no_proposal()))
            return
        aside = here.questions.aside
        by = None if aside is None else aside.by
        if by is not None:
            follows, sentence = partial(by, rules), offer_these(name, rules)
        else:
            declines = here.questions.offer is not None
            follows = partial(self._propose, rules)
            sentence = propose_these(name, rules, declines=declines)
        here.questions.confirming = Confirming("propose", follows)
        self._voice.confirm("propose", sentence)

    def _propose(self, rules: RuleSet) -> None:
        here = self._here
        if self._judged(lambda: here.in_session().propose(str(rules))):
            here.proposed, here.questions.offer = rules, None
            self._voice.info(proposed_these(inside(here.other()), rules))
            self._display.prompt()

    def _explain_rules(self, rules: RuleSet) -> None:
        self._voice.info(*rules_lines(rules, played=False))
        if self._here.may_propose():
            self._voice.info(f"To propose these rules, type: propose {rules}")
        self._display.prompt()

    # --- moves -------------------------------------------------------------------------

    def _ask_which(self, which: Which) -> None:
        if self._here.view is not None:
            self._here.questions.which = which
            self._voice.arrangements(which.moves, self._here.view)

    def _move(self, move: Move) -> None:
        """Make it; but ask a person before one that looks like a slip."""
        here, doubt = self._here, None
        asked = self._switches.likes.confirm or not isinstance(move, Discard)
        if here.view is not None and self._console.interactive and asked:
            plays_on = here.plays_on == here.table.hand_number
            doubt = doubt_about(move, here.view, self._display.style(), plays_on=plays_on)
        if doubt is None:
            self._play(move)
        else:
            here.questions.confirming = Confirming(doubt.what, lambda: self._insist(doubt, move))
            self._voice.confirm(doubt.what, doubt.sentence)

    def _insist(self, doubt: Doubt, move: Move) -> None:
        if doubt.plays_on:
            self._here.plays_on = self._here.table.hand_number
        self._play(move)

    def _play(self, move: Move) -> None:
        self._judged(lambda: self._here.in_session().play(move), respelt=True)

    # --- what is looked at, and how ----------------------------------------------------

    def _answer(self, what: str) -> None:
        match what:
            case "quit":
                self._leaving.ask_to_quit()
                return
            case "resign":
                self._leaving.ask_to_resign()
                return
            case "no" if self._here.proposed is not None and self._here.awaits_offer():
                self._here.proposed = None
                self._voice.info(YOU_ARE_ASKED)
            case "mute":
                self._chat.mute()
            case "unmute":
                self._chat.unmute()
            case "tally":
                self._voice.info(*self._partnership.standing())
            case _:
                self._look_up("hand" if what == "show" else what)
        self._display.prompt()

    def _share(self, on: bool) -> None:
        """The other table may see this one, or may not any more."""
        try:
            lines = self._partnership.share(on)
        except (ValueError, SessionOver) as error:
            self._display.refuse(error)
            return
        self._voice.info(*lines)
        self._display.prompt()

    def _explain(self, word: str) -> None:
        rules = self._here.rules()
        mahjong = rules is not None and rules.mahjong
        try:
            self._voice.info(
                *(topic_lines(word, mahjong=mahjong) or [explained(word, mahjong=mahjong)])
            )
        except Unreadable as error:
            self._voice.refused(error.code, error.sentence)
        self._display.prompt()

    def _look_up(self, what: str) -> None:
        view = self._here.view
        try:
            lines = looked_up(what, self._here, self._display.style(), self._log())
        except Illegal as error:
            self._voice.refused(error.code, error.sentence)
            return
        if what == "hand":
            self._display.hand()
            if view is not None:
                self._voice.turn(view, looked=True)
        self._voice.info(*lines)

    def _set(self, command: Setting) -> None:
        """How things are shown, told and asked from now on."""
        voice = self._voice
        if not isinstance(voice, PersonVoice):
            sentence = "That is for a person at a terminal; lines for programs have one form only."
            self._display.refuse(Illegal("no-terminal", sentence))
            return
        said = ""
        if isinstance(command, SortBy):
            voice.sort = command.sort
            self._display.order.forget()
        elif isinstance(command, Order | Place):
            if not self._judged(lambda: self._display.lay(command)):
                return
        else:
            said = self._switches.obey(command)
            voice.like(self._switches.likes)
            if command.what == "colours" and not voice.style.colour:
                voice.info("Kept for the next time; this terminal is shown no colours.")
        if said:
            voice.info(said)
        elif self._here.look() is None:
            voice.info("Good; from the first hand on.")
        else:
            self._display.hand()
        self._display.prompt()
