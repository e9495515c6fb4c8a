/* Experiment: what a yaml file says. Arms x factors x seeds become RunSpecs. A key's value is, later ones winning: its
 * default, the file's, the profile's, --set's, the cell's (when it is a factor), the arm's own. */
#ifndef BENCH_PLAN_EXPERIMENT_H
#define BENCH_PLAN_EXPERIMENT_H

#include "bench/plan/curve.h"
#include "bench/plan/metric.h"
#include "bench/plan/recipes.h"
#include "bench/plan/spec.h"
#include "models/probe.h"

enum { EXPERIMENT_MOST_ARMS = 64, EXPERIMENT_MOST_FACTORS = 4, EXPERIMENT_MOST_VALUES = 32 };
enum { EXPERIMENT_MOST_COMPARES = 64 };
enum { EXPERIMENT_MOST_ROWS = 16, EXPERIMENT_MOST_PANELS = 4 };
enum { EXPERIMENT_MOST_CELLS = 1024, EXPERIMENT_MOST_SEEDS = 10000, EXPERIMENT_MOST_ALSO = 4 };
enum { EXPERIMENT_MOST_TEXTS = 16 };
enum { EXPERIMENT_MOST_WATCHED = 2000, EXPERIMENT_USUAL_MOST = 64 }; /* seeds of "until: decided" */

/* Room for names, with the zero behind them. */
enum {
    EXPERIMENT_NAME_SIZE = 64,
    PROFILE_NAME_SIZE = 16,
    ARM_NAME_SIZE = 48,
    ARM_LABEL_SIZE = 64,
    FACTOR_VALUE_SIZE = 64
};

/* One arm: a name and the columns and keys in which it differs. */
typedef struct {
    char name[ARM_NAME_SIZE], label[ARM_LABEL_SIZE]; /* label: for tables; the name when the file gives none */
    RunSpec spec;             /* base keys + this arm's; seed not set */
    uint64_t own;             /* bit i: the arm itself sets spec_keys[i], so no factor changes it */
    const ModelRecipe *recipe; /* the arm itself names it; NULL: it does not */
} Arm;

/* A key with several values: each combination of the factors is a cell. */
typedef struct {
    char key[SPEC_KEY_SIZE];
    int values;
    char value[EXPERIMENT_MOST_VALUES][FACTOR_VALUE_SIZE];
} Factor;

/* A pair of arms that is tested: arm minus against, indices into arm. */
typedef struct {
    int arm, against;
} Compared;

/* A row of the tables. */
typedef struct {
    Metric metric;
    char heading[26]; /* "": the metric's own */
} TableRow;

/* A panel of a figure. AXIS_auto: logarithmic when the values span more than a factor of 10. */
typedef enum { AXIS_auto, AXIS_linear, AXIS_log, AXES } Axis;
typedef struct {
    const CurveInfo *curve;
    Axis axis;
} Panel;

/* A corpus of the user's own that is named, and the SHA-256 of its bytes; "": not known. */
typedef struct {
    SpecWord name;
    char sha256[SHA256_HEX];
} OwnText;

/* Tables over all cells that a file asks for. */
typedef enum {
#define SUMMARY(name, make, help) SUMMARY_##name,
#include "bench/plan/summaries.def"
#undef SUMMARY
    SUMMARY_COUNT
} SummaryKind;

typedef struct {
    char name[EXPERIMENT_NAME_SIZE], title[160], writeup[16], file[256], profile[PROFILE_NAME_SIZE];
    char also[EXPERIMENT_MOST_ALSO][16]; /* other write-ups whose claims its runs decide; "": no more */
    char baseline[ARM_NAME_SIZE]; /* the arm the others are compared with; the first when the file is silent */
    Metric metric;        /* decides the verdicts */
    double alpha, margin; /* of the verdicts; margin in nats for equivalence; silent: 0.05 and 0.02 */
    Arm arm[EXPERIMENT_MOST_ARMS];
    int arms;
    Compared compare[EXPERIMENT_MOST_COMPARES]; /* all that is tested; none: each arm against the baseline */
    int compares;
    Factor factor[EXPERIMENT_MOST_FACTORS];
    int factors;
    uint64_t *seed;
    int seeds;
    int most; /* seeds are added, in their order, until it is decided: at most so many; 0: their number is fixed */
    OwnText text[EXPERIMENT_MOST_TEXTS]; /* all that arms and cells name; store/texts.h finds out what they hold */
    int texts;
    /* What is shown, not part of the plan: rows of the tables, panels of the curves' figure and of the blocks'. */
    TableRow row[EXPERIMENT_MOST_ROWS];
    Panel panel[EXPERIMENT_MOST_PANELS], block_panel[EXPERIMENT_MOST_PANELS];
    int rows, panels, block_panels;
    bool summary[SUMMARY_COUNT];
    uint64_t said;      /* bit i: the file, the profile or --set gives spec_keys[i] for all arms; no hash knows it */
    ProbeChoice probes; /* what runs measure; no part of what they are, so no hash knows it */
    bool hits;          /* runs keep which targets they predict right; as the probes, no hash knows it */
    bool quantize;      /* and what eight bits cost them, likewise */
    bool compared;      /* --arm gave one arm, and arm[0] is the base that it is compared with */
    char *yaml;         /* the text of the file, NULL before it is read whole */
    char plan[65]; /* SHA-256 of the canonical text: arms, factors, seeds, baseline, metric, alpha, margin */
    char body[65]; /* the same without the seeds: what a plan with more or other seeds shares with it */
} Experiment;

