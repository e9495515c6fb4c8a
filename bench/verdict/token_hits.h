/* TokenHits: of two arms, which evaluated targets one of them alone predicts right (bench/store/hits.h), seed by seed.
 *
 * b: right in the first arm alone; c: in the second alone. McNemar's exact test of b against c (McNemar 1947) asks
 * whether two fixed models differ on this text, and takes its targets as independent. They are not: the targets of a
 * window share a context, and all of them one set of weights. It therefore describes each seed and decides nothing.
 * (b - c)/N is the difference of the two accuracies; over the seeds, which are the sample, its sign flips decide
 * (bench/verdict/reading.c). */
#ifndef BENCH_VERDICT_TOKEN_HITS_H
#define BENCH_VERDICT_TOKEN_HITS_H

#include "bench/verdict/paired.h"
#include "bench/verdict/sample.h"

typedef struct {
    uint64_t seed;
    long only_a, only_b; /* b and c */
    StMcnemar test;
} TokenHitsSeed;

typedef struct {
    const Term *arm[2]; /* of the contrast: with weight 1, with weight -1 */
    double accuracy[2]; /* mean over the seeds */
    double frequent;    /* share of the most frequent target: the accuracy of always saying that one */
    long targets;       /* N, evaluated in every run */
    TokenHitsSeed *seed;   /* [seeds] */
    int seeds;
} TokenHits;

/* Returns NULL, or why there are none; then there is nothing to release. */
const char *token_hits_make(TokenHits *t, const Sample *s, const Contrast *w);
void token_hits_release(TokenHits *t);

/* Why the p of a seed decides nothing. */
extern const char token_hits_why_seeds[];

#endif
