/* CSV: the header says whether a line is one run (seed, arm, value) or one seed with a column for every arm. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "bench/compare/rows.h"
#include "bench/formats/csv.h"
#include "bench/formats/latex.h"
#include "bench/readers/guess.h"
#include "bench/readers/readers.h"

static CompareRows *rows_of(const Csv *c) {
    return c->of;
}

static int column(const Csv *c, const char *name) {
    for (int i = 0; i < c->fields; i++)
        if (!strcmp(c->field[i], name)) return i;
    return -1;
}

/* A usual name, which others begin with a capital: Seed, Step. */
static int usual_column(const Csv *c, const char *name) {
    int exact = column(c, name);
    for (int i = 0; i < c->fields && exact < 0; i++)
        if (!strcasecmp(c->field[i], name)) exact = i;
    return exact;
}

/* The name of a column: as the command line has it, or the usual one. */
static const char *name_or(const char *named, const char *usual) {
    return named ? named : usual;
}

/* A value, or a run that is not there. */
static bool is_number(const char *text) {
    double value;
    Error ignored;
    return log_absent(text) || !compare_value("", "", text, &value, &ignored);
}

/* A column that the command line names (or NULL) or that every file has. */
static Rc find_column(const Csv *c, const char *named, const char *option, int *out, Error *e) {
    char hint[96] = "";
    const char *name = name_or(named, option);
    *out = named ? column(c, named) : usual_column(c, option);
    if (*out >= 0) return RC_OK;
    const char *near = nearest_name(name, (const char *const *)c->field, (size_t)c->fields);
    bool names = false;
    bool counts = near && (!strcmp(near, "step") || (!strcmp(near, "seed") && strcmp(option, "seed") != 0));
    if (counts) near = NULL; /* counts are no seeds */
    for (int i = 0; i < c->fields; i++) names |= !is_number(c->field[i]);
    if (!names) return error_set(e, RC_USAGE, "%s: the first line has numbers, not names: seed,pre,post", c->where);
    if (near) snprintf(hint, sizeof hint, "; is '%.60s' meant?", near);
    bool value = !strcmp(option, "value");
    if (usual_column(c, "p_signflip") >= 0)
        return error_set(
            e, RC_USAGE,
            "%s: this is what `table` wrote, means over the seeds; `normbench runs EXPERIMENT --format csv` "
            "prints the values of each seed",
            c->where);
    error_set(e, RC_USAGE, "%s: %s '%.80s'%s (--%s%s%s names it)", c->where,
              c->kind ? "no record has" : "the header has no column", name, hint, value ? "metric" : "column ",
              value ? "" : option, value ? " NAME" : "=NAME");
    for (int i = 0; i < c->fields && !near; i++) error_add(e, "%s'%.40s'", i ? ", " : "; there are: ", c->field[i]);
    return named || strcmp(option, "seed") ? e->code : error_add(e, "; --unpaired compares runs without seeds");
}

/* The first column of a data frame's rows: without a name, or as pandas calls it. */
static bool is_index(const Csv *c, int column) {
    const char *name = c->field[0];
    return !column && c->fields > 2 && (!name[0] || !strcmp(name, "Unnamed: 0") || !strcmp(name, "index"));
}

/* Nor is any of this where no column of seeds says that a line is one. */
static bool is_no_run(const char *name) {
    static const char *const names[] = {"run",  "trial", "id",      "name",  "replicate", "rep",
                                        "fold", "arm",   "replica", "split", "value",     "seeds"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(name, names[i])) return true;
    return false;
}

static Rc check_header(const Csv *c, Error *e) {
    for (int i = 0; i < c->fields; i++) {
        if (is_index(c, i)) continue;
        if (!c->field[i][0]) return error_set(e, RC_USAGE, "%s: column %d has no name", c->where, i + 1);
        for (int k = 0; k < i; k++)
            if (!strcmp(c->field[i], c->field[k]))
                return error_set(e, RC_USAGE, "%s: two columns are called '%.80s'", c->where, c->field[i]);
    }
    return RC_OK;
}

