# From an empty clone: `make run` plays on the simulated table, `make test` checks everything. `make help` lists the rest.

PYTHON ?= python3
GAMES ?= 100
STRETCHES ?= 100000000
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEV_INSTALLED := $(VENV)/.installed-dev
BENCH_INSTALLED := $(VENV)/.installed-bench
TRACED_INSTALLED := $(VENV)/.installed-traced

# On Raspberry Pi OS the system's own picamera2 and libcamera are used; no other ones fit its kernel.
ifneq ($(wildcard /etc/rpi-issue),)
VENV_FLAGS := --system-site-packages
EXTRA := [pi]
AND_EXTRA := ,pi
endif

# lgpio, where it has to be built, shall bring its C library along.
PIP_INSTALL := PYPI=1 $(BIN)/pip install --quiet --constraint constraints.txt --editable

.DEFAULT_GOAL := help
.PHONY: help run start-at-boot not-at-boot test check play kill-test bench-vision bench-displays bench-latency bench-rules soak-rules fuzz doc-examples photos cards-report dice-report sheets-report theory-report altered-report many-pieces many-sheets held-dice things-report traced-report enrol-report hands-report live-report light-report \
	soak test-long test-avahi test-pins test-usb test-camera firmware emulated-board firmware-header firmware-tools bench-slaps torture-link unplug-link kill-signals fuzz-frames clean

help: ## This list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 16

run: $(INSTALLED) emulated-board ## Set up, then start the table; ARGS="--port 9000" and the like are passed on
	@$(BIN)/pizzatable run $(ARGS)

UNITS := $(or $(XDG_CONFIG_HOME),$(HOME)/.config)/systemd/user

# One unit for each settings file, so that a computer may have several tables.
CONFIG ?=
UNIT := pizzatable$(if $(CONFIG),-$(basename $(notdir $(CONFIG))))

start-at-boot: $(INSTALLED) ## Set up, then start the table now and whenever this computer starts (systemd, your own user); CONFIG=left.toml for each of several
	$(if $(CONFIG),@test -f "$(CONFIG)" || { echo "CONFIG=$(CONFIG): expected a table's settings file" >&2; exit 1; })
	mkdir -p "$(UNITS)"
	sed 's|@CLONE@|$(CURDIR)|; s|@CONFIG@|$(if $(CONFIG), --config "$(abspath $(CONFIG))")|' hardware/pizzatable.service > "$(UNITS)/$(UNIT).service"
	systemctl --user daemon-reload
	systemctl --user enable $(UNIT)
	systemctl --user restart $(UNIT)
	loginctl enable-linger
	@echo "It runs. Its addresses:  $(BIN)/pizzatable address$(if $(CONFIG), --config \"$(CONFIG)\")"
	@echo "Its log:  journalctl --user --unit $(UNIT) --follow"

not-at-boot: ## Stop the table that start-at-boot started, and start it no more; CONFIG=left.toml for one of several
	systemctl --user disable --now $(UNIT)

# The tests start dozens of processes: what one of them has compiled, the others need not. One runs more than there are
# cores, as a fifth of the time they wait for clocks and answers.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --numprocesses $$(($$(nproc) + 1)) --dist loadfile --no-loadscope-reorder
test: check firmware-tools ## Set up, then everything that `check` does, then the tests
	$(PYTEST) -m "not long" $(ARGS)

test-long: $(DEV_INSTALLED) firmware-tools ## What `test` leaves out: further pictures and games, in minutes more
	$(PYTEST) -m long $(ARGS)

check: $(DEV_INSTALLED) ## Set up, then ruff, mypy --strict and the rules of imports
	$(BIN)/ruff check .
	$(BIN)/mypy --num-workers auto
	$(BIN)/lint-imports --no-logo

play: $(INSTALLED) ## GAMES=100 whole games on the simulated table, through pictures, pins, rules and journal
	$(BIN)/pizzatable play --games $(GAMES) $(ARGS)

kill-test: $(INSTALLED) ## GAMES=50 whole games on the simulated table while the service is killed; ARGS="--jobs 4"
	$(BIN)/python tests/rigs/kill_test.py --games $(GAMES) $(ARGS)

bench-vision: $(INSTALLED) ## Milliseconds of reading, stage by stage, beside cv2.aruco finding 40 markers
	$(BIN)/python -m tests.benchmarks.bench_vision $(ARGS)

