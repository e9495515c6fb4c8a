/* Claims as tables: a row for each verdict, below its claim and its hypothesis. An experiment's table, the ledger's and
 * the report's are filled by the same functions, from verdicts judged now and from stored ones. */
#ifndef BENCH_WRITE_CLAIMS_H
#define BENCH_WRITE_CLAIMS_H

#include <jansson.h>

#include "bench/formats/cells.h"
#include "bench/verdict/claim_verdict.h"
#include "bench/verdict/token_hits.h"
#include "bench/write/stat_json.h"
#include "bench/write/table.h"

/* One verdict. */
typedef struct {
    const ClaimTest *test;
    const ClaimVerdict *v;
    const char *where;    /* "step 150, layers = 4" */
    const char *interval; /* "95% t"; "": none, or not known */
    int n;                /* seeds */
    double se;            /* of the mean difference, which decides decimals; NaN: not known */
    bool exploratory;
    VerdictWord word; /* `estimate` where the claim is decided elsewhere: no p is shown */
} ClaimRow;

enum { CLAIMS_TESTS_MAX = 32, CLAIMS_WHERE_SIZE = 400, CLAIMS_INTERVAL_SIZE = 64 };

/* A table that is being filled, and what its notes must explain. */
typedef struct {
    Cells *c;
    bool named[CLAIMS_TESTS_MAX], ratio[CLAIMS_TESTS_MAX]; /* by st_tests */
    bool reported;
    bool unequal, inside; /* rows whose p is of another test than their claim's */
    bool anytime, fixed; /* rows whose p holds whenever one stops adding seeds; others */
    Text intervals;
} ClaimsTable;

/* Columns where, n, reported, ours, interval, p, its floor, verdict. interval: the heading. claims_end: the notes. */
void claims_begin(ClaimsTable *x, Cells *c, const char *interval);
void claims_end(ClaimsTable *x);

/* "valid_loss: layernorm - baseline < 0: lower (better), margin 0.02 (maxt)" */
void claims_hypothesis(const ClaimTest *test, Text *out);
void claims_row(ClaimsTable *x, const ClaimRow *row);
/* Below a row: why, the prediction interval, what the test shows beside its p. t: of the runs; NULL: it is stored. */
void claims_details(Cells *c, const ClaimRow *row, const Table *t);

/* Cells that other tables show alike: what is reported and ours in the effect's form, ours with its interval; a word
 * with what stands behind it, as a browser colours the word. */
void claims_reported(Cells *c, const ClaimRow *row);
void claims_ours(Cells *c, const ClaimRow *row);
void claims_verdict(Cells *c, VerdictWord word, const char *text);

/* Decimals of an effect. se: of the mean difference. */
int claim_decimals(const ClaimTest *t, double se);

/* A verdict of the table's runs; interval is filled for the row. */
ClaimRow claim_row(const Table *t, const ClaimVerdict *v, const char *where, char interval[CLAIMS_INTERVAL_SIZE]);

/* The claims that an experiment measures; none: no table. */
void claims_tables(const Table *t, CellsList *out);
/* "Tests of these claims are not made here: 002-6, 002-8 (there is no arm 'rmsnorm' here); …": each reason once;
 * nothing where all are made. */
void claims_not_run(const Table *t, Text *out);

/* "prediction interval [-0.23, 0.09]; SE 0.060 (ours), 0.033 (theirs)", or that their spread is not known; nothing
 * where the write-up reports no effect at this step. SE: standard errors. */
void replication_text(const ClaimVerdict *v, Text *out);

/* " (agrees with the reported number)" beside the word of a test that shows nothing, or "". */
const char *replication_word(const ClaimVerdict *v);
#define REPLICATION_AGREES "agrees with the reported number"

/* "replication": {se, reported_se, df, lo, hi, inside, agrees}; nothing where the write-up reports no effect. */
void replication_json(const ClaimVerdict *v, json_t *out);

/* Sentences for the claims' ledger: the counts and McNemar's p of each seed, why they decide nothing, and which arm is
 * above always saying the most frequent target. Nothing where there are none. */
void token_hits_text(const Table *t, const Contrast *w, Text *out);

/* The same as a table, a row for each seed, for trace. */
void token_hits_rows(const Table *t, const Contrast *w, int width, Text *out);

/* {n, most_frequent, arms: [{arm, accuracy, above_most_frequent}], seeds: [{seed, only_first, only_second, p}], note};
 * NULL where there are none. */
json_t *token_hits_json(const Table *t, const Contrast *w);

#endif
