/* compare: normbench's analysis of paired runs for anybody's numbers.
 *
 * A file holds one value for every arm and seed (and block of the evaluation text, if it says so). Every arm is
 * compared with a baseline by the engine of bench/verdict/paired.h: d = arm - baseline for each seed, in the file's
 * unit and sign. Text, JSON and LaTeX say the same. */
#ifndef BENCH_COMPARE_COMPARE_H
#define BENCH_COMPARE_COMPARE_H

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "bench/formats/progress.h"
#include "bench/verdict/anytime.h"
#include "bench/verdict/corpora.h"
#include "bench/verdict/paired.h"
#include "bench/verdict/sample.h"
#include "stats/design.h"

enum { COMPARE_SCHEMA = 2, COMPARE_LOOKS_MAX = 32, COMPARE_NUMBERS_MAX = 100000 /* comparisons times seeds */ };

/* What a file says, whatever its form. Every arm has every seed and every block; unpaired, every arm has runs of its
 * own, of as many seeds as it likes. Arms in the file's order, seeds and blocks ascending. */
typedef struct {
    int arms, seeds, blocks; /* seeds: the most of an arm; blocks: 0 when the file has none */
    bool unpaired;
    bool shared; /* unpaired, yet every arm has the same seeds */
    char **arm;
    int *runs;          /* [arms]: seeds, or fewer where arms are unpaired; they stand first */
    uint64_t *seed;     /* [arms][seeds] */
    double *value;      /* [arms][seeds]: of the run, its mean over blocks; NaN when it diverged */
    bool *diverged;     /* [arms][seeds] */
    double *block;      /* [arms][seeds][blocks]; NULL: unpaired, or none */
    int lost;           /* diverged runs */
    char *first_lost;   /* "FILE:3: seed 7 of arm 'pre'"; NULL: none */
    int absent;         /* runs that lines name and none gives a value */
    char *first_absent; /* as first_lost */
    int unfinished;     /* the same of runs whose state says that they did not end */
    char *first_unfinished;
    bool steps;         /* values are steps at which runs reached a target; one that never did counts as diverged */
    bool rising;        /* by values that grow */
    double target;
    double last, ended; /* the last step of all curves; the earliest end of one that never reached it, or infinity */
    double *coarse; /* [arms], of curves: steps between the evaluations by which a run reached the target, the most of
                       those between which another run was evaluated; 0: none */
    char *columns;      /* "one run a line: arm is column 'method', value is column 'loss'"; NULL: as the names say */
    char *remarks;      /* lines: what was left out, what is doubtful; NULL: none */
    char hash[SHA256_HEX];
} CompareData;

/* How a file is read: the names of its columns or keys; NULL: seed, arm, value. Where arm or value is named, the file
 * holds one run a line and other columns are passed over. unpaired: arms need not have the same seeds. */
typedef struct {
    const char *seed, *arm, *value;
    bool unpaired;
    bool directed; /* somebody said which side is better */
    bool steps;    /* curves: the value compared is the first step at which a run's is at most the target */
    bool rising;   /* at least the target */
    double target;
    const char *step; /* the column's name; NULL: step */
} CompareColumns;

void compare_data_release(CompareData *d);

typedef struct {
    const char *baseline; /* NULL: the file's first arm */
    bool higher;          /* higher is better */
    double margin;        /* of the equivalence test; NaN: none is made */
    double conf;
    double cap;   /* what a diverged run counts as; NaN: there must be none */
    double stall; /* a run no better than this stalled; NaN: not known */
    FailOn fail;
    Progress *progress; /* of family.count comparisons alone, then as much together; NULL: none is shown */
    size_t look[COMPARE_LOOKS_MAX];
    int looks;   /* 0: one look, at the end */
    int anytime; /* one may stop after any seed: the most seeds that may be taken; 0: the number of seeds was fixed */
} CompareOptions;

/* One arm by itself. */
typedef struct {
    SampleArm all; /* diverged runs count as the cap; median, least and most of steps to a target are infinite: never */
    StIqm iqm;
    StCp stalled; /* or diverged; of no runs (n = 0) without a bound */
} CompareArm;

typedef struct {
    const CompareData *data;
    CompareOptions options;
    int baseline;
    double alpha;    /* family.alpha: what this look may spend of it */
    CompareArm *arm; /* [arms] */
    bool *stalled;   /* [arms][seeds]: or diverged; NULL without a bound */
    Family family;   /* every arm minus the baseline, in the order of the arms: terms hold places in data->arm */
    StOmnibus omnibus;
    const char *no_omnibus; /* why it was not made, or NULL */
    StStatus looks_status;
    StLook look[COMPARE_LOOKS_MAX];
    int this_look; /* -1: none */
} CompareResult;

/* data outlives the result. RC_USAGE: an unknown baseline, a diverged run without cap, looks that do not fit;
 * RC_UNMEASURED: fewer than two arms. On failure *r is zeroed. */
Rc compare_make(CompareResult *r, const CompareData *data, const CompareOptions *options, int threads, Error *e);
void compare_release(CompareResult *r);

/* Return the level of its intervals; at a look 1 minus the look's level, rounded up to two digits. */
double compare_confidence(const CompareResult *r);

/* RC_USAGE: an option's text is no number up to COMPARE_LARGEST. */
Rc compare_number(const char *option, const char *text, double *out, Error *e);

