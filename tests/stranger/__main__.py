"""`python -m tests.stranger LOG`: the verdict on a log as one line of JSON."""

import json
import sys
from pathlib import Path

from .log import judge

if __name__ == "__main__":
    print(json.dumps(judge(Path(sys.argv[1]).read_bytes())))
