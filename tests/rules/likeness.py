"""Find out by playing whether two rule sets play alike: hands and matches that tell them apart.

A probe is something that players can do, played by the engine under one rule set. Its trace is
everything that both players could see of it. Two rule sets with different traces for any probe play
differently. Those that no probe tells apart count as alike, so the probes go where a rule becomes
visible: to every limit, bonus and end, and for points to the very number at which something
happens. Points are never made up: the engine has scored each hand of a match.
"""

import random
from collections import defaultdict
from functools import cache
from itertools import islice

from ginpeer.rules import (
    CARDS,
    DECK,
    STANDARD,
    Discard,
    Hand,
    Illegal,
    Match,
    Pass,
    Phase,
    cards_of,
    mask_of,
    parse_card,
    parse_move,
    parse_result,
)
from ginpeer.rules.parameters import KnockLimit, least_win
from tests.rules.drawing import drawn
from tests.rules.showdowns import GIN, NINE, SIX
from tests.rules.test_parameters_turns import begun

HOST, GUEST = 0, 1

# The parameters that affect a hand; all others affect the match, or who deals first.
OF_THE_HAND = (
    *("opening", "knock_limit", "ace_limit", "spades_double", "wall", "swap_limit", "runs_wrap"),
    *("ace_pips", "mahjong", "undercut_bonus", "tie", "gin_bonus", "big_gin"),
)


@cache
def of_the_hand(rules):
    return tuple(getattr(rules, name) for name in OF_THE_HAND)


read = cache(parse_move)
cards_in = cache(drawn)


# --- hands ------------------------------------------------------------------------------


def begin(rules, dealer, non_dealers, dealers, card):
    """Begin a hand with this upcard, or with this card of a second deck."""
    if rules.knock_limit is KnockLimit.SECOND_DECK:
        hand = Hand.begin(rules, dealer, None, knock_card=parse_card(card), first=1 - dealer)
    else:
        hand = Hand.begin(rules, dealer, parse_card(card))
    return hand.knowing(1 - dealer, non_dealers).knowing(dealer, dealers)


def to_discard(hand, card):
    """Let the player to move pass any upcard, and draw this card from the stock."""
    while hand.phase in (Phase.FIRST_UPCARD, Phase.SECOND_UPCARD):
        hand = hand.apply(Pass())
    return hand.drawing(parse_card(card))


def swapped(hand):
    """Let the player to move take the discard and throw another card."""
    if not hand.pile:
        return to_discard(hand, "9c").apply(Discard(parse_card("9c")))
    hand = hand.apply(read("take"))
    return hand.apply(next(move for move in hand.legal_moves() if isinstance(move, Discard)))


def walled(hand, keep):
    """Let both players discard what they draw, until three cards are left in the stock."""
    seen = hand.hands[0] | hand.hands[1] | mask_of(hand.pile) | cards_in(keep)
    for card in cards_of(DECK & ~seen):
        if hand.stock_left > 3:
            hand = to_discard(hand, str(card)).apply(Discard(card))
    return hand


def trace(rules, non_dealers, dealers, upcard, *script):
    """Return what both players see of a hand played this way, until a move is illegal. The dealer
    is seat 1."""
    hand = begin(rules, 1, cards_in(non_dealers), cards_in(dealers), upcard)
    seen = []
    for step in script:
        word, _, rest = step.partition(" ")
        try:
            if word == "swap":
                hand = swapped(hand)
            elif word == "wall":
                hand = walled(hand, rest)
            elif word == "draw":
                hand = to_discard(hand, rest)
            else:
                hand = hand.apply(read(step))
        except Illegal as refusal:
            return (*seen, refusal.code)
        # This includes who has passed what before a draw.
        seen.append((hand.phase, hand.to_move, len(hand.moves)))
        if hand.result is not None:
            return (*seen, str(hand.result))
    return tuple(seen)


