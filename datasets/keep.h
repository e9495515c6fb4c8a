/* Files in the cache: store them whole, and move them aside if their bytes are wrong. */
#ifndef DATASETS_KEEP_H
#define DATASETS_KEEP_H

#include <stddef.h>

#include "base/error.h"

/* Write bytes to path; make its folders. */
Rc keep_store(const char *path, const void *bytes, size_t length, Error *e);

/* Rename a wrong file to path.rejected-HHHHHHHH (the first 8 digits of its hash); append that to e's line, and what the
 * next run does ("looks elsewhere"). */
void keep_reject(const char *path, const char *hash, const char *next, Error *e);

/* Store wrong bytes under that name, and append it to e's line if that worked. */
void keep_rejected(const char *path, const char *hash, const void *bytes, size_t length, Error *e);

#endif
