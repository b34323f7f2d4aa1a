/* Made from firmware_bridge/schema.py by `make firmware-header`; change it there. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stdint.h>
#include <string.h>

#define SCHEMA_HASH 0x97c63321UL
#define MSG_PAYLOAD_MAX 53
#define MSG_IS_HANDSHAKE(kind) ((kind) == 1 || (kind) == 2)

#define BAUD 115200UL
#define TICK_NS 500
#define PAD_COUNT 8
#define RING_CAPACITY 256
#define WINDOW 16
#define DEBOUNCE_TICKS 16000
#define POLL_TICKS 2000
#define STAMP_JITTER_TICKS 10
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

#define CRC32_TABLE \
    0x00000000UL, 0x77073096UL, 0xee0e612cUL, 0x990951baUL, 0x076dc419UL, 0x706af48fUL, 0xe963a535UL, 0x9e6495a3UL, \
    0x0edb8832UL, 0x79dcb8a4UL, 0xe0d5e91eUL, 0x97d2d988UL, 0x09b64c2bUL, 0x7eb17cbdUL, 0xe7b82d07UL, 0x90bf1d91UL, \
    0x1db71064UL, 0x6ab020f2UL, 0xf3b97148UL, 0x84be41deUL, 0x1adad47dUL, 0x6ddde4ebUL, 0xf4d4b551UL, 0x83d385c7UL, \
    0x136c9856UL, 0x646ba8c0UL, 0xfd62f97aUL, 0x8a65c9ecUL, 0x14015c4fUL, 0x63066cd9UL, 0xfa0f3d63UL, 0x8d080df5UL, \
    0x3b6e20c8UL, 0x4c69105eUL, 0xd56041e4UL, 0xa2677172UL, 0x3c03e4d1UL, 0x4b04d447UL, 0xd20d85fdUL, 0xa50ab56bUL, \
    0x35b5a8faUL, 0x42b2986cUL, 0xdbbbc9d6UL, 0xacbcf940UL, 0x32d86ce3UL, 0x45df5c75UL, 0xdcd60dcfUL, 0xabd13d59UL, \
    0x26d930acUL, 0x51de003aUL, 0xc8d75180UL, 0xbfd06116UL, 0x21b4f4b5UL, 0x56b3c423UL, 0xcfba9599UL, 0xb8bda50fUL, \
    0x2802b89eUL, 0x5f058808UL, 0xc60cd9b2UL, 0xb10be924UL, 0x2f6f7c87UL, 0x58684c11UL, 0xc1611dabUL, 0xb6662d3dUL, \
    0x76dc4190UL, 0x01db7106UL, 0x98d220bcUL, 0xefd5102aUL, 0x71b18589UL, 0x06b6b51fUL, 0x9fbfe4a5UL, 0xe8b8d433UL, \
    0x7807c9a2UL, 0x0f00f934UL, 0x9609a88eUL, 0xe10e9818UL, 0x7f6a0dbbUL, 0x086d3d2dUL, 0x91646c97UL, 0xe6635c01UL, \
    0x6b6b51f4UL, 0x1c6c6162UL, 0x856530d8UL, 0xf262004eUL, 0x6c0695edUL, 0x1b01a57bUL, 0x8208f4c1UL, 0xf50fc457UL, \
    0x65b0d9c6UL, 0x12b7e950UL, 0x8bbeb8eaUL, 0xfcb9887cUL, 0x62dd1ddfUL, 0x15da2d49UL, 0x8cd37cf3UL, 0xfbd44c65UL, \
    0x4db26158UL, 0x3ab551ceUL, 0xa3bc0074UL, 0xd4bb30e2UL, 0x4adfa541UL, 0x3dd895d7UL, 0xa4d1c46dUL, 0xd3d6f4fbUL, \
    0x4369e96aUL, 0x346ed9fcUL, 0xad678846UL, 0xda60b8d0UL, 0x44042d73UL, 0x33031de5UL, 0xaa0a4c5fUL, 0xdd0d7cc9UL, \
    0x5005713cUL, 0x270241aaUL, 0xbe0b1010UL, 0xc90c2086UL, 0x5768b525UL, 0x206f85b3UL, 0xb966d409UL, 0xce61e49fUL, \
    0x5edef90eUL, 0x29d9c998UL, 0xb0d09822UL, 0xc7d7a8b4UL, 0x59b33d17UL, 0x2eb40d81UL, 0xb7bd5c3bUL, 0xc0ba6cadUL, \
    0xedb88320UL, 0x9abfb3b6UL, 0x03b6e20cUL, 0x74b1d29aUL, 0xead54739UL, 0x9dd277afUL, 0x04db2615UL, 0x73dc1683UL, \
    0xe3630b12UL, 0x94643b84UL, 0x0d6d6a3eUL, 0x7a6a5aa8UL, 0xe40ecf0bUL, 0x9309ff9dUL, 0x0a00ae27UL, 0x7d079eb1UL, \
    0xf00f9344UL, 0x8708a3d2UL, 0x1e01f268UL, 0x6906c2feUL, 0xf762575dUL, 0x806567cbUL, 0x196c3671UL, 0x6e6b06e7UL, \
    0xfed41b76UL, 0x89d32be0UL, 0x10da7a5aUL, 0x67dd4accUL, 0xf9b9df6fUL, 0x8ebeeff9UL, 0x17b7be43UL, 0x60b08ed5UL, \
    0xd6d6a3e8UL, 0xa1d1937eUL, 0x38d8c2c4UL, 0x4fdff252UL, 0xd1bb67f1UL, 0xa6bc5767UL, 0x3fb506ddUL, 0x48b2364bUL, \
    0xd80d2bdaUL, 0xaf0a1b4cUL, 0x36034af6UL, 0x41047a60UL, 0xdf60efc3UL, 0xa867df55UL, 0x316e8eefUL, 0x4669be79UL, \
    0xcb61b38cUL, 0xbc66831aUL, 0x256fd2a0UL, 0x5268e236UL, 0xcc0c7795UL, 0xbb0b4703UL, 0x220216b9UL, 0x5505262fUL, \
    0xc5ba3bbeUL, 0xb2bd0b28UL, 0x2bb45a92UL, 0x5cb36a04UL, 0xc2d7ffa7UL, 0xb5d0cf31UL, 0x2cd99e8bUL, 0x5bdeae1dUL, \
    0x9b64c2b0UL, 0xec63f226UL, 0x756aa39cUL, 0x026d930aUL, 0x9c0906a9UL, 0xeb0e363fUL, 0x72076785UL, 0x05005713UL, \
    0x95bf4a82UL, 0xe2b87a14UL, 0x7bb12baeUL, 0x0cb61b38UL, 0x92d28e9bUL, 0xe5d5be0dUL, 0x7cdcefb7UL, 0x0bdbdf21UL, \
    0x86d3d2d4UL, 0xf1d4e242UL, 0x68ddb3f8UL, 0x1fda836eUL, 0x81be16cdUL, 0xf6b9265bUL, 0x6fb077e1UL, 0x18b74777UL, \
    0x88085ae6UL, 0xff0f6a70UL, 0x66063bcaUL, 0x11010b5cUL, 0x8f659effUL, 0xf862ae69UL, 0x616bffd3UL, 0x166ccf45UL, \
    0xa00ae278UL, 0xd70dd2eeUL, 0x4e048354UL, 0x3903b3c2UL, 0xa7672661UL, 0xd06016f7UL, 0x4969474dUL, 0x3e6e77dbUL, \
    0xaed16a4aUL, 0xd9d65adcUL, 0x40df0b66UL, 0x37d83bf0UL, 0xa9bcae53UL, 0xdebb9ec5UL, 0x47b2cf7fUL, 0x30b5ffe9UL, \
    0xbdbdf21cUL, 0xcabac28aUL, 0x53b39330UL, 0x24b4a3a6UL, 0xbad03605UL, 0xcdd70693UL, 0x54de5729UL, 0x23d967bfUL, \
    0xb3667a2eUL, 0xc4614ab8UL, 0x5d681b02UL, 0x2a6f2b94UL, 0xb40bbe37UL, 0xc30c8ea1UL, 0x5a05df1bUL, 0x2d02ef8dUL

/* From the host. The host asks who is there and says which messages it speaks. Never changes. */
#define MSG_WHO 1
#define MSG_WHO_SIZE 6

