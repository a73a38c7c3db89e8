"""The stable codes of section 11 (PROTOCOL.md, WIRE.md), each declared once with its meaning, and
the base of errors that have a stable code.

Rule 1: programs may depend on a code, so changing one takes a new version of the protocol (7.4).
Rule 2: `.ci/codes` prints the tables of section 11 from this module, and a test compares them.

The codes of commands that fail are in cli.failure, with their exit statuses.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeVar

Row = TypeVar("Row")


class CodedError(Exception):
    """An error with a stable code and a sentence for our player."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle any subclass, whatever arguments its constructor takes."""
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class EntryCode(NamedTuple):
    """A code for a refused entry (11.1). *check* is the number in 7.1. Class A blames nobody; class
    B convicts the signer. *section* contains the broken rule."""

    code: str
    check: str
    classes: str
    condition: str
    section: str


class LogCode(NamedTuple):
    """A finding on a whole log (11.2)."""

    code: str
    verdict: str
    condition: str
    section: str


class GoodbyeCode(NamedTuple):
    """A code for why one side ends a connection (11.3)."""

    code: str
    said_by: str
    when: str


def _rows(kind: Callable[..., Row], table: str) -> tuple[Row, ...]:
    return tuple(kind(*line.split(" | ")) for line in table.splitlines())


ENTRY_CODES: Final = _rows(
    EntryCode,
    """\
not-an-entry | 1 | A | fewer than 65 bytes, or more than 65,600 | 2.1
bad-signature | 2 | A | neither player signed it, or a newcomer's message has no key | 2.6, 7.1
bad-public-key | 2 | A | a newcomer's key is unusable | 2.6, 7.1
too-new | 2 | A | the first entry offers a later version, so the log can't be read | 7.4
after-the-end | 2, 6 | A, B | the match is over; B if a player signed it, else A | 3.3
not-canonical | 3 | B | not the canonical encoding, or no message | 2.2
malformed | 3 | B | a field has an impossible shape | 3.4
wrong-table | 4, 6 | A | it belongs to another table, or the guest offers its own table | 7.1
wrong-sequence | 5 | A | its number is higher than the next one | 7.1
duplicate | 5, 6 | A | the same entry again; or the guest accepts again | 7.1
wrong-previous | 6 | A, B | it follows another history; B for number 0, which has no history | 2.3
fork | 6 | B | its author has signed another entry with this number, on the same history | 7.3
out-of-turn | 6 | B | the other player owes this entry | 3.3
not-allowed-now | 7 | B | another kind of message is awaited | 3.3
rules-unsupported | 8 | A | the verifier doesn't play this rule set, so the log can't be read | 8.12
rules-not-canonical | 8 | B | the rule set isn't written as its canonical text | 8.12
rules-differ | 8 | B | the accepted rules differ from the offered ones | 3.4
cut-mismatch | 8 | B | the host's half is not the one committed to | 6.1
wrong-toss | 8 | B | half of a toss without a second deck, or none with one | 6.9
toss-mismatch | 8 | B | D's half of the toss is not the one committed to | 6.9
wrong-phase | 8 | B | a draw from the pile when it must be from the stock | 8.4
just-taken | 8 | B | the card just taken is discarded, or would be the only one left | 8.2, 8.11
card-not-held | 8 | B | a card that is known to be elsewhere, or that was not shown | 8.3, 8.5
card-missing | 8 | B | a card that was openly taken and not parted with is not shown | 8.3
card-used-twice | 8 | B | one card in two melds, or melded and also discarded, laid off \
or added | 8.5, 8.11
wrong-hand | 8 | B | the number of different cards isn't that of the hand | 8.5, 8.6, 8.11
unreadable-move | 8 | B | an empty meld, or more melds or lay-offs than are possible | 8.5, 8.11
not-a-meld | 8 | B | neither a set nor a run | 8.5, 8.11
knock-over-limit | 8 | B | too much deadwood to knock | 8.5
no-discard | 8 | B | no discard, and not all cards are melded | 8.5
no-big-gin | 8 | B | no discard, and the rules have no big gin | 8.5
no-knocking | 8 | B | a knock in Mahjong gin | 8.5
layoff-on-gin | 8 | B | a lay-off against deadwood 0 | 8.6
layoff-does-not-fit | 8 | B | a lay-off that doesn't fit its meld, or whose meld doesn't exist | 8.6
not-mahjong | 8 | B | a lay in a game that isn't Mahjong gin | 8.11
wrong-cards | 8 | B | the cards laid are not the cards opened | 8.11
add-does-not-fit | 8 | B | an addition that doesn't fit its meld, or whose meld doesn't exist | 8.11
pile-too-small | 8 | B | more discards are taken than are in the pile | 8.11
lowest-not-laid | 8 | B | the lowest of several discards is not laid | 8.11
too-late | 8 | B | melds or lay-offs after a hand of Mahjong gin is over | 8.11
wrong-score | 8 | B | the signed score is not the one that follows from the hands | 8.10
wrong-seed-count | 8 | B | more or fewer seeds than are owed | 6.8
bad-length | 9 | B | elements, ciphertexts or a proof have the wrong length | 4.1
bad-encoding | 9 | B | not an element, or O; or not a scalar below L | 4.1
bad-proof | 9 | B | a proof does not hold, or is for a place that doesn't exist | \
5.4 to 5.6, 6.3, 6.7
seed-mismatch | 9 | B | a seed is not the one committed to | 6.8
audit-failed | 9 | B | something does not follow from the seed | 6.8
""",
)

