/* The shim is checked: kernels with one mistake each, and every mistake is found in the way it is meant to be. */
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/addition.h"
#include "kernels/backend.h"
#include "kernels/cuda/simt/run.h"
#include "tests/kernels/simt_wrong.h"
#include "tests/test.h"

enum { OUT = WRONG_BLOCKS * WRONG_THREADS };

/* Scratch holds numbers of an op before. */
static void run(const Wrong *w, unsigned order, float out[OUT]) {
    float scratch[WRONG_SCRATCH];
    const WrongArgs args = {out, scratch};
    const Call call = {.scratch = scratch};
    memset(out, 0, OUT * sizeof *out);
    for (int i = 0; i < WRONG_SCRATCH; i++) scratch[i] = 1;
    simt_order(order);
    simt_fresh_scratch(&call, sizeof scratch);
    simt_run(w->name, w->body, wrong_grid(w), &args, w->flat);
}

static void run_once(const void *wrong) {
    float out[OUT];
    run(wrong, 0, out);
}

/* Its own process, its last words in `said`; returns how it ended, as waitpid has it. */
static int run_apart(void (*what)(const void *), const void *with, char said[512]) {
    int pipes[2], status = -1;
    cr_assert_eq(pipe(pipes), 0);
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(pipes[1], STDERR_FILENO);
        what(with);
        _exit(0);
    }
    close(pipes[1]);
    size_t length = 0;
    for (ssize_t n = 1; n > 0 && length<511; length += n> 0 ? (size_t)n : 0)
        n = read(pipes[0], said + length, 511 - length);
    said[length] = 0;
    close(pipes[0]);
    waitpid(child, &status, 0);
    return status;
}

/* In one line that begins with the kernel's name. */
static void must_stop(const Wrong *w) {
    char said[512], start[96];
    int status = run_apart(run_once, w, said);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%s went through", w->name);
    snprintf(start, sizeof start, "simt: kernel %s%s: ", w->name,
             w->symptom == STOPS ? ", block 0 0 0" : " cannot be launched");
    cr_assert(!strncmp(said, start, strlen(start)), "%s: %s", w->name, said);
    cr_assert(strstr(said, w->says), "%s: %s", w->name, said);
    cr_assert_eq(strchr(said, '\n'), said + strlen(said) - 1, "%s: %s", w->name, said);
}

/* Of four orders beside 0, blocks in turns or one after another. */
static int orders_that_differ(const Wrong *w, unsigned together) {
    const unsigned order[] = {1, 2, 3, 7};
    float first[OUT], other[OUT];
    int differ = 0;
    run(w, 0, first);
    for (int i = 0; i < 4; i++) {
        run(w, order[i] + together, other);
        differ += memcmp(first, other, sizeof first) != 0;
    }
    return differ;
}

static int nans_of(const Wrong *w) {
    float out[OUT];
    int nans = 0;
    run(w, 0, out);
    for (int i = 0; i < OUT; i++) nans += isnan(out[i]) != 0;
    return nans;
}

TEST_EACH(simt_wrong, every_mistake_is_found, WRONG_COUNT) {
    const Wrong *w = &simt_wrong[*index];
    int alone = 0, together = 0;
    if (w->symptom == STOPS || w->symptom == REFUSED) must_stop(w);
    if (w->symptom == DIFFERS || w->symptom == DIFFERS_TOGETHER || w->symptom == RIGHT)
        alone = orders_that_differ(w, 0), together = orders_that_differ(w, SIMT_TOGETHER);
    if (w->symptom == DIFFERS) cr_assert_gt(alone, 0, "%s gives the same in every order", w->name);
    if (w->symptom == DIFFERS_TOGETHER) {
        cr_assert_eq(alone, 0, "%s was meant to be found by turns of blocks alone", w->name);
        cr_assert_gt(together, 0, "%s gives the same in every order", w->name);
    }
    if (w->symptom == NANS) cr_assert_gt(nans_of(w), 0, "%s read numbers nobody wrote", w->name);
    if (w->symptom == RIGHT) cr_assert(alone == 0 && together == 0 && nans_of(w) == 0, "%s", w->name);
}

