"""``table.toml``: every setting of one table, typed, bounded, and with defaults that simulate it.

A key nobody knows is an error, since most are misspellings. What was measured on one table is a
calibration profile, not a setting.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from firmware_bridge.gpio import RESERVED
from table_controller.rules import find_ruleset
from table_controller.rules.core.errors import OptionError
from table_controller.rules.core.options import check_options

Name = Annotated[str, Meta(min_length=1, max_length=60)]
PROFILE = "profile.json"
SURE_AT = 0.80  # where nothing was calibrated
Pin = Annotated[int, Meta(ge=0, le=27)]  # GPIO numbers of the 40-pin header
Language = Literal["en", "ja", "zh_Hans", "zh_Hant", "ko", "ru", "pl", "el"]


class ConfigError(ValueError):
    """Settings that cannot be used: the message names file, section and key; exit status 2."""


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the table is called, where it keeps its log, and how it speaks."""

    name: Name = "Table 1"
    log: Name = "table.sqlite"  # relative to the state directory
    language: Language = "en"
    voice: bool = False  # through espeak-ng, where it is installed
    read_out: bool = False  # every discard and meld is said, for players who do not see them
    voice_volume: Annotated[int, Meta(ge=0, le=200)] = 100


class BridgeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to reach the motor board."""

    port: Name = "sim://"
    raise_walls: bool = True  # by itself once they are built; else a lift key does
    throw_dice: bool = True  # by itself when walls stand; else the staff's screen does
    reconnect_s: Annotated[float, Meta(ge=0.1, le=60)] = 0.5  # pause before the next try
    # The board stops its motors after 500 ms without a word: three beats may get lost.
    heartbeat_s: Annotated[float, Meta(ge=0.02, le=0.15)] = 0.08


SETS: Mapping[int, tuple[str, ...]] = {1: ("A",), 2: ("A", "B")}
"""What the sets of tiles in a machine are called, by their number."""


class MachineType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What kind of machine the table is. How many tiles stand where follows from the rules."""

    family: Literal["four_mouth", "one_mouth", "eight_mouth"] = "four_mouth"
    lifts: Literal["one_stop", "two_stop"] = "one_stop"  # two: a sensor at the top of each as well
    centre: Literal["dice_box", "lid"] = "dice_box"  # what rises, or slides away, over the mouth
    sets: Literal[1, 2] = 2  # one is built while the other is played


class CameraSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where pictures come from."""

    source: Name = "sim://"  # sim://, a number or /dev/video*, rpicam://, a folder or video file
    width: Annotated[int, Meta(ge=640, le=4096)] = 1920  # as calibrated, once it is
    height: Annotated[int, Meta(ge=480, le=3072)] = 1080
    frames_per_s: Annotated[float, Meta(ge=1, le=60)] = 10.0
    profile: str = ""  # in the state directory; empty: where ``calibrate`` writes it


class VisionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a reading counts."""

    sure_at: Annotated[float, Meta(ge=0.5, le=1.0)] | None = None  # left out: as calibrated
    threads: Annotated[int, Meta(ge=1, le=8)] = 1
    restarts: Annotated[int, Meta(ge=0, le=100)] = 5  # of the vision process in a row
    hang_after_s: Annotated[float, Meta(ge=1, le=60)] = 5.0


class GameSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is played."""

    ruleset: str = "riichi_4p"
    preset: str | None = None
    options: dict[str, Any] = {}
    names: Annotated[tuple[Name, ...], Meta(max_length=4)] = ()
    announce: Literal["off", "referee", "public"] = "public"  # who is told of an irregularity


class WebSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the screens are served. Beyond this machine only with a staff PIN."""

    host: Name = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535)] = 8080
    staff_pin: str = ""  # its hash, as ``mahjong-table pin`` prints it; empty: no PIN
    session_hours: Annotated[float, Meta(gt=0, le=24)] = 8.0


class SeatPanel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The GPIO numbers of one seat's keys and lamps; a key left out is not fitted."""

    win: Pin | None = None
    ready: Pin | None = None
    call: Pin | None = None
    draw_end: Pin | None = None
    staff: Pin | None = None
    lift: Pin | None = None
    lamp: Pin | None = None
    dealer_lamp: Pin | None = None


PIN_HASH = re.compile(r"scrypt(\$[1-9][0-9]{0,5}){3}(\$([0-9a-f]{2})+){2}")
"""What `mahjong-table pin` prints: cost, block, parallel, salt, key."""


class PanelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The seats' panels and the emergency stop's status contact, on the Pi's header."""

    a: SeatPanel = SeatPanel()
    b: SeatPanel = SeatPanel()
    c: SeatPanel = SeatPanel()
    d: SeatPanel = SeatPanel()
    emergency_stop: Pin | None = None
    buzzer: Pin | None = None  # sounds when a fault or a question comes up
    debounce_ms: Annotated[int, Meta(ge=5, le=200)] = 30
    chip: Literal["real", "mock"] | None = None  # of the pins: the Pi's header, or pretended ones

    def pins(self) -> Iterator[tuple[str, int]]:
        """Every GPIO number in use, with the setting that names it."""
        for seat in "abcd":
            panel = getattr(self, seat)
            for key in panel.__struct_fields__:
                pin = getattr(panel, key)
                if pin is not None:
                    yield f"{seat}.{key}", pin
        for part in ("emergency_stop", "buzzer"):
            pin = getattr(self, part)
            if pin is not None:
                yield part, pin


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that is set about one table."""

    table: TableSettings = TableSettings()
    bridge: BridgeSettings = BridgeSettings()
    machine: MachineType = MachineType()
    camera: CameraSettings = CameraSettings()
    vision: VisionSettings = VisionSettings()
    game: GameSettings = GameSettings()
    web: WebSettings = WebSettings()
    panels: PanelSettings = PanelSettings()

    def log_path(self) -> Path:
        """Where the event log lies: an absolute path, or in the state directory."""
        return state_directory() / self.table.log

    def profile_path(self) -> Path:
        """The calibration profile: an absolute path, or in the state directory."""
        return state_directory() / (self.camera.profile or PROFILE)


def state_directory() -> Path:
    """Where the table keeps what it must not forget: systemd's choice, else the user's folder."""
    given = os.environ.get("STATE_DIRECTORY")
    if given:
        return Path(given.split(":")[0])
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "mahjong-table"


def load_config(path: Path | str | None = None) -> Config:
    """The settings in the file, or the defaults; raises ConfigError."""
    if path is None:
        return Config()
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}") from error
    try:
        return parse_config(text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def parse_config(text: str) -> Config:
    """The settings that the TOML text holds; raises ConfigError naming section and key."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError("not TOML that a table uses: lists are nested too deep") from error
    except ValueError as error:  # Python reads no number of more than 4300 digits
        raise ConfigError("not TOML that a table uses: a number has too many digits") from error
    try:
        config = msgspec.convert(data, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(_in_words(str(error))) from error
    _check_game(config.game)
    _check_web(config.web)
    _check_pins(config.panels)
    return config


def _check_game(game: GameSettings) -> None:
    try:
        ruleset = find_ruleset(game.ruleset)
    except OptionError as error:
        raise ConfigError(f"[game] ruleset: {error}") from error
    if game.preset is not None and game.preset not in ruleset.presets:
        raise ConfigError(
            f"[game] preset: {game.ruleset} has no preset {game.preset!r}; "
            f"it has {', '.join(ruleset.presets) or 'none'}"
        )
    if "preset" in game.options:
        raise ConfigError(
            "[game.options] preset: a preset is chosen in [game], above its options: "
            f"[game] preset = {json.dumps(game.options['preset'], default=str)}"
        )
    try:
        options = ruleset.choose(game.preset, **game.options)
        check_options(options)
    except OptionError as error:
        raise ConfigError(f"[game.options] {error}") from error
    players = ruleset.players_with(options)
    if len(game.names) > players:
        raise ConfigError(
            f"[game] names: {len(game.names)} names for {players} players of {game.ruleset}"
        )


def is_local(host: str) -> bool:
    """Whether only this machine can reach that address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _check_web(web: WebSettings) -> None:
    if not is_local(web.host) and not web.staff_pin:
        raise ConfigError(
            f"[web] host: {web.host} can be reached from other machines, so a staff_pin is needed; "
            "or use 127.0.0.1"
        )
    if web.staff_pin and not PIN_HASH.fullmatch(web.staff_pin):
        raise ConfigError(
            "[web] staff_pin: write the hash that `mahjong-table pin` prints, not the PIN itself"
        )


def _check_pins(panels: PanelSettings) -> None:
    used = list(panels.pins())
    for pin, times in Counter(pin for _, pin in used).items():
        if times > 1:
            names = " and ".join(name for name, each in used if each == pin)
            raise ConfigError(f"[panels] GPIO {pin} is given to {names}: a pin has one use")
    for name, pin in used:
        if pin in RESERVED:
            raise ConfigError(f"[panels] {name}: GPIO {pin} belongs to {RESERVED[pin]}")
    if used and panels.chip is None:
        raise ConfigError(
            '[panels] chip: write "real" for pins of the Pi\'s header, "mock" to try without them'
        )


def _in_words(problem: str) -> str:
    """A msgspec message as ``[section] key: what is wrong``."""
    found = re.fullmatch(r"(?P<what>.*?)(?: - at `\$\.?(?P<where>[^`]*)`)?", problem, re.DOTALL)
    assert found is not None
    what, where = found["what"], found["where"] or ""
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what)
    if unknown:
        key, known = unknown[1], _keys_at(where)
        close = difflib.get_close_matches(key, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
        place = f"[{where}] {key}" if where else f"[{key}]"
        return f"{place}: no such {'key' if where else 'section'}; {hint}"
    section, _, key = where.rpartition(".")
    if what.startswith("Invalid enum value"):
        choices = ", ".join(map(str, get_args(_type_at(section, key))))
        what = f"{what.removeprefix('Invalid enum value ')} is not known; there are {choices}"
    what = what[:1].lower() + what[1:]
    if not section:
        return f"[{where}]: {what}" if where else what
    return f"[{section}] {key}: {what}"


def _keys_at(where: str) -> tuple[str, ...]:
    return tuple(field.encode_name for field in msgspec.structs.fields(_type_at(where)))


def _type_at(*where: str) -> Any:
    """The type of the setting that stands there."""
    at: Any = Config
    for part in filter(None, ".".join(where).split(".")):
        at = next(f.type for f in msgspec.structs.fields(at) if f.encode_name == part)
    return at
