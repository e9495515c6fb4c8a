/* Merge: check the runs of other folders and copy them into one folder of runs.
 *
 * A run is copied if its record has the hash that it names, its id is the hash of its spec, corpus and arithmetic, and
 * its arm was computed in one arithmetic: runs that differ only in their seed must have the arithmetic hash of those
 * already there, else one comparison would mix two versions of the program. The target may already have several
 * arithmetics of an arm (a later build changed its bits); each of them is accepted.
 *
 * Plans come along: a folder of results/out keeps its plan.json, without files, unless the target has one of that word.
 *
 * An existing run of the same id stays. If its bits differ, both are kept: the other one goes below conflicts/ of the
 * results, as ID.HASH (the first digits of its record.json's hash). */
#ifndef BENCH_RUN_CLUSTER_MERGE_H
#define BENCH_RUN_CLUSTER_MERGE_H

#include "bench/store/record.h"

/* Counts of one merged folder. */
typedef struct {
    int runs, copied, here; /* its runs; copied; already there with equal bits */
    int refused, conflicts; /* damaged or of another arithmetic; same id with other bits */
    int unfinished;         /* runs begun there and not stored */
    int plans;              /* whose word is another plan's here: they are left out */
} MergeCount;

/* An arithmetic of runs that differ only in their seed. */
typedef struct {
    char arm[SHA256_HEX]; /* hash of the spec without its seed */
    char arithmetic_class[BACKEND_CLASS_SIZE], arithmetic[SHA256_HEX], commit[64];
    int folder;  /* folder that had it first: 0 is the target */
    int refused; /* runs of another arithmetic; the first is a problem, the others are counted */
} MergedArm;

typedef struct {
    const char *root;               /* the checkout */
    char results[1024], runs[1024]; /* the target */
    MergedArm *arm;
    int arms;
    char **folder; /* [folders] by the user's names */
    int folders;
    char **problem; /* [problems] lines, without the program's name */
    int problems;
} Merge;

/* Begin to merge into results/runs, which may not exist yet. root: the checkout; it outlives *m. */
void merge_open(Merge *m, const char *root, const char *results);
void merge_release(Merge *m);

/* Merge one results folder, a folder of runs, or a plan's folder (results/out/WORD: that plan's runs alone). Refused
 * runs are counted and named in m->problem, the others are copied. RC_USAGE: the folder does not exist, has no runs, or
 * is the target. RC_UNMEASURED: the disk refused; runs
 * copied before are whole. */
Rc merge_add(Merge *m, const char *folder, MergeCount *count, Error *e);

#endif
