"""PROTOCOL.md and WIRE.md agree with the program, as far as the two can be compared."""

from __future__ import annotations

import ast
import re
from enum import Enum
from functools import cache
from pathlib import Path

import pytest

from ginpeer.net.handshake import REFUSALS
from ginpeer.referee.referee import Referee
from ginpeer.rules.cards import RulesError
from ginpeer.rules.parameters import NAMES, key_of, value_text
from ginpeer.rules.ruleset import PRESETS, STANDARD, RuleSet, parse_ruleset
from protocol import messages as m
from protocol.codes import CONVICTING_SECTIONS
from protocol.frames import PAUSED, Goodbye
from tests.document import PROTOCOL, WIRE

ROOT = Path(__file__).parent.parent.parent
BOTH = PROTOCOL + "\n" + WIRE


def table_headed(first: str) -> list[list[str]]:
    """Return the rows of the PROTOCOL.md table whose first column has this heading, without
    backticks."""
    lines = PROTOCOL.split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip().replace("`", "") for cell in line.strip("|").split("|")])
    return rows


def sections_of(document: str) -> set[str]:
    """Return the numbers of all sections. Each number begins a paragraph."""
    return set(re.findall(r"\n\n(?:\*\*)?([0-9A-C]+\.[0-9]+)\b", document))


# --- contents, anchors, references ---------------------------------------------------------------


