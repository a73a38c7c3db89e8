"""Typed matches: what may be omitted, and how impossible lines are refused, by line number."""

import pickle

import pytest

from ginpeer.notation import BadNotation, SheetMaker, read_sheet, write_sheet
from ginpeer.notation.reading import MAX_BYTES, MAX_LINE, MAX_LINES, MAX_TAGS
from ginpeer.notation.sheet import MAX_VALUE
from ginpeer.record import Record, sheet_of
from ginpeer.rules import STANDARD, DrawStock, Illegal, Pass
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import plain_player
from tests.notation.played import played

# The example of NOTATION.md 1, with a first line that names the dealer.
TYPED = """\
Dealer: host           ; Friday, at Ada's
host: 10c 7d 8d Qd, 8h 9h Kh, 6s 9s Qs
guest: 3c9c2d5d3h5h6h7hqh8s
upcard 5c
t -qh
t -10c
d8c -9c
t -kh
d6c -8c
t -7d knock 8c8d8h, 9c9h9s, qdqhqs / 6s
shows 5h6h7h, 8s@1 / 3c5c6c2d5d3h
"""
LINES = TYPED.split("\n")
DEAL = LINES[:4]
OVER = LINES[:11]


def refused(text):
    with pytest.raises(BadNotation) as caught:
        read_sheet(text.encode("utf-8") if isinstance(text, str) else text)
    why = caught.value
    assert why.sentence.isprintable()
    assert why.sentence.endswith(".")
    assert why.line is None or why.sentence.startswith(f"Line {why.line}: ")
    return why


def test_a_golden_hand_typed_by_hand_reads_back_equal():
    record = Record.read(FOLDER / "standard.ginlog")
    (played_hand,) = record.hands
    (typed,) = Record.read(b'[Gin "1"]\n' + TYPED.encode()).hands
    assert typed.moves == played_hand.moves
    assert typed.result == played_hand.result
    assert typed.dealer == played_hand.dealer
    for ours, theirs in zip(
        (step for step in typed.steps if step.move is not None),
        (step for step in played_hand.steps if step.move is not None),
        strict=True,
    ):
        assert (ours.drawn, ours.hand(0), ours.hand(1)) == (
            theirs.drawn,
            theirs.hand(0),
            theirs.hand(1),
        )


KNOCK, SHOWS = LINES[9:11]
STROKE = "Put a slash before your deadwood, as in: / 6s."


@pytest.mark.parametrize(
    ("right", "typed", "said"),
    [
        (KNOCK, KNOCK.replace(" / ", " "), f"QdQh6sQs isn't a meld. {STROKE}"),
        (KNOCK, KNOCK.replace(" / ", ", "), f"6s isn't a meld. {STROKE}"),
        (KNOCK, KNOCK[:-5], f"10 cards were shown, not 11. 6s is missing. {STROKE}"),
        (KNOCK, f"{KNOCK} 2c", "12 cards were shown, not 11."),
        (KNOCK, KNOCK.replace("9s,", ","), "10 cards were shown, not 11. 9s is missing."),
        (
            KNOCK,
            KNOCK.replace("8h, 9c", "8h 9c"),
            "8c9c8d8h9h9s isn't a meld. Put a comma between melds.",
        ),
        (KNOCK, KNOCK.replace("8c8d8h", "8c8d9c"), "9c is used twice."),
        (KNOCK, KNOCK.replace("8c8d8h", "8c8djd"), "8c8dJd isn't a meld."),
        (KNOCK, KNOCK.replace("/ 6s", "/ 8c"), "8c is used twice."),
        (
            KNOCK,
            KNOCK.replace("/ 6s", "/ 7d"),
            "7d is used twice. 7d is the discard; don't list it again.",
        ),
        (
            KNOCK,
            KNOCK.replace("-7d ", ""),
            'This can\'t be read: "knock 8c8d8h, 9c9h9s, qdqhqs / 6s". The discard comes first, '
            "as in: -7d knock.",
        ),
        (SHOWS, SHOWS.replace(" /", ""), f'This can\'t be read: "3c5c6c2d5d3h". {STROKE}'),
        (SHOWS, SHOWS.replace(" /", ","), f"3c5c6c2d5d3h isn't a meld. {STROKE}"),
        (SHOWS, SHOWS[:19], f"4 cards were shown, not 10. 3c5c6c2d5d3h are missing. {STROKE}"),
        (KNOCK, KNOCK.replace("8c8d8h", "8c8d7h"), "7h is in the opponent's hand."),
        (KNOCK, KNOCK.replace("/ 6s", ", 6s@1"), "The line is incomplete."),
        (SHOWS, SHOWS.replace("@1", "@"), 'This can\'t be read: "/ 3c5c6c2d5d3h".'),
        (SHOWS, SHOWS.replace("3c", "8s"), "8s is used twice."),
        (
            SHOWS,
            SHOWS.replace("@1", "@4"),
            "There is no meld @4: the knocker has 3, and the first is @1.",
        ),
        (SHOWS, SHOWS.replace("@1", "@3"), "8s doesn't fit on QdQhQs."),
        (SHOWS, f"{SHOWS} knock", 'This can\'t be read: "knock". The discard comes first,'),
    ],
)
def test_a_typing_mistake_is_refused_with_its_line_and_a_suggestion(right, typed, said):
    line = LINES.index(right) + 1
    assert refused(TYPED.replace(right, typed)).sentence.startswith(f"Line {line}: {said}")


