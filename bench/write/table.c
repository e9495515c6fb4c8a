#include "bench/write/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/declare.h"
#include "bench/verdict/until.h"

const char *table_heading(const TableRow *row) {
    return row->heading[0] ? row->heading : metric_info[row->metric].heading;
}

const char *table_arrow(Metric m) {
    return metric_info[m].better < 0 ? " ↓" : metric_info[m].better > 0 ? " ↑" : "";
}

int table_last(const Table *t, int cell) {
    return t->sample.cell[cell].steps - 1;
}

int table_end(const Table *t) {
    int step = t->sample.cell[0].step[table_last(t, 0)];
    for (int cell = 1; cell < t->sample.cells; cell++)
        if (t->sample.cell[cell].step[table_last(t, cell)] != step) return -1;
    return step;
}

/* Where seeds are added until it is decided, the comparisons are those that decide. */
static void compare(Table *t) {
    const Sample *s = &t->sample;
    Compared pair[EXPERIMENT_COMPARES_MAX];
    OWNED Contrast *what = NULL;
    int count = s->x->most ? until_primaries(s, &what) : 0, pairs = s->x->most ? 0 : experiment_pairs(s->x, pair);
    for (int cell = 0; cell < s->cells; cell++)
        for (int step = 0; step < s->cell[cell].steps; step++)
            for (int i = 0; i < pairs && s->cell[cell].step[step]; i++) {
                what = mem_grow(what, (size_t)count + 1, sizeof *what);
                what[count++] = contrast_pair(cell, step, t->metric, pair[i].arm, pair[i].against, s->x->margin);
            }
    family_make(&t->family, s, what, count);
}

static bool *tied_at(const Table *t, int cell, int step) {
    return &t->tied[(cell * SAMPLE_STEPS_MAX + step) * t->sample.arms];
}

void table_name(char out[TABLE_NAME_SIZE], const Experiment *x, const RunRecord *records) {
    int first = records[0].spec.precision;
    bool same = first != PRECISION_exact;
    for (int i = 0; i < experiment_cells(x) * x->arms * x->seeds; i++) same &= records[i].spec.precision == first;
    snprintf(out, TABLE_NAME_SIZE, "%s%s%s", x->name, same ? "-" : "",
             same ? precision_name((PrecisionKind)first) : "");
}

/* "smoke-first" of out/first; "smoke-24252339" of a folder that has no name of its own, by what is not its seeds. */
static void changed_label(Table *t) {
    char hash[9];
    const char *name = t->x->name, *word = t->options.slug;
    size_t n = strlen(name);
    snprintf(hash, sizeof hash, "%.8s", t->x->body);
    if (!word || !*word || !strcmp(word, SHOW_TEXT("%s-%.8s", name, t->x->plan))) word = hash;
    if (!strncmp(word, name, n) && word[n] == '-') word += n + 1;
    snprintf(t->label, sizeof t->label, "%s-%s", t->name, word);
}

/* What every caption says of all runs. */
static void find_classes(Table *t) {
    int runs = t->sample.cells * t->sample.arms * t->sample.seeds, classes = 0;
    bool other = false;
    text_init(&t->classes);
    for (int i = 0; i < runs; i++) {
        const char *name = t->records[i].arithmetic_class;
        bool seen = false;
        for (int j = 0; j < i && !seen; j++) seen = !strcmp(name, t->records[j].arithmetic_class);
        if (seen) continue;
        other |= strcmp(name, "canon") != 0;
        text_format(&t->classes, "%s%s", classes++ ? "+" : "", name);
    }
    if (!other) text_clear(&t->classes);
}

static bool same_batches(const Table *t) {
    static const char *const keys[] = {"dataset", "tokenizer", "batch", "context"};
    char one[SPEC_TEXT_SIZE], other[SPEC_TEXT_SIZE];
    bool same = true;
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int arm = 0; arm < t->sample.arms; arm++)
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
                spec_get(one, table_spec(t, cell, t->sample.baseline), keys[k]);
                spec_get(other, table_spec(t, cell, arm), keys[k]);
                same &= !strcmp(one, other);
            }
    return same;
}

