#include "bench/run/linear_probe.h"

#include "bench/store/feeding.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "models/trainer_look.h"
#include "stats/ridge.h"

static const double lambda = 1e-3;

/* Probe of a block of a replica. */
typedef struct {
    int probe, replica; /* probe: its index in the trainer */
    StRidge *ridge;     /* NULL: the model lacks it */
    bool fitted;
    long right, seen;
} Fit;

typedef struct {
    Trainer *t;
    Fit *fit; /* [replicas][layers] */
    int fits;
    double *x; /* activations of one fit */
} Fits;

static void fits_make(Fits *f, Trainer *t, const Dataset *d, const RunSpec *s) {
    int rows, cols, layer, layers = (int)s->layers;
    size_t most = 1;
    *f = (Fits){.t = t, .fits = trainer_replicas(t) * layers};
    f->fit = mem_alloc((size_t)f->fits, sizeof *f->fit);
    for (int i = 0; i < trainer_probes(t); i++) {
        if (trainer_probe(t, i, &layer) != PROBE_linear_probe) continue;
        if (!trainer_looks_at(t, i, 0, &rows, &cols, NULL)) continue;
        if ((size_t)rows * (size_t)cols > most) most = (size_t)rows * (size_t)cols;
        for (int r = 0; r < trainer_replicas(t); r++)
            f->fit[r * layers + layer] =
                (Fit){.probe = i, .replica = r, .ridge = st_ridge_new((size_t)cols, (size_t)d->vocab)};
    }
    f->x = mem_alloc(most, sizeof *f->x);
}

static void fits_release(Fits *f) {
    for (int i = 0; i < f->fits; i++) st_ridge_free(f->fit[i].ridge);
    free(f->fit);
    free(f->x);
}

/* Run forward in all replicas on the first one's feeds; give each position to every probe. */
static void each_position(Fits *f, bool fitting) {
    trainer_repeat(f->t);
    trainer_forward(f->t);
    const int32_t *target = trainer_feed(f->t, "targets", 0);
    for (Fit *p = f->fit; p < f->fit + f->fits; p++) {
        int rows, cols;
        if (!p->ridge || (!fitting && !p->fitted)) continue;
        trainer_looks_at(f->t, p->probe, p->replica, &rows, &cols, f->x);
        for (int row = 0; row < rows; row++) {
            const double *x = f->x + (size_t)row * (size_t)cols;
            if (target[row] < 0) continue;
            if (fitting)
                st_ridge_add(p->ridge, x, (size_t)target[row]);
            else
                p->right += st_ridge_class(p->ridge, x, NULL) == (size_t)target[row], p->seen++;
        }
    }
}

static bool stopped(const volatile sig_atomic_t *stop) {
    return stop && *stop;
}

bool linear_probes(Trainer *t, const Dataset *d, const RunSpec *s, double *accuracy,
                   const volatile sig_atomic_t *stop) {
    Fits f;
    int batch = (int)s->batch, context = (int)s->context;
    size_t rows = (size_t)batch * (size_t)context, wanted = (LINEAR_PROBE_POSITIONS + rows - 1) / rows;
    size_t whole = feed_window_count(s, d) / (size_t)batch, windows = whole < 1 ? 1 : whole;
    st_init(); /* else GSL would end the program if a factorization fails */
    fits_make(&f, t, d, s);
    for (size_t i = 0; i < wanted && !stopped(stop); i++) {
        feed_step(t, 0, d, s, 0, i);
        each_position(&f, true);
    }
    for (Fit *p = f.fit; p < f.fit + f.fits; p++) p->fitted = p->ridge && st_ridge_fit(p->ridge, lambda) == ST_OK;
    size_t scored = windows < wanted ? windows : wanted;
    for (size_t i = 0; i < scored && !stopped(stop); i++) {
        feed_windows(t, 0, d, s, i * windows / scored * (size_t)batch);
        each_position(&f, false);
    }
    for (int i = 0; i < f.fits; i++)
        accuracy[i] = f.fit[i].seen ? (double)f.fit[i].right / (double)f.fit[i].seen : (double)NAN;
    fits_release(&f);
    return !stopped(stop);
}
