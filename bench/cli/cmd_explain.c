/* normbench explain VARIANT: what a row, an arm, a stored run or the arms of an experiment compute, as equation and
 * drawing, and the program that it becomes. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/figures/block.h"
#include "bench/formats/terminal.h"
#include "bench/plan/doubt.h"
#include "bench/plan/recipes.h"
#include "bench/plan/settle.h"
#include "bench/plan/twins.h"
#include "bench/store/address.h"
#include "bench/store/record.h"
#include "models/equation.h"
#include "models/norm.h"

/* What is explained: a row, or an arm made from one. */
typedef struct {
    const char *title;
    const RunSpec *spec;
    const Variant *v, *row;
    int depth; /* at which it is shown */
} Explained;

/* Puts "<text><after>" on the branch, unless text is "". */
static void add_box(BlockPart *p, BoxKind kind, const char *text, const char *after) {
    if (!text[0]) return;
    assert(p->boxes < BLOCK_BOXES_MAX);
    Box *b = &p->branch[p->boxes++];
    b->kind = kind;
    snprintf(b->text, sizeof b->text, "%s%s", text, after);
}

static void one_box(Box *b, BoxKind kind, const char *text) {
    b->kind = text[0] ? kind : BOX_NONE;
    snprintf(b->text, sizeof b->text, "%s", text);
}

static void part_boxes(BlockPart *out, const Parts *p, bool attention) {
    *out = (BlockPart){.name = attention ? "attention" : "MLP"};
    bool inside = p->qk[0] || p->v[0] || p->mid[0];
    add_box(out, BOX_NORM, p->in, "");
    add_box(out, BOX_FACTOR, p->depth_scale, "");
    if (!inside) add_box(out, BOX_FUNCTION, out->name, "");
    if (inside && attention) {
        add_box(out, BOX_FUNCTION, "q, k, v", "");
        add_box(out, BOX_NORM, p->qk, " of q, of k");
        add_box(out, BOX_NORM, p->v, " of v");
        add_box(out, BOX_FUNCTION, "heads", "");
    } else if (inside)
        add_box(out, BOX_FUNCTION, "act(W x)", "");
    add_box(out, BOX_NORM, p->mid, "");
    if (inside) add_box(out, BOX_FUNCTION, attention ? "W" : "W'", "");
    add_box(out, BOX_NORM, p->out, "");
    add_box(out, BOX_FACTOR, p->gate, "");
    one_box(&out->carry, BOX_FACTOR, p->carry);
    one_box(&out->post, BOX_NORM, p->post);
}

static void picture_of(const Explained *x, BlockPicture *p) {
    Stretch s[BLOCK_STRETCHES_MAX];
    char norm[EQUATION_PART];
    int count = equation_stretches(x->v, x->depth, s, BLOCK_STRETCHES_MAX);
    *p = (BlockPicture){.stretches = count < BLOCK_STRETCHES_MAX ? count : BLOCK_STRETCHES_MAX};
    p->left_out = count - p->stretches;
    snprintf(p->title, sizeof p->title, "%s", x->title);
    one_box(&p->embed, BOX_NORM, equation_norm(norm, x->v->embed));
    one_box(&p->final, BOX_NORM, equation_norm(norm, x->v->final));
    for (int i = 0; i < p->stretches; i++) {
        char *title = p->stretch[i].title;
        if (count == 1)
            snprintf(title, BOX_TEXT, "every block");
        else if (s[i].first == s[i].last)
            snprintf(title, BOX_TEXT, "block %d", s[i].first);
        else
            snprintf(title, BOX_TEXT, "blocks %d to %d", s[i].first, s[i].last);
        part_boxes(&p->stretch[i].part[0], &s[i].attn, true);
        part_boxes(&p->stretch[i].part[1], &s[i].mlp, false);
    }
}

/* The formulas of the norms that it has. */
static void print_norms(const Explained *x) {
    bool has[NORM_COUNT] = {false};
    char norm[EQUATION_PART];
    has[x->v->embed] = has[x->v->final] = true;
    for (int layer = 0; layer < x->depth; layer++)
        for (int sub = SUB_ATTN; sub <= SUB_MLP; sub++) {
            Site s = variant_site(x->v, (Sub)sub, layer, x->depth);
            has[s.in] = has[s.qk] = has[s.v] = has[s.mid] = has[s.out] = has[s.post] = true;
        }
    for (int i = 0; i < NORM_COUNT; i++)
        if (has[i] && i != NORM_none)
            terminal_say(stdout, "  %s: %s\n", equation_norm(norm, (Norm)i), norm_info[i].formula);
}

