"""Files of transcripts: a title, its steps and, indented below each step, its result.

A title begins with "== ", a step with ">" or ":", a remark with "#". A step with "::" has no result
in the file, because an earlier step has the same. After a deliberate change, let the module that
replays the file write it again (`python -m tests.cli...`), and read the diff.
"""


def transcripts(file):
    """Yield the title and the lines of each transcript."""
    for part in file.read_text(encoding="utf-8").split("\n== ")[1:]:
        title, _, lines = part.partition("\n")
        yield title, [line for line in lines.splitlines() if line.strip()]


def replayed(lines, step):
    """Return the transcript with the current result of each step, which *step* returns as lines."""
    now = []
    for line in lines:
        if line[0] in ">:#":
            now.append(line)
        if line[0] in ">:":
            come = step(line)
            now += [] if line.startswith("::") else [f"  {each}".rstrip() for each in come]
    return now


def write_again(file, steps):
    """Write the current results to the file. *steps* returns a new *step* for each transcript."""
    head = file.read_text(encoding="utf-8").split("\n== ")[0]
    parts = [
        "\n".join((f"\n== {title}", *replayed(lines, steps())))
        for title, lines in transcripts(file)
    ]
    file.write_text(head + "\n".join(parts) + "\n", encoding="utf-8")
