import pytest

from tests.cli.match.sides import Side


@pytest.fixture
def sides(tmp_path):
    pair = Side(tmp_path / "ann"), Side(tmp_path / "ben")
    yield pair
    for side in pair:
        if side.process is not None and side.process.poll() is None:
            side.kill()
