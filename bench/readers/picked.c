/* What the steps of a pick share. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench/readers/pick.h"

Rc pick_at_parse(const char *text, PickAt *at, double *step, Error *e) {
    static const char *const names[] = {[PICK_LAST] = "last",
                                        [PICK_BEST] = "best",
                                        [PICK_OWN_BEST] = "own-best",
                                        [PICK_STEP] = "step:",
                                        [PICK_EVERY] = "every"};
    for (*at = PICK_LAST; *at <= PICK_EVERY; ++*at)
        if (*at != PICK_STEP && !strcmp(text, names[*at])) return RC_OK;
    *at = PICK_STEP;
    if (!strncmp(text, "step:", 5) && parse_real(text + 5, step)) return RC_OK;
    return error_set(e, RC_USAGE, "--at: '%.60s' is none of last, best, own-best, step:N and every", text);
}

bool pick_lost(const PickedRun *run) {
    return run->series && isnan(run->series->at[run->series->count - 1].value);
}

bool pick_value_at(const PickedRun *run, double step, double *value) {
    const LogPoint *at = log_point_at(run->series, step);
    bool lost = !at && step > run->last && pick_lost(run);
    if (value) *value = at ? at->value : (double)NAN;
    return at || lost;
}

void pick_leave(PickedRun *run, const char *format, ...) {
    char text[700];
    va_list list;
    if (run->why) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    run->why = mem_text(text);
}

void pick_remark(Pick *p, const char *format, ...) {
    char text[1600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    text_format(&p->remarks, "%s\n", text);
}

const char **pick_labels(const Pick *p, bool arms, bool used, int *count) {
    const char **list = mem_alloc((size_t)p->runs + 1, sizeof *list);
    *count = 0;
    for (int i = 0; i < p->runs; i++) {
        const char *label = arms ? p->run[i].arm : p->run[i].corpus;
        bool there = (used && p->run[i].why) || !label[0];
        for (int k = 0; k < *count && !there; k++) there = !strcmp(list[k], label);
        if (!there) list[(*count)++] = label;
    }
    return list;
}
