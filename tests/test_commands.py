"""The command line: exit status 0, 1 and 2, and one line for bad input."""

from __future__ import annotations

import io
import json
import socket
import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.__main__ import main
from table_controller.simulation.scripts import find_script
from table_controller.store import Store
from table_controller.table import Table
from tests.shared_data import shared_data

FURITEN = {
    "ruleset": "riichi_4p",
    "winner": 1,
    "from": 0,
    "hand": "123m 456m 789s 34p 99p",
    "winning_tile": "2p",
    "ponds": {"1": "1z 5p 9m"},
}
SACRED = {
    "ruleset": "korean_japanese_3p",
    "winner": 1,
    "from": 0,
    "hand": "123m 456m 789m 34p 99p",
    "winning_tile": "5p",
    "ponds": {"1": "5p 1z"},
}


def run(capsys, *words: str) -> tuple[int, str, str]:
    try:
        status = main(words)
    except SystemExit as left:  # argparse
        status = int(left.code or 0)
    out = capsys.readouterr()
    return status, out.out, out.err


def assert_one_line(status: int, err: str, *says: str) -> None:
    assert status == 2
    assert len(err.strip().splitlines()) == 1, err
    for text in says:
        assert text in err


def test_a_hand_is_explained(capsys):
    status, out, _ = run(capsys, "score", "123m 456p 789s 99p 13s + 2s", "--from", "2")
    assert status == 1  # no yaku
    status, out, _ = run(
        capsys, "score", "123m 456p 789s 99p 13s + 2s", "--from", "2", "--flags", "ready"
    )
    assert status == 0
    assert "Riichi" in out
    assert "pays" in out


def test_cases_are_answered_in_order_one_a_line(capsys, tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(f"{json.dumps(FURITEN)}\n\n{json.dumps(SACRED)}\n", encoding="utf-8")
    status, out, _ = run(capsys, "score", "--case", str(path), "--json")
    assert status == 1
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["violations"][0]["code"] for answer in answers] == [
        "furiten",
        "sacred_discard",
    ]
    assert answers[0]["violations"][0]["evidence"] == [{"seat": 1, "place": 2, "tile": "5p"}]
    assert answers[1]["violations"][0]["evidence"] == [{"seat": 1, "place": 1, "tile": "5p"}]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["score", "123m 456p"], "plus"),
        (["score", "123m + 4x"], "cannot read '4x'"),
        (["score", "11111m 234p 567s 99s 1z + 1z"], "5 copies of 1m"),
        (["score", "123m 456p + 7s"], "tiles"),
        (["score", "--case", "/no/such/file"], "/no/such/file"),
        (["score"], "give a hand"),
        (["rulesets", "chess"], "chess"),
        (["simulate", "--headless", "--ruleset", "chess"], "chess"),
        (["simulate", "--headless", "--replay", "/no/such.xml"], "/no/such.xml"),
        (["simulate", "--headless", "--script", "nothing"], "furiten_win"),
        (["simulate", "--headless", "--speed", "fast"], "--speed fast"),
        (["simulate", "--headless", "--deals", "0"], "--deals 0"),
        (["simulate", "--port", "70000"], "--port 70000"),
        (["replay", "/no/such/folder/game.xml"], "game.xml"),
        (["replay", "/no/such.xml", "--deals", "0"], "--deals 0: replay at least one"),
        (["replay", "/no/such.xml", "--deals", "-1"], "--deals -1: replay at least one"),
        (["read", "/no/such.jpg"], "no/such.jpg"),
        (["sim", "fault", "jam", "drum"], "simulate"),
        (["sim", "fault", "slow", "drum", "nan"], "amount nan"),
    ],
)
def test_bad_input_is_one_line_and_status_2(capsys, words, says, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    status, _, err = run(capsys, *words)
    assert_one_line(status, err, says)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut.xml", '<mjloggm ver="2.3"><INIT seed="0,0,0,1,2,3" ten="250,2'),
        ("not_a_game.json", '{"weather": "fine"}'),
        ("prose.txt", "East wins."),
        ("empty.xml", ""),
        ("none.json", "[]"),
        ("bytes.xml", b"\xff\xfe\x00\x01"),
    ],
)
@pytest.mark.parametrize("command", [["replay"], ["simulate", "--headless", "--replay"]])
def test_a_damaged_or_unknown_log_is_refused(capsys, tmp_path, name, content, command):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    status, _, err = run(capsys, *command, str(path))
    assert_one_line(status, err, name)


def test_a_record_of_one_seats_view_leaves_nothing_to_draw(capsys):
    path = shared_data("logs/tenhou_client_views/client_logs.txt.gz")
    status, _, err = run(capsys, "simulate", "--headless", "--no-pixels", "--replay", str(path))
    assert_one_line(status, err, "client_logs", "replay")


