/* What the seeds would take that decide an open claim. */
#include <math.h>
#include <string.h>

#include "bench/verdict/outlook.h"
#include "bench/ledger/ledger.h"

/* Learning rates of an experiment. */
static int rates_of(const Ledger *b, const char *experiment) {
    for (int i = 0; i < b->links; i++)
        if (!strcmp(b->link[i].name, experiment)) return b->link[i].rates;
    return 1;
}

double ledger_hours(const Ledger *b, const LedgerClaim *c) {
    const LedgerLine *l = c->line;
    if (!l || !l->v || !l->test || l->v->seeds_wanted <= l->v->size.seeds) return (double)NAN;
    const char *experiment = l->stored ? l->stored->experiment : l->in->table.x->name;
    bool grid = l->test->grid || (l->test->terms && l->test->term[0].arm.best);
    double runs = (double)l->v->seeds_wanted * l->test->terms * (grid ? rates_of(b, experiment) : 1);
    return runs * 6 * (double)l->v->size.parameters * l->v->size.trained / LEDGER_SPEED / 3600;
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
