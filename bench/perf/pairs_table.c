#include "bench/perf/pairs_table.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"
#include "bench/perf/tables.h"

static const double pair_seconds = 5; /* of processor time, for each arm */

static json_t *side_json(const PairSide *s) {
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:i, s:f, s:I}", "seconds", s->seconds, "seconds_best", s->best,
                     "flops", s->flops, "bytes", s->bytes, "memory", s->memory, "norms", s->norms, "normed", s->normed,
                     "parameters", (json_int_t)s->parameters);
}

static void print_pair(const PerfPair *p, const char *arm, const char *baseline) {
    Cells c;
    LOCAL_TEXT(out);
    pair_cells(p, arm, baseline, &c);
    cells_text(&c, terminal_width(), &out);
    printf("\n%s", out.at);
    cells_release(&c);
}

static Rc find_arm(const Experiment *x, const char *name, int *out, Error *e) {
    const char *names[EXPERIMENT_ARMS_MAX];
    char hint[160];
    for (*out = 0; *out < x->arms; ++*out) {
        names[*out] = x->arm[*out].name;
        if (!strcmp(names[*out], name)) return RC_OK;
    }
    return error_set(e, RC_USAGE, "--baseline: %s has no arm '%.80s'%s", x->name, name,
                     did_you_mean(hint, sizeof hint, name, names, (size_t)x->arms));
}

Rc perf_pairs(Session *s, const Experiment *x, const char *baseline, bool quiet, json_t *list, Error *e) {
    int base;
    char tokenizer[SPEC_TEXT_SIZE];
    const Dataset *d;
    if (find_arm(x, baseline, &base, e)) return e->code;
    RunSpec b = experiment_spec(x, 0, base, 0);
    if (session_dataset(s, b.dataset.text, spec_get(tokenizer, &b, "tokenizer"), &d, e)) return e->code;
    if (!quiet)
        printf(
            "%s: %d layers x %d, steps of two arms in turn on one core; x: first over second, with the 95 %% interval "
            "of the median\n",
            x->name, (int)b.layers, (int)b.width);
    for (int arm = 0; arm < x->arms; arm++) {
        PerfPair p;
        RunSpec a = experiment_spec(x, 0, arm, 0);
        if (arm == base) continue;
        if (strcmp(a.dataset.text, b.dataset.text)) return error_set(e, RC_USAGE, "--baseline: arms of two corpora");
        if (pairs_measure(&p, &a, &b, d, s->backend, pair_seconds, e)) return e->code;
        if (!quiet) print_pair(&p, x->arm[arm].name, baseline), (void)output_flush(NULL);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:[f,f], s:o, s:o}", "experiment", x->name,
                                        "arm", x->arm[arm].name, "baseline", baseline, "layers", (int)b.layers, "width",
                                        (int)b.width, "pairs", p.pairs, "time_ratio", p.ratio, "interval", p.lo, p.hi,
                                        "of_arm", side_json(&p.arm), "of_baseline", side_json(&p.baseline)));
    }
    return RC_OK;
}
