/* Where a number was made: what a record says about the build and the machine. */
#ifndef BENCH_PROVENANCE_H
#define BENCH_PROVENANCE_H

#include <jansson.h>

#define NORMBENCH_VERSION "0.1.0"

/* {version, commit, compiler, flags, isa, libraries, cpu, threads}. New reference. */
json_t *provenance_json(void);

/* "git describe" of the build, "-dirty" when the tree had changes, "unknown" outside git. */
const char *provenance_commit(void);

#endif
