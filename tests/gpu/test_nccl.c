/* kernels/cuda/nccl.h, on a library of our own (fake_nccl.c): processes that meet, swap and add, and what they are told
 * when they cannot. */
#include <stdint.h>
#include <unistd.h>

#include "kernels/cuda/library.h"
#include "kernels/cuda/nccl.h"
#include "kernels/cuda/nccl_calls.h"
#include "tests/base/forked.h"
#include "tests/test.h"

enum { RANKS = FORKED_MAX, SAID = FORKED_SAID };

/* What each of `ranks` processes says at the end: "ok", or what was wrong. */
typedef struct {
    void (*run)(const Ranks *r, char *said);
} Body;

static void run(const Ranks *r, void *context, char *said) {
    ((const Body *)context)->run(r, said);
}

static void each_says(int ranks, void (*body)(const Ranks *r, char *said), char said[RANKS][SAID]) {
    forked_ranks(ranks, run, &(Body){body}, said);
}

static void says(char *said, const char *what) {
    snprintf(said, SAID, "%s", what);
}

static Nccl *met(const char *library, const Ranks *r, char *said) {
    Nccl *n = (Nccl *)said; /* must be set */
    Rc rc = nccl_meet(&n, library, r, &e);
    if (rc) says(said, n || rc != RC_UNMEASURED ? "not RC_UNMEASURED, or not NULL" : e.text);
    return n;
}

/* ---- exchanges ---- */

static unsigned char byte_of(int from, int to, size_t bytes, size_t i) {
    return (unsigned char)(37 * from + 11 * to + (int)(bytes % 251) + (int)(i * 2654435761u >> 16));
}

static void swaps(const Ranks *r, char *said) {
    static const size_t size[] = {0, 1, 4097, 3 << 20, (3 << 20) + 1, 2};
    Nccl *n = met(FAKE_NCCL, r, said);
    for (int level = 1; n && level < r->ranks; level *= 2)
        for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
            int partner = r->rank ^ level;
            size_t bytes = size[k], wrong = 0;
            OWNED unsigned char *mine = mem_alloc(bytes + 1, 1), *theirs = mem_alloc(bytes + 1, 1);
            for (size_t i = 0; i < bytes; i++) mine[i] = byte_of(r->rank, partner, bytes, i);
            theirs[bytes] = 99;
            const char *why = nccl_swap(n, partner, mine, theirs, bytes, NULL);
            if (why) says(said, why);
            for (size_t i = 0; i < bytes; i++) {
                wrong += theirs[i] != byte_of(partner, r->rank, bytes, i);
                wrong += mine[i] != byte_of(r->rank, partner, bytes, i);
            }
            if (wrong) snprintf(said, SAID, "%zu of %zu bytes are wrong", wrong, bytes);
            if (theirs[bytes] != 99) says(said, "a byte too many");
        }
    nccl_leave(n, false);
}

static void all_say(int ranks, void (*body)(const Ranks *r, char *said), const char *what) {
    char said[RANKS][SAID];
    each_says(ranks, body, said);
    for (int i = 0; i < ranks; i++) cr_expect_str_eq(said[i], what, "rank %d of %d: %s", i, ranks, said[i]);
}

Test(nccl, ranks_get_each_others_bytes, .timeout = 600) {
    for (int ranks = 2; ranks <= RANKS; ranks *= 2) all_say(ranks, swaps, "ok");
}

/* Of terms whose sum depends on the order. */
static float term(int rank, size_t i) {
    return (rank % 2 ? -1.0f : 1.0f) * (float)(1 + (i * 7919 + (size_t)rank * 104729) % 1000003) *
           (rank < 2 ? 4096 : 1e-3f);
}

static void totals(const Ranks *r, char *said) {
    static const size_t size[] = {0, 1, 1001, 300001};
    Nccl *n = met(FAKE_NCCL, r, said);
    for (size_t k = 0; n && k < sizeof size / sizeof *size; k++) {
        size_t words = size[k], wrong = 0;
        OWNED float *at = mem_alloc(words + 1, sizeof *at);
        for (size_t i = 0; i < words; i++) at[i] = term(r->rank, i);
        at[words] = 99;
        const char *why = nccl_total(n, at, words, NULL);
        if (why) says(said, why);
        for (size_t i = 0; i < words; i++) {
            float sum = term(0, i);
            for (int j = 1; j < r->ranks; j++) sum += term(j, i);
            wrong += memcmp(&at[i], &sum, sizeof sum) != 0;
        }
        if (wrong || at[words] != 99) snprintf(said, SAID, "%zu of %zu sums are wrong", wrong, words);
    }
    nccl_leave(n, false);
}

