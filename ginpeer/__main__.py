"""`python -m ginpeer` is `ginpeer`. It is above the command line: nothing imports it."""

import sys

from cli.main import main

sys.exit(main())
