#include "bench/store/listing.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/plan/declare.h"
#include "bench/plan/profile.h"
#include "bench/store/ended.h"
#include "bench/store/texts.h"

/* Plans of all files that are read; options: as in RunGroup. */
typedef struct {
    Experiment **at;
    char **options;
    int count;
} Plans;

static void plans_release(Plans *p) {
    for (int i = 0; i < p->count; i++) {
        experiment_release(p->at[i]);
        free(p->at[i]);
        free(p->options[i]);
    }
    free(p->at);
    free(p->options);
}

/* Takes x over, unless its plan is there under its name. Whether it did. */
static bool add_experiment(Plans *p, const Experiment *x, const char *options) {
    for (int i = 0; i < p->count; i++)
        if (!strcmp(p->at[i]->name, x->name) && !strcmp(p->at[i]->plan, x->plan)) return false;
    p->at = mem_grow(p->at, (size_t)p->count + 1, sizeof *p->at);
    p->options = mem_grow(p->options, (size_t)p->count + 1, sizeof *p->options);
    p->options[p->count] = mem_text(options);
    p->at[p->count] = mem_alloc(1, sizeof *x);
    *p->at[p->count++] = *x;
    return true;
}

/* Add a profile of a file, unless another profile of it has the same plan. */
static Rc add_plan(Plans *p, const char *path, const char *profile, const Overrides *o, Error *e) {
    Experiment x;
    if (experiment_read(&x, path, profile, o, e)) return e->code;
    if (!add_experiment(p, &x, "")) experiment_release(&x);
    return RC_OK;
}

/* Add every profile of a file, its first one first. */
static Rc add_profiles(Plans *p, const char *path, const Overrides *o, Error *e) {
    Error absent;
    if (add_plan(p, path, "", o, e)) return e->code;
    for (int i = 0; i < PROFILE_COUNT; i++) (void)add_plan(p, path, profile_info[i].name, o, &absent);
    return RC_OK;
}

static bool same_file(const char *a, const char *b) {
    OWNED char *x = realpath(a, NULL), *y = realpath(b, NULL);
    return x && y && !strcmp(x, y);
}

/* Write a note on stderr on a damaged plan.json, once in a command that lists twice. */
static void say_damage(const Error *why) {
    static char said[sizeof why->text];
    if (!strcmp(said, why->text)) return;
    snprintf(said, sizeof said, "%s", why->text);
    fprintf(stderr, "normbench: note: %s\n", why->text);
}

/* The plan that a folder of results/out remembers, if it is of `file` (NULL: of any). */
static void add_noted(Plans *p, const Session *s, const char *word, const char *file) {
    char path[1024];
    LOCAL(plan_note_release) PlanNote note = {0};
    Experiment x;
    Error none;
    if (plan_note_read(&note, s->results, word, &none)) say_damage(&none);
    if (!note.all) return;
    bool of = !file || (!experiment_find(path, sizeof path, s->root, note.experiment, &none) && same_file(path, file));
    if (of && !plan_note_experiment(&note, s->root, word, &x, &none)) {
        LOCAL_TEXT(options);
        if (json_array_size(note.set) || json_array_size(note.arm)) plan_note_options(&note, &options);
        if (!add_experiment(p, &x, options.at)) experiment_release(&x);
    }
}

static void add_all_noted(Plans *p, const Session *s, const char *file) {
    char **words;
    int count = plan_slugs(s->results, &words);
    for (int i = 0; i < count; i++) add_noted(p, s, words[i], file);
    names_free(words, count);
}