def test_no_card_is_reported_missing_from_an_unknown_hand():
    unknown = TYPED.replace(LINES[2], "guest ?")
    sentence = refused(unknown.replace(SHOWS, SHOWS[:-2])).sentence
    assert sentence == "Line 11: 9 cards were shown, not 10."


@pytest.mark.parametrize(
    "change",
    [
        str.upper,
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\n", "\n\n ; nothing\n"),
        lambda text: text.replace(" ", "\t  "),
        lambda text: "\n".join(line.partition(";")[0].replace(" ", "") for line in LINES),
        lambda text: text.replace("-", "\u2212"),
        lambda text: text.replace("-", " discard "),
        lambda text: text.replace("d8c", "draw 8c").replace("t -7d", "take 8c - 7d"),
        lambda text: text.replace("8c", "8\u2663").replace("qs", "q\u2660\ufe0f"),
        lambda text: "hand\n" + text,
        lambda text: '[Host "Ada"]\n[ Guest\t"Ben" ] ; hers\nhand 1\n' + text,
        lambda text: text.replace("Dealer: host", "").replace("t -qh", "guest t -qh"),
        lambda text: '[Cut "10♦\ufe0f  qS"]\n' + text.replace("Dealer: host", ""),
        lambda text: '[Cut "Ad Qs"]\n' + text.replace("Dealer: host", ""),
        lambda text: '[Rules "standard first-dealer=host"]\n' + text.replace("Dealer: host", ""),
        lambda text: text + "result\nscore host\n",
    ],
)
def test_different_ways_of_typing_give_the_same_hand(change):
    (hand,) = read_sheet(TYPED.encode()).hands
    (other,) = read_sheet(change(TYPED).encode("utf-8")).hands
    assert (other.made, other.cards) == (hand.made, hand.cards)


def test_unknown_cards_may_be_left_out():
    kept = [line for line in LINES if not line.startswith(("host:", "guest:"))]
    text = "\n".join(kept).replace("d8c", "d").replace("d6c", "d?")
    (hand,) = read_sheet(text.encode()).hands
    assert hand.cards == (None, None)
    assert not any(made.card for made in hand.made if isinstance(made.move, DrawStock))
    assert "\nhost ?\nguest ?\n" in write_sheet(read_sheet(text.encode()))
    assert "\nguest d ? -9c\n" in write_sheet(read_sheet(text.encode()))


@pytest.mark.parametrize("hand", [-1, 0, 2])
def test_a_sheet_of_a_missing_hand_is_refused(hand):
    typed = Record.read(b'[Gin "1"]\n' + TYPED.encode())
    for record in (Record.read(FOLDER / "standard.ginlog"), typed):
        assert len(sheet_of(record, 1).hands) == 1
        with pytest.raises(LookupError, match=f"no hand {hand}"):
            sheet_of(record, hand)


def test_unknown_tags_are_kept():
    tags = (("Event", "A wedding"), ("Annotator", 'who "knows"'))
    sheet = played("standard", 3, tags=tags)
    assert read_sheet(write_sheet(sheet).encode()).tags == tags


