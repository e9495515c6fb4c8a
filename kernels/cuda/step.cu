/* The kernels of kernels/steps.def. Each does in device memory what models/trainer.c does on the host, with the same
 * roundings; the replica is blockIdx.z. */
#include "kernels/step.h"

#include "kernels/cuda/chain.cuh"
#include "kernels/cuda/fours.cuh"
#include "kernels/cuda/step_launch.h"
#include "kernels/cuda/unit_lines.cuh"

typedef float real;
#define r_fma CANON_FMA
#define r_sqrt CANON_SQRT
#define RULE_FN DEVICE_FN
#include "kernels/optimizer_rules.h"

/* Draw a batch as dataset_batch does: crop b of step s starts at Philox(order_seed, stream, s 2^40 + b), scaled to the
 * choices. */
KERNEL_FN(gather, THREADS, Step, s) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i >= s.feed[s.targets].ids.rows) return;
    uint64_t offset = philox_offset(*s.step, (uint64_t)(i / s.context));
    uint32_t word[4];
    draw_block(word, s.table[r].order_seed, s.stream, offset >> 2);
    uint32_t mine = offset & 2 ? word[2 + (offset & 1)] : word[offset & 1]; /* a register, not an array in memory */
    const int32_t *from = s.corpus + philox_below(mine, s.choices) + i % s.context;
    for (int f = 0; f < s.feeds; f++)
        ((int32_t *)((char *)s.feed[f].ids.at + (size_t)r * s.feed[f].ids.stride))[i] = from[s.feed[f].shift];
}

KERNEL_FN(begin, THREADS, Step, s) {
    int r = (int)blockIdx.z;
    const View targets = s.feed[s.targets].ids;
    SHARED(int, count, [1]);
    if (threadIdx.x == 0) count[0] = 0;
    __syncthreads();
    int mine = 0;
    for (int i = (int)threadIdx.x; i < targets.rows; i += THREADS) mine += ids(targets, r)[i] >= 0;
    atomicAdd(count, mine);
    __syncthreads();
    if (threadIdx.x) return;
    Scalars now = s.table[*s.step * (uint64_t)s.replicas + (uint64_t)r];
    now.count = count[0] > 0 ? count[0] : 1;
    if (s.scale) { /* the optimizer's averages count updates, the schedule counts steps */
        const Scalars *of_update =
            &s.table[(*s.step - (uint64_t)s.scale[r].skipped) * (uint64_t)s.replicas + (uint64_t)r];
        now.correction1 = of_update->correction1, now.correction2 = of_update->correction2;
        now.rectify = of_update->rectify, now.loss_scale = s.scale[r].now;
    }
    now.stopped = !s.alive[r];
    s.scalars[r] = now;
}

/* Return the address of a float in an arena of activations or their gradients; `place` counts Numbers. */
DEVICE_FN float *float_at(const View arena, int r, size_t place) {
    return (float *)(numbers_at(arena, r) + place);
}

KERNEL_FN(seed, 1, Step, s) {
    int r = (int)blockIdx.z;
    *float_at(s.dact, r, s.dloss) = s.scale ? (float)s.scale[r].now : 1;
}

KERNEL_FN(unscale, THREADS, Step, s) {
    int r = (int)blockIdx.z;
    const Chunk chunk = s.chunk[blockIdx.x];
    float *g = at(s.grad, r) + chunk.at, inverse = (float)(1 / s.scale[r].now);
    for (int i = (int)threadIdx.x; i < chunk.count; i += THREADS) g[i] *= inverse;
}

/* Return a row's largest absolute value; infinity if a number is not finite. */
template <typename X>
DEVICE_FN float row_largest(const X *x, int n) {
    float most = 0;
    for (int i = lane_id(); i < n; i += WARP) {
        const float number = x[i], size = number < 0 ? -number : number;
        if (!(size <= most)) most = size == size ? size : (float)INFINITY;
    }
    return fold_max(most);
}

DEVICE_FN bool wanted(const Step &s, const StepPart *part) {
    return !part->thin || *s.step % (uint64_t)s.every == 0;
}

