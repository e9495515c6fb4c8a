#include "bench/store/checkpoint.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/formats/safe_shards.h"
#include "models/trainer_look.h"

static const struct {
    Role role;
    const char *prefix;
} saved[] = {{ROLE_PARAM, "param/"}, {ROLE_MOMENT1, "moment1/"}, {ROLE_MOMENT2, "moment2/"}};
enum { SAVED = sizeof saved / sizeof *saved };

static void path_of(Text *out, const char *folder, const char *id) {
    text_init(out);
    text_format(out, "%s/.partial/%s.safetensors", folder, id);
}

static void add_integer(SafeFile *f, const char *key, long value) {
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    safe_add_text(f, key, text);
}

/* Hash the texts, names and shapes of the header. The file's own hash covers its data, so any changed bit is noticed.
 * */
static void seal_of(char out[SHA256_HEX], const SafeFile *f) {
    static const char *const keys[] = {"id", "step", "loss_chain", "evaluations"};
    const char *probes = safe_text(f, "probes");
    LOCAL_TEXT(t);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = safe_text(f, keys[i]);
        text_format(&t, "%s = %s\n", keys[i], value ? value : "");
    }
    if (probes) text_format(&t, "probes = %s\n", probes); /* older checkpoints have none */
    for (int i = 0; i < f->tensors; i++) {
        const SafeTensor *x = &f->tensor[i];
        text_format(&t, "%s %s %lld %lld\n", x->name, x->dtype, (long long)x->shape[0], (long long)x->shape[1]);
    }
    sha256_hex_of(out, t.at, t.length);
}

/* Write the file; retry, since another process that ends its last run may remove the folder after it was made. */
static Rc store(const SafeFile *f, const char *folder, const char *path, double file_bytes, Error *e) {
    LOCAL_TEXT(parent);
    text_format(&parent, "%s/.partial", folder);
    Rc rc = RC_UNMEASURED;
    for (int attempt = 0; attempt < 3 && rc; attempt++) {
        rc = folder_make_own(parent.at, e);
        if (rc) break;
        rc = safe_write_split(f, path, file_bytes, e);
        if (file_exists(parent.at)) break;
    }
    return rc;
}

/* State of a precision of 16 bits: counts, and the loss scale. */
enum { COUNTS = sizeof(Rounded) / sizeof(uint64_t), SCALE = 3 };
typedef struct {
    double *count, scale[SCALE]; /* count: [sites][COUNTS], whole numbers below 2^53 */
} Aside;

static void add_aside(SafeFile *f, Aside *a, Trainer *t, int replica) {
    int sites = trainer_sites(t);
    *a = (Aside){0};
    if (!sites) return;
    OWNED Rounded *counts = mem_alloc((size_t)sites, sizeof *counts);
    const uint64_t *from = (const uint64_t *)counts;
    a->count = mem_alloc((size_t)sites * COUNTS, sizeof *a->count);
    trainer_rounded(t, replica, counts);
    for (int i = 0; i < sites * COUNTS; i++) a->count[i] = (double)from[i];
    safe_add(f, "rounded", "F64", 2, sites, COUNTS, a->count);
    if (!trainer_scaled(t)) return;
    LossScale s = trainer_scale(t, replica);
    a->scale[0] = s.now, a->scale[1] = s.good, a->scale[2] = s.skipped;
    safe_add(f, "loss_scale", "F64", 2, 1, SCALE, a->scale);
}

static bool is_table(const SafeTensor *x, int rows, int cols) {
    return x && !strcmp(x->dtype, "F64") && x->rank == 2 && x->shape[0] == rows && x->shape[1] == cols;
}

static bool has_aside(const SafeFile *f, const Trainer *t) {
    if (trainer_sites(t) && !is_table(safe_find(f, "rounded"), trainer_sites(t), COUNTS)) return false;
    return !trainer_scaled(t) || is_table(safe_find(f, "loss_scale"), 1, SCALE);
}

static void take_aside(const SafeFile *f, Trainer *t, int replica) {
    int sites = trainer_sites(t);
    double scale[SCALE];
    if (!sites) return;
    OWNED Rounded *counts = mem_alloc((size_t)sites, sizeof *counts);
    const char *from = safe_find(f, "rounded")->data; /* may be unaligned */
    for (int i = 0; i < sites * COUNTS; i++) {
        double x;
        memcpy(&x, from + (size_t)i * sizeof x, sizeof x);
        ((uint64_t *)counts)[i] = (uint64_t)x;
    }
    trainer_set_rounded(t, replica, counts);
    if (!trainer_scaled(t)) return;
    memcpy(scale, safe_find(f, "loss_scale")->data, sizeof scale);
    trainer_set_scale(t, replica, (LossScale){scale[0], (int32_t)scale[1], (int32_t)scale[2]});
}

