#include "kernels/op.h"

#include <math.h>

static const char *shape_same(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    *out = in[0];
    *save = (Shape){0, 0};
    if (count == 2 && (in[1].rows != in[0].rows || in[1].cols != in[0].cols)) return "inputs differ in shape";
    if (attr->group && in[0].cols % attr->group) return "group does not divide the columns";
    return NULL;
}

static void example_same(int rows, int cols, Shape *in, Attr *attr) {
    in[0] = in[1] = (Shape){rows, cols};
    attr->alpha = 0.75, attr->beta = -1.5;
    attr->stream = 7;
}

static const char *shape_cap(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    if (!(attr->alpha > 0)) return "the cap is not above 0";
    return shape_same(in, count, attr, out, save);
}

#define example_cap example_same

static const char *shape_table(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    *out = (Shape){in[0].rows, in[1].cols};
    *save = (Shape){0, 0};
    if (in[0].cols != 1) return "token ids are one column";
    if (count < 3) return NULL;
    if (in[2].cols != in[1].cols) return "token and position tables differ in width";
    if (attr->seq < 1 || in[2].rows < attr->seq || in[0].rows % attr->seq) return "positions do not fit the sequence";
    return NULL;
}

/* Make a table of few lines, of more lines than rows, or of more than 65,536: the cases of kernels/cuda/embed.cu. */
static void example_table(int rows, int cols, Shape *in, Attr *attr) {
    attr->seq = rows % 3 ? rows : rows / 3;
    in[0] = (Shape){rows, 1};
    in[1] = (Shape){cols == 2 ? 66000 : cols % 8 ? 5 : rows + 300, cols};
    in[2] = (Shape){attr->seq, cols};
}

static const char *shape_linear(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)attr;
    *out = (Shape){in[0].rows, in[1].rows};
    *save = (Shape){0, 0};
    if (in[0].cols != in[1].cols) return "x and W differ in width";
    if (count == 3 && (in[2].rows != 1 || in[2].cols != in[1].rows)) return "bias is not one row of W's height";
    return NULL;
}

static void example_linear(int rows, int cols, Shape *in, Attr *attr) {
    (void)attr;
    in[0] = (Shape){rows, cols};
    in[1] = (Shape){cols + 4, cols};
    in[2] = (Shape){1, cols + 4};
}

static const char *shape_norm(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    int group = attr->group ? attr->group : in[0].cols;
    *out = in[0];
    *save = (Shape){in[0].rows, in[0].cols % group ? 0 : 2 * (in[0].cols / group)}; /* mean and 1/deviation per group */
    if (in[0].cols % group) return "group does not divide the columns";
    for (int i = 1; i < count; i++)
        if (in[i].rows != 1 || in[i].cols != group) return "gain and bias are one row of the group's width";
    return NULL;
}

static void example_norm(int rows, int cols, Shape *in, Attr *attr) {
    attr->eps = 1e-5;
    attr->group = cols % 8 ? 0 : cols / 2;
    in[0] = (Shape){rows, cols};
    in[1] = in[2] = (Shape){1, attr->group ? attr->group : cols};
}

static const char *shape_affine(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)attr;
    *out = in[0];
    *save = (Shape){0, 0};
    for (int i = 1; i < count; i++)
        if (in[i].rows != 1 || in[i].cols != in[0].cols) return "gain and bias are one row of the input's width";
    return NULL;
}

static void example_affine(int rows, int cols, Shape *in, Attr *attr) {
    (void)attr;
    in[0] = (Shape){rows, cols};
    in[1] = in[2] = (Shape){1, cols};
}

/* Take a gain for each of q and k, or one for v. */
static const char *shape_qkvnorm(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    int width = in[0].cols / 3;
    *out = in[0];
    *save = (Shape){0, 0};
    if (in[0].cols % 3) return "x is not [q | k | v]";
    int group = attr->group ? attr->group : width;
    if (width % group) return "group does not divide the columns of q";
    for (int i = 1; i < count; i++)
        if (in[i].rows != 1 || in[i].cols != group) return "gains are one row of the group's width";
    *save = (Shape){in[0].rows, (count - 1) * (width / group)}; /* 1/deviation per group of q, then of k; or of v */
    return NULL;
}

static void example_qkvnorm(int rows, int cols, Shape *in, Attr *attr) {
    attr->eps = 1e-5;
    attr->group = cols % 2 ? 0 : cols / 2;
    in[0] = (Shape){rows, 3 * cols};
    in[1] = in[2] = (Shape){1, attr->group ? attr->group : cols};
}

