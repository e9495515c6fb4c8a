/* What a stranger's bytes can reach: one function for each reader of the program. tests/hostile/driver.c hands them
 * files and seeded mutations.
 *
 * A target may refuse its bytes; it may not crash, hang, end the program or write on stdout. Where bytes are accepted,
 * it also asserts what the reader promises of them: a text written anew reads back the same, what was escaped holds no
 * special character. */
#ifndef TESTS_HOSTILE_TARGET_H
#define TESTS_HOSTILE_TARGET_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name;
    void (*take)(const uint8_t *bytes, size_t length);
} Target;

extern const Target targets[];
extern const int target_count;

const Target *target_find(const char *name); /* NULL: there is none */

#endif
