/* The ledger as JSON. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "bench/formats/json.h"
#include "bench/ledger/ledger.h"
#include "bench/verdict/translations.h"
#include "bench/write/claims.h"
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
    text_format(out, ", n = %d", l->in->table.sample.seeds);
    if (!isnan(claim_margin(v->test))) text_format(out, ", margin %s", format_real(number, claim_margin(v->test)));
    if (v->why[0]) text_format(out, "; %s", v->why);
    if (v->c && translations_made(v->c)) {
        text_format(out, "; ");
        translations_text(v->c, l->in->table.family.conf, out);
    }
}

static json_t *counts_json(const Ledger *b, const ClaimFile *f) {
    int count[WORD_COUNT];
    json_t *o = json_object();
    ledger_count(b, f, count);
    for (int w = 0; w < WORD_ESTIMATE; w++)
        json_object_set_new(o, verdict_word((VerdictWord)w), json_integer(count[w]));
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

static json_t *stated_json(const Ledger *b, const LedgerLine *l) {
    json_t *o = json_object();
    Text words;
    text_init(&words);
    theory_summary(l->stated, &words);
    json_put_text(o, "verdict", verdict_word(ledger_word(b, l)));
    json_put_text(o, "metric", l->test->metric_text);
    json_object_set_new(o, "test_at", json_integer(l->test - l->claim->test));
    json_put_text(o, "numbers", words.at);
    json_object_set_new(o, "statement", theory_statement_json(l->stated));
    text_release(&words);
    return o;
}

/* What stands in another place after judging anew. */
static void put_judged(json_t *o, const ClaimVerdict *v) {
    Text words;
    text_init(&words);
    table_hypothesis(v->test, &words);
    json_put_text(o, "hypothesis", words.at);
    text_release(&words);
    json_object_del(o, "p_writeup"), json_object_del(o, "words");
    json_put_text(o, "claim", v->claim->id), json_put_text(o, "says", v->claim->says);
    json_put_text(o, "source", v->claim->source);
    if (v->why[0])
        json_put_text(o, "why", v->why);
    else
        json_object_del(o, "why");
    json_put(o, "p_decides", v->p), json_put(o, "floor", v->floor);
    json_object_set_new(o, "exploratory", json_boolean(v->undeclared));
}

static json_t *stored_json(const Ledger *b, const LedgerLine *l) {
    json_t *o = json_deep_copy(l->stored->json);
    json_put_text(o, "verdict", verdict_word(ledger_word(b, l)));
    json_object_set_new(o, "test_at", json_integer(l->test - l->claim->test));
    if (l->v) put_judged(o, l->v);
    json_object_set_new(o, "stored", json_pack("{s:s}", "commit", b->kept.commit));
    return o;
}

/* "key = value" lines of what differs from the defaults. */
static json_t *specs_json(const LedgerLine *l) {
    RunSpec spec[CONTRAST_TERMS_MAX];
    json_t *all = json_array();
    contrast_specs(&l->v->c->what, &l->in->table.sample, spec);
    for (int i = 0; i < l->v->c->what.terms; i++) {
        Text lines;
        char value[SPEC_TEXT_SIZE];
        text_init(&lines);
        for (int k = 0; k < spec_key_count; k++) {
            if (!strcmp(spec_get(value, &spec[i], spec_keys[k]), spec_default(spec_keys[k]))) continue;
            if (!spec_said_by_program(spec_keys[k])) text_format(&lines, "%s = %s\n", spec_keys[k], value);
        }
        json_array_append_new(all, json_text_of(lines.at));
        text_release(&lines);
    }
    return all;
}

static void put_measured(json_t *o, const LedgerLine *l) {
    const Experiment *x = l->in->table.x;
    json_t *seeds = json_array();
    Text contrast;
    text_init(&contrast);
    claim_contrast_text(l->test, &contrast);
    for (int i = 0; i < x->seeds; i++) json_array_append_new(seeds, json_integer((json_int_t)x->seed[i]));
    json_put_text(o, "contrast", contrast.at);
    json_object_set_new(o, "specs", specs_json(l));
    json_object_set_new(o, "parameters", json_integer(l->v->size.parameters));
    json_object_set_new(o, "seeds", seeds);
    if (x->most) json_object_set_new(o, "most", json_integer(x->most));
    text_release(&contrast);
}

