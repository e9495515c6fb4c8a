/* Errors and exit codes.
 *
 * What users and machines cause fails with an Error: one line that names file, key, value and the nearest valid choice,
 * and the exit code the program ends with. Mistakes in our code are assertions. Functions that can fail return an Rc
 * and fill the Error they were given; on RC_OK the Error is left alone. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>

typedef enum {
#define RC(name, number, what) RC_##name = number,
#include "base/exit_codes.def"
#undef RC
} Rc;

typedef struct {
    const char *name, *what;
    int number;
} ExitCode;
extern const ExitCode exit_codes[];
extern const int exit_code_count;

typedef struct {
    Rc code;
    char text[1024];
} Error;

/* Fills e with a printf-style line and returns code, so that a caller can `return error_set(e, RC_USAGE, …)`. Control
 * characters and what is no UTF-8 become '?': here, and where error_prefix adds to the line. */
Rc error_set(Error *e, Rc code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text that e already holds (a caller knows the file, the callee only the key). */
Rc error_prefix(Error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends "; valid: …" to what e says is wrong with a value; returns e's code. */
Rc error_valid(Error *e, const char *valid);

/* The name in names[count] that the word is but for capitals and separators, or that other programs call so
 * (base/foreign_names.def), or of the smallest edit distance; NULL when none is near (distance above half the word's
 * length, rounded up). */
const char *nearest_name(const char *word, const char *const *names, size_t count);

/* The name that other programs call `word`, or NULL; *note: what its value is, where it is another, or "". */
const char *foreign_name(const char *word, const char *const *names, size_t count, const char **note);

/* "; did you mean 'x'?" for the nearest name, " (note)" behind it where there is one and room; or "" when none is near.
 * Writes to out[size], returns out. */
const char *did_you_mean(char *out, size_t size, const char *word, const char *const *names, size_t count);

/* Zeroed memory; ends the program with RC_UNMEASURED and one line when there is none. mem_grow keeps the contents. */
void *mem_alloc(size_t count, size_t size);
void *mem_grow(void *old, size_t count, size_t size);
char *mem_text(const char *text);
/* The same end, where the system's word is that there is none. bytes: how much was asked for; 0: nobody knows. */
_Noreturn void mem_end(size_t bytes);

#endif
