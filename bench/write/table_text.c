/* The table on the terminal: the same numbers, aligned by blanks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/verdict/translations.h"
#include "bench/write/components.h"
#include "bench/write/corpora.h"
#include "bench/write/failures.h"
#include "bench/write/ranking.h"
#include "bench/write/replication.h"
#include "bench/write/sensitivity.h"
#include "bench/write/translations.h"

enum { NAME_WIDTH = 26, ARM_WIDTH = 20, PAGE_WIDTH = 110 };

static void rule(Text *out, char c, int width) {
    for (int i = 0; i < width; i++) text_add(out, &c, 1);
    text_add(out, "\n", 1);
}

/* "12.34 +-0.56": ours; "div. 1/6" where a run diverged. */
static void ours(const Table *t, int cell, int step, int arm, Metric m, char out[128]) {
    SampleArm a = sample_arm(&t->sample, cell, step, arm, m);
    int decimals = decimals_for(a.sd, metric_info[m].digits);
    char mean[SHOWN], sd[SHOWN];
    if (a.diverged)
        snprintf(out, 128, "div. %d/%d", a.diverged, a.n);
    else if (a.status != ST_OK)
        snprintf(out, 128, "%s", a.lacking ? "not measured" : "n/a (beyond range)");
    else
        snprintf(out, 128, "%s%s%s", show_number(mean, a.mean, decimals), a.n > 1 ? " +-" : "",
                 a.n > 1 ? show_number(sd, a.sd, decimals) : "");
}

/* The same as the write-up reports it; "" when it does not. */
static bool theirs(const Table *t, int cell, int step, int arm, Metric m, char out[128]) {
    char quantity[64];
    snprintf(quantity, sizeof quantity, "%s_sd", metric_info[m].key);
    const ReportedNumber *mean = table_reported_number(t, cell, step, arm, metric_info[m].key);
    const ReportedNumber *sd = table_reported_number(t, cell, step, arm, quantity);
    snprintf(out, 128, "%s%s%s", mean ? mean->text : "", sd ? " +-" : "", sd ? sd->text : "");
    return mean != NULL;
}

