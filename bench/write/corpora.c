/* What the terminal and NAME.json say of the arms over corpora, and what all writers of it share. */
#include "bench/write/corpora.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/write/figure.h"
#include "bench/write/stat_json.h"

enum { LABEL = 20 };

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

int corpora_taus(const CorporaSum *c, double tau[CORPORA_MOST_TAUS]) {
    double least, most;
    int count = 0;
    corpora_range(c, &least, &most);
    tau[0] = 0;
    if (!(least < most)) return 1;
    double step = figure_tick(most - least, CORPORA_MOST_TAUS - 1);
    for (double at = ceil(least / step); at <= floor(most / step) && count < CORPORA_MOST_TAUS; at++)
        tau[count++] = at == 0 ? 0 : at * step;
    return count ? count : 1;
}

void corpora_interval(const CorporaShown *s, int arm, bool latex, Text *out) {
    const StInterval *i = &s->sum->iqm[arm].minus;
    if (arm == s->sum->baseline) return;
    show_interval(out, i->status == ST_OK ? i->lo : (double)NAN, i->hi, s->digits, st_status_text(i->status), latex);
}

static int level(const CorporaSum *c) {
    return (int)lround(100 * c->alpha);
}

void corpora_ranks(const CorporaShown *s, Text *out) {
    const CorporaSum *c = s->sum;
    const StFriedman *f = &c->ranks;
    char p[SHOWN], floor[SHOWN], number[SHOWN];
    int apart = 0;
    if (f->status != ST_OK) {
        text_format(out, "Friedman's test: n/a (%s).", st_status_text(f->status));
        return;
    }
    text_format(out, "Friedman's test of the ranks over %d corpora: chi2 = %s, ", c->corpora,
                show_number(number, f->chi2, 2));
    text_format(out, "%s p %s (smallest possible %s). ", f->exact ? "exact" : "random relabelling's",
                show_p(p, f->p), show_p(floor, f->p_min));
    if (isnan(f->critical)) {
        text_format(out, "So few corpora set no two mean ranks apart at the %d %% level.", level(c));
        return;
    }
    text_format(out, "Critical difference: mean ranks at least %s apart differ at the %d %% level, jointly over all "
                     "pairs: ",
                show_number(number, f->critical, 2), level(c));
    for (int a = 0; a < c->arms; a++)
        for (int b = 0; b < c->arms; b++)
            if (c->mean_rank[a] < c->mean_rank[b] && c->pair[a * c->arms + b] < c->alpha)
                text_format(out, "%s%s before %s", apart++ ? "; " : "", s->arm[a], s->arm[b]);
    text_format(out, apart ? "." : "none do.");
}

void corpora_methods(const CorporaShown *s, const char *unit, Text *out) {
    const CorporaSum *c = s->sum;
    char conf[40];
    format_real(conf, round(1e4 * (1 - c->alpha)) / 100);
    text_format(out,
                "Score of a run: %s minus the mean of %s on the same corpus; %s is better. IQM: interquartile mean of "
                "the scores of all %d runs of an arm. Brackets: %s %% stratified bootstrap interval of the difference "
                "of the IQMs, of other seeds on these corpora. Rank: of an arm's mean within a corpus, 1 the best, "
                "averaged. Shares: of runs whose score is at %s tau.",
                unit, s->arm[c->baseline], c->higher ? "higher" : "lower", c->corpora * c->seeds, conf,
                c->higher ? "least" : "most");
}

/* "-0.05", "0.1": a tau is round. */
static char *show_tau(char out[SHOWN], double tau) {
    snprintf(out, SHOWN, "%.3g", tau);
    return out;
}

static void line(const CorporaShown *s, int arm, const double *tau, int taus, Text *out) {
    const CorporaSum *c = s->sum;
    StBand band[CORPORA_MOST_TAUS];
    char iqm[SHOWN], minus[SHOWN] = "", rank[SHOWN], share[SHOWN];
    Text interval;
    text_init(&interval);
    corpora_interval(s, arm, false, &interval);
    if (arm != c->baseline) show_signed(minus, c->iqm[arm].difference, s->digits);
    text_format(out, "  ");
    show_column(out, s->arm[arm], LABEL);
    text_format(out, " %9s %9s %-21s %5s ", show_signed(iqm, c->iqm[arm].iqm, s->digits), minus, interval.at,
                show_number(rank, c->mean_rank[arm], 2));
    corpora_profile(c, arm, tau, taus, band);
    for (int i = 0; i < taus; i++) text_format(out, " %6s", show_number(share, band[i].share, 2));
    if (s->diverged[arm]) text_format(out, "  %d diverged", s->diverged[arm]);
    text_format(out, "\n");
    text_release(&interval);
}

void corpora_lines(const CorporaShown *s, Text *out) {
    double tau[CORPORA_MOST_TAUS];
    int taus = corpora_taus(s->sum, tau);
    char number[SHOWN];
    text_format(out, "  %-*s %9s %9s %-21s %5s  %s\n", LABEL, "", "", "minus", "", "mean",
                s->sum->higher ? "share of runs at least" : "share of runs at most");
    text_format(out, "  %-*s %9s %9s %-21s %5s ", LABEL, "arm", "IQM", "baseline", "", "rank");
    for (int i = 0; i < taus; i++) text_format(out, " %6s", show_tau(number, tau[i]));
    text_format(out, "\n");
    for (int arm = 0; arm < s->sum->arms; arm++) line(s, arm, tau, taus, out);
}