static void print_note(const char *what, const char *words) {
    LOCAL_TEXT(note);
    LOCAL_TEXT(lines);
    text_format(&note, "%s: %s", what, words);
    text_wrapped(&lines, "  ", note.at, 4, 100);
    terminal_say(stdout, "%s", lines.at);
}

static bool same_columns(const Variant *a, const Variant *b) {
    char one[VARIANT_TEXT_SIZE], other[VARIANT_TEXT_SIZE];
    for (int i = 0; i < variant_key_count; i++)
        if (strcmp(variant_get(one, a, variant_keys[i]), variant_get(other, b, variant_keys[i])) != 0) return false;
    return true;
}

/* Other rows that are this network; row: what it is called already. */
static void print_rows(const Variant *v, const Variant *row) {
    LOCAL_TEXT(names);
    for (const Variant *other = variants; other < variants + variant_count; other++)
        if (strcmp(other->name, row->name) != 0 && same_columns(other, v))
            text_format(&names, "%s%s", names.length ? ", " : "", other->name);
    if (names.length) print_note("one network with", names.at);
}

/* "DeepNorm's alpha, ...; beside a decoder 0.81 L^(5/16), ..." of a rule or choice that is another one there. */
static void add_there(Text *out, const char *key, const char *formula) {
    const char *said = strchr(formula, ':');
    if (said && strstr(said, "decoder"))
        text_format(out, "; %s: %.*s, %s", key, (int)(said - formula), formula, said + 2);
}

/* An encoder-decoder has the equation twice, and what follows from the depth differs. */
static void print_stacks(const Explained *x) {
    LOCAL_TEXT(text);
    if (x->spec->objective != OBJECTIVE_TRANSLATE) return;
    text_format(&text,
                "%d blocks each; a block of the decoder has a third sublayer between its two, attention to the "
                "encoder's output, with the norms and factors of attn",
                x->depth);
    for (int i = 0; i < variant_key_count; i++) {
        Rule rule[VARIANT_RULES_MAX];
        int rules = variant_rules(x->v, variant_keys[i], rule);
        for (int n = 0; n < rules; n++) add_there(&text, variant_keys[i], rule_formula(rule[n]));
    }
    add_there(&text, "streams", choice_formula(x->v->streams.kind));
    add_there(&text, "init", choice_formula(x->v->init.kind));
    print_note("an encoder and a decoder", text.at);
}

static void print_equation(const Explained *x) {
    LOCAL_TEXT(text);
    equation_text(x->v, x->depth, "\n  ", &text);
    terminal_say(stdout, "%s\n  %s\n", x->title, text.at);
    if (equation_stretches(x->v, x->depth, NULL, 0) > 1)
        terminal_say(stdout, "  shown for %d blocks, 0 to %d; another depth with layers: N in the arm\n", x->depth,
                     x->depth - 1);
    text_clear(&text);
    equation_changes(x->v, x->row, &text);
    if (text.length)
        terminal_say(stdout, "  changed from %s: %s\n  base: %s, %s\n", x->row->name, text.at, x->row->label,
                     x->row->cite);
    else
        print_note("source", x->row->cite);
    if (x->row->differs)
        print_note(text.length ? "known differences of the base" : "known differences", x->row->differs);
    if (!text.length && x->row->needs) print_note("needed by", x->row->needs);
    print_stacks(x);
    print_norms(x);
    print_rows(x->v, x->row);
    const ModelRecipe *recipe = model_recipe_of(x->spec);
    char name[40];
    snprintf(name, sizeof name, "recipe %s", recipe ? recipe->name : "");
    if (recipe) print_note(name, recipe->what);
}

static void print_columns(const Variant *v) {
    char value[VARIANT_TEXT_SIZE];
    terminal_say(stdout, "\none sublayer: x <- post( carry x + gate out( f( in(x) depth_scale ) ) )\n");
    for (int i = 0; i < variant_key_count; i++) {
        const char *key = variant_keys[i], *dot = strchr(key, '.');
        variant_get(value, v, key);
        if (!dot || strcmp(value, dot + 1) != 0)
            terminal_say(stdout, "  %-13s %s\n", key, value); /* attn.gate: gate says nothing */
    }
}