static const char *shape_attention(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count;
    *out = (Shape){in[0].rows, in[0].cols / 3};
    *save = (Shape){in[0].rows, 2 * attr->heads}; /* of each head: rows' maxima, then 1/sums */
    if (in[0].cols % 3) return "x is not [q | k | v]";
    if (attr->heads < 1 || in[0].cols / 3 % attr->heads) return "heads do not divide the width";
    if (attr->seq < 1 || in[0].rows % attr->seq) return "rows are not whole sequences";
    return NULL;
}

static void example_attention(int rows, int cols, Shape *in, Attr *attr) {
    attr->seq = rows % 3 ? rows : rows / 3;
    attr->heads = cols % 2 ? 1 : 2;
    in[0] = (Shape){rows, 3 * cols};
}

static const char *shape_attend(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count;
    *out = in[0];
    *save = (Shape){in[0].rows, 2 * attr->heads}; /* of each head: rows' maxima, then 1/sums */
    if (in[1].cols != in[0].cols || in[2].cols != in[0].cols) return "q, k and v differ in width";
    if (in[1].rows != in[2].rows) return "k and v differ in rows";
    if (attr->heads < 1 || in[0].cols % attr->heads) return "heads do not divide the width";
    if (in[3].rows != 2 * in[0].rows || in[3].cols != 1) return "ranges are not two ids per row of q";
    return attr->seq < 1 || attr->seq > in[1].rows ? "a query cannot see so many keys" : NULL;
}

static void example_attend(int rows, int cols, Shape *in, Attr *attr) {
    attr->heads = cols % 2 ? 1 : 2;
    attr->seq = rows + 3;
    in[0] = (Shape){rows, cols};
    in[1] = in[2] = (Shape){rows + 3, cols};
    in[3] = (Shape){2 * rows, 1};
}

static const char *shape_placed(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count, (void)attr;
    *out = in[0];
    *save = (Shape){0, 0};
    return in[1].rows != in[0].rows || in[1].cols != 1 ? "positions are not one per row" : NULL;
}

static void example_placed(int rows, int cols, Shape *in, Attr *attr) {
    (void)attr;
    in[0] = (Shape){rows, cols};
    in[1] = (Shape){rows, 1};
}

static const char *shape_rope(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    Shape y;
    const char *wrong = shape_attention(in, count, attr, &y, save);
    *out = in[0];
    *save = (Shape){0, 0};
    if (wrong) return wrong;
    return y.cols / attr->heads % 2 ? "columns of a head do not make pairs" : NULL;
}

static void example_rope(int rows, int cols, Shape *in, Attr *attr) {
    example_attention(rows, cols % 4 ? 4 * cols : cols, in, attr);
}

static const char *shape_halves(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count;
    (void)attr;
    *out = (Shape){in[0].rows, in[0].cols / 2};
    *save = (Shape){0, 0};
    return in[0].cols % 2 ? "x is not [a | b]" : NULL;
}

static void example_halves(int rows, int cols, Shape *in, Attr *attr) {
    (void)attr;
    in[0] = (Shape){rows, 2 * cols};
}

static const char *shape_gate(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count;
    (void)attr;
    *out = in[0];
    *save = (Shape){0, 0};
    if (in[1].rows == 1 && in[1].cols > 0 && in[0].cols % in[1].cols == 0) return NULL;
    return "gate is not one number, one row, or a number for each of equal groups of columns";
}

static void example_gate(int rows, int cols, Shape *in, Attr *attr) {
    (void)attr;
    in[0] = (Shape){rows, cols};
    in[1] = (Shape){1, cols % 2 ? 1 : cols % 8 ? cols : cols / 4};
}

static const char *shape_shift(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count;
    (void)attr;
    *out = in[0];
    *save = (Shape){0, 0};
    if (in[1].rows == 1 && (in[1].cols == 1 || in[1].cols == in[0].cols)) return NULL;
    return "shift is not one number or one row";
}

static void example_shift(int rows, int cols, Shape *in, Attr *attr) {
    (void)attr;
    in[0] = (Shape){rows, cols};
    in[1] = (Shape){1, cols % 2 ? 1 : cols};
}

static const char *shape_append(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count;
    (void)attr;
    *out = (Shape){in[0].rows, in[0].cols + in[1].cols};
    *save = (Shape){0, 0};
    return in[0].rows != in[1].rows ? "inputs differ in rows" : NULL;
}

static void example_append(int rows, int cols, Shape *in, Attr *attr) {
    (void)attr;
    in[0] = (Shape){rows, cols};
    in[1] = (Shape){rows, cols + 3};
}

