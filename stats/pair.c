/* Matching the runs of two arms by seed, with divergence kept as data. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/pair.h"

static int by_seed(const void *x, const void *y) {
    uint64_t a = ((const StRun *)x)->seed, b = ((const StRun *)y)->seed;
    return (a > b) - (a < b);
}

static StStatus refuse(StPairs *p, StPairFault fault, uint64_t seed) {
    p->fault = fault;
    p->fault_seed = seed;
    return fault == ST_PAIR_NONFINITE ? ST_NONFINITE_INPUT : ST_BAD_ARG;
}

/* Checks one arm, already sorted. */
static StStatus check_arm(StPairs *p, const StRun *run, size_t n, double cap) {
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && run[i].seed == run[i - 1].seed) return refuse(p, ST_PAIR_DUPLICATE, run[i].seed);
        switch (run[i].state) {
        case ST_RUN_OK:
            if (!(fabs(run[i].value) <= ST_HUGE)) return refuse(p, ST_PAIR_NONFINITE, run[i].seed);
            break;
        case ST_RUN_DIVERGED:
            if (!(fabs(cap) <= ST_HUGE)) return refuse(p, ST_PAIR_NO_CAP, run[i].seed);
            break;
        case ST_RUN_FAILED: return refuse(p, ST_PAIR_FAILED, run[i].seed);
        }
    }
    return ST_OK;
}

/* The first seed that one sorted arm has and the other lacks. */
static StStatus check_match(StPairs *p, const StRun *a, size_t na, const StRun *b, size_t nb) {
    for (size_t i = 0; i < na || i < nb; i++) {
        if (i >= na || (i < nb && b[i].seed < a[i].seed)) return refuse(p, ST_PAIR_UNMATCHED, b[i].seed);
        if (i >= nb || a[i].seed < b[i].seed) return refuse(p, ST_PAIR_UNMATCHED, a[i].seed);
    }
    return ST_OK;
}

static void fill(StPairs *p, const StRun *a, const StRun *b, size_t n, double cap) {
    size_t each = sizeof *p->seed + 3 * sizeof *p->d + sizeof *p->lost;
    p->seed = mem_alloc(n, each);
    p->n = n;
    p->a = (double *)(p->seed + n);
    p->b = p->a + n;
    p->d = p->b + n;
    p->lost = (unsigned char *)(p->d + n);
    for (size_t i = 0; i < n; i++) {
        bool lost_a = a[i].state == ST_RUN_DIVERGED, lost_b = b[i].state == ST_RUN_DIVERGED;
        p->seed[i] = a[i].seed;
        p->a[i] = lost_a ? cap : a[i].value;
        p->b[i] = lost_b ? cap : b[i].value;
        p->d[i] = p->a[i] - p->b[i];
        p->lost[i] = (unsigned char)(lost_a | lost_b << 1);
        p->lost_a += lost_a;
        p->lost_b += lost_b;
        p->only_a += lost_a && !lost_b;
        p->only_b += lost_b && !lost_a;
    }
    p->scale = st_scale(p->a, p->b, n);
}

static StRun *sorted_copy(const StRun *run, size_t n) {
    StRun *copy = mem_alloc(n, sizeof *copy);
    for (size_t i = 0; i < n; i++) copy[i] = run[i];
    qsort(copy, n, sizeof *copy, by_seed);
    return copy;
}

StPairs st_pair(const StRun *a, size_t na, const StRun *b, size_t nb, double cap) {
    StPairs p = {.scale = NAN};
    if ((!a && na > 0) || (!b && nb > 0)) {
        p.status = ST_BAD_ARG;
        return p;
    }
    if (na == 0 && nb == 0) {
        p.status = ST_N_TOO_SMALL;
        return p;
    }
    OWNED StRun *x = sorted_copy(a, na), *y = sorted_copy(b, nb);
    p.status = check_arm(&p, x, na, cap);
    if (p.status == ST_OK) p.status = check_arm(&p, y, nb, cap);
    if (p.status == ST_OK) p.status = check_match(&p, x, na, y, nb);
    if (p.status == ST_OK) fill(&p, x, y, na, cap);
    return p;
}

void st_pairs_release(StPairs *pairs) {
    free(pairs->seed);
    *pairs = (StPairs){.status = ST_BAD_ARG};
}

static double size_of(const StPairs *pairs, size_t i) {
    unsigned lost = pairs->lost[i];
    return lost == 0 ? fabs(pairs->d[i]) : lost == 3 ? 0.0 : INFINITY;
}

/* How many of the ascending list[n] lie below size, or not above it, ties within tol counting as equal. */
static size_t count_below(const double *list, size_t n, double size, double tol, bool or_tied) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        bool tied = list[mid] == size || fabs(list[mid] - size) <= tol; /* inf - inf is NaN: never tied by it */
        if (tied ? or_tied : list[mid] < size)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

StStatus st_pairs_ranks(const StPairs *pairs, double *rank) {
    if (pairs->status != ST_OK) return pairs->status;
    size_t n = pairs->n;
    double tol = st_tol(pairs->scale), *list = mem_alloc(n, sizeof *list);
    for (size_t i = 0; i < n; i++) list[i] = size_of(pairs, i);
    qsort(list, n, sizeof *list, st_compare_double);
    double zero = (double)count_below(list, n, 0.0, tol, true);
    for (size_t i = 0; i < n; i++) {
        unsigned lost = pairs->lost[i];
        double size = size_of(pairs, i);
        double below = (double)count_below(list, n, size, tol, false);
        double tied = (double)count_below(list, n, size, tol, true) - below;
        double sign = lost == 1 ? 1.0 : lost == 2 ? -1.0 : pairs->d[i] > 0.0 ? 1.0 : -1.0;
        rank[i] = size <= tol ? 0.0 : sign * (below - zero + (tied + 1.0) / 2.0);
    }
    free(list);
    return ST_OK;
}
