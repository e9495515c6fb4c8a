/* What the seeds would take that decide an open claim. */
#include <math.h>
#include <string.h>

#include "bench/ledger/ledger.h"
#include "bench/verdict/outlook.h"

/* Learning rates of an experiment. */
static int rates_of(const Ledger *b, const char *experiment) {
    for (int i = 0; i < b->links; i++)
        if (!strcmp(b->link[i].name, experiment)) return b->link[i].rates;
    return 1;
}

/* Return the hours of two cores of the seeds that a test wants. */
static double hours_of(const Ledger *b, const LedgerLine *l) {
    const char *experiment = l->stored ? l->stored->experiment : l->in->table.x->name;
    bool grid = l->test->grid || (l->test->terms && l->test->term[0].arm.best);
    double runs = (double)l->v->seeds_wanted * l->test->terms * (grid ? rates_of(b, experiment) : 1);
    return runs * 6 * (double)l->v->size.parameters * l->v->size.trained / LEDGER_SPEED / 3600;
}

int ledger_seeds(const Ledger *b, const LedgerClaim *c, double *hours) {
    int most = 0;
    *hours = 0;
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        if (l->claim != c->claim || ledger_word(b, l) != WORD_OPEN || (l->v && l->v->seen != SEEN_unclear)) continue;
        if (!l->v || !l->test || l->v->seeds_wanted <= l->v->size.seeds) return *hours = (double)NAN, 0;
        if (l->v->seeds_wanted > most) most = l->v->seeds_wanted;
        *hours += hours_of(b, l);
    }
    if (!most) *hours = (double)NAN;
    return most;
}

double ledger_plan_hours(const Experiment *x) {
    return outlook_flops(x) / LEDGER_SPEED / 3600;
}

void ledger_hours_text(double hours, Text *out) {
    if (hours < 1)
        text_format(out, "%.0f min", fmax(1, 60 * hours));
    else
        text_format(out, "%.*f h", hours < 10 ? 1 : 0, hours);
}
