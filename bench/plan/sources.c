#include "bench/plan/sources.h"

#include "models/equation.h"

ArmSource arm_source(const Arm *a) {
    const Variant *row = equation_base(&a->spec.variant);
    return (ArmSource){row->label, row->cite};
}

static void add(const char *key, const char *value, Text *out) {
    text_format(out, "%s%s: %s", out->length ? ", " : "", key, value);
}

void arm_changes(const Experiment *x, int arm, int baseline, Text *out) {
    const Arm *a = &x->arm[arm];
    const Variant *row = equation_base(&a->spec.variant);
    uint64_t own = a->own | x->arm[baseline].own;
    char value[SPEC_TEXT_SIZE];
    for (int i = 0; i < variant_key_count; i++)
        if (variant_change(value, &a->spec.variant, row, variant_keys[i])[0]) add(variant_keys[i], value, out);
    for (int i = 0; i < spec_key_count; i++)
        if (own >> i & 1) add(spec_keys[i], spec_get(value, &a->spec, spec_keys[i]), out);
}

bool experiment_cites(const Experiment *x, const Reference *r) {
    bool any = false;
    for (int arm = 0; arm < x->arms; arm++) any |= reference_named(r, arm_source(&x->arm[arm]).cite);
    return any;
}
