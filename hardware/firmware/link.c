#include "link.h"

#include "clock.h"
#include "framing.h"
#include "inputs.h"
#include "outputs.h"
#include "serial.h"

/* Without an acknowledgement for so long, events are sent again: more than WINDOW frames take. */
#define RESEND_TICKS (80000000UL / TICK_NS)

static struct ring *ring;
static struct boot boot;
static struct pads_health health;
static struct frame_reader reader;
static bool agreed; /* the host speaks the same messages */
static uint16_t token; /* of the latest Who */
static uint32_t next; /* event to send */
static uint32_t moved; /* tick at which the host last acknowledged something, or events were sent again */
static uint16_t slowest;

/* A lost answer is asked for again, so what has no room is dropped. */
static void send(uint8_t kind, const uint8_t *payload, uint8_t size)
{
    uint8_t frame[FRAME_WIRE_MAX];
    serial_poll();
    uint8_t length = frame_encode(kind, payload, size, frame);
    serial_poll();
    if (serial_room() >= length) {
        serial_put(frame, length);
    }
}

static void send_here(bool accepted)
{
    struct msg_here here = {.schema = SCHEMA_HASH, .accepted = accepted};
    strncpy(here.words, accepted ? "pizzatable board" : "other messages than mine: flash this board again",
            sizeof here.words);
    uint8_t payload[MSG_HERE_SIZE];
    msg_here_pack(&here, payload);
    send(MSG_HERE, payload, sizeof payload);
}

static void send_hello(void)
{
    struct msg_hello hello = {
        .token = token,
        .epoch = ring_epoch(ring),
        .boot = boot.number,
        .cold_boots = boot.cold_boots,
        .warm_boots = boot.warm_boots,
        .cause = boot.cause,
        .oldest = ring_tail(ring),
        .next = ring->head,
        .stuck = health.stuck,
        .bridged = health.bridged,
        .pads = pads_level(),
        .knives = inputs_level(EVENT_KIND_KNIFE_DOCK),
        .skewers = inputs_level(EVENT_KIND_SKEWER_DOCK),
        .beam = inputs_level(EVENT_KIND_BEAM),
        .spares = inputs_level(EVENT_KIND_SPARE),
    };
    uint8_t payload[MSG_HELLO_SIZE];
    msg_hello_pack(&hello, payload);
    send(MSG_HELLO, payload, sizeof payload);
}

static void send_pong(uint16_t asked)
{
    struct stamp now = clock_now();
    struct msg_lamps lamps = outputs_lamps();
    struct msg_pong pong = {
        .token = asked,
        .epoch = ring_epoch(ring),
        .boot = boot.number,
        .turns = now.turns,
        .ticks = now.ticks,
        .lamps = lamps.on,
        .blinking = lamps.blinking,
        .buzz = outputs_buzz_number(),
        .lost = ring->lost_in_all,
        .slowest = slowest,
    };
    slowest = 0;
    uint8_t payload[MSG_PONG_SIZE];
    msg_pong_pack(&pong, payload);
    send(MSG_PONG, payload, sizeof payload);
}

static void send_event(const struct ring_event *kept)
{
    struct msg_event event = {
        .epoch = ring_epoch(ring),
        .sequence = kept->sequence,
        .kind = kept->kind,
        .index = kept->index,
        .value = kept->value,
        .flags = kept->flags,
        .boot = kept->boot,
        .turns = kept->turns,
        .ticks = kept->ticks,
    };
    uint8_t payload[MSG_EVENT_SIZE];
    msg_event_pack(&event, payload);
    send(MSG_EVENT, payload, sizeof payload);
}

static void on_who(const uint8_t *payload)
{
    struct msg_who who;
    msg_who_unpack(&who, payload);
    agreed = who.schema == SCHEMA_HASH;
    token = who.token;
    send_here(agreed);
    if (agreed) {
        send_hello();
        next = ring_tail(ring);
        moved = clock_now().ticks;
    }
}

static void on_ack(const uint8_t *payload)
{
    struct msg_ack ack;
    msg_ack_unpack(&ack, payload);
    uint32_t before = ring_tail(ring);
    if (ack.epoch != ring_epoch(ring) || !ring_acknowledge(ring, ack.next)) {
        return; /* of another ring, or overtaken by a later one */
    }
    if (next < ack.next || ack.again) {
        next = ack.next;
    }
    if (ack.next != before || ack.again) {
        moved = clock_now().ticks;
    }
}

static void on_frame(uint8_t kind, const uint8_t *payload, uint8_t size)
{
    if (kind == MSG_WHO && size == MSG_WHO_SIZE) {
        on_who(payload);
    } else if (kind == MSG_ACK && size == MSG_ACK_SIZE) {
        on_ack(payload);
    } else if (kind == MSG_PING && size == MSG_PING_SIZE) {
        struct msg_ping ping;
        msg_ping_unpack(&ping, payload);
        send_pong(ping.token);
    } else if (kind == MSG_LAMPS && size == MSG_LAMPS_SIZE) {
        struct msg_lamps lamps;
        msg_lamps_unpack(&lamps, payload);
        outputs_light(&lamps);
    } else if (kind == MSG_BUZZ && size == MSG_BUZZ_SIZE) {
        struct msg_buzz buzz;
        msg_buzz_unpack(&buzz, payload);
        outputs_buzz(&buzz);
    } else if (kind == MSG_TEST) {
        health = pads_test();
        send_hello();
    }
}

static void send_next_event(void)
{
    uint32_t now = clock_now().ticks;
    if (next != ring_tail(ring) && now - moved >= RESEND_TICKS) {
        next = ring_tail(ring);
        moved = now;
    }
    const struct ring_event *event = ring_get(ring, next);
    if (event && next - ring_tail(ring) < WINDOW && serial_room() >= FRAME_WIRE_MAX + MSG_EVENT_SIZE) {
        if (next == ring_tail(ring)) {
            moved = now;
        }
        send_event(event);
        next++;
    }
}

void link_start(struct ring *its_ring, const struct boot *its_boot, struct pads_health its_health)
{
    ring = its_ring;
    boot = *its_boot;
    health = its_health;
}

void link_note_round(uint16_t ticks)
{
    if (ticks > slowest) {
        slowest = ticks;
    }
}

void link_poll(void)
{
    uint8_t byte;
    while (serial_get(&byte)) {
        if (frame_feed(&reader, byte)) {
            on_frame(frame_kind(&reader), frame_payload(&reader), frame_size(&reader));
            return; /* one a round */
        }
    }
    if (agreed) {
        send_next_event();
    }
}
