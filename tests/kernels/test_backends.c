/* The table of backends: every row is found by its name, by its family and precision, and says what it is; what is not
 * there is said in one line. */
#include "kernels/backend.h"
#include "tests/test.h"

Test(backends, names_are_unique) {
    for (int i = 0; i < backend_count; i++)
        for (int j = 0; j < i; j++) {
            const Backend *a = backends[i], *b = backends[j];
            cr_expect_str_neq(a->name, b->name);
            cr_expect(strcmp(a->family, b->family) || a->precision != b->precision, "%s and %s", a->name, b->name);
        }
}

/* Rows that this machine can run are found by name, and by name or family with their
 * precision; the others say why not. */
Test(backends, rows_are_found) {
    for (int i = 0; i < backend_count; i++) {
        const Backend *b = backends[i];
        const char *precision = precision_name(b->precision);
        for (int way = 0; way < 3; way++) {
            e = (Error){0};
            const Backend *got = way == 0   ? backend_find(b->name, &e)
                                 : way == 1 ? backend_precise(b->name, precision, &e)
                                            : backend_precise(b->family, precision, &e);
            if (b->supported()) {
                cr_expect(got == b, "%s, way %d", b->name, way);
                continue;
            }
            cr_expect(!got && e.code == RC_UNMEASURED, "%s, way %d: code %d", b->name, way, (int)e.code);
            cr_expect(strstr(e.text, b->name) && !strchr(e.text, '\n'), "%s", e.text);
        }
    }
}

/* "cpu" is the supported row of highest rank; nothing but the host's rows has one. */
Test(backends, cpu_is_the_fastest) {
    for (int p = 0; p < PRECISION_COUNT; p++) {
        e = (Error){0};
        const Backend *best = NULL;
        int ranked = 0;
        for (int i = 0; i < backend_count; i++) {
            const Backend *b = backends[i];
            cr_expect(!b->rank || !b->device, "%s", b->name);
            if ((int)b->precision != p || !b->rank) continue;
            ranked++;
            if (b->supported() && (!best || b->rank > best->rank)) best = b;
        }
        const Backend *got = backend_precise("cpu", precision_name((PrecisionKind)p), &e);
        cr_expect(got == best, "%s: %s", precision_name((PrecisionKind)p), got ? got->name : e.text);
        if (!got) cr_expect_eq(e.code, ranked ? RC_UNMEASURED : RC_USAGE, "%s", e.text);
        if (p == PRECISION_exact) cr_expect(backend_find("cpu", &e) == best);
        if (p == PRECISION_bf16) cr_expect(backend_find("cpu-bf16", &e) == best);
    }
}

/* Rows of one class are of one precision, and all or none of them are portable. */
Test(backends, classes_are_classes) {
    for (int i = 0; i < backend_count; i++) {
        const Backend *a = backends[i];
        cr_expect(a->class_of_bits || a->class_here || !a->supported(), "%s", a->name);
        if (a->supported()) cr_expect(strlen(backend_class(a)) < BACKEND_CLASS_SIZE, "%s", backend_class(a));
        for (int j = 0; j < i; j++) {
            const Backend *b = backends[j];
            if (!a->class_of_bits || !b->class_of_bits || strcmp(a->class_of_bits, b->class_of_bits)) continue;
            cr_expect(a->precision == b->precision && a->portable == b->portable, "%s and %s", a->name, b->name);
        }
    }
}

Test(backends, errors_name_what_there_is) {
    static const struct {
        const char *name, *precision, *line;
    } wrong[] = {
        {"portable", "bf16", "backend 'portable' computes in exact, fp16, bf16-stored and fp16-scaled only; cpu, "},
        {"readable", "fp16", "backend 'readable' computes in exact only; cpu, "},
        {"cpu", "fp16-scald", "unknown precision 'fp16-scald'; did you mean 'fp16-scaled'?"},
        {"cuda", "fp64", "backend 'cuda' computes in "},
        {"cuda-fp32", "exact", "backend 'cuda-fp32' computes in fp32 only; cpu, "},
        {"cpu", "fp32", "backend 'cpu' computes in "},
        {"cpu", "bf61", "unknown precision 'bf61'; did you mean 'bf16'?"},
        {"soft-dt", "bf16", "unknown backend 'soft-dt'; did you mean 'soft-dot'?"},
        {"portabel", NULL, "unknown backend 'portabel'; did you mean 'portable'?"},
        {"dot", NULL, "unknown backend 'dot'; did you mean 'dot-bf16'?"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        e = (Error){0};
        const Backend *b = wrong[i].precision ? backend_precise(wrong[i].name, wrong[i].precision, &e)
                                              : backend_find(wrong[i].name, &e);
        cr_expect(!b && e.code == RC_USAGE);
        /* lists are in the table's order */
        cr_expect(!strncmp(e.text, wrong[i].line, strlen(wrong[i].line)), "%s", e.text);
    }
}

Test(backends, precisions_have_names) {
    for (int p = 0; p < PRECISION_COUNT; p++) {
        PrecisionKind found;
        int rows = 0;
        cr_expect_eq(precision_find(&found, precision_name((PrecisionKind)p), &e), RC_OK);
        cr_expect_eq((int)found, p);
        cr_expect(*precision_what((PrecisionKind)p));
        for (int i = 0; i < backend_count; i++) rows += (int)backends[i]->precision == p;
        cr_expect_gt(rows, 0, "%s", precision_name((PrecisionKind)p));
    }
}
