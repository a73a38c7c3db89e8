"""Recompute the document's worked examples, and the vectors of its appendix A.

This uses none of the project's code: it compares the stranger's results with the numbers in
PROTOCOL.md and in tests/vectors/protocol.
"""

from __future__ import annotations

import hmac
import json
import re
from base64 import b32decode, b32encode
from hashlib import sha256, sha512
from pathlib import Path
from typing import Any

import pytest

from tests.stranger import group, proofs
from tests.stranger.group import B, L
from tests.stranger.refusal import Refusal

ROOT = Path(__file__).parents[2]
DOCUMENT = "\n".join(
    (ROOT / "proto" / name).read_text("utf-8") for name in ("PROTOCOL.md", "WIRE.md")
)
PLACE = ("table", "sequence", "previous", "hand", "seat")


def vectors(name: str) -> Any:
    return json.loads((ROOT / "tests" / "vectors" / "protocol" / f"{name}.json").read_text("utf-8"))


def worked(name: str) -> dict[str, bytes]:
    """Return the rows of an example, whose values are in hexadecimal and may span several lines."""
    rows: dict[str, str] = {}
    last = ""
    for line in block(name).splitlines():
        *names, value = line.split()
        last = names[0] if names else last
        rows[last] = rows.get(last, "") + value
    return {name: bytes.fromhex(row) for name, row in rows.items()}


def block(name: str) -> str:
    (found,) = re.findall(rf"```text {name}\n(.*?)```", DOCUMENT, re.DOTALL)
    return str(found)


def scalar(number: int) -> bytes:
    return number.to_bytes(32, "little")


def little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def point(data: str) -> group.Point:
    return group.decode(bytes.fromhex(data))


def times(number: int, base: group.Point = B) -> bytes:
    return group.encode(group.combine([(number, base)]))


def identity(secret: bytes) -> tuple[int, bytes, bytes]:
    """Return the scalar of an Ed25519 key, its prefix for nonces, and the public key (RFC 8032,
    5.1.5)."""
    digest = sha512(secret).digest()
    a = little(digest[:32]) & (2**254 - 8) | 2**254
    return a, digest[32:], group._compress(group.combine([(a, B)]))


def sign(secret: bytes, message: bytes) -> bytes:
    a, prefix, public = identity(secret)
    r = little(sha512(prefix + message).digest()) % L
    commitment = group._compress(group.combine([(r, B)]))
    k = little(sha512(commitment + public + message).digest())
    return commitment + scalar((r + k * a) % L)


# --- the worked examples ---------------------------------------------------------------------


def test_the_offer_of_a2_has_the_stated_signature_and_hash() -> None:
    row = worked("entry")
    key = identity(row["secret"])[2]
    assert row["key"][2:] == key
    fields = ["version", "key", "name", "rules", "disclosure", "nonce", "started"]
    body = b"".join(row[name] for name in ("table", "previous", "offer", *fields))
    assert f"from `table` to `started`, {len(body)} bytes" in DOCUMENT
    assert row["prefix"] == proofs.frame("ginpeer/v1", "entry")
    assert sign(row["secret"], row["prefix"] + body) == row["signature"]
    assert proofs.digest("entry-hash", entry=body + row["signature"]) == row["hash"]
    fingerprint = sha256(b"ginpeer/v1 fingerprint" + key).digest()[:13]
    letters = b32encode(fingerprint).decode().lower()[:20]
    assert f"`{'-'.join(re.findall('.....', letters))}`" in DOCUMENT
    assert group.signature_holds(key, row["prefix"] + body, row["signature"])


def test_the_transcript_of_a3_gives_the_stated_challenge() -> None:
    row = worked("transcript")
    assert row["begin"] == proofs.frame("ginpeer/v1", "possession")
    assert row["key"] == proofs.frame("key", bytes([5] * 32))
    assert row["challenge"] == proofs.frame("challenge", "possession")
    assert row["sha-512"] == sha512(row["begin"] + row["key"] + row["challenge"]).digest()
    assert row["scalar"] == scalar(little(row["sha-512"]) % L)


