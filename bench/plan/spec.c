#include "bench/plan/spec.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/utf8.h"
#include "datasets/tokenizer.h"
#include "kernels/backend.h"

/* Lists of spec.def's choices; a value is an index. */
static const char *const tokenizers[] = {"char", "byte", "bpe"};
static const char *const activations[] = {
    [ACTIVATION_GELU] = "gelu", [ACTIVATION_RELU] = "relu", [ACTIVATION_SWIGLU] = "swiglu"};
static const char *const positions[] = {[POSITIONS_LEARNED] = "learned",
                                        [POSITIONS_ROPE] = "rope",
                                        [POSITIONS_NONE] = "none",
                                        [POSITIONS_SINUSOIDAL] = "sinusoidal"};
static const char *const residuals[] = {[RESIDUAL_SCALED] = "scaled", [RESIDUAL_PLAIN] = "plain"};
static const char *const objectives[] = {
    [OBJECTIVE_NEXT] = "next", [OBJECTIVE_MASKED] = "masked", [OBJECTIVE_TRANSLATE] = "translate"};
static const char *const long_lines[] = {[LONG_LINES_DROP] = "drop", [LONG_LINES_TRUNCATE] = "truncate"};
static const char *const precisions[] = {
#define PRECISION(name, key, ...) [PRECISION_##name] = key,
#include "kernels/precisions.def"
#undef PRECISION
};
static const char *const optimizers[] = {
#define OPTIMIZER(name, ...) [OPTIMIZER_##name] = #name,
#include "kernels/optimizers.def"
#undef OPTIMIZER
};
static const char *const schedules[] = {
#define SCHEDULE(name, ...) [SCHEDULE_##name] = #name,
#include "models/schedule.def"
#undef SCHEDULE
};

typedef enum { KIND_integer, KIND_real, KIND_flag, KIND_word, KIND_choice, KIND_tokenizer } Kind;

typedef struct {
    const char *key, *initial, *help;
    size_t at;
    int since;
    Kind kind;
    const char *const *choice; /* list of KIND_choice and KIND_tokenizer */
    int choices;
    double least, most; /* range of numbers, inclusive */
} Field;

#define FIELD_KIND_integer KIND_integer, NULL, 0
#define FIELD_KIND_real KIND_real, NULL, 0
#define FIELD_KIND_flag KIND_flag, NULL, 0
#define FIELD_KIND_word KIND_word, NULL, 0
#define FIELD_KIND_tokenizer KIND_tokenizer, tokenizers, sizeof tokenizers / sizeof *tokenizers
#define FIELD_KIND_choice(list) KIND_choice, list, sizeof list / sizeof *list

static const Field fields[] = {
#define FIELD(name, since, type, least, most, initial, help) \
    {#name, initial, help, offsetof(RunSpec, name), since, FIELD_KIND_##type, least, most},
#include "bench/plan/spec.def"
#undef FIELD
};
const char *const spec_keys[] = {
#define FIELD(name, since, type, least, most, initial, help) #name,
#include "bench/plan/spec.def"
#undef FIELD
};
const int spec_key_count = sizeof fields / sizeof *fields;

int spec_index(const char *key) {
    for (int i = 0; i < spec_key_count; i++)
        if (*key == *fields[i].key && !strcmp(key, fields[i].key)) return i;
    return -1;
}

bool spec_has(const char *key) {
    return spec_index(key) >= 0;
}

bool spec_said_by_program(const char *key) {
    return !strcmp(key, "mended");
}

const char *spec_help(const char *key) {
    int i = spec_index(key);
    return i < 0 ? NULL : fields[i].help;
}

const char *spec_default(const char *key) {
    int i = spec_index(key);
    return i < 0 ? variant_default(key) : fields[i].initial;
}

int spec_since(const char *key) {
    int i = spec_index(key);
    return i < 0 ? variant_since(key) : fields[i].since;
}

/* Defaults and their canonical texts, made once, since every text of a plan is compared with them. */
static RunSpec initial;
static char initial_text[sizeof fields / sizeof *fields][SPEC_WORD_SIZE];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static char *field_text(char *out, const RunSpec *s, const Field *f) {
    const void *at = (const char *)s + f->at;
    switch (f->kind) {
    case KIND_integer: sprintf(out, "%lld", (long long)*(const int64_t *)at); break;
    case KIND_real: format_real(out, *(const double *)at); break;
    case KIND_flag: strcpy(out, *(const bool *)at ? "true" : "false"); break;
    case KIND_word:
    case KIND_tokenizer: strcpy(out, ((const SpecWord *)at)->text); break;
    case KIND_choice: strcpy(out, f->choice[*(const int *)at]); break;
    }
    return out;
}

static void make_initial(void) {
    RunSpec *s = &initial;
    Error e;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < spec_key_count; i++) {
        Rc rc = spec_set(s, fields[i].key, fields[i].initial, &e);
        assert(rc == RC_OK && "a default of spec.def is not valid");
        (void)rc;
        field_text(initial_text[i], s, &fields[i]);
    }
    const Variant *pre = variant_find("pre", &e);
    assert(pre);
    s->variant = *pre;
    s->seed = 1;
}

