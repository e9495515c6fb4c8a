/* The table of statements: one table for every format. */
#include "bench/write/theory.h"

#include <math.h>
#include <string.h>

#include "bench/formats/json.h"
#include "bench/formats/latex.h"
#include "bench/formats/terminal.h"

static int decimals_of(const StatementVerdict *v) {
    int digits = decimals_for((v->hi - v->lo) / 2, floor(v->value) == v->value ? 0 : 4);
    return digits > 5 ? 5 : digits;
}

/* "1.4987", "within 3.0e-15". */
static void measured(const StatementVerdict *v, Text *out) {
    if (v->word == STATED_UNMEASURED && isnan(v->value))
        text_format(out, "n/a");
    else if (v->statement->how == DECIDE_exact && v->word == STATED_HOLDS)
        text_format(out, "within %.1e", v->error);
    else
        text_format(out, "%s", SHOW_NUMBER(v->value, decimals_of(v)));
}

static void interval(const StatementVerdict *v, Text *out) {
    if (!isnan(v->lo)) show_interval(out, v->lo, v->hi, decimals_of(v), "");
}

static void finding(const StatementVerdict *v, Text *out) {
    if (v->left)
        text_format(out, "not finite from x = %g on, in %d of %d seeds", v->left_at, v->left_seeds, v->m->seeds);
}

void theory_summary(const StatementVerdict *v, Text *out) {
    text_format(out, "%s: ", v->statement->what);
    measured(v, out);
    text_format(out, " ");
    interval(v, out);
    if (out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
    text_format(out, ", predicted %s, %d seed%s; %s (%s)", v->statement->predicted, v->m->seeds,
                v->m->seeds == 1 ? "" : "s", v->statement->name, v->statement->setting);
    if (v->left) text_format(out, "; "), finding(v, out);
}

/* "L = 4 to 32, d = 128": what the letters stand for. */
static void letters(const char *at, Text *out) {
    for (; *at; at++) {
        bool starts = at[-1] == ' ';
        if (starts && (!strncmp(at, "L = ", 4) || !strncmp(at, "d = ", 4))) {
            text_format(out, "%s ", *at == 'L' ? "depth" : "width");
            at += 3;
        } else
            text_format(out, "%c", *at);
    }
}

void theory_setting(const Statement *s, Text *out) {
    static const char *const words[][2] = {{"XIONG,", "networks as in Xiong et al. 2020,"},
                                           {"GPT,", "GPTs at GPT-2's start,"},
                                           {"OWN,", "GPTs of the write-up's own size,"},
                                           {"ALONE,", "a layer alone,"}};
    const char *rest = s->setting;
    for (int i = 0; i < 4; i++) {
        size_t n = strlen(words[i][0]);
        if (strncmp(s->setting, words[i][0], n) != 0) continue;
        text_format(out, "%s", words[i][1]);
        rest += n;
    }
    if (rest > s->setting)
        letters(rest, out);
    else
        text_format(out, "%s", rest);
}

static void columns(Cells *c) {
    cells_columns(c, {"statement", "l", "statement"}, {"predicted", "p", "predicted"}, {"measured", "r", "measured"},
                  {NULL, "l", "95% interval"}, {"seeds", "r", "seeds"}, {"verdict", "l", "verdict"});
    cells_data(c, "what", "setting", "source", "decided_by", "window_lo", "window_hi", "points", "lo", "hi", "z",
               "largest_error", "not_finite_from");
}

static void row(const StatementVerdict *v, Cells *c) {
    const Statement *s = v->statement;
    LOCAL_TEXT(words);
    cells_space(c);
    cells_row(c);
    cell_text(c, s->name), cell_text(c, s->predicted);
    measured(v, &words);
    cell_shown(c, v->value, words.at);
    cell_by(c, interval, v);
    cell_integer(c, v->m->seeds);
    cell_text(c, stated_word(v->word));
    cell_text(c, s->what), cell_text(c, s->setting), cell_text(c, s->source), cell_text(c, statement_how(s));
    cell_exact(c, s->lo), cell_exact(c, s->hi), cell_integer(c, v->points), cell_exact(c, v->lo), cell_exact(c, v->hi);
    cell_exact(c, v->z), cell_exact(c, v->error), cell_exact(c, v->left ? v->left_at : (double)NAN);
    text_clear(&words);
    text_format(&words, "%s. %s. %s.", s->what, s->setting, s->source);
    if (v->left) text_format(&words, " In double "), finding(v, &words), text_format(&words, ".");
    cells_words(c, 2, words.at);
}

void theory_cells(const StatementVerdict *v, int count, Cells *c) {
    int with[STATED_UNMEASURED + 1] = {0};
    cells_init(c, "theory", "What theory says of networks before their first step");
    text_format(&c->caption,
                "The numbers are measured in double precision before any training; intervals are 95 %% t intervals "
                "over seeds. %s.",
                THEORY_SETTINGS);
    columns(c);
    for (int i = 0; i < count; i++) row(&v[i], c), with[v[i].word]++;
    text_format(&c->notes, "%d statements:", count);
    for (int i = 0, any = 0; i <= STATED_UNMEASURED; i++)
        if (with[i]) text_format(&c->notes, "%s %d %s", any++ ? "," : "", with[i], stated_word((StatedWord)i));
    text_format(&c->notes, ". %s.", THEORY_STAR);
}

json_t *theory_statement_json(const StatementVerdict *v) {
    LOCAL(cells_release) Cells one = {0};
    theory_cells(v, 1, &one);
    json_auto_t *rows = cells_json(&one);
    return json_incref(json_array_get(rows, 0));
}

void theory_text(const Cells *c, Text *out) {
    cells_text(c, PAGE_WIDTH, out);
}

void theory_tex(const Cells *c, Text *out) {
    text_format(out, "%% normbench table theory. Needs booktabs.\n");
    cells_tex(c, &(TexLayout){0}, out);
}

void theory_json(const Cells *c, Text *out) {
    json_t *root = json_pack("{s:i, s:o}", "schema", THEORY_TABLE_SCHEMA, "statements", cells_json(c));
    json_print(root, JSON_EXACT, out);
}
