"""`ginpeer replay`: a stored match again, move by move.

# Rule 1: the log is verified first, all of it, by the referee. Only entries that hold are shown,
#         and how the rest failed is said at the end.
# Rule 2: a hand is shown where its seed is known and belongs to it: disclosed in the log and
#         audited by the referee, or kept in this machine's own store and equal to what was
#         committed to. Otherwise only what everybody saw is shown.
# Rule 3: a step has the number of its entry, the one that `verify` names when it fails.
# Rule 4: a log may be as long as a log can be, and a stranger's. What is kept of its entries until
#         all are verified has no proofs, and nothing that grows with the number of hands; steps are
#         made while they are printed. So it takes half as much memory again as `verify` at most.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cli.commands.logs import open_log, own_seeds, own_settings
from cli.commands.verify import headline, judge_log, players, what_happened
from cli.failure import Failure
from cli.terminal.lines import tell
from cli.words.board import table_lines
from cli.words.cards import Style, style_for
from cli.words.event_lines import event_line, event_lines, hand_line
from cli.words.evidence import ROLES
from cli.words.grammar import plural
from cli.words.narration import narrate
from cli.words.score_sheet import hand_lines, score_sheet
from ginpeer.names.quoting import QUOTE
from ginpeer.names.shown import display_names, safe
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.referee.verdict import Finding, Verdict
from ginpeer.rules.cards import CARDS, Card, cards_of, mask_of
from ginpeer.rules.hand import Phase
from protocol import messages as m
from protocol.crypto.elgamal import Ciphertext
from protocol.deck.context import seed_commitment
from protocol.deck.reading import read_card
from protocol.deck.secrets import HandSecrets


def run_replay(args: Namespace) -> int:
    """Show the match; the exit status is the verdict's, as with `verify`."""
    watched = Watched()
    with open_log(args.log, args.home) as log:
        verdict = judge_log(log, watched)
    table = verdict.table
    only = None if args.seat is None else seat_named(args.seat, table)
    reader = HandReader(table, own_seeds(args.home, table.table_id), only)
    style = Style() if args.events else _own_style(args.home)
    steps = steps_of(watched, reader, style)
    if args.hand is not None:
        of_hand = [step for step in steps if step.hand == args.hand]
        if not of_hand:
            raise Failure("no-such-hand", f"There is no hand {args.hand}: {_hands_in(table)}")
        steps = iter(of_hand)
    if args.events:
        for line in (line for step in steps for line in step.events):
            print(line)
    else:
        settled = any(isinstance(event.message, m.Settle) for event in watched)
        sheet = _sheet(verdict, settled=settled) if args.hand is None else []
        _show(verdict, (step for step in steps if step.lines), reader, sheet)
    return verdict.finding.value


class Watched(list[Admitted]):
    """Every entry that was admitted, as much of it as is shown (rule 4)."""

    def append(self, event: Admitted) -> None:
        before = self[-1].after if self else _light(event.before)
        message = _without_proofs(event.message)
        super().append(Admitted(event.sequence, event.author, message, before, _light(event.after)))


def _light(table: Table) -> Table:
    """The table without what is kept of every hand for the audit, and of every move for a bot."""
    hand = None if table.hand is None else table.hand._replace(moves=())
    return replace(table, records=(), seeds=(), hand=hand)


def _without_proofs(message: m.Message) -> m.Message:
    """The message without the bytes that are for the referee alone."""
    match message:
        case m.DealDeck():
            return replace(message, possession=b"", deck=b"", argument=b"")
        case m.DealShuffle():
            return replace(message, deck=b"", argument=b"", shares=b"", proof=b"")
        case m.DealShares():
            return replace(message, shares=b"", proof=b"")
        case m.Share():
            return replace(message, share=b"", proof=b"")
        case m.Discard() | m.Knock() | m.Lay():
            return replace(message, hand=b"", argument=b"", opening=b"")
        case m.TakeDiscards():
            return replace(message, lay=replace(message.lay, hand=b"", argument=b"", opening=b""))
        case _:
            return message


def _own_style(home: str | None) -> Style:
    """The style of this output, with the cards in words where the player likes them so."""
    return replace(style_for(sys.stdout), words=own_settings(home).words)


def seat_named(text: str, table: Table) -> int:
    """The seat of "host", "guest" or a player's name. Raises Failure."""
    wanted = text.strip().strip(QUOTE).casefold()
    if wanted in ROLES:
        return ROLES.index(wanted)
    names = display_names(table.names)
    ways = [{shown, safe(own)} for shown, own in zip(names, table.names, strict=True)]
    found = [
        seat
        for seat in (0, 1)
        if wanted in (way.replace(QUOTE, "").casefold() for way in ways[seat])
    ]
    if len(found) != 1:
        why = "Both players have that name" if found else "Nobody of that name played"
        raise Failure(
            "no-such-seat",
            f"{why}: {names[0]} was the host and {names[1]} the guest.",
        )
    return found[0]


