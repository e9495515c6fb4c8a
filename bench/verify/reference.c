#include "bench/verify/reference.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/store/archive.h"
#include "bench/store/run_list.h"

enum { SHOWN = 90, PATH_SIZE = 1400 };

void reference_init(Reference *r, const char *name) {
    *r = (Reference){.words = true};
    snprintf(r->name, sizeof r->name, "%s", name);
    text_init(&r->run);
    text_init(&r->younger);
    text_init(&r->difference);
}

void reference_release(Reference *r) {
    text_release(&r->run);
    text_release(&r->younger);
    text_release(&r->difference);
}

/* Read an archive and whether its manifest names the plan. */
static Rc names_plan(const char *path, const char *plan, bool *names, bool *curves, Error *e) {
    LOCAL(archive_release) Archive a;
    json_error_t why;
    if (archive_read(&a, path, e)) return e->code;
    const ArchiveFile *manifest = archive_file(&a, "MANIFEST.json");
    json_auto_t *all = json_loadb(manifest->bytes, manifest->length, JSON_REJECT_DUPLICATES, &why);
    const json_t *one, *plans = json_object_get(all, "plans");
    size_t i;
    if (!json_is_array(plans))
        return error_set(e, RC_INTEGRITY, "%s, MANIFEST.json: %s", path, all ? "it names no plans" : why.text);
    json_array_foreach(plans, i, one) {
        const char *text = json_string_value(json_object_get(one, "plan"));
        *names |= text && !strcmp(text, plan);
    }
    *curves = !json_is_false(json_object_get(all, "curves"));
    return RC_OK;
}

Rc reference_records(const char *root, const Experiment *x, char out[REFERENCE_PATH_SIZE], bool *curves, Error *e) {
    char file[RUN_LIST_PATH], path[REFERENCE_PATH_SIZE];
    bool names = false;
    *out = 0, *curves = false;
    if (!stored_archive(root, x->profile, x->name, file)) return RC_OK;
    snprintf(path, sizeof path, "%.600s/%.250s", root, file);
    Rc rc = names_plan(path, x->plan, &names, curves, e);
    if (names) strcpy(out, path);
    return rc;
}

/* Measured times, the day, the command line; the folder itself. */
static bool left_out(const char *name) {
    return name[0] == '.' || strstr(name, "-cost.") || text_ends(name, ".pdf") || !strcmp(name, "plan.json");
}

/* The lines of a text, without those that name builds. */
typedef struct {
    const char *at, *end;
    int number;
    bool builds; /* inside the list "records" */
} Lines;

/* Bytes of the next, its newline among them; 0: there is none. */
static size_t next_line(Lines *l, const char **line) {
    static const char list[] = "\"records\": [", commit[] = "\"commit\": ";
    while (l->at < l->end) {
        const char *start = l->at, *word = start, *stop = memchr(start, '\n', (size_t)(l->end - start));
        l->at = stop ? stop + 1 : l->end, l->number++;
        while (word < l->at && *word == ' ') word++;
        size_t left = (size_t)(l->at - word);
        bool out = left > sizeof commit && !memcmp(word, commit, sizeof commit - 1);
        if (left > sizeof list - 1 && !memcmp(word, list, sizeof list - 1)) l->builds = true;
        out |= l->builds;
        if (left && *word == ']') l->builds = false;
        if (!out) {
            *line = start;
            return (size_t)(l->at - start);
        }
    }
    return 0;
}

typedef struct {
    char *bytes;
    size_t length;
} Bytes;

static Lines lines_of(const Bytes *b) {
    return (Lines){.at = b->bytes, .end = b->bytes + b->length};
}

/* Every number of the lines that are compared, in order, a blank between. */
static void numbers_of(const Bytes *b, Text *out) {
    Lines l = lines_of(b);
    const char *line;
    for (size_t n; (n = next_line(&l, &line));)
        for (size_t i = 0; i < n; i++) {
            size_t from = i;
            if (!isdigit((unsigned char)line[i])) continue;
            while (i < n && (isdigit((unsigned char)line[i]) || line[i] == '.')) i++;
            bool minus = from && line[from - 1] == '-' && (from < 2 || !isalnum((unsigned char)line[from - 2]));
            text_format(out, "%s%.*s ", minus ? "-" : "", (int)(i - from), line + from);
        }
}

