#include "bench/ledger/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/formats/terminal.h"
#include "bench/plan/profile.h"
#include "bench/verdict/grid.h"
#include "bench/verdict/until.h"

void ledger_table_free(LedgerTable *t) {
    for (int i = 0; i < t->also_count; i++) claim_verdicts_release(&t->also[i]);
    if (t->table.x) table_release(&t->table);
    records_release(&t->records);
    experiment_release(&t->x);
    free(t->slug);
    free(t->changed);
    free(t);
}

void ledger_add_part(Ledger *b, const Experiment *x, const Records *p, const char *command) {
    if (p->missing == p->runs) return;
    b->part = mem_grow(b->part, (size_t)b->parts + 1, sizeof *b->part);
    LedgerPart *part = &b->part[b->parts++];
    *part = (LedgerPart){.missing = p->missing, .runs = p->runs};
    snprintf(part->name, sizeof part->name, "%s", x->name);
    snprintf(part->profile, sizeof part->profile, "%s", x->profile);
    snprintf(part->command, sizeof part->command, "%s", command);
}

const ClaimFile *ledger_file(const Ledger *b, const char *writeup) {
    for (int i = 0; i < b->files; i++)
        if (!strcmp(b->file[i].writeup, writeup)) return &b->file[i];
    return NULL;
}

/* One profile of an experiment. *made stays NULL when its runs are not all there. */
static Rc try_profile(Ledger *b, const Store *s, const char *path, const char *profile, const ClaimFile *f,
                      LedgerTable **made, Error *e) {
    LedgerTable *t = mem_alloc(1, sizeof *t);
    Rc rc = experiment_read(&t->x, path, profile, NULL, e);
    if (rc == RC_USAGE) { /* the profile is not one of the file's: no table */
        free(t);
        return RC_OK;
    }
    if (!rc) rc = until_take(&t->records, s, &t->x, false, e);
    if (!rc && t->records.missing) {
        LOCAL_TEXT(command);
        experiment_command(&t->x, &command);
        ledger_add_part(b, &t->x, &t->records, command.at);
        ledger_table_free(t);
        return RC_OK;
    }
    TableOptions options = {.command = "", .notes = t->records.notes};
    if (!rc) rc = table_make(&t->table, &t->x, t->records.at, f, options, e);
    if (rc == RC_UNMEASURED)
        terminal_say(stderr, "normbench: note: not shown: %s %s: %s\n", t->x.name, t->x.profile, e->text);
    if (rc) {
        ledger_table_free(t);
        return rc == RC_UNMEASURED ? RC_OK : rc;
    }
    for (int i = 0; i < EXPERIMENT_ALSO_MAX; i++) {
        const ClaimFile *other = ledger_file(b, t->x.also[i]);
        if (other) claim_verdicts_make(&t->also[t->also_count++], other, &t->table.sample);
    }
    *made = t;
    b->made = mem_grow(b->made, (size_t)b->made_count + 1, sizeof *b->made);
    b->made[b->made_count++] = t;
    return RC_OK;
}

static void add_link(Ledger *b, const Experiment *x) {
    b->link = mem_grow(b->link, (size_t)b->links + 1, sizeof *b->link);
    snprintf(b->link[b->links].name, sizeof b->link->name, "%s", x->name);
    for (int i = 0; i <= EXPERIMENT_ALSO_MAX; i++)
        snprintf(b->link[b->links].writeup[i], sizeof b->link->writeup[i], "%.15s", i ? x->also[i - 1] : x->writeup);
    int cell[EXPERIMENT_VALUES_MAX];
    b->link[b->links].quantize = x->quantize;
    b->link[b->links++].rates = grid_cells(x, 0, cell);
}

/* Return true if an experiment's runs decide claims of a write-up. */
static bool ledger_linked(const Ledger *b, const char *experiment, const char *writeup) {
    for (int i = 0; i < b->links; i++)
        for (int k = 0; k <= EXPERIMENT_ALSO_MAX; k++)
            if (!strcmp(b->link[i].name, experiment) && !strcmp(b->link[i].writeup[k], writeup)) return true;
    return false;
}