def anchor_of(heading: str) -> str:
    """Return the anchor that Markdown renderers give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize(("document", "fewest"), [(PROTOCOL, 15), (WIRE, 5)], ids=["log", "wire"])
def test_the_contents_list_every_heading_in_order_and_every_anchor_resolves(
    document: str, fewest: int
) -> None:
    contents = re.findall(r"^- \[(.+)\]\(#(.+)\)$", document, re.MULTILINE)
    headings = re.findall(r"^##+ (.+)$", document, re.MULTILINE)
    assert [title for title, _ in contents] == headings
    assert [anchor for _, anchor in contents] == [anchor_of(heading) for heading in headings]
    assert len(set(headings)) == len(headings) > fewest


def test_every_section_is_in_one_document_and_the_other_points_there() -> None:
    moved = sections_of(PROTOCOL) & sections_of(WIRE)
    assert moved == {"11.3", "12.3", "A.5"}
    for number in moved:
        assert "(WIRE.md#" in PROTOCOL.split(f"\n\n{number} ")[1].split("\n\n")[0]
    wires = {anchor_of(heading) for heading in re.findall(r"^##+ (.+)$", WIRE, re.MULTILINE)}
    assert set(re.findall(r"\(WIRE\.md#([\w-]+)\)", PROTOCOL)) == wires


def test_every_reference_names_an_existing_section() -> None:
    sections = sections_of(BOTH)
    chapters = set(re.findall(r"^## (?:Appendix )?([0-9A-C]+)\.", BOTH, re.MULTILINE))
    cited = [
        number
        for bracket in re.findall(r"\[([0-9A-C][^\]]*)\]", BOTH)
        for number in re.findall(r"(?<![\w.])(?:[0-9]+|[A-C])(?:\.[0-9]+)?(?![\w.])", bracket)
        if "." in number
    ]
    assert set(cited) <= sections | chapters
    assert len(set(cited)) > 60


def test_every_section_cited_in_the_code_exists() -> None:
    sections = sections_of(BOTH)
    cited: dict[str, str] = {}
    for folder in ("cli", "ginpeer", "proto", "protocol", "tests"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".proto", ".js", ".mjs", ".md") and "node_modules" not in str(
                path
            ):
                text = path.read_text(encoding="utf-8")
                for number in re.findall(
                    r"(?:PROTOCOL|WIRE)(?:\.md)?,? ([0-9A-C]+\.[0-9]+)\b", text
                ):
                    cited[number] = str(path)
    assert len(cited) > 40
    for number, path in cited.items():
        assert number in sections, f"{path} cites PROTOCOL {number}, which is not there"


def test_every_rule_cited_in_the_documents_exists() -> None:
    rules = (ROOT / "ginpeer" / "rules" / "RULES.md").read_text(encoding="utf-8")
    written = set(re.findall(r"\n\n(\d+\.\d+)\b", rules)) | set(
        re.findall(r"^## (\d+)\.", rules, re.MULTILINE)
    )
    citations = re.findall(r"RULES ((?:\d+(?:\.\d+)?(?:, | to | and )?)+)", " ".join(BOTH.split()))
    citations += [row[1] for row in table_headed("question")]
    cited = {number for text in citations for number in re.findall(r"\d+(?:\.\d+)?", text)}
    assert len(cited) > 20
    assert cited <= written


def test_every_part_of_appendix_b_is_cited_in_its_section_of_chapter_9() -> None:
    own = re.findall(r"^B\.([0-9]+) \*\*", WIRE, re.MULTILINE)
    assert own
    for number in own:
        section = WIRE.split(f"\n\n9.{number} ")[1].split(f"\n\n9.{int(number) + 1} ")[0]
        assert f"[B.{number}]" in section, f"9.{number} does not point to B.{number}"


def is_played(text: str) -> bool:
    try:
        parse_ruleset(text).check()
    except RulesError:
        return False
    return True


# These values are valid only with another parameter.
BESIDE = {
    "ace-limit=one": "knock-limit=upcard",
    "mahjong=yes": "knock-limit=0 big-gin=none",
    "target=none": "hands=5",
    "multi-match=1": "target=none",  # no game is that short
    "multi-match=100000": "",
}


def test_the_documented_values_of_a_parameter_are_those_of_the_program() -> None:
    for row in table_headed("parameter"):
        key, values, standard = row
        name = next(name for name in NAMES if key_of(name) == key)
        assert standard == value_text(getattr(STANDARD, name))
        kind = type(getattr(STANDARD, name))
        words = set(re.findall(r"[a-z][a-z-]+", values)) - {"to", "odd"}
        if issubclass(kind, Enum) and name != "knock_limit":
            assert words == {choice.value for choice in kind}
        numbers = [int(number) for number in re.findall(r"\d+", values)]
        if "to" in values.split():
            low, high = numbers
            for number, plays in ((low, True), (high, True), (low - 1, False), (high + 1, False)):
                if number >= 0 and f"{key}={number}" != "multi-match=1":
                    assert is_played(f"standard {key}={number}") is plays
        for value in [*words, *map(str, numbers)]:
            beside = BESIDE.get(f"{key}={value}", "")
            if beside != "target=none":
                assert is_played(f"standard {key}={value} {beside}")


def test_all_parameters_are_listed_in_order() -> None:
    assert [row[0] for row in table_headed("parameter")] == [key_of(name) for name in NAMES]


def test_the_presets_have_the_values_in_the_table() -> None:
    rows = table_headed("preset")
    assert [row[0] for row in rows] == list(PRESETS)
    for name, values, keeps in rows:
        preset = PRESETS[name]
        words = {f"{key_of(key)}={value_text(value)}" for key, value in preset.values.items()}
        assert set(values.split()) == words
        essential = [] if preset.essential is None else [key_of(preset.essential)]
        assert essential == keeps.split()[:1]
        assert parse_ruleset(f"standard {values}") == RuleSet(**preset.values)


# --- the tables of codes, section 11 ------------------------------------------------------------

JUDGES = (
    *("ginpeer/referee", "protocol/deck", "protocol/crypto"),
    *("protocol/codes.py", "protocol/entry.py", "protocol/messages.py"),
    *("ginpeer/rules/hand.py", "ginpeer/rules/mahjong.py", "ginpeer/rules/melds.py"),
    "ginpeer/rules/moves.py",
)
"""The modules that judge an entry."""

NOBODY_IS_BLAMED = {
    "MalformedEntry",
    "UnsupportedEntry",
    "NotAnEntry",
    "BadSignature",
    "BadPublicKey",
}
CONVICTS = {"Violation", "IllegalEntry", "Illegal", "Unreadable", "Malformed", "NotCanonical"}
PROOF_ERRORS = {
    *("ProofError", "BadLength", "BadEncoding", "SeedMismatch", "AuditFailed"),
    *("WrongToss", "TossMismatch"),
}

WITH_A_REASON_FIRST = {"BadSignature", "BadPublicKey"}
"""Errors whose class has the code; a call's argument names the check that failed."""

NOT_OF_ENTRIES = {
    # A referee doesn't know hidden hands, and doesn't read hands from text.
    "hand-unknown",
    "unreadable-hand",
    # The message is refused earlier, with card-used-twice or wrong-hand; and a lay always has a
    # card.
    "wrong-card-count",
    "nothing-laid",
    # Only a connection knows its peer's key; a log doesn't have it. See 11.3.
    "unexpected-key",
    "same-key",
}
"""Codes in the judges' sources that don't refuse entries of a log."""


def files_of(*names: str) -> list[Path]:
    return [
        path
        for name in names
        for path in ([ROOT / name] if name.endswith(".py") else sorted((ROOT / name).rglob("*.py")))
    ]


