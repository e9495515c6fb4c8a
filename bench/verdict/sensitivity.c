#include "bench/verdict/sensitivity.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"

const char *const sensitivity_names[SENSITIVITY_COUNT] = {"best loss", "log2 largest stable rate", "log2 basin width",
                                                          "sensitivity"};

int sensitivity_factor(const Experiment *x) {
    for (int a = 0; a < x->arms; a++)
        if (x->arm[a].own >> spec_index("lr") & 1) return -1;
    for (int f = 0; f < x->factors; f++)
        if (!strcmp(x->factor[f].key, "lr") && x->factor[f].values > 1) return f;
    return -1;
}

/* A rate, and its level of the factor `lr`. */
typedef struct {
    double rate;
    int level;
} RateLevel;

static int by_rate(const void *a, const void *b) {
    double x = ((const RateLevel *)a)->rate, y = ((const RateLevel *)b)->rate;
    return (x > y) - (x < y);
}

/* The rates of the factor, which there is, ascending; returns how many. */
static int sensitivity_rates(const Experiment *x, RateLevel order[EXPERIMENT_VALUES_MAX]) {
    const Factor *f = &x->factor[sensitivity_factor(x)];
    for (int k = 0; k < f->values; k++) {
        bool number = parse_real(f->value[k], &order[k].rate);
        assert(number && "a factor's values were checked when they were read");
        (void)number;
        order[k].level = k;
    }
    qsort(order, (size_t)f->values, sizeof *order, by_rate);
    return f->values;
}

int sensitivity_cells(const Experiment *x, int group, int cell[EXPERIMENT_VALUES_MAX],
                      double rate[EXPERIMENT_VALUES_MAX]) {
    RateLevel order[EXPERIMENT_VALUES_MAX];
    int factor = sensitivity_factor(x), stride = 1;
    if (factor < 0) {
        cell[0] = group, rate[0] = experiment_spec(x, group, 0, 0).lr;
        return 1;
    }
    int rates = sensitivity_rates(x, order);
    for (int f = x->factors - 1; f > factor; f--) stride *= x->factor[f].values;
    for (int k = 0; k < rates; k++) {
        cell[k] = group / stride * stride * rates + group % stride + order[k].level * stride;
        rate[k] = order[k].rate;
    }
    return rates;
}

void sensitivity_group(const Experiment *x, int cell, char out[256]) {
    size_t n = 0;
    int factor = sensitivity_factor(x);
    out[0] = 0;
    for (int f = 0; f < x->factors && n < 256; f++)
        if (f != factor)
            n += (size_t)snprintf(out + n, 256 - n, "%s%s = %s", n ? ", " : "", x->factor[f].key,
                                  x->factor[f].value[experiment_level(x, cell, f)]);
}

StGrid sensitivity_grid(const Sample *s, const int *cells, int rates, int arm) {
    size_t n = (size_t)s->seeds, all = (size_t)rates * n;
    double *loss = mem_alloc(all * (sizeof *loss + 1), 1);
    unsigned char *untrained = (unsigned char *)(loss + all);
    for (size_t i = 0; i < all; i++) {
        int cell = cells[i / n];
        const SampleRun *run = sample_run(s, cell, s->cell[cell].steps - 1, arm, (int)(i % n));
        loss[i] = run->value[METRIC_valid_loss];
        untrained[i] = run->diverged || run->stalled;
    }
    return (StGrid){.value = loss, .lost = untrained, .settings = (size_t)rates, .n = n};
}

bool sensitivity_none(const Sensitivity *y, double stable) {
    return exp2(stable) < 0.999999 * y->rate[0];
}

/* log2 of the largest rate up to which all is well, or of one step below the grid. */
static double stable_rate(const Sample *s, const Sensitivity *y, const int *cells, int arm, int seed) {
    double stable = 2 * log2(y->rate[0]) - log2(y->rate[1]);
    for (int k = 0; k < y->rates; k++) {
        const SampleRun *run = sample_run(s, cells[k], s->cell[cells[k]].steps - 1, arm, seed);
        if (run->diverged || run->above) break;
        stable = log2(y->rate[k]);
    }
    return stable;
}

