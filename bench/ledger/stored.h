/* Stored measurements: what `normbench claims --format json` printed when results/reference/claims.json was made: for
 * each contrast its differences by seed, and for each statement its number. They stand in for tests of claims on
 * experiments that the results at hand lack. No word is stored: claims are judged from the numbers, by the rules for
 * runs. */
#ifndef BENCH_LEDGER_STORED_H
#define BENCH_LEDGER_STORED_H

#include <jansson.h>

#include "base/error.h"
#include "bench/verdict/claim_verdict.h"
#include "bench/verdict/theory.h"

enum { STORED_MADE_SIZE = 200, STORED_PATH_SIZE = 600, STORED_SCHEMA = 2 };

/* Texts belong to the file's JSON. */
typedef struct {
    const char *id, *hash;                    /* of the claim it was measured for, as that read then */
    const char *contrast;                     /* claim_contrast_text; NULL: of a statement */
    const char *statement, *predicted;        /* of a statement; NULL: of a contrast */
    const char *numbers;                      /* of a statement: "WHAT: MEASURED [INTERVAL], predicted …" */
    const char *experiment, *profile, *where; /* NULL: of a statement */
    char made[STORED_MADE_SIZE];              /* "trained 2026-11-22, commit 6ed6811bbf4a" */
    int n, step;                              /* n: seeds */
    long parameters;
    bool exploratory;
    RunSpec *spec; /* of the first seed's runs, one for each arm */
    int specs;
    StatedWord stated; /* of a statement */
    json_t *json;      /* as it stands in the file */
} StoredVerdict;

typedef struct {
    json_t *root;       /* NULL: there is no such file */
    const char *commit; /* of the build that wrote it */
    StoredVerdict *at;
    int count;
} Stored;

/* "ROOT/results/reference/claims.json" */
const char *stored_file(const char *root, char out[STORED_PATH_SIZE]);

/* RC_INTEGRITY: path, and what is wrong in it. On failure there is nothing to release. What is `not tested` in it is
 * passed over. */
Rc stored_read(Stored *s, const char *path, Error *e);
void stored_release(Stored *s);

/* Whether it measures this test of a claim, in one of the claim's set-ups and at one of its steps. */
bool stored_measures(const StoredVerdict *v, const Claim *claim, const ClaimTest *t);

/* Judges a claim's test by it, as claim_verdicts_make does by runs: *f is a family of its one contrast, which the
 * caller releases. hash: of the claim as it reads now; where it read otherwise then, the verdict is undeclared. */
void stored_judge(const StoredVerdict *v, const Claim *claim, const ClaimTest *t, const char *hash, Family *f,
                  ClaimVerdict *out);

#endif
