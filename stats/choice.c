#include "stats/choice.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/counts.h"

/* What a choice needs of a setting: sums over seeds. */
typedef struct {
    double sum;
    int lost;
} Total;

static double at(const StGrid *g, size_t setting, size_t seed) {
    return g->value[setting * g->n + seed];
}

static int lost_at(const StGrid *g, size_t setting, size_t seed) {
    return g->lost[setting * g->n + seed] != 0;
}

/* The first setting with the fewest lost and the least sum; sums within tol of each other are tied. total[k] less
 * minus[k] (NULL: nothing). */
static size_t best_of(const Total *total, const Total *minus, size_t settings, double tol) {
    size_t best = 0;
    Total least = {0};
    for (size_t k = 0; k < settings; k++) {
        Total one = total[k];
        if (minus) {
            one.sum -= minus[k].sum;
            one.lost -= minus[k].lost;
        }
        if (k == 0 || one.lost < least.lost || (one.lost == least.lost && one.sum < least.sum - tol)) {
            best = k;
            least = one;
        }
    }
    return best;
}

enum { SETTINGS_MAX = 64 };

static const double *counted(const StGrid *g) {
    return g->judged ? g->judged : g->value;
}

/* Of sums over seeds of x, which is g's values or what is judged. */
static double tolerance_of(const double *x, const StGrid *g) {
    return (double)g->n * st_tol(st_scale(x, NULL, g->settings * g->n));
}

static double tolerance(const StGrid *g) {
    return tolerance_of(g->value, g);
}

/* a where the pattern's bit of the seed is not set, b where it is. */
static const StGrid *side(const StGrid *a, const StGrid *b, const unsigned char *swap, size_t seed) {
    return swap && swap[seed] ? b : a;
}

/* Judges the arm whose rows are those of a, swapped with b's. chosen: NULL or [n]. */
static void judge(const StGrid *a, const StGrid *b, const unsigned char *swap, double tol, size_t *chosen,
                  double *judged) {
    Total total[SETTINGS_MAX] = {{0}}, own[SETTINGS_MAX];
    for (size_t k = 0; k < a->settings; k++) {
        for (size_t s = 0; s < a->n; s++) {
            const StGrid *g = side(a, b, swap, s);
            total[k].sum += at(g, k, s);
            total[k].lost += lost_at(g, k, s);
        }
    }
    for (size_t s = 0; s < a->n; s++) {
        const StGrid *g = side(a, b, swap, s);
        for (size_t k = 0; k < a->settings; k++) own[k] = (Total){at(g, k, s), lost_at(g, k, s)};
        size_t best = best_of(total, own, a->settings, tol);
        judged[s] = counted(g)[best * g->n + s];
        if (chosen) chosen[s] = best;
    }
}

static StStatus check(const StGrid *g) {
    if (g->settings == 0 || g->settings > SETTINGS_MAX) return ST_BAD_ARG;
    if (g->n < 2) return ST_N_TOO_SMALL;
    StStatus status = st_check_finite(g->value, g->settings * g->n);
    return status == ST_OK ? st_check_finite(counted(g), g->settings * g->n) : status;
}

size_t st_choose(const StGrid *g, size_t without) {
    Total total[SETTINGS_MAX] = {{0}};
    for (size_t k = 0; k < g->settings; k++) {
        for (size_t s = 0; s < g->n; s++) {
            if (s != without) {
                total[k].sum += at(g, k, s);
                total[k].lost += lost_at(g, k, s);
            }
        }
    }
    return best_of(total, NULL, g->settings, tolerance(g));
}

StStatus st_judge(const StGrid *g, size_t *chosen, double *judged) {
    StStatus status = check(g);
    if (status == ST_OK) judge(g, g, NULL, tolerance(g), chosen, judged);
    return status;
}

StStatus st_expected_least(const StGrid *g, size_t k, double *out) {
    size_t m = g->settings;
    StStatus status = k < 1 || k > m || m > SETTINGS_MAX ? ST_BAD_ARG : st_check_finite(g->value, m * g->n);
    for (size_t s = 0; s < g->n && status == ST_OK; s++) {
        double v[SETTINGS_MAX], share = (double)k / (double)m; /* C(m - 1, k - 1) / C(m, k) */
        for (size_t i = 0; i < m; i++) v[i] = at(g, i, s);
        qsort(v, m, sizeof *v, st_compare_double);
        out[s] = 0.0;
        for (size_t i = 0; i + k <= m; i++) {
            out[s] += share * v[i];
            share *= i + k < m ? (double)(m - i - k) / (double)(m - i - 1) : 0.0;
        }
    }
    return status;
}

/* A pair, what was seen of it, and where its p goes. tol: of choices; apart: of what is judged. */
typedef struct {
    const StGrid *a, *b;
    double tol, apart, seen;
    StMaxTRow *row;
} Column;

