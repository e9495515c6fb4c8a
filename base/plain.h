/* Convert other programs' text to UTF-8 with line feeds: one rule for byte order marks and line ends in every reader
 * of tables, plans, items and labels. Training texts are not converted: their bytes are trained on. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stddef.h>

#include "base/error.h"

/* Convert *bytes, which come from mem_alloc or file_read, have a terminator after *length bytes, and are replaced if
 * they must grow. A byte order mark is dropped, and DOS's end of a file (0x1A); marked UTF-16 and UTF-32 become
 * UTF-8; in a text without line feeds, but for one at its end, carriage returns become line feeds (old Macs).
 * RC_USAGE, the text unchanged: UTF-16 or UTF-32 is cut off or invalid, or there are zero bytes without a mark. */
Rc plain_text(char **bytes, size_t *length, Error *e);

/* Name a kind of file that is often given in place of a text, and what to do with it: "a gzip archive: unpack it
 * (gunzip)"; NULL: it is none of these. */
const char *plain_other(const char *bytes, size_t length);

#endif
