#include "bench/verdict/grid.h"

#include <math.h>
#include <stdlib.h>

#include "bench/verdict/sensitivity.h"
#include "stats/choice.h"

/* The cells of a grid and their rates, ascending. */
static int rates_of(const Experiment *x, int cell, int out[EXPERIMENT_VALUES_MAX], double rate[EXPERIMENT_VALUES_MAX]) {
    int factor = sensitivity_factor(x), stride = 1;
    if (factor < 0) return sensitivity_cells(x, cell, out, rate);
    for (int f = x->factors - 1; f > factor; f--) stride *= x->factor[f].values;
    return sensitivity_cells(x, cell / (stride * x->factor[factor].values) * stride + cell % stride, out, rate);
}

int grid_cells(const Experiment *x, int cell, int out[EXPERIMENT_VALUES_MAX]) {
    double rate[EXPERIMENT_VALUES_MAX];
    return rates_of(x, cell, out, rate);
}

/* At the term's step; cells of a grid are evaluated at the same steps. */
static const SampleRun *grid_run(const Sample *s, const Term *t, int rate, int seed) {
    int cell[EXPERIMENT_VALUES_MAX];
    grid_cells(s->x, t->cell, cell);
    return sample_run(s, cell[rate], t->step, t->arm, seed);
}

/* The losses of a term, and where another metric is judged its numbers, `plus` added to what is judged; freed by
 * grid_free. */
static StGrid grid_make(const Sample *s, const Term *t, Metric metric, double plus) {
    int cell[EXPERIMENT_VALUES_MAX];
    size_t rates = (size_t)grid_cells(s->x, t->cell, cell), n = (size_t)s->seeds;
    bool other = metric != METRIC_valid_loss;
    double *value = mem_alloc(rates * n, sizeof *value), *judged = other ? mem_alloc(rates * n, sizeof *judged) : NULL;
    unsigned char *lost = mem_alloc(rates * n, sizeof *lost);
    for (size_t k = 0; k < rates; k++)
        for (size_t seed = 0; seed < n; seed++) {
            const SampleRun *run = sample_run(s, cell[k], t->step, t->arm, (int)seed);
            value[k * n + seed] = run->value[METRIC_valid_loss] + (other ? 0 : plus);
            if (other) judged[k * n + seed] = run->value[metric] + plus;
            lost[k * n + seed] = run->diverged || run->stalled;
        }
    return (StGrid){.value = value, .lost = lost, .settings = rates, .n = n, .judged = judged};
}

static void grid_free(StGrid *g) {
    free((void *)g->value);
    free((void *)g->lost);
    free((void *)g->judged);
}

static void grid_chosen(const Sample *s, const Term *t, size_t *chosen) {
    StGrid g = grid_make(s, t, METRIC_valid_loss, 0);
    for (size_t seed = 0; seed < g.n; seed++) chosen[seed] = st_choose(&g, g.n > 1 ? seed : g.n);
    grid_free(&g);
}

void grid_judged(const Sample *s, const Contrast *w, const Term *t, const SampleRun **run) {
    OWNED size_t *rate = mem_alloc((size_t)s->seeds, sizeof *rate);
    if (w->best) grid_chosen(s, t, rate);
    for (int seed = 0; seed < s->seeds; seed++)
        run[seed] = w->best ? grid_run(s, t, (int)rate[seed], seed) : sample_run(s, t->cell, t->step, t->arm, seed);
}

int grid_rates(const Sample *s, const Term *t, double *chosen, double rate[EXPERIMENT_VALUES_MAX]) {
    int cell[EXPERIMENT_VALUES_MAX], rates = rates_of(s->x, t->cell, cell, rate);
    OWNED size_t *at = mem_alloc((size_t)s->seeds, sizeof *at);
    grid_chosen(s, t, at);
    for (int seed = 0; seed < s->seeds; seed++) chosen[seed] = rate[at[seed]];
    return rates;
}

void grid_end_text(const char *arm, const double *chosen, int seeds, const double *rate, int rates, Text *out) {
    int low = 0, high = 0;
    for (int seed = 0; seed < seeds && rates > 1; seed++) {
        low += !(chosen[seed] > rate[0]);
        high += !(chosen[seed] < rate[rates - 1]);
    }
    if (!seeds || low + high < seeds) return;
    if (out->length) text_format(out, "; ");
    if (low && high)
        text_format(out, "%s is best at %s or %s, the ends of its %d rates: one outside may be better", arm,
                    FORMAT_RATE(rate[0]), FORMAT_RATE(rate[rates - 1]), rates);
    else
        text_format(out, "%s is best at %s, the %s of its %d rates: a %s one may be better", arm,
                    FORMAT_RATE(chosen[0]), low ? "lowest" : "highest", rates, low ? "lower" : "higher");
}

