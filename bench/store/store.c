#include "bench/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/store/texts.h"

static int by_spec(const void *a, const void *b) {
    const RecordHead *x = a, *y = b;
    int order = strcmp(x->spec_sha256, y->spec_sha256);
    return order ? order : strcmp(x->id, y->id);
}

Rc store_damage(const char *folder, const char *id, Error *e) {
    if (e->code == RC_USAGE) e->code = RC_INTEGRITY;
    if (e->code == RC_INTEGRITY) error_add(e, "; move the folder %s/%s away to train this run again", folder, id);
    return e->code;
}

bool store_is_id(const char *name) {
    return strspn(name, "0123456789abcdef") == SHA256_HEX - 1 && !name[SHA256_HEX - 1];
}

/* Heads of a folder's runs while threads read them. */
typedef struct {
    const char *folder;
    char **name;
    RecordHead *head; /* [names]; empty if it cannot be read */
    Error *error;
} Heads;

static void read_one_head(void *context, int i) {
    const Heads *g = context;
    g->error[i] = (Error){0};
    if (store_is_id(g->name[i])) (void)record_head(&g->head[i], g->folder, g->name[i], &g->error[i]);
}

static void note_damage(Store *s, const char *id, Error *e) {
    (void)store_damage(s->folder, id, e);
    if (!s->damaged) s->damage = *e;
    s->damaged_id = mem_grow(s->damaged_id, (size_t)s->damaged + 1, sizeof *s->damaged_id);
    memcpy(s->damaged_id[s->damaged++], id, SHA256_HEX);
}

void store_drop(Store *s, int head, Error *e) {
    note_damage(s, s->head[head].id, e);
    qsort(s->damaged_id, (size_t)s->damaged, sizeof *s->damaged_id, text_order);
    s->heads--;
    memmove(s->head + head, s->head + head + 1, (size_t)(s->heads - head) * sizeof *s->head);
}

void store_say_damage(const Store *s) {
    static char said[sizeof s->damage.text]; /* a command that reads a store twice says it once */
    if (!strcmp(said, s->damage.text)) return;
    snprintf(said, sizeof said, "%s", s->damage.text);
    fprintf(stderr, "normbench: note: %d folder%s of %s do%s not read, the first: %s\n", s->damaged,
            s->damaged == 1 ? "" : "s", s->folder, s->damaged == 1 ? "es" : "", s->damage.text);
}

void store_read(Store *s, const char *folder) {
    *s = (Store){0};
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    char **name;
    int count = folder_names(folder, "", &name);
    Heads g = {folder, name, mem_alloc((size_t)count, sizeof *g.head), mem_alloc((size_t)count, sizeof *g.error)};
    pool_run(pool_processors(), count, read_one_head, &g);
    s->head = g.head;
    for (int i = 0; i < count; i++) {
        if (!store_is_id(name[i])) continue;
        if (g.error[i].code)
            note_damage(s, name[i], &g.error[i]);
        else
            s->head[s->heads++] = g.head[i];
    }
    free(g.error);
    names_free(name, count);
    if (s->heads) qsort(s->head, (size_t)s->heads, sizeof *s->head, by_spec);
    if (s->damaged) store_say_damage(s);
}

void store_release(Store *s) {
    free(s->head);
    free(s->damaged_id);
    *s = (Store){0};
}

