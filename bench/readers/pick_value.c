/* The number of each run: at the last step that all have, at the best, or at one that is named. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/readers/pick.h"
#include "stats/status.h"

enum { SHORT = 10 /* a run that ends before this part of the middle one's steps broke off */ };
#define FAR .25 /* of the step asked for: how far a value's step may lie from it */
#define UNLIKE .01
#define EARLY .5 /* of the earliest last step: a step that all runs have is used from there on */

static double middle(double *x, size_t n) {
    qsort(x, n, sizeof *x, st_compare_double);
    return n ? x[n / 2] : (double)NAN;
}

/* Runs that broke off long before the others; one that diverged did not break off. */
static void leave_short(Pick *p) {
    double *last = mem_alloc((size_t)p->runs + 1, sizeof *last);
    size_t n = 0;
    for (int i = 0; i < p->runs; i++)
        if (!p->run[i].why && !pick_lost(&p->run[i])) last[n++] = p->run[i].last;
    double usual = middle(last, n);
    free(last);
    for (int i = 0; i < p->runs; i++) {
        PickedRun *run = &p->run[i];
        if (!run->why && !pick_lost(run) && run->last < usual / SHORT)
            pick_leave(run, "it ends at step %s, where the middle run ends at %s", FORMAT_REAL(run->last),
                       FORMAT_REAL(usual));
    }
}

static bool in_arm(const PickedRun *run, const char *arm) {
    return !run->why && (!arm || !strcmp(run->arm, arm));
}

/* The last step of the used runs of an arm; arm NULL: of all. */
static double latest_step(const Pick *p, const char *arm) {
    double step = -(double)INFINITY;
    for (int i = 0; i < p->runs; i++)
        if (in_arm(&p->run[i], arm)) step = fmax(step, p->run[i].last);
    return step;
}

/* The earliest last step of those that did not diverge; the latest of all where all did. */
static double common_step(const Pick *p, const char *arm) {
    double step = (double)INFINITY;
    for (int i = 0; i < p->runs; i++)
        if (in_arm(&p->run[i], arm) && !pick_lost(&p->run[i])) step = fmin(step, p->run[i].last);
    return isinf(step) ? latest_step(p, arm) : step;
}

/* The last step that all used runs of an arm (NULL: of all) have; the earliest last one where it is much later. */
static double step_of_all(const Pick *p, const char *arm) {
    double end = common_step(p, arm);
    const LogSeries *one = NULL;
    for (int i = 0; i < p->runs && !one; i++)
        if (in_arm(&p->run[i], arm) && !pick_lost(&p->run[i])) one = p->run[i].series;
    for (size_t k = one ? one->count : 0; k-- > 0;) {
        bool all = one->at[k].step <= end;
        if (one->at[k].step < EARLY * end) break;
        for (int i = 0; i < p->runs && all; i++)
            if (in_arm(&p->run[i], arm)) all = pick_value_at(&p->run[i], one->at[k].step, NULL);
        if (all) return one->at[k].step;
    }
    return end;
}

static void nearest(PickedRun *run, double step) {
    const LogSeries *s = run->series;
    size_t best = 0;
    for (size_t i = 1; i < s->count; i++)
        if (fabs(s->at[i].step - step) <= fabs(s->at[best].step - step)) best = i;
    run->step = s->at[best].step, run->value = s->at[best].value;
}

/* The value nearest a step; of a run that diverged before it none, up to the last step of any run. */
static void at_step(PickedRun *run, double step, double latest, bool exact) {
    char wanted[40], near[40];
    if (pick_lost(run) && step >= run->last && step <= latest) {
        run->step = step, run->value = (double)NAN;
        return;
    }
    nearest(run, step);
    double off = fabs(run->step - step);
    format_real(wanted, step), format_real(near, run->step);
    if (exact && off > 0) pick_leave(run, "it has no value at step %s (the nearest: %s)", wanted, near);
    if (off > FAR * fabs(step)) pick_leave(run, "it has no value near step %s (the nearest: %s)", wanted, near);
}

