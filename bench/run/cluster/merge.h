/* Merge: the runs of other folders, checked and copied into one folder of runs.
 *
 * A run is copied when its record has the hash that it names, its id is that of its spec, corpus and arithmetic, and
 * its arm was computed in one arithmetic: the runs that differ in their seed alone must have the arithmetic hash of
 * those that were there before, else two versions of the program would stand in one comparison. A folder may hold
 * several arithmetics of an arm itself (a later build changed its bits): those are all "there before".
 *
 * A run of the same id that is there already is left as it is. Where its bits differ, both are kept: the one that was
 * there, and the other one below conflicts/ of the results, as ID.HASH (the first digits of its record.json's hash). */
#ifndef BENCH_RUN_CLUSTER_MERGE_H
#define BENCH_RUN_CLUSTER_MERGE_H

#include "bench/store/record.h"

/* One folder that was merged. */
typedef struct {
    int runs, copied, here; /* runs that it has; copied; the same bits were there */
    int refused, conflicts; /* damaged or of another arithmetic; the same id and other bits */
    int unfinished;         /* runs that somebody began there and that it has not stored */
} MergeCount;

/* An arithmetic of the runs that differ in their seed alone. */
typedef struct {
    char arm[SHA256_HEX]; /* of the spec without its seed */
    char arithmetic_class[BACKEND_CLASS_SIZE], arithmetic[SHA256_HEX], commit[64];
    int folder;  /* which one brought it: 0 is the target */
    int refused; /* runs of another arithmetic; the first is a problem, the others are counted */
} MergedArm;

typedef struct {
    char results[1024], runs[1024]; /* the target */
    MergedArm *arm;
    int arms;
    char **folder; /* [folders] as the user calls them */
    int folders;
    char **problem; /* [problems] lines, without the program's name */
    int problems;
} Merge;

/* Into results/runs, which need not be there yet. */
void merge_open(Merge *m, const char *results);
void merge_release(Merge *m);

/* Merges one results folder, or a folder of runs itself. Runs that are refused are counted and named in m->problem,
 * the others are copied. RC_USAGE: there is no such folder, it holds no runs, or it is the target. RC_UNMEASURED: the
 * disk refused; what was copied before is whole. */
Rc merge_add(Merge *m, const char *folder, MergeCount *count, Error *e);

#endif
