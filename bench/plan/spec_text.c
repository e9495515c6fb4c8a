/* Convert RunSpec to canonical text and back, and to what lower rooms need. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/spec.h"

bool spec_own_text(const RunSpec *s) {
    return !strncmp(s->dataset.text, "text:", 5) || !strncmp(s->dataset.text, "shards:", 7);
}

void spec_know_text(RunSpec *s, const char *sha256) {
    if (spec_own_text(s) && !strcmp(s->text_sha256.text, spec_default("text_sha256")))
        snprintf(s->text_sha256.text, sizeof s->text_sha256.text, "%s", sha256);
}

void spec_forget_text(RunSpec *s) {
    s->text_sha256 = (SpecWord){{0}};
    snprintf(s->text_sha256.text, sizeof s->text_sha256.text, "%s", spec_default("text_sha256"));
}

RunSpec spec_by_bytes(const RunSpec *s) {
    RunSpec out = *s;
    if (!spec_own_text(s) || !strcmp(s->text_sha256.text, spec_default("text_sha256"))) return out;
    out.dataset = (SpecWord){{0}};
    snprintf(out.dataset.text, sizeof out.dataset.text, "%.*s", (int)strcspn(s->dataset.text, ":") + 1,
             s->dataset.text);
    return out;
}

void spec_text(const RunSpec *s, Text *out) {
    spec_text_keys(s, out);
    text_format(out, "seed = %llu\n", (unsigned long long)s->seed);
}

void spec_seeds_init(SpecSeeds *h, const RunSpec *s) {
    LOCAL_TEXT(text);
    spec_text_keys(s, &text);
    sha256_init(&h->keys);
    sha256_add(&h->keys, text.at, text.length);
}

void spec_seeds_hash(const SpecSeeds *h, uint64_t seed, const char *more, char out[SHA256_HEX]) {
    char line[32];
    Sha256 all;
    sha256_copy(&all, &h->keys);
    sha256_add(&all, line, (size_t)sprintf(line, "seed = %llu\n", (unsigned long long)seed));
    sha256_add(&all, more, strlen(more));
    sha256_end(&all, out);
}

void spec_seeds_release(SpecSeeds *h) {
    char unused[SHA256_HEX];
    sha256_end(&h->keys, unused);
}

void spec_hash(const RunSpec *s, char out[SHA256_HEX]) {
    SpecSeeds one;
    spec_seeds_init(&one, s);
    spec_seeds_hash(&one, s->seed, "", out);
    spec_seeds_release(&one);
}

/* Set the name of the row with these columns, or "custom". */
static void name_variant(Variant *v) {
    int i = 0; /* the first of equal rows */
    while (i < variant_count && !variant_same(v, &variants[i])) i++;
    if (i < variant_count)
        *v = variants[i];
    else
        v->name = "custom", v->label = v->cite = "";
}

/* Parse a seed, a uint64_t; parse_integer takes int64_t. */
static bool parse_seed(const char *text, uint64_t *out) {
    uint64_t x = 0;
    if (!*text || (*text == '0' && text[1])) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        unsigned digit = (unsigned)(*text - '0');
        if (x > (UINT64_MAX - digit) / 10) return false;
        x = x * 10 + digit;
    }
    *out = x;
    return true;
}

/* Return the position of a canonical line: keys of spec.def, then columns, then the seed; -1: any other key. */
static int line_of(const char *key) {
    int i = spec_index(key);
    if (i >= 0) return i;
    for (i = 0; i < variant_key_count; i++)
        if (!strcmp(key, variant_keys[i])) return spec_key_count + i;
    return strcmp(key, "seed") ? -1 : spec_key_count + variant_key_count;
}

static Rc parse_line(RunSpec *s, char *line, bool *seen, Error *e) {
    char *sign = strstr(line, " = ");
    if (!sign) return error_set(e, RC_USAGE, "'%.80s' is not 'key = value'", line);
    *sign = 0;
    char *value = sign + 3;
    int at = line_of(line);
    if (at < 0) return spec_unknown(line, (const char *const[]){"seed"}, 1, e);
    if (seen[at]) return error_set(e, RC_USAGE, "duplicate key '%s'", line);
    seen[at] = true;
    if (strcmp(line, "seed")) return spec_set(s, line, value, e);
    if (parse_seed(value, &s->seed)) return RC_OK;
    return error_set(e, RC_USAGE, "seed: '%.80s' is not a whole number from 0 to 18446744073709551615", value);
}

Rc spec_parse(RunSpec *s, const char *text, Error *e) {
    enum { MOST = 128 };
    bool seen[MOST] = {false};
    int keys = spec_key_count + variant_key_count + 1, number = 0;
    assert(keys <= MOST);
    RunSpec read;
    spec_init(&read);
    char *copy = mem_text(text), *line = copy;
    Rc rc = RC_OK;
    while (*line && !rc) {
        char *end = strchr(line, '\n'), *next = end ? end + 1 : line + strlen(line);
        if (end) *end = 0;
        number++;
        rc = parse_line(&read, line, seen, e);
        if (rc) error_prefix(e, "line %d: ", number);
        line = next;
    }
    free(copy);
    if (rc) return rc;
    for (int i = 0; i < keys; i++) {
        if (seen[i]) continue;
        const char *key = i < spec_key_count ? spec_keys[i] : i < keys - 1 ? variant_keys[i - spec_key_count] : "seed";
        if (i < keys - 1 && spec_since(key) > 1) {
            if (spec_set(&read, key, spec_default(key), e)) return e->code;
            continue;
        }
        return error_set(e, RC_USAGE, "line %d: the text ends without key '%s'", number + 1, key);
    }
    name_variant(&read.variant);
    *s = read;
    return RC_OK;
}

