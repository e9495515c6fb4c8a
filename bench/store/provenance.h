/* Where a number was made: what a record says about the build and the machine. */
#ifndef BENCH_STORE_PROVENANCE_H
#define BENCH_STORE_PROVENANCE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define NORMBENCH_VERSION "0.1.0"

/* "unknown" and 0 where a record does not say it. */
typedef struct {
    char version[24], commit[64], compiler[96], flags[160], isa[24], cpu[128];
    char gsl[24], jansson[24], openssl[64]; /* versions of the libraries */
    char device[128];                       /* where the kernels ran: a device's name, or the CPU's */
    int processors;
    int threads, replicas; /* threads that shared the run; runs that one program trained together */
    int64_t made;          /* when the run was finished, in seconds since 1970 */
} Provenance;

/* This build on this machine, now: one thread, one replica, on the CPU. */
void provenance_here(Provenance *p);

/* {version, commit, compiler, flags, isa, cpu, processors, libraries, threads_per_run, replicas, device, made}, and
 * back: what is absent is unknown, 0, or one thread and one replica. provenance_json: a new reference. */
json_t *provenance_json_of(const Provenance *p);
void provenance_read(Provenance *p, json_t *from);

/* What provenance_here says of the build and the machine, for measurements that are no runs. New reference. */
json_t *provenance_json(void);

/* "git describe" of the build, "-dirty" when the tree had changes, "unknown" outside git. */
const char *provenance_commit(void);

#endif
