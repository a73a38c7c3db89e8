"""A rule set in plain sentences, each with the number of its rule in RULES.md. What a player may do
now is a different question (cli.table.lookups).

Rule 1: every parameter that has an effect appears in some sentence. So two rule sets with the same
  sentences are the same game.
Rule 2: the sentences are for somebody who has never played: they explain each term before using it,
  and come in the order in which a player needs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from cli.text.grammar import plural
from ginpeer.rules.parameters import (
    FATAL_LEAD,
    NAMES,
    AceLimit,
    AfterVoid,
    FirstDealer,
    KnockLimit,
    NextDealer,
    Opening,
    Shutout,
    Tie,
    Wall,
    key_of,
    value_text,
)
from ginpeer.rules.ruleset import RuleSet

Numbered = tuple[str, str]
"""The number of a rule in RULES.md, and our sentence for it."""


def rule_sentences(rules: RuleSet) -> list[Numbered]:
    ending = _mahjong(rules) if rules.mahjong else _showdown(rules)
    told = (*_aim(rules), *_deal(rules), *_turns(rules), *ending, *_match(rules))
    return [(number, sentence) for number, _, sentence in (each.partition(" ") for each in told)]


def rules_in_short(rules: RuleSet) -> list[Numbered]:
    """Return the rules that players look up in a match, and those that differ from standard gin."""
    standard = rule_sentences(RuleSet())
    return [
        rule for rule in rule_sentences(rules) if rule[0] in _WORTH_A_LOOK or rule not in standard
    ]


_WORTH_A_LOOK = (
    *("4.4", "4.7", "5.1", "7.1", "7.2", "7.3", "7.4", "8.3", "8.4", "8.5", "8.6"),
    *("10.1", "10.4", "10.5", "10.6"),
)


TERMS: Mapping[str, tuple[str, ...]] = {
    "meld": ("4.1", "2.1", "2.2", "11.1", "2.3"),
    "set": ("2.1",),
    "run": ("2.2", "11.1"),
    "deadwood": ("1.3", "11.3"),
    "stock": ("4.1", "4.3"),
    "upcard": ("4.2", "10.4"),
    "pile": ("4.2", "4.3", "4.4"),
    "void": ("4.7", "4.8", "12.9"),
    "limit": ("5.1", "10.1", "10.2", "10.4", "10.5", "10.6"),
    "layoff": ("5.1", "6.3", "11.2"),
    "undercut": ("7.1", "7.2"),
    "box": ("8.5",),
    "shutout": ("8.6",),
}
"""Terms of the game, and the numbers of the rules that explain them."""


def term_in(text: str) -> str | None:
    """Return the term of the game that this text is, in any spelling; None if it isn't one."""
    plain = re.sub("^(?:an?|the) ", "", text.casefold().strip(" ?!."))
    plain = plain.replace("-", "").replace(" ", "")
    singular = (plain.removesuffix(ending) for ending in ("", "s", "es"))
    return next((word for word in singular if word in TERMS), None)


def rules_about(term: str, rules: RuleSet) -> list[Numbered]:
    """Return the sentences that explain a term; none if it has no meaning in these rules."""
    return [rule for rule in rule_sentences(rules) if rule[0] in TERMS[term]]


def with_number(number: str, sentence: str) -> str:
    """Return a sentence with the number of its rule: "You can't discard it (rule 4.4)." """
    return f"{sentence.removesuffix('.')} (rule {number})."


def parameter_differences(one: RuleSet, other: RuleSet) -> list[tuple[str, str, str]]:
    """Return the parameters in which two rule sets differ: the key, and both values as text."""
    return [
        (key_of(name), value_text(getattr(one, name)), value_text(getattr(other, name)))
        for name in NAMES
        if getattr(one, name) != getattr(other, name)
    ]


def sentence_differences(one: RuleSet, other: RuleSet) -> tuple[list[Numbered], list[Numbered]]:
    ours, theirs = rule_sentences(one), rule_sentences(other)
    return (
        [rule for rule in ours if rule not in theirs],
        [rule for rule in theirs if rule not in ours],
    )


def limit_number(rules: RuleSet) -> str:
    if isinstance(rules.knock_limit, KnockLimit):
        return _LIMITS[rules.knock_limit][0]
    return "5.1" if rules.knock_limit else "10.6"


