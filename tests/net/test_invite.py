"""Invites and addresses: one text each, read back tolerantly, refused with a sentence."""

import hashlib
import itertools
from base64 import b32encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginpeer.net.address import (
    Address,
    AddressError,
    canonical_host,
    parse_address,
)
from ginpeer.net.codes import MAX_INVITE, Invite, InviteError, PartialInvite, parse_invite
from protocol.crypto.identity import IdentityKey, fingerprint, fingerprint_of_hash, key_hash

KEY = IdentityKey(bytes(32)).public
SECRET = bytes(range(10))
HOST = key_hash(KEY)
LAN = Address("192.168.1.20", 4466)
INVITE = Invite.of(KEY, SECRET, (LAN, Address("2001:db8::1", 65535), Address("gin.example.org", 1)))
CODE = str(INVITE)


def coded(payload, version="gin1"):
    """A code with a right checksum around any payload."""
    checksum = hashlib.sha256(b"gin1" + payload).digest()[:4]
    return version + b32encode(payload + checksum).decode().rstrip("=").lower()


def refusal(text):
    with pytest.raises(InviteError) as caught:
        parse_invite(text)
    assert caught.value.sentence.endswith(".")
    return caught.value.code


def test_an_invite_is_one_code_in_groups():
    first, *groups = CODE.split("-")
    assert first == "gin1"
    assert {len(group) for group in groups[:-1]} == {16}
    assert CODE.lower() == CODE
    assert "=" not in CODE


def test_an_invite_reads_back():
    assert parse_invite(CODE) == INVITE
    assert parse_invite(CODE).addresses[0] == ("192.168.1.20", 4466)


@pytest.mark.parametrize(
    "pasted",
    [
        CODE.upper(),
        CODE.replace("-", ""),
        CODE.replace("-", " "),
        f"  {CODE}\n",
        "\n".join(CODE[i : i + 30] for i in range(0, len(CODE), 30)),
        "\r\n> ".join(CODE[i : i + 30] for i in range(0, len(CODE), 30)),
        CODE.replace("-", "\u2013"),
        CODE.replace("-", "\u200b-"),
    ],
    ids=["capitals", "no dashes", "spaces", "padding", "lines", "quoted", "typeset", "invisible"],
)
def test_what_mail_and_chats_do_to_a_code_does_not_matter(pasted):
    assert parse_invite(pasted) == INVITE


@given(st.data())
def test_every_mistyped_letter_is_noticed(data):
    at = data.draw(st.integers(4, len(CODE) - 1).filter(lambda i: CODE[i] != "-"))
    letter = data.draw(
        st.sampled_from("abcdefghijklmnopqrstuvwxyz234567").filter(lambda x: x != CODE[at])
    )
    assert refusal(CODE[:at] + letter + CODE[at + 1 :]) == "invite-checksum"


@pytest.mark.parametrize("end", range(0, len(CODE), 7))
def test_every_cut_is_noticed(end):
    assert refusal(CODE[:end]) in ("invite-checksum", "invite-unreadable")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "invite-unreadable"),
        ("hello there", "invite-unreadable"),
        ("gin", "invite-unreadable"),
        ("gin1", "invite-checksum"),
        ("gin1-a", "invite-checksum"),
        ("gin0-" + CODE[5:], "invite-unreadable"),
        ("gin2-" + CODE[5:], "invite-too-new"),
        ("gin1-" + CODE[5:] + "!", "invite-unreadable"),
        ("gin1-" + CODE[5:] + "\N{LATIN SMALL LETTER DOTLESS I}", "invite-unreadable"),
        ("gin1-" + "a" * MAX_INVITE, "invite-unreadable"),
        (CODE + CODE[-6:], "invite-checksum"),
    ],
)
def test_what_is_no_invite_is_refused_with_a_code(text, code):
    assert refusal(text) == code


