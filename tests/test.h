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

/* What a call says of its failure; each test has its own process. */
static Error e __attribute__((unused));

/* Fails the test unless the call, which fills e, succeeds. */
#define OK(call) cr_assert_eq(call, RC_OK, "%s", e.text)

/* Expects a text to have these words, and prints it where it has not. */
#define HOLDS(text, words) cr_expect(strstr(text, words), "it does not say '%s': %s", words, text)

#endif