Test(nccl, totals_are_of_all_ranks, .timeout = 600) {
    for (int ranks = 1; ranks <= RANKS; ranks *= 2) all_say(ranks, totals, "ok");
}

/* Two communicators one after the other, and both exchanges on one. */
static void twice(const Ranks *r, char *said) {
    for (int time = 0; time < 2; time++) {
        float own[2] = {(float)r->rank + 1, 0};
        char version[NCCL_VERSION_SIZE];
        Nccl *n = met(FAKE_NCCL, r, said);
        if (!n) return;
        nccl_version(n, version);
        if (strcmp(version, "2.23.4") != 0) says(said, version);
        const char *why = nccl_swap(n, r->rank ^ 1, &own[0], &own[1], sizeof own[0], NULL);
        if (!why) why = nccl_total(n, own, 2, NULL);
        if (why || own[0] != 10 || own[1] != 10) says(said, why ? why : "wrong");
        nccl_leave(n, false);
    }
    nccl_leave(NULL, false);
}

Test(nccl, ranks_meet_again, .timeout = 600) {
    all_say(4, twice, "ok");
}

/* ---- ranks that do not meet ---- */

static void absent(const Ranks *r, char *said) {
    nccl_leave(met("libnot-there.so.7", r, said), false);
}

static void wrong_library(const Ranks *r, char *said) {
    nccl_leave(met("libm.so.6", r, said), false);
}

static void absent_on_one(const Ranks *r, char *said) {
    nccl_leave(met(r->rank == 2 ? "libnot-there.so.7" : FAKE_NCCL, r, said), false);
}

#define WHICH "--ranks: CUDA devices exchange gradients by NCCL, which "

Test(nccl, all_ranks_say_why_there_is_no_library, .timeout = 600) {
    char said[RANKS][SAID];
    each_says(4, absent, said);
    for (int i = 0; i < 4; i++) {
        cr_expect_eq(strncmp(said[i], WHICH "cannot be loaded: ", strlen(WHICH "cannot be loaded: ")), 0, "%s",
                     said[i]);
        HOLDS(said[i], "libnot-there.so.7");
    }
    all_say(4, wrong_library, "--ranks: libm.so.6 has no ncclGetVersion");
    each_says(4, absent_on_one, said);
    for (int i = 0; i < 4; i++)
        if (i == 2)
            HOLDS(said[i], "libnot-there.so.7");
        else
            cr_expect_str_eq(said[i], WHICH "another rank cannot load");
}

static void other_version(const Ranks *r, char *said) {
    setenv("FAKE_NCCL_VERSION", r->rank == 1 ? "2708" : "21005", 1);
    nccl_leave(met(FAKE_NCCL, r, said), false);
}

static void no_id(const Ranks *r, char *said) {
    setenv("FAKE_NCCL_FAIL", "0:ncclGetUniqueId", 1);
    nccl_leave(met(FAKE_NCCL, r, said), false);
}

static void no_communicator(const Ranks *r, char *said) {
    setenv("FAKE_NCCL_FAIL", "1:ncclCommInitRank", 1);
    nccl_leave(met(FAKE_NCCL, r, said), false);
}

Test(nccl, ranks_join_together_or_not_at_all, .timeout = 600) {
    char said[RANKS][SAID];
    each_says(4, other_version, said);
    for (int i = 0; i < 4; i++)
        cr_expect_str_eq(said[i], i == 1 ? "--ranks: the ranks have different versions of NCCL, this one 2.7.8"
                                         : "--ranks: the ranks have different versions of NCCL, this one 2.10.5");
    all_say(4, no_id, "--ranks: NCCL: ncclGetUniqueId: system error");
    each_says(4, no_communicator, said);
    for (int i = 0; i < 4; i++)
        cr_expect_str_eq(said[i], i == 1 ? "--ranks: NCCL: ncclCommInitRank: system error"
                                         : "--ranks: NCCL: ncclCommInitRank failed on another rank");
}

/* ---- exchanges that fail ---- */

enum { BIG = 3 << 20 };

