/* Intervals by inverted sign-flip tests: against the tests themselves, by hand, and by coverage. */
#include "stats/invert.h"
#include "tests/stats/test_stats.h"

static const StKey key = {11, 3};

TestSuite(stats_invert, .init = st_init);

/* Six seeds: 2/64 is the only p below .05, so the interval is from the smallest to the largest difference. With 7,
 * alpha 2^7/2 = 3.2: the observed signs and 3 subsets, so the third smallest mean, that of {2} after {1} and {1, 2}. */
Test(stats_invert, by_hand) {
    const double six[6] = {3, -1, 2, 5, 4, 1.5}, seven[7] = {1, 2, 4, 8, 16, 32, 64};
    StFlipCi r = st_flip_ci(six, 6, 0, .95, key);
    cr_assert(r.status == ST_OK && r.lo == -1 && r.hi == 5);
    r = st_flip_ci(seven, 7, 0, .95, key);
    cr_assert(r.lo == 2 && r.hi == (64 + 16) / 2., "%g %g", r.lo, r.hi);
    r = st_flip_ci(six, 5, 0, .95, key);
    cr_assert(r.status == ST_NOT_REACHABLE && isinf(r.lo) && isinf(r.hi));
    STATUS(st_flip_ci(six, 0, 0, .95, key).status, ST_N_TOO_SMALL);
    STATUS(st_flip_ci(six, 6, 0, 1, key).status, ST_BAD_ARG);
    STATUS(st_flip_ci((double[]){1, NAN}, 2, 0, .95, key).status, ST_NONFINITE_INPUT);
}

static double p_shifted(const double *d, size_t n, double m) {
    double shifted[24];
    for (size_t i = 0; i < n; i++) shifted[i] = d[i] - m;
    return st_signflip(shifted, n, 0, ST_TWO_SIDED, key).p;
}

/* The same thing as the test: accepted just inside, rejected just outside. */
Test(stats_invert, agrees_with_the_test) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new(key);
    for (int sample = 0; sample < 40; sample++) {
        double d[10];
        size_t n = 6 + (size_t)sample % 5;
        for (size_t i = 0; i < n; i++) d[i] = (double)gsl_rng_get(rng) / 4294967296. - .3;
        for (double conf = .9; conf < .96; conf += .05) {
            StFlipCi r = st_flip_ci(d, n, 0, conf, key);
            double alpha = 1 - conf, inside = alpha - 1e-12;
            cr_assert(p_shifted(d, n, r.lo + 1e-9) >= inside && p_shifted(d, n, r.hi - 1e-9) >= inside);
            cr_assert(p_shifted(d, n, r.lo - 1e-9) < alpha && p_shifted(d, n, r.hi + 1e-9) < alpha);
        }
    }
}

/* One column together is one column alone. */
Test(stats_invert, together_with_nobody) {
    const double d[8] = {.3, -.1, .25, .7, .41, .02, -.2, .5};
    StFlipCi alone = st_flip_ci(d, 8, 0, .95, key), together;
    STATUS(st_maxT_ci(d, 1, 8, NULL, .95, 0, key, &together, NULL), ST_OK);
    NEAR(together.lo, alone.lo, 1e-9);
    NEAR(together.hi, alone.hi, 1e-9);
}

/* Several columns: each limit is where the single-step max-T p of that column, shifted alone, crosses the level; and no
 * interval is narrower than its own. */
Test(stats_invert, agrees_with_max_t) {
    double d[3 * 8] = {.3,  -.1, .25, .7,  .41, .02, -.2, .5, 1,   1.5, .7, .2,
                       1.2, -.3, .9,  1.1, .1,  -.1, .2,  0,  -.2, .3,  .1, 0};
    StFlipCi ci[3];
    STATUS(st_maxT_ci(d, 3, 8, NULL, .95, 0, key, ci, NULL), ST_OK);
    for (int j = 0; j < 3; j++) {
        StFlipCi alone = st_flip_ci(d + 8 * j, 8, 0, .95, key);
        cr_assert(ci[j].lo <= alone.lo + 1e-9 && ci[j].hi >= alone.hi - 1e-9);
        for (int side = 0; side < 2; side++)
            for (int outside = 0; outside < 2; outside++) {
                double limit = side ? ci[j].hi : ci[j].lo, by = side == outside ? 1e-7 : -1e-7, shifted[3 * 8];
                StMaxTRow row[3];
                for (int i = 0; i < 24; i++) shifted[i] = d[i] - (i / 8 == j ? limit + by : 0);
                STATUS(st_maxT(shifted, 3, 8, NULL, 0, key, row).status, ST_OK);
                cr_assert(outside ? row[j].single < .05 : row[j].single >= .05, "column %d side %d outside %d: %g", j,
                          side, outside, row[j].single);
            }
    }
    STATUS(st_maxT_ci(d, 3, 5, NULL, .95, 0, key, ci, NULL), ST_OK);
    cr_assert(ci[1].status == ST_NOT_REACHABLE && isinf(ci[1].hi));
    STATUS(st_maxT_ci(d, 0, 5, NULL, .95, 0, key, ci, NULL), ST_N_TOO_SMALL);
    STATUS(st_maxT_ci(d, 3, 8, NULL, 0, 0, key, ci, NULL), ST_BAD_ARG);
    d[9] = INFINITY;
    STATUS(st_maxT_ci(d, 3, 8, NULL, .95, 0, key, ci, NULL), ST_NONFINITE_INPUT);
}

