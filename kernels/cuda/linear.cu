/* y = x W^T + b      x [rows][in], W [out][in], b [out]
 * dx = dy W          dW = dy^T x, a sum over token rows      db = column sums of dy
 *
 * Each product comes in tiles of 128, 64 and 32; a grid takes the largest that still gives the device enough blocks.
 * The bits do not depend on it. Backward is one launch: blocks with tiles of dW come first, since they have the longest
 * chains, then blocks with columns of db, then tiles of dx, which fill the rest of the device. For dW over more than
 * CANON_BLOCK rows, each block's product is separate in scratch, and they are joined as a tree. */
#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/elementwise.cuh"
#include "kernels/cuda/gelu.cuh"
#include "kernels/cuda/matmul.cuh"

/* Return how many blocks of a tile fit on a processor by their registers. */
constexpr int blocks_at_once(int per) {
    return per == 8 ? 2 : per == 4 ? 3 : 4;
}

/* Compute a tile of y. */
template <int PER>
DEVICE_FN void forward_tile(const Call &c, float *near, int r, int tile_x, int tile_y) {
    int in = c.in[0].cols, out = c.out.cols;
    Multiplication<Target> p = {out_of(c, r),
                        (size_t)out,
                        {in_of(c, 0, r), (size_t)in, 1, c.in[0].rows},
                        {in_of(c, 1, r), (size_t)in, 1, out},
                        in,
                        c.in_count == 3 ? in_of(c, 2, r) : NULL,
                        false,
                        false};
    multiply<PER, true, true>(p, near, tile_x, tile_y);
}

template <int PER>
KERNEL_FN(forward, AT_LEAST(blocks_at_once(PER), THREADS), Call, c) {
    SHARED(float, near, [near_words(PER)]);
    forward_tile<PER>(c, near, (int)blockIdx.z, (int)blockIdx.x, (int)blockIdx.y);
}

static inline __host__ __device__ int blocks_of(const Call &c) {
    return (c.in[0].rows + CANON_BLOCK - 1) / CANON_BLOCK;
}

/* Return the address in scratch of replica r's product of block b. */
DEVICE_FN float *partial(const Call &c, int r, int b) {
    return (float *)c.scratch + ((size_t)r * blocks_of(c) + b) * c.out.cols * c.in[0].cols;
}

/* Compute the products of blocks of rows; blockIdx.z counts those, replica by replica. */
KERNEL_FN(weight_parts, AT_LEAST(blocks_at_once(4), THREADS), Call, c) {
    SHARED(float, near, [near_words(4)]);
    int blocks = blocks_of(c), r = (int)blockIdx.z / blocks, block = (int)blockIdx.z % blocks,
        first = block * CANON_BLOCK;
    int in = c.in[0].cols, out = c.out.cols, rows = c.in[0].rows - first;
    Multiplication<float *> p = {partial(c, r, block),
                        (size_t)in,
                        {dout_of(c, r) + (size_t)first * out, 1, (size_t)out, out},
                        {in_of(c, 0, r) + (size_t)first * in, 1, (size_t)in, in},
                        rows < CANON_BLOCK ? rows : CANON_BLOCK,
                        NULL,
                        false,
                        false};
    multiply<4, false, false>(p, near, (int)blockIdx.x, (int)blockIdx.y);
}

/* Continue chains of dW; a kernel of its own, since backward's registers would not suffice. */
KERNEL_FN(weight_on, AT_LEAST(blocks_at_once(4), THREADS), Call, c) {
    SHARED(float, near, [near_words(4)]);
    int r = (int)blockIdx.z, in = c.in[0].cols, out = c.out.cols;
    Multiplication<float *> p = {at(c.din[1], r),
                        (size_t)in,
                        {dout_of(c, r), 1, (size_t)out, out},
                        {in_of(c, 0, r), 1, (size_t)in, in},
                        c.in[0].rows,
                        NULL,
                        false,
                        true};
    multiply<4, false, false>(p, near, (int)blockIdx.x, (int)blockIdx.y);
}

KERNEL_FN(weight_join, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index(), blocks = blocks_of(c);
    if (i >= c.out.cols * c.in[0].cols) return;
    Tree tree;
    for (int b = 0; b < blocks; b++) tree_push(&tree, b, partial(c, r, b)[i]);
    put(at(c.din[1], r) + i, tree_end(&tree, blocks), c.accumulate[1]);
}

struct BiasFactors {
    const Number *dy;
    int out;
    DEVICE_METHOD Factors operator()(int row, int column) const {
        Factors f = {dy[(size_t)row * out + column], 1};
        return f;
    }
};