static void unlike_sizes(const Ranks *r, char *said) {
    Nccl *n = met(FAKE_NCCL, r, said);
    unsigned char *mine = mem_alloc(BIG, 1), *theirs = mem_alloc(BIG, 1);
    if (!n) return;
    const char *why = nccl_swap(n, r->rank ^ 1, mine, theirs, r->rank ? BIG : BIG - 1, NULL);
    says(said, why ? why : "ok");
    if (!nccl_swap(n, r->rank ^ 1, mine, theirs, 4, NULL)) says(said, "an exchange after a failure");
    nccl_leave(n, false);
}

static void unlike_totals(const Ranks *r, char *said) {
    float at[3] = {0};
    Nccl *n = met(FAKE_NCCL, r, said);
    if (!n) return;
    const char *why = nccl_total(n, at, r->rank == 2 ? 2 : 3, NULL);
    says(said, why ? why : "ok");
    nccl_leave(n, false);
}

Test(nccl, unlike_sizes_are_told, .timeout = 600) {
    all_say(2, unlike_sizes, "ncclGroupEnd: invalid usage");
    char said[RANKS][SAID];
    each_says(4, unlike_totals, said); /* a rank may see that rank 2 differs, or that others have left because of it */
    for (int i = 0; i < 4; i++)
        cr_expect(!strcmp(said[i], "ncclAllReduce: invalid usage") ||
                      !strcmp(said[i], "ncclAllReduce: a remote process is gone"),
                  "rank %d: %s", i, said[i]);
    cr_expect_str_eq(said[2], "ncclAllReduce: invalid usage");
}

static void refused(const Ranks *r, char *said) {
    unsigned char mine = 1, theirs = 2;
    Nccl *n = met(FAKE_NCCL, r, said);
    if (!n) return;
    if (r->rank == 0) {
        const char *why = nccl_swap(n, 2, &mine, &theirs, 1, NULL);
        if (!why || strcmp(why, "ncclSend: invalid argument") != 0) says(said, why ? why : "a rank that is not there");
    }
    const char *why = nccl_swap(n, r->rank ^ 1, &mine, &theirs, 1, NULL); /* the group has ended, nothing was sent */
    if (why || theirs != 1) says(said, why ? why : "wrong");
    nccl_leave(n, false);
}

Test(nccl, a_refused_swap_ends_its_group, .timeout = 600) {
    all_say(2, refused, "ok");
}

/* Rank 1 leaves in the middle. */
static void lost(const Ranks *r, char *said, bool total) {
    float *mine = mem_alloc(BIG, sizeof *mine), *theirs = mem_alloc(BIG, sizeof *mine);
    Nccl *n = met(FAKE_NCCL, r, said);
    if (!n || r->rank == 1) return; /* and ends */
    const char *why = total ? nccl_total(n, mine, BIG, NULL) : NULL;
    if (!total && r->rank == 0) why = nccl_swap(n, 1, mine, theirs, BIG, NULL);
    says(said, why ? why : "ok");
    nccl_leave(n, false);
}

static void lost_before_swap(const Ranks *r, char *said) {
    lost(r, said, false);
}

static void lost_before_total(const Ranks *r, char *said) {
    lost(r, said, true);
}

Test(nccl, a_lost_rank_is_told, .timeout = 600) {
    char said[RANKS][SAID];
    each_says(2, lost_before_swap, said);
    cr_expect_str_eq(said[0], "ncclGroupEnd: a remote process is gone");
    each_says(4, lost_before_total, said);
    for (int i = 0; i < 4; i++) cr_expect_str_eq(said[i], i == 1 ? "ok" : "ncclAllReduce: a remote process is gone");
}

/* ---- the fake's own rules ---- */

static struct {
#define CALL(name, parameters) ncclResult_t(*name) parameters;
    NCCL_CALLS(CALL)
#undef CALL
} nccl;

static void open_fake(void) {
    const LibrarySymbol symbol[] = {
#define CALL(name, parameters) {#name, &nccl.name},
        NCCL_CALLS(CALL)
#undef CALL
    };
    cr_assert_eq(library_find("libfakenccl.so.none", NULL, symbol, 1, "it", &e), RC_UNMEASURED);
    char folder[] = FAKE_NCCL, *name = strrchr(folder, '/');
    *name++ = 0;
    OK(library_find(name, folder, symbol, sizeof symbol / sizeof *symbol, "it", &e));
}

/* Of as many ranks as this one believes. */
static ncclResult_t communicator(ncclComm_t *c, const Ranks *r, int ranks, char *said) {
    ncclUniqueId id;
    if (r->rank == 0 && nccl.ncclGetUniqueId(&id)) says(said, "no id");
    ranks_tell(r, &id, sizeof id);
    return nccl.ncclCommInitRank(c, ranks, id, r->rank);
}

