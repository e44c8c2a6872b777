"""The daemon of a real table: opens everything, closes everything; nothing else does.

One event loop. The bridge, the panels, the camera's process and the web server run beside each
other in one task group; cancelling it shuts the table down. A part that fails (a camera that hangs,
a board that does not answer) is shown on the screen and tried again; the game goes on from its log.
"""

from __future__ import annotations

import asyncio
import logging
import platform
import signal
import socket
from contextlib import AsyncExitStack
from os import environ
from pathlib import Path
from typing import Any

import msgspec

from calibration.lifts import motor_limits
from calibration.profile import Profile, load_profile
from firmware_bridge.bridge import Bridge, metrics
from firmware_bridge.gpio import PanelPins, Panels, SeatPins, real_factory
from firmware_bridge.journal import FileJournal
from firmware_bridge.layout import TableLayout
from firmware_bridge.settings import MachineSettings
from table_controller.conductor import Conductor
from table_controller.config import Config, PanelSettings, SeatPanel, state_directory
from table_controller.desk import Desk
from table_controller.machine import Machine, MachineView, Phase
from table_controller.rules import find_ruleset
from table_controller.score import parse_options
from table_controller.simulation.run import geometry_for, stacks_of
from table_controller.store import Store
from table_controller.table import Table
from table_controller.web.app import Site, serve, software_version
from vision.camera import CameraModel
from vision.errors import VisionError
from vision.values import SceneSettings
from vision.worker import Eyes, EyesSettings

logger = logging.getLogger(__name__)

CAMERA_RETRY_S = 10.0


async def run_table(config: Config) -> None:
    """Run the table until SIGTERM or SIGINT."""
    _stop_on_signals(asyncio.current_task())
    ruleset = find_ruleset(config.game.ruleset)
    given = dict(config.game.options)
    if config.game.preset is not None:
        given["preset"] = config.game.preset
    options = parse_options(ruleset, given)
    geometry = geometry_for(ruleset, options)
    logger.info(
        "mahjong-table %s on Python %s; settings %s",
        software_version(),
        platform.python_version(),
        msgspec.json.encode(_without_secrets(config)).decode(),
    )
    state_directory().mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        store = stack.enter_context(Store(config.log_path()))
        table = Table.open(
            store, ruleset, options, preset=config.game.preset, names=config.game.names
        )
        conductor = Conductor(ruleset, options, table, geometry, sure_at=config.vision.sure_at)
        if table.resumed:
            conductor.resume([record.event for record in table.records])
        bridge = await stack.enter_async_context(Bridge(config.bridge.port))
        profile = load_profile(Path(config.camera.profile)) if config.camera.profile else Profile()
        for quality in profile.qualities():
            logger.info("calibration: %s", quality)
        layout = TableLayout(ruleset.name, stacks_of(ruleset, options))
        machine = await stack.enter_async_context(
            Machine(
                bridge,
                MachineSettings(layout, motor_limits(profile.lifts)),
                journal=FileJournal(state_directory() / "machine.json"),
                raise_by_itself=config.bridge.raise_walls,
            )
        )
        desk = Desk(table, conductor, machine)
        machine.watch(lambda view: _begin_when_walls_stand(conductor, view))
        panels = None
        if any(True for _ in config.panels.pins()):
            panels = await stack.enter_async_context(_panels(config.panels, desk))
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        tasks.create_task(desk.run(), name="desk")
        if panels is not None:
            tasks.create_task(desk.light(panels), name="lamps")
        tiles = profile.tiles
        eyes = EyesSettings(
            source=config.camera.source,
            camera=profile.camera_model() if profile.place else CameraModel.above_table(),
            tile_set=Path(config.camera.profile).parent / tiles.file if tiles else None,
            table=geometry,
            fps=config.camera.frames_per_s,
            threads=config.vision.threads,
            restarts=config.vision.restarts,
            answer_within_s=config.vision.hang_after_s,
            scene=SceneSettings(),
        )
        tasks.create_task(watch_table(eyes, table, conductor, desk), name="eyes")
        site = Site(
            table,
            config.web,
            name=config.table.name,
            language=config.table.language,
            announce=config.game.announce,
            gauges=lambda: metrics(bridge.statistics),
        )
        tasks.create_task(serve(site, started=_ready), name="web")


def _begin_when_walls_stand(conductor: Conductor, view: MachineView) -> None:
    """Walls that were raised start a deal, unless one goes on or the match is over."""
    if view.phase is Phase.PLAYING and not conductor.is_playing and not conductor.is_over:
        conductor.begin_deal()


async def watch_table(
    settings: EyesSettings, table: Table, conductor: Conductor, desk: Desk
) -> None:
    """Feed the conductor with scenes; a camera that is lost is shown, and tried again."""
    while True:
        eyes = Eyes(settings)
        try:
            await eyes.start()
            desk.camera("up")
            async for scene in eyes.scenes():
                await table.until_running()
                desk.camera("dark" if eyes.faults else "up")
                conductor.see(scene)
            logger.warning("the camera's pictures ended")
        except VisionError as error:
            logger.error("the camera cannot be used: %s", error)
        finally:
            await eyes.close()
        desk.camera("down")
        await asyncio.sleep(CAMERA_RETRY_S)


def _panels(settings: PanelSettings, desk: Desk) -> Panels:
    factory = real_factory() if settings.chip == "real" else None
    stable_s = settings.debounce_ms / 1000
    return Panels(panel_pins(settings), desk.heard, factory=factory, stable_s=stable_s)


def panel_pins(panels: PanelSettings) -> PanelPins:
    """The GPIO numbers as the panels want them."""

    def seat(pins: SeatPanel) -> SeatPins:
        return SeatPins(
            ready=pins.ready,
            win=pins.win,
            call=pins.call,
            draw_end=pins.draw_end,
            staff=pins.staff,
            lift=pins.lift,
            lamp=pins.lamp,
        )

    return PanelPins(
        seats=(seat(panels.a), seat(panels.b), seat(panels.c), seat(panels.d)),
        emergency_stop=panels.emergency_stop,
    )


def _without_secrets(config: Config) -> Config:
    web = msgspec.structs.replace(config.web, staff_pin="set" if config.web.staff_pin else "")
    return msgspec.structs.replace(config, web=web)


def _ready(port: int) -> None:
    logger.info("the table's screen: http://localhost:%d", port)
    notify("READY=1")


def notify(message: str) -> None:
    """Tell systemd, where it started us (sd_notify: one datagram)."""
    address = environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.sendto(message.encode(), address)


def _stop_on_signals(task: asyncio.Task[Any] | None) -> None:
    assert task is not None
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
