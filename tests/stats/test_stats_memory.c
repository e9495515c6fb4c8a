/* Every allocation of every statistic fails once: the answer is ST_NO_MEMORY (or whole, where the C
 * library makes do without), nothing crashes, nothing is left behind. Works by standing in for
 * malloc and its kin, so it is left out under the address sanitizer, which does the same. */
#include <stdlib.h>

#include "stats/anytime.h"
#include "stats/bootstrap.h"
#include "stats/chance.h"
#include "stats/choice.h"
#include "stats/corpus.h"
#include "stats/counts.h"
#include "stats/crossed.h"
#include "stats/curve.h"
#include "stats/design.h"
#include "stats/invert.h"
#include "stats/multiple.h"
#include "stats/paired.h"
#include "stats/permute.h"
#include "stats/power.h"
#include "stats/predictors.h"
#include "stats/regress.h"
#include "stats/unpaired.h"
#include "stats/variance.h"
#include "tests/stats/test_stats.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void __libc_free(void *block);

/* countdown: allocations until the one that fails, 0 for none. live: blocks held since the count
 * began. */
static _Thread_local bool counting;
static _Thread_local long countdown, live;

static bool refused(void) {
    return counting && countdown > 0 && --countdown == 0;
}

void *malloc(size_t size) {
    void *block = refused() ? NULL : __libc_malloc(size);
    live += counting && block != NULL;
    return block;
}

void *calloc(size_t count, size_t size) {
    void *block = refused() ? NULL : __libc_calloc(count, size);
    live += counting && block != NULL;
    return block;
}

void free(void *block) {
    live -= counting && block != NULL;
    __libc_free(block);
}

static const StKey KEY = {1, 1};
static double d[400], scratch[400];
static unsigned char yes[20];

static StStatus call_tci(void) {
    return st_tci(d, 5, 0, .95).status;
}
static StStatus call_effect(void) {
    return st_effect(d, d + 20, 5).status;
}
static StStatus call_iqm(void) {
    return st_iqm(d, 8).status;
}
static StStatus call_tost(void) {
    return st_tost(d, 5, 0, -1, 1, .05).status;
}
static StStatus call_pair(void) {
    StRun run[2] = {{1, 2.0, ST_RUN_OK}, {2, 3.0, ST_RUN_OK}};
    StPairs p = st_pair(run, 2, run, 2, 4.0);
    StStatus status = p.status;
    st_pairs_release(&p);
    return status;
}
static StStatus call_signflip(void) {
    return st_signflip(d, 10, 0, ST_TWO_SIDED, KEY).status;
}
static StStatus call_signflip_many(void) {
    return st_signflip(d, 25, 0, ST_TWO_SIDED, KEY).status;
}
static StStatus call_wilcoxon(void) {
    return st_wilcoxon(d, 8, 0, ST_LESS, KEY).status;
}
static StStatus call_maxt(void) {
    StMaxTRow row[4];
    return st_maxT(d, 4, 5, NULL, 0, KEY, row).status;
}
static StStatus call_maxt_many(void) {
    StMaxTRow row[2];
    return st_maxT(d, 2, 22, NULL, 0, KEY, row).status;
}
static StStatus call_choice(void) {
    StMaxTRow row;
    StGrid grid[2] = {{d, yes, 2, 5, NULL}, {d + 10, yes, 2, 5, NULL}};
    return st_choice_maxT(grid, &(StGridPair){0, 1}, 1, KEY, &row).status;
}
static StStatus call_choice_many(void) {
    StMaxTRow row;
    StGrid grid[2] = {{d, yes, 1, 13, NULL}, {d + 13, yes, 1, 13, NULL}};
    return st_choice_maxT(grid, &(StGridPair){0, 1}, 1, KEY, &row).status;
}
static StStatus call_chance(void) {
    return st_chance_unpaired(d, 3, d + 5, 4, .95, 50, KEY).status;
}
static StStatus call_relabel(void) {
    StRelabel r = st_relabel(d, 4, d + 5, 3, KEY);
    st_relabel_release(&r);
    return r.status;
}
static StStatus call_relabel_many(void) {
    StRelabel r = st_relabel(d, 14, d + 14, 13, KEY);
    st_relabel_release(&r);
    return r.status;
}
static StStatus call_welch(void) {
    return st_welch(d, 4, d + 5, 3, .95).status;
}
static StStatus call_midranks(void) {
    return st_midranks(d, 9, 0, scratch);
}
static StStatus call_maxT_tost(void) {
    double p[2];
    return st_maxT_tost(d, 2, 3, NULL, (double[]){1, 1}, .05, KEY, p);
}

