/* Bring rows or columns of a parameter to length 1, one StepLines per block. */
#ifndef KERNELS_CUDA_UNIT_LINES_CUH
#define KERNELS_CUDA_UNIT_LINES_CUH

#include "kernels/cuda/columns.cuh"
#include "kernels/step.h"

/* Scale rows, one per warp. */
DEVICE_FN void unit_rows(float *x, const StepLines &l) {
    const int end = l.rows - l.first < STEP_LINES ? l.rows : l.first + STEP_LINES;
    for (int row = l.first + (int)threadIdx.x / WARP; row < end; row += WARPS) {
        float *line = x + (size_t)row * l.cols, norm = CANON_SQRT(row_dot(line, line, l.cols));
        for (int i = lane_id(); norm > 0 && i < l.cols; i += WARP) line[i] /= norm;
    }
}

struct SquareFactors {
    const float *x;
    int cols;
    DEVICE_METHOD Factors operator()(int row, int column) const {
        const float value = x[(size_t)row * cols + column];
        Factors f = {value, value};
        return f;
    }
};

/* Scale columns, one per lane. */
DEVICE_FN void unit_columns(float *x, const StepLines &l) {
    SHARED(float, norm, [STEP_LINES]);
    const int column = l.first + lane_id();
    const SquareFactors of = {x, l.cols};
    float total = column_chain(l.rows, CANON_BLOCK, column, l.cols, of);
    if (threadIdx.x < WARP) norm[threadIdx.x] = total > 0 ? CANON_SQRT(total) : 1;
    __syncthreads();
    for (int row = (int)threadIdx.x / WARP; column < l.cols && row < l.rows; row += WARPS)
        x[(size_t)row * l.cols + column] /= norm[lane_id()];
}

#endif
