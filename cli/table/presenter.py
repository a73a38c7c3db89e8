"""What a person and a program read at the table: sentences on a terminal, or event lines. The table
(cli.table.table) decides what to say and when; a Presenter decides how.

For a person, each sentence is complete in itself: nothing depends on its position on the screen.
The open question is the prompt, which is always the last line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

from cli.program import quoted
from cli.table.possible_moves import (
    best_answer,
    can_go_big_gin,
    enter_move,
    knock_options,
    layable,
    may_do,
    take_counts,
    takes_of,
    turn_lines,
    which_lines,
)
from cli.terminal.console import Console
from cli.text import event_lines as events
from cli.text.board import position_lines, who_owes_what
from cli.text.cards import NO_MELDS, Sort, Style
from cli.text.connecting import SEND_REPLY, addresses_text
from cli.text.event_lines import adds_word, card_word, melds_word
from cli.text.grammar import YOU, at_start, capital, does, duration, names_seen_by
from cli.text.narration import YOU_ASKED_TO_PAUSE, asks_to_pause, narrate
from cli.text.score_sheet import final_result
from cli.text.series import offer_lines
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, display_name, isolate_quotes, safe, safe_quote
from ginpeer.net import in_process
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.own_addresses import ReachableAddress
from ginpeer.referee.referee import Admitted, result_of
from ginpeer.referee.table import HOST, ROLES, Table, deadwood_of
from ginpeer.referee.transitions import final_score
from ginpeer.rules.cards import Card, CardSet
from ginpeer.rules.hand import Phase
from ginpeer.rules.match import View
from ginpeer.rules.moves import Knock, Lay, Move, TakeDiscards
from ginpeer.rules.score import HandResult, Outcome
from ginpeer.store.small_files import DEFAULT_SETTINGS, Settings
from protocol import messages as m
from protocol.frames import Pause

AGAIN = "(said before) "
"""The mark of a chat line that is sent again because it may not have arrived (cli.table.chat)."""

_MOST_REPEATED = 50  # events and chat lines; once there are this many, no more chat is added
_RESULT_LINES = 2  # about the end of a hand: its result, and the score

_CONFIRMED = {
    "quit": "leave the table",
    "resign": "resign the match",
    "knock": "knock anyway",
    "spread": "spread anyway",
    "discard": "discard anyway",
    "propose": "propose it",
}


@dataclass(eq=False)
class PersonPresenter:
    """Prints sentences on a terminal, with a prompt below them.

    ``listens``: whether typed lines are read. ``command`` is the shell command that starts this
    program with the same home. ``settings`` are our player's settings; `use_settings` also applies
    them to the style.
    """

    console: Console
    style: Style
    _: KW_ONLY
    listens: bool = True
    command: str = "ginpeer"
    known: KnownNames = NO_KNOWN_NAMES
    settings: Settings = DEFAULT_SETTINGS
    sort: Sort = field(default=Sort.MELDS, init=False)

    def __post_init__(self) -> None:
        self._asked_in: View | None = None  # the view for which we last asked
        # These calls describe again what has happened since our player's last turn.
        self._recent: list[Callable[[], list[str]]] = []
        self._best: CardSet | None = None  # the best spread's deadwood, once we have shown it

    @property
    def brief(self) -> bool:
        return self.settings.brief

    @property
    def shows_hand(self) -> bool:
        """Whether the question of what to discard contains the hand."""
        return self.settings.hand and not self.brief

    @property
    def _is_spoken(self) -> bool:
        """Whether a screen reader probably reads everything aloud."""
        return self.style.words or self.console.kind == "dumb"

    def _has_heard(self, view: View) -> bool:
        """Return whether our player has probably heard this question read aloud."""
        return self._is_spoken and view is self._asked_in

    def shows_hand_in(self, view: View) -> bool:
        """Return whether the next question about this choice contains the hand."""
        shows = self.shows_hand and not self._has_heard(view)
        return shows and view.hand.phase is Phase.DISCARD and view.my_turn

    def begin_waiting(
        self,
        addresses: Sequence[ReachableAddress],
        key: str,
        *,
        port: int | None,
        friend: str | None = None,
    ) -> None:
        """Say where we wait. *key*: the fingerprint of our key. *port*: the port on which we
        listen, if our player named the addresses. *friend*: if only one friend may join, a sentence
        that says what the friend has to type; empty if our player knows what to do with the
        invite."""
        ways = addresses_text(addresses)
        where = f"Waiting at {ways}."
        if port is not None:
            where = f"Waiting on port {port} of this machine. The invite leads to {ways}."
        if friend is None:
            friend = "Send this invite to your friend, who types ginpeer join and then the invite."
        key_line = f"Your key is {key}. {where} To stop, {self._way_to_leave}."
        self.console.print(*([friend] if friend else []), key_line)

    def await_guest(
        self,
        waiting: str,
        otherwise: str,
        invite: str,
        addresses: Sequence[ReachableAddress],
        key: str,
    ) -> None:
        """Say whom the host of a resumed match waits for, and show the invite, in case it is
        needed."""
        self.console.print(f"{waiting} To stop, {self._way_to_leave}.", otherwise)
        self.console.print(invite, whole=True)

    def begin_joining(self, addresses: str, key: str, host: bytes | None) -> None:
        """Say which host we look for. *key*: a fingerprint. *host*: the whole key, if known."""
        whom = f"the host at {addresses}"
        met = None if host is None else self.known.met.get(host)
        if host is not None and met is not None and met.name:
            whom = self.known.display_one(host, met.name, safe_quote)
        self.console.print(f"Looking for {whom}.")

    def show_reply(self, why: str, reply: str, then: str = SEND_REPLY) -> None:
        """Show the reply that the host needs. *why*: why it is needed; "" if it replaces a reply
        shown before."""
        cause, asks, sentence = why.partition(" Tell the host")
        self.console.print(f"{cause} Still trying." if why else "Here is a new way to reach you.")
        if asks:  # on a line of its own, to be copied
            self.console.print(f"Tell the host{sentence}", whole=True)
        self.console.print(f"reply: {reply}", whole=True)
        self.console.print(
            then if why else "If the host hasn't pasted the line above yet, send this one instead."
        )

    def show_dialling(self, addresses: str, key: str) -> None:
        """Say that we dial a guest. *key*: the fingerprint of the guest's key, from the reply."""
        self.console.print(
            f"Dialling your friend at {addresses}. Their program is dialling you too. Their key is "
            f"{key}. This may take a few minutes."
        )

    def connected(self, peer: PeerInfo, *, back: str | None = None) -> None:
        """Say who has connected. *back*: the name of a player who was here before."""
        bot = ["A bot is playing for your opponent."] if peer.bot else []
        if back is not None:
            self.console.print(f"{at_start(back)} is back.", *bot)
            return
        help_ = ["Type help for a list of commands."] if self.listens else []
        if peer.address == in_process.ADDRESS:
            self.console.print("You are playing against the bot.", *help_)
            return
        key = peer.fingerprint
        if peer.known_as is None:
            who = f"{safe(peer.address)}. Your opponent's key is {key}, which is new to you."
        else:
            name = self.known.display_one(peer.key, peer.known_as, safe_quote)
            several = name != safe_quote(peer.known_as)  # "Ben" (another key)
            who = f"{name}; their key is {key}." if several else f"{name}, whose key you know."
        self.console.print(f"Connected to {who}", *bot, *help_)

    def show_event(
        self, event: Admitted, seat: int, drawn: Card | None, deadwood: int | None = None
    ) -> None:
        """Say what happened. *drawn*: the card that we drew. *deadwood*: our new deadwood count, if
        it is shown instead of the whole hand."""

        def narrated() -> list[str]:  # `repeat` calls it again, perhaps in another style
            style, brief = self.style, self.brief
            return narrate(event, style, seat, drawn, self.known, deadwood=deadwood, brief=brief)

        told = narrated()
        result, ours = result_of(event), event.author == seat
        if isinstance(event.message, m.Spread) and ours:
            if deadwood_of(event.message) == self._best:  # the question showed it
                lines = 0 if result is None else 1 if _is_finished(event.after) else _RESULT_LINES
                told = told[len(told) - lines :]
            self._best = None
        if ours and isinstance(event.message, m.Discard | m.Pass | m.Knock | m.Spread):
            self.forget_recent()
        if event.after.hand_number:
            self._recent.append(narrated)
        if not self.settings.lines or self._is_spoken:
            self.console.print(*told)
        elif result is not None:
            self._print_result(told, result, event.after)
        else:
            ends_match = [""] if isinstance(event.message, m.Settle) and told else []
            ends_turn = [""] if isinstance(event.message, m.Discard) and ours else []
            self.console.print(*ends_match, *told, *ends_turn)

    def repeat(self) -> None:
        """Say again what has happened since our player's last turn, in the current style."""
        told = [line for say in self._recent for line in say()]
        self.console.print(*told or ["Nothing has happened since your last turn."])

    def forget_recent(self) -> None:
        self._recent.clear()

    def _print_result(self, told: list[str], result: HandResult, after: Table) -> None:
        """Print the end of a hand: set gin and undercuts apart, and rule a line for the score."""
        at = len(told) - (not _is_finished(after))
        ending, standing = told[:at], told[at:]
        special = result.kind in (Outcome.GIN, Outcome.BIG_GIN, Outcome.UNDERCUT)
        if special and not self.brief:
            ending.insert(len(ending) - 1, "")
        self.console.print(*ending)
        for line in standing:
            self.console.print("", self.console.ruled(line.rstrip(".")))

    def show_offer(self, lines: list[str], *, may_propose: bool) -> None:
        """Show an offer's *lines*. *may_propose*: whether our player may propose other rules."""
        others = "; to suggest others, type, for example, propose oklahoma" if may_propose else ""
        self.console.print(*lines, f"To read the rules, type rules{others}.")

    def ask_consent(self, name: str, offer: m.Offer) -> None:
        """Ask whether we accept the match; called again after every line that doesn't answer."""
        self.console.prompt("accept the match, yes or no> ")

    def ask_aside(self, what: str, otherwise: str = "") -> None:
        """Ask a yes-or-no question: yes does *what*, no does *otherwise*, if given. The question
        stays open until it is answered."""
        answers = f"{what} (yes) or {otherwise} (no)" if otherwise else f"{what}, yes or no"
        self.console.prompt(f"{answers}> ")

    def show_shelved(self, match: str, sentence: str) -> None:
        """Say that this unfinished match was shelved. Only a host's offer can shelve a match."""
        self.console.print(sentence)

    def hand(self, view: View, order: Sequence[Card] = ()) -> None:
        """Show our cards, without a drawn card that hasn't arrived yet. *order*: the order in which
        the player has arranged the hand."""
        hand = self.style.hand(view.known, view.hand.rules, self.sort, order)
        self.console.print(f"Your hand: {hand}.")

    def show_resumed_match(self, table: Table, own: int | None) -> None:
        """Show where a resumed match stands. *own*: our seat; None if a bot plays for us."""
        if table.match is not None and table.match.finished:  # perhaps resigned within a hand
            names = names_seen_by(self.known.display(table.keys, table.names), own)
            self.console.print(f"The match is over: {final_result(final_score(table), names)}.")
            if not table.finished:
                self.console.print("The two programs still have to exchange the end of the log.")
            return
        rules = "" if table.match is None else f". Rules: {table.match.rules}"
        self.console.print(
            f"The match continues with hand {table.hand_number}{rules}.",
            *position_lines(table, self.style, own, self.known),
        )

    def show_position(self, table: Table, own: int) -> None:
        # The score hasn't changed.
        self.console.print(*position_lines(table, self.style, own, self.known, score=False))

    def show_drawn_card(self, card: Card) -> None:
        self.console.print(f"You have just drawn {self.style.the(card)}.")

    def show_paused_match(self, table: Table, own: int | None) -> None:
        self.console.prompt("")
        self.console.print("This is where you paused:")
        self.console.print(*position_lines(table, self.style, own, self.known))

    def pause(self, word: Pause, seat: int, name: str) -> None:
        """Say what a player said about a pause. *name*: the player at *seat*; You for our own."""
        ours = name == YOU
        match word:
            case Pause.ASK if ours:
                told = YOU_ASKED_TO_PAUSE
            case Pause.ASK:
                told = asks_to_pause(name)
            case Pause.DECLINE:
                told = f"{does(name, 'decline')} the pause."
            case Pause.WITHDRAW:
                self.console.prompt("")  # it may ask for an answer to this request
                told = f"{does(name, 'withdraw')} the request for a pause."
        self.console.print(told)

    def show_absence(self, name: str, sentence: str, *, resumable: bool) -> None:
        """Say whom we are waiting for. *resumable*: the match can also be resumed another time."""
        self.console.prompt("")
        again = self._way_to_continue(resumable)
        self.console.print(
            f"{sentence} Waiting for {name} to come back. To leave, {self._way_to_leave}{again}."
        )

    def show_long_absence(self, name: str, minutes: int, *, resumable: bool) -> None:
        gone, again = duration(minutes), self._way_to_continue(resumable)
        self.console.print(
            f"{at_start(name)} has been gone for {gone}. Wait, or {self._way_to_leave} to "
            f"leave{again}."
        )

    @property
    def _way_to_leave(self) -> str:
        return "type quit" if self.listens else "press Ctrl-C"

    def _way_to_continue(self, resumable: bool) -> str:
        return f"; you can continue another time with {self.command} resume" if resumable else ""

    def show_long_wait(self, table: Table, name: str, minutes: int) -> None:
        self.console.print(
            f"{at_start(name)} is still connected. You have been waiting {duration(minutes)} for "
            f"{who_owes_what(table, name)}."
        )

    def turn(self, view: View, *, looked: bool = False) -> None:
        """Say what our player can do this turn. *looked*: our player asked to see it."""
        if view.hand.phase is Phase.LAY_OFF:
            self._best = best_answer(view).deadwood
        self.console.print(*turn_lines(view, self.style, looked=looked, brief=self.brief))

    def ask(self, view: View, order: Sequence[Card] = ()) -> None:
        """Ask for the move. *order*: the order in which the player has arranged the hand."""
        brief = self.brief or (self._has_heard(view) and view.hand.phase is Phase.DISCARD)
        question = _turn_question(view, self.style, brief=brief)
        if self.shows_hand_in(view):
            hand = self.style.hand(view.known, view.hand.rules, self.sort, order)
            question = f"{capital(hand.removeprefix(f'{NO_MELDS}; '))}: {question}"
        self._asked_in = view
        self.console.prompt(f"{question}> ")

    def ask_for_next_hand(self) -> None:
        soon = "" if self.style.words else " in 3 seconds, or"
        self.console.prompt(f"next hand{soon} [Enter]> ")

    def clear_prompt(self) -> None:
        self.console.prompt("")

    def show_waiting(self, table: Table, name: str) -> None:
        self.console.print(f"Waiting for {who_owes_what(table, name)}.")

    def show_refusal(self, code: str, sentence: str) -> None:
        self.console.print(sentence)

    def info(self, *lines: str) -> None:
        self.console.print(*lines)

    def confirm(self, what: str, sentence: str) -> None:
        self.console.prompt("")
        self.console.print(sentence)
        self.ask_again(what)

    def ask_again(self, what: str) -> None:
        """Show the prompt of a question that `confirm` has asked."""
        self.console.prompt(f"{_CONFIRMED[what]}, yes or no> ")

    def ask_which(self, moves: tuple[Move, ...], view: View) -> None:
        self.console.print(*which_lines(moves, view, self.style))
        self.ask_which_again(moves)

    def ask_which_again(self, moves: tuple[Move, ...]) -> None:
        numbers = "1 or 2" if len(moves) == 2 else f"1 to {len(moves)}"
        self.console.prompt(f"which, {numbers} (or another move)> ")

    def chat(self, seat: int, name: str, text: str) -> None:
        said = does(at_start(name), "say")
        if name != YOU and text.startswith(AGAIN):
            said, text = f"{at_start(name)} said earlier", text.removeprefix(AGAIN)
        line = f"{said}: {safe_quote(text)}"
        if len(self._recent) < _MOST_REPEATED:
            self._recent.append(lambda: [line])
        self.console.print(line)

    def show_end(
        self,
        code: str,
        sentence: str,
        status: int,
        log: str | None,
        resume: str | None = None,
        name: str | None = None,
    ) -> None:
        """Say how a match ended. *resume*: its name, if it can be resumed. *name*: its name, if
        both players accepted it and its log convicts nobody."""
        self.console.prompt("")
        if code == "finished" and name is not None:
            self.console.print("No cheating found: every card, move and point was checked.")
            self.console.print(f"To see it again: {self.command} replay {name}", whole=True)
            return
        self.console.print(isolate_quotes(safe(sentence, limit=1_000)))  # it may quote a goodbye
        if resume is not None:
            self.console.print(f"To continue: {self.command} resume {resume}", whole=True)
        elif name is not None:
            self.console.print(f"To see it again: {self.command} replay {name}", whole=True)
        elif log is not None:
            self.console.print(
                f"The log is in {safe(log, limit=1_000)}",
                f"To check it: {self.command} verify {safe(quoted(log), limit=1_000)}",
                whole=True,
            )

    def use_settings(self, settings: Settings) -> None:
        self.settings = settings
        self.style = replace(self.style, words=settings.words, four=settings.four_colours)


