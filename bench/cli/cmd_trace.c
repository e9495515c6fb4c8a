/* normbench records trace 'EXPERIMENT: ARM - ARM' [KEY=VALUE…]: from a table's number to its runs. Reads
 * records alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "bench/cli/commands.h"
#include "bench/formats/json.h"
#include "bench/formats/terminal.h"
#include "bench/plan/profile.h"
#include "bench/runs/runs.h"
#include "bench/store/run_list.h"
#include "bench/store/texts.h"
#include "bench/verdict/until.h"
#include "bench/verify/reference.h"

/* What is asked for: the two arms, and what picks cell, step and metric. */
typedef struct {
    char *text, *experiment, *difference; /* text: own_count the other two */
    const char *key[OPERAND_MAX];         /* "lr=1e-3", of "EXPERIMENT@lr=1e-3: …" too */
    int keys;
    int arm, against, cell, step; /* step: as the user says it, -1: the last */
    Metric metric;
    bool metric_named;
} Asked;

static void asked_release(Asked *a) {
    free(a->text);
}

static Rc split(Asked *a, const Options *o, Error *e) {
    Text text;
    text_init(&text);
    for (int i = 0; i < o->operands; i++)
        if (strchr(o->operand[i], '=') && !strpbrk(o->operand[i], ": "))
            a->key[a->keys++] = o->operand[i];
        else
            text_format(&text, "%s%s", text.length ? " " : "", o->operand[i]);
    a->text = text.at;
    char *colon = strchr(a->text, ':');
    if (!colon)
        return error_set(e, RC_USAGE,
                         "trace: '%.100s' does not have the form 'EXPERIMENT: ARM - ARM', such as 'embedding-norm-4: "
                         "layernorm - baseline'",
                         a->text);
    *colon = 0;
    char *places = strchr(a->text, '@');
    if (places) *places++ = 0;
    while (places && a->keys < OPERAND_MAX) a->key[a->keys++] = trim(strsep(&places, ","));
    a->experiment = trim(a->text), a->difference = trim(colon + 1);
    return RC_OK;
}

static int find_arm(const Experiment *x, const char *name) {
    for (int i = 0; i < x->arms; i++)
        if (!strcmp(x->arm[i].name, name) || !strcmp(x->arm[i].label, name)) return i;
    return -1;
}

static Rc unknown_arm(const Experiment *x, const char *name, Error *e) {
    const char *names[EXPERIMENT_ARMS_MAX];
    for (int i = 0; i < x->arms; i++) names[i] = x->arm[i].name;
    error_set(e, RC_USAGE, "trace: %s has no arm '%.80s'", x->name, name);
    return name_unknown(e, name, NAMES(names, x->arms), "there are");
}

/* "A - B"; a name may have a '-' in it, so every one of them is tried, those between blanks first. */
static Rc find_arms(Asked *a, const Experiment *x, Error *e) {
    static const char *const signs[] = {" - ", "-"};
    LOCAL_TEXT(unknown);
    bool tried = false;
    for (int k = 0; k < 2; k++)
        for (char *at = a->difference; (at = strstr(at, signs[k])); at++) {
            OWNED char *copy = mem_text(a->difference);
            copy[at - a->difference] = 0;
            const char *left = trim(copy), *right = trim(copy + (at - a->difference) + strlen(signs[k]));
            a->arm = find_arm(x, left), a->against = find_arm(x, right);
            if (a->arm >= 0 && a->arm == a->against)
                return error_set(e, RC_USAGE, "trace: '%.100s' is an arm minus itself", a->difference);
            if (a->arm >= 0 && a->against >= 0) return RC_OK;
            if (!tried) text_format(&unknown, "%s", a->arm < 0 ? left : right);
            tried = true;
        }
    if (!tried)
        return error_set(e, RC_USAGE, "trace: '%.100s' is no difference 'ARM - ARM'", a->difference);
    return unknown_arm(x, unknown.at, e);
}

/* The canonical text of a factor's value. */
static Rc factor_value(char out[SPEC_TEXT_SIZE], const char *key, const char *value, Error *e) {
    RunSpec scratch;
    spec_init(&scratch);
    if (spec_set(&scratch, key, value, e)) return e->code;
    spec_get(out, &scratch, key);
    return RC_OK;
}

static int factor_of(const Experiment *x, const char *key, size_t n) {
    for (int i = 0; i < x->factors; i++)
        if (strlen(x->factor[i].key) == n && !strncmp(key, x->factor[i].key, n)) return i;
    return -1;
}

