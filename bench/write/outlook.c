#include "bench/write/prose.h"

#include <math.h>
#include <stdio.h>

#include "bench/plan/looks.h"
#include "bench/verdict/until.h"
#include "stats/paired.h"
#include "stats/permute.h"
#include "stats/tests.h"

static const char *seeds_text(char out[24], int n) {
    snprintf(out, 24, "%d seed%s", n, n == 1 ? "" : "s");
    return out;
}

/* "2/32 = 0.0625"; beyond ST_FLIP_MAX seeds patterns are drawn, and the smallest share is 1 / (draws + 1). */
static void floor_text(int seeds, Text *out) {
    double p = st_test_find("signflip")->floor((size_t)seeds, 1);
    if (seeds > ST_FLIP_MAX)
        text_format(out, "1/%llu", (unsigned long long)st_flip_draws((size_t)seeds) + 1);
    else
        text_format(out, "%d/%lld", seeds > 1 ? 2 : 1, seeds > 1 ? 1LL << seeds : 1LL);
    text_format(out, " = %.3g", p);
}

static void reach_text(const Outlook *o, const char *alpha, Text *out) {
    char n[24];
    bool can = o->floor < o->alpha;
    text_format(out, "  %s %s reach p < %s: ", seeds_text(n, o->seeds), can ? "can" : "cannot", alpha);
    if (o->seeds > 1) {
        text_format(out, "the smallest p of the sign flips is ");
        floor_text(o->seeds, out);
    } else
        text_format(out, "one difference alone has no test");
    if (!can && o->least) {
        text_format(out, ". %s can (", seeds_text(n, o->least));
        floor_text(o->least, out);
        text_format(out, ")");
    } else if (!can)
        text_format(out, ". No number of seeds can");
    text_format(out, ".\n");
    if (can && o->seeds < ST_EQUAL_SEEDS)
        text_format(out, "  That an arm is the same, or differs too little to matter, takes %d seeds.\n",
                    ST_EQUAL_SEEDS);
}

/* By the SD of the stored seeds, arm by arm. */
static void spread_text(const Outlook *o, const Experiment *x, Text *out) {
    enum { NAMED = 6 };
    double factor = isnan(o->among) ? o->detectable : o->among;
    int known = 0;
    for (int arm = 0; arm < x->arms; arm++) {
        if (!(o->sd[arm] > 0)) continue;
        if (known++ >= NAMED) continue;
        if (known == 1)
            text_format(out, "  By the SD in the %d seeds that are stored, %.2g SD of %s are: ", o->stored, factor,
                        metric_info[x->metric].key);
        else
            text_format(out, ", ");
        text_format(out, "%s %.2g", x->arm[arm].name, factor * o->sd[arm]);
    }
    if (known) text_format(out, "%s.\n", known > NAMED ? ", …" : "");
}

static void power_text(const Outlook *o, const Experiment *x, Text *out) {
    bool several = o->comparisons > 1;
    text_format(out, "  One comparison alone finds a difference of %.2g SD in 80%% of cases", o->detectable);
    text_format(out, ", where SD is that of the differences over seeds%s\n", several ? ";" : ".");
    if (!several) return;
    text_format(out, "  %d comparisons (%s, cells, steps) are decided together by max-T: the smallest p stays ",
                o->comparisons, x->compares ? "pairs" : "arms");
    floor_text(o->seeds, out);
    if (isnan(o->among))
        text_format(out, ", but the difference has to be larger.\n");
    else
        text_format(out, ",\n  but the difference has to be %.2g SD.\n", o->among);
}

/* A margin that the interval of a mean would not fit into even were there no difference at all, by the SD of the stored
 * seeds: the arm with the largest. */
static void margin_text(const Outlook *o, const Experiment *x, Text *out) {
    int most = -1, enough = o->seeds;
    for (int arm = 0; arm < x->arms; arm++)
        if (o->sd[arm] > 0 && (most < 0 || o->sd[arm] > o->sd[most])) most = arm;
    if (most < 0 || !(x->margin > 0)) return;
    double conf = 1 - 2 * o->alpha, half = st_half_width(o->sd[most], (size_t)o->seeds, conf);
    if (half < x->margin) return;
    while (enough < EXPERIMENT_SEEDS_MAX && !(st_half_width(o->sd[most], (size_t)enough, conf) < x->margin)) enough++;
    text_format(out, "  The margin of %s is below what %d seeds can show: by the SD of %s its interval reaches +-%.2g",
                FORMAT_REAL(x->margin), o->seeds, x->arm[most].name, half);
    if (enough < EXPERIMENT_SEEDS_MAX)
        text_format(out, "; %d seeds would be enough.\n", enough);
    else
        text_format(out, "; no number of seeds would be enough.\n");
}

/* Of seeds that are added until it is decided. */
static void until_text(const Experiment *x, Text *out) {
    int comparisons = experiment_cells(x) * (x->compares ? x->compares : x->arms - 1);
    int least = until_least(x);
    text_format(out, "  Seeds are added until %s decided at the last step, at most %d: ",
                comparisons == 1 ? "the one comparison is" : "all comparisons are", x->most);
    if (least > x->most)
        text_format(out, "these are too few to decide anything.\n");
    else
        text_format(out,
                    "nothing can be decided before %d seeds, and no arm can be called the same before %d.\n"
                    "  The run ends by itself at the seed that decides. `seeds: {until: decided, most: N}` in the "
                    "file, or --until-decided --most-seeds N, says how many seeds it may take.\n",
                    least, ST_EQUAL_SEEDS);
}

/* Of looks that were planned. */
static void looks_text(const Experiment *x, Text *out) {
    text_format(out, "  The plan looks at ");
    looks_list(x, out);
    text_format(out, " seeds, each at the level that O'Brien and Fleming's spending of %s gives it:",
                FORMAT_REAL(x->looked ? x->planned : x->alpha));
    for (int i = 0; i < x->looks; i++) text_format(out, "%s %s", i ? "," : "", FORMAT_REAL(looks_level(x, i)));
    text_format(out, ".\n  After a look that decides every comparison at the last step there is no other.\n");
}

void outlook_text(const Outlook *o, const Experiment *x, Text *out) {
    if (o->arms < 1) return;
    if (x->looks) {
        looks_text(x, out);
        return;
    }
    if (x->most) {
        until_text(x, out);
        return;
    }
    reach_text(o, FORMAT_REAL(o->alpha), out);
    if (!isnan(o->detectable)) {
        power_text(o, x, out);
        spread_text(o, x, out);
    }
    margin_text(o, x, out);
}
