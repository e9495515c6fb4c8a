/* The statements' table as CSV, JSON and LaTeX. */
#include <math.h>
#include <stdlib.h>

#include "bench/formats/latex.h"
#include "bench/write/stat_json.h"
#include "bench/write/theory.h"

static void number(Text *out, double x) {
    text_add(out, ",", 1);
    csv_number(out, x);
}

static void words(Text *out, const char *text) {
    text_add(out, ",", 1);
    csv_text(out, text);
}

void theory_csv(const StatementVerdict v[STATEMENT_COUNT], Text *out) {
    text_format(out, "statement,what,predicted,setting,source,decided_by,window_lo,window_hi,seeds,points,measured,"
                     "lo,hi,z,largest_error,not_finite_from,verdict\n");
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        const Statement *s = v[i].statement;
        csv_text(out, s->name);
        words(out, s->what), words(out, s->predicted), words(out, s->setting), words(out, s->source);
        words(out, statement_how(s));
        number(out, s->lo), number(out, s->hi);
        text_format(out, ",%d,%d", v[i].m->seeds, v[i].points);
        number(out, v[i].value), number(out, v[i].lo), number(out, v[i].hi), number(out, v[i].z);
        number(out, v[i].error), number(out, v[i].left ? v[i].left_at : (double)NAN);
        words(out, stated_word(v[i].word));
        text_format(out, "\n");
    }
}

json_t *theory_statement_json(const StatementVerdict *v) {
    const Statement *s = v->statement;
    json_t *o = json_object();
    json_put_text(o, "statement", s->name);
    json_put_text(o, "what", s->what);
    json_put_text(o, "predicted", s->predicted);
    json_put_text(o, "setting", s->setting);
    json_put_text(o, "source", s->source);
    json_put_text(o, "decided_by", statement_how(s));
    json_put(o, "window_lo", s->lo);
    json_put(o, "window_hi", s->hi);
    json_object_set_new(o, "seeds", json_integer(v->m->seeds));
    json_object_set_new(o, "points", json_integer(v->points));
    json_put(o, "measured", v->value);
    json_put(o, "lo", v->lo);
    json_put(o, "hi", v->hi);
    json_put(o, "z", v->z);
    json_put(o, "largest_error", v->error);
    if (v->left) json_put(o, "not_finite_from", v->left_at);
    json_put_text(o, "verdict", stated_word(v->word));
    return o;
}

void theory_json(const StatementVerdict v[STATEMENT_COUNT], Text *out) {
    json_t *root = json_object(), *all = json_array();
    json_object_set_new(root, "schema", json_integer(THEORY_SCHEMA));
    for (int i = 0; i < STATEMENT_COUNT; i++) json_array_append_new(all, theory_statement_json(&v[i]));
    json_object_set_new(root, "statements", all);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    text_format(out, "%s\n", text);
    free(text);
    json_decref(root);
}

static void part(const StatementVerdict *from, int count, bool first, Text *out) {
    text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{What theory says of networks before their first "
                     "step%s. In brackets the 95\\%% $t$ interval over seeds. " THEORY_STAR ".}\n\\scriptsize\n"
                     "\\begin{tabular}{@{}p{0.36\\linewidth} p{0.17\\linewidth} p{0.21\\linewidth} r l@{}}\n\\toprule\n"
                     "statement & predicted & measured & seeds & verdict \\\\\n\\midrule\n",
                first ? "" : ", continued");
    for (const StatementVerdict *v = from; v < from + count; v++) {
        Text cell;
        text_init(&cell);
        text_format(out, "\\raggedright ");
        latex_breakable(out, v->statement->what);
        text_format(out, " {\\itshape ");
        latex_breakable(out, v->statement->source);
        text_format(out, "}; ");
        latex_breakable(out, v->statement->setting);
        text_format(out, " & \\raggedright ");
        latex_text(out, v->statement->predicted);
        theory_measured(v, &cell);
        text_format(&cell, " ");
        theory_interval(v, &cell);
        if (v->left) text_format(&cell, "; "), theory_finding(v, &cell);
        text_format(out, " & \\raggedright ");
        latex_text(out, cell.at);
        text_format(out, " & %d & %s \\\\\n", v->m->seeds, stated_word(v->word));
        text_release(&cell);
    }
    text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
}

void theory_tex(const StatementVerdict v[STATEMENT_COUNT], Text *out) {
    enum { ROWS = 16 }; /* of two or three lines each */
    text_format(out, "%% normbench table theory. Needs booktabs.\n");
    for (int i = 0; i < STATEMENT_COUNT; i += ROWS)
        part(v + i, STATEMENT_COUNT - i < ROWS ? STATEMENT_COUNT - i : ROWS, !i, out);
}
