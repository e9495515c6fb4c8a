#include "bench/ledger/ledger.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/plan/declare.h"
#include "bench/store/provenance.h"
#include "bench/verdict/anytime.h"

const char *stored_file(const char *root, char out[STORED_PATH_SIZE]) {
    snprintf(out, STORED_PATH_SIZE, "%.540s/results/reference/claims.json", root);
    return out;
}

/* "trained 2026-11-22, commit 6ed6811bbf4a"; of a statement "commit 471036f": of the build that wrote the file. */
static void made_text(StoredVerdict *v, const char *commit) {
    const json_t *records = json_object_get(v->json, "records");
    const char *trained = json_get_text(v->json, "trained");
    const char *first = json_get_text(json_array_get(records, 0), "commit");
    size_t more = json_array_size(records);
    char others[32] = "";
    if (more > 1) snprintf(others, sizeof others, " and %zu more", more - 1);
    snprintf(v->made, sizeof v->made, "%s%.20s%scommit %.40s%s", trained ? "trained " : "", trained ? trained : "",
             trained ? ", " : "", first ? first : commit, others);
    size_t n = strlen(v->made);
    if (first && provenance_changed(first)) snprintf(v->made + n, sizeof v->made - n, " (%s)", provenance_changes);
}

/* "key = value" lines of what differs from the defaults; false: a key or value that is not known. */
static bool read_spec(RunSpec *spec, const char *lines) {
    spec_init(spec);
    for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at != 0) {
        char line[2 * SPEC_TEXT_SIZE], *value;
        Error none;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        value = strstr(line, " = ");
        if (!value) return false;
        *value = 0;
        if (spec_set(spec, line, value + 3, &none)) return false;
    }
    return true;
}

/* What is wrong with a measured contrast, or NULL. */
static const char *take_contrast(StoredVerdict *v) {
    const json_t *specs = json_object_get(v->json, "specs"), *comparison = json_object_get(v->json, "comparison");
    size_t n = json_array_size(specs);
    v->contrast = json_get_text(v->json, "contrast"), v->where = json_get_text(v->json, "where");
    v->experiment = json_get_text(v->json, "experiment"), v->profile = json_get_text(v->json, "profile");
    v->n = (int)json_get_whole(v->json, "n"), v->step = (int)json_get_whole(v->json, "step");
    v->parameters = (long)json_get_whole(v->json, "parameters");
    if (!v->contrast || !v->where || !v->experiment || !v->profile || !v->step || !n)
        return "a verdict does not say what was measured";
    v->spec = mem_alloc(n, sizeof *v->spec);
    for (size_t i = 0; i < n; i++) {
        const char *lines = json_string_value(json_array_get(specs, i));
        if (!lines || !read_spec(&v->spec[v->specs++], lines)) return "a verdict's runs have keys that are not known";
    }
    size_t numbers = json_array_size(json_object_get(comparison, "d")); /* none where runs are not compared */
    if (v->n < 1 || !json_is_object(comparison) || (numbers && numbers != (size_t)v->n))
        return "a verdict has no numbers";
    return NULL;
}

/* What is wrong with a statement's number, or NULL. */
static const char *take_statement(StoredVerdict *v, const json_t *statement) {
    const char *word = json_get_text(statement, "verdict");
    int w = STATED_HOLDS;
    v->statement = json_get_text(statement, "statement"), v->predicted = json_get_text(statement, "predicted");
    v->numbers = json_get_text(v->json, "numbers"), v->n = (int)json_get_whole(statement, "seeds");
    while (word && w <= STATED_UNMEASURED && strcmp(word, stated_word((StatedWord)w)) != 0) w++;
    v->stated = (StatedWord)w;
    if (!v->statement || !v->predicted || !v->numbers) return "a statement does not say what was measured";
    return !word || w > STATED_UNMEASURED ? "a statement has no word that is known" : NULL;
}

