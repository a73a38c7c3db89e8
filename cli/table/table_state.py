"""The state of the table: the other player, the match, whose turn it is, the open questions, and
the break after a hand. Also the table's interfaces to its match and to the other table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cli.text.board import who_owes_what
from cli.text.grammar import at_start, inside, names_seen_by
from cli.text.narration import NOTHING_TO_UNDO, YOU_ASKED_TO_PAUSE, asks_to_pause
from ginpeer.names import NO_KNOWN_NAMES, KnownNames
from ginpeer.net.codes import ReplyError, is_invite
from ginpeer.net.interfaces import Clock, PeerInfo, Timer, cancel
from ginpeer.net.session import Session, SessionOver
from ginpeer.referee.table import GUEST, HOST, Awaiting, Table
from ginpeer.rules.cards import Illegal
from ginpeer.rules.hand import Phase
from ginpeer.rules.match import View
from ginpeer.rules.moves import Move, TakeUpcard
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.seat.seat import Seat
from ginpeer.store.small_files import DEFAULT_SETTINGS, Settings
from protocol import messages as m
from protocol.frames import Consent

_ACCEPT_OR_DECLINE = "Type yes to accept it, or no to decline."

# --- open questions ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AwaitedYes:
    """A question to which only yes does something: it calls ``then``."""

    what: str
    question: str
    then: Callable[[], None]
    rules: RuleSet | None = None  # the rules that yes proposes, if any
    hint: str = ""  # what else our player may type

    @property
    def sentence(self) -> str:
        return f"{self.question} {self.hint}".strip()


@dataclass(frozen=True, slots=True)
class WhichMove:
    """The moves that the typed line may mean. The player picks one by its number."""

    moves: tuple[Move, ...]

    def if_it_is_a_count(self) -> Move | WhichMove:
        """Return what is meant if the number is a count of cards to take, not the upcard's rank. A
        program always means a count, as in "event can-take count=3"."""
        left = tuple(move for move in self.moves if move != TakeUpcard()) or self.moves
        return left[0] if len(left) == 1 else WhichMove(left)


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question before a match is offered. A guest answers it together with the offer, so only a
    host's answers have callbacks of their own."""

    sentence: str
    yes: Callable[[], None] | None = None
    no: Callable[[], None] | None = None
    because: str = ""  # what a guest who declines says to the host
    offer_rules: Callable[[RuleSet], None] | None = None  # None if our player can't choose rules
    rules: RuleSet | None = None  # the rules that yes would offer, if the sentence names them
    what: str = ""  # what yes does, as the prompt puts it
    otherwise: str = ""  # what no does, as the prompt puts it; empty if it does nothing
    leaving_means_no: bool = False  # if so, our player isn't asked about leaving


@dataclass(slots=True)
class OpenQuestions:
    confirming: AwaitedYes | None = None
    which: WhichMove | None = None
    offer: m.Offer | None = None
    aside: OpenQuestion | None = None  # a question asked before an offer or with it

    @property
    def host_question(self) -> OpenQuestion | None:
        """The question that a host's player must answer before a match is offered, if any."""
        return None if self.aside is None or self.aside.yes is None else self.aside

    @property
    def asks_to_quit(self) -> bool:
        return self.confirming is not None and self.confirming.what == "quit"

    @property
    def to_propose(self) -> RuleSet | None:
        """The rules to propose if our player answers yes; None if that isn't being asked."""
        return None if self.confirming is None else self.confirming.rules

    def close(self) -> None:
        self.confirming = self.which = self.offer = self.aside = None


# --- the state of the table -------------------------------------------------------------


