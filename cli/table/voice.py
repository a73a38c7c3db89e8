"""What the table says: to a person in sentences, to a program in event lines.

# The table (cli/table/table.py) decides what is to be said and when; how, is decided here. Both
# voices are told the same things, in the same order.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import Protocol

from cli.table.lays import layable, several
from cli.table.moves import (
    KnockOption,
    Question,
    could_end,
    ending_words,
    enter_move,
    knock_options,
    may_do,
    options_text,
    several_counts,
)
from cli.terminal.console import Console
from cli.words.board import lay_text, pile_line, stock_text, upcard_line
from cli.words.cards import Sort, Style
from cli.words.event_lines import (
    AWAITED_WORDS,
    SEAT_WORDS,
    adds_word,
    card_word,
    event_line,
    event_lines,
    hand_line,
    melds_word,
    quoted,
    set_word,
)
from cli.words.grammar import YOU, does, lapse
from cli.words.narration import narrate
from cli.words.offers import offer_lines
from cli.words.standing import standing_lines, waiting_for
from ginpeer.names.shown import (
    called,
    in_marks,
    isolated,
    safe,
)
from ginpeer.net.roles import PeerInfo
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import HOST, Table
from ginpeer.rules.cards import Card, cards_of
from ginpeer.rules.hand import WALL, Phase
from ginpeer.rules.moves import Knock, Lay, Move, Spread, TakeDiscards
from ginpeer.rules.parameters import Wall
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import mahjong_value
from ginpeer.rules.view import View
from protocol import messages as m
from protocol.frames import Pause


class Voice(Protocol):
    """One way to tell a player everything."""

    def begin_waiting(self, addresses: str, key: str, *, again: bool, port: int | None) -> None:
        """The host waits at these addresses; *key* is the fingerprint of its own key. *again*: for
        the guest of a match that goes on. *port*: where it listens, if the addresses are its
        player's word for how it is reached from elsewhere."""

    def begin_joining(self, addresses: str, key: str) -> None:
        """The guest tries these addresses; *key* is the host's, which the invite names."""

    def connected(self, peer: PeerInfo) -> None: ...

    def happened(self, event: Admitted, seat: int, drawn: Card | None) -> None:
        """An entry; *drawn* is the card that our own draw brought."""

    def offered(self, lines: list[str]) -> None:
        """A match is offered to us: what it is worth to know of it."""

    def ask_consent(self, name: str, offer: m.Offer) -> None:
        """Ask whether we accept it; again after every line that was no answer."""

    def ask_aside(self) -> None:
        """Ask whether a new match is begun and an unfinished one put aside; only a person is."""

    def put_aside(self, match: str, sentence: str) -> None:
        """An unfinished match is put aside for the one that was just agreed; it is always the host
        who offers one in the place of another."""

    def hand(self, view: View) -> None:
        """Our cards, without one that was drawn and has not come yet."""

    def going_on(self, table: Table, own: int | None) -> None:
        """A stored match is taken up again; *own* is our player's seat, None for a bot's."""

    def drew(self, card: Card) -> None:
        """Before that, our player has drawn this card and not discarded yet."""

    def paused(self, table: Table, own: int | None) -> None:
        """The match is put away by agreement: where it stands."""

    def pause(self, word: Pause, seat: int, name: str) -> None:
        """What the player at *seat* says of a pause; *name* is You where it is our own."""

    def away(self, name: str, sentence: str, *, resumable: bool) -> None:
        """The connection is lost, and the other player is waited for. *resumable*: a match was
        agreed, which can also go on another time."""

    def still_away(self, name: str, minutes: int) -> None:
        """The other player has been gone for so long."""

    def still_waiting(self, table: Table, name: str, minutes: int) -> None:
        """The other player is there, and has not moved for so long."""

    def turn(self, view: View) -> None:
        """It is our move: what lies on the table, which knocks, lays and spreads there are."""

    def ask(self, view: View) -> None:
        """Ask for that move; again after every line that was none."""

    def no_turn(self) -> None: ...

    def waiting(self, table: Table, name: str) -> None: ...

    def refused(self, code: str, sentence: str) -> None: ...

    def info(self, *lines: str) -> None:
        """The answer to a question of the player."""

    def confirm(self, what: str, sentence: str) -> None: ...

    def arrangements(self, question: Question, view: View) -> None: ...

    def chat(self, seat: int, name: str, text: str) -> None: ...

    def ended(
        self, code: str, sentence: str, status: int, log: str | None, resume: str | None = None
    ) -> None:
        """*resume*: the short name by which the match can go on another time."""


