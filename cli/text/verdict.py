"""What a log proves, in plain words for a person.

Rule 1: no sentence claims more than the proof. A broken signature convicts nobody, because a
        flipped bit on a disk looks the same. A player is named only for what that player's key
        signed; a key isn't a person, and shows no intent.
Rule 2: evidence names the key first. The name, which its player chose, follows in quotation
        marks.
Rule 3: strangers wrote the contents of a log, so they pass through ginpeer.names.
"""

from __future__ import annotations

from cli.text.grammar import at_start, plural
from cli.text.score_sheet import score_sheet
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, PlaceholderName, safe, safe_quote
from ginpeer.record.record import Record, start_time
from ginpeer.record.steps import Degree
from ginpeer.record.typed_match import UNPROVEN
from ginpeer.record.verdict_document import convicted_signer, describe_message
from ginpeer.referee.referee import Finding, Verdict
from ginpeer.referee.table import ROLES, Table
from ginpeer.store.log import message_in
from protocol.codes import CONVICTING_SECTIONS
from protocol.crypto.identity import fingerprint
from protocol.entry import entry_hash


def verdict_report(verdict: Verdict, known: KnownNames = NO_KNOWN_NAMES) -> list[str]:
    """Return the whole verdict, with the conclusion first."""
    names = known.display(verdict.table.keys, verdict.table.names)
    lines = [headline(verdict), *failure_lines(verdict, known)]
    offer, match = verdict.table.offer, verdict.table.match
    if offer is not None:
        lines += [
            "",
            *player_lines(verdict.table, known),
            f"Rules: {safe(offer.rules)}",
            f"Started: {start_time(offer.started)}, by the host's clock",
            f"Table: {verdict.table.table_id.hex()}",
        ]
    if match is not None and (match.results or match.finished):
        lines += ["", *score_sheet(match, names)]
    return [*lines, "", *proof_lines(verdict)]


def headline(verdict: Verdict) -> str:
    at, code = verdict.failing_entry, verdict.code
    if code == UNPROVEN:
        return f"UNPROVEN: this match was typed in, and nobody signed it ({code})."
    if code == "fork" and verdict.conviction is not None:
        place = verdict.conviction.place
        two = f"two different entries as entry {place}, counting from 0"
        return f"ILLEGAL: a player signed {two} ({code})."
    count = plural(verdict.entries, "entry", "entries")
    match verdict.word:
        case "valid":
            return f"VALID: no cheating found. Every card, move and point was checked ({count})."
        case "incomplete":
            legal = plural(verdict.entries, "entry is", "entries are")
            played = verdict.table.match
            over = played is not None and played.finished
            state = "is over, but its log isn't complete" if over else "isn't finished"
            return f"INCOMPLETE: the match {state}. So far, {legal} valid."
        case "illegal":
            signed = f"a player signed entry {at} (counted from 0), which isn't allowed"
            return f"ILLEGAL: {signed} ({code})."
        case "forged":
            return f"FORGED OR DAMAGED: entry {at} (counted from 0) isn't valid ({code})."
        case _:
            return f"CANNOT BE READ ({code})."


def failure_lines(verdict: Verdict, known: KnownNames = NO_KNOWN_NAMES) -> list[str]:
    """Say why a log fails, with the evidence, or who owes the next entry."""
    lines = []
    if verdict.code not in ("valid", "incomplete", UNPROVEN):  # the headline explains these
        lines.append(safe(verdict.sentence))
        if verdict.finding is Finding.INCOMPLETE:  # a torn log; for others, the headline says this
            lines[0] += " Entries are counted from 0."
    lines += evidence_lines(verdict)
    owes = verdict.table.owed_by
    if verdict.finding is Finding.INCOMPLETE and owes is not None:
        who = ", ".join((f"the {ROLES[owes]}", *_identity(verdict.table, owes, known)))
        lines.append(f"Still missing from {who}: {verdict.table.awaiting.value}.")
    return lines


def player_lines(table: Table, known: KnownNames = NO_KNOWN_NAMES) -> list[str]:
    nobody = "nobody yet" if table.match is None else "not named"
    return [
        f"{role.capitalize()}: {', '.join(_identity(table, seat, known)) or nobody}"
        for seat, role in enumerate(ROLES)
    ]


def _identity(table: Table, seat: int, known: KnownNames) -> tuple[str, ...]:
    """Return a player's key and name: in a typed match just the name, and nothing if no guest has
    come."""
    key, name = table.keys[seat], table.names[seat]
    if key is None:
        return () if isinstance(name, PlaceholderName) else (f"called {safe_quote(name)}",)
    whole = f"key {fingerprint(key)}", f"called {safe_quote(name)}"
    if known.renamed(key, name):
        return *whole, f"whom you call {safe_quote(known.nickname(key))}"
    return whole


_NOT_ABOUT_PEOPLE = (
    "who holds the keys (a key isn't a person, and one person may hold both), when the match was "
    "played, and whether anyone had help"
)


