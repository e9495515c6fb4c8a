/* Errors and exit codes.
 *
 * A failure caused by users or machines is an Error: one line that names file, key, value and the nearest valid choice,
 * and the exit code of the program. Mistakes in our code are assertions. Functions that can fail return an Rc and fill
 * the Error they were given; on RC_OK the Error is left alone. */
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

/* Fill e with a printf-style line and return code, so that a caller can `return error_set(e, RC_USAGE, …)`. Control
 * characters and invalid UTF-8 become '?', also in error_prefix and error_add. */
Rc error_set(Error *e, Rc code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Put "prefix: " before e's text (a caller knows the file, the callee only the key). */
Rc error_prefix(Error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append a printf-style text to e's; return e's code. */
Rc error_add(Error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append "; valid: …" to e's text; return e's code. */
Rc error_valid(Error *e, const char *valid);

/* Return the name in names[count] that equals the word but for capitals and separators, or that other programs call
 * so (base/foreign_names.def), also without its first parts (training.steps, max_steps), or of the smallest edit
 * distance, where two letters that changed places count once; NULL if none is near (distance above a third of the
 * word's length, rounded up). */
const char *nearest_name(const char *word, const char *const *names, size_t count);

/* Return the name that other programs call `word`, or NULL; *note explains a value that differs, or is "". */
const char *foreign_name(const char *word, const char *const *names, size_t count, const char **note);

/* Write "; did you mean 'x'?" for the nearest name, and its " (note)" if it fits, or "" if none is near, to
 * out[size]; return out. */
const char *did_you_mean(char *out, size_t size, const char *word, const char *const *names, size_t count);

/* Allocate zeroed memory; without any, end the program with RC_UNMEASURED and one line. mem_grow keeps the contents. */
void *mem_alloc(size_t count, size_t size);
void *mem_grow(void *old, size_t count, size_t size);
char *mem_text(const char *text);

/* Before a declaration: release what is declared where its block ends. OWNED: free what pointers point to. */
#define LOCAL(release) __attribute__((cleanup(release)))
#define OWNED LOCAL(mem_release)
void mem_release(void *pointer);
/* End the program for lack of memory. bytes: size asked for; 0: unknown. */
_Noreturn void mem_end(size_t bytes);

#endif
