/* normbench verify snapshot EXPERIMENT --reason TEXT: store what the code computes now, for `verify`. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/formats/progress.h"
#include "bench/formats/terminal.h"
#include "bench/perf/perf.h"
#include "bench/run/todo.h"
#include "bench/verify/snapshot.h"
#include "bench/verify/gate.h"

enum { LEAST_REASON = 8 };

/* Seconds that the runs take: by this machine's speed on a few products, as a dry run of `run` tells them, and by one
 * step of the oracle's kernels, which no peak describes. */
static Rc foretell(Session *s, const Experiment *x, const Backend *oracle, double *seconds, double *again, Error *e) {
    const int threads = s->threads * s->threads_per_run;
    LOCAL(todo_release) Todo todo = {0};
    double flops = 0, speed;
    if (todo_make(&todo, s, x, e)) return e->code;
    todo_parts(&todo, 0, 1);
    for (int i = 0; i < todo.runs; i++) flops += todo.run[i].cost;
    *seconds = flops / todo_speed(s->backend, threads);
    if (perf_speed(&speed, &todo.run[0].spec, todo.run[0].data, oracle, e)) return e->code;
    *again = flops / speed / threads;
    return RC_OK;
}

/* The rows of this backend, and of the oracle: what their differences allow is stored as tolerances. */
static Rc measure(Session *s, const Experiment *x, json_t **rows, json_t **doubles, Error *e) {
    const int runs = experiment_cells(x) * x->arms * x->seeds;
    Session oracle = *s;
    char took[32], longer[32];
    double seconds = 0, again = 0;
    oracle.oracle = backend_find("cpu64", e);
    if (foretell(s, x, oracle.oracle, &seconds, &again, e)) return e->code;
    terminal_say(stderr,
                 "%s: trains %d run%s by backend %s, about %s at 55%% of this machine's fma peak, and again in double "
                 "precision by the readable kernels of backend cpu64, about %s by the time of one step: the "
                 "differences of the two give the tolerances\n",
                 x->name, runs, runs == 1 ? "" : "s", s->backend->name, format_duration(took, seconds),
                 format_duration(longer, again));
    const double start = clock_now();
    if (snapshot_measure(s, x, rows, e)) return e->code;
    terminal_say(stderr, "%s: 1 of 2 done after %s; now backend cpu64, about %s\n", x->name,
                 format_duration(took, clock_now() - start), longer);
    return snapshot_measure(&oracle, x, doubles, e);
}

static Rc store(Session *s, const Experiment *x, const char *reason, Error *e) {
    char path[1024], folder[1024];
    json_auto_t *old = NULL, *rows = NULL, *doubles = NULL, *table = NULL, *none = json_array();
    LOCAL_TEXT(report);
    const char *arithmetic;
    if (session_class(s, x, &arithmetic, e)) return e->code;
    if (!snapshot_has_own(arithmetic))
        return error_set(e, RC_USAGE,
                         "snapshot: arithmetic class %s gives other bits on other machines, so no "
                         "snapshot of it is stored",
                         arithmetic);
    snapshot_path(path, sizeof path, s, x, arithmetic);
    snprintf(folder, sizeof folder, "%s/results/baselines", s->root);
    if (folder_make(folder, e)) return e->code;
    folder_sweep(folder);
    if (file_exists(path) && snapshot_read(&old, path, e)) return e->code;
    Rc rc = measure(s, x, &rows, &doubles, e);
    if (rc) return rc < (Rc)128 ? rc : error_set(e, rc, "stopped: no snapshot of %s is stored", x->name);
    json_auto_t *tolerances = gate_tolerances(rows, doubles);
    int changes = snapshot_compare(old ? json_object_get(old, "rows") : none, rows, &report, &table);
    bool same = old && json_equal(json_object_get(old, "tolerances"), tolerances);
    if (old && !changes && same)
        printf("%s: nothing changed, nothing stored\n", path);
    else if (!(rc = snapshot_write(path, x, old, rows, tolerances, table, reason, e)))
        printf("%s\n%s: %zu rows stored, %d changes\n", report.at, path, json_array_size(rows), changes);
    return rc;
}

Rc command_snapshot(Session *s, Error *e) {
    const Options *o = s->options;
    const char *reason = option(o, OPTION_reason, "");
    LOCAL(experiment_release) Experiment x = {0};
    if (o->operands != 1) return error_set(e, RC_USAGE, "snapshot: name one experiment");
    if (!o->times[OPTION_reason])
        return error_set(e, RC_USAGE, "snapshot: --reason TEXT says why stored numbers change");
    if (strlen(reason) < LEAST_REASON)
        return error_set(e, RC_USAGE,
                         "snapshot: --reason: '%s' is too short, %d characters at least: why do stored "
                         "numbers change?",
                         reason, LEAST_REASON);
    session_signals();
    return session_experiment(s, o->operand[0], &x, e) ? e->code : store(s, &x, reason, e);
}
