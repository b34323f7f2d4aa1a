/* Events kept until the host has acknowledged them. Fit to lie in RAM that a reset does not clear: whatever moment the
 * reset chose, ring_recover() finds every event that was put in whole. No hardware here. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

#include "messages.h"

struct ring_event {
    uint32_t sequence;
    uint32_t ticks;
    uint16_t value;
    uint8_t kind;
    uint8_t index;
    uint8_t flags;
    uint8_t boot;
    uint8_t turns;
    uint8_t check; /* 0 while the event is being written */
};

struct ring {
    uint32_t schema;
    uint32_t tail[2]; /* oldest event kept, twice: a reset may tear one of them */
    uint32_t head;    /* the next event's number; not believed after a reset */
    uint16_t epoch[2];
    uint16_t lost[2]; /* not reported yet */
    uint16_t lost_in_all;
    struct ring_event events[RING_CAPACITY];
};

/* Empties the ring; numbers start at 1. */
void ring_begin(struct ring *ring, uint16_t epoch);

/* False if what lies there is no ring of this schema: it is to be begun anew. */
bool ring_recover(struct ring *ring);

/* Numbers and keeps an event, or counts it as lost where there is no room. */
void ring_put(struct ring *ring, const struct ring_event *event);

/* Reports what was lost, at the time of `like`, once there is room for that. */
void ring_settle(struct ring *ring, const struct ring_event *like);

/* The event of that number, or 0 if it is not kept. */
const struct ring_event *ring_get(const struct ring *ring, uint32_t sequence);

/* Forgets what is before `next`; false if the ring has no such number. */
bool ring_acknowledge(struct ring *ring, uint32_t next);

uint32_t ring_tail(const struct ring *ring);
uint16_t ring_lost(const struct ring *ring);
uint16_t ring_epoch(const struct ring *ring);

#endif
