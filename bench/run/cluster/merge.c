#include "bench/run/cluster/merge.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/run/cluster/share.h"
#include "bench/store/checkpoint.h"
#include "bench/store/plan_folder.h"
#include "bench/store/store.h"

static void say(Merge *m, const char *line) {
    m->problem = mem_grow(m->problem, (size_t)m->problems + 1, sizeof *m->problem);
    m->problem[m->problems++] = mem_text(line);
}

/* ---- arithmetic ---- */

static void arm_of(const RunRecord *r, char out[SHA256_HEX]) {
    RunSpec spec = r->spec;
    spec.seed = 0;
    spec_hash(&spec, out);
}

/* Return an accepted arithmetic of r's arm, NULL if r is its first; *same: it is r's. */
static MergedArm *arm_find(const Merge *m, const RunRecord *r, bool *same) {
    char arm[SHA256_HEX];
    MergedArm *first = NULL;
    *same = false;
    arm_of(r, arm);
    for (MergedArm *a = m->arm; a < m->arm + m->arms; a++) {
        if (strcmp(a->arm, arm) || strcmp(a->arithmetic_class, r->arithmetic_class)) continue;
        if (!first) first = a;
        *same |= !strcmp(a->arithmetic, r->arithmetic);
    }
    return first;
}

static void arm_add(Merge *m, const RunRecord *r, int folder) {
    m->arm = mem_grow(m->arm, (size_t)m->arms + 1, sizeof *m->arm);
    MergedArm *a = &m->arm[m->arms++];
    *a = (MergedArm){.folder = folder};
    arm_of(r, a->arm);
    memcpy(a->arithmetic_class, r->arithmetic_class, sizeof a->arithmetic_class);
    memcpy(a->arithmetic, r->arithmetic, sizeof a->arithmetic);
    snprintf(a->commit, sizeof a->commit, "%s", r->provenance.commit);
}

/* Return true if r's arithmetic is accepted. */
static bool arm_accepts(Merge *m, const RunRecord *r, int folder) {
    char line[1024];
    bool same;
    MergedArm *a = arm_find(m, r, &same);
    if (!a || (!same && a->folder == folder)) arm_add(m, r, folder);
    if (!a || same || a->folder == folder) return true;
    if (a->refused++) return false;
    snprintf(line, sizeof line,
             "%.200s: run %.12s was computed by another version of the program: arithmetic %.12s of commit %.40s here, "
             "%.12s of commit %.40s in %.200s; its arm is not merged (--results DIR merges it elsewhere)",
             m->folder[folder], r->id, r->arithmetic, r->provenance.commit, a->arithmetic, a->commit,
             m->folder[a->folder]);
    say(m, line);
    return false;
}

/* ---- one run ---- */

static bool same_bits(const RunRecord *a, const RunRecord *b) {
    bool same = !strcmp(a->status, b->status) && a->diverged_step == b->diverged_step &&
                !strcmp(a->loss_chain, b->loss_chain) && !strcmp(a->parameters_hash, b->parameters_hash);
    for (int i = 0; i < a->evaluations && same; i++) {
        const Evaluation *x = &a->evaluation[i], *y = record_at(b, x->step);
        same = y && !memcmp(&x->metric[METRIC_valid_loss], &y->metric[METRIC_valid_loss], sizeof(double));
    }
    return same && a->evaluations == b->evaluations;
}

/* Copy from/<r's id> to to/name, whole or not at all. */
static Rc copy_run(const RunRecord *r, const char *from, const char *to, const char *name, Error *e) {
    char aside[1400], path[1600], source[1600];
    snprintf(aside, sizeof aside, "%.1000s/.aside.%s.%ld", to, r->id, (long)getpid());
    Rc rc = folder_make_own(aside, e);
    for (int k = RECORD_FILES - 1; k >= 0 && !rc; k--) {
        char *bytes;
        size_t length;
        if (!record_has(r, k)) continue;
        snprintf(source, sizeof source, "%.1000s/%s/%s", from, r->id, record_files[k]);
        snprintf(path, sizeof path, "%s/%s", aside, record_files[k]);
        rc = file_read(source, &bytes, &length, e);
        if (rc) break;
        rc = file_write(path, bytes, length, e);
        free(bytes);
    }
    snprintf(path, sizeof path, "%.1000s/%s", to, name);
    if (!rc) rc = folder_publish(aside, path, e);
    if (rc) folder_remove(aside);
    return rc;
}

