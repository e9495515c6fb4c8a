/* y = wte[token] + wpe[row mod seq], or without a table of positions wte[token]
 * Gradients are sums over token rows into the two tables' rows: one lane sums each element of a table, over its rows in
 * order.
 *
 * A line of the token table finds its rows in one of two ways, with the same bits. In a short table (`tokens`) every
 * line reads the tokens of all rows. That is lines x rows of work, so in a long table the rows are first sorted by
 * token (`count`, `place`: a radix sort by digits of 8 bits, the lowest first). Every pass keeps the order of rows with
 * equal digits, so a line's rows become neighbours, ascending: `starts` finds where each line's begin, `sums` adds
 * them. */
#include "kernels/cuda/device.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index(), row = i / d, j = i % d;
    if (row >= c.out.rows) return;
    const Number *te = in_of(c, 1, r) + (size_t)ids(c.in[0], r)[row] * d, *wpe = in_of(c, 2, r);
    out_of(c, r)[i] = wpe ? te[j] + wpe[(size_t)(row % c.attr.seq) * d + j] : te[j];
}

/* Return how many pieces of 32 columns a table's line has. */
static inline __host__ __device__ int pieces_of(const Call &c) {
    return (c.out.cols + WARP - 1) / WARP;
}

/* Sum a piece of a line by a warp: 32 rows at a time are tested for this line's token, and its rows are added in
 * order. */
KERNEL_FN(tokens, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, rows = c.out.rows, line = warp_row() / pieces_of(c);
    int j = warp_row() % pieces_of(c) * WARP + lane_id(), block = 0;
    if (line >= c.din[1].rows) return;
    const int32_t *token = ids(c.in[0], r);
    const Number *dy = dout_of(c, r) + (j < d ? j : 0);
    float chain = 0;
    Tree tree;
    for (int from = 0; from < rows; from += WARP) {
        if (from && from % CANON_BLOCK == 0) tree_push(&tree, block++, chain), chain = 0;
        unsigned here = __ballot_sync(ALL_LANES, from + lane_id() < rows && token[from + lane_id()] == line);
        for (; here; here &= here - 1) chain += dy[(size_t)(from + __ffs((int)here) - 1) * d];
    }
    if (block) tree_push(&tree, block, chain), chain = tree_end(&tree, block + 1);
    if (j < d) put(at(c.din[1], r) + (size_t)line * d + j, chain, c.accumulate[1]);
}

/* A warp sorts a strip of rows, a block a tile of strips; a thread of a block is also one of the digits. */
enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, PASSES_MAX = 3, STRIP = 256, TILE = WARPS * STRIP };
static_assert((int)DIGITS == (int)THREADS, "a thread is a digit");

static inline __host__ __device__ int tiles_of(const Call &c) {
    return (c.out.rows + TILE - 1) / TILE;
}

static inline __host__ __device__ int passes_of(const Call &c) {
    return c.in[1].rows <= DIGITS * DIGITS ? 2 : PASSES_MAX;
}

/* Return the size of the counts of rows by strip and digit. */
static inline __host__ __device__ size_t counts_of(const Call &c) {
    return (size_t)tiles_of(c) * WARPS * DIGITS;
}

/* Return the ints of a replica's scratch: rows in two orders, counts, each line's first row and the last line's end. */
static inline __host__ __device__ size_t ints_of(const Call &c) {
    return 2 * (size_t)c.out.rows + counts_of(c) + (size_t)c.in[1].rows + 1;
}

/* Return the order of rows after `passes` passes, one or more. */
DEVICE_FN int *order_at(const Call &c, int r, int passes) {
    return (int *)c.scratch + (size_t)r * ints_of(c) + (size_t)(passes % 2) * c.out.rows;
}

DEVICE_FN int *counts_at(const Call &c, int r) {
    return (int *)c.scratch + (size_t)r * ints_of(c) + 2 * (size_t)c.out.rows;
}

DEVICE_FN int *starts_at(const Call &c, int r) {
    return counts_at(c, r) + counts_of(c);
}

/* Return the i-th row before a pass. */
template <int PASS>
DEVICE_FN int row_at(const Call &c, int r, int i) {
    return PASS == 1 ? i : order_at(c, r, PASS - 1)[i];
}

template <int PASS>
DEVICE_FN int digit_of(const Call &c, int r, int row) {
    return ids(c.in[0], r)[row] >> (PASS - 1) * DIGIT_BITS & (DIGITS - 1);
}

