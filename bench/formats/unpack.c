#include "bench/formats/unpack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const bool unpack_known = true;

enum { GZIP_ALONE = 15 + 16, ZIP_ALONE = -15 /* zlib's windowBits */, PIECE = 1 << 16 };

/* Where gzip's members begin, and what is behind the last: zeros pad a tape's block. */
static bool is_gzip(const char *bytes, size_t length) {
    return length > 1 && !memcmp(bytes, "\x1F\x8B", 2);
}

static bool zeros(const unsigned char *at, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (at[i]) return false;
    return true;
}

/* Append all members to out[*n], which has *room bytes; say what is wrong, or return NULL. */
static const char *all_members(z_stream *z, char **out, size_t *room, size_t *n) {
    for (;;) {
        if (*n + PIECE >= *room) *out = mem_grow(*out, *room *= 2, 1);
        z->next_out = (unsigned char *)*out + *n, z->avail_out = PIECE;
        int told = inflate(z, Z_NO_FLUSH);
        *n += PIECE - z->avail_out;
        if (*n > UNPACKED_MAX) return "holds more than 256 MiB: unpack it (gunzip)";
        if (told == Z_BUF_ERROR || (told == Z_OK && !z->avail_in && z->avail_out)) return "breaks off";
        if (told != Z_OK && told != Z_STREAM_END) return "is damaged";
        if (told == Z_OK) continue;
        if (zeros(z->next_in, z->avail_in)) return NULL;
        if (!is_gzip((const char *)z->next_in, z->avail_in)) return "has other bytes behind it";
        if (inflateReset(z)) return "is damaged";
    }
}

Rc unpack_gzip(char **bytes, size_t *length, Error *e) {
    if (!is_gzip(*bytes, *length)) return RC_OK;
    z_stream z = {.next_in = (unsigned char *)*bytes, .avail_in = (unsigned)*length};
    if (*length > UINT_MAX || inflateInit2(&z, GZIP_ALONE))
        return error_set(e, RC_USAGE, "the gzip file cannot be unpacked: unpack it (gunzip)");
    size_t room = 4 * PIECE, n = 0;
    char *out = mem_alloc(room, 1);
    const char *wrong = all_members(&z, &out, &room, &n);
    inflateEnd(&z);
    if (wrong) {
        free(out);
        return error_set(e, RC_USAGE, "the gzip file %s", wrong);
    }
    out[n] = 0;
    free(*bytes);
    *bytes = out, *length = n;
    return RC_OK;
}

char *unpack_member(const char *packed, size_t length, size_t size) {
    z_stream z = {.next_in = (unsigned char *)(size_t)packed, .avail_in = (unsigned)length};
    if (length > UINT_MAX || size > UNPACKED_MAX || inflateInit2(&z, ZIP_ALONE)) return NULL;
    char *out = mem_alloc(size + 1, 1);
    z.next_out = (unsigned char *)out, z.avail_out = (unsigned)size + 1;
    bool whole = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == size;
    inflateEnd(&z);
    if (whole) return out;
    free(out);
    return NULL;
}
