/* The verdicts with each seed left out in turn: does one seed decide? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/verdict/paired.h"

#define WORK 3e8 /* additions, about a second */

/* Pairs without one of them; released like the others. */
static StPairs pairs_without(const StPairs *p, size_t seed) {
    StPairs out = *p;
    size_t n = p->n - 1, k = 0;
    out.n = n;
    out.seed = mem_alloc(n * (sizeof *out.seed + 3 * sizeof *out.d + 1), 1);
    out.a = (double *)(out.seed + n), out.b = out.a + n, out.d = out.b + n;
    out.lost = (unsigned char *)(out.d + n);
    out.scale = out.lost_a = out.lost_b = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (i == seed) continue;
        out.seed[k] = p->seed[i], out.a[k] = p->a[i], out.b[k] = p->b[i], out.d[k] = p->d[i];
        out.lost_a += p->lost[i] & 1, out.lost_b += p->lost[i] >> 1;
        out.lost[k++] = p->lost[i];
    }
    out.scale = st_scale(out.a, out.b, n);
    return out;
}

/* What a decision needs of a comparison, without that seed. A run that diverged may be the one left out, unless it is
 * one of several arms on its side, whose pairs do not say which seed it was. */
static Comparison comparison_without(const Family *f, const Comparison *c, size_t seed) {
    Comparison out = {.what = c->what, .status = c->status, .higher = c->higher, .joint_ranks = (double)NAN};
    out.joint = (StMaxTRow){.single = (double)NAN, .step = (double)NAN};
    out.inside_p = (double)NAN;
    if (c->status != ST_OK) return out;
    if (c->what.best) { /* another seed's rates would be chosen anew: not looked at */
        out.status = ST_BAD_ARG;
        return out;
    }
    out.pairs = pairs_without(&c->pairs, seed);
    const StPairs *p = &out.pairs;
    bool known = (size_t)c->diverged_a == c->pairs.lost_a && (size_t)c->diverged_b == c->pairs.lost_b;
    out.t_decides = known ? !p->lost_a && !p->lost_b : c->t_decides;
    out.t = st_tci(p->d, p->n, p->scale, f->conf);
    if (f->tests & PAIRED_TOST) out.tost = st_tost(p->d, p->n, p->scale, -c->what.margin, c->what.margin, f->alpha);
    return out;
}

void family_leave_out(Family *f) {
    double n = f->n, flips = f->n - 1 <= ST_FLIP_MAX ? ldexp(1, f->n - 1) : ST_FLIP_DRAWS * n;
    double floor = ldexp(4, -f->n);
    if (f->n < 3 || floor >= f->alpha || 4 * flips * n * f->count > WORK || f->joint.status != ST_OK) return;
    for (int i = 0; i < f->count; i++) f->at[i].turning = f->at[i].status == ST_OK && !f->at[i].what.best ? 0 : -1;
    for (int seed = 0; seed < f->n; seed++) {
        Family g = {.tests = f->tests & (PAIRED_TOST | PAIRED_RANKS),
                    .alpha = f->alpha,
                    .conf = f->conf,
                    .n = f->n - 1,
                    .left_out = 1,
                    .joint_key = f->joint_key,
                    .ranks_key = f->ranks_key};
        family_begin(&g, f->count);
        for (int i = 0; i < f->count; i++) g.at[i] = comparison_without(f, &f->at[i], (size_t)seed);
        family_together(&g);
        for (int i = 0; i < f->count; i++) {
            Comparison *c = &f->at[i];
            if (c->status != ST_OK || c->what.best || g.at[i].decision == c->decision) continue;
            if (!c->turning++) c->turning_seed = seed, c->turned = g.at[i].decision;
        }
        family_release(&g);
    }
}
