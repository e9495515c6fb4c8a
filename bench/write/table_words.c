/* The sentences around the numbers: what was measured, how, and what it may be compared with. */
#include <math.h>
#include <string.h>

#include "bench/plan/doubt.h"
#include "bench/plan/looks.h"
#include "bench/plan/twins.h"
#include "bench/store/provenance.h"
#include "bench/verdict/until.h"
#include "bench/verdict/words.h"
#include "bench/write/table.h"

/* The first half of table_corpus: without the model, without a stop. */
static void table_text_source(const Table *t, int cell, Text *out) {
    const RunRecord *r = sample_run(&t->sample, cell, 0, t->sample.baseline, 0)->record;
    char tokenizer[SPEC_TEXT_SIZE];
    spec_get(tokenizer, &r->spec, "tokenizer");
    if (!isnan(r->entropy_rate))
        text_format(out,
                    "The runs read the built-in SYNTHETIC SOURCE, not a text; its entropy rate is %s nats per token. ",
                    SHOW_NUMBER(r->entropy_rate, 4));
    text_format(out, "The corpus is %s (%s tokens, vocabulary %d)", r->dataset, tokenizer, r->vocab);
    if (!strncmp(r->spec.dataset.text, "text:", 5)) text_format(out, ", of which the last 10 %% are for validation");
    if (r->spec.objective == OBJECTIVE_MASKED)
        text_format(out, ", of which 15 %% of the tokens are masked and predicted");
}

void table_sources(const Table *t, Text *out) {
    LOCAL_TEXT(one);
    for (int cell = 0; cell < t->sample.cells; cell++) {
        text_clear(&one);
        table_text_source(t, cell, &one);
        text_format(&one, ".");
        if (!strstr(out->at, one.at)) text_format(out, "%s%s", cell ? " " : "", one.at);
    }
}

void table_corpus(const Table *t, int cell, Text *out) {
    const RunRecord *r = sample_run(&t->sample, cell, 0, t->sample.baseline, 0)->record;
    char where[256];
    table_text_source(t, cell, out);
    bool alike = true;
    for (int arm = 0; arm < t->sample.arms; arm++) {
        const RunSpec *other = &sample_run(&t->sample, cell, 0, arm, 0)->record->spec;
        alike &= other->layers == r->spec.layers && other->width == r->spec.width;
    }
    if (alike)
        text_format(out, "; the model has %lld layer%s of width %lld and %s M parameters", (long long)r->spec.layers,
                    r->spec.layers == 1 ? "" : "s", (long long)r->spec.width,
                    SHOW_NUMBER(1e-6 * (double)r->parameters, r->parameters < 5000 ? 4 : 2));
    if (experiment_cell_text(where, t->x, cell)[0]) text_format(out, ", %s", where);
    text_format(out, ".");
}

static void table_arithmetic(const Table *t, Text *out) {
    if (t->classes.length) text_format(out, " The runs were computed in arithmetic class %s.", t->classes.at);
    if (t->options.notes && t->options.notes[0]) text_format(out, " %s", t->options.notes);
    LOCAL_TEXT(said);
    twins_text(t->x, &said);
    if (said.length) text_format(out, " %s", said.at);
    text_clear(&said);
    experiment_doubts(t->x, &said);
    for (char *rest = said.at, *line; (line = strsep(&rest, "\n"));)
        if (*line) text_format(out, " Doubtful: %s.", line);
}

void table_flips(const Table *t, Text *out) {
    if (t->sample.seeds <= ST_FLIP_MAX)
        text_format(out, "exact two-sided sign-flip test");
    else
        text_format(out, "two-sided sign-flip test with %llu random sign patterns",
                    (unsigned long long)t->family.joint.total);
}

const char *table_interval(const Table *t) {
    return interval_words[t->family.anytime ? INTERVAL_anytime : INTERVAL_t];
}

