#include "outputs.h"

#include <avr/io.h>
#include <stdbool.h>

#include "clock.h"
#include "pins.h"

#define TICKS_PER_MS (1000000UL / TICK_NS)
#define BLINK_TICKS (400 * TICKS_PER_MS)

static struct msg_lamps lamps;
static bool blink_on;
static uint32_t blink_since;

static struct msg_buzz buzz;
static bool sounding;
static uint8_t times_left;
static uint32_t buzz_since;

void outputs_start(void)
{
#define DRIVE(name, number, port, bit)    \
    PORT##port &= (uint8_t)~_BV(bit);     \
    DDR##port |= _BV(bit);
    OUTPUTS(DRIVE)
}

#define LEVEL_OF_LAMP(number) ((lit >> ((number) - 1)) & 1)
#define LEVEL_OF_BUZZER(number) (sounding)

static void write_all(void)
{
    uint8_t lit = (uint8_t)(lamps.on | (blink_on ? lamps.blinking : 0));
#define WRITE(name, number, port, bit)        \
    if (LEVEL_OF_##name(number)) {            \
        PORT##port |= _BV(bit);               \
    } else {                                  \
        PORT##port &= (uint8_t)~_BV(bit);     \
    }
    OUTPUTS(WRITE)
}

static bool blink_step(uint32_t now)
{
    if (now - blink_since < BLINK_TICKS) {
        return false;
    }
    blink_since = now;
    blink_on = !blink_on;
    return lamps.blinking != 0;
}

static bool buzz_step(uint32_t now)
{
    if (times_left == 0 || now - buzz_since < (sounding ? buzz.on_ms : buzz.off_ms) * TICKS_PER_MS) {
        return false;
    }
    if (sounding) {
        times_left--;
    }
    sounding = !sounding && times_left != 0;
    buzz_since = now;
    return true;
}

void outputs_poll(void)
{
    uint32_t now = clock_now().ticks;
    bool blinked = blink_step(now);
    bool buzzed = buzz_step(now);
    if (blinked || buzzed) {
        write_all();
    }
}

void outputs_light(const struct msg_lamps *wanted)
{
    lamps = *wanted;
    write_all();
}

void outputs_buzz(const struct msg_buzz *wanted)
{
    if (wanted->number == buzz.number) {
        return;
    }
    buzz = *wanted;
    times_left = buzz.times;
    sounding = times_left != 0;
    buzz_since = clock_now().ticks;
    write_all();
}

struct msg_lamps outputs_lamps(void)
{
    return lamps;
}

uint8_t outputs_buzz_number(void)
{
    return buzz.number;
}