HEAD = HOST + SECRET
ONE_LAN = b"\x01\x01\x14"


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"", "invite-damaged"),
        (HEAD[:-1], "invite-damaged"),
        (HEAD, "invite-damaged"),
        (HEAD + ONE_LAN * 9, "invite-damaged"),
        (HEAD + ONE_LAN + b"\0", "invite-damaged"),
        (HEAD + ONE_LAN[:-1], "invite-damaged"),
        (HEAD + b"\x05\xc0\xa8\x01\x14", "invite-damaged"),
        (HEAD + b"\x81\x01\x14\0\0", "invite-addresses"),
        (HEAD + b"\x00\x00", "invite-addresses"),
        (HEAD + b"\x00\x01\x1b", "invite-addresses"),
        (HEAD + b"\x00\x01\xff", "invite-addresses"),
        (HEAD + b"\x00\x03A.b", "invite-addresses"),
        (HEAD + b"\x00\x071.2.3.4", "invite-damaged"),
        (HEAD + b"\x04\xc0\xa8\x01\x14", "invite-damaged"),
        (HEAD + b"\x04\x0a\xa8\x01\x14", "invite-damaged"),
        (HEAD + b"\x81\x01\x14\x11\x72", "invite-damaged"),
        (HEAD + ONE_LAN + b"\x81\x01\x15\x11\x72", "invite-damaged"),
        (HEAD + b"\x06" + bytes(10) + b"\xff\xff\1\2\3\4", "invite-addresses"),
    ],
    ids=[
        "empty", "half a secret", "no addresses", "nine addresses", "something behind",
        "cut off", "unknown kind", "port zero", "empty name", "an escape", "not ASCII",
        "capitals", "an IP as a name", "192.168 in full", "10 in full", "a port that is clear",
        "the port of the one before", "an IPv4 as IPv6",
    ],
)  # fmt: skip
def test_a_sound_code_with_senseless_content_is_refused(payload, code):
    assert refusal(coded(payload)) == code


def test_where_a_sound_code_makes_no_sense_the_versions_may_differ():
    """Whatever slips in copying, the checksum finds: this was written so."""
    with pytest.raises(InviteError, match="Both players need the same ginpeer"):
        parse_invite(coded(KEY + bytes(16) + b"\1\4\xc0\xa8\1\x14\x11\x72"))


def test_a_wrong_last_letter_is_a_mistyped_one_though_it_holds_spare_bits_only():
    code = coded(HEAD + b"\x00\x01a")  # 33 bytes: one bit is spare
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"
    assert parse_invite(code).addresses == (("a", 4466),)
    assert refusal(code[:-1] + alphabet[alphabet.index(code[-1]) + 1]) == "invite-checksum"


def test_a_usual_invite_has_fewer_than_90_characters():
    """One address at home and one of IPv6, as most machines have; or the router's beside it."""
    home = Address("192.168.178.20", 4466)
    six = Address("2001:db8:1234:5678:9abc:def0:1234:5678", 4466)
    assert len(str(Invite.of(KEY, SECRET, (home, six)))) == 89
    assert len(str(Invite.of(KEY, SECRET, (Address("203.0.113.77", 4466), home)))) < 75


def test_the_fingerprint_of_the_host_can_be_told_from_its_hash():
    assert fingerprint_of_hash(INVITE.host) == fingerprint(KEY)


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: Invite.of(KEY, SECRET, ()), "invite-addresses"),
        (lambda: Invite.of(KEY, SECRET, (LAN,) * 9), "invite-addresses"),
        (lambda: Invite.of(KEY, SECRET[:-1], (LAN,)), "invite-damaged"),
        (lambda: Invite(KEY[:-1], SECRET, (LAN,)), "invite-damaged"),
        (lambda: Invite.of(KEY, SECRET, (Address("fe80::1%eth0", 1),)), "invite-addresses"),
        (lambda: Invite.of(KEY, SECRET, (Address("EXAMPLE.org", 1),)), "invite-addresses"),
        (lambda: Invite.of(KEY, SECRET, (Address("example.org", 0),)), "invite-addresses"),
    ],
)
def test_an_impossible_invite_cannot_be_built(build, code):
    with pytest.raises(InviteError) as caught:
        build()
    assert caught.value.code == code


def test_a_text_may_have_so_many_characters_and_no_more():
    assert parse_invite(str(INVITE).ljust(MAX_INVITE)) == INVITE
    with pytest.raises(InviteError) as caught:
        parse_invite(str(INVITE).ljust(MAX_INVITE + 1))
    assert caught.value.code == "invite-unreadable"


def test_a_host_name_may_have_253_characters_and_no_more():
    name = ".".join(("a" * 63, "b" * 63, "c" * 63, "d" * 61))
    assert canonical_host(name) == name
    with pytest.raises(AddressError):
        canonical_host(name + "d")


