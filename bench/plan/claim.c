#include "bench/plan/claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

const char *const expect_names[EXPECT_COUNT] = {"lower", "higher", "equal", "change"};
const char *const effect_names[EFFECT_COUNT] = {"difference", "log_ratio", "ratio"};

int claim_children(const Node *n) {
    int count = 0;
    for (const Node *c = n->child; c; c = c->next) count++;
    return count;
}

Rc claim_keys(const ClaimFile *f, const Node *mapping, const char *const *names, int count, Error *e) {
    for (const Node *c = mapping->child; c; c = c->next) {
        char hint[96];
        int i = 0;
        while (i < count && strcmp(c->key, names[i]) != 0) i++;
        if (i == count)
            return document_error(e, &f->document, c->key_line, "unknown key '%s'%s", c->key,
                                  did_you_mean(hint, sizeof hint, c->key, names, (size_t)count));
    }
    return RC_OK;
}

Rc claim_node(const ClaimFile *f, const Node *mapping, const char *key, NodeKind kind, bool required, const Node **out,
              Error *e) {
    static const char *const kinds[] = {"a value", "a list", "a mapping"};
    *out = node_find(mapping, key);
    if (!*out) return required ? document_error(e, &f->document, mapping->line, "%s: missing", key) : RC_OK;
    if ((*out)->kind != kind)
        return document_error(e, &f->document, (*out)->line, "%s: %s, not %s", key, node_kind(*out), kinds[kind]);
    return RC_OK;
}

Rc claim_text(const ClaimFile *f, const Node *mapping, const char *key, bool required, const char **out, Error *e) {
    const Node *n;
    *out = NULL;
    if (claim_node(f, mapping, key, NODE_SCALAR, required, &n, e)) return e->code;
    if (!n) return RC_OK;
    if (node_empty(n)) return document_error(e, &f->document, n->line, "%s: empty", key);
    *out = n->text;
    return RC_OK;
}

Rc claim_choice(const ClaimFile *f, const Node *at, const char *what, const char *const *names, int count, int *out,
                Error *e) {
    char hint[96];
    for (int i = 0; i < count; i++)
        if (at->kind == NODE_SCALAR && !strcmp(at->text, names[i])) {
            *out = i;
            return RC_OK;
        }
    if (at->kind != NODE_SCALAR)
        return document_error(e, &f->document, at->line, "%s: %s, not a value", what, node_kind(at));
    return document_error(e, &f->document, at->line, "%s: unknown '%s'%s", what, at->text,
                          did_you_mean(hint, sizeof hint, at->text, names, (size_t)count));
}

static Rc read_root(ClaimFile *f, Error *e) {
    static const char *const keys[] = {"writeup", "title",  "source",   "author", "date",
                                       "url",     "setups", "reported", "claims"};
    const Node *root = f->document.root, *setups, *reported, *claims;
    if (root->kind != NODE_MAPPING)
        return document_error(e, &f->document, root->line, "%s, not a mapping", node_kind(root));
    if (claim_keys(f, root, keys, sizeof keys / sizeof *keys, e)) return e->code;
    if (claim_text(f, root, "writeup", true, &f->writeup, e) || claim_text(f, root, "title", true, &f->title, e) ||
        claim_text(f, root, "source", true, &f->source, e) || claim_read_origin(f, root, e) ||
        claim_node(f, root, "setups", NODE_MAPPING, true, &setups, e) ||
        claim_node(f, root, "reported", NODE_MAPPING, false, &reported, e) ||
        claim_node(f, root, "claims", NODE_SEQUENCE, true, &claims, e))
        return e->code;
    if (claim_read_setups(f, setups, e)) return e->code;
    if (reported && claim_read_reported(f, reported, e)) return e->code;
    return claim_read_claims(f, claims, e);
}

Rc claims_parse(ClaimFile *f, const char *file, const char *text, Error *e) {
    *f = (ClaimFile){0};
    snprintf(f->file, sizeof f->file, "%s", file);
    if (document_parse(&f->document, file, text, strlen(text), e)) return e->code;
    if (read_root(f, e)) {
        claims_release(f);
        return e->code;
    }
    return RC_OK;
}

Rc claims_read(ClaimFile *f, const char *root, const char *writeup, Error *e) {
    char path[768], name[64], *bytes;
    size_t length;
    snprintf(name, sizeof name, "bench/claims/%.16s.yaml", writeup);
    snprintf(path, sizeof path, "%.600s/%s", root, name);
    if (file_read(path, &bytes, &length, e)) return e->code;
    Rc rc = strlen(bytes) == length ? claims_parse(f, name, bytes, e)
                                    : error_set(e, RC_USAGE, "%s: holds a zero byte", name);
    if (!rc && strcmp(f->writeup, writeup) != 0) {
        rc = document_error(e, &f->document, node_find(f->document.root, "writeup")->line,
                            "writeup: '%s' stands in the file of '%s'", f->writeup, writeup);
        claims_release(f);
    }
    free(bytes);
    return rc;
}

