/* What was found, in words: one paragraph per experiment, which the page and the PDF begin with. Plain text. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures/figure.h"
#include "bench/report/report.h"
#include "bench/verdict/words.h"
#include "bench/write/prose.h"
#include "stats/tests.h"

enum { FULL_SENTENCES = 4 };

/* table_decision without why none was made. */
static void verdict_short(const Table *t, const Comparison *c, Text *out) {
    size_t before = out->length;
    bool decided = decision_made(c->decision);
    table_decision(t, c, out);
    char *why = decided ? NULL : strstr(out->at + before, ": "); /* said once, of all of them */
    if (why) out->length = (size_t)(why - out->at), *why = 0;
}

/* "+0.1173 nats [0.1120, 0.1227]" */
static void difference(const Table *t, const Comparison *c, Text *out) {
    int digits = prose_digits(c);
    bool interval = c->t_decides && (c->t.status == ST_OK || c->t.status == ST_DEGENERATE);
    if (c->status != ST_OK) {
        text_format(out, "n/a (%s)", words_status(c));
        return;
    }
    text_format(out, "%s%s", SHOW_SIGNED(c->t.mean, digits), prose_unit(t->metric));
    if (interval && c->t.status == ST_OK) {
        text_format(out, " ");
        show_interval(out, c->t.lo, c->t.hi, digits, "");
    }
}

/* "Post-LN", or "Post-LN minus Pre-LN" where an experiment lists its pairs and the verdict names no other arm. */
static void who(const Table *t, const Comparison *c, Text *out) {
    text_format(out, "%s", t->x->arm[c->what.term[0].arm].label);
    if (t->x->compares && !decision_apart(c->decision))
        text_format(out, " minus %s", t->x->arm[c->what.term[1].arm].label);
}

static int diverged_runs(const Table *t, const Comparison *c) {
    return sample_arm(&t->sample, c->what.cell, c->what.step, c->what.term[0].arm, t->metric).diverged;
}

/* "LayerNorm is worse than baseline: +0.1173 nats [0.1120, 0.1227], p = 2/64. ",
 * "LayerNorm is not decided: +0.063 ". */
static void sentence(const Table *t, const Comparison *c, Text *out) {
    int lost = diverged_runs(t, c);
    who(t, c, out);
    text_format(out, " is ");
    verdict_short(t, c, out);
    text_format(out, ": ");
    difference(t, c, out);
    if (c->status == ST_OK && t->sample.seeds > 1) {
        text_format(out, ", p = ");
        forest_p(&t->family, c, out);
    }
    if (lost) text_format(out, " (%d of its %d runs diverged)", lost, t->sample.seeds);
    text_format(out, ". ");
}

/* Comparisons with the same verdict, named once. */
typedef struct {
    Text verdict, names;
    int count;
    double least, most;
    int digits;
} Group;

static int group_all(const Table *t, const Comparison *const *c, int count, Group **list) {
    int groups = 0;
    LOCAL_TEXT(verdict);
    *list = mem_alloc((size_t)count + 1, sizeof **list);
    for (int i = 0; i < count; i++) {
        int at = 0, digits = prose_digits(c[i]);
        double d = c[i]->t.mean;
        text_clear(&verdict);
        verdict_short(t, c[i], &verdict);
        while (at < groups && strcmp((*list)[at].verdict.at, verdict.at) != 0) at++;
        Group *g = &(*list)[at];
        if (at == groups) {
            *g = (Group){.least = d, .most = d};
            text_init(&g->verdict);
            text_init(&g->names);
            text_format(&g->verdict, "%s", verdict.at);
            groups++;
        }
        g->least = fmin(g->least, d), g->most = fmax(g->most, d);
        g->digits = digits > g->digits ? digits : g->digits;
        text_format(&g->names, g->count++ ? ", " : "");
        who(t, c[i], &g->names);
        text_format(&g->names, " (%s)", SHOW_SIGNED(d, digits));
    }
    return groups;
}

static void groups_release(Group *list, int count) {
    for (int i = 0; i < count; i++) {
        text_release(&list[i].verdict);
        text_release(&list[i].names);
    }
    free(list);
}

/* Many arms in one cell: "Worse than pre are post (+0.2), none (+0.5). " */
static void by_verdict(const Table *t, const Comparison *const *c, int count, Text *out) {
    Group *list;
    int groups = group_all(t, c, count, &list);
    for (Group *g = list; g < list + groups; g++) {
        g->verdict.at[0] = (char)toupper((unsigned char)g->verdict.at[0]);
        text_format(out, "%s %s %s. ", g->verdict.at, g->count == 1 ? "is" : "are", g->names.at);
    }
    groups_release(list, groups);
}

/* Many cells: "Post-LN is worse than Pre-LN in 4 of 6 settings (+0.0456 to +0.0698 nats); in 2 it is not decided. " */
static void by_pair(const Table *t, const Comparison *const *c, int count, const Compared *pair, Text *out) {
    OWNED const Comparison **own = mem_alloc((size_t)count + 1, sizeof *own);
    int own_count = 0;
    Group *list;
    for (int i = 0; i < count; i++)
        if (c[i]->what.term[0].arm == pair->arm && c[i]->what.term[1].arm == pair->against) own[own_count++] = c[i];
    int groups = group_all(t, own, own_count, &list);
    for (Group *g = list; g < list + groups; g++) {
        char least[SHOWN], most[SHOWN];
        if (g == list) who(t, own[0], out), text_format(out, " is ");
        if (g > list)
            text_format(out, "; in %d it is %s", g->count, g->verdict.at);
        else if (g->count < own_count)
            text_format(out, "%s in %d of %d settings", g->verdict.at, g->count, own_count);
        else
            text_format(out, "%s in %s", g->verdict.at, own_count == 2 ? "both settings" : "all settings");
        show_signed(least, g->least, g->digits);
        show_signed(most, g->most, g->digits);
        if (!strcmp(least, most))
            text_format(out, " (%s%s)", least, prose_unit(t->metric));
        else
            text_format(out, " (%s to %s%s)", least, most, prose_unit(t->metric));
    }
    if (groups) text_format(out, ". ");
    groups_release(list, groups);
}

