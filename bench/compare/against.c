#include "bench/compare/against.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/compare/print.h"
#include "bench/formats/cells.h"
#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/verdict/words.h"
#include "bench/write/stat_json.h"
#include "stats/multiple.h"
#include "stats/paired.h"

/* One-sided p of a score whose two-sided p is given. */
static double one_sided(double score, double p, bool higher) {
    return (score > 0) == higher ? p / 2 : 1 - p / 2;
}

static void test_arm(AgainstArm *a, const double *d, double scale, const AgainstOptions *o, StKey key) {
    size_t n = (size_t)a->runs;
    a->t = st_tci(d, n, scale, o->conf);
    a->flip = st_signflip(d, n, scale, o->higher ? ST_GREATER : ST_LESS, key);
    a->t_p = a->t.status == ST_OK ? one_sided(a->t.t, a->t.p, o->higher) : (double)NAN;
    a->z = a->t.mean * sqrt((double)n) / o->sigma;
    a->z_p = one_sided(a->z, erfc(fabs(a->z) / sqrt(2)), o->higher);
}

/* Its sign turned where higher is better; a rule that is met but for rounding is met. */
static void judge_rule(AgainstArm *a, const AgainstOptions *o) {
    a->lead = (o->higher ? a->t.mean : -a->t.mean) * sqrt((double)a->runs);
    a->holds = a->lead >= o->rule - 1e-12 * fabs(o->number) * sqrt((double)a->runs);
}

static void compare_before(Against *r) {
    const CompareData *d = r->data;
    r->before = (Family){.alpha = compare_alpha(r->options.conf),
                         .conf = r->options.conf,
                         .unpaired = true,
                         .n = compare_fewest_runs(d)};
    if (d->arms < 2) return;
    family_begin(&r->before, d->arms - 1);
    for (int i = 0; i < r->before.count; i++) {
        Comparison *c = &r->before.at[i];
        c->what = contrast_pair(0, 0, (Metric)0, i + 1, i, (double)NAN);
        compare_pair(&r->before, c, d, NULL,
                     (PairedRuns){.cap = r->options.cap,
                                  .higher = r->options.higher,
                                  .flip = {.stream = (uint64_t)i, .plan = 1},
                                  .ranks = {.stream = (uint64_t)i, .plan = 2},
                                  .boot = {.stream = (uint64_t)i, .plan = 3}});
    }
    compare_together(&r->before);
}

Rc against_make(Against *r, const CompareData *data, const AgainstOptions *options, Error *e) {
    size_t most = (size_t)data->seeds, arms = (size_t)data->arms;
    *r = (Against){.data = data, .options = *options};
    if (compare_check_cap(data, options->cap, options->higher, e)) return e->code;
    st_init();
    r->arm = mem_alloc(arms, sizeof *r->arm);
    OWNED double *d = mem_alloc(most, sizeof *d), *p = mem_alloc(arms, sizeof *p),
                 *holm = mem_alloc(arms, sizeof *holm);
    for (size_t i = 0; i < arms; i++) {
        AgainstArm *a = &r->arm[i];
        double scale = fabs(options->number);
        a->runs = data->runs[i];
        for (size_t k = 0; k < (size_t)a->runs; k++) {
            bool lost = data->diverged[i * most + k];
            double value = lost ? options->cap : data->value[i * most + k];
            d[k] = value - options->number;
            scale = fmax(scale, fabs(value));
            a->diverged += lost;
        }
        test_arm(a, d, scale, options, (StKey){.stream = i});
        judge_rule(a, options);
        p[i] = a->flip.p;
    }
    (void)st_holm(p, arms, holm);
    for (size_t i = 0; i < arms; i++)
        r->arm[i].holm = holm[i], r->arm[i].shown = holm[i] <= compare_alpha(options->conf);
    compare_before(r);
    return RC_OK;
}

void against_release(Against *r) {
    free(r->arm);
    if (r->before.count) family_release(&r->before);
    *r = (Against){0};
}

Rc against_exit(const Against *r) {
    for (int i = 0; i < r->data->arms; i++)
        if (!r->arm[i].shown) return RC_INCONCLUSIVE;
    return RC_OK;
}

static const char *side(const Against *r) {
    return r->options.higher ? "above" : "below";
}

static void columns(const Against *r, Cells *c) {
    cells_columns(c, {"arm", "l", "arm"}, {"runs", "r", "runs"});
    if (r->options.step) cells_column(c, "step", 'r', "step");
    cells_columns(c, {"mean", "r", "mean"}, {"sd", "r", "SD"}, {"p_flips", "r", "p flips"}, {"p_holm", "r", "p_Holm"},
                  {"p_t", "r", "p t"}, {"lead", "r", r->options.higher ? "(mean - X)√n" : "(X - mean)√n"});
    if (!isnan(r->options.sigma)) cells_column(c, "p_sigma", 'r', "p sigma");
    cells_column(c, "verdict", 'p', "verdict");
    cells_data(c, "diverged", "p_min", "t", "z", "exact", "shown", "holds");
}