def proof_lines(verdict: Verdict) -> tuple[str, str]:
    """Say in two lines what the log proves, and what it doesn't."""
    legal = _legal_so_far(verdict.entries)
    match verdict.word:
        case "valid":
            proven = (
                "both keys signed the whole match as one unbroken chain, and every shuffle, card, "
                f"move and point follows the rules{_audited(verdict.table)}"
            )
            unproven = ""
        case "incomplete":
            proven = "; ".join(legal) or "nothing"
            unproven = "why the log stops there (a player, the network or a truncated file), "
        case "illegal":
            legal = _legal_so_far(verdict.entries, before=verdict.code != "fork")
            signed = f"signed entry {verdict.failing_entry}, which isn't allowed"
            if verdict.code == "fork" and verdict.conviction is not None:
                signed = f"signed two different entries numbered {verdict.conviction.place}"
            told = "; ".join((*legal, f"the key named above {signed}"))
            proven = f"{told}. Nobody without that key could have forged this"
            unproven = "whether the cause was intent, a broken program or an old backup, "
        case "forged":
            wrong = f"entry {verdict.failing_entry} isn't what the match requires"
            proven = "; ".join((*_legal_so_far(verdict.entries, before=True), wrong))
            unproven = "who changed it, or whether the file was damaged by accident, "
        case _ if verdict.entries:
            proven, unproven = "; ".join(legal), "anything after that, "
        case _:
            return "Proven: nothing.", "Not proven: anything about this match."
    return f"Proven: {proven}.", f"Not proven: {unproven}{_NOT_ABOUT_PEOPLE}."


def _legal_so_far(entries: int, *, before: bool = False) -> tuple[str, ...]:
    """Say that these entries are valid. *before*: name them by their numbers, counted from 0,
    because an invalid entry that follows is named by its number, too."""
    if not entries:
        return ()
    if entries == 1:
        which = "entry 0" if before else "the first entry"
        return (f"{which} is signed and legal",)
    which = f"entries 0 to {entries - 1}" if before else f"the first {entries} entries"
    return (f"{which} are signed in one chain and legal",)


def _audited(table: Table) -> str:
    """Say what the disclosed seeds add to the proof."""
    if table.undisclosed(0) or table.undisclosed(1):
        return "; not all hand seeds are disclosed, so cards that were never shown stay unknown"
    return "; the disclosed seeds give the same deals and hands"


# --- evidence ---------------------------------------------------------------------------

_HASH_DIGITS = 16  # digits of an entry's hash to show to a person; the JSON has all digits


def evidence_lines(verdict: Verdict) -> list[str]:
    """Say who is convicted, and of what: the key, the entry or the two entries, and the rule."""
    conviction = verdict.conviction
    if conviction is None:
        return []
    seat = conviction.seat
    name, key = convicted_signer(verdict, conviction)
    lines = [f"Signed by: key {fingerprint(key)}, the {ROLES[seat]}, called {safe_quote(name)}."]
    file_place = f"entry {verdict.entries} of this file"
    if conviction.admitted is None:
        lines.append(f"The entry: {_described(conviction.entry)}.")
    else:
        lines += [
            f"Entry {conviction.place}: {_described(conviction.admitted)}.",
            f"Signed for the same place, {file_place}: {_described(conviction.entry)}.",
        ]
    if verdict.code in CONVICTING_SECTIONS:
        lines.append(f"The rule: PROTOCOL.md, {CONVICTING_SECTIONS[verdict.code]}.")
    return lines


def _described(raw: bytes) -> str:
    message = message_in(raw)
    says = "unreadable" if message is None else describe_message(message)
    return f"{says}, hash {entry_hash(raw).hex()[:_HASH_DIGITS]}"


# --- the heading of a replay ------------------------------------------------------------


def replay_heading(
    record: Record, only: int | None, known: KnownNames = NO_KNOWN_NAMES
) -> list[str]:
    """Return the lines above a replay. *only*: the seat whose view was asked for, if any."""
    verdict, table = record.verdict, record.verdict.table
    lines = [headline(verdict), *player_lines(table, known), *unknown_score(table.begins)]
    sources = [_source(record, seat, only) for seat in (0, 1)]
    in_part = sources[0].startswith("shown in ")  # in hands that may differ between players
    if sources[0] == sources[1] and not in_part:
        return [*lines, f"Both players' cards are {sources[0]}."]
    for name, source in zip(known.display(table.keys, table.names), sources, strict=True):
        lines.append(f"{at_start(name)}'s cards are {source}.")
    return lines


def unknown_score(begins: int) -> list[str]:
    """If a typed match *begins* with a hand other than the first, say that the score is unknown."""
    if begins == 1:
        return []
    here = "Here, that hand is number 1"
    return [f"This text begins with hand {begins}, so the score isn't known. {here}."]


_SOURCES = {
    Degree.OWN: "from this machine's own records",
    Degree.TYPED: "as typed",
    Degree.DISCLOSED: "because the log discloses them",
}


def _source(record: Record, seat: int, only: int | None) -> str:
    if only == 1 - seat:
        return "hidden, because you chose the other player's view"
    degrees = [record.degree(hand.number, seat) for hand in record.table.records]
    shown = [degree for degree in degrees if degree is not Degree.PUBLIC]
    if not shown:
        if record.typed is not None:
            return "hidden, because they weren't written down"
        if record.verdict.finding not in (Finding.VALID, Finding.INCOMPLETE):
            return "hidden, because the valid part of the log doesn't disclose them"
        return "hidden, because they aren't disclosed"
    source = next(said for degree, said in _SOURCES.items() if degree in shown)
    if len(shown) == len(degrees):
        return f"shown, {source}"
    return f"shown in {len(shown)} of {plural(len(degrees), 'hand')}, {source}"


def hand_count(hands: int) -> str:
    if not hands:
        return "the log ends before the first hand."
    if hands == 1:
        return "the log has one hand, number 1."
    return f"the log has hands 1 to {hands}."
