/* Enqueue the launches of a Call: the one loop over a list of stages, for the device and for the shim. */
#ifndef KERNELS_CUDA_ENQUEUE_H
#define KERNELS_CUDA_ENQUEUE_H

#include "kernels/cuda/step_launch.h"

/* Put one kernel into a queue: args of `bytes`, taken by value; `flat` as in Stage. */
typedef void (*Launch)(void *queue, const char *name, const void *body, Grid grid, const void *args, size_t bytes,
                       bool flat);

static inline void enqueue(const Stage *stage, const Call *c, Launch launch) {
    for (; stage->name; stage++) {
        Grid grid = stage->grid(c);
        if (grid.x) launch(c->queue, stage->name, stage->body, grid, c, sizeof *c, stage->flat);
    }
}

static inline size_t word_bytes(Word word) {
    return word == WORD_float ? sizeof(float) : sizeof(uint16_t);
}

/* Return true if two tensors overlap in replica 0, and so in every replica. `word` is the type of activations: a float
 * tensor among 16-bit ones begins where no other tensor does. */
static inline bool overlap(View a, View b, Word word) {
    const ptrdiff_t bytes = (ptrdiff_t)word_bytes(word);
    const char *x = (const char *)a.at, *y = (const char *)b.at;
    return x && y && x < y + view_words(b) * bytes && y < x + view_words(a) * bytes;
}

static inline bool overlaps_any(View v, const View *of, int count, Word word) {
    bool any = false;
    for (int i = 0; i < count; i++) any = any || overlap(v, of[i], word);
    return any;
}

/* Return true if the second op reads the first's output and otherwise neither touches what the other writes: blocks of
 * one launch do not wait for each other. In backward, the second may write its input's gradient over its output's. */
static inline bool fusible(const Two *t, bool backward, Word word) {
    const Call *a = &t->first, *b = &t->second;
    const View read[] = {a->in[0], a->in[1], a->in[2], a->in[3], a->dout, a->save};
    enum { READ = sizeof read / sizeof *read };
    if (!backward) {
        if (b->in[0].at != a->out.at || overlaps_any(a->out, b->in + 1, OP_MAX_IN - 1, word)) return false;
        return !overlaps_any(b->out, read, READ, word) && !overlaps_any(b->save, read, READ, word) &&
               !overlap(b->out, a->out, word);
    }
    if (!a->din[0].at || b->dout.at != a->din[0].at || a->accumulate[0] || !b->din[0].at) return false;
    if (overlaps_any(a->din[0], b->in, OP_MAX_IN, word) || overlap(a->din[0], b->save, word)) return false;
    for (int i = 0; i < OP_MAX_IN; i++) {
        const bool in_place = i == 0 && b->din[0].at == a->din[0].at;
        if (overlaps_any(b->din[i], read, READ, word) ||
            overlaps_any(b->din[i], a->din + in_place, OP_MAX_IN - in_place, word))
            return false;
    }
    return true;
}

/* Return the stage of fusion f that runs both ops in one launch; NULL: none does. */
static inline const FusedStage *stage_of_fusion(const Fusion *f, const Two *t, bool backward, Word word) {
    if (f->first != t->first.kind || f->second != t->second.kind || f->backward != backward) return NULL;
    if (!fusible(t, backward, word)) return NULL;
    for (const FusedStage *s = f->stage; s->name; s++)
        if (s->grid(t).x) return s;
    return NULL;
}

/* Return the stage of any fusion that runs both ops in one launch; NULL: none does. */
static inline const FusedStage *fused_stage(const Build *of, const Two *t, bool backward) {
    const FusedStage *s = NULL;
    for (int i = 0; i < FUSIONS && !s; i++) s = stage_of_fusion(of->fusions[i], t, backward, of->word);
    return s;
}

static inline void enqueue_stage(const FusedStage *s, const Two *t, Launch launch) {
    launch(t->first.queue, s->name, s->body, s->grid(t), t, sizeof *t, false);
}

