"""Read a line as it was typed: one line in, a move or one Command out.

# Rule 1: reading knows no game. Whether a card is held or a move is due, which cards are a meld,
#   and whether lay means the table or the knocker's melds, is decided elsewhere
#   (cli.table.resolve). So the same line always gives the same Command, or the same sentence.
# Rule 2: a line is never half obeyed. What cannot be read whole raises Unreadable.
# Rule 3: every move's own text ("knock 7d melds 3c4c5c ... deadwood 2d") can be typed too.
"""

from __future__ import annotations

import re

from cli.table.arguments import Command, as_typed, cards_or_none
from cli.table.command_table import is_talk, nearest_command, why_no_such_command
from cli.table.commands import COMMANDS, WORDS, is_code, read_rules
from ginpeer.names.quoting import safe
from ginpeer.rules.cards import RulesError, Unreadable
from ginpeer.rules.moves import Discard, Move
from ginpeer.rules.ruleset import PRESETS

_MAX_MEANT = 60  # characters of what stands behind a near miss, and are read with it
_ARTICLE = re.compile(r"\bthe\s+")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*[,.;:!?)]*")
_MAX_LINE = 2_000  # characters that are looked at; no command comes near


def parse_command(line: str) -> Command | Move:
    """Read a line. Raises Unreadable or Illegal with a sentence for the player."""
    text = line.strip()
    if not text:
        return Command("enter")
    word, _, rest = text.partition(" ")
    word, rest = word.casefold(), rest.strip()
    spec = COMMANDS.by_word.get(word)
    if spec is not None and spec.is_raw:
        return spec.read(word, rest)
    if word == "rules" and rest:
        return _read_what_to_explain(rest)
    if len(text) > _MAX_LINE:
        if is_code(text):
            return Command("paste", text)
        raise Unreadable("line-too-long", "That line is too long to be a command.")
    plain = _ARTICLE.sub("", text.casefold())  # else "the" would begin with the ten of hearts
    word, _, rest = plain.partition(" ")
    spec = COMMANDS.by_word.get(word)
    try:
        if spec is None or spec.is_raw:
            return _card_number_or_code(plain, text)
        return spec.read(word, rest.strip())
    except Unreadable as error:
        if spec is not None and word == spec.letter and error.code in _CODES_OF_CARDS:
            meaning = f"{word} means {spec.name}; nothing was done. "
            raise Unreadable(error.code, meaning + error.sentence) from None
        raise


_CODES_OF_CARDS = ("unreadable-card", "no-suit")


def _read_what_to_explain(rest: str) -> Command:
    """Read what follows rules: a line to judge, or rules to explain."""
    if rest.casefold().startswith("rules "):  # word by word, as deep as the line is long
        raise Unreadable("no-move", "Ask about a move, as in: rules take, rules knock 7d.")
    try:
        return Command("rules", parse_command(rest))
    except Unreadable:
        if not _names_rules(rest):
            raise
    return Command("rules", read_rules(rest))


def _card_number_or_code(text: str, whole: str) -> Command | Discard:
    """Read a line that begins with no command. *whole*: the line as it was typed, of which *text*
    is made."""
    if re.fullmatch(r"[0-9]{1,2}", text, re.ASCII):
        return Command("number", int(text))
    cards = cards_or_none(text)
    if cards is not None and len(cards) == 1:
        return Discard(cards[0])
    if is_code(whole):
        return Command("paste", whole)
    if cards is not None:
        raise Unreadable(
            "unknown-command",
            f"{as_typed(text)} names {len(cards)} cards; to throw one, type that card alone.",
        )
    raise Unreadable("unknown-command", _instead(whole))


def _instead(text: str) -> str:
    """Say what an unknown line was probably meant as, or why there is no such command. It isn't put
    as a question, since yes would not answer it."""
    word, _, rest = text.partition(" ")
    word = word.casefold()
    refusal, near = why_no_such_command(word), nearest_command(word, WORDS)
    if near != "rules" and _names_rules(rest):  # "play oklahoma", "offer target=150"
        near = "propose"
    line = f"{near} {rest.strip()}".strip()
    makes_one = near not in (None, "say") and _can_be_read(line)  # say takes any words
    if is_talk(word, alone=not rest.strip(), near=makes_one):
        return _to_say(text)
    if refusal is not None:
        return refusal
    if near is None and _is_talk(text):
        return _to_say(text)
    if near is None:
        return f"{as_typed(text)} is no command. Type help to see what there is."
    return f"Type {safe(line) if _can_be_read(line) else near}, if you mean that."


def _to_say(text: str) -> str:
    shown = f": say {safe(text)}" if len(text) <= _MAX_MEANT else " say before it."
    return f"To say it, type{shown}"


def _is_talk(text: str) -> bool:
    """Return whether a line looks like words to a person: two or more, the first of them no
    number."""
    first, *others = text.split()
    if not others or _WORD.fullmatch(first) is None:
        return False
    return all(_WORD.fullmatch(each) or each.isdecimal() for each in others)


def _can_be_read(line: str) -> bool:
    """Return whether a line is a command somewhere. Long lines are not looked into, since one more
    near miss may stand behind rules."""
    try:
        return len(line) <= _MAX_MEANT and bool(parse_command(line))
    except RulesError as why:
        return why.code == "no-rules"


def _names_rules(text: str) -> bool:
    """Return whether this is meant as rules of a match: it has a preset's name or a parameter."""
    words = text.casefold().split()
    return words == ["theirs"] or any(word in PRESETS or "=" in word for word in words)
