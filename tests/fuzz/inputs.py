"""The decoders of what people type or paste, and their possible outcomes.

`TARGETS` lists them. Each has a function that generates an input, and one that consumes it. The
latter returns a word for the outcome, and raises Odd for an outcome that must not happen.
"""

import base64
import hashlib
import re
import time
from dataclasses import dataclass, replace
from functools import cache

from cli.commands.arguments.options import rule_words
from cli.table.arguments import Command
from cli.table.commands import parse_command
from cli.table.lookups import judge_line
from cli.terminal.line_input import MAX_LINE, LineEditor, LineSplitter, OverlongLine, TypedLine
from cli.terminal.output import BLANK, fit_to_screen, redraw_codes
from cli.text.cards import Style
from cli.text.rules import rule_sentences, rules_in_short
from ginpeer.names import safe
from ginpeer.net.address import Address, AddressError, parse_address
from ginpeer.net.codes import (
    SECRET_BYTES,
    Invite,
    InviteError,
    Reply,
    ReplyError,
    parse_invite,
    parse_reply,
)
from ginpeer.rules import PRESETS, RulesError, parse_ruleset
from ginpeer.rules.match import View
from ginpeer.rules.moves import parse_move
from ginpeer.store import Home, LogSource, StoreError, UnreadableLog
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import (
    SEEDS_HEADER,
    MatchNotes,
    read_closing_note,
    read_notes,
    read_seeds,
    seed_line,
    write_closing_note,
)
from ginpeer.store.page_log import log_element
from ginpeer.store.partnership_files import cached_standing
from ginpeer.store.peers import KnownPeers
from ginpeer.store.small_files import read_settings
from protocol import messages as m
from protocol.crypto.identity import IdentityKey
from protocol.messages import Malformed, clean_name
from tests.fuzz import notations
from tests.fuzz.entries import matches
from tests.fuzz.odd import Odd
from tests.fuzz.protobuf import spoilt
from tests.fuzz.texts import NUMBERS, any_text, edited, json_file, words_of
from tests.toy_group import toy_group

KEY = IdentityKey(bytes(range(32))).public
LONGEST_SENTENCE = 2_000


def _expect(held, what, given):
    if not held:
        raise Odd(f"{what}: {given!r:.600}")


def _refusal(error, codes, given):
    """Return the code of a refusal; check that it is one of these, with a printable sentence."""
    sentence = getattr(error, "sentence", str(error))
    _expect(codes is None or error.code in codes, f"the code {error.code}", given)
    _expect(0 < len(sentence) < LONGEST_SENTENCE, f"the sentence {sentence!r:.100}", given)
    _expect(sentence.isprintable(), f"the sentence {sentence!r:.300}", given)
    _shown(sentence)
    return error.code


def _shown(text):
    """Check that a string can be written to a terminal, as the console writes it."""
    safe(text, LONGEST_SENTENCE).encode("utf-8")


# --- invites and replies ----------------------------------------------------------------

KINDS = ("unreadable", "too-new", "checksum", "damaged", "addresses")
HOSTS = ("192.0.2.7", "2001:db8::7", "gin.example", "127.0.0.1", "xn--p1ai", "a" * 63 + ".b")
DIALLED = ("192.0.2.7", "2001:db8::7", "192.168.7.9", "10.1.2.3", "127.0.0.1", "::1")


def _addresses(hosts, rng):
    chosen = [rng.choice(hosts) for _ in range(1 + int(rng.random() * 8))]
    return tuple(Address(host, 1 + int(rng.random() * 65_535)) for host in chosen)


def _invite(rng):
    addresses = _addresses(HOSTS, rng)
    return _near(str(Invite.of(KEY, rng.randbytes(SECRET_BYTES), addresses)), "gin1", rng)


def _reply(rng):
    addresses = _addresses(DIALLED, rng)
    return _near(str(Reply(rng.randbytes(16), addresses, rng.randbytes(4))), "ginr1", rng)


def _near(text, head, rng):
    """Return this code with a change, a code with a valid checksum for any bytes, or any string."""
    kind = rng.random()
    if kind < 0.5:
        payload = _payload(text, head)
        payload = spoilt(payload, rng) if kind < 0.4 else rng.randbytes(int(rng.random() * 90))
        return _code(payload, head)
    if kind < 0.9:
        return edited(text, rng)
    return any_text(rng) if kind < 0.97 else rng.choice(("", "reply: ")) + f"{head}-{any_text(rng)}"