static bool same_numbers(const Bytes *a, const Bytes *b) {
    LOCAL_TEXT(x);
    LOCAL_TEXT(y);
    numbers_of(a, &x);
    numbers_of(b, &y);
    return !strcmp(x.at, y.at);
}

/* What of a line to show, which differs from byte `at` on. */
static void show(Text *out, const char *who, const char *line, size_t n, size_t at) {
    if (n && line[n - 1] == '\n') n--;
    size_t from = n <= SHOWN || at < SHOWN / 2 ? 0 : at - SHOWN / 2, to = n - from > SHOWN ? from + SHOWN : n;
    while (from && from < n && ((unsigned char)line[from] & 0xc0) == 0x80) from--;
    while (to < n && ((unsigned char)line[to] & 0xc0) == 0x80) to--;
    text_format(out, "\n    %-7s %s", who, from ? "..." : "");
    text_add(out, line + from, to - from);
    if (to < n) text_format(out, "...");
}

/* The first line that differs; false: none does. */
static bool differ(const char *name, const Bytes *stored, const Bytes *here, Text *out) {
    Lines a = lines_of(stored), b = lines_of(here);
    const char *left = "", *right = "";
    size_t n, m, at = 0;
    do {
        n = next_line(&a, &left), m = next_line(&b, &right);
    } while (n && n == m && !memcmp(left, right, n));
    if (!n && !m) return false;
    if (out->length) return true;
    while (at < n && at < m && left[at] == right[at]) at++;
    text_format(out, "%s, line %d", name, n ? a.number : b.number);
    if (n && m && a.number != b.number) text_format(out, " (here line %d)", b.number);
    if (n)
        show(out, "stored", left, n, at);
    else
        text_format(out, "\n    stored  it ends before this line");
    if (m)
        show(out, "here", right, m, at);
    else
        text_format(out, "\n    here    it ends before this line");
    return true;
}

/* "GNUPLOT 5.4 patchlevel 4", "" where it does not say so. */
static void drawn_by(const Bytes *svg, char out[64]) {
    const char *at = strstr(svg->bytes, "Produced by GNUPLOT");
    snprintf(out, 64, "%.*s", at ? (int)strcspn(at, "<\n") : 0, at ? at : "");
}

static bool other_gnuplot(const Bytes *stored, const Bytes *here) {
    char a[64], b[64];
    drawn_by(stored, a), drawn_by(here, b);
    return strcmp(a, b) != 0;
}

static bool begins(const char *file, const char *name) {
    size_t n = strlen(name);
    return !strncmp(file, name, n) && (file[n] == '.' || file[n] == '-');
}

/* The first "commit" of a table's JSON. */
static void written_by(const Bytes *json, char out[64]) {
    static const char before[] = "\"commit\": \"";
    const char *at = strstr(json->bytes, before);
    if (at) at += sizeof before - 1;
    snprintf(out, 64, "%.*s", at ? (int)strcspn(at, "\"\n") : 0, at ? at : "");
}

static Rc read_both(const char *stored, const char *here, const char *name, Bytes *a, Bytes *b, Error *e) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%.1000s/%.300s", stored, name);
    if (file_read(path, &a->bytes, &a->length, e)) return e->code;
    snprintf(path, sizeof path, "%.1000s/%.300s", here, name);
    if (!file_read(path, &b->bytes, &b->length, e)) return RC_OK;
    free(a->bytes);
    return error_set(e, RC_UNMEASURED, "%s is not there, though its plan.json lists it; make the table again", path);
}

static Rc compare_file(Reference *r, const char *stored, const char *here, const char *name, Error *e) {
    Bytes a, b;
    if (read_both(stored, here, name, &a, &b, e)) return e->code;
    if (text_ends(name, ".svg") && other_gnuplot(&a, &b))
        r->figures++;
    else {
        bool other = differ(name, &a, &b, &r->difference);
        r->files++, r->same += !other;
        if (other) r->words &= same_numbers(&a, &b);
        if (begins(name, r->name) && !strcmp(name + strlen(r->name), ".json"))
            written_by(&a, r->commit[0]), written_by(&b, r->commit[1]);
    }
    free(a.bytes);
    free(b.bytes);
    return RC_OK;
}

/* A whole file that only one side has. */
static void alone(Reference *r, const char *name, const char *what) {
    r->files++, r->words = false;
    if (!r->difference.length) text_format(&r->difference, "%s %s", name, what);
}

