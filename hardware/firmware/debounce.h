/* Contacts that bounce: the first edge counts at once, then the contact is shut for DEBOUNCE_TICKS. No hardware here. */
#ifndef DEBOUNCE_H
#define DEBOUNCE_H

#include <stdint.h>

#include "messages.h"

#define DEBOUNCE_CONTACTS 16

/* A bit for each contact, 1 for closed. All zeros to begin with: open, and ready to be believed. */
struct debounce {
    uint16_t level; /* as last reported */
    uint16_t shut;  /* not believed at present */
    uint32_t since[DEBOUNCE_CONTACTS];
};

/* The contacts that changed, as far as they are believed; they are shut from now on. */
uint16_t debounce_edge(struct debounce *d, uint16_t level, uint32_t ticks);

/* Opens the contacts that have been shut for long enough, and says which. Whoever calls looks at their level next:
 * an edge while they were shut shows only now. To be called more often than the ticks go round. */
uint16_t debounce_due(struct debounce *d, uint32_t ticks);

#endif
