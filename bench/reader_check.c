/* What has to hold once everything is read, and what a silent file means. */
#include <stdio.h>
#include <string.h>

#include "bench/reader.h"

/* The line of a key as this arm got it: its own, the profile's or the file's; 0 when neither says it. */
static int line_of(const Reader *r, const char *arm, const char *key) {
    const Node *own = r->arms ? node_find(r->arms, arm) : NULL;
    const Node *places[] = {own, r->profile, r->d->root};
    for (int i = 0; i < 3; i++) {
        const Node *n = places[i] ? node_find(places[i], key) : NULL;
        if (n) return n->line;
    }
    return 0;
}

/* spec_check names a key: says where it was set, or a key that the line mentions too ("heads … width"). */
static Rc place(const Reader *r, const char *arm) {
    char key[48];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(r->e->text, ":"), r->e->text);
    int i = spec_index(key), line = line_of(r, arm, key);
    bool option = i >= 0 && r->set >> i & 1;
    for (i = 0; i < spec_key_count && !line; i++) {
        if (!strstr(r->e->text, spec_keys[i])) continue;
        option |= r->set >> i & 1;
        line = line_of(r, arm, spec_keys[i]);
    }
    error_prefix(r->e, "arm '%s': ", arm);
    return option ? error_prefix(r->e, "--set: ") : document_prefix(r->e, r->d, line);
}

static const char *const metrics[] = {
#define METRIC(key, ...) #key,
#include "bench/metrics.def"
#undef METRIC
};

static Rc check_metric(const Reader *r) {
    size_t count = sizeof metrics / sizeof *metrics;
    char hint[96];
    for (size_t i = 0; i < count; i++)
        if (!strcmp(r->x->metric, metrics[i])) return RC_OK;
    const Node *n = node_find(r->d->root, "metric");
    return document_error(r->e, r->d, n ? n->line : 0, "unknown metric '%s'%s", r->x->metric,
                          did_you_mean(hint, sizeof hint, r->x->metric, metrics, count));
}

Rc reader_check(Reader *r, bool new_arms) {
    Experiment *x = r->x;
    const char *names[EXPERIMENT_MOST_ARMS];
    char hint[96];
    bool found = false;
    int cells = 1;
    if (check_metric(r)) return r->e->code;
    for (int i = 0; i < x->factors; i++) cells *= x->factor[i].values;
    if (cells > EXPERIMENT_MOST_CELLS)
        return document_error(r->e, r->d, 0, "the lists of values make %d cells; more than %d", cells,
                              (int)EXPERIMENT_MOST_CELLS);
    for (int i = 0; i < x->arms; i++) {
        names[i] = x->arm[i].name;
        found |= !strcmp(names[i], x->baseline);
    }
    if (!found && (new_arms || !x->baseline[0]))
        strcpy(x->baseline, names[0]);
    else if (!found)
        return document_error(r->e, r->d, node_find(r->d->root, "baseline")->line, "baseline: there is no arm '%s'%s",
                              x->baseline, did_you_mean(hint, sizeof hint, x->baseline, names, (size_t)x->arms));
    for (int cell = 0; cell < cells; cell++)
        for (int arm = 0; arm < x->arms; arm++) {
            RunSpec s = experiment_spec(x, cell, arm, 0);
            if (spec_check(&s, r->e)) return place(r, names[arm]);
        }
    return RC_OK;
}

void reader_defaults(Experiment *x) {
    const char *slash = strrchr(x->file, '/'), *base = slash ? slash + 1 : x->file;
    size_t n = strcspn(base, ".");
    bool good = n && n < sizeof x->name;
    for (size_t i = 0; i < n; i++) good &= name_byte(base[i]);
    if (!x->name[0]) snprintf(x->name, sizeof x->name, "%.*s", good ? (int)n : 10, good ? base : "experiment");
    if (!x->title[0]) snprintf(x->title, sizeof x->title, "%s", x->name);
    if (!x->seeds) {
        x->seed = mem_alloc(1, sizeof *x->seed);
        x->seed[x->seeds++] = 1;
    }
}