def _with(number, *lines):
    """Return the typed hand with *lines* in place of line *number*, counted from 1."""
    return "\n".join([*LINES[: number - 1], *lines, *LINES[number:]])


LATER = "hand 3\n" + TYPED
LATE = f'[Gin "1"]\n[Rules "standard target=1"]\n{LATER}'
CONTRADICTION = '[Rules "straight undercut-bonus=10"]'
MATCH_OVER = '[Rules "standard target=1"]\n' + TYPED
REFUSED = {
    "text-not-utf8": (b"dealer host\n\xff\n", 2),
    "text-too-large": (b";" * (MAX_BYTES + 1), None),
    "too-many-lines": ("\n" * MAX_LINES, None),
    "line-too-long": ("\n;" + "x" * MAX_LINE, 2),
    "text-empty": ("; nothing here\n\n", None),
    "line-unreadable": (_with(5, "t -qh whatever"), 5),
    "tag-unreadable": ('[Host "Ada]\n', 1),
    "tag-twice": ('[Host "Ada"]\n[HOST "Eve"]\n', 2),
    "tag-too-late": (TYPED + '[Proof "verified"]\n', 12),
    "notation-too-new": ('[Gin "2"]\n', 1),
    "line-misplaced": (_with(5, "t -qh", "upcard 5c"), 6),
    "hand-number": (TYPED + "hand 3\n", 12),
    "hand-over": (TYPED + "d 2c -2c\n", 12),
    "hand-too-long": (TYPED, 6),  # at most three moves are possible
    "dealer-missing": ("\n".join(LINES[1:]), 4),
    "dealer-differs": (TYPED + "hand 2\ndealer host\nupcard 5c\npass", 12),
    "first-differs": (
        '[Rules "oklahoma knock-limit=second-deck"]\ndealer host\nknock-card 5h\nfirst host\nd',
        2,
    ),
    "upcard-missing": ("dealer host\nt 5c -qh\n", 2),
    "upcard-differs": (_with(5, "t 6c -qh"), 5),
    "seat-differs": (_with(5, "host t -qh"), 5),
    "seat-missing": ("dealer host\nresigns", 2),
    "turn-over": (_with(5, "t -qh t -10c"), 5),
    "sum-differs": (TYPED + "result knock host 19\n", 12),
    # refused by the rules
    "repeated-card": (_with(2, "host 10c 7d 8d Qd 8h 9h Kh 6s 9s 9s"), 2),
    "wrong-card-count": (_with(2, "host 10c 7d 8d Qd 8h 9h Kh 6s 9s"), 2),
    "unreadable-move": (_with(5, "t 1 lay 3c4c5c"), 5),
    "just-taken": (_with(5, "t -5c"), 5),
    "card-not-held": (_with(5, "t -2c"), 5),
    "wrong-phase": (_with(5, "-qh"), 5),
    "not-a-meld": (_with(10, LINES[9].replace("9c9h9s", "9c9hkh")), 10),
    "knock-over-limit": (_with(10, LINES[9].replace(", qdqhqs / 6s", " / qdqhqs6s")), 10),
    "layoff-does-not-fit": (_with(11, "shows 5h6h7h, 8s@2 / 3c5c6c2d5d3h"), 11),
    "match-over": (MATCH_OVER + "hand 2\nupcard 5c\npass", 13),
    "unknown-rule": ('[Rules "standard jokers=2"]\n' + TYPED, 1),
    "unknown-preset": ('\n[Rules "canasta"]\n' + TYPED, 2),
    "not-allowed-now": ("\n".join([*LINES[:10], "guest resigns"]), 11),
}