void spec_init(RunSpec *s) {
    pthread_once(&made, make_initial);
    *s = initial;
}

static Rc out_of_range(const Field *f, const char *value, Error *e) {
    return error_set(e, RC_USAGE, "%s: %.80s is out of range (%s to %s)", f->key, value, FORMAT_REAL(f->least),
                     FORMAT_REAL(f->most));
}

/* Return true for digits only: a whole number too long for int64_t is out of range, not "no number". */
static bool all_digits(const char *s) {
    if (*s == '-') s++;
    if (*s < '1' || *s > '9') return false;
    return s[strspn(s, "0123456789")] == 0;
}

static Rc set_integer(RunSpec *s, const Field *f, const char *value, Error *e) {
    int64_t x;
    if (!parse_whole(value, &x)) {
        if (all_digits(value)) return out_of_range(f, value, e);
        return error_set(e, RC_USAGE, "%s: '%.80s' is not a whole number", f->key, value);
    }
    if ((double)x < f->least || (double)x > f->most) return out_of_range(f, value, e);
    memcpy((char *)s + f->at, &x, sizeof x);
    return RC_OK;
}

static Rc set_real(RunSpec *s, const Field *f, const char *value, Error *e) {
    double x;
    if (!parse_real(value, &x)) return error_set(e, RC_USAGE, "%s: '%.80s' is not a number", f->key, value);
    if (x < f->least || x > f->most) return out_of_range(f, value, e);
    if (x == 0) x = 0; /* -0 and 0 are equal and must have one text */
    memcpy((char *)s + f->at, &x, sizeof x);
    return RC_OK;
}

/* Set a word. It is part of a canonical line, so it has no control bytes and no blanks at its ends; and of a record's
 * JSON, so it is UTF-8. */
static Rc set_word(RunSpec *s, const Field *f, const char *value, Error *e) {
    SpecWord word = {{0}};
    size_t n = strlen(value);
    if (!n) return error_set(e, RC_USAGE, "%s: the value is empty", f->key);
    if (n >= sizeof word.text)
        return error_set(e, RC_USAGE, "%s: %zu bytes are too many (at most %zu)", f->key, n, sizeof word.text - 1);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)value[i] < ' ' || value[i] == 127)
            return error_set(e, RC_USAGE, "%s: the value holds a line break or another control byte", f->key);
    uint32_t code;
    for (size_t i = 0, bytes; i < n; i += bytes) {
        bytes = utf8_next((const uint8_t *)value + i, n - i, &code);
        if (!bytes) return error_set(e, RC_USAGE, "%s: the value is not UTF-8", f->key);
    }
    if (value[0] == ' ' || value[n - 1] == ' ')
        return error_set(e, RC_USAGE, "%s: '%s' begins or ends with a blank", f->key, value);
    memcpy(word.text, value, n);
    memcpy((char *)s + f->at, &word, sizeof word);
    return RC_OK;
}

static Rc no_choice(const Field *f, const char *value, Error *e) {
    error_set(e, RC_USAGE, "%s: unknown value '%.80s'", f->key, value);
    return name_unknown(e, value, NAMES(f->choice, f->choices), "valid");
}

static Rc set_choice(RunSpec *s, const Field *f, const char *value, Error *e) {
    for (int i = 0; i < f->choices; i++) {
        if (strcmp(value, f->choice[i])) continue;
        memcpy((char *)s + f->at, &i, sizeof i);
        return RC_OK;
    }
    return no_choice(f, value, e);
}

/* Set a choice, some with a size ("bpe:4096"), in canonical spelling. */
static Rc set_tokenizer(RunSpec *s, const Field *f, const char *value, Error *e) {
    Tokenizer t;
    SpecWord word = {{0}};
    if (tokenizer_named(&t, value, e)) return t.kind ? e->code : no_choice(f, value, e);
    strcpy(word.text, t.name);
    memcpy((char *)s + f->at, &word, sizeof word);
    return RC_OK;
}

static Rc set_flag(RunSpec *s, const Field *f, const char *value, Error *e) {
    bool x;
    if (!parse_bool(value, &x)) return error_set(e, RC_USAGE, "%s: '%.80s' is neither true nor false", f->key, value);
    memcpy((char *)s + f->at, &x, sizeof x);
    return RC_OK;
}

