/* The firmware's logic on this machine: debouncing, ring and frames. Prints what is wrong; exits 1 if anything is. */

#include <stdio.h>
#include <stdlib.h>

#include "debounce.h"
#include "framing.h"
#include "ring.h"

static int failures;

#define CHECK(what)                                                      \
    do {                                                                 \
        if (!(what)) {                                                   \
            printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #what); \
            failures++;                                                  \
        }                                                                \
    } while (0)

/* Debouncing: time, what the contacts say, what is believed to have changed. */

struct step {
    uint32_t ticks;
    uint16_t level;
    uint16_t changed;
};

static void debounce_follow(const char *name, const struct step *steps, size_t count, uint32_t from)
{
    struct debounce d = {0};
    for (size_t at = 0; at < count; at++) {
        uint32_t now = from + steps[at].ticks;
        debounce_due(&d, now);
        uint16_t changed = debounce_edge(&d, steps[at].level, now);
        if (changed != steps[at].changed) {
            printf("%s, step %zu at %u: %04x changed, expected %04x\n", name, at, steps[at].ticks, changed,
                   steps[at].changed);
            failures++;
        }
    }
}

#define D DEBOUNCE_TICKS
#define FOLLOW(name, ...)                                                                \
    do {                                                                                 \
        static const struct step steps[] = {__VA_ARGS__};                                \
        static const uint32_t starts[] = {0, 1, 0x7fffffffu, 0xffffffffu, 0xffffffffu - D / 2}; \
        for (size_t at = 0; at < sizeof starts / sizeof *starts; at++) {                 \
            debounce_follow(name, steps, sizeof steps / sizeof *steps, starts[at]);      \
        }                                                                                \
    } while (0)

static void test_debounce(void)
{
    FOLLOW("the first edge counts at once", {0, 0, 0}, {7, 1, 1}, {8, 1, 0});
    FOLLOW("bounces after it do not", {0, 1, 1}, {1, 0, 0}, {2, 1, 0}, {D - 1, 0, 0}, {D, 1, 0}, {2 * D, 0, 1});
    FOLLOW("what changed meanwhile shows when it is over", {0, 1, 1}, {9, 0, 0}, {D - 1, 0, 0}, {D, 0, 1}, {D + 9, 1, 0});
    FOLLOW("contacts know nothing of each other", {0, 1, 1}, {5, 2, 2}, {D, 2, 1}, {D + 4, 1, 0}, {D + 5, 1, 2});
    FOLLOW("all at once", {0, 0xffff, 0xffff}, {D - 1, 0, 0}, {D, 0, 0xffff});
    FOLLOW("a long press", {0, 1, 1}, {1000000, 1, 0}, {1000001, 0, 1});
}

/* The ring. */

static struct ring_event an_event(uint16_t value)
{
    struct ring_event event = {.ticks = value * 7u, .value = value, .kind = EVENT_KIND_PAD, .boot = 3};
    return event;
}

static void put(struct ring *ring, uint16_t from, uint16_t count)
{
    for (uint16_t at = 0; at < count; at++) {
        struct ring_event event = an_event((uint16_t)(from + at));
        ring_put(ring, &event);
    }
}

static void test_ring_keeps_until_acknowledged(void)
{
    static struct ring ring;
    ring_begin(&ring, 9);
    CHECK(ring_get(&ring, 1) == NULL);
    put(&ring, 100, 3);
    CHECK(ring_get(&ring, 1)->value == 100 && ring_get(&ring, 3)->value == 102 && ring_get(&ring, 4) == NULL);
    CHECK(!ring_acknowledge(&ring, 5) && !ring_acknowledge(&ring, 0));
    CHECK(ring_acknowledge(&ring, 3) && ring_acknowledge(&ring, 3) && !ring_acknowledge(&ring, 2));
    CHECK(ring_get(&ring, 2) == NULL && ring_get(&ring, 3)->sequence == 3);
}

static void test_ring_overflow_is_counted_and_reported(void)
{
    static struct ring ring;
    ring_begin(&ring, 9);
    put(&ring, 0, RING_CAPACITY + 5);
    CHECK(ring_lost(&ring) == 5 && ring.lost_in_all == 5 && ring.head == RING_CAPACITY + 1);
    CHECK(ring_get(&ring, RING_CAPACITY)->value == RING_CAPACITY - 1);
    CHECK(ring_acknowledge(&ring, 2));
    put(&ring, 900, 1); /* one place: the report takes it, and the event is lost too */
    CHECK(ring_get(&ring, RING_CAPACITY + 1)->kind == EVENT_KIND_OVERFLOW);
    CHECK(ring_get(&ring, RING_CAPACITY + 1)->value == 5 && ring_lost(&ring) == 1);
    CHECK(ring_acknowledge(&ring, RING_CAPACITY));
    put(&ring, 901, 1);
    CHECK(ring_get(&ring, RING_CAPACITY + 2)->value == 1 && ring_get(&ring, RING_CAPACITY + 3)->value == 901);
    CHECK(ring_lost(&ring) == 0 && ring.lost_in_all == 6);
}