/* Call of(x) with a part's address in its type. */
template <typename Of>
DEVICE_FN float of_words(const Step &s, const StepPart *part, int r, const Of &of) {
    const View arena = part->role == ROLE_ACT ? s.act : s.dact;
    if (part->role == ROLE_PARAM || part->role == ROLE_GRAD)
        return of((const float *)at(part->role == ROLE_PARAM ? s.param : s.grad, r) + part->at);
#if NARROW
    if (part->narrow) return of((const Number *)numbers_at(arena, r) + part->at);
#endif
    return of((const float *)float_at(arena, r, part->at));
}

template <typename X>
DEVICE_FN float of_row(PartKind kind, const X *x, int n) {
    return kind == PART_LARGEST ? row_largest(x, n) : kind == PART_SUM ? row_sum(x, n) : row_dot(x, x, n);
}

DEVICE_FN void part_row(const Step &s, int i) {
    int r = (int)blockIdx.z;
    StepRow row = s.row[i];
    const StepPart *part = &s.part[row.part];
    if (!wanted(s, part)) return;
    const size_t first = (size_t)row.row * part->cols;
    float value =
        of_words(s, part, r, [&](const auto *x) { return of_row(part->kind, x + first, part->cols); });
    if (lane_id() == 0) s.row_value[(size_t)r * s.rows + i] = value;
}

KERNEL_FN(squares, THREADS, Step, s) {
    if (warp_row() < s.gradient_end) part_row(s, warp_row());
}

KERNEL_FN(update_squares, THREADS, Step, s) {
    if (s.gradient_row + warp_row() < s.rows) part_row(s, s.gradient_row + warp_row());
}

/* Return the largest of x[n], by one thread. */
DEVICE_FN float largest(const float *x, int n) {
    float most = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > most) most = x[i];
    return most;
}

/* Count, by a block, the x[n] whose magnitude has bits below `key`, or (massive) is above the two bounds. All threads
 * must call; each gets the count. */
template <typename X>
DEVICE_FN int counted(const X *x, size_t n, uint32_t key, bool massive, double bound) {
    SHARED(int, count, [1]);
    int mine = 0;
    __syncthreads();
    if (threadIdx.x == 0) count[0] = 0;
    __syncthreads();
    for (size_t i = threadIdx.x; i < n; i += THREADS) {
        uint32_t bits = canon_to_bits(x[i]) & 0x7fffffffu;
        double size = canon_from_bits(bits);
        mine += massive ? !(size <= MASSIVE_SIZE) && !(size <= bound) : bits < key;
    }
    atomicAdd(count, mine);
    __syncthreads();
    return count[0];
}

/* Find the median's bits, the highest first: set a bit if no more numbers than the rank are below. models/massive.c
 * counts alike. */
template <typename X>
DEVICE_FN float massive_count(const X *x, size_t n) {
    uint32_t median = 0;
    for (int bit = 30; bit >= 0; bit--) {
        uint32_t key = median | 1u << bit;
        if (counted(x, n, key, false, 0) <= (int)((n - 1) / 2)) median = key;
    }
    return (float)counted(x, n, 0, true, MASSIVE_TIMES * (double)canon_from_bits(median));
}

/* Reduce a part's rows to its number, by a block. */
DEVICE_FN void join_part(const Step &s, int i) {
    int r = (int)blockIdx.z;
    const StepPart *part = &s.part[i];
    const float *row = s.row_value + (size_t)r * s.rows + part->first;
    float value = 0;
    if (!wanted(s, part)) return;
    if (part->kind == PART_MASSIVE)
        value = of_words(s, part, r,
                         [&](const auto *x) { return massive_count(x, (size_t)part->rows * part->cols); });
    else if (part->kind != PART_LARGEST)
        value = chain_sum(row, part->rows);
    if (threadIdx.x) return;
    s.value[(size_t)r * s.parts + i] = part->kind == PART_LARGEST ? largest(row, part->rows) : value;
}

KERNEL_FN(join, THREADS, Step, s) {
    join_part(s, (int)blockIdx.x);
}

KERNEL_FN(update_join, THREADS, Step, s) {
    join_part(s, s.gradient + (int)blockIdx.x);
}

DEVICE_FN double *ring_row(const Step &s, int r) {
    return s.ring +
           ((*s.step % (uint64_t)s.ring_rows) * (uint64_t)s.replicas + (uint64_t)r) * (uint64_t)(RING_HEAD + s.probes);
}