void table_stop(const Table *t, Text *out) {
    int at = until_decided(&t->family), n = t->sample.seeds, most = t->x->most;
    if (at)
        text_format(out, "decided after %d of at most %d", at, most);
    else if (n < most)
        text_format(out, "not decided yet after %d of at most %d", n, most);
    else
        text_format(out, "not decided by all %d", most);
}

/* Of seeds that are added until it is decided. */
static void anytime_methods(const Table *t, Text *out) {
    int n = t->sample.seeds;
    text_format(out,
                "The unit of replication is the training seed. Seeds were added in the order of the plan until every "
                "comparison was decided at the last step: ");
    table_stop(t, out);
    text_format(
        out,
        ". The table has %d seed%s. Arms are paired by seed: every arm %sshares the initial values of all tensors it "
        "has in common with the others. SD is the standard deviation over seeds (divisor n - 1). Differences are means "
        "over seeds; p and the %s %% interval hold whenever one stops (",
        n, n == 1 ? "" : "s", t->same_batches ? "saw the same batches and " : "", TABLE_CONFIDENCE(t));
    words_anytime(&t->family, out);
    text_format(out,
                " An arm is called the same, or its difference too small to matter, where two one-sided processes show "
                "that the difference lies within %s, which takes %d seeds or more. P's and intervals of a fixed number "
                "of seeds do not hold for seeds that were added until a decision, so none is shown.",
                FORMAT_REAL(t->x->margin), ST_EQUAL_SEEDS);
    bool diverged = false;
    for (int i = 0; i < t->family.count; i++) diverged |= !t->family.at[i].t_decides;
    if (diverged)
        text_format(out, " With a diverged run the interval is withheld, the margin is not tested, and p is the larger "
                         "one of the differences and of their signs alone, with that run worse than any other.");
    table_arithmetic(t, out);
}

void table_look(const Table *t, Text *out) {
    if (!t->x->looked) return;
    text_format(out, " This is ");
    looks_at(t->x, out);
    text_format(out, ": the looks were planned at ");
    looks_list(t->x, out);
    text_format(out,
                " seeds; this one has the level %s by O'Brien and Fleming's spending of %s (Lan and DeMets 1983), and "
                "intervals are of that level.",
                FORMAT_REAL(t->x->alpha), FORMAT_REAL(t->x->planned));
}

void table_methods(const Table *t, Text *out) {
    int n = t->sample.seeds;
    char alpha[40], margin[40];
    if (t->family.anytime && t->family.count) {
        anytime_methods(t, out);
        return;
    }
    format_real(alpha, t->x->alpha);
    format_real(margin, t->x->margin);
    if (n == 1) {
        text_format(out, "There is one seed, so the table is descriptive: no interval and no test can be made.");
        table_arithmetic(t, out);
        return;
    }
    text_format(out, "The unit of replication is the training seed: %d seeds", n);
    if (!t->family.count) {
        text_format(out, ". SD is the standard deviation over seeds (divisor n - 1). %s, so nothing is compared.",
                    t->sample.arms == 1 ? "There is one arm" : "No step after the first is evaluated");
        table_arithmetic(t, out);
        return;
    }
    text_format(out,
                ", paired, so that every arm %sshares the initial values of all tensors it has in common with the "
                "others. SD is the standard deviation over seeds (divisor n - 1). Differences %s%s are means over "
                "seeds with a %s %% paired "
                "t interval; ",
                t->same_batches ? "saw the same batches and " : "", t->x->compares ? "of two arms" : "to ",
                t->x->compares ? "" : t->x->arm[t->sample.baseline].label, TABLE_CONFIDENCE(t));
    if (t->metric == METRIC_valid_loss) text_format(out, "the ratio of perplexities is that of geometric means. ");
    text_format(out, "Decisions use the ");
    table_flips(t, out);
    if (t->family.count == 1)
        text_format(out, " of the one %scomparison of this table", t->exploratory ? "" : "declared ");
    else
        text_format(out,
                    ", adjusted by step-down max-T over the %d %scomparisons of this table with seeds flipped jointly",
                    t->family.count, t->exploratory ? "" : "declared ");
    text_format(
        out,
        ", at level %s; with %d seeds the smallest possible p is %s. A small p says that the distributions of the arms "
        "differ, mostly in their means. An arm is called the same, or its difference too small to matter, where "
        "one-sided t tests and sign flips, adjusted over these comparisons, show that the difference lies within %s. ",
        alpha, n, SHOW_P(t->family.floor), margin);
    if (n < ST_EQUAL_SEEDS)
        text_format(out, "This takes %d seeds or more. ", ST_EQUAL_SEEDS);
    else
        words_unseen(&t->family, "seeds", out), text_format(out, " ");
    text_format(out, "Bootstrap intervals are reported and decide nothing below %d seeds.", ST_BOOT_DECIDES);
    table_look(t, out);
    table_arithmetic(t, out);
}