const RecordHead *store_find(const Store *s, const char *spec_sha256, int *count) {
    int low = 0, high = s->heads;
    while (low < high) {
        int middle = (low + high) / 2;
        if (strcmp(s->head[middle].spec_sha256, spec_sha256) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < s->heads && !strcmp(s->head[low + *count].spec_sha256, spec_sha256);) ++*count;
    return *count ? &s->head[low] : NULL;
}

/* One run of an experiment, its records, and the one that is taken (NULL: none). */
typedef struct {
    RunSpec spec;
    const RecordHead *found, *taken;
    int count;
} Wanted;

/* Runs of an arm in a cell: its seeds. */
typedef struct {
    Wanted *run;
    int runs;
    bool several;           /* it has records of several arithmetics or corpora */
    int64_t since, newest; /* several: when the first record of the taken one was made; the last of them */
} Unit;

static bool in_class(const RecordHead *h, const char *arithmetic_class) {
    return !strcmp(h->arithmetic_class, arithmetic_class);
}

static bool alike(const RecordHead *a, const RecordHead *b) {
    return in_class(a, b->arithmetic_class) && !strcmp(a->arithmetic, b->arithmetic) &&
           !strcmp(a->dataset_sha256, b->dataset_sha256) && !strcmp(a->tokenizer_sha256, b->tokenizer_sha256);
}

/* Rank of a set of records; the greatest is taken. */
typedef struct {
    int64_t made;
    int runs;
} Standing;

/* Return the rank of the unit's records with h's arithmetic and corpus: the last one's time, and the number of seeds.
 * */
static Standing standing(const Unit *u, const RecordHead *h, int64_t *first) {
    Standing s = {0};
    *first = INT64_MAX;
    for (const Wanted *w = u->run; w < u->run + u->runs; w++)
        for (const RecordHead *o = w->found; o < w->found + w->count; o++) {
            if (!alike(o, h)) continue;
            s.runs++;
            if (o->made > s.made) s.made = o->made;
            if (o->made < *first) *first = o->made;
        }
    return s;
}

/* Take the newest arithmetic of a class for a unit. */
static void take_unit(Unit *u, const char *arithmetic_class) {
    const RecordHead *best = NULL;
    Standing at = {0};
    int64_t first;
    for (const Wanted *w = u->run; w < u->run + u->runs; w++)
        for (const RecordHead *h = w->found; h < w->found + w->count; h++) {
            if (!in_class(h, arithmetic_class) || (best && alike(best, h))) continue;
            Standing now = standing(u, h, &first);
            u->several |= best != NULL;
            if (best && (now.made < at.made || (now.made == at.made && now.runs < at.runs))) continue;
            if (best && now.made == at.made && now.runs == at.runs && strcmp(h->arithmetic, best->arithmetic) < 0)
                continue;
            best = h, at = now, u->since = first, u->newest = now.made;
        }
    for (Wanted *w = u->run; best && w < u->run + u->runs; w++)
        for (const RecordHead *h = w->found; h < w->found + w->count; h++)
            if (alike(h, best)) w->taken = h;
}

/* A class of the records of one precision. */
typedef struct {
    const char *name;
    Standing at;
    int last; /* index of the last run counted */
} ClassFound;

static bool before(const ClassFound *a, const ClassFound *b) {
    bool a_canon = !strcmp(a->name, "canon"), b_canon = !strcmp(b->name, "canon");
    if (a->at.runs != b->at.runs) return a->at.runs > b->at.runs;
    if (a_canon != b_canon) return a_canon;
    return a->at.made != b->at.made ? a->at.made > b->at.made : strcmp(a->name, b->name) < 0;
}

static void count_class(ClassFound **all, int *classes, const RecordHead *h, int run) {
    int i = 0;
    while (i < *classes && strcmp((*all)[i].name, h->arithmetic_class)) i++;
    if (i == *classes) {
        *all = mem_grow(*all, (size_t)++*classes, sizeof **all);
        (*all)[i] = (ClassFound){.name = h->arithmetic_class, .last = -1};
    }
    ClassFound *c = &(*all)[i];
    c->at.runs += c->last != run;
    c->last = run;
    if (h->made > c->at.made) c->at.made = h->made;
}

/* Return the class of the runs of a precision; "": none is stored. */
static const char *choose_class(const Wanted *run, int runs, PrecisionKind p, Text *notes) {
    ClassFound *all = NULL, *best = NULL;
    int classes = 0;
    for (int i = 0; i < runs; i++)
        for (int k = 0; k < run[i].count && (PrecisionKind)run[i].spec.precision == p; k++)
            count_class(&all, &classes, &run[i].found[k], i);
    for (int i = 0; i < classes; i++)
        if (!best || before(&all[i], best)) best = &all[i];
    const char *name = best ? best->name : "";
    if (classes > 1) {
        text_format(notes, "Of precision %s, runs of several arithmetic classes are stored:", precision_name(p));
        for (int i = 0; i < classes; i++) text_format(notes, " %s%s", all[i].name, i < classes - 1 ? "," : "");
        text_format(notes, "; those of %s are taken. ", name);
    }
    free(all);
    return name;
}

/* Append notes on records left out, and on arms whose runs are older than the change of arithmetic. */
static void note_units(const Unit *unit, int units, const Experiment *x, Text *notes) {
    int64_t change = 0;
    bool any = false;
    for (int i = 0; i < units; i++)
        if (unit[i].several && unit[i].since > change) change = unit[i].since;
    for (int pass = 0; pass < 2; pass++) {
        int named = 0;
        for (int arm = 0; arm < x->arms; arm++) {
            bool here = false;
            for (int i = arm; i < units; i += x->arms)
                here |= pass ? any && !unit[i].several && unit[i].newest < change : unit[i].several;
            if (!here) continue;
            text_format(
                notes, "%s%s",
                named++ ? ", "
                : pass  ? "Older than that change, and not known to be affected by it: "
                        : "Stored in several arithmetics (an older build's bits), of which only the newest is taken: ",
                x->arm[arm].name);
        }
        any |= named > 0;
        if (named) text_format(notes, "%s", pass ? " (`normbench run` checks). " : ". ");
    }
}

static Rc check_corpora(const Wanted *run, int runs, Error *e) {
    for (int i = 1; i < runs; i++)
        for (int j = 0; j < i; j++) {
            const RecordHead *a = run[i].taken, *b = run[j].taken;
            if (!a || !b || strcmp(run[i].spec.dataset.text, run[j].spec.dataset.text) ||
                strcmp(run[i].spec.tokenizer.text, run[j].spec.tokenizer.text))
                continue;
            if (strcmp(a->dataset_sha256, b->dataset_sha256) || strcmp(a->tokenizer_sha256, b->tokenizer_sha256))
                return error_set(
                    e, RC_UNMEASURED,
                    "runs %.12s and %.12s were trained on different bytes of '%s': normbench run trains what "
                    "today's corpus lacks",
                    a->id, b->id, run[i].spec.dataset.text);
            break; /* the previous one already represents this corpus */
        }
    return RC_OK;
}

/* Choose records for x's present specs. */
static int choose(Wanted *run, Unit *unit, const Store *s, const Experiment *x, Text *notes) {
    int runs = 0, units = 0, missing = 0;
    const char *arithmetic_class[PRECISION_COUNT];
    char(*hash)[SHA256_HEX] = mem_alloc((size_t)x->seeds, sizeof *hash);
    for (int cell = 0; cell < experiment_cells(x); cell++)
        for (int arm = 0; arm < x->arms; arm++) {
            unit[units++] = (Unit){.run = &run[runs], .runs = x->seeds};
            if (s->heads) experiment_hashes(x, cell, arm, hash);
            RunSpec spec = experiment_spec(x, cell, arm, 0);
            for (int seed = 0; seed < x->seeds; seed++) {
                Wanted *w = &run[runs++];
                spec.seed = x->seed[seed];
                *w = (Wanted){.spec = spec};
                if (s->heads) w->found = store_find(s, hash[seed], &w->count);
            }
        }
    free(hash);
    for (PrecisionKind p = 0; p < PRECISION_COUNT; p++) arithmetic_class[p] = choose_class(run, runs, p, notes);
    for (int i = 0; i < units; i++) take_unit(&unit[i], arithmetic_class[unit[i].run->spec.precision]);
    for (int i = 0; i < runs; i++) missing += !run[i].taken;
    note_units(unit, units, x, notes);
    return missing;
}

static bool holds_precision(const Store *s, PrecisionKind p) {
    bool holds = false;
    for (int i = 0; i < s->heads && !holds; i++) holds = s->head[i].precision == p;
    return holds;
}

static void set_precision(Experiment *x, PrecisionKind p) {
    for (int i = 0; i < x->arms; i++) x->arm[i].spec.precision = (int)p;
}

/* Choose records in the experiment's precision or, if it leaves that open, in the first that is complete. */
static void choose_precision(Records *r, Wanted *run, Unit *unit, const Store *s, Experiment *x, bool precise,
                             Text *notes) {
    r->missing = choose(run, unit, s, x, notes);
    if (!r->missing || precise || !experiment_leaves_precision(x)) return;
    for (PrecisionKind p = PRECISION_fp32; p < PRECISION_COUNT; p++) {
        if (!holds_precision(s, p)) continue;
        text_clear(notes);
        set_precision(x, p);
        int missing = choose(run, unit, s, x, notes);
        if (missing) continue;
        r->missing = 0, r->precision = p;
        return;
    }
    text_clear(notes);
    set_precision(x, PRECISION_exact);
    r->missing = choose(run, unit, s, x, notes);
}

/* List one record of each arithmetic and corpus of the unit in kind[]; return how many. */
static int kinds_of(const Unit *u, const RecordHead ***kind) {
    int kinds = 0;
    for (const Wanted *w = u->run; w < u->run + u->runs; w++)
        for (const RecordHead *h = w->found; h < w->found + w->count; h++) {
            int i = 0;
            while (i < kinds && !alike((*kind)[i], h)) i++;
            if (i < kinds) continue;
            *kind = mem_grow(*kind, (size_t)kinds + 1, sizeof **kind);
            (*kind)[kinds++] = h;
        }
    return kinds;
}

/* Report a missing run whose folder is damaged. Its id is known if another seed of the unit is stored, whose corpus and
 * arithmetic it shares. */
static Rc check_missing(const Store *s, const Unit *unit, int units, Error *e) {
    OWNED const RecordHead **kind = NULL;
    RecordHead head;
    Rc rc = RC_OK;
    for (int i = 0; i < units && s->damaged && !rc; i++) {
        int kinds = kinds_of(&unit[i], &kind);
        for (const Wanted *w = unit[i].run; w < unit[i].run + unit[i].runs && !rc; w++)
            for (int k = 0; k < kinds && !w->taken && !rc; k++) {
                const char *id = record_identity_among((const char(*)[SHA256_HEX])s->damaged_id, s->damaged, &w->spec,
                                                       kind[k]->dataset_sha256, kind[k]->tokenizer_sha256,
                                                       kind[k]->arithmetic_class, kind[k]->arithmetic);
                if (id && record_head(&head, s->folder, id, e)) rc = store_damage(s->folder, id, e);
            }
    }
    return rc;
}

/* Count the leading seeds that are whole. run: [cells][arms][seeds]. */
static int whole_seeds(const Experiment *x, const Wanted *run) {
    int whole = x->seeds, units = experiment_cells(x) * x->arms;
    for (int i = 0; i < units; i++)
        for (int seed = 0; seed < whole; seed++)
            if (!run[i * x->seeds + seed].taken) whole = seed;
    return whole;
}

/* Records while threads read them. */
typedef struct {
    RunRecord *at;
    const char *folder;
    const Wanted *run;
    Error *error; /* one for each */
} Reading;

static void read_one(void *context, int i) {
    const Reading *g = context;
    g->error[i] = (Error){0};
    (void)record_read(&g->at[i], g->folder, g->run[i].taken->id, &g->error[i]);
}

static Rc read_taken(Records *r, const Store *s, const Wanted *run, Error *e) {
    int i = 0;
    r->at = mem_alloc((size_t)r->runs, sizeof *r->at);
    Reading g = {r->at, s->folder, run, mem_alloc((size_t)r->runs, sizeof *g.error)};
    pool_run(pool_processors(), r->runs, read_one, &g);
    while (i < r->runs && !g.error[i].code) i++;
    if (i < r->runs) *e = g.error[i];
    free(g.error);
    return i < r->runs ? store_damage(s->folder, run[i].taken->id, e) : RC_OK;
}

Rc records_take(Records *r, const Store *s, Experiment *x, bool precise, Error *e) {
    int units = experiment_cells(x) * x->arms;
    Text notes;
    LOCAL_TEXT(texts);
    *r = (Records){.runs = units * x->seeds};
    OWNED Wanted *run = mem_alloc((size_t)r->runs, sizeof *run);
    OWNED Unit *unit = mem_alloc((size_t)units, sizeof *unit);
    text_init(&notes);
    texts_recall(s, x, &texts);
    choose_precision(r, run, unit, s, x, precise, &notes);
    for (int whole; x->most && r->missing && (whole = whole_seeds(x, run)) > 0;) {
        x->seeds = whole, r->runs = units * whole;
        text_clear(&notes);
        choose_precision(r, run, unit, s, x, precise, &notes);
    }
    texts_others(s, x, &texts);
    if (r->missing) snprintf(r->others, sizeof r->others, "%s", texts.at);
    text_format(&notes, "%s", texts.at);
    Rc rc = RC_OK;
    if (r->missing)
        rc = check_missing(s, unit, units, e);
    else
        rc = check_corpora(run, r->runs, e) ? e->code : read_taken(r, s, run, e);
    r->notes = notes.at;
    if (rc) records_release(r);
    return rc;
}

void records_release(Records *r) {
    for (int i = 0; r->at && i < r->runs; i++) record_release(&r->at[i]);
    free(r->at);
    free(r->notes);
    *r = (Records){0};
}

Rc records_complete(const Records *r, const Session *s, const Experiment *x, Error *e) {
    if (!r->missing) return RC_OK;
    LOCAL_TEXT(again);
    session_command(s, x, "run", &again);
    error_set(e, RC_UNMEASURED, "%d of %d runs are missing: %.900s", r->missing, r->runs, again.at);
    size_t words = strlen(r->others);
    return words > 2 ? error_add(e, "; %.*s", (int)words - 2, r->others) : e->code;
}