/* Sum the group-th 32 columns of db. */
DEVICE_FN void add_up_bias(const Call &c, float *near, int r, int group) {
    const int out = c.out.cols, i = group * WARP + lane_id();
    const BiasFactors of = {dout_of(c, r), out};
    float total = column_chain_in<SHORT_ROWS>(near, c.out.rows, CANON_BLOCK, i, out, of);
    if (threadIdx.x < WARP && i < out) put(at(c.din[2], r) + i, total, c.accumulate[2]);
}

KERNEL_FN(bias, THREADS, Call, c) {
    SHARED(float, near, [column_words(SHORT_ROWS)]);
    add_up_bias(c, near, (int)blockIdx.z, (int)blockIdx.x);
}

/* Blocks of a replica for dW, db and dx; 0: not wanted. */
typedef struct {
    int weight, bias, input;
} Blocks;

static inline __host__ __device__ int tiles_along(int per, int n) {
    return (n + SIDE * per - 1) / (SIDE * per);
}

static inline __host__ __device__ int tiles_of(int per, int m, int n) {
    return tiles_along(per, m) * tiles_along(per, n);
}

static inline __host__ __device__ Blocks blocks_back(const Call &c, int per_input, int per_weight) {
    Blocks b = {0, 0, 0};
    if (c.din[1].at && blocks_of(c) == 1 && !c.continues) b.weight = tiles_of(per_weight, c.out.cols, c.in[0].cols);
    if (c.in_count == 3 && c.din[2].at) b.bias = (c.out.cols + WARP - 1) / WARP;
    if (c.din[0].at) b.input = tiles_of(per_input, c.in[0].rows, c.in[0].cols);
    return b;
}

static inline __host__ __device__ constexpr int words_back(int per_input, int per_weight) {
    return near_words(per_input) > near_words(per_weight) ? near_words(per_input) : near_words(per_weight);
}

/* Run dW's blocks of all replicas, then db's, then dx's. Return the tile of dx that this block computed; -1: none. */
template <int PER_INPUT, int PER_WEIGHT>
DEVICE_FN int backward_block(const Call &c, float *near, int *replica) {
    static_assert(near_words(PER_WEIGHT) >= column_words(SHORT_ROWS), "columns have room where tiles have it");
    const Blocks n = blocks_back(c, PER_INPUT, PER_WEIGHT);
    const int in = c.in[0].cols, out = c.out.cols, rows = c.in[0].rows;
    int block = (int)blockIdx.x;
    if (block < n.weight * c.replicas) {
        const int r = block / n.weight, tile = block % n.weight, across = tiles_along(PER_WEIGHT, in);
        Multiplication<float *> p = {at(c.din[1], r), (size_t)in, {dout_of(c, r), 1, (size_t)out, out},
                            {in_of(c, 0, r), 1, (size_t)in, in}, rows, NULL, c.accumulate[1], false};
        multiply<PER_WEIGHT, false, false>(p, near, tile % across, tile / across);
        return -1;
    }
    block -= n.weight * c.replicas;
    if (block < n.bias * c.replicas) {
        add_up_bias(c, near, block / n.bias, block % n.bias);
        return -1;
    }
    block -= n.bias * c.replicas;
    const int r = block / n.input, tile = block % n.input, across = tiles_along(PER_INPUT, in);
    Multiplication<Target> p = {din_of(c, 0, r), (size_t)in, {dout_of(c, r), (size_t)out, 1, rows},
                        {in_of(c, 1, r), 1, (size_t)in, in}, out, NULL, c.accumulate[0], false};
    multiply<PER_INPUT, true, false>(p, near, tile % across, tile / across);
    *replica = r;
    return tile;
}

template <int PER_INPUT, int PER_WEIGHT>
KERNEL_FN(backward, AT_LEAST(blocks_at_once(PER_INPUT), THREADS), Call, c) {
    SHARED(float, near, [words_back(PER_INPUT, PER_WEIGHT)]);
    int r;
    backward_block<PER_INPUT, PER_WEIGHT>(c, near, &r);
}

/* Call each(share) for this thread's shares of a tile of a rows x cols matrix that its block has just written. */
template <int PER, typename Each>
DEVICE_FN void pass_over_tile(int rows, int cols, int tile_x, int tile_y, const Each &each) {
    enum { TILE = SIDE * PER, ACROSS = TILE / FOUR };
    __syncthreads(); /* other threads wrote what this one reads */
    for (int i = (int)threadIdx.x; i < TILE * ACROSS; i += THREADS) {
        const int row = tile_y * TILE + i / ACROSS, col = tile_x * TILE + i % ACROSS * FOUR;
        const Fours here = {(size_t)row * cols + col, cols - col < FOUR ? cols - col : (int)FOUR};
        if (row < rows && col < cols) each(here);
    }
}