/* What there is to say where nothing is compared. */
static void single_arm(const Table *t, Text *out) {
    char where[256];
    for (int cell = 0; cell < t->sample.cells && cell < FULL_SENTENCES; cell++) {
        SampleArm a = sample_arm(&t->sample, cell, table_last(t, cell), 0, t->metric);
        int digits = decimals_for(a.n > 1 ? a.sd : 0, metric_info[t->metric].digits);
        if (a.status != ST_OK) continue;
        text_format(out, "%s%s%s: %s %s", experiment_cell_text(where, t->x, cell), where[0] ? ", " : "",
                    t->x->arm[0].label, metric_info[t->metric].heading, SHOW_NUMBER(a.mean, digits));
        if (a.n > 1) text_format(out, " (SD %s)", SHOW_NUMBER(a.sd, digits));
        text_format(out, ". ");
    }
    text_format(out, "There is one arm, so nothing is compared. ");
}

static void what_p_is(const Table *t, Text *out) {
    const Family *f = &t->family;
    LOCAL_TEXT(floor);
    if (t->sample.seeds < 2) text_format(out, "There is one seed, so nothing can be tested. ");
    if (t->sample.seeds < 2 || !f->count) return;
    if (f->anytime) {
        text_format(out, "Seeds are added until every comparison is decided: ");
        table_stop(t, out);
        text_format(out, "; p and intervals hold whenever one stops. ");
        return;
    }
    prose_smallest_p(t, &floor);
    if (f->floor >= t->x->alpha)
        text_format(out,
                    "%d seeds cannot decide it: the smallest possible p is %s, and %s is asked for; %zu seeds can. ",
                    t->sample.seeds, floor.at, FORMAT_REAL(t->x->alpha),
                    st_test_seeds(st_test_find("maxt"), (size_t)f->count, t->x->alpha));
    else
        text_format(out, "p is that of exact sign flips of the seeds%s; %s is the smallest that %d seeds allow. ",
                    f->count > 1 ? ", adjusted for all comparisons together" : "", floor.at, t->sample.seeds);
}

int report_comparisons(const Table *t, const Comparison **c) {
    int count = 0;
    for (const Comparison *one = t->family.at; one < t->family.at + t->family.count; one++)
        if (one->what.step == table_last(t, one->what.cell)) c[count++] = one;
    return count;
}

/* "After 150 steps on tinyshakespeare (6 paired seeds, val loss): ": what a paragraph begins with. */
static void setting(const Table *t, Text *out) {
    const RunRecord *r = sample_run(&t->sample, 0, 0, t->sample.baseline, 0)->record;
    if (table_end(t) >= 0)
        text_format(out, "After %d steps on ", table_end(t));
    else
        text_format(out, "After the last step on ");
    if (t->synthetic)
        text_format(out, "the built-in synthetic source");
    else
        text_format(out, "%s", r->dataset);
    text_format(out, " (%d %s, %s", t->sample.seeds, t->sample.seeds == 1 ? "seed" : "paired seeds",
                metric_info[t->metric].heading);
    if (t->sample.cells > 1) text_format(out, ", %d settings of ", t->sample.cells);
    for (int i = 0; i < t->x->factors; i++)
        text_format(out, "%s%s", i ? i + 1 < t->x->factors ? ", " : " and " : "", t->x->factor[i].key);
    text_format(out, "): ");
}

/* "36 of 108 runs diverged; they count as the uniform predictor. ", or nothing. */
static void divergence(const Table *t, Text *out) {
    int lost = table_diverged(t);
    if (!lost) return;
    text_format(out, "%d of %d runs diverged; they ", lost, t->sample.cells * t->sample.arms * t->sample.seeds);
    if (metric_has_uniform(t->metric))
        text_format(out, "count as a uniform guess (loss ln V). ");
    else
        text_format(out, "have no %s, so their arms are not compared. ", metric_info[t->metric].heading);
}

void report_finding(const Table *t, Text *out) {
    OWNED const Comparison **c = mem_alloc((size_t)t->family.count + 1, sizeof *c);
    Compared pair[EXPERIMENT_COMPARES_MAX];
    int count = report_comparisons(t, c), pairs = experiment_pairs(t->x, pair);
    setting(t, out);
    if (!count)
        single_arm(t, out);
    else if (t->sample.cells > 1)
        for (int i = 0; i < pairs; i++) by_pair(t, c, count, &pair[i], out);
    else if (count > FULL_SENTENCES)
        by_verdict(t, c, count, out);
    else
        for (int i = 0; i < count; i++) sentence(t, c[i], out);
    if (count > FULL_SENTENCES || t->sample.cells > 1) divergence(t, out);
}

void report_answer(const Table *t, Text *out) {
    report_finding(t, out);
    if (t->family.count) what_p_is(t, out);
    while (out->length && out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
}
