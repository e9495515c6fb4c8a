#include "bench/book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static Rc read_files(Book *b, const Session *s, const char *writeup, Error *e) {
    char path[1024], **names, hint[96];
    snprintf(path, sizeof path, "%s/bench/claims", s->root);
    int count = folder_names(path, ".yaml", &names);
    Rc rc = RC_OK;
    b->file = mem_alloc((size_t)count + 1, sizeof *b->file);
    for (int i = 0; i < count && !rc; i++) {
        if (writeup && strcmp(writeup, names[i]) != 0) continue;
        rc = claims_read(&b->file[b->files], s->root, names[i], e);
        b->files += !rc;
    }
    if (!rc && !b->files)
        rc = error_set(
            e, RC_USAGE, "claims: unknown write-up '%s'%s", writeup ? writeup : "",
            did_you_mean(hint, sizeof hint, writeup ? writeup : "", (const char *const *)names, (size_t)count));
    names_free(names, count);
    return rc;
}

static void table_free(BookTable *t) {
    if (t->table.x) table_release(&t->table);
    if (t->records) plan_records_free(&t->plan, t->records);
    plan_release(&t->plan);
    experiment_release(&t->x);
    free(t);
}

static void add_part(Book *b, const Experiment *x, const Plan *p) {
    if (p->missing == p->runs) return;
    b->part = mem_grow(b->part, (size_t)b->parts + 1, sizeof *b->part);
    BookPart *part = &b->part[b->parts++];
    *part = (BookPart){.missing = p->missing, .runs = p->runs};
    snprintf(part->name, sizeof part->name, "%s", x->name);
    snprintf(part->profile, sizeof part->profile, "%s", x->profile);
}

/* One profile of an experiment. *made stays NULL when its runs are not all there, or its corpus is not. */
static Rc try_profile(Book *b, Session *s, const char *path, const char *profile, const ClaimFile *f, BookTable **made,
                      Error *e) {
    BookTable *t = mem_alloc(1, sizeof *t);
    Rc rc = experiment_read(&t->x, path, profile, NULL, e);
    if (!rc) rc = plan_make(&t->plan, s, &t->x, e);
    if (rc == RC_UNMEASURED || rc == RC_USAGE || (!rc && t->plan.missing)) {
        /* the profile is not the file's, or nothing can be read: no table */
        if (!rc) add_part(b, &t->x, &t->plan);
        table_free(t);
        return RC_OK;
    }
    if (!rc) rc = plan_records(&t->plan, s, &t->x, &t->records, e);
    if (!rc) rc = table_make(&t->table, &t->x, t->records, f, (TableOptions){.command = ""}, e);
    if (rc) {
        table_free(t);
        return rc == RC_UNMEASURED ? RC_OK : rc;
    }
    *made = t;
    b->made = mem_grow(b->made, (size_t)b->mades + 1, sizeof *b->made);
    b->made[b->mades++] = t;
    return RC_OK;
}

static const char *const profiles[] = {"full", "quick", "smoke"};
enum { PROFILES = sizeof profiles / sizeof *profiles };

static const ClaimFile *file_of(const Book *b, const char *writeup) {
    for (int i = 0; i < b->files; i++)
        if (!strcmp(b->file[i].writeup, writeup)) return &b->file[i];
    return NULL;
}

/* Every experiment of the write-ups, at its largest complete profile. */
static Rc read_tables(Book *b, Session *s, char **names, int count, bool all, Error *e) {
    Rc rc = RC_OK;
    for (int i = 0; i < count && !rc; i++) {
        char path[1400];
        Experiment *x = mem_alloc(1, sizeof *x);
        BookTable *made = NULL;
        snprintf(path, sizeof path, "%s/bench/experiments/%s.yaml", s->root, names[i]);
        rc = experiment_read(x, path, NULL, NULL, e);
        const ClaimFile *f = rc ? NULL : file_of(b, x->writeup);
        if (!rc) experiment_release(x);
        free(x);
        for (int p = 0; (f || all) && p < PROFILES && !made && !rc; p++)
            if (!b->profile[0] || !strcmp(b->profile, profiles[p]))
                rc = try_profile(b, s, path, profiles[p], f, &made, e);
    }
    return rc;
}

static BookLine *add(Book *b, const ClaimFile *f, const Claim *c, const ClaimTest *t) {
    b->line = mem_grow(b->line, (size_t)b->lines + 1, sizeof *b->line);
    BookLine *l = &b->line[b->lines++];
    *l = (BookLine){.file = f, .claim = c, .test = t};
    return l;
}

