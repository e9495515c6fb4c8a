/* Experiment: what a yaml file says. Arms x factors x seeds become RunSpecs. A key's value is, later ones winning: its
 * default, the file's, the profile's, --set's, the cell's (when it is a factor), the arm's own. */
#ifndef BENCH_EXPERIMENT_H
#define BENCH_EXPERIMENT_H

#include "bench/spec.h"

enum { EXPERIMENT_MOST_ARMS = 64, EXPERIMENT_MOST_FACTORS = 4, EXPERIMENT_MOST_VALUES = 32 };
enum { EXPERIMENT_MOST_CELLS = 1024, EXPERIMENT_MOST_SEEDS = 10000 };

/* One arm: a name and the columns and keys in which it differs. */
typedef struct {
    char name[48], label[64]; /* label: for tables; the name when the file gives none */
    RunSpec spec;             /* base keys + this arm's; seed not set */
    uint64_t own;             /* bit i: the arm itself sets spec_keys[i], so no factor changes it */
} Arm;

/* A key with several values: each combination of the factors is a cell. */
typedef struct {
    char key[48];
    int values;
    char value[EXPERIMENT_MOST_VALUES][64];
} Factor;

typedef struct {
    char name[64], title[160], writeup[16], file[256], profile[16];
    char baseline[48];    /* the arm the others are compared with; the first when the file is silent */
    char metric[32];      /* decides the verdicts: "valid_loss" */
    double alpha, margin; /* of the verdicts; margin in nats for equivalence; silent: 0.05 and 0.02 */
    Arm arm[EXPERIMENT_MOST_ARMS];
    int arms;
    Factor factor[EXPERIMENT_MOST_FACTORS];
    int factors;
    uint64_t *seed;
    int seeds;
    char plan[65]; /* SHA-256 of the canonical text: arms, factors, seeds, baseline, metric, alpha, margin */
} Experiment;

/* Overrides from the command line, applied after the profile in order: "key=value"; a value "[a, b]" makes a factor;
 * "seeds=8" or "seeds=[1, 2, 5]" sets the seeds; and whole arms (`--arm`) that replace the file's. */
typedef struct {
    const char *const *set;
    int sets;
    const char *const *arm; /* yaml flow text: "{base: pre, attn.out: rmsnorm}", optionally "name: {…}" */
    int arms;
} Overrides;

/* Reads an experiment file for a profile ("smoke", "quick", "full"; "": the file's first; NULL: the file as it is, no profile). RC_USAGE:
 * file:line: key: what is wrong; the nearest valid name. An absent profile is an error that lists those the file has;
 * the other profiles are checked too. On failure there is nothing to release.
 *
 * With --arm, a baseline of the file that is not among the new arms gives way to the first of them. */
Rc experiment_read(Experiment *x, const char *path, const char *profile, const Overrides *o, Error *e);

/* From text instead of a file (`run --text`, tests); `file` is how errors call it. */
Rc experiment_parse(Experiment *x, const char *file, const char *text, const char *profile, const Overrides *o,
                    Error *e);
void experiment_release(Experiment *x);

/* Cells are the combinations of factor values (1 when there is no factor). The spec of (cell, arm, seed index). */
int experiment_cells(const Experiment *x);
RunSpec experiment_spec(const Experiment *x, int cell, int arm, int seed);
/* "token_std = 1" of a cell, or "" without factors; out holds at least 256 bytes. */
char *experiment_cell_text(char *out, const Experiment *x, int cell);

/* Which value of factor i a cell has: an index into its values. */
int experiment_level(const Experiment *x, int cell, int i);

/* What `plan` hashes. */
void experiment_text(const Experiment *x, Text *out);

/* Path of bench/experiments/<name>.yaml under root, or name itself when it is a path; RC_USAGE with the nearest. */
Rc experiment_find(char *path, size_t size, const char *root, const char *name, Error *e);

#endif