static const char *take_verdict(Stored *s, json_t *json, const char *id, const char *hash) {
    const json_t *statement = json_object_get(json, "statement");
    if (!statement && !json_object_get(json, "comparison")) return NULL;
    s->at = mem_grow(s->at, (size_t)s->count + 1, sizeof *s->at);
    StoredVerdict *v = &s->at[s->count++];
    *v = (StoredVerdict){.id = id, .hash = hash, .json = json};
    v->exploratory = json_is_true(json_object_get(json, "exploratory"));
    made_text(v, s->commit);
    return statement ? take_statement(v, statement) : take_contrast(v);
}

/* What is wrong with a claim, or NULL. */
static const char *take_claim(Stored *s, json_t *json) {
    const char *id = json_get_text(json, "id"), *hash = json_get_text(json, "hash"), *wrong;
    const json_t *verdicts = json_object_get(json, "verdicts");
    if (!id || !hash || !json_is_array(verdicts)) return "it has no id, hash or verdicts";
    for (size_t i = 0; i < json_array_size(verdicts); i++)
        if ((wrong = take_verdict(s, json_array_get(verdicts, i), id, hash))) return wrong;
    return NULL;
}

static Rc take_all(Stored *s, const char *path, Error *e) {
    const json_t *writeups = json_object_get(s->root, "writeups");
    s->commit = json_get_text(s->root, "commit");
    if ((int)json_get_whole(s->root, "schema") != STORED_SCHEMA || !s->commit || !json_is_array(writeups))
        return error_set(e, RC_INTEGRITY, "%s: not what `normbench claims --format json` writes", path);
    for (size_t w = 0; w < json_array_size(writeups); w++) {
        const json_t *claims = json_object_get(json_array_get(writeups, w), "claims");
        for (size_t i = 0; i < json_array_size(claims); i++) {
            json_t *claim = json_array_get(claims, i);
            const char *id = json_get_text(claim, "id"), *wrong = take_claim(s, claim);
            if (wrong) return error_set(e, RC_INTEGRITY, "%s: claim %.20s: %s", path, id ? id : "?", wrong);
        }
    }
    return RC_OK;
}

Rc stored_read(Stored *s, const char *path, Error *e) {
    *s = (Stored){.root = json_read_file(path, e)};
    if (!s->root) return e->code;
    Rc rc = take_all(s, path, e);
    if (rc) stored_release(s);
    return rc;
}

void stored_release(Stored *s) {
    for (int i = 0; i < s->count; i++) free(s->at[i].spec);
    free(s->at);
    json_decref(s->root);
    *s = (Stored){0};
}

bool stored_measures(const StoredVerdict *v, const Claim *claim, const ClaimTest *t) {
    char why[CLAIM_WHY_SIZE];
    LOCAL_TEXT(contrast);
    if (!v->contrast || v->specs != t->terms) return false;
    claim_contrast_text(t, &contrast);
    bool same = !strcmp(contrast.at, v->contrast), at = false;
    for (int i = 0; i < claim->steps; i++) at |= claim->at[i] == v->step;
    at |= t->terms && t->term[0].arm.step == v->step;
    return same && at && claim_holds(claim, v->spec, v->specs, why, sizeof why);
}

