#include "bench/verify/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/store/record.h"
#include "bench/verdict/paired.h"
#include "bench/verify/snapshot.h"

const char *const gate_names[GATE_LEVELS] = {"bit", "numeric", "statistical"};

enum { TOLERANCE_FACTOR = 10 };

GateLevel gate_default(json_t *snapshot, const char *arithmetic_class) {
    json_t *first = json_array_get(json_object_get(snapshot, "rows"), 0);
    const char *stored = json_get_text(first, "arithmetic_class");
    const PrecisionKind p = precision_of_class(arithmetic_class);
    const bool rounded = p != PRECISION_exact && p != PRECISION_fp32 && p != PRECISION_fp64;
    if (stored && !strcmp(stored, arithmetic_class)) return GATE_bit;
    return json_object_get(snapshot, "tolerances") && !rounded ? GATE_numeric : GATE_statistical;
}

static const char *text_of(json_t *row, const char *key) {
    const char *text = json_get_text(row, key);
    return text ? text : "";
}

static json_t *same_run(json_t *rows, const char *run) {
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row) if (!strcmp(text_of(row, "run"), run)) return row;
    return NULL;
}

/* NaN: the run has no such validation. */
static double loss_at(json_t *row, const char *step) {
    return json_get_number(json_object_get(json_object_get(row, "valid_loss"), step), "nats");
}

static bool diverged(json_t *row) {
    return strcmp(text_of(row, "status"), "ok") != 0;
}

json_t *gate_tolerances(json_t *rows, json_t *doubles) {
    size_t i;
    json_t *row, *at, *steps = json_object();
    const char *step;
    json_array_foreach(rows, i, row) {
        json_t *other = same_run(doubles, text_of(row, "run"));
        if (!other || diverged(row) || diverged(other)) continue;
        json_object_foreach(json_object_get(row, "valid_loss"), step, at) {
            double worst = json_real_value(json_object_get(steps, step));
            double apart = TOLERANCE_FACTOR * fabs(loss_at(row, step) - loss_at(other, step));
            if (!(apart <= worst)) worst = apart; /* true for NaN too, so that it is stored */
            json_object_set_new(steps, step, json_real(worst));
        }
    }
    return json_pack("{s:s, s:o}", "rule", "10 x the largest difference from the double backend over all runs",
                     "valid_loss", steps);
}

static int names_differ(json_t *stored, json_t *rows, Text *report) {
    size_t i;
    json_t *row;
    int differ = 0;
    json_array_foreach(stored, i, row) if (!same_run(rows, text_of(row, "run")))
        text_format(report, "  missing: %s\n", text_of(row, "run")),
        differ++;
    json_array_foreach(rows, i, row) if (!same_run(stored, text_of(row, "run")))
        text_format(report, "  extra: %s\n", text_of(row, "run")),
        differ++;
    return differ;
}

static int bits_differ(json_t *stored, json_t *rows, Text *report, int *compared) {
    json_auto_t *table = NULL;
    int differences = snapshot_compare(stored, rows, report, &table);
    *compared += (int)json_array_size(rows);
    return differences;
}

static int numbers_differ(json_t *tolerances, json_t *stored, json_t *rows, Text *report, int *compared) {
    size_t i;
    json_t *row, *at;
    const char *step;
    double worst = 0;
    int differ = 0;
    json_array_foreach(stored, i, row) {
        const char *run = text_of(row, "run");
        json_t *other = same_run(rows, run);
        if (!other) continue;
        ++*compared;
        if (strcmp(text_of(row, "status"), text_of(other, "status")) != 0) {
            text_format(report, "  changed: %s: status %s -> %s\n", run, text_of(row, "status"),
                        text_of(other, "status"));
            differ++;
            continue;
        }
        json_object_foreach(json_object_get(row, "valid_loss"), step, at) {
            double old = loss_at(row, step), new = loss_at(other, step), apart = fabs(new - old);
            double allowed = json_number_value(json_object_get(tolerances, step));
            bool same = diverged(row) && isnan(old) && isnan(new);
            ++*compared;
            if (same || apart <= allowed) {
                if (!same && allowed > 0) worst = fmax(worst, apart / allowed);
                continue;
            }
            text_format(report, "  changed: %s: loss at step %s %.9g -> %.9g, %.3g apart, %.3g allowed\n", run, step,
                        old, new, apart, allowed);
            differ++;
        }
    }
    text_format(report, "  largest difference: %.2g of its tolerance\n", worst);
    return differ;
}