static StStatus call_flip_tost(void) {
    return st_flip_tost(d, 7, 0, -1, 1, KEY).status;
}
static StStatus call_flip_ci(void) {
    return st_flip_ci(d, 7, 0, .95, KEY).status;
}
static StStatus call_flip_ci_many(void) {
    return st_flip_ci(d, 22, 0, .95, KEY).status;
}
static StStatus call_maxt_ci(void) {
    StFlipCi ci[2], alone[2];
    return st_maxT_ci(d, 2, 7, NULL, .95, 0, KEY, ci, alone);
}
static StStatus call_maxt_ci_many(void) {
    StFlipCi ci[2], alone[2];
    return st_maxT_ci(d, 2, 22, NULL, .95, 0, KEY, ci, alone);
}
static StStatus call_omnibus(void) {
    return st_omnibus(d, 3, 3, KEY).status;
}
static StStatus call_omnibus_many(void) {
    return st_omnibus(d, 3, 12, KEY).status;
}
static StStatus call_boot(void) {
    return st_boot_exact(d, 5, 0, .95).status;
}
static StStatus call_boot_many(void) {
    return st_boot_mc(d, 20, 0, .95, 100, KEY).status;
}
static StStatus call_holm(void) {
    return st_holm((double[]){.1, .2}, 2, scratch);
}
static StStatus call_bh(void) {
    return st_bh((double[]){.1, .2}, 2, scratch);
}
static StStatus call_levene(void) {
    return st_levene(d, 5, d + 5, 5).status;
}
static StStatus call_pitman_morgan(void) {
    return st_pitman_morgan(d, d + 20, 5).status;
}
static StStatus call_crossed(void) {
    return st_crossed(d, 3, 5, 0, .95).status;
}
static StStatus call_pigeonhole(void) {
    return st_pigeonhole(d, 3, 4, 0, .95, 0, KEY).status;
}
static StStatus call_pigeonhole_many(void) {
    return st_pigeonhole(d, 3, 20, 0, .95, 50, KEY).status;
}
static StStatus call_blocks(void) {
    return st_blocks_merge(d, 3, 20, .9, scratch).status;
}
static StStatus call_power(void) {
    return st_power(1, 8, .05).status;
}
static StStatus call_nfor(void) {
    return st_nfor(1, .8, .05).status;
}
static StStatus call_mde(void) {
    return st_mde(8, .8, .05).status;
}
static StStatus call_anytime(void) {
    return st_anytime_inside(d, 5, 0, 1, .05).status;
}
static StStatus call_anytime_need(void) {
    return st_anytime_need(d, 5, 0, NAN, .05, 9, 3, KEY).status;
}
static StStatus call_logistic(void) {
    StCoef coef[2];
    return st_logistic(d, yes, 20, 1, coef).status;
}
static StStatus call_predictors(void) {
    return st_predictors(d, d + 1, yes, 6, 3, (StKey){1, 2}).status;
}
static StStatus call_growth(void) {
    const double x[4] = {1, 2, 3, 4}, y[4] = {1, 2, 3.5, 4};
    return st_growth(x, y, 4).status;
}

static double first_sum(const double *sum, size_t counts) {
    (void)counts;
    return sum[0];
}
static StStatus call_corpus(void) {
    return st_corpus(d, d + 6, 2, 3, 1, first_sum, .95, 20, KEY).status;
}

typedef struct {
    const char *name;
    StStatus (*call)(void);
} Case;

#define CASE(x) \
    { #x, call_##x }
static const Case cases[] = {
    CASE(tci),          CASE(effect),        CASE(iqm),          CASE(tost),          CASE(pair),
    CASE(signflip),     CASE(signflip_many), CASE(wilcoxon),     CASE(maxt),          CASE(maxt_many),
    CASE(omnibus),      CASE(omnibus_many),  CASE(boot),         CASE(boot_many),     CASE(holm),
    CASE(bh),           CASE(levene),        CASE(crossed),      CASE(pigeonhole),    CASE(pigeonhole_many),
    CASE(blocks),       CASE(power),         CASE(nfor),         CASE(mde),           CASE(anytime),
    CASE(anytime_need), CASE(logistic),      CASE(predictors),   CASE(pitman_morgan), CASE(flip_ci),
    CASE(flip_ci_many), CASE(maxt_ci),       CASE(maxt_ci_many), CASE(growth),        CASE(choice),
    CASE(choice_many),  CASE(flip_tost),     CASE(chance),       CASE(relabel),       CASE(relabel_many),
    CASE(welch),        CASE(midranks),      CASE(maxT_tost),    CASE(corpus),
};

static StStatus attempt(const Case *c, long fail_at, long *left, long *held) {
    countdown = fail_at;
    live = 0;
    counting = true;
    StStatus status = c->call();
    counting = false;
    *left = countdown;
    *held = live;
    return status;
}

Test(stats_memory, every_allocation, .init = st_init) {
    for (int i = 0; i < 400; i++) {
        d[i] = sin(i * 12.9898) * 4 + 1;
        yes[i % 20] = (unsigned char)(i % 3 == 0);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        long left, held;
        int refusals = 0;
        StStatus whole = attempt(&cases[i], 0, &left, &held);
        cr_assert(whole == ST_OK, "%s: %s", cases[i].name, st_status_text(whole));
        cr_assert_eq(held, 0, "%s keeps %ld blocks", cases[i].name, held);
        for (long at = 1;; at++) {
            StStatus status = attempt(&cases[i], at, &left, &held);
            cr_assert(status == ST_NO_MEMORY || status == ST_OK, "%s, allocation %ld: %s", cases[i].name, at,
                      st_status_text(status));
            cr_assert_eq(held, 0, "%s, allocation %ld: %ld blocks left behind", cases[i].name, at, held);
            refusals += status == ST_NO_MEMORY;
            if (left > 0) break;
        }
        cr_assert_gt(refusals, 0, "%s allocates nothing", cases[i].name);
    }
}

#else

Test(stats_memory, left_to_the_sanitizer) {
    cr_assert(true);
}

#endif