/* t^2 of the judged differences, as the share of its largest value: (sum d)^2 / (n sum d^2); 0 where all are ties. */
static double statistic(const Column *c, const unsigned char *swap, double *judged) {
    size_t n = c->a->n;
    double sum = 0.0, squares = 0.0, *other = judged + n;
    judge(c->a, c->b, swap, c->tol, NULL, judged);
    judge(c->b, c->a, swap, c->tol, NULL, other);
    for (size_t s = 0; s < n; s++) {
        double d = judged[s] - other[s];
        d = fabs(d) <= c->apart ? 0.0 : d;
        sum += d;
        squares += d * d;
    }
    return squares > 0.0 ? sum * sum / ((double)n * squares) : 0.0;
}

static int by_seen(const void *x, const void *y) {
    const Column *a = x, *b = y;
    if (a->seen != b->seen) return a->seen > b->seen ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

#define SLACK 1e-9 /* of a statistic between 0 and 1: ties */

/* Counts one pattern; columns in falling order of `seen`. */
static void count(const Column *c, size_t k, const unsigned char *swap, double *u, double *judged, uint64_t times) {
    double run = -INFINITY;
    for (size_t j = k; j-- > 0;) {
        u[j] = statistic(&c[j], swap, judged);
        run = fmax(run, u[j]);
        c[j].row->step_count += run >= c[j].seen - SLACK ? times : 0;
    }
    for (size_t j = 0; j < k; j++) {
        c[j].row->single_count += run >= c[j].seen - SLACK ? times : 0;
        c[j].row->raw_count += u[j] >= c[j].seen - SLACK ? times : 0;
    }
}

/* Half of all patterns, each standing for its complement too, or random ones beside the one that was seen. */
static uint64_t count_all(const Column *c, size_t k, size_t n, bool exact, gsl_rng *rng, unsigned char *swap, double *u,
                          double *judged) {
    uint64_t draws = exact ? (uint64_t)1 << (n - 1) : ST_CHOICE_DRAWS;
    for (uint64_t pattern = 0; pattern < draws; pattern++) {
        for (size_t s = 0; s < n; s++) swap[s] = exact ? pattern >> s & 1 : st_rng_below(rng, 2);
        count(c, k, swap, u, judged, exact ? 2 : 1);
    }
    if (exact) return 2 * draws;
    for (size_t s = 0; s < n; s++) swap[s] = 0;
    count(c, k, swap, u, judged, 1);
    return draws + 1;
}

/* Step-down p never fall along the order. */
static void shares(StMaxT *r, const Column *c) {
    uint64_t run = 0;
    r->p_min = (r->exact ? 2.0 : 1.0) / (double)r->total;
    for (size_t j = 0; j < r->k; j++) {
        StMaxTRow *row = c[j].row;
        run = row->step_count > run ? row->step_count : run;
        row->step_count = run;
        row->step = row->lo = row->hi = (double)run / (double)r->total;
        row->single = (double)row->single_count / (double)r->total;
        row->raw = (double)row->raw_count / (double)r->total;
        if (!r->exact) {
            StCp cp = st_cp(run - 1, r->total - 1, .999);
            row->lo = cp.lo;
            row->hi = cp.hi;
        }
    }
}

StMaxT st_choice_maxT(const StGrid *grid, const StGridPair *pair, size_t k, StKey key, StMaxTRow *rows) {
    size_t n = k > 0 ? grid[pair[0].a].n : 0;
    StMaxT r = {ST_N_TOO_SMALL, k, n, n <= ST_CHOICE_MAX, 0, NAN};
    for (size_t j = 0; j < k; j++) rows[j] = (StMaxTRow){NAN, NAN, NAN, 0, 0, 0, NAN, NAN};
    for (size_t j = 0; j < k; j++) {
        const StGrid *a = &grid[pair[j].a], *b = &grid[pair[j].b];
        r.status = check(a);
        r.status = r.status == ST_OK ? check(b) : r.status;
        if (r.status == ST_OK && (a->n != n || b->n != n || a->settings != b->settings)) r.status = ST_BAD_ARG;
        if (r.status != ST_OK) return r;
    }
    if (k == 0) return r;
    Column *c = mem_alloc(k, sizeof *c);
    OWNED double *u = mem_alloc(k + 2 * n, sizeof *u);
    unsigned char *swap = mem_alloc(n, sizeof *swap);
    gsl_rng *rng = r.exact ? NULL : st_rng_new(key);
    for (size_t j = 0; j < k; j++) {
        const StGrid *a = &grid[pair[j].a], *b = &grid[pair[j].b];
        c[j] = (Column){.a = a, .b = b, .tol = fmax(tolerance(a), tolerance(b)), .row = &rows[j]};
        c[j].apart = fmax(tolerance_of(counted(a), a), tolerance_of(counted(b), b));
        c[j].seen = statistic(&c[j], NULL, u + k);
    }
    qsort(c, k, sizeof *c, by_seen);
    r.total = count_all(c, k, n, r.exact, rng, swap, u, u + k);
    shares(&r, c);
    if (rng) gsl_rng_free(rng);
    free(swap);
    free(c);
    return r;
}