/* The command that would measure a test: the smallest profile of the first experiment that has it. */
static void what_is_missing(const Session *s, char **names, int count, BookLine *l) {
    const char *needs = l->test && l->test->needs ? l->test->needs : l->claim->needs;
    char why[240] = "an experiment of this write-up", last[240] = "";
    if (!l->test || l->test->needs) {
        snprintf(l->why, sizeof l->why, "needs %.380s", needs ? needs : why);
        return;
    }
    for (int i = 0; i < count; i++)
        for (int p = PROFILES - 1; p >= 0; p--) {
            char path[1400];
            Experiment *x = mem_alloc(1, sizeof *x);
            Error none;
            snprintf(path, sizeof path, "%s/bench/experiments/%s.yaml", s->root, names[i]);
            bool ours = !experiment_read(x, path, profiles[p], NULL, &none) && !strcmp(x->writeup, l->file->writeup);
            if (ours && claim_measured_by(l->claim, l->test, x, last, sizeof last))
                snprintf(l->why, sizeof l->why, "normbench run %s --profile %s (%d runs)", x->name, x->profile,
                         experiment_cells(x) * x->arms * x->seeds);
            else if (ours)
                snprintf(why, sizeof why, "another experiment: %s has %.160s", names[i], last);
            if (x->arms) experiment_release(x);
            free(x);
            if (l->why[0]) return;
        }
    snprintf(l->why, sizeof l->why, "needs %s", needs ? needs : why);
}

static void write_lines(Book *b, const Session *s, char **names, int count) {
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++)
        for (const Claim *c = f->claim; c < f->claim + f->claims; c++) {
            if (!c->tests) what_is_missing(s, names, count, add(b, f, c, NULL));
            for (const ClaimTest *t = c->test; t < c->test + c->tests; t++) {
                int before = b->lines;
                for (int m = 0; m < b->mades; m++)
                    for (int i = 0; i < b->made[m]->table.ledger.count; i++) {
                        const ClaimVerdict *v = &b->made[m]->table.ledger.at[i];
                        if (v->test != t || !v->c) continue;
                        BookLine *l = add(b, f, c, t);
                        l->in = b->made[m];
                        l->v = v;
                    }
                if (b->lines == before) what_is_missing(s, names, count, add(b, f, c, t));
            }
        }
}

/* What read_tables would take for a profile that a file lacks, or for a corpus that is not there. */
static Rc check_options(const Book *b, const Session *s, Error *e) {
    char mean[120];
    bool known = !b->profile[0];
    for (int p = 0; p < PROFILES; p++) known = known || !strcmp(b->profile, profiles[p]);
    if (!known)
        return error_set(e, RC_USAGE, "--profile: '%s' is not full, quick or smoke%s", b->profile,
                         did_you_mean(mean, sizeof mean, b->profile, profiles, PROFILES));
    const char *folder = s->places.data;
    if (folder && !file_exists(folder)) return error_set(e, RC_USAGE, "--data %s: no such folder", folder);
    return RC_OK;
}

Rc book_make(Book *b, Session *s, const char *writeup, bool all, Error *e) {
    char path[1024], **names;
    *b = (Book){0};
    snprintf(b->profile, sizeof b->profile, "%s", option(s->options, OPTION_profile, ""));
    if (check_options(b, s, e)) return e->code;
    snprintf(path, sizeof path, "%s/bench/experiments", s->root);
    int count = folder_names(path, ".yaml", &names);
    Rc rc = read_files(b, s, writeup, e);
    if (!rc) rc = read_tables(b, s, names, count, all, e);
    if (!rc) write_lines(b, s, names, count);
    names_free(names, count);
    if (rc) book_release(b);
    return rc;
}

void book_release(Book *b) {
    for (int i = 0; i < b->mades; i++) table_free(b->made[i]);
    for (int i = 0; i < b->files; i++) claims_release(&b->file[i]);
    free(b->made);
    free(b->part);
    free(b->file);
    free(b->line);
    *b = (Book){0};
}

void book_part(const BookPart *p, Text *out) {
    text_format(out, "%s %s: %d of %d runs are missing (normbench run %s --profile %s)", p->name, p->profile, p->missing,
                p->runs, p->name, p->profile);
}

void book_note_parts(const Book *b) {
    for (int i = 0; i < b->parts; i++) {
        Text line;
        text_init(&line);
        book_part(&b->part[i], &line);
        fprintf(stderr, "normbench: note: not shown: %s\n", line.at);
        text_release(&line);
    }
}

VerdictWord book_word(const BookLine *l) {
    return l->v ? l->v->word : WORD_NOT_RUN;
}

void book_count(const Book *b, const ClaimFile *f, int count[WORD_NOT_RUN + 1]) {
    memset(count, 0, (WORD_NOT_RUN + 1) * sizeof *count);
    for (const BookLine *l = b->line; l < b->line + b->lines; l++)
        if (!f || l->file == f) count[book_word(l)]++;
}