def test_the_equal_logarithms_of_a4_hold_step_by_step() -> None:
    row = worked("dleq")
    place = proofs.Place(bytes([1] * 32), 17, bytes([2] * 32), 3, 1)
    transcript = proofs.Transcript("share", place)
    assert transcript._data == b"".join(row[name] for name in ("begin", *PLACE))
    for name in ("key", "bases", "images"):
        transcript.append(name, row[name])
    weights = [transcript.challenge("weight") for _ in range(3)]
    assert [scalar(weight) for weight in weights] == [row[f"w_{i}"] for i in range(3)]
    key, c, s = group.decode(row["key"]), little(row["c"]), little(row["s"])
    bases, images = (proofs.read_elements(row[name], 3) for name in ("bases", "images"))
    m = group.combine(zip(weights, bases, strict=True))
    z = group.combine(zip(weights, images, strict=True))
    t2, t3 = group.combine([(s, B), (c, key)]), group.combine([(s, m), (c, z)])
    assert [group.encode(p) for p in (m, z, t2, t3)] == [row[n] for n in ("M", "Z", "t2", "t3")]
    transcript.append("commitments", row["t2"] + row["t3"])
    assert scalar(transcript.challenge("dleq")) == row["c"]
    proofs.check_equal_logarithms(
        "share", place, key, bases, images, proofs.read_proof(row["c"] + row["s"])
    )


def test_the_toy_deck_is_shuffled_and_dealt_as_stated() -> None:
    text = block("toy")
    card = {name: int(number) for name, number in re.findall(r"([AKQJ]) = (\d+)", text)}
    number = {n: int(v) for n, v in re.findall(r"([xY]\w*) = (\d+)", text)}
    x, y, joint = [number["x_D"], number["x_N"]], [number["Y_D"], number["Y_N"]], number["Y"]
    assert [7 * own for own in x] == y
    assert sum(y) == joint
    rows = [re.split(r"  +", line.strip()) for line in text.splitlines()[3:]]
    table = {name: row for name, *row in rows}

    def numbers(row: list[str]) -> list[int]:
        return [int(entry) for entry in row]

    def pairs(name: str) -> list[tuple[int, ...]]:
        return [tuple(map(int, re.findall(r"\d+", entry))) for entry in table[name]]

    deck = [(0, value) for value in card.values()]
    assert pairs("open deck") == deck
    masks = [numbers(row) for name, *row in rows if name == "and masks with"]
    for player, mask, after in zip("DN", masks, ("deck 1", "deck 2"), strict=True):
        order = numbers(table[f"{player} takes from place"])
        deck = [
            ((deck[i][0] + 7 * r) % 101, (deck[i][1] + joint * r) % 101)
            for i, r in zip(order, mask, strict=True)
        ]
        assert pairs(after) == deck
    assert table["is dealt to"] == ["N", "D", "both", "nobody"]
    read = []
    shares = [row for name, row in table.items() if name.startswith("shares by")]
    for i, (c1, c2) in enumerate(deck):
        given = [own * c1 % 101 for own, row in zip(x, shares, strict=True) if row[i] != "-"]
        assert given == [int(row[i]) for row in shares if row[i] != "-"]
        left = (c2 - sum(given)) % 101
        assert left == int(table["left, c2 - shares"][i])
        own = table["own lock, x * c1"][i]
        if own != "-":
            assert int(own) == x["DN".index(table["is dealt to"][i])] * c1 % 101
            left = (left - int(own)) % 101
        read.append({value: name for name, value in card.items()}.get(left, "-"))
    assert read == table["reads"] == ["K", "J", "A", "-"]


