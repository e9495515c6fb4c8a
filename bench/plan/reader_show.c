/* Read what an experiment's tables and figures show: rows of metrics.def and curves.def. */
#include <string.h>

#include "bench/plan/reader.h"

static const char *const summary_names[SUMMARY_COUNT] = {
#define SUMMARY(name, make, help) #name,
#include "bench/plan/summaries.def"
#undef SUMMARY
};

static const char *const axis_names[AXES] = {"auto", "linear", "log"};

Rc metric_entry(Metric *out, const Document *d, const Node *n, Error *e) {
    char name[64];
    if (text_entry(name, sizeof name, d, n, e)) return e->code;
    return metric_find(out, name, e) ? document_prefix(e, d, n->line) : RC_OK;
}

static Rc list_of(const Reader *r, const Node *n, const char *example) {
    if (n->kind == NODE_SEQUENCE && n->child) return RC_OK;
    return document_error(r->e, r->d, n->line, "%s: a list is needed, such as %s", n->key, example);
}

/* Return an item's name: the item itself, or `key` of a mapping that may also have `more`. NULL: neither. */
static const Node *item_name(const Reader *r, const Node *list, const Node *item, const char *key, const char *more,
                             const Node **beside) {
    const char *const keys[] = {key, more};
    char hint[96];
    *beside = NULL;
    if (item->kind == NODE_SCALAR) return item;
    if (item->kind == NODE_MAPPING) {
        for (const Node *n = item->child; n; n = n->next)
            if (strcmp(n->key, key) != 0 && strcmp(n->key, more) != 0) {
                document_error(r->e, r->d, n->key_line, "%s: unknown key '%.60s'%s", list->key, n->key,
                               did_you_mean(hint, sizeof hint, n->key, keys, 2));
                return NULL;
            }
        *beside = node_find(item, more);
        if (node_find(item, key)) return node_find(item, key);
    }
    document_error(r->e, r->d, item->line, "%s: an entry is a name or {%s: name, %s: …}", list->key, key, more);
    return NULL;
}

static Rc add_row(Reader *r, const Node *list, const Node *item) {
    Experiment *x = r->x;
    const Node *heading, *name = item_name(r, list, item, "metric", "heading", &heading);
    TableRow *row = &x->row[x->rows];
    if (!name) return r->e->code;
    if (x->rows == EXPERIMENT_ROWS_MAX)
        return document_error(r->e, r->d, item->line, "table: more than %d rows", (int)EXPERIMENT_ROWS_MAX);
    *row = (TableRow){0};
    if (metric_entry(&row->metric, r->d, name, r->e)) return r->e->code;
    if (heading && text_entry(row->heading, sizeof row->heading, r->d, heading, r->e)) return r->e->code;
    for (int i = 0; i < x->rows; i++)
        if (x->row[i].metric == row->metric)
            return document_error(r->e, r->d, item->line, "table: '%s' stands in the list twice", name->text);
    x->rows++;
    return RC_OK;
}

Rc apply_table(Reader *r, const Node *n) {
    Rc rc = list_of(r, n, "[valid_loss, perplexity]");
    for (const Node *item = n->child; !rc && item; item = item->next) rc = add_row(r, n, item);
    return rc;
}

static Rc axis_entry(const Reader *r, const Node *n, Axis *out) {
    char text[32], hint[96];
    if (text_entry(text, sizeof text, r->d, n, r->e)) return r->e->code;
    for (int i = 0; i < AXES; i++)
        if (!strcmp(text, axis_names[i])) return *out = (Axis)i, RC_OK;
    return document_error(r->e, r->d, n->line, "axis: unknown '%s'%s", text,
                          did_you_mean(hint, sizeof hint, text, axis_names, AXES));
}

/* Add a panel; curves of blocks have a logarithmic axis by default. */
static Rc add_panel(Reader *r, const Node *list, const Node *item) {
    Experiment *x = r->x;
    const Node *axis, *node = item_name(r, list, item, "curve", "axis", &axis);
    char name[64];
    Panel panel = {0};
    if (!node || text_entry(name, sizeof name, r->d, node, r->e)) return r->e->code;
    if (curve_find(&panel.curve, name, r->e)) return document_prefix(r->e, r->d, node->line);
    panel.axis = panel.curve->blocks ? AXIS_log : AXIS_auto;
    if (axis && axis_entry(r, axis, &panel.axis)) return r->e->code;
    Panel *all = panel.curve->blocks ? x->block_panel : x->panel;
    int *count = panel.curve->blocks ? &x->block_panels : &x->panels;
    for (int i = 0; i < *count; i++)
        if (all[i].curve == panel.curve)
            return document_error(r->e, r->d, item->line, "panels: '%s' stands in the list twice", name);
    if (*count == EXPERIMENT_PANELS_MAX)
        return document_error(r->e, r->d, item->line, "panels: more than %d curves %s", (int)EXPERIMENT_PANELS_MAX,
                              panel.curve->blocks ? "of the blocks" : "of the whole model");
    all[(*count)++] = panel;
    return RC_OK;
}

