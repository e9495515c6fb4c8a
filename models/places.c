#include "models/places.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"

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

static void number_blocks(Recompute *r, const Tape *t) {
    int blocks = 0;
    for (int i = 0; i < t->ops; i++) {
        int layer = t->op[i].layer;
        bool first = i == 0 || t->op[i - 1].layer != layer;
        r->block[i] = !t->recompute || layer < 0 ? -1 : first ? blocks++ : blocks - 1;
    }
    assert(blocks <= t->layers && "a block's ops stand side by side");
}

/* An activation is lost when nothing outside of its block reads it, a probe least of all. */
static void list_lost(Recompute *r, const Tape *t) {
    int *made = mem_alloc((size_t)t->tensors, sizeof *made);
    for (int i = 0; i < t->ops; i++) made[t->op[i].out] = i, r->lost[t->op[i].out] = r->block[i] >= 0;
    for (int i = 0; i < t->ops; i++)
        for (int j = 0; j < t->op[i].in_count; j++) {
            int x = t->input[t->op[i].in_at + j];
            if (r->lost[x] && r->block[i] != r->block[made[x]]) r->lost[x] = false;
        }
    for (int i = 0; i < t->probes; i++)
        if (t->probe[i].tensor >= 0) r->lost[t->probe[i].tensor] = false;
    free(made);
}

static void list_again(Recompute *r, const Tape *t) {
    bool *read = mem_alloc((size_t)t->tensors, sizeof *read);
    int last = -1;
    for (int i = 0; i < t->ops; i++)
        if (r->block[i] > last) last = r->block[i];
    for (int i = t->ops - 1; i >= 0; i--) {
        const Op *op = &t->op[i];
        r->again[i] = r->lost[op->out] && read[op->out] && r->block[i] != last;
        for (int j = 0; j < op->in_count; j++)
            if (r->again[i] || j != op_over(op->kind)) read[t->input[op->in_at + j]] = true;
    }
    free(read);
}

void recompute_init(Recompute *r, const Tape *t) {
    *r = (Recompute){.block = mem_alloc((size_t)t->ops, sizeof *r->block),
                     .lost = mem_alloc((size_t)t->tensors, sizeof *r->lost),
                     .again = mem_alloc((size_t)t->ops, sizeof *r->again)};
    number_blocks(r, t);
    list_lost(r, t);
    list_again(r, t);
}

void recompute_release(Recompute *r) {
    free(r->block);
    free(r->lost);
    free(r->again);
    *r = (Recompute){0};
}
