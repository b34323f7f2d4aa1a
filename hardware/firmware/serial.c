#include "serial.h"

#include <avr/io.h>

#include "messages.h"

/* The nearest divider, 2.1 % off at 115200: what USB bridges and this chip have always agreed on. */
#define DIVIDER ((F_CPU / 4 / BAUD - 1) / 2)

static uint8_t received[64];
static uint8_t received_end;
static uint8_t received_begin;
static uint8_t waiting[128];
static uint8_t waiting_end;
static uint8_t waiting_begin;

void serial_start(void)
{
    UCSR0A = _BV(U2X0);
    UBRR0 = DIVIDER;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
}

void serial_poll(void)
{
    while (UCSR0A & _BV(RXC0)) {
        /* With nobody to take it a byte is dropped here as it would be in the USART; its frame is sent again. */
        uint8_t byte = UDR0;
        if ((uint8_t)(received_end - received_begin) < sizeof received) {
            received[received_end++ % sizeof received] = byte;
        }
    }
    if (waiting_begin != waiting_end && (UCSR0A & _BV(UDRE0))) {
        UDR0 = waiting[waiting_begin++ % sizeof waiting];
    }
}

bool serial_get(uint8_t *byte)
{
    if (received_begin == received_end) {
        return false;
    }
    *byte = received[received_begin++ % sizeof received];
    return true;
}

uint8_t serial_room(void)
{
    return (uint8_t)(sizeof waiting - (uint8_t)(waiting_end - waiting_begin));
}

void serial_put(const uint8_t *bytes, uint8_t size)
{
    for (uint8_t at = 0; at < size; at++) {
        waiting[waiting_end++ % sizeof waiting] = bytes[at];
    }
}
