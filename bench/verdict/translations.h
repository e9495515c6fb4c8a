/* BLEU of two arms, for new seeds and new sentences: a bootstrap of both, beside the tests over seeds that decide. */
#ifndef BENCH_VERDICT_TRANSLATIONS_H
#define BENCH_VERDICT_TRANSLATIONS_H

#include "bench/verdict/paired.h"
#include "bench/verdict/sample.h"

enum { TRANSLATIONS_DRAWS = 2000 };

/* Fills every comparison's `corpus`, where the metric is BLEU, two arms are compared and the runs' sentences are
 * those of the step; its status is ST_BAD_ARG elsewhere. */
void translations_cross(Family *f, const Sample *s);

/* Whether it was made. */
static inline bool translations_made(const Comparison *c) {
    return c->corpus.draws && c->corpus.status == ST_OK;
}

/* "for new seeds and new sentences [0.31, 2.90], for new sentences alone [1.10, 2.05]" where it was made. */
void translations_text(const Comparison *c, double conf, Text *out);

#endif
