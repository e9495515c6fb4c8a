#include "models/probe.h"

#include <string.h>

enum { where_model, where_blocks };

const ProbeInfo probe_info[PROBE_COUNT] = {
#define PROBE(name, column, where, site, reduction, usual, title, unit, help) \
    [PROBE_##name] = {#name,        #column, title, unit, help, where_##where == where_blocks, usual, \
                      SITE_##site, REDUCE_##reduction},
#include "models/probes.def"
#undef PROBE
};

const SiteInfo site_info[SITE_COUNT] = {
#define SITE(name, role, after, help) [SITE_##name] = {#name, help, ROLE_##role, after, false},
#define MATRIX(name, help) [SITE_##name] = {#name, help, ROLE_GRAD, false, true},
#include "models/sites.def"
#undef SITE
#undef MATRIX
};

ProbeChoice probes_usual(void) {
    ProbeChoice c = {.every = 1};
    for (int i = 0; i < PROBE_COUNT; i++) c.wanted[i] = probe_info[i].usual;
    return c;
}

bool probes_same(const ProbeChoice *a, const ProbeChoice *b) {
    return a->every == b->every && !memcmp(a->wanted, b->wanted, sizeof a->wanted);
}

int probe_stride(ProbeKind kind, int every) {
    return probe_info[kind].usual ? 1 : every;
}

ProbeKind probes_lacking(const ProbeChoice *stored, const ProbeChoice *asked) {
    for (ProbeKind kind = 0; kind < PROBE_COUNT; kind++)
        if (asked->wanted[kind] && !probe_info[kind].usual &&
            (!stored->wanted[kind] || probe_stride(kind, asked->every) % probe_stride(kind, stored->every)))
            return kind;
    return PROBE_COUNT;
}

void probes_text(const ProbeChoice *c, Text *out) {
    for (int i = 0; i < PROBE_COUNT; i++)
        if (c->wanted[i]) text_format(out, "%s ", probe_info[i].name);
    text_format(out, c->every > 1 ? "added every %d" : "every %d", c->every);
}

ProbeKind probe_find(const char *name) {
    ProbeKind kind = 0;
    while (kind < PROBE_COUNT && strcmp(probe_info[kind].name, name)) kind++;
    return kind;
}