PRACTICE = "local"
"""The address of a bot in our own process (ginpeer.net.local)."""

# --- to a person --------------------------------------------------------------------

_CONFIRMED = {"quit": "leave the table", "resign": "resign the match", "spread": "lay it down"}


class PersonVoice:
    """Sentences on a terminal, with a prompt below them. ``style`` and ``sort`` are the player's
    to change."""

    def __init__(
        self, console: Console, style: Style, *, listens: bool = True, command: str = "ginpeer"
    ) -> None:
        """*listens*: whether what is typed is read at all. *command*: how this program is called
        with the same home."""
        self.style = style
        self._command = command
        self.sort = Sort.MELDS
        self._listens = listens
        self._console = console

    def begin_waiting(self, addresses: str, key: str, *, again: bool, port: int | None) -> None:
        where = (
            f"Waiting at {addresses}."
            if port is None
            else f"Waiting at port {port} of this machine; the invite leads to {addresses}."
        )
        self._console.print(
            "Your friend types ginpeer resume, or ginpeer join and this invite."
            if again
            else "Send this invite to your friend, who types: ginpeer join and the invite.",
            f"Your key is {key}. {where} To stop, "
            f"{'type quit' if self._listens else 'press Ctrl-C'}.",
        )

    def begin_joining(self, addresses: str, key: str) -> None:
        self._console.print(f"Looking for the host with the key {key} at {addresses}.")

    def connected(self, peer: PeerInfo) -> None:
        help_ = ["Type help to see what can be typed."] if self._listens else []
        if peer.address == PRACTICE:
            self._console.print("You play against the bot.", *help_)
            return
        known = (
            "You have not met this key before."
            if peer.known_as is None
            else f"You know this key as {in_marks(peer.known_as)}."
        )
        self._console.print(
            f"Connected with {safe(peer.address)}. "
            f"The other player's key is {peer.fingerprint}. {known}",
            *help_,
        )

    def happened(self, event: Admitted, seat: int, drawn: Card | None) -> None:
        self._console.print(*narrate(event, self.style, seat, drawn))

    def offered(self, lines: list[str]) -> None:
        self._console.print(*lines, "Type rules to have them explained.")

    def ask_consent(self, name: str, offer: m.Offer) -> None:
        self._console.prompt("accept the match, yes or no> ")

    def ask_aside(self) -> None:
        self._console.prompt("begin a new match, yes or no> ")

    def put_aside(self, match: str, sentence: str) -> None:
        self._console.print(sentence)

    def hand(self, view: View) -> None:
        self._console.print(
            f"Your hand: {self.style.hand(view.known, view.hand.rules, self.sort)}."
        )

    def going_on(self, table: Table, own: int | None) -> None:
        rules = "" if table.match is None else f"; the rules: {table.match.rules}"
        self._console.print(
            f"The match goes on where it was, with hand {table.hand_number}{rules}.",
            *standing_lines(table, self.style, own),
        )

    def drew(self, card: Card) -> None:
        self._console.print(f"The card that you have just drawn is {self.style.the(card)}.")

    def paused(self, table: Table, own: int | None) -> None:
        self._console.prompt("")
        self._console.print(*standing_lines(table, self.style, own))

    def pause(self, word: Pause, seat: int, name: str) -> None:
        ours = name == YOU
        match word:
            case Pause.ASK if ours:
                told = (
                    "You ask for a pause. The game goes on until the other player says yes; no "
                    "takes the question back."
                )
            case Pause.ASK:
                told = (
                    f"{name} asks for a pause: the match would be put away, to go on another time. "
                    "Type yes or no; you can also play on first."
                )
            case Pause.DECLINE:
                told = f"{does(name, 'play')} on: no pause for now."
            case Pause.WITHDRAW:
                told = f"{does(name, 'take')} the question for a pause back."
        self._console.print(told)

    def away(self, name: str, sentence: str, *, resumable: bool) -> None:
        self._console.prompt("")
        again = ", and ginpeer resume goes on another time" if resumable else ""
        self._console.print(f"{sentence} Waiting for {name} to come back; quit leaves{again}.")

    def still_away(self, name: str, minutes: int) -> None:
        self._console.print(
            f"{name} has been gone for {lapse(minutes)}. Wait, or type quit to close; "
            "ginpeer resume goes on another time."
            if self._listens
            else f"{name} has been gone for {lapse(minutes)}. Wait, or press Ctrl-C to close; "
            "ginpeer resume goes on another time."
        )

    def still_waiting(self, table: Table, name: str, minutes: int) -> None:
        self._console.print(
            f"{name} is still there, and has had {lapse(minutes)} {waiting_for(table)}."
        )

    def turn(self, view: View) -> None:
        self._console.print(*self._situation(view))

    def _situation(self, view: View) -> list[str]:
        hand = view.hand
        match hand.phase:
            case Phase.FIRST_DRAW:
                passed = "" if hand.first_upcard is None else "Both players passed; "
                return [f"{passed}{stock_text(hand)}."]
            case Phase.DRAW if hand.rules.mahjong:
                lines = [pile_line(hand, self.style), f"{stock_text(hand)}."]
                return [*lines, *self._ways_to_take(view)]
            case Phase.DRAW if not hand.moves:  # the upcard has just been told
                return [f"{stock_text(hand)}."]
            case Phase.DRAW:
                return [upcard_line(hand, self.style)]
            case Phase.LAST_CHANCE:
                return self._last_chance(view)
            case Phase.DISCARD:
                return [
                    *self._last_cards(view),
                    *self._ways_to_lay(view),
                    *self._ways_to_knock(knock_options(view)),
                ]
            case Phase.LAY_OFF:
                return self._ways_to_spread(view)
        return []

    def _ways_to_take(self, view: View) -> list[str]:
        pile = view.hand.pile
        shown = "; ".join(
            f"take {count}, down to {self.style.the(pile[-count])}"
            for count in several_counts(view)
        )
        return [f"You can take several cards: {shown}."] if shown else []

    def _last_chance(self, view: View) -> list[str]:
        hand = view.hand
        if hand.rules.mahjong or could_end(view):
            return [f"If you pass, or take it and do not {ending_words(hand)}, the hand is void."]
        return ["You could not end the hand with it; if you pass, the hand is void."]

    def _last_cards(self, view: View) -> list[str]:
        """What a plain discard means when the stock is used up."""
        hand = view.hand
        if hand.stock_left != WALL:
            return []
        if hand.taken is None and hand.rules.wall is Wall.LAST_DISCARD:
            return ["The stock is used up: the other player may take your discard to end the hand."]
        return [f"The stock is used up: if you do not {ending_words(hand)} now, the hand is void."]

    def _ways_to_lay(self, view: View) -> list[str]:
        melds, adds = layable(view)
        lines = []
        if melds:
            lines.append(f"You can lay {self.style.melds(melds)}.")
        if adds:
            shown = ", ".join(f"{self.style.the(card)} to meld {at + 1}" for card, at in adds)
            lines.append(f"You can add {shown}.")
        return lines

    def _ways_to_knock(self, options: tuple[KnockOption, ...]) -> list[str]:
        lines = []
        if any(option.discard is None for option in options):
            lines.append("You can go big gin: all eleven cards are melded.")
        gin = [option for option in options if option.discard is not None and not option.deadwood]
        if gin:
            lines.append(f"You can go gin: {options_text(gin, self.style, 'gin')}.")
        knocks = [option for option in options if option.deadwood]
        if knocks and not lines:
            lines.append(f"You can knock: {options_text(knocks, self.style)}.")
        return lines

    def _ways_to_spread(self, view: View) -> list[str]:
        style, open_melds, rules = self.style, view.hand.open_melds, view.hand.rules
        best = enter_move(view)
        if not isinstance(best, Spread):
            return []
        if rules.mahjong:
            count = mahjong_value(best.deadwood)
            return [f"You are left with {style.dearest(best.deadwood, rules)}, counting {count}."]
        parts = [f"melds {style.melds(best.melds)}"]
        if best.layoffs:
            laid = ", ".join(f"{style.the(card)} on meld {at + 1}" for card, at in best.layoffs)
            parts.append(f"lay off {laid}")
        parts.append(f"deadwood {style.deadwood(best.deadwood, rules)}")
        ways = view.hand.melding
        fits = any(ways.fits(card, meld) for card in cards_of(view.cards) for meld in open_melds)
        if not open_melds:
            may = "Against gin nothing can be laid off."
        elif fits:
            may = f"You may lay off on {style.numbered_melds(open_melds)}."
        else:
            may = "None of your cards can be laid off."
        return [may, f"The best spread: {'; '.join(parts)}."]

    def ask(self, view: View) -> None:
        self._console.prompt(f"{self._question(view)}> ")

    def _question(self, view: View) -> str:
        hand = view.hand
        upcard = "the upcard" if hand.upcard is None else self.style.the(hand.upcard)
        match hand.phase:
            case Phase.FIRST_UPCARD | Phase.SECOND_UPCARD:
                return f"take {upcard} or pass"
            case Phase.FIRST_DRAW:
                return "draw [Enter draws]"
            case Phase.DRAW:
                enter = " [Enter draws]" if enter_move(view) else ""
                more = ", or several" if several_counts(view) else ""
                return f"draw or take {upcard}{more}{enter}"
            case Phase.LAST_CHANCE:
                enter = "" if enter_move(view) is None else " [Enter passes]"
                return f"take {upcard} to {ending_words(hand)}, or pass{enter}"
            case Phase.LAY_OFF if hand.rules.mahjong:
                return "show your cards [Enter shows them]"
            case Phase.LAY_OFF:
                return "spread [Enter lays the best]"
        ways = may_do(view, self.style)
        if hand.taken is not None and view.cards & hand.taken.bit:
            return f"{ways} (not {self.style.the(hand.taken)}, just taken)"
        return ways

    def no_turn(self) -> None:
        self._console.prompt("")

    def waiting(self, table: Table, name: str) -> None:
        self._console.print(f"Waiting for {name} {waiting_for(table)}.")

    def refused(self, code: str, sentence: str) -> None:
        self._console.print(sentence)

    def info(self, *lines: str) -> None:
        self._console.print(*lines)

    def confirm(self, what: str, sentence: str) -> None:
        self._console.prompt("")
        self._console.print(sentence)
        self._console.prompt(f"{_CONFIRMED[what]}, yes or no> ")

    def arrangements(self, question: Question, view: View) -> None:
        moves, rules = question.moves, view.hand.rules
        first = moves[0]
        if isinstance(first, Knock):
            what = self._ways_to_show(moves, view)
        elif isinstance(first, TakeDiscards):
            what = f"take {first.count} and lay the lowest"
        else:
            what = "lay that"
        self._console.print(f"There are {len(moves)} ways to {what}.")
        for number, move in enumerate(moves, 1):
            self._console.print(f"{number}: {self._way(move, rules)}.")
        self._console.prompt(f"which, 1 to {len(moves)}> ")

    def _ways_to_show(self, knocks: tuple[Move, ...], view: View) -> str:
        """What the arrangements of a knock differ in; said from the own cards and the pile alone,
        so that it tells nothing of the other hand."""
        pips = view.hand.melding.pips
        counts = [pips(knock.deadwood) for knock in knocks if isinstance(knock, Knock)]
        if counts[0] == counts[-1]:
            return (
                f"show a hand that leaves {counts[0]}; they differ in what can be laid off on them"
            )
        return (
            "show your hand. To hold cards back leaves more deadwood, and may win more all the "
            "same: less can be laid off then"
        )

    def _way(self, move: Move, rules: RuleSet) -> str:
        match move:
            case Knock():
                deadwood = self.style.deadwood(move.deadwood, rules)
                return f"melds {self.style.melds(move.melds)}; deadwood {deadwood}"
            case TakeDiscards(_, lay):
                return lay_text(lay, self.style)
            case Lay():
                return lay_text(move, self.style)
        return str(move)

    def chat(self, seat: int, name: str, text: str) -> None:
        self._console.print(f"{name} says: {in_marks(text)}")

    def ended(
        self, code: str, sentence: str, status: int, log: str | None, resume: str | None = None
    ) -> None:
        self._console.prompt("")
        self._console.print(isolated(safe(sentence, limit=1_000)))  # it may quote a goodbye
        if log is not None:
            self._console.print(
                f"The log is in {safe(log, limit=1_000)}",
                f"To check it: ginpeer verify {safe(shlex.quote(log), limit=1_000)}",
                whole=True,
            )
        if resume is not None:
            command = safe(self._command, limit=1_000)
            self._console.print(f"To go on with this match: {command} resume {resume}", whole=True)

    def set_words(self, on: bool) -> None:
        """Cards in words, or as signs."""
        self.style = replace(self.style, words=on)


