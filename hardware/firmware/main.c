/* pizzatable's board: slap pads, docks, beam, lamps and buzzer of one table, for an ATmega2560 at 16 MHz.
 *
 * One loop and one interrupt. The interrupt stamps the pads' edges; the loop does everything else, in steps short enough
 * that the USART, which is polled, never overflows. A loop that hangs is ended by the watchdog; events outlive that. */

#include <avr/interrupt.h>
#include <avr/wdt.h>

#include "boot.h"
#include "clock.h"
#include "inputs.h"
#include "link.h"
#include "outputs.h"
#include "pads.h"
#include "serial.h"

static void settle(struct ring *ring, uint8_t boot)
{
    struct stamp now = clock_now();
    struct ring_event report = {.ticks = now.ticks, .turns = now.turns, .boot = boot};
    ring_settle(ring, &report);
}

int main(void)
{
    struct boot boot = boot_count();
    struct ring *ring = boot_ring(&boot);
    clock_start();
    serial_start();
    inputs_start();
    outputs_start();
    pads_start();
    link_start(ring, &boot, pads_test());
    wdt_enable(WDTO_15MS);
    sei();
    uint32_t round = clock_now().ticks;
    for (;;) {
        wdt_reset();
        serial_poll();
        pads_poll(ring, boot.number);
        serial_poll();
        inputs_poll(ring, boot.number);
        settle(ring, boot.number);
        serial_poll();
        outputs_poll();
        link_poll();
        uint32_t now = clock_now().ticks;
        link_note_round((uint16_t)(now - round));
        round = now;
    }
}
