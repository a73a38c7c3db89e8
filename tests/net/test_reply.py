"""Reply codes: one text each, for one invite; read back tolerantly, refused with a sentence."""

import hashlib
import itertools
from base64 import b32encode
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginpeer.net.address import Address, encode_addresses
from ginpeer.net.codes import MAX_REPLY, PartialReply, Reply, ReplyError, is_reply, parse_reply
from protocol.crypto.identity import key_hash
from tests.net.support import GUEST_KEY, a_host, open_house

KEY = GUEST_KEY.public
HOME = Address("192.168.1.33", 4466)
OUTSIDE = Address("203.0.113.77", 51234)
GUEST, TAG = key_hash(KEY), b"\1\2\3\4"
REPLY = Reply(GUEST, (OUTSIDE, HOME, Address("2001:db8::1", 65535)), TAG)
CODE = str(REPLY)


def coded(payload, version="ginr1"):
    """A code with a right checksum around any payload."""
    checksum = hashlib.sha256(b"ginr1" + payload).digest()[:4]
    return version + b32encode(payload + checksum).decode().rstrip("=").lower()


def refusal(text):
    with pytest.raises(ReplyError) as caught:
        parse_reply(text)
    assert caught.value.sentence.endswith(".")
    assert caught.value.sentence.isprintable()
    return caught.value.code


@pytest.mark.parametrize("label", ["", "reply: ", "Reply:", " reply : "])
def test_a_reply_reads_back_with_the_word_before_it_or_without(label):
    assert parse_reply(label + CODE) == REPLY
    assert is_reply(label + CODE)


@pytest.mark.parametrize(
    "pasted",
    [
        CODE.upper(),
        CODE.replace("-", ""),
        CODE.replace("-", " "),
        f"  {CODE}\n",
        "\r\n> ".join(CODE[i : i + 30] for i in range(0, len(CODE), 30)),
        CODE.replace("-", "\u2013"),
    ],
    ids=["capitals", "no dashes", "spaces", "padding", "quoted", "typeset"],
)
def test_what_mail_and_chats_do_to_a_code_does_not_matter(pasted):
    assert parse_reply(pasted) == REPLY


def test_a_text_may_have_so_many_characters_and_no_more():
    assert parse_reply(CODE.ljust(MAX_REPLY)) == REPLY
    assert refusal(CODE.ljust(MAX_REPLY + 1)) == "reply-unreadable"


@pytest.mark.parametrize("line", ["knock 7d", "say ginr1-abc", "", "replay", "gin", "gin 7d"])
def test_what_is_typed_at_the_table_is_not_taken_for_a_reply(line):
    assert not is_reply(line)


@pytest.mark.parametrize(
    "addresses",
    [
        (OUTSIDE, HOME),
        (Address("2001:db8:1234:5678:9abc:def0:1234:5678", 4466), OUTSIDE),
        (Address("2001:db8:1234:5678:9abc:def0:1234:5678", 51234), Address("203.0.113.77", 51234)),
    ],
)
def test_a_usual_reply_has_less_than_90_characters(addresses):
    assert len(str(replace(REPLY, addresses=addresses))) < 90


def test_a_reply_knows_the_invite_that_it_answers(closing):
    invite = open_house(closing, a_host()).invite
    reply = Reply.to(invite, KEY, (HOME,))
    assert reply.guest == GUEST
    assert reply.answers(invite)
    assert not reply.answers(replace(invite, secret=bytes(len(invite.secret))))
    assert not replace(reply, addresses=(OUTSIDE,)).answers(invite)
    assert not replace(reply, guest=bytes(16)).answers(invite)


@given(st.data())
def test_every_mistyped_letter_is_noticed(data):
    at = data.draw(st.integers(5, len(CODE) - 1).filter(lambda i: CODE[i] != "-"))
    letter = data.draw(
        st.sampled_from("abcdefghijklmnopqrstuvwxyz234567").filter(lambda x: x != CODE[at])
    )
    assert refusal(CODE[:at] + letter + CODE[at + 1 :]) == "reply-checksum"


