/* Why and how often the board has started, and the ring that outlives a reset. */
#ifndef BOOT_H
#define BOOT_H

#include <stdint.h>

#include "ring.h"

struct boot {
    uint8_t cause;       /* MCUSR; 0 where a boot loader has cleared it */
    uint16_t cold_boots; /* starts other than by the watchdog, kept in EEPROM; without a cause those after power came */
    uint16_t warm_boots; /* the others, since the last cold one */
    uint8_t number;      /* another one than at the last starts */
};

/* Counts this start. To be called once, before interrupts and watchdog are on: writing EEPROM takes milliseconds. */
struct boot boot_count(void);

/* The ring, with what it held before the reset where RAM has kept it. */
struct ring *boot_ring(const struct boot *boot);

#endif