/* Crosses out the cells that have another value: keep[cells]. */
static Rc keep_cells(const Experiment *x, int factor, const char *value, bool *keep, Error *e) {
    const Factor *f = &x->factor[factor];
    char want[SPEC_TEXT_SIZE], has[SPEC_TEXT_SIZE];
    bool any = false;
    if (factor_value(want, f->key, value, e)) return e->code;
    for (int cell = 0; cell < experiment_cells(x); cell++) {
        if (factor_value(has, f->key, f->value[experiment_level(x, cell, factor)], e)) return e->code;
        keep[cell] &= !strcmp(want, has);
        any |= !strcmp(want, has);
    }
    if (any) return RC_OK;
    error_set(e, RC_USAGE, "%s: %s has no cell with %s; there are:", f->key, x->name, value);
    for (int i = 0; i < f->values; i++) error_add(e, "%s %s", i ? "," : "", factor_text(has, f, i));
    return e->code;
}

static Rc read_key(Asked *a, const Experiment *x, const char *text, bool *keep, Error *e) {
    const char *at = strchr(text, '=');
    size_t n = (size_t)(at - text);
    int64_t step;
    int factor = factor_of(x, text, n);
    if (factor >= 0) return keep_cells(x, factor, at + 1, keep, e);
    if (n == 4 && !strncmp(text, "step", n)) {
        if (!parse_integer(at + 1, &step) || step < 1 || step > INT32_MAX)
            return error_set(e, RC_USAGE, "step: '%.40s' is not a step above 0", at + 1);
        a->step = (int)step;
        return RC_OK;
    }
    if (n == 6 && !strncmp(text, "metric", n)) {
        a->metric_named = true;
        return metric_named(&a->metric, at + 1, e);
    }
    error_set(e, RC_USAGE, "'%.60s' is not KEY=VALUE with a key of this plan; there are: step, metric", text);
    for (int i = 0; i < x->factors; i++) error_add(e, ", %s", x->factor[i].key);
    return e->code;
}

static Rc find_cell(Asked *a, const Experiment *x, Error *e) {
    int cells = experiment_cells(x), left = 0;
    OWNED bool *keep = mem_alloc((size_t)cells, sizeof *keep);
    char first[256] = "", text[256];
    memset(keep, true, (size_t)cells);
    Rc rc = RC_OK;
    for (int i = 0; i < a->keys && !rc; i++) rc = read_key(a, x, a->key[i], keep, e);
    for (int cell = cells - 1; cell >= 0 && !rc; cell--)
        if (keep[cell]) a->cell = cell, left++;
    if (!rc && left > 1) {
        rc = error_set(e, RC_USAGE, "%s has %d cells like this; say which, such as", x->name, left);
        experiment_cell_text(first, x, a->cell);
        for (int i = 0; i < x->factors; i++)
            error_add(e, " %s=%s", x->factor[i].key, factor_text(text, &x->factor[i], experiment_level(x, a->cell, i)));
        error_add(e, "; there are: ");
        for (int cell = 0, shown = 0; cell < cells && shown < 8; cell++)
            if (keep[cell]) error_add(e, "%s%s", shown++ ? "; " : "", experiment_cell_text(text, x, cell));
    } else if (!rc && !left)
        rc = error_set(e, RC_USAGE, "%s has no cell with all of these values", x->name);
    return rc ? error_prefix(e, "trace: ") : RC_OK;
}

/* The index of the step that is asked for, or of the last. */
static Rc find_step(const Asked *a, const Sample *s, int *step, Error *e) {
    const SampleCell *cell = &s->cell[a->cell];
    *step = a->step < 0 ? cell->steps - 1 : sample_step(s, a->cell, a->step);
    if (*step >= 0) return RC_OK;
    error_set(e, RC_USAGE, "trace: no validation after step %d; there are:", a->step);
    for (int i = 0; i < cell->steps; i++)
        if (cell->step[i]) error_add(e, " %d", cell->step[i]);
    return e->code;
}

/* list: where the runs are listed, "" where their records are read. */
static Rc print(const Session *s, const Asked *a, const Table *t, const char *list, bool json, Error *e) {
    LOCAL(lineage_release) Lineage l = {0};
    LOCAL_TEXT(text);
    int step;
    if (find_step(a, &t->sample, &step, e)) return e->code;
    lineage_make(&l, t, s->root, a->cell, step, a->metric_named ? a->metric : t->metric, a->arm, a->against);
    if (json)
        json_print(lineage_json(&l), JSON_EXACT, &text);
    else {
        lineage_text(&l, terminal_width(), &text);
        text_format(&text, "One of the runs%s: normbench runs show %.12s", list[0] ? "" : " in full", lineage_run(&l));
        session_results(s, &text);
        if (list[0]) text_format(&text, "\nAll of them again: "), experiment_command(t->x, &text);
        text_format(&text, "\n");
    }
    terminal_print(text.at);
    return RC_OK;
}

