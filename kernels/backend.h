/* Backends: where numbers are computed. Each is a row of one table (kernels/backends.def); callers hold a
 * `const Backend *` and nothing else. "cpu" is the fastest exact CPU row that this machine can run, "cpu-bf16" the
 * faster of the two CPU instructions for bf16 products.
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
    const char *(*class_here)(void); /* returns the class of this machine's device; call only if `supported` */
    bool portable;                   /* the class has the same bits on every machine */
    int rank;                        /* speed order of the rows that "cpu" may mean; 0: not one of them */
    const char *what;
    /* Bytes of a number in each arena; token ids are int32. With 2 for ACT and DACT (devices only), tensors for which
     * op_stored is false are still floats. */
    size_t word[ROLE_COUNT];
    const Kernel *const *kernel;            /* [OP_COUNT] */
    void (*const *update)(const Update *u); /* [OPTIMIZER_COUNT]; NULL with a device */
    /* One thread's part of the rows, or columns, of a parameter; NULL with a device. */
    void (*renorm)(void *x, int rows, int cols, UnitKind unit, int part, int parts);
    double (*sumsq)(const void *x, int rows, int cols); /* of squares, by rules 2 and 3 of base/canon.h; or NULL */
    double (*sum)(const void *x, int rows, int cols);   /* by the same rules; or NULL */
    void (*round)(const Rounding *r);                   /* rounds a tensor to 16 bits; NULL with a device */
    bool (*supported)(void);                            /* returns true if this machine can run it */
    const Device *device;                               /* NULL: the host */
    double (*fma_peak)(void);                           /* peak of its vectors; NULL: it has none of its own */
    const char *(*missing)(void); /* says what this machine or build lacks; NULL: `supported` says all */
} Backend;

extern const Backend *const backends[];
extern const int backend_count;

/* Find a backend by name. NULL with RC_USAGE (unknown; nearest named) or RC_UNMEASURED (this machine cannot run it). */
const Backend *backend_find(const char *name, Error *e);

/* Find the backend of that name or family ("cpu": the fastest here) that computes in `precision` (precisions.def). NULL
 * with RC_USAGE (one is unknown, or the backend has other precisions only, which are listed) or RC_UNMEASURED. */
const Backend *backend_precise(const char *name, const char *precision, Error *e);

/* Choose this process's device among those of its host (Device.choose). Call it before anything looks for a device. */
void backend_choose_device(int local);

/* Return true if a vendor's library makes the matrix products (kernels/cuda/fast.def), and so the sums over ranks. */
bool backend_has_library(const Backend *b);

/* Return a supported backend's class of bits: shorter than BACKEND_CLASS_SIZE. */
const char *backend_class(const Backend *b);

/* Find a precision by name. RC_USAGE names the nearest. */
Rc precision_find(PrecisionKind *out, const char *name, Error *e);
const char *precision_name(PrecisionKind p);
const char *precision_what(PrecisionKind p);
Word precision_word(PrecisionKind p);   /* storage of activations, gradients and the weights that ops read */
bool precision_scaled(PrecisionKind p); /* the loss is scaled (kernels/loss_scale.h) */

/* Measure now one core's fma peak in GFLOP/s (with b's vectors; if b is NULL or has none, with the widest supported)
 * and its copy bandwidth in GB/s. */
double backend_fma_peak(const Backend *b);
double backend_copy_bandwidth(void);

#endif
