"""The two smallest doors to the disk: a file read whole, and a file put in place whole."""

import pytest

from ginpeer.store import files
from ginpeer.store.errors import StoreError


@pytest.mark.parametrize("length", [0, 1, 8])
def test_a_file_of_so_many_bytes_is_read(tmp_path, length):
    path = tmp_path / "file"
    path.write_bytes(b"x" * length)
    assert files.read_small(path, 8) == b"x" * length


def test_a_file_of_one_byte_more_is_not(tmp_path):
    """Not even its beginning: half a file of ours is a damaged one."""
    path = tmp_path / "file"
    path.write_bytes(b"x" * 9)
    with pytest.raises(OSError, match="more than 8 bytes"):
        files.read_small(path, 8)


def test_what_cannot_be_put_in_place_leaves_nothing_behind(tmp_path):
    taken = tmp_path / "folder"
    taken.mkdir()
    with pytest.raises(StoreError) as caught:
        files.write_atomically(taken, b"x", replace=True)
    assert str(taken) in caught.value.sentence
    assert list(tmp_path.iterdir()) == [taken]
    assert list(taken.iterdir()) == []


def test_where_there_is_no_folder_nothing_is_written(tmp_path):
    with pytest.raises(StoreError):
        files.write_atomically(tmp_path / "no" / "file", b"x", replace=True)
    assert list(tmp_path.iterdir()) == []
