"""Several matches in one sitting: what follows the end of a session, who stays for another match,
and under which rules. `decide` chooses what follows; host_match and join_match carry it out:

  why the session ended                               what follows
  the guest only lacked the end of an old match,      WAIT for another guest
  and this host waits for anybody
  the match is finished, and both players stay        NEXT_MATCH
  the match is finished, and one player leaves        END
  the guest declined the offer, and both stay         NEXT_MATCH: another offer follows
  the connection is lost                              RESUME, once the other player is back
  the host resumes a stored match instead             RESUME
  a player left or paused, or broke the rules, or     END
  this program failed

Rule 1: each match is independent. The next one begins on a new connection, with a new log, new
seeds and a new cut; only the players stay the same.
Rule 2: a program stays only if the other side has announced that it stays, too (WIRE 9.12), and
decides again each time. A person stays until they leave; a program plays as many matches as were
asked for.
Rule 3: only what both players have signed is counted, and each match only once. A match that was
over before the two connected isn't counted, no matter which of them names it.
Rule 4: once our player has left, or wants to, every session ends in END.
Rule 5: a wait ends when the other player begins a new session, or else with the closing message
(cli.match.aftermath): our player stops waiting, patience runs out, or the host can't be reached.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from enum import Enum, auto
from functools import partial

from cli.match.contact import AnyMatch, MatchPart
from cli.table.table_state import OpenQuestion
from cli.text.grammar import inside
from cli.text.series import another, may_offer, offer_again, suggested, suggestion
from cli.text.shelved_match import guest_is_asked, host_is_asked, host_is_told
from ginpeer.net.handshake import ANOTHER_MATCH
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.timing import AT_ONCE, LOST
from ginpeer.referee.table import GUEST, HOST
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.seat.seat import Options
from ginpeer.store import StoreError

TIRED = 20  # how many offers a program declines in a row before it leaves

SOON = 1.0  # seconds to wait after a guest suggests rules, in case it also declines our offer


class Next(Enum):
    """What a host or a guest does when a session has ended."""

    WAIT = auto()  # wait for any guest, because nothing was played with this one
    RESUME = auto()  # keep the match, and wait for the other player to come back to it
    NEXT_MATCH = auto()
    """Clear the table, and wait for the other player to come back for another match."""
    END = auto()  # say how it ended, and end the program


def decide(
    closed: CloseReason,
    *,
    has_left: bool = False,
    only_lacked_end: bool = False,
    peer_stays: bool = False,
    offers_again: bool = False,
    patient: bool = True,
    can_resume: bool = False,
) -> Next:
    """Return what follows a session that ended for this reason.

    *only_lacked_end*: this guest connected only to get the end of an old match, and we are open to
    any guest. *peer_stays*: the other side has announced that it stays for another match.
    *offers_again*: another offer follows one that was declined. *patient*: we wait for a player
    whose connection was lost. *can_resume*: this match can continue if the other player reconnects.
    """
    if has_left:
        return Next.END
    if only_lacked_end and closed.failure in (None, "A"):
        return Next.WAIT
    stays = closed.code == "finished" or (closed.code == "declined" and offers_again)
    if peer_stays and stays:
        return Next.NEXT_MATCH
    if closed.code in LOST and can_resume and (patient or closed.code in AT_ONCE):
        return Next.RESUME
    return Next.END


class Series(MatchPart):
    """The matches since the program started. ``played`` is how many are over."""

    def __init__(self, match: AnyMatch, options: Options, limit: int | None) -> None:
        """*limit*: how many matches to play; None: play until our player leaves."""
        super().__init__(match)
        self._options = options
        self._limit = limit
        self._winners: dict[bytes, int | None] = {}  # by table
        self._in_a_row = 0  # offers declined in a row
        self._wish: RuleSet | None = None  # the guest's suggestion, until we have offered it
        self._just_suggested = False  # whether the guest has suggested rules since our last offer
        self._holds_back = False  # whether our player has chosen not to repeat the offer

    @property
    def played(self) -> int:
        return len(self._winners)

    def extensions(self) -> tuple[int, ...]:
        """Return the extensions that tell the other side whether we stay after the next match."""
        stays = self._limit is None or self.played + 1 < self._limit
        return (ANOTHER_MATCH,) if stays else ()

    def was_already_over(self) -> bool:
        """Return whether the match at the table was already over, so that only its end was sent."""
        seat = self._keeper.live
        counted = seat is not None and seat.table.table_id in self._winners
        return counted or self._keeper.over_on_arrival

    def what_follows(self, closed: CloseReason, **known: bool) -> Next:
        peer, seat = self._other.peer, self._keeper.live
        return decide(
            closed,
            peer_stays=peer is not None and ANOTHER_MATCH in peer.extensions,
            offers_again=self._offers_again,
            can_resume=seat is not None and seat.can_come_back(),
            **known,
        )

    @property
    def _offers_again(self) -> bool:
        # A program that hosts offers again only if the guest has suggested something else. A
        # program that has joined declines every offer. Both stop after TIRED declined offers.
        again = self._seat == GUEST or self._wish is not None
        return self._keeper.asks or (again and self._in_a_row + 1 < TIRED)

    def count_match(self) -> None:
        """Count the finished match. For the next one, a person is asked about the same rules; a
        program offers the rules it was started with, even after a resumed match."""
        seat = self._keeper.live
        if seat is None or seat.table.match is None:
            return
        match = seat.table.match
        self._winners[seat.table.table_id] = match.winner
        self._in_a_row, self._wish, self._holds_back = 0, None, False
        if self._keeper.asks:
            self._options = Options(match.rules, self._options.disclosure)
            self._keeper.set_options(self._options)

    def score(self) -> str:
        winners = list(self._winners.values())
        ours = sum(winner == self._seat for winner in winners)
        nobodys = sum(winner is None for winner in winners)
        won = [f"you {ours}", f"{inside(self._name)} {len(winners) - ours - nobodys}"]
        if self._seat == GUEST:
            won.reverse()
        if nobodys:
            won.append(f"nobody {nobodys}")
        return f"Matches won since ginpeer started: {', '.join(won)}."

    def count_declined(self) -> None:
        self._in_a_row += 1
        if not self._keeper.asks:
            self._wish = None

    def clear(self) -> None:
        self._keeper.play_another()
        if self._table is not None:
            self._table.clear()

    # --- before the next match is offered ------------------------------------------------

    @property
    def will_ask(self) -> bool:
        """Whether our player, as the host, will be asked about the guest's new suggestion."""
        return self._just_suggested and self._keeper.asks

    @property
    def _is_asked(self) -> bool:
        """Whether our player, as the host, is being asked what to offer next."""
        return self._keeper.meets_again and self._keeper.delays_offer

    def ask_before(self, besides: str | None) -> bool:
        """Once both players are connected again, ask a host's player about the next match, or tell
        a guest's player what may happen next. Return whether our player is asked."""
        if self._keeper.again and self._seat == GUEST and self._keeper.asks:
            seat, session = self._keeper.live, self._sessions.current
            if seat is not None and seat.agreed():  # the match was only interrupted
                return False
            table = self._table
            if table is not None and not (table.has_proposed or table.is_proposing):
                bot = session is not None and session.peer.bot
                asks = not table.decides_offers or self._keeper.replaces is not None
                self._presenter.info(may_offer(self._name, bot=bot, asks=asks))
        if not self._is_asked:
            return False
        self._ask(besides or "")
        return True

    def proposed(self, text: str) -> None:
        """Note that the guest suggests other rules, and ask our player if no offer is open."""
        try:
            wish = parse_ruleset(text)
            wish.check()  # an offer of rules that fail this would be illegal
        except RulesError:
            self._presenter.info(
                f"{self._name} suggests rules that this version of ginpeer can't play."
            )
            return
        self._just_suggested = True
        if wish == self._wish:
            return
        self._wish = wish
        if self._is_asked:
            self._ask(whole=True)
        elif self._keeper.asks:
            self._clock.callLater(SOON, self._tell_suggestion)
        else:
            self._presenter.info(suggestion(self._name, wish))

    def _tell_suggestion(self) -> None:
        """Say that the guest suggests other rules without declining our offer, unless our player
        has been asked about them by now."""
        seat, asked = self._keeper.live, self._is_asked
        if self._wish is not None and seat is not None and not seat.agreed() and not asked:
            self._presenter.info(suggestion(self._name, self._wish))
            if self._table is not None:
                self._table.ask_again()

    def _ask(self, besides: str = "", *, whole: bool | None = None, waits: bool = False) -> None:
        """Ask our player what to offer next. *whole*: if this replaces another question, whether
        to print the new one in full or only its prompt; None if it replaces none. *waits*: our
        player has just chosen to wait."""
        table = self._table
        if table is None:
            return
        name, rules, wish = self._name, self._options.rules, self._wish
        yes: Callable[[], None]
        no: Callable[[], None]
        if wish is not None:
            instead = None if self._holds_back or wish == rules else rules
            question = suggested(name, wish, instead)
            yes, what = partial(self._offer, wish), f"play by {inside(name)}'s rules"
            no = self._wait if instead is None else partial(self._offer, rules)
            otherwise = "wait" if instead is None else "offer yours"
        elif self._in_a_row:
            left, resume = self._keeper.replaces, None
            what, yes = "offer it again", partial(self._offer, rules)
            if self._keeper.can_resume_unfinished:
                otherwise, no = "continue the unfinished one", self._resume_unfinished
            else:
                otherwise, no = "wait", self._wait
                resume = None if left is None else f"{self._command} resume {left.match.short}"
            question = offer_again(name, rules, resume)
        else:
            question, what, otherwise = another(name, rules), "offer another match", "leave"
            yes, no = partial(self._offer, rules), table.leave
        asked = OpenQuestion(
            f"{besides} {question}".strip(),
            yes,
            no,
            offer_rules=self._offer,
            rules=rules if wish is None else wish,
            what="offer one after all" if waits else what,
            otherwise="keep waiting" if waits else otherwise,
        )
        table.ask_aside(asked)
        if whole is not None:
            table.ask_again(whole=whole)

    def _resume_unfinished(self) -> None:
        session = self._sessions.current
        if session is not None and session.ending is None and self._keeper.resume_unfinished():
            session.resume_stored()

    def _wait(self) -> None:
        self._holds_back = True
        rules = self._options.rules if self._wish is None else self._wish
        self._presenter.info(
            f"You aren't offering a match for now. To offer one after all (rules: {rules}), type "
            "yes."
        )
        self._ask(whole=False, waits=True)

    def _offer(self, rules: RuleSet) -> None:
        session = self._sessions.current
        if session is None or session.ending is not None:
            return  # our player is asked again when the guest is back
        if rules != self._options.rules:
            self._options = Options(rules, self._options.disclosure)
            self._keeper.set_options(self._options)
        # Keep a wish for other rules: the guest may decline this offer and still prefer them.
        if rules == self._wish:
            self._wish = None
        self._just_suggested = self._holds_back = False
        session.offer()


