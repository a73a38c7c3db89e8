"""Every code that a command can end with is listed once, with its actual status."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from cli.program import STATUS_OF, USAGE, Failure
from ginpeer.net.address import AddressError
from ginpeer.seat.seat import SeedLost
from ginpeer.store import files
from ginpeer.store.archive_file import BadArchive
from protocol.crypto.group import NoConstantTimeGroup
from tests.document.test_document import table_of
from tests.syntax import ROOT, modules_of, nodes_of

UNREADABLE_LOG = [
    code for code, (verdict, *_) in table_of("11.2").items() if verdict == "cannot be read"
]
LISTED = {**STATUS_OF, **dict.fromkeys(UNREADABLE_LOG, USAGE)}
STATUSES = {"USAGE", "OUR_FAULT"}

# The errors whose code a command may end with, and the modules that raise them. (An `Unreadable`
# raised for a line typed at the table, for example, ends no command.)
RAISED = {
    "Failure": ("cli/",),
    "Mismatch": ("ginpeer/tally/",),
    "UnreadableFile": ("cli/commands/",),
    "Unreadable": ("ginpeer/rules/parameters.py", "ginpeer/rules/ruleset.py"),
    "Illegal": ("ginpeer/rules/parameters.py", "ginpeer/rules/ruleset.py"),
    "Unsupported": ("ginpeer/rules/parameters.py", "ginpeer/rules/ruleset.py"),
    "StoreError": ("ginpeer/store/", "ginpeer/match_store/"),
    "UnreadableLog": ("ginpeer/store/",),
    "BadNotation": ("ginpeer/notation/",),
    "InviteError": ("ginpeer/net/",),
    "ListenError": ("ginpeer/net/",),
}


@cache
def raised() -> tuple[tuple[str, str, str | None], ...]:
    """Return (place, code, source text of the status) of every such error with a literal code."""
    return tuple(_raised())


def _raised() -> Iterator[tuple[str, str, str | None]]:
    for name in (*modules_of("cli"), *modules_of("ginpeer")):
        kinds = {kind for kind, places in RAISED.items() if name.startswith(places)}
        text = (ROOT / name).read_text(encoding="utf-8")
        if not any(f"{kind}(" in text for kind in kinds):
            continue
        for node in nodes_of(name):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id not in kinds:
                continue
            at = 1 if node.func.id == "Mismatch" else 0
            code = node.args[at] if len(node.args) > at else None
            if isinstance(code, ast.Constant) and isinstance(code.value, str):
                status = ast.unparse(node.args[2]) if len(node.args) > 2 else None
                yield f"{name}:{node.lineno}", code.value, status


def of_other_kinds() -> set[str]:
    """Return the codes that aren't literals in the statement that raises the error."""
    return {
        *files._CODES.values(),
        files.code_of(OSError()),
        AddressError("").code,
        SeedLost.code,
        BadArchive.code,
        NoConstantTimeGroup.code,
        "tally-mismatch",  # Mismatch without a code
        *(
            f"invite-{fault}" for fault in ("unreadable", "too-new", "checksum", "damaged")
        ),  # codes.py
    }


def test_every_code_that_a_command_can_end_with_is_listed_and_in_use():
    assert not set(STATUS_OF) & set(UNREADABLE_LOG), "declared twice"
    assert {code for _, code, _ in raised()} | of_other_kinds() == set(LISTED)


def test_no_raise_repeats_the_status_listed_for_its_code():
    assert [(where, code) for where, code, status in raised() if status in STATUSES] == []
    for code, status in STATUS_OF.items():
        assert Failure(code, "A sentence.").status == status


def test_the_store_lists_the_same_codes():
    """Readers look for the codes in the docstring of StoreError."""
    named = f"{files.StoreError.__doc__} {files.UnreadableLog.__doc__}"
    stored = {code for where, code, _ in raised() if where.startswith(RAISED["StoreError"])}
    assert stored - set(re.findall(r"[\w-]+", named)) == set()
