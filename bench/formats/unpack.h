/* Unpack what gzip and zip files hold, by zlib. A build without zlib unpacks nothing and says so. */
#ifndef BENCH_FORMATS_UNPACK_H
#define BENCH_FORMATS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { UNPACKED_MAX = 1 << 28 }; /* bytes; a small file can unpack to a thousand times its size */

/* Whether this build has zlib. */
extern const bool unpack_known;

/* Replace *bytes, which begin as a gzip file does, by what all its members hold, with a terminator behind them; leave
 * other bytes, and all of a build without zlib, as they are. RC_USAGE, the bytes unchanged: the file breaks off or is
 * damaged (RFC 1952), or holds more than UNPACKED_MAX. */
Rc unpack_gzip(char **bytes, size_t *length, Error *e);

/* Return the `size` bytes that a member of a zip file of method 8 (RFC 1951) unpacks to, or NULL: it does not, size is
 * above UNPACKED_MAX, or this build has no zlib. */
char *unpack_member(const char *packed, size_t length, size_t size);

#endif
