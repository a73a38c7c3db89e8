"""Each invite or reply has one canonical text, is read back leniently, or is refused with a
sentence."""

import hashlib
import itertools
import random
from base64 import b32encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import pytest

from ginpeer.net import codes
from ginpeer.net.address import (
    Address,
    AddressError,
    canonical_host,
    encode_addresses,
    parse_address,
)
from ginpeer.net.codes import (
    MAX_INVITE,
    MAX_REPLY,
    SECRET_BYTES,
    Invite,
    InviteError,
    PartialInvite,
    PartialReply,
    Reply,
    ReplyError,
    is_invite,
    is_reply,
    parse_invite,
    parse_reply,
)
from protocol.crypto.identity import IdentityKey, fingerprint, fingerprint_of_hash, key_hash
from tests.net.support import GUEST_KEY, a_host, open_house
from tests.refusals import code_of

KEY = IdentityKey(bytes(32)).public
SECRET = bytes(range(10))
HOST = key_hash(KEY)
LAN = Address("192.168.1.20", 4466)
OUTSIDE = Address("203.0.113.77", 51234)
GUEST, TAG = key_hash(GUEST_KEY.public), b"\1\2\3\4"
INVITE = Invite.of(KEY, SECRET, (LAN, Address("2001:db8::1", 65535), Address("gin.example.org", 1)))
REPLY = Reply(GUEST, (OUTSIDE, LAN, Address("2001:db8::1", 65535)), TAG)
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass(frozen=True)
class Kind:
    name: str
    prefix: str
    value: Any
    longest: int
    parse: Callable
    error: type
    partial: type
    no_piece: tuple
    """Lines that don't continue a code split over several lines."""

    @property
    def code(self):
        return str(self.value)

    @property
    def letters(self):
        return self.code[len(self.prefix) + 1 :]

    def coded(self, payload):
        """Return a code with any payload and a correct checksum."""
        checksum = hashlib.sha256(self.prefix.encode() + payload).digest()[:4]
        return self.prefix + b32encode(payload + checksum).decode().rstrip("=").lower()

    def refusal(self, text):
        """Return the code with which a text is refused, without the kind's name."""
        with pytest.raises(self.error) as caught:
            self.parse(text)
        assert caught.value.sentence.endswith(".")
        assert caught.value.sentence.isprintable()
        return caught.value.code.removeprefix(f"{self.name}-")


AN_INVITE = Kind(
    "invite", "gin1", INVITE, MAX_INVITE, parse_invite, InviteError, PartialInvite,
    ("", "-", "See you!", "18:30", str(INVITE), str(INVITE).upper()),
)  # fmt: skip
A_REPLY = Kind(
    "reply", "ginr1", REPLY, MAX_REPLY, parse_reply, ReplyError, PartialReply,
    ("quit", "help", "7d", "knock 7d", "lay off 6c", str(REPLY), "ginr2-abcdefghijklmnop"),
)  # fmt: skip
EACH = pytest.mark.parametrize("kind", [AN_INVITE, A_REPLY], ids=lambda kind: kind.name)


@EACH
def test_a_code_consists_of_groups_of_small_letters(kind):
    first, *groups = kind.code.split("-")
    assert first == kind.prefix
    assert {len(group) for group in groups[:-1]} == {16}
    assert kind.code.lower() == kind.code
    assert "=" not in kind.code


@EACH
@pytest.mark.parametrize(
    "done",
    [
        lambda code: code,
        str.upper,
        lambda code: code.replace("-", ""),
        lambda code: code.replace("-", " "),
        lambda code: f"  {code}\n",
        lambda code: "\n".join(code[i : i + 30] for i in range(0, len(code), 30)),
        lambda code: "\r\n> ".join(code[i : i + 30] for i in range(0, len(code), 30)),
        lambda code: code.replace("-", "\u2013"),
        lambda code: code.replace("-", "\u200b-"),
        lambda code: code.replace("-", "\uff0d"),
    ],
    ids=[
        "nothing", "capitals", "no dashes", "spaces", "padding", "lines", "quoted", "typeset",
        "invisible", "full width",
    ],
)  # fmt: skip
def test_a_code_is_read_whatever_mail_and_chat_programs_do_to_it(kind, done):
    assert kind.parse(done(kind.code)) == kind.value


