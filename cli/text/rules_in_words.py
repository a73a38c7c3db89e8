"""A rule set in one line of words, as a page names it: "Standard gin to 100".

Names come first, then what ends the match, then each parameter that differs from the names. To
compare it with the log, the script of a page writes the same line (page/script/rule_words.js).
"""

from __future__ import annotations

from cli.text.grammar import plural
from ginpeer.rules.ruleset import RuleSet

_NAMES = {
    "oklahoma": "Oklahoma",
    "oklahoma-floating": "floating Oklahoma",
    "tedesco": "Tedesco",
    "mahjong": "Mahjong",
    "hollywood": "Hollywood",
}
"""The names that aren't written as the text has them."""

_IN_THE_HEAD = ("target", "hands", "columns", "best-of", "multi-match")

_WORDS = {
    "first-dealer=lower-cut": "the lower card cut deals first",
    "first-dealer": "the {} deals first",
    "next-dealer=alternates": "the deal alternates",
    "next-dealer": "the {} of a hand deals the next",
    "after-void=same-dealer": "the same player deals after a void hand",
    "after-void=alternates": "the other player deals after a void hand",
    "opening=upcard-option": "the upcard is offered first",
    "opening=either-pile": "the first player may draw from either pile",
    "knock-limit=0": "only gin ends a hand",
    "knock-limit=upcard": "the upcard sets the knock limit",
    "knock-limit=floating": "the last discard sets the knock limit",
    "knock-limit=second-deck": "a second deck sets the knock limit",
    "knock-limit": "knock with {} or less",
    "ace-limit=gin-only": "an ace as limit means gin only",
    "ace-limit=one": "an ace as limit means 1",
    "spades-double=yes": "a spade doubles the hand",
    "spades-double=no": "a spade doesn't double the hand",
    "wall=void": "the hand is void at the end of the stock",
    "wall=last-discard": "at the end of the stock, the last discard may be taken",
    "swap-limit": "the hand is void after {} turns in a row with the discard pile",
    "misdeal=no": "no misdeal",
    "runs-wrap=yes": "runs go around the corner",
    "runs-wrap=no": "runs don't go around the corner",
    "ace-pips": "aces count {}",
    "mahjong=yes": "melds are laid on the table",
    "mahjong=no": "melds stay in the hand",
    "undercut-bonus": "an undercut brings {}",
    "tie=undercut": "a tie is an undercut",
    "tie=no-bonus": "a tie wins the defender the hand, without points",
    "tie=nobody": "nobody wins a tie",
    "gin-bonus": "gin brings {}",
    "big-gin=none": "no big gin",
    "big-gin": "big gin brings {}",
    "game-bonus": "a game bonus of {}",
    "box": "boxes of {}",
    "shutout=double-hands": "a shutout doubles the points from hands",
    "shutout=double-game-bonus": "a shutout doubles the game bonus",
    "shutout=none": "no shutouts",
    "lead-of-fifty-loses=yes": "a lead of exactly 50 loses",
    "lead-of-fifty-loses=no": "a lead of exactly 50 wins",
    "stake": "a stake of {} a point",
}
"""What a parameter means with this value; with any other value if none is given."""


def rules_in_words(rules: RuleSet) -> str:
    """Return a rule set in words: "Standard gin to 100", or "Oklahoma gin to 150; boxes of 20"."""
    words = str(rules).split()
    names = [_NAMES.get(word, word) for word in words if "=" not in word]
    head = f"{' '.join(names)} gin{_end(rules)}"
    differing = [
        _parameter(word) for word in words if "=" in word and word.split("=")[0] not in _IN_THE_HEAD
    ]
    return "; ".join([head[0].upper() + head[1:], *differing])


def _end(rules: RuleSet) -> str:
    """Return what ends the match."""
    to = f" to {rules.target}"
    if rules.columns > 1:
        to += " in each of three columns"
    if rules.best_of > 1:
        return f", best of {rules.best_of} games{to}"
    if rules.multi_match is not None:
        return f" to {rules.multi_match} in games{to}"
    if rules.hands is None:
        return to
    hands = plural(rules.hands, "hand")
    return f", {hands}" if rules.target is None else f"{to}, at most {hands}"


def _parameter(word: str) -> str:
    key, _, value = word.partition("=")
    return _WORDS[word] if word in _WORDS else _WORDS[key].format(value)
