#include "tests/readers/made_logs.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"

const char *logs_folder(void) {
    static Scratch s;
    Error e;
    if (!s.path[0]) cr_assert_eq(scratch_make(&s, &e), RC_OK);
    return s.path;
}

const char *logs_write_bytes(const char *name, const void *bytes, size_t length) {
    static char path[16][1000];
    static int last;
    char folder[1000];
    Error e;
    last = (last + 1) % 16;
    snprintf(path[last], sizeof path[last], "%s/%s", logs_folder(), name);
    log_folder(folder, sizeof folder, path[last], 0);
    cr_assert_eq(folder_make(folder, &e), RC_OK, "%s", e.text);
    cr_assert_eq(file_write(path[last], bytes, length, &e), RC_OK, "%s", e.text);
    return path[last];
}

const char *logs_write(const char *name, const char *text) {
    return logs_write_bytes(name, text, strlen(text));
}

/* CRC-32C bit by bit, as RFC 3720 has it. */
static uint32_t crc(const uint8_t *bytes, size_t length) {
    uint32_t x = 0xFFFFFFFFu;
    for (size_t i = 0; i < length; i++) {
        x ^= bytes[i];
        for (int k = 0; k < 8; k++) x = (x >> 1) ^ (0x82F63B78u & (0u - (x & 1)));
    }
    x ^= 0xFFFFFFFFu;
    return ((x >> 15) | (x << 17)) + 0xA282EAD8u;
}

static size_t record(char *out, const uint8_t *event, uint8_t n) {
    uint8_t head[8] = {n};
    uint32_t first = crc(head, 8), second = crc(event, n);
    memcpy(out, head, 8), memcpy(out + 8, &first, 4), memcpy(out + 12, event, n), memcpy(out + 12 + n, &second, 4);
    return 16 + (size_t)n;
}

size_t logs_events(char *out, const char *tag, const float *value, int count) {
    static const char version[] = "\x1A\x0D"
                                  "brain.Event:2";
    size_t at = record(out, (const uint8_t *)version, sizeof version - 1);
    for (int i = 0; i < count; i++) {
        uint8_t n = (uint8_t)strlen(tag), event[120];
        /* wall_time (9, 8 bytes), step (16), summary (42) { value (10) { tag (10), simple_value (21) } } */
        uint8_t body = (uint8_t)(2 + n + 5), *to = event;
        *to++ = 9, memset(to, 0, 8), to += 8;
        *to++ = 16, *to++ = (uint8_t)(10 * (i + 1));
        *to++ = 42, *to++ = (uint8_t)(body + 2), *to++ = 10, *to++ = body;
        *to++ = 10, *to++ = n, memcpy(to, tag, n), to += n;
        *to++ = 21, memcpy(to, &value[i], 4), to += 4;
        at += record(out + at, event, (uint8_t)(to - event));
    }
    return at;
}

size_t logs_npy(char *out, const double *value, int count) {
    char head[200];
    int n = snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", count);
    while ((n + 11) % 64) head[n++] = ' ';
    head[n++] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)n, out[9] = 0;
    memcpy(out + 10, head, (size_t)n);
    memcpy(out + 10 + n, value, (size_t)count * sizeof *value);
    return 10 + (size_t)n + (size_t)count * sizeof *value;
}
