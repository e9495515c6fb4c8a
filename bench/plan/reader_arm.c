/* Make an Arm from its mapping: in a file ("pre: {variant: pre, lr: 1e-3}") or from --arm. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "bench/plan/reader.h"
#include "models/equation.h"
#include "models/norm.h"

/* Keys of a range. */
static const struct {
    const char *name, *what;
} range_keys[] = {
    {"norm", "the norm of these blocks"},
    {"rule", "in the place of norm, of a column that holds a number: its number or rule there (0.5, learned 0)"},
    {"from", "their first: its number (0 is the first block) or the fraction of the depth before it (2/3, 0.5)"},
    {"to", "their last, itself included: its number or the fraction of the depth that it ends"}};
enum { RANGE_KEYS = sizeof range_keys / sizeof *range_keys };

/* Apply keys and norms of the arm's recipe, or the norms of the file's, whose keys are in the base. */
static Rc read_recipe(Arm *a, const Document *d, const Node *entry, const ModelRecipe *recipe, Error *e) {
    if (entry && !(recipe = a->recipe = recipe_entry(d, entry, e))) return e->code;
    if (recipe) model_recipe_norms(recipe, &a->spec.variant);
    for (int i = 0; a->recipe && i < RECIPE_KEYS_MAX && recipe->pair[i].key; i++) {
        Rc rc = spec_set(&a->spec, recipe->pair[i].key, recipe->pair[i].value, e);
        if (rc) return rc;
        a->own |= (uint64_t)1 << spec_index(recipe->pair[i].key);
    }
    return RC_OK;
}

/* Apply `base` first, wherever the mapping has it: the other entries change its columns. */
static Rc read_variant(Arm *a, const Document *d, const Node *mapping, Error *e) {
    const Node *variant = node_find(mapping, "variant"), *base = node_find(mapping, "base");
    if (variant && base)
        return document_error(e, d, base->key_line, "'base' is another name of 'variant' (line %d); one is enough",
                              variant->key_line);
    if (variant || base) return spec_set_node(&a->spec, d, variant ? variant : base, e);
    for (const Node *n = mapping->child; n; n = n->next) {
        const char *near = nearest_name(n->key, (const char *const[]){"variant", "base"}, 2);
        if (near)
            return document_error(e, d, n->key_line, "%s%sunknown key '%.60s'; did you mean '%s'?", a->name,
                                  a->name[0] ? ": " : "", n->key, near);
    }
    return document_error(e, d, mapping->key_line, "%s%sthe arm names no variant; for example {variant: pre}", a->name,
                          a->name[0] ? ": " : "");
}

/* Return the key of a range in the column: a norm or a rule. */
static const char *range_holder(const char *column) {
    return variant_normed(column) ? "norm" : "rule";
}

static Rc not_of_range(const Document *d, const char *key, const Node *n, Error *e) {
    return document_error(e, d, n->key_line, "%s: unknown key '%.60s'; a range has %s, from, to", key, n->key,
                          range_holder(key));
}

/* Convert {from: 2/3, norm: rmsnorm} to variant_set's "rmsnorm from 2/3". key: its column. */
static Rc range_node(Text *out, const Document *d, const char *key, const Node *range, Error *e) {
    const char *holder = range_holder(key);
    bool norm = variant_normed(key);
    for (const Node *n = range->child; n; n = n->next) {
        bool held = !strcmp(n->key, holder);
        if (!held && strcmp(n->key, "from") != 0 && strcmp(n->key, "to") != 0) return not_of_range(d, key, n, e);
        if (n->kind != NODE_SCALAR || node_empty(n) || strpbrk(n->text, held && !norm ? ";" : " ;"))
            return document_error(e, d, n->line, "%s: %s: %s is needed, such as %s", key, n->key,
                                  held && !norm ? "a number or a rule" : "one word",
                                  !held  ? "2/3"
                                  : norm ? "rmsnorm"
                                         : "learned 0");
    }
    if (!node_find(range, holder))
        return document_error(e, d, range->line, "%s: '%s' is missing; for example {from: 2/3, %s: %s}", key, holder,
                              holder, norm ? "rmsnorm" : "learned 0");
    text_format(out, "%s", node_find(range, holder)->text);
    for (const Node *n = range->child; n; n = n->next)
        if (strcmp(n->key, holder) != 0) text_format(out, " %s %s", n->key, n->text);
    return RC_OK;
}

