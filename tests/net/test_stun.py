"""STUN: the published sample answers, and whatever else a server may send."""

import binascii
import random
from importlib import resources

import pytest

from ginpeer.net.address import Address, AddressError
from ginpeer.net.stun import (
    DEFAULT_STUN_PORT,
    MAX_MESSAGE,
    StunError,
    encode_binding_request,
    message_length,
    parse_servers,
    read_mapped_address,
)
from tests.fuzz.protobuf import spoilt
from tests.refusals import code_of

# RFC 5769, 2.2 and 2.3: answers with SOFTWARE, MESSAGE-INTEGRITY and FINGERPRINT.
TRANSACTION = bytes.fromhex("b7e7a701bc34d686fa87dfae")
IPV4 = bytes.fromhex(
    "0101003c2112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220"
    "002000080001a147e112a643000800142b91f599fd9e90c38c7489f92af9ba53f06be7d780280004c07d4c96"
)
IPV6 = bytes.fromhex(
    "010100482112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220"
    "002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d900080014a382954e4be67bf11784c97c8292c275"
    "bfe3ed4180280004c8fb0b4c"
)
COOKIE = bytes.fromhex("2112a442")


def message(*attributes, kind=0x0101, transaction=TRANSACTION, fingerprint=False):
    body = b"".join(
        number.to_bytes(2, "big") + len(value).to_bytes(2, "big") + value + bytes(-len(value) % 4)
        for number, value in attributes
    )
    length = len(body) + 8 * fingerprint
    text = kind.to_bytes(2, "big") + length.to_bytes(2, "big") + COOKIE + transaction + body
    if fingerprint:
        crc = binascii.crc32(text) ^ 0x5354554E
        text += b"\x80\x28\0\4" + crc.to_bytes(4, "big")
    return text


def xored(packed, port, family=1):
    mask = COOKIE + TRANSACTION
    masked = bytes(x ^ y for x, y in zip(packed, mask, strict=False))
    return bytes((0, family)) + (port ^ 0x2112).to_bytes(2, "big") + masked


def longer(text, more):
    """Return the message with these bytes appended and its length adjusted."""
    return text[:2] + (len(text) - 20 + len(more)).to_bytes(2, "big") + text[4:] + more


OURS = (0x0020, xored(bytes((203, 0, 113, 7)), 4466))
SOFTWARE = b"\x80\x22\0\0"
# A correct message with OURS, then the same with an empty attribute after it.
_BEFORE = longer(message(OURS), bytes(12))[:-12]
FINGERPRINT = (0x8028, (binascii.crc32(_BEFORE) ^ 0x5354554E).to_bytes(4, "big"))


def refusal(text, transaction=TRANSACTION):
    with pytest.raises(StunError) as caught:
        read_mapped_address(text, transaction)
    assert caught.value.sentence.endswith(".")
    return caught.value.code


def test_a_request_is_a_bare_binding_request():
    assert encode_binding_request(TRANSACTION) == b"\0\1\0\0" + COOKIE + TRANSACTION


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (IPV4, Address("192.0.2.1", 32853)),
        (IPV6, Address("2001:db8:1234:5678:11:2233:4455:6677", 32853)),
    ],
)
def test_the_published_answers_are_read_and_their_fingerprints_checked(text, address):
    assert read_mapped_address(text, TRANSACTION) == address
    assert refusal(text[:-1] + bytes((text[-1] ^ 1,))) == "stun-malformed"