/* Count rows by digit; integer sums do not depend on the order. */
template <int PASS>
KERNEL_FN(count, THREADS, Call, c) {
    SHARED(int, counted, [WARPS][DIGITS]);
    int r = (int)blockIdx.z, warp = (int)threadIdx.x / WARP, first = warp_row() * STRIP;
    for (int w = 0; w < WARPS; w++) counted[w][threadIdx.x] = 0;
    __syncthreads();
    for (int i = first + lane_id(); i < first + STRIP && i < c.out.rows; i += WARP)
        atomicAdd(&counted[warp][digit_of<PASS>(c, r, row_at<PASS>(c, r, i))], 1);
    __syncthreads();
    int *counts = counts_at(c, r) + (size_t)blockIdx.x * WARPS * DIGITS;
    for (int w = 0; w < WARPS; w++) counts[w * DIGITS + threadIdx.x] = counted[w][threadIdx.x];
}

/* Compute the place of the first row of each digit in each strip of this block: after rows of lower digits, and rows of
 * the same digit in earlier strips. */
DEVICE_FN void first_places(const Call &c, int (&place)[WARPS][DIGITS], int (&sum)[DIGITS]) {
    const int digit = (int)threadIdx.x, *counts = counts_at(c, (int)blockIdx.z) + digit;
    int all = 0;
    for (int strip = 0, mine = -(int)blockIdx.x * WARPS; strip < tiles_of(c) * WARPS; strip++, mine++) {
        if (mine >= 0 && mine < WARPS) place[mine][digit] = all;
        all += counts[(size_t)strip * DIGITS];
    }
    sum[digit] = all;
    __syncthreads();
    for (int by = 1; by < DIGITS; by *= 2) {
        int lower = digit >= by ? sum[digit - by] : 0;
        __syncthreads();
        sum[digit] += lower;
        __syncthreads();
    }
    for (int w = 0; w < WARPS; w++) place[w][digit] += sum[digit] - all;
    __syncthreads();
}

/* Return the lanes that have a row with this lane's digit. */
DEVICE_FN unsigned peers_of(int digit, bool has_row) {
    unsigned peers = __ballot_sync(ALL_LANES, has_row);
    for (int bit = 1; bit < DIGITS; bit *= 2) {
        unsigned set = __ballot_sync(ALL_LANES, digit & bit);
        peers &= digit & bit ? set : ~set;
    }
    return peers;
}

#ifdef SIMT_CALL /* each call is a place of its own */
#define first_places(...) SIMT_CALL(first_places, __VA_ARGS__)
#define peers_of(...) SIMT_CALL(peers_of, __VA_ARGS__)
#endif

/* Move a warp's strip in order, 32 rows at a time: rows of one digit become neighbours, ordered by lane. */
template <int PASS>
KERNEL_FN(place, THREADS, Call, c) {
    SHARED(int, free_place, [WARPS][DIGITS]);
    SHARED(int, sum, [DIGITS]);
    int r = (int)blockIdx.z, lane = lane_id(), first = warp_row() * STRIP, *order = order_at(c, r, PASS);
    first_places(c, free_place, sum);
    for (int from = first; from < first + STRIP && from < c.out.rows; from += WARP) {
        const bool has_row = from + lane < c.out.rows;
        const int row = row_at<PASS>(c, r, has_row ? from + lane : from), digit = digit_of<PASS>(c, r, row);
        const unsigned peers = peers_of(digit, has_row);
        int *next = &free_place[threadIdx.x / WARP][digit];
        if (has_row) order[*next + __popc(peers & ((1u << lane) - 1))] = row;
        __syncwarp();
        if (has_row && lane == __ffs((int)peers) - 1) *next += __popc(peers);
        __syncwarp();
    }
}

/* Return the first of rows from..to - 1 whose token (token NULL: the row itself) is not below `least`; they are sorted
 * by it. */