def test_a_taken_port_is_one_line(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, _, err = run(capsys, "simulate", "--no-pixels", "--port", port)
    assert_one_line(status, err, port)


def test_a_case_file_that_is_not_json_names_line_and_column(capsys, tmp_path):
    path = tmp_path / "cases.json"
    path.write_text('{"ruleset": ', encoding="utf-8")
    status, _, err = run(capsys, "score", "--case", str(path))
    assert_one_line(status, err, "line 1")


def test_an_image_that_is_none_is_refused(capsys, tmp_path):
    path = tmp_path / "no.png"
    path.write_text("not a picture", encoding="utf-8")
    status, _, err = run(capsys, "read", str(path))
    assert_one_line(status, err, "no.png", "not a readable picture")


def test_rulesets_are_listed_and_described(capsys):
    status, out, _ = run(capsys, "rulesets", "--json")
    assert status == 0
    names = {each["name"] for each in json.loads(out)["rulesets"]}
    assert {"riichi_4p", "korean_japanese_3p", "mcr", "american"} <= names
    status, out, _ = run(capsys, "rulesets", "riichi_4p", "--json")
    assert status == 0
    options = json.loads(out)["options"]
    assert all(option["doc"] for option in options)
    status, out, _ = run(capsys, "rulesets", "riichi_4p")
    assert status == 0
    assert "kuikae" in out
    status, out, _ = run(capsys, "rulesets", "hong_kong_old")
    assert "limit_hands               12 below" in out
    assert "\n    default: heavenly_hand earthly_hand " in out


def test_deals_of_bots_are_settled_as_they_should(capsys):
    """Firmware, wire, machine, keys on mock pins and referee; tiles are read without pictures."""
    status, out, _ = run(
        capsys, "simulate", "--headless", "--no-pixels", "--deals", "2", "--seed", "5", "--json"
    )
    assert status == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["equal"] for line in lines[:2]] == [True, True]
    assert lines[2] == {"summary": {"games": 1, "deals": 2, "equal": 2, "flagged": 0, "wrong": 0}}


@pytest.mark.parametrize("name", ["furiten_win", "sacred_discard"])
def test_scripted_deals_run_at_the_whole_table(capsys, name):
    status, out, _ = run(
        capsys, "simulate", "--headless", "--no-pixels", "--script", name, "--json"
    )
    assert status == 0
    assert json.loads(out.splitlines()[-1])["summary"]["equal"] == 1


@pytest.fixture
def log(tmp_path):
    """A log with one game of the furiten script, as the table writes it."""
    script = find_script("furiten_win")
    path = tmp_path / "table.sqlite"
    with Store(path) as store:
        table = Table.open(store, script.ruleset, script.options, names=["Ada", "Bo", "Cy", "Di"])
        deal = script.open()
        for event in [*deal.history, *script.moves]:
            table.append(event)
    return path


def test_a_game_is_exported_for_other_tools(capsys, log, tmp_path):
    status, out, _ = run(capsys, "export", "last", "--format", "mjai", "--log", str(log))
    assert status == 0
    kinds = [json.loads(line)["type"] for line in out.splitlines()]
    assert kinds[:2] == ["start_game", "start_kyoku"]
    assert kinds.count("dahai") == 5
    target = tmp_path / "game.json"
    status, _, _ = run(
        capsys, "export", "1", "--format", "json", "--log", str(log), "--out", str(target)
    )
    assert status == 0
    assert json.loads(target.read_text(encoding="utf-8"))["events"][0]["names"][0] == "Ada"
    status, out, _ = run(capsys, "export", "1", "--format", "csv", "--log", str(log))
    assert status == 0
    status, _, err = run(capsys, "export", "7", "--format", "csv", "--log", str(log))
    assert_one_line(status, err, "no game 7")
    status, _, err = run(capsys, "export", "x", "--format", "csv", "--log", str(log))
    assert_one_line(status, err, "'x'")


def test_doctor_checks_and_says_what_to_do(capsys):
    status, out, _ = run(capsys, "doctor", "--json")
    checks = {each["what"]: each for each in json.loads(out)["checks"]}
    assert checks["numpy"]["fine"]
    assert status == int(any(not c["fine"] and c["needed"] for c in checks.values()))


def test_every_command_has_help(capsys):
    from table_controller.__main__ import COMMANDS

    for name in COMMANDS:
        status, out, _ = run(capsys, name, "--help")
        assert status == 0
        assert Path(f"table_controller/commands/{name}.py").stem in out


USAGE = [
    (["score", "--counters", "many"], "--counters"),
    (["replay"], "LOG"),
    (["export", "last", "--format", "xml", "--log", "x"], "xml"),
    (["shuffle"], "shuffle"),
    ([], "COMMAND"),
]


@pytest.mark.parametrize(("words", "says"), USAGE)
def test_a_mistake_in_the_words_is_one_line_that_says_where_help_is(capsys, words, says):
    status, _, err = run(capsys, *words)
    assert_one_line(status, err, says, "--help")


def test_options_may_stand_before_the_pictures(capsys, tmp_path):
    picture = tmp_path / "none.png"
    status, _, err = run(capsys, "calibrate", "tiles", "--order", "1m 2m", str(picture))
    assert_one_line(status, err, "none.png: cannot be opened")


