"""`mahjong-table run`: the daemon of a table."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys

from calibration.quality import CalibrationError
from firmware_bridge.errors import SettingsError
from table_controller.commands import BadInputError, bad_input
from table_controller.config import Config, ConfigError, load_config
from table_controller.store import StoreError

SIMULATED = "sim://"


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--config", metavar="table.toml", help="settings; without: simulated")
    parser.add_argument("-v", "--verbose", action="store_true", help="log frames on the wire too")


def execute(args: argparse.Namespace) -> int:
    """Run until stopped. Settings that name no hardware run the simulated table."""
    logging.basicConfig(
        level=logging.DEBUG if args.verbose else logging.INFO,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    with bad_input(ConfigError):
        config = load_config(args.config)
    simulated = {config.bridge.port == SIMULATED, config.camera.source == SIMULATED}
    if len(simulated) > 1:
        raise BadInputError(
            "[bridge] port and [camera] source: one is simulated and the other real; "
            "set both, or leave both out to run the simulated table"
        )
    if simulated == {True}:
        return _simulated(config)
    from table_controller.app import run_table
    from table_controller.web.app import PortError

    with bad_input(StoreError, SettingsError, CalibrationError, OSError):
        try:
            asyncio.run(run_table(config))
        except (asyncio.CancelledError, KeyboardInterrupt):
            return 0
        except BaseExceptionGroup as group:  # of the tasks, where one could not even begin
            refused, _ = group.split(PortError)
            if refused is None:
                raise
            raise refused.exceptions[0] from None
    return 0


def _simulated(config: Config) -> int:
    """The simulated table, as these settings describe it."""
    from table_controller.commands import simulate

    parser = argparse.ArgumentParser()
    simulate.configure(parser)
    words = ["--ruleset", config.game.ruleset, "--port", str(config.web.port)]
    if config.game.preset is not None:
        words += ["--preset", config.game.preset]
    return simulate.simulate(parser.parse_args(words), config)