static const char *shape_streams(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    int d = attr->group ? attr->group : in[0].cols, n = in[0].cols / d;
    (void)count;
    *out = *save = (Shape){0, 0};
    if (in[0].cols % d) return "group does not divide the columns";
    if (in[1].rows != 1 || in[1].cols % n) return "the matrix is not one row of a number for each pair of groups";
    *out = (Shape){in[0].rows, in[1].cols / n * d};
    return NULL;
}

/* Make 2 groups that become 3, or 3 that become 2. */
static void example_streams(int rows, int cols, Shape *in, Attr *attr) {
    attr->group = cols;
    in[0] = (Shape){rows, (cols % 2 ? 3 : 2) * cols};
    in[1] = (Shape){1, 6};
}

static const char *shape_mix(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    int d = attr->group ? attr->group : in[0].cols, n = in[0].cols / d;
    (void)count;
    *out = *save = (Shape){0, 0};
    if (in[0].cols % d) return "group does not divide the columns";
    if (in[1].rows != in[0].rows || in[1].cols % n) return "a row's matrix has no number for each pair of groups";
    *out = (Shape){in[0].rows, in[1].cols / n * d};
    return NULL;
}

/* 2 groups become 3, or 3 become 2. */
static void example_mix(int rows, int cols, Shape *in, Attr *attr) {
    example_streams(rows, cols, in, attr);
    in[1].rows = rows;
}

static const char *shape_sinkhorn(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    int n = attr->group;
    (void)count;
    *out = in[0];
    *save = (Shape){in[0].rows, in[0].cols + 2 * SINKHORN_STEPS * n}; /* y, sums of columns and rows */
    if (n < 1 || n > SINKHORN_MAX) return "the matrix has no row or too many";
    return in[0].cols != n * n ? "x is not a square matrix" : NULL;
}

static void example_sinkhorn(int rows, int cols, Shape *in, Attr *attr) {
    attr->group = cols > 100 ? SINKHORN_MAX : 2 + cols % 3;
    in[0] = (Shape){rows, attr->group * attr->group};
}

static const char *shape_attnres(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    int d = attr->group ? attr->group : in[0].cols;
    (void)count;
    *out = (Shape){in[0].rows, d};
    *save = (Shape){in[0].rows, 3 * (in[0].cols / d)}; /* scores, 1/rms, weights of the groups */
    if (in[0].cols % d) return "group does not divide the columns";
    return in[1].rows != 1 || in[1].cols != d ? "the query is not one row of the group's width" : NULL;
}

/* Make 3 groups, or more than a warp has lanes. */
static void example_attnres(int rows, int cols, Shape *in, Attr *attr) {
    attr->eps = 1e-5;
    attr->group = cols;
    in[0] = (Shape){rows, (cols == 5 ? 35 : 3) * cols};
    in[1] = (Shape){1, cols};
}

static const char *shape_number(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)attr;
    *out = in[0];
    *save = (Shape){0, 0};
    if (count < 2) return NULL;
    return in[1].rows != 1 || in[1].cols != 1 ? "the parameter is not one number" : NULL;
}

static void example_number(int rows, int cols, Shape *in, Attr *attr) {
    (void)attr;
    in[0] = (Shape){rows, cols};
    in[1] = (Shape){1, 1};
}

static const char *shape_loss(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count;
    (void)attr;
    *out = (Shape){in[0].rows, 1};
    *save = (Shape){in[0].rows, 2}; /* log-sum-exp; 1 where the first largest logit is the target's */
    return in[1].rows != in[0].rows || in[1].cols != 1 ? "targets are not one per row" : NULL;
}

static void example_loss(int rows, int cols, Shape *in, Attr *attr) {
    (void)attr;
    in[0] = (Shape){rows, cols};
    in[1] = (Shape){rows, 1};
}

static const char *shape_mean(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count;
    (void)attr;
    *out = (Shape){1, 1};
    *save = (Shape){0, 0};
    return in[0].cols != 1 ? "the mean is over one column" : NULL;
}

static void example_mean(int rows, int cols, Shape *in, Attr *attr) {
    (void)cols;
    (void)attr;
    in[0] = (Shape){rows, 1};
}

static const char *shape_rowwise(const Shape *in, int count, const Attr *attr, Shape *out, Shape *save) {
    (void)count;
    (void)attr;
    *out = (Shape){in[0].rows, 1};
    *save = (Shape){0, 0};
    return NULL;
}

#define example_rowwise example_same

