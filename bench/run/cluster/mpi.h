/* Ranks of one run: the processes that mpirun or srun started. MPI is optional at build time. */
#ifndef BENCH_RUN_CLUSTER_MPI_H
#define BENCH_RUN_CLUSTER_MPI_H

#include <stdbool.h>

#include "base/error.h"
#include "base/ranks.h"

/* Join as one of `ranks` processes. RC_USAGE: another number was started; RC_UNMEASURED: the program was built without
 * MPI. A rank that is lost later ends all, by MPI's means. */
Rc mpi_open(const Ranks **out, int ranks, Error *e);

/* Return this process's index on its host, from mpirun's or srun's environment; 0: unknown. With it a device is chosen
 * before anything looks for one and before MPI is opened. */
int mpi_local_rank(void);

/* Set the file to which Ranks.end writes, by default standard error. */
void mpi_says(int file);

/* Return true if every rank ends with this error, as after a user's mistake, so that none must end the others, which
 * could lose their output; false: one has not ended within two seconds. Without MPI: true. */
bool mpi_agree(const Error *e);

/* Close MPI before the program ends; no-op without mpi_open. */
void mpi_close(void);

#endif
