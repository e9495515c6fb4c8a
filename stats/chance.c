/* Shares of seeds and of pairs in which one arm is better. */
#include "stats/chance.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/counts.h"
#include "stats/crossed.h"

StChance st_chance_paired(uint64_t wins, uint64_t ties, uint64_t losses, double conf) {
    StChance r = {ST_BAD_ARG, wins, ties, wins + ties + losses, conf, NAN, NAN, NAN, NAN, true, 0};
    StCp low = st_cp(wins, r.total, conf), high = st_cp(wins + ties, r.total, conf);
    StMcnemar sign = st_mcnemar(wins, losses);
    r.status = low.status != ST_OK ? low.status : sign.status;
    if (r.status == ST_OK) {
        r.share = ((double)wins + (double)ties / 2.0) / (double)r.total;
        r.lo = low.lo;
        r.hi = high.hi;
        r.p = sign.p;
    }
    return r;
}

/* 1 where a is below b, .5 where they tie, 0 else: [na][nb], counted in *r. */
static void score(const double *a, size_t na, const double *b, size_t nb, double *out, StChance *r) {
    double tol = st_tol(fmax(st_scale(a, NULL, na), st_scale(b, NULL, nb)));
    for (size_t i = 0; i < na; i++) {
        for (size_t j = 0; j < nb; j++) {
            bool tied = fabs(a[i] - b[j]) <= tol, win = !tied && a[i] < b[j];
            r->wins += win;
            r->ties += tied;
            out[i * nb + j] = win ? 1.0 : tied ? 0.5 : 0.0;
        }
    }
    r->share = ((double)r->wins + (double)r->ties / 2.0) / (double)r->total;
}

StChance st_chance_unpaired(const double *a, size_t na, const double *b, size_t nb, double conf, size_t draws,
                            StKey key) {
    StChance r = {ST_BAD_ARG, 0, 0, 0, conf, NAN, NAN, NAN, NAN, false, 0};
    if (!(conf > 0.0 && conf < 1.0) || draws == 0 || (double)na * (double)nb * (double)draws > ST_CHANCE_WORK) return r;
    if (na == 0 || nb == 0) {
        r.status = ST_N_TOO_SMALL;
        return r;
    }
    if (st_check_finite(a, na) != ST_OK || st_check_finite(b, nb) != ST_OK) {
        r.status = ST_NONFINITE_INPUT;
        return r;
    }
    OWNED double *s = mem_alloc(na * nb, sizeof *s);
    r.total = na * nb;
    score(a, na, b, nb, s, &r);
    StPigeonhole both = st_pigeonhole(s, na, nb, 1.0, conf, draws, key); /* resamples rows and columns apart */
    r.status = both.status;
    if (r.status == ST_OK) {
        r.lo = both.lo;
        r.hi = both.hi;
        r.exact = both.exact;
        r.resamples = both.total;
    }
    return r;
}
