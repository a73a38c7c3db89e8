"""The questions that stay open at the table, and which lines answer them.

# House rules
#
# 1. Nothing is asked twice except to quit, to resign, to propose rules, and a move that looks like
#    a slip (cli.table.confirmations). Anything typed instead of yes means no, and is then obeyed as usual.
# 2. An offer is a question that stays open, whatever else is typed: nothing is signed before it is
#    accepted. So is the question whether an unfinished match is put aside for a new one.
# 3. Enter alone accepts no match and agrees to no pause: it is too easily typed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cli.table.command import (
    Ask,
    Command,
    Enter,
    Explain,
    ExplainRules,
    Paste,
    Propose,
    Say,
    Setting,
    Share,
    Try,
)
from ginpeer.net.session import Session, SessionOver
from ginpeer.rules.cards import Illegal, Unreadable
from ginpeer.rules.moves import Move
from ginpeer.rules.ruleset import RuleSet
from protocol import messages as m

_YES, _NO = Ask("yes"), Ask("no")
_CONSENTS = (_YES, Ask("accept"))
_DECLINES = (_NO, Ask("decline"))
_PAUSE = Ask("pause")


# --- what is asked ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AwaitedYes:
    """A question that only yes answers: whether to quit, to resign, to propose rules, or to make a
    move that looks like a slip. ``then`` is what follows."""

    what: str
    then: Callable[[], None]


@dataclass(frozen=True, slots=True)
class WhichMove:
    """Several knocks, lays or takes are meant by what was typed; the player picks one by its
    number. All are of one kind."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question before a match is offered: whether to offer another one, or one that puts an
    unfinished match aside. A guest is asked with the offer, so only a host's answers have
    consequences of their own."""

    sentence: str
    yes: Callable[[], None] | None = None
    no: Callable[[], None] | None = None
    because: str = ""
    by: Callable[[RuleSet], None] | None = None
    """Offers a match by other rules, if the player may name some."""
    what: str = "begin a new match"
    """What yes does, in the words of the prompt."""


# --- what a line answers ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kept:
    """No, to a question that only yes answers."""

    what: str


@dataclass(frozen=True, slots=True)
class ToAside:
    """The host's answer, whether a new match is begun in the place of the unfinished one."""

    follows: Callable[[], None]


@dataclass(frozen=True, slots=True)
class ToOffer:
    """The answer to the match that is offered."""

    accepts: bool


@dataclass(frozen=True, slots=True)
class OfPause:
    """A word about a pause: yes asks for one, or agrees; no declines it, or takes our own question
    back."""

    yes: bool
    offered: bool
    """Whether the other player has asked for it."""


Answer = AwaitedYes | Kept | ToAside | ToOffer | OfPause
"""What a line does that was asked for; AwaitedYes: yes, to that."""


class OpenQuestions:
    """What our player is asked and has not answered yet."""

    def __init__(self) -> None:
        self.confirming: AwaitedYes | None = None
        self.which: WhichMove | None = None
        self.offer: m.Offer | None = None
        self.aside: OpenQuestion | None = None
        """What is asked before a match is offered, or with the offer."""

    @property
    def asks_aside(self) -> bool:
        """Whether a host's player is asked before a new match is offered."""
        return self.aside is not None and self.aside.yes is not None

    @property
    def asks_to_quit(self) -> bool:
        """Whether the player is asked about leaving."""
        return self.confirming is not None and self.confirming.what == "quit"

    def drop(self) -> None:
        """The player has typed something else. What others wait for stays open."""
        self.confirming = self.which = None

    def close(self) -> None:
        """The session is over, and with it all that was asked."""
        self.confirming = self.which = self.offer = self.aside = None

    def take_which(self) -> WhichMove | None:
        """The moves that a number picks from. It is asked once."""
        which, self.which = self.which, None
        return which

    def answer(self, command: Command, session: Session | None) -> Answer | None:
        """What a line answers; None where it is no answer, and means what it would anywhere.

        Raises Unreadable and Illegal with a sentence, where a question has to be answered first,
        and SessionOver where nobody is there to be asked for a pause.
        """
        confirming, self.confirming = self.confirming, None
        if confirming is not None and command == _YES:
            return confirming
        if confirming is not None and command in (_NO, Enter()):
            return Kept(confirming.what)
        aside = self.aside
        if aside is not None and aside.yes and aside.no and _answers_offer(command):
            if command not in (*_CONSENTS, *_DECLINES):
                raise Unreadable("unclear", "Answer yes or no first.")
            return ToAside(aside.yes if command in _CONSENTS else aside.no)
        if self.offer is not None and session is not None and _answers_offer(command):
            if command == Enter():
                raise Unreadable("unclear", "Answer yes or no.")
            if command not in (*_CONSENTS, *_DECLINES):
                raise Illegal("offer-open", "Answer the offer first, with yes or no.")
            return ToOffer(command in _CONSENTS)
        if session is None and command == _PAUSE:
            raise SessionOver("Your opponent isn't here yet.")
        if session is not None and _is_of_pause(command, session):
            return OfPause(command != _NO, session.pause_offered)
        return None


def comes_early(command: Command, *, offered: bool, due: bool) -> bool:
    """Whether a script has sent this before its time: the answer to an offer before there is one,
    or a move before one is due."""
    if command in (*_CONSENTS, *_DECLINES):
        return not offered
    return _needs_turn(command) and not due


def _needs_turn(command: Command) -> bool:
    """Whether only a player whose move is due can mean this."""
    free = Ask | Explain | ExplainRules | Say | Paste | Propose | Setting | Share | Try
    return not isinstance(command, free) or command == Ask("resign")


def _answers_offer(command: Command) -> bool:
    """Whether this is an answer to an offer, or a move, which has to wait for it."""
    return command in (*_CONSENTS, *_DECLINES) or _needs_turn(command)


def _is_of_pause(command: Command, session: Session) -> bool:
    """Whether this line asks for a pause, answers the other player's question for one, or takes our
    own back. Enter alone does none of it, and neither does what accepts a match."""
    if session.pause_offered and command in (_YES, _NO):
        return True
    return command == _PAUSE or (session.pause_wanted and command == _NO)
