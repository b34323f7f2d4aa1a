"""The very firmware that a board runs, driven pin by pin at exact cycles, on the emulator's own time."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.schema import RING_CAPACITY, STAMP_JITTER_TICKS, ResetCause
from firmware_bridge.session import RETEST_S, Buzzing, LinkState
from firmware_bridge.signals import SignalKind
from firmware_bridge.slaps import judge
from hardware.simulated.emulated_board import CYCLES_PER_TICK, FIRMWARE, HERTZ, EmulatedBoard
from tests.firmware_bridge.emulated_table import EmulatedTable
from tests.rigs.emulation import CannotEmulate, build

MS = HERTZ // 1000
US = HERTZ // 1_000_000
MASKED_CYCLES = 110
"""Interrupts are never off for longer: the pads' own interrupt and what is between two of them."""


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    try:
        build()
    except CannotEmulate as error:
        pytest.skip(str(error))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[EmulatedTable]:
    with EmulatedTable(tmp_path) as table:
        table.until_ready()
        yield table


def test_the_handshake(table: EmulatedTable) -> None:
    hello = table.session.hello
    assert hello is not None
    assert hello.cause == ResetCause.POWER_ON
    assert (hello.cold_boots, hello.warm_boots) == (1, 0)
    assert (hello.stuck, hello.bridged) == (0, 0)
    assert table.session.words == "all is well"


def test_slaps_are_stamped_at_their_cycles(table: EmulatedTable) -> None:
    table.board.masked()
    table.edges([(MS + 3 * pad * pad * US, f"K{pad}", 0) for pad in range(8)])
    table.run(0.06)
    fired = table.board.fired()
    pads = table.pads()
    assert [signal.seat for signal in pads] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all(signal.kind is SignalKind.PAD_PRESSED for signal in pads)
    late = [
        signal.stamp.ticks * CYCLES_PER_TICK - cycle for signal, cycle in zip(pads, fired, strict=True) if signal.stamp
    ]
    assert max(late) - min(late) < STAMP_JITTER_TICKS * CYCLES_PER_TICK
    assert all(
        abs(signal.time_s - cycle / HERTZ) <= signal.uncertainty_s for signal, cycle in zip(pads, fired, strict=True)
    )
    assert max(signal.uncertainty_s for signal in pads) < 0.005
    assert table.board.masked() <= MASKED_CYCLES


def test_pairs_and_bursts_are_judged_rightly(table: EmulatedTable) -> None:
    rng = Random(2)
    for gap_us in (0, 5, 9, 20, 21, 50, 1000):
        order = rng.sample(range(8), rng.choice((2, 8)))
        before = len(table.pads())
        table.edges([(MS + place * gap_us * US, f"K{pad}", 0) for place, pad in enumerate(order)])
        table.edges([(12 * MS + place * US, f"K{pad}", 1) for place, pad in enumerate(order)])
        table.run(0.07)
        slaps = table.pads()[before:]
        assert len(slaps) == len(order)
        verdict = judge(slaps)
        if gap_us >= 20:
            assert verdict.seats == tuple(pad + 1 for pad in order)
            assert verdict.margin_us == pytest.approx(gap_us, abs=5)
        assert verdict.tie is (gap_us < 20)


def test_bounces_count_once_and_delay_nothing(table: EmulatedTable) -> None:
    bounces = [(MS + place * 200 * US, "K4", place % 2) for place in range(21)]
    table.edges([*bounces, (20 * MS, "K4", 1), (20 * MS + 300 * US, "K4", 0), (20 * MS + 500 * US, "K4", 1)])
    table.run(0.05)
    assert [(signal.seat, signal.kind) for signal in table.signals] == [
        (5, SignalKind.PAD_PRESSED),
        (5, SignalKind.PAD_RELEASED),
    ]
    stamps = [signal.stamp for signal in table.signals]
    assert stamps[0] is not None
    assert stamps[1] is not None
    assert stamps[1].ticks - stamps[0].ticks == pytest.approx(19 * 2000, abs=3)


