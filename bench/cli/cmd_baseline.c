/* normbench verify baseline EXPERIMENT --reason TEXT: store what the code computes now, for `verify`. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "bench/verdict/baseline.h"
#include "bench/cli/commands.h"
#include "bench/verdict/gate.h"

static Rc store(Session *s, const Experiment *x, const char *reason, Error *e) {
    char path[1024], folder[1024];
    json_t *old = NULL, *rows, *doubles, *table;
    Text report;
    const char *arithmetic;
    if (session_class(s, x, &arithmetic, e)) return e->code;
    if (!baseline_has_own(arithmetic))
        return error_set(e, RC_USAGE, "baseline: the bits of class %s are not every machine's", arithmetic);
    baseline_path(path, sizeof path, s, x, arithmetic);
    snprintf(folder, sizeof folder, "%s/results/baselines", s->root);
    if (folder_make(folder, e)) return e->code;
    folder_sweep(folder);
    if (file_exists(path) && baseline_read(&old, path, e)) return e->code;
    Session oracle = *s;
    Rc rc = baseline_measure(s, x, &rows, e);
    oracle.oracle = backend_find("cpu64", e);
    if (!rc && baseline_measure(&oracle, x, &doubles, e)) {
        json_decref(rows);
        rc = e->code;
    }
    if (!rc) {
        json_t *tolerances = gate_tolerances(rows, doubles);
        text_init(&report);
        json_t *none = json_array();
        int changes = baseline_compare(old ? json_object_get(old, "rows") : none, rows, &report, &table);
        json_decref(none);
        bool same = old && json_equal(json_object_get(old, "tolerances"), tolerances);
        if (old && !changes && same)
            printf("%s: nothing changed, nothing stored\n", path);
        else if (!(rc = baseline_write(path, x, old, rows, tolerances, table, reason, e)))
            printf("%s\n%s: %zu rows stored, %d changes\n", report.at, path, json_array_size(rows), changes);
        text_release(&report);
        json_decref(table);
        json_decref(tolerances);
        json_decref(doubles);
        json_decref(rows);
    }
    json_decref(old);
    return rc;
}

Rc command_baseline(Session *s, Error *e) {
    const Options *o = s->options;
    const char *reason = option(o, OPTION_reason, "");
    Experiment x;
    if (o->operands != 1) return error_set(e, RC_USAGE, "baseline: name one experiment");
    if (strlen(reason) < 8) return error_set(e, RC_USAGE, "baseline: --reason TEXT says why stored numbers change");
    session_signals();
    if (session_experiment(s, o->operand[0], &x, e)) return e->code;
    Rc rc = store(s, &x, reason, e);
    experiment_release(&x);
    return rc;
}
