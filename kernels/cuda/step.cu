/* The kernels of kernels/steps.def. Each does in device memory what models/trainer.c does on the host, with the same
 * roundings; the replica is blockIdx.z. */
#include "kernels/step.h"

#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/step_launch.h"

/* dataset_batch: crop b of step s starts at Philox(seed, stream, s 2^40 + b) scaled to the choices. */
KERNEL_FN(gather, THREADS, Step, s) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i >= s.tokens.rows) return;
    uint64_t offset = philox_offset(*s.step, (uint64_t)(i / s.context));
    uint32_t word[4];
    draw_block(word, s.table[r].seed, s.stream, offset >> 2);
    uint32_t mine = offset & 2 ? word[2 + (offset & 1)] : word[offset & 1]; /* a register, not an array in memory */
    const int32_t *from = s.corpus + philox_below(mine, s.choices) + i % s.context;
    ((int32_t *)((char *)s.tokens.at + (size_t)r * s.tokens.stride))[i] = from[0];
    ((int32_t *)((char *)s.targets.at + (size_t)r * s.targets.stride))[i] = from[1];
}

KERNEL_FN(begin, THREADS, Step, s) {
    int r = (int)blockIdx.z;
    SHARED(int, count, [1]);
    if (threadIdx.x == 0) count[0] = 0;
    __syncthreads();
    int mine = 0;
    for (int i = (int)threadIdx.x; i < s.targets.rows; i += THREADS) mine += ids(s.targets, r)[i] >= 0;
    atomicAdd(count, mine);
    __syncthreads();
    if (threadIdx.x) return;
    Scalars now = s.table[*s.step * (uint64_t)s.replicas + (uint64_t)r];
    now.count = count[0] > 0 ? count[0] : 1;
    s.scalars[r] = now;
}

KERNEL_FN(seed, 1, Step, s) {
    at(s.dact, (int)blockIdx.z)[s.dloss] = 1;
}

DEVICE_FN void square_row(const Step &s, int i) {
    int r = (int)blockIdx.z;
    SquaredRow row = s.row[i];
    const Squared *t = &s.squared[row.tensor];
    const float *x = at(t->act ? s.act : s.grad, r) + t->at + (size_t)row.row * t->cols;
    float squares = row_dot(x, x, t->cols);
    if (lane_id() == 0) s.row_squares[(size_t)r * s.rows + i] = squares;
}

KERNEL_FN(squares, THREADS, Step, s) {
    if (warp_row() < s.rows) square_row(s, warp_row());
}

KERNEL_FN(update_squares, THREADS, Step, s) {
    if (warp_row() < s.parameter_rows) square_row(s, warp_row());
}

/* A block for each tensor. */
KERNEL_FN(join, THREADS, Step, s) {
    int r = (int)blockIdx.z, tensor = (int)blockIdx.x;
    const Squared *t = &s.squared[tensor];
    float sum = chain_sum(s.row_squares + (size_t)r * s.rows + t->first, t->rows);
    if (threadIdx.x == 0) s.squares[(size_t)r * (s.parameters + s.layers) + tensor] = sum;
}

DEVICE_FN double *ring_row(const Step &s, int r) {
    return s.ring + ((*s.step % (uint64_t)s.ring_rows) * (uint64_t)s.replicas + (uint64_t)r) * (uint64_t)(RING_HEAD + 2 * s.layers);
}

/* Sum over parameters in tape order of those in `layer`, or of all when layer is -2, by a thread; all threads must call. */
DEVICE_FN float norm_over(const Step &s, int layer) {
    SHARED(float, square, [THREADS]);
    SHARED(int, of, [THREADS]);
    const float *squares = s.squares + (size_t)blockIdx.z * (s.parameters + s.layers);
    float total = 0;
    for (int from = 0; from < s.parameters; from += THREADS) {
        int count = s.parameters - from < THREADS ? s.parameters - from : THREADS, i = (int)threadIdx.x;
        __syncthreads();
        if (i < count) square[i] = squares[from + i], of[i] = s.squared[from + i].layer;
        __syncthreads();
        for (i = 0; i < count; i++)
            if (layer == -2 || of[i] == layer) total += square[i];
    }
    return CANON_SQRT(total);
}

DEVICE_FN bool is_finite(float x) {
    return (canon_to_bits(x) & 0x7f800000u) != 0x7f800000u;
}

