/* The bf16 instructions on a processor with AVX-512 that lacks them: each traps, and a signal handler does what Intel's manual
 * says on the registers it finds. So the very machine code of the hardware rows runs here. */
#ifndef TESTS_BF16_TRAPS_H
#define TESTS_BF16_TRAPS_H

#include <stdbool.h>

/* From now on in this process. False: not this kind of machine. */
bool bf16_traps_set(void);

/* Instructions done so far. */
long bf16_traps_taken(void);

#endif
