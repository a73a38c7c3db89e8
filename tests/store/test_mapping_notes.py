"""The notes about ports opened at routers."""

from ginpeer.store import StoreError
from ginpeer.store.network_files import MappingNotes
from tests.refusals import code_of


def test_a_note_is_kept_for_its_port_until_it_is_forgotten(tmp_path):
    notes = MappingNotes(tmp_path)
    assert (list(notes.ports()), notes.read(4466)) == ([], None)
    notes.write(4470, "other")
    notes.write(4466, "text")
    assert (list(notes.ports()), notes.read(4466)) == ([4466, 4470], "text")
    notes.forget(4466)
    notes.forget(4466)
    assert (list(notes.ports()), notes.read(4466)) == ([4470], None)


def test_what_is_named_otherwise_is_no_note(tmp_path):
    MappingNotes(tmp_path).write(1, "text")
    for name in ("port-0.json", "port-65536.json", "port-07.json", "port-2.json~"):
        (tmp_path / "routers" / name).write_text("text")
    assert list(MappingNotes(tmp_path).ports()) == [1]


def test_a_note_that_cannot_be_read_is_none(tmp_path):
    notes = MappingNotes(tmp_path)
    notes.write(1, "x" * (1 << 14))
    assert notes.read(1) == "x" * (1 << 14)
    notes.write(1, "x" * ((1 << 14) + 1))
    assert notes.read(1) is None
    (tmp_path / "routers" / "port-2.json").mkdir()
    assert notes.read(2) is None


def test_a_note_that_cannot_be_removed_is_told(tmp_path):
    (tmp_path / "routers" / "port-2.json").mkdir(parents=True)
    assert code_of(StoreError, lambda: MappingNotes(tmp_path).forget(2)) == "disk-error"
