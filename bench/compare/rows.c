#include "bench/compare/rows.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 80, NAMES_MAX = 10000 };

const char compare_name_columns[] = "; if a line is one run, --column arm=NAME and --metric NAME name its columns";

char *compare_where(char *out, size_t size, const CompareRows *r, const CompareRow *row) {
    if (r->pick)
        log_called(out, size, r->pick->run[row->at].log);
    else if (r->lines)
        snprintf(out, size, "%.600s:%ld", r->file, row->at);
    else if (row->at >= 0)
        snprintf(out, size, "%.600s: [%ld]", r->file, row->at);
    else
        snprintf(out, size, "%.600s: arms.%s.%lld", r->file, r->arm[row->arm], (long long)row->seed);
    return out;
}

/* The length of a name in code points; -1 when it is not UTF-8 or holds control bytes. */
static int name_length(const char *name) {
    json_auto_t *utf8 = json_string(name);
    int n = utf8 ? 0 : -1;
    for (const char *s = name; n >= 0 && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < ' ' || c == 127) return -1;
        n += (c & 0xC0) != 0x80;
    }
    return n;
}

const char *const compare_corpus_columns[2] = {"corpus", "dataset"};

/* The place of a name in a list, made when new. what: "arm"; last: where the one before was found. */
static Rc find_name(char ***list, int *count, int *last, const char *what, const char *where, const char *name,
                    int *out, Error *e) {
    bool same = *last < *count && !strcmp((*list)[*last], name);
    for (int i = 0; i < *count && !same; i++)
        if (!strcmp((*list)[i], name)) same = true, *last = i;
    *out = *last;
    if (same) return RC_OK;
    int length = name_length(name);
    const char *a = what[0] == 'a' ? "an" : "a";
    if (!length) return error_set(e, RC_USAGE, "%s: %s %s without a name", where, a, what);
    if (length < 0)
        return error_set(e, RC_USAGE, "%s: %s %s's name is not UTF-8 or holds control characters", where, a, what);
    if (length > NAME_BYTES_MAX)
        return error_set(e, RC_USAGE, "%s: %s '%.40s...': a name may have %d characters", where, what, name,
                         NAME_BYTES_MAX);
    if (*count == NAMES_MAX)
        return error_set(e, RC_USAGE, "%s: %s '%.40s': more than %d of them", where, what, name, NAMES_MAX);
    *list = mem_grow(*list, (size_t)*count + 1, sizeof **list);
    (*list)[*count] = mem_text(name);
    *out = *last = (*count)++;
    return RC_OK;
}

Rc compare_arm(CompareRows *r, const char *where, const char *name, int *arm, Error *e) {
    return find_name(&r->arm, &r->arms, &r->last_arm, "arm", where, name, arm, e);
}

Rc compare_corpus(CompareRows *r, const char *where, const char *name, int *corpus, Error *e) {
    return find_name(&r->corpus, &r->corpora, &r->last_corpus, "corpus", where, name, corpus, e);
}

void compare_row_add(CompareRows *r, CompareRow row) {
    if (r->rows == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->row = mem_grow(r->row, r->room, sizeof *r->row);
    }
    r->row[r->rows++] = row;
}

Rc compare_seed(const char *where, const char *what, const char *text, int64_t *out, Error *e) {
    if (!text[0]) return error_set(e, RC_USAGE, "%s:%s: empty", where, what);
    const char *digits = text;
    while (digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') digits++; /* 01 is how names count */
    if (parse_whole(digits, out) && *out >= 0) return RC_OK;
    return error_set(e, RC_USAGE, "%s:%s: '%.60s' is not a whole number from 0 on", where, what, text);
}

Rc compare_value_fits(const char *where, const char *what, double value, Error *e) {
    if (value != 0 && fabs(value) < COMPARE_SMALLEST)
        return error_set(e, RC_USAGE, "%s:%s: %g is too small (numbers but 0 begin at %g; take another unit)", where,
                         what, value, COMPARE_SMALLEST);
    if (fabs(value) <= COMPARE_LARGEST) return RC_OK;
    return error_set(e, RC_USAGE, "%s:%s: %g is too large (numbers may go to %g; a diverged run is written nan)", where,
                     what, value, COMPARE_LARGEST);
}

bool compare_may_lack(const CompareRows *r) {
    return r->columns.unpaired || r->columns.steps;
}

int64_t compare_next_run(CompareRows *r, int arm) {
    if (arm >= r->counted) {
        r->runs = mem_grow(r->runs, (size_t)arm + 1, sizeof *r->runs);
        while (r->counted <= arm) r->runs[r->counted++] = 0;
    }
    return ++r->runs[arm];
}

Rc compare_value(const char *where, const char *what, const char *text, double *out, Error *e) {
    if (!text[0])
        return error_set(e, RC_USAGE,
                         "%s:%s: empty (every arm needs every seed, but for --unpaired; a diverged run is written nan)",
                         where, what);
    if (log_absent(text))
        return error_set(e, RC_USAGE,
                         "%s:%s: '%s' is a missing value (every arm needs every seed, but for --unpaired, where it is "
                         "no run; a diverged run is written nan)",
                         where, what, text);
    if (log_number(text, out)) return isnan(*out) ? RC_OK : compare_value_fits(where, what, *out, e);
    return error_set(e, RC_USAGE, "%s:%s: '%.60s' is not a number%s", where, what, text,
                     strchr(text, ',')                 ? " (decimals take a point)"
                     : strchr(text, '%')               ? " (a column has a sign of percent behind all numbers, or none)"
                     : isalpha((unsigned char)text[0]) ? " (a diverged run is written nan)"
                                                       : "");
}

Rc compare_twice(const CompareRows *r, const CompareRow *a, const CompareRow *b, Error *e) {
    char where[1200], block[64] = "", before[64] = "";
    if (r->blocks)
        snprintf(block, sizeof block, " and %s %lld", r->columns.steps ? "step" : "block", (long long)b->block);
    if (r->lines) snprintf(before, sizeof before, " (first on line %ld)", a->at);
    return error_set(e, RC_USAGE, "%s: seed %lld%s of arm '%s' is there twice%s%s",
                     compare_where(where, sizeof where, r, b), (long long)b->seed, block, r->arm[b->arm], before,
                     r->wide    ? compare_name_columns
                     : r->lines ? "; where the rows differ in another column, --where COLUMN=VALUE chooses among them"
                                : "");
}

void compare_rows_release(CompareRows *r) {
    for (int i = 0; i < r->arms; i++) free(r->arm[i]);
    for (int i = 0; i < r->corpora; i++) free(r->corpus[i]);
    free(r->arm);
    free(r->corpus);
    free(r->row);
    free(r->runs);
    free(r->read_as);
    free(r->metric);
}
