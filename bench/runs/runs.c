/* `normbench runs`: stored runs, a row each. */
#include <math.h>
#include <string.h>

#include "bench/formats/cells.h"
#include "bench/runs/runs.h"
#include "bench/store/ended.h"
#include "bench/write/stat_json.h"

enum { MOST_KEYS = 32 };

/* Which columns a group's rows have. */
typedef struct {
    const Listing *l;
    int group, keys;
    const char *key[LISTING_MOST_KEYS]; /* that differ within an arm */
    bool other, twins;                  /* some class is not canon; only the bits tell two runs apart */
} Group;

static void title(const RunGroup *g, Text *out) {
    if (!g->planned && !g->experiment[0])
        text_format(out, "Of no experiment here");
    else if (g->options[0])
        text_format(out, "%s%s", g->experiment, g->options);
    else
        text_format(out, "%s%s%s%s", g->experiment, g->profile[0] ? " " : "", g->profile,
                    g->planned ? "" : ", changed on the command line");
    if (g->plan[0]) text_format(out, " (plan %.8s)", g->plan);
    if (g->planned)
        text_format(out, ": %d of %d runs stored", g->stored, g->planned);
    else
        text_format(out, ": %d run%s stored", g->stored, g->stored == 1 ? "" : "s");
}

static void columns(const Group *g, Cells *c) {
    static const char *const more[] = {"id",      "label", "variant", "seed",           "status", "diverged_step",
                                       "culprit", "step",  "class",   "records_commit", "made"};
    cells_column(c, NULL, 'l', "run");
    cells_column(c, "arm", 'l', "arm");
    c->stub = 2;
    for (int k = 0; k < g->keys; k++) cells_column(c, NULL, 'r', g->key[k]);
    cells_column(c, NULL, 'r', "seed");
    cells_column(c, "valid_loss", 'r', "valid loss");
    cells_column(c, NULL, 'l', "status");
    if (g->other) cells_column(c, NULL, 'l', "class");
    if (g->twins) cells_column(c, NULL, 'l', "bits");
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) cells_column(c, more[i], 'X', "");
}

/* What a record says of itself, for programs. */
static void record_cells(const ListedRun *run, Cells *c) {
    const RunRecord *r = run->record;
    const Evaluation *last = listing_last(r);
    cell_text(c, r->id), cell_text(c, run->label), cell_text(c, r->spec.variant.name);
    cell_integer(c, (long)r->spec.seed);
    cell_text(c, record_status(r));
    if (r->diverged_step < 0)
        cell_none(c), cell_none(c);
    else
        cell_integer(c, r->diverged_step), cell_text(c, r->culprit);
    if (last)
        cell_integer(c, last->step);
    else
        cell_none(c);
    cell_text(c, r->arithmetic_class), cell_text(c, r->provenance.commit), cell_integer(c, (long)r->provenance.made);
}

static void row(const Group *g, const ListedRun *run, Cells *c) {
    const RunRecord *r = run->record;
    const Evaluation *last = listing_last(r);
    char value[SPEC_TEXT_SIZE];
    cells_row(c);
    cell_format(c, "%.12s", r->id), cell_text(c, run->arm);
    for (int k = 0; k < g->keys; k++) cell_text(c, listing_value(value, g->l, run, g->key[k]));
    cell_text(c, listing_value(value, g->l, run, "seed"));
    if (last)
        cell_number(c, last->metric[METRIC_valid_loss], metric_info[METRIC_valid_loss].digits);
    else
        cell_shown(c, (double)NAN, "-");
    if (r->diverged_step < 0)
        cell_text(c, record_status(r));
    else
        cell_format(c, "%s at step %d", r->status, r->diverged_step);
    if (g->other) cell_text(c, r->arithmetic_class);
    if (g->twins) cell_format(c, "%.8s, corpus %.8s", r->arithmetic, r->dataset_sha256);
    record_cells(run, c);
}

