"""Entry of the motor board's firmware."""

import sys

from board import Board

if sys.platform == "rp2":
    from hal_rp2 import Hal
else:
    from hal_sim import Hal

try:
    from firmware_id import FIRMWARE_ID
except ImportError:
    FIRMWARE_ID = 0


def main():
    """Run for ever; an error turns the motors off, and the watchdog starts the board anew."""
    hal = Hal()
    try:
        board = Board(hal, FIRMWARE_ID)
        while True:
            board.run_once()
    finally:
        hal.drive(0, 0)
        hal.enable(False)


main()
