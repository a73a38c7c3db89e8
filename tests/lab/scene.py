"""A scene: a world, what the two players do in it, what happens meanwhile, and what must come of
it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.lab.topology import World

SECONDS = 60.0
"""How long a scene may take from the guest's start on, if it does not say otherwise."""


@dataclass(frozen=True)
class Plays:
    """A whole match is played, and both logs are equal and valid."""

    reply: bool | None = False
    """Whether a reply code is needed for it; None: either way will do."""
    back: float | None = None
    """If the host is killed and resumed: within how many seconds the guest must be back."""


@dataclass(frozen=True)
class CannotWork:
    """No match is played, and each player reads a sentence in which these words (a regular
    expression each, None for anything) are found."""

    guest_reads: str
    host_reads: str | None = None


Expected = Plays | CannotWork


@dataclass(frozen=True)
class Run:
    """A shell's script, run in a machine."""

    machine: str
    script: str


@dataclass(frozen=True)
class Reboot:
    """A machine is without power for some seconds."""

    machine: str
    seconds: float = 5.0


@dataclass(frozen=True)
class Kill:
    """The host's program is killed."""


@dataclass(frozen=True)
class Resume:
    """The host's player types `ginpeer resume`, and these options."""

    options: tuple[str, ...] = ()


Step = Run | Reboot | Kill | Resume


@dataclass(frozen=True)
class Meanwhile:
    """What happens in mid-match, once: when the guest has printed *count* lines that match *line*
    (a regular expression)."""

    steps: tuple[Step, ...]
    line: str = r"^event discard "
    count: int = 4


@dataclass(frozen=True)
class Scene:
    """*host* is typed behind `ginpeer host --bot`, *guest* behind `ginpeer join --bot INVITE`."""

    name: str
    title: str
    world: World
    expected: Expected
    host: tuple[str, ...] = ()
    guest: tuple[str, ...] = ()
    at_terminals: bool = False
    """Two persons play, who type `ginpeer host` and `ginpeer join INVITE`, answer yes to whatever
    they are asked, and resign when they are to move."""
    meanwhile: Meanwhile | None = None
    hands: int = 1
    pastes: float = 0.0
    """Seconds that the host's player takes to paste the reply. A person takes a while, and it
    matters at which moment a dial of the host's meets one of the guest's."""
    seconds: float = SECONDS
    needs: tuple[str, ...] = ()
    """Programs beside ip and nft."""

    def options(self) -> str:
        """Which options of the network are typed on both sides."""
        sides = (("host", self.host), ("guest", self.guest))
        typed = [f"{side}: {' '.join(options)}" for side, options in sides if options]
        where = ["at terminals, both say yes when asked"] if self.at_terminals else []
        return "; ".join([*(typed or ["none"]), *where])
