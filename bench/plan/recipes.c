#include "bench/plan/recipes.h"

#include <assert.h>
#include <string.h>

#include "base/names.h"

#define PAIRS(...) {__VA_ARGS__}
const ModelRecipe model_recipes[] = {
#define MODEL_RECIPE(name, norm, keys, what) {#name, #norm, what, keys},
#include "bench/plan/recipes.def"
#undef MODEL_RECIPE
};
const int model_recipe_count = sizeof model_recipes / sizeof *model_recipes;

const ModelRecipe *model_recipe_find(const char *name, Error *e) {
    const Names names = NAMES(model_recipes, model_recipe_count);
    int i = name_find(names, name);
    if (i >= 0) return &model_recipes[i];
    error_set(e, RC_USAGE, "recipe: unknown value '%.80s'", name);
    name_unknown(e, name, names, "valid");
    return NULL;
}

/* Copy a column's text, replacing every word `from` by `to`. */
static void replace_words(Text *out, const char *text, const char *from, const char *to) {
    while (*text) {
        size_t n = strcspn(text, " ;");
        if (n == strlen(from) && !strncmp(text, from, n)) text_format(out, "%s", to);
        else text_add(out, text, n);
        text += n;
        n = strspn(text, " ;");
        text_add(out, text, n);
        text += n;
    }
}

void model_recipe_norms(const ModelRecipe *recipe, Variant *v) {
    char old[VARIANT_TEXT_SIZE];
    LOCAL_TEXT(new);
    Error e;
    for (int i = 0; i < variant_key_count; i++) {
        if (!variant_normed(variant_keys[i])) continue;
        text_clear(&new);
        replace_words(&new, variant_get(old, v, variant_keys[i]), "layernorm", recipe->norm);
        if (!strcmp(old, new.at)) continue;
        Rc rc = variant_set(v, variant_keys[i], new.at, &e);
        assert(!rc && "a recipe's norm can stand where layernorm can");
        (void)rc;
    }
}

const ModelRecipe *model_recipe_of(const RunSpec *s) {
    char value[SPEC_TEXT_SIZE];
    for (const ModelRecipe *m = model_recipes; m < model_recipes + model_recipe_count; m++) {
        bool all = true;
        for (int i = 0; i < RECIPE_KEYS_MAX && m->pair[i].key; i++)
            all = all && !strcmp(spec_get(value, s, m->pair[i].key), m->pair[i].value);
        if (all) return m;
    }
    return NULL;
}
