/* Check an experiment after everything is read, and set the defaults. */
#include <stdio.h>
#include <string.h>

#include "bench/plan/looks.h"
#include "bench/plan/reader.h"

/* Return the line that gave this arm a key: its own, the profile's or the file's; 0: none. */
static int line_of(const Reader *r, const char *arm, const char *key) {
    const Node *own = r->arms ? node_find(r->arms, arm) : NULL;
    const Node *places[] = {own, r->profile, r->d->root};
    for (int i = 0; i < 3; i++) {
        const Node *n = places[i] ? node_find(places[i], key) : NULL;
        if (n) return n->line;
    }
    return 0;
}

/* Prefix spec_check's error with the place where its key, or another that it mentions ("heads … width"), was set. */
static Rc place(const Reader *r, const char *arm) {
    char key[SPEC_KEY_SIZE];
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

/* Check that runs measure a panel's probe. */
static Rc check_panel(const Reader *r, const CurveInfo *curve) {
    ProbeKind kind = curve_probe(curve);
    if (kind == PROBE_COUNT || r->x->probes.wanted[kind]) return RC_OK;
    const Node *list = node_find(r->d->root, "panels");
    int line = list ? list->line : 0;
    for (const Node *item = list ? list->child : NULL; item; item = item->next) {
        const Node *name = item->kind == NODE_MAPPING ? node_find(item, "curve") : item;
        if (name && name->kind == NODE_SCALAR && !strcmp(name->text, curve->name)) line = name->line;
    }
    return document_error(r->e, r->d, line, "panels: '%s' is not measured; it is with probes: [%s]", curve->name,
                          curve->name);
}

static Rc check_panels(const Reader *r) {
    const Experiment *x = r->x;
    for (int i = 0; i < x->panels; i++)
        if (check_panel(r, x->panel[i].curve)) return r->e->code;
    for (int i = 0; i < x->block_panels; i++)
        if (check_panel(r, x->block_panel[i].curve)) return r->e->code;
    return RC_OK;
}

/* Note the user's own text that a run names. True: there are too many. */
static bool own_text(Experiment *x, const RunSpec *s) {
    int i = 0;
    if (!spec_own_text(s)) return false;
    while (i < x->texts && strcmp(x->text[i].name.text, s->dataset.text) != 0) i++;
    if (i == EXPERIMENT_TEXTS_MAX) return true;
    if (i == x->texts) x->text[x->texts++] = (OwnText){.name = s->dataset};
    return false;
}

static int looks_line(const Reader *r) {
    const Node *n = node_find(r->d->root, "looks");
    return n ? n->line : 0;
}

Rc reader_check(Reader *r, bool new_arms) {
    Experiment *x = r->x;
    const char *names[EXPERIMENT_ARMS_MAX];
    char hint[96];
    bool found = false;
    int cells = 1;
    for (int i = 0; i < x->factors; i++) cells *= x->factor[i].values;
    if (cells > EXPERIMENT_CELLS_MAX)
        return document_error(r->e, r->d, 0, "the lists of values make %d cells; more than %d", cells,
                              (int)EXPERIMENT_CELLS_MAX);
    for (int i = 0; i < x->arms; i++) {
        names[i] = x->arm[i].name;
        found |= !strcmp(names[i], x->baseline);
    }
    if (x->compared || (!found && (new_arms || !x->baseline[0])))
        strcpy(x->baseline, names[0]);
    else if (!found)
        return document_error(r->e, r->d, node_find(r->d->root, "baseline")->line, "baseline: there is no arm '%s'%s",
                              x->baseline, did_you_mean(hint, sizeof hint, x->baseline, names, (size_t)x->arms));
    if (looks_check(x, r->e)) return document_prefix(r->e, r->d, looks_line(r));
    if (x->most && x->arms < 2)
        return document_error(r->e, r->d, 0, "seeds: until it is decided takes two arms; there is '%s' alone",
                              names[0]);
    for (int cell = 0; cell < cells; cell++)
        for (int arm = 0; arm < x->arms; arm++) {
            RunSpec s = experiment_spec(x, cell, arm, 0);
            if (spec_check(&s, r->e)) return place(r, names[arm]);
            if (own_text(x, &s))
                return document_error(r->e, r->d, 0, "more than %d texts of one's own", (int)EXPERIMENT_TEXTS_MAX);
        }
    if (check_compares(r)) return r->e->code;
    return check_panels(r) ? r->e->code : check_summaries(r);
}

void reader_defaults(Experiment *x) {
    const char *slash = strrchr(x->file, '/'), *base = slash ? slash + 1 : x->file;
    size_t n = strcspn(base, ".");
    bool good = n && n < sizeof x->name && base[0] != '-';
    for (size_t i = 0; i < n; i++) good &= name_byte(base[i]);
    if (!x->name[0]) snprintf(x->name, sizeof x->name, "%.*s", good ? (int)n : 10, good ? base : "experiment");
    show_defaults(x);
    if (!x->title[0]) snprintf(x->title, sizeof x->title, "%s", x->name);
    if (x->seeds) return;
    int seeds = x->looks ? x->look[x->looks - 1] : 1;
    x->seed = mem_alloc((size_t)seeds, sizeof *x->seed);
    for (; x->seeds < seeds; x->seeds++) x->seed[x->seeds] = (uint64_t)x->seeds + 1;
}