struct msg_who {
    uint32_t schema;
    uint16_t token;
};

static inline void msg_who_unpack(struct msg_who *m, const uint8_t *from)
{
    m->schema = (uint32_t)(from[0] | ((uint32_t)from[1] << 8) | ((uint32_t)from[2] << 16) | ((uint32_t)from[3] << 24));
    m->token = (uint16_t)(from[4] | ((uint16_t)from[5] << 8));
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
#define MSG_HELLO_SIZE 25

struct msg_hello {
    uint16_t token;
    uint16_t epoch;
    uint8_t boot;
    uint16_t cold_boots;
    uint16_t warm_boots;
    uint8_t cause;
    uint32_t oldest;
    uint32_t next;
    uint8_t stuck;
    uint8_t bridged;
    uint8_t pads;
    uint8_t knives;
    uint8_t skewers;
    uint8_t beam;
    uint8_t spares;
};

static inline void msg_hello_pack(const struct msg_hello *m, uint8_t *to)
{
    to[0] = (uint8_t)(m->token);
    to[1] = (uint8_t)(m->token >> 8);
    to[2] = (uint8_t)(m->epoch);
    to[3] = (uint8_t)(m->epoch >> 8);
    to[4] = (uint8_t)(m->boot);
    to[5] = (uint8_t)(m->cold_boots);
    to[6] = (uint8_t)(m->cold_boots >> 8);
    to[7] = (uint8_t)(m->warm_boots);
    to[8] = (uint8_t)(m->warm_boots >> 8);
    to[9] = (uint8_t)(m->cause);
    to[10] = (uint8_t)(m->oldest);
    to[11] = (uint8_t)(m->oldest >> 8);
    to[12] = (uint8_t)(m->oldest >> 16);
    to[13] = (uint8_t)(m->oldest >> 24);
    to[14] = (uint8_t)(m->next);
    to[15] = (uint8_t)(m->next >> 8);
    to[16] = (uint8_t)(m->next >> 16);
    to[17] = (uint8_t)(m->next >> 24);
    to[18] = (uint8_t)(m->stuck);
    to[19] = (uint8_t)(m->bridged);
    to[20] = (uint8_t)(m->pads);
    to[21] = (uint8_t)(m->knives);
    to[22] = (uint8_t)(m->skewers);
    to[23] = (uint8_t)(m->beam);
    to[24] = (uint8_t)(m->spares);
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
