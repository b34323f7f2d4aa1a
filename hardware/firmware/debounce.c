#include "debounce.h"

uint16_t debounce_edge(struct debounce *d, uint16_t level, uint32_t ticks)
{
    uint16_t changed = (uint16_t)((level ^ d->level) & ~d->shut);
    if (changed == 0) {
        return 0;
    }
    uint32_t *since = d->since;
    for (uint16_t left = changed; left != 0; left >>= 1, since++) {
        if (left & 1) {
            *since = ticks;
        }
    }
    d->level ^= changed;
    d->shut |= changed;
    return changed;
}

uint16_t debounce_due(struct debounce *d, uint32_t ticks)
{
    uint16_t due = 0;
    uint16_t bit = 1;
    const uint32_t *since = d->since;
    for (uint16_t left = d->shut; left != 0; left >>= 1, bit <<= 1, since++) {
        if ((left & 1) && ticks - *since >= DEBOUNCE_TICKS) {
            due |= bit;
        }
    }
    d->shut &= (uint16_t)~due;
    return due;
}