static Rc keep_both(Merge *m, const RunRecord *r, const char *from, Error *e) {
    char path[1400], to[1100], hash[SHA256_HEX], name[SHA256_HEX + 16], *bytes;
    size_t length;
    snprintf(path, sizeof path, "%.1000s/%s/record.json", from, r->id);
    if (file_read(path, &bytes, &length, e)) return e->code;
    snprintf(name, sizeof name, "%s.%.12s", r->id, sha256_hex_of(hash, bytes, length));
    free(bytes);
    snprintf(to, sizeof to, "%.1000s/conflicts", m->results);
    snprintf(path, sizeof path, "%s/%s", to, name);
    if (file_exists(path)) return RC_OK;
    return folder_make_own(to, e) ? e->code : copy_run(r, from, to, name, e);
}

/* Compare r with the existing run of its id. */
static Rc compare(Merge *m, const RunRecord *r, const char *from, int folder, MergeCount *count, Error *e) {
    LOCAL(record_release) RunRecord there = {0};
    char line[1024];
    if (record_read(&there, m->runs, r->id, e)) return store_damage(m->runs, r->id, e);
    bool same = same_bits(r, &there);
    if (same) {
        count->here++;
        return RC_OK;
    }
    count->conflicts++;
    snprintf(line, sizeof line,
             "%.200s: run %.12s has other bits than the one in %.200s; both are kept, this one in %.200s/conflicts",
             m->folder[folder], r->id, m->runs, m->results);
    say(m, line);
    return keep_both(m, r, from, e);
}

static bool identified(const RunRecord *r) {
    return record_identity_holds(r->id, &r->spec, r->dataset_sha256, r->tokenizer_sha256, r->arithmetic_class,
                                 r->arithmetic);
}

static Rc add_run(Merge *m, const char *from, const char *id, int folder, MergeCount *count, Error *e) {
    RunRecord r;
    Error why;
    char path[1400];
    count->runs++;
    Rc rc = record_read(&r, from, id, &why);
    if (rc == RC_UNMEASURED) {
        *e = why;
        return rc;
    }
    if (!rc && !identified(&r)) {
        record_release(&r);
        rc = error_set(&why, RC_INTEGRITY,
                       "%.400s/%.64s/record.json: the id is not that of its spec, corpus and arithmetic", from, id);
    }
    if (rc) {
        count->refused++;
        say(m, why.text);
        return RC_OK;
    }
    snprintf(path, sizeof path, "%.1000s/%s", m->runs, id);
    if (file_exists(path))
        rc = compare(m, &r, from, folder, count, e);
    else if (!arm_accepts(m, &r, folder))
        count->refused++;
    else if (!(rc = copy_run(&r, from, m->runs, id, e)))
        count->copied++;
    record_release(&r);
    return rc;
}

/* ---- folders ---- */

static bool is_folder(const char *path) {
    struct stat at;
    return !stat(path, &at) && S_ISDIR(at.st_mode);
}

static int ids_of(const char *folder, char ***names) {
    char **all;
    int count = folder_names(folder, "", &all), ids = 0;
    *names = mem_alloc((size_t)count + 1, sizeof **names);
    for (int i = 0; i < count; i++)
        if (store_is_id(all[i])) (*names)[ids++] = mem_text(all[i]);
    names_free(all, count);
    return ids;
}

static int name_folder(Merge *m, const char *folder) {
    m->folder = mem_grow(m->folder, (size_t)m->folders + 1, sizeof *m->folder);
    m->folder[m->folders] = mem_text(folder);
    return m->folders++;
}

void merge_open(Merge *m, const char *root, const char *results) {
    char **id;
    *m = (Merge){.root = root};
    snprintf(m->results, sizeof m->results, "%.1000s", results);
    snprintf(m->runs, sizeof m->runs, "%.1000s/runs", results);
    int target = name_folder(m, m->runs), count = ids_of(m->runs, &id);
    for (int i = 0; i < count; i++) {
        LOCAL(record_release) RunRecord r = {0};
        Error ignored;
        bool same;
        if (record_members(&r, m->runs, id[i], &ignored)) continue;
        (void)arm_find(m, &r, &same);
        if (!same) arm_add(m, &r, target);
    }
    names_free(id, count);
}

void merge_release(Merge *m) {
    names_free(m->folder, m->folders);
    names_free(m->problem, m->problems);
    free(m->arm);
    *m = (Merge){0};
}

/* What the user's folder is: runs/ of a results folder, or runs; of a plan's folder its word. */
typedef struct {
    char results[1100], runs[1200], word[PLAN_SLUG_SIZE]; /* word "": all runs are meant */
    char **id;
    int ids;
} MergeSource;

