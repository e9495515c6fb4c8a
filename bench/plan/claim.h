/* Claims: what a write-up says, with the numbers it reports, and how each statement is tested. bench/claims/NNN.yaml is
 * the only place of reported numbers; every one keeps the digits it was printed with and the line it stands on.
 *
 *   writeup: "002"                    its number, which is the file's name
 *   title, source: text
 *   author: text; date: YYYY-MM-DD, YYYY-MM or YYYY; url: its address; each where it is known
 *   setups:   {NAME: {keys: {KEY: value or list of values}, choices: [text]}}
 *             keys: what a run must have to measure this (keys of spec.def)
 *             choices: what the write-up leaves open, and what is done here
 *   sizes:    {NAME: {shape, parameters, tokens, corpus, seeds, takes, setup: NAME, keys: {KEY: value or list}}}
 *             a size at which the write-up measured, in words; takes: what a run of it costs, in hours on a device.
 *             A run is of it when it has the set-up and the keys; without `keys` none here is
 *   reported: {NAME: {where: text, setup: NAME, step: N, seeds: N, values: {ARM: {QUANTITY: number}}}}
 *             QUANTITY: a metric, or a metric and "_sd" for its standard deviation over seeds
 *   claims:   [{id, source, says, brief, kind, number, own, answers, setup, at: [steps], family, tests: [TEST], needs}]
 *             says: the sentence, as the write-up has it or close to it; brief: in about ten words (default: says)
 *             kind: measured (default), theory, arithmetic, or question, which gets an answer and no verdict
 *             number: what the write-up prints for it, as text (default: the reported effect of the test that decides)
 *             own: NAME or [NAME, NAME] of sizes: where the write-up has it from
 *             answers: [text, text, text], of a question: where its test shows what it expects, the opposite, neither
 *             setup: NAME or [NAME, NAME], any of which a contrast's runs may be of
 *
 *   claims may also carry note: text, what a reader should know of the statement (a slip in the write-up, …)
 *
 *   TEST:     {metric, contrast: {ARM: weight}, against, expects, test, margin, needs,
 *              primary: true or [PLACE], otherwise: true or [PLACE],
 *              reported: {table: NAME, of: QUANTITY, as: FORM}}, or
 *             {metric: failed, predictors: [METRIC, METRIC], arms: [ARM], expects, test: predictors, needs}: does the
 *             second metric explain better than the first which runs of these arms, at all their rates, failed? The
 *             effect is the deviance that the second leaves less that of the first (stats/predictors.h), so `lower`
 *             says that the second explains more. A run failed when it diverged or stalled by its last step; METRIC
 *             is of metrics.def, made of a curve, and counts as it is after the first update; or
 *             {metric: free text, theory: [STATEMENT]}: decided by statements of bench/plan/statements.def, one after
 *             the other, which `normbench run theory` measures
 *             metric: of metrics.def, or of grids.def: a number of all the runs that differ in `lr` alone
 *             contrast: weights that add up to zero; with `against` any. An arm of weight 0, in a test of two spreads
 *             alone: both sides are gains over it
 *             expects: lower, higher, equal or change; of the contrast, compared with 0, or with the number `against`.
 *             change: lower or higher, whichever; where the difference is shown to lie inside the margin, it is none
 *             test: a name of stats/tests.def, whose p decides; tost with `expects: equal`, any other with lower,
 *             higher or change; choice where the arms have lr=best, and only there
 *             FORM: how the reported effect follows from the reported numbers: difference (sum of
 *             weight x number), log_ratio (sum of weight x ln number) or ratio (exp of that)
 *   ARM:      a name, or NAME@KEY=VALUE,KEY=VALUE: that arm in the cells where the keys have these values. A contrast
 *             of such arms is tested once for every combination of the factors that its first arm leaves free.
 *             lr=best: every seed's run at the rate that the other seeds choose (stats/choice.h) by valid_loss,
 *             whatever the metric; step=N: at that step, not at the claim's
 *   primary:  this test decides the claim's word, in the first PLACE of the list that was measured: EXPERIMENT, or
 *             EXPERIMENT@KEY=VALUE,step=N, from the nearest to the write-up on. Several tests with it decide together:
 *             each must be shown. Without any the claim's first test decides, where it was measured first. All other
 *             tests and places are estimates
 *   otherwise: as primary, of a test that stands in for the primary one before it where that was not measured
 *   margin:   default: what matters of the metric (metrics.def, grids.def); with `against` none
 *   needs:    what must exist before this can be run; metric is then free text and the rest optional */
