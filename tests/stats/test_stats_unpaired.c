/* Arms that share no seeds. "R": t.test(extra ~ group, data = sleep), from its documentation; "scipy": the example of
 * mannwhitneyu's documentation; counts of relabellings were made again by a program of ten lines with fractions. */
#include "stats/unpaired.h"

#include "stats/chance.h"
#include "stats/permute.h"
#include "tests/stats/test_stats.h"

TestSuite(stats_unpaired, .init = st_init);

static const StKey KEY = {3, 9};

/* Cushny and Peebles' hours of sleep gained (Student 1908). */
static const double one[10] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2};
static const double two[10] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void counts(const StRelabel *r, uint64_t greater, uint64_t less, uint64_t total) {
    StShare up = st_relabel_p(r, 0, ST_GREATER), down = st_relabel_p(r, 0, ST_LESS);
    cr_assert(r->exact && up.count == greater && down.count == less && up.total == total, "%d %d of %d", (int)up.count,
              (int)down.count, (int)up.total);
    uint64_t fewer = greater < less ? greater : less;
    NEAR(st_relabel_p(r, 0, ST_TWO_SIDED).p, fmin(1, 2 * (double)fewer / (double)total), 1e-15);
    NEAR(r->p_min, 2 / (double)total, 1e-15);
}

Test(stats_unpaired, relabelling_published) {
    const double treated[4] = {19, 22, 25, 26}, standard[3] = {23, 33, 40}; /* Ernst 2004: p = 3/35 */
    StRelabel r = st_relabel(treated, 4, standard, 3, KEY);
    STATUS(r.status, ST_OK);
    NEAR(r.mean, -9, 1e-12);
    counts(&r, 33, 3, 35);
    st_relabel_release(&r);
    const double mice[7] = {94, 197, 16, 38, 99, 141, 23}, control[9] = {52, 104, 146, 10, 51, 30, 40, 27, 46};
    r = st_relabel(mice, 7, control, 9, KEY); /* Efron and Tibshirani 1993: 132 of 1000 random relabellings */
    NEAR(r.mean, 30.6349, 5e-5);
    counts(&r, 1613, 9853, 11440);
    StInterval ci = st_relabel_ci(&r, .95);
    NEAR(ci.lo, -28.5, 1e-12);
    NEAR(ci.hi, 89, 1e-12);
    st_relabel_release(&r);
    r = st_relabel(one, 10, two, 10, KEY);
    counts(&r, 177621, 7524, 184756);
    ci = st_relabel_ci(&r, .95);
    NEAR(ci.lo, -3.375, 1e-12);
    NEAR(ci.hi, .22, 1e-12);
    st_relabel_release(&r);
}

/* Midranks relabelled are Mann and Whitney's test: U = 17 of 20, p = .1111 (scipy). */
Test(stats_unpaired, ranks_give_mann_and_whitney) {
    const double all[9] = {19, 22, 16, 29, 24, 20, 11, 17, 12};
    double rank[9];
    st_midranks(all, 9, 0, rank);
    LOCAL(st_relabel_release) StRelabel r = st_relabel(rank, 5, rank + 5, 4, KEY);
    StShare p = st_relabel_p(&r, 0, ST_TWO_SIDED);
    cr_assert(p.count == 14 && p.total == 126);
    NEAR(r.mean / 4.5 / 2 + .5, 17.0 / 20, 1e-12); /* mean ranks differ by (na + nb) (U / (na nb) - 1/2) */
}

/* 1 2 4 against 7 9, ten relabellings: swapping one pair gives -8 -7 -6 -5 -5 -3, two pairs -6.5 -5.5 -5. */
Test(stats_unpaired, relabelling_by_hand) {
    const double a[3] = {1, 2, 4}, b[2] = {7, 9}, want[9] = {-8, -7, -6.5, -6, -5.5, -5, -5, -5, -3};
    LOCAL(st_relabel_release) StRelabel r = st_relabel(a, 3, b, 2, KEY);
    for (int i = 0; i < 9; i++) NEAR(r.shift[i], want[i], 1e-12);
    NEAR(r.mean, 7.0 / 3 - 8, 1e-12);
    counts(&r, 10, 1, 10);
    STATUS(st_relabel_ci(&r, .95).status, ST_NOT_REACHABLE);
    StInterval wide = st_relabel_ci(&r, .6), narrow = st_relabel_ci(&r, .4);
    cr_assert(wide.lo == -8 && wide.hi == -3 && narrow.lo == -7 && narrow.hi == -5);
    NEAR(st_relabel_p(&r, -5, ST_GREATER).p, .9, 1e-15); /* the observed one and the eight up to -5 */
    NEAR(st_relabel_p(&r, -5, ST_LESS).p, .5, 1e-15);    /* -5 three times, -3 */
    NEAR(st_relabel_p(&r, 0, ST_LESS).p, .1, 1e-15);
}

