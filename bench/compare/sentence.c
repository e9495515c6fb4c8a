#include "bench/compare/print.h"

#include <math.h>

#include "bench/formats/latex.h"
#include "bench/write/prose.h"

/* A line of plain words as the form writes it. */
static void put(const char *plain, SentenceForm form, Text *out) {
    if (form == SENTENCE_TEX)
        latex_shown(out, plain);
    else if (form == SENTENCE_MARKDOWN)
        markdown_text(plain, out);
    else
        text_format(out, "%s", plain);
}

/* "exact sign-flip p = 2/65536" */
static void flips(const StSignflip *f, const char *kind, Text *out) {
    text_format(out, "%s%s ", f->exact ? "exact " : "", kind);
    if (f->exact)
        text_format(out, "p = %llu/%llu", (unsigned long long)f->count, (unsigned long long)f->total);
    else
        text_format(out, "%s", SHOW_P_NAMED(f->p));
}

/* "16 paired seeds, exact sign-flip p = 2/65536, adjusted over 3 comparisons p = .004" */
static void test(const Family *f, const Comparison *c, Text *out) {
    if (f->unpaired)
        text_format(out, "%d and %d unpaired runs", c->n_a, c->n_b);
    else
        text_format(out, "%d paired seed%s", f->n, f->n == 1 ? "" : "s");
    if (c->flip.status != ST_OK) return;
    text_format(out, ", ");
    flips(&c->flip, f->unpaired ? "relabelling" : "sign-flip", out);
    if (f->count < 2 || isnan(c->joint.step)) return;
    text_format(out, ", adjusted over %d comparisons %s", f->count, SHOW_P_NAMED(c->joint.step));
}

static void interval(const CompareResult *r, const Comparison *c, Text *out) {
    if (!c->t_decides)
        text_format(out, "no interval: a run %s, ", r->data->steps ? "never reached the target" : "diverged");
    else if (c->t.status == ST_OK)
        text_format(out, "%s%% interval %s to %s, ", FORMAT_PERCENT(compare_confidence(r)),
                    SHOW_WITH_ERROR(c->t.lo, c->t.se, false), SHOW_WITH_ERROR(c->t.hi, c->t.se, false));
}

/* "peri ends 0.45 higher than pre", "… reaches the target 120 steps later than pre" */
static void says(const CompareResult *r, const Comparison *c, const char *verb, Text *out) {
    const char *arm = compare_arm_name(r, c), *baseline = r->data->arm[r->baseline];
    const char *side = r->data->steps ? c->t.mean < 0 ? " steps earlier" : " steps later"
                       : c->t.mean < 0 ? " lower"
                                       : " higher";
    bool apart = decision_apart(c->decision);
    text_format(out, "%s", arm);
    if (apart)
        text_format(out, " ");
    else if (c->decision == DECISION_EQUIVALENT)
        text_format(out, " and %s are the same within %s; the first ", baseline, FORMAT_REAL(c->what.margin));
    else
        text_format(out, " is not shown to differ from %s; it ", baseline);
    text_format(out, "%s %s%s", verb, SHOW_WITH_ERROR(fabs(c->t.mean), c->t.se, false), side);
    if (apart) text_format(out, " than %s", baseline);
    if (apart && decision_negligible(c->decision)) text_format(out, ", within %s", FORMAT_REAL(c->what.margin));
}

void compare_sentence(const CompareOver *r, int corpus, int i, const char *metric, SentenceForm form, Text *out) {
    const CompareResult *one = &r->of[corpus];
    const Comparison *c = &one->family.at[i];
    const char *when = r->data->when;
    LOCAL_TEXT(said);
    if (r->data->corpora > 1) text_format(&said, "On %.180s, ", r->data->name[corpus]);
    says(one, c, one->data->steps ? "reaches the target" : when ? "is" : "ends", &said);
    text_format(&said, " (");
    if (metric || when)
        text_format(&said, "%s%s%s; ", metric ? metric : "", metric && when ? " " : "", when ? when : "");
    if (one->this_look >= 0)
        text_format(&said, "look %d of %d, level %s; ", one->this_look + 1, one->options.looks,
                    SHOW_P(one->family.alpha));
    interval(one, c, &said);
    test(&one->family, c, &said);
    text_format(&said, ").");
    put(said.at, form, out);
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
        LOCAL_TEXT(said);
        text_format(&said, "The mean of %s is %s%s %s (%s%s", r->data->arm[i], a->shown ? "" : "not shown to be ",
                    r->options.higher ? "above" : "below", FORMAT_REAL(r->options.number), metric ? metric : "",
                    metric ? "; " : "");
        text_format(&said, "mean %s of %d run%s, one-sided ", SHOW_WITH_ERROR(mean, error, false), a->runs,
                    a->runs == 1 ? "" : "s");
        flips(&a->flip, "sign-flip", &said);
        if (r->data->arms > 1) text_format(&said, ", adjusted over %d arms %s", r->data->arms, SHOW_P_NAMED(a->holm));
        text_format(&said, ").");
        put(said.at, form, out);
        text_format(out, "\n");
    }
}

void table_sentences(const Table *t, SentenceForm form, Text *out) {
    for (int i = 0; i < t->family.count; i++) {
        const Comparison *c = &t->family.at[i];
        if (c->what.step != table_last(t, c->what.cell)) continue;
        LOCAL_TEXT(plain);
        prose_comparison(t, c, &plain);
        put(plain.at, form, out);
        text_format(out, "\n");
    }
}
