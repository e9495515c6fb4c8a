/* Multisets with multinomial weights and weighted quantiles, see resample.h. */
#include "stats/resample.h"

#include <math.h>
#include <stdlib.h>

uint64_t st_binomial(size_t n, size_t k) {
    uint64_t c = 1;
    for (size_t i = 1; i <= k; i++) c = c * (n - k + i) / i;
    return c;
}

uint64_t st_multiset_count(size_t n) {
    return st_binomial(2 * n - 1, n);
}

uint64_t st_power_self(size_t n) {
    uint64_t p = 1;
    for (size_t i = 0; i < n; i++) p *= n;
    return p;
}

/* Shares out `left` draws over the values from `at` on. */
typedef struct {
    const double *x;
    size_t n;
    StWeighted *next;
} Walk;

static void share_out(Walk *w, size_t at, size_t left, double sum, uint64_t weight) {
    if (at + 1 == w->n) {
        *w->next++ = (StWeighted){sum + (double)left * w->x[at], weight};
        return;
    }
    uint64_t ways = 1; /* C(left, take) */
    for (size_t take = 0; take <= left; take++) {
        share_out(w, at + 1, left - take, sum + (double)take * w->x[at], weight * ways);
        ways = ways * (left - take) / (take + 1);
    }
}

void st_multiset_sums(const double *x, size_t n, StWeighted *out) {
    Walk w = {x, n, out};
    share_out(&w, 0, n, 0.0, 1);
}

static int by_value(const void *x, const void *y) {
    const StWeighted *a = x, *b = y;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

void st_weighted_sort(StWeighted *list, size_t count) {
    qsort(list, count, sizeof *list, by_value);
    for (size_t i = 1; i < count; i++) list[i].weight += list[i - 1].weight;
}

double st_weighted_at(const StWeighted *list, size_t count, uint64_t at) {
    size_t lo = 0, hi = count - 1;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (list[mid].weight > at)
            hi = mid;
        else
            lo = mid + 1;
    }
    return list[lo].value;
}

double st_weighted_quantile(const StWeighted *list, size_t count, double q) {
    uint64_t last = list[count - 1].weight - 1;
    double place = (double)last * q, whole = floor(place);
    uint64_t at = (uint64_t)whole;
    double low = st_weighted_at(list, count, at);
    double high = at < last ? st_weighted_at(list, count, at + 1) : low;
    return low + (place - whole) * (high - low);
}

StInterval st_weighted_interval(StWeighted *list, size_t count, double conf) {
    st_weighted_sort(list, count);
    return (StInterval){ST_OK, st_weighted_quantile(list, count, (1.0 - conf) / 2.0),
                        st_weighted_quantile(list, count, (1.0 + conf) / 2.0)};
}

uint64_t st_weighted_below(const StWeighted *list, size_t count, double x, bool or_equal) {
    size_t lo = 0, hi = count; /* first entry that is not below */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (list[mid].value < x || (or_equal && list[mid].value == x))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo == 0 ? 0 : list[lo - 1].weight;
}
