#include "bench/theory/theory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "bench/formats/json.h"

const char *const theory_word = "theory";

const char *theory_folder(const char *results, char out[THEORY_PATH_SIZE]) {
    snprintf(out, THEORY_PATH_SIZE, "%.600s/out/theory", results);
    return out;
}

const char *theory_file(const char *results, char out[THEORY_PATH_SIZE]) {
    snprintf(out, THEORY_PATH_SIZE, "%.600s/out/theory/measured.json", results);
    return out;
}

void theory_release(Theory *t) {
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        free(t->at[i].x);
        free(t->at[i].predicted);
        free(t->at[i].value);
    }
    *t = (Theory){0};
}

/* Jobs of one kind, one piece of work per seed. */
typedef struct {
    TheoryNotes *notes;
    const TheoryJob *job[64];
    int jobs, *of, *seed; /* [pieces] */
} Work;

static void one_piece(void *context, int i) {
    Work *w = context;
    Error e = {.code = RC_OK};
    const TheoryJob *job = w->job[w->of[i]];
    if (w->notes->stop && w->notes->stop()) error_set(&e, RC_INTERRUPTED, "theory: stopped");
    if (!e.code) job->measure(w->notes, w->seed[i], job->argument, &e);
    pthread_mutex_lock(&w->notes->lock);
    if (e.code && !w->notes->error.code) w->notes->error = e;
    pthread_mutex_unlock(&w->notes->lock);
}

static void add_jobs(Work *w, const TheoryJob *job, int count, bool large) {
    for (int i = 0; i < count; i++)
        if (job[i].large == large) w->job[w->jobs++] = &job[i];
}

static void run_all(TheoryNotes *notes, bool large, int threads) {
    Work w = {.notes = notes};
    int pieces = 0;
    add_jobs(&w, theory_deep, theory_deep_count, large);
    add_jobs(&w, theory_nets, theory_nets_count, large);
    add_jobs(&w, theory_gpt, theory_gpt_count, large);
    add_jobs(&w, theory_norms, theory_norms_count, large);
    for (int i = 0; i < w.jobs; i++) pieces += w.job[i]->seeds;
    w.of = mem_alloc((size_t)pieces + 1, sizeof *w.of), w.seed = mem_alloc((size_t)pieces + 1, sizeof *w.seed);
    for (int i = 0, at = 0; i < w.jobs; i++)
        for (int seed = 0; seed < w.job[i]->seeds; seed++, at++) w.of[at] = i, w.seed[at] = seed;
    pool_run(threads, pieces, one_piece, &w);
    free(w.of);
    free(w.seed);
}

Rc theory_measure(Theory *t, int threads, bool (*stop)(void), Error *e) {
    TheoryNotes notes = {.stop = stop};
    pthread_mutex_init(&notes.lock, NULL);
    run_all(&notes, true, threads < 2 ? threads : 2);
    if (!notes.error.code) run_all(&notes, false, threads);
    pthread_mutex_destroy(&notes.lock);
    if (notes.error.code) {
        free(notes.number);
        *e = notes.error;
        return e->code;
    }
    theory_gather(t, &notes);
    return RC_OK;
}