FOURS = ("2d 2s 3s 5s", "Ad As 2d 2s")  # loose cards of the defender: 12, and 6 with two aces
LOW = "Jc Jd Jh  Qc Qd Qh  Kd Kh Ks"  # only one card is loose


def _showdowns():
    for upcard in ("8h", "Ah", "4s"):
        for four in FOURS:
            spread = f"spread melds JcJdJh QcQdQh deadwood {''.join(four.split())}"
            for loose in ("Ac", "2c", "3c", "6c", "9c", "Kh"):
                knock = f"knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood {loose}"
                yield f"{NINE} {loose}", f"{SIX} {four}", upcard, "draw Kc", knock, spread
            held = f"{SIX} {four}"
            for knock in (
                "knock Ts melds 3h4h5h6h 7c7d7h TcTdTh",
                "knock melds 3h4h5h6h 7c7d7h TcTdThTs",
            ):
                yield f"{NINE} {GIN}", held, upcard, "draw Ts", knock, spread
        for held, spread in (
            (f"{LOW} Ad", "spread melds JcJdJh QcQdQh KdKhKs deadwood Ad"),
            (f"{LOW} Js", "spread melds JcJdJhJs QcQdQh KdKhKs"),
        ):
            for loose in ("Ac", "2c", "3c"):
                knock = f"knock 9c melds 3h4h5h 7c7d7h TcTdTh deadwood {loose}"
                yield f"{NINE} {loose}", held, upcard, "draw 9c", knock, spread


def _other_hands():
    theirs = f"{SIX} 2d 2s 3s 5s"
    spread = "spread melds JcJdJh QcQdQh deadwood 2d2s3s5s"
    # Around the corner
    corner = "knock Kc melds As2sKs 7c7d7h TcTdTh deadwood 4d"
    yield "Ks As 2s 7c 7d 7h Tc Td Th 4d", f"{SIX} 2c 3d 4c 6d", "8h", "draw Kc", corner
    yield "Ks As 2s 7c 7d 7h Tc Td Th 4d", f"{SIX} 2c 3d 4c 6d", "8h", "draw Kc", "lay As2sKs"
    # The discard on top, drawn past or taken
    for shows in ("4s", "Ac", "8c"):
        for loose in ("Ad", "3c", "6c"):
            knock = f"knock Ks melds 3h4h5h 7c7d7h TcTdTh deadwood {loose}"
            mine, throw = f"{NINE} {loose}", f"discard {shows}"
            yield theirs, mine, "Kd", f"draw {shows}", throw, "draw Ks", knock, spread
        taken = f"knock Kh melds 3h4h5h 7c7d7h TcTdTh deadwood {shows}"
        yield theirs, f"{NINE} Kh", "Kd", f"draw {shows}", f"discard {shows}", "take", taken, spread
    # The opening, the wall, the swaps
    yield f"{NINE} 2c", theirs, "8h", "pass"
    yield f"{NINE} 2c", theirs, "8h", "take", "discard 2c"
    yield f"{NINE} 2c", theirs, "8h", "draw 9c", "discard 9c", "take"
    last = ("wall Kc", "draw Kc", "discard Kc", "take")
    yield "2h 4h 6h 8h Th Qh 3d 5d 7d 9d", "2c 4c 6c 8c Tc Qc 3s 5s 7s 9s", "Ad", *last
    yield f"{NINE} 2c", theirs, "8h", *["swap"] * 42
    # Melds on the table
    for upcard in ("8h", "4s"):
        lay = ("draw Kc", "lay 3h4h5h6h 7c7d7h TcTdTh", "discard Kc")
        left = f"spread deadwood {theirs.replace(' ', '')}"
        yield f"{NINE} {GIN}", theirs, upcard, *lay, left


HANDS = (*_showdowns(), *_other_hands())


# --- hands for points -------------------------------------------------------------------


