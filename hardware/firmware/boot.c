#include "boot.h"

#include <avr/eeprom.h>
#include <avr/io.h>
#include <avr/wdt.h>
#include <util/crc16.h>

#define NO_INIT __attribute__((section(".noinit")))

static uint8_t cause NO_INIT;
static uint16_t warm_boots NO_INIT;
static struct ring ring NO_INIT;
static bool is_ring_kept;
static uint16_t EEMEM stored_boots;

/* After a watchdog reset the watchdog stays on at its shortest time: it is stopped before anything else. */
void boot_stop_watchdog(void) __attribute__((naked, used, section(".init3")));
void boot_stop_watchdog(void)
{
    cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

struct boot boot_count(void)
{
    uint16_t cold_boots = eeprom_read_word(&stored_boots);
    is_ring_kept = !(cause & (_BV(PORF) | _BV(BORF))) && ring_recover(&ring);
    /* Arduino's boot loader for the Mega (stk500v2) clears the cause, and its way to start the program at once after
     * the watchdog leads through empty flash back to itself: what was kept tells at least that power was not gone. */
    if (cause == 0 ? is_ring_kept : (cause & _BV(WDRF)) != 0) {
        /* Not to EEPROM: a board that keeps resetting would wear it out within the hour. */
        warm_boots++;
    } else {
        warm_boots = 0;
        cold_boots = cold_boots == UINT16_MAX ? 1 : (uint16_t)(cold_boots + 1);
        eeprom_write_word(&stored_boots, cold_boots);
        eeprom_busy_wait();
    }
    struct boot boot = {
        .cause = cause,
        .cold_boots = cold_boots,
        .warm_boots = warm_boots,
        .number = (uint8_t)(101 * cold_boots + warm_boots),
    };
    return boot;
}

/* What RAM holds when power has come differs from chip to chip: rings of two boards are told apart even where these
 * were started equally often. */
static uint16_t ram_noise(void)
{
    const uint8_t *bytes = (const uint8_t *)&ring;
    uint16_t noise = 0;
    for (uint16_t at = 0; at < sizeof ring; at++) {
        noise = _crc16_update(noise, bytes[at]);
    }
    return noise;
}

struct ring *boot_ring(const struct boot *boot)
{
    if (!is_ring_kept) {
        ring_begin(&ring, (uint16_t)(ram_noise() + 16 * boot->cold_boots + boot->warm_boots));
    }
    return &ring;
}
