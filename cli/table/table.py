"""The table at which one person, or one script, sits: a net Player that shows what happens and
obeys lines.

# House rules
#
# 1. The table decides nothing about the game, and nothing of what is shown how. It keeps what is
#    known (cli.table.situation) and says when something is told (cli.table.display).
# 2. What is typed goes its own way (cli.table.typed_lines); a move comes back as an entry.
"""

from __future__ import annotations

from collections.abc import Callable

from cli.table.chat import Chat
from cli.table.completions import completions
from cli.table.display import Display
from cli.table.leaving import Leaving
from cli.table.open_questions import Aside
from cli.table.partnership import ALONE, Partnership
from cli.table.possible_moves import forced
from cli.table.situation import OwnSeat, Situation
from cli.table.switches import Switches
from cli.table.typed_lines import TypedLines
from cli.table.voice import Voice
from cli.terminal.console import Console
from cli.text.evening import AS_YOU_PROPOSED, MAY_PROPOSE, would_rather
from cli.text.grammar import at_start
from cli.text.narration import filling_lines
from cli.text.offers import offer_lines, unlike
from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.net.interfaces import Clock, Closed, PeerInfo
from ginpeer.net.invite import is_invite
from ginpeer.net.reply import ReplyError
from ginpeer.net.session import Session
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.rules.view import View
from ginpeer.seat.seat import Options
from ginpeer.store.settings import USUAL, Settings
from protocol import messages as m
from protocol.frames import PAUSED, Consent, Pause


