#include "bench/verdict/writeup_family.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/multiple.h"

static void weaken(ClaimVerdict *v) {
    v->word = WORD_INCONCLUSIVE;
    v->small = false;
    snprintf(v->why, sizeof v->why, "its experiment alone shows it, but not together with the write-up's others");
}

void writeup_family(FamilyMember *member, size_t count) {
    double *p = mem_alloc(count + 1, sizeof *p);
    size_t *group = mem_alloc(count + 1, sizeof *group);
    for (size_t i = 0; i < count; i++) p[i] = member[i].v ? member[i].v->p : (double)NAN, group[i] = member[i].group;
    bool made = st_holm_groups(p, group, count, p) == ST_OK;
    for (size_t i = 0; i < count && made; i++) {
        ClaimVerdict *v = member[i].v;
        if (!v) continue;
        assert(!(p[i] < v->p - 1e-12));
        v->p_writeup = p[i];
        if (v->p < member[i].alpha && !(p[i] < member[i].alpha)) weaken(v);
    }
    free(group);
    free(p);
}