def test_an_interrupt_while_a_command_starts_is_no_trace(capsys, monkeypatch):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("table_controller.__main__.import_module", interrupted)
    assert run(capsys, "rulesets") == (130, "", "")


def test_output_that_cannot_be_written_is_one_line_and_status_1(capsys, monkeypatch):
    def full(text=""):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("table_controller.commands.rulesets.say", full)
    status, _, err = run(capsys, "rulesets")
    assert status == 1
    assert err.strip() == "mahjong-table rulesets: [Errno 28] No space left on device"


def test_a_locale_without_these_signs_still_gets_an_answer(monkeypatch):
    plain = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", plain)
    assert main(["rulesets", "riichi_4p"]) == 0
    assert b"(riichi_4p), 4 players" in plain.buffer.getvalue()


PICTURE_OPTIONS = [
    (["--tile-px", "0"], "--tile-px 0"),
    (["--tile-px", "nan"], "--tile-px nan"),
    (["--threads", "0"], "--threads 0"),
    (["--threads", "100000"], "--threads 100000"),
    (["--annotate", "{folder}/out.txt"], "out.txt: name it .png or .jpg"),
    (["--annotate", "{folder}/none/out.png"], "none/out.png: check that its folder"),
]


@pytest.mark.parametrize(("words", "says"), PICTURE_OPTIONS)
def test_an_option_of_read_that_cannot_be_is_one_line(capsys, tmp_path, words, says):
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), np.full((80, 80, 3), 60, np.uint8))
    words = [word.format(folder=tmp_path) for word in words]
    status, _, err = run(capsys, "read", str(picture), *words)
    assert_one_line(status, err, says)


READINGS = [
    ("5", "expected `object`"),
    ('{"label": "1m", "confidence": 1.2, "truth": "1m"}', "$.confidence"),
    ('{"label": "1m", "confidence": NaN, "truth": "1m"}', "line 1"),
    ('{"label": "1m", "confidence": 0.9}', "`truth`"),
    ('{"label": "1m", "confidence": 0.9, "truth": "1m", "others": 5}', "$.others"),
]


@pytest.mark.parametrize(("line", "says"), READINGS)
def test_confirmed_readings_are_checked_line_by_line(capsys, tmp_path, line, says):
    readings = tmp_path / "readings.jsonl"
    readings.write_text(line, encoding="utf-8")
    status, _, err = run(capsys, "calibrate", "confidence", "--readings", str(readings))
    assert_one_line(status, err, "readings.jsonl: line 1")
    assert says.lower() in err.lower()


def test_a_number_that_only_looks_like_one_is_refused(capsys, log):
    status, _, err = run(
        capsys, "export", "\N{SUPERSCRIPT TWO}", "--format", "csv", "--log", str(log)
    )
    assert_one_line(status, err, "a number, or 'last'")


def test_a_log_without_a_game_is_said(capsys, tmp_path):
    path = tmp_path / "table.sqlite"
    Store(path).close()
    status, _, err = run(capsys, "export", "last", "--format", "csv", "--log", str(path))
    assert_one_line(status, err, "no game yet")


@pytest.mark.parametrize("typed", ["", "\ud800\ud800\ud800\ud800\n", "12\n"])
def test_a_pin_that_cannot_be_one_is_refused(capsys, monkeypatch, typed):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    status, _, err = run(capsys, "pin")
    assert_one_line(status, err, "PIN")


def test_a_hand_is_not_explained_by_a_broken_card(capsys, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text("", encoding="utf-8")
    status, out, err = run(capsys, "card", "explain", "1m", "--card", str(card), "--json")
    assert_one_line(status, err, "card.toml: line 1", "mahjong-table card check")
    assert out == ""


@pytest.fixture
def dying_table(tmp_path, monkeypatch):
    """A simulated table that hangs up on everybody who asks for a fault."""
    path = tmp_path / "console.sock"
    monkeypatch.setattr("table_controller.commands.sim.console_path", lambda port: path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen()
        answering = threading.Thread(target=lambda: listener.accept()[0].close())
        answering.start()
        yield
        answering.join()


def test_a_simulated_table_that_hangs_up_is_one_line(capsys, dying_table):
    status, _, err = run(capsys, "sim", "fault", "jam", "conveyor.south")
    assert_one_line(status, err, "no simulated table answers", "mahjong-table simulate")


@pytest.mark.parametrize(
    "where", ["\N{SUPERSCRIPT TWO}", "conveyor.south", "1.\N{SUPERSCRIPT TWO}"]
)
def test_no_simulated_table_is_one_line(capsys, monkeypatch, tmp_path, where):
    nowhere = tmp_path / "none"
    monkeypatch.setattr("table_controller.commands.sim.console_path", lambda port: nowhere)
    status, _, err = run(capsys, "sim", "fault", "jam", where)
    assert_one_line(status, err, "No such file or directory")
