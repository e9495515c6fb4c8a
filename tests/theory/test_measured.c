/* Statements measured again: the numbers of each job's first seed are those of results/reference/theory/measured.json,
 * which holds all seeds. `theory_run` of the full depth measures them all. */
#include "bench/theory/theory.h"
#include "tests/test.h"

static Theory stored;
static bool met[STATEMENT_COUNT];

/* The stored value of a noted number; NAN where there is none. */
static double stored_value(const TheoryNumber *n) {
    const Measured *m = &stored.at[n->id];
    for (int i = 0; i < m->points && n->seed < m->seeds; i++)
        if (m->x[i] == n->x) return m->value[i * m->seeds + n->seed];
    return (double)NAN;
}

/* libm and GSL may round otherwise on another machine. */
static bool close_to(double got, double want) {
    return got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= 1e-9 * fmax(1, fabs(want));
}

static void again(const TheoryJob *job, int count) {
    for (int i = 0; i < count; i++) {
        TheoryNotes notes = {0};
        pthread_mutex_init(&notes.lock, NULL);
        OK(job[i].measure(&notes, 0, job[i].argument, &e));
        cr_assert_gt(notes.numbers, 0, "job %d notes nothing", i);
        for (int k = 0; k < notes.numbers; k++) {
            const TheoryNumber *n = &notes.number[k];
            const double want = stored_value(n);
            met[n->id] = true;
            cr_expect(close_to(n->value, want), "%s at %g: %.17g, not %.17g",
                      statements[n->id].name, n->x, n->value, want);
        }
        free(notes.number);
        pthread_mutex_destroy(&notes.lock);
    }
}

Test(measured, first_seeds_are_as_stored) {
    OK(theory_read(&stored, SOURCE_ROOT "/results/reference/theory/measured.json", &e));
    again(theory_deep, theory_deep_count);
    again(theory_nets, theory_nets_count);
    again(theory_gpt, theory_gpt_count);
    again(theory_norms, theory_norms_count);
    for (int i = 0; i < STATEMENT_COUNT; i++)
        cr_expect(met[i] || statements[i].printed || !stored.at[i].points, "%s is not measured", statements[i].name);
    theory_release(&stored);
}