/* What one seed's runs of a grid say. */
typedef struct {
    int rates;
    double rate[EXPERIMENT_VALUES_MAX], loss[EXPERIMENT_VALUES_MAX], first[EXPERIMENT_VALUES_MAX];
    bool stable[EXPERIMENT_VALUES_MAX], failed[EXPERIMENT_VALUES_MAX];
} Row;

static void read_row(Row *r, const Sample *s, const Term *t, int seed) {
    int cell[EXPERIMENT_VALUES_MAX];
    r->rates = rates_of(s->x, t->cell, cell, r->rate);
    for (int k = 0; k < r->rates; k++) {
        int last = s->cell[cell[k]].steps - 1;
        const SampleRun *run = sample_run(s, cell[k], last, t->arm, seed);
        bool start = s->cell[cell[k]].step[0] == 0;
        r->loss[k] = run->value[METRIC_valid_loss];
        r->first[k] = start ? sample_run(s, cell[k], 0, t->arm, seed)->raw[METRIC_valid_loss]
                            : metric_uniform(METRIC_valid_loss, run->record);
        r->stable[k] = !run->diverged && !run->above;
        r->failed[k] = run->diverged || run->stalled;
    }
}

static int best_rate(const Row *r) {
    int best = 0;
    for (int k = 1; k < r->rates; k++)
        if (r->loss[k] < r->loss[best]) best = k;
    return best;
}

static double grid_failed(const Row *r) {
    int count = 0;
    for (int k = 0; k < r->rates; k++) count += r->failed[k];
    return count;
}

static double grid_rate_stable(const Row *r) {
    int k = 0;
    while (k < r->rates && r->stable[k]) k++;
    if (k) return log2(r->rate[k - 1]);
    return log2(r->rate[0]) - (r->rates > 1 ? log2(r->rate[1] / r->rate[0]) : 1);
}

static double grid_rate_basin(const Row *r) {
    int low = best_rate(r), high = low;
    double most = r->loss[low] + SENSITIVITY_BASIN;
    while (low > 0 && r->loss[low - 1] <= most) low--;
    while (high + 1 < r->rates && r->loss[high + 1] <= most) high++;
    return log2(r->rate[high] / r->rate[low]);
}

static double grid_rate_sensitivity(const Row *r) {
    double sum = 0;
    for (int k = 0; k < r->rates; k++) sum += fmin(r->loss[k], r->first[k]);
    return sum / r->rates - r->loss[best_rate(r)];
}

double grid_value(GridMetric metric, const Sample *s, const Term *t, int seed) {
    static double (*const made[])(const Row *) = {
#define GRID(key, better, matters, help) [GRID_##key] = grid_##key,
#include "bench/plan/grids.def"
#undef GRID
    };
    OWNED Row *row = mem_alloc(1, sizeof *row);
    read_row(row, s, t, seed);
    return made[metric](row);
}

/* Swapped grids are those of the seed that flips share with the other comparisons. */
void grid_test(Family *f, const Sample *s) {
    OWNED StGrid *grid = mem_alloc(2 * (size_t)f->count, sizeof *grid);
    OWNED StGridPair *pair = mem_alloc((size_t)f->count, sizeof *pair);
    OWNED StMaxTRow *rows = mem_alloc((size_t)f->count, sizeof *rows);
    size_t k = 0, at = 0;
    for (int i = 0; i < f->count; i++) {
        const Contrast *w = &f->at[i].what;
        if (!w->best) continue;
        int plus = w->term[0].weight > 0 ? 0 : 1; /* terms are a pair of weights 1 and -1 */
        grid[2 * k] = grid_make(s, &w->term[plus], w->metric, 0);
        grid[2 * k + 1] = grid_make(s, &w->term[1 - plus], w->metric, w->against);
        pair[k] = (StGridPair){2 * k, 2 * k + 1};
        k++;
    }
    if (k) f->choice = st_choice_maxT(grid, pair, k, f->joint_key, rows);
    for (int i = 0; i < f->count && k; i++) {
        Comparison *c = &f->at[i];
        if (!c->what.best) continue;
        StMaxTRow row = rows[at++];
        if (f->choice.status != ST_OK) c->status = f->choice.status;
        c->choice = row;
        c->flip.p = row.raw, c->flip.count = row.raw_count, c->flip.total = f->choice.total;
        c->flip.p_min = c->flip.p_min_here = f->choice.p_min;
    }
    for (size_t i = 0; i < 2 * k; i++) grid_free(&grid[i]);
}
