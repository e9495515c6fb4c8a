/* What every file of Criterion tests begins with. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"

/* What a call says of its failure; each test has its own process. */
static Error e __attribute__((unused));

/* Fails the test unless the call, which fills e, succeeds. */
#define OK(call) cr_assert_eq(call, RC_OK, "%s", e.text)

/* Expects a text to have these words, and prints it where it has not. */
#define HOLDS(text, words) cr_expect(strstr(text, words), "it does not say '%s': %s", words, text)

/* A test for each *index below count:  TEST_EACH(ops, gradient, CASE_COUNT) { … } */
static inline struct criterion_test_params numbers_below(int count) {
    static int number[4096];
    if (count > (int)(sizeof number / sizeof *number)) abort();
    for (int i = 0; i < count; i++) number[i] = i;
    return cr_make_param_array(int, number, (size_t)count);
}
#define TEST_EACH(suite, name, count) \
    ParameterizedTestParameters(suite, name) { \
        return numbers_below(count); \
    } \
    ParameterizedTest(int *index, suite, name)

/* The bytes of a file, a zero behind them; freed by the caller. */
static inline char *file_text(const char *path) {
    char *text;
    size_t length;
    OK(file_read(path, &text, &length, &e));
    return text;
}

/* Expects the bytes of tests/golden/NAME; NORMBENCH_WRITE_GOLDEN=1 in the environment writes them anew instead. */
static inline void golden_is(const char *name, const char *got) {
    char path[512];
    size_t at = 0;
    snprintf(path, sizeof path, "%s/tests/golden/%s", SOURCE_ROOT, name);
    if (getenv("NORMBENCH_WRITE_GOLDEN")) OK(file_write(path, got, strlen(got), &e));
    OWNED char *want = file_text(path);
    while (got[at] && got[at] == want[at]) at++;
    cr_expect(got[at] == want[at], "%s differs at byte %zu:\n got: %.80s\nwant: %.80s", name, at, got + at, want + at);
}

/* A folder of this source file's test, made when it is first asked for, removed when the process ends. */
static inline const char *own_folder(void) {
    static Scratch s;
    if (!s.path[0]) OK(scratch_make(&s, &e));
    return s.path;
}

#endif
