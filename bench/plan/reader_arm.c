/* An arm's mapping becomes an Arm: from a file ("pre: {variant: pre, lr: 1e-3}") or from --arm. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "bench/plan/reader.h"

/* `base` is applied first, wherever the mapping has it: the other entries change its columns. */
static Rc read_variant(Arm *a, const Document *d, const Node *mapping, Error *e) {
    const Node *variant = node_find(mapping, "variant"), *base = node_find(mapping, "base");
    if (variant && base)
        return document_error(e, d, base->key_line, "'base' is another name of 'variant' (line %d); one is enough",
                              variant->key_line);
    if (variant || base) return spec_set_node(&a->spec, d, variant ? variant : base, e);
    return document_error(e, d, mapping->key_line, "%s%sthe arm names no variant; for example {variant: pre}", a->name,
                          a->name[0] ? ": " : "");
}

Rc arm_read(Arm *a, const Document *d, const Node *mapping, const char *name, const RunSpec *base, Error *e) {
    memset(a, 0, sizeof *a);
    a->spec = *base;
    snprintf(a->name, sizeof a->name, "%s", name);
    snprintf(a->label, sizeof a->label, "%s", name);
    if (mapping->kind != NODE_MAPPING)
        return document_error(e, d, mapping->key_line, "%s: an arm is a mapping such as {variant: pre}, not %s",
                              name[0] ? name : "arm", node_kind(mapping));
    Rc rc = read_variant(a, d, mapping, e);
    for (const Node *n = mapping->child; n && !rc; n = n->next) {
        int i = spec_index(n->key);
        if (!strcmp(n->key, "variant") || !strcmp(n->key, "base")) continue;
        if (!strcmp(n->key, "label"))
            rc = text_entry(a->label, sizeof a->label, d, n, e);
        else if (i >= 0 || is_column(n->key))
            rc = spec_set_node(&a->spec, d, n, e);
        else
            rc = unknown_key(d, n, (const char *const[]){"label"}, 1, e);
        if (i >= 0) a->own |= (uint64_t)1 << i;
    }
    return rc;
}

/* "+key=value"; blanks and bytes that no name holds become '_'. */
static void name_add(Text *out, const char *key, const char *value) {
    text_format(out, "+%s=", key);
    for (; *value; value++) text_add(out, name_byte(*value) ? value : "_", 1);
}

/* base+column=value+key=value; one that is too long is cut and ends in a hash of the whole. */
static void name_arm(Arm *a) {
    char mine[SPEC_TEXT_SIZE], row[SPEC_TEXT_SIZE], hash[SHA256_HEX];
    Error e;
    const Variant *v = variant_find(a->spec.variant.name, &e);
    Text name;
    assert(v);
    text_init(&name);
    text_format(&name, "%s", v->name);
    for (int i = 0; i < variant_key_count; i++) {
        variant_get(mine, &a->spec.variant, variant_keys[i]);
        if (strcmp(mine, variant_get(row, v, variant_keys[i]))) name_add(&name, variant_keys[i], mine);
    }
    for (int i = 0; i < spec_key_count; i++)
        if (a->own >> i & 1) name_add(&name, spec_keys[i], spec_get(mine, &a->spec, spec_keys[i]));
    sha256_hex_of(hash, name.at, name.length);
    if (name.length < sizeof a->name)
        snprintf(a->name, sizeof a->name, "%s", name.at);
    else
        snprintf(a->name, sizeof a->name, "%.*s-%.8s", (int)sizeof a->name - 10, name.at, hash);
    text_release(&name);
}

Rc arm_option(Arm *a, const char *text, const RunSpec *base, Error *e) {
    Document d;
    Rc rc = document_parse(&d, "--arm", text, strlen(text), e);
    if (rc) return rc;
    const Node *n = d.root, *only = n->child && !n->child->next ? n->child : NULL;
    const char *name = "";
    if (n->kind == NODE_MAPPING && only && only->kind == NODE_MAPPING) {
        n = only;
        name = n->key;
        rc = name_check(&d, 0, "arm", name, sizeof a->name - 1, e);
    }
    if (!rc) rc = arm_read(a, &d, n, name, base, e);
    if (!rc && !name[0]) {
        bool labelled = a->label[0];
        name_arm(a);
        if (!labelled) snprintf(a->label, sizeof a->label, "%s", a->name);
    }
    document_release(&d);
    return rc;
}
