#include "bench/verdict/across.h"

#include <string.h>

#include "base/error.h"

bool across_make(Across *a, const Sample *s, Metric metric, const Compared *pair, int pairs) {
    const Experiment *x = s->x;
    *a = (Across){.pairs = pairs};
    if (!x->summary[SUMMARY_across] || x->factors != 1 || x->seeds < 2 || !pairs) return false;
    a->values = x->factor[0].values;
    memcpy(a->pair, pair, (size_t)pairs * sizeof *pair);
    OWNED Contrast *what = mem_alloc((size_t)(pairs * a->values), sizeof *what);
    int count = 0;
    for (int i = 0; i < pairs; i++)
        for (int v = 1; v < a->values; v++) {
            const int last = s->cell[v].steps - 1, first = s->cell[0].steps - 1;
            what[count] = contrast_pair(v, last, metric, pair[i].arm, pair[i].against, x->margin);
            what[count].term[2] = (Term){pair[i].arm, -1, 0, first};
            what[count].term[3] = (Term){pair[i].against, 1, 0, first};
            what[count++].terms = 4;
        }
    family_make(&a->changes, s, what, count);
    return true;
}

void across_release(Across *a) {
    family_release(&a->changes);
}

static bool same_side(const Comparison *a, const Comparison *b) {
    return decision_apart(a->decision) && decision_apart(b->decision) &&
           decision_lower(a->decision) == decision_lower(b->decision);
}

void across_words(const Across *a, const Comparison *const *at, int pair, char (*label)[256], Text *out) {
    int apart = 0, alike = 0, shown = -1, changed = 0;
    for (int v = 0; v < a->values; v++) {
        if (!decision_apart(at[v]->decision)) continue;
        if (shown < 0) shown = v;
        apart++, alike += same_side(at[shown], at[v]);
    }
    for (int v = 1; v < a->values; v++) {
        const Comparison *c = &a->changes.at[pair * (a->values - 1) + v - 1];
        if (!decision_apart(c->decision)) continue;
        text_format(out, "%sdiffers by %+.3g at %s", changed++ ? "; " : "", c->t.mean, label[v]);
    }
    if (changed && apart == a->values && alike == apart)
        text_format(out, a->values == 2 ? ", with the same sign at both" : ", with the same sign at all %d", a->values);
    if (changed) return;
    if (apart == a->values && alike == apart)
        text_format(out, "holds at %s", a->values == 2 ? "both" : "all");
    else if (!apart)
        text_format(out, "not decided at any");
    else if (alike < apart)
        text_format(out, "the sign differs at some; read each row");
    else
        text_format(out, "shown at %d of %d alone, and no change is shown", apart, a->values);
}