@pytest.mark.parametrize("code", REFUSED)
def test_an_impossible_sheet_is_refused_with_code_and_line(code, monkeypatch):
    text, line = REFUSED[code]
    if code == "hand-too-long":
        monkeypatch.setattr("ginpeer.notation.reading.MAX_MOVES", 3)
    why = refused(text)
    assert (why.code, why.line) == (code, line)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (_with(5, "t -qh oops"), 'Line 5: This can\'t be read: "oops".'),
        (_with(2, "host 7d8d Dd9h"), 'Line 2: This can\'t be read: "Dd9h".'),
        (_with(5, "takes 5c -qh"), 'Line 5: This can\'t be read: "takes 5c -qh".'),
        (_with(5, "t -qh knocks 6s"), 'Line 5: This can\'t be read: "knocks 6s".'),
        (
            "dealer host\nhost 3c4c5c6c7c8c9ctcjcqc\nguest 3c4d5d6d7d8d9dtdjdqd\nupcard kc\nt -3c",
            "Line 3: 3c can't be in both hands.",
        ),
        (_with(5, "t -"), "Line 5: The line is incomplete."),
        (_with(5, "\x1b[31mt"), 'Line 5: This can\'t be read: "\ufffd[31mt".'),
        (_with(5, "host t"), "Line 5: It's the guest's turn, not the host's."),
        (_with(5, "t -5c"), "Line 5: 5c was just taken; discard a different card."),
        (
            TYPED + "result knock host 19",
            "Line 12: According to the hands above, this line should be: "
            "result knock host 18, 6 against 24.",
        ),
        (
            TYPED + "score guest 18",
            "Line 12: According to the hands above, this line should be: score host 18 guest 0.",
        ),
        (TYPED + "total 18", "Line 12: The match hasn't ended here."),
        (
            MATCH_OVER + "column 1.1 host 18 + 0",
            "Line 13: According to the hands above, this line should be: "
            "column 1.1 host 18 + 18 + 100 + 25 = 161, guest 0 + 0 + 0 + 0 = 0.",
        ),
        (
            MATCH_OVER + "winner guest",
            "Line 13: According to the hands above, this line should be: winner host.",
        ),
        (
            MATCH_OVER + "owes guest 3",
            "Line 13: According to the hands above, this line shouldn't be here.",
        ),
        (
            '[Result "guest"]\n' + MATCH_OVER,
            "Line 1: The Result tag doesn't match the hands, which give host.",
        ),
        (
            '[Cut "Ad Qs"]\n' + TYPED.replace("host", "guest", 1),
            "Line 2: According to the rules, the host deals.",
        ),
        ('[Cut "Ad"]', "Line 1: A cut is the host's card, then the guest's, as in: 7d Kc."),
        ("hand 0", "Line 1: This is hand 1, not hand 0."),
        ("dealer host\nupcard 5c\nfirst", "Line 3: The line is incomplete."),
        ("dealer host\ndealer guest", "Line 2: The line dealer appears twice."),
        ("result gin", "Line 1: No hand has ended here."),
        ("dealer host\nupcard 5c\nhost 5c" + "6c7c8c9ctcjcqckcac", None),
        (MATCH_OVER + "hand 2", "Line 13: The match is finished."),
        ("\n".join([*LINES[:9], "hand 2"]), "Line 10: Hand 1 isn't over."),
        ("dealer host\nhand 2", "Line 2: Hand 1 isn't over."),
        ('dealer host\n[Host "Ada"]', "Line 2: Tags go above the first hand."),
        ('[1a "x"]', 'Line 1: A tag is a name and a value, as in [Host "Ada"].'),
        (f'[{"a" * 33} "x"]', 'Line 1: A tag is a name and a value, as in [Host "Ada"].'),
        (LATER + "result knock host 19", None),
    ],
)
def test_a_refusal_says_why(text, sentence):
    why = refused(text)
    assert sentence is None or why.sentence == sentence


@pytest.mark.parametrize(
    "bad",
    [
        _with(7, "d8d -9c"),  # the host has it
        _with(7, "d3c -9c"),  # the guest has it
        _with(7, "dqh -9c"),  # discarded, then taken by the host
        _with(9, "d8c -9c"),  # already drawn earlier
        _with(4, "upcard 3c"),
        _with(2).replace("-10c", "-3c"),
        _with(3).replace("8s@1 / 3c5c", "8s@1 / 3c8h"),  # shown, but the host had it
    ],
)
def test_a_card_is_in_one_place_at_a_time(bad):
    assert refused(bad).code == "card-not-held"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[Host "A\\q"]', "tag-unreadable"),
        ('[Host "Ada"] Ada', "tag-unreadable"),
        ('[Cut "Ad"]', "tag-unreadable"),
        (_with(5, "t 2"), "line-unreadable"),
        (_with(5, "t 2 3c4c5c"), "line-unreadable"),
        (_with(5, "t 2 lay"), "line-unreadable"),
        (_with(5, "t -"), "line-unreadable"),
        ("dealer host\ndealer guest", "line-misplaced"),
        ("dealer host\nhand 2", "line-misplaced"),
        ("result gin", "line-misplaced"),
        ("total 18", "line-misplaced"),
        (TYPED + "total 18", "line-misplaced"),
        ('[Result "guest"]\n' + MATCH_OVER, "sum-differs"),
        (CONTRADICTION, "rules-contradict"),
        (MATCH_OVER + "hand 2", "match-over"),
        ("hand 1\nhost resigns\n", "dealer-missing"),
    ],
)
def test_a_refusal_has_its_code(text, code):
    assert refused(text).code == code