Rc spec_unknown(const char *key, const char *const *more, int count, Error *e) {
    const char *names[160], *const own[] = {"variant",           "base",      "--backend",
                                            "--results",         "--threads", "--memory recompute",
                                            "--checkpoint-every"};
    enum { OWN = sizeof own / sizeof *own };
    size_t n = 0;
    assert(spec_key_count + variant_key_count + count + OWN <= 160);
    for (int i = 0; i < spec_key_count; i++) names[n++] = fields[i].key;
    for (int i = 0; i < variant_key_count; i++) names[n++] = variant_keys[i];
    for (int i = 0; i < OWN; i++) names[n++] = own[i];
    for (int i = 0; i < count; i++) names[n++] = more[i];
    char hint[160];
    return error_set(e, RC_USAGE, "unknown key '%.80s'%s", key, did_you_mean(hint, sizeof hint, key, names, n));
}

Rc spec_set(RunSpec *s, const char *key, const char *value, Error *e) {
    typedef Rc Set(RunSpec *, const Field *, const char *, Error *);
    static Set *const set[] = {
        [KIND_integer] = set_integer, [KIND_real] = set_real,     [KIND_flag] = set_flag,
        [KIND_word] = set_word,       [KIND_choice] = set_choice, [KIND_tokenizer] = set_tokenizer,
    };
    int i = spec_index(key);
    if (i >= 0) return set[fields[i].kind](s, &fields[i], value, e);
    if (!strcmp(key, "variant") || !strcmp(key, "base")) {
        const Variant *v = variant_find(value, e);
        if (!v) return e->code;
        s->variant = *v;
        return RC_OK;
    }
    for (int c = 0; c < variant_key_count; c++)
        if (!strcmp(key, variant_keys[c])) return variant_set(&s->variant, key, value, e);
    return spec_unknown(key, NULL, 0, e);
}

char *spec_get(char *out, const RunSpec *s, const char *key) {
    int i = spec_index(key);
    return i < 0 ? variant_get(out, &s->variant, key) : field_text(out, s, &fields[i]);
}

char *spec_shown(char *out, const char *key, const char *value) {
    static const char *const rates[] = {"lr", "warmup_lr", "final_lr"};
    double rate;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strcmp(key, rates[i]) && parse_real(value, &rate)) return format_rate(out, rate);
    return strcpy(out, value);
}

const char *spec_needs_device(const RunSpec *s) {
    const char *name = precision_name(s->precision);
    Error none;
    return backend_precise("cpu", name, &none) ? NULL : name;
}

static bool left_out(int i, const char *value) {
    return fields[i].since > 1 && !strcmp(value, initial_text[i]);
}

bool spec_left_out(const char *key, const char *value) {
    int i = spec_index(key);
    pthread_once(&made, make_initial);
    return i < 0 ? variant_left_out(key, value) : left_out(i, value);
}

/* Return true if a key has the bytes of its default. */
static bool has_default(const RunSpec *s, const Field *f) {
    const void *at = (const char *)s + f->at, *its = (const char *)&initial + f->at;
    switch (f->kind) {
    case KIND_integer: return !memcmp(at, its, sizeof(int64_t));
    case KIND_real: return !memcmp(at, its, sizeof(double));
    case KIND_flag: return !memcmp(at, its, sizeof(bool));
    case KIND_word:
    case KIND_tokenizer: return !strcmp(((const SpecWord *)at)->text, ((const SpecWord *)its)->text);
    case KIND_choice: return !memcmp(at, its, sizeof(int));
    }
    return false;
}

void spec_text_keys(const RunSpec *s, Text *out) {
    char value[SPEC_TEXT_SIZE];
    pthread_once(&made, make_initial);
    for (int i = 0; i < spec_key_count; i++) {
        const char *text = has_default(s, &fields[i]) ? initial_text[i] : field_text(value, s, &fields[i]);
        if (!left_out(i, text)) text_pair(out, fields[i].key, text);
    }
    variant_text(&s->variant, out);
}

/* Append a key's valid values, for --help: "1 to 256", "true, false", "gelu, relu", "text". */
static void print_valid(Text *out, const Field *f) {
    switch (f->kind) {
    case KIND_integer:
    case KIND_real: text_format(out, "%s to %s", FORMAT_REAL(f->least), FORMAT_REAL(f->most)); break;
    case KIND_flag: text_format(out, "true, false"); break;
    case KIND_word: text_format(out, "text"); break;
    case KIND_choice:
    case KIND_tokenizer:
        for (int i = 0; i < f->choices; i++) text_format(out, "%s%s", i ? ", " : "", f->choice[i]);
    }
}

void spec_print_keys(Text *out) {
    LOCAL_TEXT(valid);
    text_format(out, "%-14s %-16s %-38s %s\n", "key", "default", "valid", "meaning");
    for (const Field *f = fields; f < fields + spec_key_count; f++) {
        text_clear(&valid);
        print_valid(&valid, f);
        text_format(out, "%-14s %-16s %-38s %s\n", f->key, f->initial, valid.at, f->help);
    }
}
