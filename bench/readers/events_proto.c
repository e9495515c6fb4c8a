#include "bench/readers/events.h"
#include "bench/readers/events.pb-c.h"

#include <string.h>

const bool event_known = true;

enum { FLOAT = 1, DOUBLE = 2, INT32 = 3, INT64 = 9 };

/* A tensor of one number. */
static bool scalar(const Events__Tensor *t, double *out) {
    const uint8_t *raw = t->tensor_content.data;
    size_t n = t->tensor_content.len;
    float single;
    int64_t wide;
    int32_t narrow;
    if (t->n_float_val == 1) return *out = (double)t->float_val[0], true;
    if (t->n_double_val == 1) return *out = t->double_val[0], true;
    if (t->n_int_val == 1) return *out = t->int_val[0], true;
    if (t->n_int64_val == 1) return *out = (double)t->int64_val[0], true;
    if (t->dtype == FLOAT && n == sizeof single) return memcpy(&single, raw, n), *out = (double)single, true;
    if (t->dtype == DOUBLE && n == sizeof *out) return memcpy(out, raw, n), true;
    if (t->dtype == INT32 && n == sizeof narrow) return memcpy(&narrow, raw, n), *out = narrow, true;
    if (t->dtype == INT64 && n == sizeof wide) return memcpy(&wide, raw, n), *out = (double)wide, true;
    return false;
}

bool event_read(const uint8_t *bytes, size_t length, Log *log) {
    Events__Event *event = events__event__unpack(NULL, length, bytes);
    if (!event) return false;
    const Events__Summary *summary = event->what_case == EVENTS__EVENT__WHAT_SUMMARY ? event->summary : NULL;
    for (size_t i = 0; summary && i < summary->n_value; i++) {
        const Events__Value *v = summary->value[i];
        double x = 0;
        bool simple = v->kind_case == EVENTS__VALUE__KIND_SIMPLE_VALUE;
        if (simple) x = (double)v->simple_value;
        if (!v->tag || !v->tag[0]) continue;
        if (simple || (v->kind_case == EVENTS__VALUE__KIND_TENSOR && scalar(v->tensor, &x)))
            log_point(log, v->tag, (double)event->step, x);
    }
    events__event__free_unpacked(event, NULL);
    return true;
}