# --- to a program -------------------------------------------------------------------


class ProgramVoice:
    """The event lines that cli.words.event_lines documents."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def _tell(self, name: str, /, **fields: str | int) -> None:
        self._console.print(event_line(name, **fields))

    def begin_waiting(self, addresses: str, key: str, *, again: bool, port: int | None) -> None:
        self._tell("listening", addresses=quoted(addresses), fingerprint=key)

    def begin_joining(self, addresses: str, key: str) -> None:
        self._tell("joining", addresses=quoted(addresses), fingerprint=key)

    def connected(self, peer: PeerInfo) -> None:
        known = "none" if peer.known_as is None else quoted(peer.known_as)
        address = quoted(peer.address)
        self._tell("connected", fingerprint=peer.fingerprint, address=address, known_as=known)

    def happened(self, event: Admitted, seat: int, drawn: Card | None) -> None:
        self._console.print(*event_lines(event))
        if drawn is not None:
            self._tell("drawn", card=str(drawn))

    def offered(self, lines: list[str]) -> None:
        """The question says it all in one line."""

    def ask_consent(self, name: str, offer: m.Offer) -> None:
        rules = f"{called(name)} offers a match by these rules: {offer.rules}."
        self.confirm("accept", " ".join((rules, *offer_lines(offer))))

    def ask_aside(self) -> None:
        """A program is told what is put aside, and not asked."""

    def put_aside(self, match: str, sentence: str) -> None:
        self._tell("aside", match=match, by=SEAT_WORDS[HOST], text=quoted(sentence))

    def hand(self, view: View) -> None:
        self._console.print(hand_line(view.known, view.hand.rules))

    def going_on(self, table: Table, own: int | None) -> None:
        self._tell("resumed", **_standing_words(table))

    def drew(self, card: Card) -> None:
        self._tell("drawn", card=str(card))

    def paused(self, table: Table, own: int | None) -> None:
        self._tell("paused", **_standing_words(table))

    def pause(self, word: Pause, seat: int, name: str) -> None:
        self._tell("pause", seat=SEAT_WORDS[seat], what=_PAUSE_WORDS[word])

    def away(self, name: str, sentence: str, *, resumable: bool) -> None:
        self._tell("away", text=quoted(sentence))

    def still_away(self, name: str, minutes: int) -> None:
        self._tell("still-away", minutes=minutes)

    def still_waiting(self, table: Table, name: str, minutes: int) -> None:
        if table.owed_by is not None:
            self._tell("still-waiting", seat=SEAT_WORDS[table.owed_by], minutes=minutes)

    def turn(self, view: View) -> None:
        for option in knock_options(view):
            discard = "none" if option.discard is None else str(option.discard)
            self._tell("can-knock", discard=discard, count=option.deadwood)
        melds, adds = layable(view)
        if melds or adds:
            self._tell("can-lay", melds=melds_word(melds), adds=adds_word(adds))
        for count in several_counts(view):
            for move in several(count, view):
                self._tell("can-take", count=count, **_lay_words(move.lay))

    def ask(self, view: View) -> None:
        hand = view.hand
        self._tell(
            "choose",
            what=_WHAT[hand.phase],
            upcard=card_word(hand.upcard),
            stock=hand.stock_left,
            limit=hand.knock_limit,
        )

    def no_turn(self) -> None:
        pass

    def waiting(self, table: Table, name: str) -> None:
        what = AWAITED_WORDS.get(table.awaiting)
        if what is not None and table.owed_by is not None:
            self._tell("waiting", seat=SEAT_WORDS[table.owed_by], what=what)

    def refused(self, code: str, sentence: str) -> None:
        self._tell("refused", code=code, text=quoted(sentence))

    def info(self, *lines: str) -> None:
        for line in lines:
            self._tell("info", text=quoted(line))

    def confirm(self, what: str, sentence: str) -> None:
        self._tell("confirm", what=what, text=quoted(sentence))

    def arrangements(self, question: Question, view: View) -> None:
        for number, move in enumerate(question.moves, 1):
            match move:
                case Knock():
                    words = {"melds": melds_word(move.melds), "deadwood": set_word(move.deadwood)}
                    self._tell("arrangement", number=number, **words, adds="none")
                case TakeDiscards(_, lay) | (Lay() as lay):
                    laid = _lay_words(lay)
                    self._tell(
                        "arrangement",
                        number=number,
                        melds=laid["melds"],
                        deadwood="none",
                        adds=laid["adds"],
                    )

    def chat(self, seat: int, name: str, text: str) -> None:
        self._tell("chat", seat=SEAT_WORDS[seat], text=quoted(text))

    def ended(
        self, code: str, sentence: str, status: int, log: str | None, resume: str | None = None
    ) -> None:
        where = "none" if log is None else json.dumps(log)  # a path is not cleaned: it must open
        self._tell(
            "end",
            code=code,
            text=quoted(sentence),
            status=status,
            log=where,
            resume=resume or "none",
        )


_PAUSE_WORDS = {Pause.ASK: "asked", Pause.DECLINE: "declined", Pause.WITHDRAW: "withdrawn"}


def _standing_words(table: Table) -> dict[str, str | int]:
    host, guest = (0, 0) if table.match is None else table.match.scores
    hand = table.hand
    return {
        "hand": table.hand_number,
        "entries": table.sequence,
        "host": host,
        "guest": guest,
        "upcard": card_word(None if hand is None else hand.upcard),
        "next": "none" if table.owed_by is None else SEAT_WORDS[table.owed_by],
        "awaits": AWAITED_WORDS.get(table.awaiting, "none"),
    }


def _lay_words(lay: Lay) -> dict[str, str]:
    return {"melds": melds_word(lay.melds), "adds": adds_word(lay.adds)}


_WHAT = {
    Phase.FIRST_UPCARD: "upcard",
    Phase.SECOND_UPCARD: "upcard",
    Phase.FIRST_DRAW: "draw",
    Phase.DRAW: "draw",
    Phase.DISCARD: "discard",
    Phase.LAST_CHANCE: "last-chance",
    Phase.LAY_OFF: "spread",
}