@pytest.mark.parametrize("end", range(0, len(CODE), 7))
def test_every_cut_is_noticed(end):
    assert refusal(CODE[:end]) in ("reply-checksum", "reply-unreadable")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "reply-unreadable"),
        ("reply:", "reply-unreadable"),
        ("gin1-" + CODE[6:], "reply-unreadable"),
        ("ginr1", "reply-checksum"),
        ("ginr1-a", "reply-checksum"),
        ("ginr0-" + CODE[6:], "reply-unreadable"),
        ("ginr2-" + CODE[6:], "reply-too-new"),
        (CODE + "!", "reply-unreadable"),
        (CODE + "\N{LATIN SMALL LETTER DOTLESS I}", "reply-unreadable"),
        ("ginr1-" + "a" * MAX_REPLY, "reply-unreadable"),
        (CODE + CODE[-6:], "reply-checksum"),
    ],
)
def test_what_is_no_reply_is_refused_with_a_code(text, code):
    assert refusal(text) == code


ONE = encode_addresses((HOME,))


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"", "reply-damaged"),
        (GUEST + TAG[:-1], "reply-damaged"),
        (GUEST + TAG, "reply-damaged"),
        (GUEST + ONE[:-1] + TAG, "reply-damaged"),
        (GUEST + ONE * 9 + TAG, "reply-damaged"),
        (GUEST + encode_addresses([Address("a.example", 1)]) + TAG, "reply-addresses"),
        (GUEST + encode_addresses([Address("\x1b[2J", 1)]) + TAG, "reply-addresses"),
        (GUEST + encode_addresses([Address("0.0.0.0", 1)]) + TAG, "reply-addresses"),
        (GUEST + encode_addresses([Address("224.0.0.1", 1)]) + TAG, "reply-addresses"),
        (GUEST + encode_addresses([Address("::", 1)]) + TAG, "reply-addresses"),
        (GUEST + encode_addresses([Address("::ffff:1.2.3.4", 1)]) + TAG, "reply-addresses"),
        (GUEST + encode_addresses([HOME._replace(port=0)]) + TAG, "reply-addresses"),
        (GUEST + b"\x84" + bytes((192, 168, 1, 33)) + b"\1\1" + TAG, "reply-damaged"),
        (GUEST + b"\x81" + bytes((1, 33)) + b"\x11\x72" + TAG, "reply-damaged"),
    ],
    ids=[
        "empty", "no tag", "no address", "cut off", "nine", "a name", "an escape",
        "unspecified", "multicast", "unspecified 6", "an IPv4 as IPv6", "port zero",
        "a longer kind", "a port that goes without saying",
    ],
)  # fmt: skip
def test_a_sound_code_with_senseless_content_is_refused(payload, code):
    assert refusal(coded(payload)) == code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"guest": b"short"}, "reply-damaged"),
        ({"tag": b"longer"}, "reply-damaged"),
        ({"addresses": ()}, "reply-addresses"),
        ({"addresses": (HOME,) * 9}, "reply-addresses"),
    ],
)
def test_a_reply_that_no_code_can_say_cannot_be_made(change, code):
    with pytest.raises(ReplyError) as caught:
        replace(REPLY, **change)
    assert caught.value.code == code


@pytest.mark.parametrize("at", [(30,), (5, 40), (17, 34), (len(CODE) - 4,)])
def test_a_reply_that_a_chat_has_broken_into_lines_is_read_when_it_is_whole(at):
    ends = (0, *at, len(CODE))
    lines = [CODE[i:j] for i, j in itertools.pairwise(ends)]
    broken = PartialReply()
    assert not broken.accepts_more(lines[1])
    for line in lines[:-1]:
        with pytest.raises(ReplyError) as caught:
            broken.take(line)
        assert caught.value.code == "reply-checksum"
        assert not any(
            map(broken.accepts_more, ["quit", "help", "7d", "knock 7d", "lay off 6c", CODE])
        )
    assert broken.accepts_more(lines[-1])
    assert broken.take(lines[-1]) == REPLY
    assert not broken.accepts_more(lines[-1])


def test_a_reply_that_is_pasted_once_more_takes_the_place_of_what_was_begun():
    broken = PartialReply()
    with pytest.raises(ReplyError):
        broken.take(CODE[:-5])
    assert broken.take(CODE) == REPLY


def test_lines_without_an_end_are_kept_only_as_long_as_a_reply_is():
    broken = PartialReply()
    codes = []
    for line in ("ginr1-", *["a" * 16] * 100):
        with pytest.raises(ReplyError) as caught:
            broken.take(line)
        codes.append(caught.value.code)
    assert codes.count("reply-checksum") == 1 + (MAX_REPLY - len("ginr1-")) // 16
    assert set(codes[codes.index("reply-unreadable") :]) == {"reply-unreadable"}
    assert not broken.accepts_more("a" * 16)
