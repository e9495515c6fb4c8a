#include "kernels/cuda/nccl.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/cuda/library.h"
#include "kernels/cuda/nccl_calls.h"

struct Nccl {
#define CALL(name, parameters) ncclResult_t(*name) parameters;
    NCCL_CALLS(CALL)
#undef CALL
    const char *(*ncclGetErrorString)(ncclResult_t);
    ncclComm_t comm; /* NULL: not joined */
    int version;
    char failed[256]; /* the last failure; "": none */
};

static const char *said(Nccl *n, const char *call, ncclResult_t rc) {
    if (rc == ncclSuccess) return NULL;
    snprintf(n->failed, sizeof n->failed, "%s: %s", call, n->ncclGetErrorString(rc));
    return n->failed;
}

static Rc load(Nccl *n, const char *library, Error *e) {
    const LibrarySymbol symbol[] = {
#define CALL(name, parameters) {#name, &n->name},
        NCCL_CALLS(CALL)
#undef CALL
            {"ncclGetErrorString", &n->ncclGetErrorString}};
    Rc rc = library_find(library, NULL, symbol, sizeof symbol / sizeof *symbol,
                         "CUDA devices exchange gradients by NCCL, which", e);
    if (rc) return error_prefix(e, "--ranks: ");
    const char *why = said(n, "ncclGetVersion", n->ncclGetVersion(&n->version));
    return why ? error_set(e, RC_UNMEASURED, "--ranks: NCCL: %s", why) : RC_OK;
}

/* Wait until all ranks say how they did, before any call that waits for all; a rank that succeeded fails if another
 * failed. */
static Rc agree(const Ranks *r, Rc mine, const char *elsewhere, Error *e) {
    if (!ranks_any(r, mine != RC_OK) || mine) return mine;
    return error_set(e, RC_UNMEASURED, "--ranks: %s", elsewhere);
}

/* Make one communicator of all ranks, from rank 0's id. */
static Rc join(Nccl *n, const Ranks *r, Error *e) {
    struct {
        ncclUniqueId id;
        ncclResult_t rc;
    } first = {.rc = ncclSuccess};
    if (r->rank == 0) first.rc = n->ncclGetUniqueId(&first.id);
    ranks_tell(r, &first, sizeof first);
    const char *why = said(n, "ncclGetUniqueId", first.rc);
    if (!why) why = said(n, "ncclCommInitRank", n->ncclCommInitRank(&n->comm, r->ranks, first.id, r->rank));
    if (!why) return RC_OK;
    n->comm = NULL;
    (void)error_set(e, RC_UNMEASURED, "--ranks: NCCL: %s", why);
    ranks_end(r, e); /* others may wait in that call */
    return e->code;
}

static Rc meet(Nccl *n, const char *library, const Ranks *r, Error *e) {
    char version[NCCL_VERSION_SIZE];
    Rc rc = agree(r, load(n, library, e), "CUDA devices exchange gradients by NCCL, which another rank cannot load", e);
    if (rc) return rc;
    nccl_version(n, version);
    if (!ranks_equal(r, &n->version, sizeof n->version))
        return error_set(e, RC_UNMEASURED, "--ranks: the ranks have different versions of NCCL, this one %s", version);
    rc = agree(r, join(n, r, e), "NCCL: ncclCommInitRank failed on another rank", e);
    if (rc) snprintf(n->failed, sizeof n->failed, "elsewhere");
    return rc;
}

Rc nccl_meet(Nccl **out, const char *library, const Ranks *r, Error *e) {
    Nccl *n = mem_alloc(1, sizeof *n);
    Rc rc = meet(n, library ? library : "libnccl.so.2", r, e);
    if (rc) nccl_leave(n, true);
    *out = rc ? NULL : n;
    return rc;
}

/* Abort after a failure: ncclCommDestroy may wait for ranks that no longer leave together. */
void nccl_leave(Nccl *n, bool failed) {
    if (n && n->comm) (void)(failed || n->failed[0] ? n->ncclCommAbort(n->comm) : n->ncclCommDestroy(n->comm));
    free(n);
}

/* Decode the version: the minor number has two digits since 2.9, one before. */
void nccl_version(const Nccl *n, char out[NCCL_VERSION_SIZE]) {
    int major = n->version < 10000 ? 1000 : 10000;
    snprintf(out, NCCL_VERSION_SIZE, "%d.%d.%d", n->version / major, n->version % major / 100, n->version % 100);
}

/* Exchange, without a call for 0 bytes, which not every version may send. */
const char *nccl_swap(Nccl *n, int partner, const void *mine, void *theirs, size_t bytes, void *stream) {
    if (!bytes) return NULL;
    const char *why = said(n, "ncclGroupStart", n->ncclGroupStart());
    if (why) return why;
    why = said(n, "ncclSend", n->ncclSend(mine, bytes, ncclInt8, partner, n->comm, stream));
    if (!why) why = said(n, "ncclRecv", n->ncclRecv(theirs, bytes, ncclInt8, partner, n->comm, stream));
    ncclResult_t end = n->ncclGroupEnd(); /* also after an error: the group is the thread's */
    return why ? why : said(n, "ncclGroupEnd", end);
}

const char *nccl_total(Nccl *n, float *at, size_t words, void *stream) {
    return said(n, "ncclAllReduce", n->ncclAllReduce(at, at, words, ncclFloat32, ncclSum, n->comm, stream));
}
