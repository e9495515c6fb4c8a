#include "bench/verdict/token_hits.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char token_hits_why_seeds[] = "The targets of one run are not independent and the seeds are the sample, so the p "
                                 "that decides flips the signs of (b - c)/N over the seeds.";

/* Arm 1 minus arm 2, in whichever order they stand. */
static bool is_pair(const Contrast *w, TokenHits *t) {
    for (int i = 0; i < w->terms && w->terms == 2; i++) {
        const Term *one = &w->term[i];
        if (one->weight >= 1 && one->weight <= 1) t->arm[0] = one;
        if (one->weight >= -1 && one->weight <= -1) t->arm[1] = one;
    }
    return t->arm[0] && t->arm[1];
}

static const SampleRun *run_of(const Sample *s, const Term *t, int seed) {
    return sample_run(s, t->cell, t->step, t->arm, seed);
}

/* Why the targets of a run cannot be set against those of the first; NULL: they can. */
static const char *unfit(const Sample *s, const Term *t, const SampleRun *run, const RunRecord *first) {
    const RunRecord *r = run->record;
    if (run->diverged) return "a run diverged";
    if (!r->hits.targets) return "a run kept no hits (hits: true of the experiment)";
    if (r->hits.step != s->cell[t->cell].step[t->step]) return "hits are kept after the last step alone";
    bool same = r->hits.targets == first->hits.targets && !strcmp(r->dataset_sha256, first->dataset_sha256) &&
                !strcmp(r->tokenizer_sha256, first->tokenizer_sha256);
    return same ? NULL : "the runs were evaluated on different targets";
}

static TokenHitsSeed count(const Hits *a, const Hits *b, uint64_t seed) {
    TokenHitsSeed out = {.seed = seed};
    for (long i = 0; i < a->targets; i++) {
        bool in_a = hits_at(a, i), in_b = hits_at(b, i);
        out.only_a += in_a && !in_b, out.only_b += in_b && !in_a;
    }
    out.test = st_mcnemar((uint64_t)out.only_a, (uint64_t)out.only_b);
    return out;
}

const char *token_hits_make(TokenHits *t, const Sample *s, const Contrast *w) {
    *t = (TokenHits){.seeds = s->seeds};
    if (w->metric != METRIC_accuracy) return "targets are right or wrong: the metric is accuracy";
    if (!is_pair(w, t)) return "targets are those of one arm against one other";
    const RunRecord *first = run_of(s, t->arm[0], 0)->record;
    for (int seed = 0; seed < s->seeds; seed++)
        for (int side = 0; side < 2; side++) {
            const char *why = unfit(s, t->arm[side], run_of(s, t->arm[side], seed), first);
            if (why) return why;
        }
    t->targets = first->hits.targets;
    t->frequent = (double)first->hits.frequent / (double)t->targets;
    t->seed = mem_alloc((size_t)s->seeds, sizeof *t->seed);
    for (int seed = 0; seed < s->seeds; seed++) {
        const Hits *a = &run_of(s, t->arm[0], seed)->record->hits, *b = &run_of(s, t->arm[1], seed)->record->hits;
        t->seed[seed] = count(a, b, s->x->seed[seed]);
        t->accuracy[0] += (double)a->right / (double)t->targets / s->seeds;
        t->accuracy[1] += (double)b->right / (double)t->targets / s->seeds;
    }
    return NULL;
}

void token_hits_release(TokenHits *t) {
    free(t->seed);
    *t = (TokenHits){0};
}
