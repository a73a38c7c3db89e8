"""The commands of the table. Each has one declaration, from which parsing, help, completion and
suggestions follow; only its action lives elsewhere (cli.table.dispatcher).

Rule 1: Tab offers only what is possible now, under the one name that help uses. It leaves free
  text (chat or a code, say) alone.
Rule 2: reading a line needs no knowledge of the game. cli.table.resolve decides whether you hold
  a card, whether a move is due, which cards form a meld, and whether lay means the table or the
  knocker's melds. So the same line always gives the same Command, or the same sentence.
Rule 3: a line is never obeyed in part. A line that can't be read completely raises Unreadable.
Rule 4: the text of every move ("knock 7d melds 3c4c5c ... deadwood 2d") can be typed, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass

from cli.table import arguments
from cli.table.arguments import NO_HINTS, NO_KNOCKING, Command, nothing_more
from cli.table.near_misses import PHRASES, QUESTIONS, WHY_NOT, is_talk, nearest_command
from cli.table.possible_moves import (
    can_go_big_gin,
    knock_options,
    lay_off_targets,
    layable,
    take_counts,
)
from cli.table.table_state import TableState
from cli.text.cards import Sort, Style, as_typed, cards_or_none, is_card, rank_of
from cli.text.rules import term_in
from ginpeer.names import safe
from ginpeer.net.codes import is_invite, is_reply
from ginpeer.rules.cards import Card, RulesError, Unreadable, cards_of
from ginpeer.rules.hand import Phase
from ginpeer.rules.match import View
from ginpeer.rules.moves import Discard, Move
from ginpeer.rules.ruleset import PRESETS, RuleSet, parse_ruleset

_LONGEST = 200  # characters; Tab doesn't complete longer lines

_THEIRS = (
    "To play what your opponent suggests, answer yes when ginpeer asks. To suggest other rules, "
    "type propose and the rules, as in: propose oklahoma target=150."
)
_NO_COMMAND = " isn't a command. For a list, type help."
_PROPOSE_WHAT = "Type the rules after propose, as in: propose oklahoma target=150."

TOPICS = ("moves", "look", "settings", "talk", "keys")  # the topics of help (cli.table.lookups)

_Completer = Callable[[TableState], Iterable[str]]
_Condition = Callable[[TableState], bool]


@dataclass(frozen=True, slots=True)
class Spec:
    """One command, with everything that parsing, help, completion and suggestions need.

    ``in_mahjong`` is its help in Mahjong gin, if that differs. ``aliases`` are other words for it;
    ``letter`` is its short form. ``read`` gets the word that was typed and what follows it; None if
    nothing may follow. ``when`` returns whether it is possible now. ``after`` lists what Tab offers
    after it. ``more_follows``: whether Tab adds a blank. ``is_move``: whether ``rules`` can judge
    it. ``is_raw``: whether what follows is read exactly as typed.
    """

    name: str
    help: str = ""
    _: KW_ONLY
    read: Callable[[str, str], Command | Move] | None = None
    aliases: tuple[str, ...] = ()
    letter: str = ""
    when: _Condition = lambda state: True
    after: _Completer = lambda state: ()
    more_follows: bool = False
    is_move: bool = False
    is_raw: bool = False
    in_mahjong: str = ""


# --- when a command is possible ---------------------------------------------------------


def _if_due(check: Callable[[View], object] = bool) -> _Condition:
    """Return a condition: a move is due, and *check* finds something in what our player sees."""
    return lambda state: state.view is not None and bool(check(state.view))


def _in_phase(*phases: Phase) -> _Condition:
    return _if_due(lambda view: view.hand.phase in phases)


def _can_spread(view: View) -> bool:
    return view.hand.phase is Phase.LAY_OFF and not view.hand.rules.mahjong


def _is_connected(state: TableState) -> bool:
    return state.session is not None


def _has_hand(state: TableState) -> bool:
    return state.look() is not None


def _can_get_hint(state: TableState) -> bool:
    return state.practice and state.view is not None and not state.view.hand.rules.mahjong


def _is_offered(state: TableState) -> bool:
    """Return whether our player is asked to accept a match or to offer one."""
    return state.questions.offer is not None or state.questions.host_question is not None


def _can_say_yes(state: TableState) -> bool:
    asked = state.questions.confirming is not None or state.asks_to_pause()
    return asked or _is_offered(state)


def _can_say_no(state: TableState) -> bool:
    session = state.session
    paused = session is not None and (session.pause_offered or session.pause_wanted)
    return paused or _can_say_yes(state)


# --- what Tab offers after a command ----------------------------------------------------


def _fixed_words(*words: str) -> _Completer:
    return lambda state: words


def _cards(choose: Callable[[View], Iterable[Card]]) -> _Completer:
    """Offer cards as letters, because every keyboard has them."""

    def offer(state: TableState) -> Iterable[str]:
        found = () if state.view is None else choose(state.view)
        return [_letters(card) for card in found]

    return offer


def _letters(card: Card) -> str:
    return Style().card(card).lower()


def _held(view: View) -> Iterable[Card]:
    return cards_of(view.cards)


def _to_discard(view: View) -> Iterable[Card]:
    if view.hand.phase is Phase.DISCARD:
        return [card for card in cards_of(view.cards) if card != view.hand.taken]
    return []


def _to_knock(view: View) -> list[Card]:
    return [option.discard for option in knock_options(view)]


def _to_go_gin(view: View) -> list[Card]:
    return [option.discard for option in knock_options(view) if not option.deadwood]


def _to_lay_off(view: View) -> list[Card]:
    """Return our cards that fit an open meld, after the opponent has knocked."""
    ways, melds = view.hand.melding, view.hand.open_melds
    return [card for card in cards_of(view.cards) if any(ways.fits(card, meld) for meld in melds)]


def _to_add(view: View) -> list[Card]:
    return [*_to_lay_off(view), *(card for card, _ in layable(view)[1])]


def _melds_to_lay(state: TableState) -> Iterable[str]:
    """Offer melds that can be laid, or cards to lay off after a knock."""
    melds = () if state.view is None else layable(state.view)[0]
    return [
        *_cards(_to_lay_off)(state),
        *("".join(map(_letters, cards_of(meld))) for meld in melds),
    ]


def _counts_to_take(state: TableState) -> Iterable[str]:
    return [] if state.view is None else map(str, take_counts(state.view))


_ON_OFF = _fixed_words("on", "off")


# --- the commands -----------------------------------------------------------------------


def _read_help(word: str, rest: str) -> Command:
    if rest and word != "commands":
        return Command("help", rest)
    nothing_more(word, word, rest)
    return Command("help")


def _read_say(word: str, rest: str) -> Command:
    return Command("say", rest or None)


def _read_undo(word: str, rest: str) -> Command:
    if rest and word == "back":  # "back in a minute"
        raise _talk(rest)
    nothing_more(word, "undo", rest)
    return Command("undo")


def _read_last(word: str, rest: str) -> Command:
    if rest:  # "last hand"
        raise _talk(rest)
    return Command("last")


def _named(name: str, read: Callable[[str, str], Command]) -> Callable[[str, str], Command]:
    """Return a reader that passes *name* to *read*, whichever alias was typed."""
    return lambda word, rest: read(name, rest)


_UPCARD_PHASES = (Phase.FIRST_UPCARD, Phase.SECOND_UPCARD, Phase.LAST_CHANCE)

# fmt: off
COMMANDS = (
    Spec("take", "take (t) takes the upcard and starts your turn; you can't discard that card "
        "in the same turn.", letter="t",
        read=arguments.read_take, when=_in_phase(*_UPCARD_PHASES, Phase.DRAW),
        after=_counts_to_take, is_move=True,
        in_mahjong="take (t) takes the upcard. take 3 takes the top three cards of the pile and "
        "lays the bottom one at once."),
    Spec("draw", "draw (d) draws a card from the stock and starts your turn.", letter="d",
        read=arguments.read_draw, when=_in_phase(Phase.FIRST_DRAW, Phase.DRAW), is_move=True),
    Spec("pass", "pass (p) refuses the first upcard of a hand, or its last discard.",
        letter="p", read=arguments.read_pass, when=_in_phase(*_UPCARD_PHASES), is_move=True),
    Spec("discard", "discard 7d (x 7d, or just 7d) discards that card and ends your turn.",
        aliases=("throw",), letter="x",
        read=arguments.read_discard, when=_in_phase(Phase.DISCARD), after=_cards(_to_discard),
        more_follows=True, is_move=True),
    Spec("knock", "knock 7d (k 7d) discards 7d, shows your cards and ends the hand. Your "
        "deadwood must be within the limit. If only one discard lets you knock, plain knock will "
        "do. knock 7d other shows your second-best melds instead.",
        letter="k", read=_named("knock", arguments.read_knock), when=_if_due(_to_knock),
        after=_cards(_to_knock), more_follows=True, is_move=True, in_mahjong=NO_KNOCKING),
    Spec("gin", "gin 7d (g 7d) discards 7d and ends the hand. All other cards must be melded.",
        letter="g", read=_named("gin", arguments.read_knock), when=_if_due(_to_go_gin),
        after=_cards(_to_go_gin), more_follows=True, is_move=True,
        in_mahjong="You go gin by laying or discarding your last card. No command is needed."),
    Spec("spread", "spread (s) answers a knock with your best spread: your melds, and what "
        "fits on your opponent's. spread melds 3c4c5c layoff 6c on 1 makes the spread you name.",
        letter="s", read=arguments.read_spread, when=_if_due(_can_spread), is_move=True,
        in_mahjong=NO_KNOCKING),
    Spec("layoff", "layoff 6c on 1 answers a knock and lays off the 6 of clubs on your "
        "opponent's first meld. ginpeer fills in what you don't name.",
        aliases=("lay-off", "lay off"), read=arguments.read_layoff, when=_if_due(lay_off_targets),
        after=_cards(_to_lay_off), more_follows=True, is_move=True,
        in_mahjong=NO_KNOCKING),
    Spec("lay", "After a knock, lay 6c on 1 means layoff 6c on 1. In Mahjong gin, lay 3c4c5c "
        "puts a meld on the table.", aliases=("meld", "melds"),
        read=arguments.read_lay, when=_if_due(lambda view: layable(view)[0]), after=_melds_to_lay,
        more_follows=True, is_move=True,
        in_mahjong="lay 3c4c5c 7c7h7s puts melds on the table; lay puts down all melds in your "
        "hand; melds alone shows the table."),
    Spec("add", "After a knock, add 6c on 1 means layoff 6c on 1. In Mahjong gin, it adds a "
        "card to a meld on the table.",
        read=arguments.read_lay, when=_if_due(lambda view: layable(view)[1]), after=_cards(_to_add),
        more_follows=True, is_move=True,
        in_mahjong="add 6c on 1 adds a card to meld 1 on the table; add 6c adds it to the meld it "
        "fits."),
    Spec("sort", "sort melds, sort suit or sort rank sorts your hand from now on; sort means "
        "sort melds.",
        read=arguments.read_sort, after=_fixed_words(*(sort.value for sort in Sort)),
        more_follows=True),
    Spec("order", "order 4h 5h kd shows these cards first until the next hand. New cards come "
        "last. sort undoes it.",
        read=arguments.read_order, when=_has_hand, after=_cards(_held), more_follows=True),
    Spec("move", "move kd first, move kd last or move kd after 5h moves one card within your "
        "hand. It doesn't discard.",
        read=arguments.read_new_place, when=_has_hand, after=_cards(_held), more_follows=True),
    Spec("words", "words on writes cards as words, for a screen reader; words off uses "
        "symbols. ginpeer remembers this.",
        read=arguments.read_switch, after=_ON_OFF, more_follows=True),
    Spec("brief", "brief on shows each turn in one line, leaves your hand out and asks in few "
        "words; brief off shows everything. ginpeer remembers this.",
        read=arguments.read_switch, after=_ON_OFF, more_follows=True),
    Spec("lines", "lines on puts a blank line after each turn and a ruled line after each "
        "hand; lines off doesn't. With words on, there are none. ginpeer remembers this.",
        read=arguments.read_switch, after=_ON_OFF, more_follows=True),
    Spec("pace", "pace on stops after each hand for three seconds, or until you press Enter. "
        "With words on, it always waits for Enter. pace off doesn't stop. ginpeer remembers this.",
        read=arguments.read_switch, after=_ON_OFF, more_follows=True),
    Spec("colours", "colours four gives each suit its own colour; colours two uses red and "
        "black. ginpeer remembers this.", aliases=("colors", "colour", "color"),
        read=_named("colours", arguments.read_switch), after=_fixed_words("four", "two"),
        more_follows=True),
    Spec("confirm", "confirm on asks before a discard that breaks a meld or gives up a knock, "
        "before a move that gives up gin, and before a knock that leaves more deadwood than "
        "another; confirm off doesn't. ginpeer remembers this.",
        read=arguments.read_switch, after=_ON_OFF, more_follows=True),
    Spec("bell", "bell on rings once when your turn comes after a wait of two seconds or "
        "more; bell off doesn't. ginpeer remembers this.",
        read=arguments.read_switch, after=_ON_OFF, more_follows=True),
    Spec("say", "say good game sends your opponent that message. say alone sends the line that "
        "ginpeer has just taken for a message.",
        read=_read_say, when=_is_connected, more_follows=True, is_raw=True),
    Spec("propose", "propose oklahoma target=150 asks your opponent to play the next match by "
        "these rules; you confirm it first. If both of you agree, the match starts.",
        read=lambda word, rest: Command("propose", read_rules(rest)),
        when=TableState.may_propose, after=_fixed_words(*PRESETS),
        more_follows=True, is_raw=True),
    Spec("help", "help lists the most common commands, and topics for the rest. help and a "
        "command, as in help knock, explains it.", aliases=("?", "commands"),
        read=_read_help, after=lambda state: (*BY_NAME, *TOPICS)),
    Spec("hand", "hand (h) shows your cards: melds and deadwood. hand on shows them whenever "
        "you discard; hand off doesn't. ginpeer remembers this.", aliases=("cards",), letter="h",
        read=_named("hand", arguments.read_hand), when=_has_hand, after=_ON_OFF),
    Spec("show", "show is the same as hand.",
        when=TableState.shows_what_is_left, is_move=True,
        in_mahjong="show shows your remaining cards after your opponent has gone gin. Before "
        "that, it is the same as hand."),
    Spec("table", "table shows everything you can see: your hand, the upcard, the stock, what "
        "your opponent took, and the score.", aliases=("pile", "upcard", "stock"), when=_has_hand),
    Spec("last", "last repeats what has happened since your last turn.",
        read=_read_last, aliases=("repeat",)),
    Spec("score", "score shows the points of this match, hand by hand.", aliases=("scores",)),
    Spec("rules", "rules explains the rules of this match and what you may do now. rules "
        "knock 7d says whether you may do that, without doing it. rules oklahoma explains other "
        "rules."),
    Spec("log", "log says where the log of this match is."),
    Spec("tally", "tally shows the score of the other table of a partnership, and of both "
        "together. tally on lets the other table see this table's log after each hand, once your "
        "opponent types it too. tally off stops that.",
        read=arguments.read_tally, after=_ON_OFF, more_follows=True),
    Spec("taken", "taken lists the cards that your opponent took from the pile in this hand "
        "and still holds.", when=_has_hand),
    Spec("hint", "hint, in a practice match, says which move is best, by how much, and why. Type "
        "it again to see what the next two moves are worth.",
        aliases=("hints",), when=_can_get_hint, in_mahjong=NO_HINTS),
    Spec("undo", "undo, in a practice match, takes back your last move; type it again to go back "
        "further. You will draw the same cards again. From then on, the match counts as neither "
        "won nor lost.",
        aliases=("takeback", "back", "revert"), read=_read_undo,
        when=lambda state: state.allows_undo and _has_hand(state), is_raw=True),
    Spec("mute", "mute hides your opponent's chat. They aren't told."),
    Spec("unmute", "unmute shows your opponent's chat again."),
    Spec("pause", "pause asks your opponent to continue another time, or agrees if your opponent "
        "has asked. The match is kept.",
        when=_is_connected),
    Spec("resign", "resign gives up the match, and your opponent wins it. ginpeer asks first.",
        when=_if_due(), is_move=True),
    Spec("quit", "quit (q) leaves the table. The log is kept, and the match can continue "
        "later.", aliases=("exit", "leave"), letter="q"),
    Spec("yes", "yes (y) answers a question.", letter="y", when=_can_say_yes,
        aliases=("ok", "okay", "yep", "yeah")),
    Spec("no", "no (n) answers a question, or withdraws your request for a pause.",
        aliases=("nope",), letter="n", when=_can_say_no),
    Spec("accept", "accept accepts an offered match, like yes.",
        when=_is_offered),
    Spec("decline", "decline declines an offered match, like no.",
        when=_is_offered),
    Spec("big gin", "big gin ends the hand when all eleven cards are melded. You don't "
    "discard.", aliases=("big", "biggin", "big-gin"),
    read=lambda word, rest: arguments.read_knock("big gin", rest.removeprefix("gin").strip()),
    when=_if_due(can_go_big_gin), after=_fixed_words("gin"), is_move=True,
    in_mahjong="There is no big gin in Mahjong gin. You go gin by laying or discarding your last "
    "card."),
)
# fmt: on

BY_NAME: dict[str, Spec] = {spec.name: spec for spec in COMMANDS}
BY_WORD = {
    word: spec
    for spec in COMMANDS
    for word in (spec.name, *spec.aliases, *filter(None, [spec.letter]))
}
WORDS = (
    *(name for name in BY_NAME if name not in ("big gin", "last")),
    *(word for spec in COMMANDS for word in spec.aliases),
)
"""Every word that a typo may stand for. If two words are equally close, the first is suggested.
"lost" and "fast" aren't typos for last."""