Test(stats_invert, columns_without_spread) {
    const double d[2 * 6] = {2, 2, 2, 2, 2, 2, 1, -1, 3, 2, .5, 1.5};
    StFlipCi ci[2];
    STATUS(st_maxT_ci(d, 2, 6, NULL, .95, 0, key, ci, NULL), ST_OK);
    cr_assert(ci[0].lo == 2 && ci[0].hi == 2 && ci[1].lo < ci[1].hi);
}

/* Beyond ST_FLIP_MAX: close to the t interval for well-behaved numbers, and the same for the same key. */
Test(stats_invert, drawn) {
    double d[24], mean = 0, ss = 0;
    for (int i = 0; i < 24; i++) d[i] = sin(i * 1.7) + .2, mean += d[i] / 24;
    for (int i = 0; i < 24; i++) ss += (d[i] - mean) * (d[i] - mean);
    double half = 2.0687 * sqrt(ss / 23 / 24);
    StFlipCi r = st_flip_ci(d, 24, 0, .95, key), together;
    cr_assert(fabs(r.lo - (mean - half)) < .15 * half && fabs(r.hi - (mean + half)) < .15 * half);
    cr_assert(st_flip_ci(d, 24, 0, .95, key).lo == r.lo);
    STATUS(st_maxT_ci(d, 1, 24, NULL, .95, 0, key, &together, NULL), ST_OK);
    cr_assert(fabs(together.lo - r.lo) < .05 * half && fabs(together.hi - r.hi) < .05 * half);
}

/* Beyond ST_FLIP_MAX an interval and its test come from the same draws: it leaves out 0 exactly when p < alpha, also
 * where p is as close to alpha as can be, and where max-T drew more flips to tell. */
Test(stats_invert, drawn_as_the_test) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){24, 1});
    int close = 0, refined = 0;
    for (int sample = 0; sample < 24; sample++) {
        double d[3 * 24], mean = 0, squares = 0;
        StKey own = {24, 100 + (uint64_t)sample};
        StMaxTRow row[3];
        StFlipCi together[3], alone[3];
        for (int i = 0; i < 72; i++) d[i] = (double)gsl_rng_get(rng) / 4294967296. - .5;
        for (int i = 0; i < 24; i++) mean += d[i] / 24;
        for (int i = 0; i < 24; i++) squares += (d[i] - mean) * (d[i] - mean);
        for (int i = 0; i < 24; i++) d[i] += 2.07 * sqrt(squares / 23 / 24) - mean; /* p about .05 */
        StSignflip one = st_signflip(d, 24, 0, ST_TWO_SIDED, own);
        StFlipCi r = st_flip_ci(d, 24, 0, .95, own);
        cr_assert((one.p < .05) == (r.lo > 0 || r.hi < 0), "sample %d: p %g, [%g, %g]", sample, one.p, r.lo, r.hi);
        size_t k = sample % 2 ? 1 : 3;
        StMaxT all = st_maxT(d, k, 24, NULL, .05, own, row);
        STATUS(st_maxT_ci(d, k, 24, NULL, .95, all.total - 1, own, together, alone), ST_OK);
        for (size_t j = 0; j < k; j++) {
            StFlipCi a = alone[j], t = together[j];
            cr_assert((row[j].raw < .05) == (a.lo > 0 || a.hi < 0), "sample %d: p %g, [%g, %g]", sample, row[j].raw,
                      a.lo, a.hi);
            cr_assert((row[j].single < .05) == (t.lo > 0 || t.hi < 0), "sample %d: p %g, [%g, %g]", sample,
                      row[j].single, t.lo, t.hi);
        }
        close += fabs(row[0].raw - .05)<.002, refined += all.total> 1 + ST_FLIP_DRAWS;
    }
    cr_assert(close > 5 && refined > 5, "%d close to alpha, %d refined", close, refined);
}

/* Alone as two one-sided sign-flip tests; three together as every flip counted anew: the 6 one-sided statistics in
 * falling order, each against the largest of those from it on. */
