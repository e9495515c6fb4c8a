/* NAME.csv: one line per cell, step, arm and metric; the comparison with the baseline in the lines of the metric that
 * decides. Empty: not measured, or not there. Where seeds are added until it is decided, delta_lo, delta_hi,
 * p_adjusted, p_holm and p_inside hold at every stop, what is of a fixed number of seeds is empty, and decided_at
 * stands last. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/verdict/anytime.h"
#include "bench/write/table.h"

static const char head[] = "experiment,profile,cell,step,arm,metric,n,mean,sd,median,least,most,diverged,above_ln_v,"
                           "stalled,reported,reported_at,"
                           "delta,delta_lo,delta_hi,ratio,p_signflip,p_count,p_total,p_floor,p_adjusted,p_adjusted_"
                           "count,p_holm,boot_lo,boot_hi,"
                           "bca_lo,bca_hi,p_tost,g_z,pairing_gain,p_inside,flip_lo,flip_hi,"
                           "p_ranks,stalled_p,turning_seeds,decision,exploratory,verdict";

static void field(Text *out, double x) {
    text_add(out, ",", 1);
    csv_number(out, x);
}

static double shown(bool yes, double x) {
    return yes ? x : (double)NAN;
}

static void comparison_fields(const Table *t, const Comparison *c, Text *out) {
    bool ok = c->status == ST_OK, t_ok = ok && c->t_decides && c->t.status == ST_OK,
         flip = ok && c->flip.status == ST_OK, fixed = !t->family.anytime;
    bool boot = ok && c->t_decides && c->boot.status == ST_OK, bca = boot && c->boot.bca.status == ST_OK;
    field(out, shown(ok, c->t.mean));
    field(out, shown(t_ok, c->t.lo));
    field(out, shown(t_ok, c->t.hi));
    field(out, shown(ok && t->metric == METRIC_valid_loss, exp(c->t.mean)));
    field(out, shown(flip && fixed, c->flip.p));
    field(out, shown(flip && fixed, (double)c->flip.count));
    field(out, shown(flip && fixed, (double)c->flip.total));
    field(out, shown(flip && fixed, c->flip.p_min));
    field(out, c->joint.step);
    field(out, shown(fixed && !isnan(c->joint.step), (double)c->joint.step_count));
    field(out, c->holm);
    field(out, shown(boot, c->boot.percentile.lo));
    field(out, shown(boot, c->boot.percentile.hi));
    field(out, shown(bca, c->boot.bca.lo));
    field(out, shown(bca, c->boot.bca.hi));
    field(out, shown(ok && c->t_decides && c->tost.status == ST_OK, c->tost.p));
    field(out, shown(ok && c->effect.status == ST_OK, c->effect.g_z));
    field(out, shown(ok, c->effect.vr));
    field(out, c->inside_p);
    field(out, shown(c->together.status == ST_OK, c->together.lo));
    field(out, shown(c->together.status == ST_OK, c->together.hi));
    field(out, c->joint_ranks);
    field(out, shown(c->stall.status == ST_OK, c->stall.p));
    field(out, shown(c->turning >= 0, c->turning));
    LOCAL_TEXT(words);
    table_decision(t, c, &words);
    text_format(out, ",%s,%s,", decision_name(c->decision), t->exploratory ? "true" : "false");
    csv_text(out, words.at);
    const Anytime *a = t->family.anytime ? &t->family.anytime[c - t->family.at] : NULL;
    if (a) field(out, shown(a->at, a->at));
    text_format(out, "\n");
}

static void line(const Table *t, int cell, int step, int arm, Metric m, Text *out) {
    SampleArm a = sample_arm(&t->sample, cell, step, arm, m);
    const ReportedNumber *number = table_reported_number(t, cell, step, arm, metric_info[m].key);
    const Comparison *c = m == t->metric ? table_comparison(t, cell, step, arm) : NULL;
    char where[256];
    csv_text(out, t->x->name);
    text_format(out, ",");
    csv_text(out, t->x->profile);
    text_format(out, ",");
    csv_text(out, experiment_cell_text(where, t->x, cell));
    text_format(out, ",%d,", t->sample.cell[cell].step[step]);
    csv_text(out, t->x->arm[arm].name);
    text_format(out, ",%s,%d", metric_info[m].key, a.n);
    field(out, a.mean);
    field(out, a.sd);
    field(out, a.median);
    field(out, a.least);
    field(out, a.most);
    text_format(out, ",%d,%d,%d,%s", a.diverged, a.above, a.stalled, number ? number->text : "");
    if (number)
        text_format(out, ",%s:%d", t->claims->file, number->line);
    else
        text_format(out, ",");
    if (c)
        comparison_fields(t, c, out);
    else
        text_format(out, ",,,,,,,,,,,,,,,,,,,,,,,,,,%s,%s\n", t->exploratory ? "true" : "false",
                    t->family.anytime ? "," : "");
}

void table_csv(const Table *t, Text *out) {
    text_format(out, "%s%s\n", head, t->family.anytime ? ",decided_at" : "");
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int step = 0; step < t->sample.cell[cell].steps; step++)
            for (int arm = 0; arm < t->sample.arms; arm++)
                for (int m = 0; m < METRIC_COUNT; m++)
                    if (metric_measured((Metric)m, t->x)) line(t, cell, step, arm, (Metric)m, out);
}
