/* Whether a difference holds across sizes or corpora, as a table (bench/verdict/across.h). */
#include "bench/verdict/across.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/write/summaries.h"

typedef struct {
    const Table *t;
    const Across *a;
    const Comparison **at; /* [values]: of one pair */
    char (*label)[256];    /* [values] "width = 48" */
} Place;

static const Comparison *find(const Table *t, int cell, Compared pair) {
    for (int i = 0; i < t->family.count; i++) {
        const Contrast *c = &t->family.at[i].what;
        if (c->cell == cell && c->step == table_last(t, cell) && c->term[0].arm == pair.arm &&
            c->term[1].arm == pair.against)
            return &t->family.at[i];
    }
    return NULL;
}

/* The effect at each value, then how it changes from the first. */
static void pair_rows(const Place *p, int pair, Cells *c) {
    const Table *t = p->t;
    LOCAL_TEXT(words);
    char first[FACTOR_VALUE_SIZE];
    cells_heading(
        c, SHOW_TEXT("%s - %s", t->x->arm[p->a->pair[pair].arm].label, t->x->arm[p->a->pair[pair].against].label));
    for (int v = 0; v < p->a->values; v++) {
        cells_row(c);
        cell_text(c, p->label[v]);
        difference_cells(p->at[v], c), cell_p(c, p->at[v]->joint.step);
        cell_by(c, table_decision, t, p->at[v]);
    }
    for (int v = 1; v < p->a->values; v++) {
        cells_row(c);
        cell_format(c, "%s minus %s", p->label[v], factor_text(first, &t->x->factor[0], 0));
        const Comparison *change = &p->a->changes.at[pair * (p->a->values - 1) + v - 1];
        difference_cells(change, c), cell_p(c, change->joint.step);
        text_clear(&words);
        if (v + 1 == p->a->values) across_words(p->a, p->at, pair, p->label, &words);
        cell_text(c, words.at);
    }
}

/* What is found at each value, of all pairs; false, with nothing to release, where no experiment asks for it. */
static bool place_init(Place *p, const Table *t, Across *a) {
    Compared pair[EXPERIMENT_COMPARES_MAX];
    if (!across_make(a, &t->sample, t->metric, pair, table_pairs(t, pair))) return false;
    *p = (Place){t, a, mem_alloc((size_t)a->values, sizeof *p->at), mem_alloc((size_t)a->values, sizeof *p->label)};
    for (int v = 0; v < a->values; v++) experiment_cell_text(p->label[v], t->x, v);
    return true;
}

static void place_release(Place *p, Across *a) {
    free(p->at);
    free(p->label);
    across_release(a);
}

/* Whether a pair is compared at each value; p->at then has its comparisons. */
static bool at_each(Place *p, int pair) {
    bool all = true;
    for (int v = 0; v < p->a->values; v++) all &= (p->at[v] = find(p->t, v, p->a->pair[pair])) != NULL;
    return all;
}

void across_tables(const Table *t, CellsList *out) {
    Across a;
    Place p;
    if (!place_init(&p, t, &a)) return;
    const Factor *f = &t->x->factor[0];
    Cells *c = cells_add(out, "across", SHOW_TEXT("Differences across %s", f->key));
    text_format(&c->caption,
                "The table has the differences at each %s after the last step, and how they change from the first "
                "value, seed by seed over %d seeds.",
                f->key, t->sample.seeds);
    text_format(&c->notes,
                "p_adj of a change is that of its sign flips, adjusted by max-T over %d (the smallest possible is %s).",
                a.changes.count, SHOW_P(a.changes.floor));
    cells_column(c, "at", 'l', f->key);
    c->stub = 1;
    cells_columns(c, {"difference", "r", HEAD_DIFFERENCE(t)}, {"difference", "i", HEAD_INTERVAL(t)},
                  {"p_adjusted", "r", "p_adj"}, {"verdict", "p", "verdict"});
    for (int i = 0; i < a.pairs; i++)
        if (at_each(&p, i)) pair_rows(&p, i, c);
    place_release(&p, &a);
}

/* "worse than Pre-LN at width = 48 (+0.441, p_adj .031)" */
static void found_at(const Place *p, int v, Text *out) {
    const Comparison *c = p->at[v];
    table_decision(p->t, c, out);
    text_format(out, " at %s (%s, p_adj %s)", p->label[v], SHOW_SIGNED(c->t.mean, decimals_for(c->t.se, 4)),
                isnan(c->joint.step) ? "n/a" : SHOW_P(c->joint.step));
}

bool across_found(const Table *t, Text *out) {
    enum { PAIRS = 4, VALUES = 3 };
    Across a;
    Place p;
    int said = 0;
    if (!place_init(&p, t, &a)) return false;
    text_format(out, "After the last step, %d paired seeds: ", t->sample.seeds);
    for (int i = 0; i < a.pairs; i++) {
        if (!at_each(&p, i)) continue;
        if (said++ == PAIRS) text_format(out, "; more pairs stand in the table");
        if (said > PAIRS) break;
        text_format(out, "%s%s", said > 1 ? "; " : "", t->x->arm[a.pair[i].arm].label);
        if (t->x->compares) text_format(out, " - %s", t->x->arm[a.pair[i].against].label);
        text_format(out, ": ");
        for (int v = 0; v < a.values && a.values <= VALUES; v++) {
            found_at(&p, v, out);
            text_format(out, v + 1 < a.values ? ", " : "; ");
        }
        across_words(&a, p.at, i, p.label, out);
    }
    place_release(&p, &a);
    return said > 0;
}
