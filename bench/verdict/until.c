#include "bench/verdict/until.h"

#include <stdlib.h>
#include <string.h>

#include "bench/plan/declare.h"
#include "bench/plan/looks.h"
#include "bench/verdict/verdict.h"

_Static_assert((int)EXPERIMENT_USUAL_MAX == (int)ANYTIME_MAX && (int)EXPERIMENT_WATCHED_MAX == (int)ANYTIME_LARGEST,
               "one limit");

int until_primaries(const Sample *s, Contrast **what) {
    int count = 0;
    *what = NULL;
    Compared pair[EXPERIMENT_COMPARES_MAX];
    int pairs = experiment_pairs(s->x, pair);
    for (int cell = 0; cell < s->cells; cell++) {
        int last = s->cell[cell].steps - 1;
        for (int i = 0; i < pairs && last >= 0 && s->cell[cell].step[last]; i++) {
            *what = mem_grow(*what, (size_t)count + 1, sizeof **what);
            (*what)[count++] = contrast_pair(cell, last, s->x->metric, pair[i].arm, pair[i].against, s->x->margin);
        }
    }
    return count;
}

int until_decided(const Family *f) {
    int at = 0, tested = 0;
    for (int i = 0; i < f->count; i++) {
        if (f->at[i].status != ST_OK) continue;
        if (!f->anytime[i].at) return 0;
        tested++;
        if (f->anytime[i].at > at) at = f->anytime[i].at;
    }
    return tested ? at : f->n;
}

int until_least(const Experiment *x) {
    if (x->looks) return x->look[0];
    double one[EXPERIMENT_WATCHED_MAX], p[EXPERIMENT_WATCHED_MAX];
    size_t most = (size_t)x->most, n = 1;
    Compared pair[EXPERIMENT_COMPARES_MAX];
    double level = x->alpha / (experiment_cells(x) * experiment_pairs(x, pair));
    for (size_t i = 0; i < most; i++) one[i] = 1;
    if (st_anytime_path(one, most, 1, p)) return 1;
    while (n <= most && p[n - 1] > level) n++;
    return (int)n;
}

bool until_is(const Family *f, int i) {
    return f->anytime ? f->anytime[i].at > 0 : decision_made(f->at[i].decision);
}

static void family_of(Family *f, const Sample *s) {
    Contrast *what;
    int count = until_primaries(s, &what);
    family_make(f, s, what, count);
    free(what);
}

/* Leaves the first `keep` seeds. */
static void cut(Records *r, Experiment *x, int keep) {
    int kept = 0;
    for (int i = 0; i < r->runs; i++)
        if (i % x->seeds < keep)
            r->at[kept++] = r->at[i];
        else
            record_release(&r->at[i]);
    r->runs = kept, x->seeds = keep;
}

/* Return true if each of the family is decided, those aside that have no test. */
static bool all_decided(const Family *f) {
    for (int i = 0; i < f->count; i++)
        if (f->at[i].status == ST_OK && !until_is(f, i)) return false;
    return true;
}

/* Judge the primaries by the first n seeds at a level. */
static Rc look(const Records *r, const Experiment *x, int n, double level, bool *decided, Error *e) {
    OWNED Experiment *view = mem_alloc(1, sizeof *view);
    OWNED RunRecord *first = mem_alloc((size_t)r->runs, sizeof *first);
    Sample sample;
    Family f;
    int kept = 0;
    for (int i = 0; i < r->runs; i++)
        if (i % x->seeds < n) first[kept++] = r->at[i];
    *view = *x;
    view->seeds = n, view->most = 0, view->alpha = level;
    Rc rc = sample_make(&sample, view, first, e);
    if (!rc) {
        family_of(&f, &sample);
        *decided = all_decided(&f);
        family_release(&f);
        sample_release(&sample);
    }
    return rc;
}

/* Stand at the first look that decides, else at the last whose seeds are whole; before the first, its runs are
 * missing. */
static Rc take_look(Records *r, Experiment *x, Error *e) {
    int units = r->runs / x->seeds, at = 0;
    bool decided = false;
    Rc rc = RC_OK;
    while (!rc && !decided && at < x->looks && x->look[at] <= x->seeds) {
        rc = look(r, x, x->look[at], looks_level(x, at), &decided, e);
        at++;
    }
    if (rc || !at) {
        int whole = x->seeds;
        records_release(r);
        if (!rc) r->runs = units * x->look[0], r->missing = units * (x->look[0] - whole), x->seeds = x->look[0];
        if (!rc) r->notes = mem_text("");
        return rc;
    }
    cut(r, x, x->look[at - 1]);
    x->planned = x->alpha;
    x->alpha = looks_level(x, at - 1), x->looked = at, x->most = 0;
    return RC_OK;
}

/* Return true if runs of it were trained by another plan that adds seeds or looks on the way. */
static bool stopped(const Records *r, const Experiment *x) {
    for (int i = 0; i < r->runs; i++)
        if (declared_stops(r->at[i].declared, x)) return true;
    return false;
}

Rc until_take(Records *r, const Store *s, Experiment *x, bool precise, Error *e) {
    LOCAL(sample_release) Sample sample = {0};
    LOCAL(family_release) Family f = {0};
    if (records_take(r, s, x, precise, e)) return e->code;
    if (r->missing || (x->seeds < 2 && !x->looks)) return RC_OK;
    if (!x->most) {
        x->most = stopped(r, x) ? x->seeds : 0;
        return RC_OK;
    }
    if (x->looks && stopped(r, x)) x->looks = 0;
    st_init();
    if (x->looks) return take_look(r, x, e);
    if (sample_make(&sample, x, r->at, e)) {
        records_release(r);
        return e->code;
    }
    family_of(&f, &sample);
    int keep = until_decided(&f);
    if (keep && keep < x->seeds) cut(r, x, keep);
    return RC_OK;
}

Rc until_read(Records *r, const char *runs, Experiment *x, bool precise, Error *e) {
    LOCAL(store_release) Store stored = {0};
    store_read(&stored, runs);
    return until_take(r, &stored, x, precise, e);
}

Rc until_make(Until *u, const Store *s, const Experiment *x, bool precise, Error *e) {
    memset(u, 0, sizeof *u);
    u->x = *x;
    u->x.seed = mem_alloc((size_t)x->seeds, sizeof *u->x.seed);
    memcpy(u->x.seed, x->seed, (size_t)x->seeds * sizeof *u->x.seed);
    u->x.yaml = NULL; /* x's */
    Rc rc = until_take(&u->records, s, &u->x, precise, e);
    if (!rc && u->records.missing) return RC_OK;
    if (!rc && (rc = sample_make(&u->sample, &u->x, u->records.at, e))) records_release(&u->records);
    if (rc) {
        experiment_release(&u->x);
        return rc;
    }
    family_of(&u->family, &u->sample);
    for (int i = 0; i < u->family.count; i++) {
        bool tested = u->family.at[i].status == ST_OK, decided = until_is(&u->family, i);
        u->untested += !tested;
        u->decided += tested && decided;
        u->open += tested && !decided;
    }
    u->at = !u->x.looks ? until_decided(&u->family) : u->open ? 0 : u->x.seeds;
    if (!u->at && u->x.seeds >= x->most) u->at = x->most;
    u->over = u->at > 0;
    return RC_OK;
}

void until_release(Until *u) {
    family_release(&u->family);
    if (!u->records.missing) sample_release(&u->sample);
    records_release(&u->records);
    experiment_release(&u->x);
    memset(u, 0, sizeof *u);
}
