#include "bench/plan/claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

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

static bool keys_hold(const SetupKey *keys, int count, const RunSpec *spec, char *why, size_t size) {
    for (int i = 0; i < count; i++) {
        const SetupKey *key = &keys[i];
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

bool setup_holds(const ClaimSetup *setup, const RunSpec *spec, char *why, size_t size) {
    return keys_hold(setup->key, setup->keys, spec, why, size);
}

static const ClaimSize *size_of(const Claim *claim, const RunSpec *spec) {
    char why[CLAIM_WHY_SIZE];
    for (int i = 0; i < claim->own_count; i++) {
        const ClaimSize *s = claim->own[i];
        if (s->keys > 0 && (!s->setup || setup_holds(s->setup, spec, why, sizeof why)) &&
            keys_hold(s->key, s->keys, spec, why, sizeof why))
            return s;
    }
    return NULL;
}

const ClaimSize *claim_own_size(const Claim *claim, const RunSpec *spec, int count) {
    const ClaimSize *first = NULL;
    for (int k = 0; k < count; k++) {
        const ClaimSize *s = size_of(claim, &spec[k]);
        if (!s) return NULL;
        if (!k) first = s;
    }
    return first;
}

void claim_size_brief(const ClaimSize *s, Text *out) {
    text_format(out, "%s", s->parameters ? s->parameters : s->shape ? s->shape : s->name);
    if (s->tokens) text_format(out, " on %s", s->tokens);
    if (s->corpus) text_format(out, "%s%s", s->tokens ? " of " : ", ", s->corpus);
    if (s->seeds) text_format(out, ", %s seed%s", s->seeds, strcmp(s->seeds, "1") ? "s" : "");
}

void claim_size_text(const ClaimSize *s, Text *out) {
    size_t before = out->length;
    const char *const known[] = {s->shape, s->parameters, s->tokens};
    static const char *const behind[] = {"", " parameters", " tokens"};
    for (int i = 0; i < 3; i++)
        if (known[i]) text_format(out, "%s%s%s", out->length > before ? ", " : "", known[i], behind[i]);
    if (s->corpus) text_format(out, "%s%s", s->tokens ? " of " : out->length > before ? ", " : "", s->corpus);
    if (s->seeds) text_format(out, ", %s seed%s", s->seeds, strcmp(s->seeds, "1") ? "s" : "");
}

double claim_margin(const ClaimTest *t) {
    if (!isnan(t->margin)) return t->margin;
    bool means = t->test && (t->test->about == ST_ABOUT_difference || t->test->about == ST_ABOUT_equality);
    if (!means || t->predictors || t->metric < 0 || !isnan(t->against)) return (double)NAN;
    return t->grid ? grid_info[t->grid].matters : metric_info[t->metric].matters;
}

void claim_contrast_text(const ClaimTest *t, Text *out) {
    bool means = t->test && (t->test->about == ST_ABOUT_difference || t->test->about == ST_ABOUT_equality) &&
                 strcmp(t->test->name, "mcnemar-targets") != 0;
    text_format(out, "%s:", t->metric_text);
    for (int i = 0; i < t->terms; i++) text_format(out, " %s %s", FORMAT_REAL(t->term[i].weight), t->term[i].arm.text);
    for (int i = 0; i < t->predictors; i++) text_format(out, " %s", metric_info[t->predictor[i]].key);
    if (!isnan(t->against)) text_format(out, " against %s", FORMAT_REAL(t->against));
    if (t->test && !means) text_format(out, " by %s", t->test->name);
}

int claim_place(const ClaimTest *t, const char *experiment, const RunSpec *spec, int step) {
    if (!t->decides) return -1;
    for (int i = 0; i < t->places; i++) {
        const ClaimArm *p = &t->place[i];
        if (!strcmp(p->name, experiment) && (!p->step || p->step == step) && claim_arm_holds(p, spec)) return i;
    }
    return t->places ? -1 : 0;
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
    if (!spec) return !arm->at_count;
    for (int i = 0; i < arm->at_count; i++)
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
