#include "inputs.h"

#include <avr/io.h>
#include <avr/pgmspace.h>

#include "clock.h"
#include "debounce.h"
#include "pins.h"
#include "serial.h"

#define KIND_OF_KNIFE EVENT_KIND_KNIFE_DOCK
#define KIND_OF_SKEWER EVENT_KIND_SKEWER_DOCK
#define KIND_OF_BEAM EVENT_KIND_BEAM
#define KIND_OF_SPARE EVENT_KIND_SPARE

struct input {
    uint8_t kind;
    uint8_t index;
};

#define DESCRIBE(name, number, port, bit) {KIND_OF_##name, (number) - 1},
static const struct input inputs[] PROGMEM = {TIMED_INPUTS(DESCRIBE) POLLED_INPUTS(DESCRIBE)};

#define INPUTS ((uint8_t)(sizeof inputs / sizeof *inputs))
_Static_assert(sizeof inputs / sizeof *inputs <= DEBOUNCE_CONTACTS, "more inputs than debounce has room for");

static struct debounce contacts;

void inputs_start(void)
{
#define PULL_UP(name, number, port, bit) \
    DDR##port &= (uint8_t)~_BV(bit);     \
    PORT##port |= _BV(bit);
    TIMED_INPUTS(PULL_UP)
    POLLED_INPUTS(PULL_UP)
}

static uint16_t level(void)
{
    uint16_t closed = 0;
    uint16_t place = 1;
#define LOOK(name, number, port, bit) \
    if (!(PIN##port & _BV(bit))) {    \
        closed |= place;              \
    }                                 \
    place <<= 1;
    TIMED_INPUTS(LOOK)
    POLLED_INPUTS(LOOK)
    return closed;
}

static void report(struct ring *ring, uint16_t changed, struct stamp at, uint8_t flags, uint8_t boot)
{
    struct ring_event event = {.ticks = at.ticks, .turns = at.turns, .flags = flags, .boot = boot};
    uint16_t closed = contacts.level;
    const struct input *input = inputs;
    for (uint16_t left = changed; left != 0; left >>= 1, closed >>= 1, input++) {
        if (left & 1) {
            event.kind = pgm_read_byte(&input->kind);
            event.index = pgm_read_byte(&input->index);
            event.value = closed & 1;
            ring_put(ring, &event);
            serial_poll();
        }
    }
}

void inputs_poll(struct ring *ring, uint8_t boot)
{
    struct stamp now = clock_now();
    uint16_t due = debounce_due(&contacts, now.ticks);
    uint16_t closed = level();
    if (due == 0 && closed == contacts.level) {
        return;
    }
    uint16_t changed = debounce_edge(&contacts, closed, now.ticks);
    report(ring, changed & (uint16_t)~due, now, 0, boot);
    report(ring, changed & due, now, EVENT_FLAG_LATE, boot);
}

uint8_t inputs_level(uint8_t kind)
{
    uint8_t closed = 0;
    uint8_t bit = 1;
    uint16_t levels = contacts.level;
    for (uint8_t input = 0; input < INPUTS; input++, levels >>= 1) {
        if (pgm_read_byte(&inputs[input].kind) == kind) {
            closed |= levels & 1 ? bit : 0;
            bit <<= 1;
        }
    }
    return closed;
}
