/* Spoilt frames against the firmware's parser: none may be taken for a frame.
 *
 *   frame_mutator COUNT SEED [EVERY]
 *
 * Spoils COUNT stretches of one to three frames in turn in every way below and prints how many frames came through
 * whole, and how many that nobody had sent: with one of those it exits 1. Every EVERY-th stretch is printed in hex with
 * what was read from it, for the comparison with the Python parser.
 *
 * Compiled with -DFUZZ_TARGET it has no main() but LLVMFuzzerTestOneInput(), for clang's -fsanitize=fuzzer. */

#include <stdio.h>
#include <stdlib.h>

#include "framing.h"

#define FRAMES 3
#define STRETCH (FRAMES * FRAME_WIRE_MAX + 64)

/* Whatever comes: what is accepted has a size that fits and a kind that can be read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct frame_reader reader = {0};
    for (size_t at = 0; at < size; at++) {
        if (frame_feed(&reader, data[at]) && frame_size(&reader) > MSG_PAYLOAD_MAX) {
            abort();
        }
    }
    return 0;
}

#ifndef FUZZ_TARGET

struct sent {
    uint8_t kind;
    uint8_t size;
    uint8_t payload[MSG_PAYLOAD_MAX];
};

static uint64_t random_state;

/* splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014). */
static uint64_t random_next(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t random_below(size_t end)
{
    return (size_t)((random_next() >> 32) * end >> 32);
}

static size_t stretch_make(uint8_t *to, struct sent *sent, size_t *count)
{
    static const uint8_t sizes[] = {MSG_WHO_SIZE,  MSG_HERE_SIZE, MSG_HELLO_SIZE, MSG_EVENT_SIZE, MSG_ACK_SIZE,
                                    MSG_PING_SIZE, MSG_PONG_SIZE, MSG_LAMPS_SIZE, MSG_BUZZ_SIZE,  MSG_TEST_SIZE};
    size_t size = 0;
    *count = 1 + random_below(FRAMES);
    for (size_t frame = 0; frame < *count; frame++) {
        struct sent *one = &sent[frame];
        one->kind = (uint8_t)(1 + random_below(sizeof sizes));
        one->size = sizes[one->kind - 1];
        uint64_t noise = random_next();
        for (uint8_t at = 0; at < one->size; at++) {
            /* Half of the bytes are zeros, as in counters. */
            one->payload[at] = (noise >> (at % 8)) & 1 ? 0 : (uint8_t)random_next();
        }
        size += frame_encode(one->kind, one->payload, one->size, to + size);
    }
    return size;
}

/* Spoils a stretch, which has room for 64 bytes more; its new size. */
static size_t stretch_spoil(uint8_t *data, size_t size, unsigned int how)
{
    size_t at = random_below(size);
    size_t span = 1 + random_below(size - at < 8 ? size - at : 8);
    switch (how) {
    case 0: /* bits */
        for (size_t bits = 1 + random_below(6); bits > 0; bits--) {
            data[random_below(size)] ^= (uint8_t)(1u << random_below(8));
        }
        return size;
    case 1: /* a burst */
        for (size_t place = at; place < at + span; place++) {
            data[place] = (uint8_t)random_next();
        }
        return size;
    case 2: /* bytes dropped */
        memmove(data + at, data + at + span, size - at - span);
        return size - span;
    case 3: /* bytes doubled */
        memmove(data + at + span, data + at, size - at);
        return size + span;
    case 4: /* bytes invented */
        memmove(data + at + span, data + at, size - at);
        for (size_t place = at; place < at + span; place++) {
            data[place] = (uint8_t)random_next();
        }
        return size + span;
    case 5: { /* bytes in another order */
        size_t other = random_below(size);
        uint8_t kept = data[at];
        data[at] = data[other];
        data[other] = kept;
        return size;
    }
    case 6: /* zeros where none were, or other bytes where zeros were */
        data[at] = data[at] ? 0 : (uint8_t)(1 + random_below(255));
        return size;
    default: /* a part copied over another one */
        memmove(data + random_below(size - span + 1), data + at, span);
        return size;
    }
}

static bool was_sent(const struct frame_reader *reader, const struct sent *sent, size_t count)
{
    for (size_t frame = 0; frame < count; frame++) {
        if (frame_kind(reader) == sent[frame].kind && frame_size(reader) == sent[frame].size &&
            memcmp(frame_payload(reader), sent[frame].payload, sent[frame].size) == 0) {
            return true;
        }
    }
    return false;
}

static void print_bytes(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        printf("%02x", bytes[at]);
    }
}

int main(int count, char **arguments)
{
    if (count < 3) {
        fprintf(stderr, "usage: frame_mutator COUNT SEED [EVERY]\n");
        return 2;
    }
    unsigned long long stretches = strtoull(arguments[1], NULL, 10);
    unsigned long long every = count > 3 ? strtoull(arguments[3], NULL, 10) : 0;
    random_state = strtoull(arguments[2], NULL, 10);
    unsigned long long spoilt = 0, whole = 0, invented = 0;
    for (unsigned long long turn = 0; turn < stretches; turn++) {
        uint8_t data[STRETCH];
        struct sent sent[FRAMES];
        size_t frames;
        size_t size = stretch_make(data, sent, &frames);
        for (size_t times = 1 + random_below(2); times > 0; times--) {
            size = stretch_spoil(data, size, (unsigned int)(turn + times) % 8);
        }
        bool shown = every && turn % every == 0;
        if (shown) {
            print_bytes(data, size);
        }
        struct frame_reader reader = {0};
        for (size_t at = 0; at < size; at++) {
            if (frame_feed(&reader, data[at])) {
                bool known = was_sent(&reader, sent, frames);
                whole += known;
                invented += !known;
                if (shown) {
                    printf(" %d:", frame_kind(&reader));
                    print_bytes(frame_payload(&reader), frame_size(&reader));
                }
            }
        }
        spoilt += reader.faults;
        if (shown) {
            printf("\n");
        }
    }
    printf("%llu stretches: %llu spoilt frames refused, %llu whole ones read, %llu accepted that nobody sent\n", stretches,
           spoilt, whole, invented);
    return invented != 0;
}

#endif