def test_the_invite_of_12_3_has_the_stated_text() -> None:
    (found,) = re.findall(r"^    (gin1-[a-z2-7-]+)$", DOCUMENT, re.MULTILINE)
    letters = found.replace("-", "").upper()
    assert letters.startswith("GIN1")
    letters = letters[4:]
    data = b32decode(letters + "=" * (-len(letters) % 8))
    host = sha256(b"ginpeer/v1 fingerprint" + identity(bytes([10] * 32))[2]).digest()[:16]
    name, port = b"gin.example", (4467).to_bytes(2, "big")
    six = bytes.fromhex("20010db8000000000000000000000007")
    addresses = bytes([1, 1, 20]) + bytes([4, 198, 51, 100, 7]) + bytes([6]) + six
    invite = host + bytes(range(10)) + addresses + bytes([128, len(name)]) + name + port
    assert data == invite + sha256(b"gin1" + invite).digest()[:4]


# --- the files of appendix A.1 ----------------------------------------------------------------


def place_of(context: dict[str, Any]) -> proofs.Place:
    return proofs.Place(*(_value(context[name]) for name in PLACE))


def _value(value: Any) -> Any:
    return bytes.fromhex(value) if isinstance(value, str) else value


def test_conversations_have_the_challenges_of_the_vectors() -> None:
    found = vectors("transcript")
    for conversation in found["conversations"]:
        data = proofs.frame("ginpeer/v1", conversation["label"])
        for name, appended in conversation["appended"]:
            data += proofs.frame(name, bytes.fromhex(appended))
        for label, challenge in conversation["challenges"]:
            data += proofs.frame("challenge", label)
            assert scalar(little(sha512(data).digest()) % L).hex() == challenge
    place = found["place in the log"]
    transcript = proofs.Transcript(place["purpose"], place_of(place["context"]))
    label, challenge = place["next challenge"]
    assert scalar(transcript.challenge(label)).hex() == challenge


def test_cards_and_generators_are_the_points_of_the_vectors() -> None:
    found = vectors("points")
    assert [group.encode(card).hex() for card in proofs.CARDS] == found["cards"]
    for number, element in found["generators"].items():
        assert group.encode(proofs.generator(int(number))).hex() == element
    commitment = found["commitment"]
    terms = [(v, proofs.generator(i)) for i, v in enumerate(commitment["values"], 1)]
    total = group.combine([(commitment["blinding"], B), *terms])
    assert group.encode(total).hex() == commitment["element"]


def test_a_hand_seed_expands_to_the_values_of_the_vectors() -> None:
    found = vectors("expansion")
    seed, committed = bytes.fromhex(found["seed"]), found["commitment"]
    table = bytes.fromhex(committed["table"])
    commitment = proofs.seed_commitment(table, committed["hand"], committed["seat"], seed)
    assert commitment.hex() == committed["is"]
    x = proofs.seed_scalar(seed)
    assert (scalar(x).hex(), times(x).hex()) == (found["key"], found["public key"])
    deck = proofs.OPEN_DECK
    derived = {
        "deal, the open deck": ("deal-shuffle", deck),
        "deal, the open deck backwards": ("deal-shuffle", deck[::-1]),
        "riffle, the first 11 cards of the open deck": ("riffle", deck[:11]),
        "riffle, the first 2": ("riffle", deck[:2]),
    }
    assert set(derived) == set(found["shuffles"])
    key = bytes.fromhex(found["public key"])
    for label, expected in found["derived"].items():
        data = key + proofs.encode_ciphertexts(deck[:11])
        assert hmac.digest(seed, proofs.frame(label, data), "sha256").hex() == expected
    for name, (label, before) in derived.items():
        data = key + proofs.encode_ciphertexts(before)
        own = hmac.digest(seed, proofs.frame(label, data), "sha256")
        order = list(range(len(before)))
        for i in reversed(range(1, len(order))):
            j = proofs.expand(own, "permutation", i) % (i + 1)
            order[i], order[j] = order[j], order[i]
        blindings = [proofs.expand(own, "blinding", i) % L for i in (0, len(before) - 1)]
        row = found["shuffles"][name]
        assert order == row["permutation"]
        ends = [row["first blinding"], row["last blinding"]]
        assert [scalar(blinding).hex() for blinding in blindings] == ends