def test_a_slap_shorter_than_debouncing_is_released_late(table: EmulatedTable) -> None:
    table.edges([(MS, "K0", 0), (2 * MS, "K0", 1)])
    table.run(0.05)
    pressed, released = table.signals
    assert released.kind is SignalKind.PAD_RELEASED
    assert released.stamp is not None
    assert released.stamp.early_ticks > 0
    assert abs(released.time_s - pressed.time_s - 0.001) <= released.uncertainty_s


def test_docks_beam_and_spare_inputs(table: EmulatedTable) -> None:
    pins = {"A2": (3, "knife", 0), "B5": (0, "skewer", 2), "B0": (0, "beam", 0), "B3": (0, "spare", 3)}
    table.edges([(MS * (1 + place), pin, 0) for place, pin in enumerate(pins)])
    table.edges([(MS * (20 + place), pin, 1) for place, pin in enumerate(pins)])
    table.run(0.06)
    said = [(signal.seat, signal.kind.value.split("-")[0], signal.number) for signal in table.signals]
    assert said == [*pins.values()] * 2
    assert [signal.kind for signal in table.signals[::4]] == [SignalKind.KNIFE_DOCKED, SignalKind.KNIFE_TAKEN]
    fired = table.board.fired()
    assert all(abs(s.time_s - at / HERTZ) <= s.uncertainty_s for s, at in zip(table.signals, fired, strict=True))


def test_lamps_and_buzzer(table: EmulatedTable) -> None:
    table.session.set_lamps(0b101, 0)
    table.session.buzz(Buzzing(0.05, 0.05, 1))
    table.run(0.06)
    assert [table.board.level(f"C{bit}") for bit in range(8)] == [1, 0, 1, 0, 0, 0, 0, 0]
    table.run(0.1)
    assert table.board.level("H3") == 0
    table.board.do("reset")
    assert table.board.level("C0") == 0
    table.run(0.9)
    assert [table.board.level(f"C{bit}") for bit in range(3)] == [1, 0, 1]
    assert table.board.level("H3") == 0


def test_overflow_is_reported_where_it_happened(table: EmulatedTable) -> None:
    table.unplug()
    presses = RING_CAPACITY // 16 + 1
    for _ in range(presses):
        table.edges([(MS, f"K{pad}", 0) for pad in range(8)])
        table.edges([(10 * MS, f"K{pad}", 1) for pad in range(8)])
        table.run(0.02)
    table.replug()
    table.until_ready()
    table.run(1.2)
    assert len(table.signals) == RING_CAPACITY + 1
    assert table.signals[-1].kind is SignalKind.SIGNALS_LOST
    assert table.signals[-1].number == 16 * presses - RING_CAPACITY
    assert table.session.pong is not None
    assert table.session.pong.lost == 16 * presses - RING_CAPACITY


@pytest.mark.parametrize(("how", "cause"), [("reset", ResetCause.EXTERNAL), ("hang", ResetCause.WATCHDOG)])
def test_events_outlive_a_reset(table: EmulatedTable, how: str, cause: ResetCause) -> None:
    table.unplug()
    table.edges([(MS, "K1", 0), (2 * MS, "K2", 0)])
    table.run(0.02)
    table.board.do(how)
    table.edges([(30 * MS, "K3", 0)])
    table.run(0.05)
    table.replug()
    table.until_ready()
    table.run(0.1)
    hello = table.session.hello
    assert hello is not None
    assert hello.cause == cause
    fresh = [signal for signal in table.signals if signal.stamp and not signal.stamp.early_ticks]
    assert [(signal.seat, signal.kind) for signal in fresh] == [(seat, SignalKind.PAD_PRESSED) for seat in (2, 3, 4)]
    assert fresh[2].stamp is not None
    assert fresh[2].stamp.boot == hello.boot
    assert fresh[0].time_s < fresh[1].time_s < fresh[2].time_s


