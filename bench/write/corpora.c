/* The arms over several corpora, as tables. */
#include "bench/write/corpora.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/formats/plot.h"
#include "bench/write/summaries.h"

void corpora_range(const CorporaSum *c, double *least, double *most) {
    size_t n = (size_t)c->arms * (size_t)c->corpora * (size_t)c->seeds, kept = 0;
    double *x = mem_alloc(n, sizeof *x), sign = c->higher ? -1 : 1;
    for (size_t i = 0; i < n; i++)
        if (isfinite(c->score[i])) x[kept++] = sign * c->score[i];
    if (kept) qsort(x, kept, sizeof *x, st_compare_double);
    double best = kept ? x[0] : 0, end = kept ? fmin(x[kept - 1], best + 2 * (x[3 * (kept - 1) / 4] - best)) : 0;
    *least = c->higher ? -end : best, *most = c->higher ? -best : end;
    free(x);
}

int corpora_taus(const CorporaSum *c, double tau[CORPORA_TAUS_MAX]) {
    double least, most;
    int count = 0;
    corpora_range(c, &least, &most);
    tau[0] = 0;
    if (!(least < most)) return 1;
    double step = plot_tick(most - least, CORPORA_TAUS_MAX - 1);
    for (double at = ceil(least / step); at <= floor(most / step) && count < CORPORA_TAUS_MAX; at++)
        tau[count++] = at == 0 ? 0 : at * step;
    return count ? count : 1;
}

static int level(const CorporaSum *c) {
    return (int)lround(100 * c->alpha);
}

/* "Friedman's test over 2 corpora: …": its p and which arms' mean ranks are apart. */
static void corpora_ranks(const CorporaShown *s, Text *out) {
    const CorporaSum *c = s->sum;
    const StFriedman *f = &c->ranks;
    int apart = 0;
    if (f->status != ST_OK) {
        text_format(out, "Friedman's test: n/a (%s).", st_status_text(f->status));
        return;
    }
    text_format(out, "Friedman's test of the ranks over %d corpora: chi2 = %s, ", c->corpora, SHOW_NUMBER(f->chi2, 2));
    text_format(out, "%s p %s (smallest possible %s). ", f->exact ? "exact" : "random relabelling's", SHOW_P(f->p),
                SHOW_P(f->p_min));
    if (isnan(f->critical)) {
        text_format(out, "So few corpora cannot set two mean ranks apart at the %d %% level.", level(c));
        return;
    }
    text_format(out,
                "Mean ranks that lie at least %s apart (the critical difference) differ at the %d %% level, jointly "
                "over all pairs: ",
                SHOW_NUMBER(f->critical, 2), level(c));
    for (int a = 0; a < c->arms; a++)
        for (int b = 0; b < c->arms; b++)
            if (c->mean_rank[a] < c->mean_rank[b] && c->pair[a * c->arms + b] < c->alpha)
                text_format(out, "%s%s before %s", apart++ ? "; " : "", s->arm[a], s->arm[b]);
    text_format(out, apart ? "." : "none do.");
}

void corpora_methods(const CorporaShown *s, const char *unit, int steps, Text *out) {
    const CorporaSum *c = s->sum;
    text_format(out, "The arms are summed up over %d corpora (", c->corpora);
    for (int i = 0; i < c->corpora; i++) text_format(out, "%s%s", i ? ", " : "", s->corpus[i]);
    text_format(out, "), %d seed%s each", c->seeds, c->seeds == 1 ? "" : "s");
    text_format(out, steps ? ", after %d steps. " : ". ", steps);
    text_format(
        out,
        "The score of a run is %s minus the mean of %s on the same corpus; %s is better. IQM is the interquartile mean "
        "of the scores of all %d runs of an arm. Brackets are the %s %% stratified bootstrap interval of the "
        "difference of the IQMs, for other seeds on these corpora. Mean rank averages over the corpora the rank of an "
        "arm's mean, of which 1 is the best. Shares are those of runs whose score is at %s the number on top.",
        unit, s->arm[c->baseline], c->higher ? "higher" : "lower", c->corpora * c->seeds,
        FORMAT_REAL(round(1e4 * (1 - c->alpha)) / 100), c->higher ? "least" : "most");
}