/* What a line is: the columns of a run, or one per arm, or one per run. */
typedef struct {
    int fields, seed, arm, value, block, corpus; /* arm < 0: one column per arm or run; seed < 0: there is none */
    int index;                                   /* passed over; -1: there is none */
    int step;                                    /* counts steps, and has no part; -1: there is none */
    double *first;                               /* [firsts]: an arm's first step; NaN: none yet */
    int firsts;
    int status;                                  /* a run that is diverged by it has no value; -1: there is none */
    int empty;                                   /* columns behind the last one, with neither name nor values */
    char **name;                                 /* of the columns */
    int called;                                  /* the column that is called arm, beside none called value; -1 */
    bool guess;              /* that one may be the arm, or one of two: the first line of numbers decides */
    bool runs;               /* a column is a run */
    const char *guessed;     /* the first arm, of a shape that was guessed; NULL */
    char guessed_where[700]; /* its line */
    struct {
        bool passed; /* a band of W&B */
        int arm;
        int64_t seed; /* of a run that is a column */
    } * column;
} FileShape;

/* Whether a name is one of a list that ends with NULL. */
static bool is_among(const char *name, const char *const *names) {
    for (; *names; names++)
        if (!strcasecmp(name, *names)) return true;
    return false;
}

/* Means and what else is made of a line's other columns. Arms may have such names (pooling by mean, max), but not where
 * a spread stands beside a mean. */
static const char *const means[] = {"mean", "avg", "average", "median", NULL};
static const char *const spreads[] = {"std", "stdev", "stddev", "sd", NULL};
static const char *const extremes[] = {"n", "count", "min", "max", "25%", "50%", "75%", "all", "total", NULL};

static bool is_summary(const FileShape *s, const char *name) {
    bool mean = false, spread = false;
    for (int i = 0; i < s->fields; i++) mean |= is_among(s->name[i], means), spread |= is_among(s->name[i], spreads);
    return mean && spread && (is_among(name, means) || is_among(name, spreads) || is_among(name, extremes));
}

/* What logs hold beside results; none of it is an arm. */
static bool is_no_arm(const FileShape *s, const char *name) {
    static const char *const names[] = {
        "step",    "steps",  "epoch",         "epochs", "iteration",  "iterations", "iter",
        "index",   "lr",     "learning_rate", "time",   "seconds",    "runtime",    "timestamp",
        "date",    "batch",  "delta",         "diff",   "difference", "pct",        "percent",
        "p_value", "pvalue", "total",         "std",    "stdev",      "stddev",     NULL};
    /* Made of other columns: */
    static const char *const ends[] = {"_delta", "_diff", "_difference", "_pct", "_percent"};
    if (is_among(name, names) || is_summary(s, name)) return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strlen(name) > strlen(ends[i]) && !strcasecmp(name + strlen(name) - strlen(ends[i]), ends[i])) return true;
    return false;
}

static bool has_part(const FileShape *s, int column) {
    return column == s->seed || column == s->arm || column == s->value || column == s->block || column == s->index ||
           column == s->corpus || s->column[column].passed;
}

/* "pre-s1 - val/loss__MIN" beside "pre-s1 - val/loss", and "pre-s1 - _step": what W&B exports with a chart. */
static void pass_bands(const Csv *c, FileShape *s) {
    for (int i = 0; i < c->fields; i++) {
        const char *name = c->field[i];
        bool band = text_ends(name, "__MIN") || text_ends(name, "__MAX");
        s->column[i].passed = (band && column(c, SHOW_TEXT("%.*s", (int)(strlen(name) - (band ? 5 : 0)), name)) >= 0) ||
                              text_ends(name, " - _step");
    }
}

/* The bytes of a column's name before the " - METRIC" that W&B puts behind every run's; all of them where some column
 * has none, or another. */
static size_t run_length(const Csv *c, const FileShape *s, const char *name) {
    const char *metric = NULL;
    for (int i = 0; i < c->fields; i++) {
        const char *tail = NULL;
        if (has_part(s, i)) continue;
        for (const char *at = c->field[i]; (at = strstr(at, " - ")); at++) tail = at;
        if (!tail || (metric && strcmp(metric, tail) != 0)) return strlen(name);
        metric = tail;
    }
    return strlen(name) - (metric ? strlen(metric) : 0);
}

