"""The tags of a text that is read, and what those of them mean that have a meaning."""

from __future__ import annotations

from typing import Final

from ginpeer.notation.errors import BadNotation
from ginpeer.notation.sheet import ROLES, Sheet
from ginpeer.notation.writing import VERSION
from ginpeer.rules.cards import RulesError, parse_card
from ginpeer.rules.match import cut_dealer
from ginpeer.rules.parameters import FirstDealer
from ginpeer.rules.ruleset import STANDARD, RuleSet, parse_ruleset

MAX_TAGS: Final = 64
_VERSION = "gin"


class Tags:
    """Takes the tags one by one."""

    def __init__(self) -> None:
        self._tags: dict[str, tuple[str, str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._tags)

    def take(self, name: str, value: str, line: int) -> None:
        """Raises BadNotation."""
        key = name.casefold()
        if key in self._tags:
            raise BadNotation("tag-twice", f"The tag {name} stands there twice.", line)
        if len(self._tags) == MAX_TAGS:
            raise BadNotation("tag-unreadable", f"There are more than {MAX_TAGS} tags.", line)
        if key == _VERSION and value != VERSION:
            raise BadNotation(
                "notation-too-new",
                f"This is another version of the notation; this program reads {VERSION}.",
                line,
            )
        self._tags[key] = (name, value, line)
        if key == "cut":
            self._cut_dealer()

    @property
    def kept(self) -> tuple[tuple[str, str], ...]:
        """All but the version, which is the text's and not the match's."""
        return tuple(
            (name, value) for key, (name, value, _) in self._tags.items() if key != _VERSION
        )

    @property
    def rules(self) -> RuleSet:
        """What is played. Raises BadNotation where that cannot be played."""
        value, line = self._value("rules")
        if value is None:
            return STANDARD
        try:
            rules = parse_ruleset(value)
            rules.check()
        except RulesError as why:
            raise BadNotation(why.code, why.sentence, line) from why
        return rules

    def first_dealer(self, rules: RuleSet) -> int | None:
        """Who deals the first hand by the rules or by the cut; None where neither says it."""
        if rules.first_dealer is FirstDealer.LOWER_CUT:
            return self._cut_dealer()
        return 0 if rules.first_dealer is FirstDealer.HOST else 1

    def check_result(self, sheet: Sheet) -> None:
        """Raises BadNotation where the tag says something else than the hands."""
        value, line = self._value("result")
        if value is None or not sheet.whole:
            return
        match = sheet.match
        if match is None or not match.finished:
            made = "unfinished"
        else:
            made = "nobody" if match.winner is None else ROLES[match.winner]
        if value.casefold() != made:
            raise BadNotation(
                "sum-differs", f"The tag Result says otherwise: by its hands it is {made}.", line
            )

    def _cut_dealer(self) -> int | None:
        value, line = self._value("cut")
        if value is None:
            return None
        try:
            host, guest = (parse_card(word) for word in value.split(" ", 2))
            return cut_dealer((host, guest))
        except ValueError as why:
            raise BadNotation(
                "tag-unreadable", "A cut is the host's card and the guest's, as \"7d Kc\".", line
            ) from why

    def _value(self, key: str) -> tuple[str | None, int]:
        """The value of a tag, and its line."""
        found = self._tags.get(key)
        return (None, 0) if found is None else found[1:]
