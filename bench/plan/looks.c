#include "bench/plan/looks.h"

#include <math.h>
#include <string.h>

#include "stats/design.h"

Rc looks_apply(Experiment *x, const int *n, int count, Error *e) {
    if (count < 1 || count > EXPERIMENT_LOOKS_MAX)
        return error_set(e, RC_USAGE, "looks: a list of 1 to %d numbers of seeds is needed, such as [10, 20]",
                         (int)EXPERIMENT_LOOKS_MAX);
    for (int i = 0; i < count; i++)
        if (n[i] < 2 || n[i] > EXPERIMENT_WATCHED_MAX || (i && n[i] <= n[i - 1]))
            return error_set(e, RC_USAGE, "looks: numbers of seeds have to rise, from 2 to %d",
                             (int)EXPERIMENT_WATCHED_MAX);
    memcpy(x->look, n, (size_t)count * sizeof *n);
    x->looks = count;
    return RC_OK;
}

/* Look i, were it at `seeds`. */
static StLook look_at(const Experiment *x, int i, int seeds) {
    StLook look[EXPERIMENT_LOOKS_MAX];
    size_t n[EXPERIMENT_LOOKS_MAX];
    for (int k = 0; k < x->looks; k++) n[k] = (size_t)(k == i ? seeds : x->look[k]);
    st_looks(n, (size_t)x->looks, x->alpha, look);
    return look[i];
}

/* Two digits, rounded down. */
static double rounded(double level) {
    if (!(level > 0)) return 0; /* the spending of few of many seeds is below all numbers */
    double unit = pow(10, floor(log10(level)) - 1), digits = floor(level / unit + 1e-9);
    return digits / (1 / unit);
}

double looks_level(const Experiment *x, int i) {
    return rounded(look_at(x, i, x->look[i]).alpha);
}

static bool can_decide(StLook look) {
    return look.p_floor < rounded(look.alpha);
}

Rc looks_check(Experiment *x, Error *e) {
    int last = x->looks ? x->look[x->looks - 1] : 0;
    if (!x->looks) return RC_OK;
    if (x->most) return error_set(e, RC_USAGE, "looks: seeds are a number or a list, not added until it is decided");
    if (x->seeds != last)
        return error_set(e, RC_USAGE, "looks: the last is at %d seeds, and the plan has %d", last, x->seeds);
    for (int i = 0; i < x->looks; i++) {
        int others = i + 1 < x->looks ? x->look[i + 1] : EXPERIMENT_WATCHED_MAX, enough = x->look[i];
        while (enough < others && !can_decide(look_at(x, i, enough))) enough++;
        if (enough == x->look[i]) continue;
        error_set(e, RC_USAGE, "looks: after %d seeds no p of the sign flips can be below %s, the level of that look",
                  x->look[i], FORMAT_REAL(looks_level(x, i)));
        return enough < others ? error_add(e, "; after %d it can", enough) : e->code;
    }
    x->most = last;
    return RC_OK;
}

void looks_list(const Experiment *x, Text *out) {
    for (int i = 0; i < x->looks; i++)
        text_format(out, "%s%d", i == 0 ? "" : i + 1 < x->looks ? ", " : " and ", x->look[i]);
}

void looks_at(const Experiment *x, Text *out) {
    text_format(out, "look %d of %d, at %d of %d seeds", x->looked, x->looks, x->look[x->looked - 1],
                x->look[x->looks - 1]);
}