Test(stats_invert, equivalence_of_several) {
    static const double margin[3] = {.02, .03, .02};
    double d[3 * 8], p[3], alone;
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){9, 3});
    int inside = 0;
    for (int sample = 0; sample < 40; sample++) {
        for (int i = 0; i < 24; i++) d[i] = ((double)gsl_rng_get(rng) / 4294967296. - .3) * .06;
        STATUS(st_maxT_tost(d, 1, 8, NULL, margin, .05, key, &alone), ST_OK);
        cr_assert(alone == flip_tost(d, 8, .02, key));
        STATUS(st_maxT_tost(d, 3, 8, NULL, margin, .05, key, p), ST_OK);
        double u[6][256], adjusted[6];
        for (int c = 0; c < 6; c++)
            for (int s = 0; s < 256; s++) {
                double sum = 0, squares = 0;
                for (int i = 0; i < 8; i++) {
                    double x = c < 3 ? d[c * 8 + i] + margin[c] : margin[c - 3] - d[(c - 3) * 8 + i];
                    sum += s >> i & 1 ? -x : x, squares += x * x;
                }
                u[c][s] = sum / sqrt(8 * squares);
            }
        for (int c = 0; c < 6; c++) {
            int largest = 0;
            for (int first = 0; first < 6; first++) { /* the step of each column at or before c's */
                if (u[first][0] < u[c][0]) continue;
                int count = 0;
                for (int s = 0; s < 256; s++) {
                    double most = -INFINITY;
                    for (int j = 0; j < 6; j++)
                        if (u[j][0] <= u[first][0]) most = fmax(most, u[j][s]);
                    count += most >= u[first][0] - 1e-12;
                }
                largest = count > largest ? count : largest;
            }
            adjusted[c] = largest / 256.;
        }
        for (int c = 0; c < 3; c++) {
            NEAR(p[c], fmax(adjusted[c], adjusted[c + 3]), 1e-12);
            inside += p[c] < .05;
        }
    }
    cr_assert(inside > 10 && inside < 110, "%d of 120", inside);
    STATUS(st_maxT_tost(d, 1, 8, NULL, (double[]){0}, .05, key, p), ST_BAD_ARG);
    STATUS(st_maxT_tost(d, 1, 0, NULL, margin, .05, key, p), ST_N_TOO_SMALL);
}

/* Of 2,000 samples of 7 skewed differences about 1 with symmetric noise, the interval misses 1 in at most 1 - conf
 * (exactly 6/128 = .047 can be reached); three together miss any in at most as many. */
Test(stats_invert, covers) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){7, 7});
    int missed = 0, missed_any = 0;
    for (int sample = 0; sample < 2000; sample++) {
        double d[3 * 7];
        StFlipCi ci[3];
        for (int i = 0; i < 21; i++) {
            double u = (double)gsl_rng_get(rng) / 4294967296. - .5;
            d[i] = 1 + 8 * u * u * u;
        }
        StFlipCi r = st_flip_ci(d, 7, 0, .95, key);
        missed += r.lo > 1 || r.hi < 1;
        if (sample >= 500) continue;
        STATUS(st_maxT_ci(d, 3, 7, NULL, .95, 0, key, ci, NULL), ST_OK);
        bool any = false;
        for (int j = 0; j < 3; j++) any |= ci[j].lo > 1 || ci[j].hi < 1;
        missed_any += any;
    }
    cr_assert(missed > 60 && missed < 128, "%d of 2000, expected 94 +- 9", missed);
    cr_assert(missed_any < 42, "%d of 500, expected at most 25 +- 5", missed_any);
}

/* Equivalent at .05 exactly when the two-sided 90 % interval by the same flips lies inside the margins. */
Test(stats_invert, equivalence) {
    LOCAL(rng_release) gsl_rng *rng = st_rng_new((StKey){9, 1});
    int yes = 0;
    for (int sample = 0; sample < 200; sample++) {
        double d[8];
        for (int i = 0; i < 8; i++) d[i] = ((double)gsl_rng_get(rng) / 4294967296. - .4) * .07;
        double p = flip_tost(d, 8, .02, key);
        StFlipCi ci = st_flip_ci(d, 8, 0, .9, key);
        cr_assert_eq(p<.05, ci.lo> - .02 && ci.hi < .02, "sample %d: p %g, [%g, %g]", sample, p, ci.lo, ci.hi);
        yes += p < .05;
    }
    cr_assert(yes > 20 && yes < 180, "%d of 200", yes);
    const double same[8] = {.001, .001, .001, .001, .001, .001, .001, .001};
    double p, margin = .02;
    STATUS(st_maxT_tost(same, 1, 8, NULL, &margin, .05, key, &p), ST_OK);
    cr_assert(p == 1. / 256, "no spread is no exception");
    STATUS(st_maxT_tost(same, 1, 4, NULL, &margin, .05, key, &p), ST_OK);
    cr_assert(p > .05, "4 seeds cannot show it");
    STATUS(st_maxT_tost(same, 1, 0, NULL, &margin, .05, key, &p), ST_N_TOO_SMALL);
    STATUS(st_maxT_tost((double[]){1, NAN}, 1, 2, NULL, &margin, .05, key, &p), ST_NONFINITE_INPUT);
    NEAR(st_unseen(8, .05), .3123, 1e-4);
    cr_assert(st_unseen(0, .05) == 1);
}
