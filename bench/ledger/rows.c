/* A line of the ledger as a row: of a contrast, and of a statement. */
#include <stdio.h>
#include <string.h>

#include "bench/ledger/ledger.h"

/* "WHAT: MEASURED [INTERVAL], predicted …", cut into its parts. */
void ledger_stated(const LedgerLine *l, LedgerStated *out) {
    *out = (LedgerStated){.n = l->stored ? l->stored->n : l->stated->m->seeds};
    text_init(&out->words);
    if (l->stored)
        text_format(&out->words, "%s", l->stored->numbers);
    else
        theory_summary(l->stated, &out->words);
    const char *what = l->statement->what, *at = out->words.at, *end;
    size_t n = strlen(what);
    out->rest = at;
    if (strncmp(at, what, n) != 0 || strncmp(at + n, ": ", 2) != 0) return;
    at += n + 2, end = strstr(at, ", predicted ");
    if (!end) return;
    const char *bracket = strstr(at, " [");
    if (!bracket || bracket > end) bracket = end;
    snprintf(out->ours, sizeof out->ours, "%.*s", (int)(bracket - at), at);
    if (bracket < end) snprintf(out->interval, sizeof out->interval, "%.*s", (int)(end - bracket - 1), bracket + 1);
    out->rest = end + 2;
}

void ledger_row(const Ledger *b, const LedgerLine *l, LedgerRow *out) {
    LOCAL_TEXT(place);
    if (l->stored)
        text_format(&place, "%s", l->stored->where);
    else
        ledger_place(l, &place);
    snprintf(out->where, sizeof out->where, "%.390s", place.at);
    if (l->stored)
        out->r = (ClaimRow){.n = l->stored->n, .se = l->v->c->t.se, .exploratory = l->v->undeclared};
    else
        out->r = claim_row(&l->in->table, l->v, out->where, out->interval);
    if (l->stored) snprintf(out->interval, sizeof out->interval, "95%% %.40s", l->v->interval);
    out->r.test = l->test, out->r.v = l->v, out->r.where = out->where, out->r.interval = out->interval;
    out->r.word = ledger_word(b, l);
}