/* Compute y, then gelu(y), a tile at a time. */
template <int PER>
KERNEL_FN(forward_gelu, AT_LEAST(blocks_at_once(PER), THREADS), Two, t) {
    SHARED(float, near, [near_words(PER)]);
    const int r = (int)blockIdx.z, x = (int)blockIdx.x, y = (int)blockIdx.y;
    forward_tile<PER>(t.first, near, r, x, y);
    pass_over_tile<PER>(t.second.out.rows, t.second.out.cols, x, y,
                        [&](Fours here) { put_values(t.second, r, here, gelu_value); });
}

/* Compute the gradients of a linear whose input is a gelu's output, and replace dx by the gelu's gradient. */
template <int PER_INPUT, int PER_WEIGHT>
KERNEL_FN(backward_gelu, AT_LEAST(blocks_at_once(PER_INPUT), THREADS), Two, t) {
    SHARED(float, near, [words_back(PER_INPUT, PER_WEIGHT)]);
    int r = 0;
    const int tile = backward_block<PER_INPUT, PER_WEIGHT>(t.first, near, &r);
    if (tile < 0) return;
    const int rows = t.second.out.rows, cols = t.second.out.cols, across = tiles_along(PER_INPUT, cols);
    pass_over_tile<PER_INPUT>(rows, cols, tile % across, tile / across,
                              [&](Fours here) { put_slopes(t.second, r, here, gelu_slope); });
}

/* Add b to y after a library's product without bias. */
KERNEL_FN(add_bias, THREADS, Call, c) {
    int r = (int)blockIdx.z, i = thread_index();
    if (i < c.out.rows * c.out.cols) put(out_of(c, r) + i, in_of(c, 2, r)[i % c.out.cols], true);
}

/* Largest PER: counting 16-bit numbers on storing takes registers that tiles of 128 do not leave. */
enum { LARGEST = NARROW ? 4 : 8 };

/* Return how many blocks justify a tile of 128 or 64. An H200 has 132 processors and an A100 has 108; two blocks of the
 * largest tile fit on a processor (128 registers), and small tiles spend their time on shared memory. */
static int enough(int per) {
    return per == 8 ? 216 : 100;
}

static Grid tiles(const Call *c, int per, int m, int n) {
    Grid g = {ceil_of((size_t)n, (unsigned)(SIDE * per)), ceil_of((size_t)m, (unsigned)(SIDE * per)),
              (unsigned)c->replicas, THREADS, 0};
    return g;
}

