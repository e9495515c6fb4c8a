/* Patterns of names: 's{seed}_{arm}_drop{}' says where a path or a run's name holds arm and seed. */
#ifndef BENCH_READERS_PATTERN_H
#define BENCH_READERS_PATTERN_H

#include <stdbool.h>

#include "base/error.h"

/* {seed}: digits; {pair}: any text, of runs that are pairs without a number (7b, 13b); {arm}, {corpus}: any text;
 * {metric}: passed over. None holds a '/'. {} and * pass over any text but '/', ** also that; {a,b}: one of these
 * words. A capture that stands twice is one label, joined by a point. */
typedef enum {
    PATTERN_seed,
    PATTERN_pair,
    PATTERN_arm,
    PATTERN_corpus,
    PATTERN_metric,
    PATTERN_CAPTURES
} PatternCapture;

enum { PATTERN_TEXT = 256 };

typedef struct {
    char text[PATTERN_CAPTURES][PATTERN_TEXT]; /* "": not there */
} Captured;

/* RC_USAGE: a brace that does not end, or a word in braces that is none of the above; what: "--name". */
Rc pattern_check(const char *what, const char *pattern, Error *e);
bool pattern_has(const char *pattern, PatternCapture capture);

/* Whether the whole text fits. out is written only then. */
bool pattern_fits(const char *pattern, const char *text, Captured *out);

/* The same of a path, from its start or behind any '/', with its ending or without, and without its last part where
 * that is the same for all runs (metrics.csv): the first that fits. */
bool pattern_fits_path(const char *pattern, const char *path, Captured *out);

#endif
