/* gpu_check [--backend cuda|simt] [--quick] [--exact] --part NAME [--out FILE]
 * gpu_check [--backend cuda|simt] [--quick] [--exact] --steps R N | --toy | --count
 * gpu_check [--backend cuda|simt] --present | --head | --parts | --hash
 *
 * One part of what is measured on a device, as JSON: hashes against the CPU's, fast precisions against cpu64, speed
 * against ceilings measured by the same process. bench/gpu-check calls it part by part, in the order of --parts, and
 * puts the parts together. --exact leaves the other precisions out, as a machine without cuBLASLt does. --steps: R
 * replicas, N steps, a row for each kernel. Exit codes: 0 passed, 1 a bound or target was missed, 2 wrong usage, 3
 * no device or something could not be measured, 5 a hash differs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/canon.h"
#include "base/file.h"
#include "tests/gpu/ceiling.h"
#include "tests/gpu/check.h"
#include "tests/gpu/table.h"

/* In the order of what is worth most. */
static const struct {
    const char *name;
    void (*run)(Check *c);
} parts[] = {{"hashes", part_hashes},     {"replicas", part_replicas}, {"agreement", part_agreement},
             {"ceilings", part_ceilings}, {"speed", part_speed},       {"products", part_products},
             {"probes", part_probes},     {"profile", part_profile}};
enum { PARTS = sizeof parts / sizeof *parts, TIMED_STEPS_MAX = 1000 };

typedef struct {
    const char *backend, *out, *part;
    bool quick, exact, toy, present, hash, head, list, count;
    int64_t replicas, steps; /* of --steps */
} Asked;

void check_unmeasured(Check *c, const char *what, const Error *e) {
    c->unmeasured++;
    json_text(&c->json, "not_measured", e->text);
    printf("%s: not measured: %s\n", what, e->text);
}

void check_target(Check *c, const char *what, double value, double target, bool at_most) {
    bool judged = c->device && !c->quick && isfinite(value), met = at_most ? value <= target : value >= target;
    const char *verdict = !judged ? "not judged" : met ? "met" : "missed";
    json_object(&c->json, "target");
    json_number(&c->json, at_most ? "at_most" : "at_least", target);
    json_number(&c->json, "value", value);
    json_text(&c->json, "verdict", verdict);
    json_end(&c->json);
    printf("%s: %.3g, target %s %.3g: %s\n", what, value, at_most ? "at most" : "at least", target, verdict);
    if (judged && !met) c->misses++;
}

static Rc text_of(const char **to, char **argv, int argc, int *i, Error *e) {
    if (*i + 1 >= argc) return error_set(e, RC_USAGE, "gpu_check: %s needs a value", argv[*i]);
    *to = argv[++*i];
    return RC_OK;
}

static Rc integer_of(int64_t *to, int64_t most, char **argv, int argc, int *i, Error *e) {
    const char *text = NULL;
    if (text_of(&text, argv, argc, i, e)) return e->code;
    if (parse_integer(text, to) && *to >= 1 && *to <= most) return RC_OK;
    return error_set(e, RC_USAGE, "gpu_check: --steps takes replicas from 1 to %d and steps from 1 to %d, not '%s'",
                     TABLE_MAX, TIMED_STEPS_MAX, text);
}

static Rc wrong_part(const char *name, Error *e) {
    const char *names[PARTS];
    char hint[96];
    for (size_t i = 0; i < PARTS; i++) names[i] = parts[i].name;
    return error_set(e, RC_USAGE, "gpu_check: unknown part '%s'%s", name,
                     did_you_mean(hint, sizeof hint, name, names, PARTS));
}