static const char *dtype_of(const Trainer *t) {
    return trainer_backend(t)->word[ROLE_PARAM] == sizeof(double) ? "F64" : "F32";
}

Rc checkpoint_write(const char *folder, const char *id, Trainer *t, int replica, const RunRecord *r,
                    const uint8_t chain[32], double file_bytes, Error *e) {
    SafeFile f;
    Aside aside;
    Text path;
    LOCAL_TEXT(probes);
    char hex[SHA256_HEX], seal[SHA256_HEX], name[80], *evaluations = evaluations_text(r, NULL);
    void **copy = mem_alloc(SAVED * (size_t)trainer_parameters(t) + 1, sizeof *copy); /* a device's tensors */
    int copies = 0;
    safe_init(&f);
    for (int k = 0; k < SAVED; k++)
        for (int i = 0; i < trainer_parameters(t); i++) {
            Parameter x = trainer_parameter(t, i);
            snprintf(name, sizeof name, "%s%s", saved[k].prefix, x.name);
            const void *words = trainer_words(t, saved[k].role, i, replica, &copy[copies]);
            copies += copy[copies] != NULL;
            safe_add(&f, name, dtype_of(t), 2, x.rows, x.cols, words);
        }
    safe_add(&f, "curves", "F64", 2, r->curves.rows, r->curves.columns, r->curves.value);
    add_aside(&f, &aside, t, replica);
    safe_add_text(&f, "id", id);
    safe_add_text(&f, "loss_chain", sha256_hex(hex, chain));
    safe_add_text(&f, "evaluations", evaluations);
    probes_text(&r->probes, &probes);
    safe_add_text(&f, "probes", probes.at);
    add_integer(&f, "step", trainer_step_number(t));
    seal_of(seal, &f);
    safe_add_text(&f, "seal", seal);
    path_of(&path, folder, id);
    /* data of a failed device must not replace a good checkpoint */
    Rc rc = trainer_failed(t, e) ? e->code : store(&f, folder, path.at, file_bytes, e);
    text_release(&path);
    free(evaluations);
    while (copies) free(copy[--copies]);
    free(copy);
    free(aside.count);
    safe_release(&f);
    return rc;
}

static bool from_hex(uint8_t out[32], const char *hex) {
    if (!hex || strlen(hex) != 64) return false;
    for (int i = 0; i < 32; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1) return false;
        out[i] = (uint8_t)byte;
    }
    return true;
}

/* Return true if a checkpoint has these probes. text NULL: it is older than this key and has the usual ones. */
static bool same_probes(const char *text, const ProbeChoice *c) {
    const ProbeChoice usual = probes_usual();
    LOCAL_TEXT(mine);
    if (!text) return probes_same(c, &usual);
    probes_text(c, &mine);
    return !strcmp(text, mine.at);
}

/* Check everything before anything is changed. */
static Rc check(const SafeFile *f, const char *id, const Trainer *t, const RunRecord *r, Error *e) {
    const char *whose = safe_text(f, "id"), *probes = safe_text(f, "probes");
    char name[80], seal[SHA256_HEX];
    int64_t step;
    const SafeTensor *curves = safe_find(f, "curves");
    seal_of(seal, f);
    if (!safe_text(f, "sha256")) return error_set(e, RC_INTEGRITY, "it names no hash of its data");
    if (!safe_text(f, "seal") || strcmp(safe_text(f, "seal"), seal))
        return error_set(e, RC_INTEGRITY, "its header does not have the hash it names");
    if (!whose || strcmp(whose, id)) return error_set(e, RC_INTEGRITY, "it is of another run");
    if (!safe_text(f, "step") || !parse_integer(safe_text(f, "step"), &step) || step < 0 || step > r->spec.steps)
        return error_set(e, RC_INTEGRITY, "its step is not one of this run");
    if (!same_probes(probes, &r->probes))
        return error_set(e, RC_INTEGRITY, "it holds other probes than are asked for now");
    if (!curves || strcmp(curves->dtype, "F64") || curves->rank != 2 || curves->shape[1] != r->curves.columns)
        return error_set(e, RC_INTEGRITY, "its curves are not of this run");
    if (curves->shape[0] != step) return error_set(e, RC_INTEGRITY, "its curves do not end at its step");
    if (!has_aside(f, t)) return error_set(e, RC_INTEGRITY, "it does not say what was rounded until then");
    for (int k = 0; k < SAVED; k++)
        for (int i = 0; i < trainer_parameters(t); i++) {
            Parameter x = trainer_parameter(t, i);
            snprintf(name, sizeof name, "%s%s", saved[k].prefix, x.name);
            const SafeTensor *y = safe_find(f, name);
            if (!y || strcmp(y->dtype, dtype_of(t)) || y->rank != 2 || y->shape[0] != x.rows || y->shape[1] != x.cols)
                return error_set(e, RC_INTEGRITY, "tensor '%s' is missing or has another shape", name);
        }
    return RC_OK;
}

