/* Experiment: the contents of a yaml file. Arms x factors x seeds become RunSpecs. A key's value is the last of: its
 * default, the file's, the profile's, --set's, the cell's (if it is a factor), the arm's own. */
#ifndef BENCH_PLAN_EXPERIMENT_H
#define BENCH_PLAN_EXPERIMENT_H

#include "bench/plan/curve.h"
#include "bench/plan/metric.h"
#include "bench/plan/recipes.h"
#include "bench/plan/spec.h"
#include "models/probe.h"

enum { EXPERIMENT_ARMS_MAX = 64, EXPERIMENT_FACTORS_MAX = 4, EXPERIMENT_VALUES_MAX = 32 };
enum { EXPERIMENT_COMPARES_MAX = 64 };
enum { EXPERIMENT_ROWS_MAX = 16, EXPERIMENT_PANELS_MAX = 4 };
enum { EXPERIMENT_CELLS_MAX = 1024, EXPERIMENT_SEEDS_MAX = 10000, EXPERIMENT_ALSO_MAX = 4 };
enum { EXPERIMENT_TEXTS_MAX = 16 };
enum { EXPERIMENT_LOOKS_MAX = 8 };
enum { EXPERIMENT_WATCHED_MAX = 2000, EXPERIMENT_USUAL_MAX = 64 }; /* seeds of "until: decided" */

/* Bytes for names, with the terminator. */
enum {
    EXPERIMENT_NAME_SIZE = 64,
    PROFILE_NAME_SIZE = 16,
    ARM_NAME_SIZE = 48,
    ARM_LABEL_SIZE = 64,
    FACTOR_VALUE_SIZE = 64
};

/* One arm: a name and the columns and keys in which it differs. */
typedef struct {
    char name[ARM_NAME_SIZE], label[ARM_LABEL_SIZE]; /* label: for tables; by default the name */
    RunSpec spec;             /* base keys + this arm's; seed not set */
    uint64_t own;             /* bit i: the arm itself sets spec_keys[i], so no factor changes it */
    const ModelRecipe *recipe; /* named by the arm itself; NULL: none */
} Arm;