def completions(typed: str, state: TableState) -> tuple[str, ...] | None:
    """Return the completions of the last word of what was *typed* up to the cursor: commands that
    are possible now, and cards in the hand. None if any word may follow."""
    before, _, begun = typed.rpartition(" ")
    word, _, typed_after = " ".join(before.casefold().split()).partition(" ")
    if word == "say" or is_code(typed.strip()) or len(typed) > _LONGEST:
        return None
    moves_only = word == "rules"  # which judges a move
    if moves_only:
        word, _, typed_after = typed_after.partition(" ")
    begun = begun.casefold()
    found: Iterable[str]
    if word:
        found = _offered_after(BY_WORD.get(word), typed_after, state)
    else:
        found = [
            f"{spec.name} " if spec.more_follows else spec.name
            for spec in COMMANDS
            if (spec.is_move or not moves_only) and spec.when(state)
        ]
        if begun:
            found = (*found, *_cards(_to_discard)(state))
    return tuple(each for each in dict.fromkeys(found) if each.startswith(begun))


def _offered_after(spec: Spec | None, typed_after: str, state: TableState) -> Iterable[str]:
    """Return what may follow this command now. *typed_after*: the words that already follow it."""
    if spec is None:
        return ()
    if spec.name == "move" and typed_after:
        return () if " " in typed_after else ("first", "last")
    return () if typed_after and spec.name != "order" else spec.after(state)


