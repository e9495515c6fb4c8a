#include "bench/verdict/failures.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/permute.h"

const char *const failure_names[FAILURE_COUNT] = {"diverged", "stalled", "either"};

static bool fails(const Sample *s, int cell, int arm, int seed, FailureKind kind) {
    const SampleRun *run = sample_run(s, cell, s->cell[cell].steps - 1, arm, seed);
    bool stalled = run->stalled && !run->diverged;
    return (kind != FAILURE_stalled && run->diverged) || (kind != FAILURE_diverged && stalled);
}

static void count(FailureRow *row, const Sample *s, int cell, int arm, FailureKind kind) {
    uint64_t own = 0, only_own = 0, only_base = 0;
    for (int seed = 0; seed < s->seeds; seed++) {
        bool a = fails(s, cell, arm, seed, kind), b = fails(s, cell, s->baseline, seed, kind);
        own += a, only_own += a && !b, only_base += b && !a;
    }
    row->share[kind] = st_cp(own, (uint64_t)s->seeds, 0.95);
    row->against[kind] = st_mcnemar(only_own, only_base);
    if (arm == s->baseline) row->against[kind].status = ST_BAD_ARG;
    row->adjusted[kind] = (double)NAN;
}

/* An arm fails at a seed and the baseline does not: 1; the other way round: -1. */
static void adjust(Failures *f, const Sample *s) {
    size_t n = (size_t)s->seeds, k = 0, most = (size_t)f->cells * (size_t)f->arms * FAILURE_COUNT;
    OWNED double *d = mem_alloc(most * n, sizeof *d), *scale = mem_alloc(most, sizeof *scale);
    OWNED double **to = mem_alloc(most, sizeof *to);
    OWNED StMaxTRow *p = mem_alloc(most, sizeof *p);
    for (int cell = 0; cell < f->cells; cell++)
        for (int arm = 0; arm < f->arms; arm++)
            for (int kind = 0; kind < FAILURE_COUNT && arm != s->baseline; kind++, k++) {
                for (int seed = 0; seed < s->seeds; seed++)
                    d[k * n + (size_t)seed] = fails(s, cell, arm, seed, (FailureKind)kind) -
                                              fails(s, cell, s->baseline, seed, (FailureKind)kind);
                scale[k] = 1, to[k] = &f->row[cell * f->arms + arm].adjusted[kind];
            }
    StMaxT all = {.status = ST_N_TOO_SMALL};
    if (k) all = st_maxT(d, k, n, scale, s->x->alpha, (StKey){0}, p);
    if (all.status == ST_OK) f->floor = all.p_min;
    for (size_t i = 0; i < k && all.status == ST_OK; i++) *to[i] = p[i].step;
}

bool failures_make(Failures *f, const Sample *s) {
    if (!s->x->summary[SUMMARY_failures]) return false;
    *f = (Failures){.cells = s->cells, .arms = s->arms, .seeds = s->seeds, .floor = 1};
    f->row = mem_alloc((size_t)f->cells * (size_t)f->arms, sizeof *f->row);
    for (int cell = 0; cell < f->cells; cell++)
        for (int arm = 0; arm < f->arms; arm++)
            for (int kind = 0; kind < FAILURE_COUNT; kind++)
                count(&f->row[cell * f->arms + arm], s, cell, arm, (FailureKind)kind);
    adjust(f, s);
    return true;
}

void failures_release(Failures *f) {
    free(f->row);
    *f = (Failures){0};
}
