#include "models/allreduce.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/canon.h"

/* A bucket but the last is closed when it holds more than this part of all gradients. The last, which is exchanged
 * after the pass, has what is left. */
enum { BUCKETS = 8 };

/* Bytes of a replica's gradients that stand in a row. */
typedef struct {
    size_t at, bytes;
} Stretch;

/* Stretches that are complete once the backward pass has done `op`. */
typedef struct {
    int op, first, count;
} Bucket;

struct Allreduce {
    Program *program;
    const Ranks *ranks;
    int passes;   /* of this rank */
    size_t bytes; /* of all replicas' gradients */
    bool library; /* sums over ranks are the device's own, in an order of its own */
    Arena sum;    /* partial sums, and behind them what a partner gave; on the device where the gradients are */
    Stretch *stretch;
    Bucket *bucket;
    int stretches, buckets;

    /* The thread of a host that joins buckets while the pass goes on; it is there when there are ranks. */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool threaded, ended;
    int complete, joined; /* buckets of this pass */
};

size_t allreduce_slots(int passes) {
    size_t slots = 1;
    for (int n = passes; n > 2; n /= 2) slots++;
    return slots;
}

int allreduce_slot(int pass) {
    int ones = 0;
    for (; pass; pass >>= 1) ones += pass & 1;
    return ones;
}

static const Device *device_of(const Allreduce *a) {
    return a->program->queue ? a->program->backend->device : NULL;
}

static int ranks_of(const Allreduce *a) {
    return a->ranks ? a->ranks->ranks : 1;
}

static void swap(const Allreduce *a, int partner, const unsigned char *mine, unsigned char *theirs, size_t bytes) {
    const Device *d = device_of(a);
    if (d)
        d->swap(a->program->queue, partner, mine, theirs, bytes);
    else
        a->ranks->swap(a->ranks->context, partner, mine, theirs, bytes);
}

/* The sums of this rank, and with the last pass those of all ranks, on every rank: recursive doubling; a sum of two
 * does not depend on their order. */
static void join_stretch(const Allreduce *a, int pass, size_t at, size_t bytes) {
    const unsigned char *gradient = a->program->arena[ROLE_GRAD].at + at;
    bool last = pass == a->passes - 1;
    unsigned char *slot = a->sum.at + (size_t)allreduce_slot(pass) * a->bytes + at;
    if (!(pass & 1)) program_join(a->program, slot, gradient, bytes, true);
    for (const unsigned char *x = gradient; pass & 1; pass >>= 1, x = slot) {
        slot -= a->bytes;
        program_join(a->program, slot, x, bytes, false);
    }
    if (!last || ranks_of(a) == 1) return;
    if (a->library) {
        device_of(a)->total(a->program->queue, (float *)(void *)slot, bytes / sizeof(float));
        return;
    }
    unsigned char *theirs = a->sum.at + allreduce_slots(a->passes) * a->bytes + at;
    for (int level = 1; level < ranks_of(a); level *= 2) {
        swap(a, a->ranks->rank ^ level, slot, theirs, bytes);
        program_join(a->program, slot, theirs, bytes, false);
    }
}

static void join_bucket(const Allreduce *a, int pass, int b) {
    const Program *p = a->program;
    for (int i = a->bucket[b].first; i < a->bucket[b].first + a->bucket[b].count; i++)
        for (int r = 0; r < p->replicas; r++)
            join_stretch(a, pass, (size_t)r * p->stride[ROLE_GRAD] + a->stretch[i].at, a->stretch[i].bytes);
}

