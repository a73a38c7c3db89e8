"""`ginpeer host -v`: who knocked and was not let in, and that no stranger can abuse it."""

from __future__ import annotations

import socket

import pytest

from cli.words.turned_away import REASONS
from tests.cli.table.script import Script
from tests.net.support import LOOPBACK


@pytest.mark.parametrize("options", [["-v"], []])
def test_the_host_is_told_if_it_asks_for_it(tmp_path, options):
    script = Script(tmp_path, "host", "--listen", f"{LOOPBACK}:0", *options)
    try:
        port = int(script.wait_for("listening")["addresses"].rpartition(":")[2])
        for _ in range(2):
            with socket.create_connection((LOOPBACK, port), timeout=10) as stranger:
                stranger.sendall(b"\x1b[2J event info text=lies\r\n\r\n")
                while stranger.recv(1000):  # until it is closed
                    pass
        if options:
            told = [script.wait_for("info")["text"] for _ in range(2)]
            assert all(f" {LOOPBACK}:" in line for line in told)
            assert all(line.endswith(f": {REASONS['tls-failed']}. (tls-failed)") for line in told)
        status, errors = script.end("quit")
    finally:
        script.kill()
    assert (status, errors) == (4, "")
    assert not any("lies" in line for line in script.lines)
    assert options or not any("knocked" in line for line in script.lines)
