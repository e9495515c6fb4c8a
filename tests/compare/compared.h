/* A text of runs compared: what the tests of `compare` read, make and look at. */
#ifndef TESTS_COMPARED_H
#define TESTS_COMPARED_H

#include "tests/compare/one_corpus.h"

extern CompareData data;
extern CompareResult result;
extern const CompareOptions plain; /* 95 %, no margin */

/* Release what the test made before, read the text and make `data` and `result` of it on two threads; anything but
 * RC_OK fails the test. */
void compared(const char *text, CompareColumns columns, CompareOptions options);

/* Fail unless what `write` says of `result` holds `what`, or does not, as wanted; compare_text's line breaks count as
 * blanks. */
void says(void (*write)(const CompareResult *, Text *), const char *what, bool wanted);

void near(double got, double want, double tolerance, const char *what);

/* Fail unless a comparison of `result` has the verdict. */
void is(int comparison, const char *want);

#endif
