#include "bench/verdict/ranking.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sha256.h"

/* The cells of a group in ascending order of rate, and one arm of it. */
typedef struct {
    const Sample *s;
    int cell[EXPERIMENT_VALUES_MAX], arm;
} Grid;

static const SampleRun *run_at(const Grid *g, int rate, int seed) {
    return sample_run(g->s, g->cell[rate], g->s->cell[g->cell[rate]].steps - 1, g->arm, seed);
}

static double loss_at(const RankingRow *row, int seeds, int rate, int seed) {
    return row->grid.value[rate * seeds + seed];
}

static void count_lost(const Ranking *y, const Grid *g, RankingRow *row) {
    for (int k = 0; k < y->rates; k++)
        for (int seed = 0; seed < y->seeds; seed++) {
            const SampleRun *run = run_at(g, k, seed);
            row->runs++;
            row->diverged += run->diverged, row->stalled += run->stalled && !run->diverged;
        }
}

/* The loss of the rate that this seed would choose by itself. */
static double own_best(const Ranking *y, const RankingRow *row, int seed) {
    int best = 0;
    for (int k = 1; k < y->rates; k++)
        if (loss_at(row, y->seeds, k, seed) < loss_at(row, y->seeds, best, seed)) best = k;
    return loss_at(row, y->seeds, best, seed);
}

static void judge(const Ranking *y, const Grid *g, RankingRow *row) {
    double sum = 0;
    (void)st_judge(&row->grid, row->chosen, row->value); /* two seeds or more, finite losses */
    for (int seed = 0; seed < y->seeds; seed++) {
        row->run[seed] = run_at(g, (int)row->chosen[seed], seed);
        row->lost[seed] = row->run[seed]->diverged;
        row->judged_lost += row->lost[seed];
        sum += own_best(y, row, seed);
    }
    row->flattered = sum / y->seeds;
    row->t = st_tci(row->value, (size_t)y->seeds, 0, 1 - y->alpha);
}

static double mean_at(const Ranking *y, const RankingRow *row, int rate) {
    double sum = 0;
    for (int seed = 0; seed < y->seeds; seed++) sum += loss_at(row, y->seeds, rate, seed);
    return sum / y->seeds;
}

/* Whether a rate belongs to the basin of losses up to `most`. */
static bool inside(const Ranking *y, const RankingRow *row, int rate, double most) {
    for (int seed = 0; seed < y->seeds; seed++)
        if (row->grid.lost[rate * y->seeds + seed]) return false;
    return mean_at(y, row, rate) <= most;
}

static void find_basin(const Ranking *y, RankingRow *row) {
    int best = (int)st_choose(&row->grid, row->grid.n);
    double most = mean_at(y, row, best) + SENSITIVITY_BASIN;
    row->best = row->low = row->high = -1;
    if (!inside(y, row, best, most)) return;
    row->best = row->low = row->high = best;
    while (row->low > 0 && inside(y, row, row->low - 1, most)) row->low--;
    while (row->high + 1 < y->rates && inside(y, row, row->high + 1, most)) row->high++;
}

/* A step's operations, by the list of ops that the arm's row makes. */
static void count_cost(const Grid *g, RankingRow *row) {
    const RunRecord *r = run_at(g, 0, 0)->record;
    ModelShape shape = spec_shape(&r->spec, r->vocab);
    LOCAL(tape_release) Tape tape = {0};
    transformer_build(&tape, &shape, &r->spec.variant, NULL);
    row->flops = tape_flops(&tape);
    row->parameters = r->parameters;
}

static int by_mean(const void *a, const void *b) {
    const RankingRow *x = a, *y = b;
    if (x->t.mean != y->t.mean) return x->t.mean < y->t.mean ? -1 : 1;
    return x->arm - y->arm;
}

/* What a run ranks by within its seed. */
static double ranked(const RankingRow *row, int seed) {
    return row->lost[seed] ? (double)INFINITY : row->value[seed];
}

static void rank_group(RankingRow *row, int arms, int seeds) {
    qsort(row, (size_t)arms, sizeof *row, by_mean);
    for (int i = 0; i < arms; i++) {
        double sum = 0;
        row[i].rank = i && row[i].t.mean == row[i - 1].t.mean ? row[i - 1].rank : i + 1;
        row[i].first = 1, row[i].last = arms;
        for (int seed = 0; seed < seeds; seed++) {
            double below = 0.5; /* itself: half of a tie */
            for (int j = 0; j < arms; j++) {
                double other = ranked(&row[j], seed), own = ranked(&row[i], seed);
                below += other < own ? 1 : other == own ? 0.5 : 0;
            }
            sum += below;
        }
        row[i].mean_rank = sum / seeds;
    }
}

/* The grids of rows[count] for the tests. */
static StGrid *grids_of(const RankingRow *row, int count) {
    StGrid *g = mem_alloc((size_t)count, sizeof *g);
    for (int i = 0; i < count; i++) g[i] = row[i].grid;
    return g;
}

