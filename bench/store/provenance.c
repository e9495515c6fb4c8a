#include "bench/store/provenance.h"

#include <gsl/gsl_version.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/pool.h"
#include "base/text.h"
#include "bench_build.h"
#include "kernels/backend.h"

const char *provenance_commit(void) {
    return BUILD_COMMIT;
}

const char provenance_changes[] = "-dirty: the checkout had changes that are in no commit";

bool provenance_changed(const char *commit) {
    size_t n = strlen(commit);
    return n > 6 && !strcmp(commit + n - 6, "-dirty");
}

static void cpu_model(char *out, size_t size) {
    snprintf(out, size, "unknown");
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[256];
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            snprintf(out, size, "%s", trim(strchr(line, ':') + 1));
            break;
        }
    if (f) fclose(f);
}

#define PUT(field, text) snprintf(p->field, sizeof p->field, "%s", text)

void provenance_here(Provenance *p) {
    Error ignored;
    *p = (Provenance){.processors = pool_processors(), .threads = 1, .replicas = 1, .made = (int64_t)time(NULL)};
    PUT(version, NORMBENCH_VERSION), PUT(commit, BUILD_COMMIT), PUT(compiler, BUILD_COMPILER), PUT(flags, BUILD_FLAGS);
    PUT(isa, backend_find("cpu", &ignored)->name);
    PUT(gsl, gsl_version), PUT(jansson, JANSSON_VERSION), PUT(openssl, OpenSSL_version(OPENSSL_VERSION));
    cpu_model(p->cpu, sizeof p->cpu);
    PUT(device, p->cpu);
}

static json_t *build_json(const Provenance *p) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:{s:s, s:s, s:s}}", "version", p->version, "commit",
                     p->commit, "compiler", p->compiler, "flags", p->flags, "isa", p->isa, "cpu", p->cpu, "processors",
                     p->processors, "libraries", "gsl", p->gsl, "jansson", p->jansson, "openssl", p->openssl);
}

json_t *provenance_json(void) {
    Provenance here;
    provenance_here(&here);
    return build_json(&here);
}

json_t *provenance_json_of(const Provenance *p) {
    json_t *o = build_json(p);
    json_object_set_new(o, "threads_per_run", json_integer(p->threads));
    json_object_set_new(o, "replicas", json_integer(p->replicas));
    json_object_set_new(o, "device", json_string(p->device));
    json_object_set_new(o, "made", json_integer(p->made));
    return o;
}

static void take_text(char *out, size_t size, json_t *from, const char *key) {
    const char *text = json_string_value(json_object_get(from, key));
    snprintf(out, size, "%s", text ? text : "unknown");
}

static int take_count(json_t *from, const char *key, int least) {
    json_int_t x = json_integer_value(json_object_get(from, key));
    return x > least && x <= INT_MAX ? (int)x : least;
}

void provenance_read(Provenance *p, json_t *from) {
    json_t *libraries = json_object_get(from, "libraries");
#define TAKE(object, field) take_text(p->field, sizeof p->field, object, #field)
    TAKE(from, version), TAKE(from, commit), TAKE(from, compiler), TAKE(from, flags), TAKE(from, isa), TAKE(from, cpu);
    TAKE(libraries, gsl), TAKE(libraries, jansson), TAKE(libraries, openssl);
    if (json_object_get(from, "device")) TAKE(from, device);
    else PUT(device, p->cpu); /* records of schema 1 and 2 name a device only if it is not the CPU */
    p->processors = take_count(from, "processors", 0);
    p->threads = take_count(from, "threads_per_run", 1), p->replicas = take_count(from, "replicas", 1);
    p->made = json_integer_value(json_object_get(from, "made"));
}
