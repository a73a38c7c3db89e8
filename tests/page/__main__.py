"""Check the page of a match more thoroughly than the suite: python -m tests.page FOLDER [LOG ...]

Writes the page of each log (by default, some golden logs) to FOLDER, with pictures in three sizes,
light and dark. Walks through all steps with the keyboard in each size, lets each page verify its
log, and runs axe-core if this machine has it (GINPEER_AXE names its axe.min.js). The exit status is
1 if it finds a fault.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.page.browser import CHROMIUM, DRIVER, MISSING, SIZES, browser
from tests.page.looked_at import axe_script, complaints, findings, go_to, outcome, walked_by_keys
from tests.page.pages import golden, hostile, page_of

GOLDEN = ("standard", "mahjong", "hollywood", "incomplete", "forged-flipped-bit", "never-disclosed")
PLACES = ("#table", "#score", "#proof")


def main(arguments: list[str]) -> int:
    if not arguments or CHROMIUM is None or DRIVER is None:
        print(MISSING if arguments else __doc__)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    given = {Path(each).stem: Path(each).read_bytes() for each in arguments[1:]}
    logs = given or {"hostile": hostile(), **{name: golden(name) for name in GOLDEN}}
    axe, found = axe_script(), []
    print("axe-core: " + ("asked" if axe else "not here"))
    with browser() as window:
        for name, log in logs.items():
            path = folder / f"{name}.html"
            path.write_bytes(page_of(log))
            for size, pixels in SIZES.items():
                for scheme in ("light", "dark"):
                    window.look(pixels, scheme)
                    window.open(path)
                    steps = walked_by_keys(window)
                    middle = steps[len(steps) * 2 // 3]
                    go_to(window, middle["slider"])
                    wrong = [step["where"] for step in steps if step["wide"]]
                    found += [f"{name} {size}: {where} is too wide" for where in wrong]
                    for place in PLACES:
                        window.run("document.querySelector(arguments[0]).scrollIntoView()", place)
                        picture = folder / f"{name}-{size}-{scheme}-{place[1:]}.png"
                        picture.write_bytes(window.picture())
                    if axe is not None:
                        window.run(_UNFOLD)
                        told = findings(window, axe)
                        found += [f"{name} {size} {scheme}: {each[:400]}" for each in told]
            window.open(path)
            print(f"{name}: {outcome(window)}")
            found += [f"{name}: {each}" for each in complaints(window, path)]
            print(f"{name}: {len(steps)} steps, {path.stat().st_size} bytes, log {len(log)}")
    print(*found, sep="\n")
    return 1 if found else 0


_UNFOLD = "for (const each of document.querySelectorAll('details')) each.open = true;"

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