/* "layernorm - baseline", "(layernorm + center - rmsnorm - baseline)/2". */
static void contrast_words(const ClaimTest *t, Text *out) {
    bool half = true;
    for (int i = 0; i < t->terms; i++) half &= fabs(t->term[i].weight) == 0.5;
    text_format(out, "%s", half ? "(" : "");
    for (int sign = 1, written = 0; sign >= -1; sign -= 2)
        for (int i = 0; i < t->terms; i++) {
            double w = t->term[i].weight;
            if ((w > 0) != (sign > 0) || w == 0) continue;
            text_format(out, "%s", written++ ? (w > 0 ? " + " : " - ") : w > 0 ? "" : "-");
            if (!half && fabs(w) != 1) text_format(out, "%s ", FORMAT_REAL(fabs(w)));
            text_format(out, "%s", t->term[i].arm.text);
        }
    text_format(out, "%s", half ? ")/2" : "");
    for (int i = 0; i < t->terms; i++)
        if (t->term[i].weight == 0) text_format(out, " (gains over %s)", t->term[i].arm.text);
}

/* "deviance of failed over the runs of post, pre: with output_change - with grad_ratio_start" */
static void predictor_words(const ClaimTest *t, Text *out) {
    text_format(out, "deviance of %s over the runs of ", t->metric_text);
    for (int i = 0; i < t->terms; i++) text_format(out, "%s%s", i ? ", " : "", t->term[i].arm.text);
    text_format(out, ": with %s - with %s", metric_info[t->predictor[1]].key, metric_info[t->predictor[0]].key);
}

void table_hypothesis(const ClaimTest *t, Text *out) {
    static const char *const signs[] = {
        [EXPECT_lower] = "<", [EXPECT_higher] = ">", [EXPECT_equal] = "=", [EXPECT_change] = "!="};
    static const char *const what[] = {[ST_ABOUT_difference] = "",
                                       [ST_ABOUT_equality] = "",
                                       [ST_ABOUT_variance] = "variance of ",
                                       [ST_ABOUT_divergence] = "share of diverged runs, ",
                                       [ST_ABOUT_stall] = "share of stalled or diverged runs, ",
                                       [ST_ABOUT_predictor] = "divergence predicted by "};
    if (t->predictors) {
        predictor_words(t, out);
    } else {
        text_format(out, "%s%s: ", t->test ? what[t->test->about] : "", t->metric_text);
        contrast_words(t, out);
    }
    text_format(out, " %s %s", signs[t->expects], isnan(t->against) ? "0" : FORMAT_REAL(t->against));
}

void table_words(const Table *t, const Family *f, const Comparison *c, Decision d, Text *out) {
    const Term *first = c->what.term, *against = first[1].weight < 0 ? first + 1 : first;
    LOCAL_TEXT(name);
    text_format(&name, "%s", t->x->arm[against->arm].label);
    if (first[0].cell != first[1].cell) text_format(&name, " (%s)", CELL_WHERE(t->x, against->cell));
    decision_words(f, c, d, contrast_better(&c->what), name.at, out);
}