@cache
def _sums(loose, count, ace):
    """Return, for each possible sum, this many of these cards."""
    ways = {(0, 0): ()}
    for card in loose:
        pips = ace if card.rank == 0 else card.pips
        for (number, total), cards in list(ways.items()):
            if number < count:
                ways.setdefault((number + 1, total + pips), (*cards, card))
    return {total: cards for (number, total), cards in ways.items() if number == count}


def _holding(deadwood, out, ace):
    """Return ten cards from the rest of the deck, and the melds among them that leave this
    deadwood."""
    for melds in ("JcJdJhJs QcQdQh KcKdKh", "JcJdJh QcQdQh KcKdKh", "JcJdJh QcQdQh", "JcJdJh", ""):
        melded = cards_in(melds)
        loose = tuple(card for card in CARDS if not card.bit & (melded | out))
        cards = _sums(loose, 10 - melded.bit_count(), ace).get(deadwood)
        if cards is not None:
            return melded | mask_of(cards), melds, "".join(map(str, cards))
    return None


def _played(rules, winner, mine, theirs, upcard, *moves):
    hand = begin(rules, 1 - winner, mine, theirs, upcard)
    try:
        hand = to_discard(hand, moves[0])
        for move in moves[1:]:
            hand = hand.apply(read(move))
    except Illegal:
        return None
    return hand.result


def _knocked(rules, winner, mine, throws, knock, deadwood, upcard="5h"):
    """Return the result of a knock against this deadwood."""
    out = cards_in(mine) | cards_in(throws) | cards_in(upcard)
    held = _holding(deadwood, out, rules.ace_pips)
    if held is None:
        return None
    theirs, melds, loose = held
    spread = f"spread{' melds ' if melds else ''}{melds}{' deadwood ' if loose else ''}{loose}"
    return _played(rules, winner, cards_in(mine), theirs, upcard, throws, knock, spread)


_RESULTS = {}


def won(rules, winner, points, *, closer=False):
    """Return a hand that brings this seat this many points, or None if no hand tried does.

    In Mahjong gin it takes 50 from the opponent, or only 20 with *closer*."""
    key = (of_the_hand(rules), winner, points, closer)
    if key not in _RESULTS:
        ways = (_by_mahjong_after_a_lay,) if closer else (_by_gin, _by_knock, _by_mahjong)
        tried = (way(rules, winner, points) for way in ways)
        fits = (each for each in tried if each and (each.winner, each.points) == (winner, points))
        _RESULTS[key] = next(fits, None)
    return _RESULTS[key]


def _by_gin(rules, winner, points):
    mine = "Ac 2c 3c 4c  Ad 2d 3d  Ah 2h 3h"
    gin = "knock 9c melds Ac2c3c4c Ad2d3d Ah2h3h"
    result = _knocked(rules, winner, mine, "9c", gin, points - rules.gin_bonus)
    if result is None and rules.big_gin is not None:
        gin = "knock melds Ac2c3c4c Ad2d3d4d Ah2h3h"
        result = _knocked(rules, winner, mine, "4d", gin, points - rules.big_gin)
    return result


def _by_knock(rules, winner, points):
    return _counted(rules, winner, lambda mine: mine + points)


def _counted(rules, winner, theirs_of):
    """Return a knock with an ace if it counts 1, or else with a two."""
    ace = rules.ace_pips == 1
    count, mine = (1, "2h3h4h 2d3d4d 2c3c4c Ac") if ace else (2, "3h4h5h 3d4d5d 3c4c5c 2s")
    *melds, loose = mine.split()
    knock = f"knock 9c melds {' '.join(melds)} deadwood {loose}"
    return _knocked(rules, winner, mine, "9c", knock, theirs_of(count), "6h")


_LOSERS = "2c2d2h2s3s4s6s7s8s9s"