/* Thread i of 0..n-1 has its turn once in every order, and the orders are several. */
Test(simt_wrong, orders_are_different_permutations) {
    float turn[5][OUT];
    const Wrong *last_writer = &simt_wrong[2];
    cr_assert_str_eq(last_writer->name, "one_place_for_all");
    const unsigned order[] = {0, 1, 2, 7, SIMT_TOGETHER + 3};
    for (int i = 0; i < 5; i++) {
        run(last_writer, order[i], turn[i]);
        for (int j = 0; j < i; j++) cr_assert_neq(turn[i][0], turn[j][0], "orders %u and %u", order[i], order[j]);
    }
}

/* ---- memory of the device ---- */

enum { WORDS = 3000 };

static const Device *shim(void) {
    return backend_find("simt", &e)->device;
}

typedef struct {
    Queue *queue;
    float *at; /* WORDS of them on the device */
} Taken;

static Taken taken(void) {
    Taken t;
    void *at;
    OK(shim()->open(&t.queue, &e));
    OK(shim()->take(t.queue, &at, WORDS * sizeof *t.at, &e));
    t.at = at;
    return t;
}

static void reads(const void *with) {
    volatile float sink = *((const Taken *)with)->at;
    (void)sink;
}

static void writes(const void *with) {
    ((const Taken *)with)->at[WORDS - 1] = 1;
}

/* Memory ends within a line of the cache after its last word. A kernel that is given words beyond it: */
static void adds_beyond(const void *with) {
    const Taken *t = with;
    const Addition a = {.y = t->at + WORDS - 8, .x = t->at, .words = 64, .copies = true};
    shim()->add(t->queue, &a);
}

static void copies_beyond(const void *with) {
    const Taken *t = with;
    float words[32] = {0};
    shim()->put(t->queue, t->at + WORDS - 8, words, sizeof words);
}

static void copies_elsewhere(const void *with) {
    float words[32] = {0}, more[32];
    shim()->get(((const Taken *)with)->queue, more, words, sizeof words);
}

static void must_crash(void (*what)(const void *), int signal, const char *line) {
    Taken t = taken();
    char said[512];
    int status = run_apart(what, &t, said);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == signal, "status %x: %s", (unsigned)status, said);
    cr_assert_str_eq(said, line);
    shim()->close(t.queue);
}

Test(simt_wrong, device_memory_is_not_the_hosts) {
    const char host[] = "simt: the host touched memory of the device: only kernels and copies may\n";
    must_crash(reads, SIGSEGV, host);
    must_crash(writes, SIGSEGV, host);
    must_crash(adds_beyond, SIGSEGV, "simt: something touched what lies beyond the end of memory of the device\n");
    must_crash(copies_beyond, SIGABRT, "simt: a copy of 128 bytes is not within memory of the device\n");
    must_crash(copies_elsewhere, SIGABRT, "simt: a copy of 128 bytes is not within memory of the device\n");
}

/* Copies and kernels of a queue; another thread's queue is busy all the while. */
static void *work(void *context) {
    Taken t = taken();
    static const float ones[WORDS / 2] = {1, 1, 1};
    float back[WORDS / 2];
    for (int i = 0; i < 300; i++) {
        const Addition a = {.y = t.at + WORDS / 2, .x = t.at, .words = WORDS / 2, .copies = i == 0};
        shim()->put(t.queue, t.at, ones, sizeof ones);
        shim()->add(t.queue, &a);
    }
    shim()->get(t.queue, back, t.at + WORDS / 2, sizeof back);
    *(bool *)context = back[0] == 300.0f && back[2] == 300.0f && back[3] == 0.0f;
    shim()->close(t.queue);
    return NULL;
}

Test(simt_wrong, queues_of_two_threads_do_not_close_each_others_memory) {
    pthread_t thread[2];
    bool right[2] = {false, false};
    for (int i = 0; i < 2; i++) cr_assert_eq(pthread_create(&thread[i], NULL, work, &right[i]), 0);
    for (int i = 0; i < 2; i++) cr_assert_eq(pthread_join(thread[i], NULL), 0);
    cr_assert(right[0] && right[1]);
}
