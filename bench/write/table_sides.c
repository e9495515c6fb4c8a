/* Which side of a claim's contrast is better: "lower (better)", "higher (worse)". */
#include <math.h>

#include "bench/write/table.h"

/* -1: lower is better, +1: higher, 0: neither, or the contrast is no mean of arms against another one: of a difference
 * of differences neither side is better. */
static int better_side(const ClaimTest *t) {
    double weight = 0;
    for (int i = 0; i < t->terms; i++) weight += fmax(t->term[i].weight, 0);
    if (!t->test || t->metric < 0 || fabs(weight - 1) > 1e-9) return 0;
    switch (t->test->about) {
    case ST_ABOUT_difference:
    case ST_ABOUT_equality:
    case ST_ABOUT_rate: return t->grid ? grid_info[t->grid].better : metric_info[t->metric].better;
    case ST_ABOUT_divergence:
    case ST_ABOUT_stall: return -1;
    case ST_ABOUT_variance:
    case ST_ABOUT_predictor: break;
    }
    return 0;
}

static const char *side_text(const ClaimTest *t, bool higher) {
    int better = better_side(t);
    if (!better) return "";
    if (higher) return better > 0 ? "higher (better)" : "higher (worse)";
    return better < 0 ? "lower (better)" : "lower (worse)";
}

const char *table_side_claimed(const ClaimTest *t) {
    if (t->expects != EXPECT_lower && t->expects != EXPECT_higher) return "";
    return side_text(t, t->expects == EXPECT_higher);
}

const char *table_side_found(const ClaimVerdict *v) {
    bool claimed = v->seen == SEEN_yes, other = v->seen == SEEN_no;
    if (v->test->expects == EXPECT_equal) return other ? side_text(v->test, v->effect > 0) : "";
    if (v->test->expects == EXPECT_change) return claimed ? side_text(v->test, v->effect > 0) : "";
    return claimed || other ? side_text(v->test, (v->test->expects == EXPECT_higher) == claimed) : "";
}

void table_expectation(const ClaimTest *t, Text *out) {
    const char *side = table_side_claimed(t);
    table_hypothesis(t, out);
    if (side[0]) text_format(out, ": %s", side);
}
