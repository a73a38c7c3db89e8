"""Where our player is at the moment: with whom, in which match, and whose turn it is."""

from __future__ import annotations

from typing import Protocol

from cli.table.open_questions import OpenQuestions
from cli.text.board import awaited_action
from cli.text.grammar import at_start, names_seen_by
from ginpeer.names.nicknames import NOBODY, KnownNames
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.session import Session, SessionOver
from ginpeer.referee.table import GUEST, HOST, Table
from ginpeer.rules.cards import Card
from ginpeer.rules.hand import Phase
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.rules.view import View
from protocol import messages as m


class OwnSeat(Protocol):
    """As much of our seat as the table looks at."""

    def view(self) -> View: ...

    def drawn(self) -> Card | None: ...

    def owes_choice(self) -> bool: ...


class Situation:
    """What our player may know of the table. The table keeps it; who answers a line looks here."""

    def __init__(self, seat: int, known: KnownNames = NOBODY, *, practice: bool = False) -> None:
        self.seat = seat
        self.practice = practice
        """Whether the other player is the bot of this program."""
        self.level: int | None = None
        """At which level that bot plays; None where it has none."""
        self._known = known
        self.session: Session | None = None
        self.own: OwnSeat | None = None
        self.table = Table()
        self.view: View | None = None
        """The choice that is ours now."""
        self.questions = OpenQuestions()
        self.away = False
        """The connection was lost, and the other player may come back."""
        self.leaving = False
        """Whether our player has got up already."""
        self._before: Table | None = None  # of the match before, or of an offer that was declined
        self._met: tuple[bytes, str] | None = None  # who sits there, by what name we know the key
        self.against_bot = practice
        """Whether the other side says that a bot plays for it."""
        self.proposed: RuleSet | None = None
        """What our player, as a guest, has proposed and still wants to play."""
        self.plays_on: int | None = None
        """The number of the hand in which our player has decided not to knock yet."""
        self.hinted: View | None = None
        """The choice for which our player has had a hint."""

    def clear(self) -> None:
        """Nobody sits here, and nothing is played, as at the beginning; but who sat here before is
        still called so."""
        if self.table.accept is not None or (self._before is None and self.table.offer is not None):
            self._before = self.table
        self.session, self.own, self.view, self.table = None, None, None, Table()
        self.plays_on = None

    def forget(self) -> None:
        """Somebody else has come than who sat here before."""
        self._before = self.proposed = None

    def meets(self, peer: PeerInfo) -> None:
        """Remember who has joined, by our name for the key until the match has names."""
        self._met = None if peer.known_as is None else (peer.key, peer.known_as)
        self.against_bot = peer.bot

    @property
    def is_between(self) -> bool:
        """Whether a match is over, and the next one has not been offered."""
        return self._before is not None and self.table.offer is None

    def in_session(self) -> Session:
        """The session that our moves go to. Raises SessionOver where there is none yet."""
        if self.session is None:
            raise SessionOver("The match has not begun.")
        return self.session

    def names(self) -> tuple[str, str]:
        """Both players as ours reads them."""
        table = self.table
        if self._before is not None and table.accept is None:
            table = self._before
        keys, names = table.keys, table.names
        if self._met is not None and keys[1 - self.seat] is None:
            key, name = self._met
            host = self.seat == GUEST
            keys = (key, keys[1]) if host else (keys[0], key)
            names = (name, names[1]) if host else (names[0], name)
        return names_seen_by(self._known.display(keys, names), self.seat)

    def other(self) -> str:
        """The other player's name."""
        return self.names()[1 - self.seat]

    def look(self) -> View | None:
        """Our view, whosever turn it is; None before the first deal."""
        if self.view is not None:
            return self.view
        if self.own is None or self.table.hand is None:
            return None
        return self.own.view()

    def to_judge(self) -> View | None:
        """The view in which a choice is ours, also where the connection is lost: what the rules say
        of it is known without the other player."""
        if self.view is None and self.away and self.own is not None and self.own.owes_choice():
            return self.own.view()
        return self.view

    def rules(self) -> RuleSet | None:
        """The rules that are offered or agreed."""
        offer = self.table.offer
        return None if offer is None else parse_ruleset(offer.rules)

    def is_over(self) -> bool:
        """Whether nothing more can come of this match."""
        gone = self.session is not None and self.session.ending is not None
        return self.leaving or (gone and not self.away)

    def awaits_offer(self) -> bool:
        """Whether a match may still be offered to us."""
        return self.seat == GUEST and self.table.offer is None and not self.is_over()

    def is_knocked(self) -> bool:
        """Whether it is for us to lay down our cards."""
        return self.view is not None and self.view.hand.phase is Phase.LAY_OFF

    def shows_what_is_left(self) -> bool:
        """Whether show means to lay the rest open: after the gin of the other in Mahjong gin."""
        return self.view is not None and self.is_knocked() and self.view.hand.rules.mahjong

    def why_no_move(self) -> str:
        """Why no move is ours, as a sentence."""
        table = self.table
        if self.session is None and self.is_between:
            return self._reconnecting()
        if self.session is None:
            return "Your opponent isn't here yet."
        if self.away:
            return f"The connection is lost; {self.other()} may come back."
        if self.questions.offer is not None:
            return "A match is offered to you: accept it with yes, or decline it with no."
        if self.questions.asks_aside:
            return "Answer the question first, with yes or no."
        if self.is_over() or table.owed_by is None:
            return "The match is over."
        if table.owed_by == self.seat:
            return "One moment: your own deal is being prepared."
        return f"It is not your turn; waiting for {self.other()} {awaited_action(table)}."

    def _reconnecting(self) -> str:
        """Say why nobody is connected between two matches: the next one has its own connection."""
        if self.seat == GUEST:
            return f"Reconnecting to {self.other()} for the next match."
        return f"Waiting for {self.other()} to reconnect for the next match."

    # --- rules for the next match ------------------------------------------------------

    def may_propose(self) -> bool:
        """Whether our player may propose rules now: a guest before a match is agreed, or a host
        that is being asked about the next one."""
        aside = self.questions.aside
        if aside is not None and aside.by is not None:
            return True
        return self.session is not None and self.session.may_propose

    def why_no_proposal(self) -> str:
        """Say why our player can't propose rules now."""
        if self.practice:
            return "In practice you choose the rules when you start it, with --rules."
        if self.table.accept is not None:
            return "The rules can't change during a match. Propose others before the next one."
        if self.session is None or self.away or self.questions.asks_aside:
            return self.why_no_move()
        if self.against_bot:
            return f"A bot plays for {self.other()}, and it takes no proposals."
        if self.seat == HOST and self.table.offer is not None:
            return f"{at_start(self.other())} has to answer your offer first."
        return (
            f"{at_start(self.other())} can't take proposals: that program leaves after one match."
        )

    def is_as_proposed(self, offer: m.Offer) -> bool:
        """Whether this is the match that our player has proposed: those rules, with seeds disclosed
        as in the previous offer, or as usual if there was none."""
        if self.proposed is None or parse_ruleset(offer.rules) != self.proposed:
            return False
        before = None if self._before is None else self._before.offer
        usual = m.Disclosure.AFTER_MATCH if before is None else before.disclosure
        return offer.disclosure is usual
