/* Libraries that are looked for when something asks for them, so that the program starts where they are absent. */
#ifndef KERNELS_CUDA_LIBRARY_H
#define KERNELS_CUDA_LIBRARY_H

#include <stddef.h>

#include "base/error.h"

typedef struct {
    const char *name;
    void *to; /* a pointer to a function, set to where the library has it */
} LibrarySymbol;

/* Opens the library `name` where the loader looks, else in `folder` (NULL: nowhere else), and finds symbol[symbols] in
 * it. It stays open until the program ends. RC_UNMEASURED: "`who` cannot be loaded: why" (the loader's words), or
 * "`name` has no SYMBOL"; what `to` points at may then be set for some symbols. */
Rc library_find(const char *name, const char *folder, const LibrarySymbol *symbol, size_t symbols, const char *who,
                Error *e);

#endif