static int per_of(const Call *c, int m, int n) {
    for (int per = LARGEST; per > 2; per /= 2) {
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

/* Tile sizes of backward: for dW the largest that gives enough blocks alone, one size less if dx fills the device. */
typedef struct {
    int input, weight;
} Tiles;

static Tiles tiles_back(const Call *c) {
    const Blocks large = blocks_back(*c, 8, 8), middle = blocks_back(*c, 4, 4);
    const int n = c->replicas;
    Tiles t = {2, 2};
    if (LARGEST == 8 && large.weight * n >= enough(8))
        t.input = 8, t.weight = 8;
    else if (LARGEST == 8 && large.input * n >= enough(8))
        t.input = 8, t.weight = 4;
    else if ((middle.weight + middle.input) * n >= enough(4))
        t.input = 4, t.weight = 4;
    return t;
}

template <int PER_INPUT, int PER_WEIGHT>
static Grid each_gradient(const Call *c) {
    const Tiles t = tiles_back(c);
    const Blocks b = blocks_back(*c, PER_INPUT, PER_WEIGHT);
    Grid g = {(unsigned)(b.weight + b.bias + b.input) * (unsigned)c->replicas, 1, 1, THREADS, 0};
    return t.input == PER_INPUT && t.weight == PER_WEIGHT ? g : no_grid();
}

static Grid each_part(const Call *c) {
    Grid g = tiles(c, 4, c->out.cols, c->in[0].cols);
    g.z *= (unsigned)blocks_of(*c);
    return c->din[1].at && blocks_of(*c) > 1 ? g : no_grid();
}

static Grid each_join(const Call *c) {
    return c->din[1].at && blocks_of(*c) > 1 ? grid_of(c, (size_t)c->out.cols * (size_t)c->in[0].cols) : no_grid();
}

static Grid each_continued(const Call *c) {
    return c->din[1].at && c->continues ? tiles(c, 4, c->out.cols, c->in[0].cols) : no_grid();
}

static Grid each_bias(const Call *c) {
    return c->in_count == 3 && c->din[2].at ? grid_of_columns(c, (size_t)c->out.cols) : no_grid();
}

static double product_flops(const Call *c) {
    return 2.0 * c->in[0].rows * c->in[0].cols * c->out.cols;
}

static double gradient_flops(const Call *c) {
    const Blocks b = blocks_back(*c, 2, 2);
    return product_flops(c) * ((b.weight > 0) + (b.input > 0));
}

static size_t scratch(const Call *c) {
    if (blocks_of(*c) == 1) return 0;
    return (size_t)c->replicas * (size_t)blocks_of(*c) * (size_t)c->out.cols * (size_t)c->in[0].cols * sizeof(float);
}

static double scratch_bytes(const Call *c) {
    return (double)scratch(c) / c->replicas;
}

#define FORWARD(name, per) \
    { \
        name, BODY(forward<per>, Call), each_output<per>, product_flops, \
            TOUCH_in0 | TOUCH_in1 | TOUCH_in2 | TOUCH_out, NULL, false \
    }
#define BACKWARD(name, per_input, per_weight) \
    { \
        name, BODY((backward<per_input, per_weight>), Call), each_gradient<per_input, per_weight>, gradient_flops, \
            TOUCH_in0 | TOUCH_in1 | TOUCH_dout | TOUCH_din0 | TOUCH_din1 | TOUCH_din2, NULL, false \
    }

#if NARROW
#define OF_128(...)
#else
#define OF_128(...) __VA_ARGS__,
#endif

STAGES(linear,
       {OF_128(FORWARD("linear.forward 128", 8)) FORWARD("linear.forward 64", 4), FORWARD("linear.forward 32", 2)},
       {OF_128(BACKWARD("linear.backward 128", 8, 8)) OF_128(BACKWARD("linear.backward 128, dW 64", 8, 4))
        BACKWARD("linear.backward 64", 4, 4),
        BACKWARD("linear.backward 32", 2, 2),
        {"linear.weight_on", BODY(weight_on, Call), each_continued, product_flops,
         TOUCH_in0 | TOUCH_dout | TOUCH_din1, NULL, false},
        {"linear.weight_parts", BODY(weight_parts, Call), each_part, product_flops, TOUCH_in0 | TOUCH_dout,
         scratch_bytes, false},
        {"linear.weight_join", BODY(weight_join, Call), each_join, NULL, TOUCH_din1, scratch_bytes, true}},
       scratch);

static Grid each_output_with_bias(const Call *c) {
    return c->in_count == 3 ? each_element(c) : no_grid();
}

/* Define the part of linear that our kernels do if a library's products leave it (product.h). */
STAGES(linear_bias,
       {{"linear.add_bias", BODY(add_bias, Call), each_output_with_bias, NULL, TOUCH_in2 | TOUCH_out, NULL, true}},
       {{"linear.bias", BODY(bias, Call), each_bias, NULL, TOUCH_dout | TOUCH_din2, NULL, false}}, NULL);

template <int PER>
static Grid each_output_gelu(const Two *t) {
    return each_output<PER>(&t->first);
}

/* Return the grid of the fused backward: one launch needs that no chain of dW goes on and none is joined. */
template <int PER_INPUT, int PER_WEIGHT>
static Grid each_gradient_gelu(const Two *t) {
    return blocks_of(t->first) == 1 && !t->first.continues ? each_gradient<PER_INPUT, PER_WEIGHT>(&t->first)
                                                           : no_grid();
}

#define FORWARD_GELU(name, per) \
    { \
        name, BODY(forward_gelu<per>, Two), each_output_gelu<per>, product_flops, \
            TOUCH_in0 | TOUCH_in1 | TOUCH_in2 | TOUCH_out, TOUCH_out, "gelu.forward" \
    }
#define BACKWARD_GELU(name, per_input, per_weight) \
    { \
        name, BODY((backward_gelu<per_input, per_weight>), Two), each_gradient_gelu<per_input, per_weight>, \
            gradient_flops, TOUCH_in0 | TOUCH_in1 | TOUCH_dout | TOUCH_din0 | TOUCH_din1 | TOUCH_din2, \
            TOUCH_in0 | TOUCH_din0, "gelu.backward" \
    }

FUSED(linear, gelu, forward,
      {OF_128(FORWARD_GELU("linear, gelu.forward 128", 8)) FORWARD_GELU("linear, gelu.forward 64", 4),
       FORWARD_GELU("linear, gelu.forward 32", 2)});
FUSED(linear, gelu, backward,
      {OF_128(BACKWARD_GELU("linear, gelu.backward 128", 8, 8))
       OF_128(BACKWARD_GELU("linear, gelu.backward 128, dW 64", 8, 4)) BACKWARD_GELU("linear, gelu.backward 64", 4, 4),
       BACKWARD_GELU("linear, gelu.backward 32", 2, 2)});