void table_decision(const Table *t, const Comparison *c, Text *out) {
    table_words(t, &t->family, c, c->decision, out);
}

void table_exploratory(const Table *t, Text *out) {
    if (t->partial) text_format(out, "%s", t->options.partial);
    if (t->partial && (t->options.exploratory || t->undeclared)) text_format(out, "; ");
    if (t->options.exploratory)
        text_format(out, "the plan was changed on the command line");
    else if (t->undeclared)
        text_format(out, "%d of %d runs were trained before this plan was written down", t->undeclared,
                    t->sample.cells * t->sample.arms * t->sample.seeds);
}

void table_aside(const Table *t, Text *out) {
    const char *missing = t->options.partial;
    if (t->partial)
        text_format(out, "in a partial table of %.*s, ", (int)strcspn(missing, ";"), missing);
    else if (t->exploratory)
        text_format(out, "in an exploratory comparison, ");
}

int table_diverged(const Table *t) {
    int lost = 0;
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int arm = 0; arm < t->sample.arms; arm++)
            lost += sample_arm(&t->sample, cell, table_last(t, cell), arm, t->metric).diverged;
    return lost;
}

const char *table_status(const Table *t) {
    return t->partial          ? "partial"
           : t->exploratory    ? "exploratory"
           : t->family.anytime ? "anytime"
           : t->x->looked      ? "group-sequential"
                               : "confirmatory";
}

const char *table_mark(const Table *t) {
    return t->partial ? "PARTIAL" : t->exploratory ? "EXPLORATORY" : "";
}

const char *table_ratio(const ClaimTest *t) {
    if (!t->test) return NULL;
    switch (t->test->about) {
    case ST_ABOUT_variance: return "variances";
    case ST_ABOUT_difference:
    case ST_ABOUT_equality:
    case ST_ABOUT_divergence:
    case ST_ABOUT_stall:
    case ST_ABOUT_predictor: break;
    }
    return NULL;
}

void table_signature(const Table *t, Text *out) {
    text_format(out, "n%d|pair:seed+crn|est:mean-d-%s|ci:%s%s|", t->sample.seeds, metric_info[t->metric].key,
                table_interval(t), TABLE_CONFIDENCE(t));
    if (t->family.anytime)
        text_format(out, "p:anytime-signs|adj:holm(m%d)|stop:decided-%d", t->family.count, t->x->most);
    else
        text_format(out, "p:signflip-%s|adj:maxT-sd(m%d)", t->sample.seeds <= ST_FLIP_MAX ? "exact" : "mc",
                    t->family.count);
    if (t->x->looked) text_format(out, "|look:%d/%d", t->x->looked, t->x->looks);
    text_format(out, "|div:cap-lnV|plan:%.8s%s%s|v%s%s%s", t->x->plan, t->classes.length ? "|class:" : "",
                t->classes.at, NORMBENCH_VERSION, t->exploratory ? "|" : "", table_mark(t));
}

