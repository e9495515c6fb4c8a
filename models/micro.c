#include "models/micro.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/canon.h"
#include "models/allreduce.h"

/* The numbers of a batch that are joined beside its gradients: the means over its rows, the loss first, then the parts
 * that probes of activations are made of (models/measure.h). */
struct Micro {
    int passes, feeds, rows, replicas; /* of the batch, over all ranks; rows of one of them */
    int *mean, means, numbers;         /* [means] tensors */
    const Ranks *ranks;                /* NULL: this process alone */
    int32_t **whole;                   /* [feeds][replicas] the batch's ids */
    Allreduce *gradients;
    double *sum;         /* [slots][replicas][numbers], of the word's size */
    int *culprit;        /* [replicas] */
    double *nll, *right; /* [replicas][passes * rows] of micro_forward */
};

static bool power_of_two(int n) {
    return n > 0 && !(n & (n - 1));
}

Rc micro_fits(int batch, int context, int passes, int ranks, Error *e) {
    int rows = batch / (passes > 0 ? passes : 1) * context, most = 1;
    if (passes == 1) return RC_OK;
    while (batch % (2 * most) == 0 && (long)batch / (2 * most) * context % CANON_BLOCK == 0) most *= 2;
    if (!power_of_two(ranks)) return error_set(e, RC_USAGE, "--ranks: %d is no power of two", ranks);
    if (!power_of_two(passes) || batch % passes || rows % CANON_BLOCK || !power_of_two(rows / CANON_BLOCK))
        return error_set(
            e, RC_USAGE,
            "a batch of %d sequences of %d rows in %d parts (--ranks, --memory micro-batch): a part must be a "
            "power of two times %d rows; %d part%s possible",
            batch, context, passes, CANON_BLOCK, most, most == 1 ? " is" : "s are");
    return RC_OK;
}

static int ranks_of(const Micro *m) {
    return m->ranks ? m->ranks->ranks : 1;
}

static int passes_here(const Micro *m) {
    return m->passes / ranks_of(m);
}

static int first_pass(const Micro *m) {
    return m->ranks ? m->ranks->rank * passes_here(m) : 0;
}

static void list_means(Micro *m, const Tape *tape) {
    m->mean = mem_alloc((size_t)tape->probes + 1, sizeof *m->mean);
    m->mean[m->means++] = tape->loss;
    for (int i = 0; i < tape->probes; i++)
        if (tape->probe[i].reduction == REDUCE_word && tape->probe[i].tensor >= 0)
            m->mean[m->means++] = tape->probe[i].tensor;
}

Rc micro_init(Trainer *t, const Ranks *ranks, Error *e) {
    Program *p = &t->program;
    Micro *m = mem_alloc(1, sizeof *m);
    *m = (Micro){.passes = t->tape.passes, .feeds = t->tape.feeds, .replicas = p->replicas, .ranks = ranks};
    size_t replicas = (size_t)m->replicas;
    assert(m->passes % ranks_of(m) == 0);
    m->rows = t->tape.tensor[t->targets].rows;
    m->whole = mem_alloc((size_t)m->feeds * replicas, sizeof *m->whole);
    for (int i = 0; i < m->feeds * m->replicas; i++) {
        size_t rows = (size_t)t->tape.tensor[t->tape.feed[i / m->replicas].tensor].rows;
        m->whole[i] = mem_alloc(rows * (size_t)m->passes, sizeof **m->whole);
    }
    size_t slots = allreduce_slots(passes_here(m)) + 1; /* and the numbers of the pass that is being made */
    list_means(m, &t->tape);
    m->numbers = m->means + t->measure.gradient;
    m->sum = mem_alloc(slots * replicas * (size_t)m->numbers, sizeof *m->sum);
    m->culprit = mem_alloc(replicas, sizeof *m->culprit);
    m->nll = mem_alloc(replicas * (size_t)m->passes * (size_t)m->rows, sizeof *m->nll);
    m->right = mem_alloc(replicas * (size_t)m->passes * (size_t)m->rows, sizeof *m->right);
    t->micro = m;
    return allreduce_init(&m->gradients, p, m->passes, ranks, e);
}

