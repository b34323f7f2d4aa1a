#include "clock.h"

#include <avr/io.h>
#include <util/atomic.h>

static struct stamp now;

void clock_start(void)
{
    TCCR1A = 0;
    TCCR1B = _BV(CS11); /* 16 MHz / 8 */
}

struct stamp clock_now(void)
{
    uint16_t count;
    /* The pads' interrupt reads TCNT1 too, through the same TEMP register. */
    ATOMIC_BLOCK(ATOMIC_FORCEON) {
        count = TCNT1;
    }
    uint32_t before = now.ticks;
    now.ticks += (uint16_t)(count - (uint16_t)before);
    if (now.ticks < before) {
        now.turns++;
    }
    return now;
}

struct stamp clock_past(uint16_t count)
{
    struct stamp past = now;
    past.ticks -= (uint16_t)((uint16_t)now.ticks - count);
    if (past.ticks > now.ticks) {
        past.turns--;
    }
    return past;
}