/* Its one contrast, made anew of the stored differences. */
static void compare_again(const StoredVerdict *v, const ClaimTest *t, Family *f) {
    const json_t *comparison = json_object_get(v->json, "comparison"), *d = json_object_get(comparison, "d");
    size_t n = (size_t)v->n;
    double *value = mem_alloc(n, sizeof *value),
           conf = json_get_number(json_object_get(comparison, "t_interval"), "confidence");
    uint64_t *seed = mem_alloc(n, sizeof *seed);
    const json_t *stored_seeds = json_object_get(v->json, "seeds");
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(stored_seeds, i);
        value[i] = (double)NAN;
        (void)json_number_read(json_array_get(d, i), &value[i]);
        seed[i] = one ? (uint64_t)json_integer_value(one) : i + 1;
    }
    *f = (Family){.tests = PAIRED_T | PAIRED_FLIP | PAIRED_TOST | PAIRED_RANKS | PAIRED_INTERVAL | PAIRED_LEAVE,
                  .conf = isnan(conf) ? .95 : conf,
                  .n = v->n,
                  .joint_key = {.stream = name_stream("family")},
                  .ranks_key = {.stream = name_stream("family ranks")}};
    f->alpha = round(1e8 * (1 - f->conf)) / 1e8;
    st_init();
    family_begin(f, 1);
    Comparison *c = &f->at[0];
    c->what = (Contrast){.metric = (Metric)t->metric,
                         .terms = t->terms,
                         .margin = claim_margin(t),
                         .against = isnan(t->against) ? 0 : t->against,
                         .grid = t->grid,
                         .best = t->terms && t->term[0].arm.best};
    for (int i = 0; i < t->terms; i++) c->what.term[i].weight = t->term[i].weight;
    PairedRuns runs = {.n = v->n,
                       .seed = seed,
                       .arm = {{.weight = 1, .value = value}},
                       .arms = 1,
                       .cap = (double)NAN,
                       .higher = contrast_better(&c->what) > 0,
                       .flip = {.stream = name_stream(v->contrast)},
                       .ranks = {.stream = name_stream(v->contrast)}};
    comparison_make(f, c, &runs);
    c->diverged_a = (int)json_get_whole(comparison, "diverged_a");
    c->diverged_b = (int)json_get_whole(comparison, "diverged_b");
    if (c->diverged_a || c->diverged_b) c->t_decides = false;
    if (c->what.best) { /* its p is of whole grids, which are not stored; the differences keep it */
        const json_t *flip = json_object_get(comparison, "sign_flip");
        double p = json_get_number(flip, "p"), floor = json_get_number(flip, "floor");
        c->choice = (StMaxTRow){.raw = p, .single = p, .step = p};
        f->choice.p_min = floor, f->choice.total = (uint64_t)json_get_whole(flip, "total");
        c->flip.p = p, c->flip.p_min = floor;
    }
    int most = (int)json_get_whole(v->json, "most"); /* seeds were added until it was decided */
    if (most > 0 && !c->what.best)
        anytime_decide(f, most);
    else
        family_together(f);
    if (json_get_text(comparison, "decision_with_cap"))
        c->decision_capped = DECISION_LOWER, c->decision = DECISION_INCONCLUSIVE;
    free(value);
    free(seed);
}

/* The kind of interval that the stored words (NULL: none) name: "(95% t)". */
static IntervalKind stored_interval(const char *numbers) {
    IntervalKind kind = INTERVAL_t;
    while (numbers && kind < INTERVAL_COUNT && !strstr(numbers, SHOW_TEXT("%% %s)", interval_words[kind]))) kind++;
    return numbers && kind < INTERVAL_COUNT ? kind : INTERVAL_none;
}

/* A reading that the differences do not give: as it was stored. */
static Reading stored_reading(const StoredVerdict *v, const ClaimTest *t, Comparison *c) {
    const json_t *o = v->json, *comparison = json_object_get(o, "comparison");
    const char *why = json_get_text(o, "why");
    bool variance = t->test->about == ST_ABOUT_variance;
    double alone = json_get_number(json_object_get(comparison, "pitman_morgan"), "p_one_seed_left_out");
    Reading r = {.p = json_get_number(o, "p_decides"),
                 .floor = json_get_number(o, "floor"),
                 .effect = json_get_number(o, "effect"),
                 .neutral = variance ? 1 : 0,
                 .lo = json_get_number(o, "lo"),
                 .hi = json_get_number(o, "hi"),
                 .se = (double)NAN,
                 .df = (double)NAN,
                 .interval = stored_interval(json_get_text(o, "numbers"))};
    if (variance) {
        const json_t *x = json_object_get(comparison, "pitman_morgan");
        c->pitman_morgan = (StVariance){.stat = json_get_number(x, "t"), .df1 = json_get_number(x, "df")};
        c->pitman_morgan.status = isnan(c->pitman_morgan.stat) ? ST_BAD_ARG : ST_OK;
    }
    if (variance && !isnan(alone) && !strcmp(t->test->name, "pitman-morgan")) r.p = alone;
    if (t->predictors && why) { /* without what is said of it anew */
        const char *deviances = strstr(why, "deviance ");
        snprintf(r.note, sizeof r.note, "%.150s", deviances ? deviances : why);
    }
    return r;
}