/* Whether a run trained to a loss of up to `most`; run: its place in the grid. */
static bool trained(const StGrid *g, int run, double most) {
    return !g->lost[run] && g->value[run] <= most;
}

/* The width of a seed's basin around rate `at`. */
static double basin(const Sensitivity *y, const StGrid *g, int at, int seed) {
    double most = g->value[at * y->seeds + seed] + SENSITIVITY_BASIN;
    int low = at, high = at;
    if (g->lost[at * y->seeds + seed]) return 0;
    while (low > 0 && trained(g, (low - 1) * y->seeds + seed, most)) low--;
    while (high + 1 < y->rates && trained(g, (high + 1) * y->seeds + seed, most)) high++;
    return log2(y->rate[high] / y->rate[low]);
}

/* The mean over the grid of losses that count at most as the first. */
static double mean_loss(const Sample *s, const Sensitivity *y, const int *cells, const SensitivityRow *row, int seed) {
    double sum = 0;
    for (int k = 0; k < y->rates; k++) {
        int last = s->cell[cells[k]].steps - 1;
        const SampleRun *start = sample_run(s, cells[k], 0, row->arm, seed);
        double first = last > 0 ? start->raw[METRIC_valid_loss] : metric_uniform(METRIC_valid_loss, start->record);
        sum += fmin(row->grid.value[k * y->seeds + seed], first);
    }
    return sum / y->rates;
}

/* What each quantity is for each seed at each rate that may be chosen for it. */
static void judge_all(const Sample *s, const Sensitivity *y, const int *cells, SensitivityRow *row) {
    row->none = 0;
    for (int seed = 0; seed < y->seeds; seed++) {
        double stable = stable_rate(s, y, cells, row->arm, seed), mean = mean_loss(s, y, cells, row, seed);
        row->none += sensitivity_none(y, stable);
        row->value[SENSITIVITY_stable][seed] = stable; /* whatever is chosen */
        for (int k = 0; k < y->rates; k++) {
            int i = k * y->seeds + seed;
            row->judged[SENSITIVITY_best][i] = row->grid.value[i];
            row->judged[SENSITIVITY_stable][i] = stable;
            row->judged[SENSITIVITY_basin][i] = basin(y, &row->grid, k, seed);
            row->judged[SENSITIVITY_sensitivity][i] = mean - row->grid.value[i];
        }
    }
}

static StGrid grid_of(const SensitivityRow *row, int q) {
    StGrid g = row->grid;
    g.judged = row->judged[q];
    return g;
}

static void choose(const Sensitivity *y, SensitivityRow *row) {
    for (int q = 0; q < SENSITIVITY_COUNT; q++) {
        StGrid g = grid_of(row, q);
        if (st_judge(&g, row->chosen, row->value[q]) == ST_OK || q == SENSITIVITY_stable) continue;
        for (int seed = 0; seed < y->seeds; seed++) row->value[q][seed] = (double)NAN;
    }
}

static void summarize(SensitivityRow *row, int seeds) {
    for (int q = 0; q < SENSITIVITY_COUNT; q++) {
        LOCAL(st_sample_release) StSample sorted = {0};
        row->mean[q] = row->sd[q] = (double)NAN;
        if (st_sample_init(&sorted, row->value[q], (size_t)seeds, 0) != ST_OK) continue;
        row->mean[q] = st_sample_mean(&sorted);
        if (seeds > 1) row->sd[q] = st_sample_sd(&sorted);
    }
}

/* Whether a run that was judged diverged: then a mean has no t interval. */
static bool judged_diverged(const Sample *s, const Sensitivity *y, const SensitivityRow *row) {
    int cells[EXPERIMENT_VALUES_MAX];
    double rate[EXPERIMENT_VALUES_MAX];
    bool lost = false;
    (void)sensitivity_cells(s->x, row->group, cells, rate);
    for (int seed = 0; seed < y->seeds && y->seeds > 1; seed++) {
        int cell = cells[row->chosen[seed]];
        lost |= sample_run(s, cell, s->cell[cell].steps - 1, row->arm, seed)->diverged;
    }
    return lost;
}

