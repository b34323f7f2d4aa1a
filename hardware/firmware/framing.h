/* Frames on a line that may drop, invent and spoil bytes: firmware_bridge/framing.py describes them. No hardware here. */
#ifndef FRAMING_H
#define FRAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "messages.h"

/* Kind, length and checksum around the payload. */
#define FRAME_AROUND 6
#define FRAME_CONTENT_MAX (MSG_PAYLOAD_MAX + FRAME_AROUND)
/* One byte of stuffing, a zero at both ends. */
#define FRAME_WIRE_MAX (FRAME_CONTENT_MAX + 3)

/* What has come in of a frame so far. All zeros to begin with. */
struct frame_reader {
    uint8_t content[FRAME_CONTENT_MAX];
    uint8_t size;
    uint8_t run;     /* bytes to come before the next zero of the content */
    bool started;
    bool spoilt;
    uint16_t faults; /* stretches between zeros that were no frame; stays at 65535 */
};

/* Bytes written to `to`, which has room for FRAME_WIRE_MAX. `size` is at most MSG_PAYLOAD_MAX. */
uint8_t frame_encode(uint8_t kind, const uint8_t *payload, uint8_t size, uint8_t *to);

/* True when this byte completed a frame. Its kind, payload and size stay readable until the next byte. */
bool frame_feed(struct frame_reader *reader, uint8_t byte);

uint8_t frame_kind(const struct frame_reader *reader);
const uint8_t *frame_payload(const struct frame_reader *reader);
uint8_t frame_size(const struct frame_reader *reader);

#endif
