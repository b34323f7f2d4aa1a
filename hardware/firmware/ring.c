#include "ring.h"

#include <stddef.h>
#include <string.h>

/* What is written before this line is in memory before what is written after it. */
#define IN_ORDER() __asm__ __volatile__("" ::: "memory")

static uint8_t check_of(const struct ring_event *event)
{
    const uint8_t *bytes = (const uint8_t *)event;
    uint8_t check = 0x5a;
    for (uint8_t at = 0; at < offsetof(struct ring_event, check); at++) {
        check = (uint8_t)((uint8_t)((check << 1) | (check >> 7)) ^ bytes[at]);
    }
    return check ? check : 1;
}

static struct ring_event *slot_of(const struct ring *ring, uint32_t sequence)
{
    return (struct ring_event *)&ring->events[sequence % RING_CAPACITY];
}

static bool is_whole(const struct ring *ring, uint32_t sequence)
{
    const struct ring_event *event = slot_of(ring, sequence);
    return sequence != 0 && event->sequence == sequence && event->check == check_of(event);
}

void ring_begin(struct ring *ring, uint16_t epoch)
{
    memset(ring, 0, sizeof *ring);
    ring->head = 1;
    ring->tail[0] = ring->tail[1] = 1;
    ring->lost[1] = UINT16_MAX;
    ring->epoch[0] = epoch;
    ring->epoch[1] = (uint16_t)~epoch;
    IN_ORDER();
    ring->schema = SCHEMA_HASH;
}

bool ring_recover(struct ring *ring)
{
    if (ring->schema != SCHEMA_HASH || (ring->epoch[0] ^ ring->epoch[1]) != UINT16_MAX) {
        return false;
    }
    uint32_t newest = 0;
    for (uint16_t slot = 0; slot < RING_CAPACITY; slot++) {
        uint32_t sequence = ring->events[slot].sequence;
        if (sequence > newest && slot == sequence % RING_CAPACITY && is_whole(ring, sequence)) {
            newest = sequence;
        }
    }
    uint32_t oldest = newest + 1;
    while (newest - oldest + 1 < RING_CAPACITY && is_whole(ring, oldest - 1)) {
        oldest--;
    }
    ring->head = newest + 1;
    /* A torn acknowledgement is taken back: the host knows what it has seen. */
    if (ring->tail[0] != ring->tail[1] || ring->tail[0] < oldest || ring->tail[0] > ring->head) {
        ring->tail[0] = ring->tail[1] = oldest;
    }
    uint16_t lost = ring_lost(ring);
    ring->lost[0] = lost;
    ring->lost[1] = (uint16_t)~lost;
    ring->lost_in_all = lost;
    return true;
}

static void keep(struct ring *ring, const struct ring_event *event)
{
    struct ring_event *slot = slot_of(ring, ring->head);
    slot->check = 0;
    IN_ORDER();
    struct ring_event whole = *event;
    whole.sequence = ring->head;
    whole.check = 0;
    *slot = whole;
    IN_ORDER();
    slot->check = check_of(slot);
    ring->head++;
}

static uint32_t room(const struct ring *ring)
{
    return RING_CAPACITY - (ring->head - ring_tail(ring));
}

static void set_lost(struct ring *ring, uint16_t lost)
{
    ring->lost[0] = lost;
    IN_ORDER();
    ring->lost[1] = (uint16_t)~lost;
}

void ring_put(struct ring *ring, const struct ring_event *event)
{
    ring_settle(ring, event);
    if (room(ring) > 0 && ring_lost(ring) == 0) {
        keep(ring, event);
        return;
    }
    if (ring_lost(ring) < UINT16_MAX) {
        set_lost(ring, (uint16_t)(ring_lost(ring) + 1));
    }
    if (ring->lost_in_all < UINT16_MAX) {
        ring->lost_in_all++;
    }
}

void ring_settle(struct ring *ring, const struct ring_event *like)
{
    if (ring_lost(ring) == 0 || room(ring) == 0) {
        return;
    }
    struct ring_event report = *like;
    report.kind = EVENT_KIND_OVERFLOW;
    report.index = 0;
    report.flags = 0;
    report.value = ring_lost(ring);
    keep(ring, &report);
    set_lost(ring, 0);
}

const struct ring_event *ring_get(const struct ring *ring, uint32_t sequence)
{
    return sequence >= ring_tail(ring) && sequence < ring->head ? slot_of(ring, sequence) : NULL;
}

bool ring_acknowledge(struct ring *ring, uint32_t next)
{
    if (next < ring_tail(ring) || next > ring->head) {
        return false;
    }
    ring->tail[0] = next;
    IN_ORDER();
    ring->tail[1] = next;
    return true;
}

uint32_t ring_tail(const struct ring *ring)
{
    return ring->tail[0];
}

/* Of a torn pair the larger is believed: rather one too many reported than one too few. */
uint16_t ring_lost(const struct ring *ring)
{
    uint16_t other = (uint16_t)~ring->lost[1];
    return ring->lost[0] > other ? ring->lost[0] : other;
}

uint16_t ring_epoch(const struct ring *ring)
{
    return ring->epoch[0];
}
