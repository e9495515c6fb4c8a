/* The CUDA device of this process, and whether it can run the kernels. */
#ifndef KERNELS_CUDA_PRESENCE_H
#define KERNELS_CUDA_PRESENCE_H

#include <stdbool.h>

#include "base/error.h"
#include "kernels/cuda/step_launch.h"

/* Implement Device.present. The first call loads every float kernel. */
bool cuda_present(Error *e);
/* Load every kernel of a build, once, where a device is present: outside of any capture, in which a lazily loaded
 * module could not wait or allocate. RC_UNMEASURED. */
Rc cuda_load(const Build *build, Error *e);
void cuda_choose(int local);
void cuda_describe(char *out, size_t size);

/* Return the runtime's number of the device. */
int cuda_number(void);

#endif
