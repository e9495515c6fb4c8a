/* Text of other programs as UTF-8 with line feeds: one rule for marks and line ends in every reader of tables, plans,
 * items and labels. A training text is not read through it: its bytes are what is trained on. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stddef.h>

#include "base/error.h"

/* *bytes is of mem_alloc or file_read, with a terminator behind *length bytes, and is replaced where it must grow.
 * A byte order mark goes; UTF-16 and UTF-32 behind theirs become UTF-8; where no line feed stands, a carriage return is
 * one (old Macs). RC_USAGE, and the text stays: UTF-16 or UTF-32 that breaks off or holds no character, or zero bytes
 * without a mark. */
Rc plain_text(char **bytes, size_t *length, Error *e);

#endif
