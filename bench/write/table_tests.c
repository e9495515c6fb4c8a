/* The paired tests under a table, and the notes that say what its marks and numbers are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/write/table_grid.h"

static void arm_with_marks(const Table *t, const Comparison *c, Text *out) {
    part_arm(t, c->what.term[0].arm, out);
    grid_marks(table_marks(t, c->what.cell, c->what.step, c->what.term[0].arm), out);
}

static const char *why_no_interval(const Comparison *c) {
    return !c->t_decides ? "diverged" : st_status_text(c->t.status);
}

/* m times the floor of the sign flips, at most 1. */
double table_holm_floor(const Table *t) {
    return fmin(1, t->family.count * t->family.floor);
}

bool table_shows_holm(const Table *t) {
    return table_holm_floor(t) < t->family.alpha;
}

static void p_cell(Text *out, double p) {
    char number[SHOWN];
    text_format(out, " & ");
    latex_number(out, show_p(number, p));
}

/* Mean difference, ratio of perplexities where losses are compared, and the p's with their floors below. */
static void difference_row(const Table *t, const Comparison *c, Text *out) {
    int decimals = decimals_for(c->t.se, 4);
    char number[SHOWN];
    bool shown = c->t_decides && c->t.status == ST_OK, loss = t->metric == METRIC_valid_loss;
    arm_with_marks(t, c, out);
    text_format(out, " & ");
    latex_number(out, show_number(number, c->t.mean, decimals));
    text_format(out, " ");
    show_interval(out, shown ? c->t.lo : (double)NAN, c->t.hi, decimals, why_no_interval(c), true);
    if (loss) {
        int places = decimals_for(exp(c->t.mean) * c->t.se, 3);
        text_format(out, " & ");
        latex_number(out, show_number(number, exp(c->t.mean), places));
        text_format(out, " ");
        show_interval(out, shown ? exp(c->t.lo) : (double)NAN, exp(c->t.hi), places, why_no_interval(c), true);
    }
    p_cell(out, c->flip.status == ST_OK ? c->flip.p : (double)NAN);
    p_cell(out, c->joint.step);
    if (table_shows_holm(t)) p_cell(out, c->holm);
    text_format(out, " \\\\\n");
}

static void differences(const Table *t, const Part *p, Text *out) {
    bool loss = t->metric == METRIC_valid_loss;
    bool holm = table_shows_holm(t);
    char conf[40];
    table_confidence(t, conf);
    text_format(out, "\n\\medskip\n\\begin{tabular}{@{}l %sr r%s@{}}\n\\toprule\nminus ", loss ? "l l " : "l ",
                holm ? " r" : "");
    part_arm(t, t->sample.baseline, out);
    text_format(out, " & $\\Delta$ ");
    if (loss)
        text_format(out, "loss, nats [%s\\%% CI] & PPL ratio [%s\\%% CI]", conf, conf);
    else {
        latex_text(out, metric_info[t->metric].key);
        text_format(out, " [%s\\%% CI]", conf);
    }
    text_format(out, " & $p$ & $p_{\\mathrm{adj}}$%s \\\\\n\\midrule\n", holm ? " & $p_{\\mathrm{Holm}}$" : "");
    for (int a = 1; a < p->arms; a++) {
        const Comparison *c = table_comparison(t, p->cell, p->step, p->arm[a]);
        if (c && c->status == ST_OK) difference_row(t, c, out);
    }
    text_format(out, "\\addlinespace\nsmallest possible%s", loss ? " & & " : " & ");
    p_cell(out, t->family.floor);
    p_cell(out, t->family.floor);
    if (holm) p_cell(out, table_holm_floor(t));
    text_format(out, " \\\\\n\\bottomrule\n\\end{tabular}\n");
}

static void resampling_row(const Table *t, const Comparison *c, Text *out) {
    int decimals = decimals_for(c->boot.se, 4);
    const StBoot *b = &c->boot;
    const char *why = why_no_interval(c);
    bool shown = c->t_decides && b->status == ST_OK, corrected = shown && b->bca.status == ST_OK;
    char number[SHOWN];
    arm_with_marks(t, c, out);
    text_format(out, " & ");
    show_interval(out, shown ? b->percentile.lo : (double)NAN, b->percentile.hi, decimals, why, true);
    text_format(out, " & ");
    show_interval(out, corrected ? b->bca.lo : (double)NAN, b->bca.hi, decimals,
                  shown ? st_status_text(b->bca.status) : why, true);
    p_cell(out, c->t_decides && c->tost.status == ST_OK ? c->tost.p : (double)NAN);
    text_format(out, " & ");
    latex_number(out, show_number(number, c->effect.status == ST_OK ? c->effect.g_z : (double)NAN, 2));
    text_format(out, " & ");
    latex_number(out, show_number(number, c->effect.vr, 1));
    text_format(out, " \\\\\n");
}

static void resampling(const Table *t, const Part *p, Text *out) {
    char conf[40], margin[40];
    table_confidence(t, conf);
    text_format(out, "\n\\medskip\n\\begin{tabular}{@{}l l l r r r@{}}\n\\toprule\nminus ");
    part_arm(t, t->sample.baseline, out);
    text_format(out, " & bootstrap %s\\%% & BCa %s\\%% & TOST $\\pm$%s & $g_z$ & gain \\\\\n\\midrule\n", conf, conf,
                format_real(margin, t->x->margin));
    for (int a = 1; a < p->arms; a++) {
        const Comparison *c = table_comparison(t, p->cell, p->step, p->arm[a]);
        if (c && c->status == ST_OK) resampling_row(t, c, out);
    }
    text_format(out, "\\bottomrule\n\\end{tabular}\n");
}