static void print_tape(const Explained *x) {
    RunSpec s = *x->spec;
    LOCAL(tape_release) Tape t;
    LOCAL_TEXT(program);
    s.layers = equation_stretches(x->v, x->depth, NULL, 0) > 1 ? x->depth : 2; /* as drawn, or two blocks */
    ModelShape shape = spec_shape(&s, 65);
    transformer_build(&t, &shape, x->v, NULL);
    tape_print(&t, &program);
    terminal_say(stdout,
                 "\noperations of %d blocks x %d, %d heads, context %d, batch %d (%zu parameters, %.3g FLOPs a "
                 "step):\n%s",
           shape.layers, shape.width, shape.heads, shape.context, shape.batch, tape_parameters(&t), tape_flops(&t),
           program.at);
}

/* Numbers that move over the steps, drawn. */
static void print_schedules(const Variant *v) {
    LOCAL_TEXT(text);
    for (int i = 0; i < variant_key_count; i++) {
        Rule rule[VARIANT_RULES_MAX];
        int rules = variant_rules(v, variant_keys[i], rule);
        for (int n = 0; n < rules; n++) {
            if (rule_learns(rule[n].kind) != LEARNS_moving) continue;
            text_format(&text, "\n");
            moves_text(variant_keys[i], rule[n].value, rule[n].end, &text);
        }
    }
    terminal_say(stdout, "%s", text.at);
}

static void print_start(const Variant *v) {
    terminal_say(stdout,
                 "\ninitialization: matrices N(0, init_std); the two projections into the stream are scaled by "
                 "1/sqrt(2L)\n(residual_init: scaled); token and position embeddings N(0, token_std), "
                 "N(0, position_std); gains 1, biases 0.\n");
    if (v->init.kind == CHOICE_init_recipe) return;
    terminal_say(stdout, "this variant starts otherwise: %s\n", choice_formula(v->init.kind));
    if (strstr(choice_formula(v->init.kind), "Xavier"))
        terminal_say(stdout,
                     "Xavier: N(0, 2 / (inputs + outputs)), counted for each of q, k, v and of SwiGLU's gate and up "
               "matrix.\n");
}

static Rc explain(const Explained *x, const char *svg, Error *e) {
    BlockPicture p;
    LOCAL_TEXT(drawing);
    LOCAL_TEXT(equation);
    picture_of(x, &p);
    print_equation(x);
    block_text(&p, terminal_width(), &drawing);
    terminal_say(stdout, "\n%s", drawing.at);
    if (!variant_drawn(x->v))
        terminal_say(stdout, "  The drawing leaves out what the equation does outside the sublayers.\n");
    print_schedules(x->v);
    print_columns(x->v);
    print_start(x->v);
    print_tape(x);
    if (!svg) return RC_OK;
    equation_text(x->v, x->depth, "\n", &equation);
    p.equation = equation.at;
    text_clear(&drawing);
    block_svg(&p, &drawing);
    return file_write(svg, drawing.at, drawing.length, e);
}

static Rc explain_arm(const char *text, const char *svg, Error *e) {
    RunSpec base;
    Arm a;
    spec_init(&base);
    if (arm_option(&a, text, &base, NULL, e)) return e->code;
    Explained x = {a.label, &a.spec, &a.spec.variant, equation_base(&a.spec.variant), (int)a.spec.layers};
    bool own = a.own >> spec_index("layers") & 1;
    if (!own) x.depth = variant_depth(x.v, x.depth);
    a.spec.layers = x.depth;
    if (spec_check(&a.spec, e)) return error_prefix(e, "--arm: ");
    LOCAL_TEXT(doubts);
    spec_doubts(&a.spec, a.own, &doubts);
    for (char *rest = doubts.at, *line; (line = strsep(&rest, "\n"));)
        if (*line) fprintf(stderr, "normbench: warning: %s\n", line);
    return explain(&x, svg, e);
}

/* A stored run; e says that no variant is called so, and keeps saying it where `name` is no address. */
static Rc explain_run(const Session *s, const char *name, const char *svg, Error *e) {
    char id[SHA256_HEX], title[BLOCK_TITLE];
    LOCAL(record_release) RunRecord r = {0};
    Error why;
    bool address = strpbrk(name, "/:=") || (strlen(name) > 3 && strspn(name, "0123456789abcdef") == strlen(name));
    if (address_find(s, name, id, &why) || record_members(&r, s->runs, id, &why)) {
        if (address) *e = why, error_prefix(e, "explain: ");
        return e->code;
    }
    const Variant *v = &r.spec.variant, *base = equation_base(v);
    LOCAL_TEXT(changes);
    equation_changes(v, base, &changes);
    snprintf(title, sizeof title, "%s%s (run %.12s)", base->label, changes.length ? ", changed" : "", id);
    Explained x = {title, &r.spec, v, base, (int)r.spec.layers};
    return explain(&x, svg, e);
}