static json_t *line_json(const Ledger *b, const LedgerLine *l) {
    if (l->stated) return stated_json(b, l);
    if (!l->v) {
        json_t *o = json_object();
        json_put_text(o, "verdict", verdict_word(WORD_NOT_TESTED));
        json_put_text(o, "why", l->why);
        if (l->test) json_put_text(o, "metric", l->test->metric_text);
        if (l->test && l->test->test) json_put_text(o, "test", l->test->test->name);
        return o;
    }
    const Table *t = &l->in->table;
    json_t *o = json_verdict(t, l->v);
    Text words;
    text_init(&words);
    json_put_text(o, "verdict", verdict_word(ledger_word(b, l)));
    put_measured(o, l);
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

static void put_words(json_t *o, const char *key, void (*words)(const LedgerClaim *, Text *), const LedgerClaim *c) {
    Text text;
    text_init(&text);
    words(c, &text);
    if (text.length) json_put_text(o, key, text.at);
    text_release(&text);
}

static void put_verdict(const Ledger *b, json_t *o, const LedgerClaim *c) {
    json_t *own = json_array();
    for (int i = 0; i < c->claim->own_count; i++) {
        Text size;
        text_init(&size);
        claim_size_text(c->claim->own[i], &size);
        json_array_append_new(own, json_text_of(size.at));
        text_release(&size);
    }
    json_object_set_new(o, "own", own);
    json_put_text(o, "verdict", verdict_word(c->word));
    if (c->word == WORD_ANSWERED && ledger_answer(c)) json_put_text(o, "answer", ledger_answer(c));
    put_words(o, "why", ledger_why, c);
    if (!isnan(c->p)) json_put(o, "p", c->p);
    if (!isnan(c->holm))
        json_put(o, "p_holm", c->holm), json_object_set_new(o, "survives_holm", json_boolean(c->survives));
    put_words(o, "own_size", ledger_own_size, c), put_words(o, "our_size", ledger_our_size, c);
    double hours;
    if (c->word == WORD_OPEN && ledger_seeds(b, c, &hours)) json_put(o, "hours_wanted", hours);
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
    json_put_text(o, "brief", c->brief), json_put_text(o, "kind", kind_names[c->kind]);
    if (c->number) json_put_text(o, "number", c->number);
    if (c->note) json_put_text(o, "note", c->note);
    put_verdict(b, o, ledger_claim(b, c));
    json_t *setups = json_array();
    for (int i = 0; i < c->setups; i++) json_array_append_new(setups, setup_json(c->setup[i]));
    json_object_set_new(o, "setups", setups);
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++)
        if (l->claim == c) json_array_append_new(verdicts, l->stored ? stored_json(b, l) : line_json(b, l));
    json_object_set_new(o, "verdicts", verdicts);
    return o;
}

json_t *ledger_json(const Ledger *b, const Claim *only) {
    json_t *root = json_object(), *writeups = json_array();
    json_object_set_new(root, "schema", json_integer(LEDGER_SCHEMA));
    json_put_made_by(root);
    json_object_set_new(root, "counts", counts_json(b, NULL));
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++) {
        json_t *o = json_object(), *claims = json_array();
        json_put_text(o, "writeup", f->writeup);
        json_put_writeup(o, f);
        json_put_text(o, "source", f->source);
        json_put_text(o, "file", f->file);
        json_object_set_new(o, "counts", counts_json(b, f));
        json_object_set_new(o, "holm_over", json_integer(ledger_family(b, f)));
        for (const Claim *c = f->claim; c < f->claim + f->claims; c++)
            if (!only || c == only) json_array_append_new(claims, claim_json(b, c));
        json_object_set_new(o, "claims", claims);
        json_array_append_new(writeups, o);
    }
    json_object_set_new(root, "writeups", writeups);
    return root;
}
