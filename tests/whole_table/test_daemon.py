"""The daemon stays up without board and camera, says so, and moves nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from firmware_bridge.layout import TableLayout
from firmware_bridge.simulator import SimulatedTable
from table_controller.conductor import Conductor
from table_controller.rules import find_ruleset
from table_controller.store import Store
from table_controller.table import Table
from vision.zones import TableGeometry

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def get(url: str) -> dict:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


def wait_for(check, seconds: float = 40.0):
    """Poll until the check gives something; the daemon needs a moment to start."""
    until = time.monotonic() + seconds
    while True:
        try:
            found = check()
        except OSError:
            found = None
        if found:
            return found
        assert time.monotonic() < until, "the daemon does not answer as expected"
        time.sleep(0.1)


@pytest.fixture
def daemon(tmp_path):
    started: list[subprocess.Popen] = []

    def start(config: str) -> tuple[int, subprocess.Popen]:
        port = free_port()
        path = tmp_path / "table.toml"
        path.write_text(f"{config}\n[web]\nport = {port}\n", encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-m", "table_controller", "run", "--config", str(path)],
            cwd=ROOT,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
        )
        started.append(process)
        return port, process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def test_without_board_and_camera_it_stays_up_and_says_so(daemon):
    port, process = daemon('[bridge]\nport = "/dev/no-board"\n[camera]\nsource = "/no/camera"\n')

    def healthy():
        health = get(f"http://127.0.0.1:{port}/healthz")
        return health if health["camera"] == "down" and health["link"] == "down" else None

    health = wait_for(healthy)
    assert health["phase"] == "offline"
    state = get(f"http://127.0.0.1:{port}/api/v1/state")
    assert any("no-board" in json.dumps(fault) for fault in state["machine"]["faults"])
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 0


def post(url: str, body: object, cookie: str = "") -> tuple[dict, str]:
    """The answer, and the cookie that came with it."""
    headers = {"content-type": "application/json", "cookie": cookie}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer), (answer.headers["set-cookie"] or "").split(";")[0]
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{url}: {error.code} {error.read().decode()}") from error


def a_deal_in_the_log(folder: Path) -> None:
    """What a table that was switched off in a deal has written down."""
    folder.mkdir()
    with Store(folder / "table.sqlite") as store:
        table = Table.open(store, find_ruleset("riichi_4p"), names=("Ann", "Bo", "Cy", "Di"))
        conductor = Conductor(table.ruleset, table.options, table, TableGeometry())
        conductor.begin_deal((2, 5))


def test_the_staff_reaches_the_machine_of_the_daemon_and_the_voice_says_what_all_may_hear(
    daemon, tmp_path, monkeypatch
):
    spoken = tmp_path / "spoken"
    program = tmp_path / "bin" / "espeak-ng"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nfor last; do :; done\necho "$last" >> {spoken}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    a_deal_in_the_log(tmp_path / "mahjong-table")
    layout = TableLayout("136", (17, 17, 17, 17))
    labels = [str(tile) for tile in range(layout.tiles)]
    with SimulatedTable(layout, labels, labels, seed=1, speed=1.0) as board:
        port, process = daemon(
            f'[bridge]\nport = "{board.port}"\n[camera]\nsource = "/no/camera"\n'
            '[table]\nvoice = true\nread_out = true\n[game]\nnames = ["Ann", "Bo", "Cy", "Di"]\n'
        )
        site = f"http://127.0.0.1:{port}"
        wait_for(lambda: get(f"{site}/healthz")["link"] == "up")
        _, cookie = post(f"{site}/api/v1/staff/session", {"pin": ""})

        def see() -> dict:
            request = urllib.request.Request(
                f"{site}/api/v1/staff/machine", headers={"cookie": cookie}
            )
            with urllib.request.urlopen(request, timeout=5) as answer:
                return json.load(answer)

        assert wait_for(lambda: see()["sensors"])["CENTRE_DOWN"]
        assert see()["link"]["connects_total"] >= 1
        post(f"{site}/api/v1/staff/machine", {"do": "stop"}, cookie)
        assert not board.world.motor_log  # nobody has said "go on"

        state = get(f"{site}/api/v1/state")
        assert state["names"] == ["Ann", "Bo", "Cy", "Di"]
        assert state["deal"]["dice"] == [2, 5]
        penalty = {"seat": 1, "code": "late"}
        post(f"{site}/api/v1/staff/penalise", penalty, cookie)
        assert "South: Late" in wait_for(spoken.read_text)
        with urllib.request.urlopen(f"{site}/metrics", timeout=5) as answer:
            measured = answer.read().decode()
        for name in ("bridge_frames_sent_total", "builds_total", "picture_to_event_total"):
            assert f"\nmahjong_table_{name} " in measured
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ('[brige]\nport = "x"\n', "brige"),
        ('[game]\nruleset = "chess"\n', "chess"),
        ("[vision]\nsure_at = 7.0\n", "[vision] sure_at"),
        ('[bridge]\nport = "/dev/ttyACM0"\n', "one is simulated"),
    ],
)
def test_bad_settings_are_one_line_and_status_2(tmp_path, config, says):
    path = tmp_path / "table.toml"
    path.write_text(config, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "table_controller", "run", "--config", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_port_that_is_taken_is_one_line_and_status_2(daemon):
    config = '[bridge]\nport = "/dev/no-board"\n[camera]\nsource = "/no/camera"\n'
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "free_port", lambda: taken.getsockname()[1])
        _, process = daemon(config)
        assert process.wait(timeout=60) == 2
    said = process.stderr.read().decode()
    assert said.splitlines()[-1].startswith("mahjong-table run: cannot serve the screens at")


def test_two_daemons_never_write_one_log(daemon):
    config = '[bridge]\nport = "/dev/no-board"\n[camera]\nsource = "/no/camera"\n'
    port, _ = daemon(config)
    wait_for(lambda: get(f"http://127.0.0.1:{port}/healthz"))
    _, second = daemon(config)
    assert second.wait(timeout=60) == 2
    assert b"stop the other table daemon" in second.stderr.read()