/* What entered a layer's first norm: NaN without one; broken is not absent. */
DEVICE_FN double input_rms(const Step &s, int layer) {
    const Squared *t = &s.squared[s.parameters + layer];
    float squares = s.squares[(size_t)blockIdx.z * (s.parameters + s.layers) + s.parameters + layer];
    double nan = (double)canon_from_bits(0x7fc00000u), rms = sqrt((double)squares / ((double)t->rows * t->cols));
    if (!t->rows) return nan;
    return rms != rms ? (double)INFINITY : rms;
}

/* Clipping as models/trainer.c rounds it. */
DEVICE_FN double clipped(float norm, double clip) {
    float down = (float)((double)norm + 1e-6), scale = (float)(clip / (double)down);
    return clip > 0 && scale < 1 ? (double)scale : 1;
}

/* Threads 0..layers-1 a layer each, in turns; then everybody the total. */
KERNEL_FN(close, THREADS, Step, s) {
    int r = (int)blockIdx.z;
    double *row = ring_row(s, r);
    for (int from = 0; from < s.layers; from += THREADS) {
        int layer = from + (int)threadIdx.x;
        float norm = norm_over(s, layer);
        if (layer >= s.layers) continue;
        row[RING_HEAD + layer] = norm;
        row[RING_HEAD + s.layers + layer] = input_rms(s, layer);
    }
    float norm = norm_over(s, -2);
    if (threadIdx.x) return;
    float loss = at(s.act, r)[s.loss];
    bool finite = is_finite(loss) && is_finite(norm);
    row[RING_loss] = loss, row[RING_grad_norm] = norm, row[RING_update_norm] = 0;
    row[RING_embedding_norm] = at(s.act, r)[s.embedding_norm];
    row[RING_finite] = finite && s.alive[r], row[RING_culprit] = -1, row[RING_culprit_act] = !is_finite(loss);
    s.died[r] = s.alive[r] && !finite ? (is_finite(loss) ? 2 : 1) : 0;
    s.culprit[r] = s.places;
    if (!finite) s.alive[r] = 0;
    s.scalars[r].grad_scale = clipped(norm, s.clip[r]);
}

KERNEL_FN(culprit, THREADS, Step, s) {
    int r = (int)blockIdx.z, died = s.died[r];
    const Extent *p = &s.place[blockIdx.x];
    if (!died || p->act != (died == 1)) return;
    const float *x = at(p->act ? s.act : s.grad, r) + p->at;
    bool finite = true;
    for (size_t i = threadIdx.x; i < p->count; i += THREADS) finite = finite && is_finite(x[i]);
    if (!finite) atomicMin(&s.culprit[r], (int)blockIdx.x);
}

typedef struct {
    float lr, decay, b1, b2, eps, c1, c2, momentum, rectify, clip;
} Rates;

/* The two running averages that the Adam family shares. */
DEVICE_FN void averages(float *m, float *v, float g, const Rates &a) {
    *m = CANON_FMA(a.b1, *m, (1 - a.b1) * g);
    *v = CANON_FMA(a.b2, *v, (1 - a.b2) * (g * g));
}

/* kernels/cpu/optimizer.c, one number; returns the new parameter. */
DEVICE_FN float updated(OptimizerKind kind, float old, float g, float *m, float *v, const Rates &a) {
    switch (kind) {
    case OPTIMIZER_adamw: {
        averages(m, v, g * a.clip, a);
        float root = CANON_SQRT(*v / a.c2) + a.eps, kept = old - a.lr * a.decay * old;
        return kept - a.lr * (*m / a.c1) / root;
    }
    case OPTIMIZER_adam:
        averages(m, v, CANON_FMA(a.decay, old, g * a.clip), a);
        return old - a.lr * (*m / a.c1) / (CANON_SQRT(*v / a.c2) + a.eps);
    case OPTIMIZER_radam: {
        averages(m, v, CANON_FMA(a.decay, old, g * a.clip), a);
        float plain = a.lr * (*m / a.c1), adapted = plain * a.rectify / (CANON_SQRT(*v / a.c2) + a.eps);
        return old - (a.rectify > 0 ? adapted : plain);
    }
    default: /* sgd */
        *m = CANON_FMA(a.momentum, *m, CANON_FMA(a.decay, old, g * a.clip));
        return old - a.lr * *m;
    }
}