static Rc trace(const Session *s, const Asked *a, const Experiment *x, const Records *records, const char *list,
                Error *e) {
    LOCAL(claims_release) ClaimFile claims = {0};
    bool has_claims;
    LOCAL(table_release) Table t = {0};
    Metric metric = a->metric_named ? a->metric : x->metric;
    if (list[0] && metric != METRIC_valid_loss && metric != METRIC_perplexity)
        return error_set(e, RC_UNMEASURED, "trace: %s has the losses of these runs alone, not %s", list,
                         metric_info[metric].key);
    if (claims_find(&claims, s->root, list[0] ? "" : x->writeup, &has_claims, e)) return e->code;
    TableOptions options = {.command = "", .notes = records->notes};
    options.exploratory = experiment_changed(x);
    if (table_make(&t, x, records->at, has_claims ? &claims : NULL, options, e)) return e->code;
    return print(s, a, &t, list, s->options->times[OPTION_json] > 0, e);
}

/* The stored runs of the reference tables: records, which the session then has as its results, or a list of them.
 * records->missing: of them neither is stored. */
static Rc take_stored(Records *records, Session *s, Experiment *x, char list[RUN_LIST_PATH], Error *e) {
    char kept[REFERENCE_PATH_SIZE];
    bool curves;
    if (reference_records(s->root, x, kept, &curves, e)) return e->code;
    if (!kept[0]) {
        Rc rc = run_list_take(records, s->root, x, list, e);
        if (!rc && list[0] && !records->missing)
            terminal_say(stderr, "normbench: note: these runs are not in results/; their losses are those of %s\n",
                         list);
        return rc;
    }
    terminal_say(stderr, "normbench: note: not all of these runs are in results/; those stored in %s are read\n",
                 kept + strlen(s->root) + 1);
    if (session_unpack(s, kept, e)) return e->code;
    return until_read(records, s->runs, x, s->precise, e);
}

/* The plan of x's file for another profile, where no profile was asked for and x's own is stored nowhere. */
static Rc take_profile(Records *records, Session *s, Experiment *x, char list[RUN_LIST_PATH], Error *e) {
    for (int i = 0; i < PROFILE_COUNT && records->missing; i++) {
        LOCAL(experiment_release) Experiment other = {0};
        LOCAL(records_release) Records of = {0};
        Error none;
        if (!strcmp(profile_info[i].name, x->profile) ||
            experiment_parse(&other, x->file, x->yaml, profile_info[i].name, &s->overrides, &none))
            continue;
        texts_find(s, &other);
        if (until_read(&of, s->runs, &other, s->precise, e)) return e->code;
        if (of.missing) {
            records_release(&of);
            if (take_stored(&of, s, &other, list, e)) return e->code;
        }
        if (of.missing) continue;
        terminal_say(stderr,
                     "normbench: note: this is profile %s: no --profile is given, and the runs of %s are not "
                     "stored\n",
                     other.profile, x->profile);
        records_release(records);
        experiment_release(x);
        *records = of, *x = other;
        of = (Records){0}, other.seed = NULL, other.yaml = NULL;
    }
    return RC_OK;
}

/* The runs in the results; where some are missing and no other results are asked for, the stored ones. */
static Rc take_any(Records *records, Session *s, Experiment *x, char list[RUN_LIST_PATH], Error *e) {
    LOCAL(records_release) Records stored = {0};
    *list = 0;
    if (until_read(records, s->runs, x, s->precise, e)) return e->code;
    if (!records->missing || s->options->times[OPTION_results]) return RC_OK;
    if (take_stored(&stored, s, x, list, e)) return e->code;
    if (!stored.missing) {
        records_release(records);
        *records = stored, stored = (Records){0};
        return RC_OK;
    }
    return x->profile[0] && !s->profile[0] ? take_profile(records, s, x, list, e) : RC_OK;
}

static Rc with_plan(Session *s, Asked *a, Experiment *x, Error *e) {
    LOCAL(records_release) Records records = {0};
    char list[RUN_LIST_PATH];
    if (take_any(&records, s, x, list, e) || find_arms(a, x, e) || find_cell(a, x, e) ||
        records_complete(&records, s, x, e))
        return e->code;
    return trace(s, a, x, &records, list, e);
}

Rc command_trace(Session *s, Error *e) {
    LOCAL(asked_release) Asked a = {.step = -1};
    LOCAL(experiment_release) Experiment x = {0};
    return split(&a, s->options, e) || session_plan(s, a.experiment, &x, e) ? e->code : with_plan(s, &a, &x, e);
}
