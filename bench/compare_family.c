/* All comparisons together: adjusted p's and verdicts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "stats/multiple.h"

/* d of a comparison, or its ranks with a diverged run worse than all others. */
static double column(const CompareResult *r, const CompareItem *c, bool ranks, double *d) {
    const StPairs *p = &c->pairs;
    double sign = r->options.higher ? -1 : 1, scale = 0; /* ranks want lower to be better */
    memcpy(d, p->d, p->n * sizeof *d);
    if (!ranks) return p->scale;
    StPairs turned = *p;
    double *own = mem_alloc(p->n, sizeof *own);
    for (size_t i = 0; i < p->n; i++) own[i] = sign * p->d[i];
    turned.d = own;
    if (!st_pairs_ranks(&turned, d))
        for (size_t i = 0; i < p->n; i++) d[i] *= sign;
    for (size_t i = 0; i < p->n; i++) scale = fmax(scale, fabs(d[i]));
    free(own);
    return scale;
}

/* mean[k]: which side of zero each comparison is on. */
static StMaxT joint(const CompareResult *r, bool ranks, StMaxTRow *rows, double *mean) {
    size_t n = (size_t)r->n, k = (size_t)r->count;
    double *d = mem_alloc(k * n, sizeof *d), *scale = mem_alloc(k, sizeof *scale);
    for (size_t i = 0; i < k; i++) {
        scale[i] = column(r, &r->at[i], ranks, d + i * n);
        mean[i] = 0;
        for (size_t s = 0; s < n; s++) mean[i] += d[i * n + s] / (double)n;
    }
    StKey key = {.plan = name_stream("normbench compare"), .stream = name_stream(ranks ? "family ranks" : "family")};
    StMaxT out = st_maxT(d, k, n, scale, key, rows);
    free(d);
    free(scale);
    return out;
}

static CompareVerdict decide(const CompareResult *r, const CompareItem *c, double p, double mean) {
    double margin = r->options.margin;
    if (isnan(p)) return COMPARE_NOT_TESTABLE;
    if (p < r->alpha_here) return (mean > 0) == r->options.higher ? COMPARE_BETTER : COMPARE_WORSE;
    bool same = !isnan(margin) && c->t_decides &&
                (c->tost.equivalent || (c->t.status == ST_DEGENERATE && fabs(c->t.mean) < margin));
    if (same) return COMPARE_EQUIVALENT;
    return r->floor >= r->alpha_here ? COMPARE_NOT_TESTABLE : COMPARE_INCONCLUSIVE;
}

static void adjust(CompareResult *r) {
    size_t k = (size_t)r->count;
    double *p = mem_alloc(k, sizeof *p), *adjusted = mem_alloc(k, sizeof *adjusted);
    for (size_t i = 0; i < k; i++) {
        CompareItem *c = &r->at[i];
        p[i] = c->flip.status == ST_OK ? c->flip.p : (double)NAN;
        c->holm = c->hochberg = c->bh = (double)NAN;
    }
    if (!st_holm(p, k, adjusted))
        for (size_t i = 0; i < k; i++) r->at[i].holm = adjusted[i];
    if (!st_hochberg(p, k, adjusted))
        for (size_t i = 0; i < k; i++) r->at[i].hochberg = adjusted[i];
    if (!st_bh(p, k, adjusted))
        for (size_t i = 0; i < k; i++) r->at[i].bh = adjusted[i];
    free(p);
    free(adjusted);
}

void compare_together(CompareResult *r) {
    size_t k = (size_t)r->count;
    StMaxTRow *rows = mem_alloc(k, sizeof *rows);
    double *mean = mem_alloc(k, sizeof *mean);
    adjust(r);
    r->joint = joint(r, false, rows, mean);
    r->floor = r->joint.status == ST_OK ? r->joint.p_min : 1;
    for (size_t i = 0; i < k; i++) {
        CompareItem *c = &r->at[i];
        c->joint = rows[i];
        c->joint_ranks = (double)NAN;
        c->verdict = c->verdict_ranks = decide(r, c, c->joint.step, c->t.mean);
        r->verdicts[c->verdict]++;
    }
    if (r->data->lost && joint(r, true, rows, mean).status == ST_OK)
        for (size_t i = 0; i < k; i++) {
            CompareItem *c = &r->at[i];
            if (c->t_decides) continue;
            c->joint_ranks = rows[i].step;
            c->verdict_ranks = decide(r, c, c->joint_ranks, mean[i]);
        }
    free(mean);
    free(rows);
}