static Rc read_plans(Plans *p, const Session *s, const char *experiment, Error *e) {
    char path[1400], **names;
    Error ignored;
    if (s->recalled.all) {
        Experiment x;
        if (session_plan(s, experiment, &x, e)) return e->code;
        add_experiment(p, &x, "");
        return RC_OK;
    }
    if (experiment) {
        if (experiment_find(path, 1024, s->root, experiment, e)) return e->code;
        if (s->profile[0]) return add_plan(p, path, s->profile, &s->overrides, e);
        if (add_profiles(p, path, &s->overrides, e)) return e->code;
        if (!s->overrides.sets && !s->overrides.arms) add_all_noted(p, s, path);
        return RC_OK;
    }
    snprintf(path, sizeof path, "%s/bench/experiments", s->root);
    int count = folder_names(path, ".yaml", &names);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/bench/experiments/%s.yaml", s->root, names[i]);
        (void)add_profiles(p, path, NULL, &ignored); /* a file that does not read plans nothing */
    }
    names_free(names, count);
    add_all_noted(p, s, NULL);
    return RC_OK;
}

static ListedRun *add_run(Listing *l, const RunRecord *r, int group, int place) {
    l->run = mem_grow(l->run, (size_t)l->runs + 1, sizeof *l->run);
    ListedRun *run = &l->run[l->runs++];
    *run = (ListedRun){.record = r, .group = group, .place = place};
    return run;
}

static RunGroup *add_group(Listing *l, const char *options) {
    l->group = mem_grow(l->group, (size_t)l->groups + 1, sizeof *l->group);
    l->group[l->groups] = (RunGroup){.options = mem_text(options)};
    return &l->group[l->groups++];
}

/* Index of stored records: the store, the records' specs sorted by `resemble`, and which records a plan has. */
typedef struct {
    const Store *stored;
    const RunSpec **spec;
    bool *planned; /* [records] */
} Stored;

/* Compare specs by the keys that differ most often. */
static int resemble(const void *a, const void *b) {
    const RunSpec *x = *(const RunSpec *const *)a, *y = *(const RunSpec *const *)b;
    if (x->seed != y->seed) return x->seed < y->seed ? -1 : 1;
    if (x->steps != y->steps) return x->steps < y->steps ? -1 : 1;
    if (x->width != y->width) return x->width < y->width ? -1 : 1;
    if (x->layers != y->layers) return x->layers < y->layers ? -1 : 1;
    if (x->precision != y->precision) return x->precision < y->precision ? -1 : 1;
    return (x->lr > y->lr) - (x->lr < y->lr);
}

/* Return true if any record may be of a spec. This is far quicker than making its text and hash, and few of the runs of
 * all plans are stored. */
static bool resembles_one(const Listing *l, const Stored *s, const RunSpec *x) {
    return bsearch(&x, s->spec, (size_t)l->records, sizeof *s->spec, resemble) != NULL;
}

/* Take the records of a spec. */
static void take_run(Listing *l, const Stored *s, const RunSpec *spec, int group, int place, const Arm *arm) {
    char hash[SHA256_HEX];
    int count;
    if (!resembles_one(l, s, spec)) return;
    RunSpec bytes = spec_by_bytes(spec);
    spec_hash(&bytes, hash);
    const RecordHead *h = store_find(s->stored, hash, &count);
    for (int i = 0; i < count; i++) {
        ListedRun *run = add_run(l, &l->record[h + i - s->stored->head], group, place);
        snprintf(run->arm, sizeof run->arm, "%s", arm->name);
        snprintf(run->label, sizeof run->label, "%s", arm->label);
        s->planned[h + i - s->stored->head] = true;
    }
}

/* Take the stored runs of a plan, of every precision if it leaves that open, and mark them as planned. */
static void take_plan(Listing *l, const Stored *s, const Experiment *x, const char *options) {
    RunGroup *g = add_group(l, options);
    int group = l->groups - 1, place = 0;
    bool open = experiment_leaves_precision(x);
    snprintf(g->experiment, sizeof g->experiment, "%s", x->name);
    snprintf(g->profile, sizeof g->profile, "%s", x->profile);
    snprintf(g->plan, sizeof g->plan, "%s", x->plan);
    snprintf(g->file, sizeof g->file, "%s", x->file);
    for (int cell = 0; cell < experiment_cells(x); cell++)
        for (int arm = 0; arm < x->arms; arm++)
            for (int seed = 0; seed < x->seeds; seed++, place++) {
                RunSpec spec = experiment_spec(x, cell, arm, seed);
                int before = l->runs, own = spec.precision;
                for (int p = 0; p < PRECISION_COUNT; p++) {
                    if (!open && p != own) continue;
                    spec.precision = p;
                    take_run(l, s, &spec, group, place, &x->arm[arm]);
                }
                l->group[group].planned++;
                l->group[group].stored += l->runs > before;
            }
}

