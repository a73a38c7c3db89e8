"""The stable codes of section 11 (PROTOCOL.md, WIRE.md), each declared once with its meaning.

# Rule 1: programs may depend on a code, so changing one takes a new version of the protocol (7.4).
# Rule 2: `.ci/codes` prints the tables of section 11 from this module, and a test compares them.

The codes of commands that fail are in cli.failure, with their exit statuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeVar

Row = TypeVar("Row")


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
bad-signature | 2 | A | signed by nobody who plays, or by a newcomer whose message brings \
no key | 2.6, 7.1
bad-public-key | 2 | A | a newcomer's key is none | 2.6, 7.1
too-new | 2 | A | the first entry offers a later version; cannot be read | 7.4
after-the-end | 2, 6 | A, B | the match is over; A by nobody's signature, B by a player's | 3.3
not-canonical | 3 | B | another encoding than the one, or no message | 2.2
malformed | 3 | B | a field of an impossible shape | 3.4
wrong-table | 4, 6 | A | of another table; or the guest's offer of its own | 7.1
wrong-sequence | 5 | A | a number that is still to come | 7.1
duplicate | 5, 6 | A | the same entry again; or the guest accepts again | 7.1
wrong-previous | 6 | A, B | on top of another history; B for number 0, before which there \
is none | 2.3
fork | 6 | B | its author has signed another entry with this number, on the same history | 7.3
out-of-turn | 6 | B | the other player owes this entry | 3.3
not-allowed-now | 7 | B | another kind of message is awaited | 3.3
rules-unsupported | 8 | A | a rule set that is not played here; cannot be read | 8.12
rules-not-canonical | 8 | B | a rule set in another text than its one | 8.12
rules-differ | 8 | B | accepted rules that were not offered | 3.4
cut-mismatch | 8 | B | the host's half is not the one committed to | 6.1
wrong-toss | 8 | B | half a toss where none belongs, or none where one does | 6.9
toss-mismatch | 8 | B | D's half of the toss is not the one committed to | 6.9
wrong-phase | 8 | B | a draw from the pile where it must be from the stock | 8.4
just-taken | 8 | B | the card just taken is thrown, or would be the only one left | 8.2, 8.11
card-not-held | 8 | B | a card that everybody can see elsewhere, or that was not shown | 8.3, 8.5
card-missing | 8 | B | a card seen taken, and not parted with, is not shown | 8.3
card-used-twice | 8 | B | one card in two melds, or melded and thrown, laid off, added | 8.5, 8.11
wrong-hand | 8 | B | not as many different cards as the hand holds | 8.5, 8.6, 8.11
unreadable-move | 8 | B | an empty meld, or more melds than can be | 8.5, 8.11
not-a-meld | 8 | B | neither a set nor a run | 8.5, 8.11
knock-over-limit | 8 | B | more deadwood than may knock | 8.5
no-discard | 8 | B | nothing is thrown, and not all is melded | 8.5
no-big-gin | 8 | B | nothing is thrown, and big gin is not played | 8.5
no-knocking | 8 | B | a knock in Mahjong gin | 8.5
layoff-on-gin | 8 | B | a lay-off against deadwood 0 | 8.6
layoff-does-not-fit | 8 | B | a lay-off that does not fit on its meld, or on none | 8.6
not-mahjong | 8 | B | a lay in another game than Mahjong gin | 8.11
wrong-cards | 8 | B | what is laid is not what is opened | 8.11
add-does-not-fit | 8 | B | an addition that does not fit on its meld, or on none | 8.11
pile-too-small | 8 | B | more discards are taken than lie there | 8.11
lowest-not-laid | 8 | B | the lowest of several discards is not laid | 8.11
too-late | 8 | B | melds or lay-offs after a hand of Mahjong gin is over | 8.11
wrong-score | 8 | B | the signed score is not what the hands add up to | 8.10
wrong-seed-count | 8 | B | more or fewer seeds than are owed | 6.8
bad-length | 9 | B | elements, ciphertexts or a proof of another length | 4.1
bad-encoding | 9 | B | no element, or O; or no scalar below L | 4.1
bad-proof | 9 | B | a proof does not hold, or is of a place that is not there | 5.4 to 5.6, 6.3, 6.7
seed-mismatch | 9 | B | a seed is not the one committed to | 6.8
audit-failed | 9 | B | something does not follow from the seed | 6.8
""",
)

LOG_CODES: Final = _rows(
    LogCode,
    """\
valid | valid | all hold, to the end | 7.2
incomplete | incomplete | all hold, and more is owed | 7.2
torn | incomplete, forged | behind entries that hold, less than an entry; forged behind the \
end of a match | 2.7, 7.2
empty-log | cannot be read | a file of no bytes | 7.2
not-a-log | cannot be read | it begins otherwise | 2.7
too-new | cannot be read | a later format of file | 2.7
bad-record | cannot be read | an impossible length | 2.7
log-too-large | cannot be read | more bytes or entries than are read | 2.7
""",
)

GOODBYE_CODES: Final = _rows(
    GoodbyeCode,
    """\
same-key | either | both have one identity key
version-mismatch | either | no version of the protocol in common
not-expected | host | no invite is open, and this key is not waited for
invite-wrong | host | the proof is not made with this invite's secret
invite-used | host | the invite has let in another key already
table-taken | host | somebody sits there, or at all tables, or comes too often; try again
welcome-forged | guest | the welcome is not signed by the host's key over this greeting
unexpected-key | either | an offer or acceptance with another key than TLS has proven
other-match | either | the other side goes on with another match, or offers one that is stored
log-withheld | either | entries, or an answer to a log that parts, were not sent in time [9.6]
signed-twice | either | its own key has signed two entries with one number
declined | guest | the offer is refused; nothing was signed
takes-up-stored | host | nothing is offered; an unfinished match goes on when the guest \
comes back [9.6]
kept | host | nothing is offered; an unfinished match stays as it is [9.6]
paused | either | a pause is agreed [9.4]
log-full | either | the log is as long as a log may be [2.7]; the match stops
left | either | the player leaves; the match can go on later
finished | both | nothing is owed any more [9.9]
flood | either | more chat, pings or questions than anybody sends
pong-unasked | either | a pong that answers no ping
frame-too-large | either | a length that is not allowed now
frame-empty | either | a frame of no bytes
frame-not-canonical | either | bytes that are no frame
frame-unexpected | either | a frame that has no place here [9.8]
versions-malformed | either | `versions` or `version` of an impossible shape [9.8]
proof-malformed | host | so for `proof`
signature-malformed | guest | so for `signature`
position-malformed | either | so for `position`
software-malformed | either | so for `software`
extensions-malformed | either | so for `extensions`; or the welcome names one that the \
hello does not [9.12]
entry-malformed | either | so for `entry`
chat-empty | either | a chat of no characters
chat-too-long | either | a chat of more than 500 characters
pause-malformed | either | so for `pause`
whereabouts-malformed | either | so for `whereabouts`
proposal-malformed | host | so for `proposal`
not-a-link | either | extension 3 is not named by both, and a link is wanted [9.12]
link-entry | either | on a link, what is no entry
link-order | either | on a link, an entry twice, or before the one that it follows
link-fork | either | on a link, another entry than was sent before in its place
link-not-theirs | either | on a link, a log in which the sender does not play, or the receiver does
link-too-much | either | on a link, more logs or bytes than are taken
consent-malformed | either | so for `consent`
goodbye-malformed | either | so for `goodbye`
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