def test_behind_a_boot_loader_that_clears_the_cause_resets_wear_no_eeprom_out(tmp_path: Path) -> None:
    with EmulatedTable(tmp_path, loader=True) as table:
        boots = set()
        for how, cold, warm in [("hang", 1, 1), ("reset", 1, 2), ("hang", 1, 3), ("power", 2, 0), ("hang", 2, 1)]:
            table.until_ready()
            table.board.do(how)
            table.run(0.8)
            table.until_ready()
            hello = table.session.hello
            assert hello is not None
            assert (hello.cause, hello.cold_boots, hello.warm_boots) == (0, cold, warm), how
            boots.add(hello.boot)
        assert len(boots) == 5, "the host tells them apart"


def test_power_gone_is_a_new_ring(table: EmulatedTable) -> None:
    before = table.session.hello
    table.edges([(MS, "K1", 0)])
    table.run(0.05)
    table.board.do("power")
    table.edges([(30 * MS, "K1", 1)])
    table.run(0.8)
    hello = table.session.hello
    assert before is not None
    assert hello is not None
    assert hello.epoch != before.epoch
    assert hello.cold_boots == before.cold_boots + 1
    assert [signal.kind for signal in table.signals][-1] is SignalKind.PAD_RELEASED


def test_two_boards_that_were_started_equally_often_are_told_apart(tmp_path: Path) -> None:
    with EmulatedTable(tmp_path) as table:
        table.until_ready()
        table.edges([(MS * (1 + pad), f"K{pad}", 0) for pad in range(4)])
        table.run(0.2)
        table.unplug()
        with EmulatedBoard(table.board.port, free=True) as spare:
            table.board, before, table.cycle = spare, table.board, 0
            table.edges([(MS * (10 + pad), f"K{pad}", 0) for pad in range(8)])
            table.run(0.05)
            table.plug()
            table.until_ready()
            table.run(0.1)
        before.close()
    assert [signal.kind for signal in table.signals] == [SignalKind.PAD_PRESSED] * 12
    assert [signal.seat for signal in table.signals] == [1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8]


def test_what_has_no_room_stays_on_the_board(tmp_path: Path) -> None:
    with EmulatedTable(tmp_path, room=2) as table:
        table.until_ready()
        table.edges([(MS * (1 + pad), f"K{pad}", 0) for pad in range(8)])
        table.run(0.2)
        assert [signal.seat for signal in table.signals] == [1, 2]
        table.room = 100
        table.run(0.2)
        assert [signal.seat for signal in table.signals] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_stuck_and_bridged_pads_fail_the_self_test(tmp_path: Path) -> None:
    with EmulatedTable(tmp_path) as table:
        table.board.edge(0, "K6", 0)
        table.board.do("reset")
        table.until_ready()
        assert table.session.hello is not None
        assert table.session.hello.stuck == 1 << 6
        assert table.session.words == "pad 7: failed the self-test"
        table.edges([(MS, "K6", 1)])
        table.run(RETEST_S + 0.1)
        assert table.session.words == "all is well"
        table.board.bridge("K0", "K7")
        table.session.test_pads()
        table.run(0.1)
        assert table.session.words == "pad 1, pad 8: failed the self-test"


def test_bridged_pads_fail_the_self_test(tmp_path: Path) -> None:
    with EmulatedTable(tmp_path) as table:
        table.board.bridge("K1", "K4")
        table.board.do("reset")
        table.until_ready()
        assert table.session.hello is not None
        assert (table.session.hello.stuck, table.session.hello.bridged) == (0, 1 << 1 | 1 << 4)
        assert table.session.words == "pad 2, pad 5: failed the self-test"
        table.edges([(MS, "K4", 0)])
        table.run(0.03)
        assert {signal.seat for signal in table.pads()} == {2, 5}


def test_another_version_is_refused_in_words(table: EmulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.session.schema_hash", lambda: 0x12345678)
    table.session.open(table.now_s)
    table.run(0.1)
    assert table.session.state is LinkState.REFUSED
    assert "12345678" in table.session.words
    assert "flash" in table.session.words
    assert "other messages than mine" in table.session.words


def test_static_memory_leaves_the_stack_its_share() -> None:
    done = subprocess.run(["make", "-s", "-C", str(FIRMWARE), "size"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "left for the stack" in done.stdout