/* Return how many keys an arm itself sets if a run has these and its columns; -1: it has not. */
static int arm_fits(const Arm *a, const RunSpec *s) {
    char want[SPEC_TEXT_SIZE], is[SPEC_TEXT_SIZE];
    int own = 0;
    for (int i = 0; i < variant_key_count; i++)
        if (strcmp(variant_get(want, &a->spec.variant, variant_keys[i]), variant_get(is, &s->variant, variant_keys[i])))
            return -1;
    for (int i = 0; i < spec_key_count; i++) {
        if (!(a->own >> i & 1)) continue;
        if (strcmp(spec_get(want, &a->spec, spec_keys[i]), spec_get(is, s, spec_keys[i]))) return -1;
        own++;
    }
    return own;
}

static void name_arm(ListedRun *run, const Plans *p, const char *experiment) {
    const Arm *best = NULL;
    int most = -1;
    for (int i = 0; i < p->count; i++)
        for (const Arm *a = p->at[i]->arm; !strcmp(p->at[i]->name, experiment) && a < p->at[i]->arm + p->at[i]->arms;
             a++) {
            int fits = arm_fits(a, &run->record->spec);
            if (fits > most) best = a, most = fits;
        }
    snprintf(run->arm, sizeof run->arm, "%s", best ? best->name : run->record->spec.variant.name);
    snprintf(run->label, sizeof run->label, "%s", best ? best->label : run->arm);
}

/* Append " on other bytes of text:mine.txt (SHA-256 0123456789ab)" for a run whose text has changed. */
static void other_bytes(const RunRecord *r, const Experiment *of, Text *out) {
    for (int i = 0; of && spec_own_text(&r->spec) && i < of->texts; i++)
        if (of->text[i].sha256[0] && !strcmp(of->text[i].name.text, r->spec.dataset.text) &&
            strcmp(of->text[i].sha256, r->dataset_sha256) != 0)
            text_format(out, " on other bytes of %s (SHA-256 %.12s)", r->spec.dataset.text, r->dataset_sha256);
}

/* Assign a run that no profile plans to the file whose plan it declares. */
static void take_unplanned(Listing *l, const RunRecord *r, const Plans *p, bool of_files) {
    LOCAL_TEXT(line);
    LOCAL_TEXT(text);
    char plan[SHA256_HEX] = "";
    const Experiment *of = NULL;
    if (r->declared && !strncmp(r->declared, "plan ", 5)) snprintf(plan, sizeof plan, "%.64s", r->declared + 5);
    for (int i = 0; i < p->count && !of; i++) {
        declare_plan(p->at[i], &line);
        if (declared(r->declared, line.at)) of = p->at[i];
    }
    if (!of && of_files) return;
    const char *experiment = of ? of->name : "";
    int group = 0;
    other_bytes(r, of, &text);
    while (group < l->groups && (l->group[group].planned || strcmp(l->group[group].plan, plan) ||
                                 strcmp(l->group[group].options, text.at) ||
                                 strcmp(l->group[group].experiment, experiment)))
        group++;
    RunGroup *g = group < l->groups ? &l->group[group] : add_group(l, text.at);
    snprintf(g->experiment, sizeof g->experiment, "%s", experiment);
    snprintf(g->plan, sizeof g->plan, "%s", plan);
    g->stored++;
    name_arm(add_run(l, r, group, 0), p, experiment);
}