def test_the_limits_are_those_of_the_document():
    tags = "".join(f'[X{number} "y"]\n' for number in range(MAX_TAGS))
    assert len(read_sheet((tags + TYPED).encode()).tags) == MAX_TAGS
    assert refused(tags + '[Y "y"]\n').code == "tag-unreadable"
    assert read_sheet(f'[X "{"y" * MAX_VALUE}"]'.encode()).tags == (("X", "y" * MAX_VALUE),)
    assert refused(f'[X "{"y" * (MAX_VALUE + 1)}"]').code == "tag-unreadable"
    longest = '[X "' + "\\u{10ffff}" * MAX_VALUE + '"]'
    assert len(longest) < MAX_LINE
    assert read_sheet(longest.encode()).tags == (("X", "\U0010ffff" * MAX_VALUE),)


def test_only_the_points_within_a_later_hand_are_compared():
    """The score before this hand isn't known."""
    account = "column 1.1 host 1\ntotal host 305\nwinner guest\nowes host 5"
    for said in ("score host 5 guest 90", "result knock host 18", account):
        (hand,) = read_sheet(f'[Result "guest"]\n{LATER}{said}\n'.encode()).hands
        assert hand.number == 3
    assert refused(LATER + "result knock host 19").code == "sum-differs"


def test_who_starts_after_a_void_hand_may_depend_on_hands_before_the_text():
    rules = "standard knock-limit=second-deck target=40"
    sheet = played(rules, 52, hands=3, chooser=plain_player, tags=[("Rules", rules)])
    assert [hand.dealt.to_move for hand in sheet.hands][1:] == [0, 0]
    assert sheet.hands[2].dealer == 0  # who doesn't start, if nobody has won yet
    text = write_sheet(sheet)
    head, late = text[: text.index("\nhand 1\n")], text[text.index("\nhand 2\n") :]
    found = read_sheet((head + late).encode())
    assert [hand.dealt for hand in found.hands] == [hand.dealt for hand in sheet.hands[1:]]


def test_who_starts_after_a_hand_of_the_text_was_won_is_checked_even_if_it_begins_late():
    rules = "standard knock-limit=second-deck target=60"
    text = write_sheet(played(rules, 1, hands=3, chooser=plain_player, tags=[("Rules", rules)]))
    late = text[: text.index("\nhand 1\n")] + text[text.index("\nhand 2\n") :]
    before, third = late.split("\nhand 3\n")
    assert "\nvoid" not in before
    assert read_sheet(late.encode()).hands[1].number == 3
    wrong = third.replace("first host", "first guest", 1)
    assert refused(f"{before}\nhand 3\n{wrong}").code == "first-differs"


def test_a_sheet_maker_refuses_impossible_moves():
    maker = SheetMaker(STANDARD)
    with pytest.raises(Illegal) as why:
        maker.make(Pass())
    assert why.value.code == "hand-over"
    maker.begin(1, 0)
    with pytest.raises(ValueError, match="when the cards are dealt"):
        maker.make(Pass())
    maker.resign(1)
    with pytest.raises(Illegal) as why:
        maker.make(Pass())
    assert why.value.code == "hand-over"
    (hand,) = maker.sheet().hands
    assert (hand.resigned, hand.dealt) == (1, None)


def test_a_refusal_can_be_copied():
    why = refused(_with(5, "oops"))
    other = pickle.loads(pickle.dumps(why))
    assert (other.code, other.sentence, other.line) == (why.code, why.sentence, why.line)