static void reported_line(const Table *t, int cell, int step, int first, int last, Metric m, Text *out) {
    char text[128];
    bool any = false;
    for (int arm = first; arm < last; arm++) any |= theirs(t, cell, step, arm, m, text);
    if (!any) return;
    text_format(out, "%-*s", NAME_WIDTH, "  as reported");
    for (int arm = first; arm < last; arm++) {
        (void)theirs(t, cell, step, arm, m, text);
        text_format(out, " %*s", ARM_WIDTH, text);
    }
    while (out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
    text_format(out, "\n");
}

static void metric_lines(const Table *t, int cell, int step, int first, int last, Text *out) {
    char text[128];
    text_format(out, "%-*s", NAME_WIDTH, "");
    for (int arm = first; arm < last; arm++) {
        text_format(out, " ");
        show_column(out, t->x->arm[arm].label, -ARM_WIDTH);
    }
    text_format(out, "\n");
    for (const TableRow *row = t->x->row; row < t->x->row + t->x->rows; row++) {
        show_column(out, table_heading(row), NAME_WIDTH);
        for (int arm = first; arm < last; arm++) {
            ours(t, cell, step, arm, row->metric, text);
            text_format(out, " %*s", ARM_WIDTH, text);
        }
        text_format(out, "\n");
        reported_line(t, cell, step, first, last, row->metric, out);
    }
    for (int which = 0; which < 3; which++) {
        static const char *const labels[] = {"diverged", "above ln V, falling", "stalled"};
        int sum = 0, count[EXPERIMENT_MOST_ARMS];
        for (int arm = first; arm < last; arm++) {
            SampleArm a = sample_arm(&t->sample, cell, step, arm, t->metric);
            sum += count[arm] = which == 0 ? a.diverged : which == 1 ? a.above : a.stalled;
        }
        if (!sum) continue;
        text_format(out, "%-*s", NAME_WIDTH, labels[which]);
        for (int arm = first; arm < last; arm++)
            text_format(out, " %*d/%d", ARM_WIDTH - 2, count[arm], t->sample.seeds);
        text_format(out, "\n");
    }
}

void table_wrapped(const char *text, int indent, Text *out) {
    char head[40];
    snprintf(head, sizeof head, "%*s", indent, "");
    text_wrapped(out, head, text, indent, PAGE_WIDTH);
}

static void comparison_line(const Table *t, const Comparison *c, Text *out) {
    char number[SHOWN], p[SHOWN], adjusted[SHOWN], holm[SHOWN];
    Text interval, decision;
    int decimals = decimals_for(c->t.se, 4);
    bool shown = c->t_decides && c->t.status == ST_OK;
    text_init(&interval);
    text_init(&decision);
    show_interval(&interval, shown ? c->t.lo : (double)NAN, c->t.hi, decimals,
                  c->t_decides ? st_status_text(c->t.status) : "diverged", false);
    table_decision(t, c, &decision);
    text_format(out, "  ");
    show_column(out, t->x->arm[c->what.term[0].arm].label, NAME_WIDTH - 4);
    text_format(out, " %9s %-21s", show_signed(number, c->t.mean, decimals), interval.at);
    if (t->metric == METRIC_valid_loss)
        text_format(out, " %6s", show_number(number, exp(c->t.mean), decimals_for(exp(c->t.mean) * c->t.se, 3)));
    text_format(out, "  %5s  %5s", show_p(p, c->flip.status == ST_OK ? c->flip.p : (double)NAN),
                show_p(adjusted, c->joint.step));
    if (table_shows_holm(t)) text_format(out, "  %5s", show_p(holm, c->holm));
    if (t->exploratory) text_format(&decision, t->partial ? " (partial)" : " (exploratory)");
    text_format(out, "\n      %s\n", decision.at);
    text_clear(&interval);
    if (c->together.status == ST_OK) {
        text_format(&interval, "by sign flips ");
        table_flip_interval(t, c, false, &interval);
        text_format(&interval, ", ");
    }
    if (t->family.floor < t->family.alpha)
        text_format(out, "      (%sp on ranks %s)\n", interval.at, show_p(p, c->joint_ranks));
    text_release(&interval);
    text_release(&decision);
}

static void comparisons(const Table *t, int cell, int step, Text *out) {
    char floor[SHOWN], conf[40];
    if (t->sample.arms < 2) return;
    table_confidence(t, conf);
    text_format(out, "\n  minus ");
    show_column(out, t->x->arm[t->sample.baseline].label, NAME_WIDTH - 10);
    text_format(out, " %9s [%s%% t interval]%s      p  p_adj%s  (smallest p: %s)\n", "delta", conf,
                t->metric == METRIC_valid_loss ? "   PPL x" : "", table_shows_holm(t) ? " p_Holm" : "",
                show_p(floor, t->family.floor));
    for (int arm = 0; arm < t->sample.arms; arm++) {
        const Comparison *c = table_comparison(t, cell, step, arm);
        if (c && c->status == ST_OK)
            comparison_line(t, c, out);
        else if (c)
            text_format(out, "  %-22s n/a (%s)\n", t->x->arm[arm].label, st_status_text(c->status));
    }
    for (int arm = 0; arm < t->sample.arms; arm++) {
        Text words;
        text_init(&words);
        table_flags(t, cell, step, arm, &words);
        if (words.length) table_wrapped(words.at + 1, 0, out);
        text_release(&words);
    }
}

/* "  step 5, lr = 1   -0.071 [-0.078, -0.064]   reported -0.0700   p .031 (floor .031)   reproduced, lower (better)" */
static void verdict_line(const Table *t, const ClaimVerdict *v, Text *out) {
    char number[SHOWN], where[256];
    bool ratio = table_ratio(v->test) != NULL;
    int decimals = table_effect_digits(v);
    const char *side = table_side_found(v);
    Text place, value;
    text_init(&place);
    text_init(&value);
    claim_verdict_cell(where, t->x, v);
    text_format(&place, "step %d%s%s", t->sample.cell[v->cell].step[v->step], where[0] ? ", " : "", where);
    text_format(&value, "%s%s ", ratio ? "ratio " : "",
                ratio ? show_number(number, v->effect, 2) : show_signed(number, v->effect, decimals));
    if (!isnan(v->lo)) show_interval(&value, v->lo, v->hi, decimals, "", false);
    text_format(out, "      %-26s %-29s ", place.at, value.at);
    if (isnan(v->reported))
        text_format(out, "%-17s", "");
    else
        text_format(out, "reported %-8s",
                    ratio ? show_number(number, v->reported, 2) : show_signed(number, v->reported, 4));
    text_format(out, " p %-5s", show_p(number, v->p));
    if (v->floor > 0)
        text_format(out, " (floor %s)", show_p(number, v->floor));
    else
        text_format(out, "%13s", "");
    text_format(out, "  %s%s%s%s%s%s%s\n", verdict_word(v->word), side[0] ? ", " : "", side, replication_word(v),
                v->small    ? ", "
                : v->why[0] ? ": "
                            : "",
                v->why, t->exploratory || v->undeclared ? " (exploratory)" : "");
    text_clear(&value);
    replication_text(v, &value);
    if (value.length) table_wrapped(value.at, 8, out);
    text_clear(&value);
    if (v->c) translations_text(v->c, t->family.conf, &value);
    if (value.length) table_wrapped(value.at, 8, out);
    text_release(&place);
    text_release(&value);
}

static void verdicts(const Table *t, Text *out) {
    text_format(out, "\nClaims of write-up %s: ", t->claims->writeup);
    claims_cite(t->claims, out);
    text_format(out, " [%s]\n", t->claims->file);
    for (int i = 0; i < t->verdicts.count; i++) {
        const ClaimVerdict *v = &t->verdicts.at[i], *before = i ? v - 1 : NULL;
        if (!before || v->claim != before->claim) text_format(out, "  %s  %s\n", v->claim->id, v->claim->says);
        if (v->word == WORD_NOT_RUN) {
            bool said = before && v->claim == before->claim && !strcmp(v->why, before->why);
            if (!said) text_format(out, "    not run: %s\n", v->why);
            continue;
        }
        if (!before || v->test != before->test) {
            text_format(out, "    ");
            table_expectation(v->test, out);
            text_format(out, " (%s)\n", v->test->test->name);
        }
        verdict_line(t, v, out);
    }
}

void table_text(const Table *t, Text *out) {
    enum { ARMS_PER_BLOCK = 5 };
    char why[CLAIM_WHY_SIZE];
    Text words;
    text_init(&words);
    table_exploratory(t, &words);
    text_format(out, "%s: %s%s%s%s%s%s\n", t->name, t->x->title, words.length ? "  [" : "", table_mark(t),
                words.length ? ": " : "", words.at, words.length ? "]" : "");
    rule(out, '=', PAGE_WIDTH);
    size_t head = out->length;
    ranking_text(t, out);
    corpora_text(t, out);
    failures_text(t, out);
    components_text(t, out);
    bool summaries = out->length > head;
    table_cells_text(t, out);
    sensitivity_text(t, out);
    translations_shown(t, out);
    if (t->sample.cells > 1 || summaries) text_format(out, "\n");
    for (int cell = 0; cell < t->sample.cells; cell++) {
        text_clear(&words);
        table_corpus(t, cell, &words);
        text_format(out, "%s%s\n", cell ? "\n" : "", words.at);
        table_reported_why(t, cell, why, sizeof why);
        if (why[0]) text_format(out, "The numbers of write-up %s are not shown: %s.\n", t->x->writeup, why);
        for (int step = 0; step < t->sample.cell[cell].steps; step++) {
            if (!t->sample.cell[cell].step[step]) continue;
            text_format(out, "\nAfter %d steps: mean%s over %d seed%s\n", t->sample.cell[cell].step[step],
                        t->sample.seeds > 1 ? " +-SD" : "", t->sample.seeds, t->sample.seeds == 1 ? "" : "s");
            for (int arm = 0; arm < t->sample.arms; arm += ARMS_PER_BLOCK)
                metric_lines(t, cell, step, arm,
                             arm + ARMS_PER_BLOCK < t->sample.arms ? arm + ARMS_PER_BLOCK : t->sample.arms, out);
            comparisons(t, cell, step, out);
        }
    }
    if (t->claims) verdicts(t, out);
    text_clear(&words);
    table_methods(t, &words);
    text_format(out, "\n");
    table_wrapped(words.at, 0, out);
    table_signature(t, out);
    text_format(out, "\n");
    text_release(&words);
}