Rc checkpoint_read(const char *folder, const char *id, Trainer *t, int replica, RunRecord *r, uint8_t chain[32],
                   Error *e) {
    SafeFile f;
    Text path;
    uint8_t stored[32];
    path_of(&path, folder, id);
    Rc rc = safe_read_split(&f, path.at, e);
    if (!rc) {
        RunRecord loaded = {0};
        rc = check(&f, id, t, r, e);
        if (!rc && !from_hex(stored, safe_text(&f, "loss_chain")))
            rc = error_set(e, RC_INTEGRITY, "it has no loss chain");
        if (!rc && !safe_text(&f, "evaluations")) rc = error_set(e, RC_INTEGRITY, "it has no evaluations");
        if (!rc) rc = evaluations_parse(&loaded, safe_text(&f, "evaluations"), e);
        if (rc) {
            record_release(&loaded);
            error_prefix(e, "%s: ", path.at);
            safe_release(&f);
            text_release(&path);
            return rc;
        }
        char name[80];
        for (int k = 0; k < SAVED; k++)
            for (int i = 0; i < trainer_parameters(t); i++) {
                snprintf(name, sizeof name, "%s%s", saved[k].prefix, trainer_parameter(t, i).name);
                trainer_put(t, saved[k].role, i, replica, safe_find(&f, name)->data);
            }
        const SafeTensor *curves = safe_find(&f, "curves");
        loaded.curves = r->curves; /* sets the columns */
        loaded.curves.rows = (int)curves->shape[0];
        loaded.curves.value = mem_alloc(safe_bytes(curves), 1);
        memcpy(loaded.curves.value, curves->data, safe_bytes(curves));
        record_release(r);
        r->curves = loaded.curves;
        r->evaluation = loaded.evaluation;
        r->evaluations = loaded.evaluations;
        memcpy(chain, stored, 32);
        take_aside(&f, t, replica);
        trainer_seek(t, atoi(safe_text(&f, "step")));
        safe_release(&f);
    }
    text_release(&path);
    return rc;
}

int checkpoint_step(const char *folder, const char *id) {
    SafeFile f;
    Error ignored;
    LOCAL(text_release) Text path = {0};
    char seal[SHA256_HEX];
    int64_t step = -1;
    path_of(&path, folder, id);
    if (safe_stands(path.at) && !safe_read_split(&f, path.at, &ignored)) {
        seal_of(seal, &f);
        bool good = safe_text(&f, "seal") && !strcmp(safe_text(&f, "seal"), seal) && safe_text(&f, "id") &&
                    !strcmp(safe_text(&f, "id"), id) && safe_text(&f, "sha256");
        if (!good || !parse_integer(safe_text(&f, "step"), &step)) step = -1;
        safe_release(&f);
    }
    return (int)step;
}

void checkpoint_remove(const char *folder, const char *id) {
    LOCAL(text_release) Text path = {0};
    path_of(&path, folder, id);
    safe_remove(path.at);
}

/* Extract the id of ".aside.ID.PID" or "ID.…"; false for any other name. */
static bool id_in(char out[SHA256_HEX], const char *name, const char *before, const char *after) {
    size_t n = strlen(before);
    if (strncmp(name, before, n) || strlen(name) < n + SHA256_HEX - 1) return false;
    memcpy(out, name + n, SHA256_HEX - 1);
    out[SHA256_HEX - 1] = 0;
    return strspn(out, "0123456789abcdef") == SHA256_HEX - 1 &&
           !strncmp(name + n + SHA256_HEX - 1, after, strlen(after));
}

static bool is_stored(const char *folder, const char *id) {
    LOCAL_TEXT(path);
    text_format(&path, "%s/%s/record.json", folder, id);
    return file_exists(path.at);
}

static void sweep(const char *folder, const char *within, const char *before, const char *after) {
    LOCAL_TEXT(path);
    char id[SHA256_HEX];
    text_format(&path, "%s%s", folder, within);
    DIR *list = opendir(path.at);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (!id_in(id, entry->d_name, before, after) || !is_stored(folder, id)) continue;
        text_clear(&path);
        text_format(&path, "%s%s/%s", folder, within, entry->d_name);
        if (unlink(path.at)) folder_remove(path.at);
    }
    if (list) closedir(list);
}

void checkpoint_sweep(const char *folder) {
    LOCAL_TEXT(path);
    sweep(folder, "", ".aside.", ".");
    sweep(folder, "/.partial", "", ".");
    sweep(folder, "/.partial", "", "-"); /* shards */
    text_format(&path, "%s/.partial", folder);
    rmdir(path.at); /* fails while any checkpoint is in it */
}