def explain_command(text: str, *, mahjong: bool) -> str:
    """Explain one command. Raises Unreadable if no command is close."""
    plain = " ".join(text.casefold().split()).replace("take back", "takeback")
    spec = BY_WORD.get("discard" if is_card(plain) else plain)
    if spec is None:
        plain = plain.split(" ")[0]
        spec = BY_WORD.get(plain)
    if spec is not None:
        return _help(spec, mahjong)
    if plain in WHY_NOT:
        return WHY_NOT[plain]
    near = BY_WORD.get(nearest_command(plain, WORDS) or "")
    if near is None:
        raise Unreadable("unknown-command", as_typed(text) + _NO_COMMAND)
    return f"{as_typed(text)} isn't a command. The nearest one: {_help(near, mahjong)}"


def _help(spec: Spec, mahjong: bool) -> str:
    return spec.in_mahjong if mahjong and spec.in_mahjong else spec.help


def lone_command(text: str) -> str:
    """Return the command if it is all that this line contains; "" otherwise."""
    spec = BY_WORD.get(text.strip().casefold())
    return "" if spec is None else spec.name


def is_code(text: str) -> bool:
    """Return whether this is a reply or an invite, or was meant as one."""
    return is_reply(text) or is_invite(text)


def read_rules(text: str) -> RuleSet:
    text = text.casefold()
    if text in ("", "theirs"):
        raise Unreadable("no-rules", _THEIRS if text else _PROPOSE_WHAT)
    rules = parse_ruleset(text)
    rules.check()
    return rules