static void row(const Against *r, int i, Cells *c) {
    const AgainstArm *a = &r->arm[i];
    double sd = a->runs > 1 ? a->t.sd : (double)NAN, mean = r->options.number + a->t.mean;
    LOCAL_TEXT(lead);
    cells_row(c);
    cell_text(c, r->data->arm[i]);
    cell_integer(c, a->runs);
    if (r->options.step) cell_exact(c, r->options.step[i]);
    cell_shown(c, mean, SHOW_WITH_ERROR(mean, sd / sqrt(a->runs), false));
    cell_shown(c, sd, SHOW_WITH_ERROR(sd, sd, false));
    cell_p(c, a->flip.p), cell_p(c, a->holm), cell_p(c, a->t_p);
    text_format(&lead, "%.4g", a->lead);
    if (!isnan(r->options.rule)) text_format(&lead, a->holds ? " holds" : " fails");
    cell_shown(c, a->lead, lead.at);
    if (!isnan(r->options.sigma)) cell_p(c, a->z_p);
    cell_format(c, "%s%s %s", a->shown ? "" : "not shown to be ", side(r), FORMAT_REAL(r->options.number));
    cell_integer(c, a->diverged);
    cell_exact(c, a->flip.p_min), cell_exact(c, a->t.t), cell_exact(c, a->z);
    cell_integer(c, a->flip.exact), cell_integer(c, a->shown);
    isnan(r->options.rule) ? cell_none(c) : cell_integer(c, a->holds);
}

static void notes(const Against *r, Text *said) {
    int most = 0, lost = 0;
    for (int i = 0; i < r->data->arms; i++) {
        lost += r->arm[i].diverged;
        if (r->arm[i].runs > most) most = r->arm[i].runs;
    }
    text_format(
        said,
        "The question is one-sided: is an arm's mean %s %s? p flips is that of sign flips: if runs scatter evenly "
        "around the number, each value lies above or below it with probability 1/2; %s, and n runs give 1/2^n at "
        "least. p_Holm is p flips adjusted over the arms; it decides at level %s. p t is that of Student's t test.",
        side(r), FORMAT_REAL(r->options.number),
        most <= ST_FLIP_MAX ? "all signs are counted" : "signs are drawn at random beyond 20 runs",
        FORMAT_REAL(compare_alpha(r->options.conf)));
    if (!isnan(r->options.sigma))
        text_format(said, " p sigma is that of the normal distribution, where a run's standard deviation is %s.",
                    FORMAT_REAL(r->options.sigma));
    if (!isnan(r->options.rule))
        text_format(said, " The rule holds where %s sqrt(n) is at least %s.",
                    r->options.higher ? "(mean - X)" : "(X - mean)", FORMAT_REAL(r->options.rule));
    if (lost) text_format(said, " Diverged runs (%d) count as %s.", lost, FORMAT_REAL(r->options.cap));
}

static void fill(const Against *r, Cells *c) {
    columns(r, c);
    for (int i = 0; i < r->data->arms; i++) row(r, i, c);
    notes(r, &c->notes);
}

static void before_row(const Against *r, const Comparison *x, Cells *c) {
    int arm = x->what.term[0].arm;
    cells_row(c);
    cell_text(c, r->data->arm[arm]);
    cell_text(c, r->data->arm[arm - 1]);
    if (r->options.step) cell_exact(c, r->options.step[arm] - r->options.step[arm - 1]);
    cell_shown(c, x->t.mean, SHOW_WITH_ERROR(x->t.mean, x->t.se, true));
    bool made = x->t_decides && x->t.status == ST_OK;
    cell_interval_shown(c, made ? x->t.lo : (double)NAN, made ? x->t.hi : (double)NAN,
                        made ? SHOW_BOUNDS(x->t.lo, x->t.hi, x->t.se) : "n/a");
    cell_p(c, x->joint.step);
    cell_by(c, decision_words, &r->before, x, x->decision, r->options.higher ? 1 : -1, NULL);
}

/* Every arm and the one before it. */
static void fill_before(const Against *r, Cells *c) {
    cells_columns(c, {"arm", "l", "arm"}, {"before", "l", "before it"});
    if (r->options.step) cells_column(c, "steps", 'r', "steps");
    cells_columns(c, {"delta", "r", "Δ"}, {"delta", "i", SHOW_TEXT("[%s%% Welch]", FORMAT_PERCENT(r->options.conf))},
                  {"p_holm", "r", "p_Holm"}, {"verdict", "l", "verdict"});
    for (int i = 0; i < r->before.count; i++) before_row(r, &r->before.at[i], c);
    text_format(&c->notes, "Δ is the mean of the arm minus that of the arm before it; p_Holm is that of relabelling "
                           "the runs of both, adjusted by Holm's method.");
    if (r->options.step)
        text_format(&c->notes, " steps is how many more steps the arm's values took; losses at unlike steps say which "
                               "arm ended lower, not which is faster.");
}

void against_page(const Against *r, ComparePage *p) {
    *p = compare_page_new();
    compare_reading(r->data, &p->notes);
    compare_absent(r->data, &p->notes);
    fill(r, cells_add(&p->tables, "against", ""));
    if (r->before.count > 0) fill_before(r, cells_add(&p->tables, "before", "Each arm and the one before it"));
}

void against_json(const Against *r, Text *out) {
    const AgainstOptions *x = &r->options;
    Cells c, before;
    cells_init(&c, "against", ""), cells_init(&before, "before", "");
    fill(r, &c), fill_before(r, &before);
    json_t *o = json_begin(COMPARE_SCHEMA);
    json_add(o, "against", x->number, "better", x->higher ? "higher" : "lower", "conf", x->conf, "sigma",
             json_or_null(x->sigma), "rule", json_or_null(x->rule));
    compare_reading_json(r->data, o);
    json_print(json_add(o, "arms", cells_json(&c), "before", cells_json(&before)), JSON_EXACT, out);
    cells_release(&c), cells_release(&before);
}