/* Keep the ids of the plan's runs alone. */
static Rc choose_plan(const Merge *m, const char *folder, MergeSource *from, Error *e) {
    LOCAL(plan_note_release) PlanNote note = {0};
    OWNED Experiment *x = mem_alloc(1, sizeof *x); /* too large for a small stack */
    Store stored;
    Records records;
    Rc rc = plan_note_read(&note, from->results, from->word, e);
    if (!rc) rc = plan_note_experiment(&note, m->root, from->word, x, e);
    if (!rc) {
        store_read(&stored, from->runs);
        rc = records_take(&records, &stored, x, false, e);
        if (!rc && records.missing)
            rc = error_set(e, RC_UNMEASURED, "merge: '%s': %d of %d runs of this plan are not in %s", folder,
                           records.missing, records.runs, from->runs);
        names_free(from->id, from->ids);
        from->ids = rc ? 0 : records.runs, from->id = mem_alloc((size_t)from->ids + 1, sizeof *from->id);
        for (int i = 0; i < from->ids; i++) from->id[i] = mem_text(records.at[i].id);
        if (!rc || rc == RC_UNMEASURED) records_release(&records);
        store_release(&stored);
        experiment_release(x);
    }
    return rc;
}

/* Return true if folder is results/out/WORD with a plan. */
static bool find_plan(const char *folder, MergeSource *from) {
    char path[PATH_MAX], *slash;
    snprintf(path, sizeof path, "%.1000s/plan.json", folder);
    if (!file_exists(path) || !realpath(folder, path) || strlen(path) > 1000) return false;
    slash = strrchr(path, '/');
    snprintf(from->word, sizeof from->word, "%s", slash + 1);
    *slash = 0;
    slash = strrchr(path, '/');
    if (!slash || strcmp(slash + 1, "out") != 0) return false;
    snprintf(from->results, sizeof from->results, "%.*s", (int)(slash - path), path);
    snprintf(from->runs, sizeof from->runs, "%s/runs", from->results);
    return true;
}

/* Find the runs that the user means. */
static Rc find_runs(const Merge *m, const char *folder, MergeSource *from, Error *e) {
    char here[PATH_MAX], there[PATH_MAX];
    struct stat at;
    if (!stat(folder, &at) && !S_ISDIR(at.st_mode))
        return error_set(e, RC_USAGE, "merge: '%s' is not a folder; unpack an archive first (tar -xf)", folder);
    if (!is_folder(folder)) return error_set(e, RC_USAGE, "merge: '%s': no such folder", folder);
    if (strlen(folder) > 1000) return error_set(e, RC_USAGE, "merge: '%.100s…': the path is too long", folder);
    *from = (MergeSource){.ids = 0};
    bool plan = find_plan(folder, from), whole = true;
    if (!plan) {
        snprintf(from->results, sizeof from->results, "%s", folder);
        snprintf(from->runs, sizeof from->runs, "%s/runs", folder);
        from->word[0] = 0, whole = is_folder(from->runs);
    }
    if (!whole) snprintf(from->results, sizeof from->results, "%s/..", folder);
    if (!whole) snprintf(from->runs, sizeof from->runs, "%s", folder);
    if (realpath(from->runs, here) && realpath(m->runs, there) && !strcmp(here, there))
        return error_set(e, RC_USAGE, "merge: '%s' is the folder that is merged into", folder);
    from->ids = ids_of(from->runs, &from->id);
    if (plan) return choose_plan(m, folder, from, e);
    if (from->ids || whole) return RC_OK;
    names_free(from->id, 0);
    return error_set(e, RC_USAGE, "merge: '%s' holds no runs: neither a folder runs/ nor a run's own folder", folder);
}

static int unfinished_in(const char *runs) {
    Lease *hold;
    char path[1400];
    int count = share_list(runs, &hold), open = 0;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%.1000s/%s", runs, hold[i].id);
        open += (!i || strcmp(hold[i].id, hold[i - 1].id) != 0) && !file_exists(path);
    }
    free(hold);
    return open;
}

/* Carry the plans of a results folder, or the one that is meant. */
static Rc carry_plans(const Merge *m, const MergeSource *from, MergeCount *count, Error *e) {
    char **word;
    int words = plan_slugs(from->results, &word);
    Rc rc = RC_OK;
    for (int i = 0; i < words && !rc; i++) {
        bool other = false;
        if (from->word[0] && strcmp(from->word, word[i]) != 0) continue;
        rc = plan_note_carry(from->results, m->results, word[i], &other, e);
        count->plans += other;
    }
    names_free(word, words);
    return rc;
}

Rc merge_add(Merge *m, const char *folder, MergeCount *count, Error *e) {
    MergeSource from;
    *count = (MergeCount){0};
    if (find_runs(m, folder, &from, e)) return e->code;
    int at = name_folder(m, folder);
    Rc rc = RC_OK;
    for (int i = 0; i < from.ids && !rc; i++) rc = add_run(m, from.runs, from.id[i], at, count, e);
    names_free(from.id, from.ids);
    if (!rc) rc = carry_plans(m, &from, count, e);
    count->unfinished = from.word[0] ? 0 : unfinished_in(from.runs);
    checkpoint_sweep(m->runs);
    return rc;
}
