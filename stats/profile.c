/* Interquartile means and performance profiles over tasks. */
#include "stats/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stats/paired.h"
#include "stats/resample.h"

/* As st_iqm; x gets sorted. */
static double middle_mean(double *x, size_t n) {
    size_t cut = n / 4;
    double sum = 0.0;
    qsort(x, n, sizeof *x, st_compare_double);
    for (size_t i = cut; i < n - cut; i++) sum += x[i];
    return sum / (double)(n - 2 * cut);
}

static StStatus check(const double *x, size_t tasks, size_t n, double conf) {
    if (!x || tasks == 0 || n > UINT32_MAX || n > SIZE_MAX / 16 / tasks || !(conf > 0.0 && conf < 1.0))
        return ST_BAD_ARG;
    StStatus status = st_check_finite(x, tasks * n);
    return status != ST_OK ? status : n < 2 ? ST_N_TOO_SMALL : ST_OK;
}

/* The places of one draw: [tasks][n], each within its task. */
static void draw(gsl_rng *rng, size_t tasks, size_t n, size_t *place) {
    for (size_t t = 0; t < tasks; t++)
        for (size_t i = 0; i < n; i++) place[t * n + i] = t * n + st_rng_below(rng, (uint32_t)n);
}

static double drawn_iqm(const double *x, const size_t *place, size_t count, double *room) {
    for (size_t i = 0; i < count; i++) room[i] = x[place[i]];
    return middle_mean(room, count);
}

StTaskIqm st_task_iqm(const double *x, const double *base, size_t tasks, size_t n, double conf, StKey key) {
    StTaskIqm r = {check(x, tasks, n, conf), NAN, NAN, NAN, NAN, {ST_BAD_ARG, NAN, NAN}};
    if (r.status == ST_OK && base) r.status = check(base, tasks, n, conf);
    if (r.status != ST_OK && r.status != ST_N_TOO_SMALL) return r;
    size_t count = tasks * n;
    r.iqm = st_iqm(x, count).value;
    r.difference = base ? r.iqm - st_iqm(base, count).value : NAN;
    r.minus.status = base ? r.status : ST_BAD_ARG;
    if (r.status != ST_OK) return r;
    gsl_rng *rng = st_rng_new(key);
    OWNED size_t *place = mem_alloc(count, sizeof *place);
    OWNED double *room = mem_alloc(count, sizeof *room);
    OWNED StWeighted *own = mem_alloc(ST_PROFILE_DRAWS, sizeof *own),
                     *minus = mem_alloc(ST_PROFILE_DRAWS, sizeof *minus);
    for (size_t i = 0; i < ST_PROFILE_DRAWS; i++) {
        draw(rng, tasks, n, place);
        own[i] = minus[i] = (StWeighted){drawn_iqm(x, place, count, room), 1};
        if (base) minus[i].value -= drawn_iqm(base, place, count, room);
    }
    StInterval alone = st_weighted_interval(own, ST_PROFILE_DRAWS, conf);
    r.lo = alone.lo;
    r.hi = alone.hi;
    if (base) r.minus = st_weighted_interval(minus, ST_PROFILE_DRAWS, conf);
    gsl_rng_free(rng);
    return r;
}

static size_t at_or_below(const double *sorted, size_t n, double tau, double tol) {
    size_t k = 0;
    while (k < n && sorted[k] <= tau + tol) k++;
    return k;
}

/* seen: [taus][count + 1], zeros; how many draws have so many runs at or below tau. */
static void count_draws(gsl_rng *rng, const double *x, size_t tasks, size_t n, const double *tau, size_t taus,
                        double tol, size_t *place, double *room, uint64_t *seen) {
    size_t count = tasks * n;
    for (size_t d = 0; d < ST_PROFILE_DRAWS; d++) {
        draw(rng, tasks, n, place);
        for (size_t i = 0; i < count; i++) room[i] = x[place[i]];
        qsort(room, count, sizeof *room, st_compare_double);
        for (size_t t = 0; t < taus; t++) seen[t * (count + 1) + at_or_below(room, count, tau[t], tol)]++;
    }
}

/* The value below which a share of the draws lie. */
static double share_quantile(const uint64_t *seen, size_t count, double q) {
    uint64_t sum = 0, wanted = (uint64_t)floor(q * (ST_PROFILE_DRAWS - 1));
    size_t k = 0;
    for (sum = seen[0]; sum <= wanted && k < count; sum += seen[k]) k++;
    return (double)k / (double)count;
}

StStatus st_performance(const double *x, size_t tasks, size_t n, double scale, const double *tau, size_t taus,
                        double conf, StKey key, StBand *band) {
    StStatus status = check(x, tasks, n, conf);
    if (status != ST_OK && status != ST_N_TOO_SMALL) return status;
    size_t count = tasks * n;
    double tol = st_tol(fmax(scale, st_scale(x, NULL, count)));
    gsl_rng *rng = st_rng_new(key);
    OWNED size_t *place = mem_alloc(count, sizeof *place);
    OWNED double *room = mem_alloc(count, sizeof *room);
    OWNED uint64_t *seen = mem_alloc(taus * (count + 1), sizeof *seen);
    memcpy(room, x, count * sizeof *room);
    qsort(room, count, sizeof *room, st_compare_double);
    for (size_t t = 0; t < taus; t++)
        band[t] = (StBand){(double)at_or_below(room, count, tau[t], tol) / (double)count, NAN, NAN};
    if (status == ST_OK) {
        count_draws(rng, x, tasks, n, tau, taus, tol, place, room, seen);
        for (size_t t = 0; t < taus; t++) {
            band[t].lo = share_quantile(seen + t * (count + 1), count, (1.0 - conf) / 2.0);
            band[t].hi = share_quantile(seen + t * (count + 1), count, (1.0 + conf) / 2.0);
        }
    }
    gsl_rng_free(rng);
    return status;
}
