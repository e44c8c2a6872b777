# Two commands: `make run` shows the simulated table, `make test` proves it works.
# Both set up what they need: Debian libraries (when root or sudo is there) and a virtual environment.

VENV ?= .venv
PY := $(VENV)/bin/python
PORT ?= 8080

# Debian and Raspberry Pi OS Lite lack these: OpenCV's GUI libraries, venv, the voice.
DEBIAN_RUN := python3-venv libgl1 libglib2.0-0 espeak-ng
DEBIAN_TEST := $(DEBIAN_RUN) chromium mosquitto

LOGS := ../shared/data/logs
PIXEL_GAMES := $(LOGS)/tenhou6_mjai_reviewer/ranked_game.json $(LOGS)/tenhou_dnovikoff/pao.xml \
	$(LOGS)/tenhou6_pantheon/tensoul_with_same_nicknames.json $(LOGS)/tenhou_python_bot/13.xml

EXTRAS_RUN := sim
EXTRAS_TEST := sim,dev

.PHONY: run test lint types check bench clean long replay pixels train

run: $(VENV)/.run
	@echo "The simulated table: http://localhost:$(PORT)"
	$(PY) -m table_controller simulate --port $(PORT) --open

test: $(VENV)/.test
	$(PY) -m pytest -q -m "not long" -n auto --dist loadfile

lint: $(VENV)/.test
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .

types: $(VENV)/.test
	$(VENV)/bin/mypy

check: test lint types

bench: $(VENV)/.test
	$(PY) -m table_controller bench

# Minutes to hours: what `make test` leaves out. tests/RESULTS.md holds the last results.
long: $(VENV)/.test
	$(PY) -m pytest -q -m long

# Every recorded game of ../shared/data/logs, by the rules alone: about two minutes.
replay: $(VENV)/.test
	$(PY) -m table_controller replay ../shared/data/logs

# Whole recorded games of four sources through wire, machine, renderer and vision: half an hour.
pixels: $(VENV)/.test
	$(PY) -m table_controller replay --pixels $(PIXEL_GAMES)

# Trains both models again on this machine's CPU: see vision/models/README.md.
train: $(VENV)/.test
	$(PY) -m pip install -q -e '.[train]'
	$(PY) -m vision.training

$(VENV)/.run: pyproject.toml .ci/debian.sh
	sh .ci/debian.sh $(DEBIAN_RUN)
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install -q --disable-pip-version-check -e '.[$(EXTRAS_RUN)]'
	touch $@

$(VENV)/.test: pyproject.toml .ci/debian.sh
	sh .ci/debian.sh $(DEBIAN_TEST)
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install -q --disable-pip-version-check -e '.[$(EXTRAS_TEST)]'
	touch $(VENV)/.run $@

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .benchmarks