/* Just inside the interval a shift is not rejected, just outside it is. */
Test(stats_unpaired, interval_is_what_the_test_accepts) {
    const double a[6] = {3.1, 2.7, 3.9, 3.3, 2.9, 4.4}, b[5] = {2.2, 3.0, 2.5, 1.9, 2.8};
    LOCAL(st_relabel_release) StRelabel r = st_relabel(a, 6, b, 5, KEY), turned = st_relabel(b, 5, a, 6, KEY);
    for (int i = 1; i < 10; i++) {
        double conf = .5 + .05 * i - .001;
        StInterval ci = st_relabel_ci(&r, conf), other = st_relabel_ci(&turned, conf);
        NEAR(other.lo, -ci.hi, 1e-12);
        NEAR(other.hi, -ci.lo, 1e-12);
        cr_assert(st_relabel_p(&r, ci.lo + 1e-9, ST_TWO_SIDED).p >= 1 - conf);
        cr_assert(st_relabel_p(&r, ci.lo - 1e-9, ST_TWO_SIDED).p < 1 - conf);
        cr_assert(st_relabel_p(&r, ci.hi - 1e-9, ST_TWO_SIDED).p >= 1 - conf);
        cr_assert(st_relabel_p(&r, ci.hi + 1e-9, ST_TWO_SIDED).p < 1 - conf);
    }
}

/* Sixteen against sixteen are drawn; the p lies near that of Welch's test, and the same key draws the same. */
Test(stats_unpaired, random_relabellings) {
    double a[16], b[16], turned[16];
    for (int i = 0; i < 16; i++) {
        a[i] = sin(i * 12.9898), b[i] = sin(i * 78.233) + .5;
        turned[15 - i] = a[i];
    }
    LOCAL(st_relabel_release) StRelabel r = st_relabel(a, 16, b, 16, KEY), again = st_relabel(turned, 16, b, 16, KEY);
    STATUS(r.status, ST_OK);
    cr_assert(!r.exact && r.total == ST_FLIP_DRAWS + 1);
    double p = st_relabel_p(&r, 0, ST_TWO_SIDED).p;
    NEAR(p, st_welch(a, 16, b, 16, .95).p, .01);
    cr_assert(p == st_relabel_p(&again, 0, ST_TWO_SIDED).p);
}

/* Binary decimals do not tie exactly: .1 + .2 against .3. */
Test(stats_unpaired, ties_within_the_tolerance) {
    const double a[3] = {.1, .2, .3}, b[3] = {.3, .1 + .2, .1 * 3};
    StRelabel r = st_relabel(a, 3, b, 3, KEY);
    counts(&r, 20, 4, 20); /* 0.1 and 0.2 stay with either value of 0.3: 4 of 20 */
    st_relabel_release(&r);
    const double same[2] = {5, 5};
    r = st_relabel(same, 2, same, 2, KEY);
    counts(&r, 6, 6, 6);
    st_relabel_release(&r);
}

Test(stats_unpaired, welch_published) {
    StTci r = st_welch(one, 10, two, 10, .95); /* R */
    STATUS(r.status, ST_OK);
    NEAR(r.mean, -1.58, 1e-12);
    NEAR(r.t, -1.8608, 5e-5);
    NEAR(r.df, 17.776, 5e-4);
    NEAR(r.p, .07939, 5e-6);
    NEAR(r.lo, -3.3654832, 5e-8);
    NEAR(r.hi, .2054832, 5e-8);
    StTost t = st_welch_tost(one, 10, two, 10, -2, 2, .05); /* the same cdf, one-sided */
    NEAR(t.p_lower + st_welch_tost(two, 10, one, 10, -2, 2, .05).p_upper, 2 * t.p_lower, 1e-12);
    NEAR(t.p, t.p_lower, 0);
    NEAR(t.ci_hi, st_welch(one, 10, two, 10, .9).hi, 1e-12);
    cr_assert(!t.equivalent && st_welch_tost(one, 10, two, 10, -9, 9, .05).equivalent);
}

