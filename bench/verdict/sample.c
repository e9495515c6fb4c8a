#include "bench/verdict/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "bench/store/ended.h"
#include "bench/store/metrics.h"

static int run_index(const Sample *s, int step, int arm, int seed) {
    return (step * s->arms + arm) * s->seeds + seed;
}

const SampleRun *sample_run(const Sample *s, int cell, int step, int arm, int seed) {
    return &s->cell[cell].run[run_index(s, step, arm, seed)];
}

int sample_step(const Sample *s, int cell, int step) {
    for (int i = 0; i < s->cell[cell].steps; i++)
        if (s->cell[cell].step[i] == step) return i;
    return -1;
}

/* The validation at `at`; a run that met a non-finite number by then needs none. */
static Rc read_run(SampleRun *run, const RunRecord *r, int at, Error *e) {
    const Evaluation *v = record_at(r, at);
    bool lost = strcmp(r->status, "ok") != 0 && r->diverged_step <= at;
    if (!v && !lost) return error_set(e, RC_UNMEASURED, "run %s has no whole validation at step %d", r->id, at);
    run->record = r;
    for (int m = 0; m < METRIC_COUNT; m++) {
        bool made = metric_of_curves((Metric)m), none = !v || metric_lacking((Metric)m, r);
        run->raw[m] = none ? (double)NAN : made ? metric_made((Metric)m, r, at) : v->metric[m];
    }
    double loss = run->raw[METRIC_valid_loss];
    run->diverged = record_diverged(r, at);
    run->above = !run->diverged && loss > log(r->vocab);
    run->stalled = !(loss <= r->unigram - 0.05) && !isnan(r->unigram);
    for (int m = 0; m < METRIC_COUNT; m++) run->value[m] = run->diverged ? metric_uniform((Metric)m, r) : run->raw[m];
    return RC_OK;
}

int sample_common_steps(const RunSpec *s, int at[SAMPLE_STEPS_MAX], int n) {
    int own[SAMPLE_STEPS_MAX], kept = 0, steps = spec_evaluations(s, n < 0 ? at : own, SAMPLE_STEPS_MAX);
    if (n < 0) return steps;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < steps; j++)
            if (at[i] == own[j]) {
                at[kept++] = at[i];
                break;
            }
    return kept;
}

static Rc read_cell(Sample *s, int cell, const RunRecord *records, Error *e) {
    SampleCell *c = &s->cell[cell];
    for (int arm = 0; arm < s->arms; arm++)
        c->steps = sample_common_steps(&records[(cell * s->arms + arm) * s->seeds].spec, c->step, arm ? c->steps : -1);
    if (!c->steps || !c->step[c->steps - 1])
        return error_set(e, RC_USAGE, "%s: the arms have no whole validation after training in common", s->x->name);
    c->run = mem_alloc((size_t)c->steps * (size_t)s->arms * (size_t)s->seeds, sizeof *c->run);
    for (int arm = 0; arm < s->arms; arm++)
        for (int seed = 0; seed < s->seeds; seed++) {
            const RunRecord *r = &records[(cell * s->arms + arm) * s->seeds + seed];
            if (r->spec.seed != s->x->seed[seed])
                return error_set(e, RC_INTEGRITY, "run %s is of seed %llu, not of the planned seed %llu", r->id,
                                 (unsigned long long)r->spec.seed, (unsigned long long)s->x->seed[seed]);
            for (int step = 0; step < c->steps; step++)
                if (read_run(&c->run[run_index(s, step, arm, seed)], r, c->step[step], e)) return e->code;
        }
    return RC_OK;
}

Rc sample_make(Sample *s, const Experiment *x, const RunRecord *records, Error *e) {
    *s = (Sample){.x = x, .cells = experiment_cells(x), .arms = x->arms, .seeds = x->seeds};
    for (int arm = 0; arm < x->arms; arm++)
        if (!strcmp(x->arm[arm].name, x->baseline)) s->baseline = arm;
    s->cell = mem_alloc((size_t)s->cells, sizeof *s->cell);
    for (int cell = 0; cell < s->cells; cell++)
        if (read_cell(s, cell, records, e)) {
            sample_release(s);
            return e->code;
        }
    return RC_OK;
}

void sample_release(Sample *s) {
    for (int cell = 0; s->cell && cell < s->cells; cell++) free(s->cell[cell].run);
    free(s->cell);
    *s = (Sample){0};
}

SampleArm runs_summary(const double *value, const bool *diverged, int n) {
    SampleArm out = {.n = n,
                     .mean = (double)NAN,
                     .sd = (double)NAN,
                     .median = (double)NAN,
                     .least = (double)NAN,
                     .most = (double)NAN,
                     .survivors = (double)NAN};
    double sum = 0;
    for (int i = 0; i < n; i++) {
        out.diverged += diverged[i];
        if (!diverged[i]) sum += value[i];
    }
    if (out.diverged && out.diverged < n) out.survivors = sum / (n - out.diverged);
    out.rate = st_cp((uint64_t)out.diverged, (uint64_t)n, 0.95);
    LOCAL(st_sample_release) StSample sorted = {0};
    out.status = st_sample_init(&sorted, value, (size_t)n, 0);
    if (out.status != ST_OK) return out;
    out.mean = st_sample_mean(&sorted);
    if (n > 1) out.sd = st_sample_sd(&sorted);
    out.median = st_sample_median(&sorted);
    out.least = sorted.x[0], out.most = sorted.x[sorted.n - 1];
    return out;
}

SampleArm sample_arm(const Sample *s, int cell, int step, int arm, Metric metric) {
    int above = 0, stalled = 0;
    bool lacking = false;
    OWNED double *value = mem_alloc((size_t)s->seeds, sizeof *value);
    OWNED bool *diverged = mem_alloc((size_t)s->seeds, sizeof *diverged);
    for (int seed = 0; seed < s->seeds; seed++) {
        const SampleRun *run = sample_run(s, cell, step, arm, seed);
        value[seed] = run->value[metric], diverged[seed] = run->diverged;
        lacking |= metric_lacking(metric, run->record);
        above += run->above, stalled += run->stalled && !run->diverged;
    }
    SampleArm out = runs_summary(value, diverged, s->seeds);
    out.above = above, out.stalled = stalled, out.lacking = lacking;
    return out;
}

/* The lines that a sample's hash is of, each made by any thread. */
typedef struct {
    const Sample *s;
    const RunRecord *records;
    Text *line; /* of each run */
} Lines;

static void make_line(void *context, int i) {
    const Lines *g = context;
    const RunRecord *r = &g->records[i];
    OWNED char *evaluations = evaluations_text(r, &g->s->x->probes);
    text_init(&g->line[i]);
    text_format(&g->line[i], "%s %s %d %s %s %s\n", r->id, r->status, r->diverged_step, r->loss_chain,
                r->parameters_hash, evaluations);
}

void sample_hash(const Sample *s, const RunRecord *records, char out[SHA256_HEX]) {
    int runs = s->cells * s->arms * s->seeds;
    Lines g = {s, records, mem_alloc((size_t)runs, sizeof *g.line)};
    LOCAL_TEXT(all);
    pool_run(pool_processors(), runs, make_line, &g);
    for (int i = 0; i < runs; i++) {
        text_add(&all, g.line[i].at, g.line[i].length);
        text_release(&g.line[i]);
    }
    free(g.line);
    sha256_hex_of(out, all.at, all.length);
}
