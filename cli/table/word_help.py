"""What `help WORD` answers: one command, in a sentence or two.

# Rule 1: whatever can be typed at the table is explained here under the word that it is known by;
#   a test walks all of them. The topics, as help moves, are in help.py.
"""

from __future__ import annotations

from cli.command_table import nearest_command, why_no_such_command
from cli.table.parse import WORDS, known_by
from cli.table.parse_cards import as_typed, is_card
from ginpeer.rules.cards import Unreadable

_NONE_HERE = "Nobody knocks in Mahjong gin: lay your cards on the table, and throw the last one."

_EXPLAINED = {
    "help": "help says what is typed most, and names topics for the rest; help knock explains that "
    "one word.",
    "draw": "draw (d) takes the next card of the stock, and begins your turn.",
    "take": "take (t) takes the upcard, and begins your turn; it cannot be thrown again in it.",
    "pass": "pass (p) refuses the first upcard of a hand, or the last discard at its end.",
    "discard": "discard 7d (x 7d, or 7d alone) throws that card, and ends your turn.",
    "knock": "knock 7d (k 7d) throws 7d, lays your hand open and ends it; what you keep "
    "in no meld may count the limit at most. knock alone will do where only one card can go.",
    "gin": "gin 7d (g 7d) throws 7d and ends the hand where every card that you keep is in a meld.",
    "big gin": "big gin ends the hand where all eleven cards are in melds; nothing is thrown.",
    "spread": "spread (s) answers a knock: it lays down your melds and what fits on the knocker's "
    "in the best way. spread melds 3c4c5c layoff 6c on 1 lays down what you name.",
    "layoff": "layoff 6c on 1 answers a knock, and puts the 6 of clubs on the knocker's first "
    "meld; what you do not name is filled in.",
    "lay": "lay 6c on 1 answers a knock like layoff 6c on 1. In Mahjong gin, lay 3c4c5c puts a "
    "meld on the table.",
    "add": "add 6c on 1 answers a knock like layoff 6c on 1. In Mahjong gin it puts a card on a "
    "meld of the table.",
    "hand": "hand (h) shows your cards, in melds and deadwood.",
    "show": "show is the same as hand.",
    "table": "table shows what lies open.",
    "taken": "taken lists what the other player was seen to take from the pile in this hand and "
    "still holds.",
    "hint": "hint, in practice, says what is best now, by how much, and why; typed again, what the "
    "next two are worth. Against a friend nobody gives hints.",
    "score": "score shows the points of this match, hand by hand.",
    "rules": "rules explains the rules of this match and what you may do now; rules knock 7d says "
    "whether you may do just that, and does nothing. rules oklahoma explains other rules.",
    "propose": "propose oklahoma target=150 asks your opponent to play the next match by these "
    "rules; you confirm it first. If both of you agree, the match starts.",
    "log": "log says where the log of this match is kept.",
    "sort": "sort melds, sort suit or sort rank orders your hand from now on; sort alone means "
    "melds.",
    "order": "order 4h 5h kd shows these cards first and the others behind them, until the next "
    "hand; a card that you draw comes last. sort goes back.",
    "move": "move kd first, move kd last or move kd after 5h changes the place of one card in your "
    "hand; nothing is thrown.",
    "tally": "tally says how the other table of a partnership stands, and both together. tally on "
    "lets the other table see the log of this one after each hand, if the other player types it, "
    "too; tally off takes that back.",
    "words": "words on says cards in words, as for a screen reader; words off writes them as "
    "signs. It is remembered.",
    "brief": "brief on tells a turn in one line each and asks in few words; brief off tells it in "
    "full. It is remembered.",
    "colours": "colours four gives each suit a colour of its own; colours two is red and black. It "
    "is remembered.",
    "confirm": "confirm on asks you before a discard that breaks a meld or throws away gin or a "
    "knock; confirm off does not. It is remembered.",
    "bell": "bell on rings once when your turn comes after two seconds of waiting or more; bell "
    "off does not. It is remembered.",
    "say": "say good game sends these words to the other player; nothing of the game changes.",
    "mute": "mute shows no more of what the other player says; who is muted is not told.",
    "unmute": "unmute shows again what the other player says.",
    "pause": "pause asks the other player to go on another time; the match is kept.",
    "resign": "resign gives up the match, which the other player then wins; you are asked first.",
    "quit": "quit (q) leaves the table; the log is kept, and the match can go on later.",
    "yes": "yes (y) answers what you are asked.",
    "no": "no (n) answers what you are asked, or takes back your question for a pause.",
    "accept": "accept takes the match that is offered to you, as yes does.",
    "decline": "decline refuses the match that is offered to you, as no does.",
}

_IN_MAHJONG = {
    "take": "take (t) takes the upcard. take 3 takes the three top cards of the pile and lays the "
    "lowest of them at once.",
    "gin": "You go gin by laying or throwing your last card; there is no word to type for it.",
    "big gin": "There is no big gin in Mahjong gin: you go gin by laying or throwing your last "
    "card.",
    **dict.fromkeys(("knock", "spread", "layoff"), _NONE_HERE),
    "lay": "lay 3c4c5c 7c7h7s puts melds on the table; lay alone puts down all melds of your hand.",
    "add": "add 6c on 1 puts a card on meld 1 of the table; add 6c, on the one that it fits.",
    "show": "show lays open what you are left with when the other player has gone gin; before "
    "that it is the same as hand.",
}


def explained(text: str, *, mahjong: bool) -> str:
    """One command, explained as it works in this match. Raises Unreadable where none is near."""
    plain = " ".join(text.casefold().split())
    if is_card(plain):
        plain = "discard"
    word = known_by(plain)
    if word not in _EXPLAINED:
        word = known_by(plain.split(" ")[0])
    if word in _EXPLAINED:
        return _of(word, mahjong)
    refusal = why_no_such_command(word)
    if refusal is not None:
        return refusal
    near = nearest_command(word, WORDS)
    if near is None:
        raise Unreadable(
            "unknown-command", f"{as_typed(text)} is no command. Type help to see what there is."
        )
    return f"{as_typed(text)} is no command; the nearest is: {_of(known_by(near), mahjong)}"


def _of(word: str, mahjong: bool) -> str:
    return _IN_MAHJONG.get(word, _EXPLAINED[word]) if mahjong else _EXPLAINED[word]
