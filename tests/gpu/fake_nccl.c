/* A libnccl.so.2 for machines with no device: up to eight processes of this one exchange memory of the host over
 * sockets, at the call instead of on a stream. It holds its callers to NCCL's rules: what NCCL leaves undefined, or
 * waits for without end, is an error here. Two ranks must name the same number of bytes of the same type, in the same
 * order; a rank that is gone, or silent for PATIENCE_MS, is an error of all that wait for it.
 *
 * FAKE_NCCL_VERSION: what ncclGetVersion says. FAKE_NCCL_FAIL=RANK:FUNCTION: that function fails on that rank;
 * ncclGetUniqueId, which knows no rank, for every RANK; ncclCommInitRank after all ranks have joined. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "kernels/cuda/nccl_calls.h"

#define CALL(name, parameters) ncclResult_t name parameters;
NCCL_CALLS(CALL)
#undef CALL
const char *ncclGetErrorString(ncclResult_t rc);

enum { RANKS_MAX = 8, IDS_MAX = 64, PATIENCE_MS = 60000, ARRIVAL_MS = 20000 };

/* Before each message. */
typedef struct {
    uint64_t bytes;
    uint32_t type;
    uint32_t total; /* of ncclAllReduce */
} Header;

typedef struct {
    int fd;
    bool lost;
} Wire;

/* Stays after ncclCommDestroy, so that its use is told. */
struct ncclComm {
    struct ncclComm *next;
    int rank, ranks;
    bool open;
    Wire wire[RANKS_MAX]; /* to each other rank */
};

/* A message on its way: first the header, then the words. */
typedef struct {
    Wire *wire;
    bool out;
    Header header, seen; /* seen: the sender's, on the receiver's side */
    unsigned char *at;
    size_t done; /* bytes, the header's among them */
} Message;

/* What the ends of a group will do. */
typedef struct {
    ncclComm_t comm;
    bool total;
    Message message;
    const float *from; /* of a total */
    float *to;
} Task;

static struct ncclComm *comms;
static struct {
    char name[64];
    int fd;
} own_id[IDS_MAX]; /* made here and not joined yet: rank 0 listens there */

static _Thread_local struct {
    int depth;
    ncclResult_t failed; /* the first error inside the group, which its end returns too */
    Task *task;
    size_t tasks;
} group;