def _payload(text, head):
    letters = text[len(head) :].replace("-", "").upper()
    return base64.b32decode(letters + "=" * (-len(letters) % 8))[:-4]


def _code(payload, head="gin1"):
    checked = payload + hashlib.sha256(head.encode() + payload).digest()[:4]
    return f"{head}-" + base64.b32encode(checked).decode().rstrip("=").lower()


def _take_invite(text):
    return _take_code(text, parse_invite, "invite")


def _take_reply(text):
    return _take_code(text, parse_reply, "reply")


def _take_code(text, parse, name):
    try:
        found = parse(text)
    except (InviteError, ReplyError) as error:
        return _refusal(error, {f"{name}-{kind}" for kind in KINDS}, text)
    _expect(parse(str(found)) == found, f"another {name}", text)
    return "read"


# --- rules ------------------------------------------------------------------------------

SOUND_WORDS = (
    *("knock-limit=upcard", "knock-limit=second-deck", "knock-limit=0", "ace-limit=one", "hands=3"),
    *("target=none", "target=10000", "best-of=3", "columns=3", "multi-match=500", "mahjong=yes"),
    *("runs-wrap=yes", "big-gin=none", "stake=1000000", "wall=last-discard", "misdeal=yes"),
    *("spades-double=yes", "opening=either-pile", "next-dealer=loser", "tie=nobody", "box=30"),
    *("hollywood", "multi-match", "target=12", "first-dealer=host", "undercut-bonus=0"),
)
ODD_WORDS = (
    *(f"target={number}" for number in NUMBERS),
    *("=", "=3", "target", "rules", "box=1=2", "box="),
)


def _rules(rng):
    kind = rng.random()
    if kind < 0.6:
        words = [rng.choice(list(PRESETS)), *rng.sample(SOUND_WORDS, int(rng.random() * 4))]
        return " ".join(words) if kind < 0.4 else edited(" ".join(words), rng)
    text = words_of((*PRESETS, *SOUND_WORDS, *ODD_WORDS), rng)
    return text if kind < 0.75 else edited(text, rng) if kind < 0.95 else any_text(rng)


def _take_rules(text):
    for spelling in (text, rule_words(text)):
        try:
            rules = parse_ruleset(spelling)
        except RulesError as error:
            outcome = _refusal(error, None, text)
            continue
        _expect(parse_ruleset(str(rules)) == rules, "another rule set", text)
        try:
            rules.check()
        except RulesError as error:
            outcome = _refusal(error, None, text)
            continue
        for _, sentence in (*rule_sentences(rules), *rules_in_short(rules)):
            _expect(sentence, "says nothing", text)
        outcome = "read"
    return outcome


# --- addresses and names -----------------------------------------------------------------


def _address(rng):
    host = rng.choice((*HOSTS, "[2001:db8::7]", "::1", "[::ffff:1.2.3.4]", "fe80::1%eth0", "1.2.3"))
    text = f"{host}:{rng.choice((4466, 0, 65_535, 65_536, *NUMBERS))}"
    return (
        text if rng.random() < 0.1 else any_text(rng) if rng.random() < 0.1 else edited(text, rng)
    )


def _take_address(text):
    for default in (None, 4466):
        try:
            address = parse_address(text, default)
        except AddressError as error:
            outcome = _refusal(error, {"address-unreadable"}, text)
            continue
        _expect(parse_address(str(address)) == address, "another address", text)
        _expect(str(address).isascii() and 0 <= address.port < 2**16, "odd", text)
        outcome = "read"
    return outcome


def _name(rng):
    name = rng.choice(("Ada", "Bj\u00f6rk", "\u674e", "a" * 64, "\U0001f600 x"))
    return edited(name, rng) if rng.random() < 0.7 else any_text(rng)


def _take_name(text):
    try:
        name = clean_name(text)
    except Malformed as error:
        return _refusal(error, {"malformed"}, text)
    _expect(clean_name(name) == name and len(name.encode()) <= 64, "another name", text)
    m.Accept(KEY, name, "standard", bytes(32))
    return "read"


# --- files ------------------------------------------------------------------------------

