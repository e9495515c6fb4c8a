/* The ledger as JSON. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "bench/verdict/translations.h"
#include "bench/write/claims.h"
#include "bench/write/ledger.h"
#include "bench/write/replication.h"
#include "bench/write/table_json.h"
#include "bench/write/theory.h"

void ledger_place(const LedgerLine *l, Text *out) {
    char cell[256];
    const Table *t = &l->in->table;
    text_format(out, "%s %s, step %d", t->x->name, t->x->profile, t->sample.cell[l->v->cell].step[l->v->step]);
    if (claim_verdict_cell(cell, t->x, l->v)[0]) text_format(out, ", %s", cell);
    ledger_class(l, out);
}

/* "+0.1173 [0.1120, 0.1227] (95% t), higher (worse), reported -0.0720; maxt: p .031 (floor .031), n = 6" */
static void numbers(const LedgerLine *l, Text *out) {
    char number[SHOWN], confidence[40];
    const ClaimVerdict *v = l->v;
    const char *ratio = table_ratio(v->test);
    int decimals = claim_decimals(v->test, v->c->t.se);
    if (ratio) text_format(out, "ratio of %s ", ratio);
    text_format(out, "%s", ratio ? show_number(number, v->effect, 2) : show_signed(number, v->effect, decimals));
    if (!isnan(v->lo)) {
        text_format(out, " ");
        show_interval(out, v->lo, v->hi, decimals, "");
        text_format(out, " (%s%% %s)", table_confidence(&l->in->table, confidence), v->interval);
    }
    if (table_side_found(v)[0]) text_format(out, ", %s", table_side_found(v));
    if (!isnan(v->reported))
        text_format(out, ", reported %s",
                    ratio ? show_number(number, v->reported, 2) : show_signed(number, v->reported, 4));
    text_format(out, "; %s: p %s", v->by, show_p(number, v->p));
    if (v->floor > 0) text_format(out, " (floor %s)", show_p(number, v->floor));
    if (v->p_writeup > v->p) text_format(out, ", p %s in the write-up's family", show_p(number, v->p_writeup));
    text_format(out, ", n = %d", l->in->table.sample.seeds);
    if (!isnan(v->test->margin)) text_format(out, ", margin %s", format_real(number, v->test->margin));
    if (v->why[0]) text_format(out, "; %s", v->why);
    if (v->c && translations_made(v->c)) {
        text_format(out, "; ");
        translations_text(v->c, l->in->table.family.conf, out);
    }
}

static json_t *counts_json(const Ledger *b, const ClaimFile *f, bool stored) {
    int count[WORD_COUNT];
    json_t *o = json_object();
    ledger_count(b, f, stored, count);
    for (int w = 0; w < WORD_COUNT; w++) json_object_set_new(o, verdict_code((VerdictWord)w), json_integer(count[w]));
    return o;
}

static json_t *setup_json(const ClaimSetup *s) {
    json_t *o = json_object(), *keys = json_object(), *choices = json_array();
    for (const SetupKey *k = s->key; k < s->key + s->keys; k++) {
        json_t *values = json_array();
        for (int v = 0; v < k->values; v++) json_array_append_new(values, json_string(k->value[v]));
        json_object_set_new(keys, k->key, values);
    }
    for (int i = 0; i < s->choices; i++) json_array_append_new(choices, json_string(s->choice[i]));
    json_put_text(o, "name", s->name);
    json_object_set_new(o, "keys", keys);
    json_object_set_new(o, "choices", choices);
    return o;
}

/* The day of the last of the runs, in UTC; nothing where no record says it. */
static void put_day(json_t *o, const Table *t) {
    int64_t last = 0;
    char day[24];
    struct tm utc;
    for (int i = 0; i < t->sample.cells * t->sample.arms * t->sample.seeds; i++)
        if (t->records[i].provenance.made > last) last = t->records[i].provenance.made;
    time_t seconds = (time_t)last;
    if (last && gmtime_r(&seconds, &utc) && strftime(day, sizeof day, "%Y-%m-%d", &utc))
        json_put_text(o, "trained", day);
}

