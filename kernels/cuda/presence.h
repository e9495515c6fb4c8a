/* The CUDA device of this process, and whether it can run the kernels. */
#ifndef KERNELS_CUDA_PRESENCE_H
#define KERNELS_CUDA_PRESENCE_H

#include <stdbool.h>

#include "base/error.h"
#include "kernels/cuda/step_launch.h"

/* As in Device. The first call loads every kernel of floats. */
bool cuda_present(Error *e);
/* Loads every kernel of a build, once: where a device is present, and outside of any capture, in which a module that is
 * loaded lazily could not wait or allocate. RC_UNMEASURED. */
Rc cuda_load(const Build *build, Error *e);
void cuda_choose(int local);
void cuda_describe(char *out, size_t size);

/* The runtime's number of it. */
int cuda_number(void);

#endif