ModelShape spec_shape(const RunSpec *s, int vocab) {
    return (ModelShape){
        .layers = (int)s->layers,
        .width = (int)s->width,
        .heads = (int)s->heads,
        .context = (int)s->context,
        .vocab = vocab + (s->objective == OBJECTIVE_MASKED),
        .batch = (int)s->batch,
        .ffn_mult = (int)s->ffn_mult,
        .activation = (Activation)s->activation,
        .positions = (Positions)s->positions,
        .bias = s->bias,
        .tied = s->tied,
        .dropout = s->dropout > 0,
        .full = s->objective == OBJECTIVE_MASKED,
        .pairs = s->objective == OBJECTIVE_TRANSLATE,
        .shared = s->shared_embeddings,
        .norm_eps = s->norm_eps,
    };
}

int spec_blocks(const RunSpec *s) {
    ModelShape shape = spec_shape(s, 1);
    return shape_blocks(&shape);
}

Recipe spec_recipe(const RunSpec *s) {
    double residual = s->residual_init == RESIDUAL_SCALED ? s->init_std / sqrt(2.0 * (double)s->layers) : s->init_std;
    return (Recipe){
        .optimizer = (OptimizerKind)s->optimizer,
        .schedule = (ScheduleKind)s->schedule,
        .steps = (int)s->steps,
        .warmup = (int)s->warmup,
        .lr = s->lr,
        .warmup_lr = s->warmup_lr,
        .final_lr = s->final_lr,
        .beta1 = s->beta1,
        .beta2 = s->beta2,
        .eps = s->adam_eps,
        .momentum = s->momentum,
        .weight_decay = s->weight_decay,
        .clip = s->clip,
        .dropout = s->dropout,
        .smoothing = s->label_smoothing,
        .init_seed = (uint64_t)s->init_seed,
        .order_seed = (uint64_t)s->order_seed,
        .dropout_seed = (uint64_t)s->dropout_seed,
        .init = {.token = s->token_std, .position = s->position_std, .matrix = s->init_std, .residual = residual},
    };
}

bool spec_fixed(const RunSpec *s) {
    return s->init_seed && s->order_seed && (s->dropout_seed || !(s->dropout > 0));
}

uint64_t spec_order_seed(const RunSpec *s) {
    return recipe_seed((uint64_t)s->order_seed, s->seed);
}

/* Parse the next step of a list "0,150,300" and advance *at past its comma. False: the end, or (*at NULL) no whole
 * number. */
static bool next_step(const char **at, int64_t *step) {
    char word[24];
    if (!**at) return false;
    size_t n = strcspn(*at, ",");
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : 1, n < sizeof word ? *at : "?");
    const char *next = *at + n;
    bool good = parse_integer(word, step) && *step >= 0 && (!*next || next[1]);
    *at = !good ? NULL : *next ? next + 1 : next;
    return good;
}

int spec_evaluations(const RunSpec *s, int *out, int most) {
    int count = 0;
    int64_t step;
    for (const char *at = s->evaluate_at.text; at && count < most - 1 && next_step(&at, &step);)
        if (step < s->steps) out[count++] = (int)step;
    if (most > 0) out[count++] = (int)s->steps;
    return count;
}

static Rc check_evaluations(const RunSpec *s, Error *e) {
    const char *at = s->evaluate_at.text;
    int64_t step, before = -1;
    while (next_step(&at, &step)) {
        if (step <= before) return error_set(e, RC_USAGE, "evaluate_at: '%s' is not ascending", s->evaluate_at.text);
        before = step;
    }
    if (at) return RC_OK;
    return error_set(e, RC_USAGE, "evaluate_at: '%s' is not a list of whole numbers such as '0,150,300'",
                     s->evaluate_at.text);
}

static Rc check_text(const RunSpec *s, Error *e) {
    const char *hash = s->text_sha256.text;
    if (!strcmp(hash, spec_default("text_sha256"))) return RC_OK;
    if (strspn(hash, "0123456789abcdef") != SHA256_HEX - 1 || hash[SHA256_HEX - 1])
        return error_set(e, RC_USAGE, "text_sha256: '%.80s' is neither any nor 64 digits from 0 to f", hash);
    if (spec_own_text(s)) return RC_OK;
    return error_set(e, RC_USAGE, "text_sha256: it goes with a text of one's own (text:, shards:), not with '%.60s'",
                     s->dataset.text);
}

Rc spec_check(const RunSpec *s, Error *e) {
    ModelShape shape = spec_shape(s, 1);
    Rc rc = shape_keys(&shape, e);
    if (!rc) rc = variant_check(&s->variant, shape.layers, e);
    if (rc) return rc;
    if (s->warmup > s->steps)
        return error_set(e, RC_USAGE, "warmup: %lld updates are more than steps (%lld)", (long long)s->warmup,
                         (long long)s->steps);
    return check_text(s, e) ? e->code : check_evaluations(s, e);
}
