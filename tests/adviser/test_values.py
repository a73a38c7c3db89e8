"""The shipped values: the rules they were trained for, how they play, and the file format."""

import random
from pathlib import Path

import pytest

from ginpeer.adviser import value_model
from ginpeer.adviser.value_model import HEADS, UNITS, name_of, read, values_for
from ginpeer.rules import PRESETS, parse_ruleset
from tests.training.plans import LESSONS, plays
from tests.training.values_file import write_values

# `python -m tests.training --plays` prints these.
PLAYS = {
    "standard": "cb53d526986618d3158f9b7fc70b862b",
    "oklahoma": "ba2ae1b5ea2ae2ac614362e16c2f6c9e",
    "corner": "8f07fe956efb7c389c82b9a796746891",
}


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.deep(keep=1)
def test_the_shipped_values_play_as_they_did_when_they_were_learned(name):
    assert plays(name) == PLAYS[name]


@pytest.mark.parametrize("name", LESSONS)
def test_the_shipped_values_say_what_they_were_learned_for(name):
    about = values_for(name).about
    assert about["name"] == name
    assert about["hands"] >= 100_000
    assert isinstance(about["seed"], int)
    for text in LESSONS[name].rules:
        assert name_of(parse_ruleset(text)) == name


def test_the_values_fit_the_wheel():
    files = list(Path(value_model.__file__).parent.glob("*.values"))
    assert {file.stem for file in files} == set(LESSONS)
    assert sum(file.stat().st_size for file in files) < 100_000


def test_there_are_values_for_every_rule_set_but_mahjong_gin():
    names = {name_of(parse_ruleset(text)) for text in PRESETS if text != "mahjong"}
    assert names == set(LESSONS)


def small_net(rng, size):
    columns = UNITS + HEADS
    weights = [rng.uniform(-1, 1) for _ in range(size * columns)]
    weights[UNITS::columns] = [1.0] * size
    return weights, [rng.uniform(-1, 1) for _ in range(UNITS * HEADS)]


def test_what_is_written_reads_back_as_bytes_allow():
    rng = random.Random(1)
    nets = [small_net(rng, size) for size in value_model.SIZES]
    values = read(write_values({"name": "some"}, nets))
    for (weights, outs), found in zip(
        nets, (values.keeping, values.drawing, values.knocking), strict=True
    ):
        for _ in range(20):
            row = [(rng.randrange(value_model.KNOCKING), rng.randrange(1, 17)) for _ in range(40)]
            columns = UNITS + HEADS
            sums = [
                sum(weights[at * columns + column] * amount / 16 for at, amount in row)
                for column in range(columns)
            ]
            for head, result in enumerate(found.heads(found.sums(row))):
                exact = sums[UNITS + head] + sum(
                    max(0.0, sums[unit]) * outs[unit * HEADS + head] for unit in range(UNITS)
                )
                assert result / 1000 == pytest.approx(exact, abs=0.2)


def test_values_for_other_features_are_refused():
    content = write_values(
        {"name": "some"}, [small_net(random.Random(1), size) for size in value_model.SIZES]
    )
    with pytest.raises(ValueError, match="other features"):
        read(content.replace(b'"version": %d' % value_model.VERSION, b'"version": 0'))
