"""Run `ginpeer` for `python -m ginpeer`. Nothing imports this module, which is above cli."""

import sys

from cli.main import main

sys.exit(main())
