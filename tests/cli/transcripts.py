"""Files of transcripts: under each title steps, and behind each step, indented, what comes of it.

A title begins with "== ", a step with ">" or ":", a remark with "#". What comes of a step with "::"
stands elsewhere already, and is left out. After a deliberate change, let the module that replays a
file write it again (`python -m tests.cli...`), and read the difference.
"""


def transcripts(file):
    """The title of each transcript, and its lines."""
    for part in file.read_text(encoding="utf-8").split("\n== ")[1:]:
        title, _, lines = part.partition("\n")
        yield title, [line for line in lines.splitlines() if line.strip()]


def replayed(lines, step):
    """The same transcript with what comes of each step now: *step* returns it as lines."""
    now = []
    for line in lines:
        if line[0] in ">:#":
            now.append(line)
        if line[0] in ">:":
            come = step(line)
            now += [] if line.startswith("::") else [f"  {each}".rstrip() for each in come]
    return now


def write_again(file, steps):
    """Write what comes of the steps now. *steps* returns a fresh *step* for each transcript."""
    head = file.read_text(encoding="utf-8").split("\n== ")[0]
    parts = [
        "\n".join((f"\n== {title}", *replayed(lines, steps())))
        for title, lines in transcripts(file)
    ]
    file.write_text(head + "\n".join(parts) + "\n", encoding="utf-8")
