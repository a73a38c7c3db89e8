"""Let `python -m ginpeer` run `ginpeer`. Nothing imports this module: it is a layer above cli."""

import sys

from cli.main import main

sys.exit(main())