static const size_t word_size[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

static void *room(void *old, size_t count, size_t size) {
    void *at = old ? realloc(old, count * size) : calloc(count, size);
    if (!at) abort();
    return at;
}

static bool told_to_fail(const char *name, int rank) {
    const char *text = getenv("FAKE_NCCL_FAIL"), *colon = text ? strchr(text, ':') : NULL;
    return colon && !strcmp(colon + 1, name) && (rank < 0 || atoi(text) == rank);
}

const char *ncclGetErrorString(ncclResult_t rc) {
    switch (rc) {
    case ncclSuccess: return "no error";
    case ncclUnhandledCudaError: return "CUDA error";
    case ncclSystemError: return "system error";
    case ncclInternalError: return "internal error";
    case ncclInvalidArgument: return "invalid argument";
    case ncclInvalidUsage: return "invalid usage";
    case ncclRemoteError: return "a remote process is gone";
    }
    return "unknown result";
}

ncclResult_t ncclGetVersion(int *version) {
    const char *text = getenv("FAKE_NCCL_VERSION");
    if (!version) return ncclInvalidArgument;
    *version = text ? atoi(text) : 22304;
    return ncclSuccess;
}

/* ---- meeting ---- */

/* An abstract name: it ends with the processes that hold it. */
static socklen_t address(struct sockaddr_un *a, const char *id, int rank) {
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "%s-%d", id, rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int listener(const char *id, int rank) {
    struct sockaddr_un a;
    socklen_t length = address(&a, id, rank);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !bind(fd, (struct sockaddr *)&a, length) && !listen(fd, RANKS_MAX)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
    unsigned char word[16];
    if (!id) return ncclInvalidArgument;
    if (told_to_fail("ncclGetUniqueId", -1) || getrandom(word, sizeof word, 0) != sizeof word) return ncclSystemError;
    memset(id, 0, sizeof *id);
    int at = snprintf(id->internal, sizeof id->internal, "fake-nccl-");
    for (size_t i = 0; i < sizeof word; i++) at += snprintf(id->internal + at, 3, "%02x", word[i]);
    for (int i = 0; i < IDS_MAX; i++)
        if (!own_id[i].name[0]) {
            own_id[i].fd = listener(id->internal, 0);
            if (own_id[i].fd < 0) return ncclSystemError;
            memcpy(own_id[i].name, id->internal, (size_t)at);
            return ncclSuccess;
        }
    return ncclInternalError;
}

/* Rank 0's listening socket, -1: the id was not made here. */
static int own_listener(const char *id) {
    for (int i = 0; i < IDS_MAX; i++)
        if (own_id[i].name[0] && !strcmp(own_id[i].name, id)) {
            own_id[i].name[0] = 0;
            return own_id[i].fd;
        }
    return -1;
}

static bool ready(int fd, short what) {
    return poll(&(struct pollfd){.fd = fd, .events = what}, 1, PATIENCE_MS) > 0;
}

/* Rank 0 has listened since the id was made; another may still be on its way. */
static int called(const char *id, int rank) {
    struct sockaddr_un a;
    socklen_t length = address(&a, id, rank);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (int ms = 0; fd >= 0 && connect(fd, (struct sockaddr *)&a, length); ms++) {
        if (errno == ECONNREFUSED && rank && ms < ARRIVAL_MS)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        else if (errno != EINTR)
            return close(fd), -1;
    }
    return fd;
}

/* {rank, ranks} of the other end; what is no such pair: ranks 0. */
static void greeting(int fd, int32_t theirs[2]) {
    if (!ready(fd, POLLIN) || recv(fd, theirs, 2 * sizeof *theirs, MSG_WAITALL) != 2 * sizeof *theirs)
        theirs[0] = theirs[1] = 0;
}

/* Lower ranks are called, and answer when they are through with theirs; higher ranks call. */
static ncclResult_t greet(ncclComm_t c, const char *id, int listening) {
    int32_t mine[2] = {c->rank, c->ranks}, theirs[2];
    for (int i = 0; i < c->rank; i++) {
        int fd = c->wire[i].fd = called(id, i);
        if (fd < 0 || send(fd, mine, sizeof mine, MSG_NOSIGNAL) != sizeof mine) return ncclSystemError;
        greeting(fd, theirs);
        if (theirs[0] != i || theirs[1] != c->ranks) return theirs[1] ? ncclInvalidUsage : ncclRemoteError;
    }
    for (int i = c->rank + 1; i < c->ranks; i++) {
        int fd = ready(listening, POLLIN) ? accept4(listening, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd < 0) return ncclSystemError;
        greeting(fd, theirs);
        bool known = theirs[0] > c->rank && theirs[0] < c->ranks && c->wire[theirs[0]].fd < 0;
        bool told = send(fd, mine, sizeof mine, MSG_NOSIGNAL) == sizeof mine;
        if (known && theirs[1] == c->ranks && told) {
            c->wire[theirs[0]].fd = fd;
            continue;
        }
        close(fd);
        return theirs[1] && told ? ncclInvalidUsage : ncclRemoteError;
    }
    return told_to_fail("ncclCommInitRank", c->rank) ? ncclSystemError : ncclSuccess;
}

static void hang_up(ncclComm_t c) {
    for (int i = 0; i < RANKS_MAX; i++)
        if (c->wire[i].fd >= 0) close(c->wire[i].fd), c->wire[i].fd = -1;
    c->open = false;
}

ncclResult_t ncclCommInitRank(ncclComm_t *out, int ranks, ncclUniqueId id, int rank) {
    if (!out || ranks < 1 || ranks > RANKS_MAX || rank < 0 || rank >= ranks) return ncclInvalidArgument;
    if (!memchr(id.internal, 0, sizeof own_id->name) || strncmp(id.internal, "fake-nccl-", 10))
        return ncclInvalidArgument;
    int listening = rank ? listener(id.internal, rank) : own_listener(id.internal);
    if (listening < 0) return ncclInvalidUsage; /* the rank is taken, or rank 0's id is another's */
    ncclComm_t c = room(NULL, 1, sizeof *c);
    *c = (struct ncclComm){.next = comms, .rank = rank, .ranks = ranks, .open = true};
    for (int i = 0; i < RANKS_MAX; i++) c->wire[i].fd = -1;
    comms = c;
    ncclResult_t rc = greet(c, id.internal, listening);
    close(listening);
    if (rc) hang_up(c);
    *out = rc ? NULL : c;
    return rc;
}

static bool is_open(ncclComm_t c) {
    for (ncclComm_t known = comms; known; known = known->next)
        if (known == c) return c->open;
    return false;
}

ncclResult_t ncclCommDestroy(ncclComm_t c) {
    if (!is_open(c)) return ncclInvalidArgument;
    if (group.depth) return ncclInvalidUsage;
    hang_up(c);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t c) {
    return ncclCommDestroy(c);
}

/* ---- moving ---- */

static size_t whole(const Message *m) {
    return sizeof m->header + (size_t)m->header.bytes;
}

/* What the next call moves of the message. */
static unsigned char *part(Message *m, size_t *bytes) {
    bool head = m->done < sizeof m->header;
    unsigned char *header = (unsigned char *)(m->out ? &m->header : &m->seen);
    *bytes = (head ? sizeof m->header : whole(m)) - m->done;
    return head ? header + m->done : m->at + (m->done - sizeof m->header);
}

/* Moves what can be moved now. A receiver that is gone is no error yet: a header of its own may say why it left. */
static ncclResult_t move(Message *m) {
    while (m->done < whole(m)) {
        size_t bytes;
        unsigned char *at = part(m, &bytes);
        ssize_t n = m->out ? send(m->wire->fd, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT)
                           : recv(m->wire->fd, at, bytes, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return ncclSuccess;
        if (n <= 0 && m->out) m->wire->lost = true;
        if (n <= 0) return m->out ? ncclSuccess : ncclRemoteError;
        m->done += (size_t)n;
        if (!m->out && m->done == sizeof m->seen && memcmp(&m->seen, &m->header, sizeof m->seen))
            return ncclInvalidUsage;
    }
    return ncclSuccess;
}

/* The first message that is not through yet, on this wire, this way. */
static bool is_next(const Message *message, size_t i) {
    if (message[i].done == whole(&message[i])) return false;
    for (size_t k = 0; k < i; k++)
        if (message[k].wire == message[i].wire && message[k].out == message[i].out &&
            message[k].done < whole(&message[k]))
            return false;
    return true;
}

/* All messages at once: whoever waits for room takes what comes meanwhile. */
static ncclResult_t exchange(Message *message, size_t messages) {
    struct pollfd *wait = room(NULL, messages + 1, sizeof *wait);
    ncclResult_t rc = ncclSuccess;
    for (;;) {
        nfds_t waits = 0;
        for (int out = 1; out >= 0 && !rc; out--)
            for (size_t i = 0; i < messages && !rc; i++)
                if (message[i].out == (out == 1) && is_next(message, i) && !(out && message[i].wire->lost))
                    rc = move(&message[i]);
        for (size_t i = 0; i < messages && !rc; i++) {
            Message *m = &message[i];
            if (is_next(message, i) && !(m->out && m->wire->lost))
                wait[waits++] = (struct pollfd){.fd = m->wire->fd, .events = m->out ? POLLOUT : POLLIN};
        }
        if (rc || !waits) break;
        int there = poll(wait, waits, PATIENCE_MS);
        if (!there || (there < 0 && errno != EINTR)) rc = ncclSystemError;
    }
    for (size_t i = 0; i < messages && !rc; i++)
        if (message[i].done < whole(&message[i])) rc = ncclRemoteError;
    free(wait);
    return rc;
}

/* Every rank gets everybody's words and adds them, rank 0's first. */
static ncclResult_t add_up(const Task *t) {
    Message message[2 * RANKS_MAX];
    ncclComm_t c = t->comm;
    size_t messages = 0, words = (size_t)t->message.header.bytes / sizeof *t->to;
    float *theirs = room(NULL, words * (size_t)c->ranks + 1, sizeof *theirs);
    for (int i = 0; i < c->ranks; i++)
        for (int out = 0; out < 2 && i != c->rank; out++) {
            Message m = {.wire = &c->wire[i], .out = out, .header = t->message.header};
            m.at = (unsigned char *)(uintptr_t)(out ? (const void *)t->from : theirs + words * (size_t)i);
            message[messages++] = m;
        }
    ncclResult_t rc = exchange(message, messages);
    if (!rc && words) memcpy(theirs + words * (size_t)c->rank, t->from, words * sizeof *t->to);
    for (size_t k = 0; k < words && !rc; k++) {
        float sum = theirs[k];
        for (int i = 1; i < c->ranks; i++) sum += theirs[words * (size_t)i + k];
        t->to[k] = sum;
    }
    free(theirs);
    return rc;
}

/* The messages of a group together, then its totals one by one. */
static ncclResult_t run(const Task *task, size_t tasks) {
    Message *message = room(NULL, tasks + 1, sizeof *message);
    size_t messages = 0;
    for (size_t i = 0; i < tasks; i++)
        if (!task[i].total) message[messages++] = task[i].message;
    ncclResult_t rc = exchange(message, messages);
    for (size_t i = 0; i < tasks && !rc; i++)
        if (task[i].total) rc = add_up(&task[i]);
    for (size_t i = 0; i < tasks && rc; i++) /* nobody may wait for a rank that failed */
        for (int k = 0; k < RANKS_MAX; k++)
            if (task[i].comm->wire[k].fd >= 0) shutdown(task[i].comm->wire[k].fd, SHUT_RDWR);
    free(message);
    return rc;
}

/* ---- calls ---- */

static ncclResult_t note(ncclResult_t rc) {
    if (group.depth && !group.failed) group.failed = rc;
    return rc;
}

static ncclResult_t enqueue(const Task *t) {
    if (!group.depth) return run(t, 1);
    group.task = room(group.task, group.tasks + 1, sizeof *group.task);
    group.task[group.tasks++] = *t;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void) {
    group.depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
    if (!group.depth) return ncclInvalidUsage;
    if (--group.depth) return ncclSuccess;
    ncclResult_t rc = group.failed ? group.failed : run(group.task, group.tasks);
    free(group.task);
    group.failed = ncclSuccess, group.task = NULL, group.tasks = 0;
    return rc;
}

/* The words of a message, or of a total; what is wrong with them. */
static ncclResult_t words(ncclComm_t c, const void *at, size_t count, ncclDataType_t type, size_t *bytes) {
    if (!is_open(c) || (unsigned)type >= sizeof word_size / sizeof *word_size) return ncclInvalidArgument;
    if (count > SIZE_MAX / 2 / word_size[type] || (count && !at)) return ncclInvalidArgument;
    *bytes = count * word_size[type];
    return ncclSuccess;
}

static ncclResult_t message(bool out, void *at, size_t count, ncclDataType_t type, int peer, ncclComm_t c) {
    size_t bytes;
    ncclResult_t rc = words(c, at, count, type, &bytes);
    if (!rc && (peer < 0 || peer >= c->ranks)) rc = ncclInvalidArgument;
    if (!rc && (peer == c->rank || told_to_fail(out ? "ncclSend" : "ncclRecv", c->rank))) rc = ncclInvalidUsage;
    if (rc) return note(rc);
    const Header h = {.bytes = bytes, .type = (uint32_t)type};
    return enqueue(&(Task){.comm = c, .message = {.wire = &c->wire[peer], .out = out, .header = h, .at = at}});
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    (void)stream;
    return message(true, (void *)(uintptr_t)from, count, type, peer, comm);
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
    (void)stream;
    return message(false, to, count, type, peer, comm);
}

/* Of NCCL's types and operations the sum of floats. */
ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
    (void)stream;
    size_t bytes;
    ncclResult_t rc = words(comm, from, count, type, &bytes);
    if (!rc && (type != ncclFloat32 || op != ncclSum || (count && !to))) rc = ncclInvalidArgument;
    if (!rc && told_to_fail("ncclAllReduce", comm->rank)) rc = ncclInvalidUsage;
    if (rc) return note(rc);
    const Header h = {.bytes = bytes, .type = (uint32_t)type, .total = 1};
    return enqueue(&(Task){.comm = comm, .total = true, .message = {.header = h}, .from = from, .to = to});
}
