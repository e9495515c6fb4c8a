/* Power of the sign-flip test by simulation: st_maxT of simulated samples, of which all that does not depend on the
 * true difference is computed once. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/permute.h"
#include "stats/power.h"

#define K_MAX 1000u
#define D_MAX 1e6

/* A sign pattern and the largest statistic that it gives to rows without a difference. */
typedef struct {
    double u;
    uint32_t pattern;
} Rival;

/* What the rows without a difference are to the one that has it, when those before have been rejected. */
typedef struct Level {
    struct Level *next; /* without the largest row; NULL: that one is not rejected, or there is none */
    double seen;        /* the largest row's own statistic, -1 without rows */
    size_t rivals;
    Rival rival[]; /* the largest ones but that of the plain pattern; of more than a rejection allows, none is missed */
} Level;

/* Rows of n differences; the patterns that keep the last sign stand for all. */
typedef struct {
    size_t n, k, samples, half; /* half: patterns that are counted, the plain one among them */
    size_t most;                /* of which p < alpha allows as many to reach what was seen */
    double *own;                /* [samples][n]: of the row with the difference, but for it */
    Level **level;              /* [samples] */
    uint64_t sums;              /* signed sums that were taken */
} Simulation;

/* Room for a sample: rows [k - 1][n] without a difference, what is seen of them (-1: rejected), sums by pattern. */
typedef struct {
    double *row, *seen, *largest, low[1 << ST_FLIP_MAX / 2], high[1 << ST_FLIP_MAX / 2];
    Rival *rival;
} Scratch;

static bool reachable(size_t n, double alpha) {
    return ldexp(2.0, -(int)n) < alpha;
}

static size_t samples_of(size_t n, size_t k) {
    double most = ST_POWER_SUMS / (ldexp(0.5, (int)n) * (double)k);
    return most < 500.0 ? 500 : most > ST_POWER_SAMPLES ? ST_POWER_SAMPLES : (size_t)most;
}

/* The sums of x[n] with the signs of every pattern, the plain one first. */
static void signed_sums(const double *x, size_t n, double *sum) {
    sum[0] = 0.0;
    for (size_t i = 0; i < n; i++) sum[0] += x[i];
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < (size_t)1 << i; p++) sum[((size_t)1 << i) + p] = sum[p] - 2.0 * x[i];
}

/* Pattern a + b 2^(n/2) of x[n] has the sum low[a] + high[b]. The last sign stays. */
static void split_sums(const double *x, size_t n, double *low, double *high) {
    size_t half = n / 2;
    signed_sums(x, half, low);
    signed_sums(x + half, n - half - 1, high);
    for (size_t b = 0; b < (size_t)1 << (n - half - 1); b++) high[b] += x[n - 1];
}

/* sqrt(n sum x^2): the statistic is a sum over it, see st_maxT. */
static double size_of(const double *x, size_t n) {
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) squares += x[i] * x[i];
    return sqrt((double)n * squares);
}

/* The differences of one sample: the row that gets a difference into own[n], the others into row, over their size. */
static void draw(gsl_rng *rng, size_t n, size_t k, double *own, double *row) {
    for (size_t i = 0; i < n; i++) {
        double common = k > 1 ? gsl_ran_gaussian_ziggurat(rng, 1.0) : 0.0;
        for (size_t j = 0; j < k; j++) {
            double x = gsl_ran_gaussian_ziggurat(rng, 1.0);
            *(j == 0 ? &own[i] : &row[(j - 1) * n + i]) = k > 1 ? M_SQRT1_2 * (common + x) : x;
        }
    }
    for (size_t j = 0; j + 1 < k; j++) {
        double size = size_of(row + j * n, n);
        for (size_t i = 0; i < n; i++) row[j * n + i] /= size;
    }
}

/* largest[half]: by pattern, over the rows that are not rejected; seen[k - 1]: what the plain pattern gives to each. */
static void largest_sums(Simulation *s, Scratch *t) {
    size_t bits = s->n / 2, low = (size_t)1 << bits;
    for (size_t p = 0; p < s->half; p++) t->largest[p] = -1.0;
    for (size_t j = 0; j + 1 < s->k; j++) {
        if (t->seen[j] < 0.0) continue;
        split_sums(t->row + j * s->n, s->n, t->low, t->high);
        t->seen[j] = fabs(t->low[0] + t->high[0]);
        s->sums += s->half;
        for (size_t b = 0; b < s->half >> bits; b++) {
            double *to = t->largest + (b << bits), base = t->high[b];
            for (size_t a = 0; a < low; a++) {
                double u = fabs(t->low[a] + base);
                to[a] = u > to[a] ? u : to[a];
            }
        }
    }
}