static int by_order(const void *a, const void *b) {
    const ListedRun *x = a, *y = b;
    const RunSpec *s = &x->record->spec, *t = &y->record->spec;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    int order = strcmp(x->arm, y->arm);
    if (order) return order;
    if (s->lr < t->lr || s->lr > t->lr) return s->lr < t->lr ? -1 : 1;
    if (s->steps != t->steps) return s->steps < t->steps ? -1 : 1;
    if (s->seed != t->seed) return s->seed < t->seed ? -1 : 1;
    return strcmp(x->record->id, y->record->id);
}

/* Records of a listing while threads read them. */
typedef struct {
    RunRecord *at;
    const Store *stored;
    Error *error; /* one for each */
} Reading;

static void read_one(void *context, int i) {
    const Reading *g = context;
    g->error[i] = (Error){0};
    (void)record_read_ended(&g->at[i], g->stored->folder, g->stored->head[i].id, &g->error[i]);
}

/* Read the record of each head; those that do not read are damaged, as heads that do not. */
static void read_records(Listing *l, Store *stored) {
    const int damaged = stored->damaged, heads = stored->heads;
    OWNED Error *error = mem_alloc((size_t)heads, sizeof *error);
    pool_run(pool_processors(), heads, read_one, &(Reading){l->record, stored, error});
    for (int i = 0; i < heads; i++)
        if (error[i].code)
            store_drop(stored, l->records, &error[i]);
        else
            l->record[l->records++] = l->record[i];
    if (stored->damaged > damaged) store_say_damage(stored);
}

Rc listing_make(Listing *l, const Session *s, Store *stored, const char *experiment, Error *e) {
    Plans plans = {0};
    *l = (Listing){0};
    l->record = mem_alloc((size_t)stored->heads, sizeof *l->record);
    Stored in = {.stored = stored,
                 .spec = mem_alloc((size_t)stored->heads, sizeof *in.spec),
                 .planned = mem_alloc((size_t)stored->heads, sizeof *in.planned)};
    Rc rc = read_plans(&plans, s, experiment, e);
    if (!rc) {
        read_records(l, stored);
        for (int i = 0; i < l->records; i++) in.spec[i] = &l->record[i].spec;
        if (l->records) qsort(in.spec, (size_t)l->records, sizeof *in.spec, resemble);
        for (int i = 0; i < plans.count; i++) texts_find(s, plans.at[i]), texts_recall(stored, plans.at[i], NULL);
        for (int i = 0; i < plans.count; i++) take_plan(l, &in, plans.at[i], plans.options[i]);
        bool changed = experiment && (s->overrides.sets || s->overrides.arms || s->profile[0]);
        for (int i = 0; i < l->records && !changed; i++)
            if (!in.planned[i]) take_unplanned(l, &l->record[i], &plans, experiment != NULL);
        if (l->runs) qsort(l->run, (size_t)l->runs, sizeof *l->run, by_order);
    } else
        listing_release(l);
    plans_release(&plans);
    free(in.planned);
    free(in.spec);
    return rc;
}

void listing_release(Listing *l) {
    for (int i = 0; i < l->records; i++) record_release(&l->record[i]);
    for (int i = 0; i < l->groups; i++) free(l->group[i].options);
    free(l->record);
    free(l->group);
    free(l->run);
    *l = (Listing){0};
}

const Evaluation *listing_last(const RunRecord *r) {
    return r->diverged_step < 0 && r->evaluations ? &r->evaluation[r->evaluations - 1] : NULL;
}

/* Keys that are not keys of specs. */
static const char *const more_keys[] = {"experiment", "profile", "plan", "arm", "seed", "class", "status"};
enum { MORE_KEYS = sizeof more_keys / sizeof *more_keys };

static bool is(const char *key, const char *name) {
    return !strcmp(key, name);
}

static bool is_more(const char *key) {
    int i = 0;
    while (i < MORE_KEYS && !is(key, more_keys[i])) i++;
    return i < MORE_KEYS;
}

