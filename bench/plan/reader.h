/* Inside of experiment_parse: what its files share. */
#ifndef BENCH_PLAN_READER_H
#define BENCH_PLAN_READER_H

#include "bench/formats/document.h"
#include "bench/plan/experiment.h"
#include "bench/plan/recipes.h"

/* An experiment while it is read. */
typedef struct {
    Experiment *x;
    const Document *d;                     /* the file */
    const Node *arms, *profiles, *profile; /* of the file; the profile asked for */
    const Node *keep;                      /* the profile's list of arms, or NULL: all */
    RunSpec base;                          /* what every arm starts from */
    const ModelRecipe *recipe;             /* whose norm every arm's row gets, or NULL */
    uint64_t set;                          /* bit i: --set gives spec_keys[i] */
    Error *e;
} Reader;

/* The keys of a file's top level beside those of spec.def. */
extern const char *const experiment_keys[];
extern const int experiment_key_count;

bool is_column(const char *key);

/* Names: letters, digits, '-', '_' and '.', not a '.' first, at most `longest` bytes. what: "arm", "profile", … */
bool name_byte(char c);
Rc name_check(const Document *d, int line, const char *what, const char *name, size_t longest, Error *e);

/* spec_set with the entry's key and value; errors carry file and line. */
Rc spec_set_node(RunSpec *s, const Document *d, const Node *entry, Error *e);

/* RC_USAGE for a key that does not belong where it stands: where it does, or the nearest, more[count] included. */
Rc unknown_key(const Document *d, const Node *entry, const char *const *more, int count, Error *e);

/* Copies an entry's text; RC_USAGE when it is no text, empty, too long for out[size], or holds control bytes. */
Rc text_entry(char *out, size_t size, const Document *d, const Node *entry, Error *e);

/* One key of spec.def: a value sets it, a list makes a factor of it; an earlier value is replaced. */
Rc apply_key(Reader *r, const Document *d, const Node *entry);

/* "recipe: llama" of a mapping, or nothing where it has none: for all arms, before the keys beside it. */
Rc apply_recipe(Reader *r, const Document *d, const Node *entry);

/* The recipe that an entry names; NULL and RC_USAGE in e where it names none. */
const ModelRecipe *recipe_entry(const Document *d, const Node *entry, Error *e);

/* "seeds: 8" is 1, 2, … 8; "seeds: 13-24" is those; "seeds: [3, 5]" is 3 and 5; "seeds: {until: decided, most: 64}"
 * goes on from those that an entry before has listed. */
Rc apply_seeds(Reader *r, const Document *d, const Node *entry);

/* "probes: [usual, weight_norm]" or "probes: {names: […], every: 10}": rows of models/probes.def, measured beside the
 * usual ones, which need not be named; `growth` names all that write-up 004 measures over depth. `every`: the steps
 * from one measurement to the next of those that are added: 1 when nothing is said, 10 when `growth` is named. */
Rc apply_probes(Reader *r, const Document *d, const Node *n);

/* "hits: true" */
Rc apply_flag(Reader *r, const Document *d, const Node *entry, bool *out);

/* alpha and margin: a number above 0 and below `below`. */
Rc apply_number(Reader *r, const Node *entry, double *out, double below);

/* A metric's name. */
Rc metric_entry(Metric *out, const Document *d, const Node *entry, Error *e);

/* "table: [valid_loss, {metric: perplexity, heading: PPL}]", "panels: [valid_loss, {curve: grad_norm, axis: log}]";
 * what is shown when the file is silent. */
Rc apply_table(Reader *r, const Node *entry);
Rc apply_panels(Reader *r, const Node *entry);
void show_defaults(Experiment *x);

/* "summaries: [ranking]": rows of summaries.def; whether the experiment has what they need. */
Rc apply_summaries(Reader *r, const Node *entry);

/* "also: [001]": other write-ups than `writeup`. */
Rc apply_also(Reader *r, const Node *entry);
Rc check_summaries(const Reader *r);

/* "compare: [mine - pre]" into x->compare, once the arms are read; a pair with an arm that is left out is left out. */
Rc check_compares(Reader *r);

/* recipe: of the file, for an arm without one of its own; NULL: none. */
Rc arm_read(Arm *a, const Document *d, const Node *mapping, const char *name, const RunSpec *base,
            const ModelRecipe *recipe, Error *e);

/* The arm that a lone --arm is compared with: its base as it stands, with the keys and the recipe of the file. False
 * when `of` is that arm itself. */
bool arm_baseline(Arm *out, const Arm *of, const RunSpec *base, const ModelRecipe *recipe);

/* The name is the file's without folder and ending, the title is the name, one seed. */
void reader_defaults(Experiment *x);

/* The baseline is an arm; the cells are few; every arm of every cell passes spec_check. new_arms: they are --arm's. */
Rc reader_check(Reader *r, bool new_arms);

#endif