@pytest.mark.parametrize("label", ["reply: ", "Reply:", " reply : ", "> ", "| reply: ", "> > `"])
@pytest.mark.parametrize("end", ["", "`", ".\n"])
def test_a_reply_is_read_with_its_label_and_the_marks_around_it(label, end):
    assert is_reply(label + str(REPLY) + end)
    assert PartialReply().take(label + str(REPLY) + end) == REPLY


def test_each_line_of_a_split_reply_may_end_with_marks():
    text = str(REPLY)
    broken = PartialReply()
    with pytest.raises(ReplyError):
        broken.take(f"`{text[:40]}`")
    assert broken.take(f"{text[40:]}`") == REPLY


@pytest.mark.parametrize("before", ["", "> ", "| invite: ", "`", "invite : "])
def test_an_invite_is_recognized_behind_the_marks_before_it(before):
    assert is_invite(before + str(INVITE))
    assert is_invite(before + str(INVITE).replace("-", "\u2013"))


@pytest.mark.parametrize("line", ["knock 7d", "say ginr1-abc", "", "replay", "gin", "gin 7d"])
def test_commands_typed_at_the_table_are_not_taken_for_a_reply(line):
    assert not is_reply(line)


@EACH
def test_every_mistyped_letter_is_noticed(kind):
    for at in range(len(kind.prefix), len(kind.code)):
        right, wrong = kind.code[at], LETTERS[at * 7 % 32]
        if right not in ("-", wrong):
            assert kind.refusal(kind.code[:at] + wrong + kind.code[at + 1 :]) == "checksum"


@EACH
def test_every_truncation_is_noticed(kind):
    for end in range(len(kind.code)):
        assert kind.refusal(kind.code[:end]) in ("checksum", "unreadable")


@EACH
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "unreadable"),
        ("reply:", "unreadable"),
        ("hello there", "unreadable"),
        ("{word}", "unreadable"),
        ("{word}1", "checksum"),
        ("{word}1-a", "checksum"),
        ("{word}0-{letters}", "unreadable"),
        ("{word}2-{letters}", "too-new"),
        ("{other}1-{letters}", "unreadable"),
        ("{word}1-{letters}!", "unreadable"),
        ("{word}1-{letters}\N{LATIN SMALL LETTER DOTLESS I}", "unreadable"),
        ("{word}1-" + "a" * MAX_INVITE, "unreadable"),
        ("{word}1-{letters}abcdef", "checksum"),
    ],
)
def test_text_that_is_not_a_code_is_refused(kind, text, code):
    word = kind.prefix[:-1]
    other = "ginr" if word == "gin" else "gin"
    assert kind.refusal(text.format(word=word, other=other, letters=kind.letters)) == code


@EACH
def test_a_text_longer_than_the_longest_code_is_refused(kind):
    assert kind.parse(kind.code.ljust(kind.longest)) == kind.value
    assert kind.refusal(kind.code.ljust(kind.longest + 1)) == "unreadable"


HEAD = HOST + SECRET
ONE = b"\x01\x01\x14"


def named(host, port=1):
    return encode_addresses([Address(host, port)])


