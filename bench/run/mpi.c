#include "bench/run/mpi.h"

#ifdef HAVE_MPI
#include <mpi.h>
#include <stdlib.h>

enum { MOST = 1 << 30 /* bytes of one message: MPI counts in int */ };

static void swap(void *context, int partner, const void *mine, void *theirs, size_t bytes) {
    (void)context;
    for (size_t at = 0; at < bytes; at += MOST) {
        int piece = bytes - at < MOST ? (int)(bytes - at) : MOST;
        /* the default handler of errors ends all ranks */
        MPI_Sendrecv((const char *)mine + at, piece, MPI_BYTE, partner, 0, (char *)theirs + at, piece, MPI_BYTE,
                     partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static Ranks world = {.swap = swap};

Rc mpi_open(const Ranks **out, int ranks, Error *e) {
    int level, there;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &there);
    world.ranks = there;
    if (level < MPI_THREAD_SERIALIZED)
        return error_set(e, RC_UNMEASURED, "--ranks: this MPI cannot be called by threads, one at a time");
    if (there != ranks && world.rank) exit(RC_USAGE); /* the first one says it */
    if (there != ranks)
        return error_set(e, RC_USAGE, "--ranks: %d, but %d process%s started; mpirun -n %d normbench run ...", ranks,
                         there, there == 1 ? " was" : "es were", ranks);
    *out = ranks > 1 ? &world : NULL;
    return RC_OK;
}

void mpi_close(Rc code) {
    int open;
    MPI_Initialized(&open);
    if (open && code && code < 128) MPI_Abort(MPI_COMM_WORLD, (int)code);
    if (open) MPI_Finalize();
}
#else
Rc mpi_open(const Ranks **out, int ranks, Error *e) {
    (void)out, (void)ranks;
    return error_set(e, RC_UNMEASURED,
                     "--ranks: this program was built without MPI (Debian: libopenmpi-dev; then build again)");
}

void mpi_close(Rc code) {
    (void)code;
}
#endif
