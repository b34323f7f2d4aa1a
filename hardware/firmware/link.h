/* The conversation with the host: answers, and events until they are acknowledged. */
#ifndef LINK_H
#define LINK_H

#include "boot.h"
#include "pads.h"
#include "ring.h"

/* Both stay where they are. */
void link_start(struct ring *ring, const struct boot *boot, struct pads_health health);

void link_poll(void);

/* For the next Pong: how long a round of the main loop took. */
void link_note_round(uint16_t ticks);

#endif
