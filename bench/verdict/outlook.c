#include "bench/verdict/outlook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/store/partial.h"
#include "bench/verdict/paired.h"
#include "bench/verdict/sample.h"
#include "stats/paired.h"
#include "stats/power.h"
#include "stats/tests.h"

#define WORK 12000 /* patterns times comparisons: beyond, fewer samples would be simulated (stats/power.h) */

/* How many steps above 0 there are at which all arms of a cell are validated. */
static int common_steps(const Experiment *x, int cell) {
    int at[SAMPLE_STEPS_MAX], n = -1, above = 0;
    for (int arm = 0; arm < x->arms; arm++) {
        RunSpec s = experiment_spec(x, cell, arm, 0);
        n = sample_common_steps(&s, at, n);
    }
    for (int i = 0; i < n; i++) above += at[i] > 0;
    return above;
}

static double detectable(int seeds, int comparisons, double alpha) {
    size_t n = (size_t)seeds, k = (size_t)comparisons;
    bool reachable = st_test_find("signflip")->floor(n, 1) < alpha;
    if (!reachable || !k || (k > 1 && ldexp((double)k, seeds) > WORK)) return (double)NAN;
    StPower p = st_flip_mde(n, k, PAIRED_POWER_AIM, alpha);
    return p.status == ST_OK ? p.d_z : (double)NAN;
}

/* Leaves of part's seeds those of which every run is stored. */
static void keep_stored(Experiment *part, const Store *stored) {
    const int seeds = part->seeds;
    OWNED int *missing = partial_missing(stored, part);
    part->seeds = 0;
    for (int i = 0; i < seeds; i++)
        if (!missing[i]) part->seed[part->seeds++] = part->seed[i];
}

/* The spread of an arm's differences at a cell's last step; one with a diverged run has none. */
static double spread(const Sample *s, Metric metric, int cell, int arm) {
    double *d = mem_alloc((size_t)s->seeds, sizeof *d), scale = 0;
    bool lost = false;
    for (int seed = 0; seed < s->seeds; seed++) {
        const SampleRun *a = sample_run(s, cell, s->cell[cell].steps - 1, arm, seed);
        const SampleRun *b = sample_run(s, cell, s->cell[cell].steps - 1, s->baseline, seed);
        lost |= a->diverged || b->diverged;
        d[seed] = a->value[metric] - b->value[metric];
        scale = fmax(scale, fmax(fabs(a->value[metric]), fabs(b->value[metric])));
    }
    StTci t = st_tci(d, (size_t)s->seeds, scale, .95);
    free(d);
    return !lost && t.status == ST_OK ? t.sd : (double)NAN;
}

static void read_spreads(Outlook *o, const Sample *s, Metric metric) {
    for (int cell = 0; cell < s->cells; cell++)
        for (int arm = 0; arm < s->arms; arm++)
            if (arm != s->baseline) o->sd[arm] = fmax(o->sd[arm], spread(s, metric, cell, arm)); /* passes over NaN */
}

/* Means over the seeds that ran on a processor like this one. */
static void read_times(Outlook *o, const RunRecord *records, int seeds) {
    Provenance here;
    provenance_here(&here);
    for (int i = 0; i < o->cells * (o->arms + 1); i++) {
        double sum = 0;
        int count = 0;
        for (const RunRecord *r = &records[i * seeds]; r < &records[(i + 1) * seeds]; r++) {
            if (strcmp(r->provenance.device, here.device) || strcmp(r->provenance.cpu, here.cpu)) continue;
            sum += r->wall_seconds;
            count++;
        }
        if (count) o->seconds[i] = sum / count;
        o->timed += count;
    }
}

/* The seeds of which everything is stored, as an experiment of their own. */
static void read_stored(Outlook *o, const Experiment *x, const Store *stored, bool precise) {
    OWNED Experiment *part = mem_alloc(1, sizeof *part); /* too large for a small stack */
    Records records;
    Sample sample;
    Error none;
    *part = *x;
    part->seed = mem_alloc((size_t)x->seeds, sizeof *part->seed);
    memcpy(part->seed, x->seed, (size_t)x->seeds * sizeof *part->seed);
    keep_stored(part, stored);
    if (part->seeds && !records_take(&records, stored, part, precise, &none)) {
        if (!records.missing) read_times(o, records.at, part->seeds);
        if (!records.missing && part->seeds > 1 && !sample_make(&sample, part, records.at, &none)) {
            o->stored = part->seeds;
            read_spreads(o, &sample, x->metric);
            sample_release(&sample);
        }
        records_release(&records);
    }
    free(part->seed);
}

void outlook_make(Outlook *o, const Experiment *x, const Store *stored, bool precise) {
    const StTest *flip = st_test_find("signflip");
    st_init();
    *o = (Outlook){.seeds = x->seeds,
                   .arms = x->arms - 1,
                   .cells = experiment_cells(x),
                   .alpha = x->alpha,
                   .floor = flip->floor((size_t)x->seeds, 1),
                   .least = (int)st_test_seeds(flip, 1, x->alpha),
                   .detectable = detectable(x->seeds, 1, x->alpha)};
    int pairs = x->compares ? x->compares : o->arms;
    for (int cell = 0; cell < o->cells; cell++) o->comparisons += pairs * common_steps(x, cell);
    o->among = detectable(x->seeds, o->comparisons, x->alpha);
    o->sd = mem_alloc((size_t)x->arms, sizeof *o->sd);
    for (int i = 0; i < x->arms; i++) o->sd[i] = (double)NAN;
    o->seconds = mem_alloc((size_t)(o->cells * x->arms), sizeof *o->seconds);
    for (int i = 0; i < o->cells * x->arms; i++) o->seconds[i] = (double)NAN;
    if (stored->heads) read_stored(o, x, stored, precise);
}

void outlook_release(Outlook *o) {
    free(o->sd);
    free(o->seconds);
    *o = (Outlook){0};
}

/* About what a run has: blocks and the table of its tokens; of characters 100 kinds. */
static double parameters_of(const RunSpec *s) {
    char name[SPEC_TEXT_SIZE];
    double width = (double)s->width, block = s->objective == OBJECTIVE_TRANSLATE ? 28 : 12, tokens = 100;
    spec_get(name, s, "tokenizer");
    const char *count = strchr(name, ':');
    if (count)
        tokens = atof(count + 1);
    else if (!strncmp(name, "bpe", 3))
        tokens = 1664;
    return (double)s->layers * block * width * width + tokens * width;
}

double outlook_flops(const Experiment *x) {
    double flops = 0;
    for (int cell = 0; cell < experiment_cells(x); cell++)
        for (int arm = 0; arm < x->arms; arm++) {
            RunSpec s = experiment_spec(x, cell, arm, 0);
            flops += 6 * parameters_of(&s) * (double)s.steps * (double)s.batch * (double)s.context * x->seeds;
        }
    return flops;
}
