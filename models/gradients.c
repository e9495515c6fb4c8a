#include "models/gradients.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct {
    size_t at, words;
} Span;

/* Live spans, in order of place. */
typedef struct {
    Span *span;
    int count;
    size_t most, word; /* word: bytes */
} Ground;

/* First fit: the lowest gap that is wide enough. */
static size_t take(Ground *g, size_t words) {
    size_t at = 0;
    int i = 0;
    while (i < g->count && g->span[i].at - at < words) at = g->span[i].at + g->span[i].words, i++;
    g->span = mem_grow(g->span, (size_t)g->count + 1, sizeof *g->span);
    for (int j = g->count++; j > i; j--) g->span[j] = g->span[j - 1];
    g->span[i] = (Span){at, words};
    if (at + words > g->most) g->most = at + words;
    return at;
}

static void give(Ground *g, size_t at) {
    int i = 0;
    while (g->span[i].at != at) i++;
    for (g->count--; i < g->count; i++) g->span[i] = g->span[i + 1];
}

/* Places the gradient of input j, to which op i is the first to contribute. Returns true when it takes over the memory
 * of the output's gradient. */
static bool settle(Gradients *g, const Tape *t, int i, int j, Ground *ground) {
    const Op *op = &t->op[i];
    const int *in = t->input + op->in_at;
    bool inherited = j == 0 && op_in_place(op->kind) && !g->over[op->out] && !g->kept[op->out] &&
                     (op->in_count == 1 || in[1] != in[0]);
    if (g->over[in[j]]) return false;
    g->at[in[j]] = inherited ? g->at[op->out] : take(ground, tape_words(t, in[j], ground->word));
    return inherited;
}

/* A contribution that stands apart begins on a cache line. */
static size_t beside_words(const Tensor *x) {
    return (tensor_words(x) + 15) / 16 * 16;
}

/* Op i's inputs, the output's gradient complete: each contribution gets its place. Returns true
 * when nothing needs the output's gradient after this op, so that its memory can be reused. */
static bool contribute(Gradients *g, const Tape *t, int i, bool *has, Ground *ground) {
    const Op *op = &t->op[i];
    const int *in = t->input + op->in_at;
    bool vacant = !g->over[op->out] && !g->kept[op->out];
    for (int j = 0; j < op->in_count; j++) {
        const Tensor *x = &t->tensor[in[j]];
        if (role_gradient(x->role) == ROLE_COUNT) continue;
        bool apart = has[in[j]] && x->role == ROLE_PARAM && t->passes > 1;
        g->accumulate[i][j] = has[in[j]] && !apart;
        if (apart) g->beside[i][j] = t->words[ROLE_PARAM] + g->beside_words, g->beside_words += beside_words(x);
        if (!has[in[j]] && x->role == ROLE_ACT && settle(g, t, i, j, ground)) vacant = false;
        has[in[j]] = true;
    }
    return vacant;
}

static void choose_in_place(Gradients *g, const Tape *t) {
    int *readers = tape_readers(t);
    for (int i = 0; i < t->ops; i++) {
        int x = t->input[t->op[i].in_at];
        g->over[x] = op_over_self(t->op[i].kind) && readers[x] == 1 && t->tensor[x].role == ROLE_ACT;
    }
    free(readers);
}

void gradients_init(Gradients *g, const Tape *tape, bool over, size_t word) {
    Ground ground = {.word = word};
    bool *has = mem_alloc((size_t)tape->tensors, sizeof *has), *vacant = mem_alloc((size_t)tape->ops, sizeof *vacant);
    *g = (Gradients){.at = mem_alloc((size_t)tape->tensors, sizeof *g->at),
                     .over = mem_alloc((size_t)tape->tensors, sizeof *g->over),
                     .kept = mem_alloc((size_t)tape->tensors, sizeof *g->kept),
                     .reached = mem_alloc((size_t)tape->ops, sizeof *g->reached),
                     .beside = mem_alloc((size_t)tape->ops, sizeof *g->beside),
                     .accumulate = mem_alloc((size_t)tape->ops, sizeof *g->accumulate)};
    if (over) choose_in_place(g, tape);
    for (int i = 0; i < tape->probes; i++)
        if (tape->probe[i].role == ROLE_DACT && tape->probe[i].tensor >= 0) g->kept[tape->probe[i].tensor] = true;
    has[tape->loss] = true;
    g->at[tape->loss] = take(&ground, tape_words(tape, tape->loss, word));
    for (int i = tape->ops - 1; i >= 0; i--) {
        int out = tape->op[i].out;
        g->reached[i] = has[out];
        vacant[i] = g->reached[i] && contribute(g, tape, i, has, &ground);
        if (tape_cut(tape, i) && i > tape->head) continue; /* its pieces need all until the last one is done */
        int last = i;
        while (tape_cut(tape, i) && tape->op[last].out < tape->nll) last++;
        for (int done = i; done <= last; done++)
            if (vacant[done]) give(&ground, g->at[tape->op[done].out]);
    }
    for (int i = 0; i < tape->tensors; i++) assert((tape->tensor[i].role != ROLE_PARAM && !g->kept[i]) || has[i]);
    g->words = ground.most;
    free(ground.span);
    free(has);
    free(vacant);
}

void gradients_release(Gradients *g) {
    free(g->at);
    free(g->over);
    free(g->kept);
    free(g->reached);
    free(g->beside);
    free(g->accumulate);
    *g = (Gradients){0};
}

int *gradients_whole(const Gradients *g, const Tape *t) {
    int *whole = mem_alloc((size_t)t->tensors, sizeof *whole);
    for (int i = 0; i < t->tensors; i++) whole[i] = -1;
    for (int i = t->ops - 1; i >= 0; i--)
        for (int j = 0; j < t->op[i].in_count && g->reached[i]; j++) whole[t->input[t->op[i].in_at + j]] = i;
    return whole;
}
