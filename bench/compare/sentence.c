#include "bench/compare/print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/formats/latex.h"
#include "bench/write/prose.h"

/* What is said beside the comparison. */
typedef struct {
    const char *arm, *baseline;
    const char *what;  /* what was measured, "val/loss"; NULL: not said */
    const char *unit;  /* "nats"; NULL */
    const char *where; /* "on wikitext-2"; NULL */
    const char *when;  /* "at step 50"; NULL */
    const char *verb;  /* "ends", "reaches the target" */
    const char *lost;  /* why intervals are withheld: "a run diverged" */
    bool steps;        /* values are steps to a target */
} SentenceNames;

static void name(const char *text, SentenceForm form, Text *out) {
    if (form == SENTENCE_TEX)
        latex_shown(out, text);
    else if (form == SENTENCE_MARKDOWN)
        markdown_text(text, out);
    else
        text_format(out, "%s", text);
}

/* A number, a p or a share as the form writes it. */
static void number(const char *shown, SentenceForm form, Text *out) {
    if (form == SENTENCE_TEX)
        latex_number(out, shown);
    else
        text_format(out, "%s", shown);
}

static const char *percent(SentenceForm form) {
    return form == SENTENCE_TEX ? "\\%" : "%";
}

static void p_value(double p, SentenceForm form, Text *out) {
    char shown[SHOWN];
    show_p(shown, p);
    bool below = shown[0] == '<';
    text_format(out, form == SENTENCE_TEX ? "$p %s %s$" : "p %s %s", below ? "<" : "=", shown + below);
}

static void share(uint64_t count, uint64_t total, SentenceForm form, Text *out) {
    text_format(out, form == SENTENCE_TEX ? "$p = %llu/%llu$" : "p = %llu/%llu", (unsigned long long)count,
                (unsigned long long)total);
}

/* "16 paired seeds, exact sign-flip p = 2/65536, adjusted over 3 comparisons p = .004" */
static void test(const Family *f, const Comparison *c, SentenceForm form, Text *out) {
    const char *kind = f->unpaired ? "relabelling" : "sign-flip";
    if (f->unpaired)
        text_format(out, "%d and %d unpaired runs", c->n_a, c->n_b);
    else
        text_format(out, "%d paired seed%s", f->n, f->n == 1 ? "" : "s");
    if (c->flip.status != ST_OK) return;
    text_format(out, ", %s%s ", c->flip.exact ? "exact " : "", kind);
    if (c->flip.exact)
        share(c->flip.count, c->flip.total, form, out);
    else
        p_value(c->flip.p, form, out);
    if (f->count < 2 || isnan(c->joint.step)) return;
    text_format(out, ", adjusted over %d comparisons ", f->count);
    p_value(c->joint.step, form, out);
}

static void interval(const Family *f, const Comparison *c, const SentenceNames *n, SentenceForm form, Text *out) {
    if (!c->t_decides) {
        text_format(out, "no interval: %s, ", n->lost);
        return;
    }
    if (c->t.status != ST_OK) return;
    text_format(out, "%s%s interval ", FORMAT_REAL(round(1e8 * f->conf) / 1e6), percent(form));
    number(SHOW_WITH_ERROR(c->t.lo, c->t.se, false), form, out);
    text_format(out, " to ");
    number(SHOW_WITH_ERROR(c->t.hi, c->t.se, false), form, out);
    text_format(out, ", ");
}

/* "0.45 nats higher", "120 steps later" */
static void size(const Comparison *c, const SentenceNames *n, SentenceForm form, Text *out) {
    bool less = c->t.mean < 0;
    number(SHOW_WITH_ERROR(fabs(c->t.mean), c->t.se, false), form, out);
    if (n->steps)
        text_format(out, " steps %s", less ? "earlier" : "later");
    else
        text_format(out, "%s%s %s", n->unit ? " " : "", n->unit ? n->unit : "", less ? "lower" : "higher");
}

