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
    with bad_input(PinError):
        try:
            hashed = hash_pin(getpass.getpass("PIN: ") if sys.stdin.isatty() else input())
        except EOFError:
            raise PinError("no PIN was given: type one, or pipe it in") from None
        except UnicodeError:
            raise PinError("a PIN is text that UTF-8 can hold") from None
    say(f'[web]\nstaff_pin = "{hashed}"')
    return 0