# --- a hand -----------------------------------------------------------------------------
#
# Each sentence begins with its number.


def _aim(rules: RuleSet) -> Iterator[str]:
    yield (
        "4.1 Each player gets ten cards from a deck of 52, and tries to combine them into melds: "
        "sets and runs. The other cards are the stock."
    )
    yield "2.1 A set is three or four cards of the same rank, like 7c 7h 7s."
    run = "A run is three or more cards of one suit in a row, like 3c 4c 5c."
    if rules.runs_wrap:
        corner = "It may go around the corner: Qc Kc Ac and Kc Ac 2c are runs, too."
        yield f"11.1 {run} {corner}"
    else:
        yield f"2.2 {run} The ace comes before the two, never after the king."
    yield "2.3 A card can't be in two melds."
    if rules.mahjong:  # Mahjong gin has card values of its own (12.8)
        return
    yield (
        f"{'1.3' if rules.ace_pips == 1 else '11.3'} The cards that aren't in a meld are your "
        "deadwood. Kings, queens, jacks and tens count 10, other cards their number, aces "
        f"{rules.ace_pips}."
    )


_FIRST_DEALERS = {
    FirstDealer.LOWER_CUT: "Before the match each player draws a card. The lower card deals first.",
    FirstDealer.HOST: "The host deals first.",
    FirstDealer.GUEST: "The guest deals first.",
}
_NEXT_DEALERS = {
    NextDealer.ALTERNATES: "Then the players take turns dealing",
    NextDealer.LOSER: "Then the loser of a hand deals the next one",
    NextDealer.WINNER: "Then the winner of a hand deals the next one",
}
_AFTER_VOID = {
    AfterVoid.SAME_DEALER: "after a void hand, the same player deals again",
    AfterVoid.ALTERNATES: "after a void hand, the other player deals",
}


def _deal(rules: RuleSet) -> Iterator[str]:
    yield f"8.1 {_FIRST_DEALERS[rules.first_dealer]}"
    yield f"8.2 {_NEXT_DEALERS[rules.next_dealer]}; {_AFTER_VOID[rules.after_void]}."
    turned_up = "One card, the upcard, is turned up to start the discard pile."
    if rules.knock_limit is KnockLimit.SECOND_DECK:
        yield (
            "10.4 No card is turned up. The winner of the last hand goes first and draws from the "
            "stock. If nobody has won yet, the player who didn't deal goes first."
        )
    elif rules.opening is Opening.UPCARD_OPTION:
        yield (
            f"4.2 {turned_up} The player who didn't deal may take it or pass, then the dealer may. "
            "If both pass, the player who didn't deal draws from the stock."
        )
    else:
        yield f"4.2 {turned_up} The player who didn't deal begins."


def _turns(rules: RuleSet) -> Iterator[str]:
    yield (
        "4.3 On your turn you take the top card of the stock or of the discard pile, then discard "
        "a card face up on the pile."
    )
    taken = "a single card" if rules.mahjong else "the card"
    yield f"4.4 If you take {taken} from the pile, you can't discard it in the same turn."
    ending = "go gin" if rules.mahjong or rules.knock_limit == 0 else "knock"
    wall = "If only two cards are left in the stock"
    void = "the hand is void: nobody scores"
    number = "12.9" if rules.mahjong else "4.7"
    if rules.wall is Wall.VOID:
        yield f"{number} {wall} after a turn, {void}."
    else:
        yield (
            f"{number} {wall} after a turn, the other player may still take the last discard to "
            f"{ending} with it; otherwise {void}."
        )
    yield (
        f"4.8 The hand is also void after {rules.swap_limit} turns in a row that all began with a "
        "card from the discard pile."
    )


_LIMITS = {
    KnockLimit.UPCARD: ("10.1", "the value of the first upcard"),
    KnockLimit.FLOATING: (
        "10.5",
        "the value of the discard on top of the pile when the turn began, taken or not",
    ),
    KnockLimit.SECOND_DECK: ("10.4", "the value of a card drawn for each hand from a second deck"),
}