/* The arm and seed of a run's name; false: it names none. */
static bool split_run(const Csv *c, const FileShape *s, const char *name, Guess *out) {
    return guess_name(SHOW_TEXT("%.*s", (int)run_length(c, s, name), name), out);
}

/* Whether every column that has no part names a run with its seed. */
static bool runs_named(const Csv *c, const FileShape *s) {
    int runs = 0;
    Guess guess;
    for (int i = 0; i < c->fields; i++) {
        if (has_part(s, i)) continue;
        if (!split_run(c, s, c->field[i], &guess)) return false;
        runs++;
    }
    return runs > 0;
}

/* The only column that has no part yet; -1: there are none or several. */
static int only_other(const FileShape *s) {
    int found = -1;
    for (int i = 0; i < s->fields; i++) {
        if (has_part(s, i)) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

/* Say which columns have no part yet, of which one must be the arm's or the value's. */
static Rc ask_for_column(const Csv *c, const FileShape *s, const char *where, Error *e) {
    LOCAL_TEXT(others);
    for (int i = 0; i < s->fields; i++)
        if (!has_part(s, i)) text_format(&others, "%s%.40s", others.length ? ", " : "", s->name[i]);
    if (!others.length && s->value < 0)
        return error_set(e, RC_USAGE, "%s: no %s is left for the values", where, c->kind ? "key" : "column");
    return error_set(e, RC_USAGE, "%s: --%s must say which column it is: %.200s", where,
                     s->arm < 0 ? "column arm=NAME" : "metric NAME", others.length ? others.at : "none is left");
}

/* One run a line, since the command line names the arm's or the value's column. The other one may go without a name
 * where one column is left. */
static Rc find_named(const Csv *c, FileShape *s, Error *e) {
    const CompareColumns *n = &rows_of(c)->columns;
    s->arm = n->arm ? column(c, n->arm) : usual_column(c, "arm");
    s->value = n->value ? column(c, n->value) : usual_column(c, "value");
    if (n->arm && s->arm < 0) return find_column(c, n->arm, "arm", &s->arm, e);
    if (n->value && s->value < 0) return find_column(c, n->value, "value", &s->value, e);
    if (s->arm < 0) s->arm = only_other(s);
    if (s->value < 0) s->value = only_other(s);
    if (s->arm < 0 || s->value < 0) return ask_for_column(c, s, c->where, e);
    if (s->arm == s->value || s->arm == s->seed || s->value == s->seed)
        return error_set(e, RC_USAGE, "%s: seed, arm and value are three columns, and two of them are '%.80s'",
                         c->where, c->field[s->value == s->seed ? s->seed : s->arm]);
    return RC_OK;
}

/* What to say of a column of steps. */
static const char *curves(const char *name) {
    return strcasecmp(name, "step") ? "" : "; --target VALUE reads curves and compares the first step that reaches it";
}

/* Of the corpora, unless the command line says that it is another; -1: there is none. */
static int corpus_column(const Csv *c) {
    const CompareColumns *n = &rows_of(c)->columns;
    const char *const named[] = {n->seed, n->arm, n->value, n->step};
    for (size_t i = 0; i < sizeof compare_corpus_columns / sizeof *compare_corpus_columns; i++) {
        const char *name = compare_corpus_columns[i];
        bool other = false;
        for (size_t k = 0; k < sizeof named / sizeof *named; k++) other |= named[k] && !strcmp(named[k], name);
        if (!other && column(c, name) >= 0) return column(c, name);
    }
    return -1;
}

/* Whether a column that is not called seed may well be one: "sed", "rng_seed". */
static bool seed_like(const Csv *c, const FileShape *s) {
    for (int i = 0; i < c->fields; i++) {
        const char *name = c->field[i];
        size_t n = strlen(name);
        if (!has_part(s, i) && (strcasestr(name, "seed") || (n > 2 && n < 6 && name[0] == 's' && name[n - 1] == 'd')))
            return true;
    }
    return false;
}

/* A file without a column of seeds: each column is a run that may name its own; or they are not needed. */
static Rc find_seeds(const Csv *c, FileShape *s, Error *e) {
    const CompareColumns *n = &rows_of(c)->columns;
    bool wide = s->arm < 0, named = wide && runs_named(c, s);
    if (s->seed >= 0) return RC_OK;
    s->runs = wide && (named || n->steps);
    if ((!n->unpaired && !named) || (!s->runs && (seed_like(c, s) || (s->block >= 0 && !n->steps))))
        return find_column(c, NULL, "seed", &s->seed, e);
    rows_of(c)->numbered = !named;
    s->guess &= !s->runs;
    double number;
    for (int i = 0; i < s->fields && !s->runs && !n->steps; i++)
        if (!has_part(s, i) && log_number(c->field[i], &number))
            return error_set(e, RC_USAGE,
                             "%s: the first line has '%.40s' where the name of a column is needed: arm,value", c->where,
                             c->field[i]);
    return RC_OK;
}

/* The list that `normbench runs --format csv` prints, and that results/reference has of runs: its loss is the value. */
static bool is_run_list(const Csv *c, FileShape *s) {
    const CompareColumns *n = &rows_of(c)->columns;
    if (n->arm || n->value || n->steps || s->seed < 0 || column(c, "loss_chain") < 0) return false;
    s->arm = column(c, "arm"), s->value = column(c, "valid_loss"), s->corpus = -1;
    return s->arm >= 0 && s->value >= 0;
}

/* A column `status` of lines that are runs, as `normbench runs --format csv` prints it, or W&B's State. */
static Rc find_status(const Csv *c, FileShape *s, Error *e) {
    s->status = rows_of(c)->columns.steps ? -1 : usual_column(c, "status");
    if (s->status < 0 && !rows_of(c)->columns.steps) s->status = usual_column(c, "state");
    if (s->status >= 0 && has_part(s, s->status)) s->status = -1;
    return find_seeds(c, s, e);
}

static Rc find_shape(const Csv *c, FileShape *s, Error *e) {
    static const char *const known[] = {"seed", "arm", "value", "corpus"};
    const CompareColumns *n = &rows_of(c)->columns;
    char hint[96];
    int others = 0;
    s->fields = c->fields;
    s->arm = s->value = s->block = s->corpus = s->status = s->called = s->step = -1;
    s->index = is_index(c, 0) ? 0 : -1;
    s->seed = usual_column(c, "seed");
    pass_bands(c, s);
    if (n->seed && find_column(c, n->seed, "seed", &s->seed, e)) return e->code;
    s->block = usual_column(c, "block");
    s->corpus = corpus_column(c);
    if (n->steps && find_column(c, n->step, "step", &s->block, e)) return e->code;
    if (is_run_list(c, s)) return find_status(c, s, e);
    if ((n->arm || n->value) && s->seed < 0 && !n->unpaired) return find_column(c, NULL, "seed", &s->seed, e);
    if (n->arm || n->value) return find_named(c, s, e) ? e->code : find_status(c, s, e);
    s->arm = usual_column(c, "arm"), s->value = usual_column(c, "value");
    if (s->arm >= 0 && s->value >= 0) {
        for (int i = 0; i < c->fields; i++)
            if (!has_part(s, i))
                return error_set(e, RC_USAGE,
                                 "%s: unknown %s '%.80s'%s (seed, arm, value, %s and corpus are known; "
                                 "--metric value passes over others)%s",
                                 c->where, c->kind ? "key" : "column", c->field[i],
                                 did_you_mean(hint, sizeof hint, c->field[i], known, sizeof known / sizeof *known),
                                 n->steps ? "step" : "block", curves(c->field[i]));
        return find_seeds(c, s, e);
    }
    s->called = s->arm;
    s->arm = s->value = -1;
    for (int i = 0; i < c->fields; i++) others += !has_part(s, i);
    s->guess = others == 2 || s->called >= 0;
    return find_seeds(c, s, e);
}

/* Letters that stand for no number: "adam", but not "NA" or "1e-3x". */
static bool is_name(const char *text) {
    return !log_absent(text) && (isalpha((unsigned char)text[0]) || (unsigned char)text[0] >= 0x80);
}

/* seed,method,loss: of the two columns one holds names, the other numbers; or the column that is called arm holds
 * names. No file with a column for every arm has a name there. */
static Rc guess_shape(Csv *c, FileShape *s, Error *e) {
    int two[2] = {0, 0}, count = 0;
    s->guess = false;
    if (s->called >= 0 && is_name(c->field[s->called])) {
        s->arm = s->called, s->value = only_other(s);
        return s->value < 0 ? ask_for_column(c, s, c->header, e) : RC_OK;
    }
    for (int i = 0; i < s->fields; i++)
        if (!has_part(s, i) && count++ < 2) two[count - 1] = i;
    bool first = is_number(c->field[two[0]]), second = is_number(c->field[two[1]]);
    if (count != 2 || first == second || !is_name(c->field[two[first]])) return RC_OK;
    s->arm = two[first], s->value = two[!first];
    s->guessed = c->field[s->arm];
    snprintf(s->guessed_where, sizeof s->guessed_where, "%s", c->where);
    return RC_OK;
}

/* An arm that is a number, of a shape that was guessed: a text cell was taken for an arm, and is the mistake. */
static Rc check_guess(const Csv *c, const FileShape *s, Error *e) {
    double ignored;
    if (!s->guessed || log_absent(c->field[s->arm]) || !log_number(c->field[s->arm], &ignored)) return RC_OK;
    (void)compare_value(s->guessed_where, s->name[s->arm], s->guessed, &ignored, e);
    return error_add(e, "%s", compare_name_columns);
}

/* A column that is a run: its arm, and its seed where it names one. */
static Rc settle_run(Csv *c, FileShape *s, int i, Error *e) {
    CompareRows *r = rows_of(c);
    Guess guess = {.seed = "0"};
    int64_t seed = 0;
    char **field = c->field;
    c->field = s->name; /* of the header, whatever line was read since */
    if (!r->numbered) split_run(c, s, s->name[i], &guess);
    c->field = field;
    const char *arm = r->numbered ? SHOW_TEXT("%.*s", (int)run_length(c, s, s->name[i]), s->name[i]) : guess.arm;
    if (compare_seed(c->header, s->name[i], guess.seed, &seed, e)) return e->code;
    if (compare_arm(r, c->header, arm, &s->column[i].arm, e)) return e->code;
    s->column[i].seed = r->numbered ? compare_next_run(r, s->column[i].arm) : seed;
    if (r->read_as) return RC_OK;
    Text said;
    text_init(&said);
    text_format(&said, "one run a column: '%.80s' is arm '%.80s'", s->name[i], arm);
    if (!r->numbered) text_format(&said, ", seed %lld", (long long)seed);
    r->read_as = said.at;
    return RC_OK;
}

/* Say how numbers were written. Columns that are compared with each other need one unit. */
static Rc settle_marks(Csv *c, const FileShape *s, Error *e) {
    CompareRows *r = rows_of(c);
    const char *plain = NULL, *percent = NULL;
    for (int i = 0; i < s->fields && i < c->units; i++) {
        if (r->wide ? has_part(s, i) : i != s->value) continue;
        if (c->unit[i] & CSV_PLAIN) plain = s->name[i];
        if (c->unit[i] & CSV_PERCENT) percent = s->name[i];
    }
    if (plain && plain == percent)
        return error_set(e, RC_USAGE, "%s: column '%.80s' has numbers with and without a sign of percent", c->header,
                         plain);
    if (plain && percent)
        return error_set(e, RC_USAGE,
                         "%s: column '%.80s' has numbers with a sign of percent and '%.80s' without; one unit is "
                         "needed",
                         c->header, percent, plain);
    const char *written = csv_written(c);
    if (!written && !percent) return RC_OK;
    Text said;
    text_init(&said);
    text_format(&said, "%s%s%s%s%s", r->read_as ? r->read_as : "", r->read_as ? "; " : "", written ? written : "",
                written && percent ? ", " : "", percent ? written ? "in percent" : "numbers in percent" : "");
    free(r->read_as);
    r->read_as = said.at;
    return RC_OK;
}

/* Once it is known what a line is. */
static Rc settle(Csv *c, FileShape *s, Error *e) {
    CompareRows *r = rows_of(c);
    r->wide = s->arm < 0;
    for (int i = 0; i < s->fields && !r->wide && s->seed < 0 && !r->columns.steps; i++)
        if (log_is_step(s->name[i]) && !has_part(s, i)) s->step = i;
    if (!r->wide && (strcmp(s->name[s->arm], "arm") != 0 || strcmp(s->name[s->value], "value") != 0)) {
        Text said;
        text_init(&said);
        text_format(&said, "one run a line: arm is column '%.80s', value is column '%.80s'", s->name[s->arm],
                    s->name[s->value]);
        r->read_as = said.at;
    }
    if (!r->wide && strcmp(s->name[s->value], "value") != 0) r->metric = mem_text(s->name[s->value]);
    r->blocks = s->block >= 0;
    for (int i = 0; r->wide && i < s->fields; i++) {
        const char *name = s->name[i];
        if (has_part(s, i)) continue;
        if (is_no_arm(s, name) || (s->seed < 0 && !s->runs && is_no_run(name)))
            return error_set(e, RC_USAGE, "%s: column '%.80s' is no arm: leave it out, with one line per seed%s%s",
                             c->header, name, compare_name_columns, curves(name));
        if (s->runs ? settle_run(c, s, i, e) : compare_arm(r, c->header, name, &s->column[i].arm, e)) return e->code;
    }
    return settle_marks(c, s, e);
}

/* Names outlive the line they stand on, as the text does. */
static Rc read_header(Csv *c, FileShape *s, Error *e) {
    for (; c->fields > 1 && !c->field[c->fields - 1][0]; s->empty++) c->fields--; /* "seed,pre,post," */
    s->column = mem_alloc((size_t)c->fields, sizeof *s->column);
    s->name = mem_alloc((size_t)c->fields, sizeof *s->name);
    memcpy(s->name, c->field, (size_t)c->fields * sizeof *s->name);
    if (check_header(c, e) || find_shape(c, s, e)) return e->code;
    snprintf(c->header, sizeof c->header, "%s", c->where);
    return s->guess ? RC_OK : settle(c, s, e);
}

/* What a line says before its values: its seed, 1 where it names none, its block or step and its corpus. */
static Rc read_place(Csv *c, const FileShape *s, CompareRow *row, Error *e) {
    *row = (CompareRow){.at = c->line, .seed = 1};
    if (s->seed >= 0 && compare_seed(c->where, s->name[s->seed], c->field[s->seed], &row->seed, e)) return e->code;
    if (s->block >= 0 && compare_seed(c->where, s->name[s->block], c->field[s->block], &row->block, e)) return e->code;
    return s->corpus < 0 ? RC_OK : compare_corpus(rows_of(c), c->where, c->field[s->corpus], &row->corpus, e);
}

/* No run of this seed, or not measured at this step. */
static bool passed_over(const Csv *c, const char *field) {
    return compare_may_lack(rows_of(c)) && log_absent(field);
}

/* Keeps the run, to be named where no line gives it a value. Of a curve's line the rest may be missing too. */
static Rc read_absent(Csv *c, const FileShape *s, bool unfinished, Error *e) {
    CompareRow row;
    Error none;
    bool steps = rows_of(c)->columns.steps;
    if (steps && log_absent(c->field[s->arm])) return RC_OK;
    if (read_place(c, s, &row, steps ? &none : e)) return steps ? RC_OK : e->code;
    if (compare_arm(rows_of(c), c->where, c->field[s->arm], &row.arm, e)) return e->code;
    row.absent = true, row.unfinished = unfinished;
    if (s->seed < 0 && steps) return RC_OK;
    if (s->seed < 0) row.seed = -(int64_t)rows_of(c)->rows - 1; /* counted runs have the numbers from 1 on */
    compare_row_add(rows_of(c), row);
    return RC_OK;
}

/* A run that did not end: left out where others have no pairs. */
static Rc read_unfinished(Csv *c, const FileShape *s, Error *e) {
    if (compare_may_lack(rows_of(c))) return read_absent(c, s, true, e);
    return error_set(e, RC_USAGE, "%s: its %s is '%.40s': leave out this run and those of its seed", c->where,
                     s->name[s->status], c->field[s->status]);
}

/* Lines of an arm that name no run and count unlike steps may be evaluations of one. */
static Rc check_step(const Csv *c, FileShape *s, int arm, Error *e) {
    double step;
    if (s->step < 0 || !log_number(c->field[s->step], &step)) return RC_OK;
    if (arm >= s->firsts) {
        s->first = mem_grow(s->first, (size_t)arm + 1, sizeof *s->first);
        while (s->firsts <= arm) s->first[s->firsts++] = (double)NAN;
    }
    if (isnan(s->first[arm])) s->first[arm] = step;
    if (step == s->first[arm]) return RC_OK;
    return error_set(
        e, RC_USAGE,
        "%s: arm '%.80s' is there at %.40s %s and %s, and no column of seeds or names says which lines are "
        "of one run; add such a column or, where each line is a run, leave that of %s out",
        c->where, rows_of(c)->arm[arm], s->name[s->step], FORMAT_REAL(s->first[arm]), FORMAT_REAL(step),
        s->name[s->step]);
}

static Rc read_run(Csv *c, FileShape *s, Error *e) {
    CompareRow row;
    const char *value = c->field[s->value];
    if (check_guess(c, s, e)) return e->code;
    if (s->status >= 0 && log_unfinished(c->field[s->status])) return read_unfinished(c, s, e);
    if (passed_over(c, value)) return read_absent(c, s, false, e);
    if (read_place(c, s, &row, e) || compare_arm(rows_of(c), c->where, c->field[s->arm], &row.arm, e)) return e->code;
    if (check_step(c, s, row.arm, e)) return e->code;
    if (compare_value(c->where, s->name[s->value], value, &row.value, e)) return e->code;
    if (s->status >= 0 && !strcasecmp(c->field[s->status], "diverged")) row.value = (double)NAN;
    if (s->seed < 0 && !rows_of(c)->columns.steps) row.seed = compare_next_run(rows_of(c), row.arm);
    compare_row_add(rows_of(c), row);
    return RC_OK;
}

static Rc read_seed(Csv *c, const FileShape *s, Error *e) {
    CompareRow row;
    if (read_place(c, s, &row, e)) return e->code;
    for (int i = 0; i < s->fields; i++) {
        if (has_part(s, i)) continue;
        row.absent = passed_over(c, c->field[i]);
        if (!row.absent && compare_value(c->where, s->name[i], c->field[i], &row.value, e))
            return rows_of(c)->rows < (size_t)s->fields ? error_add(e, "%s", compare_name_columns) : e->code;
        row.arm = s->column[i].arm;
        if (s->runs)
            row.seed = s->column[i].seed;
        else if (s->seed < 0)
            row.seed = compare_next_run(rows_of(c), row.arm);
        compare_row_add(rows_of(c), row);
    }
    return RC_OK;
}

/* A line that a data frame's index calls a mean or a count of the others. */
static Rc check_index(const Csv *c, const FileShape *s, Error *e) {
    const char *index = s->index < 0 ? "" : c->field[s->index];
    if (!is_among(index, means) && !is_among(index, spreads) && !is_among(index, extremes)) return RC_OK;
    return error_set(e, RC_USAGE, "%s: '%.40s' is made of the other lines and is no run: leave it out", c->where,
                     index);
}

Rc compare_csv(CompareRows *r, char *bytes, size_t length, CsvKind kind, long line, Error *e) {
    LOCAL(csv_release) Csv c = {.file = r->file, .kind = kind, .of = r, .at = bytes, .end = bytes + length};
    FileShape s = {.name = NULL};
    Rc rc = RC_OK;
    r->lines = kind != CSV_LIST_OF_JSON;
    c.line = line - 2;
    csv_begin(&c);
    if (csv_next(&c, &rc, e) && !rc) rc = read_header(&c, &s, e);
    while (!rc && csv_next(&c, &rc, e) && !rc) {
        while (c.fields > s.fields && c.fields <= s.fields + s.empty && !c.field[c.fields - 1][0]) c.fields--;
        if (c.fields != s.fields)
            rc = error_set(e, RC_USAGE, "%s: %d field%s where the header has %d", c.where, c.fields,
                           c.fields == 1 ? "" : "s", s.fields);
        else if (s.guess) {
            rc = guess_shape(&c, &s, e) ? e->code : settle(&c, &s, e);
        }
        if (!rc) rc = check_index(&c, &s, e);
        if (!rc) rc = s.arm >= 0 ? read_run(&c, &s, e) : read_seed(&c, &s, e);
    }
    free(s.name);
    free(s.column);
    free(s.first);
    return rc;
}
