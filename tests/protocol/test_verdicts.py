"""One verdict everywhere: other back-ends, and Python without asserts, judge alike."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from protocol import messages as m
from protocol.crypto.elgamal import encode_ciphertexts
from tests.crypto.shuffled import CONTEXT, shuffled
from tests.protocol import golden
from tests.protocol.statements import context_fields, judge
from tests.protocol.test_bodies import EXAMPLES, encoded

ROOT = Path(__file__).parent.parent.parent


def shuffles_of_the_game():
    """Return the shuffles at their real sizes, and each with one card remasked after the proof."""
    for n, kind in ((11, "own"), (52, "open"), (52, "masked")):
        case = shuffled(n, kind)
        after = (*case.after[:-1], case.after[-1].remask(case.key, 1))
        for cards, expected in ((case.after, "ok"), (after, "bad-proof")):
            yield {
                "expect": expected,
                "kind": "shuffle",
                "purpose": "shuffle",
                "context": context_fields(CONTEXT),
                "key": case.key.encoded.hex(),
                "before": encode_ciphertexts(case.before).hex(),
                "after": encode_ciphertexts(cards).hex(),
                "proof": case.argument.encoded.hex(),
            }


def spoilt_bodies():
    """Return bodies with bytes changed, left out or doubled. Most are refused; some have another
    meaning."""
    rng = random.Random(1)
    for _ in range(3000):
        message = rng.choice([x for x in EXAMPLES if not isinstance(x, m.DealDeck)])
        data = bytearray(encoded(message, rng.choice([0, 1, 300, 2**31])))
        for _ in range(rng.choice([0, 1, 1, 2])):
            at = rng.randrange(len(data))
            match rng.randrange(4):
                case 0:
                    data[at] ^= 1 << rng.randrange(8)
                case 1:
                    del data[at : at + rng.randrange(1, 4)]
                case 2:
                    data[at:at] = data[at : at + rng.randrange(1, 40)]
                case _:
                    data[at:at] = bytes(rng.choices([0, 1, 8, 0x80, 0xFF, 0x12], k=2))
        yield {"kind": "body", "bytes": data.hex()}


@pytest.fixture(scope="module")
def statements():
    proofs = [*golden.read("proofs")["statements"], *shuffles_of_the_game()]
    for statement in proofs:
        assert judge(statement) == statement["expect"]
    return [*proofs, *spoilt_bodies()]


@pytest.mark.parametrize(
    ("flags", "environment"),
    [
        (["-O"], {"GINPEER_GROUP": "sodium"}),
        (
            ["-O"],
            {"GINPEER_GROUP": "pure", "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"},
        ),
    ],
    ids=["no-asserts", "pure-python-no-asserts"],
)
def test_every_statement_gets_the_same_verdict(statements, flags, environment):
    done = subprocess.run(
        [sys.executable, *flags, "-m", "tests.protocol.statements"],
        input=json.dumps(statements),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    verdicts = json.loads(done.stdout)
    here = [judge(statement) for statement in statements]
    assert verdicts == here
    assert {"ok", "bad-proof", "bad-encoding", "bad-length", "malformed", "not-canonical"} == set(
        here
    )