/* " pre after 20 steps: 1 of 6 …", or "" */
static void table_divergence(const Table *t, int cell, int step, int arm, Text *out) {
    SampleArm a = sample_arm(&t->sample, cell, step, arm, t->metric);
    const Comparison *c = table_comparison(t, cell, step, arm);
    const MetricInfo *metric = &metric_info[t->metric];
    if (!a.diverged) return;
    text_format(out, " %s after %d steps: %d of %d runs diverged (Clopper-Pearson 95 %% [%.2f, %.2f]); mean %s ",
                t->x->arm[arm].label, t->sample.cell[cell].step[step], a.diverged, a.n, a.rate.lo, a.rate.hi,
                metric->key);
    if (a.status == ST_OK)
        text_format(out, "%s with these counted as uniform guesses", SHOW_NUMBER(a.mean, metric->digits));
    else
        text_format(out, "n/a (diverged)");
    if (!isnan(a.survivors)) text_format(out, ", of the others %s", SHOW_NUMBER(a.survivors, metric->digits));
    if (c && c->status == ST_OK) {
        text_format(out, "; median difference %s", SHOW_NUMBER(c->effect.median, 4));
        text_format(out, ", better in a share of %s of the seeds",
                    SHOW_NUMBER(comparison_share_better(c), 2));
        if (!t->family.anytime)
            text_format(out, ", McNemar p %s (smallest possible %s)",
                        c->mcnemar.status == ST_OK ? SHOW_P(c->mcnemar.p) : "n/a",
                        show_p((char[SHOWN]){0}, c->mcnemar.p_min));
    }
    text_format(out, ".");
}

/* A command may hold anything; a comment ends with its line. */
static void comment_line(Text *out, const char *label, const char *text) {
    text_format(out, "%% %s: ", label);
    for (const char *s = text; *s; s++) text_add(out, (unsigned char)*s < ' ' ? "?" : s, 1);
    text_add(out, "\n", 1);
}

void table_header_comment(const Table *t, const char *what, Text *out) {
    LOCAL_TEXT(line);
    text_format(&line, "normbench %s, %s of experiment %s%s%s", NORMBENCH_VERSION, what, t->x->name,
                t->x->profile[0] ? ", profile " : "", t->x->profile);
    comment_line(out, "made by", line.at);
    comment_line(out, "plan", t->x->plan);
    comment_line(out, "results", t->results_hash);
    comment_line(out, "command", t->options.command);
    text_clear(&line);
    table_signature(t, &line);
    comment_line(out, "signature", line.at);
}

static void begin(const Table *t, const Comparison *c, Text *out) {
    const Term *term = c->what.term;
    text_format(out, " %s", t->x->arm[term[0].arm].label);
    if (t->x->compares) text_format(out, " - %s", t->x->arm[term[1].arm].label);
    text_format(out, " after %d steps: ", t->sample.cell[c->what.cell].step[c->what.step]);
}

static void stalls(const Table *t, const Comparison *c, Text *out) {
    bool more = c->stalled_a > c->diverged_a || c->stalled_b > c->diverged_b;
    if (!more || (c->only_stalled_a <= 0 && c->only_stalled_b <= 0)) return;
    begin(t, c, out);
    text_format(out, "%d of %d runs stalled or diverged, %d of %s", c->stalled_a, t->sample.seeds, c->stalled_b,
                t->x->arm[c->what.term[1].arm].label);
    if (!t->family.anytime)
        text_format(out, " (McNemar p %s, smallest possible %s)", SHOW_P(c->stall.p), SHOW_P(c->stall.p_min));
    text_format(out, ".");
}

static void ranks(const Table *t, const Comparison *c, Text *out) {
    bool cap = c->decision_capped != c->decision;
    bool side = decision_lower(c->decision_ranks) == decision_lower(c->decision);
    bool new = decision_apart(c->decision_ranks) && (!decision_apart(c->decision) || !side);
    if (c->status != ST_OK || (!cap && !new)) return;
    begin(t, c, out);
    if (cap) {
        text_format(out,
                    "not decided, since the verdict depends on what a diverged run counts as: as a uniform guess ");
        table_words(t, &t->family, c, c->decision_capped, out);
        text_format(out, ", ");
    }
    text_format(out, "on ranks ");
    table_words(t, &t->family, c, c->decision_ranks, out);
    text_format(out, " (p %s).", SHOW_P(c->joint_ranks));
}

static void one_seed(const Table *t, const Comparison *c, Text *out) {
    if (c->turning <= 0) return;
    begin(t, c, out);
    text_format(out, "ONE SEED DECIDES: without seed %llu the verdict is \"",
                (unsigned long long)c->pairs.seed[c->turning_seed]);
    table_words(t, &t->family, c, c->turned, out);
    text_format(out, "\".");
}

