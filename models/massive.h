/* Massive activations (Sun et al. 2024): numbers above 100 in magnitude and above 1,000 times the median magnitude. */
#ifndef MODELS_MASSIVE_H
#define MODELS_MASSIVE_H

#include <stdbool.h>
#include <stddef.h>

/* Count the massive ones of x[n], n > 0, floats or (wide) doubles; see PART_MASSIVE of kernels/reduction.h. */
double massive_count(const void *x, bool wide, size_t n);

#endif