KERNEL_FN(update, THREADS, Step, s) {
    int r = (int)blockIdx.z;
    if (!s.alive[r]) return;
    const Chunk chunk = s.chunk[blockIdx.x];
    const Scalars *now = &s.scalars[r];
    const Rates a = {(float)now->lr, chunk.decay ? (float)now->weight_decay : 0, (float)now->beta1, (float)now->beta2,
                     (float)now->eps, (float)now->correction1, (float)now->correction2, (float)now->momentum,
                     (float)now->rectify, (float)now->grad_scale};
    float *p = at(s.param, r) + chunk.at, *g = at(s.grad, r) + chunk.at;
    float *m = at(s.moment1, r) + chunk.at, *v = at(s.moment2, r) + chunk.at;
    for (int i = (int)threadIdx.x; i < chunk.count; i += THREADS) {
        float old = p[i], first = m[i], second = v[i];
        p[i] = updated(s.optimizer, old, g[i], &first, &second, a);
        g[i] = p[i] - old, m[i] = first, v[i] = second;
    }
}

/* One block walks over the replicas, then the step counter moves. */
KERNEL_FN(end, THREADS, Step, s) {
    for (int r = (int)threadIdx.x; r < s.replicas; r += THREADS) {
        double *row = ring_row(s, r);
        float total = 0;
        const float *squares = s.squares + (size_t)r * (s.parameters + s.layers);
        for (int i = 0; i < s.parameters; i++) total += squares[i];
        row[RING_update_norm] = CANON_SQRT(total);
        if (s.died[r] && s.culprit[r] < s.places) row[RING_culprit] = s.place[s.culprit[r]].tensor;
    }
    __syncthreads();
    if (threadIdx.x == 0) ++*s.step;
}

static Grid grid_for(const Step *s, unsigned blocks) {
    Grid g = {blocks, 1, (unsigned)s->replicas, THREADS, 0};
    return g;
}

static Grid one_block(const Step *s) {
    return grid_for(s, 1);
}

static Grid one_thread(const Step *s) {
    Grid g = {1, 1, (unsigned)s->replicas, 1, 0};
    return g;
}

static Grid whole(const Step *s) {
    Grid g = {1, 1, 1, THREADS, 0};
    (void)s;
    return g;
}

static Grid each_token(const Step *s) {
    return grid_for(s, s->corpus ? ceil_of((size_t)s->tokens.rows, THREADS) : 0);
}

static Grid each_row(const Step *s) {
    return grid_for(s, ceil_of((size_t)s->rows, WARPS));
}

static Grid each_parameter_row(const Step *s) {
    return grid_for(s, ceil_of((size_t)s->parameter_rows, WARPS));
}

static Grid each_squared(const Step *s) {
    return grid_for(s, (unsigned)(s->parameters + s->layers));
}

static Grid each_parameter(const Step *s) {
    return grid_for(s, (unsigned)s->parameters);
}

static Grid each_place(const Step *s) {
    return grid_for(s, (unsigned)s->places);
}

static Grid each_chunk(const Step *s) {
    return grid_for(s, (unsigned)s->chunks);
}

static double parameter_words(const Step *s) {
    double words = 0;
    for (int i = 0; i < s->parameters; i++) words += (double)s->squared[i].rows * s->squared[i].cols;
    return words;
}

static double squared_bytes(const Step *s) {
    double words = parameter_words(s);
    for (int i = 0; i < s->layers; i++) {
        const Squared *t = &s->squared[s->parameters + i];
        words += (double)t->rows * t->cols;
    }
    return 4 * words;
}

static double parameter_bytes(const Step *s) {
    return 4 * parameter_words(s);
}

/* p, g and the moments read and written. */
static double update_bytes(const Step *s) {
    return (s->optimizer == OPTIMIZER_sgd ? 24 : 32) * parameter_words(s);
}

static double token_bytes(const Step *s) {
    return 16.0 * s->tokens.rows;
}

extern "C" const StepLaunch SYMBOL(steps)[STEP_COUNT];
extern "C" const StepLaunch SYMBOL(steps)[STEP_COUNT] = {
    {"step.gather", BODY(gather, Step), each_token, token_bytes, true},
    {"step.begin", BODY(begin, Step), one_block, NULL, false},
    {"step.seed", BODY(seed, Step), one_thread, NULL, true},
    {"step.squares", BODY(squares, Step), each_row, squared_bytes, false},
    {"step.join", BODY(join, Step), each_squared, NULL, false},
    {"step.close", BODY(close, Step), one_block, NULL, false},
    {"step.culprit", BODY(culprit, Step), each_place, NULL, true},
    {"step.update", BODY(update, Step), each_chunk, update_bytes, true},
    {"step.update_squares", BODY(update_squares, Step), each_parameter_row, parameter_bytes, false},
    {"step.update_join", BODY(join, Step), each_parameter, NULL, false},
    {"step.end", BODY(end, Step), whole, NULL, false},
};