/* tau: a round score; its share of runs under its own number. */
static void columns(const CorporaShown *s, const double *tau, int taus, Cells *c) {
    const char *over = s->sum->higher ? "share of runs at least" : "share of runs at most";
    char heading[SHOWN];
    cells_columns(c, {"arm", "l", "arm"}, {"iqm", "r", "IQM"}, {"minus_baseline", "r", "difference", "minus baseline"},
                  {"minus_baseline", "i", "[CI]", "minus baseline"}, {"mean_rank", "r", "mean rank"});
    for (int i = 0; i < taus; i++) {
        snprintf(heading, sizeof heading, "%.3g", tau[i]);
        cells_column_over(c, SHOW_TEXT("share_%s", heading), 'r', heading, over);
    }
    cells_columns(c, {"diverged", "r", "diverged"}, {"iqm", "I", ""});
    for (int i = 0; i < taus; i++) {
        cells_column(c, SHOW_TEXT("share_%.3g", tau[i]), 'I', "");
    }
}

static void row(const CorporaShown *s, int arm, const double *tau, int taus, Cells *c) {
    const StTaskIqm *q = &s->sum->iqm[arm];
    const StInterval *minus = &q->minus;
    StBand band[CORPORA_TAUS_MAX];
    cells_row(c);
    cell_text(c, s->arm[arm]);
    cell_signed(c, q->iqm, s->digits);
    if (arm == s->sum->baseline)
        cell_none(c), cell_none(c);
    else {
        cell_signed(c, q->difference, s->digits);
        cell_interval(c, minus->status == ST_OK ? minus->lo : (double)NAN, minus->hi, s->digits,
                      st_status_text(minus->status));
    }
    cell_number(c, s->sum->mean_rank[arm], 2);
    corpora_profile(s->sum, arm, tau, taus, band);
    for (int i = 0; i < taus; i++) cell_number(c, band[i].share, 2);
    cell_integer(c, s->diverged[arm]);
    cell_interval_shown(c, q->lo, q->hi, "");
    for (int i = 0; i < taus; i++) cell_interval_shown(c, band[i].lo, band[i].hi, "");
}

/* Friedman's test, for programs. */
static void ranks(const StFriedman *f, CellsList *out) {
    Cells *c = cells_add(out, "friedman", "");
    c->data = true;
    cells_data(c, "status", "chi2", "p", "floor", "exact", "critical_difference");
    cells_row(c);
    cell_text(c, st_status_text(f->status));
    if (f->status != ST_OK) return;
    cell_exact(c, f->chi2), cell_exact(c, f->p), cell_exact(c, f->p_min);
    cell_integer(c, f->exact), cell_exact(c, f->critical);
}

void corpora_sum_cells(const CorporaShown *s, const char *title, CellsList *out) {
    double tau[CORPORA_TAUS_MAX];
    int taus = corpora_taus(s->sum, tau);
    Cells *c = cells_add(out, "corpora", title);
    columns(s, tau, taus, c);
    for (int arm = 0; arm < s->sum->arms; arm++) row(s, arm, tau, taus, c);
    corpora_ranks(s, &c->notes);
    ranks(&s->sum->ranks, out);
}

/* Every run's score, for programs. */
static void scores(const Corpora *f, const Table *t, int group, CellsList *out) {
    const CorporaSum *s = &f->sum[group];
    Cells *c = cells_add(out, "scores", "");
    c->data = true;
    cells_data(c, "arm", "corpus", "seed", "score");
    for (int arm = 0; arm < s->arms; arm++)
        for (int i = 0; i < s->corpora * s->seeds; i++) {
            cells_row(c);
            cell_text(c, t->x->arm[arm].name);
            cell_text(c, f->corpus[i / s->seeds]);
            cell_integer(c, (long)t->x->seed[i % s->seeds]);
            cell_exact(c, s->score[arm * s->corpora * s->seeds + i]);
        }
}

void corpora_tables(const Table *t, CellsList *out) {
    LOCAL(corpora_release) Corpora f = {0};
    if (!corpora_make(&f, &t->sample)) return;
    OWNED const char **labels = mem_alloc((size_t)t->x->arms, sizeof *labels);
    for (int arm = 0; arm < t->x->arms; arm++) labels[arm] = t->x->arm[arm].label;
    for (int group = 0; group < f.groups; group++) {
        CorporaShown s = {&f.sum[group], labels, &f.diverged[group * t->sample.arms], metric_info[f.metric].digits,
                          f.corpus};
        int at = out->count;
        corpora_sum_cells(&s, SHOW_TEXT("Over corpora%s%s", f.group[group][0] ? ", " : "", f.group[group]), out);
        if (!group) {
            const SampleCell *cell = &t->sample.cell[0];
            corpora_methods(&s, metric_info[f.metric].heading, cell->step[cell->steps - 1], &out->at[at].caption);
            text_format(&out->at[at].caption, " A run that diverged counts as a uniform guess (loss ln V).");
        }
        scores(&f, t, group, out);
    }
}
