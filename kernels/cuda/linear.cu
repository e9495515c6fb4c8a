/* y = x W^T + b      x [rows][in], W [out][in], b [out]
 * dx = dy W          dW = dy^T x, a sum over token rows      db = column sums of dy
 *
 * Each product comes in three tile sizes; its grid takes the largest that still gives the device enough blocks. The
 * bits do not depend on it. dW of more than CANON_BLOCK rows: each block's product apart
 * in scratch, joined as a tree. */
#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/matmul.cuh"

/* Blocks of a tile that fit on a processor by their registers. */
constexpr int blocks_at_once(int per) {
    return per == 8 ? 2 : per == 4 ? 3 : 4;
}

template <int PER>
KERNEL_FN(forward, AT_LEAST(blocks_at_once(PER), THREADS), Call, c) {
    int r = (int)blockIdx.z, in = c.in[0].cols, out = c.out.cols;
    Multiplication p = {at(c.out, r),
                        (size_t)out,
                        {at(c.in[0], r), (size_t)in, 1, c.in[0].rows},
                        {at(c.in[1], r), (size_t)in, 1, out},
                        in,
                        c.in_count == 3 ? at(c.in[2], r) : NULL,
                        false};
    multiply<PER, true, true>(p);
}

template <int PER>
KERNEL_FN(input, AT_LEAST(blocks_at_once(PER), THREADS), Call, c) {
    int r = (int)blockIdx.z, in = c.in[0].cols, out = c.out.cols;
    Multiplication p = {at(c.din[0], r), (size_t)in, {at(c.dout, r), (size_t)out, 1, c.in[0].rows},
                 {at(c.in[1], r), 1, (size_t)in, in}, out, NULL, c.accumulate[0]};
    multiply<PER, true, false>(p);
}

template <int PER>
KERNEL_FN(weight, AT_LEAST(blocks_at_once(PER), THREADS), Call, c) {
    int r = (int)blockIdx.z, in = c.in[0].cols, out = c.out.cols;
    Multiplication p = {at(c.din[1], r),
                        (size_t)in,
                        {at(c.dout, r), 1, (size_t)out, out},
                        {at(c.in[0], r), 1, (size_t)in, in},
                        c.in[0].rows,
                        NULL,
                        c.accumulate[1]};
    multiply<PER, false, false>(p);
}

static inline __host__ __device__ int blocks_of(const Call &c) {
    return (c.in[0].rows + CANON_BLOCK - 1) / CANON_BLOCK;
}

/* The place in scratch of replica r's product of block b. */
DEVICE_FN float *partial(const Call &c, int r, int b) {
    return (float *)c.scratch + ((size_t)r * blocks_of(c) + b) * c.out.cols * c.in[0].cols;
}

/* blockIdx.z counts blocks of rows, replica by replica. */
KERNEL_FN(weight_parts, AT_LEAST(blocks_at_once(4), THREADS), Call, c) {
    int blocks = blocks_of(c), r = (int)blockIdx.z / blocks, block = (int)blockIdx.z % blocks,
        first = block * CANON_BLOCK;
    int in = c.in[0].cols, out = c.out.cols, rows = c.in[0].rows - first;
    Multiplication p = {partial(c, r, block),
                        (size_t)in,
                        {at(c.dout, r) + (size_t)first * out, 1, (size_t)out, out},
                        {at(c.in[0], r) + (size_t)first * in, 1, (size_t)in, in},
                        rows < CANON_BLOCK ? rows : CANON_BLOCK,
                        NULL,
                        false};
    multiply<4, false, false>(p);
}

KERNEL_FN(weight_join, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index(), blocks = blocks_of(c);
    if (i >= c.out.cols * c.in[0].cols) return;
    Tree tree;
    for (int b = 0; b < blocks; b++) tree_push(&tree, b, partial(c, r, b)[i]);
    put(&at(c.din[1], r)[i], tree_end(&tree, blocks), c.accumulate[1]);
}

struct BiasFactors {
    const float *dy;
    int out;
    DEVICE_METHOD Factors operator()(int row, int column) const {
        Factors f = {dy[(size_t)row * out + column], 1};
        return f;
    }
};

KERNEL_FN(bias, THREADS, Call, c) {
    int r = (int)blockIdx.z, out = c.out.cols, i = column_here();
    const BiasFactors of = {at(c.dout, r), out};
    float total = column_chain(c.out.rows, CANON_BLOCK, i, out, of);
    if (threadIdx.x < WARP && i < out) put(&at(c.din[2], r)[i], total, c.accumulate[2]);
}

/* y += b, where a library made the product. */
KERNEL_FN(add_bias, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i < c.out.rows * c.out.cols) at(c.out, r)[i] += at(c.in[2], r)[i % c.out.cols];
}

