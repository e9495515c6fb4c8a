/* Recipes: names for several keys of spec.def at once and for the normalizer that replaces a placement's layernorm. No
 * run knows its recipe: it is expanded where it is read. */
#ifndef BENCH_PLAN_RECIPES_H
#define BENCH_PLAN_RECIPES_H

#include "bench/plan/spec.h"

enum { RECIPE_KEYS_MAX = 8 };

typedef struct {
    const char *name, *norm, *what;
    struct {
        const char *key, *value;
    } pair[RECIPE_KEYS_MAX]; /* the first without a key ends the list */
} ModelRecipe;

extern const ModelRecipe model_recipes[];
extern const int model_recipe_count;

/* Find a recipe; NULL with RC_USAGE "recipe: unknown value 'lama'; did you mean 'llama'?". */
const ModelRecipe *model_recipe_find(const char *name, Error *e);

/* Replace every layernorm of the row, also in ranges of blocks, by the recipe's norm. */
void model_recipe_norms(const ModelRecipe *recipe, Variant *v);

/* Return the recipe whose keys the spec has, or NULL. */
const ModelRecipe *model_recipe_of(const RunSpec *s);

#endif
