/* The ledger as JSON. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "bench/formats/json.h"
#include "bench/ledger/ledger.h"
#include "bench/verdict/translations.h"
#include "bench/write/claims.h"
#include "bench/write/stat_json.h"
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
    const ClaimVerdict *v = l->v;
    const char *ratio = table_ratio(v->test);
    int decimals = claim_decimals(v->test, v->c->t.se);
    if (ratio) text_format(out, "ratio of %s ", ratio);
    text_format(out, "%s", ratio ? SHOW_NUMBER(v->effect, 2) : SHOW_SIGNED(v->effect, decimals));
    if (!isnan(v->lo)) {
        text_format(out, " ");
        show_interval(out, v->lo, v->hi, decimals, "");
        text_format(out, " (%s%% %s)", TABLE_CONFIDENCE(&l->in->table), interval_words[v->interval]);
    }
    if (table_side_found(v)[0]) text_format(out, ", %s", table_side_found(v));
    if (!isnan(v->reported))
        text_format(out, ", reported %s", ratio ? SHOW_NUMBER(v->reported, 2) : SHOW_SIGNED(v->reported, 4));
    text_format(out, "; %s: p %s", v->by, SHOW_P(v->p));
    if (v->floor > 0) text_format(out, " (floor %s)", SHOW_P(v->floor));
    text_format(out, ", n = %d", l->in->table.sample.seeds);
    if (!isnan(claim_margin(v->test))) text_format(out, ", margin %s", FORMAT_REAL(claim_margin(v->test)));
    if (v->why[0]) text_format(out, "; %s", v->why);
    if (translations_made(v->c)) {
        text_format(out, "; ");
        translations_text(v->c, l->in->table.family.conf, out);
    }
}

static json_t *counts_json(const Ledger *b, const ClaimFile *f) {
    int count[WORD_COUNT];
    json_t *o = json_object();
    ledger_count(b, f, count);
    for (int w = 0; w < WORD_ESTIMATE; w++) json_add(o, verdict_word((VerdictWord)w), count[w]);
    return o;
}

static json_t *setup_json(const ClaimSetup *s) {
    json_t *o = json_object(), *keys = json_object(), *choices = json_array();
    for (const SetupKey *k = s->key; k < s->key + s->keys; k++) {
        json_t *values = json_array();
        for (int v = 0; v < k->values; v++) json_array_append_new(values, json_string(k->value[v]));
        json_add(keys, k->key, values);
    }
    for (int i = 0; i < s->choices; i++) json_array_append_new(choices, json_string(s->choice[i]));
    return json_add(o, "name", s->name, "keys", keys, "choices", choices);
}

/* The day of the last of the runs, in UTC; nothing where no record says it. */
static void put_day(json_t *o, const Table *t) {
    int64_t last = 0;
    char day[24];
    struct tm utc;
    for (int i = 0; i < t->sample.cells * t->sample.arms * t->sample.seeds; i++)
        if (t->records[i].provenance.made > last) last = t->records[i].provenance.made;
    time_t seconds = (time_t)last;
    if (last && gmtime_r(&seconds, &utc) && strftime(day, sizeof day, "%Y-%m-%d", &utc)) json_add(o, "trained", day);
}

static json_t *stated_json(const Ledger *b, const LedgerLine *l) {
    json_t *o = json_object();
    LOCAL_TEXT(words);
    theory_summary(l->stated, &words);
    json_add(o, "verdict", verdict_word(ledger_word(b, l)), "metric", l->test->metric_text, "test_at",
             l->test - l->claim->test, "numbers", words.at, "statement", theory_statement_json(l->stated));
    return o;
}

static void put_or_remove(json_t *o, const char *key, const char *text) {
    if (text[0])
        json_add(o, key, text);
    else
        json_object_del(o, key);
}

/* What stands in another place after judging anew. */
static void put_judged(json_t *o, const ClaimVerdict *v) {
    const ClaimTest *t = v->test;
    LOCAL_TEXT(words);
    table_hypothesis(t, &words);
    json_add(o, "hypothesis", words.at, "metric", t->metric_text, "test", t->test->name, "decided_by", v->by, "expects",
             t->expects != EXPECT_COUNT ? expect_names[t->expects] : NULL);
    json_object_del(o, "p_writeup"), json_object_del(o, "words");
    put_or_remove(o, "side_claimed", table_side_claimed(t));
    put_or_remove(o, "side_found", table_side_found(v));
    json_add(o, "claim", v->claim->id, "says", v->claim->says, "source", v->claim->source);
    put_or_remove(o, "why", v->why);
    json_add(o, "p_decides", v->p, "floor", v->floor, "exploratory", v->undeclared);
}

static json_t *stored_json(const Ledger *b, const LedgerLine *l) {
    json_t *o = json_deep_copy(l->stored->json);
    json_add(o, "verdict", verdict_word(ledger_word(b, l)), "test_at", l->test - l->claim->test);
    if (l->statement) json_add(o, "metric", l->test->metric_text); /* another claim's test may have stored it */
    if (l->v) put_judged(o, ledger_verdict(l));
    return json_add(o, "stored", json_pack("{s:s}", "commit", b->kept.commit));
}

