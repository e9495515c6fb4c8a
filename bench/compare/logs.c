#include "bench/compare/curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/rows.h"

static Rc add(CompareRows *r, CompareRow row, const char *where, const char *metric, double value, Error *e) {
    if (!isnan(value) && compare_value_fits(where, metric, value, e)) return e->code;
    row.value = value;
    compare_row_add(r, row);
    return RC_OK;
}

static Rc add_curve(CompareRows *r, CompareRow row, const PickedRun *run, const char *where, Error *e) {
    for (size_t i = 0; i < run->series->count; i++) {
        double step = run->series->at[i].step;
        if (step < 0 || step > 0x1p53 || step != floor(step))
            return error_set(e, RC_USAGE, "%.600s: step %g is no whole number, and --target counts steps", where, step);
        row.block = (int64_t)step;
        if (add(r, row, where, run->series->name, run->series->at[i].value, e)) return e->code;
    }
    return RC_OK;
}

static Rc add_run(CompareRows *r, const PickedRun *run, long at, Error *e) {
    char where[900];
    CompareRow row = {.at = at, .seed = run->number};
    log_called(where, sizeof where, run->log);
    if (compare_arm(r, where, run->arm, &row.arm, e)) return e->code;
    if (run->corpus[0] && compare_corpus(r, where, run->corpus, &row.corpus, e)) return e->code;
    if (r->columns.steps) return add_curve(r, row, run, where, e);
    return add(r, row, where, run->series->name, run->value, e);
}

/* RC_UNMEASURED: one arm, or one run of each. */
static Rc check_enough(const Pick *p, Error *e) {
    int arms;
    OWNED const char **arm = pick_labels(p, true, true, &arms);
    char first[100] = "", other[900] = "";
    if (arms) snprintf(first, sizeof first, "%.80s", arm[0]);
    for (int i = 0; i < p->runs && arms < 2 && !other[0]; i++)
        if (p->run[i].why && p->run[i].arm[0] && strcmp(p->run[i].arm, first) != 0)
            snprintf(other, sizeof other, "; the first of arm '%.80s': %.500s", p->run[i].arm, p->run[i].why);
    if (arms < 2)
        return error_set(e, RC_UNMEASURED,
                         "nothing to compare: '%s' is the only arm (%d of %d runs can be used; --list says "
                         "why)%s",
                         first, p->used, p->runs, other);
    if (p->used > arms) return RC_OK;
    char some[80] = "";
    if (p->used < p->runs) snprintf(some, sizeof some, " (%d of %d runs can be used)", p->used, p->runs);
    return error_set(e, RC_UNMEASURED, "nothing to test: one run of each of %d arms%s; --list shows them", arms, some);
}

/* The step that all values of an arm are of. */
static void find_steps(CompareCorpora *c, const Pick *p) {
    const CompareData *d = &c->of[0];
    c->step = mem_alloc((size_t)d->arms, sizeof *c->step);
    for (int arm = 0; arm < d->arms; arm++) {
        bool first = true;
        for (int i = 0; i < p->runs; i++) {
            const PickedRun *run = &p->run[i];
            if (run->why || strcmp(run->arm, d->arm[arm]) != 0) continue;
            if (first)
                c->step[arm] = run->step;
            else if (c->step[arm] != run->step)
                c->step[arm] = (double)NAN;
            first = false;
        }
    }
}

Rc compare_logs(CompareCorpora *c, const Pick *p, CompareColumns columns, bool alone, Error *e) {
    LOCAL(compare_rows_release) CompareRows r = {.file = "the runs", .columns = columns, .pick = p};
    *c = (CompareCorpora){0};
    if (!alone && check_enough(p, e)) return e->code;
    r.columns.unpaired = p->unpaired;
    r.blocks = columns.steps;
    r.numbered = !p->seeds;
    for (int i = 0; i < p->runs; i++)
        if (!p->run[i].why && add_run(&r, &p->run[i], i, e)) return e->code;
    r.read_as = mem_text(p->read_as.at);
    r.metric = mem_text(p->metric);
    if (compare_corpora_gather(c, &r, e)) {
        compare_corpora_release(c);
        return e->code;
    }
    c->metric = mem_text(p->metric);
    if (p->when[0]) c->when = mem_text(p->when);
    if (p->curve && !columns.steps) find_steps(c, p);
    c->of[0].remarks = mem_text(p->remarks.at);
    return RC_OK;
}
