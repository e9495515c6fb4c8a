#include "bench/verdict/words.h"

static void separated(const Comparison *c, Decision d, int better, const char *against, Text *out) {
    const char *side = decision_lower(d) ? "lower" : "higher";
    if (better) side = decision_lower(d) == (better < 0) ? "better" : "worse";
    text_format(out, "%s%s%s", side, against ? " than " : "", against ? against : "");
    if (decision_negligible(d)) {
        text_format(out, ", but within %s", FORMAT_REAL(c->what.margin));
        if (against) text_format(out, ": too small to matter");
    }
}

const char *words_status(const Comparison *c) {
    bool lost = c->status == ST_NONFINITE_INPUT && (c->diverged_a || c->diverged_b);
    return lost ? "diverged" : st_status_text(c->status);
}

static void undecided(const Family *f, const Comparison *c, Text *out) {
    const char *why = c->status != ST_OK         ? words_status(c)
                      : f->joint.status != ST_OK ? st_status_text(f->joint.status)
                                                 : NULL;
    if (c->status == ST_ONE_SAMPLE)
        text_format(out, "not decided: %s", st_status_text(c->status));
    else if (f->floor >= f->alpha && f->unpaired)
        text_format(out, "not decided: so few runs cannot reach p < %.3g", f->alpha);
    else if (f->floor >= f->alpha)
        text_format(out, "not decided: %d seed%s cannot reach p < %.3g", f->n, f->n == 1 ? "" : "s", f->alpha);
    else
        text_format(out, why ? "not decided: %s" : "not decided", why);
}

void decision_words(const Family *f, const Comparison *c, Decision d, int better, const char *against, Text *out) {
    switch (d) {
    case DECISION_LOWER:
    case DECISION_HIGHER:
    case DECISION_LOWER_NEGLIGIBLE:
    case DECISION_HIGHER_NEGLIGIBLE: separated(c, d, better, against, out); break;
    case DECISION_EQUIVALENT: text_format(out, "the same within %s", FORMAT_REAL(c->what.margin)); break;
    case DECISION_INCONCLUSIVE: text_format(out, "not decided"); break;
    case DECISION_NOT_TESTABLE:
        if (against)
            undecided(f, c, out);
        else
            text_format(out, "not decided");
        break;
    }
}

void words_unseen(const Family *f, const char *what, Text *out) {
    text_format(out, "Even where all %d %s agree, up to %.0f %% of the runs may stall or diverge.", f->n, what,
                100 * st_unseen((size_t)f->n, f->alpha));
}

void words_anytime(const Family *f, Text *out) {
    text_format(out,
                "test martingales of the signs of the differences; p is adjusted by Holm's method over %d "
                "comparison%s, and the intervals cover jointly, at level %s). Nothing is decided before 6 seeds. The "
                "null hypothesis is that the arms could be swapped within each seed, not that a mean is 0: skewed "
                "differences of mean 0 are decided more often than the level says.",
                f->count, f->count == 1 ? "" : "s", FORMAT_REAL(f->alpha));
}