def _is_finished(table: Table) -> bool:
    return table.match is not None and table.match.finished


def _turn_question(view: View, style: Style, *, brief: bool) -> str:
    """Return the question for a move, with what Enter does. *brief*: omit cards just shown."""
    hand = view.hand
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match hand.phase:
        case Phase.FIRST_UPCARD | Phase.SECOND_UPCARD:
            return f"take {upcard} or pass"
        case Phase.DRAW:
            enter = " [Enter]" if enter_move(view) else ""
            counts = take_counts(view)
            more = f", or more [take {counts[0]}]" if counts else ""
            return f"draw{enter} or take{more}" if brief else f"draw{enter} or take {upcard}{more}"
        case Phase.LAST_CHANCE:
            may = may_do(view, style)
            return may if enter_move(view) is None else f"{may} [Enter]"
        case Phase.LAY_OFF:
            return "spread your cards [Enter]"
    ways = may_do(view, style)
    if not brief and hand.taken is not None and view.cards & hand.taken.bit:
        return ways.replace("discard", f"discard (not {style.the(hand.taken)})", 1)
    return ways


# --- for a program ----------------------------------------------------------------------


class ProgramPresenter:
    """Prints the same news in the same order, as the lines that cli.text.event_lines documents. No
    setting changes them. PersonPresenter documents the methods."""

    style = Style()
    sort = Sort.MELDS
    brief = shows_hand = False

    def __init__(self, console: Console) -> None:
        self._console = console

    def _tell(self, event: str) -> None:
        self._console.print(f"event {event}")

    def shows_hand_in(self, view: View) -> bool:
        return False

    def begin_waiting(
        self,
        addresses: Sequence[ReachableAddress],
        key: str,
        *,
        port: int | None,
        friend: str | None = None,
    ) -> None:
        listed = ", ".join(str(each.address) for each in addresses)
        reach = ",".join(each.reach.value for each in addresses)
        self._tell(f"listening addresses={events.quoted(listed)} reach={reach} fingerprint={key}")

    def await_guest(
        self,
        waiting: str,
        otherwise: str,
        invite: str,
        addresses: Sequence[ReachableAddress],
        key: str,
    ) -> None:
        self._console.print(invite, whole=True)
        self.begin_waiting(addresses, key, port=None)

    def begin_joining(self, addresses: str, key: str, host: bytes | None) -> None:
        self._tell(f"joining addresses={events.quoted(addresses)} fingerprint={key}")

    def show_reply(self, why: str, reply: str, then: str = "") -> None:
        self._console.print(f"reply: {reply}")
        self._tell(f"unreached text={events.quoted(why)}")

    def show_dialling(self, addresses: str, key: str) -> None:
        self._tell(f"dialling addresses={events.quoted(addresses)} fingerprint={key}")

    def connected(self, peer: PeerInfo, *, back: str | None = None) -> None:
        known = "none" if peer.known_as is None else events.quoted(peer.known_as)
        self._tell(
            f"connected fingerprint={peer.fingerprint} address={events.quoted(peer.address)} "
            f"known-as={known} bot={events.yes_no(peer.bot)}"
        )

    def show_event(
        self, event: Admitted, seat: int, drawn: Card | None, deadwood: int | None = None
    ) -> None:
        self._console.print(*events.event_lines(event))
        if drawn is not None:
            self.show_drawn_card(drawn)

    def ask_consent(self, name: str, offer: m.Offer) -> None:
        rules = f"{display_name(name)} offers a match (rules: {offer.rules})."
        self.confirm("accept", " ".join((rules, *offer_lines(offer))))

    def show_shelved(self, match: str, sentence: str) -> None:
        self._tell(f"aside match={match} by={ROLES[HOST]} text={events.quoted(sentence)}")

    def hand(self, view: View, order: Sequence[Card] = ()) -> None:
        self._console.print(events.hand_line(view.known, view.hand.rules))

    def show_resumed_match(self, table: Table, own: int | None) -> None:
        self._tell(f"resumed {_standing(table)}")

    def show_drawn_card(self, card: Card) -> None:
        self._tell(f"drawn card={card}")

    def show_paused_match(self, table: Table, own: int | None) -> None:
        self._tell(f"paused {_standing(table)}")

    def pause(self, word: Pause, seat: int, name: str) -> None:
        self._tell(f"pause seat={ROLES[seat]} what={_PAUSE_WORDS[word]}")

    def show_absence(self, name: str, sentence: str, *, resumable: bool) -> None:
        self._tell(f"away text={events.quoted(sentence)}")

    def show_long_absence(self, name: str, minutes: int, *, resumable: bool) -> None:
        self._tell(f"still-away minutes={minutes}")

    def show_long_wait(self, table: Table, name: str, minutes: int) -> None:
        if table.owed_by is not None:
            self._tell(f"still-waiting seat={ROLES[table.owed_by]} minutes={minutes}")

    def turn(self, view: View, *, looked: bool = False) -> None:
        if can_go_big_gin(view):
            self._tell("can-knock discard=none count=0")
        for option in knock_options(view):
            self._tell(f"can-knock discard={option.discard} count={option.deadwood}")
        melds, adds = layable(view)
        if melds or adds:
            self._tell(f"can-lay melds={melds_word(melds)} adds={adds_word(adds)}")
        for count in take_counts(view):
            for move in takes_of(count, view):
                laid, added = melds_word(move.lay.melds), adds_word(move.lay.adds)
                self._tell(f"can-take count={count} melds={laid} adds={added}")

    def ask(self, view: View, order: Sequence[Card] = ()) -> None:
        hand = view.hand
        self._tell(
            f"choose what={_WHAT[hand.phase]} upcard={card_word(hand.upcard)} "
            f"stock={hand.stock_left} limit={hand.knock_limit}"
        )

    def _ignore(self, *_: object, **__: object) -> None:
        """Print nothing: a program already knows this, or isn't asked."""

    show_offer = ask_aside = show_position = ask_for_next_hand = clear_prompt = _ignore
    forget_recent = _ignore
    ask_again = ask_which_again = _ignore

    def show_waiting(self, table: Table, name: str) -> None:
        what = events.AWAITED_WORDS.get(table.awaiting)
        if what is not None and table.owed_by is not None:
            self._tell(f"waiting seat={ROLES[table.owed_by]} what={what}")

    def show_refusal(self, code: str, sentence: str) -> None:
        self._tell(f"refused code={code} text={events.quoted(sentence)}")

    def repeat(self) -> None:
        self.info("A program has read everything already.")

    def info(self, *lines: str) -> None:
        for line in lines:
            self._tell(f"info text={events.quoted(line)}")

    def confirm(self, what: str, sentence: str) -> None:
        self._tell(f"confirm what={what} text={events.quoted(sentence)}")

    def ask_which(self, moves: tuple[Move, ...], view: View) -> None:
        for number, move in enumerate(moves, 1):
            match move:
                case Knock(_, melds, dead):
                    words = f"melds={melds_word(melds)} deadwood={events.set_word(dead)} adds=none"
                case TakeDiscards(_, Lay(melds, adds)) | Lay(melds, adds):
                    words = f"melds={melds_word(melds)} deadwood=none adds={adds_word(adds)}"
                case _:
                    continue
            self._tell(f"arrangement number={number} {words}")

    def chat(self, seat: int, name: str, text: str) -> None:
        self._tell(f"chat seat={ROLES[seat]} text={events.quoted(text)}")

    def show_end(
        self,
        code: str,
        sentence: str,
        status: int,
        log: str | None,
        resume: str | None = None,
        name: str | None = None,
    ) -> None:
        # The path isn't sanitised, because a program must be able to open it.
        where = "none" if log is None else json.dumps(log)
        self._tell(
            f"end code={code} text={events.quoted(sentence)} status={status} log={where} "
            f"resume={resume or 'none'}"
        )


_PAUSE_WORDS = {Pause.ASK: "asked", Pause.DECLINE: "declined", Pause.WITHDRAW: "withdrawn"}


def _standing(table: Table) -> str:
    host, guest = (0, 0) if table.match is None else table.match.scores
    upcard = card_word(None if table.hand is None else table.hand.upcard)
    owes = "none" if table.owed_by is None else ROLES[table.owed_by]
    return (
        f"hand={table.hand_number} entries={table.sequence} host={host} guest={guest} "
        f"upcard={upcard} next={owes} awaits={events.AWAITED_WORDS.get(table.awaiting, 'none')}"
    )


_WHAT = {
    Phase.FIRST_UPCARD: "upcard",
    Phase.SECOND_UPCARD: "upcard",
    Phase.FIRST_DRAW: "draw",
    Phase.DRAW: "draw",
    Phase.DISCARD: "discard",
    Phase.LAST_CHANCE: "last-chance",
    Phase.LAY_OFF: "spread",
}

Presenter = PersonPresenter | ProgramPresenter
"""Shows everything to our player: to a person as sentences, to a program as event lines."""
