/* Round and count a library's products for fp16, from floats in scratch (product.h). */
#include "kernels/cuda/fours.cuh"

/* Return the address of a library's product, floats in scratch. */
DEVICE_FN const float *product_of(const Call &c, int r, const View like) {
    return (const float *)c.scratch + (size_t)r * like.rows * like.cols;
}

/* Compute y = product [+ b]. */
KERNEL_FN(place_output, THREADS, Call, c) {
    const int r = (int)blockIdx.z;
    each_in_row(c.out, [&](int e, int by) {
        const Fours here = {(size_t)e, by}, columns = {(size_t)(e % c.out.cols), by};
        float y[FOUR], b[FOUR];
        read_fours(y, product_of(c, r, c.out), here);
        if (c.in_count == 3) {
            read_fours(b, in_of(c, 2, r), columns);
#pragma unroll
            for (int i = 0; i < FOUR; i++) y[i] += b[i];
        }
        put_fours(out_of(c, r), y, here, false);
    });
}

/* Compute dx = [dx +] product. */
KERNEL_FN(place_input, THREADS, Call, c) {
    const int r = (int)blockIdx.z;
    const Fours here = fours_of(c.in[0]);
    float x[FOUR];
    if (!here.exist) return;
    read_fours(x, product_of(c, r, c.in[0]), here);
    put_fours(din_of(c, 0, r), x, here, c.accumulate[0]);
}

static Grid each_four_of_input(const Call *c) {
    return c->din[0].at ? grid_of_fours(c, (size_t)c->in[0].rows * (size_t)c->in[0].cols) : no_grid();
}

/* Return the bytes of one product: only one exists at a time. */
static size_t product_scratch(const Call *c) {
    const int in = c->in[0].cols, out = c->out.cols;
    return (size_t)c->replicas * (size_t)c->out.rows * (size_t)(in > out ? in : out) * sizeof(float);
}

static double output_bytes(const Call *c) {
    return 4.0 * c->out.rows * c->out.cols;
}

static double input_bytes(const Call *c) {
    return 4.0 * c->in[0].rows * c->in[0].cols;
}

STAGES(linear_place,
       {{"linear.place_output", BODY(place_output, Call), each_four, NULL, TOUCH_in2 | TOUCH_out, output_bytes, true}},
       {{"linear.place_input", BODY(place_input, Call), each_four_of_input, NULL, TOUCH_din0, input_bytes, true}},
       product_scratch);