PEERS = {
    "version": 1,
    "peers": {
        "11" * 32: {"name": "Ada", "addresses": ["a:1", "b:2"], "first_met": 1, "last_met": 2},
        "22" * 32: {"name": "", "addresses": [], "first_met": 1_700_000_000, "last_met": 2**33},
    },
}
NOTES = {
    "version": 1,
    "table": "ab" * 32,
    "role": "host",
    "name": "Ada",
    "peer": "cd" * 32,
    "addresses": ["192.0.2.7:4466"],
    "created": 1_700_000_000,
    "level": 3,
}


CLOSING = {
    "version": 1,
    "entry": 57,
    "owed_by": "guest",
    "owes": "a discard or a knock",
    "since": 1_700_000_000,
    "closed": 1_700_000_100,
    "code": "left",
    "game": 1,
    "scores": [12, 45],
}


def _take_peers(data, folder):
    path = folder / "known_peers.json"
    path.write_bytes(data)
    known = KnownPeers(path, lambda: 1_700_000_000)
    try:
        peers = known.all()
    except StoreError as error:
        outcome = _refusal(error, {"bad-known-peers", "not-readable"}, data)
        try:
            known.remember(KEY, "c:3", "Ben")
        except StoreError:
            _expect(path.read_bytes() == data, "a file that cannot be understood is changed", data)
            return outcome
        raise Odd(f"a file that cannot be understood is overwritten: {data[:300]!r}") from error
    for peer in peers:
        _expect(len(peer.key) == 32, "a key", data)
        for text in (peer.name, *peer.addresses):
            _shown(text)
    known.remember(KEY, "c:3", "Ben")
    again = known.peer(KEY)
    _expect(again is not None and again.name == "Ben" and again.addresses[0] == "c:3", "lost", data)
    kept = {peer.key for peer in known.all()}
    _expect(kept >= {peer.key for peer in peers}, "forgotten", data)
    return "read"


SETTINGS = {
    **{"words": True, "name": "Anna", "brief": True, "confirm": False, "bell": True},
    **{"four_colours": True, "level": 3, "won": False},
}


def _take_settings(data, folder):
    (folder / "settings.json").write_bytes(data)
    kept = read_settings(folder)
    for switch in (kept.words, kept.brief, kept.confirm, kept.bell, kept.four_colours):
        _expect(isinstance(switch, bool), "a switch that is neither on nor off", data)
    _expect(type(kept.level) is int and 0 <= kept.level <= 9, "a level that is none", data)
    _expect(kept.won in (True, False, None), "a result that is none", data)
    if not kept.name:
        return "none"
    _expect(clean_name(kept.name) == kept.name, "a name that cannot be signed", data)
    return "read"


STANDING = {"version": 1, "time": 9, "lines": ["Your table: after hand 2.", "Nobody has won yet."]}


def _take_standing(data, folder):
    (folder / "standing.json").write_bytes(data)
    kept = cached_standing(Home(folder), 9)
    if kept is None:
        return "none"
    for line in kept.lines:
        _expect(not any(ord(each) < 32 or 127 <= ord(each) < 160 for each in line), "odd", data)
    _expect(not kept.running, "a link that does not run", data)
    return "read"


def _take_notes(data, folder):
    path = folder / "a.ginlog"
    path.with_suffix(".match").write_bytes(data)
    notes = read_notes(path)
    if notes is None:
        return "none"
    _expect(len(notes.table) == 32 and len(notes.peer) == 32, "a table or a key", data)
    for text in (notes.name, *notes.addresses):
        _shown(text)
    again = MatchNotes.decode(notes.encode())
    cut = replace(notes, name=again.name, addresses=again.addresses)
    _expect(again == cut and notes.name.startswith(again.name), "other notes", data)
    return "read"


def _take_closing(data, folder):
    path = folder / "a.ginlog"
    path.with_suffix(".closed").write_bytes(data)
    closing = read_closing_note(path)
    if closing is None:
        return "none"
    for seconds in (closing.since, closing.closed or 0):
        time.localtime(seconds)
    for text in (closing.owes, closing.code):
        _shown(text)
    _expect(closing.owed_by in ("host", "guest"), "somebody else", data)
    write_closing_note(path, closing)
    _expect(read_closing_note(path) == closing, "another note", data)
    return "read"


