/* safetensors files that are refused: truncated, flipped, contradicting themselves; and none brings the reader down. */
#include <sys/mman.h>
#include <unistd.h>

#include "base/sha256.h"
#include "bench/run/execute.h"
#include "bench/store/weights.h"
#include "models/trainer_look.h"
#include "models/trainer_state.h"
#include "tests/test.h"

static char disk[64], path[64]; /* path is what is read: the file on disk, or the one in memory that store fills */
static int memory;

static void enter(void) {
    strcpy(disk, "/tmp/normbench-export-XXXXXX");
    int fd = mkstemp(disk);
    cr_assert(fd >= 0);
    close(fd);
    strcpy(path, disk);
    memory = memfd_create("export", MFD_CLOEXEC);
    cr_assert(memory >= 0);
}

static void leave(void) {
    unlink(disk);
    close(memory);
}

TestSuite(export_bad, .init = enter, .fini = leave);

/* These tests make many thousand files: not on a disk. */
static void store(const void *bytes, size_t length) {
    cr_assert(!ftruncate(memory, 0) && pwrite(memory, bytes, length, 0) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
}

static Rc open_all(Weights *w) {
    e = (Error){0};
    return weights_open(w, path, &e);
}

static void refused(const char *want) {
    Weights w;
    cr_assert_eq(open_all(&w), RC_INTEGRITY, "not refused: %s", want);
    cr_expect(strstr(e.text, want), "'%s' in '%s'", want, e.text);
}

/* A header of text and zeros[data] behind it. */
static void craft(const char *header, size_t data) {
    size_t n = strlen(header);
    OWNED char *bytes = mem_alloc(8 + n + data, 1);
    for (int i = 0; i < 8; i++) bytes[i] = (char)(n >> (8 * i));
    memcpy(bytes + 8, header, n);
    store(bytes, 8 + n + data);
}

#define T(at, end) "{\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [" at ", " end "]}"

static const struct {
    const char *header;
    size_t data;
    const char *error;
} bad[] = {
    {"", 0, "not a safetensors file"},
    {"[]", 0, "header is no object"},
    {"3", 0, "not a safetensors file"},
    {"{\"a\": ", 0, "not a safetensors file"},
    {"{\"a\": " T("0", "8") ", \"a\": " T("0", "8") "}", 8, "duplicate"},
    {"{\"a\": {\"dtype\": \"F32\", \"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}}", 8, "duplicate"},
    {"{\"a\\u0000b\": " T("0", "8") "}", 8, "not a safetensors file"},
    {"{\"\xff\": " T("0", "8") "}", 8, "not a safetensors file"},
    {"{\"a\": 3}", 8, "unreadable"},
    {"{\"a\": {\"shape\": [2], \"data_offsets\": [0, 8]}}", 8, "unreadable"},
    {"{\"a\": {\"dtype\": 4, \"shape\": [2], \"data_offsets\": [0, 8]}}", 8, "unreadable"},
    {"{\"a\": {\"dtype\": \"F16\", \"shape\": [4], \"data_offsets\": [0, 8]}}", 8, "__metadata__ has no"},
    {"{\"a\": {\"dtype\": \"F16\", \"shape\": [2], \"data_offsets\": [0, 8]}}", 8, "inside the file"},
    {"{\"a\": {\"dtype\": \"F4\", \"shape\": [4], \"data_offsets\": [0, 2]}}", 2,
     "dtype 'F4' (shape [4]) is not known"},
    {"{\"a\": {\"dtype\": \"f32\", \"shape\": [2], \"data_offsets\": [0, 8]}}", 8,
     "dtype 'f32' (shape [2]) is not known"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": 2, \"data_offsets\": [0, 8]}}", 8, "unreadable"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [], \"data_offsets\": [0, 4]}}", 4, "__metadata__ has no"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [], \"data_offsets\": [0, 8]}}", 8, "inside the file"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1, 1, 2], \"data_offsets\": [0, 8]}}", 8,
     "tensor 'a': F32 of shape [1,1,2]; one or two dimensions are read"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [-2], \"data_offsets\": [0, 8]}}", 8, "impossible shape"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [4294967296, 4294967296], \"data_offsets\": [0, 0]}}", 0,
     "impossible shape"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [4611686018427387904], \"data_offsets\": [0, 0]}}", 0,
     "impossible shape"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [99999999999999999999], \"data_offsets\": [0, 8]}}", 8,
     "not a safetensors"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0]}}", 8, "unreadable"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": \"0 8\"}}", 8, "unreadable"},
    {"{\"a\": " T("8", "0") "}", 8, "inside the file"},
    {"{\"a\": " T("-8", "0") "}", 8, "inside the file"},
    {"{\"a\": " T("0", "12") "}", 12, "inside the file"},
    {"{\"a\": " T("8", "16") "}", 8, "inside the file"},
    {"{\"a\": " T("9223372036854775800", "9223372036854775807") "}", 8, "inside the file"},
    {"{\"a\": " T("0", "8") ", \"b\": " T("0", "8") "}", 8, "overlaps"},
    {"{\"a\": " T("0", "8") ", \"b\": " T("4", "12") "}", 12, "overlaps"},
    {"{\"a\": " T("0", "8") ", \"b\": " T("12", "20") "}", 20, "belong to none"},
    {"{\"a\": " T("4", "12") "}", 12, "belong to none"},
    {"{\"a\": " T("0", "8") "}", 9, "at its end"},
    {"{\"__metadata__\": {\"spec\": 3}}", 0, "is not text"},
    {"{\"__metadata__\": {\"sha256\": \"00\"}}", 0, "hash"},
    {"{\"__metadata__\": 7}", 0, "__metadata__ has no"},
    {"{}", 0, "__metadata__ has no 'format_version'"},
    {"{\"__metadata__\": {\"format_version\": \"normbench-2\"}}", 0, "this program reads normbench-1"},
};

