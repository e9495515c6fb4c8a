/* Listing: the stored runs by the names that readers use: experiment and profile that plan them, arm, keys, seed. Plans
 * are those of bench/experiments and, with their changes, those stored in results/out (plan_folder.h). Curves are read
 * of a run whose status hangs on them alone; a run that several plans share is listed under each of them.
 *
 * A record does not name its arm. The arm is that of the plan which has this run (an equal spec). A run that no profile
 * plans, because it was changed on the command line, belongs to the file whose plan it declares, and its arm is the one
 * whose columns and own keys it has. A run of no file is named by its variant's row, or "custom". */
#ifndef BENCH_STORE_LISTING_H
#define BENCH_STORE_LISTING_H

#include "bench/store/session.h"
#include "bench/store/store.h"

/* Runs of one plan. */
typedef struct {
    char experiment[EXPERIMENT_NAME_SIZE]; /* "": no file here plans it */
    char file[1024];                       /* the experiment's path, if it plans these runs */
    char profile[PROFILE_NAME_SIZE];       /* "": none, changed on the command line, or the file has no profiles */
    char *options;                         /* " --set steps=50": a plan of results/out; " on other bytes of text:…":
                                              the text has changed; "": as in the file */
    char plan[SHA256_HEX];                 /* "": the runs declare none */
    int planned;                           /* 0: no file here plans these runs */
    int stored;                            /* stored runs of those planned, or all; filters do not change it */
} RunGroup;

/* A stored run under a plan. */
typedef struct {
    const RunRecord *record; /* without curves, unless its status hangs on them */
    int group;               /* index in Listing.group */
    int place;               /* index in the plan: cells, arms, seeds */
    char arm[ARM_NAME_SIZE], label[ARM_LABEL_SIZE];
} ListedRun;

typedef struct {
    RunRecord *record; /* [records] */
    int records, groups, runs;
    RunGroup *group;
    ListedRun *run; /* sorted by group, place, arm, learning rate, steps, seed, id */
} Listing;

/* List stored runs. experiment NULL: all; else a name or a path: the runs that its profile and overrides in s plan,
 * without a profile those of all profiles. A damaged record is left out and moves among the store's damaged ones, with
 * a note. RC_USAGE: no such experiment. On failure there is nothing to release. */
Rc listing_make(Listing *l, const Session *s, Store *stored, const char *experiment, Error *e);
void listing_release(Listing *l);

/* Keep the runs that match a filter "key=value". Keys: arm (its name or label, else the variant's row), seed, status,
 * class, experiment, profile, plan (a prefix of its hash), variant, keys of specs and columns of variants. RC_USAGE: no
 * such key (the nearest is named), or no run left has the value (theirs are named); then the listing is unchanged. */
Rc listing_keep(Listing *l, const char *filter, Error *e);

/* Write a run's value of any key that listing_keep knows to out, which has SPEC_TEXT_SIZE bytes; return out. */
char *listing_value(char *out, const Listing *l, const ListedRun *run, const char *key);
/* As listing_value, as a reader sees it (spec_shown). */
char *listing_shown(char *out, const Listing *l, const ListedRun *run, const char *key);

/* List the keys in which runs of one group (-1: all) differ: experiment, profile or plan, arm, keys of specs and
 * variants in which runs of one plan and arm differ, seed, class; return how many are in out[LISTING_KEYS_MAX].
 * same_arm: only keys of specs and variants. */
enum { LISTING_KEYS_MAX = 128 };
int listing_differ(const Listing *l, int group, bool same_arm, const char *out[LISTING_KEYS_MAX]);

/* Return true if two runs of the listing have equal specs and classes, so that only their ids differ. */
bool listing_twins(const Listing *l, int group);

/* Return the validation that gives a run's loss, its last one; NULL: it diverged or has none. */
const Evaluation *listing_last(const RunRecord *r);

/* Append the runs' distinct values of a key, at most `most`: "baseline, layernorm, rmsnorm". */
void listing_values(const Listing *l, const char *key, int most, Text *out);

#endif
