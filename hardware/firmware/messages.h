/* Made from firmware_bridge/schema.py by `make firmware-header`; change it there. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stdint.h>
#include <string.h>

#define SCHEMA_HASH 0xc3f32af0UL
#define MSG_PAYLOAD_MAX 53
#define MSG_IS_HANDSHAKE(kind) ((kind) == 1 || (kind) == 2)

#define BAUD 115200UL
#define TICK_NS 500
#define PAD_COUNT 8
#define RING_CAPACITY 256
#define WINDOW 16
#define DEBOUNCE_TICKS 16000
#define POLL_TICKS 1000
#define EVENT_KIND_PAD 1
#define EVENT_KIND_KNIFE_DOCK 2
#define EVENT_KIND_SKEWER_DOCK 3
#define EVENT_KIND_BEAM 4
#define EVENT_KIND_SPARE 5
#define EVENT_KIND_OVERFLOW 6
#define RESET_CAUSE_POWER_ON 1
#define RESET_CAUSE_EXTERNAL 2
#define RESET_CAUSE_BROWN_OUT 4
#define RESET_CAUSE_WATCHDOG 8
#define EVENT_FLAG_LATE 1

/* From the host. The host asks who is there and says which messages it speaks. Never changes. */
#define MSG_WHO 1
#define MSG_WHO_SIZE 4

struct msg_who {
    uint32_t schema;
};

static inline void msg_who_unpack(struct msg_who *m, const uint8_t *from)
{
    m->schema = (uint32_t)(from[0] | ((uint32_t)from[1] << 8) | ((uint32_t)from[2] << 16) | ((uint32_t)from[3] << 24));
}

/* From the board. The board's answer to Who: what it speaks, and in words whether that will do. Never changes. */
#define MSG_HERE 2
#define MSG_HERE_SIZE 53

struct msg_here {
    uint32_t schema;
    uint8_t accepted;
    char words[48];
};

static inline void msg_here_pack(const struct msg_here *m, uint8_t *to)
{
    to[0] = (uint8_t)(m->schema);
    to[1] = (uint8_t)(m->schema >> 8);
    to[2] = (uint8_t)(m->schema >> 16);
    to[3] = (uint8_t)(m->schema >> 24);
    to[4] = (uint8_t)(m->accepted);
    memcpy(to + 5, m->words, 48);
}

/* From the board. The board's state, sent after Here when both speak the same. */
#define MSG_HELLO 3
#define MSG_HELLO_SIZE 18

struct msg_hello {
    uint16_t epoch;
    uint8_t boot;
    uint16_t cold_boots;
    uint16_t warm_boots;
    uint8_t cause;
    uint32_t oldest;
    uint32_t next;
    uint8_t stuck;
    uint8_t bridged;
};

static inline void msg_hello_pack(const struct msg_hello *m, uint8_t *to)
{
    to[0] = (uint8_t)(m->epoch);
    to[1] = (uint8_t)(m->epoch >> 8);
    to[2] = (uint8_t)(m->boot);
    to[3] = (uint8_t)(m->cold_boots);
    to[4] = (uint8_t)(m->cold_boots >> 8);
    to[5] = (uint8_t)(m->warm_boots);
    to[6] = (uint8_t)(m->warm_boots >> 8);
    to[7] = (uint8_t)(m->cause);
    to[8] = (uint8_t)(m->oldest);
    to[9] = (uint8_t)(m->oldest >> 8);
    to[10] = (uint8_t)(m->oldest >> 16);
    to[11] = (uint8_t)(m->oldest >> 24);
    to[12] = (uint8_t)(m->next);
    to[13] = (uint8_t)(m->next >> 8);
    to[14] = (uint8_t)(m->next >> 16);
    to[15] = (uint8_t)(m->next >> 24);
    to[16] = (uint8_t)(m->stuck);
    to[17] = (uint8_t)(m->bridged);
}

/* From the board. One thing that happened, sent again until it is acknowledged. */
#define MSG_EVENT 4
#define MSG_EVENT_SIZE 17

struct msg_event {
    uint16_t epoch;
    uint32_t sequence;
    uint8_t kind;
    uint8_t index;
    uint16_t value;
    uint8_t flags;
    uint8_t boot;
    uint8_t turns;
    uint32_t ticks;
};

