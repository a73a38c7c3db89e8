"""`python -m cli` is `ginpeer`."""

import sys

from cli.main import main

sys.exit(main())
