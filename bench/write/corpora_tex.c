/* NAME-corpora.tex: a table of the arms over corpora for each group of cells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/write/corpora.h"

static void number(Text *out, const char *shown) {
    text_format(out, " & ");
    latex_number(out, shown);
}

static void row(const CorporaShown *s, int arm, const double *tau, int taus, Text *out) {
    const CorporaSum *c = s->sum;
    StBand band[CORPORA_MOST_TAUS];
    char shown[SHOWN];
    latex_text(out, s->arm[arm]);
    number(out, show_signed(shown, c->iqm[arm].iqm, s->digits));
    if (arm == c->baseline)
        text_format(out, " & & ");
    else {
        number(out, show_signed(shown, c->iqm[arm].difference, s->digits));
        text_format(out, " & ");
        corpora_interval(s, arm, true, out);
    }
    number(out, show_number(shown, c->mean_rank[arm], 2));
    corpora_profile(c, arm, tau, taus, band);
    for (int i = 0; i < taus; i++) number(out, show_number(shown, band[i].share, 2));
    text_format(out, " \\\\\n");
}

void corpora_rows_tex(const CorporaShown *s, Text *out) {
    double tau[CORPORA_MOST_TAUS];
    int taus = corpora_taus(s->sum, tau);
    char shown[SHOWN];
    text_format(out, "\\begin{tabular}{@{}l r r l r");
    for (int i = 0; i < taus; i++) text_format(out, " r");
    text_format(out, "@{}}\n\\toprule\n & & \\multicolumn{2}{l}{minus baseline} & mean & \\multicolumn{%d}{l}{share of "
                     "runs at %s} \\\\\narm & IQM & & & rank",
                taus, s->sum->higher ? "least" : "most");
    for (int i = 0; i < taus; i++) {
        snprintf(shown, sizeof shown, "%.3g", tau[i]);
        number(out, shown);
    }
    text_format(out, " \\\\\n\\midrule\n");
    for (int arm = 0; arm < s->sum->arms; arm++) row(s, arm, tau, taus, out);
    text_format(out, "\\bottomrule\n\\end{tabular}\n");
}

void corpora_tex(const Table *t, Text *out) {
    Corpora c;
    Text caption;
    if (!corpora_make(&c, &t->sample)) return;
    const char **labels = corpora_labels(t);
    text_init(&caption);
    table_header_comment(t, "the arms over corpora", out);
    for (int group = 0; group < c.groups; group++) {
        CorporaShown s = corpora_shown(t, &c, group, labels);
        text_clear(&caption);
        text_format(&caption, "%s%s%s%s%s. ", table_mark(t), t->exploratory ? ": " : "", t->x->title,
                    c.group[group][0] ? ", " : "", c.group[group]);
        if (!group) corpora_words(t, &c, &caption);
        text_format(&caption, "%s", group ? "" : " ");
        corpora_ranks(&s, &caption);
        text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{");
        latex_breakable(out, caption.at);
        text_format(out, "}\n\\scriptsize\\setlength{\\tabcolsep}{4pt}\n");
        corpora_rows_tex(&s, out);
        text_format(out, "\\end{table}\n");
    }
    text_release(&caption);
    free(labels);
    corpora_release(&c);
}