static Rc read_arguments(Asked *a, int argc, char **argv, Error *e) {
    *a = (Asked){.backend = "cuda"};
    const struct {
        const char *name;
        bool *set;
        const char **text;
    } options[] = {{"--backend", NULL, &a->backend}, {"--out", NULL, &a->out},     {"--part", NULL, &a->part},
                   {"--quick", &a->quick, NULL},     {"--exact", &a->exact, NULL}, {"--toy", &a->toy, NULL},
                   {"--present", &a->present, NULL}, {"--hash", &a->hash, NULL},   {"--head", &a->head, NULL},
                   {"--parts", &a->list, NULL},      {"--count", &a->count, NULL}, {"--steps", NULL, NULL}};
    enum { OPTIONS = sizeof options / sizeof *options };
    const char *names[OPTIONS];
    for (size_t k = 0; k < OPTIONS; k++) names[k] = options[k].name;
    for (int i = 1; i < argc; i++) {
        char hint[96];
        size_t k = 0;
        while (k < OPTIONS && strcmp(argv[i], names[k])) k++;
        if (k == OPTIONS)
            return error_set(e, RC_USAGE, "gpu_check: unknown option '%s'%s", argv[i],
                             did_you_mean(hint, sizeof hint, argv[i], names, OPTIONS));
        if (options[k].set) {
            *options[k].set = true;
        } else if (options[k].text) {
            if (text_of(options[k].text, argv, argc, &i, e)) return e->code;
        } else {
            const char *own = argv[i];
            if (integer_of(&a->replicas, TABLE_MAX, argv, argc, &i, e)) return e->code;
            if (i + 1 >= argc) return error_set(e, RC_USAGE, "gpu_check: %s needs two values", own);
            if (integer_of(&a->steps, TIMED_STEPS_MAX, argv, argc, &i, e)) return e->code;
        }
    }
    if (a->part || a->steps || a->toy || a->count || a->present || a->head || a->hash || a->list) return RC_OK;
    return error_set(e, RC_USAGE, "gpu_check: nothing to do: --part NAME, --steps R N, --toy, --count or --present");
}

const char *check_precision(int i) {
    static const PrecisionKind kind[CHECK_PRECISIONS] = {
        PRECISION_exact,
#define FAST(name, ...) PRECISION_##name,
#include "kernels/cuda/fast.def"
#undef FAST
    };
    return precision_name(kind[i]);
}

int check_precisions(const Check *c) {
    return c->quick ? CHECK_fp32 + 1 : CHECK_PRECISIONS;
}

/* Exact mode does not need the library: without it, the parts of other precisions say why they are not measured. */
static Rc find_backends(Check *c, const Asked *a, Error *e) {
    c->exact = c->in[CHECK_exact] = backend_find(a->backend, e);
    if (!c->exact) return e->code;
    if (!c->exact->device) return error_set(e, RC_USAGE, "gpu_check: backend '%s' is no device", a->backend);
    c->device = !c->exact->device->shares_memory;
    if (a->exact) error_set(&c->without, RC_UNMEASURED, "it was left out by --exact");
    for (int i = CHECK_exact + 1; i < CHECK_PRECISIONS && !a->exact; i++)
        c->in[i] = backend_precise(a->backend, check_precision(i), &c->without);
    return RC_OK;
}

/* What a part belongs to: parts of one head make one result. */
static void write_head(Check *c) {
    json_object(&c->json, NULL);
    json_number(&c->json, "schema", 1);
    json_text(&c->json, "kernels", kernels_hash);
    json_text(&c->json, "backend", c->exact->name);
    json_bool(&c->json, "quick", c->quick);
    ceiling_device(c);
}

static Rc verdict(const Check *c) {
    return c->mismatches ? RC_INTEGRITY : c->misses ? RC_REGRESSION : c->unmeasured ? RC_UNMEASURED : RC_OK;
}

static Rc run_part(Check *c, const Asked *a, Error *e) {
    char date[32];
    time_t now = time(NULL);
    size_t i = 0;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    while (i < PARTS && strcmp(parts[i].name, a->part)) i++;
    if (i == PARTS) return wrong_part(a->part, e);
    write_head(c);
    json_text(&c->json, "date", date);
    parts[i].run(c);
    json_number(&c->json, "exit", verdict(c));
    json_end(&c->json);
    return a->out ? file_write(a->out, c->json.text.at, c->json.text.length, e) : RC_OK;
}

/* The lists of names and hashes need no device. */
static bool print_lists(const Asked *a) {
    if (a->hash) puts(kernels_hash);
    for (size_t i = 0; a->list && i < PARTS; i++) puts(parts[i].name);
    return a->hash || a->list;
}

int main(int argc, char **argv) {
    Asked a;
    Error e;
    Check c = {.mismatches = 0};
    canon_environment();
    json_init(&c.json);
    Rc rc = read_arguments(&a, argc, argv, &e);
    if (!rc && print_lists(&a)) return 0;
    if (!rc) rc = find_backends(&c, &a, &e);
    c.quick = a.quick;
    if (!rc && a.head) {
        write_head(&c);
        puts(c.json.text.at);
    }
    if (!rc && a.toy) part_toy(&c);
    if (!rc && a.count) part_count(&c);
    if (!rc && a.steps) part_steps(&c, (int)a.replicas, (int)a.steps);
    if (!rc && a.part) rc = run_part(&c, &a, &e);
    if (rc) fprintf(stderr, "%s\n", e.text);
    json_release(&c.json);
    return rc ? (int)rc : (int)verdict(&c);
}