def _showdown(rules: RuleSet) -> Iterator[str]:
    yield from _knock_limit(rules)
    if rules.misdeal:
        yield "5.2 If a player could knock with the cards as dealt, the hand is dealt again."
    else:
        yield "5.2 You may end the hand as early as your first turn, but you never have to."
    if rules.knock_limit == 0:
        yield "6.1 The other player then shows melds and deadwood."
    else:
        number, corner = ("11.2", ", even around the corner") if rules.runs_wrap else ("6.3", "")
        yield (
            f"{number} The other player then shows melds, too, and may lay off: add cards to the "
            f"melds of the player who knocked{corner}. The remaining cards are deadwood."
        )
        yield from _knock_score(rules)
    yield (
        "7.3 Gin, which is ten cards without deadwood, scores "
        f"{_and(_THEIRS, rules.gin_bonus)}; nothing can be laid off against it."
    )
    if rules.big_gin is None:
        yield "7.4 There is no big gin: you must always discard."
    else:
        yield (
            "7.4 Big gin, which is melding all eleven cards without a discard, scores "
            f"{_and(_THEIRS, rules.big_gin)}."
        )
    if rules.spades_double:
        card = _doubling_card(rules)
        yield f"10.3 If {card} is a spade, everything the hand scores counts double."


def _doubling_card(rules: RuleSet) -> str:
    match rules.knock_limit:
        case KnockLimit.FLOATING:
            return "the card that sets the limit in the turn that ends the hand"
        case KnockLimit():
            return "the card that sets the limit"
    return "the first upcard"


def _knock_limit(rules: RuleSet) -> Iterator[str]:
    limit = rules.knock_limit
    knock = (
        "On your turn you may knock, which ends the hand: discard a card and show the other ten, "
        "if their deadwood is"
    )
    if isinstance(limit, KnockLimit):
        number, card = _LIMITS[limit]
        yield f"{number} {knock} within the limit. The limit is {card}."
        only_gin = rules.ace_limit is AceLimit.GIN_ONLY
        then = "only gin ends the hand" if only_gin else "the limit is 1"
        yield f"10.2 If that card is an ace, {then}."
    elif limit:
        yield f"5.1 {knock} {limit} or less."
    else:
        yield (
            "10.6 Only gin ends the hand: discard a card and show the other ten, all of them in "
            "melds."
        )


def _knock_score(rules: RuleSet) -> Iterator[str]:
    yield (
        "7.1 If you knock with less deadwood than the other player has left, you score the "
        "difference."
    )
    score = _and("the difference", rules.undercut_bonus)
    less = "the same or less" if rules.tie is Tie.UNDERCUT else "less"
    yield (
        f"7.2 If the other player has {less}, that is an undercut, and the other player scores "
        f"{score}.{_TIES[rules.tie]}"
    )


_TIES = {
    Tie.UNDERCUT: "",
    Tie.NO_BONUS: " If both have the same, the other player wins the hand, without points.",
    Tie.NOBODY: " If both have the same, nobody wins the hand.",
}


def _mahjong(rules: RuleSet) -> Iterator[str]:
    yield "12.2 Nobody knocks, and there is no big gin."
    yield (
        "12.3 Instead of one card, you may take several from the top of the pile, if you lay the "
        "bottom one on the table at once."
    )
    yield "12.4 On your turn, after drawing, you may lay melds on the table."
    yield (
        "12.5 You may also add cards to any meld on the table, yours or the other player's"
        f"{', even around the corner' if rules.runs_wrap else ''}."
    )
    yield "12.6 A player with no cards left has gone gin, and the hand is over."
    yield "12.7 The other player then shows the remaining cards, and can't lay any of them."
    yield (
        "12.8 Each player scores the cards they laid or added, minus those left in their hand: "
        "2 to 9 count 5, ten to king 10, aces 15. Gin scores "
        f"{rules.gin_bonus or 'nothing'} more."
    )
    if rules.spades_double:
        yield f"10.3 If {_doubling_card(rules)} is a spade, both players' scores count double."
    if rules.misdeal:
        yield "5.2 If a player could go gin with the cards as dealt, the hand is dealt again."


_THEIRS = "the other player's deadwood"


def _and(what: str, bonus: int) -> str:
    return f"{what} plus {bonus}" if bonus else what


# --- the match --------------------------------------------------------------------------