/* Every experiment of the write-ups, at its largest complete profile. */
static Rc read_tables(Ledger *b, const Session *s, char **names, int count, bool all, Error *e) {
    LOCAL(store_release) Store stored = {0};
    Rc rc = RC_OK;
    store_read(&stored, s->runs);
    for (int i = 0; i < count && !rc; i++) {
        char path[1400];
        OWNED Experiment *x = mem_alloc(1, sizeof *x);
        LedgerTable *made = NULL;
        snprintf(path, sizeof path, "%s/bench/experiments/%s.yaml", s->root, names[i]);
        rc = experiment_read(x, path, NULL, NULL, e);
        const ClaimFile *f = rc ? NULL : ledger_file(b, x->writeup);
        char also[EXPERIMENT_ALSO_MAX][sizeof *x->also];
        memcpy(also, x->also, sizeof also);
        if (!rc) add_link(b, x);
        if (!rc) experiment_release(x);
        bool wanted = f || all;
        for (int k = 0; !rc && k < EXPERIMENT_ALSO_MAX; k++) wanted |= ledger_file(b, also[k]) != NULL;
        for (int p = PROFILE_COUNT - 1; wanted && p >= 0 && !made && !rc; p--)
            if (!b->profile[0] || !strcmp(b->profile, profile_info[p].name))
                rc = try_profile(b, &stored, path, profile_info[p].name, f, &made, e);
    }
    return rc;
}

static LedgerLine *add(Ledger *b, const ClaimFile *f, const Claim *c, const ClaimTest *t) {
    b->line = mem_grow(b->line, (size_t)b->lines + 1, sizeof *b->line);
    LedgerLine *l = &b->line[b->lines++];
    *l = (LedgerLine){.file = f, .claim = c, .test = t};
    return l;
}

/* What a line lacks, as far as the plans looked at say it. */
typedef struct {
    LedgerLine *line; /* NULL: it has its command */
    char why[240];
} Lacking;

/* What must exist first. */
static void say_needs(LedgerLine *l, const char *why) {
    const char *needs = l->test && l->test->needs ? l->test->needs : l->claim->needs;
    snprintf(l->why, sizeof l->why, "needs %.380s", needs ? needs : why);
}

/* Whether a test is decided in an experiment; one that names no places is anywhere. */
static bool is_place(const ClaimTest *t, const char *experiment) {
    bool named = !t->places;
    for (int i = 0; i < t->places; i++) named |= !strcmp(t->place[i].name, experiment);
    return named;
}

/* The command of a plan that would measure the test, or why this plan does not. */
static void look_at_plan(const Ledger *b, Lacking *k, const Experiment *x, const char *name) {
    LedgerLine *l = k->line;
    char last[240] = "";
    if (!ledger_linked(b, name, l->file->writeup) || !is_place(l->test, name)) return;
    if (!claim_measured_by(l->claim, l->test, x, last, sizeof last)) {
        snprintf(k->why, sizeof k->why, "another experiment (%s: %.160s)", name, last);
        return;
    }
    LOCAL_TEXT(command);
    text_format(&command, "`");
    experiment_command(x, &command);
    const char *device = experiment_needs_device(x);
    text_format(&command, "` would measure it (%d runs, about ", experiment_cells(x) * x->arms * x->seeds);
    ledger_hours_text(ledger_plan_hours(x) * (device ? LEDGER_SPEED / LEDGER_DEVICE_SPEED : 1), &command);
    text_format(&command, device ? " of an H100; no CPU computes in %s)" : " of two cores)", device);
    snprintf(l->why, sizeof l->why, "%s", command.at);
    k->line = NULL;
}

/* The command that would measure each line that nothing measures: the smallest profile of the first experiment that has
 * the test. Every plan is read once. */
static void what_is_missing(Ledger *b, const Session *s, char **names, int count) {
    OWNED Lacking *lacking = mem_alloc((size_t)b->lines, sizeof *lacking);
    OWNED Experiment *x = mem_alloc(1, sizeof *x);
    int lines = 0;
    for (LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        if (l->v || l->stated || l->why[0]) continue;
        if (l->test && !l->test->needs)
            lacking[lines++] = (Lacking){l, "an experiment of this write-up"};
        else
            say_needs(l, "an experiment of this write-up");
    }
    for (int i = 0; i < count && lines; i++)
        for (int p = 0; p < PROFILE_COUNT; p++) {
            Error none;
            if (experiment_read(x, SHOW_TEXT("%s/bench/experiments/%s.yaml", s->root, names[i]), profile_info[p].name,
                                NULL, &none))
                continue;
            for (int k = 0; k < lines; k++)
                if (lacking[k].line) look_at_plan(b, &lacking[k], x, names[i]);
            experiment_release(x);
        }
    for (int k = 0; k < lines; k++)
        if (lacking[k].line) say_needs(lacking[k].line, lacking[k].why);
}

/* A line for every statement of a test. */
static void stated_lines(Ledger *b, const ClaimFile *f, const Claim *c, const ClaimTest *t) {
    for (int i = 0; i < t->theories; i++) {
        LedgerLine *l = add(b, f, c, t);
        l->statement = &statements[t->theory[i]];
        if (b->stated && b->stated[t->theory[i]].m->points)
            l->stated = &b->stated[t->theory[i]];
        else
            snprintf(l->why, sizeof l->why, "`normbench run theory` would measure it (%s)",
                     statements[t->theory[i]].name);
    }
}