Rc table_make(Table *t, const Experiment *x, const RunRecord *records, const ClaimFile *claims, TableOptions options,
              Error *e) {
    *t = (Table){.x = x, .records = records, .claims = claims, .options = options, .metric = x->metric};
    st_init();
    if (sample_make(&t->sample, x, records, e)) {
        *t = (Table){0};
        return e->code;
    }
    const Sample *s = &t->sample;
    LOCAL_TEXT(line);
    declare_plan(x, &line);
    for (int i = 0; i < s->cells * s->arms * s->seeds; i++) t->undeclared += !declared(records[i].declared, line.at);
    t->partial = options.partial && options.partial[0];
    bool other = options.exploratory || t->undeclared;
    t->exploratory = other || t->partial;
    table_name(t->name, x, records);
    if (options.exploratory)
        changed_label(t);
    else
        snprintf(t->label, sizeof t->label, "%s", t->name);
    if (t->partial) snprintf(t->name + strlen(t->name), sizeof t->name - strlen(t->name), "-partial");
    find_classes(t);
    t->same_batches = same_batches(t);
    sample_hash(s, records, t->results_hash);
    for (int i = 0; i < s->cells * s->arms * s->seeds; i++) t->synthetic |= !isnan(records[i].entropy_rate);
    t->found = mem_alloc(1, sizeof *t->found);
    compare(t);
    if (claims) claim_verdicts_make(&t->verdicts, claims, s);
    t->tied = mem_alloc((size_t)s->cells * SAMPLE_STEPS_MAX * (size_t)s->arms, sizeof *t->tied);
    for (int cell = 0; cell < s->cells && !t->exploratory; cell++)
        for (int step = 0; step < s->cell[cell].steps; step++)
            if (s->cell[cell].step[step]) verdict_tied(s, cell, step, t->metric, x->alpha, tied_at(t, cell, step));
    return RC_OK;
}

static void release_found(TableFound *f) {
    if (f && f->ranking) ranking_release(f->ranking);
    if (f && f->best) best_release(f->best), free(f->best);
    if (f && f->sensitivity) sensitivity_release(f->sensitivity);
    for (int i = 0; f && f->summary && i < f->summaries; i++) cells_list_release(&f->summary[i]);
    if (f) free(f->ranking), free(f->sensitivity), free(f->block), free(f->summary), free(f->made);
    free(f);
}

void table_release(Table *t) {
    release_found(t->found);
    sample_release(&t->sample);
    family_release(&t->family);
    claim_verdicts_release(&t->verdicts);
    text_release(&t->classes);
    free(t->tied);
    *t = (Table){0};
}

/* Define function: return what make computes when it is first asked for; NULL: there is none. */
#define WHEN_ASKED(function, Type, part, asked, make) \
    const Type *function(const Table *t) { \
        TableFound *f = t->found; \
        if (f->asked) return f->part; \
        f->asked = true; \
        f->part = mem_alloc(1, sizeof *f->part); \
        if (t->family.anytime || !make(f->part, &t->sample)) free(f->part), f->part = NULL; \
        return f->part; \
    }
WHEN_ASKED(table_ranking, Ranking, ranking, ranked, ranking_make)
WHEN_ASKED(table_best, Best, best, bested, best_make)
WHEN_ASKED(table_sensitivity, Sensitivity, sensitivity, swept, sensitivity_make)

/* The family's cells ascend: its first comparison of a cell by halving. */
const Comparison *table_comparison(const Table *t, int cell, int step, int arm) {
    int low = 0, high = t->family.count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (t->family.at[middle].what.cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < t->family.count && t->family.at[low].what.cell == cell; low++) {
        const Contrast *c = &t->family.at[low].what;
        if (c->step == step && c->term[0].arm == arm && c->term[1].arm == t->sample.baseline) return &t->family.at[low];
    }
    return NULL;
}

const RunSpec *table_spec(const Table *t, int cell, int arm) {
    return &sample_run(&t->sample, cell, 0, arm, 0)->record->spec;
}

