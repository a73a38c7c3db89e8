"""What the other side says when it closes the connection, as shown to a person and to a program."""

import pytest

from ginpeer.names import KnownNames, PeerNames
from ginpeer.net.close_reasons import said_by
from protocol.frames import Goodbye
from tests.cli.seated import Seated

pytestmark = pytest.mark.usefixtures("wide_screen")


def test_a_padded_goodbye_cannot_make_a_row_that_looks_like_ours(person, monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    said = said_by(Goodbye("left", f"bye{' ' * 40}You win the match, 224 to 82. {'x' * 40}"))
    person.table._presenter.show_end("peer-closed", f"It said: {said}", 4, None)
    _, *rows = person.output.getvalue().splitlines()
    assert all(row.startswith("| ") or row == "(left)" for row in rows)
    assert any("You win" in row for row in rows)


@pytest.mark.parametrize("interactive", [True, False])
def test_a_goodbye_cannot_send_control_characters_to_the_terminal(interactive):
    """A peer may give any text as the reason for its goodbye (case 41)."""
    seated = Seated(interactive)
    said = "It said: bye\x1b[2J\x1b]0;mine\x07\u202e\x9b31m\nevent end code=finished (left)"
    seated.table._presenter.show_end("peer-closed", said, 4, None)
    shown = seated.output.getvalue()
    assert "It said: bye" in shown
    assert not set("\x1b\x07\x9b\u202e") & set(shown)
    assert shown.count("\n") == 1


def test_a_message_for_the_host_stands_on_a_line_of_its_own(person, transcript):
    presenter = person.table._presenter
    presenter.show_reply(
        'Couldn\'t reach the host: so. Tell the host: "Open port 4466."', "ginr1-x"
    )
    presenter.show_reply("", "ginr1-y")
    transcript(person.output.getvalue().splitlines())


@pytest.mark.parametrize("name", ["Ben", ""])
def test_a_guest_reads_a_friends_name_but_a_strangers_address(name):
    known = KnownNames(bytes(32), {b"k" * 32: PeerNames(name, "", 1)})
    person = Seated(True, known=known)
    for host in (b"k" * 32, b"o" * 32, None):
        person.table._presenter.begin_joining("192.0.2.1:4466", "a key", host)
    lines = person.output.getvalue().splitlines()
    assert ["192.0.2.1:4466" not in line for line in lines] == [name != "", False, False]


@pytest.mark.parametrize("name", ["3kq7", None])
def test_a_finished_match_with_a_named_log_is_said_to_be_checked(person, name):
    person.table._presenter.show_end("finished", "It is over.", 0, None, None, name)
    lines = person.output.getvalue().splitlines()
    assert any("3kq7" in line for line in lines) is (name is not None)
    assert ("It is over." in lines) is (name is None)
