/* Tables of an op's launches. One table of stages, written once in kernels/cuda/<op>.cu, serves the device, the SIMT
 * shim that runs the same code on a CPU, and the dry run that counts what a step launches, reads and computes. Shared
 * by C and CUDA. */
#ifndef KERNELS_CUDA_LAUNCH_H
#define KERNELS_CUDA_LAUNCH_H

#include "kernels/op.h"

/* Blocks in x, y and z (z is the replica, unless x counts the blocks of all replicas), threads of a block in x, bytes
 * of dynamic shared memory. x = 0: this Call has nothing for the stage to do. */
typedef struct {
    unsigned x, y, z, threads;
    size_t shared;
} Grid;

/* CUDA's limits of a launch (CUDA C++ Programming Guide, technical specifications per compute capability). Only the
 * shared memory per block differs between the devices that this program is built for. */
enum {
    GRID_X_MAX = 0x7fffffff,
    GRID_YZ_MAX = 65535,
    BLOCK_THREADS_MAX = 1024,
    SHARED_SM_80 = 163 << 10,
    SHARED_SM_90 = 227 << 10
};

/* Tensors that a stage reads or writes once, for the lower bounds of a dry run. */
enum {
    TOUCH_in0 = 1,
    TOUCH_in1 = 2,
    TOUCH_in2 = 4,
    TOUCH_out = 8,
    TOUCH_save = 16,
    TOUCH_dout = 32,
    TOUCH_din0 = 64,
    TOUCH_din1 = 128,
    TOUCH_din2 = 256
};

/* One kernel of an op. body takes one Call by value: a __global__ function for the device, a plain one for the shim. */
typedef struct {
    const char *name;
    const void *body;
    Grid (*grid)(const Call *c);
    double (*flops)(const Call *c); /* for one replica; NULL: not counted, the stage moves bytes */
    unsigned touches;
    double (*aside)(const Call *c); /* bytes of scratch written or read by one replica; NULL: none */
    bool flat;                      /* threads neither wait for each other nor exchange anything */
} Stage;

enum { STAGES_MAX = 12 };

/* Stages in the order of their launch; the first without a name ends a list. */
typedef struct {
    Stage forward[STAGES_MAX], backward[STAGES_MAX];
    size_t (*scratch)(const Call *c);
} Stages;

/* Two ops of one launch: a row of fusions.def, or the launch that follows a library's product together with the op that
 * reads it (Build.linear_gelu). body takes one Two by value. */
typedef struct {
    Call first, second; /* in the order of the pass */
} Two;

typedef struct {
    const char *name;
    const void *body;
    Grid (*grid)(const Two *t);     /* x = 0: this stage has nothing to do, or these two cannot be one launch */
    double (*flops)(const Call *c); /* the first op's, one replica; NULL: not counted */
    unsigned touches_first, touches_second;
    const char *beside; /* second op's stage if `flops` does not count its instructions; or NULL */
} FusedStage;

enum { FUSED_MAX = 5 };

enum { FUSED_forward, FUSED_backward }; /* column `pass` of fusions.def, for Fusion.backward */

/* Stages of one fusion; the first without a name ends the list. */
typedef struct {
    OpKind first, second;
    bool backward;
    FusedStage stage[FUSED_MAX];
} Fusion;

enum {
#define FUSION(first, second, pass) FUSION_##first##_##second##_##pass,
#include "kernels/cuda/fusions.def"
#undef FUSION
    FUSIONS
};

#endif