Test(export_bad, headers) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        craft(bad[i].header, bad[i].data);
        refused(bad[i].error);
    }
    /* A name longer than any tensor's; a thousand brackets. */
    char deep[4096] = "{\"";
    memset(deep + 2, 'n', 80);
    strcpy(deep + 82, "\": " T("0", "8") "}");
    craft(deep, 8);
    refused("unreadable");
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    craft(deep, 0);
    refused("not a safetensors file");
}

/* The header's length may be anything. */
Test(export_bad, lengths) {
    static const uint64_t lengths[] = {1, 3, 255, 1 << 20, 1ull << 32, 1ull << 63, UINT64_MAX - 8, UINT64_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        unsigned char bytes[10] = {0};
        for (int j = 0; j < 8; j++) bytes[j] = (unsigned char)(lengths[i] >> (8 * j));
        bytes[8] = '{', bytes[9] = '}';
        store(bytes, sizeof bytes);
        refused("not a safetensors file");
    }
    for (size_t n = 0; n < 8; n++) {
        store("\2\0\0\0\0\0\0\0", n);
        refused("not a safetensors file");
    }
}

/* A small model's weights, as if of a run on a corpus whose hash is all a. */
static void toy(Trainer **t, WeightsOrigin *o) {
    static const char *const keys[][2] = {{"layers", "1"}, {"width", "4"}, {"heads", "1"},    {"context", "4"},
                                          {"batch", "2"},  {"steps", "3"}, {"ffn_mult", "1"}, {"evaluate_at", "0"}};
    static Recipe recipe;
    static uint64_t seed = 1;
    *o = (WeightsOrigin){.step = 2, .arithmetic_class = "canon", .vocab = 5};
    spec_init(&o->spec);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) OK(spec_set(&o->spec, keys[i][0], keys[i][1], &e));
    memset(o->dataset_sha256, 'a', 64);
    memset(o->tokenizer_sha256, 'b', 64);
    memset(o->arithmetic, 'c', 64);
    Dataset d = {0};
    strcpy(d.sha256, o->dataset_sha256);
    strcpy(d.tokenizer_sha256, o->tokenizer_sha256);
    run_id(o->run, &o->spec, &d, backend_class(backend_find("cpu", &e)), o->arithmetic);
    ModelShape shape = spec_shape(&o->spec, 5);
    recipe = spec_recipe(&o->spec);
    OK(trainer_for_gpt(t, &shape, &o->spec.variant, NULL, &recipe, &seed, 1, backend_find("cpu", &e), &e));
}

static void same_spec(const RunSpec *a, const RunSpec *b) {
    LOCAL_TEXT(x);
    LOCAL_TEXT(y);
    spec_text(a, &x);
    spec_text(b, &y);
    cr_assert_str_eq(x.at, y.at);
}

