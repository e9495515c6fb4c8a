#include "tests/base/forked.h"
#include "tests/test.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_S = 40, PIECE = 4096 };

/* Socket pairs between any two ranks. */
typedef struct {
    int rank, socket[FORKED_MAX][FORKED_MAX];
} Wires;

static void all_of(ssize_t (*move)(int, unsigned char *, size_t), int fd, unsigned char *at, size_t bytes) {
    while (bytes) {
        ssize_t n = move(fd, at, bytes);
        if (n <= 0) _exit(9);
        at += n, bytes -= (size_t)n;
    }
}

static ssize_t give(int fd, unsigned char *at, size_t bytes) {
    return write(fd, at, bytes);
}

static ssize_t take(int fd, unsigned char *at, size_t bytes) {
    return read(fd, at, bytes);
}

/* In pieces, the lower rank first: a socket holds only so much. */
static void swap(void *context, int partner, const void *mine, void *theirs, size_t bytes) {
    Wires *w = context;
    int fd = w->socket[w->rank][partner];
    unsigned char *out = mem_alloc(bytes + 1, 1), *in = theirs;
    memcpy(out, mine, bytes);
    for (size_t at = 0; at < bytes; at += PIECE) {
        size_t piece = bytes - at < PIECE ? bytes - at : PIECE;
        for (int turn = 0; turn < 2; turn++)
            if ((w->rank < partner) == !turn)
                all_of(give, fd, out + at, piece);
            else
                all_of(take, fd, in + at, piece);
    }
    free(out);
}

static void connect_all(Wires *w, int ranks) {
    for (int i = 0; i < ranks; i++)
        for (int j = i + 1; j < ranks; j++) {
            int pair[2];
            cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
            w->socket[i][j] = pair[0], w->socket[j][i] = pair[1];
        }
}

void forked_ranks(int ranks, void (*body)(const Ranks *r, void *context, char *said), void *context,
                  char said[FORKED_MAX][FORKED_SAID]) {
    Wires w;
    pid_t child[FORKED_MAX];
    int result[FORKED_MAX][2];
    connect_all(&w, ranks);
    for (int i = 0; i < ranks; i++) cr_assert_eq(pipe(result[i]), 0);
    for (int i = 0; i < ranks; i++) {
        child[i] = fork();
        cr_assert_geq(child[i], 0);
        if (child[i]) continue;
        char own[FORKED_SAID] = "ok";
        w.rank = i;
        alarm(PATIENCE_S); /* whoever waits for no one is found and does not stay */
        body(&(Ranks){.rank = i, .ranks = ranks, .swap = swap, .context = &w}, context, own);
        _exit(write(result[i][1], own, FORKED_SAID) == FORKED_SAID ? 0 : 8);
    }
    for (int i = 0; i < ranks; i++) close(result[i][1]);
    for (int i = 0; i < ranks; i++) {
        int status;
        cr_assert_eq(read(result[i][0], said[i], FORKED_SAID), FORKED_SAID, "rank %d of %d ended early", i, ranks);
        cr_assert(waitpid(child[i], &status, 0) == child[i] && WIFEXITED(status) && !WEXITSTATUS(status));
        close(result[i][0]);
        for (int j = 0; j < ranks; j++)
            if (i != j) close(w.socket[i][j]);
    }
}