/* Convert a column's range, or list of values and ranges, to text for variant_set. */
static Rc ranges_node(Text *out, const Document *d, const Node *column, Error *e) {
    Rc rc = RC_OK;
    if (!variant_ranged(column->key))
        return document_error(e, d, column->line,
                              "%s: one value is needed, not %s; only norms and rules inside the blocks take a "
                              "range (attn.in, gate, …)",
                              column->key, node_kind(column));
    if (column->kind == NODE_MAPPING) return range_node(out, d, column->key, column, e);
    if (!column->child) return document_error(e, d, column->line, "%s: the list is empty", column->key);
    for (const Node *n = column->child; n && !rc; n = n->next) {
        if (n != column->child) text_format(out, "; ");
        if (n->kind == NODE_SCALAR)
            text_format(out, "%s", n->text);
        else if (n->kind == NODE_MAPPING)
            rc = range_node(out, d, column->key, n, e);
        else
            rc = document_error(e, d, n->line, "%s: an entry is a %s or {from: 2/3, %s: %s}", column->key,
                                range_holder(column->key), range_holder(column->key),
                                variant_normed(column->key) ? "rmsnorm" : "learned 0");
    }
    return rc;
}

static Rc read_column(RunSpec *s, const Document *d, const Node *n, Error *e) {
    if (n->kind == NODE_SCALAR) return spec_set_node(s, d, n, e);
    LOCAL_TEXT(value);
    Rc rc = ranges_node(&value, d, n, e);
    if (!rc && variant_set(&s->variant, n->key, value.at, e)) rc = document_prefix(e, d, n->line);
    return rc;
}

Rc arm_read(Arm *a, const Document *d, const Node *mapping, const char *name, const RunSpec *base,
            const ModelRecipe *recipe, Error *e) {
    memset(a, 0, sizeof *a);
    a->spec = *base;
    snprintf(a->name, sizeof a->name, "%s", name);
    snprintf(a->label, sizeof a->label, "%s", name);
    if (mapping->kind != NODE_MAPPING)
        return document_error(e, d, mapping->key_line, "%s: an arm is a mapping such as {variant: pre}, not %s",
                              name[0] ? name : "arm", node_kind(mapping));
    Rc rc = read_variant(a, d, mapping, e);
    if (!rc) rc = read_recipe(a, d, node_find(mapping, "recipe"), recipe, e);
    for (const Node *n = mapping->child; n && !rc; n = n->next) {
        int i = spec_index(n->key);
        if (!strcmp(n->key, "variant") || !strcmp(n->key, "base") || !strcmp(n->key, "recipe")) continue;
        if (!strcmp(n->key, "label"))
            rc = text_entry(a->label, sizeof a->label, d, n, e);
        else if (is_column(n->key))
            rc = read_column(&a->spec, d, n, e);
        else if (i >= 0)
            rc = spec_set_node(&a->spec, d, n, e);
        else
            rc = unknown_key(d, n, (const char *const[]){"label", "recipe"}, 2, e);
        if (i >= 0) a->own |= (uint64_t)1 << i;
    }
    return rc;
}

/* Append "+key=value"; blanks and bytes that names cannot have become '_'. */
static void name_add(Text *out, const char *key, const char *value) {
    text_format(out, "+%s=", key);
    for (; *value; value++) text_add(out, name_byte(*value) ? value : "_", 1);
}

/* Return true if the arm's recipe already sets a key to this value. */
static bool of_recipe(const Arm *a, const char *key, const char *value) {
    for (int i = 0; a->recipe && i < RECIPE_KEYS_MAX && a->recipe->pair[i].key; i++)
        if (!strcmp(key, a->recipe->pair[i].key)) return !strcmp(value, a->recipe->pair[i].value);
    return false;
}

/* Return an arm's next change beside its row and recipe: columns, then its own keys; advance *i. NULL: no more. */
static const char *next_change(const Arm *a, const Variant *row, int *i, char value[SPEC_TEXT_SIZE]) {
    for (; *i < variant_key_count + spec_key_count; (*i)++) {
        int field = *i - variant_key_count;
        const char *key = field < 0 ? variant_keys[*i] : spec_keys[field];
        bool changed = field < 0 ? variant_change(value, &a->spec.variant, row, key)[0]
                                 : a->own >> field & 1 && !of_recipe(a, key, spec_get(value, &a->spec, key));
        if (changed) return (*i)++, key;
    }
    return NULL;
}