/* Blocks that are enough for a tile of 128 or 64, where an H200 has 132 processors and an A100 has 108: two of the
 * large ones fit on a processor (128 registers), and small tiles spend their time on shared memory. */
static int enough(int per) {
    return per == 8 ? 216 : 100;
}

static Grid tiles(const Call *c, int per, int m, int n) {
    Grid g = {ceil_of((size_t)n, (unsigned)(SIDE * per)), ceil_of((size_t)m, (unsigned)(SIDE * per)),
              (unsigned)c->replicas, THREADS, 0};
    return g;
}

static int per_of(const Call *c, int m, int n) {
    for (int per = 8; per > 2; per /= 2) {
        Grid g = tiles(c, per, m, n);
        if ((size_t)g.x * g.y * g.z >= (size_t)enough(per)) return per;
    }
    return 2;
}

static Grid tiles_if(const Call *c, bool wanted, int per, int m, int n) {
    return wanted && per_of(c, m, n) == per ? tiles(c, per, m, n) : no_grid();
}

template <int PER>
static Grid each_output(const Call *c) {
    return tiles_if(c, true, PER, c->out.rows, c->out.cols);
}

template <int PER>
static Grid each_input(const Call *c) {
    return tiles_if(c, c->din[0].at != NULL, PER, c->in[0].rows, c->in[0].cols);
}

template <int PER>
static Grid each_weight(const Call *c) {
    return tiles_if(c, c->din[1].at && blocks_of(*c) == 1, PER, c->out.cols, c->in[0].cols);
}

static Grid each_part(const Call *c) {
    Grid g = tiles(c, 4, c->out.cols, c->in[0].cols);
    g.z *= (unsigned)blocks_of(*c);
    return c->din[1].at && blocks_of(*c) > 1 ? g : no_grid();
}

static Grid each_join(const Call *c) {
    return c->din[1].at && blocks_of(*c) > 1 ? grid_of(c, (size_t)c->out.cols * (size_t)c->in[0].cols) : no_grid();
}

static Grid each_bias(const Call *c) {
    return c->in_count == 3 && c->din[2].at ? grid_of_columns(c, (size_t)c->out.cols) : no_grid();
}

static double product_flops(const Call *c) {
    return 2.0 * c->in[0].rows * c->in[0].cols * c->out.cols;
}

static size_t scratch(const Call *c) {
    if (blocks_of(*c) == 1) return 0;
    return (size_t)c->replicas * (size_t)blocks_of(*c) * (size_t)c->out.cols * (size_t)c->in[0].cols * sizeof(float);
}

static Grid each_output_with_bias(const Call *c) {
    return c->in_count == 3 ? each_element(c) : no_grid();
}

static double scratch_bytes(const Call *c) {
    return (double)scratch(c) / c->replicas;
}

#define FORWARD(name, per) \
    { \
        name, BODY(forward<per>, Call), each_output<per>, product_flops, \
            TOUCH_in0 | TOUCH_in1 | TOUCH_in2 | TOUCH_out, NULL, false \
    }
#define INPUT(name, per) \
    {name, BODY(input<per>, Call), each_input<per>, product_flops, TOUCH_in1 | TOUCH_dout | TOUCH_din0, NULL, false}
#define WEIGHT(name, per) \
    {name, BODY(weight<per>, Call), each_weight<per>, product_flops, TOUCH_in0 | TOUCH_dout | TOUCH_din1, NULL, false}

STAGES(linear, {FORWARD("linear.forward 128", 8), FORWARD("linear.forward 64", 4), FORWARD("linear.forward 32", 2)},
       {INPUT("linear.input 128", 8),
        INPUT("linear.input 64", 4),
        INPUT("linear.input 32", 2),
        WEIGHT("linear.weight 128", 8),
        WEIGHT("linear.weight 64", 4),
        WEIGHT("linear.weight 32", 2),
        {"linear.weight_parts", BODY(weight_parts, Call), each_part, product_flops, TOUCH_in0 | TOUCH_dout,
         scratch_bytes, false},
        {"linear.weight_join", BODY(weight_join, Call), each_join, NULL, TOUCH_din1, scratch_bytes, true},
        {"linear.bias", BODY(bias, Call), each_bias, NULL, TOUCH_dout | TOUCH_din2, NULL, false}},
       scratch);

/* The part of linear that remains ours when a library computes the products (product.h). */
STAGES(linear_bias,
       {{"linear.add_bias", BODY(add_bias, Call), each_output_with_bias, NULL, TOUCH_in2 | TOUCH_out, NULL, true}},
       {{"linear.bias", BODY(bias, Call), each_bias, NULL, TOUCH_dout | TOUCH_din2, NULL, false}}, NULL);