static bool of_differences(const StTest *t) {
    static const char *const names[] = {"t",    "signflip", "wilcoxon", "maxt", "choice",
                                        "holm", "hochberg", "bh",       "tost"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(t->name, names[i])) return true;
    return false;
}

const json_t *stored_term(const StoredVerdict *v, int term) {
    const json_t *terms = json_object_get(json_object_get(v->json, "comparison"), "terms");
    return json_array_get(terms, (size_t)term);
}

/* The numbers of an array; returns how many. */
static int take_numbers(const json_t *array, double *out, int most) {
    int n = 0;
    for (; n < most && n < (int)json_array_size(array); n++)
        if (!json_number_read(json_array_get(array, (size_t)n), &out[n])) return 0;
    return n;
}

static void stored_ends(const StoredVerdict *v, const ClaimTest *t, ClaimVerdict *out) {
    LOCAL_TEXT(ends);
    double rate[EXPERIMENT_VALUES_MAX];
    OWNED double *chosen = mem_alloc((size_t)v->n, sizeof *chosen);
    for (int i = 0; i < t->terms; i++) {
        const json_t *term = stored_term(v, i);
        int n = take_numbers(json_object_get(term, "rates"), chosen, v->n);
        int rates = take_numbers(json_object_get(term, "grid"), rate, EXPERIMENT_VALUES_MAX);
        if (n == v->n) claim_end_text(t, i, chosen, n, rate, rates, &ends);
    }
    snprintf(out->ends, sizeof out->ends, "%s", ends.length ? ends.at : "");
}

void ledger_hash(const Claim *c, char out[SHA256_HEX]) {
    LOCAL_TEXT(line);
    declare_claim(c, &line);
    snprintf(out, SHA256_HEX, "%s", strrchr(line.at, ' ') + 1);
}

void stored_judge(const StoredVerdict *v, const Claim *claim, const ClaimTest *t, Family *f, ClaimVerdict *out) {
    char hash[SHA256_HEX];
    ledger_hash(claim, hash);
    compare_again(v, t, f);
    ReadingOf of = {NULL, f, &f->at[0], t->expects == EXPECT_higher};
    bool again = of_differences(t->test) && f->at[0].status == ST_OK;
    Reading r = again ? reading_of(t->test, &of) : stored_reading(v, t, &f->at[0]);
    *out = (ClaimVerdict){.claim = claim, .test = t, .cell = -1, .step = -1, .c = &f->at[0]};
    out->by = f->anytime ? "anytime" : t->test->name;
    out->effect = r.effect, out->lo = r.lo, out->hi = r.hi, out->interval = r.interval;
    out->p = r.p, out->floor = r.floor;
    out->undeclared = v->exploratory || strcmp(v->id, claim->id) != 0 || strcmp(v->hash, hash) != 0;
    out->reported = claim_reported(t, v->spec, v->specs, v->step);
    out->place = claim_place(t, v->experiment, &v->spec[0], v->step);
    out->own = claim_own_size(claim, v->spec, v->specs);
    RunSize *size = &out->size;
    *size = (RunSize){.seeds = v->n, .parameters = v->parameters};
    for (const RunSpec *s = v->spec; s < v->spec + v->specs; s++) {
        if (s > v->spec && (long)s->layers * s->width * s->width <= (long)size->layers * size->width * size->width)
            continue;
        size->layers = (int)s->layers, size->width = (int)s->width, size->pair = s->objective == OBJECTIVE_TRANSLATE;
        size->tokens = (double)v->step * (double)s->batch * (double)s->context;
        size->trained = (double)s->steps * (double)s->batch * (double)s->context;
        spec_get(size->corpus, s, "dataset");
    }
    out->replication = replication_of(t, v->spec, out->reported, &r, f->conf);
    claim_judge(out, &r, f);
    stored_ends(v, t, out);
    out->replication.agrees = out->replication.inside && !(out->p < f->alpha);
}

const ClaimVerdict *ledger_verdict(const LedgerLine *l) {
    LedgerKept *k = l->kept;
    if (k && !k->v.c) stored_judge(l->stored, l->claim, l->test, &k->family, &k->v);
    return l->v;
}