soak: $(INSTALLED) ## The table left on for an hour, looked at for what grows; ARGS="--minutes 300 --game slice"
	$(BIN)/python -m tests.rigs.soak $(ARGS)

bench-displays: $(INSTALLED) ## 100 displays on one table, beside a bare broadcast of the same bytes
	$(BIN)/python -m tests.benchmarks.bench_displays $(ARGS)

bench-latency: $(INSTALLED) ## From a piece at rest to the event on a display
	$(BIN)/python -m tests.benchmarks.bench_latency $(ARGS)

bench-rules: $(BENCH_INSTALLED) ## Validated moves and random games a second of every game, beside python-chess
	$(BIN)/python -m tests.benchmarks.bench_rules $(ARGS)

soak-rules: $(INSTALLED) ## GAMES=100 random games of every game without an exception; ARGS="--games slice --jobs 4"
	$(BIN)/python tests/rigs/soak_rules.py --count $(GAMES) $(ARGS)

fuzz: $(INSTALLED) ## Spoilt records and referee requests for a minute; ARGS="--seconds 600 --seed 2"
	$(BIN)/python -m tests.fuzz.fuzzing $(ARGS)

doc-examples: $(INSTALLED) ## Write the examples of records and of the referee's protocol in docs anew
	$(BIN)/python -m tests.controller.doc_examples

photos: $(INSTALLED) ## Rates on the labelled pictures in ../shared/photos/table; ARGS=FOLDER for others
	$(BIN)/python -m tests.benchmarks.photos $(ARGS)

altered-report: $(INSTALLED) ## How well ../shared/photos/table is read as other cameras, lamps and windows would show it; ARGS="FOLDER --only phone"
	$(BIN)/python -m tests.benchmarks.altered_report $(ARGS)

cards-report: $(INSTALLED) ## Rates, arrangements and times of SLICE's cards in ../shared/photos/table; ARGS=FOLDER for others
	$(BIN)/python -m tests.benchmarks.cards_report $(ARGS)

many-pieces: $(INSTALLED) ## How well each kind of piece is read on simulated tables in any light; ARGS="--pictures 400 --families cards"
	$(BIN)/python -m tests.benchmarks.many_pieces $(ARGS)

many-sheets: $(INSTALLED) ## How well score sheets, what is pencilled on them and their dice are read on simulated tables; ARGS="--pictures 50 --seed 5"
	$(BIN)/python -m tests.benchmarks.many_sheets $(ARGS)

live-report: $(INSTALLED) ## What is said of each piece that lies open, picture by picture, while games are played; ARGS="--game slice --seed 5"
	$(BIN)/python -m tests.benchmarks.live_report $(ARGS)

light-report: $(INSTALLED) ## What is said where pieces are laid, or marks pencilled, while the light changes; ARGS="--games sheets --tables 10 --seed 5"
	$(BIN)/python -m tests.benchmarks.light_report $(ARGS)

held-dice: $(INSTALLED) ## How many dice in simulated hands are read, which none should be; ARGS="--pictures 40 --seed 5"
	$(BIN)/python -m tests.benchmarks.held_dice $(ARGS)

enrol-report: $(INSTALLED) ## How many pieces laid out to be enrolled are found and outlined rightly; ARGS="--photos 12 --seed 5"
	$(BIN)/python -m tests.benchmarks.enrol_report $(ARGS)

hands-report: $(INSTALLED) ## How much of each hand in a single picture is called hidden, and what is where none is; ARGS="--folder ../shared/photos/table"
	$(BIN)/python -m tests.benchmarks.hands_report $(ARGS)

things-report: $(INSTALLED) ## How well the network that outlines things does on drawn ones it never saw; ARGS="--tables 40"
	$(BIN)/python -m tests.benchmarks.drawn_things_report $(ARGS)

traced-report: $(TRACED_INSTALLED) ## Render tables with new art by a path tracer that is not ours, and read them; ARGS="--seed 7 --pictures 20"
	$(BIN)/python -m tests.rigs.traced $(ARGS)

theory-report: $(INSTALLED) ## Pizza Theory's board, toppings and cutters on the pictures in ../shared/photos/table
	$(BIN)/python -m tests.benchmarks.theory_report $(ARGS)

dice-report: $(INSTALLED) ## How well dice are read, each source by networks that never saw it; ARGS="--only table --faults"
	$(BIN)/python -m tests.benchmarks.dice_report $(ARGS)

