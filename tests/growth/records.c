/* growth_records EXPERIMENT.yaml RUNS: makes records, which nobody trained, of every run of an experiment that the
 * folder RUNS lacks, so that the folder is as large as after a sweep of days. RUNS holds trained runs of the
 * experiment, one at least of every arm; a made record is a copy of its arm's with its own spec, arithmetic hash, id
 * and signature, so that the program takes it for a run of its own, and with losses of its own, so that no two runs
 * tie. For scratch folders. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/run/execute.h"
#include "bench/store/store.h"

/* Nobody needs a scratch folder after a power cut. */
int fsync(int fd) {
    (void)fd;
    return 0;
}

/* Whether a run is of the arm's variant: with it, its spec has the same hash. */
static bool is_of(const RunRecord *r, const Arm *arm) {
    char hash[SHA256_HEX];
    RunSpec with = r->spec;
    with.variant = arm->spec.variant;
    spec_hash(&with, hash);
    return !strcmp(hash, r->spec_sha256);
}

/* The first stored run of the arm's variant. */
static Rc trained(RunRecord *r, const Store *s, const Experiment *x, int arm, Error *e) {
    for (int i = 0; i < s->heads; i++) {
        if (record_read(r, s->folder, s->head[i].id, e)) return e->code;
        if (is_of(r, &x->arm[arm])) return RC_OK;
        record_release(r);
    }
    return error_set(e, RC_UNMEASURED, "%s: no run of arm '%s' is stored", s->folder, x->arm[arm].name);
}

/* Up to 0.02 nats, from the id. */
static void move_losses(RunRecord *r) {
    double by = (double)strtoul((char[]){r->id[0], r->id[1], r->id[2], r->id[3], 0}, NULL, 16) / 65536 * 0.02;
    for (Evaluation *at = r->evaluation; at < r->evaluation + r->evaluations; at++) {
        at->metric[METRIC_valid_loss] += by;
        at->metric[METRIC_perplexity] = exp(at->metric[METRIC_valid_loss]);
    }
}

/* The runs of an arm in a cell share one toy run. */
static Rc make_seeds(RunRecord *r, const Experiment *x, int cell, int arm, const char *runs, int *made, Error *e) {
    char path[1400];
    r->spec = experiment_spec(x, cell, arm, 0);
    const Backend *backend = backend_precise("cpu", precision_name((PrecisionKind)r->spec.precision), e);
    if (!backend || arithmetic_hash(r->arithmetic, &r->spec, backend, e)) return e->code;
    for (int seed = 0; seed < x->seeds; seed++) {
        RunRecord one = *r;
        OWNED Evaluation *copy = mem_alloc((size_t)r->evaluations, sizeof *copy);
        memcpy(copy, r->evaluation, (size_t)r->evaluations * sizeof *copy);
        one.evaluation = copy;
        one.spec.seed = x->seed[seed];
        record_identity(one.id, &one.spec, r->dataset_sha256, r->tokenizer_sha256, r->arithmetic_class, r->arithmetic);
        move_losses(&one);
        snprintf(path, sizeof path, "%.1000s/%s", runs, one.id);
        Rc rc = file_exists(path) ? RC_OK : (++*made, record_write(&one, runs, e));
        if (rc) return rc;
    }
    return RC_OK;
}

static Rc make(const Experiment *x, const char *runs, int *made, Error *e) {
    LOCAL(store_release) Store stored;
    Rc rc = RC_OK;
    store_read(&stored, runs);
    for (int arm = 0; arm < x->arms && !rc; arm++) {
        RunRecord r;
        rc = trained(&r, &stored, x, arm, e);
        if (rc) break;
        for (int cell = 0; cell < experiment_cells(x) && !rc; cell++) rc = make_seeds(&r, x, cell, arm, runs, made, e);
        record_release(&r);
    }
    return rc;
}

int main(int argc, char **argv) {
    Experiment x;
    Error e;
    int made = 0;
    if (argc != 3) {
        fputs("usage: growth_records EXPERIMENT.yaml RUNS\n", stderr);
        return RC_USAGE;
    }
    Rc rc = experiment_read(&x, argv[1], NULL, NULL, &e);
    if (!rc) {
        rc = make(&x, argv[2], &made, &e);
        experiment_release(&x);
    }
    if (rc) fprintf(stderr, "growth_records: %s\n", e.text);
    printf("%d records made\n", made);
    return (int)rc;
}
