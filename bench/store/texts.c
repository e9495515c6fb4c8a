#include "bench/store/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void texts_find(const Session *s, Experiment *x) {
    Error unknown;
    char hash[SHA256_HEX];
    for (OwnText *t = x->text; t < x->text + x->texts; t++)
        if (!t->sha256[0] && !dataset_hash(hash, t->name.text, &s->places, &unknown)) strcpy(t->sha256, hash);
}

/* Bytes of one name, and the runs of an experiment that were trained on them. */
typedef struct {
    char sha256[SHA256_HEX];
    int runs;
    int64_t made; /* the last of them */
} Bytes;

static void count_head(Bytes **all, int *count, const RecordHead *h) {
    int i = 0;
    while (i < *count && strcmp((*all)[i].sha256, h->dataset_sha256) != 0) i++;
    if (i == *count) {
        *all = mem_grow(*all, (size_t)++*count, sizeof **all);
        (*all)[i] = (Bytes){.runs = 0};
        strcpy((*all)[i].sha256, h->dataset_sha256);
    }
    (*all)[i].runs++;
    if (h->made > (*all)[i].made) (*all)[i].made = h->made;
}

/* List the bytes on which stored runs of x with this text were trained; return how many. The caller frees the list. */
static int stored_bytes(const Store *stored, const Experiment *x, const OwnText *t, Bytes **all) {
    size_t most = (size_t)experiment_cells(x) * (size_t)x->arms * (size_t)x->seeds, hashes = 0;
    char(*hash)[SHA256_HEX] = NULL;
    int count = 0;
    bool any = false;
    *all = NULL;
    for (const RecordHead *h = stored->head; h < stored->head + stored->heads && !any; h++)
        any = strcmp(h->plain_sha256, h->spec_sha256) != 0;
    if (!any) return 0;
    hash = mem_alloc(most, sizeof *hash);
    for (int cell = 0; cell < experiment_cells(x); cell++)
        for (int arm = 0; arm < x->arms; arm++)
            for (int seed = 0; seed < x->seeds; seed++) {
                RunSpec spec = experiment_spec(x, cell, arm, seed);
                if (strcmp(spec.dataset.text, t->name.text) != 0) continue;
                spec_forget_text(&spec);
                spec_hash(&spec, hash[hashes++]);
            }
    qsort(hash, hashes, sizeof *hash, text_order);
    for (const RecordHead *h = stored->head; h < stored->head + stored->heads; h++)
        if (bsearch(h->plain_sha256, hash, hashes, sizeof *hash, text_order)) count_head(all, &count, h);
    free(hash);
    return count;
}

void texts_recall(const Store *stored, Experiment *x, Text *notes) {
    for (OwnText *t = x->text; t < x->text + x->texts; t++) {
        if (t->sha256[0]) continue;
        Bytes *all, *best;
        int count = stored_bytes(stored, x, t, &all);
        best = all;
        for (Bytes *b = all; b < all + count; b++)
            if (b->runs > best->runs || (b->runs == best->runs && b->made > best->made)) best = b;
        if (count) strcpy(t->sha256, best->sha256);
        if (count > 1 && notes)
            text_format(notes, "'%s' cannot be read here, and runs of %d texts are stored under this name; those of "
                               "SHA-256 %.12s are taken. ",
                        t->name.text, count, t->sha256);
        free(all);
    }
}

void texts_others(const Store *stored, const Experiment *x, Text *notes) {
    for (const OwnText *t = x->text; t < x->text + x->texts; t++) {
        Bytes *all;
        int count = t->sha256[0] ? stored_bytes(stored, x, t, &all) : 0;
        for (int i = 0; i < count; i++)
            if (strcmp(all[i].sha256, t->sha256) != 0)
                text_format(notes, "%d run%s stored under the name '%s' %s trained on other bytes: SHA-256 %.12s, not "
                                   "%.12s. ",
                            all[i].runs, all[i].runs == 1 ? "" : "s", t->name.text, all[i].runs == 1 ? "was" : "were",
                            all[i].sha256, t->sha256);
        if (t->sha256[0]) free(all);
    }
}

const RecordHead *texts_other(const Store *stored, const RunSpec *spec) {
    RunSpec plain = *spec;
    char hash[SHA256_HEX];
    if (!spec_own_text(spec)) return NULL;
    spec_forget_text(&plain);
    spec_hash(&plain, hash);
    for (const RecordHead *h = stored->head; h < stored->head + stored->heads; h++)
        if (!strcmp(h->plain_sha256, hash) && strcmp(h->dataset_sha256, spec->text_sha256.text) != 0) return h;
    return NULL;
}

void texts_note(const Session *s, const RunRecord *r) {
    char now[SHA256_HEX];
    Error unknown;
    if (!spec_own_text(&r->spec) || dataset_hash(now, r->spec.dataset.text, &s->places, &unknown) ||
        !strcmp(now, r->dataset_sha256))
        return;
    fprintf(stderr,
            "normbench: note: run %.12s was trained on other bytes than '%s' holds now: SHA-256 %.12s, not %.12s\n",
            r->id, r->spec.dataset.text, r->dataset_sha256, now);
}