def test_the_plain_address_of_old_servers_is_ignored():
    """Routers that rewrite addresses in packets also rewrite the plain address."""
    plain = (0x0001, b"\0\1\x11\x72\xc0\0\2\1")
    assert read_mapped_address(message(plain, (4, b""), OURS), TRANSACTION).host == "203.0.113.7"
    assert refusal(message(plain)) == "stun-malformed"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "stun-malformed"),
        (b"\x01\x01\0\0" + COOKIE, "stun-malformed"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "stun-malformed"),
        (message(), "stun-malformed"),
        (message(OURS)[:-1], "stun-malformed"),
        (message(OURS) + b"\0\0\0\0", "stun-malformed"),
        (message(OURS) + SOFTWARE, "stun-malformed"),
        (message(OURS).replace(COOKIE, bytes(4)), "stun-malformed"),
        (longer(message(OURS), b"\x80\x22\0\1a"), "stun-malformed"),  # not padded to 4 bytes
        (longer(message(OURS), b"\x80\x22\0\x04"), "stun-malformed"),
        (message(OURS, (0x7FFF, b"")), "stun-malformed"),
        (message(OURS, FINGERPRINT, (0x8022, b"")), "stun-malformed"),
        (message((0x0009, b"\0\0\4\x01"), OURS), "stun-malformed"),
        (message(OURS, kind=0x0001), "stun-malformed"),
        (message(OURS, transaction=bytes(12)), "stun-stray"),
        (message((0x0020, b"")), "stun-malformed"),
        (message((0x0020, xored(bytes(4), 1, family=3))), "stun-malformed"),
        (message((0x0020, xored(bytes(5), 1))), "stun-malformed"),
        (message((0x0020, xored(bytes(4), 1, family=2))), "stun-malformed"),
        (message((0x0020, xored(bytes(4), 1))), "stun-no-address"),
        (message((0x0020, xored(bytes((224, 0, 0, 1)), 1))), "stun-no-address"),
        (message((0x0020, xored(bytes((192, 0, 2, 1)), 0))), "stun-no-address"),
        (message((0x7FFF, b"")), "stun-malformed"),
        (message((0x8028, bytes(4)), OURS), "stun-malformed"),
        (message((0x0009, b"\0\0\4\x01"), kind=0x0111), "stun-refused"),
        (message((0x0009, b""), kind=0x0111), "stun-refused"),
        (message(kind=0x0111), "stun-refused"),
        (b"\x01\x01\0\4" + COOKIE + TRANSACTION + b"\0\x20\0\x08", "stun-malformed"),
    ],
)
def test_a_message_that_is_not_an_answer_is_refused(text, code):
    assert refusal(text) == code


def test_an_error_is_reported_with_its_number():
    text = message((0x8022, b"\0\0\5\5"), (0x0009, b"\0\0\4\x01"), kind=0x0111)
    with pytest.raises(StunError, match=r"error 401"):
        read_mapped_address(text, TRANSACTION)


def test_an_ipv4_address_mapped_to_ipv6_is_read_as_ipv4():
    packed = bytes(10) + b"\xff\xff" + bytes((203, 0, 113, 7))
    text = message((0x0020, xored(packed, 80, family=2)))
    assert read_mapped_address(text, TRANSACTION) == ("203.0.113.7", 80)


def test_unknown_attributes_are_ignored_up_to_the_largest_message():
    room = MAX_MESSAGE - len(message(OURS)) - 4
    text = message(OURS, (0x8000, bytes(room)))
    assert len(text) == MAX_MESSAGE
    assert read_mapped_address(text, TRANSACTION).host == "203.0.113.7"
    assert refusal(message(OURS, (0x8000, bytes(room + 4)))) == "stun-malformed"


def test_an_impossible_length_is_refused_before_the_rest_arrives():
    long = b"\x01\x01\xff\xfc" + COOKIE + TRANSACTION
    assert code_of(StunError, message_length, long) == "stun-malformed"
    assert message_length(message(OURS)[:20]) == len(message(OURS)) <= MAX_MESSAGE


def test_any_bytes_give_an_address_or_a_listed_code():
    rng = random.Random("stun")
    sound = (IPV4, IPV6, message(OURS), message((9, b"\0\0\4\1"), kind=0x0111))
    met = set()
    for _ in range(5_000):
        text = spoilt(rng.choice(sound), rng)
        if rng.random() < 0.3:
            text = text[:2] + max(0, len(text) - 20).to_bytes(2, "big") + text[4:]
        try:
            read_mapped_address(text, TRANSACTION)
            met.add("read")
        except StunError as error:
            met.add(error.code)
    assert met >= {"read", "stun-malformed", "stun-stray", "stun-refused"}
    assert met <= {"read", "stun-malformed", "stun-stray", "stun-refused", "stun-no-address"}


def test_the_installed_list_names_servers_and_their_sources():
    text = resources.files("ginpeer.net").joinpath("stun-servers.txt").read_text("utf-8")
    servers = parse_servers(text)
    assert len(servers) >= 8
    assert all(server.port == DEFAULT_STUN_PORT for server in servers)
    listed = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert all(line.partition("#")[2].count(",") >= 1 for line in listed)  # on at least two lists


def test_a_list_of_servers_is_read_line_by_line():
    text = "# ours\n\nstun.example # the first\n[2001:db8::1]:99\nstun.example\n"
    assert parse_servers(text) == (("stun.example", 3478), ("2001:db8::1", 99))


@pytest.mark.parametrize("text", ["", "# nobody\n", "one two\n", "a:0\n", "a\n" * 33, "a:x"])
def test_a_senseless_list_of_servers_is_refused(text):
    with pytest.raises(AddressError):
        parse_servers(text)


def test_an_unreadable_line_is_named_by_its_number():
    with pytest.raises(AddressError, match=r"^Line 3: "):
        parse_servers("# ours\nstun.example\none two\n")
