"""A line as it was typed, read generously: one line in, one Command out.

# House rules
#
# 1. Reading knows no game: whether a card is held or a move is due, which cards are a meld, and
#    whether lay means the table or the knocker's melds, is decided elsewhere (cli.table.meaning).
#    So the same line is always the same Command, and every line is either that or one sentence.
# 2. A line is never half obeyed. What cannot be read whole raises Unreadable.
# 3. Every move's own text ("knock 7d melds 3c4c5c ... deadwood 2d") can be typed too.
"""

from __future__ import annotations

import re

from cli.table.command import (
    Ask,
    Command,
    Decline,
    Draw,
    Enter,
    Explain,
    ExplainRules,
    Number,
    Paste,
    Propose,
    Say,
    Share,
    Throw,
    Try,
)
from cli.table.near_miss import is_talk, meant, why_not
from cli.table.parse_cards import as_typed, cards_or_none, read_card
from cli.table.parse_parts import (
    LAY_WORDS,
    read_end,
    read_lay_down,
    read_order,
    read_place,
    read_put_down,
    read_sort,
    read_take,
)
from cli.table.switches import SWITCHES, read_switch
from ginpeer.names.shown import safe
from ginpeer.net.invite import is_invite
from ginpeer.net.reply import is_reply
from ginpeer.rules.cards import RulesError, Unreadable
from ginpeer.rules.ruleset import PRESETS, RuleSet, parse_ruleset

_ASKS = {
    **dict.fromkeys(("help", "?", "commands"), "help"),
    **dict.fromkeys(("hand", "h", "cards"), "hand"),
    "show": "show",
    **dict.fromkeys(("table", "pile"), "table"),
    **dict.fromkeys(("score", "scores"), "score"),
    "rules": "rules",
    "log": "log",
    "tally": "tally",
    "taken": "taken",
    **dict.fromkeys(("hint", "hints"), "hint"),
    "mute": "mute",
    "unmute": "unmute",
    "pause": "pause",
    "resign": "resign",
    **dict.fromkeys(("quit", "q", "exit", "leave"), "quit"),
    **dict.fromkeys(("yes", "y"), "yes"),
    **dict.fromkeys(("no", "n"), "no"),
    "accept": "accept",
    "decline": "decline",
}
"""The words that are a command each, without anything behind them."""

_LETTERS = {"t": "take", "x": "discard", "k": "knock", "g": "gin", "s": "spread"}
_ALSO = {
    **dict.fromkeys(("t", "upcard"), "take"),
    **dict.fromkeys(("d", "stock"), "draw"),
    "p": "pass",
    **dict.fromkeys(("x", "throw"), "discard"),
    **dict.fromkeys(("big", "biggin", "big-gin"), "big gin"),
    **dict.fromkeys(("lay-off", "lay off"), "layoff"),
    **dict.fromkeys(("meld", "melds"), "lay"),
    **dict.fromkeys(("colors", "colour", "color"), "colours"),
}
"""Other words for the commands that take something behind them."""

WORDS = tuple(
    dict.fromkeys(
        (
            *("take", "draw", "pass", "discard", "knock", "gin", "spread", "layoff", "lay", "add"),
            *("sort", "order", "move", *SWITCHES, "say", "propose"),
            *_ASKS,
            *_ALSO,
        )
    )
)
"""Whatever may begin a line that is no card; where two are as near to what was typed, the first is
meant."""

_THEIRS = (
    "To play what your opponent suggests, answer yes when you are asked. To suggest something "
    "else, type propose and the rules, as in: propose oklahoma target=150."
)
_PROPOSE_WHAT = "Type the rules after propose, as in: propose oklahoma target=150."
_MAX_MEANT = 60  # characters of what stands behind a near miss, and are read with it
_ARTICLE = re.compile(r"\bthe\s+")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*[,.;:!?)]*")
_MAX_LINE = 2_000  # characters that are looked at; no command comes near


def is_code(text: str) -> bool:
    """Whether this is a reply or an invite that was pasted, or meant as one."""
    return is_reply(text) or is_invite(text)


def known_by(word: str) -> str:
    """The one name of a command for all that can be typed for it: "quit" for "q" and "exit"."""
    return _ASKS.get(word) or _LETTERS.get(word) or _ALSO.get(word, word)


def parse_command(line: str) -> Command:
    """Read a line. Raises Unreadable with a sentence for the player."""
    text = line.strip()
    if not text:
        return Enter()
    word, _, rest = text.partition(" ")
    word, rest = word.casefold(), rest.strip()
    if word == "say":
        return _say(rest)
    if is_code(text):
        return Paste(text)
    if word == "rules" and rest:
        if rest.casefold().startswith("rules "):  # word by word, as deep as the line is long
            raise Unreadable("no-move", "Ask about a move, as in: rules take, rules knock 7d.")
        try:
            return Try(parse_command(rest))
        except Unreadable:
            if not _names_rules(rest):
                raise
        return ExplainRules(_rules(rest))
    if word == "propose":
        return Propose(_rules(rest))
    if len(text) > _MAX_LINE:
        raise Unreadable("line-too-long", "That line is too long to be a command.")
    plain = _ARTICLE.sub("", text.casefold())  # else "the" would begin with the ten of hearts
    word, _, rest = plain.partition(" ")
    try:
        return _command(word, rest.strip()) or _lone_card_or_number(plain, text)
    except Unreadable as error:
        if error.code in ("unreadable-card", "no-suit") and word in _LETTERS:
            meaning = f"{word} means {_LETTERS[word]}; nothing was done. "
            raise Unreadable(error.code, meaning + error.sentence) from None
        raise