@pytest.mark.parametrize(
    ("kind", "addresses", "code"),
    [
        (AN_INVITE, b"", "damaged"),  # no addresses
        (AN_INVITE, ONE * 9, "damaged"),
        (AN_INVITE, ONE + b"\0", "damaged"),  # trailing bytes
        (AN_INVITE, ONE[:-1], "damaged"),  # cut off
        (AN_INVITE, b"\x05\xc0\xa8\x01\x14", "damaged"),  # unknown kind
        (AN_INVITE, b"\x81\x01\x14\0\0", "addresses"),  # port zero
        (AN_INVITE, b"\x00\x00", "addresses"),  # empty name
        (AN_INVITE, b"\x00\x01\x1b", "addresses"),  # an escape
        (AN_INVITE, b"\x00\x01\xff", "addresses"),  # not ASCII
        (AN_INVITE, b"\x00\x03A.b", "addresses"),  # capitals
        (AN_INVITE, b"\x00\x071.2.3.4", "damaged"),  # an IP as a name
        (AN_INVITE, b"\x04\xc0\xa8\x01\x14", "damaged"),  # 192.168 in full
        (AN_INVITE, b"\x04\x0a\xa8\x01\x14", "damaged"),  # 10 in full
        (AN_INVITE, b"\x81\x01\x14\x11\x72", "damaged"),  # the default port, which must be omitted
        (AN_INVITE, ONE + b"\x81\x01\x15\x11\x72", "damaged"),  # the previous port, repeated
        (AN_INVITE, b"\x06" + bytes(10) + b"\xff\xff\1\2\3\4", "addresses"),  # IPv4 as IPv6
        (A_REPLY, b"", "damaged"),
        (A_REPLY, ONE * 9, "damaged"),
        (A_REPLY, ONE[:-1], "damaged"),
        (A_REPLY, named("a.example"), "addresses"),  # names aren't resolved in a reply
        (A_REPLY, named("\x1b[2J"), "addresses"),
        (A_REPLY, named("0.0.0.0"), "addresses"),
        (A_REPLY, named("224.0.0.1"), "addresses"),
        (A_REPLY, named("255.255.255.255"), "addresses"),
        (A_REPLY, named("::"), "addresses"),
        (A_REPLY, named("::ffff:1.2.3.4"), "addresses"),
        (A_REPLY, named("192.168.1.33", 0), "addresses"),
        (A_REPLY, b"\x84" + bytes((192, 168, 1, 33)) + b"\1\1", "damaged"),
        (A_REPLY, b"\x81\x01\x14\x11\x72", "damaged"),
    ],
)
def test_a_valid_code_with_senseless_content_is_refused(kind, addresses, code):
    payload = HEAD + addresses if kind is AN_INVITE else GUEST + addresses + TAG
    assert kind.refusal(kind.coded(payload)) == code


@pytest.mark.parametrize(
    ("kind", "payload"), [(AN_INVITE, b""), (AN_INVITE, HEAD[:-1]), (A_REPLY, b""), (A_REPLY, HOST)]
)
def test_a_valid_code_that_is_too_short_is_refused(kind, payload):
    assert kind.refusal(kind.coded(payload)) == "damaged"


def test_a_valid_code_that_makes_no_sense_hints_at_different_versions():
    """The checksum catches any copying error, so the code must have been written this way."""
    with pytest.raises(InviteError, match="Both players need the same version of ginpeer"):
        parse_invite(AN_INVITE.coded(KEY + bytes(16) + b"\1\4\xc0\xa8\1\x14\x11\x72"))
    with pytest.raises(InviteError, match="it ends too early"):
        parse_invite(codes._INVITE.write(HEAD + b"\x01\x01\x14\0"))


def test_a_wrong_last_letter_is_noticed_even_if_it_differs_only_in_spare_bits():
    code = AN_INVITE.coded(HEAD + b"\x00\x01a")  # 33 bytes, which leave one bit unused
    assert parse_invite(code).addresses == (("a", 4466),)
    assert AN_INVITE.refusal(code[:-1] + LETTERS[LETTERS.index(code[-1]) + 1]) == "checksum"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"addresses": (Address("fe80::1%eth0", 1),)}, "addresses"),
        ({"addresses": (Address("X.org", 1),)}, "addresses"),
        ({"addresses": (Address("two words", 1),)}, "addresses"),
        ({"addresses": (Address("x.org", 0),)}, "addresses"),
        ({"addresses": (Address("x.org", 65_536),)}, "addresses"),
        ({"secret": SECRET[1:]}, "damaged"),
        ({"host": HOST[1:]}, "damaged"),
    ],
)
def test_an_unusable_code_cannot_be_made(change, code):
    for kind in (AN_INVITE, A_REPLY):
        if all(hasattr(kind.value, name) for name in change):
            assert code_of(kind.error, replace, kind.value, **change) == f"{kind.name}-{code}"


