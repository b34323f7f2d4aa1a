/* USART 0, polled: it has room for two bytes, 174 us, and the main loop comes by more often, but for its answer to the
 * handshake, when the host waits. What is lost all the same is sent again. */
#ifndef SERIAL_H
#define SERIAL_H

#include <stdbool.h>
#include <stdint.h>

void serial_start(void);

/* Moves a byte each way, as far as the USART is ready. */
void serial_poll(void);

/* False if nothing has come in. */
bool serial_get(uint8_t *byte);

/* Bytes that serial_put() has room for. */
uint8_t serial_room(void);

void serial_put(const uint8_t *bytes, uint8_t size);

#endif
