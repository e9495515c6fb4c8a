/* The CUDA device of this process, and whether it can run the kernels. */
#ifndef KERNELS_CUDA_PRESENCE_H
#define KERNELS_CUDA_PRESENCE_H

#include <stdbool.h>

#include "base/error.h"

/* As in Device. The first call loads every kernel. */
bool cuda_present(Error *e);
void cuda_choose(int local);
void cuda_describe(char *out, size_t size);

/* The runtime's number of it. */
int cuda_number(void);

#endif