@dataclass(slots=True)
class TableState:
    """What our player may know about the table. cli.table.table keeps it up to date."""

    seat: int
    known: KnownNames = NO_KNOWN_NAMES
    settings: Settings = DEFAULT_SETTINGS
    practice: bool = False  # the opponent is this program's own bot
    allows_undo: bool = False  # our player is a person in practice
    level: int | None = None  # the practice bot's level, if it has one
    against_bot: bool = False  # a bot plays for the other side, according to that side
    decides_offers: bool = False  # our player, as a guest, has typed the only rules to accept
    expected: RuleSet | None = None  # what we will offer or resume when the other player comes
    session: Session | None = None
    own: Seat | None = None
    table: Table = field(default_factory=Table)
    view: View | None = None  # what our player sees when a choice is due; None if none is due
    questions: OpenQuestions = field(default_factory=OpenQuestions)
    in_break: bool = False  # our player is looking at the end of a hand; the next isn't shown yet
    away: bool = False  # the connection was lost, and the other player may come back
    leaving: bool = False  # our player has left the table
    proposed: RuleSet | None = None  # what our player, as a guest, has proposed and still wants
    unsent: bool = False  # `proposed` has to wait until the host is connected again
    resend: bool = False  # the host may have lost `proposed`, so it has to be sent again
    plays_on: int | None = None  # the hand in which our player plays on instead of knocking
    hinted: View | None = None  # the view for which our player last had a hint
    advised: Move | None = None  # the best move, according to that hint
    told_of_more: bool = False  # our player has read that hint can be repeated
    disclosure: m.Disclosure | None = None  # from the last offer, if our player has read one
    _before: Table | None = None  # the previous match, or an offer that was declined
    _last: Table | None = None  # the table cleared last: a match, or an offer that was declined
    _met: tuple[bytes, str] | None = None  # the other player's key, and our name for it

    def clear(self) -> None:
        """Get ready for the next match, but remember the last one, with its names and rules."""
        if self.table.accept is not None or (self._before is None and self.table.offer is not None):
            self._before = self.table
        if self.table.offer is not None:
            self._last = self.table
            self.disclosure = self.disclosure or self.table.offer.disclosure
        self.session, self.own, self.view, self.table = None, None, None, Table()
        self.plays_on = None

    def forget(self) -> None:
        self._before = self._last = self.proposed = self.disclosure = None

    def note_peer(self, peer: PeerInfo) -> None:
        """Note who the other player is. Until the match has names, use our name for the key."""
        self._met = None if peer.known_as is None else (peer.key, peer.known_as)
        self.against_bot = peer.bot

    def is_news(self, offer: m.Offer) -> bool:
        """Return whether our player needs to be told when this match's seeds are disclosed: if that
        differs from the last offer, or if there was none and the players have never met."""
        last = self.disclosure
        return self._met is None if last is None else offer.disclosure is not last

    @property
    def is_between(self) -> bool:
        """Whether a match is over, and the next one has not been offered yet."""
        return self._before is not None and self.table.offer is None

    @property
    def is_reconnecting(self) -> bool:
        """Whether we, as a guest, are connecting to the host again for the next match."""
        return self.session is None and self.is_between and self.seat == GUEST

    def in_session(self) -> Session:
        """Return the session that receives our moves. Raises SessionOver."""
        if self.session is None:
            raise SessionOver("The match hasn't started.")
        return self.session

    def names(self) -> tuple[str, str]:
        """Return the names of host and guest, as our player sees them."""
        table = self.table
        if self._before is not None and table.accept is None:
            table = self._before
        keys, names = table.keys, table.names
        if self._met is not None and keys[1 - self.seat] is None:
            key, name = self._met
            host = self.seat == GUEST
            keys = (key, keys[1]) if host else (keys[0], key)
            names = (name, names[1]) if host else (names[0], name)
        return names_seen_by(self.known.display(keys, names), self.seat)

    def other(self) -> str:
        return self.names()[1 - self.seat]

    def look(self) -> View | None:
        """Return our view, even during the opponent's turn; None before the first deal."""
        if self.view is not None:
            return self.view
        if self.own is None or self.table.hand is None:
            return None
        return self.own.view()

    def to_judge(self) -> View | None:
        """Return our view if we have a choice to make, even while the connection is lost."""
        if self.view is None and self.away and self.own is not None and self.own.owes_choice():
            return self.own.view()
        return self.view

    def rules(self) -> RuleSet | None:
        """Return the rules that are offered or agreed, if any."""
        offer = self.table.offer
        return None if offer is None else parse_ruleset(offer.rules)

    def last_rules(self) -> tuple[RuleSet, str] | None:
        """Return the rules last played or offered at this table, and a sentence that says so."""
        if self._last is None or self._last.offer is None:
            return None
        rules = parse_ruleset(self._last.offer.rules)
        if self._last.accept is not None:
            return rules, f"The rules of the last match: {rules}."
        who = "You" if self.seat == HOST else at_start(self.other())
        return rules, f"{who} last offered these rules: {rules}."

    def is_over(self) -> bool:
        """Return whether this match can no longer continue at this table."""
        gone = self.session is not None and self.session.ending is not None
        return self.leaving or (gone and not self.away)

    def open_question(self) -> str:
        """Return the question that stays open until it is answered, with the possible answers;
        empty if there is none."""
        questions, session, name = self.questions, self.session, self.other()
        if questions.offer is not None:
            rules = questions.offer.rules
            return f"{at_start(name)} offers a match (rules: {rules}). {_ACCEPT_OR_DECLINE}"
        if questions.host_question is not None:
            return questions.host_question.sentence
        if session is not None and session.pause_offered:
            return asks_to_pause(name)
        return YOU_ASKED_TO_PAUSE if session is not None and session.pause_wanted else ""

    def asks_to_pause(self) -> bool:
        """Return whether the prompt is the other player's request for a pause. Our own turn and the
        break after a hand come first."""
        if self.view is not None or self.is_drawing() or self.in_break:
            return False
        return self.session is not None and self.session.pause_offered

    def is_drawing(self) -> bool:
        """Return whether our player has drawn, but the other program hasn't revealed the card."""
        hand = self.table.hand
        mine = hand is not None and hand.to_move == self.seat
        drawn = self.table.awaiting in (Awaiting.SHARE, Awaiting.DISCARD)
        return mine and drawn and self.view is None and not self.away

    def awaits_offer(self) -> bool:
        """Return whether we may still be offered a match."""
        return self.seat == GUEST and self.table.offer is None and not self.is_over()

    def is_knocked(self) -> bool:
        """Return whether we have to lay down our cards after a knock or gin."""
        return self.view is not None and self.view.hand.phase is Phase.LAY_OFF

    def shows_what_is_left(self) -> bool:
        """Return whether `show` now reveals our cards: after the opponent's gin in Mahjong gin."""
        return self.view is not None and self.is_knocked() and self.view.hand.rules.mahjong

    def why_no_move(self) -> str:
        table = self.table
        if self.proposed is not None and not self.unsent and self.awaits_offer():
            return f"Waiting for {inside(self.other())}'s answer."
        if self.is_reconnecting:  # each match has a connection of its own
            return f"Reconnecting to {self.other()} for the next match."
        if self.session is None and self.is_between:
            return f"Waiting for {self.other()} to reconnect for the next match."
        if self.session is None:
            return "Your opponent isn't here yet."
        if self.away:
            return f"The connection is lost; {self.other()} may come back."
        if self.questions.offer is not None:
            return f"You have been offered a match. {_ACCEPT_OR_DECLINE}"
        if self.questions.host_question is not None:
            return f"Answer yes or no first: {self.questions.host_question.what}?"
        if self.in_break:
            return "The next hand hasn't begun. To begin it, press Enter."
        if self.own is not None and self.own.sync_pending() is not None:
            name = at_start(self.other())
            return f"{name}'s program says that its log is longer; waiting for the rest."
        if self.is_over() or table.owed_by is None:
            return "The match is over."
        if table.owed_by == self.seat:
            return "Your deal is still being prepared."
        if table.match is None:
            return f"The match hasn't begun; waiting for {who_owes_what(table, self.other())}."
        return f"It isn't your turn; waiting for {who_owes_what(table, self.other())}."

    def why_no_cards(self) -> str:
        """Say why we have no cards to show. A resumed match shows them later."""
        if self.session is None and not self.is_between:
            return "Your opponent isn't here yet."
        return "The cards haven't been dealt yet."

    # --- rules for the next match ------------------------------------------------------

    def may_propose(self) -> bool:
        """Return whether our player can propose rules (as a guest) or choose what to offer (as a
        host)."""
        aside = self.questions.aside
        if aside is not None and aside.offer_rules is not None:
            return True
        if self.is_reconnecting:
            return not self.against_bot
        return self.session is not None and self.session.may_propose

    def why_no_proposal(self) -> str:
        if self.practice:
            return "In a practice match, you choose the rules with --rules when you start it."
        if self.table.accept is not None:
            return "The rules can't change during a match. Propose others before the next one."
        waits = self.session is None or self.away or self.questions.host_question is not None
        if waits and not self.is_reconnecting:
            return self.why_no_move()
        if self.against_bot:
            return f"A bot is playing for {self.other()}, and it doesn't take proposals."
        if self.seat == HOST and self.table.offer is not None:
            return f"{at_start(self.other())} has to answer your offer first."
        return (
            f"{at_start(self.other())} can't take proposals: their program leaves after one match."
        )

    def is_as_proposed(self, offer: m.Offer) -> bool:
        """Return whether this is the match that our player proposed: with those rules, and with
        seeds disclosed as in the previous offer, or as usual if there was none."""
        if parse_ruleset(offer.rules) != self.proposed:
            return False
        return offer.disclosure is (self.disclosure or m.Disclosure.AFTER_MATCH)


