#include "framing.h"

#ifdef __AVR__
#include <avr/pgmspace.h>
#else
#define PROGMEM
#define pgm_read_dword(at) (*(at))
#endif

static const uint32_t crc_table[256] PROGMEM = {CRC32_TABLE};

static uint32_t crc_update(uint32_t crc, uint8_t byte)
{
    return pgm_read_dword(&crc_table[(uint8_t)(crc ^ byte)]) ^ (crc >> 8);
}

/* As zlib's crc32() with the seed as its start. */
static uint32_t crc_of(const uint8_t *bytes, uint8_t size, uint32_t seed)
{
    uint32_t crc = ~seed;
    for (uint8_t at = 0; at < size; at++) {
        crc = crc_update(crc, bytes[at]);
    }
    return ~crc;
}

static uint32_t seed_of(uint8_t kind)
{
    return MSG_IS_HANDSHAKE(kind) ? 0 : SCHEMA_HASH;
}

/* The content has at most FRAME_CONTENT_MAX bytes, so that no run reaches the 254 that COBS treats apart. */
static uint8_t stuff(const uint8_t *content, uint8_t size, uint8_t *to)
{
    uint8_t code_at = 0;
    uint8_t end = 1;
    for (uint8_t at = 0; at < size; at++) {
        if (content[at] == 0) {
            to[code_at] = (uint8_t)(end - code_at);
            code_at = end++;
        } else {
            to[end++] = content[at];
        }
    }
    to[code_at] = (uint8_t)(end - code_at);
    return end;
}

uint8_t frame_encode(uint8_t kind, const uint8_t *payload, uint8_t size, uint8_t *to)
{
    uint8_t content[FRAME_CONTENT_MAX];
    content[0] = kind;
    content[1] = size;
    memcpy(content + 2, payload, size);
    uint32_t crc = crc_of(content, (uint8_t)(size + 2), seed_of(kind));
    for (uint8_t at = 0; at < 4; at++) {
        content[size + 2 + at] = (uint8_t)(crc >> (8 * at));
    }
    to[0] = 0;
    uint8_t stuffed = stuff(content, (uint8_t)(size + FRAME_AROUND), to + 1);
    to[stuffed + 1] = 0;
    return (uint8_t)(stuffed + 2);
}

static bool is_sound(const struct frame_reader *reader)
{
    if (reader->spoilt || reader->run != 0 || reader->size < FRAME_AROUND) {
        return false;
    }
    uint8_t size = (uint8_t)(reader->size - FRAME_AROUND);
    if (reader->content[1] != size) {
        return false;
    }
    uint32_t crc = crc_of(reader->content, (uint8_t)(size + 2), seed_of(reader->content[0]));
    for (uint8_t at = 0; at < 4; at++) {
        if (reader->content[size + 2 + at] != (uint8_t)(crc >> (8 * at))) {
            return false;
        }
    }
    return true;
}

static void reader_append(struct frame_reader *reader, uint8_t byte)
{
    if (reader->size == FRAME_CONTENT_MAX) {
        reader->spoilt = true;
    } else {
        reader->content[reader->size++] = byte;
    }
}

static bool reader_end(struct frame_reader *reader)
{
    bool sound = reader->started && is_sound(reader);
    if (reader->started && !sound && reader->faults < UINT16_MAX) {
        reader->faults++;
    }
    reader->started = false;
    return sound;
}

bool frame_feed(struct frame_reader *reader, uint8_t byte)
{
    if (byte == 0) {
        return reader_end(reader);
    }
    if (!reader->started) {
        reader->started = true;
        reader->spoilt = false;
        reader->size = 0;
        reader->run = (uint8_t)(byte - 1);
    } else if (reader->run == 0) {
        reader_append(reader, 0);
        reader->run = (uint8_t)(byte - 1);
    } else {
        reader_append(reader, byte);
        reader->run--;
    }
    return false;
}

uint8_t frame_kind(const struct frame_reader *reader)
{
    return reader->content[0];
}

const uint8_t *frame_payload(const struct frame_reader *reader)
{
    return reader->content + 2;
}

uint8_t frame_size(const struct frame_reader *reader)
{
    return reader->content[1];
}