/* Whether a stored file is of the table r->name and not of a longer name's, which begins alike. */
static bool is_of(const Reference *r, const char *file, char *const *name, int names) {
    size_t n = strlen(r->name);
    if (!begins(file, r->name)) return false;
    for (int i = 0; i < names; i++)
        if (strlen(name[i]) > n && begins(file, name[i])) return false;
    for (PrecisionKind p = 0; p < PRECISION_COUNT; p++)
        if (file[n] == '-' && begins(file + n + 1, precision_name(p))) return false;
    return !text_ends(file, "-runs.csv") && !left_out(file);
}

static bool among(const char *name, char *const *file, int files) {
    for (int i = 0; i < files; i++)
        if (!strcmp(name, file[i])) return true;
    return false;
}

/* Stored files that were not made here. Without gnuplot no figures are, which is no difference. */
static void find_missing(Reference *r, const char *stored, char *const *file, int files, const char *experiments) {
    char **all, **name;
    int count = folder_names(stored, "", &all), names = folder_names(experiments, ".yaml", &name);
    bool drawn = false;
    for (int i = 0; i < files; i++) drawn |= text_ends(file[i], ".svg");
    for (int i = 0; i < count; i++) {
        if (!is_of(r, all[i], name, names) || among(all[i], file, files)) continue;
        if (!drawn && text_ends(all[i], ".svg"))
            r->figures++;
        else
            alone(r, all[i], "is stored and was not made here");
    }
    names_free(name, names);
    names_free(all, count);
}

/* NAME-curves.csv, NAME-blocks-layers=4.svg: what stored records without curves do not make. */
static bool of_curves(const Reference *r, const char *file) {
    static const char *const kinds[] = {"curves", "blocks", "growth", "seeds"};
    size_t n = strlen(r->name);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && begins(file, r->name) && file[n] == '-'; i++)
        if (begins(file + n + 1, kinds[i])) return true;
    return false;
}

Rc reference_files(Reference *r, const char *stored, const char *here, char *const *file, int files,
                   const char *experiments, Error *e) {
    char path[PATH_SIZE];
    Rc rc = RC_OK;
    for (int i = 0; i < files && !rc; i++) {
        if (left_out(file[i])) continue;
        snprintf(path, sizeof path, "%.1000s/%.300s", stored, file[i]);
        if (file_exists(path))
            rc = compare_file(r, stored, here, file[i], e);
        else if (r->whole && (r->curves || !of_curves(r, file[i])))
            alone(r, file[i], "was made here and is not stored");
        else
            r->others++;
    }
    if (!rc && r->whole) find_missing(r, stored, file, files, experiments);
    return rc;
}

bool reference_differs(const Reference *r) {
    return r->same < r->files || (r->lists_runs && r->alike < r->runs);
}

/* ---- The runs behind a table beside the stored ones, and what is said of both ---- */

/* Where runs are stored: whole, or a line each of NAME-runs.csv. */
typedef struct {
    char folder[620];
    Scratch unpacked; /* of an archive */
    const char *kept; /* its path; "": none */
    char *list;       /* NULL: there is none */
} StoredRuns;

static Rc open_runs(StoredRuns *s, const Reference *r, const char *root, const char *kept, const char *profile,
                    Error *e) {
    char list[RUN_LIST_PATH], path[REFERENCE_PATH_SIZE];
    size_t length;
    *s = (StoredRuns){.kept = ""};
    if (kept[0] && archive_unpack(&s->unpacked, kept, e)) return e->code;
    s->kept = kept;
    snprintf(s->folder, sizeof s->folder, "%s/runs", s->unpacked.path);
    if (!stored_list(root, profile, r->name, list)) return RC_OK;
    snprintf(path, sizeof path, "%.600s/%.250s", root, list);
    return file_read(path, &s->list, &length, e);
}

static void close_runs(StoredRuns *s) {
    if (s->kept[0]) scratch_remove(&s->unpacked);
    free(s->list);
}

/* Metrics that one of two records of a run has and the other, of an older program, lacks. */
static void find_younger(Reference *r, const RunRecord *stored, const RunRecord *here) {
    const bool *old = stored->evaluations ? stored->evaluation[stored->evaluations - 1].absent : NULL;
    const bool *new = here->evaluations ? here->evaluation[here->evaluations - 1].absent : NULL;
    if (!old || !new || r->younger.length) return;
    for (int turn = 0; turn < 2; turn++) {
        int named = 0;
        for (Metric m = 0; m < METRIC_COUNT; m++)
            if (turn ? !old[m] && new[m] : old[m] && !new[m])
                text_format(&r->younger, "%s %s",
                            named++ ? ","
                            : turn  ? "the runs here are older than the metric"
                                    : "the stored runs are older than the metric",
                            metric_info[m].key);
    }
}

