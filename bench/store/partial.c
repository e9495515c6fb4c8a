#include "bench/store/partial.h"

#include <stdlib.h>

#include "bench/store/texts.h"

int *partial_missing(const Store *s, const Experiment *x) {
    int *missing = mem_alloc((size_t)x->seeds, sizeof *missing), count;
    char(*hash)[SHA256_HEX] = mem_alloc((size_t)x->seeds, sizeof *hash);
    for (int cell = 0; cell < experiment_cells(x); cell++)
        for (int arm = 0; arm < x->arms; arm++) {
            experiment_hashes(x, cell, arm, hash);
            for (int seed = 0; seed < x->seeds; seed++) missing[seed] += !store_find(s, hash[seed], &count);
        }
    free(hash);
    return missing;
}

Rc partial_seeds(const Store *s, Experiment *x, Text *words, Error *e) {
    int each = experiment_cells(x) * x->arms, whole = 0, kept = 0, named = 0, all = 0;
    texts_recall(s, x, NULL);
    OWNED int *missing = partial_missing(s, x);
    for (int i = 0; i < x->seeds; i++) whole += !missing[i], all += missing[i];
    if (!whole)
        return error_set(e, RC_UNMEASURED, "no seed has all of its %d runs yet: %d of %d are missing", each, all,
                         each * x->seeds);
    if (all) text_format(words, "%d of %d seeds; missing:", whole, x->seeds);
    for (int i = 0; i < x->seeds; i++) {
        if (!missing[i]) {
            x->seed[kept++] = x->seed[i];
            continue;
        }
        if (++named <= 12)
            text_format(words, "%s %d of %d runs of seed %llu", named > 1 ? "," : "", missing[i], each,
                        (unsigned long long)x->seed[i]);
    }
    if (named > 12) text_format(words, " and %d more", named - 12);
    x->seeds = kept;
    return RC_OK;
}