LOG_CODES: Final = _rows(
    LogCode,
    """\
valid | valid | every entry holds, and the match is finished | 7.2
incomplete | incomplete | every entry holds, and more is owed | 7.2
torn | incomplete, forged | less than a whole entry follows the entries that hold; forged if it \
follows the end of a match | 2.7, 7.2
empty-log | cannot be read | an empty file | 7.2
not-a-log | cannot be read | it doesn't begin like a log | 2.7
too-new | cannot be read | a later file format | 2.7
bad-record | cannot be read | an impossible length | 2.7
log-too-large | cannot be read | more bytes or entries than a verifier reads | 2.7
""",
)

GOODBYE_CODES: Final = _rows(
    GoodbyeCode,
    """\
same-key | either | both sides have the same identity key
version-mismatch | either | the two sides have no protocol version in common
not-expected | host | no invite is open, and this key is not expected
invite-wrong | host | the proof is not made with this invite's secret
invite-used | host | the invite has already admitted another key
table-taken | host | the table is taken, or all tables are, or the guest connects too \
often; try again
welcome-forged | guest | the welcome is not signed by the host's key over this greeting
unexpected-key | either | an offer or acceptance has a key other than the one TLS has proven
other-match | either | the other side continues another match, or offers a stored one
log-withheld | either | entries, or an answer to a log that diverges, were not sent in time [9.6]
signed-twice | either | the sender's own key has signed two entries with one number
declined | guest | the offer is refused; nothing was signed
takes-up-stored | host | nothing is offered; an unfinished match continues when the guest \
reconnects [9.6]
kept | host | nothing is offered; an unfinished match stays as it is [9.6]
paused | either | both sides have agreed to pause [9.4]
log-full | either | the log has reached its maximum length [2.7]; the match stops
left | either | the player leaves; the match can continue later
finished | both | nothing more is owed [9.9]
flood | either | more chat, pings, questions or the like than anybody needs [9.4]
pong-unasked | either | a pong without a ping
frame-too-large | either | a length that is not allowed at this point
frame-empty | either | an empty frame
frame-not-canonical | either | bytes that are not a frame
frame-unexpected | either | a frame that is not allowed here [9.8]
versions-malformed | either | `versions` or `version` has an impossible shape [9.8]
proof-malformed | host | `proof` has an impossible shape [9.8]
signature-malformed | guest | `signature` has an impossible shape [9.8]
position-malformed | either | `position` has an impossible shape [9.8]
software-malformed | either | `software` has an impossible shape [9.8]
extensions-malformed | either | `extensions` has an impossible shape [9.8]; or the welcome \
names one that the hello does not [9.12]
entry-malformed | either | `entry` has an impossible shape [9.8]
chat-empty | either | an empty chat
chat-too-long | either | a chat of more than 500 characters
pause-malformed | either | `pause` has an impossible shape [9.8]
whereabouts-malformed | either | `whereabouts` has an impossible shape [9.8]
proposal-malformed | host | `proposal` has an impossible shape [9.8]
not-a-link | either | a link is wanted, but not both sides name extension 3 [9.12]
link-entry | either | on a link, bytes that are not an entry
link-order | either | on a link, an entry sent twice, or before the one that it follows
link-fork | either | on a link, an entry that differs from the one sent earlier for its place
link-not-theirs | either | on a link, a log in which the sender does not play, or the receiver does
link-too-much | either | on a link, more logs or bytes than the other side accepts
consent-malformed | either | `consent` has an impossible shape [9.8]
goodbye-malformed | either | `goodbye` has an impossible shape [9.8]
closed | either | nothing else fits
""",
)

CONVICTING_SECTIONS: Final = {row.code: row.section for row in ENTRY_CODES if "B" in row.classes}
"""For each code that convicts a signer, the sections of PROTOCOL.md that the entry breaks."""

UNREADABLE_LOG: Final = tuple(row.code for row in LOG_CODES if row.verdict == "cannot be read")
"""The codes for a file in which no entry can be judged."""

_TABLES: Final = {
    "11.1": ("code | check | class | condition | section", ENTRY_CODES),
    "11.2": ("code | verdict | condition | section", LOG_CODES),
    "11.3": ("code | said by | when", GOODBYE_CODES),
}


def markdown(section: str) -> Iterator[str]:
    """Yield the lines of the table in this section of PROTOCOL.md, or for 11.3 of WIRE.md."""
    heads, rows = _TABLES[section]
    yield f"| {heads} |"
    yield f"|{'---|' * len(heads.split(' | '))}"
    for code, *cells in rows:
        yield f"| {' | '.join((f'`{code}`', *cells))} |"