void micro_release(Trainer *t) {
    Micro *m = t->micro;
    if (!m) return;
    for (int i = 0; i < m->feeds * m->replicas; i++) free(m->whole[i]);
    free(m->whole);
    allreduce_release(m->gradients);
    free(m->mean);
    free(m->sum);
    free(m->culprit);
    free(m->nll);
    free(m->right);
    free(m);
    t->micro = NULL;
}

int32_t *micro_ids(const Trainer *t, int feed, int replica) {
    return t->micro->whole[feed * t->micro->replicas + replica];
}

/* The ids of one micro-batch, into the program's feeds. */
static void bring(const Micro *m, Trainer *t, int pass) {
    for (int f = 0; f < m->feeds; f++) {
        int tensor = t->tape.feed[f].tensor;
        size_t rows = (size_t)t->tape.tensor[tensor].rows;
        for (int r = 0; r < m->replicas; r++)
            memcpy(program_ids(&t->program, tensor, r), micro_ids(t, f, r) + (size_t)pass * rows,
                   rows * sizeof(int32_t));
    }
}

/* The numbers in a slot. */
static double *sums(const Micro *m, int slot, int replica) {
    return m->sum + ((size_t)slot * (size_t)m->replicas + (size_t)replica) * (size_t)m->numbers;
}

static size_t sum_bytes(const Micro *m) {
    return (size_t)m->replicas * (size_t)m->numbers * sizeof *m->sum;
}

/* y = y and x together, the numbers of a slot each. */
static void join_sums(const Micro *m, const Trainer *t, double *y, const double *x) {
    for (int i = 0; i < m->replicas * m->numbers; i++) {
        int part = i % m->numbers - m->means;
        if (part < 0 || t->measure.part[part].kind != PART_LARGEST)
            y[i] = program_round(&t->program, y[i] + x[i]);
        else if (x[i] > y[i])
            y[i] = x[i];
    }
}

/* The numbers of the pass that was just made. */
static void take_sums(Micro *m, Trainer *t, int slot, bool measured, bool thin) {
    for (int r = 0; r < m->replicas; r++) {
        double *to = sums(m, slot, r);
        for (int i = m->means; i < m->numbers; i++) to[i] = 0;
        for (int i = 0; i < m->means; i++) to[i] = program_value(&t->program, ROLE_ACT, m->mean[i], r, 0);
        if (measured) t->way->values(t, r, thin, to + m->means);
    }
}

/* The numbers of this rank, by rule 2's tree. */
static void join_here(Micro *m, Trainer *t, int pass) {
    for (int slot = allreduce_slot(pass); pass & 1; pass >>= 1, slot--)
        join_sums(m, t, sums(m, slot - 1, 0), sums(m, slot, 0));
}

/* The devices of other ranks wait for what a lost one was to give. */
static void end_if_lost(const Micro *m, const Program *p) {
    Error e;
    if (p->queue && p->backend->device->status(p->queue, &e)) ranks_end(m->ranks, &e);
}

/* Those of all ranks, on every rank. */
static void join_ranks(Micro *m, Trainer *t) {
    size_t replicas = (size_t)m->replicas;
    if (ranks_of(m) == 1) return;
    double *sum = mem_alloc(sum_bytes(m), 1);
    int *culprit = mem_alloc(replicas, sizeof *culprit);
    for (int level = 1; level < ranks_of(m); level *= 2) {
        const Ranks *k = m->ranks;
        int partner = k->rank ^ level;
        k->swap(k->context, partner, m->sum, sum, sum_bytes(m));
        k->swap(k->context, partner, m->culprit, culprit, replicas * sizeof *culprit);
        join_sums(m, t, m->sum, sum);
        for (int r = 0; r < m->replicas; r++)
            if (culprit[r] < m->culprit[r]) m->culprit[r] = culprit[r];
    }
    free(sum);
    free(culprit);
}

