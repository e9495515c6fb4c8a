/* Statuses, tolerances and the shared sample of the stats module.
 *
 * Every result struct starts with a `status`. When it is not ST_OK the numeric fields are NaN except those whose
 * comment says otherwise, so a writer prints "n/a (st_status_text(status))" and never a number that means nothing.
 * Functions are pure: same input, same bits, whatever the order of the seeds.
 *
 * Range: inputs must be finite and at most ST_HUGE in size, so that no square or cube below can overflow; anything else
 * is ST_NONFINITE_INPUT.
 *
 * One tie rule everywhere. Scores are decimal numbers held in binary, so d = a - b carries an error of the size of a
 * and b, not of d: tol = 64 * DBL_EPSILON * scale with scale = the largest |a| or |b| (never |d|), and at least
 * ST_TINY. A difference within tol of zero is zero, two within tol are tied, a spread within tol is no spread; sums of
 * n take n * tol. */
#ifndef STATS_STATUS_H
#define STATS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    ST_OK = 0,
    ST_N_TOO_SMALL,     /* too few seeds for this statistic */
    ST_DEGENERATE,      /* no spread: every value is the same within the tolerance */
    ST_NOT_REACHABLE,   /* the smallest p this design can give is above the level asked for */
    ST_NONFINITE_INPUT, /* a NaN, an infinity or a value beyond ST_HUGE */
    ST_BAD_ARG,         /* an argument outside its documented range */
    ST_NO_CONVERGENCE,  /* an iteration or an integral did not settle */
    ST_ONE_SAMPLE       /* both sides are the same runs: there is nothing to compare */
} StStatus;

#define ST_STATUS_COUNT 8
#define ST_HUGE 1e100
#define ST_TINY 1e-100

/* Which side of zero counts as extreme. ST_LESS: the mean of d is below zero (A better when lower is). */
typedef enum { ST_TWO_SIDED, ST_LESS, ST_GREATER } StAlt;

/* An interval; status says why lo and hi are NaN. */
typedef struct {
    StStatus status;
    double lo, hi;
} StInterval;

/* A p-value that is a share of cases: p = count / total. */
typedef struct {
    double p;
    uint64_t count, total;
} StShare;

/* Call once per process before anything else here: GSL's own handler would abort the program on error. */
void st_init(void);

/* A short phrase for "n/a (…)"; "unknown status" for a value outside the enum. */
const char *st_status_text(StStatus status);

/* 64 * DBL_EPSILON * scale, at least ST_TINY. */
double st_tol(double scale);

/* Largest magnitude among a[n] and b[n] (b may be NULL): the `scale` argument of the tests on
 * differences. Non-finite values are passed over; the tests themselves refuse them. */
double st_scale(const double *a, const double *b, size_t n);

/* The mean of n numbers, corrected by the mean of the rounding errors. */
double st_mean(const double *x, size_t n);

/* The values in ascending order with those within tol of zero set to zero. */
typedef struct {
    size_t n;
    double tol;
    double *x; /* [n], owned */
} StSample;

/* Copies x[n]. scale: see st_scale; 0 when only x itself is known, then max|x|. A scale below max|x|/2 cannot come from
 * raw scores and is raised to it. n = 0 is ST_N_TOO_SMALL. On any status but ST_OK nothing is held. */
StStatus st_sample_init(StSample *sample, const double *x, size_t n, double scale);
void st_sample_release(StSample *sample);

/* Mean, and standard deviation with divisor n - 1 (n >= 2), in two passes over the ascending values. */
double st_sample_mean(const StSample *sample);
double st_sample_sd(const StSample *sample);
double st_sample_median(const StSample *sample);

/* ST_OK if every x[i] is finite and at most ST_HUGE, else ST_NONFINITE_INPUT. */
StStatus st_check_finite(const double *x, size_t n);

/* Ascending order for qsort over doubles without NaN. */
int st_compare_double(const void *a, const void *b);

/* What GSL allocated; ends the program where that is NULL, as mem_alloc does. */
void *st_or_end(void *p);

#endif
