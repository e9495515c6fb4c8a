#include "bench/run/cluster/split.h"

#include <stdlib.h>
#include <string.h>

#include "bench/store/provenance.h"
#include "models/micro.h"
#include "models/moments.h"

static const char *obstacle_of_precision(const Backend *backend) {
    if (backend->precision != PRECISION_exact && !backend_has_library(backend))
        return "it is for precision exact and for a device's fp32, tf32 and bf16";
    return precision_word(backend->precision) != WORD_float ? "it is for numbers that are stored as floats" : NULL;
}

/* Return what prevents computing a batch in parts, or NULL. */
static const char *obstacle(const RunSpec *spec, const Backend *backend, const ProbeChoice *probes) {
    const char *why = obstacle_of_precision(backend);
    if (spec->objective == OBJECTIVE_TRANSLATE) return "sentence pairs stand packed over a whole batch";
    if (why) return why;
    for (int i = 0; i < PROBE_COUNT; i++)
        if (probes->wanted[i] && (probe_info[i].reduction == REDUCE_apart || probe_info[i].reduction == REDUCE_massive))
            return "a probe that it asks for reads all activations of a batch at once";
    LOCAL(tape_release) Tape tape = {0};
    ModelShape shape = spec_shape(spec, 2);
    transformer_build(&tape, &shape, &spec->variant, probes);
    bool data_init = tape.data_inits > 0;
    return data_init ? "some of its parameters start as a pass over a whole batch measures" : NULL;
}

Rc split_fits(const Todo *t, const RunSpec *spec, Error *e) {
    int passes = todo_passes(t, spec);
    if (t->micro_batch && spec->batch % t->micro_batch)
        return error_set(e, RC_USAGE, "--memory micro-batch: %d does not divide the batch of %lld sequences",
                         t->micro_batch, (long long)spec->batch);
    if (passes % t->ranks)
        return error_set(e, RC_USAGE, "--memory micro-batch: %d of %lld sequences make %d part%s for %d ranks",
                         t->micro_batch, (long long)spec->batch, passes, passes == 1 ? "" : "s", t->ranks);
    return micro_fits((int)spec->batch, (int)spec->context, passes, t->ranks, e);
}

static Rc check_run(const Todo *t, const TodoRun *run, Error *e) {
    const char *why = obstacle(&run->spec, run->backend, &t->probes);
    if (why) return error_set(e, RC_USAGE, "--memory micro-batch, --ranks: a run of this plan cannot be cut: %s", why);
    return split_fits(t, &run->spec, e);
}

Rc split_logits(const RunSpec *spec, const Backend *backend, Error *e) {
    const char *why = obstacle_of_precision(backend);
    LOCAL(tape_release) Tape tape = {0};
    ModelShape shape = spec_shape(spec, 2);
    transformer_build(&tape, &shape, &spec->variant, NULL);
    if (!tape_can_cut(&tape)) why = "the scale of its logits is learned, from all of them";
    if (spec->objective == OBJECTIVE_TRANSLATE) why = "a translation reads the logits of chosen rows";
    if (!why) return RC_OK;
    return error_set(e, RC_USAGE, "--memory logit-rows: a run of this plan needs all logits at once: %s", why);
}

Rc split_check(const Session *s, const Todo *t, Error *e) {
    if (s->own_moments && t->ranks < 2)
        return error_set(e, RC_USAGE, "--memory moments: is for several processes; --ranks N under mpirun or srun");
    if (s->own_moments && t->ranks > MOMENTS_RANKS_MAX)
        return error_set(e, RC_USAGE, "--memory moments: among %d ranks at most, not %d", MOMENTS_RANKS_MAX, t->ranks);
    for (int i = 0; s->own_moments && i < t->runs; i++)
        if (!t->run[i].done && t->run[i].backend->device)
            return error_set(e, RC_USAGE, "--memory moments: backend '%s' keeps its moments whole",
                             t->run[i].backend->name);
    for (int i = 0; (t->micro_batch || t->ranks > 1) && i < t->runs; i++)
        if (!t->run[i].done && check_run(t, &t->run[i], e)) return e->code;
    for (int i = 0; t->logit_rows && i < t->runs; i++)
        if (!t->run[i].done && split_logits(&t->run[i].spec, t->run[i].backend, e)) return e->code;
    return RC_OK;
}

/* A rank's program, plan and arithmetic, gathered by all ranks. */
typedef struct {
    char version[96], arithmetic[SHA256_HEX], plan[SHA256_HEX];
} Stand;

static Stand stand_of(const Todo *t) {
    Stand s = {{0}, {0}, {0}};
    Provenance p;
    Sha256 h;
    provenance_here(&p);
    snprintf(s.version, sizeof s.version, "%s (%s)", p.version, p.commit);
    sha256_init(&h);
    for (int i = 0; i < t->runs; i++) sha256_add(&h, t->run[i].id, strlen(t->run[i].id));
    sha256_end(&h, s.plan);
    if (t->runs) strcpy(s.arithmetic, t->run[0].arithmetic);
    return s;
}

Rc split_agree(const Ranks *r, const Todo *t, Error *e) {
    if (!r) return RC_OK;
    Stand *all = mem_alloc((size_t)r->ranks, sizeof *all);
    Rc rc = RC_OK;
    all[r->rank] = stand_of(t);
    ranks_gather(r, all, sizeof *all);
    for (int i = 1; i < r->ranks && !rc; i++) {
        const Stand *a = &all[0], *b = &all[i];
        if (strcmp(a->arithmetic, b->arithmetic) != 0)
            rc = error_set(e, RC_USAGE,
                           "--ranks: rank 0 is normbench %s with arithmetic %.12s, rank %d is %s with %.12s: they "
                           "would not compute the same bits",
                           a->version, a->arithmetic, i, b->version, b->arithmetic);
        else if (strcmp(a->plan, b->plan) != 0)
            rc = error_set(e, RC_USAGE, "--ranks: ranks 0 and %d have different plans; are their files the same?", i);
    }
    free(all);
    return rc;
}

void split_tell(const Ranks *r, const int *run, int runs) {
    if (!r) return;
    OWNED int *copy = mem_alloc((size_t)runs + 1, sizeof *copy);
    for (int i = 0; i < runs; i++) copy[i] = run[i];
    ranks_tell(r, &runs, sizeof runs);
    ranks_tell(r, copy, (size_t)runs * sizeof *copy);
}

int split_told(const Ranks *r, int **run) {
    int runs = 0;
    ranks_tell(r, &runs, sizeof runs);
    *run = mem_alloc((size_t)runs + 1, sizeof **run);
    ranks_tell(r, *run, (size_t)runs * sizeof **run);
    return runs;
}
