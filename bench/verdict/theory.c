#include "bench/verdict/theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/curve.h"

enum { FARTHEST_Z = 4 };
static const double confidence = .95;

const char *stated_word(StatedWord w) {
    static const char *const words[] = {[STATED_HOLDS] = "holds",
                                        [STATED_FAILS] = "does not hold",
                                        [STATED_UNDECIDED] = "not decided",
                                        [STATED_UNMEASURED] = "not measured"};
    return words[w];
}

static double value_at(const StatementVerdict *v, int point, int seed) {
    return v->m->value[point * v->m->seeds + seed];
}

/* Points from the first that is not finite on say nothing of sizes and slopes: they are what was found. */
static void find_end(StatementVerdict *v) {
    for (v->points = 0; v->points < v->m->points; v->points++) {
        for (int seed = 0; seed < v->m->seeds; seed++) v->left_seeds += !isfinite(value_at(v, v->points, seed));
        if (!v->left_seeds) continue;
        v->left = true;
        v->left_at = v->m->x[v->points];
        return;
    }
}

/* Where an interval stands to a window. */
static StatedWord in_window(const Statement *s, double lo, double hi) {
    if (lo >= s->lo && hi <= s->hi) return STATED_HOLDS;
    return hi < s->lo || lo > s->hi ? STATED_FAILS : STATED_UNDECIDED;
}

/* Mean and interval of one number per seed; one that is the same in every seed is its own interval. */
static void over_seeds(StatementVerdict *v, const double *number) {
    StTci t = st_tci(number, (size_t)v->m->seeds, 0, confidence);
    bool flat = t.status == ST_DEGENERATE || v->m->seeds == 1; /* what has one seed has nothing random */
    v->value = t.mean;
    if (t.status == ST_OK || flat) v->lo = flat ? t.mean : t.lo, v->hi = flat ? t.mean : t.hi;
    if (t.status == ST_OK) v->z = t.mean / t.se;
}

/* Every value by itself. */
static void judge_each(StatementVerdict *v) {
    bool bound = v->statement->how == DECIDE_at_most;
    double worst = -INFINITY;
    for (int p = 0; p < v->points; p++)
        for (int seed = 0; seed < v->m->seeds; seed++) {
            double x = value_at(v, p, seed), to = v->m->predicted[p];
            double away = bound ? x / to - 1 : fabs(x - to) / fmax(1, fabs(to));
            if (isnan(to)) { /* nothing to compare it with */
                v->value = x, v->word = STATED_UNDECIDED;
                return;
            }
            if (away > worst) worst = away, v->value = x;
        }
    v->error = worst;
    v->word = worst <= v->statement->hi ? STATED_HOLDS : STATED_FAILS;
}

/* The mean over the points of value / predicted, per seed. */
static void judge_expected(StatementVerdict *v, double *number) {
    double unit = v->m->predicted[0];
    for (int seed = 0; seed < v->m->seeds; seed++) {
        number[seed] = 0;
        for (int p = 0; p < v->points; p++) number[seed] += value_at(v, p, seed) / v->m->predicted[p] - 1;
        number[seed] /= v->points;
    }
    over_seeds(v, number);
    bool near = isnan(v->z) ? fabs(v->value) < 1e-12 : fabs(v->z) < FARTHEST_Z;
    v->word = near && fabs(v->value) < v->statement->hi ? STATED_HOLDS : STATED_FAILS;
    for (int p = 1; p < v->points; p++)
        if (v->m->predicted[p] < unit || v->m->predicted[p] > unit) unit = 1;
    v->value = (v->value + 1) * unit, v->lo = (v->lo + 1) * unit, v->hi = (v->hi + 1) * unit;
}