/* Nothing stored is no mistake. */
static Rc read_theory(Ledger *b, const Session *s, Error *e) {
    char path[THEORY_PATH_SIZE];
    if (!file_exists(theory_file(s->results, path))) return RC_OK;
    if (theory_read(&b->theory, path, e)) return e->code;
    b->stated = mem_alloc(STATEMENT_COUNT, sizeof *b->stated);
    theory_judge(&b->theory, b->stated);
    return RC_OK;
}

/* A line for every verdict of a test. */
static void verdict_rows(Ledger *b, const ClaimFile *f, const Claim *c, const ClaimTest *t, const LedgerTable *in,
                         const ClaimVerdicts *of) {
    for (const ClaimVerdict *v = of->at; v < of->at + of->count; v++) {
        if (v->test != t || !v->c) continue;
        LedgerLine *l = add(b, f, c, t);
        l->in = in, l->v = &of->at[v - of->at], l->family = &of->family;
    }
}

static void write_lines(Ledger *b) {
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++)
        for (const Claim *c = f->claim; c < f->claim + f->claims; c++) {
            if (!c->tests) add(b, f, c, NULL);
            for (const ClaimTest *t = c->test; t < c->test + c->tests; t++) {
                int before = b->lines;
                stated_lines(b, f, c, t);
                for (int m = 0; m < b->made_count; m++) {
                    const LedgerTable *in = b->made[m];
                    verdict_rows(b, f, c, t, in, &in->table.verdicts);
                    for (int i = 0; i < in->also_count; i++) verdict_rows(b, f, c, t, in, &in->also[i]);
                }
                if (b->lines == before) add(b, f, c, t);
            }
        }
}

Rc ledger_make(Ledger *b, Session *s, const char *writeup, bool all, Error *e) {
    char **names;
    *b = (Ledger){.root = s->root};
    snprintf(b->profile, sizeof b->profile, "%s", s->profile);
    /* read_tables would take it for a profile that a file lacks */
    if (b->profile[0] && profile_check(b->profile, e)) return error_prefix(e, "--profile: ");
    int count = folder_names(SHOW_TEXT("%s/bench/experiments", s->root), ".yaml", &names);
    Rc rc = claims_read_all(&b->file, &b->files, s->root, writeup, e);
    if (!rc) rc = read_tables(b, s, names, count, all, e);
    if (!rc) rc = read_theory(b, s, e);
    if (!rc) write_lines(b);
    if (!rc) what_is_missing(b, s, names, count);
    if (!rc) ledger_judge(b);
    names_free(names, count);
    if (rc) ledger_release(b);
    return rc;
}

void ledger_release(Ledger *b) {
    for (int i = 0; i < b->made_count; i++) ledger_table_free(b->made[i]);
    for (int i = 0; i < b->files; i++) claims_release(&b->file[i]);
    free(b->made);
    free(b->part);
    free(b->file);
    free(b->line);
    free(b->stated);
    theory_release(&b->theory);
    for (int i = 0; i < b->judged_count; i++) {
        family_release(&b->judged[i]->family);
        free(b->judged[i]);
    }
    free(b->judged);
    free(b->claim);
    free(b->link);
    stored_release(&b->kept);
    *b = (Ledger){0};
}

void ledger_part(const LedgerPart *p, Text *out) {
    text_format(out, "%s %s: %d of %d runs are missing (%s)", p->name, p->profile, p->missing, p->runs, p->command);
}

void ledger_note_parts(const Ledger *b) {
    for (int i = 0; i < b->made_count; i++) {
        const LedgerTable *t = b->made[i];
        if (t->table.classes.length)
            terminal_say(stderr, "normbench: note: %s %s: runs of arithmetic class %s are taken\n", t->x.name,
                         t->x.profile, t->table.classes.at);
        if (t->records.notes[0])
            terminal_say(stderr, "normbench: note: %s %s: %s\n", t->x.name, t->x.profile, t->records.notes);
    }
    for (int i = 0; i < b->parts; i++) {
        LOCAL_TEXT(line);
        ledger_part(&b->part[i], &line);
        terminal_say(stderr, "normbench: note: not shown: %s\n", line.at);
    }
}

void ledger_class(const LedgerLine *l, Text *out) {
    const Table *t = &l->in->table;
    bool named = false;
    for (int f = 0; f < t->x->factors; f++) named |= !strcmp(t->x->factor[f].key, "precision");
    if (t->classes.length && !named) text_format(out, ", class %s", t->classes.at);
}

/* ---- The stored measurements in the ledger: of tests that nothing in the results at hand measures, or on other
 * experiments than those that do ---- */