# --- the break between two hands --------------------------------------------------------

BREAK = 3.0  # seconds to look at the end of a hand before the next one is shown
SLIP = 0.5  # Enter within this many seconds after a break was meant to end it


@dataclass(eq=False)
class HandBreak:
    """Holds back what follows a hand until our player has looked at its end. Only what is shown
    waits: the match itself continues, and the other player notices nothing."""

    _clock: Clock
    _state: TableState
    _prompt: Callable[[], None]  # shows the open question, once the break has begun or ended

    def __post_init__(self) -> None:
        self._shows: list[Callable[[], None]] = []
        self._choice: Callable[[], None] | None = None
        self._timer: Timer | None = None
        self._guard: Callable[[Callable[[], None]], None] = lambda call: call()
        self.is_on = False
        self._expired: float | None = None

    @property
    def has_just_expired(self) -> bool:
        """Whether the break has ended by itself so recently that Enter was meant for it."""
        return self._expired is not None and self._clock.seconds() - self._expired < SLIP

    def begin(self, guard: Callable[[Callable[[], None]], None]) -> None:
        """Begin the break. At its end, *guard* makes each deferred call and handles its errors.
        With cards in words, the break lasts until our player continues: a screen reader may still
        be reading the end of the hand."""
        self.is_on = self._state.in_break = True
        self._guard = guard
        if not self._state.settings.words:
            self._timer = self._clock.callLater(BREAK, self._expire)
        self._prompt()

    def defer(self, call: Callable[[], None], *, choice: bool = False) -> bool:
        """During a break, keep *call* until the end of the break and return True; otherwise return
        False. *choice*: the call asks for a move."""
        if not self.is_on:
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
        """End the break, if there is one, and forget the calls that were held back."""
        self._shows, self._choice = [], None
        self.end()

    def end(self) -> None:
        """End the break, if there is one, and make the calls that were held back."""
        if not self.is_on:
            return
        cancel(self._timer)
        self._timer, self.is_on = None, False
        self._prompt()
        shows, self._shows, asks, self._choice = self._shows, [], self._choice, None
        for call in shows:
            self._guard(call)
        self._state.in_break = self.is_on  # the last call may have begun another break
        if asks is None:
            self._prompt()
        else:
            self._guard(asks)