def _say(text: str) -> Say:
    if not text:
        raise Unreadable("nothing-said", "Type what to say behind say, as in: say good game.")
    return Say(text)


def _command(word: str, rest: str) -> Command | None:
    """The command that begins with this word; None if no command does."""
    match word:
        case "help" | "?" if rest:
            return Explain(rest)
        case "tally" if rest:
            return _share(rest)
        case _ if word in _ASKS:
            _nothing_more(word, _ASKS[word], rest)
            return Ask(_ASKS[word])
        case "take" | "t" | "upcard":
            return read_take(rest.removeprefix("top "))
        case "draw" | "d" | "stock":
            return _draw(word, rest)
        case "pass" | "p":
            _nothing_more(word, "pass", rest)
            return Decline()
        case "discard" | "x" | "throw":
            return _throw(rest)
        case "knock" | "k":
            return read_end("knock", rest)
        case "gin" | "g":
            return read_end("gin", rest)
        case "big" | "biggin" | "big-gin":
            return read_end("big gin", rest.removeprefix("gin").strip())
        case "spread" | "s":
            return read_lay_down(rest)
        case "layoff" | "lay-off":
            return read_lay_down(f"layoff {rest}")
        case "lay" if rest.split(" ")[0] == "off":
            return read_lay_down(f"layoff {rest.removeprefix('off').strip()}")
        case _ if word in LAY_WORDS:
            return read_put_down(word, rest)
        case "sort":
            return read_sort(rest)
        case "order":
            return read_order(rest)
        case "move":
            return read_place(rest)
        case _ if known_by(word) in SWITCHES:
            return read_switch(known_by(word), rest)
    return None


def _draw(word: str, rest: str) -> Draw:
    if rest not in ("", "stock", "from stock"):
        raise Unreadable(
            "unclear", f"{word} means draw. To throw a card, type the card alone, like 7d."
        )
    return Draw()


def _throw(rest: str) -> Throw:
    if not rest:
        raise Unreadable("no-card", "Say which card to throw, as in: discard 7d.")
    return Throw(read_card(rest))


def _share(rest: str) -> Share:
    if rest in ("on", "off"):
        return Share(rest == "on")
    raise Unreadable(
        "unclear",
        "Type tally to hear how both tables stand, tally on to let the other table see this one, "
        "tally off to take that back.",
    )


def _nothing_more(word: str, meaning: str, rest: str) -> None:
    if rest:
        shown = meaning if word == meaning else f"{word} ({meaning})"
        raise Unreadable("unclear", f"{shown} stands alone; nothing was done.")


def _lone_card_or_number(text: str, whole: str) -> Command:
    """*whole*: the line itself, of which *text* is made."""
    if re.fullmatch(r"[0-9]{1,2}", text, re.ASCII):
        return Number(int(text))
    cards = cards_or_none(text)
    if cards is not None and len(cards) > 1:
        raise Unreadable(
            "unknown-command",
            f"{as_typed(text)} names {len(cards)} cards; to throw one, type that card alone.",
        )
    try:
        return Throw(read_card(text))
    except Unreadable:
        raise Unreadable("unknown-command", _instead(whole)) from None


def _instead(text: str) -> str:
    """What a line was probably meant as that is no command; or why there is no such command. It
    is no question, for yes would be no answer to it."""
    word, _, rest = text.partition(" ")
    word = word.casefold()
    refusal, near = why_not(word), meant(word, WORDS)
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
    """Whether a line looks like words to a person: two or more, and numbers behind the first."""
    first, *others = text.split()
    if not others or _WORD.fullmatch(first) is None:
        return False
    return all(_WORD.fullmatch(each) or each.isdecimal() for each in others)


def _can_be_read(line: str) -> bool:
    """Whether a line is a command somewhere. Not looked into where it is long: behind rules may
    stand one more near miss."""
    try:
        return len(line) <= _MAX_MEANT and bool(parse_command(line))
    except RulesError as why:
        return why.code == "no-rules"


def _names_rules(text: str) -> bool:
    """Whether this is meant as rules of a match: it has a preset's name or a parameter."""
    words = text.casefold().split()
    return words == ["theirs"] or any(word in PRESETS or "=" in word for word in words)


def _rules(text: str) -> RuleSet:
    """Read rules that can be played. Raises Unreadable or Illegal with a sentence."""
    text = text.casefold()
    if text in ("", "theirs"):
        raise Unreadable("no-rules", _THEIRS if text else _PROPOSE_WHAT)
    rules = parse_ruleset(text)
    rules.check()
    return rules
