/* Prints one line per toy setting and class of bits: its loss-chain and parameter hash on every backend of that class
 * that this machine can run (one word when they agree, each backend's own when they do not), or with `first` on the
 * first backend of each class alone. tests/models/compilers.sh compares builds with it.  toy_hashes [first] */
#include <stdio.h>
#include <string.h>

#include "tests/models/toy.h"

/* Every machine has these. */
static const char *const first_of_class[] = {"readable", "soft-dot-bf16", "soft-amx-bf16"};

static void print_setting(int i, const Backend *reference, bool alone) {
    Variant v;
    ModelShape s;
    Recipe r;
    char first[130], here[130];
    toy_setting(i, &v, &s, &r);
    toy_hashes(first, &v, &s, &r, 1, reference, 6);
    printf("%d %s %s", i, backend_class(reference), first);
    for (int b = 0; b < backend_count && !alone; b++) {
        if (!backends[b]->supported() || strcmp(backend_class(backends[b]), backend_class(reference))) continue;
        toy_hashes(here, &v, &s, &r, 1, backends[b], 6);
        if (strcmp(here, first)) printf(" %s: %s", backends[b]->name, here);
    }
    printf("\n");
}

int main(int count, char **argument) {
    const bool alone = count == 2 && !strcmp(argument[1], "first");
    Error e;
    for (int c = 0; c < 3; c++) {
        const Backend *reference = backend_find(first_of_class[c], &e);
        for (int i = 0; i < toy_settings() && reference; i++) print_setting(i, reference, alone);
    }
    return 0;
}
