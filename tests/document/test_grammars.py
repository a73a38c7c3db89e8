"""The grammars of PROTOCOL.md 12 match the strings that the program reads."""

from __future__ import annotations

import base64
import re
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ginpeer.net.address import Address
from ginpeer.net.codes import Invite, InviteError, parse_invite
from ginpeer.rules.cards import Illegal, Unreadable
from ginpeer.rules.parameters import NAMES, key_of
from ginpeer.rules.ruleset import PRESETS, RuleSet, parse_ruleset
from protocol.crypto.identity import IdentityKey, key_hash
from protocol.messages import MAX_NAME_BYTES, Malformed, check_name
from tests.abnf import Grammar
from tests.document import PROTOCOL, WIRE
from tests.document.test_document import table_headed
from tests.protocol.golden import read

BLOCKS = re.findall(r"^```abnf\n(.*?)^```$", PROTOCOL + WIRE, re.MULTILINE | re.DOTALL)
GRAMMAR = Grammar("\n".join(BLOCKS))


def test_every_rule_of_the_grammars_can_be_read() -> None:
    assert GRAMMAR.names >= {"rule-text", "name", "invite", "invite-bytes"}
    for rule in GRAMMAR.names:
        re.compile(GRAMMAR.expression(rule))


# --- 12.1 -------------------------------------------------------------------------------------

UNGRAMMATICAL = {"unreadable-rules", "unknown-preset", "unknown-rule"}
"""Codes for strings that the grammar doesn't match. Any other code means a repeated parameter, a
number out of range, or values that contradict each other."""


def is_read(text: str) -> bool:
    try:
        parse_ruleset(text)
    except Unreadable as error:
        if error.code == "repeated-rule":  # found before the words after it are read
            return all(is_read(word) for word in text.split())
        return error.code not in UNGRAMMATICAL
    except Illegal:
        return True
    return True


_KEYS = [key_of(name) for name in NAMES]
_VALUES = sorted(set(re.findall(r'"([a-z-]+)"', BLOCKS[0])) - set(PRESETS))
_NUMBERS = ["0", "1", "007", "10", "9999999", "10000000", "-1", "+1", "1.0", "", "\u0661", "1e3"]
words = st.one_of(
    st.sampled_from(list(PRESETS)),
    st.builds("{}={}".format, st.sampled_from(_KEYS), st.sampled_from([*_VALUES, *_NUMBERS])),
    st.sampled_from(["Standard", "standard=", "=", "box", "box=1=2", "jokers=2", "hollywood,", ""]),
    st.text(string.ascii_lowercase + "=-0", max_size=8),
)
texts = st.builds(
    lambda parts, gaps, ends: (
        ends[0] + "".join(word + gap for word, gap in zip(parts, gaps, strict=False)) + ends[1]
    ),
    st.lists(words, max_size=5),
    st.lists(st.sampled_from([" ", "  ", "   "]), min_size=5, max_size=5),
    st.tuples(st.sampled_from(["", " "]), st.sampled_from(["", " "])),
)


@settings(max_examples=60)
@given(texts)
@example("hollywood multi-match")
@example("multi-match hollywood box=20")
@example("hollywood hollywood")
@example("hollywood standard")
@example("standard box=20 hollywood")
@example("standard box=20 box=20")
@example("mahjong mahjong=yes")
@example("")
@example(" ")
def test_the_grammar_matches_the_rule_texts_that_can_be_read(text: str) -> None:
    assert GRAMMAR.matches("rule-text", text) == is_read(text), (
        f"PROTOCOL.md 12.1 and parse_ruleset disagree on {text!r}; 8.12 says which of them is right"
    )


def test_the_grammar_matches_each_parameter_with_each_of_its_values() -> None:
    """Try every word of the grammar and of the table in 8.12 as a value of every parameter."""
    for key in _KEYS:
        table = {row[0]: row[1] for row in table_headed("parameter")}
        named = set(re.findall(r"[a-z]+(?:-[a-z]+)*", table[key])) - {"to", "odd"}
        for value in sorted({*_VALUES, *named, "0", "15", "1000"}):
            text = f"standard {key}={value}"
            assert GRAMMAR.matches("rule-text", text) == is_read(text), (
                f"PROTOCOL.md 12.1 and parse_ruleset disagree on {text!r}"
            )
        for value in named:
            assert GRAMMAR.matches("rule-text", f"standard {key}={value}")