static void subtract(const Sample *s, const Sensitivity *y, SensitivityRow *row, const SensitivityRow *base) {
    size_t n = (size_t)y->seeds;
    OWNED double *d = mem_alloc(n, sizeof *d);
    bool lost = judged_diverged(s, y, row) || judged_diverged(s, y, base);
    for (int q = 0; q < SENSITIVITY_COUNT; q++) {
        for (size_t i = 0; i < n; i++) d[i] = row->value[q][i] - base->value[q][i];
        row->minus[q] = st_tci(d, n, st_scale(row->value[q], base->value[q], n), 1 - s->x->alpha);
        if (lost && q != SENSITIVITY_stable) row->minus[q].status = ST_BAD_ARG;
    }
}

/* Every arm against the baseline of its group, all quantities jointly. */
static void compare(Sensitivity *y, const Sample *s) {
    size_t k = 0, all = (size_t)y->rows * SENSITIVITY_COUNT;
    OWNED StGrid *grid = mem_alloc(all, sizeof *grid);
    OWNED StGridPair *pair = mem_alloc(all, sizeof *pair);
    OWNED StMaxTRow *p = mem_alloc(all, sizeof *p);
    for (int i = 0; i < y->rows; i++) {
        int base = y->row[i].group * s->arms + s->baseline;
        y->row[i].baseline = base == i;
        if (base != i) subtract(s, y, &y->row[i], &y->row[base]);
        for (int q = 0; q < SENSITIVITY_COUNT; q++) {
            grid[i * SENSITIVITY_COUNT + q] = grid_of(&y->row[i], q);
            if (base == i) continue;
            pair[k++] = (StGridPair){(size_t)(i * SENSITIVITY_COUNT + q), (size_t)(base * SENSITIVITY_COUNT + q)};
        }
    }
    StKey key = {.plan = name_stream(s->x->plan), .stream = name_stream("sensitivity")};
    y->joint = st_choice_maxT(grid, pair, k, key, p);
    if (y->joint.status == ST_OK) y->floor = y->joint.p_min;
    for (size_t j = 0; j < k; j++) y->row[pair[j].a / SENSITIVITY_COUNT].p[pair[j].a % SENSITIVITY_COUNT] = p[j];
}

static void fill_row(const Sample *s, const Sensitivity *y, const int *cells, SensitivityRow *row) {
    size_t n = (size_t)y->seeds, all = n * (size_t)y->rates;
    row->grid = sensitivity_grid(s, cells, y->rates, row->arm);
    row->chosen = mem_alloc(n, sizeof *row->chosen);
    for (int q = 0; q < SENSITIVITY_COUNT; q++) {
        row->judged[q] = mem_alloc(all, sizeof(double));
        row->value[q] = mem_alloc(n, sizeof(double));
    }
    judge_all(s, y, cells, row);
    choose(y, row);
    summarize(row, y->seeds);
}

bool sensitivity_make(Sensitivity *y, const Sample *s) {
    const Experiment *x = s->x;
    int factor = sensitivity_factor(x);
    if (factor < 0) return false;
    *y = (Sensitivity){.rates = x->factor[factor].values, .seeds = x->seeds, .floor = 1};
    y->groups = s->cells / y->rates;
    y->rows = y->groups * x->arms;
    int cells[EXPERIMENT_VALUES_MAX];
    y->rate = mem_alloc(EXPERIMENT_VALUES_MAX, sizeof *y->rate);
    y->group = mem_alloc((size_t)y->groups, sizeof *y->group);
    y->row = mem_alloc((size_t)y->rows, sizeof *y->row);
    for (int group = 0; group < y->groups; group++) {
        (void)sensitivity_cells(x, group, cells, y->rate);
        sensitivity_group(x, cells[0], y->group[group]);
        for (int arm = 0; arm < x->arms; arm++) {
            SensitivityRow *row = &y->row[group * x->arms + arm];
            row->group = group, row->arm = arm;
            fill_row(s, y, cells, row);
        }
    }
    compare(y, s);
    return true;
}

void sensitivity_release(Sensitivity *y) {
    for (SensitivityRow *row = y->row; row < y->row + y->rows; row++) {
        for (int q = 0; q < SENSITIVITY_COUNT; q++) free(row->value[q]), free(row->judged[q]);
        free((void *)row->grid.value);
        free(row->chosen);
    }
    free(y->row);
    free(y->rate);
    free(y->group);
    *y = (Sensitivity){0};
}
