/* The processes that mpirun or srun started, as ranks of one run. MPI is optional at build time. */
#ifndef BENCH_RUN_CLUSTER_MPI_H
#define BENCH_RUN_CLUSTER_MPI_H

#include <stdbool.h>

#include "base/error.h"
#include "base/ranks.h"

/* This process among `ranks`. RC_USAGE: another number of processes was started; RC_UNMEASURED: the program was built
 * without MPI. A rank that is lost later ends all of them, by MPI's own means. */
Rc mpi_open(const Ranks **out, int ranks, Error *e);

/* Which of its host's processes this one is, as mpirun's or srun's environment says; 0: it does not. So that a device
 * is chosen before anything looks for one, and MPI is opened where runs begin. */
int mpi_local_rank(void);

/* Where Ranks.end writes; standard error until then. */
void mpi_says(int file);

/* Whether every rank ends with this error, as all do after a user's mistake; false if one has not come to its end
 * within two seconds. Then one need not end the others, by which what they said may be lost. Without MPI: true. */
bool mpi_agree(const Error *e);

/* Before the program ends; without mpi_open it does nothing. code: RC_OK, or it ends all ranks and does not return. */
void mpi_close(Rc code);

#endif