sheets-report: $(INSTALLED) ## Marks of score sheets read and missed, on rendered pictures, altered ones and drawn ones; ARGS="--drawn 100"
	$(BIN)/python -m tests.benchmarks.sheets_report $(ARGS)

test-avahi: $(INSTALLED) ## avahi-browse finds the table across two network namespaces (needs root)
	bash tests/rigs/avahi.sh

test-pins: $(DEV_INSTALLED) ## The panel's tests on GPIO lines of a real kernel in a virtual machine
	bash tests/rigs/kernel_vm.sh pins $(BIN)/python $(ARGS)

test-usb: $(DEV_INSTALLED) firmware-tools ## The link's tests on a USB serial port of a real kernel; ARGS="--pulls 100"
	bash tests/rigs/kernel_vm.sh usb $(BIN)/python $(ARGS)

test-camera: $(DEV_INSTALLED) ## The USB camera's driver on a V4L2 device of a real kernel
	bash tests/rigs/kernel_vm.sh camera $(BIN)/python $(ARGS)

firmware: ## Build the microcontroller's program (ELF and hex) and say how much memory it uses
	@.ci/debian-packages $(PYTHON) firmware
	@$(MAKE) --no-print-directory -C hardware/firmware all size

emulated-board: ## Build what emulates the microcontroller at the simulated table, where its tools are there
	@$(MAKE) --no-print-directory -s -C hardware/simulated/emulator where-possible

firmware-header: $(INSTALLED) ## Make the firmware's messages.h from firmware_bridge/schema.py
	@$(BIN)/python -m firmware_bridge.c_header

# Where they cannot be installed, the tests that need them are skipped and say so.
firmware-tools: ## Install what builds and emulates the microcontroller's program
	@.ci/debian-packages $(PYTHON) firmware || true

bench-slaps: $(INSTALLED) firmware-tools ## A million pairs of slaps on the emulated board; ARGS="--pairs 10000"
	@$(BIN)/python -m tests.benchmarks.bench_slaps $(ARGS)

torture-link: $(INSTALLED) firmware-tools ## A million events of the emulated board over a faulty line; ARGS="--events 10000"
	@$(BIN)/python -m tests.rigs.torture_link $(ARGS)

unplug-link: $(INSTALLED) firmware-tools ## A thousand pulled lines in real time; ARGS="--times 20"
	@$(BIN)/python -m tests.rigs.unplug_link $(ARGS)

kill-signals: $(INSTALLED) firmware-tools ## The service killed 300 times while slaps are on their way to the journal; ARGS="--kills 20"
	@$(BIN)/python -m tests.rigs.kill_signals $(ARGS)

fuzz-frames: firmware-tools ## STRETCHES=100000000 spoilt stretches of frames against the firmware's parser
	@mkdir -p build
	gcc -std=gnu11 -O2 -Wall -Wextra -Werror -Ihardware/firmware -o build/frame_mutator tests/rigs/frame_mutator.c hardware/firmware/framing.c
	build/frame_mutator $(STRETCHES) 1

clean: ## Take away the virtual environment and all caches
	rm -rf $(VENV) *.egg-info build dist hardware/firmware/build hardware/simulated/emulator/build .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/pip
	@echo "Installing the pinned Python packages (once; some minutes on a slow line)"
	$(PIP_INSTALL) '.$(EXTRA)'
	@touch $@

# All at once: what `run` needs is not installed by itself before.
$(DEV_INSTALLED): pyproject.toml constraints.txt | $(BIN)/pip
	@echo "Installing the pinned Python packages and the developers' tools (once; some minutes on a slow line)"
	$(PIP_INSTALL) '.[dev$(AND_EXTRA)]'
	@touch $(INSTALLED) $@

$(BENCH_INSTALLED): $(INSTALLED)
	@echo "Installing python-chess, which the rules are measured against"
	$(PIP_INSTALL) '.[bench]'
	@touch $@

$(TRACED_INSTALLED): $(INSTALLED)
	@echo "Installing Mitsuba, the path tracer of tests/rigs/traced"
	$(PIP_INSTALL) '.[traced]'
	@touch $@

$(BIN)/pip:
	@.ci/debian-packages $(PYTHON)
	$(PYTHON) -m venv --clear $(VENV_FLAGS) $(VENV)