@pytest.mark.parametrize("addresses", [(), (LAN,) * 9])
def test_an_invite_has_one_to_eight_addresses(addresses):
    assert code_of(InviteError, replace, INVITE, addresses=addresses) == "invite-addresses"


def test_a_reply_recognises_the_invite_that_it_answers(closing):
    invite = open_house(closing, a_host()).invite
    reply = Reply.to(invite, GUEST_KEY.public, (LAN,))
    assert reply.guest == GUEST
    assert reply.answers(invite)
    assert not reply.answers(replace(invite, secret=bytes(len(invite.secret))))
    assert not replace(reply, addresses=(OUTSIDE,)).answers(invite)
    assert not replace(reply, guest=bytes(16)).answers(invite)


def test_an_invite_hides_its_secret_in_logs_and_gives_the_hosts_fingerprint():
    assert "secret" not in repr(INVITE)
    assert fingerprint_of_hash(INVITE.host) == fingerprint(KEY)


def test_a_host_name_is_limited_to_253_characters():
    name = ".".join(("a" * 63, "b" * 63, "c" * 63, "d" * 61))
    assert canonical_host(name) == name
    with pytest.raises(AddressError):
        canonical_host(name + "d")


def any_address(rng):
    host = rng.choice(
        (
            str(IPv4Address(rng.randrange(2**32))),
            f"192.168.{rng.randrange(256)}.{rng.randrange(256)}",
            str(IPv6Address(rng.randrange(2**128))),
            f"h{rng.randrange(10**9)}.example",
        )
    )
    return Address(canonical_host(host), rng.choice((4466, rng.randrange(1, 65_536))))


def test_any_invite_can_be_written_and_read_again():
    rng = random.Random(14)
    for _ in range(200):
        where = tuple(any_address(rng) for _ in range(rng.randint(1, 8)))
        invite = Invite.of(KEY, rng.randbytes(SECRET_BYTES), where)
        assert parse_invite(str(invite)) == invite
        assert all(parse_address(str(address)) == address for address in where)


# --- a code that a chat has split over lines ----------------------------------------------


@pytest.mark.parametrize(
    ("kind", "at"),
    [
        *((AN_INVITE, at) for at in ((4,), (5, 9, 40), (4, 22, 30), (-3,), range(6, 60, 3))),
        *((A_REPLY, at) for at in ((30,), (5, 40), (17, 34), (-4,))),
    ],
)
@pytest.mark.parametrize("before", ["", "> ", "| "], ids=["plain", "quoted", "barred"])
def test_a_code_broken_into_lines_is_read_once_it_is_complete(kind, at, before):
    code = kind.code
    ends = (0, *(each % len(code) for each in at), len(code))
    first, *lines = [before + code[i:j] for i, j in itertools.pairwise(ends)]
    lines = [first, *lines]
    broken = kind.partial()
    assert not broken.accepts_more(lines[1])
    for line in lines[:-1]:
        assert code_of(kind.error, broken.take, line) == f"{kind.name}-checksum"
        assert not any(map(broken.accepts_more, kind.no_piece))
    assert broken.accepts_more(lines[-1])
    assert broken.take(lines[-1]) == kind.value
    assert not broken.accepts_more(lines[-1])


@EACH
def test_a_code_pasted_again_replaces_the_incomplete_one(kind):
    broken = kind.partial()
    with pytest.raises(kind.error):
        broken.take(kind.code[:-5])
    assert broken.take(kind.code) == kind.value


@EACH
def test_endless_lines_are_kept_only_up_to_the_length_of_a_code(kind):
    broken, met = kind.partial(), []
    for line in (f"{kind.prefix}-", *["a" * 160] * 52):
        with pytest.raises(kind.error) as caught:
            broken.take(line)
        met.append(caught.value.code)
    first = met.index(f"{kind.name}-unreadable")
    assert kind.longest // 161 <= first <= kind.longest // 160 + 1
    assert set(met[first:]) == {f"{kind.name}-unreadable"}
    assert not broken.accepts_more("a" * 16)