#ifndef BENCH_PLAN_CLAIM_H
#define BENCH_PLAN_CLAIM_H

#include "bench/formats/document.h"
#include "bench/plan/experiment.h"
#include "bench/plan/grid.h"
#include "bench/plan/metric.h"
#include "bench/plan/statement.h"
#include "stats/tests.h"

enum {
    CLAIM_TERMS_MAX = 8,
    CLAIM_STEPS_MAX = 16,
    CLAIM_KEYS_MAX = 4,
    CLAIM_SETUPS_MAX = 4,
    CLAIM_THEORIES_MAX = 8,
    CLAIM_PLACES_MAX = 8,
    CLAIM_OWN_MAX = 4,
    CLAIM_ANSWERS = 3,
    CLAIM_WHY_SIZE = 200
};

/* An arm, and keys that its run must have. */
typedef struct {
    char name[ARM_NAME_SIZE];
    const char *text; /* as the file writes it */
    struct {
        char key[SPEC_KEY_SIZE], value[FACTOR_VALUE_SIZE]; /* canonical */
    } at[CLAIM_KEYS_MAX];
    int at_count, step; /* step: 0: the claim's */
    bool best;     /* lr=best */
} ClaimArm;

typedef struct {
    ClaimArm arm;
    const char *quantity, *text; /* text: as the write-up prints it */
    double value;
    int line;
} ReportedNumber;

/* One key that a run must have; canonical texts. */
typedef struct {
    const char *key;
    char (*value)[SPEC_TEXT_SIZE];
    int values;
} SetupKey;

typedef struct {
    const char *name;
    SetupKey *key;
    int keys;
    const char **choice;
    int choices;
} ClaimSetup;

/* A size at which the write-up measured; texts, NULL where it does not say. */
typedef struct {
    const char *name, *shape, *parameters, *tokens, *corpus, *seeds, *takes;
    const ClaimSetup *setup; /* NULL: any */
    SetupKey *key;           /* what a run of it has */
    int keys;                /* 0: no run here is of it */
} ClaimSize;

typedef struct {
    const char *name, *where;
    const ClaimSetup *setup;
    int step, seeds;
    ReportedNumber *number;
    int numbers;
} ReportedTable;

typedef enum { KIND_measured, KIND_theory, KIND_arithmetic, KIND_question, KIND_COUNT } ClaimKind;
typedef enum { EXPECT_lower, EXPECT_higher, EXPECT_equal, EXPECT_change, EXPECT_COUNT } Expect;
typedef enum { EFFECT_difference, EFFECT_log_ratio, EFFECT_ratio, EFFECT_COUNT } EffectForm;
extern const char *const kind_names[KIND_COUNT];
extern const char *const expect_names[EXPECT_COUNT];
extern const char *const effect_names[EFFECT_COUNT];

typedef struct {
    ClaimArm arm;
    double weight;
} ClaimTerm;

typedef struct {
    const char *metric_text; /* as in the file */
    int metric;              /* of metrics.def; -1: another kind of number, see needs; of a grid's: valid_loss */
    GridMetric grid;         /* GRID_none: a metric of one run */
    ClaimTerm term[CLAIM_TERMS_MAX];
    int terms;
    Expect expects;
    const StTest *test;         /* NULL: none is named */
    double margin;              /* that the file names, in the metric's unit; NaN: none; see claim_margin */
    double against;             /* what the contrast is compared with; NaN: 0 */
    const ReportedTable *table; /* NULL: the write-up gives no number */
    const char *of;
    EffectForm form;
    const char *needs;   /* NULL: can be run */
    Metric predictor[2]; /* of `predictors` of them, which are 0 or 2 */
    int predictors;
    StatementId theory[CLAIM_THEORIES_MAX]; /* what decides it instead of a contrast */
    int theories, line;
    bool decides;                      /* it is a primary test */
    bool otherwise;                    /* where the primary test before it was not measured */
    ClaimArm place[CLAIM_PLACES_MAX];  /* of experiments, from the nearest to the write-up on; none: any */
    int places;
} ClaimTest;

