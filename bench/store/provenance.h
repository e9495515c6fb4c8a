/* Provenance: a record's build and machine. */
#ifndef BENCH_STORE_PROVENANCE_H
#define BENCH_STORE_PROVENANCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORMBENCH_VERSION "0.1.0"

/* Members are "unknown" and 0 if a record does not say them. */
typedef struct {
    char version[24], commit[64], compiler[96], flags[160], isa[24], cpu[128];
    char gsl[24], jansson[24], openssl[64]; /* versions of the libraries */
    char device[128];                       /* name of the device that ran the kernels, or of the CPU */
    int processors;
    int threads, replicas; /* threads that shared the run; runs trained together */
    int64_t made;          /* end of the run, in seconds since 1970 */
} Provenance;

/* Describe this build on this machine now: one thread, one replica, on the CPU. */
void provenance_here(Provenance *p);

/* Convert to {version, commit, compiler, flags, isa, cpu, processors, libraries, threads_per_run, replicas, device,
 * made} (a new reference) and back: an absent member is unknown, 0, or one thread and one replica. */
json_t *provenance_json_of(const Provenance *p);
void provenance_read(Provenance *p, json_t *from);

/* Return provenance_here's build and machine, for measurements that are not runs; a new reference. */
json_t *provenance_json(void);

/* Return the build's "git describe", with "-dirty" if the tree had changes; "unknown" outside git. */
const char *provenance_commit(void);

/* Whether a commit's tree had changes when the build was made, and what is to be said of that. */
bool provenance_changed(const char *commit);
extern const char provenance_changes[]; /* "-dirty: the checkout had ..." */

#endif
