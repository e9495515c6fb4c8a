/* gpu_check [--backend cuda|simt] [--quick | --toy | --toy-exact | --present | --count | --hash]
 * [--out FILE] [--fact KEY=VALUE]...
 *
 * One run on a device, as JSON: hashes against the CPU's, fp32 against cpu64, speed against ceilings of the same run.
 * bench/gpu-check calls it. Exit codes: 0 passed, 1 a bound or target was missed, 3 no device or something could not be
 * measured, 5 a hash differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/canon.h"
#include "base/file.h"
#include "tests/gpu/ceiling.h"
#include "tests/gpu/check.h"

enum { MOST_FACTS = 16 };

typedef struct {
    const char *backend, *out;
    bool quick, toy, toy_exact, present, hash, count;
    char *fact[MOST_FACTS];
    int facts;
} Asked;

void check_unmeasured(Check *c, const char *what, const Error *e) {
    c->unmeasured++;
    json_text(&c->json, "not_measured", e->text);
    printf("%s: not measured: %s\n", what, e->text);
}

void check_target(Check *c, const char *what, double value, double target, bool at_most) {
    bool judged = c->device && !c->quick, met = at_most ? value <= target : value >= target;
    const char *verdict = !judged ? "not judged" : met ? "met" : "missed";
    json_object(&c->json, "target");
    json_number(&c->json, at_most ? "at_most" : "at_least", target);
    json_number(&c->json, "value", value);
    json_text(&c->json, "verdict", verdict);
    json_end(&c->json);
    printf("%s: %.3g, target %s %.3g: %s\n", what, value, at_most ? "at most" : "at least", target, verdict);
    if (judged && !met) c->misses++;
}

static Rc value_of(const char **to, char **argv, int argc, int *i, Error *e) {
    if (*i + 1 >= argc) return error_set(e, RC_USAGE, "gpu_check: %s needs a value", argv[*i]);
    *to = argv[++*i];
    return RC_OK;
}

static Rc read_arguments(Asked *a, int argc, char **argv, Error *e) {
    static const char *const options[] = {"--backend", "--quick", "--toy", "--toy-exact", "--present",
                                          "--hash",    "--count", "--out", "--fact"};
    *a = (Asked){.backend = "cuda"};
    for (int i = 1; i < argc; i++) {
        const char *fact = NULL;
        Rc rc = RC_OK;
        char hint[96];
        if (!strcmp(argv[i], "--backend"))
            rc = value_of(&a->backend, argv, argc, &i, e);
        else if (!strcmp(argv[i], "--out"))
            rc = value_of(&a->out, argv, argc, &i, e);
        else if (!strcmp(argv[i], "--quick"))
            a->quick = true;
        else if (!strcmp(argv[i], "--toy"))
            a->toy = true;
        else if (!strcmp(argv[i], "--toy-exact"))
            a->toy = a->toy_exact = true;
        else if (!strcmp(argv[i], "--present"))
            a->present = true;
        else if (!strcmp(argv[i], "--hash"))
            a->hash = true;
        else if (!strcmp(argv[i], "--count"))
            a->count = true;
        else if (!strcmp(argv[i], "--fact"))
            rc = value_of(&fact, argv, argc, &i, e);
        else
            return error_set(e, RC_USAGE, "gpu_check: unknown option '%s'%s", argv[i],
                             did_you_mean(hint, sizeof hint, argv[i], options, sizeof options / sizeof *options));
        if (rc) return rc;
        if (fact && (!strchr(fact, '=') || a->facts == MOST_FACTS))
            return error_set(e, RC_USAGE, "gpu_check: --fact takes KEY=VALUE, at most %d times: '%s'", MOST_FACTS,
                             fact);
        if (fact) a->fact[a->facts++] = mem_text(fact);
    }
    return RC_OK;
}

static Rc find_backends(Check *c, const char *name, Error *e) {
    char fp32[64];
    snprintf(fp32, sizeof fp32, "%s-fp32", name);
    c->exact = backend_find(name, e);
    if (!c->exact) return e->code;
    if (!c->exact->device) return error_set(e, RC_USAGE, "gpu_check: backend '%s' is no device", name);
    c->fp32 = backend_find(fp32, e);
    c->device = !c->exact->device->shares_memory;
    return c->fp32 ? RC_OK : e->code;
}

static void write_head(Check *c, const Asked *a) {
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    json_object(&c->json, NULL);
    json_number(&c->json, "schema", 1);
    json_text(&c->json, "kernels", kernels_hash);
    json_text(&c->json, "backend", c->exact->name);
    json_text(&c->json, "date", date);
    json_bool(&c->json, "quick", c->quick);
    ceiling_device(c);
    json_object(&c->json, "facts"); /* what the caller found out */
    for (int i = 0; i < a->facts; i++) {
        char *value = strchr(a->fact[i], '=');
        *value++ = 0;
        json_text(&c->json, a->fact[i], value);
    }
    json_end(&c->json);
}

static Rc verdict(const Check *c) {
    return c->mismatches ? RC_INTEGRITY : c->misses ? RC_REGRESSION : c->unmeasured ? RC_UNMEASURED : RC_OK;
}

static Rc write_tail(Check *c, const char *out, Error *e) {
    const char *word[] = {[RC_OK] = "pass",
                          [RC_REGRESSION] = "missed",
                          [RC_UNMEASURED] = "not all measured",
                          [RC_INTEGRITY] = "hash mismatch"};
    json_text(&c->json, "verdict", word[verdict(c)]);
    json_end(&c->json);
    printf("verdict: %s\n", word[verdict(c)]);
    return out ? file_write(out, c->json.text.at, c->json.text.length, e) : RC_OK;
}

/* What stands so far, as a whole JSON: a crash or a time limit costs only the part it happens in. */
static Rc write_unfinished(Check *c, const char *out, Error *e) {
    Json here = c->json;
    if (!out) return RC_OK;
    json_text(&c->json, "verdict", "not finished");
    json_end(&c->json);
    Rc rc = file_write(out, c->json.text.at, c->json.text.length, e);
    here.text.at = c->json.text.at, here.text.room = c->json.text.room;
    c->json = here;
    c->json.text.at[here.text.length] = 0;
    return rc;
}

static Rc check_all(Check *c, const Asked *a, Error *e) {
    static void (*const part[])(Check *) = {part_ceilings, part_hashes,   part_replicas, part_agreement,
                                            part_speed,    part_products, part_probes};
    write_head(c, a);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (write_unfinished(c, a->out, e)) return e->code;
        part[i](c);
        fflush(stdout);
    }
    return write_tail(c, a->out, e);
}

int main(int argc, char **argv) {
    Asked a;
    Error e;
    Check c = {.mismatches = 0};
    canon_environment();
    json_init(&c.json);
    Rc rc = read_arguments(&a, argc, argv, &e);
    if (!rc && a.hash) return puts(kernels_hash) < 0;
    if (!rc) rc = find_backends(&c, a.backend, &e);
    c.quick = a.quick;
    if (!rc && a.toy) part_toy(&c, a.toy_exact);
    if (!rc && a.count) part_count(&c);
    if (!rc && !a.toy && !a.present && !a.count) rc = check_all(&c, &a, &e);
    if (rc) fprintf(stderr, "%s\n", e.text);
    for (int i = 0; i < a.facts; i++) free(a.fact[i]);
    json_release(&c.json);
    return rc ? (int)rc : (int)verdict(&c);
}
