#include "bench/store/provenance.h"

#include <gsl/gsl_version.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/pool.h"
#include "base/text.h"
#include "bench/formats/json.h"
#include "bench_build.h"
#include "kernels/backend.h"

const char *provenance_commit(void) {
    return BUILD_COMMIT;
}

const char provenance_changes[] = "-dirty: the checkout had changes that are in no commit";

bool provenance_changed(const char *commit) {
    return text_ends(commit, "-dirty");
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

#define ROW(member) JSON_FIELD(Provenance, member)
static const JsonField build[] = {ROW(version), ROW(commit), ROW(compiler),   ROW(flags),
                                  ROW(isa),     ROW(cpu),    ROW(processors), {0}};
static const JsonField libraries[] = {ROW(gsl), ROW(jansson), ROW(openssl), {0}};
static const JsonField run[] = {
    JSON_FIELD_AS("threads_per_run", Provenance, threads), ROW(replicas), ROW(device), ROW(made), {0}};

static json_t *build_json(const Provenance *p) {
    return json_add(json_put(json_object(), build, p), "libraries", json_put(json_object(), libraries, p));
}

json_t *provenance_json(void) {
    Provenance here;
    provenance_here(&here);
    return build_json(&here);
}

json_t *provenance_json_of(const Provenance *p) {
    return json_put(build_json(p), run, p);
}

void provenance_read(Provenance *p, json_t *from) {
    *p = (Provenance){0};
    PUT(version, "unknown"), PUT(commit, "unknown"), PUT(compiler, "unknown"), PUT(flags, "unknown");
    PUT(isa, "unknown"), PUT(cpu, "unknown"), PUT(gsl, "unknown"), PUT(jansson, "unknown"), PUT(openssl, "unknown");
    (void)json_take(p, build, from), (void)json_take(p, libraries, json_object_get(from, "libraries"));
    PUT(device, p->cpu); /* records of schema 1 and 2 name a device only if it is not the CPU */
    (void)json_take(p, run, from);
    if (p->processors < 0) p->processors = 0;
    if (p->threads < 1) p->threads = 1;
    if (p->replicas < 1) p->replicas = 1;
}