/* All pairs of a group's arms, which stand in order of their means. */
static void find_places(Ranking *y, RankingRow *row, StKey key) {
    size_t k = (size_t)y->arms * (size_t)(y->arms - 1) / 2, at = 0;
    OWNED StGrid *grid = grids_of(row, y->arms);
    OWNED StGridPair *pair = mem_alloc(k + 1, sizeof *pair);
    OWNED StMaxTRow *p = mem_alloc(k + 1, sizeof *p);
    for (size_t a = 0; a < (size_t)y->arms; a++)
        for (size_t b = a + 1; b < (size_t)y->arms; b++) pair[at++] = (StGridPair){a, b};
    y->pairs = st_choice_maxT(grid, pair, k, key, p);
    y->apart = y->pairs.status == ST_OK && y->pairs.p_min < y->alpha;
    for (at = 0; at < k && y->apart; at++)
        if (p[at].step < y->alpha) row[pair[at].a].last--, row[pair[at].b].first++;
}

double ranking_minus(const Ranking *y, const RankingRow *row, const RankingRow *from, StTci *minus) {
    size_t n = (size_t)y->seeds;
    double *d = mem_alloc(n, sizeof *d), sum = 0;
    for (size_t s = 0; s < n; s++) sum += d[s] = row->value[s] - from->value[s];
    *minus = st_tci(d, n, st_scale(row->value, from->value, n), 1 - y->alpha);
    if (row->judged_lost + from->judged_lost) minus->status = ST_BAD_ARG;
    free(d);
    return sum / y->seeds;
}

/* Every arm against the baseline of its group. */
static void compare(Ranking *y, int baseline, StKey key) {
    OWNED StGrid *grid = grids_of(y->row, y->rows);
    OWNED StGridPair *pair = mem_alloc((size_t)y->rows, sizeof *pair);
    OWNED StMaxTRow *p = mem_alloc((size_t)y->rows, sizeof *p);
    size_t k = 0;
    for (int i = 0; i < y->rows; i++) {
        int base = y->row[i].group * y->arms;
        while (y->row[base].arm != baseline) base++;
        y->row[i].baseline = base == i;
        if (base == i) continue;
        y->row[i].difference = ranking_minus(y, &y->row[i], &y->row[base], &y->row[i].minus);
        pair[k++] = (StGridPair){(size_t)i, (size_t)base};
    }
    y->joint = st_choice_maxT(grid, pair, k, key, p);
    for (size_t j = 0; j < k; j++) y->row[pair[j].a].p = p[j];
}

static void fill_group(Ranking *y, const Sample *s, int group, StKey key) {
    Grid g = {.s = s};
    RankingRow *row = &y->row[group * y->arms];
    (void)sensitivity_cells(s->x, group, g.cell, y->rate);
    sensitivity_group(s->x, g.cell[0], y->group[group]);
    for (g.arm = 0; g.arm < y->arms; g.arm++) {
        RankingRow *one = &row[g.arm];
        size_t n = (size_t)y->seeds;
        *one = (RankingRow){.group = group,
                            .arm = g.arm,
                            .grid = sensitivity_grid(s, g.cell, y->rates, g.arm),
                            .chosen = mem_alloc(n, sizeof *one->chosen),
                            .value = mem_alloc(n, sizeof *one->value),
                            .lost = mem_alloc(n, sizeof *one->lost),
                            .run = mem_alloc(n, sizeof *one->run)};
        count_lost(y, &g, one);
        judge(y, &g, one);
        find_basin(y, one);
        count_cost(&g, one);
    }
    rank_group(row, y->arms, y->seeds);
    find_places(y, row, key);
}

static void begin(Ranking *y, const Sample *s) {
    const Experiment *x = s->x;
    int factor = sensitivity_factor(x);
    *y = (Ranking){
        .seeds = x->seeds, .arms = x->arms, .rates = factor < 0 ? 1 : x->factor[factor].values, .alpha = x->alpha};
    y->groups = s->cells / y->rates;
    y->rate = mem_alloc(EXPERIMENT_VALUES_MAX, sizeof *y->rate);
    y->group = mem_alloc((size_t)y->groups, sizeof *y->group);
}

void ranking_of(Ranking *y, const Sample *s) {
    begin(y, s);
    y->rows = y->groups * y->arms;
    y->row = mem_alloc((size_t)y->rows, sizeof *y->row);
    StKey key = {.plan = name_stream(s->x->plan), .stream = name_stream("ranking")};
    for (int group = 0; group < y->groups; group++) fill_group(y, s, group, key);
    compare(y, s->baseline, key);
}

bool ranking_make(Ranking *y, const Sample *s) {
    if (!s->x->summary[SUMMARY_ranking]) return false;
    if (s->x->seeds >= RANKING_LEAST_SEEDS) {
        ranking_of(y, s);
        return true;
    }
    int cell[EXPERIMENT_VALUES_MAX];
    begin(y, s);
    (void)sensitivity_cells(s->x, 0, cell, y->rate);
    y->status = ST_N_TOO_SMALL;
    return true;
}

bool ranking_trains(const RankingRow *row) {
    return row->diverged + row->stalled < row->runs;
}

void ranking_release(Ranking *y) {
    for (int i = 0; i < y->rows; i++) {
        free((void *)y->row[i].grid.value);
        free(y->row[i].chosen);
        free(y->row[i].value);
        free(y->row[i].lost);
        free(y->row[i].run);
    }
    free(y->row);
    free(y->rate);
    free(y->group);
    *y = (Ranking){0};
}
