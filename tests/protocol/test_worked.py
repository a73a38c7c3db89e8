"""Read the worked examples in PROTOCOL.md and WIRE.md, and compute them again."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from ginpeer.net.access_policy import SingleGuestPolicy
from ginpeer.net.handshake import ChannelBinding, check_welcome
from protocol.crypto import dleq
from protocol.crypto.elgamal import decode_elements
from protocol.crypto.group import ORDER, Element, base_multiple, encode_scalar, multi_multiply
from protocol.crypto.hashing import Transcript, frame
from protocol.crypto.identity import IdentityKey, fingerprint
from protocol.deck.state import ProofContext
from protocol.entry import RawEntry, decode_body, encode_body, entry_hash, sign_entry
from protocol.frames import Hello, Welcome, decode_frame, encode_frame
from protocol.messages import Offer
from tests.protocol import worked

DOCUMENT = "\n".join(path.read_text(encoding="utf-8") for path in worked.DOCUMENTS)


def rows(block: str, width: int = 12) -> dict[str, bytes]:
    """Return the rows of a block in hexadecimal; a line without a name continues the row above."""
    found: dict[str, str] = {}
    name = ""
    for line in worked.block_of(DOCUMENT, block).split("\n"):
        words = line.split()
        if len(words) == 2:
            name = words[0]
            assert name not in found
        assert line == f"{name if len(words) == 2 else '':<{width}}{words[-1]}"
        found[name] = found.get(name, "") + words[-1]
    return {name: bytes.fromhex(digits) for name, digits in found.items()}


def scalar(data: bytes) -> int:
    number = int.from_bytes(data, "little")
    assert len(data) == 32
    assert number < ORDER
    return number


def element(data: bytes) -> Element:
    return Element.decode(data)


# --- A.2 --------------------------------------------------------------------------------------

FIELDS = (*("table", "previous", "offer", "version", "key", "name", "rules"), "disclosure")
FIELDS += ("nonce", "started")


def test_the_example_entry_has_the_stated_fields_and_signature() -> None:
    said = rows("entry")
    data = b"".join(said[name] for name in FIELDS)
    assert f"{len(data)} bytes" in DOCUMENT.split("```text entry")[1]
    body = decode_body(data)
    assert encode_body(body) == data
    assert isinstance(body.message, Offer)
    assert said["offer"][1] == len(data) - data.index(said["offer"]) - 2
    for name in ("key", "nonce"):
        assert said[name][:2] + getattr(body.message, name) == said[name]
    for name in ("name", "rules"):
        assert said[name][2:].decode() == getattr(body.message, name)
    author = IdentityKey(said["secret"])
    assert author.public == body.message.key
    assert author.sign(said["prefix"] + data) == said["signature"]
    raw = sign_entry(author, body)
    assert raw == data + said["signature"]
    assert RawEntry.split(raw).signed_message == said["prefix"] + data
    hashed = frame("ginpeer/v1", b"entry-hash") + frame("entry", raw)
    assert hashlib.sha256(hashed).digest() == entry_hash(raw) == said["hash"]
    assert f"`{fingerprint(author.public)}`" in DOCUMENT


# --- A.3 --------------------------------------------------------------------------------------


def test_the_transcript_gives_its_challenge() -> None:
    said = rows("transcript")
    whole = said["begin"] + said["key"] + said["challenge"]
    assert hashlib.sha512(whole).digest() == said["sha-512"]
    assert int.from_bytes(said["sha-512"], "little") % ORDER == scalar(said["scalar"])
    transcript = Transcript("possession")
    transcript.append("key", b"\x05" * 32)
    assert transcript.challenge("possession") == scalar(said["scalar"])


# --- A.4 --------------------------------------------------------------------------------------


def context_in(said: dict[str, bytes]) -> ProofContext:
    """Return the place in the log, from the frames of 5.3."""

    def data(name: str) -> bytes:
        start = frame(name, b"")[:-4]
        assert said[name][: len(start)] == start
        length = int.from_bytes(said[name][len(start) : len(start) + 4], "big")
        value = said[name][len(start) + 4 :]
        assert len(value) == length
        return value

    number = {n: int.from_bytes(data(n), "big") for n in ("sequence", "hand", "seat")}
    return ProofContext(
        data("table"), number["sequence"], data("previous"), number["hand"], number["seat"]
    )


def test_the_example_of_equal_logarithms_holds_in_every_row() -> None:
    said = rows("dleq")
    beginning = b"".join(
        said[name] for name in ("begin", "table", "sequence", "previous", "hand", "seat")
    )
    context = context_in(said)
    assert context.transcript("share").digest() == hashlib.sha512(beginning).digest()
    bases, images = decode_elements(said["bases"], 3), decode_elements(said["images"], 3)
    key, c, s = element(said["key"]), scalar(said["c"]), scalar(said["s"])

    transcript = context.transcript("share")
    for name in ("key", "bases", "images"):
        transcript.append(name, said[name])
    weights = transcript.challenges("weight", 3)
    assert [encode_scalar(w) for w in weights] == [said[f"w_{at}"] for at in range(3)]
    M, Z = element(said["M"]), element(said["Z"])
    assert (multi_multiply(weights, bases), multi_multiply(weights, images)) == (M, Z)
    t2, t3 = element(said["t2"]), element(said["t3"])
    assert base_multiple(s) + c * key == t2
    assert multi_multiply((s, c), (M, Z)) == t3
    transcript.append("commitments", said["t2"] + said["t3"])
    assert transcript.challenge("dleq") == c
    dleq.verify(
        context.transcript("share"), key, bases, images, dleq.Proof.decode(said["c"] + said["s"])
    )


# --- A.5 --------------------------------------------------------------------------------------


def test_the_example_greeting_has_the_stated_rows_and_is_accepted() -> None:
    said = rows("greeting", 14)
    host, guest = IdentityKey(said["host-secret"]), IdentityKey(said["guest-secret"])
    assert (host.public, guest.public) == (said["host-key"], said["guest-key"])
    link = frame("exporter", said["exporter"])
    link += frame("host-key", host.public) + frame("guest-key", guest.public)
    assert said["link"] == link
    message = said["proof-head"] + link + frame("hello", said["hello-0"])
    assert hmac.digest(said["secret"], message, "sha256") == said["proof"]
    length, hello_frame = said["hello"][:4], said["hello"][4:]
    assert int.from_bytes(length, "big") == len(hello_frame)
    hello = decode_frame(hello_frame)
    assert isinstance(hello, Hello)
    assert hello.proof == said["proof"]
    assert encode_frame(replace(hello, proof=b"")) == said["hello-0"]
    welcome = decode_frame(said["welcome"][4:])
    assert isinstance(welcome, Welcome)
    assert encode_frame(replace(welcome, signature=bytes(64))) == said["welcome-0"]
    message = said["sign-head"] + link + frame("hello", hello_frame)
    assert host.sign(message + frame("welcome", said["welcome-0"])) == said["signature"]
    assert welcome.signature == said["signature"]
    tls = ChannelBinding(said["exporter"], host.public, guest.public)
    assert SingleGuestPolicy(said["secret"]).admit(hello, tls) == welcome.version == 1
    check_welcome(tls, hello, welcome)


# --- 0.5 --------------------------------------------------------------------------------------


def cells(name: str) -> list[Any]:
    """Return a row of the toy's table, as numbers, pairs and words."""
    line = next(
        line for line in worked.block_of(DOCUMENT, "toy").split("\n") if line.startswith(name)
    )
    words = re.findall(r"\(\d+, \d+\)|\S+", line[24:])
    return [
        tuple(map(int, re.findall(r"\d+", word)))
        if word[0] == "("
        else int(word)
        if word.isdigit()
        else word
        for word in words
    ]


