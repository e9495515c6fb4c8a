#include "bench/plan.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/execute.h"

/* Runs with one arithmetic text share one toy run: the toy does not depend on sizes, rates or seeds. */
typedef struct {
    char (*text)[SHA256_HEX], (*hash)[SHA256_HEX];
    int count;
} ToyCache;

static Rc cached_arithmetic(ToyCache *c, char out[SHA256_HEX], const RunSpec *s, const Backend *backend, Error *e) {
    RunSpec same = *s;
    char text[SHA256_HEX];
    Text t;
    same.seed = 0;
    text_init(&t);
    spec_text(&same, &t);
    sha256_hex_of(text, t.at, t.length);
    text_release(&t);
    for (int i = 0; i < c->count; i++)
        if (!strcmp(text, c->text[i])) {
            strcpy(out, c->hash[i]);
            return RC_OK;
        }
    if (arithmetic_hash(out, s, backend, e)) return e->code;
    c->text = mem_grow(c->text, (size_t)c->count + 1, sizeof *c->text);
    c->hash = mem_grow(c->hash, (size_t)c->count + 1, sizeof *c->hash);
    strcpy(c->text[c->count], text);
    strcpy(c->hash[c->count++], out);
    return RC_OK;
}

/* A run counts as stored when all of its folder reads. A folder that does not read is never taken, and never replaced
 * behind its owner's back. */
static Rc find_stored(PlannedRun *run, const char *runs, Error *e) {
    char path[1024];
    RunRecord r;
    snprintf(path, sizeof path, "%s/%s", runs, run->id);
    if (!file_exists(path)) return RC_OK;
    if (record_read(&r, runs, run->id, e)) {
        if (e->code == RC_USAGE) e->code = RC_INTEGRITY;
        size_t n = strlen(e->text);
        if (e->code == RC_INTEGRITY)
            snprintf(e->text + n, sizeof e->text - n, "; move the folder %s away to train this run again", path);
        return e->code;
    }
    record_release(&r);
    run->done = true;
    return RC_OK;
}

/* Why a run is not there: nothing of the kind, or one whose bits or corpus were others. */
static void explain_missing(PlannedRun *run, RunRecord *const *old, int count) {
    Text mine, theirs;
    text_init(&mine);
    text_init(&theirs);
    spec_text(&run->spec, &mine);
    strcpy(run->why, "never run");
    for (int i = 0; i < count; i++) {
        text_clear(&theirs);
        spec_text(&old[i]->spec, &theirs);
        if (strcmp(mine.at, theirs.at)) continue;
        if (strcmp(old[i]->dataset_sha256, run->data->sha256))
            snprintf(run->why, sizeof run->why, "the corpus has other bytes than in run %.12s", old[i]->id);
        else
            snprintf(run->why, sizeof run->why,
                     "the arithmetic of this arm changed since run %.12s (toy hash %.12s -> %.12s)", old[i]->id,
                     old[i]->arithmetic, run->arithmetic);
    }
    text_release(&mine);
    text_release(&theirs);
}

static int read_all(const char *runs, RunRecord ***out) {
    DIR *folder = opendir(runs);
    int count = 0;
    *out = NULL;
    if (!folder) return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        Error ignored;
        RunRecord r;
        if (entry->d_name[0] == '.' || record_read(&r, runs, entry->d_name, &ignored)) continue;
        *out = mem_grow(*out, (size_t)count + 1, sizeof **out);
        (*out)[count] = mem_alloc(1, sizeof r);
        *(*out)[count++] = r;
    }
    closedir(folder);
    return count;
}

void plan_explain(Plan *p, const Session *s) {
    RunRecord **old;
    if (!p->missing) return;
    int count = read_all(s->runs, &old);
    for (int i = 0; i < p->runs; i++)
        if (!p->run[i].done) explain_missing(&p->run[i], old, count);
    for (int i = 0; i < count; i++) {
        record_release(old[i]);
        free(old[i]);
    }
    free(old);
}

Rc plan_make(Plan *p, Session *s, const Experiment *x, Error *e) {
    ToyCache cache = {0};
    Rc rc = RC_OK;
    *p = (Plan){0};
    p->run = mem_alloc((size_t)experiment_cells(x) * (size_t)x->arms * (size_t)x->seeds, sizeof *p->run);
    for (int cell = 0; cell < experiment_cells(x) && !rc; cell++)
        for (int arm = 0; arm < x->arms && !rc; arm++)
            for (int seed = 0; seed < x->seeds && !rc; seed++) {
                PlannedRun *run = &p->run[p->runs++];
                char tokenizer[160];
                *run =
                    (PlannedRun){.spec = experiment_spec(x, cell, arm, seed), .cell = cell, .arm = arm, .seed = seed};
                rc = session_dataset(s, run->spec.dataset.text, spec_get(tokenizer, &run->spec, "tokenizer"),
                                     &run->data, e);
                if (rc) break;
                rc = cached_arithmetic(&cache, run->arithmetic, &run->spec, s->backend, e);
                if (rc) break;
                run_id(run->id, &run->spec, run->data, s->backend, run->arithmetic);
                rc = find_stored(run, s->runs, e);
                p->missing += !run->done;
            }
    free(cache.text);
    free(cache.hash);
    if (rc) plan_release(p);
    return rc;
}

double plan_bytes(const Plan *p, const Backend *backend, int *of) {
    double most = 0;
    *of = 0;
    for (int i = 0; i < p->runs; i++) {
        if (p->run[i].done) continue;
        ModelShape shape = spec_shape(&p->run[i].spec, p->run[i].data->vocab);
        Tape t;
        transformer_build(&t, &shape, &p->run[i].spec.variant);
        double bytes = (double)program_bytes(&t, backend, 1);
        tape_release(&t);
        if (bytes > most) most = bytes, *of = i;
    }
    return most;
}

void plan_release(Plan *p) {
    free(p->run);
    *p = (Plan){0};
}

const PlannedRun *plan_at(const Plan *p, const Experiment *x, int cell, int arm, int seed) {
    return &p->run[(cell * x->arms + arm) * x->seeds + seed];
}

Rc plan_records(const Plan *p, const Session *s, const Experiment *x, RunRecord **out, Error *e) {
    if (p->missing)
        return error_set(e, RC_UNMEASURED, "%d of %d runs are missing: normbench run %s --profile %s", p->missing,
                         p->runs, x->name, x->profile);
    RunRecord *r = mem_alloc((size_t)p->runs, sizeof *r);
    for (int i = 0; i < p->runs; i++)
        if (record_read(&r[i], s->runs, p->run[i].id, e)) {
            plan_records_free(p, r);
            return e->code;
        }
    *out = r;
    return RC_OK;
}

void plan_records_free(const Plan *p, RunRecord *records) {
    for (int i = 0; i < p->runs; i++) record_release(&records[i]);
    free(records);
}
