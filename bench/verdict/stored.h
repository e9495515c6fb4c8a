/* Stored verdicts: what `normbench claims --json --own` printed when results/reference/claims.json was made. They stand
 * in for tests of claims on experiments that the results at hand lack, marked as stored, as long as the claim reads as
 * it did then (declare_claim of bench/plan/declare.h). */
#ifndef BENCH_VERDICT_STORED_H
#define BENCH_VERDICT_STORED_H

#include <jansson.h>

#include "base/error.h"
#include "bench/verdict/claim_verdict.h"

enum { STORED_MADE_SIZE = 120, STORED_PATH_SIZE = 600, STORED_INTERVAL_SIZE = 48 };

/* Texts belong to the file's JSON. */
typedef struct {
    int test;                              /* its place among the claim's tests */
    const char *statement, *predicted;     /* of a test that statements decide; NULL: of a contrast */
    const char *experiment, *profile, *where, *numbers; /* experiment, profile, where NULL: of a statement */
    char made[STORED_MADE_SIZE];           /* "trained 2026-11-22, commit 6ed6811bbf4a" */
    int n;                                 /* seeds */
    bool exploratory;
    VerdictWord word;
    ClaimVerdict judged; /* its numbers, word, test and reasons; claim, test and c NULL; of a statement none */
    double se;           /* of the mean difference; NaN: not known */
    char interval[STORED_INTERVAL_SIZE]; /* "95% t"; "": none or not known */
    const char *more;    /* what `numbers` says behind those of `judged`: "prediction interval [-0.1, 0.2]; …" */
    json_t *json;        /* as it stands in the file */
} StoredVerdict;

typedef struct {
    const char *id, *hash;
    StoredVerdict *verdict;
    int verdicts;
} StoredClaim;

typedef struct {
    json_t *root;       /* NULL: there is no such file */
    const char *commit; /* of the build that wrote it */
    StoredClaim *claim;
    int claims;
} Stored;

/* "ROOT/results/reference/claims.json" */
const char *stored_file(const char *root, char out[STORED_PATH_SIZE]);

/* RC_INTEGRITY: path, and what is wrong in it. On failure there is nothing to release. Verdicts of `not run` are passed
 * over. */
Rc stored_read(Stored *s, const char *path, Error *e);
void stored_release(Stored *s);

/* NULL: it has none. */
const StoredClaim *stored_find(const Stored *s, const char *id);

#endif