# --- reading a line ---------------------------------------------------------------------


class NotACommand(Unreadable):
    """A line that isn't a command. *meant*: the line that our player probably meant, if any.
    *is_talk*: whether the line is probably meant for the other player."""

    def __init__(self, sentence: str, *, meant: str = "", is_talk: bool = False) -> None:
        super().__init__("unknown-command", sentence)
        self.meant = meant
        self.is_talk = is_talk


_MAX_MEANT = 60  # characters; only a shorter line is read again as the nearest command
_FILLER = re.compile(r"\bthe\s+|^go\s+(?=(?:big\s+)?gin\b)")
_WHAT_IS = re.compile(r"what(?:s| is| are)(?: an?)? (.+)")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*[,.;:!?)]*")
_MAX_LINE = 2_000  # characters; no command comes close to this length


def parse_command(line: str) -> Command | Move:
    """Read a line. Raises Unreadable or Illegal with a sentence for the player."""
    text = line.strip()
    if not text:
        return Command("enter")
    word, _, rest = text.partition(" ")
    word, rest = word.casefold(), rest.strip()
    spec = BY_WORD.get(word)
    plain = _FILLER.sub("", text.casefold())  # otherwise "the" would begin with the ten of hearts
    asked = plain.replace("'", "").replace("\u2019", "").rstrip("?!. ")
    phrase = PHRASES.get(plain) or QUESTIONS.get(asked)
    if phrase is not None:
        return parse_command(phrase)
    what_is = _WHAT_IS.fullmatch(asked)
    if what_is is not None and (term_in(what_is[1]) or _is_move(what_is[1])):
        return Command("help", what_is[1])
    if spec is not None and spec.is_raw:
        return _read_argument(spec, word, rest)
    if word == "rules" and rest:
        return _read_what_to_explain(rest)
    if len(text) > _MAX_LINE:
        if is_code(text):
            return Command("paste", text)
        raise Unreadable("line-too-long", "That line is too long to be a command.")
    word, _, rest = plain.partition(" ")
    spec = BY_WORD.get(word)
    try:
        if spec is None or spec.is_raw:
            return _card_number_or_code(plain, text)
        return _read_argument(spec, word, rest.strip())
    except Unreadable as error:
        meant = _nearly(plain) if error.code in ("unknown-command", *_CODES_OF_CARDS) else None
        if meant is not None:
            raise _suggestion(meant) from None
        if spec is not None and word == spec.letter and error.code in _CODES_OF_CARDS:
            meaning = f"{word} means {spec.name}. Nothing was changed. "
            raise Unreadable(error.code, meaning + error.sentence) from None
        raise


