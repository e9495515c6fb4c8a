/* normbench verify [EXPERIMENT] [--level bit|numeric|statistical]: train the stored baselines' experiments again and
 * compare (bench/verdict/gate.h).
 * normbench verify [EXPERIMENT] --bisect A B: the first step and op in which two backends or trace files differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/verdict/baseline.h"
#include "bench/cli/commands.h"
#include "bench/verdict/gate.h"
#include "bench/run/trace.h"

enum { TRACE_STEPS = 5 };

/* One experiment against its baseline; *compared counts numbers. */
static Rc verify_one(Session *s, const char *name, int *compared, Error *e) {
    Experiment x;
    char path[1024];
    json_t *stored, *rows;
    GateLevel level;
    Text report;
    if (session_experiment(s, name, &x, e)) return e->code;
    const char *arithmetic;
    Rc rc = session_class(s, &x, &arithmetic, e);
    if (!rc) {
        baseline_path(path, sizeof path, s, &x, arithmetic);
        rc = baseline_read(&stored, path, e);
    }
    if (!rc) {
        level = (GateLevel)option_choice(s->options, OPTION_level, (int)gate_default(stored, arithmetic));
        rc = baseline_measure(s, &x, &rows, e);
        if (!rc) {
            text_init(&report);
            rc = gate_check(level, stored, rows, x.margin, x.alpha, &report, compared, e);
            printf("%s %s, level %s: %zu runs%s\n%s", x.name, x.profile, gate_names[level], json_array_size(rows),
                   rc ? "" : ", as stored", report.at);
            if (rc) error_prefix(e, "%s: ", x.name);
            text_release(&report);
            json_decref(rows);
        }
        json_decref(stored);
    }
    experiment_release(&x);
    return rc;
}

/* A backend's name, or the path of a trace file. */
static Rc trace_of(Session *s, const Experiment *x, const char *what, Text *out, Error *e) {
    if (file_exists(what)) {
        char *bytes;
        size_t length;
        if (file_read(what, &bytes, &length, e)) return e->code;
        text_add(out, bytes, length);
        free(bytes);
        return RC_OK;
    }
    const Backend *b = backend_find(what, e);
    if (!b) return error_prefix(e, "--bisect: no such file, and ");
    return trace_experiment(s, x, b, TRACE_STEPS, out, e);
}

static Rc bisect(Session *s, const Experiment *x, const char *a, const char *b, Error *e) {
    Text ta, tb;
    char la[256], lb[256];
    text_init(&ta);
    text_init(&tb);
    Rc rc = trace_of(s, x, a, &ta, e);
    if (!rc) rc = trace_of(s, x, b, &tb, e);
    if (!rc && (!ta.length || !tb.length)) rc = error_set(e, RC_UNMEASURED, "--bisect: an empty trace");
    if (!rc) {
        int at = trace_difference(ta.at, tb.at, la, lb);
        if (at < 0)
            printf("%s and %s agree in every op of the first %d steps\n", a, b, TRACE_STEPS);
        else {
            printf("first difference, line %d:\n  %s: %s\n  %s: %s\n", at + 1, a, la, b, lb);
            rc = error_set(e, RC_REGRESSION, "%s and %s differ", a, b);
        }
    }
    text_release(&ta);
    text_release(&tb);
    return rc;
}

static Rc write_trace(Session *s, const Experiment *x, const char *path, Error *e) {
    Text t;
    text_init(&t);
    Rc rc = trace_experiment(s, x, s->backend, TRACE_STEPS, &t, e);
    if (!rc) rc = file_write(path, t.at, t.length, e);
    text_release(&t);
    return rc;
}

Rc command_verify(Session *s, Error *e) {
    const Options *o = s->options;
    const char *trace = option(o, OPTION_trace, NULL);
    int operands = o->operands, compared = 0;
    Experiment x;
    session_signals();
    if (o->times[OPTION_bisect] || trace) {
        int own = o->times[OPTION_bisect] ? operands - 2 : operands;
        if (own != 0 && own != 1) return error_set(e, RC_USAGE, "verify: --bisect takes two backends or trace files");
        if (session_experiment(s, own ? o->operand[0] : "smoke", &x, e)) return e->code;
        Rc rc = trace ? write_trace(s, &x, trace, e) : bisect(s, &x, o->operand[own], o->operand[own + 1], e);
        experiment_release(&x);
        return rc;
    }
    static const char *const all[] = {"smoke", "smoke-shakespeare"};
    Rc worst = RC_OK;
    int names = operands ? operands : (int)(sizeof all / sizeof *all);
    for (int i = 0; i < names; i++) {
        Error why = {.code = RC_OK};
        Rc rc = verify_one(s, operands ? o->operand[i] : all[i], &compared, &why);
        if (rc && worst) fprintf(stderr, "normbench: %s\n", e->text);
        if (rc) *e = why, worst = rc;
    }
    if (!worst && !compared) return error_set(e, RC_UNMEASURED, "verify: nothing was compared");
    return worst;
}