def codes_in(paths: list[Path], wanted: set[str]) -> dict[str, set[str]]:
    """Return codes and the classes that raise them: the literal first arguments of calls of the
    *wanted* names, and the `code` of classes with these names. A `code, sentence = ...` belongs to
    a Violation raised later."""
    found: dict[str, set[str]] = {}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func).rpartition(".")[2]
                first = node.args[0] if node.args else None
                if name == "extended":  # Melding.extended, which is given the code
                    name, first = "Illegal", node.args[2]
            elif isinstance(node, ast.ClassDef):
                name, first = node.name, None
                for line in node.body:
                    if isinstance(line, ast.Assign | ast.AnnAssign):
                        target = line.targets[0] if isinstance(line, ast.Assign) else line.target
                        first = line.value if ast.unparse(target) == "code" else first
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
                name, first = "Violation", None
                if ast.unparse(node.targets[0]) == "(code, sentence)":
                    first = node.value.elts[0] if isinstance(node.value, ast.Tuple) else None
            else:
                continue
            if name in wanted and isinstance(first, ast.Constant):
                if isinstance(node, ast.Call) and name in WITH_A_REASON_FIRST:
                    continue
                if isinstance(first.value, str) and re.fullmatch(r"[a-z]+(-[a-z]+)*", first.value):
                    found.setdefault(first.value, set()).add(name)
    return found


@cache
def table_of(section: str) -> dict[str, list[str]]:
    """Return the rows of this section's table of codes: for each code, the other cells."""
    text = (WIRE if section == "11.3" else PROTOCOL).split(f"\n\n{section} ")[1]
    lines = text[text.index("| code |") :].split("\n\n")[0].split("\n")
    rows = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines[2:]]
    assert len({code for code, *_ in rows}) == len(rows), "a code has two rows"
    return {code.strip("`"): cells for code, *cells in rows}


def test_the_program_names_the_sections_of_every_code_that_convicts() -> None:
    rows = table_of("11.1").items()
    assert {
        code: section for code, (_, classes, _, section) in rows if "B" in classes
    } == CONVICTING_SECTIONS


def same(program: set[str], document: set[str], section: str, otherwise: str) -> None:
    """Check that program and document have the same codes; the message says how to correct a
    difference."""
    lacking, idle = sorted(program - document), sorted(document - program)
    assert not lacking, (
        f"The program has {lacking}, and the table of PROTOCOL.md {section} has not. Give each a "
        f"row there, {otherwise}."
    )
    assert not idle, f"PROTOCOL.md {section} has {idle}, and nothing in the program says that."


def test_every_code_of_a_refused_entry_has_its_row_and_every_row_its_code() -> None:
    found = codes_in(files_of(*JUDGES), NOBODY_IS_BLAMED | CONVICTS | PROOF_ERRORS)
    assert len(found) > 50
    assert set(found) >= NOT_OF_ENTRIES
    otherwise = "or name it in NOT_OF_ENTRIES, with the reason why it refuses no entry of a log"
    same(set(found) - NOT_OF_ENTRIES, set(table_of("11.1")), "11.1", otherwise)


def test_the_documented_class_of_a_code_is_that_of_the_program() -> None:
    found = codes_in(files_of(*JUDGES), NOBODY_IS_BLAMED | CONVICTS | PROOF_ERRORS)
    for code, (_, classes, *_) in table_of("11.1").items():
        expected = [
            name
            for name, raised in (("A", NOBODY_IS_BLAMED), ("B", CONVICTS | PROOF_ERRORS))
            if found[code] & raised
        ]
        assert classes == ", ".join(expected), f"{code} is raised as {sorted(found[code])}"


def test_the_decision_table_has_each_code_at_its_check_and_in_its_class() -> None:
    """Section 7.1 names each code of checks 1 to 7 and 9; 7.5 has those of check 8."""
    places: dict[str, set[str]] = {}
    classes: dict[str, set[str]] = {}
    check = ""
    for number, _, codes, kind in table_headed("check"):
        check = number.split(",")[0] or check
        for code in re.findall(r"[a-z]+(?:-[a-z]+)+|malformed|duplicate|fork", codes):
            places.setdefault(code, set()).add(check)
            classes.setdefault(code, set()).add(kind)
    for _, codes, kind in table_headed("in check 2, it is refused if"):
        assert kind == "A"
        if codes != "not-canonical, malformed":  # an earlier row has these codes, for check 3
            places.setdefault(codes, set()).add("2")
            classes.setdefault(codes, set()).add("A")
    for code, (numbers, kinds, *_) in table_of("11.1").items():
        if numbers != "8" or code in places:
            assert places[code] == set(numbers.split(", ")), code
            assert classes[code] == set(kinds.split(", ")), code
    assert set(places) <= set(table_of("11.1"))


