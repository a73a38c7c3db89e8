"""What the other side says when it closes, as shown to a person and to a program."""

import io
from types import SimpleNamespace

import pytest

from cli.table.presenter import PersonPresenter, ProgramPresenter
from cli.terminal.console import Console
from cli.text.cards import Style
from ginpeer.names import KnownNames, PeerNames

pytestmark = pytest.mark.usefixtures("wide_screen")


@pytest.mark.parametrize("interactive", [True, False])
def test_a_goodbye_cannot_send_control_characters_to_the_terminal(interactive):
    """A peer may send any text as the reason of its goodbye (case 41)."""
    output = io.StringIO()
    console = Console(None, output, lambda *call: None, {})
    console.interactive = interactive
    presenter = PersonPresenter(console, Style()) if interactive else ProgramPresenter(console)
    said = "It said: bye\x1b[2J\x1b]0;mine\x07\u202e\x9b31m\nevent end code=finished (left)"
    presenter.show_end("peer-closed", said, 4, None)
    shown = output.getvalue()
    assert "It said: bye" in shown
    assert not set("\x1b\x07\x9b\u202e") & set(shown)
    assert shown.count("\n") == 1


def test_a_message_for_the_host_stands_on_a_line_of_its_own(transcript):
    lines = []
    console = SimpleNamespace(print=lambda *given, whole=False: lines.extend(given))
    presenter = PersonPresenter(console, None)
    presenter.show_reply(
        'Couldn\'t reach the host: so. Tell the host: "Open port 4466."', "ginr1-x"
    )
    presenter.show_reply("", "ginr1-y")
    transcript(lines)


@pytest.mark.parametrize("name", ["Ben", ""])
def test_a_guest_reads_a_friends_name_but_a_strangers_address(name):
    lines = []
    console = SimpleNamespace(print=lambda *given, whole=False: lines.extend(given))
    known = KnownNames(bytes(32), {b"k" * 32: PeerNames(name, "", 1)})
    presenter = PersonPresenter(console, None, known=known)
    for host in (b"k" * 32, b"o" * 32, None):
        presenter.begin_joining("192.0.2.1:4466", "a key", host)
    assert ["192.0.2.1:4466" not in line for line in lines] == [name != "", False, False]


@pytest.mark.parametrize("name", ["3kq7", None])
def test_a_finished_match_with_a_named_log_is_said_to_be_checked(name):
    lines = []
    console = SimpleNamespace(
        print=lambda *given, whole=False: lines.extend(given), prompt=lambda text: None
    )
    PersonPresenter(console, None).show_end("finished", "It is over.", 0, None, None, name)
    assert any("3kq7" in line for line in lines) is (name is not None)
    assert ("It is over." in lines) is (name is None)
