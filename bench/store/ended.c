#include "bench/store/ended.h"

#include <math.h>
#include <string.h>

#include "bench/store/metrics.h"

/* Return the loss at the start of a run: its validation before any update, else its first training loss. */
static double first_loss(const RunRecord *r) {
    const Evaluation *start = record_at(r, 0);
    if (start) return start->metric[METRIC_valid_loss];
    return r->curves.rows ? r->curves.value[CURVE_train_loss] : (double)NAN;
}

bool record_diverged(const RunRecord *r, int step) {
    if (strcmp(r->status, "ok") != 0 && r->diverged_step <= step) return true;
    const Evaluation *v = record_at(r, step);
    double loss = v && !metric_lacking(METRIC_valid_loss, r) ? v->metric[METRIC_valid_loss] : (double)NAN;
    bool high = loss > log(r->vocab), fell = loss < first_loss(r);
    return !isfinite(loss) || (step > 0 && high && !fell);
}

/* Return the step of the last validation of a run that ended; -1: it has none, or did not end. */
static int last_step(const RunRecord *r) {
    int last = -1;
    for (int i = 0; i < r->evaluations; i++)
        if (r->evaluation[i].step > last) last = r->evaluation[i].step;
    bool ended = !strcmp(r->status, "ok") && last > 0 && !metric_lacking(METRIC_valid_loss, r);
    return ended ? last : -1;
}

bool record_status_needs_curves(const RunRecord *r) {
    int last = last_step(r);
    return last > 0 && !r->curves.rows && !record_at(r, 0) &&
           record_at(r, last)->metric[METRIC_valid_loss] > log(r->vocab);
}

Rc record_read_ended(RunRecord *r, const char *folder, const char *id, Error *e) {
    Rc rc = record_checked(r, folder, id, e);
    if (rc || !record_status_needs_curves(r)) return rc;
    record_release(r);
    return record_read(r, folder, id, e);
}

const char *record_status(const RunRecord *r) {
    int last = last_step(r);
    return last > 0 && record_diverged(r, last) ? "diverged" : r->status;
}
