"""All back-ends give the same bytes for any input."""

# These aren't parametrized: pytest-twisted wraps a hypothesis test again each time it runs, and a
# second run of the same function fails.

from contextlib import suppress
from threading import Thread

from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.crypto import group_pure, group_sodium
from protocol.crypto.group import BASE, ORDER
from protocol.crypto.group_pure import PureGroup
from protocol.crypto.group_sodium import SodiumUnavailable, load_sodium, load_system

SODIUM, PURE = load_sodium(), PureGroup()
OTHERS = [PURE]
"""The back-ends to compare with the library in use: plain Python, and the system's if there is
one."""
with suppress(SodiumUnavailable):  # tests/crypto/test_group.py reports it as skipped
    OTHERS.append(load_system())

encodings = st.one_of(
    st.just(bytes(32)),
    st.just(BASE.encoded),
    st.binary(min_size=64, max_size=64).map(SODIUM.map_uniform),
)
scalars = st.one_of(
    st.sampled_from([0, 1, 2, 15, 16, 2**128, ORDER - 1]), st.integers(0, ORDER - 1)
)


@settings(max_examples=60, deadline=None)
@given(a=encodings, b=encodings, k=scalars)
def test_both_back_ends_compute_the_same(a, b, k):
    for twin in OTHERS:
        for other in (b, a, SODIUM.subtract(bytes(32), a)):
            assert SODIUM.add(a, other) == twin.add(a, other)
            assert SODIUM.subtract(a, other) == twin.subtract(a, other)
        assert SODIUM.multiply(k, a) == twin.multiply(k, a)
        assert SODIUM.base_multiple(k) == twin.base_multiple(k)


@settings(max_examples=20, deadline=None)
@given(terms=st.lists(st.tuples(scalars, encodings), max_size=12))
@example(terms=[(5, bytes(32)), (0, BASE.encoded)])
def test_both_back_ends_sum_the_same(terms):
    ks, points = [k for k, _ in terms], [p for _, p in terms]
    for twin in OTHERS:
        assert SODIUM.multi_multiply(ks, points) == twin.multi_multiply(ks, points)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.binary(min_size=32, max_size=32),
        st.integers(0, 2**254).map(lambda n: (2 * n).to_bytes(32, "little")),
        st.integers(-40, 40).map(lambda n: ((2**255 - 19 + n) % 2**256).to_bytes(32, "little")),
    )
)
def test_both_back_ends_accept_the_same_encodings(data):
    accepted = SODIUM.is_canonical(data)
    assert all(accepted == twin.is_canonical(data) for twin in OTHERS)
    if accepted:  # otherwise there is no second encoding
        assert group_pure.encode(group_pure.decode(data)) == data


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=64, max_size=64))
def test_both_back_ends_map_the_same(uniform):
    assert all(SODIUM.map_uniform(uniform) == twin.map_uniform(uniform) for twin in OTHERS)


def test_a_long_sum_is_the_same_on_one_thread_and_on_several(monkeypatch):
    points = [PURE.map_uniform(bytes([k]) * 64) for k in range(100)]
    start, started = Thread.start, []

    def fail(thread):
        started.append(thread)
        raise RuntimeError("can't start new thread")

    def note(thread):
        started.append(thread)
        start(thread)

    for cores, how, threads in ((1, note, 0), (3, note, 2), (3, fail, 1)):
        monkeypatch.setattr(group_sodium, "CORES", cores)
        monkeypatch.setattr(Thread, "start", how)
        scalars = [ORDER - 1 - threads - k for k in range(100)]  # new scalars each time
        assert SODIUM.multi_multiply(scalars, points) == PURE.multi_multiply(scalars, points)
        assert min(threads, 1) <= len(started) <= threads  # one thread can do the work of both
        started.clear()
