/* The runs behind a table beside the stored ones, and what is said of both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/store/metrics.h"
#include "bench/verify/reference.h"

/* Where runs are stored: whole, or a line each of NAME-runs.csv. */
typedef struct {
    char folder[REFERENCE_PATH_SIZE + 8];
    char *list; /* NULL: there is none */
} StoredRuns;

static Rc open_runs(StoredRuns *s, const Reference *r, const char *root, const char *kept, const char *profile,
                    Error *e) {
    char path[1100];
    size_t length;
    *s = (StoredRuns){.list = NULL};
    snprintf(s->folder, sizeof s->folder, "%s/runs", kept);
    snprintf(path, sizeof path, "%.600s/results/reference/%.60s/%.120s-runs.csv", root, profile, r->name);
    return file_exists(path) ? file_read(path, &s->list, &length, e) : RC_OK;
}

/* Metrics that one of two records of a run has and the other, of an older program, lacks. */
static void find_younger(Reference *r, const RunRecord *stored, const RunRecord *here) {
    const bool *old = stored->evaluations ? stored->evaluation[stored->evaluations - 1].absent : NULL;
    const bool *new = here->evaluations ? here->evaluation[here->evaluations - 1].absent : NULL;
    if (!old || !new || r->younger.length) return;
    for (int turn = 0; turn < 2; turn++) {
        int named = 0;
        for (Metric m = 0; m < METRIC_COUNT; m++)
            if (turn ? !old[m] && new[m] : old[m] && !new[m])
                text_format(&r->younger, "%s %s",
                            named++ ? ","
                            : turn  ? "the runs here are older than the metric"
                                    : "the stored runs are older than the metric",
                            metric_info[m].key);
    }
}

/* One run whose record is stored. */
static Rc beside(Reference *r, const StoredRuns *s, const RunRecord *here, bool *alike, Error *e) {
    RunRecord stored;
    if (record_members(&stored, s->folder, here->id, e)) return error_prefix(e, "%s: ", s->folder);
    *alike = !strcmp(stored.loss_chain, here->loss_chain) && !strcmp(stored.parameters_hash, here->parameters_hash);
    find_younger(r, &stored, here);
    record_release(&stored);
    return RC_OK;
}

static bool listed(const StoredRuns *s, const RunRecord *here, bool *alike) {
    char end[SHA256_HEX * 3 + 8];
    snprintf(end, sizeof end, "%s,%s,%s\n", here->loss_chain, here->parameters_hash, here->id);
    *alike = s->list && strstr(s->list, end);
    return s->list && strstr(s->list, here->id);
}

static void name_run(Reference *r, const Experiment *x, const RunRecord *here, bool known) {
    if (r->run.length) return;
    text_format(&r->run, "%s, seed %llu (%.12s) ", x->arm[(r->runs - 1) / x->seeds % x->arms].name,
                (unsigned long long)here->spec.seed, here->id);
    text_format(&r->run, known ? "has another loss chain or other weights" : "is not among the stored runs");
}

Rc reference_runs(Reference *r, const char *root, const char *kept, const Experiment *x, const RunRecord *records,
                  Error *e) {
    StoredRuns s;
    Rc rc = open_runs(&s, r, root, kept, x->profile, e);
    r->lists_runs = r->whole || s.list;
    for (int i = 0; i < experiment_cells(x) * x->arms * x->seeds && r->lists_runs && !rc; i++) {
        char path[1100];
        bool known = true, alike = false;
        snprintf(path, sizeof path, "%s/%s/record.json", s.folder, records[i].id);
        if (file_exists(path))
            rc = beside(r, &s, &records[i], &alike, e);
        else
            known = listed(&s, &records[i], &alike);
        r->runs++, r->known += known, r->alike += alike;
        if (!alike) name_run(r, x, &records[i], known);
    }
    free(s.list);
    return rc;
}

static void why(const Reference *r, Text *out) {
    text_format(out, "\n  why: ");
    if (r->lists_runs && r->known < r->runs)
        text_format(out, "other runs, of another plan, corpus or arithmetic");
    else if (r->lists_runs && r->alike < r->runs)
        text_format(out, "runs that do not have the stored bits");
    else if (r->younger.length)
        text_format(out, "%s", r->younger.at);
    else {
        const char *cause = r->words        ? "other words: every number is the stored one"
                            : r->lists_runs ? "the runs have the stored bits: another commit's table, or a changed file"
                                            : "not known: no run of it is stored";
        text_format(out, "%s", cause);
        if (r->commit[0][0]) text_format(out, "; stored by commit %.40s, here %.40s", r->commit[0], r->commit[1]);
    }
}

void reference_text(const Reference *r, const char *title, Text *out) {
    bool whole = r->files && r->same == r->files;
    if (r->lists_runs)
        text_format(out, "%s: %d of %d runs have the stored loss chains and weights\n", title, r->alike, r->runs);
    if (r->run.length) text_format(out, "  first: %s\n", r->run.at);
    if (!r->files) {
        text_format(out, "%s: no file of this table is stored; nothing to compare with\n", title);
        return;
    }
    if (r->others)
        text_format(out, "%s: %d other file%s of this table %s not stored\n", title, r->others,
                    r->others == 1 ? "" : "s", r->others == 1 ? "is" : "are");
    if (r->figures)
        text_format(out, "%s: %d figure%s not compared: gnuplot is another one than the stored figures', or missing\n",
                    title, r->figures, r->figures == 1 ? " is" : "s are");
    text_format(out, "%s: %d of %d files are the stored ones%s", title, r->same, r->files,
                whole ? ", byte for byte" : "");
    if (!whole) {
        text_format(out, "\n  first difference: %s", r->difference.at);
        why(r, out);
    }
    text_format(out, "\n");
}