# --- the other table --------------------------------------------------------------------


class Partnership:
    """Answers the command `tally`. The defaults suit a table without a partnership."""

    def standing(self) -> Sequence[str]:
        """Return lines that give the score at both tables, and say whether ours is shown."""
        return (_NOT_LINKED,)

    def share(self, on: bool) -> Sequence[str]:
        """Let the other table see our log, or stop that. Raises SessionOver or a ValueError."""
        raise SessionOver(_NOT_LINKED)

    def on_consent(self, word: Consent) -> Sequence[str]:
        """Note the other player's consent or its withdrawal, and return lines that report it."""
        return ()


_NOT_LINKED = "This match isn't linked to another table."
ALONE = Partnership()


# --- the match, as its table sees it ---------------------------------------------------


class MatchPort:
    """What a table asks its match to do, and reports to it. The defaults suit a table without a
    match."""

    def log_path(self) -> str | None:
        """Return the path of the log, once there is one."""
        return None

    def invite_line(self) -> str | None:
        """Return the line with our invite, if we are waiting for somebody who may need it."""
        return None

    def stop_waiting(self) -> None:
        """Stop waiting for the other player, because ours has left the table."""

    def hang_up(self) -> None:
        """End the session without telling the other player, because our terminal is gone."""

    def name_notes(self, name: str) -> list[str]:
        """Return what our player should know about the name that the other player uses."""
        return []

    def on_agreement(self) -> None:
        """Note that both players have agreed to a new match."""

    def keep_setting(self, what: str, on: bool) -> None:
        """Save a setting that our player has switched on or off."""

    def on_paste(self, text: str) -> None:
        """Accept a reply that our player has pasted, or one line of it. Raises ReplyError."""
        raise no_reply_expected(text)

    def accepts_more(self, text: str) -> bool:
        """Return whether this line continues a reply whose beginning was pasted."""
        return False

    def take_back(self) -> None:
        """Take back our player's last choice, in practice. Raises Illegal."""
        raise Illegal("nothing-to-undo", NOTHING_TO_UNDO)

    def hands_left(self) -> int | None:
        """Return how many more hands the log has room for, once it is nearly full."""
        return None

    def on_fault(self, error: Exception) -> None:
        """End the match, because our own program failed while executing a command."""
        raise error

    def on_proposal(self, rules: str) -> None:
        """Receive the rules that the guest would like to play, as the guest wrote them."""


def no_reply_expected(text: str, command: str = "ginpeer") -> ReplyError:
    """Return the error that says why a pasted code is of no use here."""
    if is_invite(text):
        sentence = f"You can't use an invite here. Type quit, then {command} join and the invite."
        return ReplyError("invite-here", sentence)
    return ReplyError("no-reply-here", "Only a host that is waiting for its guest can use a reply.")
