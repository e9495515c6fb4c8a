/* The bf16 instructions on a processor with AVX-512 that lacks them: each raises SIGILL, and a signal handler computes
 * its result in software, on the interrupted thread's registers, as Intel's manual defines it. So the hardware rows'
 * own machine code runs. */
#ifndef TESTS_BF16_TRAPS_H
#define TESTS_BF16_TRAPS_H

#include <stdbool.h>

/* Installs the handler for this process. False: not this kind of machine. */
bool bf16_traps_set(void);

/* How many instructions were computed in software so far. */
long bf16_traps_taken(void);

#endif
