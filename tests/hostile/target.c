#include "tests/hostile/target.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "bench/figures/figure.h"
#include "bench/formats/html.h"
#include "bench/formats/latex.h"
#include "bench/plan/claim.h"
#include "bench/plan/experiment.h"
#include "bench/readers/pick.h"
#include "bench/readers/readers.h"
#include "bench/store/archive.h"
#include "bench/store/weights.h"
#include "bench/tasks/task.h"
#include "bench/verify/snapshot.h"
#include "datasets/bleu.h"
#include "datasets/chrf.h"
#include "datasets/shards_manifest.h"
#include "datasets/tokenizer.h"
#include "tests/compare/one_corpus.h"

/* The bytes as a text that ends. */
static char *text_of(const uint8_t *bytes, size_t length) {
    char *text = mem_alloc(length + 1, 1);
    if (length) memcpy(text, bytes, length);
    return text;
}

/* One line, and no control character in it: what the user reads of a refusal. */
static void assert_line(const Error *e) {
    assert(e->code == RC_USAGE || e->code == RC_UNMEASURED || e->code == RC_INTEGRITY);
    assert(e->text[0] && strlen(e->text) < sizeof e->text);
}

/* The path of a file in memory that holds the bytes. */
static const char *path_of(const uint8_t *bytes, size_t length) {
    static int memory = -1;
    static char path[64];
    if (memory < 0) memory = memfd_create("hostile", MFD_CLOEXEC);
    assert(memory >= 0 && !ftruncate(memory, 0) && pwrite(memory, bytes, length, 0) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    return path;
}

/* The first byte says how the file is read; small ones are also compared and printed in every form. */
/* What gnuplot is given of compare -o. */
static void program(const CompareResult *r, Text *out) {
    LOCAL(plot_release) Plot p;
    compare_plot(r, &p);
    plot_gnuplot(&p, PLOT_SVG, out);
}

static void compare(const uint8_t *bytes, size_t length) {
    CompareColumns columns = {0};
    CompareOptions options = {.margin = .02, .conf = .95, .cap = (double)NAN, .stall = (double)NAN};
    CompareData d;
    CompareResult r;
    Error e;
    if (!length) return;
    columns.unpaired = bytes[0] & 1;
    columns.steps = bytes[0] & 2;
    columns.target = 3;
    if (bytes[0] & 4) options.cap = COMPARE_LARGEST;
    if (bytes[0] & 8) options.margin = (double)NAN;
    if (compare_parse(&d, "f", columns, (const char *)bytes + 1, length - 1, &e)) {
        assert_line(&e);
        return;
    }
    if (d.arms * d.seeds <= 16) {
        if (compare_make(&r, &d, &options, 1, &e)) {
            assert_line(&e);
        } else {
            void (*const print[])(const CompareResult *, Text *) = {compare_text, compare_json, compare_tex,
                                                                    program};
            for (size_t i = 0; i < sizeof print / sizeof *print; i++) {
                LOCAL_TEXT(out);
                print[i](&r, &out);
                assert(out.length && strlen(out.at) == out.length);
            }
            compare_release(&r);
        }
    }
    compare_data_release(&d);
}

/* The first byte names the reader, or none. */
static void logs(const uint8_t *bytes, size_t length) {
    Logs l;
    Pick p;
    Error e;
    if (!length) return;
    const char *path = path_of(bytes + 1, length - 1);
    int as = bytes[0] % (READERS + 1) - 1, at = bytes[0] / (READERS + 1) % (PICK_EVERY + 1);
    if (logs_read(&l, &path, 1, as, (LogTold){0}, &e)) {
        assert_line(&e);
    } else {
        bool any = l.count && l.log[0].count;
        PickQuery q = {.list = true, .metric = any ? l.log[0].series[0].name : NULL, .at = (PickAt)at};
        if (pick_make(&p, &l, &q, &e)) assert_line(&e);
        pick_release(&p);
    }
    logs_release(&l);
}

static void spec(const uint8_t *bytes, size_t length) {
    RunSpec s, again;
    Error e;
    Text first, second;
    OWNED char *text = text_of(bytes, length);
    spec_init(&s);
    if (spec_parse(&s, text, &e)) {
        assert_line(&e);
    } else {
        char hash[SHA256_HEX], hash_again[SHA256_HEX];
        text_init(&first);
        text_init(&second);
        spec_text(&s, &first);
        assert(!spec_parse(&again, first.at, &e));
        spec_text(&again, &second);
        assert(!strcmp(first.at, second.at));
        spec_hash(&s, hash);
        spec_hash(&again, hash_again);
        assert(!strcmp(hash, hash_again));
        (void)spec_check(&s, &e);
        text_release(&first);
        text_release(&second);
    }
}

static void experiment(const uint8_t *bytes, size_t length) {
    static Experiment x; /* too large for a stack */
    Error e;
    OWNED char *text = text_of(bytes, length);
    if (experiment_parse(&x, "f.yaml", text, NULL, NULL, &e)) {
        assert_line(&e);
        assert(!strpbrk(e.text, "\n\r\t"));
    } else {
        LOCAL_TEXT(out);
        experiment_text(&x, true, &out);
        experiment_command(&x, &out);
        RunSpec s = experiment_spec(&x, experiment_cells(&x) - 1, x.arms - 1, x.seeds - 1), again;
        text_clear(&out);
        spec_text(&s, &out);
        assert(!spec_parse(&again, out.at, &e)); /* what a record of this run holds must read back */
        experiment_release(&x);
    }
}

static void arm(const uint8_t *bytes, size_t length) {
    RunSpec base;
    Arm a;
    Error e;
    OWNED char *text = text_of(bytes, length);
    spec_init(&base);
    if (arm_option(&a, text, &base, NULL, &e)) assert_line(&e);
}

static void claims(const uint8_t *bytes, size_t length) {
    ClaimFile f;
    Error e;
    OWNED char *text = text_of(bytes, length);
    if (claims_parse(&f, "f.yaml", text, &e)) {
        assert_line(&e);
    } else {
        LOCAL_TEXT(out);
        claims_cite(&f, &out);
        claims_release(&f);
    }
}

static char folder[64], path[160];

static void remove_folder(void) {
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
    rmdir(folder);
}

/* The members of a record: its hash stands between a stranger and these, and a stranger can hash. */
static void record(const uint8_t *bytes, size_t length) {
    const char id[] = "0000000000000000000000000000000000000000000000000000000000000000";
    RunRecord r;
    RecordHead head;
    Error e;
    if (!folder[0]) { /* a folder whose one record is the file in memory */
        const char *within = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%.40s/hostile-XXXXXX", within ? within : "/tmp");
        assert(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/%s", folder, id);
        assert(!mkdir(path, 0777));
        strcat(path, "/record.json");
        assert(!symlink(path_of(bytes, length), path));
        atexit(remove_folder);
    }
    path_of(bytes, length);
    if (record_members(&r, folder, id, &e))
        assert_line(&e);
    else
        record_release(&r);
    if (record_head(&head, folder, id, &e)) assert_line(&e);
}

/* Files of an archive lie below its folder, and the same tar file is written of them again. */
static void archive(const uint8_t *bytes, size_t length) {
    LOCAL(archive_release) Archive a;
    LOCAL(archive_release) Archive again;
    LOCAL_TEXT(tar);
    Error e;
    archive_begin(&again);
    if (archive_read(&a, path_of(bytes, length), &e)) {
        assert_line(&e);
        return;
    }
    archive_tar(&a, "top", &tar);
    assert(!archive_read(&again, path_of((const uint8_t *)tar.at, tar.length), &e) && again.files == a.files);
    for (int i = 0; i < a.files; i++) {
        const ArchiveFile *x = &a.file[i], *y = &again.file[i];
        assert(x->path[0] != '/' && !strstr(x->path, "..") && !strcmp(x->path, y->path));
        assert(x->length == y->length && !memcmp(x->bytes, y->bytes, x->length));
    }
}

static void curves(const uint8_t *bytes, size_t length) {
    Curves c;
    Error e;
    OWNED char *text = text_of(bytes, length);
    if (curves_read(&c, text, &e)) {
        assert_line(&e);
    } else {
        LOCAL_TEXT(out);
        curves_text(&c, &out);
    }
    free(c.value);
}

static void translations(const uint8_t *bytes, size_t length) {
    Translations t = {.sentences = length ? bytes[0] + 1 : 1};
    t.text = text_of(bytes + !!length, length - !!length);
    OWNED TranslatedLine *line = translations_lines(&t);
    for (int i = 0; line && i < t.sentences; i++) {
        LOCAL_TEXT(out);
        text_add(&out, line[i].source, (size_t)line[i].source_length);
        text_add(&out, line[i].reference, (size_t)line[i].reference_length);
        text_add(&out, line[i].hypothesis, (size_t)line[i].hypothesis_length);
        assert(!strpbrk(out.at, "\t\n"));
    }
    free(t.text);
}

static void weights(const uint8_t *bytes, size_t length) {
    Weights w;
    Error e;
    if (weights_open(&w, path_of(bytes, length), &e)) {
        assert_line(&e);
        return;
    }
    uint8_t sum = 0;
    for (int i = 0; i < w.file.tensors; i++) {
        const SafeTensor *t = &w.file.tensor[i];
        for (size_t k = 0; k < safe_bytes(t); k++) sum ^= ((const uint8_t *)t->data)[k]; /* every byte is there */
    }
    (void)sum;
    weights_release(&w);
}

static void manifest(const uint8_t *bytes, size_t length) {
    ShardsManifest m;
    Error e;
    if (shards_manifest_read(&m, path_of(bytes, length), &e))
        assert_line(&e);
    else
        shards_manifest_release(&m);
}

static void snapshot(const uint8_t *bytes, size_t length) {
    json_t *root, *table, *rows;
    Error e;
    if (snapshot_read(&root, path_of(bytes, length), &e)) {
        assert_line(&e);
        /* A stranger can hash: the rows are compared all the same. */
        root = json_loadb((const char *)bytes, length, JSON_REJECT_DUPLICATES, NULL);
        if (!root) return;
    }
    rows = json_object_get(root, "rows");
    if (json_is_array(rows)) {
        LOCAL_TEXT(report);
        json_auto_t *measured = json_pack("[{s:s, s:s}]", "run", "pre seed 1", "status", "ok"); /* the program's own */
        (void)snapshot_compare(rows, measured, &report, &table);
        json_decref(table);
    }
    json_decref(root);
}

/* The first byte says which task. */
static void task(const uint8_t *bytes, size_t length) {
    Task t;
    Error e;
    if (!length) return;
    OWNED char *text = text_of(bytes + 1, length - 1);
    if (task_read(&t, &task_info[bytes[0] % TASK_COUNT], "f", text, length - 1, "labels", NULL, &e))
        assert_line(&e);
    else
        task_release(&t);
}

/* The first byte says which: characters, bytes, or a vocabulary that was stored. Tokens must spell the text again. */
static void tokenizer(const uint8_t *bytes, size_t length) {
    Tokenizer t;
    Error e;
    if (!length) return;
    const uint8_t how = bytes[0] % 3;
    bytes++, length--;
    char *text = text_of(bytes, length);
    Rc rc = how == 2 ? tokenizer_of_vocabulary(&t, text, &e)
                     : tokenizer_init(&t, how ? "byte" : "char", (uint8_t *)text, length, length, &e);
    if (rc) {
        assert_line(&e);
        free(text);
        return;
    }
    LOCAL_TEXT(out);
    if (how == 2) {
        tokenizer_vocabulary(&t, &out);
        assert(!strcmp(out.at, text));
    } else {
        OWNED int32_t *token = mem_alloc(length + 1, sizeof *token);
        size_t count;
        assert(!tokenizer_encode(&t, (uint8_t *)text, length, token, &count, &e) && count <= length);
        tokenizer_decode(&t, token, count, &out);
        assert(out.length == length && !memcmp(out.at, text, length));
    }
    tokenizer_release(&t);
    free(text);
}

static void model(const uint8_t *bytes, size_t length) {
    Tokenizer t;
    Error e;
    if (tokenizer_restore(&t, "bpe:300", bytes, length, &e))
        assert_line(&e);
    else
        tokenizer_release(&t);
}

/* Names and titles on their way out. */
static void escape(const uint8_t *bytes, size_t length) {
    LOCAL_TEXT(out);
    OWNED char *text = text_of(bytes, length);
    html_text(&out, text);
    for (const uint8_t *c = (const uint8_t *)out.at; *c;) {
        uint32_t code;
        assert(*c != '<' && *c != '>' && *c != '"' && (*c >= ' ' || *c == '\n') && *c != 127);
        size_t n = utf8_next(c, out.length - (size_t)(c - (const uint8_t *)out.at), &code);
        assert(n && code != 0xFFFE && code != 0xFFFF); /* no XML file may hold these two, so no SVG */
        c += n;
    }
    text_clear(&out);
    latex_text(&out, text);
    for (const char *c = out.at; *c; c++) {
        /* A command of the escapes' own is of letters that the text did not bring: none begins with these. */
        assert((unsigned char)*c >= ' ' && *c != 127);
        assert(strncmp(c, "\\write", 6) != 0 && strncmp(c, "\\input", 6) != 0 && strncmp(c, "^^", 2) != 0);
        assert(*c != '%' || (c > out.at && c[-1] == '\\'));
    }
    text_clear(&out);
    latex_macro_name(&out, text);
    for (const char *c = out.at; *c; c++) assert((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z'));
    text_clear(&out);
    csv_text(&out, text);
    assert(!strpbrk(text, ",\"\n\r") || out.at[0] == '"');
    text_clear(&out);
    text_shell(&out, text);
}

/* Two lines: what was translated, and the reference. */
static void bleu(const uint8_t *bytes, size_t length) {
    char *text = text_of(bytes, length), *end = text + length, *second = memchr(text, '\n', length);
    size_t first = second ? (size_t)(second - text) : length;
    second = second ? second + 1 : end;
    BleuCounts words = bleu_counts(text, first, second, (size_t)(end - second));
    Bleu b = bleu_score(&words);
    assert(b.score >= 0 && b.score <= 100.0001);
    ChrfCounts characters = chrf_counts(text, first, second, (size_t)(end - second));
    double x = chrf_score(&characters);
    assert(x >= 0 && x <= 100.0001);
    free(text);
}

const Target targets[] = {
    {"compare", compare}, {"logs", logs}, {"spec", spec}, {"experiment", experiment}, {"arm", arm},
    {"claims", claims}, {"record", record}, {"archive", archive}, {"curves", curves},
    {"translations", translations}, {"weights", weights}, {"manifest", manifest}, {"snapshot", snapshot},
    {"task", task}, {"tokenizer", tokenizer}, {"model", model}, {"escape", escape}, {"bleu", bleu},
};
const int target_count = sizeof targets / sizeof *targets;

const Target *target_find(const char *name) {
    for (int i = 0; name && i < target_count; i++)
        if (!strcmp(targets[i].name, name)) return &targets[i];
    return NULL;
}
