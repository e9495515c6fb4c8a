#include "bench/provenance.h"

#include <gsl/gsl_version.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "base/pool.h"
#include "base/text.h"
#include "bench_build.h"
#include "kernels/backend.h"

const char *provenance_commit(void) {
    return BUILD_COMMIT;
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

json_t *provenance_json(void) {
    char cpu[256];
    Error ignored;
    cpu_model(cpu, sizeof cpu);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:{s:s, s:s, s:s}}", "version", NORMBENCH_VERSION, "commit",
                     BUILD_COMMIT, "compiler", BUILD_COMPILER, "flags", BUILD_FLAGS, "isa",
                     backend_find("cpu", &ignored)->name, "cpu", cpu, "processors", pool_processors(), "libraries",
                     "gsl", gsl_version, "jansson", JANSSON_VERSION, "openssl", OpenSSL_version(OPENSSL_VERSION));
}
