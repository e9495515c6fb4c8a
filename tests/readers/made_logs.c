#include "tests/readers/made_logs.h"
#include "tests/test.h"

#include <stdint.h>

const char *logs_write_bytes(const char *name, const void *bytes, size_t length) {
    static char path[16][1000];
    static int last;
    char folder[1000];
    last = (last + 1) % 16;
    snprintf(path[last], sizeof path[last], "%s/%s", own_folder(), name);
    log_folder(folder, sizeof folder, path[last], 0);
    OK(folder_make(folder, &e));
    OK(file_write(path[last], bytes, length, &e));
    return path[last];
}

const char *logs_write(const char *name, const char *text) {
    return logs_write_bytes(name, text, strlen(text));
}

/* CRC-32 bit by bit: polynomial 0x82F63B78 as RFC 3720 has it, 0xEDB88320 as gzip's RFC 1952. */
static uint32_t crc_by(uint32_t polynomial, const void *bytes, size_t length) {
    uint32_t x = 0xFFFFFFFFu;
    for (size_t i = 0; i < length; i++) {
        x ^= ((const uint8_t *)bytes)[i];
        for (int k = 0; k < 8; k++) x = (x >> 1) ^ (polynomial & (0u - (x & 1)));
    }
    return x ^ 0xFFFFFFFFu;
}

static uint32_t crc(const uint8_t *bytes, size_t length) {
    uint32_t x = crc_by(0x82F63B78u, bytes, length);
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

size_t logs_stored(char *out, const char *bytes, size_t length) {
    uint16_t n = (uint16_t)length, other = (uint16_t)~n;
    out[0] = 1;
    memcpy(out + 1, &n, 2), memcpy(out + 3, &other, 2), memcpy(out + 5, bytes, length);
    return length + 5;
}

size_t logs_gzip(char *out, const char *bytes, size_t length) {
    uint32_t sum = crc_by(0xEDB88320u, bytes, length), n = (uint32_t)length;
    memcpy(out, "\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
    size_t at = 10 + logs_stored(out + 10, bytes, length);
    memcpy(out + at, &sum, 4), memcpy(out + at + 4, &n, 4);
    return at + 8;
}

Logs l;

Rc logs_read_again(const char *path, int reader, Error *error) {
    logs_release(&l);
    *error = (Error){0};
    return logs_read(&l, &path, 1, reader, (LogTold){0}, error);
}

const Log *logs_read_one(const char *path) {
    OK(logs_read_again(path, -1, &e));
    cr_assert_eq(l.count, 1, "%s: %d runs", path, l.count);
    return &l.log[0];
}

void logs_read_below(const char *name) {
    char folder[1000];
    snprintf(folder, sizeof folder, "%s/%s", own_folder(), name);
    OK(logs_read_again(folder, -1, &e));
}
