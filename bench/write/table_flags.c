/* What must be known of one comparison of a table: runs that diverged or stalled, ranks that say otherwise, a seed that
 * decides, one more run that would undo it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/table.h"

static void begin(const Table *t, const Comparison *c, Text *out) {
    const Term *term = c->what.term;
    text_format(out, " %s after %d steps: ", t->x->arm[term->arm].label,
                t->sample.cell[c->what.cell].step[c->what.step]);
}

static void stalls(const Table *t, const Comparison *c, Text *out) {
    char p[SHOWN], floor[SHOWN];
    bool more = c->stalled_a > c->diverged_a || c->stalled_b > c->diverged_b;
    if (!more || (c->only_stalled_a <= 0 && c->only_stalled_b <= 0)) return;
    begin(t, c, out);
    text_format(out, "%d of %d runs stalled or diverged, %d of %s", c->stalled_a, t->sample.seeds, c->stalled_b,
                t->x->arm[t->sample.baseline].label);
    if (!t->family.anytime)
        text_format(out, " (McNemar p %s, smallest %s)", show_p(p, c->stall.p), show_p(floor, c->stall.p_min));
    text_format(out, ".");
}

static void ranks(const Table *t, const Comparison *c, Text *out) {
    char p[SHOWN];
    bool cap = c->decision_capped != c->decision;
    bool side = decision_lower(c->decision_ranks) == decision_lower(c->decision);
    bool new = decision_apart(c->decision_ranks) && (!decision_apart(c->decision) || !side);
    if (c->status != ST_OK || (!cap && !new)) return;
    begin(t, c, out);
    if (cap) {
        text_format(out, "not decided, since it would rest on what a diverged run counts as: with the cap ");
        table_words(t, &t->family, c, c->decision_capped, out);
        text_format(out, ", ");
    }
    text_format(out, "on ranks ");
    table_words(t, &t->family, c, c->decision_ranks, out);
    text_format(out, " (p %s).", show_p(p, c->joint_ranks));
}

static void one_seed(const Table *t, const Comparison *c, Text *out) {
    if (c->turning <= 0) return;
    begin(t, c, out);
    text_format(out, "ONE SEED DECIDES, without seed %llu: ", (unsigned long long)c->pairs.seed[c->turning_seed]);
    table_words(t, &t->family, c, c->turned, out);
    text_format(out, ".");
}

/* A few seeds do not show a long tail: where one run twice as far off as the farthest of them would undo that a
 * difference lies inside the margin. */
static void one_run(const Table *t, const Comparison *c, Text *out) {
    char number[SHOWN];
    const StPairs *p = &c->pairs;
    double margin = c->what.margin, far = 0;
    if (t->family.anytime || !c->inside || c->status != ST_OK) return;
    for (size_t i = 0; i < p->n; i++) far = fmax(far, fabs(p->d[i] - c->t.mean));
    double room = st_tost_room(p->d, p->n, p->scale, -margin, margin, t->x->alpha);
    if (!(room < 2 * far)) return;
    begin(t, c, out);
    text_format(out, "ONE MORE RUN WOULD UNDO that it lies inside the margin: one %s off the mean, ",
                show_number(number, room, decimals_for(c->t.se, 4)));
    text_format(out, "where the farthest of these is %s off; skewed differences have such runs.",
                show_number(number, far, decimals_for(c->t.se, 4)));
}

void table_flags(const Table *t, int cell, int step, int arm, Text *out) {
    const Comparison *c = table_comparison(t, cell, step, arm);
    table_divergence(t, cell, step, arm, out);
    if (!c) return;
    stalls(t, c, out);
    ranks(t, c, out);
    one_seed(t, c, out);
    one_run(t, c, out);
}

void table_flip_interval(const Table *t, const Comparison *c, Text *out) {
    const StFlipCi *ci = &c->together;
    const char *why = !c->t_decides                     ? "diverged"
                      : t->family.no_interval           ? "too many to count"
                      : ci->status == ST_NOT_REACHABLE ? "unbounded"
                                                       : st_status_text(ci->status);
    show_interval(out, ci->status == ST_OK ? ci->lo : (double)NAN, ci->hi, decimals_for(c->t.se, 4), why);
}