char *listing_value(char *out, const Listing *l, const ListedRun *run, const char *key) {
    const RunGroup *g = &l->group[run->group];
    const RunRecord *r = run->record;
    const char *text = is(key, "experiment") ? g->experiment
                       : is(key, "profile")  ? g->profile
                       : is(key, "arm")      ? run->arm
                       : is(key, "class")    ? r->arithmetic_class
                       : is(key, "status")   ? record_status(r)
                       : is(key, "variant")  ? r->spec.variant.name
                                             : NULL;
    if (text)
        snprintf(out, SPEC_TEXT_SIZE, "%s", text);
    else if (is(key, "plan"))
        snprintf(out, SPEC_TEXT_SIZE, "%.8s", g->plan);
    else if (is(key, "seed"))
        snprintf(out, SPEC_TEXT_SIZE, "%llu", (unsigned long long)r->spec.seed);
    else
        spec_get(out, &r->spec, key);
    return out;
}

char *listing_shown(char *out, const Listing *l, const ListedRun *run, const char *key) {
    char value[SPEC_TEXT_SIZE];
    return spec_shown(out, key, listing_value(value, l, run, key));
}

void listing_values(const Listing *l, const char *key, int most, Text *out) {
    char value[SPEC_TEXT_SIZE];
    void *seen = NULL; /* a tree of <search.h> */
    int shown = 0, more = 0;
    for (int i = 0; i < l->runs; i++) {
        listing_shown(value, l, &l->run[i], key);
        if (!value[0] || tfind(value, &seen, text_order)) continue;
        if (!tsearch(mem_text(value), &seen, text_order)) mem_end(sizeof seen);
        if (shown < most)
            text_format(out, "%s%s", shown++ ? ", " : "", value);
        else
            more++;
    }
    tdestroy(seen, free);
    if (more) text_format(out, ", and %d more", more);
}

/* Write a filter's value in listing_value's form. */
static Rc canonical(char *out, const char *key, const char *value, Error *e) {
    RunSpec scratch;
    int64_t seed;
    spec_init(&scratch);
    snprintf(out, SPEC_TEXT_SIZE, "%s", value);
    if (is(key, "plan") && strlen(value) > 8) out[8] = 0;
    if (is(key, "seed") && (!parse_integer(value, &seed) || seed < 0))
        return error_set(e, RC_USAGE, "seed: '%.60s' is not a number from 0", value);
    if (is_more(key)) return RC_OK;
    if (is(key, "base") || (!is(key, "variant") && !spec_has(key))) {
        int i = 0;
        while (i < variant_key_count && !is(key, variant_keys[i])) i++;
        if (i == variant_key_count) return spec_unknown(key, more_keys, MORE_KEYS, e);
    }
    if (spec_set(&scratch, key, value, e)) return e->code;
    if (!is(key, "variant")) spec_get(out, &scratch, key);
    return RC_OK;
}

/* Set keep[runs] for runs with the value; return how many. row: compare an arm with its variant's row. */
static int match(const Listing *l, const char *key, const char *value, bool row, bool *keep) {
    char has[SPEC_TEXT_SIZE];
    int kept = 0;
    for (int i = 0; i < l->runs; i++) {
        const ListedRun *run = &l->run[i];
        listing_value(has, l, run, row ? "variant" : key);
        keep[i] = is(key, "plan") ? !strncmp(has, value, strlen(value)) : is(has, value);
        keep[i] |= is(key, "arm") && !row && is(run->label, value);
        kept += keep[i];
    }
    return kept;
}