def test_cuts_and_tosses_give_the_cards_of_the_vectors() -> None:
    for cut in vectors("cut")["cuts"]:
        table, host, guest = (bytes.fromhex(cut[name]) for name in ("table", "host", "guest"))
        assert proofs.digest("cut", table=table, value=host).hex() == cut["commitment"]
        assert proofs.cut_cards(table, host, guest) == tuple(cut["cards"])
    for toss in vectors("toss")["tosses"]:
        table, number = bytes.fromhex(toss["table"]), toss["hand"]
        halves = [
            proofs.seed_toss(bytes.fromhex(toss[f"{who}'s seed"])) for who in ("dealer", "other")
        ]
        assert [half.hex() for half in halves] == [toss["dealer's half"], toss["other's half"]]
        assert proofs.toss_commitment(table, number, halves[0]).hex() == toss["commitment"]
        assert proofs.knock_card(table, number, *halves) == toss["card"]


def test_a_chain_of_entries_has_the_signatures_and_hashes_of_the_vectors() -> None:
    found = vectors("entry")
    secrets = {identity(s)[2]: s for s in map(bytes.fromhex, found["secret keys"])}
    for entry in found["chain"]:
        body, author = bytes.fromhex(entry["body"]), bytes.fromhex(entry["author"])
        signature = sign(secrets[author], proofs.frame("ginpeer/v1", "entry") + body)
        assert signature.hex() == entry["signature"]
        hashed = proofs.digest("entry-hash", entry=body + signature)
        assert hashed.hex() == entry["hash"]


SPECCHECK = ROOT / "tests" / "vectors" / "crypto" / "ed25519-speccheck.json"


def test_odd_signatures_get_the_verdict_of_the_vectors() -> None:
    """Try points of small order, encodings that are not canonical, and scalars above the order."""
    for case in json.loads(SPECCHECK.read_text("utf-8"))["cases"]:
        arguments = [bytes.fromhex(case[name]) for name in ("pub_key", "message", "signature")]
        assert group.signature_holds(*arguments) == (case["expect"] == "accept"), case["comment"]


STATEMENTS = vectors("proofs")["statements"]


NAMES = [f"{i}-{s['kind']}-{s['expect']}" for i, s in enumerate(STATEMENTS)]


def _before(data: bytes) -> list[proofs.Ciphertext]:
    """Decode a shuffle's input. It may contain O, as the open deck does, since it isn't received
    [4.1]."""
    parts = [data[i : i + 32] for i in range(0, len(data), 32)]
    points = [group.decode(part) if any(part) else group.IDENTITY for part in parts]
    return list(zip(points[::2], points[1::2], strict=True))


@pytest.mark.parametrize("statement", STATEMENTS, ids=NAMES)
def test_each_statement_gets_the_verdict_of_the_vectors(statement: dict[str, Any]) -> None:
    def check() -> None:
        place, proof = place_of(statement["context"]), bytes.fromhex(statement["proof"])
        key = point(statement["key"])
        if "before" in statement:
            before = _before(bytes.fromhex(statement["before"]))
            after = proofs.read_ciphertexts(bytes.fromhex(statement["after"]), len(before))
            argument = proofs.read_argument(proof, len(before))
            proofs.check_shuffle(place, key, before, after, argument)
        elif "bases" in statement:
            bases, images = (
                proofs.read_elements(data, len(data) // 32)
                for data in (bytes.fromhex(statement[name]) for name in ("bases", "images"))
            )
            purpose = statement["purpose"]
            read = proofs.read_proof(proof)
            proofs.check_equal_logarithms(purpose, place, key, bases, images, read)
        else:
            proofs.check_possession(place, key, proofs.read_proof(proof))

    try:
        check()
        outcome = "ok"
    except Refusal as refusal:
        outcome = refusal.code
    assert outcome == statement["expect"]
