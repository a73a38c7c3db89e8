"""`ginpeer id`: who we are to others."""

from __future__ import annotations

import getpass
import os
from argparse import Namespace

from cli.failure import OUR_FAULT, Failure
from cli.logs import open_home
from cli.text import safe
from ginpeer.store import StoreError
from protocol.crypto.identity import fingerprint
from protocol.messages import Malformed, clean_name


def run_id(args: Namespace) -> int:
    """Print name, fingerprint and key; makes the key if there is none yet."""
    home = open_home(args.home)
    try:
        public = home.identity(os.urandom).public
    except StoreError as why:
        raise Failure(why.code, why.sentence, OUR_FAULT) from why
    print(f"Name: {own_name()}")
    print(f"Fingerprint: {fingerprint(public)}")
    print(f"Public key: {public.hex()}")
    print(f"Home: {safe(str(home.path))}")
    return 0


def own_name() -> str:
    """What we are called where no --name is given: the login name, or "player"."""
    try:
        return clean_name(getpass.getuser())
    except (Malformed, KeyError, OSError, ImportError):
        return "player"
