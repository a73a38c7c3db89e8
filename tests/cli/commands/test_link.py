"""`ginpeer link`: errors that end it before it waits for anybody."""

import pytest

from cli.main import main
from ginpeer.net.address import Address
from ginpeer.net.codes import Invite
from ginpeer.store import Home
from ginpeer.store.partnership_files import only_link


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path))
    return Home(tmp_path)


def test_an_invalid_invite_is_a_usage_error(home, capsys):
    assert main(["link", "gin1-", "mistyped"]) == 2
    assert "(invite-" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--friends", "4"], ["--friends", "0"], ["--target", "x"]])
def test_an_impossible_number_is_a_usage_error(home, capsys, words):
    assert main(["link", *words]) == 2


def test_a_second_link_in_a_home_is_refused(home, capsys):
    invite = str(Invite(b"h" * 16, b"s" * 10, (Address("127.0.0.1", 9),)))
    with only_link(home):
        assert main(["link", invite]) == 70
    assert "(link-runs)" in capsys.readouterr().err