/* Lines that are being written anew, stored ones behind those of their test. */
typedef struct {
    LedgerLine *at;
    int count;
} Lines;

static LedgerLine *add_line(Lines *lines, const LedgerLine *l) {
    lines->at = mem_grow(lines->at, (size_t)lines->count + 1, sizeof *lines->at);
    lines->at[lines->count] = *l;
    return &lines->at[lines->count++];
}

/* Whether the results at hand have the test on a stored contrast's experiment. */
static bool is_own(const Ledger *b, const LedgerLine *l, const StoredVerdict *v) {
    for (const LedgerLine *x = b->line; x < b->line + b->lines; x++)
        if (x->test == l->test && x->in && !strcmp(x->in->table.x->name, v->experiment)) return true;
    return false;
}

/* How well a stored verdict stands for a line that measures the same: stored for its test, its claim, or another. */
static int fits(const StoredVerdict *v, const LedgerLine *l) {
    bool of_claim = !strcmp(v->id, l->claim->id);
    return of_claim + (of_claim && json_get_whole(v->json, "test_at") == l->test - l->claim->test);
}

/* Whether another stored verdict of the same in the same place is taken for a line: tests share contrasts. Of those
 * that fit equally well the first is taken. */
static bool again(const Stored *s, const StoredVerdict *v, const LedgerLine *l) {
    for (const StoredVerdict *x = s->at; x < s->at + s->count; x++) {
        if (x == v || !x->contrast || strcmp(x->contrast, v->contrast) != 0 || strcmp(x->where, v->where) != 0)
            continue;
        if (fits(x, l) > fits(v, l) || (fits(x, l) == fits(v, l) && x < v)) return true;
    }
    return false;
}

/* Return true if the runs of an experiment of today cannot have the test's number. */
static bool refused(const Ledger *b, const ClaimTest *t, const char *experiment) {
    char why[CLAIM_WHY_SIZE];
    for (int i = 0; i < b->links; i++)
        if (!strcmp(b->link[i].name, experiment))
            return claim_refused(t, b->link[i].rates, b->link[i].quantize, why, sizeof why);
    return false;
}

static void add_contrasts(Ledger *b, Lines *lines, const LedgerLine *l) {
    LedgerLine bare = {.file = l->file, .claim = l->claim, .test = l->test};
    for (const StoredVerdict *v = b->kept.at; v < b->kept.at + b->kept.count; v++) {
        if (!v->contrast || (b->profile[0] && strcmp(v->profile, b->profile) != 0)) continue;
        if (!stored_measures(v, l->claim, l->test) || again(&b->kept, v, l)) continue;
        if (!ledger_linked(b, v->experiment, l->file->writeup) || is_own(b, l, v)) continue;
        if (refused(b, l->test, v->experiment)) continue;
        LedgerKept *kept = mem_alloc(1, sizeof *kept);
        b->judged = mem_grow(b->judged, (size_t)b->judged_count + 1, sizeof *b->judged);
        b->judged[b->judged_count++] = kept;
        int place = claim_place(l->test, v->experiment, &v->spec[0], v->step);
        kept->v = (ClaimVerdict){.claim = l->claim, .test = l->test, .place = place};
        LedgerLine *line = add_line(lines, &bare);
        line->stored = v, line->v = &kept->v, line->family = &kept->family, line->kept = kept;
    }
}

/* A statement that nothing here measured, as it was predicted then. */
static const StoredVerdict *find_statement(const Ledger *b, const LedgerLine *l) {
    for (const StoredVerdict *v = b->kept.at; v < b->kept.at + b->kept.count; v++)
        if (v->statement && !strcmp(v->statement, l->statement->name) && !strcmp(v->predicted, l->statement->predicted))
            return v;
    return NULL;
}

Rc ledger_add_stored(Ledger *b, const Session *s, Error *e) {
    char path[STORED_PATH_SIZE];
    Lines lines = {0};
    if (!file_exists(stored_file(s->root, path))) return RC_OK;
    if (stored_read(&b->kept, path, e)) return e->code;
    for (LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        bool last = l + 1 == b->line + b->lines || l[1].test != l->test || l[1].claim != l->claim;
        if (l->statement) {
            LedgerLine *line = add_line(&lines, l);
            if (!l->stated) line->stored = find_statement(b, l);
            continue;
        }
        int before = lines.count;
        if (l->v || !l->test || !l->test->test) add_line(&lines, l);
        if (l->test && l->test->test && last) add_contrasts(b, &lines, l);
        if (lines.count == before && last) add_line(&lines, l);
    }
    free(b->line);
    b->line = lines.at, b->lines = lines.count;
    ledger_judge(b);
    return RC_OK;
}