Rc apply_panels(Reader *r, const Node *n) {
    Rc rc = list_of(r, n, "[valid_loss, grad_norm]");
    for (const Node *item = n->child; !rc && item; item = item->next) rc = add_panel(r, n, item);
    if (!rc && !r->x->panels)
        rc = document_error(r->e, r->d, n->line, "panels: a curve of the whole model is needed, such as valid_loss");
    return rc;
}

static Rc add_summary(Reader *r, const Node *item) {
    char name[32], hint[96];
    if (text_entry(name, sizeof name, r->d, item, r->e)) return r->e->code;
    for (int i = 0; i < SUMMARY_COUNT; i++) {
        if (strcmp(name, summary_names[i]) != 0) continue;
        if (r->x->summary[i])
            return document_error(r->e, r->d, item->line, "summaries: '%s' stands in the list twice", name);
        r->x->summary[i] = true;
        return RC_OK;
    }
    return document_error(r->e, r->d, item->line, "summaries: unknown '%s'%s", name,
                          did_you_mean(hint, sizeof hint, name, summary_names, SUMMARY_COUNT));
}

Rc apply_also(Reader *r, const Node *n) {
    Rc rc = list_of(r, n, "[\"001\"]");
    int count = 0;
    for (const Node *item = n->child; !rc && item; item = item->next) {
        if (count == EXPERIMENT_ALSO_MAX)
            return document_error(r->e, r->d, item->line, "also: more than %d write-ups", EXPERIMENT_ALSO_MAX);
        for (int i = 0; i < count; i++)
            if (!strcmp(r->x->also[i], item->text))
                return document_error(r->e, r->d, item->line, "also: '%.16s' stands in the list twice", item->text);
        Node named = *item;
        named.key = n->key;
        rc = text_entry(r->x->also[count], sizeof r->x->also[count], r->d, &named, r->e);
        count++;
    }
    return rc;
}

Rc apply_summaries(Reader *r, const Node *n) {
    Rc rc = n->kind == NODE_SEQUENCE ? RC_OK : list_of(r, n, "[ranking]"); /* []: none */
    for (const Node *item = n->child; !rc && item; item = item->next) {
        Node named = *item; /* errors name its list as its key */
        named.key = n->key;
        rc = add_summary(r, &named);
    }
    return rc;
}

static const Factor *factor_of(const Experiment *x, const char *key) {
    for (int i = 0; i < x->factors; i++)
        if (!strcmp(x->factor[i].key, key)) return &x->factor[i];
    return NULL;
}

/* Check that all arms have the same rates, as a ranking needs. */
static Rc check_ranking(const Reader *r, const Node *list) {
    const Experiment *x = r->x;
    if (x->metric != METRIC_valid_loss)
        return document_error(r->e, r->d, list->line, "summaries: a ranking is by valid_loss, and metric is %s",
                              metric_info[x->metric].key);
    for (int arm = 0; arm < x->arms; arm++)
        if (x->arm[arm].own >> spec_index("lr") & 1)
            return document_error(r->e, r->d, list->line,
                                  "summaries: arm '%s' sets its own lr; all arms of a ranking have the same rates",
                                  x->arm[arm].name);
    return RC_OK;
}

/* Check that each seed component is free in one level of its factor and fixed in the other, for all arms. */
static Rc check_components(const Reader *r, const Node *list) {
    static const char *const streams[] = {"init_seed", "order_seed", "dropout_seed"};
    const Experiment *x = r->x;
    int found = 0;
    for (int k = 0; k < 3; k++) {
        const Factor *f = factor_of(x, streams[k]);
        if (!f) continue;
        found++;
        if (f->values != 2 || (strcmp(f->value[0], "0") != 0 && strcmp(f->value[1], "0") != 0))
            return document_error(r->e, r->d, list->line,
                                  "summaries: components need %s: [0, N], where 0 varies and N is fixed", streams[k]);
        for (int arm = 0; arm < x->arms; arm++)
            if (x->arm[arm].own >> spec_index(streams[k]) & 1)
                return document_error(r->e, r->d, list->line,
                                      "summaries: arm '%s' sets its own %s; components need "
                                      "all arms to have both of its values",
                                      x->arm[arm].name, streams[k]);
    }
    if (found > 1) return RC_OK;
    return document_error(r->e, r->d, list->line,
                          "summaries: components need two of init_seed, order_seed, dropout_seed as [0, N]");
}

