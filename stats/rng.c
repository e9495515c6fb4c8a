/* Philox4x32-10 (Salmon et al. 2011) as a gsl_rng_type. */
#include "stats/rng.h"

#include "base/philox.h"
#include "stats/status.h"

typedef struct {
    StKey key;
    uint64_t block; /* the next one to draw */
    uint32_t word[4];
    int used; /* words of `word` already given out; 4: none left */
} Philox;

static void start(Philox *s, StKey key) {
    *s = (Philox){.key = key, .used = 4};
}

static void set(void *state, unsigned long int seed) {
    start(state, (StKey){seed, 0});
}

static unsigned long int get(void *state) {
    Philox *s = state;
    if (s->used == 4) {
        philox_block(s->word, s->key.plan, s->key.stream, s->block++);
        s->used = 0;
    }
    return s->word[s->used++];
}

static double get_double(void *state) {
    return (double)get(state) * 0x1p-32;
}

/* The generator type: 32-bit words, gsl_rng_set(seed) is the key {seed, 0}. */
static const gsl_rng_type *st_rng_type(void) {
    static const gsl_rng_type type = {
        "philox4x32-10", 0xffffffffUL, 0, sizeof(Philox), set, get, get_double,
    };
    return &type;
}

gsl_rng *st_rng_new(StKey key) {
    gsl_rng *rng = st_or_end(gsl_rng_alloc(st_rng_type()));
    start(rng->state, key);
    return rng;
}

uint32_t st_rng_below(gsl_rng *rng, uint32_t n) {
    uint32_t short_by = (uint32_t)(0u - n) % n;
    uint64_t product;
    do {
        product = (uint64_t)gsl_rng_get(rng) * n;
    } while ((uint32_t)product < short_by);
    return (uint32_t)(product >> 32);
}