/* The place in the tape of the first activation that is not finite: what micro-batches are compared by. */
static int first_bad(Program *p, int replica) {
    int tensor = program_nonfinite_act(p, replica), op = 0;
    while (op < p->tape->ops && p->tape->op[op].out != tensor) op++;
    return op;
}

/* A sum over the batch's rows where its mean stands. */
static void put_mean(Program *p, int tensor, int r, double sum) {
    double mean = program_round(p, sum / program_round(p, p->scalars[r].count));
    bool wide = p->backend->word[ROLE_ACT] == sizeof(double);
    program_put(p, ROLE_ACT, tensor, r, wide ? (const void *)&mean : &(float){(float)mean});
}

void micro_passes(Trainer *t, bool measured, bool thin) {
    Micro *m = t->micro;
    Program *p = &t->program;
    int replicas = m->replicas;
    double *count = mem_alloc((size_t)replicas, sizeof *count);
    for (int r = 0; r < replicas; r++) count[r] = p->scalars[r].count, m->culprit[r] = p->tape->ops;
    for (int i = 0; i < passes_here(m); i++) {
        bring(m, t, first_pass(m) + i);
        /* the sum alone; it is divided when it is that of the batch */
        for (int r = 0; r < replicas; r++) p->scalars[r].pass = (uint32_t)(first_pass(m) + i), p->scalars[r].count = 1;
        program_forward(p);
        for (int r = 0; r < replicas; r++) {
            int bad = isfinite(program_value(p, ROLE_ACT, p->tape->loss, r, 0)) ? p->tape->ops : first_bad(p, r);
            if (bad < m->culprit[r]) m->culprit[r] = bad;
        }
        for (int r = 0; r < replicas; r++) p->scalars[r].count = count[r];
        program_ready(p);
        allreduce_backward(m->gradients, i);
        take_sums(m, t, allreduce_slot(i), measured, thin);
        join_here(m, t, i);
    }
    end_if_lost(m, p);
    join_ranks(m, t);
    for (int r = 0; r < replicas; r++) {
        for (int i = 0; i < m->means; i++) put_mean(p, m->mean[i], r, sums(m, 0, r)[i]);
        p->scalars[r].pass = 0;
    }
    free(count);
}

void micro_batch(const Trainer *t, int replica, double *value) {
    const Micro *m = t->micro;
    for (int i = 0; i < t->measure.gradient; i++)
        if (measure_of_rows(&t->measure.part[i])) value[i] = sums(m, 0, replica)[m->means + i];
}

int micro_culprit(Trainer *t, int replica) {
    int op = t->micro->culprit[replica];
    return op < t->tape.ops ? t->tape.op[op].out : -1;
}

void micro_forward(Trainer *t) {
    Micro *m = t->micro;
    Program *p = &t->program;
    size_t rows = (size_t)m->rows, all = rows * (size_t)m->passes, here = rows * (size_t)passes_here(m);
    double *saved = mem_alloc(2 * rows, sizeof *saved);
    for (int i = first_pass(m); i < first_pass(m) + passes_here(m); i++) {
        bring(m, t, i);
        program_forward(p);
        for (int r = 0; r < m->replicas; r++) {
            size_t at = (size_t)r * all + (size_t)i * rows;
            program_values(p, ROLE_ACT, t->tape.nll, r, m->nll + at);
            program_values(p, ROLE_SAVE, tape_hits(&t->tape), r, saved);
            for (size_t k = 0; k < rows; k++) m->right[at + k] = saved[2 * k + 1];
        }
    }
    for (int r = 0; r < m->replicas; r++) {
        ranks_gather(m->ranks, m->nll + (size_t)r * all, here * sizeof(double));
        ranks_gather(m->ranks, m->right + (size_t)r * all, here * sizeof(double));
    }
    free(saved);
}

void micro_scores(const Trainer *t, int replica, int first, int rows, double *nll, bool *right) {
    const Micro *m = t->micro;
    size_t at = (size_t)replica * (size_t)m->passes * (size_t)m->rows + (size_t)first;
    for (int i = 0; i < rows; i++, at++) nll[i] = m->nll[at], right[i] = m->right[at] > 0;
}