def _ten_laid(rules, points):
    """Return melds of ten cards that bring this many points in Mahjong gin, some of them tens."""
    tens, rest = divmod(points - rules.gin_bonus - 50, 5)
    if rest or not 0 <= tens <= 10:
        return None
    clubs, diamonds = min(tens, 4), min(max(tens - 4, 0), 3)
    runs = {
        "c": ("5678", "789T", "89TJ", "9TJQ", "TJQK")[clubs],
        "d": ("678", "89T", "9TJ", "TJQ")[diamonds],
        "h": ("678", "89T", "9TJ", "TJQ")[tens - clubs - diamonds],
    }
    return " ".join("".join(rank + suit for rank in run) for suit, run in runs.items())


def _by_mahjong(rules, winner, points):
    melds = _ten_laid(rules, points)
    if melds is None:
        return None
    mine = cards_in(melds)
    script = ("3c", f"lay {melds}", "discard 3c", f"spread deadwood {_LOSERS}")
    return _played(rules, winner, mine, cards_in(_LOSERS), "5h", *script)


def _by_mahjong_after_a_lay(rules, winner, points):
    melds = _ten_laid(rules, points)
    if melds is None or not rules.mahjong:
        return None
    hand = begin(rules, winner, cards_in(_LOSERS), cards_in(melds), "5h")
    for move in ("lay 2s3s4s", "discard 3c"):
        hand = to_discard(hand, "3c") if hand.stock_left == 31 else hand
        hand = hand.apply(read(move))
    hand = to_discard(hand, "4c")
    for move in (f"lay {melds}", "discard 4c", "spread deadwood 2c2d2h6s7s8s9s"):
        hand = hand.apply(read(move))
    return hand.result


def tied(rules):
    """Return a hand in which both have the same count."""
    return _counted(rules, HOST, lambda mine: mine)


# --- matches ----------------------------------------------------------------------------


def account(rules, script):
    """Return what both players see of a match of these hands, as far as it gets, and of its
    account. If the match isn't over, the host resigns."""
    match, seen = Match.begin(rules, HOST), []
    for kind, *how in script:
        if kind in ("won", "closer"):
            result = won(rules, *how, closer=kind == "closer")
        else:
            result = parse_result("void") if kind == "void" else tied(rules)
        if result is None:
            seen.append("impossible")
            break
        match = match.record(result)
        columns = tuple((column.points, column.over) for column in match.game.columns)
        seen.append((str(result), columns, match.games_won, match.credits, match.winner))
        if match.finished:
            break
        seen.append((match.dealer, match.first_to_play))
    if not match.finished:
        match = match.resign(HOST)
    settled = match.settlement()
    lines = tuple(column.lines for game in settled.games for column in game.columns)
    return (*seen, match.winner, lines, settled.debtor, settled.payment)


@cache
def _least(key_rules):
    tried = (0, 1, least_win(key_rules))
    return next((points for points in tried if won(key_rules, HOST, points)), 1)


def _split(points, hands):
    """Split this many points over this many hands, as evenly as possible."""
    share, more = divmod(points, hands)
    return [share + (at < more) for at in range(hands)]


def _wins(seat, points, *hands):
    """Return this seat's wins that bring this many points."""
    for number in hands:
        if 0 < number <= 12:
            yield [("won", seat, each) for each in _split(points, number)]