/* Reads, matches and loads path; what it says about the weights must then be what t and o say. */
static Rc reads_as(Trainer *t, const WeightsOrigin *o) {
    Weights w;
    uint8_t hash[32];
    char hex[SHA256_HEX];
    if (open_all(&w)) return e.code;
    Rc rc = weights_match(&w, &t->tape, &e);
    if (!rc) rc = weights_load(&w, t, &e);
    trainer_hash(t, 0, hash);
    if (!rc) {
        cr_assert_str_eq(sha256_hex(hex, hash), o->parameters_hash, "other weights were read without a word");
        cr_assert_str_eq(w.origin.dataset_sha256, o->dataset_sha256);
        cr_assert_str_eq(w.origin.tokenizer_sha256, o->tokenizer_sha256);
        cr_assert(!w.origin.run[0] || !strcmp(w.origin.run, o->run));
        same_spec(&w.origin.spec, &o->spec);
    }
    weights_release(&w);
    return rc;
}

static char *toy_file(Trainer **t, WeightsOrigin *o, size_t *length) {
    char *bytes;
    toy(t, o);
    OK(weights_write(disk, *t, o, NULL, NULL, 1e9, &e));
    OK(reads_as(*t, o));
    OK(file_read(path, &bytes, length, &e));
    return bytes;
}

Test(export_bad, every_truncation) {
    LOCAL(trainer_release) Trainer *t;
    WeightsOrigin o;
    size_t length;
    OWNED char *bytes = toy_file(&t, &o, &length);
    for (size_t n = 0; n < length; n++) {
        store(bytes, n);
        cr_assert_eq(reads_as(t, &o), RC_INTEGRITY, "%zu of %zu bytes", n, length);
    }
}

/* Every bit of the header, and one of each data byte. A flip that only hides a text which may be absent is no flip of
 * the weights: then they, their spec and their corpus must be the same ones. */
Test(export_bad, every_flip) {
    LOCAL(trainer_release) Trainer *t;
    WeightsOrigin o;
    size_t length, header, refusals = 0;
    OWNED char *bytes = toy_file(&t, &o, &length);
    header = (size_t)(unsigned char)bytes[0] + 256 * (size_t)(unsigned char)bytes[1];
    for (size_t i = 0; i < length; i++) {
        for (int bit = 0; bit < (i < 8 + header ? 8 : 1); bit++) {
            bytes[i] ^= (char)(1 << (i < 8 + header ? bit : (int)i % 8));
            store(bytes, length);
            Rc rc = reads_as(t, &o);
            cr_assert(rc == RC_INTEGRITY || rc == RC_OK, "byte %zu bit %d: %d", i, bit, rc);
            cr_assert(rc == RC_INTEGRITY || i < 8 + header, "data byte %zu", i);
            refusals += rc == RC_INTEGRITY;
            bytes[i] ^= (char)(1 << (i < 8 + header ? bit : (int)i % 8));
        }
    }
    cr_assert(refusals > 6 * header, "%zu refusals of %zu flips", refusals, 8 * header + length);
}

/* The file again with one tensor changed: renamed, of another dtype, rank or shape; left out; one more. */
Test(export_bad, tensors) {
    LOCAL(trainer_release) Trainer *t;
    WeightsOrigin o;
    size_t length;
    SafeFile f, g;
    free(toy_file(&t, &o, &length));
    OK(safe_read(&f, path, &e));
    static const struct {
        const char *name, *dtype, *error;
        int rank, rows, cols;
    } change[] = {{NULL, "F32", "'wte.weight' is missing", 2, 5, 4},
                  {"wte.weights", "F32", "'wte.weight' is missing", 2, 5, 4},
                  {"wte.weight", "I32", "is I32, not F32", 2, 5, 4},
                  {"wte.weight", "F64", "is F64, not F32 (float32), BF16 or F16", 2, 5, 2},
                  {"wte.weight", "U8", "is U8, not F32", 2, 5, 4},
                  {"wte.weight", "F16", "has shape [5, 8], its model wants [5, 4]", 2, 5, 8},
                  {"wte.weight", "F32", "has shape [4, 5], its model wants [5, 4]", 2, 4, 5},
                  {"wte.weight", "F32", "has shape [20], its model wants [5, 4]", 1, 20, 1},
                  {"wte.weight", "F32", "has shape [0, 4], its model wants [5, 4]", 2, 0, 4}};
    int changes = (int)(sizeof change / sizeof *change);
    for (int i = 0; i <= changes; i++) {
        safe_init(&g);
        for (int k = 0; k < f.texts; k++)
            if (strcmp(f.text[k].key, "sha256")) safe_add_text(&g, f.text[k].key, f.text[k].value);
        for (int k = 0; k < f.tensors; k++) {
            const SafeTensor *x = &f.tensor[k];
            bool other = i < changes && !strcmp(x->name, "wte.weight");
            if (!other)
                safe_add(&g, x->name, x->dtype, x->rank, x->shape[0], x->shape[1], x->data);
            else if (change[i].name)
                safe_add(&g, change[i].name, change[i].dtype, change[i].rank, change[i].rows, change[i].cols, x->data);
        }
        if (i == changes) safe_add(&g, "lm_head.weight", "F32", 1, 2, 1, f.tensor[0].data);
        OK(safe_write(&g, disk, &e));
        const char *want = i < changes ? change[i].error : "'lm_head.weight' is not one of its model's";
        cr_assert_eq(reads_as(t, &o), RC_INTEGRITY, "not refused: %s", want);
        cr_expect(strstr(e.text, want), "'%s' in '%s'", want, e.text);
        safe_release(&g);
    }
    safe_release(&f);
}