/* "pre seed 3" -> "pre", the arm and its cell. */
static void arm_of(const char *run, char out[128]) {
    const char *seed = strstr(run, " seed ");
    for (const char *next; seed && (next = strstr(seed + 1, " seed "));) seed = next;
    snprintf(out, 128, "%.*s", (int)(seed ? seed - run : (long)strlen(run)), run);
}

/* The last validation of a run; a diverged one has none. */
static double final_loss(json_t *row) {
    const char *step;
    json_t *at;
    long last = -1;
    double loss = (double)NAN;
    json_object_foreach(json_object_get(row, "valid_loss"), step, at) {
        if (strtol(step, NULL, 10) <= last) continue;
        last = strtol(step, NULL, 10);
        loss = loss_at(row, step);
    }
    return diverged(row) ? (double)NAN : loss;
}

/* One arm: the seeds where both runs finished, measured and stored. */
typedef struct {
    char name[128];
    double *measured, *stored;
    int n, lost; /* lost: seeds that diverged on one side only */
} GateArm;

static GateArm *find_arm(GateArm **arms, int *count, const char *run, size_t room) {
    char name[128];
    arm_of(run, name);
    for (int i = 0; i < *count; i++)
        if (!strcmp((*arms)[i].name, name)) return &(*arms)[i];
    *arms = mem_grow(*arms, (size_t)*count + 1, sizeof **arms);
    GateArm *arm = &(*arms)[(*count)++];
    *arm = (GateArm){.measured = mem_alloc(room, sizeof(double)), .stored = mem_alloc(room, sizeof(double))};
    strcpy(arm->name, name);
    return arm;
}

static int gather(GateArm **arms, json_t *stored, json_t *rows, int *compared) {
    size_t i;
    json_t *row;
    int count = 0;
    json_array_foreach(stored, i, row) {
        json_t *other = same_run(rows, text_of(row, "run"));
        if (!other) continue;
        GateArm *arm = find_arm(arms, &count, text_of(row, "run"), json_array_size(stored));
        double old = final_loss(row), new = final_loss(other);
        ++*compared;
        arm->lost += isnan(old) != isnan(new);
        if (isnan(old) || isnan(new)) continue;
        arm->measured[arm->n] = new;
        arm->stored[arm->n++] = old;
    }
    return count;
}

/* Measured minus stored, paired by seed; Holm over the arms' paired t tests. */
static void test_arms(Family *f, const GateArm *arms, int count, double margin, size_t room) {
    OWNED double *p = mem_alloc((size_t)count + 1, sizeof *p);
    uint64_t *seed = mem_alloc(room, sizeof *seed);
    for (size_t i = 0; i < room; i++) seed[i] = i;
    family_begin(f, count);
    for (int i = 0; i < count; i++) {
        Comparison *c = &f->at[i];
        c->what = contrast_pair(0, 0, METRIC_valid_loss, 0, 1, margin);
        comparison_make(
            f, c,
            &(PairedRuns){.n = arms[i].n,
                          .seed = seed,
                          .arm = {{.weight = 1, .value = arms[i].measured}, {.weight = -1, .value = arms[i].stored}},
                          .arms = 2});
        bool flat = c->t.status == ST_DEGENERATE; /* every seed differs by the same */
        p[i] = flat ? (fabs(c->t.mean) > margin ? 0 : 1) : c->t.status == ST_OK ? c->t.p : (double)NAN;
    }
    family_holm(f, p);
    free(seed);
}

