#include "models/init.h"

#include <stdlib.h>

#include "base/canon.h"
#include "base/philox.h"
#include "base/sha256.h"

static void init_tensor(Program *p, int tensor, int replica, uint64_t seed, double std) {
    const Tensor *t = &p->tape->tensor[tensor];
    size_t n = (size_t)t->rows * (size_t)t->cols;
    float *x = mem_alloc(n, sizeof *x);
    uint64_t stream = name_stream(t->name);
    for (size_t i = 0; i < n; i += 4) {
        uint32_t word[4];
        philox_block(word, seed, stream, i >> 2);
        for (size_t j = 0; j < 4 && i + j < n; j++) x[i + j] = canon_normal(word[j]) * (float)std;
    }
    program_write(p, ROLE_PARAM, tensor, replica, x);
    free(x);
}

static void fill_tensor(Program *p, int tensor, int replica, double value) {
    const Tensor *t = &p->tape->tensor[tensor];
    size_t n = (size_t)t->rows * (size_t)t->cols;
    float *x = mem_alloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = (float)value;
    program_write(p, ROLE_PARAM, tensor, replica, x);
    free(x);
}

void init_parameters(Program *p, int replica, uint64_t seed, const InitStd *std) {
    for (int i = 0; i < p->tape->tensors; i++) {
        const Tensor *t = &p->tape->tensor[i];
        if (t->role != ROLE_PARAM) continue;
        switch (t->init) {
        case INIT_TOKEN: init_tensor(p, i, replica, seed, std->token); break;
        case INIT_POSITION: init_tensor(p, i, replica, seed, std->position); break;
        case INIT_MATRIX: init_tensor(p, i, replica, seed, std->matrix); break;
        case INIT_RESIDUAL: init_tensor(p, i, replica, seed, std->residual); break;
        case INIT_VALUE: fill_tensor(p, i, replica, t->value); break;
        }
        program_put(p, ROLE_MOMENT1, i, replica, NULL);
        program_put(p, ROLE_MOMENT2, i, replica, NULL);
    }
}
