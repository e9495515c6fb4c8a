#include "bench/plan/declare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "bench/plan/profile.h"

void declare_plan(const Experiment *x, Text *out) {
    text_clear(out);
    text_format(out, "plan %s", x->plan);
}

static void test_text(const ClaimTest *t, Text *out) {
    text_format(out, "metric = %s\ncontrast =", t->metric_text);
    for (int i = 0; i < t->terms; i++) text_format(out, " %s %s", FORMAT_REAL(t->term[i].weight), t->term[i].arm.text);
    for (int i = 0; i < t->predictors; i++)
        text_format(out, "%s %s", i ? "" : "\npredictors =", metric_info[t->predictor[i]].key);
    text_format(out, "\nexpects = %s\n", t->expects == EXPECT_COUNT ? "" : expect_names[t->expects]);
    if (!isnan(t->against)) text_format(out, "against = %s\n", FORMAT_REAL(t->against));
    text_format(out, "test = %s\nmargin = %s\n", t->test ? t->test->name : "", FORMAT_REAL(t->margin));
}

static void setup_text(const ClaimSetup *s, Text *out) {
    for (const SetupKey *k = s->key; k < s->key + s->keys; k++) {
        if (k->values == 1 && spec_left_out(k->key, k->value[0])) continue;
        text_format(out, "%s =", k->key);
        for (int v = 0; v < k->values; v++) text_format(out, " %s", k->value[v]);
        text_format(out, "\n");
    }
}

static void claim_canonical(const Claim *c, Text *out) {
    text_format(out, "claim %s\nfamily = %s\n", c->id, c->family);
    for (int i = 0; i < c->setups; i++) setup_text(c->setup[i], out);
    text_format(out, "at =");
    for (int i = 0; i < c->steps; i++) text_format(out, " %d", c->at[i]);
    text_format(out, "\n");
    for (int i = 0; i < c->tests; i++) test_text(&c->test[i], out);
}

void declare_claim(const Claim *c, Text *out) {
    char hash[SHA256_HEX];
    text_clear(out);
    claim_canonical(c, out);
    sha256_hex_of(hash, out->at, out->length);
    text_clear(out);
    text_format(out, "claim %s %s", c->id, hash);
}

static void add_plan(const Experiment *x, Text *out) {
    LOCAL_TEXT(line);
    declare_plan(x, &line);
    if (!strstr(out->at, line.at)) text_format(out, "%s\n", line.at);
    if (x->most && !strstr(out->at, "stops ")) text_format(out, "stops %s\n", x->plan);
}

void declare_plans(const Experiment *x, Text *out) {
    add_plan(x, out);
    OWNED Experiment *other = mem_alloc(1, sizeof *other); /* too large for a small stack */
    for (int i = 0; i < PROFILE_COUNT; i++) {
        Error none;
        if (experiment_parse(other, x->file, x->yaml, profile_info[i].name, NULL, &none)) continue;
        add_plan(other, out);
        experiment_release(other);
    }
}

void declare_claims(const ClaimFile *claims, Text *out) {
    LOCAL_TEXT(line);
    for (int i = 0; i < claims->claims; i++) {
        declare_claim(&claims->claim[i], &line);
        text_format(out, "%s\n", line.at);
    }
}

bool declared(const char *lines, const char *line) {
    size_t n = strlen(line);
    for (const char *at = lines; at && (at = strstr(at, line)); at += n)
        if ((at == lines || at[-1] == '\n') && at[n] == '\n') return true;
    return false;
}

bool declared_stops(const char *lines, const Experiment *x) {
    char plan[SHA256_HEX + 8];
    const char *at = lines;
    snprintf(plan, sizeof plan, "plan %s", x->plan);
    while (at && strncmp(at, "stops ", 6) != 0) at = strchr(at, '\n'), at += at != NULL;
    return at && !declared(lines, plan);
}