/* Puts the `most` largest of r[count] first (Hoare 1961, FIND). */
static void largest_first(Rival *r, long count, long most) {
    for (long first = 0, last = count - 1; first < last && most < count;) {
        double middle = r[most - 1].u;
        long i = first, j = last;
        while (i <= j) {
            for (; r[i].u > middle; i++) {
            }
            for (; r[j].u < middle; j--) {
            }
            if (i <= j) {
                Rival swap = r[i];
                r[i++] = r[j], r[j--] = swap;
            }
        }
        if (j < most - 1) first = i;
        if (most - 1 < i) last = j;
    }
}

/* The level of the rows that are left. *rejected: without the row that has a difference, the largest would be. */
static Level *level_new(const Simulation *s, Scratch *t, bool *rejected) {
    size_t top = 0, count = 1;
    double seen = -1.0;
    for (size_t j = 0; j + 1 < s->k; j++)
        if (t->seen[j] > seen) seen = t->seen[j], top = j;
    size_t rivals = seen < 0.0 ? 0 : s->half - 1, kept = rivals < s->most ? rivals : s->most;
    for (size_t p = 1; p <= rivals; p++) {
        t->rival[p - 1] = (Rival){t->largest[p], (uint32_t)p};
        count += t->largest[p] >= seen;
    }
    *rejected = rivals > 0 && count <= s->most;
    if (*rejected) t->seen[top] = -1.0;
    Level *l = mem_alloc(1, sizeof *l + kept * sizeof *l->rival);
    *l = (Level){.seen = seen, .rivals = kept};
    largest_first(t->rival, (long)rivals, (long)kept);
    for (size_t i = 0; i < kept; i++) l->rival[i] = t->rival[i];
    return l;
}

static void simulate_sample(Simulation *s, gsl_rng *rng, Scratch *t, size_t sample) {
    bool rejected = true;
    draw(rng, s->n, s->k, s->own + sample * s->n, t->row);
    for (size_t j = 0; j + 1 < s->k; j++) t->seen[j] = 0.0;
    for (Level **at = &s->level[sample]; rejected; at = &(*at)->next) {
        largest_sums(s, t);
        *at = level_new(s, t, &rejected);
    }
}

static void simulation_release(Simulation *s) {
    for (size_t i = 0; i < s->samples; i++) {
        for (Level *l = s->level[i], *next; l; l = next) {
            next = l->next;
            free(l);
        }
    }
    free(s->level);
    free(s->own);
}

/* reachable(n, alpha) and n <= ST_FLIP_MAX. */
static void simulation_init(Simulation *s, size_t n, size_t k, double alpha) {
    *s = (Simulation){.n = n, .k = k, .samples = samples_of(n, k), .half = (size_t)1 << (n - 1)};
    while (s->most < s->half && ldexp((double)(s->most + 1), 1 - (int)n) < alpha) s->most++;
    double *room = mem_alloc((k - 1) * (n + 1) + s->half, sizeof *room);
    gsl_rng *rng = st_rng_new((StKey){0x504f574552, n * K_MAX + k});
    Rival *rival = mem_alloc(s->half, sizeof *rival);
    s->own = mem_alloc(s->samples * n, sizeof *s->own);
    s->level = mem_alloc(s->samples, sizeof *s->level);
    OWNED Scratch *t = mem_alloc(1, sizeof *t);
    t->row = room, t->seen = room + (k - 1) * n, t->largest = t->seen + k - 1, t->rival = rival;
    for (size_t sample = 0; sample < s->samples; sample++) simulate_sample(s, rng, t, sample);
    free(room);
    free(rival);
    gsl_rng_free(rng);
}

/* Whether p < alpha for what is at least `least` in units of the row's size: the row's sums are low + high. */
static bool is_rare(const Simulation *s, const Level *l, const double *low, const double *high, double size,
                    double least) {
    size_t bits = s->n / 2, mask = ((size_t)1 << bits) - 1, count = 0;
    double sum = least * size - (double)s->n * st_tol(size);
    for (size_t b = 0; b < s->half >> bits; b++) {
        for (size_t a = 0; a <= mask; a++) count += fabs(low[a] + high[b]) >= sum;
        if (count > s->most) return false;
    }
    count += !(fabs(low[0] + high[0]) >= sum); /* the plain pattern reaches what it gave */
    for (size_t i = 0; i < l->rivals; i++) {
        size_t p = l->rival[i].pattern;
        count += l->rival[i].u >= least && !(fabs(low[p & mask] + high[p >> bits]) >= sum);
    }
    return count <= s->most;
}