class HandReader:
    """Opens the hands whose seeds are known; every card is unmasked once."""

    def __init__(self, table: Table, own: Mapping[int, bytes], only: int | None) -> None:
        """*own*: seeds from this machine's store, by hand; *only*: the one seat to show."""
        self.only = only
        self._secrets: dict[tuple[int, int], HandSecrets] = {
            (seed.hand, seed.seat): HandSecrets(seed.seed) for seed in table.seeds
        }
        self._disclosed = frozenset(self._secrets)
        self._read: dict[Ciphertext, Card] = {}  # of the hand that was looked at last
        self._hand = 0
        for record in table.records:
            seed = own.get(record.number)
            for seat, player in enumerate(record.players):
                if seed is None or player is None or len(seed) != 32:
                    continue
                commitment = seed_commitment(table.table_id, record.number, seat, seed)
                if commitment == player.commitment:
                    self._secrets.setdefault((record.number, seat), HandSecrets(seed))

    def shows(self, hand: int, seat: int) -> bool:
        """Whether this seat's cards in this hand are known and wanted."""
        return self.only in (None, seat) and (hand, seat) in self._secrets

    def was_disclosed(self, hand: int, seat: int) -> bool:
        """Whether the log itself gives these cards away."""
        return (hand, seat) in self._disclosed

    def cards(self, table: Table, seat: int) -> tuple[Card, ...] | None:
        """The seat's cards in the order of the deck, or None where they are not shown."""
        if table.deck is None or not self.shows(table.hand_number, seat):
            return None
        if table.hand_number != self._hand:
            self._hand, self._read = table.hand_number, {}
        try:
            return tuple(
                self._card(ciphertext, table.hand_number, seat)
                for ciphertext in table.deck.hands[seat]
            )
        except ValueError:  # an own seed that is not the one the cards were dealt with
            return None

    def _card(self, ciphertext: Ciphertext, hand: int, seat: int) -> Card:
        card = self._read.get(ciphertext)
        if card is None:
            card = CARDS[read_card(ciphertext, self._secrets[hand, seat])]
            self._read[ciphertext] = card
        return card


# --- the steps ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened: for a person, and as lines for programs."""

    entry: int
    hand: int
    """0 before the first hand."""
    lines: tuple[str, ...]
    events: tuple[str, ...]


def steps_of(watched: Sequence[Admitted], reader: HandReader, style: Style) -> Iterator[Step]:
    """What happened, in order. A draw and the share for it are one step; who owes the share can
    resign instead, and then nobody has seen the card."""
    for at, event in enumerate(watched):
        if isinstance(event.message, m.Share):
            continue
        last, drawn = event, None
        if isinstance(event.message, m.DrawStock) and _is_shared(watched[at + 1 : at + 2]):
            last = watched[at + 1]
            cards = reader.cards(last.after, event.author)
            drawn = cards[-1] if cards else None
        told = narrate(event, style) if drawn is None else narrate(last, style, drawn=drawn)
        events = event_lines(event)
        if not told and not events:
            continue
        number = 0 if _is_closing(event) else event.before.hand_number
        if drawn is not None:
            events.append(event_line("drawn", card=str(drawn), seat=ROLES[event.author]))
        lines = _numbered(event.sequence, number, told)
        if _has_board(last):
            lines += _board(last.after, reader, style)
            events += _board_events(last.after, reader)
        yield Step(event.sequence, number, tuple(lines), tuple(events))


def _is_shared(following: Sequence[Admitted]) -> bool:
    """Whether the entry after a draw, if there is one, is the share for it."""
    return any(isinstance(event.message, m.Share) for event in following)


def _is_closing(event: Admitted) -> bool:
    """Whether this entry is about the match and no longer about its last hand."""
    match = event.before.match
    return match is not None and match.finished


def _numbered(entry: int, hand: int, told: Sequence[str]) -> list[str]:
    if not told:
        return []
    where = f"Hand {hand}, entry {entry}: " if hand else f"Entry {entry}: "
    first = told[0].removeprefix(f"Hand {hand}: ")
    return [where + first, *(f"  {line}" for line in told[1:])]


_WITH_BOARD = (
    m.DealShares,
    m.Pass,
    m.TakeUpcard,
    m.TakeDiscards,
    m.DrawStock,
    m.Share,
    m.Lay,
    m.Discard,
    m.Knock,
)


def _has_board(event: Admitted) -> bool:
    """Whether hands and piles are worth showing: something of them has just changed."""
    hand = event.after.hand
    return isinstance(event.message, _WITH_BOARD) and hand is not None