def test_an_invite_does_not_show_its_secret_in_a_log():
    assert "secret" not in repr(INVITE)


hosts = st.one_of(
    st.ip_addresses().map(str).map(canonical_host),
    st.from_regex(r"[a-z][a-z0-9]{0,20}(\.[a-z]{2,10}){0,3}", fullmatch=True),
)
addresses = st.builds(Address, hosts, st.integers(1, 65535))


@given(st.lists(addresses, min_size=1, max_size=8), st.binary(min_size=10, max_size=10))
def test_any_invite_reads_back(where, secret):
    invite = Invite.of(KEY, secret, tuple(where))
    assert parse_invite(str(invite)) == invite


@given(addresses)
def test_any_address_reads_back(address):
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("example.org:4466", ("example.org", 4466)),
        (" Example.ORG.:1 ", ("example.org", 1)),
        ("10.0.0.1:0", ("10.0.0.1", 0)),
        ("[2001:DB8:0::1]:80", ("2001:db8::1", 80)),
        ("[::ffff:10.0.0.1]:80", ("10.0.0.1", 80)),
        ("localhost:65535", ("localhost", 65535)),
    ],
)
def test_addresses_are_read_in_their_one_spelling(text, address):
    assert parse_address(text) == address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("example.org", ("example.org", 4466)),
        ("[::1]", ("::1", 4466)),
        ("2001:db8::1", ("2001:db8::1", 4466)),
        ("10.0.0.1:9", ("10.0.0.1", 9)),
    ],
)
def test_a_port_may_be_left_out_where_there_is_a_default(text, address):
    assert parse_address(text, 4466) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":4466",
        "example.org",
        "example.org:",
        "example.org:65536",
        "example.org:-1",
        "example.org:4466x",
        "example.org:\N{SUPERSCRIPT TWO}",
        "[::1",
        "[::1]4466",
        "[example.org:1",
        "1.2.3:4466",
        "1.2.3.4.5:4466",
        "300.1.1.1:4466",
        "two words:4466",
        "-dash.org:1",
        "under_score.org:1",
        "a..b:1",
        f"{'a' * 64}.org:1",
        f"{'a.' * 127}org:1",
        "\N{LATIN SMALL LETTER E WITH ACUTE}.org:1",
        "fe80::1%eth0",
        "[fe80::1%eth0]:1",
        "../../etc:1",
        "\x1b[2J:1",
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence(text):
    with pytest.raises(AddressError) as caught:
        parse_address(text)
    assert caught.value.code == "address-unreadable"
    assert "\x1b" not in caught.value.sentence


@pytest.mark.parametrize("at", [(4,), (5, 9, 40), (4, 22, 30), (len(CODE) - 3,), range(6, 60, 3)])
@pytest.mark.parametrize("before", ["", "> ", "| "], ids=["plain", "quoted", "barred"])
def test_an_invite_that_is_broken_into_lines_is_read_when_it_is_whole(at, before):
    lines = [before + CODE[i:j] for i, j in itertools.pairwise((0, *at, len(CODE)))]
    lines[0] = lines[0].removeprefix(before)
    broken = PartialInvite()
    assert not broken.accepts_more(lines[1])
    for line in lines[:-1]:
        with pytest.raises(InviteError) as caught:
            broken.take(line)
        assert caught.value.code == "invite-checksum"
        assert broken.begun
    assert not any(map(broken.accepts_more, ["", "-", "See you!", "18:30", CODE, CODE.upper()]))
    assert broken.take(lines[-1]) == INVITE
    assert not broken.begun
    assert not broken.accepts_more(lines[-1])


def test_an_invite_that_is_pasted_once_more_takes_the_place_of_what_was_begun():
    broken = PartialInvite()
    with pytest.raises(InviteError):
        broken.take(CODE[:-5])
    assert broken.take(CODE) == INVITE


def test_lines_without_an_end_are_kept_only_as_long_as_an_invite_is():
    broken = PartialInvite()
    codes = []
    for line in ("gin1-", *["a" * 16] * 500):
        with pytest.raises(InviteError) as caught:
            broken.take(line)
        codes.append(caught.value.code)
    assert codes.count("invite-checksum") == 1 + (MAX_INVITE - len("gin1-\n")) // 17
    assert not broken.begun
