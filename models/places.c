#include "models/places.h"

#include <stdlib.h>

#include "base/arena.h"

/* The input in whose memory op i writes its output, or -1. */
static int under(const Tape *t, int i, const int *readers) {
    const Op *op = &t->op[i];
    int which = op_over(op->kind);
    if (which < 0) return -1;
    int tensor = t->input[op->in_at + which];
    return t->tensor[tensor].role == ROLE_ACT && readers[tensor] == 1 ? tensor : -1;
}

void places_init(Places *p, const Tape *tape, bool over) {
    int *readers = tape_readers(tape);
    *p = (Places){.at = mem_alloc((size_t)tape->tensors, sizeof *p->at)};
    for (int i = 0; i < tape->ops; i++) {
        int out = tape->op[i].out, below = over ? under(tape, i, readers) : -1;
        p->at[out] = below < 0 ? p->words : p->at[below];
        if (below < 0) p->words += tensor_words(&tape->tensor[out]);
    }
    free(readers);
}

void places_release(Places *p) {
    free(p->at);
    *p = (Places){0};
}
