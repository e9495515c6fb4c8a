/* Open libraries on first use, so that the program starts where they are absent. */
#ifndef KERNELS_CUDA_LIBRARY_H
#define KERNELS_CUDA_LIBRARY_H

#include <stddef.h>

#include "base/error.h"

typedef struct {
    const char *name;
    void *to; /* address of a function pointer, which is set */
} LibrarySymbol;

/* Opens the library `name` where the loader looks, else in `folder` (NULL: nowhere else), and finds symbol[symbols] in
 * it. It stays open until the program ends. RC_UNMEASURED: "`who` cannot be loaded: why" (the loader's words), or
 * "`name` has no SYMBOL"; what `to` points at may then be set for some symbols. */
Rc library_find(const char *name, const char *folder, const LibrarySymbol *symbol, size_t symbols, const char *who,
                Error *e);

#endif