const char **corpora_labels(const Table *t) {
    const char **labels = mem_alloc((size_t)t->x->arms, sizeof *labels);
    for (int arm = 0; arm < t->x->arms; arm++) labels[arm] = t->x->arm[arm].label;
    return labels;
}

CorporaShown corpora_shown(const Table *t, const Corpora *c, int group, const char *const *labels) {
    return (CorporaShown){&c->sum[group], labels, &c->diverged[group * t->sample.arms], metric_info[c->metric].digits};
}

void corpora_words(const Table *t, const Corpora *c, Text *out) {
    const SampleCell *cell = &t->sample.cell[0];
    const char **labels = corpora_labels(t);
    CorporaShown s = corpora_shown(t, c, 0, labels);
    text_format(out, "The arms over %d corpora (", c->corpora);
    for (int i = 0; i < c->corpora; i++) text_format(out, "%s%s", i ? ", " : "", c->corpus[i]);
    text_format(out, "), %d seed%s each, after %d steps. ", t->sample.seeds, t->sample.seeds == 1 ? "" : "s",
                cell->step[cell->steps - 1]);
    corpora_methods(&s, metric_info[c->metric].heading, out);
    text_format(out, " A run that diverged counts as the uniform predictor.");
    free(labels);
}

void corpora_text(const Table *t, Text *out) {
    Corpora c;
    Text words;
    if (!corpora_make(&c, &t->sample)) return;
    const char **labels = corpora_labels(t);
    text_init(&words);
    corpora_words(t, &c, &words);
    text_format(out, "\nOver corpora\n");
    table_wrapped(words.at, 0, out);
    for (int group = 0; group < c.groups; group++) {
        CorporaShown s = corpora_shown(t, &c, group, labels);
        text_format(out, c.group[group][0] ? "\n  %s\n" : "\n", c.group[group]);
        corpora_lines(&s, out);
        text_clear(&words);
        corpora_ranks(&s, &words);
        table_wrapped(words.at, 2, out);
    }
    text_release(&words);
    free(labels);
    corpora_release(&c);
}

static json_t *arm_json(const CorporaShown *s, int arm, const double *tau, int taus) {
    const CorporaSum *c = s->sum;
    const StTaskIqm *q = &c->iqm[arm];
    StBand band[CORPORA_MOST_TAUS];
    json_t *o = json_object(), *shares = json_array(), *scores = json_array();
    int runs = c->corpora * c->seeds;
    json_put_text(o, "arm", s->arm[arm]);
    json_put(o, "iqm", q->iqm);
    json_object_set_new(o, "iqm_interval", json_interval(q->status, q->lo, q->hi));
    if (arm != c->baseline) {
        json_put(o, "minus_baseline", q->difference);
        json_object_set_new(o, "minus_baseline_interval", json_interval(q->minus.status, q->minus.lo, q->minus.hi));
    }
    json_put(o, "mean_rank", c->mean_rank[arm]);
    json_object_set_new(o, "diverged", json_integer(s->diverged[arm]));
    corpora_profile(c, arm, tau, taus, band);
    for (int i = 0; i < taus; i++) {
        json_t *one = json_object();
        json_put(one, "tau", tau[i]), json_put(one, "share", band[i].share);
        json_put(one, "lo", band[i].lo), json_put(one, "hi", band[i].hi);
        json_array_append_new(shares, one);
    }
    for (int i = 0; i < runs; i++) {
        double x = c->score[arm * runs + i];
        json_array_append_new(scores, isfinite(x) ? json_real(x) : json_string("nan"));
    }
    json_object_set_new(o, "profile", shares);
    json_object_set_new(o, "scores", scores);
    return o;
}

json_t *corpora_sum_json(const CorporaShown *s) {
    const StFriedman *f = &s->sum->ranks;
    double tau[CORPORA_MOST_TAUS];
    int taus = corpora_taus(s->sum, tau);
    json_t *o = json_object(), *arms = json_array(), *friedman = json_status(f->status);
    for (int arm = 0; arm < s->sum->arms; arm++) json_array_append_new(arms, arm_json(s, arm, tau, taus));
    if (f->status == ST_OK) {
        json_put(friedman, "chi2", f->chi2), json_put(friedman, "p", f->p), json_put(friedman, "floor", f->p_min);
        json_object_set_new(friedman, "exact", json_boolean(f->exact));
        if (!isnan(f->critical)) json_put(friedman, "critical_difference", f->critical);
    }
    json_object_set_new(o, "arms", arms);
    json_object_set_new(o, "friedman", friedman);
    return o;
}

json_t *corpora_json(const Table *t) {
    Corpora c;
    if (!corpora_make(&c, &t->sample)) return json_null();
    const char **labels = corpora_labels(t);
    json_t *o = json_object(), *names = json_array(), *groups = json_array();
    for (int i = 0; i < c.corpora; i++) json_array_append_new(names, json_string(c.corpus[i]));
    for (int arm = 0; arm < t->x->arms; arm++) labels[arm] = t->x->arm[arm].name;
    for (int group = 0; group < c.groups; group++) {
        CorporaShown s = corpora_shown(t, &c, group, labels);
        json_t *one = corpora_sum_json(&s);
        json_put_text(one, "group", c.group[group]);
        json_array_append_new(groups, one);
    }
    json_put_text(o, "metric", metric_info[c.metric].key);
    json_object_set_new(o, "corpora", names);
    json_object_set_new(o, "groups", groups);
    free(labels);
    corpora_release(&c);
    return o;
}
