"""A guest who can't connect to its host shows a reply, and the host uses it."""

from __future__ import annotations

import socket

import pytest

from cli.commands.match_options import advertised, own_addresses
from ginpeer.net.address import Address
from ginpeer.net.codes import Invite, parse_reply
from tests.cli.process import ginpeer
from tests.lab.stun_server import answer
from tests.net.support import HOST_KEY, LOOPBACK, SECRET

INVITE = str(Invite.of(HOST_KEY.public, SECRET, (Address("192.0.2.1", 4466),)))


@pytest.fixture
def closed_port():
    """Return a port on which nothing listens."""
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        yield f"{LOOPBACK}:{taken.getsockname()[1]}"


def reply_of(guest):
    return next(line for line in guest.lines if line.startswith("reply: ")).removeprefix("reply: ")


def start_host(start_script, tmp_path, *options):
    """Start a host; return it and its invite."""
    host = start_script(tmp_path / "ann", "host", "--listen", f"{LOOPBACK}:0", *options)
    return host, host.invite()


def start_apart(start_script, tmp_path, closed_port, *options):
    """Start a host whose invite has a wrong address, and a bot as its guest. Return the two, and
    the text that tells the guest why it can't connect."""
    host, invite = start_host(start_script, tmp_path, "--advertise", closed_port, *options)
    guest = start_script(tmp_path / "ben", "join", "--bot", "--advertise", LOOPBACK, invite)
    return host, guest, guest.wait_for("unreached")["text"]


def test_a_bots_host_finds_its_guest_after_a_reply_was_pasted(start_script, tmp_path, closed_port):
    host, guest, why = start_apart(start_script, tmp_path, closed_port, "--bot")
    assert why
    reply = reply_of(guest)
    host.send("what a bot is told", reply[:30], reply[30:])  # as a chat may break it
    dialled = host.wait_for("dialling")
    ours = (each for each in parse_reply(reply).addresses if each.host == LOOPBACK)
    # A host that listens only on loopback dials only loopback.
    assert dialled["addresses"] == ", ".join(map(str, ours))
    for script in (host, guest):
        script.wait_for("accept")


def test_an_unusable_reply_is_refused_and_the_host_keeps_waiting(
    start_script, tmp_path, closed_port
):
    host, guest, _ = start_apart(start_script, tmp_path, closed_port)
    reply = reply_of(guest)
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


def test_a_guest_on_the_hosts_machine_learns_at_once_that_no_host_answers(
    tmp_path, closed_port, start_script
):
    _, invite = start_host(start_script, tmp_path, "--advertise", closed_port)
    done = ginpeer("--home", tmp_path / "ben", "join", "--bot", invite)
    assert done.returncode == 4
    assert "code=connection-refused" in done.stdout
    assert "reply:" not in done.stdout


@pytest.mark.parametrize(("patience", "replies"), [("0", 0), ("1", 1)])
@pytest.mark.deep(keep=1)
def test_a_reply_is_waited_for_only_as_long_as_the_player_has_patience(
    start_script, tmp_path, closed_port, patience, replies
):
    """Both programs run to their end. Without --patience, they would wait ten minutes."""
    _, invite = start_host(start_script, tmp_path, "--advertise", closed_port)
    guest = ("join", "--bot", "--advertise", LOOPBACK, "--patience", patience)
    done = ginpeer("--home", tmp_path / "ben", *guest, invite)
    assert done.returncode == 4
    assert "code=connection-refused" in done.stdout
    assert done.stdout.count("reply: ") == replies


def test_this_machine_can_be_advertised_over_both_versions_of_ip():
    for typed in ("127.0.0.1", "[::1]", "[2001:db8::7]:4466"):
        assert len(own_addresses([typed])) == len(advertised([typed], Address("::", 4466))) == 1


def test_a_guest_can_advertise_only_ip_addresses(run):
    status, _, errors = run("join", "--advertise", "example.org", INVITE)
    assert (status, "example.org is a name" in errors) == (2, True)


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "[::]", "224.0.0.1", "240.0.0.1"])
def test_an_address_of_no_machine_cannot_be_advertised(run, everywhere):
    status, _, errors = run("join", "--advertise", everywhere, INVITE)
    assert (status, "isn't the address of a single machine" in errors) == (2, True)


def test_a_named_stun_server_is_asked_and_the_player_is_told(start_script, tmp_path):
    with socket.create_server((LOOPBACK, 0)) as server:
        server.settimeout(60)
        asked = f"{LOOPBACK}:{server.getsockname()[1]}"
        options = ("--listen", ":0", "--no-mapping", "--stun", asked)
        host = start_script(tmp_path, "host", *options)
        assert asked in host.wait_for("info")["text"]
        with server.accept()[0] as connection:
            connection.sendall(answer(connection.recv(100), "203.0.113.9", 4470))
        assert any("203.0.113.9:4470" in str(fields) for _, fields in host.events())


def test_a_host_that_waits_only_on_this_machine_asks_no_stun_server(start_script, tmp_path):
    """Nobody could connect at the answer, and a host behind Tor doesn't want to reveal it."""
    with socket.create_server((LOOPBACK, 0)) as server:
        asked = f"{LOOPBACK}:{server.getsockname()[1]}"
        host = start_script(tmp_path, "host", "--listen", f"{LOOPBACK}:0", "--stun", asked)
        assert "asks no STUN server" in host.wait_for("info")["text"]
        host.wait_for("listening")
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