/* Check that all arms are trained on two or more corpora, with a metric that has a better side and that all runs have.
 * */
static Rc check_corpora(const Reader *r, const Node *list) {
    static const Metric metrics[] = {METRIC_valid_loss, METRIC_perplexity, METRIC_bits_per_byte, METRIC_accuracy};
    const Experiment *x = r->x;
    bool known = false;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) known |= x->metric == metrics[i];
    if (!known)
        return document_error(r->e, r->d, list->line,
                              "summaries: corpora are summed up by valid_loss, perplexity, bits_per_byte or accuracy, "
                              "and metric is %s",
                              metric_info[x->metric].key);
    if (!factor_of(x, "dataset"))
        return document_error(r->e, r->d, list->line,
                              "summaries: corpora need several, and dataset is one: "
                              "dataset: [tinyshakespeare, wikitext-2]");
    for (int arm = 0; arm < x->arms; arm++)
        if (x->arm[arm].own >> spec_index("dataset") & 1)
            return document_error(r->e, r->d, list->line,
                                  "summaries: arm '%s' sets its own dataset; corpora need all arms on each of them",
                                  x->arm[arm].name);
    return RC_OK;
}

static void summary_defaults(const Reader *r);

Rc check_summaries(const Reader *r) {
    static Rc (*const check[SUMMARY_COUNT])(const Reader *, const Node *) = {[SUMMARY_ranking] = check_ranking,
                                                                             [SUMMARY_best] = check_ranking,
                                                                             [SUMMARY_components] = check_components,
                                                                             [SUMMARY_corpora] = check_corpora};
    const Node *list = node_find(r->d->root, "summaries");
    for (int i = 0; i < SUMMARY_COUNT && r->until; i++) r->x->summary[i] = false; /* of a fixed number of seeds */
    for (int i = 0; i < SUMMARY_COUNT && r->x->most && !r->x->looks; i++)
        if (r->x->summary[i])
            return document_error(r->e, r->d, list->line,
                                  "summaries: '%s' has p's of a fixed number of seeds, and here seeds are added until "
                                  "it is decided",
                                  summary_names[i]);
    for (int i = 0; i < SUMMARY_COUNT; i++)
        if (r->x->summary[i] && check[i] && check[i](r, list)) return r->e->code;
    summary_defaults(r);
    return RC_OK;
}

/* Set default summaries: `best` if rates are swept, `across` over sizes or corpora, unless the file names some. */
static void summary_defaults(const Reader *r) {
    Experiment *x = r->x;
    const int lr = spec_index("lr");
    bool swept = false;
    for (int f = 0; f < x->factors; f++) swept |= spec_index(x->factor[f].key) == lr && x->factor[f].values > 1;
    for (int a = 0; a < x->arms; a++) swept &= !(x->arm[a].own >> lr & 1);
    static const char *const sizes[] = {"width", "layers", "heads", "context", "ffn_mult", "steps", "dataset"};
    bool size = false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        size |= x->factors == 1 && !strcmp(x->factor[0].key, sizes[i]) && x->factor[0].values > 1;
    for (int a = 0; a < x->arms && size; a++) size = !(x->arm[a].own >> spec_index(x->factor[0].key) & 1);
    const bool several = x->arms > 1 && x->seeds > 1, fixed = !x->most || x->looks;
    if (node_find(r->d->root, "summaries")) return;
    x->summary[SUMMARY_across] = size && several && fixed;
    x->summary[SUMMARY_best] = swept && several && fixed && x->metric == METRIC_valid_loss;
}

void show_defaults(Experiment *x) {
    static const Metric rows[] = {METRIC_valid_loss, METRIC_perplexity, METRIC_accuracy, METRIC_grad_norm,
                                  METRIC_embedding_norm};
    static const char *const panels[] = {"valid_loss", "grad_norm", "embedding_norm"};
    static const char *const block_panels[] = {"block_grad_norm", "norm_input"};
    bool translates = x->arms && x->arm[0].spec.objective == OBJECTIVE_TRANSLATE, own = x->rows > 0;
    for (size_t i = 0; !own && i < sizeof rows / sizeof *rows; i++) {
        x->row[x->rows++].metric = rows[i];
        if (translates && rows[i] == METRIC_accuracy) x->row[x->rows++].metric = METRIC_bleu;
    }
    if (x->panels) return;
    for (const char *const *p = panels; p < panels + sizeof panels / sizeof *panels; p++)
        x->panel[x->panels++] = (Panel){curve_named(*p), AXIS_auto};
    for (const char *const *p = block_panels; p < block_panels + sizeof block_panels / sizeof *block_panels; p++)
        x->block_panel[x->block_panels++] = (Panel){curve_named(*p), AXIS_log};
}