Rc listing_keep(Listing *l, const char *filter, Error *e) {
    char key[SPEC_KEY_SIZE], value[SPEC_TEXT_SIZE];
    const char *at = strchr(filter, '=');
    if (!at || at == filter || (size_t)(at - filter) >= sizeof key)
        return error_set(e, RC_USAGE, "'%.80s' is no key=value, such as arm=pre, lr=1e-3, seed=3 or status=diverged",
                         filter);
    snprintf(key, sizeof key, "%.*s", (int)(at - filter), filter);
    if (canonical(value, key, at + 1, e)) return e->code;
    OWNED bool *keep = mem_alloc((size_t)l->runs, sizeof *keep);
    int kept = match(l, key, value, false, keep), written = 0;
    if (!kept && is(key, "arm")) kept = match(l, key, value, true, keep);
    if (!kept) {
        LOCAL_TEXT(there);
        listing_values(l, key, 24, &there);
        if (l->runs)
            error_set(e, RC_USAGE, "no stored run has %s=%s (of %d); there %s: %.600s", key, at + 1, l->runs,
                      strchr(there.at, ',') ? "are" : "is", there.length ? there.at : "none");
        else
            error_set(e, RC_USAGE, "no run is stored, so none has %s=%s", key, at + 1);
    }
    for (int i = 0; i < l->runs && kept; i++)
        if (keep[i]) l->run[written++] = l->run[i];
    if (kept) l->runs = written;
    return kept ? RC_OK : e->code;
}

/* Runs that are compared with each other. */
typedef enum { ALL_RUNS, SAME_EXPERIMENT, SAME_ARM } Scope;

static bool in_scope(const Listing *l, const ListedRun *a, const ListedRun *b, Scope scope) {
    switch (scope) {
    case ALL_RUNS: return true;
    case SAME_EXPERIMENT: return is(l->group[a->group].experiment, l->group[b->group].experiment);
    case SAME_ARM: return a->group == b->group && is(a->arm, b->arm);
    }
    return false;
}

/* Return true if runs of the group (-1: all) differ in a key; each run is compared with the first of its scope. */
static bool differs(const Listing *l, int group, const char *key, Scope scope) {
    struct {
        const ListedRun *run;
        char value[SPEC_TEXT_SIZE];
    } *first = NULL;
    char value[SPEC_TEXT_SIZE];
    int firsts = 0;
    bool differ = false;
    for (const ListedRun *run = l->run; run < l->run + l->runs && !differ; run++) {
        if (group >= 0 && run->group != group) continue;
        int i = firsts - 1;
        while (i >= 0 && !in_scope(l, first[i].run, run, scope)) i--;
        listing_value(value, l, run, key);
        if (i >= 0) {
            differ = !is(first[i].value, value);
            continue;
        }
        first = mem_grow(first, (size_t)firsts + 1, sizeof *first);
        first[firsts].run = run;
        strcpy(first[firsts++].value, value);
    }
    free(first);
    return differ;
}

int listing_differ(const Listing *l, int group, bool same_arm, const char *out[LISTING_KEYS_MAX]) {
    static const struct {
        const char *key;
        Scope scope;
    } front[] = {{"experiment", ALL_RUNS}, {"profile", SAME_EXPERIMENT}, {"plan", SAME_EXPERIMENT}, {"arm", ALL_RUNS}};
    static const char *const behind[] = {"seed", "class"};
    int count = 0;
    bool profile = false;
    for (int i = 0; i < 4 && !same_arm; i++) {
        if (!differs(l, group, front[i].key, front[i].scope) || (is(front[i].key, "plan") && profile)) continue;
        profile |= is(front[i].key, "profile");
        out[count++] = front[i].key;
    }
    for (int i = 0; i < spec_key_count; i++)
        if (differs(l, group, spec_keys[i], SAME_ARM)) out[count++] = spec_keys[i];
    for (int i = 0; i < variant_key_count; i++)
        if (differs(l, group, variant_keys[i], SAME_ARM)) out[count++] = variant_keys[i];
    for (int i = 0; i < 2 && !same_arm; i++)
        if (differs(l, group, behind[i], SAME_ARM)) out[count++] = behind[i];
    return count;
}

bool listing_twins(const Listing *l, int group) {
    for (int i = 1; i < l->runs; i++) {
        const ListedRun *a = &l->run[i - 1], *b = &l->run[i];
        if (a->group != b->group || (group >= 0 && a->group != group)) continue;
        if (is(a->record->spec_sha256, b->record->spec_sha256) &&
            is(a->record->arithmetic_class, b->record->arithmetic_class))
            return true;
    }
    return false;
}