static void test_ring_reports_without_another_event(void)
{
    static struct ring ring;
    struct ring_event now = an_event(1);
    ring_begin(&ring, 9);
    ring_settle(&ring, &now);
    CHECK(ring.head == 1);
    put(&ring, 0, RING_CAPACITY + 2);
    ring_settle(&ring, &now);
    CHECK(ring.head == RING_CAPACITY + 1);
    CHECK(ring_acknowledge(&ring, 2));
    ring_settle(&ring, &now);
    CHECK(ring_get(&ring, RING_CAPACITY + 1)->kind == EVENT_KIND_OVERFLOW);
}

static void test_ring_outlives_a_reset(void)
{
    static struct ring ring;
    for (uint16_t before = 0; before < 3 * RING_CAPACITY; before += 61) {
        ring_begin(&ring, 9);
        for (uint16_t at = 0; at < before; at++) {
            put(&ring, at, 1);
            CHECK(ring_acknowledge(&ring, at + 2));
        }
        put(&ring, before, 20);
        ring.head = 0xdeadbeef;
        CHECK(ring_recover(&ring));
        CHECK(ring.head == before + 21u && ring_tail(&ring) == before + 1u && ring_epoch(&ring) == 9);
        CHECK(ring_get(&ring, before + 20u)->value == before + 19);
    }
}

/* A reset in the middle of an event, an acknowledgement, a count. */
static void test_ring_outlives_a_torn_write(void)
{
    static struct ring ring;
    ring_begin(&ring, 9);
    put(&ring, 0, 30);
    CHECK(ring_acknowledge(&ring, 11));
    ring.events[31].sequence = 31;
    ring.events[31].check = 0;
    CHECK(ring_recover(&ring) && ring.head == 31 && ring_tail(&ring) == 11);
    ring.tail[0] = 20;
    CHECK(ring_recover(&ring) && ring.head == 31 && ring_tail(&ring) <= 11);
    ring.lost[0] = 4;
    ring.lost[1] = (uint16_t)~3;
    CHECK(ring_recover(&ring) && ring_lost(&ring) == 4);
    ring.epoch[0]++;
    CHECK(!ring_recover(&ring));
    memset(&ring, 0x5a, sizeof ring);
    CHECK(!ring_recover(&ring));
}

/* Frames. */

static void test_frames_there_and_back(void)
{
    uint8_t payload[MSG_PAYLOAD_MAX];
    uint8_t wire[FRAME_WIRE_MAX];
    struct frame_reader reader = {0};
    for (int size = 0; size <= MSG_PAYLOAD_MAX; size++) {
        for (int at = 0; at < size; at++) {
            payload[at] = (uint8_t)(at % 3 ? at * 37 : 0);
        }
        uint8_t length = frame_encode((uint8_t)size, payload, (uint8_t)size, wire);
        CHECK(length == size + FRAME_AROUND + 3);
        for (int at = 0; at < length; at++) {
            CHECK(frame_feed(&reader, wire[at]) == (at == length - 1));
        }
        CHECK(frame_kind(&reader) == size && frame_size(&reader) == size);
        CHECK(memcmp(frame_payload(&reader), payload, (size_t)size) == 0);
    }
    CHECK(reader.faults == 0);
}

static void test_frames_spoilt(void)
{
    uint8_t payload[12] = {1, 0, 2, 0, 0, 3};
    uint8_t wire[FRAME_WIRE_MAX];
    struct frame_reader reader = {0};
    uint8_t length = frame_encode(MSG_EVENT, payload, sizeof payload, wire);
    for (int bit = 8; bit < 8 * (length - 1); bit++) {
        wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
        for (int at = 0; at < length; at++) {
            CHECK(!frame_feed(&reader, wire[at]));
        }
        wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (int at = 0; at < 100000; at++) {
        frame_feed(&reader, 0xff);
    }
    CHECK(!frame_feed(&reader, 0));
    for (int at = 0; at < length; at++) {
        CHECK(frame_feed(&reader, wire[at]) == (at == length - 1));
    }
}

/* With an argument: answers each line of hex, a stretch of bytes, with the frames it completes, for the comparison with
 * the Python parser. */
static void frames_from_input(void)
{
    static char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        struct frame_reader reader = {0};
        unsigned int byte;
        for (char *at = line; sscanf(at, "%2x", &byte) == 1; at += 2) {
            if (frame_feed(&reader, (uint8_t)byte)) {
                printf("%d:", frame_kind(&reader));
                for (uint8_t place = 0; place < frame_size(&reader); place++) {
                    printf("%02x", frame_payload(&reader)[place]);
                }
                printf(" ");
            }
        }
        printf("\n");
    }
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1) {
        frames_from_input();
        return 0;
    }
    test_debounce();
    test_ring_keeps_until_acknowledged();
    test_ring_overflow_is_counted_and_reported();
    test_ring_reports_without_another_event();
    test_ring_outlives_a_reset();
    test_ring_outlives_a_torn_write();
    test_frames_there_and_back();
    test_frames_spoilt();
    return failures != 0;
}