/* A key with several values: each combination of the factors is a cell. */
typedef struct {
    char key[SPEC_KEY_SIZE];
    int values;
    char value[EXPERIMENT_VALUES_MAX][FACTOR_VALUE_SIZE];
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

/* A panel of a figure. AXIS_auto: logarithmic if the values span more than a factor of 10. */
typedef enum { AXIS_auto, AXIS_linear, AXIS_log, AXES } Axis;
typedef struct {
    const CurveInfo *curve;
    Axis axis;
} Panel;

/* Name of a user's own corpus, and the SHA-256 of its bytes; "": unknown. */
typedef struct {
    SpecWord name;
    char sha256[SHA256_HEX];
} OwnText;

/* Tables over all cells, for the key `summaries`. */
typedef enum {
#define SUMMARY(name, make, help) SUMMARY_##name,
#include "bench/plan/summaries.def"
#undef SUMMARY
    SUMMARY_COUNT
} SummaryKind;

typedef struct {
    char name[EXPERIMENT_NAME_SIZE], title[160], writeup[16], file[1024], profile[PROFILE_NAME_SIZE];
    char also[EXPERIMENT_ALSO_MAX][16]; /* other write-ups whose claims its runs decide; "": no more */
    char baseline[ARM_NAME_SIZE]; /* the arm that others are compared with; by default the first */
    Metric metric;        /* metric of the verdicts */
    double alpha, margin; /* level of the verdicts; margin of equivalence in nats; defaults 0.05 and 0.02 */
    Arm arm[EXPERIMENT_ARMS_MAX];
    int arms;
    Compared compare[EXPERIMENT_COMPARES_MAX]; /* all that is tested; none: each arm against the baseline */
    int compares;
    Factor factor[EXPERIMENT_FACTORS_MAX];
    int factors;
    uint64_t *seed;
    int seeds;
    int most; /* most seeds, which are added in order until the plan is decided; 0: their number is fixed */
    int look[EXPERIMENT_LOOKS_MAX], looks; /* bench/plan/looks.h; with looks, most is the last one's seeds */
    int looked;     /* 1 + the look at which seeds, most (0) and alpha are; 0: no look was taken */
    double planned; /* alpha of the plan, where a look's share has its place */
    OwnText text[EXPERIMENT_TEXTS_MAX]; /* all that arms and cells name; store/texts.h hashes them */
    int texts;
    /* Output, not part of the plan: rows of the tables, panels of the curves' figure and of the blocks'. */
    TableRow row[EXPERIMENT_ROWS_MAX];
    Panel panel[EXPERIMENT_PANELS_MAX], block_panel[EXPERIMENT_PANELS_MAX];
    int rows, panels, block_panels;
    bool summary[SUMMARY_COUNT];
    uint64_t said;      /* bit i: the file, the profile or --set gives spec_keys[i] for all arms; no hash knows it */
    ProbeChoice probes; /* measured by runs; not part of their identity, so no hash knows it */
    bool hits;          /* runs store which targets they predict right; no hash knows it */
    bool quantize;      /* runs measure the cost of eight bits; no hash knows it */
    bool compared;      /* --arm gave one arm, and arm[0] is the base that it is compared with */
    char *yaml;         /* the file's text; NULL before it is read whole */
    char plan[65]; /* SHA-256 of the canonical text: arms, factors, seeds, baseline, metric, alpha, margin */
    char body[65]; /* SHA-256 of the text without the seeds, which plans with other seeds share */
} Experiment;

/* Overrides from the command line, applied after the profile in order: "key=value"; a value "[a, b]" makes a factor;
 * "seeds=8" or "seeds=[1, 2, 5]" sets the seeds; and whole arms (`--arm`) that replace the file's. */
typedef struct {
    const char *const *set;
    int sets;
    const char *const *arm; /* yaml flow text: "{base: pre, attn.out: rmsnorm}", optionally "name: {…}" */
    int arms;
    bool alone; /* a single --arm is not compared with its base */
} Overrides;

/* Parse the text of --arm as an arm on `base`; recipe: the file's, or NULL. An unnamed arm is named by its content,
 * "pre+attn.out=rmsnorm", and labelled by the change, "Pre-LN + attn.out rmsnorm". */
Rc arm_option(Arm *a, const char *text, const RunSpec *base, const ModelRecipe *recipe, Error *e);

/* Append the keys of a range of blocks, for `run --help`. */
void arm_print_ranges(Text *out);

/* Read an experiment file for a profile (of profiles.def; "": the file's first; NULL: no profile). RC_USAGE: file:line:
 * key: the problem, the nearest valid name. An absent profile is an error that lists the file's profiles; the others
 * are checked too. On failure there is nothing to release.
 *
 * With --arm, if the file's baseline is not among the new arms, the first of them becomes it. A single --arm is
 * compared with its base, which becomes the first arm and the baseline. */
Rc experiment_read(Experiment *x, const char *path, const char *profile, const Overrides *o, Error *e);

/* Return true if overrides changed the plan of x's text and profile, seeds aside. */
bool experiment_changed(const Experiment *x);

/* Parse an experiment from text (`run --text`, tests); errors call it `file`. */
Rc experiment_parse(Experiment *x, const char *file, const char *text, const char *profile, const Overrides *o,
                    Error *e);
void experiment_release(Experiment *x);

/* Find the pairs that each cell compares: those that the file lists, else each arm and the baseline. Return how
 * many. */
int experiment_pairs(const Experiment *x, Compared out[EXPERIMENT_COMPARES_MAX]);

/* Return the number of cells, the combinations of factor values (1 without factors); and the spec of (cell, arm, seed
 * index), with the hashes of x's texts as far as x knows them. */
int experiment_cells(const Experiment *x);
RunSpec experiment_spec(const Experiment *x, int cell, int arm, int seed);
/* Compute spec_hash of an arm's runs in a cell: hash[seeds]. */
void experiment_hashes(const Experiment *x, int cell, int arm, char (*hash)[SHA256_HEX]);
/* Write a level of a factor as tables and figures show it, a learning rate as "1e-3"; return out. */
char *factor_text(char out[FACTOR_VALUE_SIZE], const Factor *f, int level);
/* Write a cell's "token_std = 1", or "" without factors, to out, which has at least 256 bytes. */
char *experiment_cell_text(char *out, const Experiment *x, int cell);

/* Append the command that trains x, "normbench run X --profile P --set precision=bf16". The precision is omitted if it
 * is exact, a factor or an arm's own. */
void experiment_command(const Experiment *x, Text *out);

/* Return the index of a cell's value of factor i. */
int experiment_level(const Experiment *x, int cell, int i);

/* Return the name of a precision of x in which only a device computes; NULL: a CPU can train all of x. */
const char *experiment_needs_device(const Experiment *x);

/* Return true if neither x nor an arm sets a precision: x's records may then have any. */
bool experiment_leaves_precision(const Experiment *x);

/* Append the text that `plan` hashes; seeds false: that of `body`. */
void experiment_text(const Experiment *x, bool seeds, Text *out);

/* Append help on every key of a file, a profile and an arm. */
void experiment_help(Text *out);

/* Find the path of bench/experiments/<name>.yaml under root, or name itself if it is a path; RC_USAGE names the
 * nearest. */
Rc experiment_find(char *path, size_t size, const char *root, const char *name, Error *e);

#endif
