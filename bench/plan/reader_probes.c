/* What an experiment's runs measure beside the usual probes, which every run measures: metrics are made of them. */
#include <string.h>

#include "bench/plan/reader.h"

static Rc add_probe(ProbeChoice *c, const Document *d, const Node *item, Error *e) {
    const char *names[PROBE_COUNT + 1] = {"usual"};
    char hint[160];
    if (item->kind != NODE_SCALAR)
        return document_error(e, d, item->line, "probes: a name is needed, not %s", node_kind(item));
    ProbeKind kind = probe_find(item->text);
    if (kind < PROBE_COUNT) c->wanted[kind] = true;
    if (kind < PROBE_COUNT || !strcmp(item->text, "usual")) return RC_OK;
    for (int i = 0; i < PROBE_COUNT; i++) names[i + 1] = probe_info[i].name;
    return document_error(e, d, item->line, "unknown probe '%.80s'%s", item->text,
                          did_you_mean(hint, sizeof hint, item->text, names, PROBE_COUNT + 1));
}

static Rc add_names(ProbeChoice *c, const Document *d, const Node *list, Error *e) {
    if (list->kind != NODE_SEQUENCE)
        return document_error(e, d, list->line, "probes: a list of names is needed: [usual, weight_norm]");
    for (const Node *item = list->child; item; item = item->next)
        if (add_probe(c, d, item, e)) return e->code;
    return RC_OK;
}

Rc apply_probes(Reader *r, const Document *d, const Node *n) {
    ProbeChoice *c = &r->x->probes;
    *c = probes_usual();
    if (n->kind != NODE_MAPPING) return add_names(c, d, n, r->e);
    for (const Node *entry = n->child; entry; entry = entry->next) {
        int64_t every;
        if (!strcmp(entry->key, "names")) {
            if (add_names(c, d, entry, r->e)) return r->e->code;
            continue;
        }
        if (strcmp(entry->key, "every"))
            return document_error(r->e, d, entry->key_line, "probes: unknown key '%.80s'; there are: names, every",
                                  entry->key);
        if (entry->kind != NODE_SCALAR || !parse_integer(entry->text, &every) || every < 1 || every > 1000000000)
            return document_error(r->e, d, entry->line, "probes: every: a number of steps from 1 on is needed");
        c->every = (int)every;
    }
    const ProbeChoice usual = probes_usual();
    if (!memcmp(c->wanted, usual.wanted, sizeof c->wanted)) c->every = 1; /* it thins nothing */
    return RC_OK;
}
