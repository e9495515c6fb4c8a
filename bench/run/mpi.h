/* The processes that mpirun or srun started, as ranks of one run. MPI is optional at build time. */
#ifndef BENCH_RUN_MPI_H
#define BENCH_RUN_MPI_H

#include "base/error.h"
#include "base/ranks.h"

/* This process among `ranks`. RC_USAGE: another number of processes was started; RC_UNMEASURED: the program was built
 * without MPI. A rank that is lost later ends all of them, by MPI's own means. */
Rc mpi_open(const Ranks **out, int ranks, Error *e);

/* Before the program ends; without mpi_open it does nothing. code: what it ends with; after an error that the other
 * ranks may not have, which is any but a signal's, it ends them too. */
void mpi_close(Rc code);

#endif