/* sd^2 / n: 1/3 and 0: the df are those of the arm that varies. 1/3 and 1/3: both. */
Test(stats_unpaired, welch_by_hand) {
    const double a[3] = {1, 2, 3}, flat[4] = {5, 5, 5, 5}, b[3] = {11, 12, 13};
    StTci r = st_welch(a, 3, flat, 4, .95);
    NEAR(r.df, 2, 1e-12);
    NEAR(r.t, -3 * sqrt(3), 1e-12);
    r = st_welch(a, 3, b, 3, .95);
    NEAR(r.df, 4, 1e-12);
    NEAR(r.se, sqrt(2.0 / 3), 1e-12);
}

/* The room for one more run of an arm, found from outside: just inside it Welch's tests still find equivalence, and
 * just outside it they do not, on the nearer side. */
Test(stats_unpaired, equality_that_one_more_run_undoes) {
    double a[9] = {.001, -.004, .003, .002, -.001, .0, -.003, .004};
    const double b[7] = {.002, .006, -.003, .004, .001, .002, .003};
    double room = st_welch_tost_room(a, 8, b, 7, -.02, .02, .05), mean = .002 / 8;
    cr_assert(room > .03 && room < .1, "%g", room);
    int still = 0;
    for (int side = -1; side <= 1; side += 2) {
        a[8] = mean + side * room * .9999;
        cr_assert(st_welch_tost(a, 9, b, 7, -.02, .02, .05).equivalent);
        a[8] = mean + side * room * 1.0001;
        still += st_welch_tost(a, 9, b, 7, -.02, .02, .05).equivalent;
    }
    cr_assert(still == 1, "the nearer side undoes it: %d", still);
    cr_assert(isnan(st_welch_tost_room(a, 8, b, 7, -.001, .001, .05)), "not equivalent");
    cr_assert(isnan(st_welch_tost_room(a, 1, b, 7, -.02, .02, .05)), "one run");
}

Test(stats_unpaired, midranks) {
    const double x[6] = {2, INFINITY, 1, 2, INFINITY, -INFINITY}, want[6] = {3.5, 5.5, 2, 3.5, 5.5, 1};
    double rank[6];
    st_midranks(x, 6, .1, rank);
    for (int i = 0; i < 6; i++) cr_assert(rank[i] == want[i]);
}

Test(stats_unpaired, bad_input) {
    const double a[3] = {1, 2, 3}, b[2] = {4, 6}, bad[2] = {1, NAN}, flat[2] = {1, 1}, low[2] = {0, 0};
    StRelabel none = st_relabel(a, 0, b, 2, KEY);
    STATUS(none.status, ST_N_TOO_SMALL);
    cr_assert(none.shift == NULL && isnan(st_relabel_p(&none, 0, ST_LESS).p));
    STATUS(st_relabel_ci(&none, .9).status, ST_N_TOO_SMALL);
    STATUS(st_relabel(a, 3, b, 0, KEY).status, ST_N_TOO_SMALL);
    STATUS(st_relabel(bad, 2, b, 2, KEY).status, ST_NONFINITE_INPUT);
    STATUS(st_relabel(a, 3, bad, 2, KEY).status, ST_NONFINITE_INPUT);
    STATUS(st_relabel(a, SIZE_MAX, b, 2, KEY).status, ST_BAD_ARG);
    LOCAL(st_relabel_release) StRelabel r = st_relabel(a, 1, b, 1, KEY);
    cr_assert(r.total == 2 && r.p_min == 1.0 && st_relabel_p(&r, 0, ST_TWO_SIDED).p == 1.0);
    cr_assert(isnan(st_relabel_p(&r, NAN, ST_LESS).p));
    STATUS(st_relabel_ci(&r, 1).status, ST_BAD_ARG);
    STATUS(st_relabel_ci(&r, .95).status, ST_NOT_REACHABLE);
    STATUS(st_welch(a, 1, b, 2, .95).status, ST_N_TOO_SMALL);
    NEAR(st_welch(a, 1, b, 2, .95).mean, -4, 1e-12);
    STATUS(st_welch(a, 0, b, 2, .95).status, ST_N_TOO_SMALL);
    STATUS(st_welch(flat, 2, low, 2, .95).status, ST_DEGENERATE);
    STATUS(st_welch(a, 3, b, 2, 1).status, ST_BAD_ARG);
    STATUS(st_welch(bad, 2, b, 2, .95).status, ST_NONFINITE_INPUT);
    STATUS(st_welch_tost(a, 3, b, 2, 1, -1, .05).status, ST_BAD_ARG);
    STATUS(st_welch_tost(a, 3, b, 2, -1, 1, .5).status, ST_BAD_ARG);
    STATUS(st_welch_tost(flat, 2, low, 2, -1, 1, .05).status, ST_DEGENERATE);
    STATUS(st_welch_tost(a, 3, b, 1, -1, 1, .05).status, ST_N_TOO_SMALL);
}