/* One run whose record is stored. */
static Rc beside(Reference *r, const StoredRuns *s, const RunRecord *here, bool *alike, Error *e) {
    LOCAL(record_release) RunRecord stored = {0};
    if (record_members(&stored, s->folder, here->id, e)) return error_prefix(e, "%s: ", s->kept);
    *alike = !strcmp(stored.loss_chain, here->loss_chain) && !strcmp(stored.parameters_hash, here->parameters_hash);
    find_younger(r, &stored, here);
    return RC_OK;
}

static bool listed(const StoredRuns *s, const RunRecord *here, bool *alike) {
    char end[SHA256_HEX * 3 + 8];
    snprintf(end, sizeof end, "%s,%s,%s\n", here->loss_chain, here->parameters_hash, here->id);
    *alike = s->list && strstr(s->list, end);
    return s->list && strstr(s->list, here->id);
}

static void name_run(Reference *r, const Experiment *x, const RunRecord *here, bool known) {
    if (r->run.length) return;
    text_format(&r->run, "%s, seed %llu (%.12s) ", x->arm[(r->runs - 1) / x->seeds % x->arms].name,
                (unsigned long long)here->spec.seed, here->id);
    text_format(&r->run, known ? "has another loss chain or other weights" : "is not among the stored runs");
}

Rc reference_runs(Reference *r, const char *root, const char *kept, const Experiment *x, const RunRecord *records,
                  Error *e) {
    StoredRuns s;
    Rc rc = open_runs(&s, r, root, kept, x->profile, e);
    r->lists_runs = r->whole || s.list;
    for (int i = 0; i < experiment_cells(x) * x->arms * x->seeds && r->lists_runs && !rc; i++) {
        char path[1100];
        bool known = true, alike = false;
        snprintf(path, sizeof path, "%s/%s/record.json", s.folder, records[i].id);
        if (file_exists(path))
            rc = beside(r, &s, &records[i], &alike, e);
        else
            known = listed(&s, &records[i], &alike);
        r->runs++, r->known += known, r->alike += alike;
        if (!alike) name_run(r, x, &records[i], known);
    }
    close_runs(&s);
    return rc;
}

static void why(const Reference *r, Text *out) {
    text_format(out, "\n  why: ");
    if (r->lists_runs && r->known < r->runs)
        text_format(out, "other runs, of another plan, corpus or arithmetic");
    else if (r->lists_runs && r->alike < r->runs)
        text_format(out, "runs that do not have the stored bits");
    else if (r->younger.length)
        text_format(out, "%s", r->younger.at);
    else {
        const char *cause = r->words        ? "other words: every number is the stored one"
                            : r->lists_runs ? "the runs have the stored bits: another commit's table, or a changed file"
                                            : "not known: no run of it is stored";
        text_format(out, "%s", cause);
        if (r->commit[0][0]) text_format(out, "; stored by commit %.40s, here %.40s", r->commit[0], r->commit[1]);
    }
}

void reference_text(const Reference *r, const char *title, Text *out) {
    bool whole = r->files && r->same == r->files;
    if (r->lists_runs)
        text_format(out, "%s: %d of %d runs have the stored loss chains and weights\n", title, r->alike, r->runs);
    if (r->run.length) text_format(out, "  first: %s\n", r->run.at);
    if (!r->files) {
        text_format(out, "%s: no file of this table is stored; nothing to compare with\n", title);
        return;
    }
    if (r->others)
        text_format(out, "%s: %d other file%s of this table %s not stored\n", title, r->others,
                    r->others == 1 ? "" : "s", r->others == 1 ? "is" : "are");
    if (r->figures)
        text_format(out, "%s: %d figure%s not compared: gnuplot is another one than the stored figures', or missing\n",
                    title, r->figures, r->figures == 1 ? " is" : "s are");
    text_format(out, "%s: %d of %d files are the stored ones%s", title, r->same, r->files,
                whole ? ", byte for byte" : "");
    if (!whole) {
        text_format(out, "\n  first difference: %s", r->difference.at);
        why(r, out);
    }
    text_format(out, "\n");
}
