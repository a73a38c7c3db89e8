"""Convert ABNF grammars (RFC 5234, plus %s from RFC 7405) to regular expressions.

It covers what the grammars of PROTOCOL.md need: rule names, strings, %x values, ranges and series,
repetition, groups, options, alternatives, and comments, but no recursive rules. It reads every
character: any other syntax is an error, never skipped.
"""

from __future__ import annotations

import re

CORE = {
    "SP": "[ ]",
    "DIGIT": "[0-9]",
    "ALPHA": "[A-Za-z]",
    "OCTET": "[\\x00-\\xff]",
}

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[A-Za-z][A-Za-z0-9-]*)
    | (?P<string>(?:%[si])?"[\x20-\x21\x23-\x7e]*")
    | (?P<value>%x[0-9A-Fa-f]+(?:-[0-9A-Fa-f]+|(?:\.[0-9A-Fa-f]+)*))
    | (?P<repeat>\d*\*\d*|\d+)
    | (?P<mark>[()\[\]/])
    )""",
    re.VERBOSE,
)


class Grammar:
    """The rules of one grammar. `matches` says whether a rule matches an entire string."""

    def __init__(self, text: str) -> None:
        self._rules = {name.lower(): _tokens(body) for name, body in _rules(text)}
        self._made: dict[str, str] = {}

    @property
    def names(self) -> set[str]:
        return set(self._rules)

    def matches(self, rule: str, text: str) -> bool:
        return re.fullmatch(self.expression(rule), text, re.DOTALL) is not None

    def expression(self, rule: str) -> str:
        """Return the regular expression of a rule."""
        key = rule.lower()
        if key not in self._made:
            if key not in self._rules:
                return CORE[rule.upper()]
            self._made[key] = ""  # a recursive rule matches nothing
            tokens = list(self._rules[key])
            self._made[key] = self._alternatives(tokens)
            if tokens:
                raise ValueError(f"{rule} continues after its end: {tokens}")
        return self._made[key]

    def _alternatives(self, tokens: list[tuple[str, str]]) -> str:
        found = [self._series(tokens)]
        while tokens and tokens[0] == ("mark", "/"):
            tokens.pop(0)
            found.append(self._series(tokens))
        return f"(?:{'|'.join(found)})"

    def _series(self, tokens: list[tuple[str, str]]) -> str:
        found = []
        while tokens and not (tokens[0][0] == "mark" and tokens[0][1] in "/)]"):
            found.append(self._repeated(tokens))
        if not found:
            raise ValueError("an alternative is empty")
        return "".join(found)

    def _repeated(self, tokens: list[tuple[str, str]]) -> str:
        if tokens[0][0] != "repeat":
            return self._element(tokens)
        count = tokens.pop(0)[1]
        low, star, high = count.partition("*")
        times = f"{{{low or 0},{high}}}" if star else f"{{{low}}}"
        return f"(?:{self._element(tokens)}){times}"

    def _element(self, tokens: list[tuple[str, str]]) -> str:
        kind, text = tokens.pop(0)
        match kind:
            case "name":
                return self.expression(text)
            case "string":
                return _string(text)
            case "value":
                return _value(text)
            case "mark" if text in "([":
                inner = self._alternatives(tokens)
                if tokens.pop(0) != ("mark", ")" if text == "(" else "]"):
                    raise ValueError("a bracket is not closed")
                return inner if text == "(" else f"{inner}?"
        raise ValueError(f"{text!r} does not begin an element")


def _rules(text: str) -> list[tuple[str, str]]:
    """Return rule names and the text after `=`; an indented line continues the rule above."""
    found: list[tuple[str, str]] = []
    for line in text.split("\n"):
        line = re.sub(r';(?=(?:[^"]*"[^"]*")*[^"]*$).*', "", line)
        if not line.strip():
            continue
        if line[0].isspace():
            name, body = found.pop()
            found.append((name, f"{body} {line}"))
            continue
        name, equals, body = line.partition("=")
        if not equals:
            raise ValueError(f"no rule: {line}")
        found.append((name.strip(), body))
    if len({name.lower() for name, _ in found}) < len(found):
        raise ValueError("a rule is defined twice")
    return found


def _tokens(body: str) -> list[tuple[str, str]]:
    tokens, at = [], 0
    while body[at:].strip():
        match = _TOKEN.match(body, at)
        if match is None or match.lastgroup is None:
            raise ValueError(f"no ABNF: {body[at:]!r}")
        tokens.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return tokens


def _string(text: str) -> str:
    """Return the pattern of a string, which ignores case unless it has %s."""
    literal = text[text.index('"') + 1 : -1]
    if text.startswith("%s"):
        return f"(?:{re.escape(literal)})"
    return "".join(
        f"[{c.lower()}{c.upper()}]" if c.isalpha() else re.escape(c) for c in literal
    )  # fmt: skip


def _value(text: str) -> str:
    low, dash, high = text[2:].partition("-")
    if dash:
        return f"[{_escaped(low)}-{_escaped(high)}]"
    return "".join(_escaped(part) for part in low.split("."))


def _escaped(digits: str) -> str:
    return f"\\U{int(digits, 16):08x}"
