#include "models/places.h"

#include <stdlib.h>

#include "base/arena.h"

/* The input in whose memory op i writes its output, or -1. What is kept and what is lost share none. */
static int under(const Tape *t, int i, const int *readers, const Recompute *r) {
    const Op *op = &t->op[i];
    int which = op_over(op->kind);
    if (which < 0) return -1;
    int tensor = t->input[op->in_at + which];
    if (t->tensor[tensor].role != ROLE_ACT || readers[tensor] != 1) return -1;
    return r->lost[tensor] == r->lost[op->out] ? tensor : -1;
}

void places_init(Places *p, const Tape *tape, bool over, const Recompute *r, size_t word) {
    int *readers = tape_readers(tape);
    size_t of_block = 0, shared = 0;
    *p = (Places){.at = mem_alloc((size_t)tape->tensors, sizeof *p->at)};
    for (int i = 0; i < tape->ops; i++) {
        int out = tape->op[i].out, below = over ? under(tape, i, readers, r) : -1;
        if (i == 0 || r->block[i] != r->block[i - 1]) of_block = 0;
        size_t *end = r->lost[out] ? &of_block : &p->words;
        p->at[out] = below < 0 ? *end : p->at[below];
        if (below < 0) *end += tape_words(tape, out, word);
        if (of_block > shared) shared = of_block;
    }
    for (int i = 0; i < tape->ops; i++)
        if (r->lost[tape->op[i].out]) p->at[tape->op[i].out] += p->words;
    p->words += shared;
    free(readers);
}

void places_release(Places *p) {
    free(p->at);
    *p = (Places){0};
}