/* All diverged as stored, or inside the margin; a constant difference may be as large as the margin. */
static bool same_arm(const GateArm *x, const Comparison *c) {
    bool flat = c->t.status == ST_DEGENERATE;
    return !x->lost && (!x->n ? true : flat ? fabs(c->t.mean) <= c->what.margin : c->tost.equivalent);
}

static Rc arms_differ(json_t *stored, json_t *rows, double margin, double alpha, Text *report, int *compared) {
    GateArm *arms = NULL;
    Rc rc = RC_OK;
    st_init();
    int count = gather(&arms, stored, rows, compared);
    Family f = {.tests = PAIRED_T | PAIRED_TOST, .alpha = alpha, .conf = 1 - alpha};
    test_arms(&f, arms, count, margin, json_array_size(stored));
    for (int i = 0; i < count; i++) {
        const GateArm *x = &arms[i];
        const Comparison *c = &f.at[i];
        bool same = same_arm(x, c), worse = x->lost || (!same && c->holm < alpha);
        const char *word = same ? "equivalent" : worse ? "DIFFERENT" : "inconclusive";
        text_format(report, "  %-24s n = %d", x->name, x->n);
        if (x->n)
            text_format(report, "  %+.3g nats", c->t.mean);
        else
            text_format(report, "  no pair of finished runs");
        if (c->tost.status == ST_OK) text_format(report, " [%+.3g, %+.3g]", c->tost.ci_lo, c->tost.ci_hi);
        text_format(report, "  margin %g  %s", margin, word);
        if (x->lost) text_format(report, ": %d seed%s diverged on one side only", x->lost, x->lost == 1 ? "" : "s");
        text_format(report, "\n");
        if (worse)
            rc = RC_REGRESSION;
        else if (!same && !rc)
            rc = RC_INCONCLUSIVE;
        free(x->measured);
        free(x->stored);
    }
    family_release(&f);
    free(arms);
    return rc;
}

static Rc check_statistics(json_t *stored, json_t *rows, double margin, double alpha, Text *report, int *compared,
                           Error *e) {
    int names = names_differ(stored, rows, report);
    Rc rc = arms_differ(stored, rows, margin, alpha, report, compared);
    if (names)
        return error_set(e, RC_REGRESSION, "%d run%s missing or extra beside the stored snapshot", names,
                         names == 1 ? " is" : "s are");
    if (rc == RC_REGRESSION)
        return error_set(e, RC_REGRESSION, "some arm differs from the stored one by more than %g nats", margin);
    if (!rc) return RC_OK;
    return error_set(e, rc, "some arm is neither the same within %g nats nor different: more seeds are needed", margin);
}

Rc gate_check(GateLevel level, json_t *snapshot, json_t *rows, double margin, double alpha, Text *report, int *compared,
              Error *e) {
    json_t *stored = json_object_get(snapshot, "rows"), *tolerances = json_object_get(snapshot, "tolerances");
    const char *theirs = text_of(json_array_get(stored, 0), "arithmetic_class");
    const char *ours = text_of(json_array_get(rows, 0), "arithmetic_class");
    int differ = 0;
    if (!json_array_size(stored) || !json_array_size(rows)) return error_set(e, RC_UNMEASURED, "nothing to compare");
    if (level == GATE_statistical) return check_statistics(stored, rows, margin, alpha, report, compared, e);
    if (level == GATE_numeric && !tolerances)
        return error_set(e, RC_UNMEASURED,
                         "no tolerances are stored: normbench verify snapshot --reason TEXT measures them");
    if (level == GATE_bit && strcmp(ours, theirs) != 0)
        return error_set(e, RC_UNMEASURED, "stored in arithmetic class '%s', measured in '%s': no bits to compare",
                         theirs, ours);
    if (level == GATE_bit)
        differ = bits_differ(stored, rows, report, compared);
    else
        differ = names_differ(stored, rows, report) +
                 numbers_differ(json_object_get(tolerances, "valid_loss"), stored, rows, report, compared);
    if (differ) return error_set(e, RC_REGRESSION, "%d differences from the stored snapshot", differ);
    return *compared ? RC_OK : error_set(e, RC_UNMEASURED, "nothing was compared");
}