/* Name an arm base+column=value+key=value; a long name is cut and ends in a hash of the whole. */
static void name_arm(Arm *a, const Variant *row) {
    char value[SPEC_TEXT_SIZE], hash[SHA256_HEX];
    const char *key;
    LOCAL_TEXT(name);
    text_format(&name, "%s", row->name);
    if (a->recipe) name_add(&name, "recipe", a->recipe->name);
    for (int i = 0; (key = next_change(a, row, &i, value));) name_add(&name, key, value);
    sha256_hex_of(hash, name.at, name.length);
    if (name.length < sizeof a->name)
        snprintf(a->name, sizeof a->name, "%s", name.at);
    else
        snprintf(a->name, sizeof a->name, "%.*s-%.8s", (int)sizeof a->name - 10, name.at, hash);
}

/* Label an arm "Pre-LN + attn.out rmsnorm + lr 0.001"; count changes that do not fit: "Pre-LN + … + 2 more". */
static void label_arm(Arm *a, const Variant *row) {
    enum { MORE = 10, LONG = 32 };
    char value[SPEC_TEXT_SIZE];
    const char *key;
    LOCAL_TEXT(all);
    int changes = 0, kept = 0;
    size_t fits = 0;
    text_format(&all, "%s", row->label);
    if (a->recipe) text_format(&all, " + recipe %s", a->recipe->name);
    fits = all.length;
    for (int i = 0; (key = next_change(a, row, &i, value));) {
        if (is_column(key) && strlen(value) > LONG) strcpy(value, "by block"); /* several ranges */
        text_format(&all, " + %s %s", key, value);
        changes++;
        if (all.length + MORE < sizeof a->label) fits = all.length, kept = changes;
    }
    if (all.length < sizeof a->label)
        snprintf(a->label, sizeof a->label, "%s", all.at);
    else
        snprintf(a->label, sizeof a->label, "%.*s + %d more", (int)fits, all.at, changes - kept);
}

bool arm_baseline(Arm *out, const Arm *of, const RunSpec *base, const ModelRecipe *recipe) {
    LOCAL_TEXT(mine);
    LOCAL_TEXT(theirs);
    const Variant *row = equation_base(&of->spec.variant);
    memset(out, 0, sizeof *out);
    out->spec = *base;
    out->spec.variant = *row;
    if (recipe) model_recipe_norms(recipe, &out->spec.variant);
    snprintf(out->name, sizeof out->name, "%s", strcmp(row->name, of->name) ? row->name : "base");
    snprintf(out->label, sizeof out->label, "%s", row->label);
    spec_text_keys(&out->spec, &mine), spec_text_keys(&of->spec, &theirs);
    return strcmp(mine.at, theirs.at) != 0;
}

Rc arm_option(Arm *a, const char *text, const RunSpec *base, const ModelRecipe *recipe, Error *e) {
    Document d;
    Rc rc = document_parse(&d, "--arm", text, strlen(text), e);
    if (rc) return rc;
    const Node *n = d.root, *only = n->child && !n->child->next ? n->child : NULL;
    const char *name = "";
    if (n->kind == NODE_MAPPING && only && only->kind == NODE_MAPPING) {
        n = only;
        name = n->key;
        rc = name_check(&d, 0, "arm", name, sizeof a->name - 1, e);
    }
    if (!rc) rc = arm_read(a, &d, n, name, base, recipe, e);
    if (!rc && !name[0]) {
        Variant row = *equation_base(&a->spec.variant);
        if (a->recipe || recipe) model_recipe_norms(a->recipe ? a->recipe : recipe, &row);
        name_arm(a, &row);
        if (!a->label[0]) label_arm(a, &row);
    }
    document_release(&d);
    return rc;
}

void arm_print_ranges(Text *out) {
    text_format(out,
                "A norm or a rule inside the blocks may be that of some of them, a range or a list of ranges; later "
                "ones win, other\nblocks keep the base's: attn.out: {from: 2/3, norm: rmsnorm}, gate: {from: 2/3, "
                "rule: learned 0}. attn.gate is the\ngate of attention alone, before what gate says:\n");
    for (int i = 0; i < RANGE_KEYS; i++) text_format(out, "  %-5s %s\n", range_keys[i].name, range_keys[i].what);
}