/* The place of a named arm; NULL: the first. RC_USAGE: there is none. */
Rc compare_find_baseline(const CompareData *d, const char *name, int *out, Error *e);
/* 1 - conf without what rounding leaves of it, so that a p at the level is not taken to lie above or below. */
double compare_alpha(double conf);

int compare_fewest_runs(const CompareData *d); /* of the arm that has fewest */

/* RC_USAGE: a run diverged, and there is no cap, or it would count as good there as the best run that finished. */
Rc compare_check_cap(const CompareData *d, double cap, bool higher, Error *e);

/* What c->what, a pair of data's arms, says alone, of pairs or not as f is. stalled: [arms][seeds], NULL: not known.
 * runs: cap, higher and the keys. */
void compare_pair(const Family *f, Comparison *c, const CompareData *d, const bool *stalled, PairedRuns runs);
void compare_together(Family *f);

/* A decision's code, read with the side that is better. */
const char *compare_word(const CompareResult *r, Decision decision);

/* "worse than base, but within 0.02: too small to matter" (bench/verdict/words.h). */
void compare_words(const CompareResult *r, const Comparison *c, Decision decision, Text *out);

/* The name of the arm that is compared. */
const char *compare_arm_name(const CompareResult *r, const Comparison *c);

/* RC_REGRESSION: some arm is worse, and not negligibly. RC_OK: something was decided. RC_INCONCLUSIVE: nothing was.
 * With fail.by: RC_REGRESSION when some arm is worse by more, RC_OK when every arm is not, else RC_INCONCLUSIVE. */
Rc compare_exit(const CompareResult *r);

/* With fail.by, of a comparison that it leaves open: how many more paired seeds decide it with a chance of
 * PAIRED_POWER_AIM if mean and spread stay; 0: not known, or more than 1,000. */
int compare_gate_more(const CompareResult *r, const Comparison *c);

/* What `normbench compare --help` says of input and exit codes. */
extern const char compare_help[];

/* ---- Over corpora: a file with a column `corpus` (or `dataset`) holds every arm's runs on each of them. Every
 * corpus is compared by itself, and the arms are summed up over them (bench/verdict/corpora.h) ---- */

/* What a file says, by corpus, in the file's order; all have the same arms in the same order, and as many seeds. */
typedef struct {
    int corpora;     /* 1: one, or no column of them */
    char **name;     /* [corpora]; of a file without such a column "" */
    CompareData *of; /* [corpora] */
    double *step;    /* [arms]: of such runs, the step of an arm's values, NaN where they differ; NULL: not known */
    char *metric;    /* what was measured, of runs that were picked from logs; NULL: not known */
    char *when;      /* "at its best step"; NULL: a run ends with its value */
} CompareCorpora;

/* Reads a file, "-" standard input, or from memory: CSV or JSON; help says which forms, `name` is what errors call it.
 * RC_USAGE: not that, a run that is missing or there twice, or a corpus that lacks an arm or has fewer seeds than
 * another. RC_UNMEASURED: no runs at all. On failure *c is zeroed. */
Rc compare_corpora_read(CompareCorpora *c, const char *path, CompareColumns columns, Error *e);
Rc compare_corpora_parse(CompareCorpora *c, const char *name, CompareColumns columns, const char *bytes, size_t length,
                         Error *e);
void compare_corpora_release(CompareCorpora *c);

typedef struct {
    const CompareCorpora *data;
    CompareResult *of; /* [corpora] */
    CorporaSum sum;    /* a diverged run counts as the cap; of one corpus: not made */
    int *diverged;     /* [arms] */
} CompareOver;

/* data outlives the result; the codes of compare_make. On failure *r is zeroed. */
Rc compare_over_make(CompareOver *r, const CompareCorpora *data, const CompareOptions *options, int threads, Error *e);
void compare_over_release(CompareOver *r);

/* RC_REGRESSION when some corpus has it; RC_OK when some corpus has that and none the other; of --fail-on worse-by:D
 * RC_OK when all have it. */
Rc compare_over_exit(const CompareOver *r);

/* ---- Steps to a target: the first step at which a run's validation loss is at or below it, as MLPerf counts time to
 * train, compared with the baseline's by the engine of `normbench compare --target`, a family of tests per cell. A run
 * that never gets there is counted, not dropped: it ranks last, in means it counts as the step behind the last, and a
 * verdict needs the ranks to agree. The loss is the curve `valid_loss`, of a fixed slice every curve_every steps; where
 * some run has no such curve, the whole validations of evaluate_at for all runs ---- */

typedef struct {
    double target;
    bool whole; /* whole validations, not the curve */
    int cells;
    CompareData *data; /* [cells] */
    CompareResult *of; /* [cells] */
} TargetSteps;

/* s outlives nothing of it. RC_UNMEASURED: one arm alone. On failure *t is zeroed. */
Rc target_steps_make(TargetSteps *t, const Sample *s, double target, int threads, Error *e);
void target_steps_release(TargetSteps *t);

/* Of every cell: steps by arm, the paired comparisons with the baseline, what must be said beside them. */
void target_steps_text(const TargetSteps *t, const Experiment *x, Text *out);

/* {target, loss, cells: [{factors, steps: [{arm, steps: {SEED: step or null}}], compare}]} */
void target_steps_json(const TargetSteps *t, const Experiment *x, Text *out);

#endif