/* Step-down max-T: rows with larger statistics have to be rejected before. */
static bool is_found(const Simulation *s, size_t sample, double d_z) {
    double d[ST_FLIP_MAX], low[1 << ST_FLIP_MAX / 2], high[1 << ST_FLIP_MAX / 2];
    for (size_t i = 0; i < s->n; i++) d[i] = s->own[sample * s->n + i] + d_z;
    split_sums(d, s->n, low, high);
    double size = size_of(d, s->n), seen = fabs(low[0] + high[0]) / size;
    for (const Level *l = s->level[sample];; l = l->next) { /* the last one is below, or not rare */
        bool last = l->seen <= seen;
        if (!is_rare(s, l, low, high, size, last ? seen : l->seen)) return false;
        if (last) return true;
    }
}

static double simulated_power(Simulation *s, double d_z) {
    size_t found = 0;
    for (size_t sample = 0; sample < s->samples; sample++) found += is_found(s, sample, d_z);
    s->sums += (uint64_t)s->samples * s->half;
    return (double)found / (double)s->samples;
}

/* Whether the flips are simulated; beyond, the t test stands for them. */
static bool simulates(size_t n, size_t k) {
    return n <= ST_FLIP_MAX && (k > 1 || n <= ST_POWER_FLIPPED);
}

StPower st_flip_power(double d_z, size_t n, size_t k, double alpha) {
    StPower r = {ST_BAD_ARG, n, d_z, alpha, NAN, 0};
    if (!(fabs(d_z) <= D_MAX) || !(alpha > 0.0 && alpha < 1.0) || k == 0 || k > K_MAX) return r;
    if (n == 0) {
        r.status = ST_N_TOO_SMALL;
        return r;
    }
    if (!simulates(n, k)) return st_power(d_z, n, alpha / (double)k);
    if (!reachable(n, alpha)) {
        r.status = ST_OK;
        r.power = 0.0;
        return r;
    }
    Simulation s;
    simulation_init(&s, n, k, alpha);
    r.status = ST_OK;
    r.power = simulated_power(&s, d_z);
    r.sums = s.sums;
    simulation_release(&s);
    return r;
}

/* Of the samples, or of the t test where there are none. */
static StStatus power_at(Simulation *s, double d_z, size_t n, size_t k, double alpha, double *power) {
    if (s->samples > 0) {
        *power = simulated_power(s, d_z);
        return ST_OK;
    }
    StPower t = st_power(d_z, n, alpha / (double)k);
    *power = t.power;
    return t.status;
}

/* Halves the way between a difference that is too small and one that is not. */
static StStatus search_d(Simulation *s, size_t n, size_t k, double alpha, double power, double *d_z) {
    double low = 0.0, high = 1.0, has; /* low: not enough */
    StStatus status = power_at(s, high, n, k, alpha, &has);
    while (status == ST_OK && has < power && high < D_MAX) {
        low = high;
        high *= 2.0;
        status = power_at(s, high, n, k, alpha, &has);
    }
    while (status == ST_OK && high - low > 0.01 * high) {
        double middle = 0.5 * (low + high);
        status = power_at(s, middle, n, k, alpha, &has);
        if (has >= power)
            high = middle;
        else
            low = middle;
    }
    *d_z = high;
    return status;
}

StPower st_flip_mde(size_t n, size_t k, double power, double alpha) {
    StPower r = {ST_BAD_ARG, n, NAN, alpha, NAN, 0};
    if (!(alpha > 0.0 && alpha < 1.0) || !(power > alpha && power < 1.0)) return r;
    if (n <= ST_FLIP_MAX && !reachable(n, alpha)) {
        r.status = n == 0 ? ST_N_TOO_SMALL : ST_NOT_REACHABLE;
        return r;
    }
    if (k == 0 || k > K_MAX) return r;
    Simulation s = {0};
    double d_z = NAN;
    if (simulates(n, k)) simulation_init(&s, n, k, alpha);
    r.status = search_d(&s, n, k, alpha, power, &d_z);
    if (r.status == ST_OK) {
        r.d_z = d_z;
        r.power = power;
        r.sums = s.sums;
    }
    simulation_release(&s);
    return r;
}

StPower st_flip_nfor(double d_z, double power, double alpha) {
    StPower r = st_nfor(d_z, power, alpha);
    while (r.status == ST_OK && r.n <= ST_POWER_FLIPPED) {
        StPower at = st_flip_power(r.d_z, r.n, 1, alpha);
        r.status = at.status;
        r.power = at.power;
        r.sums += at.sums;
        if (at.power >= power) return r;
        r.n++;
    }
    if (r.status == ST_OK && r.n == ST_POWER_FLIPPED + 1) r.power = st_power(r.d_z, r.n, alpha).power;
    return r;
}