static void say_unlike(Pick *p, const PickQuery *q) {
    const PickedRun *first = NULL, *longest = NULL;
    char one[900], two[900];
    for (int i = 0; i < p->runs; i++) {
        const PickedRun *run = &p->run[i];
        if (run->why || pick_lost(run)) continue;
        if (!first || run->last < first->last) first = run;
        if (!longest || run->last > longest->last) longest = run;
    }
    if (!first || longest->last - first->last <= UNLIKE * longest->last) return;
    pick_remark(
        p, "Careful: last steps differ, from %s (%.300s) to %s (%.300s)%s.", FORMAT_REAL(first->last),
        log_called(one, sizeof one, first->log), FORMAT_REAL(longest->last), log_called(two, sizeof two, longest->log),
        q->apart                                    ? "; each arm is judged at its own"
        : q->at == PICK_LAST || q->at == PICK_EVERY ? "; runs of unlike schedules are not comparable at equal steps"
                                                    : "");
}

/* How far values lie from the step that all were to be of. */
static void say_step(Pick *p, double step) {
    const PickedRun *far = NULL;
    char name[900], lost[80] = "";
    int before = 0;
    for (int i = 0; i < p->runs; i++) before += !p->run[i].why && p->run[i].last < step && pick_lost(&p->run[i]);
    if (before) snprintf(lost, sizeof lost, " but for %d that diverged before it", before);
    for (int i = 0; i < p->runs; i++)
        if (!p->run[i].why && (!far || fabs(p->run[i].step - step) > fabs(far->step - step))) far = &p->run[i];
    if (!far) return;
    if (far->step == step) {
        p->step = step;
        pick_remark(p, "Values are of step %s, the last that all runs have%s.", FORMAT_REAL(step), lost);
    } else
        pick_remark(p, "%salues are of the step nearest %s, the earliest last one; %s off at most (%.300s).",
                    fabs(far->step - step) > UNLIKE * step ? "Careful: v" : "V", FORMAT_REAL(step),
                    FORMAT_REAL(fabs(far->step - step)), log_called(name, sizeof name, far->log));
}

/* A metric that some files write with a sign of percent and others without. */
static Rc check_signs(const Pick *p, Error *e) {
    const PickedRun *percent = NULL, *plain = NULL;
    char a[500], b[500];
    for (int i = 0; i < p->runs; i++) {
        const PickedRun *run = &p->run[i];
        if (run->why || !run->series) continue;
        *(run->series->percent ? &percent : &plain) = run;
    }
    if (!percent || !plain) return RC_OK;
    return error_set(e, RC_USAGE, "%.100s: %.300s is in percent and %.300s is not; one unit is needed", p->metric,
                     log_called(a, sizeof a, percent->log), log_called(b, sizeof b, plain->log));
}

Rc pick_values(Pick *p, const PickQuery *q, Error *e) {
    double all = (double)NAN;
    bool last = q->at == PICK_LAST || q->at == PICK_EVERY, best = q->at == PICK_BEST || q->at == PICK_OWN_BEST;
    bool values = p->curve && (!q->curves || q->at == PICK_EVERY); /* not steps to a target */
    if (values && (last || best)) leave_short(p);
    if (last && !q->apart) all = step_of_all(p, NULL);
    if (best && pick_best(p, q, e)) return e->code;
    double latest = latest_step(p, NULL);
    for (int i = 0; i < p->runs && !best; i++) {
        PickedRun *run = &p->run[i];
        if (run->why || !run->series) continue;
        double step = q->at == PICK_STEP ? q->step : q->apart ? step_of_all(p, run->arm) : all;
        at_step(run, step, latest, q->at == PICK_STEP);
    }
    if (values) {
        if (q->at == PICK_LAST && !q->apart) say_step(p, all);
        if (q->at == PICK_STEP) {
            p->step = q->step;
            snprintf(p->when, sizeof p->when, "at step %.30s", FORMAT_REAL(q->step));
        }
        if (q->at != PICK_STEP) say_unlike(p, q);
    }
    return q->list ? RC_OK : check_signs(p, e);
}
