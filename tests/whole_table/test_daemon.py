"""The daemon stays up without board and camera, says so, and moves nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

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
