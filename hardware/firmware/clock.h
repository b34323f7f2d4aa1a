/* Timer 1 counts ticks of 0.5 us; the main loop carries its 16 bits over into 40. No interrupt is needed for that: the
 * watchdog bites before the timer could go round unnoticed (15 ms against 32.8 ms). For the main loop only. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

struct stamp {
    uint32_t ticks;
    uint8_t turns;
};

void clock_start(void);

struct stamp clock_now(void);

/* When TCNT1 was `count`. Only right after clock_now(), for a count from before it. */
struct stamp clock_past(uint16_t count);

#endif
