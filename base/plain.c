#include "base/plain.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Byte order marks, longer ones first: UTF-32's begins with UTF-16's. */
static const struct {
    const char *bytes, *name;
    size_t length, unit; /* unit: bytes of a code unit */
    bool big;            /* its first byte is the high one */
} marks[] = {{"\xEF\xBB\xBF", "UTF-8", 3, 1, false},
             {"\xFF\xFE\0\0", "UTF-32", 4, 4, false},
             {"\0\0\xFE\xFF", "UTF-32", 4, 4, true},
             {"\xFF\xFE", "UTF-16", 2, 2, false},
             {"\xFE\xFF", "UTF-16", 2, 2, true}};
enum { MARKS = sizeof marks / sizeof *marks };

static uint32_t unit_at(const uint8_t *at, size_t bytes, bool big) {
    uint32_t unit = 0;
    for (size_t i = 0; i < bytes; i++) unit = unit << 8 | at[big ? i : bytes - 1 - i];
    return unit;
}

/* Append a valid code point in UTF-8. */
static void add_code(Text *out, uint32_t code) {
    char byte[4];
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t LEAD[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; code >>= 6) byte[i] = (char)(0x80 | (code & 0x3f));
    byte[0] = (char)(LEAD[n] | code);
    text_add(out, byte, n);
}

/* Convert from[length], which follows the mark, to UTF-8. False: it is cut off, or has an invalid character or a zero.
 * */
static bool convert(Text *out, const uint8_t *from, size_t length, size_t unit, bool big) {
    for (size_t at = 0; at < length; at += unit) {
        if (length - at < unit) return false;
        uint32_t code = unit_at(from + at, unit, big);
        if (unit == 2 && code >= 0xd800 && code < 0xdc00) { /* first half of a surrogate pair */
            at += unit;
            if (length - at < unit) return false;
            uint32_t low = unit_at(from + at, unit, big);
            if (low < 0xdc00 || low >= 0xe000) return false;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        if (!code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
        add_code(out, code);
    }
    return true;
}

const char *plain_other(const char *bytes, size_t length) {
    static const struct {
        const char *begins, *what;
        size_t bytes;
    } kinds[] = {{"\x1F\x8B", "a gzip archive: unpack it (gunzip)", 2},
                 {"BZh", "a bzip2 archive: unpack it (bunzip2)", 3},
                 {"\xFD\067zXZ", "an xz archive: unpack it (unxz)", 5},
                 {"PK\3\4", "a zip archive or a spreadsheet (.xlsx): unpack it, or save it as CSV", 4},
                 {"PAR1", "a Parquet file: write it as CSV or JSON", 4},
                 {"\x89HDF", "an HDF5 file: write it as CSV or JSON", 4},
                 {"\x93NUMPY", "numpy's .npy: write it as CSV or JSON", 6},
                 {"\x80\4\x95", "a pickle: write it as CSV or JSON", 3},
                 {"SQLite format 3", "an SQLite database: write it as CSV or JSON", 15},
                 {"(\xB5/\xFD", "a zstd archive: unpack it (unzstd)", 4}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (length >= kinds[i].bytes && !memcmp(bytes, kinds[i].begins, kinds[i].bytes)) return kinds[i].what;
    bool tar = length > 262 && !memcmp(bytes + 257, "ustar", 5);
    return tar ? "a tar archive: unpack it (tar -xf)" : NULL;
}

static Rc unmark(char **bytes, size_t *length, Error *e) {
    int m = 0;
    while (m < MARKS && (*length < marks[m].length || memcmp(*bytes, marks[m].bytes, marks[m].length) != 0)) m++;
    if (m == MARKS) {
        const char *other = plain_other(*bytes, *length);
        if (other) return error_set(e, RC_USAGE, "not a text file but %s", other);
        if (!memchr(*bytes, 0, *length)) return RC_OK;
        return error_set(e, RC_USAGE,
                         "not a text file (it holds a zero byte); save UTF-16 text with a byte order mark, or as "
                         "UTF-8");
    }
    size_t skip = marks[m].length;
    if (marks[m].unit == 1) {
        memmove(*bytes, *bytes + skip, *length -= skip);
        (*bytes)[*length] = 0;
        return RC_OK;
    }
    Text out;
    text_init(&out);
    if (!convert(&out, (const uint8_t *)*bytes + skip, *length - skip, marks[m].unit, marks[m].big)) {
        text_release(&out);
        return error_set(e, RC_USAGE, "%s that is cut off or holds an invalid character; save it as UTF-8",
                         marks[m].name);
    }
    free(*bytes);
    *bytes = out.at, *length = out.length;
    return RC_OK;
}

Rc plain_text(char **bytes, size_t *length, Error *e) {
    if (unmark(bytes, length, e)) return e->code;
    if (*length && (*bytes)[*length - 1] == '\x1A') (*bytes)[--*length] = 0;
    char *end = *bytes + *length, *feed = memchr(*bytes, '\n', *length);
    if (feed && feed + 1 < end) return RC_OK;
    if (feed && feed > *bytes && feed[-1] == '\r') feed--; /* a line of Windows, unless others precede it */
    char *stop = feed ? feed : end;
    if (memchr(*bytes, '\r', (size_t)(stop - *bytes)))
        for (char *at = *bytes; (at = memchr(at, '\r', (size_t)(stop - at)));) *at = '\n';
    return RC_OK;
}
