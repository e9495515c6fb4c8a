/* Logs that tests write: a folder of small files, and event files of TensorBoard. */
#ifndef TESTS_READERS_MADE_LOGS_H
#define TESTS_READERS_MADE_LOGS_H

#include <stddef.h>

#include "bench/readers/readers.h"

/* Writes a file below a folder of the test's own, with the folders above it; returns its path, which stays until the
 * next call but 15. */
const char *logs_write(const char *name, const char *text);
const char *logs_write_bytes(const char *name, const void *bytes, size_t length);

/* An event file: one event for each step, with a tag and a value; steps are 10, 20 ... Returns its bytes' number. */
size_t logs_events(char *out, const char *tag, const float *value, int count);

/* A NumPy array of one axis of doubles. */
size_t logs_npy(char *out, const double *value, int count);

/* The bytes as a stored block, which is what deflate makes of bytes that it cannot shorten; and such a gzip file, with
 * its checksum. At most 65535 bytes. */
size_t logs_stored(char *out, const char *bytes, size_t length);
size_t logs_gzip(char *out, const char *bytes, size_t length);

/* What was read last. */
extern Logs l;

/* Release what was read before and read a file or a folder; read a file that holds one run; read a folder of the test's
 * files. The last two fail the test where they cannot. */
Rc logs_read_again(const char *path, int reader, Error *error);
const Log *logs_read_one(const char *path);
void logs_read_below(const char *name);

#endif
