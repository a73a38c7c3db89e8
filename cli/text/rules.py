"""A rule set in plain sentences, each with its number in RULES.md.

# House rules
#
# 1. The only output is text; streams, matches and hands don't occur here. What a player may do now
#    is a different question (cli.table.legality).
# 2. Every parameter that has an effect appears in some sentence. So two rule sets that are
#    explained in the same way are the same.
# 3. A sentence is for somebody who has never played: it uses no word before its explanation, and
#    the sentences are in the order in which a player needs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cli.text.grammar import capital, plural
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
"""The number of a rule in RULES.md, and what it says here."""


def rule_sentences(rules: RuleSet) -> list[Numbered]:
    """Return the sentences of a whole rule set, in the order in which a match is played."""
    return [
        *_aim(rules),
        *_deal(rules),
        *_turns(rules),
        *(_mahjong(rules) if rules.mahjong else _showdown(rules)),
        *_match(rules),
    ]


def rules_in_short(rules: RuleSet) -> list[Numbered]:
    """Return the rules that players look up in the middle of a match: limits, scores, the end, and
    whatever differs from the standard game."""
    standard = rule_sentences(RuleSet())
    return [
        rule for rule in rule_sentences(rules) if rule[0] in _WORTH_A_LOOK or rule not in standard
    ]


_WORTH_A_LOOK = frozenset(
    ("4.4", "4.7", "5.1", "10.1", "10.4", "10.5", "10.6", "7.1", "7.2", "7.3", "7.4", "8.3", "8.4")
)


def with_number(number: str, sentence: str) -> str:
    """Return a sentence with the number of its rule: "You may not throw it (4.4)." """
    return f"{sentence.removesuffix('.')} ({number})."


def parameter_differences(one: RuleSet, other: RuleSet) -> list[tuple[str, str, str]]:
    """Return the parameters in which two rule sets differ: the key, and both values as text."""
    return [
        (key_of(name), value_text(getattr(one, name)), value_text(getattr(other, name)))
        for name in NAMES
        if getattr(one, name) != getattr(other, name)
    ]


def sentence_differences(one: RuleSet, other: RuleSet) -> tuple[list[Numbered], list[Numbered]]:
    """Return the sentences that only *one* has, and those that only *other* has."""
    ours, theirs = rule_sentences(one), rule_sentences(other)
    return (
        [rule for rule in ours if rule not in theirs],
        [rule for rule in theirs if rule not in ours],
    )


def limit_number(rules: RuleSet) -> str:
    """Return the number of the rule that sets the knock limit."""
    if isinstance(rules.knock_limit, KnockLimit):
        return _LIMITS[rules.knock_limit][0]
    return "5.1" if rules.knock_limit else "10.6"


# --- a hand -----------------------------------------------------------------------------


def _aim(rules: RuleSet) -> Iterator[Numbered]:
    yield (
        "4.1",
        "Each player gets ten cards of a deck of 52, and tries to join them in melds: sets and "
        "runs. The rest is the stock.",
    )
    yield "2.1", "A set is three or four cards of one rank, like 7c 7h 7s."
    if rules.runs_wrap:
        yield (
            "11.1",
            "A run is three or more cards of one suit in a row, like 3c 4c 5c. It may go around "
            "the corner: Qc Kc Ac and Kc Ac 2c are runs, too.",
        )
    else:
        yield (
            "2.2",
            "A run is three or more cards of one suit in a row, like 3c 4c 5c. The ace stands "
            "below the two, never above the king.",
        )
    yield "2.3", "No card is in two melds."
    if rules.mahjong:  # its cards have values of their own (12.8)
        return
    counts = "A king, queen, jack and ten count 10, the others their number"
    if rules.ace_pips == 1:
        yield "1.3", f"The cards in no meld are the deadwood. {counts}, an ace 1."
    else:
        yield (
            "11.3",
            f"The cards in no meld are the deadwood. {counts}, an ace {rules.ace_pips}.",
        )


_FIRST_DEALERS = {
    FirstDealer.LOWER_CUT: "Before the match each player draws a card; the lower one deals first.",
    FirstDealer.HOST: "The host deals first.",
    FirstDealer.GUEST: "The guest deals first.",
}
_NEXT_DEALERS = {
    NextDealer.ALTERNATES: "Then the players deal in turn",
    NextDealer.LOSER: "Then the loser of a hand deals the next one",
    NextDealer.WINNER: "Then the winner of a hand deals the next one",
}
_AFTER_VOID = {
    AfterVoid.SAME_DEALER: "after a void hand the same player deals again",
    AfterVoid.ALTERNATES: "after a void hand the deal passes to the other player",
}


def _deal(rules: RuleSet) -> Iterator[Numbered]:
    yield "8.1", _FIRST_DEALERS[rules.first_dealer]
    yield "8.2", f"{_NEXT_DEALERS[rules.next_dealer]}; {_AFTER_VOID[rules.after_void]}."
    if rules.knock_limit is KnockLimit.SECOND_DECK:
        yield (
            "10.4",
            "No card is turned up. Whoever won the last hand begins, with a card from the stock; "
            "before anybody has won, the player who did not deal.",
        )
    elif rules.opening is Opening.UPCARD_OPTION:
        yield (
            "4.2",
            "One card is turned up, the upcard; it begins the discard pile. The player who did not "
            "deal may take it or pass, then the dealer may; if both pass, the player who did not "
            "deal draws from the stock.",
        )
    else:
        yield (
            "4.2",
            "One card is turned up, the upcard; it begins the discard pile. The player who did not "
            "deal begins.",
        )


def _turns(rules: RuleSet) -> Iterator[Numbered]:
    begins = "A turn begins with the top card of the stock or of the discard pile"
    yield "4.3", f"{begins}; it ends with a card thrown on the pile, face up."
    taken = "A single card" if rules.mahjong else "The card"
    yield "4.4", f"{taken} just taken from the pile may not be thrown in the same turn."
    ending = "go gin" if rules.mahjong or rules.knock_limit == 0 else "knock"
    wall = "When only two cards are left in the stock"
    void = "the hand is void: nobody scores"
    number = "12.9" if rules.mahjong else "4.7"
    if rules.wall is Wall.VOID:
        yield number, f"{wall} after a turn, {void}."
    else:
        yield (
            number,
            f"{wall} after a turn, the other player may still take the card just thrown, to "
            f"{ending} with it; otherwise {void}.",
        )
    yield (
        "4.8",
        f"The hand is void, too, after {rules.swap_limit} turns in a row that all began with the "
        "discard pile.",
    )


_LIMITS = {
    KnockLimit.UPCARD: ("10.1", "the value of the upcard turned at the deal"),
    KnockLimit.FLOATING: (
        "10.5",
        "the value of the discard that lay on top when the turn began, taken or not",
    ),
    KnockLimit.SECOND_DECK: (
        "10.4",
        "the value of a card that is drawn for each hand from a second deck",
    ),
}


def _showdown(rules: RuleSet) -> Iterator[Numbered]:
    yield from _knock_limit(rules)
    if rules.misdeal:
        yield "5.2", "A hand that could knock as it was dealt is dealt again."
    else:
        yield "5.2", "Nobody has to end the hand, and it may be done in one's first turn."
    if rules.knock_limit == 0:
        yield "6.1", "The other player then shows melds and deadwood."
    else:
        number, corner = ("11.2", ", around the corner, too") if rules.runs_wrap else ("6.3", "")
        yield (
            number,
            "The other player then shows melds, too, and may lay off: add cards to the melds of "
            f"the player who knocked{corner}. What is left is deadwood.",
        )
        yield from _knock_score(rules)
    yield (
        "7.3",
        "Gin, which is ten cards without deadwood, scores "
        f"{_and('the deadwood of the other', rules.gin_bonus)}; nothing is laid off against it.",
    )
    if rules.big_gin is None:
        yield "7.4", "There is no big gin: a card is always thrown."
    else:
        yield (
            "7.4",
            "Big gin, which is all eleven cards of a turn in melds and none thrown, scores "
            f"{_and('the deadwood of the other', rules.big_gin)}.",
        )
    if rules.spades_double:
        yield (
            "10.3",
            f"If {_doubling_card(rules)} is a spade, all that the hand scores counts twice.",
        )


def _doubling_card(rules: RuleSet) -> str:
    match rules.knock_limit:
        case KnockLimit.FLOATING:
            return "the card that sets the limit of the turn in which the hand ends"
        case KnockLimit():
            return "the card that sets the limit"
    return "the upcard turned at the deal"


def _knock_limit(rules: RuleSet) -> Iterator[Numbered]:
    limit = rules.knock_limit
    if isinstance(limit, KnockLimit):
        number, card = _LIMITS[limit]
        yield (
            number,
            "In your turn you may knock, which ends the hand: throw a card, face up, and show the "
            f"other ten, if their deadwood counts no more than the limit. The limit is {card}.",
        )
        yield (
            "10.2",
            "Where that card is an ace, only a hand without deadwood can end the play."
            if rules.ace_limit is AceLimit.GIN_ONLY
            else "Where that card is an ace, the limit is 1.",
        )
    elif limit:
        yield (
            "5.1",
            "In your turn you may knock, which ends the hand: throw a card, face up, and show the "
            f"other ten, if their deadwood counts {limit} or less.",
        )
    else:
        yield (
            "10.6",
            "Only gin ends the hand: throw a card, face up, and show the other ten, all of them in "
            "melds.",
        )


def _knock_score(rules: RuleSet) -> Iterator[Numbered]:
    yield (
        "7.1",
        "Whoever knocked with less deadwood than the other has left scores the difference.",
    )
    score = _and("the difference", rules.undercut_bonus)
    less = "less or the same" if rules.tie is Tie.UNDERCUT else "less"
    yield (
        "7.2",
        f"If the other has {less}, that is an undercut: the other scores {score}."
        f"{_TIES[rules.tie]}",
    )


_TIES = {
    Tie.UNDERCUT: "",
    Tie.NO_BONUS: " If both have the same, the other wins the hand, without points.",
    Tie.NOBODY: " If both have the same, nobody wins the hand.",
}


def _mahjong(rules: RuleSet) -> Iterator[Numbered]:
    yield "12.2", "Nobody knocks, and there is no big gin."
    yield (
        "12.3",
        "Instead of one card you may take several from the top of the pile, if you lay the lowest "
        "of them on the table at once.",
    )
    yield "12.4", "In your turn, after the draw, you may lay melds on the table."
    yield (
        "12.5",
        "You may also add cards to any meld on the table, your own or the other player's"
        f"{', around the corner, too' if rules.runs_wrap else ''}.",
    )
    yield "12.6", "Whoever has no card left has gone gin; the hand is over."
    yield "12.7", "The other player then shows what is left, and can lay nothing more."
    yield (
        "12.8",
        "Each player scores the cards that the player laid or added, less those left in the hand: "
        "2 to 9 count 5, ten to king 10, aces 15. Gin scores "
        f"{rules.gin_bonus or 'nothing'} more.",
    )
    if rules.spades_double:
        yield (
            "10.3",
            f"If {_doubling_card(rules)} is a spade, what both players score counts twice.",
        )
    if rules.misdeal:
        yield "5.2", "A hand that could go gin as it was dealt is dealt again."


def _and(what: str, bonus: int) -> str:
    return f"{what} and {bonus} more" if bonus else what


# --- the match --------------------------------------------------------------------------


def _match(rules: RuleSet) -> Iterator[Numbered]:
    series = rules.best_of > 1 or rules.multi_match is not None
    whole = "a game" if series else "the match"
    unit = "a column" if rules.columns > 1 else whole
    if rules.columns > 1:
        yield (
            "13.1",
            f"The points of {whole} are kept in three columns: a player's first win in it counts "
            "in the first column, the second in that and the next, the third in all three, and so "
            "all that follow. A column that is won takes nothing more: whoever has no win in it "
            "goes on with the next one. When all are won, the totals are added.",
        )
    if rules.target is not None:
        yield "8.3", f"{capital(unit)} is won with {plural(rules.target, 'point')} from hands."
        if rules.mahjong:
            yield (
                "12.10",
                "If one hand brings both players there, the one with more points has won.",
            )
    if rules.hands is not None and rules.target is None:
        yield (
            "13.5",
            f"The match ends after {plural(rules.hands, 'hand')}, void ones counted; more points "
            "from hands win it.",
        )
    elif rules.hands is not None:
        yield (
            "13.5",
            f"After {plural(rules.hands, 'hand')}, void ones counted, the match ends all the same; "
            f"more points from hands win {'each open column' if rules.columns > 1 else 'it'}.",
        )
    if rules.lead_of_fifty_loses:
        yield (
            "13.4",
            f"But whoever is ahead by exactly {FATAL_LEAD} points from hands when {unit} ends "
            "has lost it.",
        )
    yield from _bonuses(rules, unit)
    if rules.best_of > 1:
        yield (
            "13.2",
            f"The match is won with {rules.best_of // 2 + 1} games, of {rules.best_of} at most if "
            "nobody ties; the points begin at zero in each.",
        )
    if rules.multi_match is not None:
        yield (
            "13.3",
            "Games are played, and their totals added, until a player has "
            f"{plural(rules.multi_match, 'point')} or more; the points in a game begin at zero.",
        )
    shown = "gone gin" if rules.knock_limit == 0 else "knocked"
    yield (
        "8.8",
        "A player may resign when it is that player's turn; the other has won the match. A hand in "
        f"which somebody has {shown} counts all the same.",
    )
    if rules.stake:
        yield (
            "13.6",
            f"At the end the program says what the difference of the totals is worth, at "
            f"{rules.stake} a point; who resigns is owed nothing. Paying is up to the players.",
        )


def _bonuses(rules: RuleSet, unit: str) -> Iterator[Numbered]:
    if rules.game_bonus:
        yield "8.4", f"Whoever wins {unit} gets a game bonus of {rules.game_bonus}."
    else:
        yield "8.4", f"Winning {unit} brings no bonus."
    if rules.box:
        yield (
            "8.5",
            f"At the end of {unit} each player gets {rules.box} for each hand won in it, as boxes.",
        )
    else:
        yield "8.5", "Hands won bring nothing more at the end; there are no boxes."
    if rules.shutout is Shutout.DOUBLE_HANDS:
        yield (
            "8.6",
            "If the loser has won no hand in it, the winner's points from hands count twice; the "
            "bonus and the boxes do not.",
        )
    elif rules.shutout is Shutout.DOUBLE_GAME_BONUS:
        yield "8.6", "If the loser has no points from hands in it, the game bonus counts twice."
    else:
        yield "8.6", "Nothing counts more if the loser has won no hand."


# --- presets ----------------------------------------------------------------------------

PRESET_LINES: Mapping[str, str] = {
    "standard": "gin rummy to 100 points, knocking with 10 or less",
    "classic": "smaller bonuses as in the early laws: gin 20, undercut 10, no big gin",
    "tournament": "best of five games to 250",
    "oklahoma": "the first upcard sets the knock limit, and spades count double",
    "oklahoma-floating": "the discard on top sets the knock limit, turn by turn",
    "straight": "nobody knocks, only gin ends a hand",
    "tedesco": "Oklahoma around the corner, aces 15, three columns to 200",
    "around-the-corner": "runs may go over the king: Q K A, K A 2",
    "mahjong": "melds lie on the table, both add to them, and both score; to 500",
    "hollywood": "three columns of points; alone or with other names",
    "multi-match": "games until 500 points in all; alone or with other names",
}
"""What is special about each preset, in the order of RULES 9.3."""