typedef struct {
    const char *id, *source, *says, *family, *needs, *note; /* needs, note: NULL: none */
    const char *brief, *number;                             /* brief: never NULL */
    ClaimKind kind;
    const char *answer[CLAIM_ANSWERS]; /* of a question: shown, the opposite, neither; NULL: none are given */
    const ClaimSize *own[CLAIM_OWN_MAX];
    int own_count;
    const ClaimSetup *setup[CLAIM_SETUPS_MAX];
    int setups, at[CLAIM_STEPS_MAX], steps;
    ClaimTest *test;
    int tests, line;
} Claim;

typedef struct {
    char file[64]; /* "bench/claims/002.yaml": how tables name the source of a reported number */
    const char *writeup, *title, *source;
    const char *author, *date, *url; /* NULL: not known */
    ClaimSetup *setup;
    int setups;
    ClaimSize *size;
    int sizes;
    ReportedTable *table;
    int tables;
    Claim *claim;
    int claims;
    Document document; /* own_count every text above */
} ClaimFile;

/* Reads root/bench/claims/<writeup>.yaml. RC_USAGE: file:line: what is wrong, the nearest valid name. On failure there
 * is nothing to release. */
Rc claims_read(ClaimFile *f, const char *root, const char *writeup, Error *e);

/* The claims of an experiment's write-up; *has is false, and nothing read, when it names none or one without a file. */
Rc claims_find(ClaimFile *f, const char *root, const char *writeup, bool *has, Error *e);

/* Every file of root/bench/claims, or the one of a write-up, in the order of their names: (*out)[*count], the caller
 * releases each and frees the list, also on failure. RC_USAGE: no such write-up (the nearest is named), or as above. */
Rc claims_read_all(ClaimFile **out, int *count, const char *root, const char *writeup, Error *e);

/* The same as claims_read from text; `file` is how errors and tables call it. */
Rc claims_parse(ClaimFile *f, const char *file, const char *text, Error *e);
void claims_release(ClaimFile *f);

/* "Title (Author, 2026-03-25, https://example.org/page)", of what is known: a write-up beside its number. */
void claims_cite(const ClaimFile *f, Text *out);

/* Whether the runs of spec[count] are of one of the claim's set-ups; if not, why says what differs from the first. */
bool claim_holds(const Claim *claim, const RunSpec *spec, int count, char *why, size_t size);

/* Whether a run is of the set-up; if not, why (CLAIM_WHY_SIZE bytes) says which key differs. */
bool setup_holds(const ClaimSetup *setup, const RunSpec *spec, char *why, size_t size);

/* The margin of a test: its own, or what matters of its metric; NaN: none (a threshold, a ratio, a statement). */
double claim_margin(const ClaimTest *t);

/* What a test measures, whatever it expects: "valid_loss: 1 layernorm -1 baseline", with "against 0.02" behind it, and
 * with the test's name where it is not made of the differences alone. Stored measurements are found by it. */
void claim_contrast_text(const ClaimTest *t, Text *out);

/* The place of a primary test that a run of an experiment stands in, 0 the nearest; -1: none of them. */
int claim_place(const ClaimTest *t, const char *experiment, const RunSpec *spec, int step);

/* The own size of spec[0] if each of spec[count] has one of the claim's own sizes, as the arms of a claim about two
 * sizes do; NULL: one has none. */
const ClaimSize *claim_own_size(const Claim *claim, const RunSpec *spec, int count);

/* "12 x 512, 38.6M parameters, 3.7M tokens of WikiText-2, 1 seed", of what is known. */
void claim_size_text(const ClaimSize *s, Text *out);
/* "38.6M on 3.7M of WikiText-2, 1 seed": parameters on tokens. */
void claim_size_brief(const ClaimSize *s, Text *out);

/* A number of a reported table for a run of that arm and spec, or NULL. Here and below no spec (NULL) goes with numbers
 * and arms that name no keys. */
const ReportedNumber *reported_number(const ReportedTable *t, const char *arm, const RunSpec *spec,
                                      const char *quantity);

/* The effect that follows from the reported numbers of the test's arms, spec[terms] being those of their runs; NaN when
 * some number was not reported. */
double reported_effect(const ClaimTest *t, const RunSpec *spec);

/* Whether a run's keys are those that the arm names; the step and lr=best are no keys. */
bool claim_arm_holds(const ClaimArm *arm, const RunSpec *spec);

#endif
