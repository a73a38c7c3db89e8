"""`ginpeer doctor` as a real command; in these tests it contacts no outside server."""

import json
import signal
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest

from cli.commands import doctor as command
from cli.main import main
from tests.cli.process import ginpeer
from tests.cli.started import COMMAND, start


def doctor(tmp_path, *arguments):
    return ginpeer("--home", tmp_path / "home", "doctor", "--no-mapping", *arguments)


def test_doctor_prints_its_report_and_leaves_nothing_behind(tmp_path):
    done = doctor(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len([line for line in lines if not line.startswith(" ")]) >= 4
    assert not (tmp_path / "home").exists()


def test_doctor_prints_its_report_as_one_json_document(tmp_path):
    done = doctor(tmp_path, "--json", "--advertise", "198.51.100.7")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["version"], told["asked"], told["port"]["wanted"]) == (1, None, 4466)
    assert told["forwarded"] == "198.51.100.7:4466"
    assert [each["way"] for each in told["friend"]] == ["home", "ipv4", "ipv6", "reply", "tor"]


def test_a_port_used_by_another_program_is_reported(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        told = json.loads(doctor(tmp_path, "--json", "--port", port).stdout)
    assert told["port"]["wanted"] == port
    assert told["port"]["code"] == "port-taken"
    assert told["port"]["used"] not in (None, port)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--port", "0"), "usage"),
        (("--port", "65536"), "usage"),
        (("--stun", ":"), "address-unreadable"),
    ],
)
def test_impossible_arguments_are_refused(tmp_path, capsys, arguments, code):
    assert main(["--home", str(tmp_path), "doctor", "--no-mapping", *arguments]) == 2
    assert f"({code})" in capsys.readouterr().err


def test_an_error_during_the_diagnosis_is_raised_unchanged(monkeypatch):
    async def failing(reactor, **_):
        raise OSError("no such device")

    begun = []
    reactor = SimpleNamespace(
        running=True,
        callWhenRunning=begun.append,
        run=lambda **_: begun[0](),
        stop=lambda: None,
    )
    monkeypatch.setattr(command, "install_reactor", lambda: reactor)
    monkeypatch.setattr(command, "obey_signals", lambda *_: None)
    monkeypatch.setattr(command, "diagnose", failing)
    with pytest.raises(OSError, match="no such device"):
        command._diagnosis()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
def test_ctrl_c_ends_doctor_at_once(tmp_path):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        asked = f"127.0.0.1:{silent.getsockname()[1]}"
        process = start(
            [*COMMAND, "--home", str(tmp_path), "doctor", "--no-mapping", "--stun", asked],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        silent.settimeout(30)
        silent.recv(100)  # wait until the program sends a request
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "ginpeer: stopped.\n"
