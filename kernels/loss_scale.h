/* Loss scaling (Micikevicius et al. 2018, section 3.2): the gradient of the loss starts at the scale in place of 1, so
 * that gradients too small for fp16 are stored; they are divided by it, in float, before anything looks at them. The
 * scale moves as it does in NVIDIA's guide to training with mixed precision and in torch.amp.GradScaler: 2^16 at first,
 * halved by a gradient that is not finite, whose update is skipped, doubled after 2,000 updates in a row. Always a
 * power of two, so that dividing by it is exact.
 *
 * Here it never passes 2^24 (as in NVIDIA's Apex), and at 1 nothing is skipped any more: there a gradient that is not
 * finite is the model's own, and the run has diverged as it has in fp16. Shared by C and CUDA. */
#ifndef KERNELS_LOSS_SCALE_H
#define KERNELS_LOSS_SCALE_H

#include "base/canon.h"

typedef struct {
    double now;
    int32_t good;    /* updates since the scale last moved */
    int32_t skipped; /* steps without an update */
} LossScale;

enum { LOSS_SCALE_GOOD = 2000 };
#define LOSS_SCALE_FIRST 0x1p16
#define LOSS_SCALE_MAX 0x1p24

/* Halve the scale after a gradient that is not finite and return 1: the step is skipped. At scale 1 return 0. */
CANON_FN int loss_scale_skips(LossScale *s) {
    if (s->now <= 1) return 0;
    s->now /= 2;
    s->good = 0;
    s->skipped++;
    return 1;
}

/* Count an update after a finite gradient; double the scale after LOSS_SCALE_GOOD of them. */
CANON_FN void loss_scale_goes_on(LossScale *s) {
    if (++s->good < LOSS_SCALE_GOOD) return;
    s->good = 0;
    if (s->now < LOSS_SCALE_MAX) s->now *= 2;
}

#endif
