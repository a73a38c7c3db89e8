"""A guest who can't connect to its host shows a reply, and the host uses it."""

from __future__ import annotations

import socket

import pytest

from cli.commands.match_options import advertised, own_addresses
from ginpeer.net.address import Address
from ginpeer.net.codes import Invite, parse_reply
from tests.cli.process import ginpeer
from tests.net.support import HOST_KEY, LOOPBACK, SECRET

INVITE = str(Invite.of(HOST_KEY.public, SECRET, (Address("192.0.2.1", 4466),)))
RULES = ("--rules", "target=1")


@pytest.fixture
def closed_port():
    """Return a port on which nothing listens."""
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        yield f"{LOOPBACK}:{taken.getsockname()[1]}"


def line_of(script, label):
    return next(
        line.removeprefix(f"{label}: ") for line in script.lines if line.startswith(f"{label}: ")
    )


def start_apart(start_script, tmp_path, closed_port, *host_options):
    """Start a host whose invite has a wrong address; return it, its guest (a bot) and the guest's
    message."""
    host = start_script(
        tmp_path / "ann",
        "host",
        "--listen",
        f"{LOOPBACK}:0",
        "--advertise",
        closed_port,
        *host_options,
    )
    host.wait_for("listening")
    guest = start_script(
        tmp_path / "ben", "join", "--bot", "--advertise", LOOPBACK, line_of(host, "invite")
    )
    told = guest.wait_for("unreached")
    return host, guest, told["text"]


@pytest.mark.parametrize("label", ["reply: ", pytest.param("", marks=pytest.mark.deep)])
@pytest.mark.deep(keep=1)
def test_bots_play_a_whole_match_after_a_reply_was_pasted(
    start_script, tmp_path, closed_port, label
):
    host, guest, why = start_apart(start_script, tmp_path, closed_port, "--bot", *RULES)
    reply = line_of(guest, "reply")
    assert why
    lines = [f"{label}{reply}"] if label else [reply[:30], reply[30:]]
    host.send("what a bot is told", *lines)
    dialled = host.wait_for("dialling")
    ours = (each for each in parse_reply(reply).addresses if each.host == LOOPBACK)
    # A host that listens only on loopback dials only loopback.
    assert dialled["addresses"] == ", ".join(map(str, ours))
    for script in (host, guest):
        end = script.wait_for("end")
        assert (end["code"], end["status"]) == ("finished", "0")


def test_an_unusable_reply_is_refused_and_the_host_keeps_waiting(
    start_script, tmp_path, closed_port
):
    host, guest, _ = start_apart(start_script, tmp_path, closed_port)
    reply = line_of(guest, "reply")
    other, *_ = start_apart(start_script, tmp_path / "other", closed_port)
    other.send(f"reply: {reply}")
    assert other.wait_for("refused")["code"] == "reply-elsewhere"
    host.send(f"reply: {reply[:-1]}", "ginr1-", "ginr2-aaaa", reply[:30], reply[30:])
    for code in ("reply-checksum", "reply-checksum", "reply-too-new", "reply-checksum"):
        assert host.wait_for("refused")["code"] == code
    host.wait_for("dialling")
    host.wait_for("connected")
    host.send(reply)
    assert host.wait_for("refused")["code"] == "reply-late"
    assert host.end("quit", "yes")[1] == ""


def test_a_guest_accepts_no_reply(start_script, tmp_path, closed_port):
    host = start_script(tmp_path / "ann", "host", "--listen", f"{LOOPBACK}:0")
    host.wait_for("listening")
    guest = start_script(tmp_path / "ben", "join", line_of(host, "invite"))
    guest.wait_for("connected")
    guest.send("ginr1-aaaa", "gin1-aaaa")
    assert guest.wait_for("refused")["code"] == "no-reply-here"
    assert guest.wait_for("refused")["code"] == "invite-here"


def test_a_guest_on_the_hosts_machine_learns_at_once_that_no_host_answers(
    tmp_path, closed_port, start_script
):
    script = start_script(
        tmp_path / "ann", "host", "--listen", f"{LOOPBACK}:0", "--advertise", closed_port
    )
    script.wait_for("listening")
    done = ginpeer("--home", tmp_path / "ben", "join", "--bot", line_of(script, "invite"))
    assert done.returncode == 4
    assert "code=connection-refused" in done.stdout
    assert "reply:" not in done.stdout


@pytest.mark.parametrize(("patience", "replies"), [("0", 0), ("3", 1)])
@pytest.mark.deep(keep=1)
def test_a_reply_is_waited_for_only_as_long_as_the_player_has_patience(
    start_script, tmp_path, closed_port, patience, replies
):
    """These are whole runs of both programs: by default, a reply waits ten minutes."""
    host = start_script(
        tmp_path / "ann", "host", "--listen", f"{LOOPBACK}:0", "--advertise", closed_port
    )
    host.wait_for("listening")
    guest = ("join", "--bot", "--advertise", LOOPBACK, "--patience", patience)
    done = ginpeer("--home", tmp_path / "ben", *guest, line_of(host, "invite"))
    assert done.returncode == 4
    assert "code=connection-refused" in done.stdout
    assert done.stdout.count("reply: ") == replies


def test_this_machine_can_be_advertised_over_both_versions_of_ip():
    for typed in ("127.0.0.1", "[::1]", "[2001:db8::7]:4466"):
        assert len(own_addresses([typed])) == len(advertised([typed], Address("::", 4466))) == 1


def test_a_guest_can_advertise_only_ip_addresses(tmp_path):
    done = ginpeer("--home", tmp_path, "join", "--advertise", "example.org", INVITE)
    assert done.returncode == 2
    assert "example.org is a name" in done.stderr
    for everywhere in ("0.0.0.0", "[::]", "224.0.0.1", "240.0.0.1"):
        done = ginpeer("--home", tmp_path, "join", "--advertise", everywhere, INVITE)
        assert done.returncode == 2
        assert "isn't the address of a single machine" in done.stderr


@pytest.mark.parametrize("reached", [True, pytest.param(False, marks=pytest.mark.deep)])
@pytest.mark.deep(keep=1)
def test_a_named_stun_server_is_asked_and_the_player_is_told(
    start_script, tmp_path, closed_port, reached
):
    with socket.create_server((LOOPBACK, 0)) as server:
        server.settimeout(60)
        asked = f"{LOOPBACK}:{server.getsockname()[1]}"
        host = start_script(tmp_path, "host", "--listen", f"{LOOPBACK}:0", "--stun", asked)
        assert asked in host.wait_for("info")["text"]
        with server.accept()[0] as connection:
            question = connection.recv(100)
            if reached:
                address = bytes((203, 0, 113, 9))
                masked = bytes(x ^ y for x, y in zip(address, question[4:8], strict=True))
                value = b"\0\1" + (4470 ^ 0x2112).to_bytes(2, "big") + masked
                connection.sendall(b"\1\1\0\x0c" + question[4:] + b"\0\x20\0\x08" + value)
        if not reached:
            assert "doesn't answer" in host.wait_for("info")["text"]
        addresses = host.wait_for("listening")["addresses"]
        assert addresses.startswith("203.0.113.9:4470") is reached