def _read_argument(spec: Spec, word: str, rest: str) -> Command | Move:
    if spec.read is not None:
        return spec.read(word, rest)
    nothing_more(word, spec.name, rest)
    return Command(spec.name)


_CODES_OF_CARDS = ("unreadable-card", "no-suit")


def _read_what_to_explain(rest: str) -> Command:
    """Read what follows `rules`: a line to judge, or the name of rules to explain."""
    if rest.casefold().startswith("rules "):  # "rules rules rules ..." would recurse once per word
        raise Unreadable("no-move", "Ask about a move, as in: rules take, or rules knock 7d.")
    try:
        line = parse_command(rest)
        if isinstance(line, Command) and line.name == "rules":  # "rules can I knock"
            return line
        return Command("rules", line)
    except Unreadable as error:
        if _names_rules(rest):
            return Command("rules", read_rules(rest))
        if not isinstance(error, NotACommand):
            raise
        if suggested_move(error) is not None:
            raise _suggestion(f"rules {error.meant}") from None
        if error.meant:
            raise
        if nearest_command(rest, PRESETS) is None:
            raise Unreadable(
                "unknown-command",
                f"{as_typed(rest)} is neither a move nor the name of any rules. Ask about a move, "
                "as in rules knock 7d, or about rules, as in rules oklahoma.",
            ) from None
    return Command("rules", read_rules(rest))