def test_every_section_named_by_a_code_exists() -> None:
    for code, (*_, section) in table_of("11.1").items():
        for number in re.findall(r"\d+\.\d+", section):
            assert f"\n\n{number} " in PROTOCOL, f"{code}: there is no section {number}"


def test_the_table_has_exactly_the_codes_of_a_log() -> None:
    program = set(codes_in(files_of("ginpeer/store/log.py"), {"UnreadableLog"}))
    program -= {"no-such-log", "not-a-file", "disk-error"}  # about the file, not the log [13.2]
    program |= {"torn", "valid", "incomplete"}
    judging = files_of("ginpeer/referee/referee.py", "ginpeer/record/record.py")
    verdicts = "".join(path.read_text(encoding="utf-8") for path in judging)
    assert all(f'"{code}"' in verdicts for code in ("torn", "valid", "incomplete"))
    same(program, set(table_of("11.2")), "11.2", "or name it here as one of what is no log")


def test_every_code_of_a_goodbye_has_its_row_and_every_row_its_code() -> None:
    """A connection gives its peer a code by name, for a frame or greeting that it refuses, or when
    a seat closes. The codes of entries are in 11.1."""
    net = files_of("ginpeer/net", "protocol/frames.py")
    told = {
        *("Goodbye", "goodbye_for", "end_saying", "refuse_malformed", "_refused"),
        *("GreetingRefused", "MalformedFrame"),
    }
    program = set(codes_in(net, told)) | set(REFUSALS) | set(required_of_frames())
    program.add(PAUSED)  # its code is a constant
    program |= set(codes_in(files_of("ginpeer/seat"), {"Close"}))
    program |= set(codes_in(files_of("ginpeer/partnership.py"), {"Close", "LogRefused"}))
    program |= {"unexpected-key", "same-key"}  # from the referee, if it is given the keys
    # A token is always 64 bits, and text that isn't UTF-8 is never in a canonical frame.
    program -= {"token-malformed", "chat-malformed"}
    same(program, set(table_of("11.3")), "11.3", "or name it here with the reason why not")
    assert not set(table_of("11.3")) & set(table_of("11.1"))


def required_of_frames() -> set[str]:
    """Return the codes of `_require` in protocol/frames.py, where a condition comes first."""
    tree = ast.parse((ROOT / "protocol" / "frames.py").read_text(encoding="utf-8"))
    return {
        node.args[1].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "_require"
        and isinstance(node.args[1], ast.Constant)
        and isinstance(node.args[1].value, str)
    }


def test_a_goodbye_can_carry_every_code_of_the_tables() -> None:
    for section in ("11.1", "11.3"):
        for code in table_of(section):
            assert Goodbye(code, "").code == code


# --- states and kinds, section 3 ----------------------------------------------------------------


def drawing_of_states() -> str:
    return PROTOCOL.split("As a diagram:")[1].split("```")[1]


def test_the_state_diagram_has_everything_in_the_table() -> None:
    picture = drawing_of_states()
    for row in table_headed("awaited"):
        assert re.search(rf"\b{row[0]} \(|\b{row[0]},", picture), f"no state {row[0]}"
        for kind in re.findall(r"[A-Z]\w+", row[2]):
            assert re.search(rf"\b{kind}\b", picture) or kind == "Mahjong", f"no {kind}"
    assert "Resign" in picture
    assert set(re.findall(r"\b[A-Z][a-z]+[A-Z]\w+", picture)) <= {
        kind.__name__ for kind in m.Message.__args__
    }


def test_every_kind_of_message_is_awaited_in_some_state() -> None:
    rows = table_headed("awaited")
    named = {name for row in rows for name in re.findall(r"[A-Z]\w+", row[2])} - {"Mahjong"}
    assert named == {kind.__name__ for kind in m.Message.__args__} - {"Resign"}
    awaited = {row[0] for row in rows}
    assert {"last chance", "spread", "draw"} <= awaited
    assert Referee().table.awaiting.value == "the offer"


# --- vectors, appendix A ------------------------------------------------------------------------


def test_every_file_of_vectors_is_named_in_the_document() -> None:
    section = PROTOCOL.split("A.1 **Files.**")[1].split("A.2 **An entry**")[0]
    for folder in ("protocol", "rules"):
        for path in (ROOT / "tests" / "vectors" / folder).iterdir():
            if path.suffix in (".json", ".jsonl", ".gz"):
                assert f"`{path.name}`" in section, f"A.1 does not name {path.name}"
