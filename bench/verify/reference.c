#include "bench/verify/reference.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

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

static Rc names_plan(const char *path, const char *plan, bool *names, bool *curves, Error *e) {
    json_error_t why;
    json_t *one, *all = json_load_file(path, JSON_REJECT_DUPLICATES, &why), *plans = json_object_get(all, "plans");
    size_t i;
    bool is = json_is_array(plans);
    json_array_foreach(plans, i, one) {
        const char *text = json_string_value(json_object_get(one, "plan"));
        *names |= text && !strcmp(text, plan);
    }
    *curves = !json_is_false(json_object_get(all, "curves"));
    if (!is) error_set(e, RC_INTEGRITY, "%s: %s", path, all ? "it names no plans" : why.text);
    json_decref(all);
    return is ? RC_OK : e->code;
}

Rc reference_records(const char *root, const char *plan, char out[REFERENCE_PATH_SIZE], bool *curves, Error *e) {
    char all[PATH_SIZE], path[PATH_SIZE + 300], **name;
    bool names = false;
    Rc rc = RC_OK;
    snprintf(all, sizeof all, "%.600s/results/reference/records", root);
    int folders = folder_names(all, "", &name);
    *out = 0, *curves = false;
    for (int i = 0; i < folders && !rc && !names; i++) {
        snprintf(path, sizeof path, "%s/%.200s/MANIFEST.json", all, name[i]);
        if (name[i][0] == '.' || !file_exists(path)) continue;
        rc = names_plan(path, plan, &names, curves, e);
        if (names) snprintf(out, REFERENCE_PATH_SIZE, "%.650s/%.200s", all, name[i]);
    }
    names_free(name, folders);
    return rc;
}

static bool ends(const char *name, const char *ending) {
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && !strcmp(name + n - m, ending);
}

/* Measured times, the day, the command line; the folder itself. */
static bool left_out(const char *name) {
    return name[0] == '.' || strstr(name, "-cost.") || ends(name, ".pdf") || !strcmp(name, "plan.json");
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
    Text x, y;
    text_init(&x);
    text_init(&y);
    numbers_of(a, &x);
    numbers_of(b, &y);
    bool same = !strcmp(x.at, y.at);
    text_release(&x);
    text_release(&y);
    return same;
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
    if (ends(name, ".svg") && other_gnuplot(&a, &b))
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
    return !ends(file, "-runs.csv") && !left_out(file);
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
    for (int i = 0; i < files; i++) drawn |= ends(file[i], ".svg");
    for (int i = 0; i < count; i++) {
        if (!is_of(r, all[i], name, names) || among(all[i], file, files)) continue;
        if (!drawn && ends(all[i], ".svg"))
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
