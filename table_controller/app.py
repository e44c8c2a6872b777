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
from typing import Any

import msgspec

from calibration.lifts import motor_limits
from calibration.profile import Profile, load_profile
from calibration.readings import readings_path
from firmware_bridge.bridge import Bridge, metrics
from firmware_bridge.gpio import PanelPins, Panels, SeatPins, real_factory
from firmware_bridge.journal import FileJournal
from firmware_bridge.settings import MachineSettings, unmeasured
from table_controller.calibrating import Calibration
from table_controller.conductor import Conductor
from table_controller.config import (
    SETS,
    SURE_AT,
    Config,
    PanelSettings,
    SeatPanel,
    VisionSettings,
    state_directory,
)
from table_controller.confirming import Confirming
from table_controller.desk import Desk
from table_controller.layout import geometry_for, machine_layout
from table_controller.lookout import Lookout
from table_controller.machine import Machine
from table_controller.rules import find_ruleset
from table_controller.score import parse_options
from table_controller.store import Store
from table_controller.table import Table
from table_controller.voice import speak
from table_controller.web.app import Site, serve, software_version
from vision.camera import CameraModel
from vision.values import EyesSettings
from vision.zones import TableGeometry

logger = logging.getLogger(__name__)


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
        profile = _profile(config)
        conductor = Conductor(
            ruleset, options, table, geometry, sure_at=sure_at(config.vision, profile)
        )
        if table.resumed:
            conductor.resume([record.event for record in table.records])
        link = config.bridge
        bridge = await stack.enter_async_context(
            Bridge(link.port, reconnect_s=link.reconnect_s, heartbeat_s=link.heartbeat_s)
        )
        limits = motor_limits(profile.lifts) if profile.lifts else unmeasured()
        layout = machine_layout(ruleset, options, config.machine)
        machine = await stack.enter_async_context(
            Machine(
                bridge,
                MachineSettings(layout, limits),
                journal=FileJournal(state_directory() / "machine.json"),
                sets=SETS[config.machine.sets],
                raise_by_itself=link.raise_walls,
            )
        )
        desk = Desk(table, conductor, machine)
        settings = eyes_settings(config, profile, geometry)
        lookout = Lookout(
            settings,
            table,
            conductor,
            desk,
            machine,
            calibrated=profile.place is not None,
            sure_dice=profile.dome.sure_from if profile.dome else None,
            throw_dice=link.throw_dice,
        )
        panels = None
        if any(True for _ in config.panels.pins()):
            panels = await stack.enter_async_context(_panels(config.panels, desk))
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        tasks.create_task(desk.run(), name="desk")
        if panels is not None:
            tasks.create_task(desk.light(panels), name="lamps")
        tasks.create_task(lookout.run(), name="lookout")
        tasks.create_task(speak(table, config.table, config.game.announce), name="voice")
        confirming = Confirming(
            table, conductor, readings_path(config.profile_path()), settings.temperature
        )
        tasks.create_task(confirming.run(), name="readings")

        calibration = Calibration(
            config.profile_path(),
            lambda: lookout.eyes,
            machine,
            lambda profile: use_profile(profile, config, conductor, confirming, lookout),
        )
        stack.push_async_callback(calibration.end)
        site = Site(
            table,
            config.web,
            name=config.table.name,
            language=config.table.language,
            announce=config.game.announce,
            machine=machine,
            calibration=calibration,
            gauges=lambda: {
                **metrics(bridge.statistics),
                **machine.metrics(),
                **lookout.metrics(),
            },
        )
        tasks.create_task(serve(site, started=_ready), name="web")


def _profile(config: Config) -> Profile:
    """What was measured on this table; nothing when it never was."""
    path = config.profile_path()
    if not path.exists() and not config.camera.profile:
        logger.warning("this table was never calibrated: mahjong-table calibrate camera")
        return Profile()
    profile = load_profile(path)
    logger.info("calibration profile: %s", path)
    for quality in profile.qualities():
        logger.info("calibration: %s", quality)
    return profile


def use_profile(
    profile: Profile,
    config: Config,
    conductor: Conductor,
    confirming: Confirming,
    lookout: Lookout,
) -> None:
    """What was measured while the table runs counts from now on."""
    settings = eyes_settings(config, profile, conductor.geometry)
    conductor.trust(sure_at(config.vision, profile))
    confirming.use(settings.temperature)
    lookout.use(
        settings,
        calibrated=profile.place is not None,
        sure_dice=profile.dome.sure_from if profile.dome else None,
    )


def sure_at(settings: VisionSettings, profile: Profile) -> float:
    """From which confidence on a reading counts: as set, else as calibrated, else as usual."""
    if settings.sure_at is not None:
        return settings.sure_at
    return profile.confidence.sure_at if profile.confidence else SURE_AT


def eyes_settings(config: Config, profile: Profile, geometry: TableGeometry) -> EyesSettings:
    """What the vision process is told of this table: every part of its profile counts."""
    tiles, confidence = profile.tiles, profile.confidence
    vision = config.vision
    size = config.camera
    return EyesSettings(
        source=size.source,
        camera=profile.camera_model()
        if profile.place
        else CameraModel.above_table(width_px=size.width, height_px=size.height),
        table=geometry,
        tags=profile.tag_layout(),
        dome=profile.dome_spot(),
        tile_set=config.profile_path().parent / tiles.file if tiles else None,
        temperature=confidence.temperature if confidence else 1.0,
        fps=size.frames_per_s,
        threads=vision.threads,
        restarts=vision.restarts,
        answer_within_s=vision.hang_after_s,
    )


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
            dealer_lamp=pins.dealer_lamp,
        )

    return PanelPins(
        seats=(seat(panels.a), seat(panels.b), seat(panels.c), seat(panels.d)),
        emergency_stop=panels.emergency_stop,
        buzzer=panels.buzzer,
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