const ReportedTable *table_reported(const Table *t, int cell, int step) {
    char why[CLAIM_WHY_SIZE];
    const RunSpec *spec = table_spec(t, cell, t->sample.baseline);
    for (int i = 0; t->claims && i < t->claims->tables; i++) {
        const ReportedTable *r = &t->claims->table[i];
        if (r->step == t->sample.cell[cell].step[step] && setup_holds(r->setup, spec, why, sizeof why)) return r;
    }
    return NULL;
}

const ReportedNumber *table_reported_number(const Table *t, int cell, int step, int arm, const char *quantity) {
    const ReportedTable *r = table_reported(t, cell, step);
    return r ? reported_number(r, t->x->arm[arm].name, table_spec(t, cell, arm), quantity) : NULL;
}

void table_reported_why(const Table *t, int cell, char *out, size_t size) {
    const RunSpec *spec = table_spec(t, cell, t->sample.baseline);
    out[0] = 0;
    if (!t->claims || !t->claims->tables) return;
    for (int i = 0; i < t->claims->tables; i++)
        if (setup_holds(t->claims->table[i].setup, spec, out, size)) {
            out[0] = 0;
            if (sample_step(&t->sample, cell, t->claims->table[i].step) < 0)
                snprintf(out, size, "step %d is not measured here", t->claims->table[i].step);
            return;
        }
}

const char *const bold_names[BOLD_MODES] = {"tied", "best", "none"};

/* A tied set of all arms says nothing, and neither does one with a diverged run. */
bool table_tied(const Table *t, int cell, int step, int arm) {
    const bool *tied = tied_at(t, cell, step);
    int count = 0, lost = 0;
    for (int a = 0; a < t->sample.arms; a++) {
        count += tied[a];
        lost += tied[a] && sample_arm(&t->sample, cell, step, a, t->metric).diverged;
    }
    if (t->options.bold == BOLD_none || (t->options.bold == BOLD_best && count > 1)) return false;
    return count < t->sample.arms && !lost && tied[arm];
}

unsigned table_marks(const Table *t, int cell, int step, int arm) {
    const Comparison *c = table_comparison(t, cell, step, arm);
    unsigned marks = sample_arm(&t->sample, cell, step, arm, t->metric).diverged ? MARK_diverged : 0;
    if (!c || t->exploratory) return marks;
    return marks | (decision_apart(c->decision) ? MARK_separated : 0) | (c->inside ? MARK_equivalent : 0);
}

static double middle(double *x, int n) {
    StSample sorted;
    double out = (double)NAN;
    if (st_sample_init(&sorted, x, (size_t)n, 0) == ST_OK) {
        out = st_sample_median(&sorted);
        st_sample_release(&sorted);
    }
    return out;
}

Cost table_cost(const Table *t, int arm) {
    const Sample *s = &t->sample;
    int n = s->cells * s->seeds, k = 0;
    OWNED double *seconds = mem_alloc((size_t)n, sizeof *seconds), *ratio = mem_alloc((size_t)n, sizeof *ratio);
    Cost cost = {.least = (double)INFINITY, .most = -(double)INFINITY};
    for (int cell = 0; cell < s->cells; cell++) {
        if (table_spec(t, cell, s->baseline)->precision != table_spec(t, 0, s->baseline)->precision ||
            table_spec(t, cell, arm)->precision != table_spec(t, 0, arm)->precision)
            continue;
        for (int seed = 0; seed < s->seeds; seed++) {
            const RunRecord *r = &t->records[(cell * s->arms + arm) * s->seeds + seed];
            const RunRecord *base = &t->records[(cell * s->arms + s->baseline) * s->seeds + seed];
            cost.parameters = r->parameters;
            cost.memory_mb = fmax(cost.memory_mb, r->memory_mb);
            if (!isfinite(r->step_seconds / base->step_seconds)) continue; /* one went on after its last step */
            seconds[k] = r->step_seconds;
            ratio[k] = r->step_seconds / base->step_seconds;
            const Provenance *a = &r->provenance, *b = &base->provenance;
            cost.unlike |= strcmp(a->device, b->device) || a->replicas != b->replicas || a->threads != b->threads;
            cost.least = fmin(cost.least, ratio[k]), cost.most = fmax(cost.most, ratio[k]);
            k++;
        }
    }
    cost.step_seconds = middle(seconds, k);
    cost.ratio = middle(ratio, k);
    return cost;
}
