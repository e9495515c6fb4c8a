/* Read the probes that an experiment's runs measure beside the usual ones. */
#include <string.h>

#include "bench/plan/reader.h"

/* Probes of `growth`: growth over depth of the stream, of what is added to it, and of its gradient. */
static const ProbeKind growth[] = {
    PROBE_block_output,        PROBE_block_output_var, PROBE_block_output_most, PROBE_norm_input_var,
    PROBE_norm_input_most,     PROBE_mlp_norm_input_var, PROBE_mlp_norm_input_most, PROBE_attn_added_var,
    PROBE_attn_added_most,     PROBE_mlp_added_var,    PROBE_mlp_added_most,    PROBE_stream_grad,
    PROBE_grad_wq,             PROBE_grad_wk,          PROBE_grad_wv,           PROBE_grad_wo,
    PROBE_grad_w1,             PROBE_grad_w2,          PROBE_block_massive};
enum { GROWTH = sizeof growth / sizeof *growth, GROWTH_EVERY = 10 };

static bool add_group(ProbeChoice *c, const char *name) {
    if (!strcmp(name, "usual")) return true;
    if (strcmp(name, "growth")) return false;
    for (int i = 0; i < GROWTH; i++) c->wanted[growth[i]] = true;
    return true;
}

static Rc add_probe(ProbeChoice *c, const Document *d, const Node *item, Error *e) {
    const char *names[PROBE_COUNT + 2] = {"usual", "growth"};
    char hint[160];
    if (item->kind != NODE_SCALAR)
        return document_error(e, d, item->line, "probes: a name is needed, not %s", node_kind(item));
    ProbeKind kind = probe_find(item->text);
    if (kind < PROBE_COUNT) c->wanted[kind] = true;
    if (kind < PROBE_COUNT || add_group(c, item->text)) return RC_OK;
    for (int i = 0; i < PROBE_COUNT; i++) names[i + 2] = probe_info[i].name;
    return document_error(e, d, item->line, "unknown probe '%.80s'%s", item->text,
                          did_you_mean(hint, sizeof hint, item->text, names, PROBE_COUNT + 2));
}

static bool names_growth(const Node *list) {
    for (const Node *item = list->child; item; item = item->next)
        if (item->kind == NODE_SCALAR && !strcmp(item->text, "growth")) return true;
    return false;
}

static Rc add_names(ProbeChoice *c, const Document *d, const Node *list, Error *e) {
    if (list->kind != NODE_SEQUENCE)
        return document_error(e, d, list->line, "probes: a list of names is needed: [usual, weight_norm]");
    for (const Node *item = list->child; item; item = item->next)
        if (add_probe(c, d, item, e)) return e->code;
    if (names_growth(list)) c->every = GROWTH_EVERY;
    return RC_OK;
}

Rc apply_probes(Reader *r, const Document *d, const Node *n) {
    ProbeChoice *c = &r->x->probes;
    *c = probes_usual();
    if (n->kind != NODE_MAPPING) return add_names(c, d, n, r->e);
    int every_said = 0;
    for (const Node *entry = n->child; entry; entry = entry->next) {
        int64_t every;
        if (!strcmp(entry->key, "names")) {
            if (add_names(c, d, entry, r->e)) return r->e->code;
            continue;
        }
        if (strcmp(entry->key, "every"))
            return document_error(r->e, d, entry->key_line, "probes: unknown key '%.80s'; there are: names, every",
                                  entry->key);
        if (entry->kind != NODE_SCALAR || !parse_whole(entry->text, &every) || every < 1 || every > 1000000000)
            return document_error(r->e, d, entry->line, "probes: every: a number of steps from 1 on is needed");
        every_said = (int)every;
    }
    if (every_said) c->every = every_said;
    const ProbeChoice usual = probes_usual();
    if (!memcmp(c->wanted, usual.wanted, sizeof c->wanted)) c->every = 1; /* nothing is added */
    return RC_OK;
}