def _card_number_or_code(text: str, whole: str) -> Command | Discard:
    """Read a line that doesn't begin with a command: a number, a card, or a code. *whole*: the line
    as typed. *text*: the line in lower case, without articles."""
    if re.fullmatch(r"[0-9]{1,2}", text, re.ASCII):
        return Command("number", int(text))
    if rank_of(text) is not None:
        return Command("rank", rank_of(text))
    cards = cards_or_none(text)
    if text.rstrip(".!") == "ha" or text in ("ah.", "ah!"):
        raise _talk(text, "To discard the ace of hearts, type ah. ")
    if cards is not None and len(cards) == 1:
        return Discard(cards[0])
    if is_code(whole):
        return Command("paste", whole)
    if cards is not None:
        raise Unreadable(
            "unknown-command",
            f"{as_typed(text)} names {len(cards)} cards. To discard one, type only that card.",
        )
    raise _not_a_command(whole)


def _nearly(text: str) -> str | None:
    """Return the move that our player probably meant: the text with a space before the card, and
    without "on" or a final "!" or "."; None if that isn't a move."""
    for word in ("", *(word for word, spec in BY_WORD.items() if spec.is_move)):
        card = text.removeprefix(word).strip().removeprefix("on ").rstrip(".!")
        line = f"{word} {card}".strip()
        differs = line not in (text, "ah")  # "ah!" is talk
        if text.startswith(word) and is_card(card) and differs and _can_be_read(line):
            return line
    return None