def _seeds(rng):
    lines = [seed_line(hand, rng.randbytes(32)) for hand in range(int(rng.random() * 6))]
    data = SEEDS_HEADER + b"".join(lines)
    kind = rng.random()
    if kind < 0.2:
        return data[: int(rng.random() * (len(data) + 1))]
    return spoilt(data, rng) if kind < 0.9 else rng.randbytes(int(rng.random() * 90))


def _take_seeds(data, folder):
    path = folder / "a.seeds"
    path.write_bytes(data)
    try:
        seeds, end = read_seeds(path)
    except StoreError as error:
        return _refusal(error, {"bad-seeds-file"}, data)
    _expect(all(len(seed) == 32 for seed in seeds.values()) and end <= len(data), "seeds", data)
    written = SEEDS_HEADER[:end] + b"".join(seed_line(hand, seed) for hand, seed in seeds.items())
    _expect(written == data[:end], "what is read is not what is there", data)
    return "read" if end == len(data) else "torn"


_IN_PAGE = log_bytes([bytes(range(n)) for n in range(1, 60, 7)])


def _page(rng):
    """Return a page with a small log: whole, corrupted, cut or doubled."""
    around = [any_text(rng).encode("utf-8", "replace") for _ in range(2)]
    data = b"<!doctype html>" + around[0] + log_element(_IN_PAGE).encode() + around[1]
    kind = rng.random()
    if kind < 0.2:
        return data
    if kind < 0.3:
        return data[: int(rng.random() * (len(data) + 1))]
    return spoilt(data, rng) if kind < 0.9 else data + data


def _take_page(data):
    try:
        log = LogSource.of(data).snapshot().data
    except UnreadableLog as error:
        codes = {
            *("page-without-log", "page-with-two-logs", "page-log-damaged"),
            *("page-too-large", "empty-log"),
        }
        return _refusal(error, codes, data)
    if log == data:  # the page doesn't begin as pages do
        return "no page"
    letters = base64.b64encode(log)
    element = re.compile(b">" + re.escape(letters) + b"</script", re.I)
    found = element.search(data.translate(None, b" \t\r\n"))
    _expect(found is not None, "the log is not what stands there", data)
    return "read"


# --- the table --------------------------------------------------------------------------

TABLE_VOCABULARY = (
    "take draw pass discard knock gin big spread melds layoff deadwood none on 1 2 @0 and , say "
    "hand help sort order move first after suit rank words off colours four score rules log resign "
    "quit no yes of clubs "
    "k d t p x g s h lay add meld table show 3 11 to 7d 10h Ks 3c4c5c as\u2660 7\u2666 ten queen "
    "pause why who"
)
TABLE_WORDS = TABLE_VOCABULARY.split()


CARDS = ("7d", "10h", "Ks", "3c4c5c", "2c 2d 2h", "ace of spades", "7♦", "on 1", "@0", "melds")


@cache
def views():
    """Return the player's view at each kind of choice, in several matches in the toy group."""
    found = {}
    with toy_group():
        for match in matches():
            for step in match.steps:
                hand = step.before.hand
                if hand is None or step.before.match is None or not match.seeds[step.author]:
                    continue
                if step.author != hand.to_move:
                    continue
                seat = match.seat_at(step.author, step.sequence)
                if seat.owes_choice():
                    found.setdefault((hand.phase, str(hand.rules)), seat.view())
    return tuple(found.values())


def _line(rng):
    kind = rng.random()
    line = words_of(TABLE_WORDS, rng)
    if rng.random() < 0.7:
        command = rng.choice(
            ("discard", "knock", "take", "draw", "lay", "spread", "rules", "sort", "order", "move")
        )
        line = f"{command} {words_of(CARDS, rng, 4) or line}"
    if kind < 0.6:
        return line
    return edited(line, rng) if kind < 0.95 else any_text(rng)


_IS_ENDED = re.compile(r"([.?]|: [^.?]+)\Z")
"""The end of a sentence, which may say what to type."""


def _take_line(line):
    try:
        command = parse_command(line)
    except RulesError as error:
        return _refusal(error, None, line)
    view: View = views()[hash_of(line) % len(views())]
    for style in (Style(), Style(words=True)):
        answer = judge_line(command, view, style)
        _expect(_IS_ENDED.search(answer) and len(answer) < LONGEST_SENTENCE, answer, line)
        _shown(answer)
    try:
        move = parse_move(line)
    except RulesError as error:
        _refusal(error, None, line)
    else:
        _expect(parse_move(str(move)) == move, "another move", line)
    return command.name if isinstance(command, Command) else type(command).__name__


