/* y = [x0 | x1]; each gradient is its columns of dy, in a stage of its own, since both inputs may be one tensor. */
#include "kernels/cuda/device.cuh"

KERNEL_FN(forward, THREADS, Call, c) {
    int r = (int)blockIdx.z, n0 = c.in[0].cols, n1 = c.in[1].cols, i = thread_index();
    if (i >= c.out.rows * (n0 + n1)) return;
    int row = i / (n0 + n1), column = i % (n0 + n1);
    out_of(c, r)[i] =
        column < n0 ? in_of(c, 0, r)[(size_t)row * n0 + column] : in_of(c, 1, r)[(size_t)row * n1 + column - n0];
}

/* Return element i of the gradient of input `which`, whose columns in dy begin at `first`. */
DEVICE_FN float number_of_dy(const Call &c, int which, int first, int i) {
    const int n = c.in[which].cols;
    return dout_of(c, (int)blockIdx.z)[(size_t)(i / n) * c.out.cols + first + i % n];
}

DEVICE_FN bool is_one_tensor(const Call &c) {
    return c.din[0].at == c.din[1].at;
}

/* Write the first gradient; if both inputs are one tensor, write the sum, which is what 16 bits must round. */
KERNEL_FN(first, THREADS, Call, c) {
    const int i = thread_index();
    if (i >= c.out.rows * c.in[0].cols) return;
    const Target dx = din_of(c, 0, (int)blockIdx.z) + i;
    float x = number_of_dy(c, 0, 0, i);
    if (c.accumulate[0]) x = *dx + x;
    if (NARROW && is_one_tensor(c)) x += number_of_dy(c, 1, c.in[0].cols, i);
    *dx = x;
}

/* Write the second gradient; if both inputs are one tensor, only count it. */
KERNEL_FN(second, THREADS, Call, c) {
    const int i = thread_index();
    if (i >= c.out.rows * c.in[1].cols) return;
    const Target dx = din_of(c, 1, (int)blockIdx.z) + i;
    if (NARROW && is_one_tensor(c))
        *dx = (float)*dx;
    else
        put(dx, number_of_dy(c, 1, c.in[0].cols, i), c.accumulate[1]);
}

static Grid each_of(const Call *c, int which) {
    size_t words = (size_t)c->in[which].rows * (size_t)c->in[which].cols;
    return c->din[which].at ? grid_of(c, words) : no_grid();
}

static Grid each_of_first(const Call *c) {
    return each_of(c, 0);
}

static Grid each_of_second(const Call *c) {
    return each_of(c, 1);
}

/* Count the bytes of an input's columns of dy: as many numbers as its gradient has. */
static double first_bytes(const Call *c) {
    return 4.0 * c->in[0].rows * c->in[0].cols;
}

static double second_bytes(const Call *c) {
    return 4.0 * c->in[1].rows * c->in[1].cols;
}

STAGES(append,
       {{"append.forward", BODY(forward, Call), each_element, NULL, TOUCH_in0 | TOUCH_in1 | TOUCH_out, NULL, true}},
       {{"append.first", BODY(first, Call), each_of_first, NULL, TOUCH_din0, first_bytes, true},
        {"append.second", BODY(second, Call), each_of_second, NULL, TOUCH_din1, second_bytes, true}},
       NULL);