static json_t *stated_json(const LedgerLine *l) {
    json_t *o = json_object();
    Text words;
    text_init(&words);
    theory_summary(l->stated, &words);
    json_put_text(o, "verdict", verdict_code(ledger_word(l)));
    json_put_text(o, "metric", l->test->metric_text);
    json_object_set_new(o, "test_at", json_integer(l->test - l->claim->test));
    json_put_text(o, "numbers", words.at);
    json_object_set_new(o, "statement", theory_statement_json(l->stated));
    text_release(&words);
    return o;
}

static json_t *stored_json(const Ledger *b, const LedgerLine *l) {
    json_t *o = json_deep_copy(l->stored->json);
    json_object_set_new(o, "stored", json_pack("{s:s}", "commit", b->kept.commit));
    return o;
}

static json_t *line_json(const LedgerLine *l) {
    if (l->stated) return stated_json(l);
    if (!l->v) {
        json_t *o = json_object();
        json_put_text(o, "verdict", verdict_code(WORD_NOT_RUN));
        json_put_text(o, "why", l->why);
        if (l->test) json_put_text(o, "metric", l->test->metric_text);
        if (l->test && l->test->test) json_put_text(o, "test", l->test->test->name);
        return o;
    }
    const Table *t = &l->in->table;
    json_t *o = json_verdict(t, l->v);
    Text words;
    text_init(&words);
    json_object_set_new(o, "test_at", json_integer(l->test - l->claim->test));
    ledger_place(l, &words);
    json_put_text(o, "where", words.at);
    text_clear(&words);
    numbers(l, &words);
    if (!isnan(l->v->reported)) text_format(&words, " ");
    replication_text(l->v, &words);
    json_put_text(o, "numbers", words.at);
    text_clear(&words);
    table_hypothesis(l->test, &words);
    json_put_text(o, "hypothesis", words.at);
    json_put_text(o, "experiment", t->x->name);
    json_put_text(o, "profile", t->x->profile);
    json_put_text(o, "plan", t->x->plan);
    json_object_set_new(o, "records", json_records_made_by(t));
    put_day(o, t);
    if (t->classes.length) json_put_text(o, "class", t->classes.at);
    json_object_set_new(o, "comparison", json_comparison(t, l->family, l->v->c));
    text_release(&words);
    return o;
}

static json_t *claim_json(const Ledger *b, const Claim *c) {
    json_t *o = json_object(), *verdicts = json_array();
    char hash[SHA256_HEX];
    ledger_hash(c, hash);
    json_put_text(o, "id", c->id);
    json_put_text(o, "hash", hash);
    json_put_text(o, "source", c->source);
    json_put_text(o, "says", c->says);
    json_put_text(o, "family", c->family);
    if (c->note) json_put_text(o, "note", c->note);
    json_object_set_new(o, "setup", setup_json(c->setup[0]));
    json_t *setups = json_array();
    for (int i = 0; i < c->setups; i++) json_array_append_new(setups, setup_json(c->setup[i]));
    json_object_set_new(o, "setups", setups);
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++)
        if (l->claim == c) json_array_append_new(verdicts, l->stored ? stored_json(b, l) : line_json(l));
    json_object_set_new(o, "verdicts", verdicts);
    return o;
}

json_t *ledger_json(const Ledger *b, const Claim *only) {
    json_t *root = json_object(), *writeups = json_array();
    json_object_set_new(root, "schema", json_integer(LEDGER_SCHEMA));
    json_put_made_by(root);
    json_object_set_new(root, "counts", counts_json(b, NULL, false));
    json_object_set_new(root, "stored_counts", counts_json(b, NULL, true));
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++) {
        json_t *o = json_object(), *claims = json_array();
        json_put_text(o, "writeup", f->writeup);
        json_put_writeup(o, f);
        json_put_text(o, "source", f->source);
        json_put_text(o, "file", f->file);
        json_object_set_new(o, "counts", counts_json(b, f, false));
        json_object_set_new(o, "stored_counts", counts_json(b, f, true));
        for (const Claim *c = f->claim; c < f->claim + f->claims; c++)
            if (!only || c == only) json_array_append_new(claims, claim_json(b, c));
        json_object_set_new(o, "claims", claims);
        json_array_append_new(writeups, o);
    }
    json_object_set_new(root, "writeups", writeups);
    return root;
}
