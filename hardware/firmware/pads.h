/* The slap pads, all on one port. The firmware's only interrupt: it stamps an edge and shuts the pad's own interrupt, so
 * that a pad interrupts once in DEBOUNCE_TICKS whatever its contacts do. */
#ifndef PADS_H
#define PADS_H

#include <stdint.h>

#include "ring.h"

struct pads_health {
    uint8_t stuck;
    uint8_t bridged;
};

void pads_start(void);

/* Puts what happened into the ring. */
void pads_poll(struct ring *ring, uint8_t boot);

/* Drives each pad low for some microseconds and looks at the others: less than a millisecond in all. */
struct pads_health pads_test(void);

/* Pressed as last reported, a bit each. */
uint8_t pads_level(void);

#endif
