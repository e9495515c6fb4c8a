/* Ceilings and facts as JSON; of the host where the shim stands in, marked as such. */
#include "tests/gpu/ceiling.h"

#include <math.h>
#include <stdio.h>

#ifndef HAVE_CUDA
void gpu_facts(DeviceFacts *f) {
    *f = (DeviceFacts){.name = ""};
}

double gpu_fma_peak(void) {
    return 0;
}

double gpu_copy_rate(void) {
    return 0;
}
#endif

static void version(Json *j, const char *key, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d.%d", number / 1000, number % 1000 / 10);
    json_text(j, key, text);
}

void ceiling_device(Check *c) {
    DeviceFacts f = {.name = "the CPU, through the SIMT shim"};
    if (c->device) gpu_facts(&f);
    json_object(&c->json, "device");
    json_text(&c->json, "name", f.name);
    if (c->device) {
        json_text(&c->json, "arch", f.arch);
        version(&c->json, "driver_cuda", f.driver);
        version(&c->json, "toolkit", f.toolkit);
        json_number(&c->json, "multiprocessors", f.processors);
        json_number(&c->json, "clock_mhz", f.clock_khz / 1e3);
        json_number(&c->json, "memory_bytes", f.memory);
        json_number(&c->json, "l2_bytes", f.l2);
    }
    json_end(&c->json);
}

/* A share of what is not known is no number. */
static double known(double ceiling) {
    return ceiling > 0 ? ceiling : (double)NAN;
}

void check_ceilings(Check *c) {
    if (c->fma_peak != 0) return;
    c->fma_peak = known(c->device ? gpu_fma_peak() : 1e9 * backend_fma_peak(NULL));
    c->copy_rate = known(c->device ? gpu_copy_rate() : 1e9 * backend_copy_bandwidth());
}

void part_ceilings(Check *c) {
    check_ceilings(c);
    json_object(&c->json, "ceilings");
    json_text(&c->json, "of", c->device ? "the device" : "one core of the host");
    json_number(&c->json, "fp32_fma_tflops", c->fma_peak / 1e12);
    json_number(&c->json, "copy_gb_per_s", c->copy_rate / 1e9);
    if (isnan(c->fma_peak) || isnan(c->copy_rate)) {
        Error e;
        error_set(&e, RC_UNMEASURED, "a ceiling's kernel failed");
        check_unmeasured(c, "ceilings", &e);
    }
    json_end(&c->json);
    printf("ceilings of %s: fma %.3f TFLOP/s, copy %.1f GB/s\n", c->device ? "the device" : "one core of the host",
           c->fma_peak / 1e12, c->copy_rate / 1e9);
}