def no_reply_here(command: str = "ginpeer") -> Callable[[str], None]:
    """Whoever is no host, or has nobody to wait for, can do nothing with a reply. *command*: how
    this program is called."""

    def refuse(text: str) -> None:
        if is_invite(text):
            sentence = f"An invite is no word here: type quit, then {command} join and it."
            raise ReplyError("invite-here", sentence)
        raise ReplyError("no-reply-here", "A reply is for the host, where it waits for its guest.")

    return refuse


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
        likes: Settings = USUAL,
        switched: Callable[[str, bool], None] = lambda what, on: None,
        pasted: Callable[[str], None] | None = None,
        goes_on: Callable[[str], bool] = lambda text: False,
        hands_left: Callable[[], int | None] = lambda: None,
        known: KnownNames = NOBODY,
        proposed: Callable[[str], None] = lambda rules: None,
        partnership: Partnership = ALONE,
        practice: bool = False,
    ) -> None:
        """*log*: the log's path, once there is one. *stop*: end the wait for another player.
        *hang_up*: end because the terminal is gone, without a word to the other player.
        *named*: what is worth saying about the other player's name. *over*: the session ended;
        whether the table is kept for the other player to come back. *agreed*: a new match is.
        *wanted*: the match that a guest accepts unasked, and no others. *likes*: what the player
        has switched on or off before; *switched*: what is now. *pasted*: gets a guest's reply.
        *goes_on*: whether a line is more of one. *hands_left*: for how many hands the log has room,
        once it is nearly full. *known*: by what names we know players. *proposed*: the guest would
        play by these rules. *partnership*: the other table of one. *practice*: the other player is
        the bot of this program."""
        self._console = console
        self._voice = voice
        self._named = named
        self._over = over
        self._agreed = agreed
        self._wanted = wanted
        self._hands_left = hands_left
        self._proposed = proposed
        self._partnership = partnership
        self._opposite: bytes | None = None  # the key of who sat there last
        self._other_came = False  # than that
        self._asked: Aside | None = None  # the question set by `ask`
        self._sat_here: bytes | None = None  # who has just stayed for another match
        self._here = here = Situation(seat, known, practice=practice)
        switches = Switches(likes, switched)
        self._display = display = Display(console, voice, clock, here, lambda: switches.likes.bell)
        self._chat = chat = Chat(voice, here, clock, person=console.interactive)
        self._leaving = leaving = Leaving(
            console, voice, display, here, log=log, stop=stop, hang_up=hang_up or self.leave
        )
        self._lines = TypedLines(
            console,
            voice,
            display,
            here,
            chat,
            leaving,
            switches=switches,
            log=log,
            pasted=pasted or no_reply_here(),
            goes_on=goes_on,
            partnership=partnership,
        )

    # --- what the outside tells us -----------------------------------------------------

    def open(self) -> None:
        """Begin to listen to the person."""
        self._console.start(
            self._lines.take,
            self._leaving.nobody_there,
            complete=lambda typed: completions(typed, self._here),
            keeps=self._lines.keeps,
        )

    def close(self) -> None:
        """Nothing is asked any more; the terminal gets its title back."""
        self._display.attention.close()

    def give_up(self) -> None:
        """The other player is not waited for any more."""
        self._chat.give_up()

    def sit_down(self, session: Session) -> None:
        """The session that our moves go to."""
        self._here.session = session
        self._here.away = False

    def own(self, seat: OwnSeat) -> None:
        """Our seat in it."""
        self._here.own = seat

    def practises_at(self, level: int) -> None:
        """The level of the bot that our player practises against."""
        self._here.level = level

    def clear(self) -> None:
        """The match is over, and another may follow."""
        self._here.clear()
        self._leaving.resigns = False
        self._sat_here = self._opposite

    def ask_aside(
        self,
        sentence: str,
        yes: Callable[[], None],
        no: Callable[[], None],
        by: Callable[[RuleSet], None] | None = None,
        what: str = "begin a new match",
    ) -> None:
        """Ask a host's player a question before a match is offered. It stays open, like an offer.
        *by* offers a match by other rules. *what*: what yes does, for the prompt.
        """
        self._here.questions.aside = Aside(sentence, yes, no, by=by, what=what)

    def say_aside(self, sentence: str, because: str) -> None:
        """A guest hears, with the next offer, which unfinished match it would put aside; *because*
        is what the host is told if it is declined."""
        self._here.questions.aside = Aside(sentence, because=because)

    def ask(self, sentence: str, what: str, answered: Callable[[bool], None]) -> None:
        """Ask our player, before the match, whether to do *what*. The question stays open until it
        is answered or `withdraw` is called."""
        self._asked = Aside(sentence, lambda: answered(True), lambda: answered(False), what=what)
        self._here.questions.aside = self._asked
        self._voice.info(sentence)
        self._display.prompt()

    def withdraw(self) -> None:
        """Drop that question."""
        if self._here.questions.aside is self._asked:
            self._here.questions.aside = None
            self._display.prompt()

    def ask_again(self, *, whole: bool = False) -> None:
        """Show the prompt of the open question again, after news. *whole*: print the host's
        question again, too."""
        aside = self._here.questions.aside
        if whole and aside is not None:
            self._voice.info(aside.sentence)
        self._display.prompt()

    @property
    def proposes(self) -> bool:
        """Whether our player, as a guest, has proposed rules and is waiting for the host."""
        return self._here.proposed is not None

    def take_up(self, table: Table) -> None:
        """The match goes on from here, as it was stored."""
        here = self._here
        here.table = table
        if table.accept is not None:
            here.proposed = None  # it was for the match that would have begun instead
        self._display.waiting.new_turn()
        if table.match is not None:
            self._voice.going_on(table, here.seat)
            self._display.waiting.was_told()
        if table.hand is not None and table.hand.result is None:
            self._display.hand()
            drawn = None if here.own is None else here.own.drawn()
            if drawn is not None:
                self._voice.drew(drawn)

    def goes_on(self) -> None:
        """The other player is back, and the match goes on where it was: a person hears what lies on
        the table, and the card just drawn."""
        here = self._here
        self._display.waiting.new_turn()
        if here.table.match is None or here.table.finished or not self._console.interactive:
            return
        self._voice.back(here.table, here.seat)
        self._display.waiting.was_told()
        drawn = None if here.own is None else here.own.drawn()
        if drawn is not None:
            self._voice.drew(drawn)

    def interrupt(self) -> None:
        """Handle Ctrl-C: clear a half-typed line, or ask whether to leave, or leave if already
        asked."""
        self._leaving.interrupt()

    def leave(self) -> None:
        """Get up from the table, or stop waiting for somebody to sit down."""
        self._leaving.leave()

    @property
    def leaving(self) -> bool:
        """Whether the player has got up already."""
        return self._here.leaving

    # --- Player ------------------------------------------------------------------------

    def connected(self, peer: PeerInfo) -> None:
        """The other side has proven its key. A person is told so once in a sitting."""
        came_back = peer.key == self._opposite
        self._other_came = self._opposite is not None and not came_back
        if self._other_came:
            self._here.forget()
        self._opposite = peer.key
        self._here.meets(peer)
        if peer.key != self._sat_here or not self._console.interactive:
            self._voice.connected(peer, back=self._here.other() if came_back else None)
        self._sat_here = None

    def seated(self) -> None:
        """Our seat is there: whoever has to do something next is asked, or waited for."""
        self._chat.is_back(other=self._other_came)
        self._other_came = False
        if self._here.questions.asks_aside:
            self.ask_again(whole=True)
            return
        self._display.wait_for(self._here.table)  # even before an offer: its host may be asked

    def show(self, event: Admitted) -> None:
        """An entry of the match."""
        here, message = self._here, event.message
        self._display.waiting.stop()
        here.view = here.questions.which = here.questions.offer = None
        here.table = event.after
        self._display.happened(event)
        if isinstance(message, m.Accept):
            here.questions.aside = here.proposed = None
            self._agreed()
        if isinstance(message, m.Offer | m.Accept) and event.author != here.seat:
            warnings = self._named(message.name)
            if warnings:
                self._voice.info(*warnings)
        filling = filling_lines(event, self._hands_left())
        if filling:
            self._voice.info(*filling)
        if isinstance(message, m.DealShares):
            self._display.waiting.new_turn()
            self._display.hand()
        self._display.wait_for(event.after)
        self._display.prompt()

    def consider(self, offer: m.Offer) -> None:
        """Ask whether to accept the offered match, unless our player has proposed it or the command
        line accepts it."""
        session, aside = self._here.session, self._here.questions.aside
        proposed = self._here.is_as_proposed(offer)
        because = None if self._wanted is None or proposed else unlike(self._wanted, offer)
        asks = aside is not None and (self._console.interactive or self._wanted is None)
        if session is not None and because is not None:
            session.decline(because)
        elif session is not None and (proposed or self._wanted is not None) and not asks:
            if proposed:
                self._voice.info(AS_YOU_PROPOSED)
            session.accept()
        else:
            self._display.waiting.stop()
            self._here.questions.offer = offer
            wish = self._here.proposed
            if wish is not None and parse_ruleset(offer.rules) != wish:
                self._voice.info(would_rather(at_start(self._here.other()), offer.rules))
            self._voice.offered(offer_lines(offer))
            if aside is not None:
                self._voice.info(aside.sentence)
            if self._console.interactive and self._here.may_propose():
                self._voice.info(MAY_PROPOSE)
            self._display.prompt()
            self._console.offer()

    def choose(self, view: View) -> None:
        """A move is ours to choose."""
        self._display.waiting.stop()
        self._display.waiting.new_turn()
        self._here.view = view
        self._display.holds(view)
        if self._leaving.resigns:
            self._leaving.resign()
            return
        session, move = self._here.session, forced(view)
        if self._console.interactive and session is not None and move is not None:
            session.play(move)
            return
        self._display.turn(view)
        self._display.prompt()
        self._console.offer()

    def chat(self, text: str) -> None:
        """The other player says something."""
        self._chat.heard(text)

    def pause(self, word: Pause) -> None:
        """The other player says something of a pause. What it asks stays open until we answer."""
        self._voice.pause(word, 1 - self._here.seat, self._here.other())
        self._display.prompt()

    def proposed(self, rules: str) -> None:
        """The guest says by which rules it would like to play."""
        if not self._chat.silences():
            self._proposed(rules)

    def consent(self, word: Consent) -> None:
        """The other player lets another table see the log, or does not any more."""
        lines = self._partnership.heard(word)
        if lines:
            self._voice.info(*lines)
            self._display.prompt()

    def closed(self, reason: Closed) -> None:
        """The session is over."""
        here = self._here
        self._display.waiting.stop()
        quits = here.questions.asks_to_quit
        here.view = None
        here.questions.close()
        reason = self._chat.close(reason)
        if reason.code == PAUSED:
            self._voice.paused(here.table, here.seat)
            self._display.hand()
        here.away = self._over(reason)
        if here.away and quits:  # else a peer that comes and goes would keep us from leaving
            self._leaving.ask_to_quit()
        elif here.away:
            self._display.prompt()