static void says(const Comparison *c, Decision d, const SentenceNames *n, SentenceForm form, Text *out) {
    const char *verb = n->verb;
    name(n->arm, form, out);
    if (decision_apart(d)) {
        text_format(out, " %s ", verb);
        size(c, n, form, out);
        text_format(out, " than ");
        name(n->baseline, form, out);
        if (decision_negligible(d)) text_format(out, ", within %s", FORMAT_REAL(c->what.margin));
    } else if (d == DECISION_EQUIVALENT) {
        text_format(out, " and ");
        name(n->baseline, form, out);
        text_format(out, " are the same within %s; the first %s ", FORMAT_REAL(c->what.margin), verb);
        size(c, n, form, out);
    } else {
        text_format(out, " is not shown to differ from ");
        name(n->baseline, form, out);
        text_format(out, "; it %s ", verb);
        size(c, n, form, out);
    }
}

static void sentence(const Family *f, const Comparison *c, Decision d, const SentenceNames *n, SentenceForm form,
                     Text *out) {
    if (n->where) name(n->where, form, out), text_format(out, ", ");
    says(c, d, n, form, out);
    text_format(out, " (");
    if (n->what) name(n->what, form, out);
    if (n->when) text_format(out, "%s%s", n->what ? " " : "", n->when);
    if (n->what || n->when) text_format(out, "; ");
    interval(f, c, n, form, out);
    test(f, c, form, out);
    text_format(out, ").");
}

void compare_sentence(const CompareOver *r, int corpus, int i, const char *metric, SentenceForm form, Text *out) {
    const CompareResult *one = &r->of[corpus];
    const Comparison *c = &one->family.at[i];
    char where[200];
    snprintf(where, sizeof where, "On %.180s", r->data->name[corpus]);
    SentenceNames names = {.arm = compare_arm_name(one, c),
                           .baseline = one->data->arm[one->baseline],
                           .what = metric,
                           .when = r->data->when,
                           .where = r->data->corpora > 1 ? where : NULL,
                           .verb = one->data->steps ? "reaches the target"
                                   : r->data->when  ? "is"
                                                    : "ends",
                           .lost = one->data->steps ? "a run never reached the target" : "a run diverged",
                           .steps = one->data->steps};
    sentence(&one->family, c, c->decision, &names, form, out);
}

void compare_sentences(const CompareOver *r, const char *metric, SentenceForm form, Text *out) {
    for (int k = 0; k < r->data->corpora; k++)
        for (int i = 0; i < r->of[k].family.count; i++) {
            compare_sentence(r, k, i, metric, form, out);
            text_format(out, "\n");
        }
}

void against_sentences(const Against *r, const char *metric, SentenceForm form, Text *out) {
    for (int i = 0; i < r->data->arms; i++) {
        const AgainstArm *a = &r->arm[i];
        double mean = r->options.number + a->t.mean, error = a->runs > 1 ? a->t.sd / sqrt(a->runs) : (double)NAN;
        text_format(out, "The mean of ");
        name(r->data->arm[i], form, out);
        text_format(out, " is %s%s ", a->shown ? "" : "not shown to be ", r->options.higher ? "above" : "below");
        number(FORMAT_REAL(r->options.number), form, out);
        text_format(out, " (");
        if (metric) name(metric, form, out), text_format(out, "; ");
        text_format(out, "mean ");
        number(SHOW_WITH_ERROR(mean, error, false), form, out);
        text_format(out, " of %d run%s, one-sided %ssign-flip ", a->runs, a->runs == 1 ? "" : "s",
                    a->flip.exact ? "exact " : "");
        if (a->flip.exact)
            share(a->flip.count, a->flip.total, form, out);
        else
            p_value(a->flip.p, form, out);
        if (r->data->arms > 1) text_format(out, ", adjusted over %d arms ", r->data->arms), p_value(a->holm, form, out);
        text_format(out, ").\n");
    }
}

void table_sentences(const Table *t, SentenceForm form, Text *out) {
    for (int i = 0; i < t->family.count; i++) {
        const Comparison *c = &t->family.at[i];
        if (c->what.step != table_last(t, c->what.cell)) continue;
        LOCAL_TEXT(plain);
        prose_comparison(t, c, &plain);
        name(plain.at, form, out);
        text_format(out, "\n");
    }
}