/* What the test that decides says besides its p. */
static void flips_row(const Table *t, const Comparison *c, Text *out) {
    char number[SHOWN];
    int decimals = decimals_for(c->effect.sd, 4);
    arm_with_marks(t, c, out);
    text_format(out, " & ");
    table_flip_interval(t, c, true, out);
    p_cell(out, c->joint_ranks);
    p_cell(out, c->inside_p);
    text_format(out, " & ");
    show_interval(out, c->effect.least, c->effect.most, decimals, "", true);
    text_format(out, " & ");
    latex_number(out, show_number(number, c->effect.skew, 1));
    text_format(out, " \\\\\n");
}

static void flips(const Table *t, const Part *p, Text *out) {
    char conf[40], margin[40];
    text_format(out, "\n\\medskip\n\\begin{tabular}{@{}l l r r l r@{}}\n\\toprule\nminus ");
    part_arm(t, t->sample.baseline, out);
    text_format(out, " & by sign flips %s\\%% & $p_{\\mathrm{rank}}$ & $p$ within $\\pm$%s & by seed, from to & skew "
                     "\\\\\n\\midrule\n",
                table_confidence(t, conf), format_real(margin, t->x->margin));
    for (int a = 1; a < p->arms; a++) {
        const Comparison *c = table_comparison(t, p->cell, p->step, p->arm[a]);
        if (c && c->status == ST_OK) flips_row(t, c, out);
    }
    text_format(out, "\\bottomrule\n\\end{tabular}\n");
}

void table_tests_tex(const Table *t, const Part *p, Text *out) {
    if (p->arms < 2) return;
    differences(t, p, out);
    flips(t, p, out);
    resampling(t, p, out);
}

static void legend(const Table *t, const Part *p, Text *out) {
    for (int k = 0; k < p->arms; k++) {
        Text shown;
        text_init(&shown);
        part_arm(t, p->arm[k], &shown);
        if (!strncmp(shown.at, "{[", 2)) {
            text_format(out, "%s: ", shown.at);
            latex_text(out, t->x->arm[p->arm[k]].label);
            text_format(out, ". ");
        }
        text_release(&shown);
    }
}

static void exploratory_note(const Table *t, Text *out) {
    Text why;
    text_init(&why);
    table_exploratory(t, &why);
    text_format(out,
                t->partial ? "Partial: %s. Without marks. " : "Not declared before: %s. Exploratory, without marks. ",
                why.at);
    text_release(&why);
}

/* "LayerNorm: worse than baseline. RMSNorm: the same within 0.02. " */
static void verdict_sentences(const Table *t, const Part *p, Text *out) {
    for (int a = 1; a < p->arms && t->sample.seeds > 1; a++) {
        const Comparison *c = table_comparison(t, p->cell, p->step, p->arm[a]);
        if (!c) continue;
        text_format(out, "%s: ", t->x->arm[p->arm[a]].label);
        table_decision(t, c, out);
        text_format(out, ". ");
    }
}

void table_notes_tex(const Table *t, const Part *p, Text *out) {
    Text words;
    char alpha[40], margin[40];
    int above = 0, stalled = 0;
    format_real(alpha, t->x->alpha);
    format_real(margin, t->x->margin);
    text_init(&words);
    text_format(out, "\n\\medskip\n\\parbox{\\linewidth}{\\scriptsize\\raggedright\n");
    legend(t, p, out);
    if (t->exploratory)
        exploratory_note(t, out);
    else if (t->sample.seeds > 1 && p->arms > 1) {
        latex_text(&words, t->x->arm[t->sample.baseline].label);
        text_format(out,
                    "$\\dagger$ differs from %s, adjusted $p < %s$; $\\ddagger$ within $\\pm$%s of it, and too small "
                    "to matter where $\\dagger$ stands too; \\S{} at least one run diverged. Bold: the best mean and "
                    "all not separated from it by the joint test of all pairs; nothing when these are all arms or one "
                    "of them diverged. ",
                    words.at, alpha, margin);
        text_clear(&words);
    }
    verdict_sentences(t, p, &words);
    table_methods(t, &words);
    if (p->arms > 1)
        text_format(&words,
                    " Gain: (var a + var b) / var d, what pairing by seed gained; below 1 it hurt. g_z: Hedges.");
    for (int k = 0; k < p->arms; k++) {
        SampleArm a = sample_arm(&t->sample, p->cell, p->step, p->arm[k], t->metric);
        above += a.above, stalled += a.stalled;
    }
    if (above)
        text_format(&words,
                    " Runs whose loss is above ln V but below their own first loss are counted in a row of their own "
                    "and enter with their raw loss.");
    if (stalled) text_format(&words, " Stalled: a loss that is not 0.05 nats below the unigram model's.");
    for (int k = 0; k < p->arms; k++) table_flags(t, p->cell, p->step, p->arm[k], &words);
    latex_breakable(out, words.at);
    text_clear(&words);
    table_signature(t, &words);
    text_format(out, " ");
    for (const char *s = words.at; *s; s++) { /* a line may break behind each field */
        char one[2] = {*s, 0};
        latex_text(out, one);
        if (*s == '|') text_format(out, "\\allowbreak{}");
    }
    text_format(out, "}\n");
    text_release(&words);
}
