"""What `help` and `rules` answer at the table."""

from __future__ import annotations

from cli.text import plural
from ginpeer.rules.ruleset import RuleSet, Shutout, Tie

HELP = (
    "Type one command per line; the letter in brackets is its short form.",
    "Begin a turn: draw (d) from the stock, or take (t) the upcard; pass (p) refuses the first "
    "upcard. What Enter alone does, the question says; it never discards and never knocks.",
    "End it: type the card to throw, like 7d, 10h or qs. discard 7d and x 7d do the same.",
    "Knock: knock 7d (k 7d) throws 7d and shows the best melds; knock 7d melds 3c4c5c 7c7h7s shows "
    "those. Gin: gin 7d (g 7d). All eleven cards melded: big gin.",
    "Answer a knock: spread (s) lays down the best way. Or choose: spread melds 3c4c5c layoff 6c "
    "on 1. Melds or lay-offs that you do not mention are filled in; those that you name are "
    "all that count. melds none and layoff none leave them out.",
    "Cards: A 2 3 to 10 J Q K with c, d, h or s, in any order and case; 7 of diamonds works, too.",
    "Look: hand (h), score, rules, log. Change: sort melds, sort suit, sort rank; words on, "
    "words off.",
    "Talk: say and the words. Stop: resign gives up the match; quit (q) leaves and keeps the log.",
)


def rules_lines(rules: RuleSet) -> list[str]:
    """The rules of this match in a few sentences, each from its own parameter."""
    big = "Big gin is not played." if rules.big_gin is None else f"Big gin scores {rules.big_gin}"
    tie = "an equal count is an undercut, too" if rules.tie is Tie.UNDERCUT else "a tie scores 0"
    shutout = {
        Shutout.DOUBLE_HANDS: " If the other won no hand, the winner's points count twice.",
        Shutout.DOUBLE_GAME_BONUS: " If the other has no point, the game bonus counts twice.",
        Shutout.NONE: "",
    }[rules.shutout]
    return [
        f"The rules of this match: {rules}.",
        "Aces are low and count 1; ten, jack, queen and king count 10. Melds are three or four of "
        "a rank, or three or more in a row of one suit.",
        f"You may knock with {rules.knock_limit} or less after your discard, and score the "
        "difference. The other player may lay off on your melds.",
        f"Gin scores {rules.gin_bonus} and the other's deadwood; nothing is laid off against it. "
        + (big if rules.big_gin is None else f"{big} and the other's deadwood."),
        f"An undercut scores {rules.undercut_bonus} and the difference for the defender; {tie}.",
        "The card just taken from the pile may not be thrown in the same turn. With two cards left "
        "in the stock the hand is void.",
        f"The match goes to {plural(rules.target, 'point')}; its winner gets {rules.game_bonus} "
        f"more, and each hand won counts {rules.box} at the end, as a box.{shutout}",
    ]