/* Sum x[n] in order: all threads of a block load and must call; the first adds and returns the sum. */
DEVICE_FN float total_of(const float *x, int n) {
    SHARED(float, near, [THREADS]);
    float total = 0;
    for (int from = 0; from < n; from += THREADS) {
        int count = n - from < THREADS ? n - from : THREADS, i = (int)threadIdx.x;
        __syncthreads();
        if (i < count) near[i] = x[from + i];
        __syncthreads();
        if (threadIdx.x) continue;
        for (i = 0; i < count; i++) total += near[i];
    }
    return total;
}

DEVICE_FN bool is_finite(float x) {
    return (canon_to_bits(x) & 0x7f800000u) != 0x7f800000u;
}

/* Remove the loss scale from a measured gradient of an activation. */
DEVICE_FN double unscaled(const Step &s, int r, const StepProbe *p, float norm) {
    return p->role == ROLE_DACT && s.scale ? (double)norm / s.scalars[r].loss_scale : (double)norm;
}

/* Return the mean of squares minus the squared mean. */
DEVICE_FN double variance_of(const float *value, double n) {
    double mean = (double)value[1] / n, variance = (double)value[0] / n - mean * mean;
    return variance != variance ? (double)INFINITY : variance > 0 ? variance : 0;
}

/* Compute a probe's number from the sum over its parts; models/observe.c rounds alike. */
DEVICE_FN double probed(const Step &s, int r, const StepProbe *p, float total) {
    double nan = (double)canon_from_bits(0x7fc00000u), rms;
    const float *value = s.value + (size_t)r * s.parts + p->first;
    if (p->absent) return nan;
    switch (p->reduction) {
    case REDUCE_word: return *float_at(s.act, r, p->word);
    case REDUCE_norm: return unscaled(s, r, p, CANON_SQRT(total));
    case REDUCE_rms:
        rms = sqrt((double)total / p->elements);
        return rms != rms ? (double)INFINITY : rms; /* NaN means that there is nothing to measure */
    case REDUCE_largest: return largest(value, p->count);
    case REDUCE_variance: return variance_of(value, p->elements);
    case REDUCE_massive: return (double)value[0] / p->elements;
    case REDUCTION_COUNT: break;
    }
    return nan;
}

/* Compute a probe's number by one thread, for few parts. */
DEVICE_FN double probed_alone(const Step &s, int r, const StepProbe *p) {
    const float *value = s.value + (size_t)r * s.parts + p->first;
    float total = 0;
    for (int i = 0; i < p->count; i++) total += value[i];
    return probed(s, r, p, total);
}

/* Compute the clipping factor, rounded as in models/trainer.c. */
DEVICE_FN double clipped(float norm, double clip) {
    float down = (float)((double)norm + 1e-6), scale = (float)(clip / (double)down);
    return clip > 0 && scale < 1 ? (double)scale : 1;
}

/* Update the loss scale of a replica that trains on. Return true if it was too large and the step is skipped. */
DEVICE_FN bool scale_moves(const Step &s, int r, float loss, float norm) {
    if (!s.scale) return false;
    bool skip = s.alive[r] && is_finite(loss) && !is_finite(norm) && loss_scale_skips(&s.scale[r]);
    if (s.alive[r] && is_finite(loss) && is_finite(norm)) loss_scale_goes_on(&s.scale[r]);
    s.skipped[r] = skip;
    return skip;
}

/* Return true if a replica is updated in this step. */
DEVICE_FN bool updates(const Step &s, int r) {
    return s.alive[r] && !(s.skipped && s.skipped[r]);
}