def suggested_move(refusal: NotACommand) -> Spec | None:
    """Return the command for the move that a refusal suggests; None if it suggests none."""
    word = refusal.meant.partition(" ")[0]
    spec = BY_WORD.get("discard" if is_card(word) else word)
    return spec if spec is not None and spec.is_move else None


def _suggestion(meant: str) -> NotACommand:
    """Suggest a line, but don't phrase it as a question: yes wouldn't answer it."""
    return NotACommand(f"Maybe you meant {safe(meant)}.", meant=meant)


def _not_a_command(text: str) -> Unreadable:
    """Return an error that says what an unknown line was probably meant to be, or why there is no
    such command."""
    word, _, rest = text.partition(" ")
    word = word.casefold()
    if word == "ginpeer":
        return Unreadable(
            "unknown-command",
            "ginpeer is already running here, and reconnects by itself. Commands that begin with "
            "ginpeer are for your shell, in another window.",
        )
    spaced = text.replace("=", " ")
    if spaced != text and _can_be_read(spaced):  # "words=on"
        return _suggestion(spaced)
    near = nearest_command(word, WORDS)
    if rank_of(word) is not None or word[:1].isdigit():  # "ace" isn't a slip for "pace"
        near = None
    if _names_rules(word):  # "oklahoma target=150"
        near, rest = "propose", text
    elif near != "rules" and _names_rules(rest):  # "play oklahoma", "offer target=150"
        near = "propose"
    line = f"{near} {rest.strip()}".strip()
    makes_one = near is not None and _can_be_read(line)  # computed once: it may call us again
    near_one = makes_one and near != "say"  # say takes any words
    if is_talk(word, alone=not rest.strip(), near=near_one):
        return _talk(text)
    if word in WHY_NOT:
        return NotACommand(WHY_NOT[word])
    if near is None:
        return _talk(text) if _is_talk(text) else NotACommand(as_typed(text) + _NO_COMMAND)
    return _suggestion(line if makes_one else near)


_ASKS = re.compile(r"(?:what|whose|how|can|may)\b.*\b(?:i|turn)\b", re.IGNORECASE)


def _is_move(word: str) -> bool:
    spec = BY_WORD.get(word)
    return spec is not None and spec.is_move


def _talk(text: str, otherwise: str = "") -> NotACommand:
    """Explain how to say this line. *otherwise*: what to type if it wasn't meant as chat."""
    if _ASKS.match(text):
        otherwise = "For help, type help. "
    lead = otherwise or "That isn't a command. "
    return NotACommand(f"{lead}To send it as a message, type say on its own.", is_talk=True)


def _is_talk(text: str) -> bool:
    """Return whether a line looks like chat: two words or more, and the first isn't a number."""
    first, *others = text.split()
    if not others or _WORD.fullmatch(first) is None:
        return False
    return all(_WORD.fullmatch(each) or each.isdecimal() for each in others)


def _can_be_read(line: str) -> bool:
    """Return whether a line is short and can be read. Only its rules may be missing."""
    if len(line) > _MAX_MEANT:
        return False
    try:
        parse_command(line)
    except RulesError as why:
        return why.code == "no-rules"
    return True


def _names_rules(text: str) -> bool:
    """Return whether the text contains a preset's name or a parameter, or is "theirs"."""
    words = text.casefold().split()
    return words == ["theirs"] or any(word in PRESETS or "=" in word for word in words)