/* A few seeds do not show a long tail: where one run twice as far off as the farthest of them would undo that a
 * difference lies inside the margin. */
static void one_run(const Table *t, const Comparison *c, Text *out) {
    double far, room = comparison_room(&t->family, c, &far);
    if (t->family.anytime || c->status != ST_OK || !(room < 2 * far)) return;
    begin(t, c, out);
    text_format(out, "ONE MORE RUN WOULD UNDO that the difference lies inside the margin, if it lay %s off the mean; ",
                SHOW_NUMBER(room, decimals_for(c->t.se, 4)));
    text_format(out, "the farthest of these runs lies %s off, and skewed differences have such runs.",
                SHOW_NUMBER(far, decimals_for(c->t.se, 4)));
}

void table_flags(const Table *t, int cell, int step, int arm, Text *out) {
    table_divergence(t, cell, step, arm, out);
    for (const Comparison *c = t->family.at; c < t->family.at + t->family.count; c++) {
        if (c->what.cell != cell || c->what.step != step || c->what.term[0].arm != arm) continue;
        stalls(t, c, out);
        ranks(t, c, out);
        one_seed(t, c, out);
        one_run(t, c, out);
    }
}

void table_flip_interval(const Table *t, const Comparison *c, Text *out) {
    const StFlipCi *ci = &c->together;
    const char *why = !c->t_decides                    ? "diverged"
                      : t->family.no_interval          ? "too many to count"
                      : ci->status == ST_NOT_REACHABLE ? "unbounded"
                                                       : st_status_text(ci->status);
    show_interval(out, ci->status == ST_OK ? ci->lo : (double)NAN, ci->hi, decimals_for(c->t.se, 4), why);
}

/* ---- Which side of a claim's contrast is better: "lower (better)", "higher (worse)" ---- */

/* -1: lower is better, +1: higher, 0: neither, or the contrast is no mean of arms against another one: of a difference
 * of differences neither side is better. */
static int better_side(const ClaimTest *t) {
    double weight = 0;
    for (int i = 0; i < t->terms; i++) weight += fmax(t->term[i].weight, 0);
    if (!t->test || t->metric < 0 || fabs(weight - 1) > 1e-9) return 0;
    switch (t->test->about) {
    case ST_ABOUT_difference:
    case ST_ABOUT_equality: return t->grid ? grid_info[t->grid].better : metric_info[t->metric].better;
    case ST_ABOUT_divergence:
    case ST_ABOUT_stall: return -1;
    case ST_ABOUT_variance:
    case ST_ABOUT_predictor: break;
    }
    return 0;
}

static const char *side_text(const ClaimTest *t, bool higher) {
    int better = better_side(t);
    if (!better) return "";
    if (higher) return better > 0 ? "higher (better)" : "higher (worse)";
    return better < 0 ? "lower (better)" : "lower (worse)";
}

const char *table_side_claimed(const ClaimTest *t) {
    if (t->expects != EXPECT_lower && t->expects != EXPECT_higher) return "";
    return side_text(t, t->expects == EXPECT_higher);
}

const char *table_side_found(const ClaimVerdict *v) {
    bool claimed = v->seen == SEEN_yes, other = v->seen == SEEN_no;
    if (v->test->expects == EXPECT_equal) return other ? side_text(v->test, v->effect > 0) : "";
    if (v->test->expects == EXPECT_change) return claimed ? side_text(v->test, v->effect > 0) : "";
    return claimed || other ? side_text(v->test, (v->test->expects == EXPECT_higher) == claimed) : "";
}

void table_expectation(const ClaimTest *t, Text *out) {
    const char *side = table_side_claimed(t);
    table_hypothesis(t, out);
    if (side[0]) text_format(out, ": %s", side);
}
