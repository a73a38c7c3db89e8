"""The product's code as the mutation sweep runs it: it reports which checks fire, or lacks one.

The tests' own process gets this code from tests.campaign.mutation_sweep. For the programs that
tests start, tests/cli/started.py starts this module in place of its fork server:

    python -m tests.campaign.mutated_code fired FILE FD      they add the checks that fire to FILE
    python -m tests.campaign.mutated_code PATH FILE FD       they run the module at PATH with the
                                                             code that FILE contains
"""

from __future__ import annotations

import builtins
import functools
import gc
import importlib
import importlib.machinery
import marshal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from tests.campaign import mutants
from tests.campaign.mutants import CAUGHT, FIRED, OTHER_CODE, PACKAGES, SAID, WEIGHED, Mutant

ROOT = Path.cwd()

fired: set[str] = set()


def _fired(key: str) -> None:
    fired.add(key)


def _weighed(key: str, value: object, decisive: bool) -> object:
    if bool(value) is decisive:
        fired.add(key)
    return value


def _caught(keys: Sequence[str], errors: Sequence[type[BaseException]]) -> None:
    for key, error in zip(keys, errors, strict=True):
        if isinstance(sys.exc_info()[1], error):
            fired.add(key)


class Said:
    """A class's stable code in the instrumented code. Reading it makes its check fire."""

    def __init__(self, key: str, code: str) -> None:
        self.key = key
        self.code = code

    def __get__(self, instance: object, owner: type) -> str:
        fired.add(self.key)
        return self.code


class ChangedLoader(importlib.machinery.SourceFileLoader):
    """A loader that loads a module of the product with changed code (never from a .pyc)."""

    def __init__(self, name: str, path: str, code_for: Callable[[str], CodeType]) -> None:
        super().__init__(name, path)
        self.code_for = code_for

    def get_code(self, fullname: str) -> CodeType:
        return self.code_for(Path(self.path).relative_to(ROOT).as_posix())


class ChangedFinder:
    """A finder that comes before all others and finds the modules at *paths*."""

    def __init__(self, paths: Sequence[str], code_for: Callable[[str], CodeType]) -> None:
        self.paths = paths
        self.code_for = code_for

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name.split(".")[0] not in PACKAGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:
            return None
        if Path(spec.origin).relative_to(ROOT).as_posix() in self.paths:
            spec.loader = ChangedLoader(name, spec.origin, self.code_for)
        return spec


def load_telling_code() -> None:
    """Let this process load the product as code that reports which checks fire."""
    for name, function in ((FIRED, _fired), (WEIGHED, _weighed), (CAUGHT, _caught), (SAID, Said)):
        setattr(builtins, name, function)
    finder = ChangedFinder(mutants.sources(ROOT), _telling_code)
    sys.meta_path.insert(0, finder)  # type: ignore[arg-type]


def _telling_code(path: str) -> CodeType:
    tree = mutants.parsed(ROOT, path)
    found = mutants.mutants_of(path, tree, mutants.known_of(ROOT))
    return compile(mutants.telling(tree, found), str(ROOT / path), "exec", dont_inherit=True)


# --- a mutant's code in place of the module's ------------------------------------------------


def code_without(mutant: Mutant) -> CodeType:
    """Return the code of a module without this check."""
    tree = mutants.parsed(ROOT, mutant.path)
    found = mutants.mutants_of(mutant.path, tree, mutants.known_of(ROOT))
    tree = mutants.without(tree, next(each for each in found if each.key == mutant.key))
    return compile(tree, str(ROOT / mutant.path), "exec", dont_inherit=True)


def _inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)


def put_in_place(mutant: Mutant, code: CodeType) -> None:
    """Make this process run the module with *code* from now on. Raises ValueError if it cannot.

    Only the code of functions is replaced, wherever they have been imported to. Classes and
    constants stay the ones that everything else already refers to.
    """
    path = str(ROOT / mutant.path)
    importlib.import_module(_module_at(mutant.path))  # perhaps only started programs have loaded it
    if exchanged_in_class(mutant):
        return
    codes = {(each.co_qualname, each.co_firstlineno): each for each in _inside(code)}
    gc.unfreeze()
    exchanged = 0
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename == path:
            at = (thing.__code__.co_qualname, thing.__code__.co_firstlineno)
            if thing.__name__ != "<lambda>" and at in codes:
                thing.__code__ = codes[at]
                exchanged += 1
        elif isinstance(thing, functools._lru_cache_wrapper) and is_of_the_product(thing):
            thing.cache_clear()
    if not exchanged:
        raise ValueError(f"no function of {mutant.path} is loaded")


def exchanged_in_class(mutant: Mutant) -> bool:
    """If the mutant is a code that is a class attribute, replace it; return whether it is."""
    found: object = sys.modules[_module_at(mutant.path)]
    for name in mutant.key.split(":")[1].split("."):
        found = vars(found).get(name) if isinstance(found, type | ModuleType) else None
    said = vars(found).get("code") if isinstance(found, type) else None
    if not isinstance(said, Said) or said.key != mutant.key:
        return False
    found.code = OTHER_CODE  # type: ignore[union-attr]
    return True


def _module_at(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def is_of_the_product(thing: object) -> bool:
    return str(getattr(thing, "__module__", "")).split(".")[0] in PACKAGES


# --- in the programs that tests start ---------------------------------------------------------


class Reported(set[str]):
    """The checks that have fired in a program: each is also written to a file at once, because
    programs may be killed."""

    def __init__(self, file: str) -> None:
        self.file = file

    def add(self, key: str) -> None:
        if key not in self:
            super().add(key)
            with open(self.file, "a", encoding="utf-8") as file:
                file.write(key + "\n")


def main(what: str, file: str, connection: str) -> None:
    global fired
    if what == "fired":
        fired = Reported(file)
        load_telling_code()
    else:
        code = marshal.loads(Path(file).read_bytes())
        sys.meta_path.insert(0, ChangedFinder((what,), lambda path: code))  # type: ignore[arg-type]
    from tests.cli import fork_server

    fork_server.main(int(connection))


if __name__ == "__main__":
    main(*sys.argv[1:])