@pytest.mark.parametrize("name", PRESETS)
def test_the_grammar_matches_each_preset_and_its_canonical_text(name: str) -> None:
    for text in (name, str(RuleSet(**PRESETS[name].values))):
        assert GRAMMAR.matches("rule-text", text)


# --- 12.2 -------------------------------------------------------------------------------------


def is_name(text: str) -> bool:
    try:
        check_name(text)
    except Malformed:
        return False
    return True


def in_the_grammar(text: str) -> bool:
    fits = len(text.encode("utf-8", "surrogatepass")) <= MAX_NAME_BYTES
    return GRAMMAR.matches("name", text) and fits


def test_the_grammar_matches_the_characters_of_names() -> None:
    """Try single characters: all of the lowest plane and of the tags, and a sample of the rest."""
    some = {*range(0x10000), *range(0xDF000, 0xE2000), *range(0, 0x110000, 97), 0x10FFFF}
    everything = "".join(map(chr, sorted(some)))
    one = GRAMMAR.expression("visible")
    visible = set(re.findall(one, everything))
    assert visible == {character for character in everything if is_name(character)}


@settings(max_examples=60)
@given(st.text(st.sampled_from("aé 漢\u00a0\u200d\x1b\U0001f600"), max_size=24))
@example(" a")
@example("a ")
@example("a  b")
@example("x" * 65)
def test_the_grammar_matches_exactly_the_valid_names(text: str) -> None:
    assert in_the_grammar(text) == is_name(text)


# --- 12.3 -------------------------------------------------------------------------------------

HOSTS = ("198.51.100.7", "2001:db8::1", "gin.example", "a", "x-1.example.org")
hosts = st.lists(
    st.builds(Address, st.sampled_from(HOSTS), st.integers(1, 65535)), min_size=1, max_size=8
)
KEY = IdentityKey(bytes(range(32))).public


@settings(max_examples=60)
@given(st.binary(min_size=10, max_size=10), hosts)
def test_the_grammar_matches_every_invite_and_its_bytes(secret: bytes, to: list[Address]) -> None:
    text = str(Invite.of(KEY, secret, tuple(to)))
    assert GRAMMAR.matches("invite", text)
    letters = text.removeprefix("gin1").replace("-", "")
    data = base64.b32decode(letters.upper() + "=" * (-len(letters) % 8))
    assert GRAMMAR.matches("invite-bytes", data.decode("latin-1"))


INVITE = str(Invite.of(KEY, bytes(10), (Address("gin.example", 4466),)))
changes = st.tuples(
    st.integers(0, len(INVITE)), st.integers(0, 3), st.text("abz27-19AZ g\n=", max_size=3)
)


@settings(max_examples=60)
@given(changes)
@example((0, 4, "GIN1"))
@example((5, 0, " "))
@example((len(INVITE), 0, "-"))
def test_the_grammar_matches_only_the_written_form_of_an_invite(
    change: tuple[int, int, str],
) -> None:
    """Of the strings that can be read, the grammar matches exactly those in the form that we
    write."""
    at, length, inserted = change
    text = INVITE[:at] + inserted + INVITE[at + length :]
    try:
        written = str(parse_invite(text))
    except InviteError:
        return
    assert GRAMMAR.matches("invite", written)
    assert (written == text) == GRAMMAR.matches("invite", text)


@pytest.mark.parametrize("skipped", [*" \t\n->|", *"\u2010\u2015\u200b\u2060\ufeff\u00a0"])
def test_skipped_characters_are_skipped_anywhere_in_an_invite(skipped: str) -> None:
    spread = skipped.join(INVITE.upper().replace("-", ""))
    assert str(parse_invite(spread)) == INVITE
    assert not GRAMMAR.matches("invite", spread)


def test_the_documents_example_invite_has_the_stated_content() -> None:
    example = re.search(r"^    gin1-[a-z2-7-]+$", WIRE, re.MULTILINE)
    assert example is not None
    invite = parse_invite(example[0])
    assert GRAMMAR.matches("invite", re.sub(r"\s", "", example[0]))
    assert invite.host == key_hash(bytes.fromhex(read("entry")["chain"][0]["author"]))
    assert invite.secret == bytes(range(10))
    assert invite.addresses == (
        Address("192.168.1.20", 4466),
        Address("198.51.100.7", 4466),
        Address("2001:db8::7", 4466),
        Address("gin.example", 4467),
    )
