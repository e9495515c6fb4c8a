/* Prints one line per toy setting: its loss-chain and parameter hash on every canonical backend this machine can run
 * (one word when they agree, each backend's own when they do not). tests/compilers.sh compares builds with it. */
#include <stdio.h>
#include <string.h>

#include "tests/toy.h"

int main(void) {
    for (int i = 0; i < toy_settings(); i++) {
        Error e;
        Variant v;
        ModelShape s;
        Recipe r;
        char first[130], here[130];
        toy_setting(i, &v, &s, &r);
        toy_hashes(first, &v, &s, &r, 1, backend_find("readable", &e), 6);
        printf("%d %s", i, first);
        for (int b = 0; b < backend_count; b++) {
            if (!backends[b]->supported() || strcmp(backends[b]->arithmetic, "canon")) continue;
            toy_hashes(here, &v, &s, &r, 1, backends[b], 6);
            if (strcmp(here, first)) printf(" %s: %s", backends[b]->name, here);
        }
        printf("\n");
    }
    return 0;
}
