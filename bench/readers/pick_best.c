/* The best value of a run: at the step that is best on other seeds, or its own best one, which is optimistic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/readers/pick.h"

static bool better(bool higher, double a, double b) {
    return higher ? a > b : a < b;
}

/* A run's own best value; its last step where it has none. */
static LogPoint own(const PickedRun *run, bool higher) {
    const LogSeries *s = run->series;
    LogPoint best = {run->last, (double)NAN};
    for (size_t i = 0; i < s->count; i++)
        if (!isnan(s->at[i].value) && (isnan(best.value) || better(higher, s->at[i].value, best.value)))
            best = s->at[i];
    return best;
}

/* Whether b is another used run of a's arm and corpus. */
static bool beside(const PickedRun *a, const PickedRun *b) {
    return a != b && !b->why && b->series && !strcmp(a->arm, b->arm) && !strcmp(a->corpus, b->corpus);
}

/* The mean of the other runs that are finite at a step; NaN: none is. false: some other run lacks the step. */
static bool mean_beside(const Pick *p, const PickedRun *run, double step, double *mean) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < p->runs; i++) {
        if (!beside(run, &p->run[i])) continue;
        double value;
        if (!pick_value_at(&p->run[i], step, &value)) return false;
        if (!isnan(value)) sum += value, count++;
    }
    *mean = count ? sum / count : (double)NAN;
    return true;
}

/* The run itself, or where it diverged another of its arm that did not: its steps are those to choose among. */
static const PickedRun *guide_of(const Pick *p, const PickedRun *run) {
    for (int i = 0; i < p->runs && pick_lost(run); i++)
        if (beside(run, &p->run[i]) && !pick_lost(&p->run[i])) return &p->run[i];
    return run;
}

/* The earliest last step of a guide and of the others of its arm that did not diverge. */
static double end_of(const Pick *p, const PickedRun *guide) {
    double end = guide->last;
    for (int i = 0; i < p->runs; i++)
        if (beside(guide, &p->run[i]) && !pick_lost(&p->run[i])) end = fmin(end, p->run[i].last);
    return end;
}

/* The value at the step whose mean over the other runs is best, of equal ones the first. RC_USAGE: the runs share fewer
 * than half of their steps. */
static Rc on_others(const Pick *p, PickedRun *run, bool higher, Error *e) {
    const PickedRun *guide = guide_of(p, run);
    double best = (double)NAN, mean, value, end = end_of(p, guide);
    int shared = 0, steps = 0;
    for (size_t i = 0; i < guide->series->count; i++) {
        double step = guide->series->at[i].step;
        steps += step <= end;
        if (!pick_value_at(run, step, &value) || !mean_beside(p, run, step, &mean)) continue;
        shared++;
        if (isnan(mean) ? isnan(best) : isnan(best) || better(higher, mean, best))
            best = mean, run->step = step, run->value = value;
    }
    if (shared && 2 * shared >= steps) return RC_OK;
    return error_set(e, RC_USAGE,
                     "--at best: runs of arm '%.80s' share %d of %d steps, too few to choose one on other seeds; --at "
                     "own-best takes each run's own",
                     run->arm, shared, steps);
}

/* The first used run that is the only one of its arm; NULL: there is none. */
static const PickedRun *lonely(const Pick *p) {
    for (int i = 0; i < p->runs; i++) {
        bool any = p->run[i].why || !p->run[i].series;
        for (int k = 0; k < p->runs && !any; k++) any = beside(&p->run[i], &p->run[k]);
        if (!any) return &p->run[i];
    }
    return NULL;
}

static void say_own(Pick *p, bool higher, const PickedRun *alone) {
    size_t most = 0;
    int lost = 0;
    for (int i = 0; i < p->runs; i++) {
        if (p->run[i].why) continue;
        if (p->run[i].series->count > most) most = p->run[i].series->count;
        lost += pick_lost(&p->run[i]) && !isnan(p->run[i].value);
    }
    if (alone)
        pick_remark(p, "Careful: arm %.80s has one run, so that no step can be chosen on other seeds.", alone->arm);
    pick_remark(p,
                "Careful: values are each run's %s of up to %zu evaluations, chosen on the seeds that are compared: "
                "optimistic.",
                higher ? "highest" : "lowest", most);
    if (lost)
        pick_remark(p,
                    "Careful: %d run%s diverged and count%s with the best value before; --at last counts %s as "
                    "diverged.",
                    lost, lost == 1 ? "" : "s", lost == 1 ? "s" : "", lost == 1 ? "it" : "them");
}

/* By how much each arm's mean would look better where every run takes its own best step. */
static void say_others(Pick *p, bool higher) {
    int arms;
    OWNED const char **arm = pick_labels(p, true, true, &arms);
    LOCAL_TEXT(said);
    for (int a = 0; a < arms && said.length < 600; a++) {
        double sum = 0;
        int count = 0;
        for (int i = 0; i < p->runs; i++) {
            const PickedRun *run = &p->run[i];
            double gain =
                run->why || strcmp(run->arm, arm[a]) ? (double)NAN : fabs(own(run, higher).value - run->value);
            if (!isnan(gain)) sum += gain, count++;
        }
        if (count) text_format(&said, "%s%.3g (%.80s)", said.length ? ", " : "", sum / count, arm[a]);
    }
    pick_remark(p,
                "Values are of the step that is best on average over the other runs of an arm; each run's own best is "
                "optimistic, on average by %s.",
                said.length ? said.at : "nothing");
}

Rc pick_best(Pick *p, const PickQuery *q, Error *e) {
    const PickedRun *alone = q->at == PICK_BEST ? lonely(p) : NULL;
    bool others = q->at == PICK_BEST && !alone && p->curve;
    for (int i = 0; i < p->runs; i++) {
        PickedRun *run = &p->run[i];
        if (run->why || !run->series) continue;
        LogPoint best = own(run, q->higher);
        run->step = best.step, run->value = best.value;
        if (others && on_others(p, run, q->higher, e)) return e->code;
    }
    if (p->curve) snprintf(p->when, sizeof p->when, "at its best step");
    if (p->curve && !q->curves && others) say_others(p, q->higher);
    if (p->curve && !q->curves && !others) say_own(p, q->higher, alone);
    return RC_OK;
}
