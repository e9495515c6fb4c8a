/* Files in the cache: stored whole, moved aside when their bytes are wrong. */
#ifndef DATASETS_KEEP_H
#define DATASETS_KEEP_H

#include <stddef.h>

#include "base/error.h"

/* Writes bytes to path, folders included. */
Rc keep_store(const char *path, const void *bytes, size_t length, Error *e);

/* Renames a wrong file to path.rejected-HHHHHHHH (the first 8 digits of its hash) and says so behind e's line,
 * and what the next run does ("looks elsewhere"). */
void keep_reject(const char *path, const char *hash, const char *next, Error *e);

/* Stores wrong bytes under that name, and says so if that worked. */
void keep_rejected(const char *path, const char *hash, const void *bytes, size_t length, Error *e);

/* Puts more behind e's line; returns its code. */
Rc keep_add(Error *e, const char *more);

#endif
