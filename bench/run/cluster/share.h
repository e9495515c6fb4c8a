/* Share: let several processes train into one folder of runs, on one host or on several with a common file system.
 *
 * The process that trains a run has its lease, folder/.partial/<id>.hold: JSON that says what is trained and by whom. A
 * lease is made by link(), which only one of several processes can do, on NFS too. It is stale if its owner is dead: in
 * the same boot and process namespace, if that process is gone (by number and start time); elsewhere, if the file was
 * not touched for SHARE_SILENCE seconds (owners touch their leases every SHARE_BEAT) by the file system's clock; a time
 * that far ahead is stale too. For an unreadable lease only that time counts. A stale lease is first moved aside and
 * read again, so that two processes that found it stale do not both take it. If a lease is lost nevertheless, a run is
 * trained twice, with equal bytes, and stored once.
 *
 * A failed or stopped run leaves folder/.partial/<id>.left: that JSON with the reason. */
#ifndef BENCH_RUN_CLUSTER_SHARE_H
#define BENCH_RUN_CLUSTER_SHARE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"
#include "bench/plan/experiment.h"

enum { SHARE_BEAT = 10, SHARE_SILENCE = 300 };

/* A process on any host. */
typedef struct {
    char host[64], boot[40], space[40]; /* host, its boot, its process namespace; "": unknown */
    int64_t pid, start;                 /* start: clock ticks after the boot; 0: unknown */
} Owner;

typedef struct {
    char id[SHA256_HEX], spec_sha256[SHA256_HEX];
    char experiment[EXPERIMENT_NAME_SIZE], profile[PROFILE_NAME_SIZE];
    char what[340];       /* "token_std = 1  layernorm seed 3" */
    int64_t steps, from;  /* all updates, and those done when the owner began */
    int64_t since;        /* the owner's start, seconds since 1970 by the file system's clock */
    char left[512];       /* reason why the run was left; "": it is a lease */
    bool failed;          /* if left: it failed; false: it was stopped */
    Owner owner;
    bool alive;   /* set on reading: the lease is not stale */
    double heard; /* set on reading: seconds since the owner's last touch */
    double age;   /* set on reading: seconds since the owner's start */
} Lease;

typedef struct {
    char folder[1024];
    Owner me;
    double ahead; /* lead of the file system's clock over this one's, in seconds, when last seen */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t keeper;
    bool keeping, ended;
    char (*held)[SHA256_HEX];
    int count;
} Leases;

/* Open folder (results/runs) and touch the leases held until share_close, which drops the rest. */
void share_open(Leases *s, const char *folder);
void share_close(Leases *s);

/* Acquire the lease of `what` (owner and `since` are filled in) and return true. False: another process has it,
 * *theirs. If no lease can be written (a full disk), return true, so that the run is not given up. */
bool share_take(Leases *s, const Lease *what, Lease *theirs);

/* Write into the lease at which step this process began. */
void share_began(Leases *s, const Lease *what, int step);

/* Release a lease. why: NULL, or the reason why the run is left. */
void share_drop(Leases *s, const Lease *what, const char *why, bool failed);

/* Return true if another living process has the lease of a run. */
bool share_held(Leases *s, const char *id, Lease *theirs);

/* List all leases and left runs, in order of ids; return how many. */
int share_list(const char *folder, Lease **all);

/* Write the owner as "pid 123" or, on another host, "pid 123 on host"; "somebody": the lease cannot be read. Return
 * out. */
char *share_owner(char out[96], const Lease *c);

#endif