def hash_of(text):
    """Return a number that is the same in every process."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0]


_PRESSED = (
    *("\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[1;5D", "\x1bOc", "\x1b[3~"),
    *("\x1bb", "\x1bd", "\x1b\x7f", "\x01", "\x04", "\x05", "\x0b", "\x0c", "\x15", "\x17", "\x7f"),
    *("\t", "\t\t", "\x1b", "\x1b[", "\x1b[200~", "日", "e\u0301", "\u0301", "\u202e"),
)


def _keys(rng):
    kind = rng.random()
    text = any_text(rng) if kind < 0.5 else _line(rng) + "\n"
    for _ in range(int(rng.random() * 12)):
        at = int(rng.random() * (len(text) + 1))
        text = text[:at] + rng.choice(_PRESSED) + text[at:]
    data = text.encode("utf-8", "surrogatepass")
    if kind > 0.97:
        data = rng.randbytes(200) + b"x" * int(rng.random() * 9_000) + b"\r\n"
    cuts = sorted(int(rng.random() * (len(data) + 1)) for _ in range(int(rng.random() * 5)))
    pieces = [data[a:b] for a, b in zip((0, *cuts), (*cuts, len(data)), strict=True)]
    return [piece for piece in pieces if piece]


def _take_keys(pieces):
    reader = LineSplitter()
    lines = [event for piece in (*pieces, b"") for event in reader.feed(piece)]
    events = [*_typed(pieces)]
    for event in (*lines, *events):
        _expect(not isinstance(event, TypedLine) or len(event.text) <= MAX_LINE + 1, "long", pieces)
        if isinstance(event, TypedLine):
            _expect("\n" not in event.text, "two lines", pieces)
    return "too long" if any(isinstance(event, OverlongLine) for event in events) else "read"


def _typed(pieces):
    """Type these pieces key by key; check that the output can be written to any terminal, and
    consists only of the line and cursor moves."""
    editor, drawn = LineEditor(complete=lambda typed: ("draw", "discard ")), BLANK
    columns = 2 + len(pieces) * 3
    for piece in (*pieces, b""):
        for event in editor.feed(piece):
            yield event
            if isinstance(event, TypedLine):
                editor.history.keep(event.text)
        new = fit_to_screen("> ", editor.text, editor.at, columns, 24)
        _expect(new.text.isprintable() and new.at <= len(new.text), "fit_to_screen", pieces)
        sent = re.sub("\x1b\\[[0-9]*[ABCDJK]|[\b\r]", "", redraw_codes(drawn, new, columns))
        _expect(sent.isprintable(), sent, pieces)
        drawn = new


@dataclass(frozen=True)
class Target:
    """A decoder to fuzz. *make* generates an input; *take* consumes it, and gets a folder as well
    if the input is a file."""

    make: object
    take: object
    in_folder: bool = False


TARGETS = {
    "invites": Target(_invite, _take_invite),
    "replies": Target(_reply, _take_reply),
    "rules": Target(_rules, _take_rules),
    "addresses": Target(_address, _take_address),
    "names": Target(_name, _take_name),
    "notations": Target(notations.made, lambda data: notations.taken(data, _refusal)),
    "table lines": Target(_line, _take_line),
    "keys": Target(_keys, _take_keys),
    "known_peers.json": Target(lambda rng: json_file(PEERS, rng), _take_peers, True),
    "match notes": Target(lambda rng: json_file(NOTES, rng), _take_notes, True),
    "settings": Target(lambda rng: json_file(SETTINGS, rng), _take_settings, True),
    "standings": Target(lambda rng: json_file(STANDING, rng), _take_standing, True),
    "closing notes": Target(lambda rng: json_file(CLOSING, rng), _take_closing, True),
    "pages": Target(_page, _take_page),
    "seeds files": Target(_seeds, _take_seeds, True),
}


def outcome(name, rng, folder):
    """Try one more input on this target; return the outcome."""
    target = TARGETS[name]
    given = target.make(rng)
    try:
        return target.take(given, folder) if target.in_folder else target.take(given)
    except Odd:
        raise
    except Exception as error:  # any other exception is a finding
        raise Odd(f"{name}: {type(error).__name__}: {error!s:.300}: {given!r:.600}") from error
