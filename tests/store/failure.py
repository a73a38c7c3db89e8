"""The code of a failure to store something, whose message must be one sentence."""

import pytest

from ginpeer.store import StoreError


def failure(call, *arguments):
    """Return the code of the StoreError that this call must raise."""
    with pytest.raises(StoreError) as failed:
        call(*arguments)
    assert str(failed.value) == failed.value.sentence
    assert "\n" not in failed.value.sentence
    return failed.value.code
