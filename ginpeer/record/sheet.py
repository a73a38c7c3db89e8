"""Turn a record into a sheet, which ginpeer.notation writes as text.

Rule 1: a sheet is meant to be given away. It should show only the cards that everybody with the
        log knows, so pass a record without the seeds that only this machine has.
Rule 2: the tags of the sheet say whether the log is proven. If the log isn't valid to its end,
        the head of every hand says so, too. A sheet itself proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ginpeer.names import safe
from ginpeer.notation import Cards, Sheet, SheetMaker
from ginpeer.notation.sheet import result_value
from ginpeer.record.record import Record, start_time
from ginpeer.record.steps import RecordedHand, Step
from ginpeer.referee.referee import Finding, Verdict
from ginpeer.referee.table import ROLES
from ginpeer.rules.cards import CardSet, mask_of
from ginpeer.rules.match import Match
from ginpeer.rules.ruleset import STANDARD
from protocol import messages as m

_PROVEN = ("proof", "verdict", "owes", "hostkey", "guestkey")
"""The tags that only a log can vouch for."""
_NOT_SIGNED = "This match was typed and isn't signed, so there is nothing to verify."


def sheet_of(record: Record, hand: int | None = None) -> Sheet:
    """Return the match, or only this *hand*, as a sheet. Raises LookupError or UnreadableLog."""
    if record.typed is not None:
        return _typed(record.typed, hand)
    match, hands = record.match, record.hands
    maker = SheetMaker(STANDARD if record.rules is None else record.rules)
    if hand is not None:
        if match is None or not 1 <= hand <= len(hands):
            raise LookupError(f"there is no hand {hand}; the log has {len(hands)}")
        begun = Match.begin(match.rules, match.first_dealer)
        maker.match = [begun, *(after for _, after in match.stages())][hand - 1]
        hands = hands[hand - 1 : hand]
    for each in hands:
        _write(maker, each, _mark(record.verdict))
    return maker.sheet((*_proof_tags(record.verdict), *_match_tags(record, whole=hand is None)))


def _typed(sheet: Sheet, hand: int | None) -> Sheet:
    """Return the typed sheet, tagged as unsigned whatever its own tags say."""
    kept = [
        (name, str(sheet.rules) if name == "Rules" else value)
        for name, value in sheet.tags
        if name.casefold() not in _PROVEN
    ]
    sheet = replace(sheet, tags=(("Proof", "none"), ("Verdict", _NOT_SIGNED), *kept))
    if hand is None:
        return sheet
    if not 1 <= hand <= len(sheet.hands):
        raise LookupError(f"there is no hand {hand} in it")
    after = sheet.match if hand == len(sheet.hands) else sheet.hands[hand].before
    tags = tuple(tag for tag in sheet.tags if tag[0].casefold() != "result")
    return replace(sheet, tags=tags, hands=sheet.hands[hand - 1 : hand], match=after)


def _write(maker: SheetMaker, hand: RecordedHand, mark: str) -> None:
    maker.begin(hand.number, hand.dealer, mark)
    for step in hand.steps:
        after = step.after
        if isinstance(step.message, m.DealShares) and after is not None:
            cards: Cards = (_dealt(step, 0), _dealt(step, 1))
            first = after.to_move if after.first_upcard is None else None
            maker.deal(cards, after.first_upcard, after.knock_card, first)
        elif step.move is not None:
            maker.make(step.move, step.drawn)
        elif isinstance(step.message, m.Resign):
            maker.resign(step.author)


def _dealt(step: Step, seat: int) -> CardSet | None:
    cards = step.hand(seat)
    return None if cards is None else mask_of(cards)


def _mark(verdict: Verdict) -> str:
    """Return the mark for the head of every hand; empty if the log is valid to its end."""
    broken = verdict.finding in (Finding.FORGED, Finding.UNREADABLE)
    return verdict.word.upper() if broken else ""


def _proof_tags(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield the tags that say what the log proves, which come first."""
    yield "Proof", "verified" if verdict.finding is Finding.VALID else verdict.word
    yield "Verdict", f"{_mark(verdict)}{': ' if _mark(verdict) else ''}{safe(verdict.sentence)}"
    owes = verdict.table.owed_by
    if verdict.finding is Finding.INCOMPLETE and owes is not None:
        yield "Owes", f"{ROLES[owes]}: {verdict.table.awaiting.value}"


def _match_tags(record: Record, *, whole: bool) -> Iterator[tuple[str, str]]:
    """Yield the tags for players, rules and result. The names and the time are only claims."""
    for player in record.players:
        if player.name is not None and player.fingerprint is not None:
            yield player.role.capitalize(), player.name
            yield f"{player.role.capitalize()}Key", player.fingerprint
    if record.rules is not None:
        yield "Rules", str(record.rules)
    if record.started is not None:
        yield "Started", start_time(record.started)
    if record.table.cut_cards is not None:
        host, guest = record.table.cut_cards
        yield "Cut", f"{host} {guest}"
    if record.match is not None and whole and not _mark(record.verdict):
        yield "Result", result_value(record.match)
