/* Errors and exit codes.
 *
 * The user's world fails with an Error: one line that names file, key, value and the nearest valid choice, and the
 * exit code the program ends with. Our own mistakes are assertions. Functions that can fail return an Rc and fill the
 * Error they were given; on RC_OK the Error is left alone. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>

typedef enum {
    RC_OK = 0,           /* done, or a verdict that passed */
    RC_REGRESSION = 1,   /* measured, and worse or different than it should be */
    RC_USAGE = 2,        /* command line, experiment file or input text is wrong */
    RC_UNMEASURED = 3,   /* could not measure: no memory, no disk, no device, nothing run */
    RC_INCONCLUSIVE = 4, /* measured, and the data do not decide */
    RC_INTEGRITY = 5,    /* bytes are not the ones whose hash is pinned */
    RC_INTERRUPTED = 130 /* stopped by SIGINT (143: by SIGTERM) */
} Rc;

typedef struct {
    Rc code;
    char text[1024];
} Error;

/* Fills e with a printf-style line and returns code, so that `return error_set(e, RC_USAGE, …)` reads as one act. */
Rc error_set(Error *e, Rc code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text that e already holds (a caller knows the file, the callee only the key). */
Rc error_prefix(Error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name in names[count] with the smallest edit distance to word, or NULL when none is near (distance above
 * half the word's length, rounded up). */
const char *nearest_name(const char *word, const char *const *names, size_t count);

/* "; did you mean 'x'?" for the nearest name, or "" when none is near. Writes to out[size], returns out. */
const char *did_you_mean(char *out, size_t size, const char *word, const char *const *names, size_t count);

/* Zeroed memory; ends the program with RC_UNMEASURED and one line when there is none. mem_grow keeps the contents. */
void *mem_alloc(size_t count, size_t size);
void *mem_grow(void *old, size_t count, size_t size);
char *mem_text(const char *text);

#endif
