/* Docks, beam and spare inputs. Looked at in every round of the main loop, not by interrupt: nothing may delay a pad's
 * stamp, and a round is shorter than POLL_TICKS. */
#ifndef INPUTS_H
#define INPUTS_H

#include <stdint.h>

#include "ring.h"

void inputs_start(void);

/* Puts what happened into the ring. */
void inputs_poll(struct ring *ring, uint8_t boot);

/* Closed as last reported, a bit for each of that EVENT_KIND. */
uint8_t inputs_level(uint8_t kind);

#endif
