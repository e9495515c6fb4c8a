#include "kernels/backend.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

void backend_choose_device(int local) {
    for (int i = 0; i < backend_count; i++)
        if (backends[i]->device) backends[i]->device->choose(local);
}

/* Return true for a device with a class of its own: our own kernels have the CPU's bits on every device. */
bool backend_has_library(const Backend *b) {
    return b->device && !b->portable;
}

const char *backend_class(const Backend *b) {
    const char *is = b->class_of_bits ? b->class_of_bits : b->class_here();
    assert(strlen(is) < BACKEND_CLASS_SIZE);
    return is;
}

/* Return the row of the next rank below `below`, even if this machine cannot run it; NULL: there is none. */
static const Backend *next_rank(PrecisionKind p, int below) {
    const Backend *best = NULL;
    for (int i = 0; i < backend_count; i++) {
        const Backend *b = backends[i];
        if (b->precision == p && b->rank && b->rank < below && (!best || b->rank > best->rank)) best = b;
    }
    return best;
}

/* Say what each row that "cpu" may mean is missing, and name a row that computes the same bits slowly. */
static void none_is_fast(PrecisionKind p, Error *e) {
    const char *last = "";
    Text why;
    text_init(&why);
    for (const Backend *b = next_rank(p, INT_MAX); b; b = next_rank(p, b->rank)) {
        const char *lacks = b->missing ? b->missing() : "this machine cannot run it";
        if (strcmp(lacks, last)) text_format(&why, "%s%s", why.length ? "; " : "", lacks);
        last = lacks;
    }
    for (int i = 0; i < backend_count; i++) {
        const Backend *b = backends[i];
        if (b->precision != p || b->rank || !b->portable || b->device || !b->supported()) continue;
        text_format(&why, " (--backend %s computes its bits slowly)", b->name);
        break;
    }
    error_set(e, RC_UNMEASURED, "precision %s: %s", precision_name(p), why.at);
    text_release(&why);
}

static const Backend *fastest(PrecisionKind p, Error *e) {
    for (const Backend *b = next_rank(p, INT_MAX); b; b = next_rank(p, b->rank))
        if (b->supported()) return b;
    none_is_fast(p, e);
    return NULL;
}

/* Return b, or NULL with the reason why this machine cannot run it. */
static const Backend *if_supported(const Backend *b, Error *e) {
    if (b->supported()) return b;
    const char *missing = b->missing ? b->missing() : NULL;
    if (!b->device)
        error_set(e, RC_UNMEASURED, "%s", missing ? missing : "this machine cannot run it");
    else if (b->device->present(e))
        error_set(e, RC_UNMEASURED, "cannot be had");
    error_prefix(e, "backend '%s': ", b->name);
    return NULL;
}

/* Return true if a name means the fastest row of a precision: "cpu-bf16". */
static bool is_fastest(const char *name, PrecisionKind p) {
    return !strncmp(name, "cpu-", 4) && !strcmp(name + 4, precision_name(p)) && next_rank(p, INT_MAX);
}

enum { NAMES_MAX = 128 };

/* Refuse an unknown name: the nearest of "cpu", every row's name and, if asked for, its family is named. */
static const Backend *unknown(const char *name, bool families, Error *e) {
    const char *names[NAMES_MAX] = {"cpu"};
    char hint[96];
    size_t count = 1;
    assert(1 + 2 * backend_count <= NAMES_MAX);
    for (int i = backend_count - 1; i >= 0; i--) {
        names[count++] = backends[i]->name;
        if (families) names[count++] = backends[i]->family;
    }
    error_set(e, RC_USAGE, "unknown backend '%s'%s", name, did_you_mean(hint, sizeof hint, name, names, count));
    return NULL;
}

const Backend *backend_find(const char *name, Error *e) {
    if (!strcmp(name, "cpu")) return fastest(PRECISION_exact, e);
    for (int p = 0; p < PRECISION_COUNT; p++)
        if (is_fastest(name, (PrecisionKind)p)) return fastest((PrecisionKind)p, e);
    for (int i = 0; i < backend_count; i++)
        if (!strcmp(name, backends[i]->name)) return if_supported(backends[i], e);
    return unknown(name, false, e);
}

/* Return true if a name may mean b once the precision is known. */
static bool is_called(const Backend *b, const char *name) {
    return !strcmp(name, b->name) || !strcmp(name, b->family) ||
           (b->rank && (!strcmp(name, "cpu") || is_fastest(name, b->precision)));
}

/* Append "a", "a and b" or "a, b and c". */
static void add_list(Text *to, const char *const *word, int count) {
    for (int i = 0; i < count; i++) text_format(to, "%s%s", i == 0 ? "" : i == count - 1 ? " and " : ", ", word[i]);
}

/* Say in which precisions `name` computes, and which backends have this one. */
static const Backend *other_precisions(const char *name, PrecisionKind p, Error *e) {
    const char *own[PRECISION_COUNT], *who[NAMES_MAX];
    int own_count = 0, who_count = 0;
    Text line;
    for (int q = 0; q < PRECISION_COUNT; q++)
        for (int i = 0; i < backend_count; i++)
            if ((int)backends[i]->precision == q && is_called(backends[i], name)) {
                own[own_count++] = precision_name(q);
                break;
            }
    if (next_rank(p, INT_MAX)) who[who_count++] = "cpu";
    for (int i = backend_count - 1; i >= 0; i--)
        if (backends[i]->precision == p) who[who_count++] = backends[i]->family;
    text_init(&line);
    add_list(&line, own, own_count);
    text_format(&line, " only; ");
    add_list(&line, who, who_count);
    text_format(&line, " %s %s", who_count == 1 ? "has" : "have", precision_name(p));
    error_set(e, RC_USAGE, "backend '%s' computes in %s", name, line.at);
    text_release(&line);
    return NULL;
}

const Backend *backend_precise(const char *name, const char *precision, Error *e) {
    PrecisionKind p;
    bool known = false;
    if (precision_find(&p, precision, e)) return NULL;
    if (!strcmp(name, "cpu") && next_rank(p, INT_MAX)) return fastest(p, e);
    if (is_fastest(name, p)) return fastest(p, e);
    for (int i = 0; i < backend_count; i++) {
        if (!is_called(backends[i], name)) continue;
        if (backends[i]->precision == p) return if_supported(backends[i], e);
        known = true;
    }
    return known ? other_precisions(name, p, e) : unknown(name, true, e);
}

double backend_fma_peak(const Backend *b) {
    if (b && b->fma_peak) return b->fma_peak();
    for (b = next_rank(PRECISION_exact, INT_MAX); b; b = next_rank(PRECISION_exact, b->rank))
        if (b->fma_peak && b->supported()) break;
    assert(b && "portable has vectors");
    return b->fma_peak();
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double backend_copy_bandwidth(void) {
    enum { BYTES = 64 << 20 };
    char *from = mem_alloc(BYTES, 1), *to = mem_alloc(BYTES, 1);
    double best = 0;
    for (int i = 0; i < 5; i++) {
        double start = seconds();
        from[i] = (char)i;
        memcpy(to, from, BYTES);
        double rate = 2e-9 * BYTES / (seconds() - start);
        if (i && rate > best) best = rate; /* the first pass touches the pages */
    }
    volatile char keep = to[7];
    (void)keep;
    free(from);
    free(to);
    return best;
}
