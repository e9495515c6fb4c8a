#include "kernels/cuda/simt/limits.h"

#include <stdio.h>

/* Limits of a processor beside those of kernels/cuda/launch.h. Shared memory beyond `declared` needs opting in, as
 * presence.c does; both kinds together are at most `shared`. */
typedef struct {
    const char *name;
    size_t declared, shared;
    size_t resident_threads, resident_blocks; /* per processor */
} Limits;

static const Limits processors[] = {
    {"sm_80", 48 << 10, SHARED_SM_80, 2048, 32},
    {"sm_90", 48 << 10, SHARED_SM_90, 2048, 32},
};

typedef struct {
    const char *what;
    size_t value, most;
} Check;

/* Return true if all checks hold; `why` says which failed first. */
static bool all_hold(char why[SIMT_WHY], const char *whose, const Check *check, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (check[i].value > check[i].most) {
            snprintf(why, SIMT_WHY, "%s: %zu, and %s allows %zu", check[i].what, check[i].value, whose, check[i].most);
            return false;
        }
    return true;
}

bool simt_may_launch(char why[SIMT_WHY], const SimtKernel *k, Grid g) {
    if (!g.x || !g.y || !g.z || !g.threads) {
        snprintf(why, SIMT_WHY, "a grid of %u x %u x %u blocks of %u threads has none", g.x, g.y, g.z, g.threads);
        return false;
    }
    if (g.threads > k->threads) {
        snprintf(why, SIMT_WHY, "threads of a block: %u, and its launch bounds say %u", g.threads, k->threads);
        return false;
    }
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        const Limits *l = &processors[i];
        const Check check[] = {
            {"blocks of the grid in x", g.x, GRID_X_MAX},
            {"blocks of the grid in y", g.y, GRID_YZ_MAX},
            {"blocks of the grid in z", g.z, GRID_YZ_MAX},
            {"threads of a block", g.threads, BLOCK_THREADS_MAX},
            {"threads that the launch bounds keep on a processor", (size_t)k->threads * (k->blocks ? k->blocks : 1),
             l->resident_threads},
            {"blocks that the launch bounds keep on a processor", k->blocks, l->resident_blocks},
        };
        if (!all_hold(why, l->name, check, sizeof check / sizeof *check)) return false;
    }
    return simt_may_share(why, 0, g.shared);
}

bool simt_may_share(char why[SIMT_WHY], size_t declared, size_t given) {
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        const Limits *l = &processors[i];
        const Check check[] = {
            {"bytes of declared shared memory of a block", declared, l->declared},
            {"bytes of shared memory of a block", declared + given, l->shared},
        };
        if (!all_hold(why, l->name, check, sizeof check / sizeof *check)) return false;
    }
    return true;
}
