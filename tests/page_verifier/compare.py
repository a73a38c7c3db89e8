"""What the page and the program find in a log, and how their findings differ."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ginpeer.record import (
    Record,
    judge_log,
    steps_document,
    unreadable_verdict,
    verdict_document,
)
from ginpeer.store.files import UnreadableLog
from ginpeer.store.log import LogReader
from tests.page_build import BUILT
from tests.page_verifier.told import facts, told_by_page

ROOT = Path(__file__).parent.parent.parent
Document = dict[str, Any]
JUDGE = Path(__file__).parent / "judge.mjs"
TOY_JUDGE = Path(__file__).parent / "toy_judge.mjs"
OLDEST_NODE = 20


@cache  # every worker collects half a dozen modules that call this
def lacking() -> str | None:
    """Return why the page's verifier can't run here, or None if it can."""
    node = shutil.which("node")
    if node is None:
        return "node is not installed"
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    if int(version.strip().lstrip("v").split(".")[0]) < OLDEST_NODE:
        return f"node is {version.strip()}; {OLDEST_NODE} is the oldest that will do"
    return None


def node_says(script: str, question: Any) -> list[Any]:
    """Run a script from this folder, which loads the page's script; return the lines it prints."""
    command = ["node", str(JUDGE.with_name(script)), str(BUILT)]
    asked = json.dumps(question)
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def page(
    logs: Sequence[bytes], shown: Iterable[Any] | None = None, *, judge: Path = JUDGE
) -> Iterator[Document]:
    """Yield what *judge* finds in each log. JUDGE runs the script that a page contains; TOY_JUDGE
    runs that script's sources and reads logs of the toy group. *shown*: for each log, what a page
    (or each of a list of pages) shows, for the script to compare with what it finds."""
    of_each = [None] * len(logs) if shown is None else shown
    pages = [b"" if each is None else json.dumps(each).encode() for each in of_each]
    asked = [part for pair in zip(logs, pages, strict=True) for part in pair]
    node = subprocess.Popen(
        ["node", str(judge), str(BUILT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert node.stdin is not None
    assert node.stdout is not None
    with node:
        node.stdin.write(b"".join(len(part).to_bytes(4, "big") + part for part in asked))
        node.stdin.close()
        answers = 0
        for line in node.stdout:
            answers += 1
            yield json.loads(line)
    if node.returncode or answers != len(logs):
        raise RuntimeError(f"node ended with {node.returncode} after {answers} logs")


def program(log: bytes) -> Document:
    """Return the document that `ginpeer verify --json` prints."""
    try:
        verdict = judge_log(LogReader.of_bytes(log, "log"))
    except UnreadableLog as error:
        verdict = unreadable_verdict(error.code, error.sentence, error.entry)
    return verdict_document(verdict)


def comparable(verdict: Document) -> Document:
    """Return the verdict without its sentences, which the verifiers may word differently."""
    kept = copy.deepcopy(verdict)
    del kept["sentence"]
    if kept["owes"]:
        del kept["owes"]["what"]
    if kept["evidence"]:
        for entry in ("signed", "admitted"):
            if kept["evidence"][entry]:
                del kept["evidence"][entry]["says"]
    return kept


def differences(one: Any, other: Any, where: str = "") -> list[str]:
    """Return each place at which two documents differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted({*one, *other})
        return [d for k in keys for d in differences(one.get(k), other.get(k), f"{where}.{k}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [d for i, (a, b) in pairs for d in differences(a, b, f"{where}.{i}")]
    return [] if one == other else [f"{where.lstrip('.')}: page {one!r}, program {other!r}"]


def parted(page_verdict: Document, programs: Document) -> list[str]:
    return differences(comparable(page_verdict), comparable(programs))


def compared(
    logs: Sequence[bytes], shown: Sequence[Document | None] | None = None, *, judge: Path = JUDGE
) -> Iterator[tuple[Document, Document, list[str]]]:
    """Yield, for each log, the program's verdict, the page's answer, and how the two differ: in the
    verdict, in the steps, in what the page says about its log, and in what it draws before and
    after it verifies the log."""
    pages = [None] * len(logs) if shown is None else shown
    for log, each, answer in zip(logs, pages, page(logs, pages, judge=judge), strict=True):
        verdict = program(log)
        unlike = parted(answer["verdict"], verdict)
        if verdict["verdict"] != "unreadable":
            document = facts(steps_document(Record.read(log)))
            unlike += differences(told_by_page(answer["told"]), document)[:3]
        if each is not None:
            unlike += answer["wrong"]
            # The list of moves is left out, because a verdict puts marks in it.
            drawn, view = ({**answer[of], "moves": ""} for of in ("drawn", "view"))
            unlike += [f"first drawn: {one}" for one in differences(drawn, view)[:3]]
        yield verdict, answer, unlike
