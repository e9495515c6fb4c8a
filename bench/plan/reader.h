/* Internals of experiment_parse that its files share. */
#ifndef BENCH_PLAN_READER_H
#define BENCH_PLAN_READER_H

#include "bench/formats/document.h"
#include "bench/plan/experiment.h"
#include "bench/plan/recipes.h"

/* An experiment while it is read. */
typedef struct {
    Experiment *x;
    const Document *d;                     /* the file */
    const Node *arms, *profiles, *profile; /* the file's; the requested profile */
    const Node *keep;                      /* the profile's list of arms, or NULL: all */
    RunSpec base;                          /* start of every arm */
    const ModelRecipe *recipe;             /* recipe whose norm replaces every arm's, or NULL */
    uint64_t set;                          /* bit i: --set gives spec_keys[i] */
    bool until;                            /* --set, and not the file, adds seeds until it is decided */
    Error *e;
} Reader;

/* Keys of a file's top level beside those of spec.def. */
extern const char *const experiment_keys[];
extern const int experiment_key_count;

bool is_column(const char *key);

/* Check a name: letters, digits, '-', '_' and '.', no '.' or '-' first, at most `longest` bytes. what: "arm",
 * "profile", … */
bool name_byte(char c);
Rc name_check(const Document *d, int line, const char *what, const char *name, size_t longest, Error *e);

/* Call spec_set with the entry's key and value; errors name file and line. */
Rc spec_set_node(RunSpec *s, const Document *d, const Node *entry, Error *e);

/* Refuse a misplaced key with RC_USAGE: name its right place, or the nearest key, including more[count]. */
Rc unknown_key(const Document *d, const Node *entry, const char *const *more, int count, Error *e);

/* Copy an entry's text; RC_USAGE: it is no text, empty, too long for out[size], or has control bytes. */
Rc text_entry(char *out, size_t size, const Document *d, const Node *entry, Error *e);

/* Apply a key of spec.def: a value sets it, a list makes it a factor; earlier values are replaced. */
Rc apply_key(Reader *r, const Document *d, const Node *entry);

/* Apply a mapping's "recipe: llama", if there is one, to all arms, before the keys beside it. */
Rc apply_recipe(Reader *r, const Document *d, const Node *entry);

/* Return the recipe that an entry names; NULL and RC_USAGE: it names none. */
const ModelRecipe *recipe_entry(const Document *d, const Node *entry, Error *e);

/* "looks: [10, 20]" */
Rc apply_looks(Reader *r, const Node *n);

/* "seeds: 8" is 1, 2, … 8; "seeds: 13-24" is those; "seeds: [3, 5]" is 3 and 5; "seeds: {until: decided, most: 64}"
 * goes on from those that an entry before has listed. */
Rc apply_seeds(Reader *r, const Document *d, const Node *entry);
/* Have seeds added until it is decided: sort the listed ones, as pairs are (st_pair), and go on above the largest up to
 * `most` in all, so that each new seed is the last. RC_USAGE: they would go beyond INT64_MAX. */
Rc seeds_go_on(Reader *r, const Document *d, const Node *n, int most);

/* Apply "probes: [usual, weight_norm]" or "probes: {names: […], every: 10}": rows of models/probes.def, measured beside
 * the usual ones, which need not be named; `growth` stands for all that write-up 004 measures over depth. `every`:
 * steps between measurements of added probes, by default 1, or 10 if `growth` is named. */
Rc apply_probes(Reader *r, const Document *d, const Node *n);

/* Apply a flag: "hits: true". */
Rc apply_flag(Reader *r, const Document *d, const Node *entry, bool *out);

/* Apply alpha or margin: a number above 0 and below `below`. */
Rc apply_number(Reader *r, const Node *entry, double *out, double below);

/* Read a metric's name. */
Rc metric_entry(Metric *out, const Document *d, const Node *entry, Error *e);

/* Apply "table: [valid_loss, {metric: perplexity, heading: PPL}]" or "panels: [valid_loss, {curve: grad_norm, axis:
 * log}]"; set the defaults. */
Rc apply_table(Reader *r, const Node *entry);
Rc apply_panels(Reader *r, const Node *entry);
void show_defaults(Experiment *x);

/* Apply "summaries: [ranking]", rows of summaries.def; check that the experiment has what they need. */
Rc apply_summaries(Reader *r, const Node *entry);

/* Apply "also: [001]": other write-ups than `writeup`. */
Rc apply_also(Reader *r, const Node *entry);
Rc check_summaries(const Reader *r);

/* Read "compare: [mine - pre]" into x->compare, after the arms; drop pairs with an arm that is left out. */
Rc check_compares(Reader *r);

/* Read an arm. recipe: the file's, for an arm without its own; NULL: none. */
Rc arm_read(Arm *a, const Document *d, const Node *mapping, const char *name, const RunSpec *base,
            const ModelRecipe *recipe, Error *e);

/* Make the arm with which a single --arm is compared: its base, with the keys and the recipe of the file. False: `of`
 * is that arm itself. */
bool arm_baseline(Arm *out, const Arm *of, const RunSpec *base, const ModelRecipe *recipe);

/* Set defaults: the name is the file's without folder and ending, the title is the name, one seed or
 * those of the last look. */
void reader_defaults(Experiment *x);

/* Check that the baseline is an arm, that the cells are few, and every arm of every cell. new_arms: they are --arm's.
 * */
Rc reader_check(Reader *r, bool new_arms);

#endif