def toy_values() -> dict[str, int]:
    text = "\n".join(worked.block_of(DOCUMENT, "toy").split("\n")[:2])
    return {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", text)}


def remasked(deck: Sequence[tuple[int, int]], who: str, key: int) -> list[tuple[int, int]]:
    at = [line for line in worked.block_of(DOCUMENT, "toy").split("\n") if "masks with" in line]
    masks = map(int, at["DN".index(who)].split()[3:])
    return [
        ((deck[j][0] + r * 7) % 101, (deck[j][1] + r * key) % 101)
        for j, r in zip(cells(f"{who} takes"), masks, strict=True)
    ]


def test_the_toy_example_deals_the_stated_cards() -> None:
    """Numbers are modulo 101, with B = 7; every row of the table follows from those above it."""
    toy = toy_values()
    assert (toy["Y_D"], toy["Y_N"]) == (toy["x_D"] * 7 % 101, toy["x_N"] * 7 % 101)
    assert toy["Y"] == (toy["Y_D"] + toy["Y_N"]) % 101
    assert cells("open deck") == [(0, toy[card]) for card in "AKQJ"]
    assert remasked(cells("open deck"), "D", toy["Y"]) == cells("deck 1")
    assert remasked(cells("deck 1"), "N", toy["Y"]) == cells("deck 2")
    deck, left = cells("deck 2"), cells("left, c2 - shares")
    by_d, by_n = cells("shares by D"), cells("shares by N")
    assert [place for place, share in enumerate(by_d) if share != "-"] == [0, 2]
    assert [place for place, share in enumerate(by_n) if share != "-"] == [1, 2]
    for place, (c1, c2) in enumerate(deck):
        given = [("x_D", by_d[place]), ("x_N", by_n[place])]
        for key, share in given:
            assert share in ("-", toy[key] * c1 % 101)
        assert left[place] == (c2 - sum(share for _, share in given if share != "-")) % 101
    assert cells("is dealt to") == ["N", "D", "both", "nobody"]
    own = cells("own lock")
    assert own[:2] == [toy["x_N"] * deck[0][0] % 101, toy["x_D"] * deck[1][0] % 101]
    readers = [(0, own[0]), (1, own[1]), (2, 0)]
    assert cells("reads") == [
        *(next(c for c in "AKQJ" if toy[c] == (left[at] - lock) % 101) for at, lock in readers),
        "-",
    ]


def test_the_sums_for_the_card_followed_in_the_toy_example_are_right() -> None:
    text = " ".join(DOCUMENT.split("To follow one card:")[1].split("\n\n")[0].split())
    sums = re.findall(r"((?:\d+|[·+ -])+\d) = (\d+)", text)
    pairs = re.findall(r"\(([^,()]+), ([^,()]+)\)\s+= \((\d+), (\d+)\)", text)
    sums += [each for a, b, x, y in pairs for each in ((a, x), (b, y))]
    assert len(sums) >= 8
    for left, right in sums:
        assert _value(left) == int(right), (left, right)


def _value(text: str) -> int:
    """Return a sum of products, modulo 101."""
    terms = re.findall(r"([+-]?) ?(\d+(?:·\d+)*)", text)
    total = 0
    for sign, term in terms:
        product = 1
        for factor in term.split("·"):
            product *= int(factor)
        total += -product if sign == "-" else product
    return total % 101


# --- the vectors have the same blocks -------------------------------------------------------


@pytest.mark.parametrize("name", worked.BLOCKS)
def test_the_examples_match_the_vectors(name: str) -> None:
    assert worked.block_of(DOCUMENT, name) == worked.BLOCKS[name](), (
        "The vectors have changed: python -m tests.protocol.worked updates the documents."
    )