Rc claims_find(ClaimFile *f, const char *root, const char *writeup, bool *has, Error *e) {
    char path[768];
    snprintf(path, sizeof path, "%.600s/bench/claims/%.16s.yaml", root, writeup);
    *has = writeup[0] && file_exists(path);
    return *has ? claims_read(f, root, writeup, e) : RC_OK;
}

Rc claims_read_all(ClaimFile **out, int *count, const char *root, const char *writeup, Error *e) {
    char path[768], **names, hint[96];
    snprintf(path, sizeof path, "%.600s/bench/claims", root);
    int all = folder_names(path, ".yaml", &names);
    Rc rc = RC_OK;
    *out = mem_alloc((size_t)all + 1, sizeof **out), *count = 0;
    for (int i = 0; i < all && !rc; i++) {
        if (writeup && strcmp(writeup, names[i]) != 0) continue;
        rc = claims_read(&(*out)[*count], root, names[i], e);
        *count += !rc;
    }
    if (!rc && !*count)
        rc =
            error_set(e, RC_USAGE, "claims: unknown write-up '%s'%s", writeup ? writeup : "",
                      did_you_mean(hint, sizeof hint, writeup ? writeup : "", (const char *const *)names, (size_t)all));
    names_free(names, all);
    return rc;
}

void claims_cite(const ClaimFile *f, Text *out) {
    const char *const known[] = {f->author, f->date, f->url};
    int written = 0;
    text_format(out, "%s", f->title);
    for (int i = 0; i < 3; i++)
        if (known[i]) text_format(out, "%s%s", written++ ? ", " : " (", known[i]);
    if (written) text_format(out, ")");
}

void claims_release(ClaimFile *f) {
    for (int i = 0; i < f->setups; i++) {
        for (int k = 0; k < f->setup[i].keys; k++) free(f->setup[i].key[k].value);
        free(f->setup[i].key);
        free(f->setup[i].choice);
    }
    for (int i = 0; i < f->tables; i++) free(f->table[i].number);
    for (int i = 0; i < f->claims; i++) free(f->claim[i].test);
    free(f->setup);
    free(f->table);
    free(f->claim);
    document_release(&f->document);
    *f = (ClaimFile){0};
}

bool setup_holds(const ClaimSetup *setup, const RunSpec *spec, char *why, size_t size) {
    for (int i = 0; i < setup->keys; i++) {
        const SetupKey *key = &setup->key[i];
        char ours[SPEC_TEXT_SIZE];
        bool found = false;
        spec_get(ours, spec, key->key);
        for (int v = 0; v < key->values; v++) found |= !strcmp(ours, key->value[v]);
        if (found) continue;
        int n = snprintf(why, size, "%.40s is %.60s here, %.60s", key->key, ours, key->value[0]);
        for (int v = 1; v < key->values && n > 0 && (size_t)n < size; v++)
            n += snprintf(why + n, size - (size_t)n, " or %.60s", key->value[v]);
        if (n > 0 && (size_t)n < size) snprintf(why + n, size - (size_t)n, " in the write-up's set-up");
        return false;
    }
    return true;
}

bool claim_holds(const Claim *claim, const RunSpec *spec, int count, char *why, size_t size) {
    char other[CLAIM_WHY_SIZE];
    for (int i = 0; i < claim->setups; i++) {
        bool all = true;
        for (int k = 0; k < count && all; k++)
            all = setup_holds(claim->setup[i], &spec[k], i ? other : why, i ? sizeof other : size);
        if (all) return true;
    }
    return false;
}

bool claim_arm_holds(const ClaimArm *arm, const RunSpec *spec) {
    char ours[SPEC_TEXT_SIZE];
    if (!spec) return !arm->ats;
    for (int i = 0; i < arm->ats; i++)
        if (strcmp(spec_get(ours, spec, arm->at[i].key), arm->at[i].value) != 0) return false;
    return true;
}

const ReportedNumber *reported_number(const ReportedTable *t, const char *arm, const RunSpec *spec,
                                      const char *quantity) {
    for (int i = 0; i < t->numbers; i++) {
        const ReportedNumber *n = &t->number[i];
        if (!strcmp(n->arm.name, arm) && !strcmp(n->quantity, quantity) && claim_arm_holds(&n->arm, spec)) return n;
    }
    return NULL;
}

double reported_effect(const ClaimTest *t, const RunSpec *spec) {
    double sum = 0;
    for (int i = 0; i < t->terms; i++) {
        const ReportedNumber *r = reported_number(t->table, t->term[i].arm.name, spec ? &spec[i] : NULL, t->of);
        if (!r) return (double)NAN;
        sum += t->term[i].weight * (t->form == EFFECT_difference ? r->value : log(r->value));
    }
    return t->form == EFFECT_ratio ? exp(sum) : sum;
}