Test(nccl, the_fake_refuses_what_nccl_does) {
    ncclUniqueId id, other = {"fake-nccl-0123456789abcdef0123456789abcdef"}, none = {""};
    ncclComm_t c = NULL;
    float x[2] = {3, 4}, y[2] = {0};
    int version = 0;
    open_fake();
    cr_expect_eq(nccl.ncclGetVersion(NULL), ncclInvalidArgument);
    cr_expect(nccl.ncclGetVersion(&version) == ncclSuccess && version == 22304);
    cr_expect_eq(nccl.ncclGetUniqueId(NULL), ncclInvalidArgument);
    cr_assert_eq(nccl.ncclGetUniqueId(&id), ncclSuccess);
    cr_expect_eq(nccl.ncclCommInitRank(NULL, 1, id, 0), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclCommInitRank(&c, 1, id, 1), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclCommInitRank(&c, 1, id, -1), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclCommInitRank(&c, 9, id, 0), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclCommInitRank(&c, 0, id, 0), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclCommInitRank(&c, 1, none, 0), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclCommInitRank(&c, 1, other, 0), ncclInvalidUsage);
    cr_expect_eq(nccl.ncclCommInitRank(&c, 2, other, 1), ncclSystemError);
    cr_assert_eq(nccl.ncclCommInitRank(&c, 1, id, 0), ncclSuccess);
    cr_expect_eq(nccl.ncclCommInitRank(&(ncclComm_t){NULL}, 1, id, 0), ncclInvalidUsage, "an id serves once");

    cr_expect_eq(nccl.ncclGroupEnd(), ncclInvalidUsage);
    cr_expect_eq(nccl.ncclSend(x, 2, ncclFloat32, 1, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclRecv(x, 2, ncclFloat32, -1, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclSend(x, 2, ncclFloat32, 0, c, NULL), ncclInvalidUsage);
    cr_expect_eq(nccl.ncclRecv(x, 2, (ncclDataType_t)99, 0, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclSend(NULL, 2, ncclFloat32, 0, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclSend(x, SIZE_MAX / 2, ncclFloat32, 0, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclSend(x, 2, ncclFloat32, 0, NULL, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclAllReduce(NULL, y, 2, ncclFloat32, ncclSum, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclAllReduce(x, NULL, 2, ncclFloat32, ncclSum, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclAllReduce(x, y, 2, ncclInt8, ncclSum, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclAllReduce(x, y, 2, ncclFloat32, (ncclRedOp_t)1, c, NULL), ncclInvalidArgument);
    cr_expect(nccl.ncclAllReduce(NULL, NULL, 0, ncclFloat32, ncclSum, c, NULL) == ncclSuccess && y[0] == 0);

    cr_expect_eq(nccl.ncclGroupStart(), ncclSuccess);
    cr_expect_eq(nccl.ncclGroupStart(), ncclSuccess);
    cr_expect_eq(nccl.ncclAllReduce(x, y, 2, ncclFloat32, ncclSum, c, NULL), ncclSuccess);
    cr_expect_eq(nccl.ncclGroupEnd(), ncclSuccess);
    cr_expect_eq(nccl.ncclCommDestroy(c), ncclInvalidUsage);
    cr_expect_eq(y[1], 0, "a group runs at its outer end");
    cr_expect_eq(nccl.ncclGroupEnd(), ncclSuccess);
    cr_expect(y[0] == 3 && y[1] == 4);
    x[0] = 7;
    cr_expect_eq(nccl.ncclGroupStart(), ncclSuccess);
    cr_expect_eq(nccl.ncclAllReduce(x, y, 2, ncclFloat32, ncclSum, c, NULL), ncclSuccess);
    cr_expect_eq(nccl.ncclSend(x, 2, ncclFloat32, 5, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclGroupEnd(), ncclInvalidArgument);
    cr_expect_eq(y[0], 3, "a group with an error does nothing");

    cr_expect_eq(nccl.ncclCommDestroy(c), ncclSuccess);
    cr_expect_eq(nccl.ncclCommDestroy(c), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclCommAbort(c), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclAllReduce(x, y, 2, ncclFloat32, ncclSum, c, NULL), ncclInvalidArgument);
    cr_expect_eq(nccl.ncclCommDestroy(NULL), ncclInvalidArgument);
}

/* Rank 0's side of a group, and rank 1's. */
static ncclResult_t grouped(int rank, ncclComm_t c, bool unlike_type, bool total) {
    static unsigned char big[2][BIG];
    unsigned char a[4] = {1, 2, 3, 4}, b[4] = {0};
    float sum = 1;
    memset(big[0], 7 + rank, BIG), memset(big[1], 0, BIG);
    (void)nccl.ncclGroupStart();
    if (rank == 0) {
        (void)nccl.ncclSend(big[0], BIG, ncclInt8, 1, c, NULL);
        (void)nccl.ncclSend(NULL, 0, ncclInt8, 1, c, NULL);
        (void)nccl.ncclSend(a, 4, ncclInt8, 1, c, NULL);
        (void)nccl.ncclRecv(big[1], BIG, ncclInt8, 1, c, NULL);
    } else {
        (void)nccl.ncclSend(big[0], BIG, ncclInt8, 0, c, NULL);
        (void)nccl.ncclRecv(big[1], BIG, ncclInt8, 0, c, NULL);
        (void)nccl.ncclRecv(NULL, 0, ncclInt8, 0, c, NULL);
        if (unlike_type)
            (void)nccl.ncclRecv(b, 1, ncclFloat32, 0, c, NULL);
        else if (total)
            (void)nccl.ncclAllReduce(&sum, &sum, 1, ncclFloat32, ncclSum, c, NULL);
        else
            (void)nccl.ncclRecv(b, 4, ncclInt8, 0, c, NULL);
    }
    ncclResult_t rc = nccl.ncclGroupEnd();
    bool right = big[1][0] == 8 - rank && big[1][BIG - 1] == 8 - rank && (rank == 0 || !memcmp(a, b, 4));
    return rc || right ? rc : ncclInternalError;
}

static void groups(const Ranks *r, char *said) {
    static const ncclResult_t on_1[] = {ncclSuccess, ncclInvalidUsage, ncclInvalidUsage};
    for (int i = 0; i < 3; i++) {
        ncclComm_t c;
        if (communicator(&c, r, 2, said)) says(said, "no communicator");
        ncclResult_t rc = grouped(r->rank, c, i == 1, i == 2);
        if (r->rank ? rc != on_1[i] : !i && rc) snprintf(said, SAID, "group %d: %d", i, (int)rc);
        if (nccl.ncclCommDestroy(c)) says(said, "the communicator does not end");
    }
}

Test(nccl, messages_of_a_group_go_together_and_in_order, .timeout = 600) {
    open_fake();
    all_say(2, groups, "ok");
}

/* Rank 1 stops while rank 0 waits for a byte that never comes, and stays; then rank 0 sends and waits for nothing. */
static void stops(const Ranks *r, char *said) {
    ncclComm_t c;
    unsigned char byte, *at = mem_alloc(BIG, 1);
    if (communicator(&c, r, 2, said)) says(said, "no communicator");
    (void)nccl.ncclGroupStart();
    if (r->rank)
        (void)nccl.ncclSend(at, BIG, ncclInt8, 0, c, NULL), (void)nccl.ncclRecv(at, 1, ncclFloat32, 0, c, NULL);
    else
        (void)nccl.ncclRecv(at, BIG, ncclInt8, 1, c, NULL), (void)nccl.ncclSend(at, 4, ncclInt8, 1, c, NULL),
            (void)nccl.ncclRecv(&byte, 1, ncclInt8, 1, c, NULL);
    ncclResult_t rc = nccl.ncclGroupEnd();
    if (rc != (r->rank ? ncclInvalidUsage : ncclRemoteError)) snprintf(said, SAID, "the group: %d", (int)rc);
    rc = r->rank ? ncclRemoteError : nccl.ncclSend(at, BIG, ncclInt8, 1, c, NULL);
    if (rc != ncclRemoteError) snprintf(said, SAID, "the send: %d", (int)rc);
    (void)ranks_any(r, false);
}

Test(nccl, a_rank_that_stops_is_told, .timeout = 600) {
    open_fake();
    all_say(2, stops, "ok");
}

static void unlike_ranks(const Ranks *r, char *said) {
    ncclComm_t c;
    ncclResult_t rc = communicator(&c, r, r->rank ? 4 : 2, said);
    if (rc != ncclInvalidUsage) snprintf(said, SAID, "two and four ranks: %d", (int)rc);
}

Test(nccl, ranks_agree_how_many_they_are, .timeout = 600) {
    open_fake();
    all_say(2, unlike_ranks, "ok");
}
