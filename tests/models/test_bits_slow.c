/* One whole-size run: two steps of the 8 x 128 model give the same chain and parameters on every canonical backend. */
#include "tests/models/toy.h"
#include "tests/test.h"

Test(bits_slow, whole_size_run_is_the_same_everywhere, .timeout = 0) {
    ModelShape s = whole_shape();
    Recipe r = toy_recipe();
    char first[130] = "", here[130];
    int paths = 0;
    for (int i = 0; i < backend_count; i++) {
        if (!backends[i]->supported() || strcmp(backend_class(backends[i]), "canon")) continue;
        toy_hashes(here, variant_find("pre", &e), &s, &r, 1, backends[i], 2);
        if (!paths++) strcpy(first, here);
        cr_assert_str_eq(here, first, "%s", backends[i]->name);
    }
    cr_assert(paths >= 2);
}