static Rc explain_row(const Session *session, const char *name, const char *svg, Error *e) {
    RunSpec s;
    char title[BLOCK_TITLE];
    const Variant *v = variant_find(name, e);
    if (!v) return explain_run(session, name, svg, e);
    spec_init(&s);
    snprintf(title, sizeof title, "%s: %s", v->name, v->label);
    Explained x = {title, &s, v, v, variant_depth(v, (int)s.layers)};
    return explain(&x, svg, e);
}

/* Every arm of an experiment, and which of them are one network. */
static Rc explain_plan(const Experiment *x, const char *svg, Error *e) {
    LOCAL_TEXT(words);
    LOCAL_TEXT(lines);
    Rc rc = RC_OK;
    if (svg && x->arms > 1)
        return error_set(e, RC_USAGE, "explain: --output draws one arm, and %s has %d", x->name, x->arms);
    twins_text(x, &words);
    if (words.length) text_wrapped(&lines, "", words.at, 0, terminal_width()), text_format(&lines, "\n");
    terminal_print(lines.at);
    for (int a = 0; a < x->arms && !rc; a++) {
        const RunSpec *spec = &x->arm[a].spec;
        Explained it = {x->arm[a].label, spec, &spec->variant, equation_base(&spec->variant), (int)spec->layers};
        if (a) terminal_say(stdout, "\n");
        rc = explain(&it, svg, e);
    }
    return rc;
}

/* RC_USAGE where `name` is neither a row, nor a run, nor an experiment. */
static Rc explain_name(const Session *s, const char *name, const char *svg, Error *e) {
    LOCAL(experiment_release) Experiment x = {0};
    Error none;
    bool file = text_ends(name, ".yml") || text_ends(name, ".yaml");
    Rc rc = file ? RC_USAGE : explain_row(s, name, svg, e);
    if (rc != RC_USAGE || (strpbrk(name, "/:=") && !file) || session_plan(s, name, &x, file ? e : &none)) return rc;
    return explain_plan(&x, svg, e);
}

/* The keys of what explain_arm or explain_row takes; "": of a stored run. */
static void keys_of(const char *what, bool arm, Text *out) {
    RunSpec base;
    Arm a;
    Error none;
    spec_init(&base);
    a.spec = base;
    const Variant *row = arm ? NULL : variant_find(what, &none);
    if (row) a.spec.variant = *row;
    if (!row && (!arm || arm_option(&a, what, &base, NULL, &none))) return;
    spec_forget_idle(&a.spec, false);
    spec_settle(&a.spec);
    spec_text_keys(&a.spec, out);
}

/* Which of those before it the i-th is, as one network: a plan with both trains it once. */
static void print_same(const char *const *what, const bool *arm, int i) {
    LOCAL_TEXT(mine);
    LOCAL_TEXT(theirs);
    keys_of(what[i], arm[i], &mine);
    for (int j = 0; j < i && mine.length; j++) {
        text_clear(&theirs);
        keys_of(what[j], arm[j], &theirs);
        if (!strcmp(mine.at, theirs.at))
            terminal_say(stdout,
                         "%s and %s are one network: a plan trains their runs once and does not compare them\n\n",
                         what[j],
                   what[i]);
    }
}

/* A row by its name; an arm as --arm takes it, with or without "--arm". */
Rc command_explain(Session *s, Error *e) {
    enum { MOST = 1 + SESSION_SETS_MAX };
    const Options *o = s->options;
    const char *svg = option(o, OPTION_output, NULL), *what[MOST];
    bool arm[MOST];
    int arms = o->times[OPTION_arm], all = arms + o->operands;
    Rc rc = RC_OK;
    if (!all || o->operands > 1)
        return error_set(e, RC_USAGE,
                         "explain: name one variant (`normbench list` shows them) or give an arm, "
                         "'{base: pre, attn.out: rmsnorm}'");
    if (svg && all > 1) return error_set(e, RC_USAGE, "explain: --output draws one variant, not %d", all);
    assert(all <= MOST);
    for (int i = 0; i < all && !rc; i++) {
        what[i] = i < o->operands ? o->operand[i] : o->value[OPTION_arm][i - o->operands];
        arm[i] = i >= o->operands || strchr(what[i], '{');
        if (i) terminal_say(stdout, "\n");
        print_same(what, arm, i);
        rc = arm[i] ? explain_arm(what[i], svg, e) : explain_name(s, what[i], svg, e);
    }
    return rc;
}