/* Count multiplications and additions of matrix products; every product of forward has two in backward. */
static OpCost thrice(double forward) {
    return (OpCost){forward, 2 * forward};
}

static OpCost flops_none(const Shape *in, Shape out, const Attr *attr) {
    (void)in, (void)out, (void)attr;
    return thrice(0);
}

static OpCost flops_product(const Shape *in, Shape out, const Attr *attr) {
    (void)attr;
    return thrice(2.0 * in[0].rows * in[0].cols * out.cols);
}

/* Count q k^T and P v over the keys that a query sees: T, or (T + 1) / 2 on average with a causal mask. */
static OpCost flops_scores(const Shape *in, Shape out, const Attr *attr) {
    (void)in;
    return thrice(2 * 2.0 * out.rows * out.cols * (attr->full ? 2 * attr->seq : attr->seq + 1) / 2);
}

/* Count as if every query saw as many keys as it may. */
static OpCost flops_chosen(const Shape *in, Shape out, const Attr *attr) {
    (void)in;
    return thrice(2 * 2.0 * out.rows * out.cols * attr->seq);
}

static double bytes_of(View v, size_t word) {
    return (double)word * v.rows * v.cols;
}

/* Count every tensor once per pass; backward reads the inputs' values only if `reread`. No input counts as more than
 * `most` bytes. */
static OpCost bytes_moved(const Call *c, size_t word, bool reread, double most) {
    double y = bytes_of(c->out, word) + bytes_of(c->save, word);
    OpCost bytes = {y, y};
    for (int i = 0; i < c->in_count; i++) {
        double x = bytes_of(c->in[i], input_is_ids(c->kind, i) ? sizeof(int32_t) : word);
        double dx = bytes_of(c->in[i], word);
        if (x > most) x = most;
        bytes.forward += x;
        if (reread) bytes.backward += x;
        if (c->din[i].at) bytes.backward += c->accumulate[i] ? 2 * dx : dx;
    }
    return bytes;
}

static OpCost bytes_inputs_twice(const Call *c, size_t word) {
    return bytes_moved(c, word, true, (double)INFINITY);
}

/* Count the inputs in forward only: backward does not read their values. */
static OpCost bytes_inputs_once(const Call *c, size_t word) {
    return bytes_moved(c, word, false, (double)INFINITY);
}

/* Count only the rows of a table that are looked up. */
static OpCost bytes_looked_up(const Call *c, size_t word) {
    return bytes_moved(c, word, false, bytes_of(c->out, word));
}

#define IN1(a) {INPUT_##a}
#define IN2(a, b) {INPUT_##a, INPUT_##b}
#define IN3(a, b, c) {INPUT_##a, INPUT_##b, INPUT_##c}
#define IN4(a, b, c, d) {INPUT_##a, INPUT_##b, INPUT_##c, INPUT_##d}
const OpInfo op_info[OP_COUNT] = {
#define OP(name, inputs, rule, y, dx, flops, bytes, formula) \
    [OP_##name] = {#name, formula, inputs, shape_##rule, example_##rule, y, dx, flops_##flops, bytes_##bytes},
#include "kernels/ops.def"
#undef OP
};

bool input_is_ids(OpKind kind, int input) {
    return op_info[kind].input[input] == INPUT_token || op_info[kind].input[input] == INPUT_range;
}

bool op_is_probe(OpKind kind) {
    return op_info[kind].dx == no_dx;
}

bool op_measures(OpKind kind) {
    return op_info[kind].shape == shape_loss || op_info[kind].shape == shape_mean ||
           op_info[kind].shape == shape_rowwise;
}

bool op_stored(OpKind kind, int input) {
    if (input < 0) return !op_measures(kind);
    return !input_is_ids(kind, input) && op_info[kind].shape != shape_mean;
}

bool op_in_place(OpKind kind) {
    return op_info[kind].dx == dx_over_dy || op_stops(kind);
}

bool op_stops(OpKind kind) {
    return op_info[kind].dx == dx_stopped;
}

bool op_over_self(OpKind kind) {
    return op_info[kind].dx == dx_over_x;
}

int op_over(OpKind kind) {
    return (int)op_info[kind].y - (int)y_over_in0;
}

int op_most_inputs(OpKind kind) {
    int n = 0;
    while (n < OP_MAX_IN && op_info[kind].input[n] != INPUT_absent) n++;
    return n;
}

int op_least_inputs(OpKind kind) {
    int n = op_most_inputs(kind);
    while (n && op_info[kind].input[n - 1] == INPUT_optional_param) n--;
    return n;
}