static inline bool enqueue_fused(const Build *of, const Call *first, const Call *second, bool backward, Launch launch) {
    const Two two = {*first, *second};
    const FusedStage *s = fused_stage(of, &two, backward);
    if (s) enqueue_stage(s, &two, launch);
    return s;
}

static inline size_t stages_scratch(const Stages *of, const Call *c) {
    return of->scratch ? of->scratch(c) : 0;
}

static inline void enqueue_step(const StepLaunch *l, const Step *s, void *queue, Launch launch) {
    Grid grid = l->grid(s);
    if (grid.x) launch(queue, l->name, l->body, grid, s, sizeof *s, l->flat);
}

static inline void enqueue_round(const RoundLaunch *l, const Rounding *c, Launch launch) {
    Grid grid = l->grid(c);
    if (grid.x) launch(c->queue, l->name, l->body, grid, c, sizeof *c, false);
}

static inline void enqueue_add(const AddLaunch *l, const Addition *a, void *queue, Launch launch) {
    Grid grid = l->grid(a);
    if (grid.x) launch(queue, l->name, l->body, grid, a, sizeof *a, true);
}

static inline double view_bytes(View v, bool stored, Word word) {
    return v.at ? (double)(stored ? word_bytes(word) : sizeof(float)) * v.rows * v.cols : 0;
}

/* Count the bytes of every tensor that a Call touches in one replica; a gradient that is added to counts twice. `word`
 * is the type of stored tensors. */
static inline double bytes_touched(unsigned touches, const Call *c, Word word) {
    const OpKind kind = c->kind;
    const View view[] = {c->in[0], c->in[1], c->in[2], c->out, c->save, c->dout};
    const bool out = op_stored(kind, -1);
    const bool stored[] = {op_stored(kind, 0), op_stored(kind, 1), op_stored(kind, 2), out, false, out};
    double bytes = 0;
    for (unsigned i = 0; i < sizeof view / sizeof *view; i++)
        if (touches >> i & 1) bytes += view_bytes(view[i], stored[i], word);
    for (unsigned i = 0; i < OP_MAX_IN; i++) {
        const bool act = op_info[kind].input[i] == INPUT_act && op_stored(kind, (int)i);
        if (!(touches & ((unsigned)TOUCH_din0 << i))) continue;
        bytes += view_bytes(c->din[i], act, word) * (c->accumulate[i] ? 2 : 1);
    }
    return bytes;
}

/* Count the bytes that a stage reads and writes at least in one replica; with WORD_float, 4 bytes a number. */
static inline double stage_bytes(const Stage *s, const Call *c, Word word) {
    return bytes_touched(s->touches, c, word) + (s->aside ? s->aside(c) : 0);
}

/* Define the kernel rows of a backend: the stages of prefix##_build, started by `launch`. Backward of a probe has no
 * stages. */
#define STAGED_KERNELS(prefix, launch) \
    static void prefix##_forward(const Call *c) { \
        enqueue(prefix##_build.stages[c->kind]->forward, c, launch); \
    } \
    static void prefix##_backward(const Call *c) { \
        enqueue(prefix##_build.stages[c->kind]->backward, c, launch); \
    } \
    static size_t prefix##_scratch(const Call *c) { \
        return stages_scratch(prefix##_build.stages[c->kind], c); \
    } \
    static bool prefix##_fused(const Call *first, const Call *second, bool backward) { \
        return enqueue_fused(&prefix##_build, first, second, backward, launch); \
    } \
    static const Kernel prefix##_kernel = {prefix##_forward, prefix##_backward, prefix##_scratch, prefix##_fused}; \
    extern const Kernel *const prefix##_kernels[OP_COUNT]; \
    const Kernel *const prefix##_kernels[OP_COUNT] = {[0 ... OP_COUNT - 1] = &prefix##_kernel};

#endif