/* Compute the layers' probes, one per thread, then the whole model's, each by all threads, then clipping. */
KERNEL_FN(close, THREADS, Step, s) {
    int r = (int)blockIdx.z;
    double *row = ring_row(s, r);
    const float *value = s.value + (size_t)r * s.parts;
    for (int i = s.whole + (int)threadIdx.x; i < s.probes; i += THREADS)
        if (!s.probe[i].after) row[RING_HEAD + i] = probed_alone(s, r, &s.probe[i]);
    float squares = total_of(value + s.gradient, s.parameters), norm = CANON_SQRT(squares);
    for (int i = 0; i < s.whole; i++) {
        const StepProbe *p = &s.probe[i];
        bool gradients = p->first == s.gradient && p->count == s.parameters;
        if (p->after) continue;
        float total = gradients || p->reduction == REDUCE_largest ? squares : total_of(value + p->first, p->count);
        if (threadIdx.x == 0) row[RING_HEAD + i] = probed(s, r, p, total);
    }
    if (threadIdx.x) return;
    float loss = *float_at(s.act, r, s.loss);
    bool skip = scale_moves(s, r, loss, norm), finite = is_finite(loss) && (is_finite(norm) || skip);
    row[RING_loss] = loss, row[RING_grad_norm] = norm, row[RING_skipped] = skip;
    row[RING_finite] = finite && s.alive[r], row[RING_culprit] = -1, row[RING_culprit_act] = !is_finite(loss);
    s.died[r] = s.alive[r] && !finite ? (is_finite(loss) ? 2 : 1) : 0;
    s.culprit[r] = s.places;
    if (!finite) s.alive[r] = 0;
    s.scalars[r].grad_scale = clipped(norm, s.clip[r]);
}

/* Return true if this thread's share of x[n] is finite. */
template <typename X>
DEVICE_FN bool all_finite(const X *x, size_t n) {
    bool finite = true;
    for (size_t i = threadIdx.x; i < n; i += THREADS) finite = finite && is_finite(x[i]);
    return finite;
}

KERNEL_FN(culprit, THREADS, Step, s) {
    int r = (int)blockIdx.z, died = s.died[r];
    const Extent *p = &s.place[blockIdx.x];
    if (!died || p->act != (died == 1)) return;
    const bool finite = !p->act      ? all_finite(at(s.grad, r) + p->at, p->count)
                        : p->narrow ? all_finite(numbers_at(s.act, r) + p->at, p->count)
                                    : all_finite(float_at(s.act, r, p->at), p->count);
    if (!finite) atomicMin(&s.culprit[r], (int)blockIdx.x);
}

DEVICE_FN float updated(OptimizerKind kind, float p, float g, float *m, float *v, const Rates *a) {
    switch (kind) {
#define OPTIMIZER(name, ...) \
    case OPTIMIZER_##name: \
        return rule_##name(p, g, m, v, a);
#include "kernels/optimizers.def"
#undef OPTIMIZER
    case OPTIMIZER_COUNT: break;
    }
    return p;
}

KERNEL_FN(update, THREADS, Step, s) {
    int r = (int)blockIdx.z;
    if (!updates(s, r)) return;
    const Chunk chunk = s.chunk[blockIdx.x];
    const Rates a = rates_of(&s.scalars[r], chunk.decay);
    float *p = at(s.param, r) + chunk.at, *g = at(s.grad, r) + chunk.at;
    float *m = at(s.moment1, r) + chunk.at, *v = at(s.moment2, r) + chunk.at;
    static_assert(STEP_CHUNK == THREADS * FOUR, "a chunk is a block's fours");
    const int first = (int)threadIdx.x * FOUR, left = chunk.count - first;
    const Fours here = {(size_t)first, left < FOUR ? left : (int)FOUR};
    float was[FOUR], by[FOUR], one[FOUR], two[FOUR];
    if (left <= 0) return;
    read_fours(was, p, here), read_fours(by, g, here), read_fours(one, m, here), read_fours(two, v, here);
#pragma unroll
    for (int i = 0; i < FOUR; i++) {
        const float now = updated(s.optimizer, was[i], by[i] * a.clip, &one[i], &two[i], &a);
        by[i] = now - was[i], was[i] = now;
    }
    put_fours(p, was, here, false), put_fours(g, by, here, false);
    put_fours(m, one, here, false), put_fours(v, two, here, false);
}

KERNEL_FN(renorm, THREADS, Step, s) {
    int r = (int)blockIdx.z;
    if (!updates(s, r)) return;
    const StepLines l = s.lines[blockIdx.x];
    float *x = at(s.param, r) + l.at;
    if (l.unit == UNIT_rows)
        unit_rows(x, l);
    else
        unit_columns(x, l);
}

