/* Share: several processes that train into one folder of runs, on one host or on several with a common file system.
 *
 * Who trains a run has its hold, folder/.partial/<id>.hold: JSON that says what is trained and by whom. A hold is
 * made by link(), which only one of several can do, on NFS too. A hold stands for nothing once its owner is dead: of
 * the same boot and process namespace, when that process is gone (number and start time tell); of any other, when the
 * file was not touched for SHARE_SILENCE seconds (every owner touches its holds every SHARE_BEAT), by the file
 * system's clock; a time that far ahead is nobody's sign either. Of a hold that cannot be read only that time
 * counts. A dead hold is first moved aside and looked at again, so that two who both found it dead do not both take
 * it. Should a hold be lost all the same, a run is trained twice, with the same bytes, and stored once.
 *
 * What failed or was stopped leaves folder/.partial/<id>.left: the same JSON with the reason. */
#ifndef BENCH_RUN_CLUSTER_SHARE_H
#define BENCH_RUN_CLUSTER_SHARE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"
#include "bench/plan/experiment.h"

enum { SHARE_BEAT = 10, SHARE_SILENCE = 300 };

/* A process anywhere. */
typedef struct {
    char host[64], boot[40], space[40]; /* machine, its boot, its namespace of process numbers; "": unknown */
    int64_t pid, start;                 /* start: in clock ticks after the boot; 0: unknown */
} Owner;

typedef struct {
    char id[SHA256_HEX], spec_sha256[SHA256_HEX];
    char experiment[EXPERIMENT_NAME_SIZE], profile[PROFILE_NAME_SIZE];
    char what[340];       /* "token_std = 1  layernorm seed 3" */
    int64_t steps, from;  /* updates in all, and done when the owner began */
    int64_t since;        /* when it began, seconds since 1970 by the file system's clock */
    char left[512];       /* why nobody trains it now; "": it is a hold */
    bool failed;          /* left: it failed; false: it was stopped */
    Owner owner;
    bool alive;   /* as found: whether the hold still stands for somebody */
    double heard; /* as found: seconds since the owner's last sign */
    double age;   /* as found: seconds since it began */
} Hold;

typedef struct {
    char folder[1024];
    Owner me;
    double ahead; /* the file system's clock before this one's, in seconds, when it was last seen */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t keeper;
    bool keeping, ended;
    char (*held)[SHA256_HEX];
    int count;
} Holds;

/* folder: results/runs. Touches what is held until share_close, which drops the rest. */
void share_open(Holds *s, const char *folder);
void share_close(Holds *s);

/* Whether this process trains `what` from now on (its owner and `since` are filled in here). False: another one does,
 * *theirs says who. Where no hold can be written at all (a full disk) the answer is true: the run is not given up. */
bool share_take(Holds *s, const Hold *what, Hold *theirs);

/* Says in the hold at which step this process began. */
void share_began(Holds *s, const Hold *what, int step);

/* Gives a hold back: why = NULL, or the reason why nobody trains it now. */
void share_drop(Holds *s, const Hold *what, const char *why, bool failed);

/* Whether a living process has the hold of a run. */
bool share_held(Holds *s, const char *id, Hold *theirs);

/* All holds and what was left behind, in order of ids; returns how many. */
int share_list(const char *folder, Hold **all);

/* "pid 123", "pid 123 on host": as this process would call it; "somebody": the hold cannot be read. out has
 * room for 96 bytes; returns out. */
char *share_owner(char out[96], const Hold *c);

#endif
