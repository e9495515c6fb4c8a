#include "bench/run/cluster/mpi.h"

#include <stdlib.h>

#include "base/text.h"

int mpi_local_rank(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
    int64_t local;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && parse_integer(text, &local) && local >= 0 && local < 4096) return (int)local;
    }
    return 0;
}

#ifdef HAVE_MPI
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sha256.h"

enum {
    MOST = 1 << 30, /* most bytes of one message: MPI counts in int */
    EAGER = 100,    /* polls of a message before the first sleep */
    NAP_NS = 20000,
    PATIENCE_MS = 2000 /* wait for the errors of other ranks */
};

/* Wait for both messages: poll a few times, then sleep between polls. MPI's own waits keep a core busy, which a
 * backward pass beside the exchange can use. */
static void await(MPI_Request both[2]) {
    int done = 0;
    for (int looks = 0; !done; looks++) {
        if (looks >= EAGER) nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
        MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
    }
}

static void swap(void *context, int partner, const void *mine, void *theirs, size_t bytes) {
    (void)context;
    for (size_t at = 0; at < bytes; at += MOST) {
        int piece = bytes - at < MOST ? (int)(bytes - at) : MOST;
        MPI_Request both[2];
        /* the default handler of errors ends all ranks */
        MPI_Irecv((char *)theirs + at, piece, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &both[0]);
        MPI_Isend((const char *)mine + at, piece, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &both[1]);
        await(both);
    }
}

static int said = STDERR_FILENO;

void mpi_says(int file) {
    said = file;
}

static void end(void *context, const Error *e);
static Ranks world = {.swap = swap, .end = end};

static void end(void *context, const Error *e) {
    (void)context;
    dprintf(said, "normbench: rank %d: %s\n", world.rank, e->text);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL); /* let mpirun pass the line on before it ends */
    MPI_Abort(MPI_COMM_WORLD, (int)e->code);
}

Rc mpi_open(const Ranks **out, int ranks, Error *e) {
    int level, there;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &there);
    world.ranks = there;
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &world.local);
    MPI_Comm_free(&host);
    *out = there > 1 ? &world : NULL;
    if (level < MPI_THREAD_SERIALIZED)
        return error_set(e, RC_UNMEASURED, "--ranks: this MPI cannot be called by threads, one at a time");
    if (there != ranks)
        return error_set(e, RC_USAGE, "--ranks: %d, but %d process%s started; mpirun -n %d normbench run ...", ranks,
                         there, there == 1 ? " was" : "es were", ranks);
    return RC_OK;
}

/* Return true if every rank ends with this error, as after a user's mistake. */
static bool all_end_with(const Error *e) {
    char hash[SHA256_HEX];
    Sha256 h;
    sha256_init(&h);
    sha256_add(&h, &e->code, sizeof e->code);
    sha256_add(&h, e->text, strlen(e->text));
    sha256_end(&h, hash);
    hash[7] = '\0';
    int mine = (int)strtol(hash, NULL, 16), bounds[2] = {mine, -mine}, most[2], there = 0;
    MPI_Request request;
    MPI_Iallreduce(bounds, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    for (int i = 0; i < PATIENCE_MS && !there; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    }
    return there && most[0] == -most[1];
}

bool mpi_agree(const Error *e) {
    int open;
    MPI_Initialized(&open);
    return open && all_end_with(e);
}

void mpi_close(void) {
    int open;
    MPI_Initialized(&open);
    if (open) MPI_Finalize();
}
#else
Rc mpi_open(const Ranks **out, int ranks, Error *e) {
    (void)out, (void)ranks;
    return error_set(e, RC_UNMEASURED,
                     "--ranks: this program was built without MPI (Debian: libopenmpi-dev; then build again)");
}

void mpi_says(int file) {
    (void)file;
}

bool mpi_agree(const Error *e) {
    (void)e;
    return true; /* there is no other rank */
}

void mpi_close(void) {}
#endif
