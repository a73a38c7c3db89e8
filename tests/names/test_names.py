"""Which names look alike, which need no quotation marks, and how odd characters are shown."""

import pytest

from ginpeer.names import depends_on_python, is_plain, look_alike, safe


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Il", "ll"),  # alike as written, but not in lower case
        ("ANN", "ann"),  # alike only in lower case
        ("\u0410nn", "Ann"),  # a Cyrillic letter
    ],
)
def test_names_are_compared_as_they_are_and_in_lower_case(one, other):
    assert look_alike(one, other)
    assert not look_alike(one, "Bob")


@pytest.mark.parametrize("name", ["Ann", "Jean-Luc", "O'Neil", "Zoë", "R2"])
def test_one_word_of_letters_needs_no_quotation_marks(name):
    assert is_plain(name)


@pytest.mark.parametrize(
    "name",
    [
        *("abcde-fghij-klmno-pqrst", "abcdefghijklmnopqrst", "Ann$", "A+B", "Ann-", "A--B"),
        *("A Smith", "9", "host", "Ann€", "Ann\u02b0", "Ann\u2177"),
        *("", "2Fast", "Ann" * 10),
    ],
)
def test_any_other_name_needs_quotation_marks(name):
    assert not is_plain(name)


def test_only_variation_selectors_are_replaced():
    assert safe("a\ufe0fb") == "a\ufffdb"
    assert safe("a\ufe10b") == "a\ufe10b"
    assert safe("\uff21") == "\uff21"
    assert safe("a\U000e0101b") == "a\ufffdb"


def test_only_unassigned_and_newly_assigned_characters_depend_on_python(monkeypatch):
    new = "\U0001fae8"  # in Unicode 15
    assert not depends_on_python("Zoë 李 😀")
    assert depends_on_python("\u0378")
    assert depends_on_python(new)
    monkeypatch.setattr("unicodedata.category", lambda character: "So")  # as a newer Python says
    assert depends_on_python(new)
    assert not depends_on_python("\u0378")
