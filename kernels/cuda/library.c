#include "kernels/cuda/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

Rc library_find(const char *name, const char *folder, const LibrarySymbol *symbol, size_t symbols, const char *who,
                Error *e) {
    char path[1024];
    void *found = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!found && folder) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!found) return error_set(e, RC_UNMEASURED, "%s cannot be loaded: %s", who, dlerror());
    for (size_t i = 0; i < symbols; i++) {
        void *function = dlsym(found, symbol[i].name);
        if (!function) return error_set(e, RC_UNMEASURED, "%s has no %s", name, symbol[i].name);
        memcpy(symbol[i].to, &function, sizeof function);
    }
    return RC_OK;
}
