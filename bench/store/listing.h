/* Listing: the stored runs as a reader names them: by the experiment and profile that plan them, arm, keys, seed.
 * Plans are those of bench/experiments and, with their changes, those that results/out remembers (plan_folder.h). Read
 * from records alone, each as far as record.json says it; a run that several plans share stands under each of them.
 *
 * A record does not name its arm. It is that of the plan which has this very run (the same spec); a run that no
 * profile of a file plans, as it was changed on the command line, belongs to the file of which it declares a plan, and
 * its arm is the one whose columns and own keys it has. What belongs to no file is named by its variant's row, or
 * "custom". */
#ifndef BENCH_STORE_LISTING_H
#define BENCH_STORE_LISTING_H

#include "bench/store/session.h"
#include "bench/store/store.h"

/* Runs of one plan. */
typedef struct {
    char experiment[EXPERIMENT_NAME_SIZE]; /* "": of no file here */
    char file[256];                        /* the experiment's, where it plans these runs */
    char profile[PROFILE_NAME_SIZE];       /* "": of none, changed on the command line, or the file has no profiles */
    char options[160];                     /* " --set steps=50": of a plan of results/out; " on other bytes of text:…":
                                              the text is another one now; "": as the file has it */
    char plan[SHA256_HEX];                 /* "": the runs declare none */
    int planned;                           /* 0: no file here plans these runs */
    int stored;                            /* of those planned; else how many there are; filters do not change it */
} RunGroup;

/* A stored run under a plan. */
typedef struct {
    const RunRecord *record; /* without curves */
    int group;               /* of Listing.group */
    int place;               /* in the plan: cells, arms, seeds */
    char arm[ARM_NAME_SIZE], label[ARM_LABEL_SIZE];
} ListedRun;

typedef struct {
    RunRecord *record; /* [records] */
    int records, groups, runs;
    RunGroup *group;
    ListedRun *run; /* by group, place, arm, learning rate, steps, seed, id */
} Listing;

/* experiment NULL: everything that is stored. Else a name or a path: what the session's profile and overrides of it
 * plan, without a profile all of the file's. RC_USAGE: no such experiment; RC_INTEGRITY: a record that does not read.
 * On failure there is nothing to release. */
Rc listing_make(Listing *l, const Session *s, const Store *stored, const char *experiment, Error *e);
void listing_release(Listing *l);

/* Keeps the runs that a filter "key=value" names. Keys: arm (its name or label, else the variant's row), seed, status,
 * class, experiment, profile, plan (the beginning of its hash), variant, keys of specs and columns of variants.
 * RC_USAGE: no such key (the nearest), or no run that is left has the value (those that they have); then the listing
 * is as it was. */
Rc listing_keep(Listing *l, const char *filter, Error *e);

/* What a run's key is, as text: any key that listing_keep knows. out holds SPEC_TEXT_SIZE bytes; returns out. */
char *listing_value(char *out, const Listing *l, const ListedRun *run, const char *key);

/* Keys in which runs of the listing differ, of one group (or -1: all): experiment, profile or plan, arm, those of
 * specs and variants in which runs of one plan and arm differ, seed, class: out[LISTING_MOST_KEYS], how many.
 * same_arm: only those of specs and variants. */
enum { LISTING_MOST_KEYS = 128 };
int listing_differ(const Listing *l, int group, bool same_arm, const char *out[LISTING_MOST_KEYS]);

/* Whether two runs of the listing have one spec and class: only their ids tell them apart. */
bool listing_twins(const Listing *l, int group);

/* The validation that a run's loss is read from: its last one; NULL when it diverged or has none. */
const Evaluation *listing_last(const RunRecord *r);

/* "baseline, layernorm, rmsnorm": the values that the runs have of a key, each once, at most `most`. */
void listing_values(const Listing *l, const char *key, int most, Text *out);

#endif