def _match(rules: RuleSet) -> Iterator[str]:
    series = rules.best_of > 1 or rules.multi_match is not None
    whole, the_whole = ("a game", "the game") if series else ("the match", "the match")
    unit = "a column" if rules.columns > 1 else whole
    if rules.columns > 1:
        yield (
            f"13.1 The points of {whole} are kept in three columns. A player's first win in "
            f"{the_whole} counts in the first column, the second win in the first two, and all "
            "later ones in all three. A column that has been won takes no more points; a player "
            "without a win in that column continues with the next one. When all columns are won, "
            "their totals are added."
        )
    if rules.target is not None:
        yield f"8.3 To win {unit}, you need {plural(rules.target, 'point')} from hands."
        if rules.mahjong:
            yield ("12.10 If both players reach that in one hand, the one with more points wins.")
    if rules.hands is not None and rules.target is None:
        yield (
            f"13.5 The match ends after {plural(rules.hands, 'hand')}, including void ones; the "
            "player with more points from hands wins it."
        )
    elif rules.hands is not None:
        yield (
            f"13.5 After {plural(rules.hands, 'hand')}, including void ones, the match ends "
            "regardless; the player with more points from hands wins "
            f"{'each open column' if rules.columns > 1 else 'it'}."
        )
    if rules.lead_of_fifty_loses:
        yield (
            f"13.4 But if a player leads by exactly {FATAL_LEAD} points from hands when {unit} "
            "ends, that player loses it."
        )
    yield from _bonuses(rules, unit)
    if rules.best_of > 1:
        yield (
            f"13.2 The first to win {rules.best_of // 2 + 1} games wins the match, which takes at "
            f"most {rules.best_of} games if none is tied. Points start at zero in each game."
        )
    if rules.multi_match is not None:
        yield (
            "13.3 You play games and add up their totals until a player has "
            f"{plural(rules.multi_match, 'point')} or more. Points start at zero in each game."
        )
    shown = "gone gin" if rules.knock_limit == 0 else "knocked"
    yield (
        "8.8 You may resign on your turn; the other player then wins the match. A hand in which "
        f"somebody has {shown} still counts."
    )
    if rules.stake:
        yield (
            f"13.6 At the end, the program says what the difference in totals is worth, at "
            f"{rules.stake} a point; a player who resigns is owed nothing. Paying is up to the "
            "players."
        )


def _bonuses(rules: RuleSet, unit: str) -> Iterator[str]:
    if rules.game_bonus:
        yield f"8.4 The winner of {unit} gets a game bonus of {rules.game_bonus}."
    else:
        yield f"8.4 There is no bonus for winning {unit}."
    if rules.box:
        yield (
            f"8.5 At the end of {unit}, each player gets a box of {rules.box} for each hand won in "
            "it."
        )
    else:
        yield "8.5 There are no boxes: hands won bring no extra points at the end."
    if rules.shutout is Shutout.DOUBLE_HANDS:
        yield (
            f"8.6 If the loser hasn't won a hand in {unit}, the winner's points from hands count "
            "double; the bonus and the boxes don't."
        )
    elif rules.shutout is Shutout.DOUBLE_GAME_BONUS:
        yield (
            f"8.6 If the loser has no points from hands in {unit}, the game bonus counts double."
        )
    else:
        yield "8.6 There is no extra bonus if the loser hasn't won a hand."


# --- presets ----------------------------------------------------------------------------

PRESET_LINES: Mapping[str, str] = {
    "standard": "gin rummy to 100 points, knocking with 10 or less",
    "classic": "smaller bonuses as in the early laws: gin 20, undercut 10, no big gin",
    "tournament": "best of five games to 250",
    "oklahoma": "the first upcard sets the knock limit, and spades count double",
    "oklahoma-floating": "the discard on top sets the knock limit, turn by turn",
    "straight": "no knocking: only gin ends a hand",
    "tedesco": "Oklahoma around the corner, aces count 15, three columns to 200",
    "around-the-corner": "runs may continue past the king: Q K A, K A 2",
    "mahjong": "both players add to the melds on the table, and both score; to 500",
    "hollywood": "three columns of points; can be combined with other names",
    "multi-match": "games until 500 points in all; can be combined with other names",
}
"""What is special about each preset, in the order of RULES 9.3."""