static void group_cells(const Listing *l, int group, Cells *c) {
    Group g = {.l = l, .group = group, .twins = listing_twins(l, group)};
    Text words;
    text_init(&words);
    title(&l->group[group], &words);
    cells_init(c, "runs", words.at);
    text_release(&words);
    g.keys = listing_differ(l, group, true, g.key);
    if (g.keys > MOST_KEYS) g.keys = MOST_KEYS;
    for (int i = 0; i < l->runs; i++)
        g.other |= l->run[i].group == group && strcmp(l->run[i].record->arithmetic_class, "canon");
    columns(&g, c);
    for (int i = 0; i < l->runs; i++)
        if (l->run[i].group == group) row(&g, &l->run[i], c);
}

static bool is_shown(const Listing *l, int group, bool empty) {
    bool any = empty && !l->group[group].stored;
    for (int i = 0; i < l->runs; i++) any |= l->run[i].group == group;
    return any;
}

void runs_text(const Listing *l, bool empty, int width, Text *out) {
    for (int group = 0; group < l->groups; group++) {
        Cells c;
        if (!is_shown(l, group, empty)) continue;
        if (out->length) text_format(out, "\n");
        group_cells(l, group, &c);
        cells_text(&c, width, out);
        cells_release(&c);
    }
}

Rc runs_csv(const Listing *l, Text *out, Error *e) {
    const char *key[LISTING_MOST_KEYS];
    char value[SPEC_TEXT_SIZE], number[40];
    int group = -1, keys;
    for (const ListedRun *run = l->run; run < l->run + l->runs; run++) {
        const RunGroup *a = &l->group[run->group], *b = &l->group[group < 0 ? run->group : group];
        if (a != b)
            return error_set(e, RC_USAGE,
                             "runs: --csv lists the runs of one plan; name one, such as plan=%.8s (another is %.8s)",
                             b->plan[0] ? b->plan : "…", a->plan[0] ? a->plan : "…");
        group = run->group;
    }
    if (group < 0) return error_set(e, RC_UNMEASURED, "runs: none is stored");
    keys = listing_differ(l, group, true, key);
    text_format(out, "arm,");
    for (int k = 0; k < keys; k++) text_format(out, "%s,", key[k]);
    text_format(out, "seed,status,valid_loss,loss_chain,parameters_hash,id\n");
    for (const ListedRun *run = l->run; run < l->run + l->runs; run++) {
        const RunRecord *r = run->record;
        const Evaluation *last = listing_last(r);
        text_format(out, "%s,", run->arm);
        for (int k = 0; k < keys; k++) {
            const char *text = listing_value(value, l, run, key[k]), *quote = strpbrk(text, ",\"") ? "\"" : "";
            text_format(out, "%s%s%s,", quote, text, quote);
        }
        text_format(out, "%llu,%s,%s,%s,%s,%s\n", (unsigned long long)r->spec.seed, record_status(r),
                    last ? format_real(number, last->metric[METRIC_valid_loss]) : "nan", r->loss_chain,
                    r->parameters_hash, r->id);
    }
    return RC_OK;
}

static json_t *group_json(const Listing *l, int group) {
    const RunGroup *g = &l->group[group];
    json_t *o = json_object(), *runs;
    Cells c;
    group_cells(l, group, &c);
    runs = cells_json(&c);
    for (int i = 0, at = 0; i < l->runs; i++)
        if (l->run[i].group == group)
            json_object_set_new(json_array_get(runs, (size_t)at++), "keys",
                                run_keys_json(&l->run[i].record->spec, true));
    cells_release(&c);
    json_put_text(o, "experiment", g->experiment), json_put_text(o, "profile", g->profile);
    json_put_text(o, "options", g->options), json_put_text(o, "plan", g->plan);
    json_object_set_new(o, "planned", json_integer(g->planned));
    json_object_set_new(o, "stored", json_integer(g->stored));
    json_object_set_new(o, "runs", runs);
    return o;
}

json_t *runs_json(const Listing *l, bool empty) {
    json_t *root = json_object(), *groups = json_array();
    json_object_set_new(root, "schema", json_integer(RUNS_SCHEMA));
    json_put_made_by(root);
    for (int group = 0; group < l->groups; group++)
        if (is_shown(l, group, empty)) json_array_append_new(groups, group_json(l, group));
    json_object_set_new(root, "groups", groups);
    return root;
}