static inline void msg_event_pack(const struct msg_event *m, uint8_t *to)
{
    to[0] = (uint8_t)(m->epoch);
    to[1] = (uint8_t)(m->epoch >> 8);
    to[2] = (uint8_t)(m->sequence);
    to[3] = (uint8_t)(m->sequence >> 8);
    to[4] = (uint8_t)(m->sequence >> 16);
    to[5] = (uint8_t)(m->sequence >> 24);
    to[6] = (uint8_t)(m->kind);
    to[7] = (uint8_t)(m->index);
    to[8] = (uint8_t)(m->value);
    to[9] = (uint8_t)(m->value >> 8);
    to[10] = (uint8_t)(m->flags);
    to[11] = (uint8_t)(m->boot);
    to[12] = (uint8_t)(m->turns);
    to[13] = (uint8_t)(m->ticks);
    to[14] = (uint8_t)(m->ticks >> 8);
    to[15] = (uint8_t)(m->ticks >> 16);
    to[16] = (uint8_t)(m->ticks >> 24);
}

/* From the host. The host has everything before event `next`; the board may forget it. */
#define MSG_ACK 5
#define MSG_ACK_SIZE 7

struct msg_ack {
    uint16_t epoch;
    uint32_t next;
    uint8_t again;
};

static inline void msg_ack_unpack(struct msg_ack *m, const uint8_t *from)
{
    m->epoch = (uint16_t)(from[0] | ((uint16_t)from[1] << 8));
    m->next = (uint32_t)(from[2] | ((uint32_t)from[3] << 8) | ((uint32_t)from[4] << 16) | ((uint32_t)from[5] << 24));
    m->again = (uint8_t)(from[6]);
}

/* From the host. The host asks for the time. */
#define MSG_PING 6
#define MSG_PING_SIZE 2

struct msg_ping {
    uint16_t token;
};

static inline void msg_ping_unpack(struct msg_ping *m, const uint8_t *from)
{
    m->token = (uint16_t)(from[0] | ((uint16_t)from[1] << 8));
}

/* From the board. The tick at which Ping had come in whole, and how the board is. */
#define MSG_PONG 7
#define MSG_PONG_SIZE 17

struct msg_pong {
    uint16_t token;
    uint16_t epoch;
    uint8_t boot;
    uint8_t turns;
    uint32_t ticks;
    uint8_t lamps;
    uint8_t blinking;
    uint8_t buzz;
    uint16_t lost;
    uint16_t slowest;
};

static inline void msg_pong_pack(const struct msg_pong *m, uint8_t *to)
{
    to[0] = (uint8_t)(m->token);
    to[1] = (uint8_t)(m->token >> 8);
    to[2] = (uint8_t)(m->epoch);
    to[3] = (uint8_t)(m->epoch >> 8);
    to[4] = (uint8_t)(m->boot);
    to[5] = (uint8_t)(m->turns);
    to[6] = (uint8_t)(m->ticks);
    to[7] = (uint8_t)(m->ticks >> 8);
    to[8] = (uint8_t)(m->ticks >> 16);
    to[9] = (uint8_t)(m->ticks >> 24);
    to[10] = (uint8_t)(m->lamps);
    to[11] = (uint8_t)(m->blinking);
    to[12] = (uint8_t)(m->buzz);
    to[13] = (uint8_t)(m->lost);
    to[14] = (uint8_t)(m->lost >> 8);
    to[15] = (uint8_t)(m->slowest);
    to[16] = (uint8_t)(m->slowest >> 8);
}

/* From the host. The seats' lamps, seat 1 in the lowest bit. */
#define MSG_LAMPS 8
#define MSG_LAMPS_SIZE 2

struct msg_lamps {
    uint8_t on;
    uint8_t blinking;
};

static inline void msg_lamps_unpack(struct msg_lamps *m, const uint8_t *from)
{
    m->on = (uint8_t)(from[0]);
    m->blinking = (uint8_t)(from[1]);
}

/* From the host. Sound the buzzer `times` times; a number already obeyed is not obeyed twice. */
#define MSG_BUZZ 9
#define MSG_BUZZ_SIZE 6

struct msg_buzz {
    uint8_t number;
    uint16_t on_ms;
    uint16_t off_ms;
    uint8_t times;
};

static inline void msg_buzz_unpack(struct msg_buzz *m, const uint8_t *from)
{
    m->number = (uint8_t)(from[0]);
    m->on_ms = (uint16_t)(from[1] | ((uint16_t)from[2] << 8));
    m->off_ms = (uint16_t)(from[3] | ((uint16_t)from[4] << 8));
    m->times = (uint8_t)(from[5]);
}

/* From the host. Do the pads' self-test now; Hello answers. Pads are deaf meanwhile, for less than a millisecond. */
#define MSG_TEST 10
#define MSG_TEST_SIZE 0

struct msg_test {
    uint8_t nothing;
};

static inline void msg_test_unpack(struct msg_test *m, const uint8_t *from)
{
    (void)from;
    m->nothing = 0;
}

#endif