/* Overrides from the command line, applied after the profile in order: "key=value"; a value "[a, b]" makes a factor;
 * "seeds=8" or "seeds=[1, 2, 5]" sets the seeds; and whole arms (`--arm`) that replace the file's. */
typedef struct {
    const char *const *set;
    int sets;
    const char *const *arm; /* yaml flow text: "{base: pre, attn.out: rmsnorm}", optionally "name: {…}" */
    int arms;
    bool alone; /* one --arm stays alone, without the base that it is compared with */
} Overrides;

/* Text of --arm as an arm beside `base`; recipe: that of the file, or NULL. Without a name of its own it gets one of
 * its content, "pre+attn.out=rmsnorm", and a label that says the change, "Pre-LN + attn.out rmsnorm". */
Rc arm_option(Arm *a, const char *text, const RunSpec *base, const ModelRecipe *recipe, Error *e);

/* The keys of a range of blocks, for `run --help`. */
void arm_print_ranges(Text *out);

/* Reads an experiment file for a profile (of profiles.def; "": the file's first; NULL: the file as it is, no profile).
 * RC_USAGE: file:line: key: what is wrong; the nearest valid name. An absent profile is an error that lists those the
 * file has; the other profiles are checked too. On failure there is nothing to release.
 *
 * With --arm, a baseline of the file that is not among the new arms gives way to the first of them. One --arm alone is
 * compared with its base: the base as it stands becomes the first arm and the baseline. */
Rc experiment_read(Experiment *x, const char *path, const char *profile, const Overrides *o, Error *e);

/* Whether overrides made another plan than x's text has for x's profile, seeds aside. */
bool experiment_changed(const Experiment *x);

/* From text instead of a file (`run --text`, tests); `file` is how errors call it. */
Rc experiment_parse(Experiment *x, const char *file, const char *text, const char *profile, const Overrides *o,
                    Error *e);
void experiment_release(Experiment *x);

/* Cells are the combinations of factor values (1 when there is no factor). The spec of (cell, arm, seed index), which
 * knows the bytes of x's texts as far as x does. */
int experiment_cells(const Experiment *x);
RunSpec experiment_spec(const Experiment *x, int cell, int arm, int seed);
/* spec_hash of an arm's runs in a cell: hash[seeds]. */
void experiment_hashes(const Experiment *x, int cell, int arm, char (*hash)[SHA256_HEX]);
/* "token_std = 1" of a cell, or "" without factors; out holds at least 256 bytes. */
char *experiment_cell_text(char *out, const Experiment *x, int cell);

/* "normbench run X --profile P --precision bf16": trains x. The precision is left out where it is exact, a factor or an
 * arm's own. */
void experiment_command(const Experiment *x, Text *out);

/* Which value of factor i a cell has: an index into its values. */
int experiment_level(const Experiment *x, int cell, int i);

/* Whether neither x nor an arm says a precision: records of any are then x's. */
bool experiment_leaves_precision(const Experiment *x);

/* What `plan` hashes; seeds false: what `body` does. */
void experiment_text(const Experiment *x, bool seeds, Text *out);

/* Every key of a file, of a profile and of an arm, with what it may be. */
void experiment_help(Text *out);

/* Path of bench/experiments/<name>.yaml under root, or name itself when it is a path; RC_USAGE with the nearest. */
Rc experiment_find(char *path, size_t size, const char *root, const char *name, Error *e);

#endif
