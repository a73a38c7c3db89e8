"""A scene: a world, what the two players do in it, what happens meanwhile, and the expected
outcome."""

from __future__ import annotations

from dataclasses import dataclass

from tests.lab.topology import World

SECONDS = 60.0
"""How long a scene may take after the guest's start, by default."""


@dataclass(frozen=True)
class Plays:
    """Expects that a whole match is played, and that both logs are equal and valid."""

    reply: bool | None = False
    """Whether a reply code is needed; None if it doesn't matter."""
    reconnects_within: float | None = None
    """If the host is killed and resumed, the seconds within which the guest must be back."""


@dataclass(frozen=True)
class CannotWork:
    """Expects that no match is played, and that each player reads a sentence that matches this
    regular expression (None: any sentence)."""

    guest_reads: str
    host_reads: str | None = None


Expected = Plays | CannotWork


@dataclass(frozen=True)
class Run:
    """Run a shell script in a machine."""

    machine: str
    script: str


@dataclass(frozen=True)
class Reboot:
    """Cut a machine's power for some seconds."""

    machine: str
    seconds: float = 5.0


@dataclass(frozen=True)
class Kill:
    """Kill the host's program."""


@dataclass(frozen=True)
class Resume:
    """Type `ginpeer resume` with these options as the host's player."""

    options: tuple[str, ...] = ()


Step = Run | Reboot | Kill | Resume


@dataclass(frozen=True)
class Meanwhile:
    """Something that happens once in mid-match, when the guest has printed *count* lines that match
    *line* (a regular expression)."""

    steps: tuple[Step, ...]
    line: str = r"^event discard "
    count: int = 4


@dataclass(frozen=True)
class Scene:
    """A scene. *host* is typed after `ginpeer host --bot`, *guest* after `ginpeer join --bot
    INVITE`."""

    name: str
    title: str
    world: World
    expected: Expected
    host: tuple[str, ...] = ()
    guest: tuple[str, ...] = ()
    at_terminals: bool = False
    """Whether two people play. They type `ginpeer host` and `ginpeer join INVITE`, answer yes to
    every question, and resign on their turn."""
    meanwhile: Meanwhile | None = None
    hands: int = 1
    pastes: float = 0.0
    """The seconds that the host's player takes to paste the reply. People take a while, and that
    matters if one side's dial is to meet the other's."""
    seconds: float = SECONDS
    needs: tuple[str, ...] = ()
    """Required programs besides ip and nft."""

    def options(self) -> str:
        """Return the network options typed on both sides."""
        sides = (("host", self.host), ("guest", self.guest))
        typed = [f"{side}: {' '.join(options)}" for side, options in sides if options]
        where = ["at terminals, both say yes when asked"] if self.at_terminals else []
        return "; ".join([*(typed or ["none"]), *where])
