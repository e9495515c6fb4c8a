#include "bench/verdict/sensitivity.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sensitivity_names[SENSITIVITY_COUNT] = {"best loss", "log2 largest stable rate",
                                                          "log2 basin width", "sensitivity"};

int sensitivity_factor(const Experiment *x) {
    for (int a = 0; a < x->arms; a++)
        if (x->arm[a].own >> spec_index("lr") & 1) return -1;
    for (int f = 0; f < x->factors; f++)
        if (!strcmp(x->factor[f].key, "lr") && x->factor[f].values > 1) return f;
    return -1;
}

static int by_rate(const void *a, const void *b) {
    double x = ((const RateLevel *)a)->rate, y = ((const RateLevel *)b)->rate;
    return (x > y) - (x < y);
}

int sensitivity_rates(const Experiment *x, RateLevel order[EXPERIMENT_MOST_VALUES]) {
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

int sensitivity_cells(const Experiment *x, int group, int cell[EXPERIMENT_MOST_VALUES],
                      double rate[EXPERIMENT_MOST_VALUES]) {
    RateLevel order[EXPERIMENT_MOST_VALUES];
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

/* One seed's four numbers over the grid. */
static void one_seed(const Sample *s, const Sensitivity *y, const int *cells, SensitivityRow *row, int seed) {
    double best = (double)INFINITY, sum = 0, stable = (double)NAN;
    double *loss = mem_alloc((size_t)y->rates, sizeof *loss);
    bool sound = true;
    int at = 0;
    for (int k = 0; k < y->rates; k++) {
        int last = s->cell[cells[k]].steps - 1;
        const SampleRun *run = sample_run(s, cells[k], last, row->arm, seed);
        const SampleRun *start = sample_run(s, cells[k], 0, row->arm, seed);
        double first = last > 0 ? start->raw[METRIC_valid_loss] : metric_uniform(METRIC_valid_loss, run->record);
        loss[k] = run->value[METRIC_valid_loss];
        sum += fmin(loss[k], first);
        sound &= !run->diverged && !run->above;
        if (sound) stable = log2(y->rate[k]);
        if (loss[k] < best) best = loss[k], at = k;
    }
    int low = at, high = at;
    while (low > 0 && loss[low - 1] <= best + SENSITIVITY_BASIN) low--;
    while (high + 1 < y->rates && loss[high + 1] <= best + SENSITIVITY_BASIN) high++;
    row->value[SENSITIVITY_best][seed] = best;
    row->value[SENSITIVITY_stable][seed] = stable;
    row->value[SENSITIVITY_basin][seed] = log2(y->rate[high] / y->rate[low]);
    row->value[SENSITIVITY_sensitivity][seed] = sum / y->rates - best;
    free(loss);
}

static void summarize(SensitivityRow *row, int seeds) {
    for (int q = 0; q < SENSITIVITY_COUNT; q++) {
        StSample sorted;
        row->mean[q] = row->sd[q] = (double)NAN;
        if (st_sample_init(&sorted, row->value[q], (size_t)seeds, 0) != ST_OK) continue;
        row->mean[q] = st_sample_mean(&sorted);
        if (seeds > 1) row->sd[q] = st_sample_sd(&sorted);
        st_sample_release(&sorted);
    }
}

/* Every arm against the baseline of its group; all sign flips joint. */
static void compare(Sensitivity *y, const Sample *s) {
    uint64_t *seed = mem_alloc((size_t)y->seeds, sizeof *seed);
    Family *f = &y->family;
    int k = 0;
    for (int i = 0; i < y->seeds; i++) seed[i] = s->x->seed[i];
    *f = (Family){.tests = PAIRED_T, .alpha = s->x->alpha, .conf = 1 - s->x->alpha, .n = y->seeds};
    family_begin(f, (y->rows - y->groups) * SENSITIVITY_COUNT);
    for (SensitivityRow *row = y->row; row < y->row + y->rows; row++) {
        const SensitivityRow *base = &y->row[row->group * s->arms + s->baseline];
        for (int q = 0; q < SENSITIVITY_COUNT && row != base; q++) {
            Comparison *c = &f->at[k++];
            c->what = contrast_pair(0, 0, METRIC_valid_loss, row->arm, s->baseline, (double)NAN);
            comparison_make(f, c,
                            &(PairedRuns){.n = y->seeds,
                                          .seed = seed,
                                          .arm = {{.weight = 1, .value = row->value[q]},
                                                  {.weight = -1, .value = base->value[q]}},
                                          .arms = 2});
            row->against[q] = c;
        }
    }
    family_together(f);
    for (int i = 0; i < k; i++)
        if (f->at[i].status == ST_OK) y->floor = f->floor;
    free(seed);
}

bool sensitivity_make(Sensitivity *y, const Sample *s) {
    const Experiment *x = s->x;
    int factor = sensitivity_factor(x);
    if (factor < 0) return false;
    *y = (Sensitivity){.rates = x->factor[factor].values, .seeds = x->seeds, .floor = 1};
    y->groups = s->cells / y->rates;
    y->rows = y->groups * x->arms;
    int cells[EXPERIMENT_MOST_VALUES];
    y->rate = mem_alloc(EXPERIMENT_MOST_VALUES, sizeof *y->rate);
    y->group = mem_alloc((size_t)y->groups, sizeof *y->group);
    y->row = mem_alloc((size_t)y->rows, sizeof *y->row);
    for (int group = 0; group < y->groups; group++) {
        (void)sensitivity_cells(x, group, cells, y->rate);
        sensitivity_group(x, cells[0], y->group[group]);
        for (int arm = 0; arm < x->arms; arm++) {
            SensitivityRow *row = &y->row[group * x->arms + arm];
            row->group = group, row->arm = arm;
            for (int q = 0; q < SENSITIVITY_COUNT; q++) row->value[q] = mem_alloc((size_t)y->seeds, sizeof(double));
            for (int seed = 0; seed < y->seeds; seed++) one_seed(s, y, cells, row, seed);
            summarize(row, y->seeds);
        }
    }
    compare(y, s);
    return true;
}

void sensitivity_release(Sensitivity *y) {
    for (int i = 0; i < y->rows; i++)
        for (int q = 0; q < SENSITIVITY_COUNT; q++) free(y->row[i].value[q]);
    family_release(&y->family);
    free(y->row);
    free(y->rate);
    free(y->group);
    *y = (Sensitivity){0};
}