static void *join_beside(void *context) {
    Allreduce *a = context;
    canon_environment();
    pthread_mutex_lock(&a->lock);
    for (;;) {
        while (!a->ended && a->joined == a->complete) pthread_cond_wait(&a->moved, &a->lock);
        if (a->ended) break;
        int b = a->joined;
        pthread_mutex_unlock(&a->lock);
        join_bucket(a, a->passes - 1, b);
        pthread_mutex_lock(&a->lock);
        a->joined++;
        pthread_cond_broadcast(&a->moved);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* After an op of the last pass: the buckets that it completes. */
static void seen(void *context, int op) {
    Allreduce *a = context;
    const Device *d = device_of(a);
    int complete = a->complete;
    while (complete < a->buckets && a->bucket[complete].op >= op) complete++;
    if (complete == a->complete) return;
    if (d) {
        d->branch(a->program->queue, true);
        for (int b = a->complete; b < complete; b++) join_bucket(a, a->passes - 1, b);
        d->branch(a->program->queue, false);
        a->complete = complete;
        return;
    }
    pthread_mutex_lock(&a->lock);
    a->complete = complete;
    pthread_cond_broadcast(&a->moved);
    pthread_mutex_unlock(&a->lock);
}

/* Contributions that stand beside a parameter's first, in the order in which a backward pass meets them. */
static void add_contributions(const Allreduce *a) {
    const Program *p = a->program;
    const Tape *tape = p->tape;
    const unsigned char *arena = p->arena[ROLE_GRAD].at;
    for (int i = tape->ops - 1; i >= 0; i--)
        for (int j = 0; p->gradients.reached[i] && j < tape->op[i].in_count; j++) {
            int tensor = tape->input[tape->op[i].in_at + j];
            size_t bytes = tensor_words(&tape->tensor[tensor]) * p->backend->word[ROLE_GRAD];
            if (!p->gradients.beside[i][j]) continue;
            for (int r = 0; r < p->replicas; r++) {
                const View *beside = &p->call[i].din[j];
                const unsigned char *first = program_at(p, ROLE_GRAD, tensor, r);
                const unsigned char *later = (const unsigned char *)beside->at + (size_t)r * beside->stride;
                program_join(a->program, a->sum.at + (first - arena), a->sum.at + (later - arena), bytes, false);
            }
        }
}

void allreduce_backward(Allreduce *a, int pass) {
    Program *p = a->program;
    bool last = pass == a->passes - 1, beside = last && ranks_of(a) > 1;
    program_backward_seen(p, beside ? seen : NULL, a);
    if (!beside) {
        for (int b = 0; b < a->buckets; b++) join_bucket(a, pass, b);
    } else if (device_of(a)) {
        assert(a->complete == a->buckets);
        device_of(a)->merge(p->queue);
        a->complete = 0;
    } else {
        pthread_mutex_lock(&a->lock);
        assert(a->complete == a->buckets && "the passes of ranks are never cancelled");
        while (a->joined < a->buckets) pthread_cond_wait(&a->moved, &a->lock);
        a->complete = a->joined = 0;
        pthread_mutex_unlock(&a->lock);
    }
    if (!last) return;
    add_contributions(a);
    program_join(a->program, p->arena[ROLE_GRAD].at, a->sum.at, a->bytes, true);
}

static int by_place(const void *x, const void *y) {
    const Stretch *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

/* Closes a bucket of the stretches from `first` on: those that follow each other at once are one message. */
static void close_bucket(Allreduce *a, int first, int op) {
    int last = first;
    if (first == a->stretches) return;
    qsort(a->stretch + first, (size_t)(a->stretches - first), sizeof *a->stretch, by_place);
    for (int i = first + 1; i < a->stretches; i++) {
        Stretch *before = &a->stretch[last], *s = &a->stretch[i];
        if (s->at == before->at + before->bytes)
            before->bytes += s->bytes;
        else
            a->stretch[++last] = *s;
    }
    a->stretches = last + 1;
    a->bucket = mem_grow(a->bucket, (size_t)a->buckets + 1, sizeof *a->bucket);
    a->bucket[a->buckets++] = (Bucket){op, first, a->stretches - first};
}

/* Every contribution to a parameter's gradient has a place of its own, so it is complete with its op. */
static void list_buckets(Allreduce *a) {
    const Program *p = a->program;
    const Tape *tape = p->tape;
    size_t most = p->stride[ROLE_GRAD] / BUCKETS, filled = 0;
    int first = 0, last = 0;
    for (int i = tape->ops - 1; i >= 0; i--) {
        for (int j = 0; p->gradients.reached[i] && j < tape->op[i].in_count; j++) {
            const Tensor *x = &tape->tensor[tape->input[tape->op[i].in_at + j]];
            if (x->role != ROLE_PARAM) continue;
            size_t at = (size_t)((const unsigned char *)p->call[i].din[j].at - p->arena[ROLE_GRAD].at);
            size_t bytes = tensor_words(x) * p->backend->word[ROLE_GRAD];
            a->stretch = mem_grow(a->stretch, (size_t)a->stretches + 1, sizeof *a->stretch);
            a->stretch[a->stretches++] = (Stretch){at, bytes};
            filled += bytes, last = i;
        }
        if (filled <= most && i) continue;
        close_bucket(a, first, last);
        first = a->stretches, filled = 0;
    }
}

static Rc take_sums(Allreduce *a, Error *e) {
    Program *p = a->program;
    size_t slots = allreduce_slots(a->passes) + (ranks_of(a) > 1 && !a->library), bytes = slots * a->bytes;
    if (!device_of(a)) return arena_init(&a->sum, bytes, e);
    void *at = NULL;
    Rc rc = device_of(a)->take(p->queue, &at, bytes, e);
    a->sum = (Arena){at, bytes};
    return rc;
}

Rc allreduce_init(Allreduce **out, Program *p, int passes, const Ranks *ranks, Error *e) {
    Allreduce *a = mem_alloc(1, sizeof *a);
    *a = (Allreduce){.program = p, .ranks = ranks, .bytes = p->stride[ROLE_GRAD] * (size_t)p->replicas};
    assert(passes % ranks_of(a) == 0);
    a->passes = passes / ranks_of(a);
    a->library = backend_has_library(p->backend);
    list_buckets(a);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->moved, NULL);
    Rc rc = take_sums(a, e);
    if (device_of(a) && ranks_of(a) > 1) { /* what one rank lacks keeps none waiting */
        if (ranks_any(ranks, rc) && !rc) rc = error_set(e, RC_UNMEASURED, "another rank is out of device memory");
        if (!rc) rc = device_of(a)->meet(p->queue, ranks, e);
    }
    if (!rc && !device_of(a) && ranks_of(a) > 1) {
        a->threaded = !pthread_create(&a->thread, NULL, join_beside, a);
        if (!a->threaded) rc = error_set(e, RC_UNMEASURED, "no thread can be started to exchange gradients");
    }
    if (rc) {
        allreduce_release(a);
        return rc;
    }
    *out = a;
    return RC_OK;
}

void allreduce_release(Allreduce *a) {
    if (!a) return;
    if (a->threaded) {
        pthread_mutex_lock(&a->lock);
        a->ended = true;
        pthread_cond_broadcast(&a->moved);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
    }
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->moved);
    if (device_of(a))
        device_of(a)->give(a->program->queue, a->sum.at);
    else
        arena_release(&a->sum);
    free(a->stretch);
    free(a->bucket);
    free(a);
}