/* "key = value" lines of what differs from the defaults. */
static json_t *specs_json(const LedgerLine *l) {
    RunSpec spec[CONTRAST_TERMS_MAX];
    json_t *all = json_array();
    contrast_specs(&l->v->c->what, &l->in->table.sample, spec);
    for (int i = 0; i < l->v->c->what.terms; i++) {
        LOCAL_TEXT(lines);
        char value[SPEC_TEXT_SIZE];
        for (int k = 0; k < spec_key_count; k++) {
            if (!strcmp(spec_get(value, &spec[i], spec_keys[k]), spec_default(spec_keys[k]))) continue;
            if (!spec_said_by_program(spec_keys[k])) text_format(&lines, "%s = %s\n", spec_keys[k], value);
        }
        json_array_append_new(all, json_text_of(lines.at));
    }
    return all;
}

static void put_measured(json_t *o, const LedgerLine *l) {
    const Experiment *x = l->in->table.x;
    LOCAL_TEXT(contrast);
    claim_contrast_text(l->test, &contrast);
    json_add(o, "contrast", contrast.at, "specs", specs_json(l), "parameters", l->v->size.parameters, "seeds",
             json_wholes(x->seed, (size_t)x->seeds), "most", x->most ? json_integer(x->most) : NULL);
}

static json_t *line_json(const Ledger *b, const LedgerLine *l) {
    if (l->stated) return stated_json(b, l);
    if (!l->v) {
        const ClaimTest *test = l->test;
        return json_new("verdict", verdict_word(WORD_NOT_TESTED), "why", l->why, "metric",
                        test ? test->metric_text : NULL, "test", test && test->test ? test->test->name : NULL);
    }
    const Table *t = &l->in->table;
    json_t *o = json_verdict(t, l->v);
    LOCAL_TEXT(words);
    json_add(o, "verdict", verdict_word(ledger_word(b, l)));
    put_measured(o, l);
    json_add(o, "test_at", l->test - l->claim->test);
    ledger_place(l, &words);
    json_add(o, "where", words.at);
    text_clear(&words);
    numbers(l, &words);
    if (!isnan(l->v->reported)) text_format(&words, " ");
    replication_text(l->v, &words);
    json_add(o, "numbers", words.at);
    text_clear(&words);
    table_hypothesis(l->test, &words);
    json_add(o, "hypothesis", words.at, "experiment", t->x->name, "profile", t->x->profile, "plan", t->x->plan,
             "records", json_records_made_by(t));
    put_day(o, t);
    json_add(o, "class", t->classes.length ? t->classes.at : NULL, "comparison",
             json_comparison(t, l->family, l->v->c));
    return o;
}

static void put_words(json_t *o, const char *key, void (*words)(const LedgerClaim *, Text *), const LedgerClaim *c) {
    LOCAL_TEXT(text);
    words(c, &text);
    if (text.length) json_add(o, key, text.at);
}

static void put_verdict(const Ledger *b, json_t *o, const LedgerClaim *c) {
    json_t *own = json_array();
    for (int i = 0; i < c->claim->own_count; i++) {
        LOCAL_TEXT(size);
        claim_size_text(c->claim->own[i], &size);
        json_array_append_new(own, json_text_of(size.at));
    }
    json_add(o, "own", own, "verdict", verdict_word(c->word), "answer",
             c->word == WORD_ANSWERED ? ledger_answer(c) : NULL);
    put_words(o, "why", ledger_why, c);
    json_add(o, "p", json_known(c->p), "p_holm", json_known(c->holm), "survives_holm",
             isnan(c->holm) ? NULL : json_of_flag(c->survives));
    put_words(o, "own_size", ledger_own_size, c), put_words(o, "our_size", ledger_our_size, c);
    double hours;
    if (c->word == WORD_OPEN && ledger_seeds(b, c, &hours)) json_add(o, "hours_wanted", hours);
}

static json_t *claim_json(const Ledger *b, const Claim *c) {
    json_t *o = json_object(), *verdicts = json_array();
    char hash[SHA256_HEX];
    ledger_hash(c, hash);
    json_add(o, "id", c->id, "hash", hash, "source", c->source, "says", c->says, "family", c->family, "brief", c->brief,
             "kind", kind_names[c->kind], "number", c->number, "note", c->note);
    put_verdict(b, o, ledger_claim(b, c));
    json_t *setups = json_array();
    for (int i = 0; i < c->setups; i++) json_array_append_new(setups, setup_json(c->setup[i]));
    json_add(o, "setups", setups);
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++)
        if (l->claim == c) json_array_append_new(verdicts, l->stored ? stored_json(b, l) : line_json(b, l));
    return json_add(o, "verdicts", verdicts);
}

json_t *ledger_json(const Ledger *b, const Claim *only) {
    json_t *writeups = json_array();
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++) {
        json_t *o = json_new("writeup", f->writeup), *claims = json_array();
        json_put_writeup(o, f);
        for (const Claim *c = f->claim; c < f->claim + f->claims; c++)
            if (!only || c == only) json_array_append_new(claims, claim_json(b, c));
        json_array_append_new(writeups, json_add(o, "source", f->source, "file", f->file, "counts", counts_json(b, f),
                                                 "holm_over", ledger_family(b, f), "claims", claims));
    }
    return json_add(json_begin(LEDGER_SCHEMA), "counts", counts_json(b, NULL), "writeups", writeups);
}
