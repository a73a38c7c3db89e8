"""The transcript of a hand in README.md, played from a recorded log.

Run by hand: ``python -m tests.document.transcript`` prints the transcript; --write puts it in
README.md.
"""

import sys
from pathlib import Path

from ginpeer.record import Record
from tests.bench.words import listen

README = Path(__file__).parents[2] / "README.md"
LOG = Path(__file__).parents[1] / "vectors" / "logs" / "one-hand.ginlog"
BEGIN, END = "<!-- transcript -->\n", "<!-- end of the transcript -->\n"
LINES = 12


def transcript() -> str:
    """Return the end of the hand as the guest reads and types it, indented as code."""
    heard = listen(Record.read(LOG), 1)
    lines = [
        f"{line}{heard.typed.get(at, '').partition(' melds ')[0]}"  # the program adds the melds
        for at, (_, line) in enumerate(heard.said)
    ]
    return "".join(f"    {line}".rstrip() + "\n" for line in lines[-LINES:])


def readme() -> str:
    """Return README.md with this transcript in it."""
    before, _, rest = README.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{transcript()}\n{END}{after}"


if __name__ == "__main__":
    if "--write" in sys.argv:
        README.write_text(readme())
    else:
        print(transcript(), end="")
