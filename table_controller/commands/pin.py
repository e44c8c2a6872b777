"""`mahjong-table pin`: the line for ``table.toml`` that opens the staff console with a PIN."""

from __future__ import annotations

import argparse
import getpass
import sys

from table_controller.commands import bad_input, say
from table_controller.web.staff import PinError, hash_pin


def configure(parser: argparse.ArgumentParser) -> None:
    """No options: the PIN is asked for, or read from standard input."""


def execute(args: argparse.Namespace) -> int:
    """Ask for a PIN and print its hash."""
    with bad_input(PinError, EOFError):
        pin = getpass.getpass("PIN: ") if sys.stdin.isatty() else input()
        hashed = hash_pin(pin)
    say(f'[web]\nstaff_pin = "{hashed}"')
    return 0