/* Every point, and their mean. */
static void judge_inside(StatementVerdict *v, double *number) {
    bool outside = false;
    for (int p = 0; p <= v->points; p++) {
        bool all = p == v->points;
        for (int seed = 0; seed < v->m->seeds; seed++) {
            number[seed] = all ? 0 : value_at(v, p, seed);
            for (int k = 0; all && k < v->points; k++) number[seed] += value_at(v, k, seed) / v->points;
        }
        over_seeds(v, number);
        v->word = in_window(v->statement, v->lo, v->hi);
        outside |= v->word == STATED_FAILS;
    }
    if (outside) v->word = STATED_FAILS;
}

static void judge_slope(StatementVerdict *v, double *number) {
    size_t n = (size_t)v->points;
    double *x = mem_alloc(2 * n + 1, sizeof *x), *y = x + n;
    bool power = v->statement->how == DECIDE_power, good = true;
    for (int seed = 0; seed < v->m->seeds; seed++) {
        for (int p = 0; p < v->points; p++) {
            x[p] = power ? log(v->m->x[p]) : v->m->x[p];
            y[p] = log(value_at(v, p, seed));
        }
        StLine line = st_line(x, y, n);
        number[seed] = line.slope;
        good = good && line.status == ST_OK;
    }
    free(x);
    if (!good) return;
    over_seeds(v, number);
    v->word = isnan(v->lo) ? STATED_UNMEASURED : in_window(v->statement, v->lo, v->hi);
}

/* The share of y's variance that a line on x leaves out. */
static double unexplained(const double *x, const double *y, size_t n) {
    double mean = 0, all = 0;
    for (size_t i = 0; i < n; i++) mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) all += (y[i] - mean) * (y[i] - mean);
    StLine line = st_line(x, y, n);
    return line.status == ST_OK ? line.rss / all : (double)NAN;
}

static void judge_logarithm(StatementVerdict *v, double *number) {
    size_t n = (size_t)v->points;
    double *logs = mem_alloc(2 * n + 1, sizeof *logs), *y = logs + n;
    int better = 0;
    for (int p = 0; p < v->points; p++) logs[p] = log(v->m->x[p]);
    for (int seed = 0; seed < v->m->seeds; seed++) {
        for (int p = 0; p < v->points; p++) y[p] = value_at(v, p, seed);
        number[seed] = unexplained(v->m->x, y, n) - unexplained(logs, y, n);
        better += number[seed] > 0;
    }
    free(logs);
    over_seeds(v, number);
    if (isnan(v->value)) return;
    v->word = better == v->m->seeds ? STATED_HOLDS : better ? STATED_UNDECIDED : STATED_FAILS;
}

StatementVerdict statement_judge(const Statement *s, const Measured *m) {
    StatementVerdict v = {.statement = s, .m = m, .word = STATED_UNMEASURED, .value = NAN, .lo = NAN, .hi = NAN};
    v.z = v.error = NAN;
    find_end(&v);
    if (!v.points) return v;
    OWNED double *number = mem_alloc((size_t)m->seeds, sizeof *number);
    switch (s->how) {
    case DECIDE_exact:
    case DECIDE_at_most: judge_each(&v); break;
    case DECIDE_expected: judge_expected(&v, number); break;
    case DECIDE_inside: judge_inside(&v, number); break;
    case DECIDE_power:
    case DECIDE_rate: judge_slope(&v, number); break;
    case DECIDE_logarithm: judge_logarithm(&v, number); break;
    }
    return v;
}

Seen stated_seen(StatedWord w) {
    switch (w) {
    case STATED_HOLDS: return SEEN_yes;
    case STATED_FAILS: return SEEN_no;
    case STATED_UNDECIDED:
    case STATED_UNMEASURED: break;
    }
    return SEEN_unclear;
}

bool statement_own(const Statement *s) {
    return strncmp(s->setting, "GPT", 3) != 0;
}

void theory_judge(const Theory *t, StatementVerdict out[STATEMENT_COUNT]) {
    for (int i = 0; i < STATEMENT_COUNT; i++) out[i] = statement_judge(&statements[i], &t->at[i]);
}
