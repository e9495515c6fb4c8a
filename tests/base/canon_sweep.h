/* Sweeps of the canonical functions, one symbol per instruction set (tests/base/canon_sweep.c). */
#ifndef TESTS_CANON_SWEEP_H
#define TESTS_CANON_SWEEP_H

#include <stdint.h>

enum { SWEEP_FUNCTIONS = 7 };

/* function: exp, log, tanh, erf, sin, cos, normal; over the words 0, step, 2 step, … below 2^32. */
uint64_t readable_canon_sweep(int function, uint32_t step);
uint64_t portable_canon_sweep(int function, uint32_t step);
uint64_t v3_canon_sweep(int function, uint32_t step);
uint64_t v4_canon_sweep(int function, uint32_t step);

#endif
