"""Settings are read once, bounded, and every mistake in them is named."""

from __future__ import annotations

import io

import pytest

from firmware_bridge.layout import CentreKind
from firmware_bridge.parts import Family, LiftKind
from table_controller.__main__ import main
from table_controller.config import SETS, Config, ConfigError, is_local, load_config, parse_config
from table_controller.layout import machine_layout
from table_controller.rules import find_ruleset
from table_controller.web.staff import is_pin

PIN = '"scrypt$16384$8$1$00$00"'


def test_the_defaults_simulate_a_table_on_this_machine_only():
    config = load_config()
    assert config.bridge.port == "sim://"
    assert config.camera.source == "sim://"
    assert config.panels.chip is None
    assert is_local(config.web.host)
    assert parse_config("") == config == Config()


def test_what_is_set_is_read(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text(
        """
        [table]
        name = "East room 3"
        language = "ja"
        [game]
        ruleset = "two_player"
        options = { rounds = 4 }
        names = ["Ann", "Bo"]
        [panels]
        chip = "mock"
        a = { win = 5, lift = 6 }
        emergency_stop = 26
        """
    )
    config = load_config(path)
    assert config.table.name == "East room 3"
    assert config.game.options == {"rounds": 4}
    assert dict(config.panels.pins()) == {"a.win": 5, "a.lift": 6, "emergency_stop": 26}


def test_the_log_lies_in_the_state_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    assert parse_config("").log_path() == tmp_path / "table.sqlite"
    assert str(parse_config('[table]\nlog = "/data/x.db"').log_path()) == "/data/x.db"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[bridge]\nport = ", r"not TOML: .*at end of document"),
        pytest.param("a = " + "[" * 5000, r"nested too deep", id="a deep nest"),
        pytest.param("a = " + "9" * 5000, r"too many digits", id="a long number"),
        ("[brigde]\n", r"\[brigde\]: no such section; did you mean 'bridge'\?"),
        ("[bridge]\nprot = 1", r"\[bridge\] prot: no such key; did you mean 'port'\?"),
        ("[bridge]\nzzz = 1", r"\[bridge\] zzz: no such key; there are port, raise_walls"),
        ("[web]\nport = '80'", r"\[web\] port: expected `int`, got `str`"),
        ("[web]\nport = 70000", r"\[web\] port: .*<= 65535"),
        ("bridge = 3", r"\[bridge\]: expected `object`"),
        (
            "[table]\nlanguage = 'klingon'",
            r"\[table\] language: 'klingon' is not known; there are en, ja",
        ),
        ("[panels]\na = { win = 99 }", r"\[panels\.a\] win: .*<= 27"),
        ("[panels]\na = { wim = 9 }", r"\[panels\.a\] wim: no such key; did you mean 'win'"),
        (
            "[panels]\na = { win = 5 }\nb = { win = 5 }",
            r"\[panels\] GPIO 5 is given to a\.win and b\.win",
        ),
        ("[panels]\na = { win = 5 }", r'\[panels\] chip: write "real"'),
        ("[bridge]\nheartbeat_s = 0.4", r"\[bridge\] heartbeat_s: .*<= 0\.15"),
        ("[bridge]\nreconnect_s = 0.0", r"\[bridge\] reconnect_s: .*>= 0\.1"),
        ("[panels]\nbuzzer = 14", r"\[panels\] buzzer: GPIO 14 belongs to the serial console"),
        ("[game]\nruleset = 'bridge'", r"\[game\] ruleset: there is no ruleset 'bridge'"),
        (
            "[game]\nruleset = 'two_player'\npreset = 'x'",
            r"\[game\] preset: two_player has no preset 'x'",
        ),
        (
            "[game.options]\npreset = 'ema'",
            r'preset: a preset is chosen in \[game\].*: \[game\] preset = "ema"',
        ),
        (
            "[game]\nruleset = 'two_player'\noptions = { runds = 3 }",
            r"\[game\.options\] two_player has no option 'runds'",
        ),
        (
            "[game]\nruleset = 'two_player'\noptions = { rounds = 0 }",
            r"\[game\.options\] option rounds is 0: it goes from 1 to 999",
        ),
        (
            "[game]\nruleset = 'two_player'\nnames = ['a', 'b', 'c']",
            r"\[game\] names: 3 names for 2 players",
        ),
        ("[web]\nhost = '0.0.0.0'", r"\[web\] host: 0\.0\.0\.0 .*staff_pin is needed"),
        ("[web]\nstaff_pin = '1234'", r"\[web\] staff_pin: write the hash"),
        ("[web]\nstaff_pin = 'scrypt$1234'", r"\[web\] staff_pin: write the hash"),
    ],
)
def test_a_mistake_names_section_and_key(text, says):
    with pytest.raises(ConfigError, match=says):
        parse_config(text)


def test_the_kind_of_machine_is_a_setting():
    text = "[machine]\nfamily = 'one_mouth'\nlifts = 'two_stop'\ncentre = 'lid'\nsets = 1"
    config = parse_config(text)
    ruleset = find_ruleset("riichi_4p")
    layout = machine_layout(ruleset, ruleset.choose(None), config.machine)
    assert layout.stacks == (17, 17, 17, 17)
    assert (layout.family, layout.lifts, layout.centre) == (
        Family.ONE_MOUTH,
        LiftKind.TWO_STOP,
        CentreKind.LID,
    )
    assert SETS[config.machine.sets] == ("A",)
    with pytest.raises(ConfigError, match=r"\[machine\] centre: 'door' is not known"):
        parse_config("[machine]\ncentre = 'door'")


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text("[table]\nname = 'Ten'\n", encoding="utf-8-sig")
    assert load_config(path).table.name == "Ten"


def test_a_pin_opens_the_door_to_other_machines():
    assert parse_config(f"[web]\nhost = '0.0.0.0'\nstaff_pin = {PIN}").web.host == "0.0.0.0"


def test_the_pin_command_prints_what_the_settings_take(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("2468\n"))
    assert main(["pin"]) == 0
    printed = capsys.readouterr().out
    assert is_pin("2468", parse_config(printed).web.staff_pin)
    monkeypatch.setattr("sys.stdin", io.StringIO("12\n"))
    assert main(["pin"]) == 2
    assert "a PIN has 4 to 64 characters" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read: No such file"):
        load_config(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"bad\.toml: cannot be read: it is not UTF-8"):
        load_config(tmp_path / "bad.toml")
    (tmp_path / "bad.toml").write_text("[web]\nport = 0")
    with pytest.raises(ConfigError, match=r"bad\.toml: \[web\] port"):
        load_config(tmp_path / "bad.toml")