def matches(rules):
    """Yield matches that reach the limits of these rules, each a list of hands."""
    least, target = _least(rules), rules.target or 100
    small = ("won", GUEST, least)
    yield [("won", HOST, 40), ("won", GUEST, 30), ("won", HOST, 60), ("won", HOST, 40)]
    yield [("won", GUEST, 75), ("won", HOST, 75), ("won", HOST, 80)]
    for kind in ("void", "tied"):
        yield [(kind,), ("won", HOST, least), (kind,), ("won", GUEST, 25), (kind,)]
        yield [("won", HOST, least), (kind,), (kind,)]
        for count in (rules.hands or 1, (rules.hands or 2) - 1):
            yield [(kind,)] * count
    ends = {target - 1, target, target + 1, target - 5, target + 5, target + 50, 50, 51}
    for points in sorted(each for each in ends if each > 0):
        few = -(-points // 131)
        for wins in _wins(HOST, points, few, few + 1, (rules.hands or 1) - 1):
            yield wins
            yield [small, *wins]
            yield [*wins, small, *wins, small, *wins]
            if rules.columns > 1:
                yield [small, small, *wins, *wins, ("won", GUEST, points)]
            for behind in _wins(GUEST, max(points - 50, 0), -(-max(points - 50, 1) // 131)):
                yield [*behind, *wins, *[("void",)] * ((rules.hands or 0) - len(behind + wins))]
    if rules.mahjong:  # to 500, and the guest 50 behind
        hands = [(GUEST, 110), (HOST, 120)] * 5 + [(GUEST, 110), (HOST, 125), (GUEST, 110)]
        yield [*(("won", *hand) for hand in hands), ("closer", HOST, 125)]
    if rules.multi_match is not None:  # the first game brings exactly this many points, or fewer
        for credit in (rules.multi_match, rules.multi_match - 1, rules.multi_match - 5):
            for boxes in range(1, 13):
                points = credit - rules.game_bonus - boxes * rules.box
                last = min(131, points - least * (boxes - 1))
                if last > 0 and target <= points < target + last:
                    wins = _wins(HOST, points - last, boxes - 1) if boxes > 1 else [[]]
                    for before in wins:
                        yield [small, *before, ("won", HOST, last)]


def random_match(rng, rules):
    """Return random hands whose points decide something."""
    target, least = rules.target or 100, _least(rules)
    points = [least, 25, 40, 50, 75, 100, 120, 125, target, target - 1, target - 50, target // 2]
    points = [each for each in points if 0 <= each <= 131]
    script = []
    for _ in range(rng.choice([4, 8, 16, 24])):
        won_by = ("won", rng.randrange(2), rng.choice(points))
        script.append(rng.choice([won_by] * 8 + [("void",), ("tied",)]))
    return script


# --- telling rule sets apart ------------------------------------------------------------


def _divided(groups, key, probe):
    """Return the groups of more than one, divided by the trace of the probe. It is played once per
    key."""
    divided = []
    for group in groups:
        traces, parts = {}, defaultdict(list)
        keys = {key(rules) for rules in group}
        if len(keys) < 2:
            divided.append(group)
            continue
        for rules in group:
            if key(rules) not in traces:
                traces[key(rules)] = probe(rules)
            parts[traces[key(rules)]].append(rules)
        divided += [part for part in parts.values() if len(part) > 1]
    return divided


def _first_dealer(rules):
    table = begun(f"standard first-dealer={rules.first_dealer.value}")
    return table.cut_cards is None, table.cut_cards is None and table.match.dealer


def alike(rule_sets, tries=300):
    """Return the groups of these rule sets that nothing tells apart."""
    groups = [list(dict.fromkeys(rule_sets))]
    groups = _divided(groups, lambda rules: rules.first_dealer, _first_dealer)
    for hand in HANDS:
        groups = _divided(groups, of_the_hand, lambda rules, hand=hand: trace(rules, *hand))
    groups = _divided_by(groups, islice(matches(STANDARD), 8))
    return [each for group in groups for each in _told_apart(group, tries)]


def _told_apart(group, tries):
    """Divide the group by the matches of its rule sets, then by random ones; return the rest."""
    left = [group]
    for rules in group:
        if any(rules in part for part in left):
            left = _divided_by(left, matches(rules))
    rng = random.Random("likeness")
    for _ in range(tries if left else 0):
        left = _divided_by(left, [random_match(rng, rng.choice(group))])
    return left


def _divided_by(groups, scripts):
    for script in scripts:
        if groups:
            groups = _divided(groups, id, lambda rules, script=script: account(rules, script))
    return groups
