#include "pads.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>
#include <util/delay.h>

#include "clock.h"
#include "debounce.h"
#include "pins.h"
#include "serial.h"

/* A pad is in here once at most, for its interrupt stays shut until the main loop has taken it out: no overflow. */
#define CAPTURES 16

/* Two arrays, for the interrupt finds its place in them sooner than in one of three-byte structures. */
static volatile uint16_t capture_counts[CAPTURES];
static volatile uint8_t capture_pads[CAPTURES];
static uint8_t taken;
static struct debounce contacts;

/* Two general purpose I/O registers, for the interrupt reaches them in one cycle. */
#define PADS_SEEN GPIOR0 /* the port as the interrupt last saw it */
#define PADS_MADE GPIOR1 /* place of the next capture */

ISR(PADS_VECT)
{
    uint8_t port = PADS_PIN;
    uint16_t count = TCNT1;
    uint8_t changed = (uint8_t)((port ^ PADS_SEEN) & PADS_PCMSK);
    if (changed) {
        PADS_PCMSK &= (uint8_t)~changed;
        PADS_SEEN ^= changed;
        uint8_t made = PADS_MADE;
        capture_counts[made] = count;
        capture_pads[made] = changed;
        PADS_MADE = (made + 1) % CAPTURES;
    }
}

static void report(struct ring *ring, uint16_t changed, struct stamp at, uint8_t flags, uint8_t boot)
{
    struct ring_event event = {
        .ticks = at.ticks, .turns = at.turns, .kind = EVENT_KIND_PAD, .flags = flags, .boot = boot,
    };
    uint16_t level = contacts.level;
    for (uint16_t left = changed; left != 0; left >>= 1, level >>= 1) {
        if (left & 1) {
            event.value = level & 1;
            ring_put(ring, &event);
            serial_poll();
        }
        event.index++;
    }
}

/* The pad interrupts again, unless its level has changed while it was shut: then it stays shut for another while. */
static bool rearm(uint8_t bit)
{
    bool changed;
    ATOMIC_BLOCK(ATOMIC_FORCEON) {
        PADS_PCMSK |= bit; /* first: an edge from here on is not missed */
        changed = ((PADS_PIN ^ PADS_SEEN) & bit) != 0;
        if (changed) {
            PADS_PCMSK &= (uint8_t)~bit;
            PADS_SEEN ^= bit;
        }
    }
    return changed;
}

static void rearm_due(struct ring *ring, uint16_t due, uint8_t boot)
{
    uint16_t late = 0;
    for (uint8_t pad = 0; pad < PADS_COUNT; pad++) {
        uint8_t bit = (uint8_t)(1 << pad);
        if ((due & bit) && rearm(bit)) {
            late |= bit;
        }
    }
    struct stamp now = clock_now();
    report(ring, debounce_edge(&contacts, contacts.level ^ late, now.ticks), now, EVENT_FLAG_LATE, boot);
}

void pads_start(void)
{
    PADS_DDR &= (uint8_t)~PADS_MASK;
    PADS_PORT |= PADS_MASK;
    PADS_SEEN = PADS_MASK; /* open; what is pressed already is found when the pads are armed */
    PADS_MADE = 0;
    contacts.shut = PADS_MASK;
    for (uint8_t pad = 0; pad < PADS_COUNT; pad++) {
        contacts.since[pad] = (uint32_t)0 - DEBOUNCE_TICKS;
    }
    PCICR |= _BV(PADS_PCIE);
}

void pads_poll(struct ring *ring, uint8_t boot)
{
    uint8_t made = PADS_MADE;
    struct stamp now = clock_now();
    if (taken != made) { /* one a round */
        struct stamp at = clock_past(capture_counts[taken]);
        report(ring, debounce_edge(&contacts, contacts.level ^ capture_pads[taken], at.ticks), at, 0, boot);
        taken = (taken + 1) % CAPTURES;
        return;
    }
    uint16_t due = debounce_due(&contacts, now.ticks);
    if (due) {
        rearm_due(ring, due, boot);
    }
}

uint8_t pads_level(void)
{
    return (uint8_t)contacts.level;
}

struct pads_health pads_test(void)
{
    struct pads_health health = {0, 0};
    uint8_t armed = PADS_PCMSK;
    PADS_PCMSK = 0;
    uint8_t low_before = (uint8_t)(~PADS_PIN & PADS_MASK);
    for (uint8_t bit = 1; bit & PADS_MASK; bit = (uint8_t)(bit << 1)) {
        PADS_PORT &= (uint8_t)~bit; /* first: a pad that is pressed is never driven high */
        PADS_DDR |= bit;
        _delay_us(5);
        uint8_t follow = (uint8_t)(~PADS_PIN & ~bit & ~low_before & PADS_MASK);
        PADS_DDR &= (uint8_t)~bit;
        PADS_PORT |= bit;
        _delay_us(20); /* the pull-up charges two metres of wire */
        if (follow) {
            health.bridged |= follow | bit;
        }
        if (!(PADS_PIN & bit)) {
            health.stuck |= bit;
        }
    }
    /* What was armed is looked at again, as after debouncing. */
    contacts.shut |= armed;
    return health;
}