def _board(table: Table, reader: HandReader, style: Style) -> list[str]:
    """Both hands, sorted into melds and deadwood, and the piles."""
    hand = table.hand
    if hand is None:
        return []
    lines, names = [], display_names(table.names)
    for seat, name in enumerate(names):
        cards = reader.cards(table, seat)
        if hand.knocker == seat:
            continue  # whose melds have just been told
        shown = (
            _hidden(table, seat, style) if cards is None else style.hand(mask_of(cards), hand.rules)
        )
        lines.append(f"  {name}: {shown}.")
    if hand.phase is not Phase.LAY_OFF and hand.rules.mahjong:
        lines += [f"  {line}" for line in table_lines(hand, style, names)]
    elif hand.phase is not Phase.LAY_OFF:
        upcard = "none" if hand.upcard is None else style.card(hand.upcard)
        lines.append(f"  Upcard: {upcard}; stock: {plural(hand.stock_left, 'card')}.")
    return lines


def _hidden(table: Table, seat: int, style: Style) -> str:
    """What everybody knows of a hand that is not shown."""
    if table.deck is None or table.hand is None:
        return "hidden"
    count = plural(len(table.deck.hands[seat]), "card")
    held = table.hand.known_held(seat)
    return f"{count}, seen taken: {style.cards(cards_of(held))}" if held else f"{count}, hidden"


def _board_events(table: Table, reader: HandReader) -> list[str]:
    """The hands as lines for programs, like those at the table, with the seat behind."""
    lines = []
    for seat in (0, 1):
        cards = reader.cards(table, seat)
        if cards is not None and table.hand is not None:
            lines.append(hand_line(mask_of(cards), table.hand.rules, seat))
    return lines


# --- on the screen -----------------------------------------------------------------------


def _show(
    verdict: Verdict, steps: Iterator[Step], reader: HandReader, sheet: Sequence[str]
) -> None:
    tell(*_heading(verdict, reader))
    if all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        if not _walk(tuple(steps)):
            return
    else:
        for step in steps:
            tell(*step.lines)
    tell(*sheet)
    if verdict.finding is not Finding.VALID:
        tell(f"The log ends here. {headline(verdict)}", *what_happened(verdict))


def _sheet(verdict: Verdict, *, settled: bool) -> list[str]:
    """The score sheet, without the account if the settlement has just told it."""
    match, names = verdict.table.match, display_names(verdict.table.names)
    if match is None:
        return []
    lines = hand_lines(match, names)
    if not settled and (lines or match.finished):
        lines = score_sheet(match, names)
    return ["The score sheet:", *lines] if lines else []


def _heading(verdict: Verdict, reader: HandReader) -> list[str]:
    table = verdict.table
    lines = [headline(verdict), *players(table)]
    for seat, name in enumerate(display_names(table.names)):
        lines.append(f"The cards of {name}: {_shown(table, reader, seat)}.")
    return lines


def _shown(table: Table, reader: HandReader, seat: int) -> str:
    if reader.only == 1 - seat:
        return "hidden, because the other player's view was asked for"
    dealt = [record.number for record in table.records]
    shown = [number for number in dealt if reader.shows(number, seat)]
    if not shown:
        return "hidden, because they are not disclosed"
    own = not all(reader.was_disclosed(number, seat) for number in shown)
    source = "from this machine's own records" if own else "disclosed in the log"
    if shown == dealt:
        return f"shown, {source}"
    return f"shown in {len(shown)} of {plural(len(dealt), 'hand')}, {source}"


def _hands_in(table: Table) -> str:
    if not table.hand_number:
        return "the log ends before the first hand."
    if table.hand_number == 1:
        return "the log has one hand, number 1."
    return f"the log has hands 1 to {table.hand_number}."


def _walk(steps: Sequence[Step]) -> bool:
    """Step by step at a terminal; whether the end was reached."""
    tell("Enter goes on, the number of a hand jumps to it, q quits.")
    at = 0
    while at < len(steps):
        tell(*steps[at].lines)
        at += 1
        while True:
            try:
                typed = input("> ").strip().casefold()
            except EOFError:
                print()
                return False
            if typed in ("q", "quit"):
                return False
            if not typed:
                break
            jump = _first_step_of(typed, steps)
            if jump is not None:
                at = jump
                break
            tell(_keys(steps))
    return True


def _first_step_of(typed: str, steps: Sequence[Step]) -> int | None:
    for at, step in enumerate(steps):
        if step.hand and typed == str(step.hand):
            return at
    return None


def _keys(steps: Sequence[Step]) -> str:
    numbers = sorted({step.hand for step in steps if step.hand})
    if len(numbers) < 2:
        return "Enter goes on, q quits; there is no other hand to jump to."
    return f"Enter, q, or the number of a hand: {numbers[0]} to {numbers[-1]}."