/* Compute the replicas' probes of the update by one block, then advance the step counter. */
KERNEL_FN(end, THREADS, Step, s) {
    for (int i = (int)threadIdx.x; s.after && i < s.replicas * s.probes; i += THREADS) {
        const StepProbe *p = &s.probe[i % s.probes];
        int r = i / s.probes;
        if (p->after) ring_row(s, r)[RING_HEAD + i % s.probes] = probed_alone(s, r, p);
    }
    for (int r = (int)threadIdx.x; r < s.replicas; r += THREADS)
        if (s.died[r] && s.culprit[r] < s.places) ring_row(s, r)[RING_culprit] = s.place[s.culprit[r]].tensor;
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
    return grid_for(s, s->corpus ? ceil_of((size_t)s->feed[s->targets].ids.rows, THREADS) : 0);
}

static Grid each_row(const Step *s) {
    return grid_for(s, ceil_of((size_t)s->gradient_end, WARPS));
}

static Grid each_row_after(const Step *s) {
    return grid_for(s, s->after ? ceil_of((size_t)(s->rows - s->gradient_row), WARPS) : 0);
}

static Grid each_part(const Step *s) {
    return grid_for(s, (unsigned)(s->gradient + s->parameters));
}

static Grid each_part_after(const Step *s) {
    return grid_for(s, s->after ? (unsigned)(s->parts - s->gradient) : 0);
}

static Grid each_place(const Step *s) {
    return grid_for(s, (unsigned)s->places);
}

static Grid each_chunk(const Step *s) {
    return grid_for(s, (unsigned)s->chunks);
}

static Grid each_scaled_chunk(const Step *s) {
    return grid_for(s, s->scale ? (unsigned)s->chunks : 0);
}

static Grid each_lines(const Step *s) {
    return grid_for(s, (unsigned)s->units);
}

static double part_words(const Step *s, int from, int to) {
    double words = 0;
    for (int i = from; i < to; i++) words += (double)s->part[i].rows * s->part[i].cols;
    return words;
}

static double part_bytes(const Step *s) {
    return 4 * part_words(s, 0, s->gradient + s->parameters);
}

static double part_bytes_after(const Step *s) {
    return 4 * part_words(s, s->gradient, s->parts);
}

/* Count the bytes of p, g and the moments, read and written. */
static double update_bytes(const Step *s) {
    return 8 * (2 + optimizer_moments(s->optimizer)) * part_words(s, s->gradient, s->gradient + s->parameters);
}

/* Count the bytes of g, read and written. */
static double unscale_bytes(const Step *s) {
    return 8 * part_words(s, s->gradient, s->gradient + s->parameters);
}

/* Count the bytes of rows or columns, read and written. */
static double lines_bytes(const Step *s) {
    double words = 0;
    for (int i = 0; i < s->units; i++) {
        const StepLines *l = &s->lines[i];
        int all = l->unit == UNIT_rows ? l->rows : l->cols, left = all - l->first;
        words += (double)(left < STEP_LINES ? left : STEP_LINES) * (l->unit == UNIT_rows ? l->cols : l->rows);
    }
    return 8 * words;
}

static double token_bytes(const Step *s) {
    return 8.0 * s->feeds * s->feed[s->targets].ids.rows;
}

extern "C" const StepLaunch SYMBOL(steps)[STEP_COUNT];
extern "C" const StepLaunch SYMBOL(steps)[STEP_COUNT] = {
    {"step.gather", BODY(gather, Step), each_token, token_bytes, true},
    {"step.begin", BODY(begin, Step), one_block, NULL, false},
    {"step.seed", BODY(seed, Step), one_thread, NULL, true},
    {"step.unscale", BODY(unscale, Step), each_scaled_chunk, unscale_bytes, true},
    {"step.squares", BODY(squares, Step), each_row, part_bytes, false},
    {"step.join", BODY(join, Step), each_part, NULL, false},
    {"step.close", BODY(close, Step), one_block, NULL, false},
    {"step.culprit", BODY(culprit, Step), each_place, NULL, true},
    {"step.update", BODY(update, Step), each_chunk, update_bytes, true},
    {"step.renorm", BODY(renorm, Step), each_lines, lines_bytes, false},
    {"step.update_squares", BODY(update_squares, Step), each_row_after, part_bytes_after, false},
    {"step.update_join", BODY(update_join, Step), each_part_after, NULL, false},
    {"step.end", BODY(end, Step), whole, NULL, false},
};
