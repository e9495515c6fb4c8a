/* Guess: arm and seed from names that no pattern was given for. */
#ifndef BENCH_READERS_GUESS_H
#define BENCH_READERS_GUESS_H

#include "bench/readers/pick.h"

enum { GUESS_TEXT = 256 };

typedef struct {
    char arm[GUESS_TEXT], seed[GUESS_TEXT];
    bool pairs; /* a word for seeds stands before the number: seed, s, sd; not only run, trial, rep */
} Guess;

/* Splits a name at its one part such as seed3, s=3, run-3 between separators: what is left of it, without separators at
 * its ends, is the arm. false: there is no such part, or several, or nothing is left. */
bool guess_name(const char *name, Guess *out);

/* Whether a date stands in a name, which tells runs apart and no arms. */
bool guess_dated(const char *name);

/* Whether a setting is a result, a name or a place by its key, not a choice; whether more of a metric is mostly better:
 * accuracy, F1, reward. */
bool guess_about_run(const char *key);
bool guess_rising(const char *metric);

/* Whether a text is a date, a time, or both, with fractions and a zone or without: 2024-05-01T10:00:02.5Z, 10:00:02. */
bool guess_is_time(const char *text);

/* Sets arm and seed of every run by its name, or by the parts of its path that not all runs have; says so in a remark.
 * false: some run that is not left out gives none, or there is one arm. */
bool guess_names(Pick *p);

/* What to write into a message: a pattern that such names fit, and settings that differ between runs. */
void guess_hint(const Pick *p, Text *out);

#endif
