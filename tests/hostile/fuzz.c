/* The targets as libFuzzer harnesses: HOSTILE_TARGET names one. tests/hostile/fuzz.sh builds and runs them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/hostile/target.h"

int LLVMFuzzerInitialize(int *count, char ***argument);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const Target *target;

int LLVMFuzzerInitialize(int *count, char ***argument) {
    (void)count, (void)argument;
    target = target_find(getenv("HOSTILE_TARGET"));
    if (target) return 0;
    fprintf(stderr, "HOSTILE_TARGET is one of:");
    for (int i = 0; i < target_count; i++) fprintf(stderr, " %s", targets[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    target->take(bytes, length);
    return 0;
}
