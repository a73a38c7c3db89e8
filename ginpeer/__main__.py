"""`python -m ginpeer` is `ginpeer`. Nothing imports this module: it stands above the command line."""

import sys

from cli.main import main

sys.exit(main())