DEVICE_FN int first_from(const int *row, const int32_t *token, int from, int to, int least) {
    while (from < to) {
        int middle = (from + to) / 2;
        if ((token ? token[row[middle]] : row[middle]) < least)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

KERNEL_FN(starts, THREADS, Call, c) {
    int r = (int)blockIdx.z, line = thread_index();
    if (line > c.din[1].rows) return;
    starts_at(c, r)[line] = first_from(order_at(c, r, passes_of(c)), ids(c.in[0], r), 0, c.out.rows, line);
}

/* Sum each line's rows. For a line without rows every chain is +0, and so is their tree. */
KERNEL_FN(sums, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index(), line = i / d;
    if (line >= c.din[1].rows) return;
    const Number *dy = dout_of(c, r) + i % d;
    const int *row = order_at(c, r, passes_of(c)), *start = starts_at(c, r) + line;
    int from = start[0], end = start[1], blocks = (c.out.rows + CANON_BLOCK - 1) / CANON_BLOCK;
    float total = 0;
    if (from < end) {
        Tree tree;
        for (int b = 0; b < blocks; b++) {
            float chain = 0;
            int to = first_from(row, NULL, from, end, (b + 1) * CANON_BLOCK);
#pragma unroll 8
            for (; from < to; from++) chain += dy[(size_t)row[from] * d];
            tree_push(&tree, b, chain);
        }
        total = tree_end(&tree, blocks);
    }
    put(at(c.din[1], r) + i, total, c.accumulate[1]);
}

KERNEL_FN(positions, THREADS, Call, c) {
    int r = (int)blockIdx.z, d = c.out.cols, i = thread_index(), line = i / d, j = i % d;
    if (line >= c.din[2].rows) return;
    const Number *dy = dout_of(c, r);
    Tree tree;
    int blocks = (c.out.rows + CANON_BLOCK - 1) / CANON_BLOCK, row = line;
    for (int b = 0; b < blocks; b++) {
        float chain = 0;
        int end = c.out.rows < (b + 1) * CANON_BLOCK ? c.out.rows : (b + 1) * CANON_BLOCK;
        for (; row < end; row += c.attr.seq) chain += dy[(size_t)row * d + j];
        tree_push(&tree, b, chain);
    }
    put(at(c.din[2], r) + i, tree_end(&tree, blocks), c.accumulate[2]);
}

/* Return true if rows are sorted: the table has more lines than a vocabulary of letters or bytes, and more pieces than
 * rows. Unsorted they would read more than rows^2 tokens; a sort reads two per row and pass, and the search for starts
 * log2(rows) per line, in six or eight launches instead of one. The best threshold was not measured on a device. Tokens
 * of more than three digits are not sorted. */
static bool is_long(const Call *c) {
    int lines = c->in[1].rows;
    return lines > DIGITS && lines <= 1 << PASSES_MAX * DIGIT_BITS &&
           (size_t)lines * (size_t)pieces_of(*c) > (size_t)c->out.rows;
}

static Grid each_piece(const Call *c) {
    if (!c->din[1].at || is_long(c)) return no_grid();
    return grid_of_rows(c, (size_t)c->din[1].rows * (size_t)pieces_of(*c));
}

template <int PASS>
static Grid each_tile(const Call *c) {
    Grid g = {(unsigned)tiles_of(*c), 1, (unsigned)c->replicas, THREADS, 0};
    return c->din[1].at && is_long(c) && PASS <= passes_of(*c) ? g : no_grid();
}

static Grid each_start(const Call *c) {
    return c->din[1].at && is_long(c) ? grid_of(c, (size_t)c->din[1].rows + 1) : no_grid();
}

static Grid each_sum(const Call *c) {
    return c->din[1].at && is_long(c) ? grid_of(c, (size_t)c->din[1].rows * (size_t)c->out.cols) : no_grid();
}

static Grid each_position(const Call *c) {
    return c->din[2].at ? grid_of(c, (size_t)c->din[2].rows * (size_t)c->out.cols) : no_grid();
}

static size_t scratch(const Call *c) {
    return is_long(c) ? (size_t)c->replicas * ints_of(*c) * sizeof(int) : 0;
}

/* Count the bytes of a pass: the order before it, counts, the order after it. */
template <int PASS>
static double count_bytes(const Call *c) {
    return 4.0 * ((double)counts_of(*c) + (PASS == 1 ? 0 : c->out.rows));
}

template <int PASS>
static double place_bytes(const Call *c) {
    return count_bytes<PASS>(c) + 4.0 * c->out.rows;
}

static double sorted_bytes(const Call *c) {
    return 4.0 * ((double)c->out.rows + c->in[1].rows + 1);
}

#define SORT(pass, name) \
    {"embed.count" name, BODY(count<pass>, Call), each_tile<pass>, NULL, TOUCH_in0, count_bytes<pass>, false}, { \
        "embed.place" name, BODY(place<pass>, Call), each_tile<pass>, NULL, TOUCH_in0, place_bytes<pass>, false \
    }

STAGES(embed,
       {{"embed.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_in2 | TOUCH_out, NULL,
         true}},
       {{"embed.tokens", BODY(tokens, Call), each_piece, NULL, TOUCH_in0 | TOUCH_dout | TOUCH_din1, NULL, false},
        SORT(1, " 1"),
        SORT(2, " 2"),
        SORT(3, " 3"),
        {"embed.starts", BODY(starts, Call), each_start, NULL, TOUCH_in0, sorted_bytes, true},
        {"embed.sums", BODY(sums, Call), each_sum, NULL, TOUCH_dout | TOUCH_din1, sorted_bytes, true},
        {"embed.positions", BODY(positions, Call), each_position, NULL, TOUCH_dout | TOUCH_din2, NULL, true}},
       scratch);
