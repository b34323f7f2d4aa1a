/* The seats' lamps and the buzzer. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include <stdint.h>

#include "messages.h"

void outputs_start(void);

/* Blinks and buzzes as told. */
void outputs_poll(void);

void outputs_light(const struct msg_lamps *lamps);

/* Nothing if that number was the last obeyed. */
void outputs_buzz(const struct msg_buzz *buzz);

struct msg_lamps outputs_lamps(void);
uint8_t outputs_buzz_number(void);

#endif