class ShelvedMatches(MatchPart):
    """The unfinished matches with the other player, apart from the current one."""

    def warning(self) -> str | None:
        """Return what a host should know before it offers a new match in place of an unfinished
        one; None if it replaces none."""
        stored = self._keeper.replaces
        if stored is None:
            return None
        resume = f"{self._command} resume {stored.match.short}"
        return host_is_told(stored, resume, self._other.names)

    def ask_before(self) -> None:
        stored, table = self._keeper.replaces, self._table
        if stored is None or table is None:
            return
        name = f"{self._command} resume {stored.match.short}"
        if self._seat == GUEST:
            because = f"Our match {stored.match.short} isn't finished."
            told = guest_is_asked(stored, name, self._other.names)
            table.ask_aside(OpenQuestion(told, because=because))
        elif self._keeper.delays_offer:
            resumable = self._keeper.can_resume_unfinished
            table.ask_aside(
                OpenQuestion(
                    host_is_asked(stored, name, self._other.names),
                    self._offer_new,
                    self._keep_stored,
                    what="offer a new match",
                    otherwise="continue the unfinished one" if resumable else "end this session",
                )
            )

    def _offer_new(self) -> None:
        session = self._sessions.current
        if session is not None and session.ending is None:
            session.offer()

    def _keep_stored(self) -> None:
        stored, session = self._keeper.replaces, self._sessions.current
        if stored is None or session is None:
            return
        if self._keeper.resume_unfinished():
            session.resume_stored()
        else:
            session.leave_stored(
                f"Nothing was offered. The match {stored.match.short} stays as it is."
            )

    def on_agreement(self) -> None:
        stored = self._keeper.replaces
        if stored is not None:
            name = stored.match.short
            who = "You have" if self._seat == HOST else "The host has"
            self._presenter.show_shelved(
                name,
                f"{who} shelved the unfinished match {name}. To continue it another time, type "
                f"{self._command} resume {name}.",
            )

    def say_what_is_left(self, peer: bytes) -> None:
        with suppress(StoreError):
            found = [each.match.short for each in self._keeper.shelved_matches(peer)]
            names = ", ".join(found)
            if len(found) == 1:
                self._presenter.info(
                    f"You have a shelved match with this player: {names}. To continue it, type "
                    f"{self._command} resume {names}."
                )
            elif found:
                self._presenter.info(
                    f"You have {len(found)} shelved matches with this player: {names}. To continue "
                    f"one, type {self._command} resume and its name."
                )