/* 16 bits of each kind as IEEE 754 and bfloat16 have them, worked out by hand; all are exact in float. */
Test(export_bad, halves_are_the_floats_they_stand_for) {
    static const struct {
        uint16_t bits;
        float half, brain;
    } rows[] = {{0x3c00, 1, 0x1p-7f},
                {0xc000, -2, -2},
                {0x3555, 0x1.554p-2f, 0x1.aap-21f},
                {0x7bff, 65504, 0x1.fep120f},
                {0x0001, 0x1p-24f, 0x1p-133f},
                {0x03ff, 0x1.ff8p-15f, 0x1.fep-120f},
                {0x3f80, 1.875f, 1},
                {0x8000, -0.f, -0.f}};
    uint16_t bits[sizeof rows / sizeof *rows];
    float got[sizeof rows / sizeof *rows];
    int n = (int)(sizeof rows / sizeof *rows);
    for (int i = 0; i < n; i++) bits[i] = rows[i].bits;
    for (int k = 0; k < 2; k++) {
        SafeTensor t = {.rank = 1, .shape = {n, 1}, .data = bits};
        strcpy(t.dtype, k ? "BF16" : "F16");
        safe_take_floats(&t, got);
        for (int i = 0; i < n; i++) {
            float want = k ? rows[i].brain : rows[i].half;
            cr_expect(!memcmp(&want, &got[i], sizeof want), "%s %04x: %a, not %a", t.dtype, bits[i], got[i], want);
        }
    }
    uint16_t lost[] = {0x7c00, 0xfc00, 0x7e00};
    SafeTensor t = {.dtype = "F16", .rank = 1, .shape = {3, 1}, .data = lost};
    safe_take_floats(&t, got);
    cr_expect(isinf(got[0]) && got[0] > 0 && isinf(got[1]) && got[1] < 0 && isnan(got[2]));
}

/* The toy's weights saved as BF16 by a program that leaves the hashes out: what is loaded is the rounded weights. */
Test(export_bad, weights_in_sixteen_bits_are_read) {
    LOCAL(trainer_release) Trainer *t;
    WeightsOrigin o;
    size_t length;
    LOCAL(safe_release) SafeFile f, g;
    LOCAL(weights_release) Weights w;
    float got[20], want[20];
    uint16_t bits[64][64], scalar = 0x3f80;
    free(toy_file(&t, &o, &length));
    OK(safe_read(&f, path, &e));
    safe_init(&g);
    for (int k = 0; k < f.texts; k++)
        if (strcmp(f.text[k].key, "sha256") && strcmp(f.text[k].key, "parameters_hash"))
            safe_add_text(&g, f.text[k].key, f.text[k].value);
    cr_assert_leq(f.tensors, 64);
    for (int k = 0; k < f.tensors; k++) {
        const SafeTensor *x = &f.tensor[k];
        cr_assert_leq(safe_bytes(x), 4 * 64);
        for (size_t i = 0; i < safe_bytes(x) / 4; i++) memcpy(&bits[k][i], (const char *)x->data + 4 * i + 2, 2);
        safe_add(&g, x->name, "BF16", x->rank, x->shape[0], x->shape[1], bits[k]);
    }
    safe_take_floats(safe_find(&g, "wte.weight"), want);
    OK(safe_write(&g, disk, &e));
    OK(open_all(&w));
    OK(weights_match(&w, &t->tape, &e));
    OK(weights_load(&w, t, &e));
    for (int i = 0; i < trainer_parameters(t); i++)
        if (!strcmp(trainer_parameter(t, i).name, "wte.weight")) trainer_read(t, i, 0, got);
    cr_expect(!memcmp(got, want, sizeof got));
    SafeTensor one = {.dtype = "BF16", .rank = 0, .shape = {1, 1}, .data = &scalar};
    safe_take_floats(&one, got);
    cr_expect_eq(got[0], 1);
}
