/* Backends: where numbers are computed. A row of one table (kernels/backends.def, which lists them all); callers hold a
 * `const Backend *` and nothing else. "cpu" is the fastest exact row of the CPU that this machine can run, "cpu-bf16"
 * the faster of its two instructions for products in bf16.
 *
 * All rows of class canon give the same bits (base/canon.h), and so do the two rows of each class of bf16
 * (kernels/cpu/simd/bf16.h). */
#ifndef KERNELS_BACKEND_H
#define KERNELS_BACKEND_H

#include "base/error.h"
#include "kernels/device.h"
#include "kernels/rounding.h"

typedef enum {
#define PRECISION(name, ...) PRECISION_##name,
#include "kernels/precisions.def"
#undef PRECISION
    PRECISION_COUNT
} PrecisionKind;

/* Bytes that hold the name of any class of bits, the final 0 included. */
enum { BACKEND_CLASS_SIZE = 96 };

typedef struct Backend {
    const char *name, *family;
    PrecisionKind precision;
    const char *class_of_bits;       /* NULL: class_here says it */
    const char *(*class_here)(void); /* of the device here; asked only where `supported` is true */
    bool portable;                   /* the class has the same bits on every machine */
    int rank;                        /* among the rows that "cpu" may be; 0: none of them */
    const char *what;
    /* Bytes of a word of each arena; token ids are int32. 2 of ACT and DACT: a device's words of 16 bits, among which
     * stand floats for which op_stored is false. */
    size_t word[ROLE_COUNT];
    const Kernel *const *kernel;            /* [OP_COUNT] */
    void (*const *update)(const Update *u); /* [OPTIMIZER_COUNT]; NULL with a device */
    /* One thread's part of the rows, or columns, of a parameter; NULL with a device. */
    void (*renorm)(void *x, int rows, int cols, UnitKind unit, int part, int parts);
    double (*sumsq)(const void *x, int rows, int cols); /* sum of squares, by rules 2 and 3 of base/canon.h; likewise */
    double (*sum)(const void *x, int rows, int cols);   /* the sum, likewise */
    void (*round)(const Rounding *r);                   /* a tensor to words of 16 bits; NULL with a device */
    bool (*supported)(void);                            /* can this machine run it */
    const Device *device;                               /* NULL: the host */
    double (*fma_peak)(void);                           /* of its vectors; NULL: it has none of its own */
    const char *(*missing)(void); /* what this machine or build lacks, in words; NULL: `supported` says all */
} Backend;

extern const Backend *const backends[];
extern const int backend_count;

/* By name. NULL with RC_USAGE (unknown; nearest named) or RC_UNMEASURED (known, but this machine cannot run it). */
const Backend *backend_find(const char *name, Error *e);

/* The backend of that name or family ("cpu": the fastest here) that computes `precision`, a name of precisions.def.
 * NULL with RC_USAGE (either is unknown; or it computes in others only, which are listed) or RC_UNMEASURED. */
const Backend *backend_precise(const char *name, const char *precision, Error *e);

/* Of processes with a device each, which of its host's devices this one takes (Device.choose); before anything looks
 * for a device. */
void backend_choose_device(int local);

/* Whether a vendor's library makes its matrix products (kernels/cuda/fast.def), and so the sums over ranks. */
bool backend_has_library(const Backend *b);

/* A supported row's class of bits: shorter than BACKEND_CLASS_SIZE. */
const char *backend_class(const Backend *b);

/* By name; RC_USAGE and the nearest name. */
Rc precision_find(PrecisionKind *out, const char *name, Error *e);
const char *precision_name(PrecisionKind p);
const char *precision_what(PrecisionKind p);
Word precision_word(PrecisionKind p);   /* of activations, gradients and the weights that ops read */
bool precision_scaled(PrecisionKind p); /* the loss is scaled (kernels/loss_scale.h) */

/* Measured now: the fma peak of one core in GFLOP/s, with b's vectors or else (b has none, or is NULL) the widest
 * supported; and its copy bandwidth in GB/s. */
double backend_fma_peak(const Backend *b);
double backend_copy_bandwidth(void);

#endif
