"""Adds one row of every kind to a scratch copy of the tree, and swaps two older rows of every table (tests/rows.sh).

rows_patch.py ROOT, in the copy. A row is one call of a macro or one line of an array, with at most the one function or file
that docs/extend.md promises beside it."""
import hashlib
import os
import re
import sys

os.chdir(sys.argv[1])


def read(path):
    with open(path) as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def end_of_call(text, at):
    """The place behind the macro call that begins at `at`, its newline included."""
    depth, quoted, i = 0, False, text.index("(", at)
    while True:
        if text[i] == '"' and text[i - 1] != "\\":
            quoted = not quoted
        depth += 0 if quoted else (text[i] == "(") - (text[i] == ")")
        i += 1
        if not depth:
            return text.index("\n", i) + 1


def rows(path, macro):
    text = read(path)
    found = [m.start() for m in re.finditer(rf"^{macro}\(", text, re.M)]
    return text, [(at, end_of_call(text, at)) for at in found]


def add_row(path, macro, row):
    """In front of all others, so that every older row moves by one place."""
    text, spans = rows(path, macro)
    first = spans[0][0]
    write(path, text[:first] + row + "\n" + text[first:])


def append_row(path, macro, row):
    text, spans = rows(path, macro)
    last = spans[-1][1]
    write(path, text[:last] + row + "\n" + text[last:])


def swap_rows(path, macro, i=1, j=2):
    """Rows i and j of a table change places."""
    text, spans = rows(path, macro)
    (a, b), (c, d) = spans[i], spans[j]
    write(path, text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:])


def before(path, anchor, text):
    """A function, in front of the first place where the anchor stands."""
    old = read(path)
    assert anchor in old, (path, anchor)
    write(path, old.replace(anchor, text + "\n" + anchor, 1))


add_row("bench/options/options.def", "OPTION", '''OPTION(row_added, "N", INTEGER(1, 9),
       "list",
       "an option that tests/rows.sh added")''')

add_row("base/exit_codes.def", "RC", 'RC(ROW_ADDED, 77, "an exit code that tests/rows.sh added")')
before("bench/cli/cmd_list.c", "    json_auto_t *all = json_object();",
       "    if (option_integer(s->options, OPTION_row_added, 0) == 7) return error_set(e, RC_ROW_ADDED, \"seven\");")

add_row("models/schedule.def", "SCHEDULE", 'SCHEDULE(row_halved, "lr / 2, added by tests/rows.sh")')
before("models/recipe.c", "double recipe_lr(", '''static double schedule_row_halved(const Recipe *r, int step, double u) {
    (void)step, (void)u;
    return r->lr / 2;
}
''')

add_row("kernels/optimizers.def", "OPTIMIZER", 'OPTIMIZER(row_plain, 0, "", "p <- p - lr g, added by tests/rows.sh")')
before("kernels/optimizer_rules.h", "RULE_FN real rule_sgd(",
       '''RULE_FN real rule_row_plain(real p, real g, real *m, real *v, const Rates *a) {
    (void)m, (void)v;
    return p - a->lr * g;
}
''')

append_row("bench/plan/metrics.def", "METRIC", '''METRIC(row_worst, -1, 4, .02,
       row_worst, "train_loss", nats, "worst train loss", "RowWorst",
       "largest train loss so far, added by tests/rows.sh")''')
before("bench/store/metrics.c", "static double measure_last(",
       '''static double measure_row_worst(const Validation *v, const CurveInfo *curve) {
    double most = (double)NAN;
    for (int row = 0; row < v->step && row < v->curves->rows; row++)
        most = fmax(most, curve_number(v->curves, row, curve, 0));
    return most;
}
''')

# Three files: the row, its function in a file of its own, and the list of files.
append_row("bench/plan/summaries.def", "SUMMARY",
           'SUMMARY(row_summary, row_tables, "the arms by name, added by tests/rows.sh")')
write(os.path.join("bench/write", "row_tables.c"), '''#include "bench/write/summaries.h"

void row_tables(const Table *t, CellsList *out) {
    if (!t->x->summary[SUMMARY_row_summary]) return;
    Cells *c = cells_add(out, "row_summary", "Added by a row");
    cells_column(c, "arm", 'l', "arm");
    cells_column(c, "seeds", 'r', "seeds");
    for (int arm = 0; arm < t->sample.arms; arm++) {
        cells_row(c);
        cell_text(c, t->x->arm[arm].label);
        cell_integer(c, t->sample.seeds);
    }
}
''')
before("bench/write/meson.build", "  'results.c',", "  'row_tables.c',")

add_row("models/norms.def", "NORM",
        'NORM(row_negated, rowneg, STEPS(OP_rownegate), IMPOSSIBLE, IMPOSSIBLE, NO_PARAMETERS, "y = -x, added by tests/rows.sh")')

add_row("models/rules.def", "RULE", 'RULE(row_inverse, fixed, row_inverse, one, "value / l, added by tests/rows.sh")')
before("models/rule.c", "static const struct {\n    const char *name, *formula;", '''static double value_row_inverse(double value, double end, RulePlace at) {
    (void)end;
    return value / (at.layer + 1);
}
''')

add_row("models/choices.def", "CHOICE", 'CHOICE(init, row_halved, 0, usual, "half of the recipe\'s, added by tests/rows.sh")')
before("models/start.c", "void start_parameter(", '''static void start_row_halved(Tensor *t, const Place *p) {
    (void)p;
    t->scale = 0.5;
}
''')

add_row("models/choices.def", "CHOICE", 'CHOICE(streams, row_doubled, 0, usual, "a sublayer reads 2 x, added by tests/rows.sh")')
before("models/streams.c", "/* A kind that choices.def names", '''static int row_doubled_read(Stack *b, int x, const char *family) {
    return tape_op1(b->t, OP_scale, x, (Attr){.alpha = 2}, b->layer, stack_name(b, "%s.doubled", family));
}

static const Streams of_row_doubled = {.read = row_doubled_read};

''')
before("models/equation.c", "/* A kind that choices.def names", '''static const StreamWords words_row_doubled = {"2 x", "x <- $", "", NULL};

''')

add_row("kernels/ops.def", "OP", 'OP(rownegate, IN1(act), same, y_apart, dx_over_dy, none, inputs_once,\n   "y = -x, added by tests/rows.sh")')
write(os.path.join("kernels/cpu", "rownegate.c"), '''/* y = -x */
#include "kernels/cpu/elementwise.h"

static void forward(const Call *c) {
    ELEMENTWISE_FORWARD(c, -x[i]);
}

static void backward(const Call *c) {
    ELEMENTWISE_BACKWARD(c, -1);
}

KERNEL(rownegate, forward, backward, NULL);
''')
write(os.path.join("kernels/cuda", "rownegate.cu"), '''/* y = -x */
#include "kernels/cuda/elementwise.cuh"

ELEMENTWISE(rownegate, -x, -1.0f);
''')

add_row("kernels/precisions.def", "PRECISION", 'PRECISION(row_precise, "row_precise", float, false, "a precision that tests/rows.sh added")')
add_row("kernels/backends.def", "BACKEND", '''BACKEND("row-cpu", "row-cpu", exact, "canon", portable, 0, HOST(readable, readable, 4, always, NULL, NULL),
        "a backend that tests/rows.sh added")
BACKEND("row-cpu-precise", "row-cpu", row_precise, "row-precise", portable, 0,
        HOST(readable, readable, 4, always, NULL, NULL), "its row in a precision that tests/rows.sh added")''')

add_row("bench/plan/grids.def", "GRID", 'GRID(row_rates, 0, .5, "how many rates there are, added by tests/rows.sh")')
before("bench/verdict/grid.c", "double grid_value(", '''static double grid_row_rates(const Row *r) {
    return r->rates;
}
''')

# The statistic's function is that of another: what counts is that a claim reaches it.
add_row("stats/tests.def", "TEST", '''TEST("row-test", difference, "a test that tests/rows.sh added", "tests/rows.sh", flip_floor, row_test)''')
before("bench/verdict/reading.c", "static Reading read_wilcoxon(", '''static Reading read_row_test(const ReadingOf *of, Reading r) {
    return read_signflip(of, r);
}
''')

add_row("models/probes.def", "PROBE", '''PROBE(row_probe, row_probe, model, weights, largest, false, "largest weight", "absolute value",
      "largest absolute value of a parameter, added by tests/rows.sh")''')

text = read("models/variants.c")
head = "const Variant variants[] = {\n"
assert head in text
write("models/variants.c", text.replace(head, head + '''    {"row-variant", "Row-LN", "added by tests/rows.sh", .needs = "tests/rows.sh", IN(LN), .final = NORM_none,
     .span = {FROM(mlp.out, RMS, 1, 2)}},
'''))

corpus = b"".join(b"%d bottles stand on the wall, take one of them down and pass it round.\n" % i for i in range(300))
os.makedirs("rows-data/row-corpus")
with open("rows-data/row-corpus/all.txt", "wb") as file:
    file.write(corpus)
add_row("bench/readers/readers.def", "LINES", 'LINES(row_log, "row log")')
before("bench/readers/text_runs.c", '/* "step:125/3325 val_loss', '''/* "row 2 2.25" */
static bool row_log_line(const char *line, Log *log) {
    double step, x;
    if (sscanf(line, "row %lf %lf", &step, &x) != 2) return false;
    point(log, "row", step, x);
    return true;
}
''')
add_row("bench/tasks/tasks.def", "TASK",
        'TASK(row, "row-task", piqa, VALID, 0, "7.0", "goal, sol1, sol2, label", "added by tests/rows.sh")')
add_row("datasets/manifest.def", "CORPUS", '''CORPUS("row-corpus", WHOLE, "row-corpus/all.txt", "https://example.org/all.txt", %d, "%s", "public domain",
       FILE)''' % (len(corpus), hashlib.sha256(corpus).hexdigest()))

add_row("bench/plan/profiles.def", "PROFILE", 'PROFILE(row_tiny, "three steps, added by tests/rows.sh")')

write(os.path.join("bench/experiments", "row-experiment.yaml"), '''name: row-experiment
title: Added by tests/rows.sh
writeup: row-claims
dataset: row-corpus
layers: 2
width: 32
heads: 4
context: 32
batch: 8
lr: 1e-3
steps: 20
evaluate_at: 0,20
summaries: [row_summary]
table: [row_worst, {metric: valid_loss, heading: the loss}]
panels: [valid_loss, {curve: lr, axis: linear}]
arms: {pre: {variant: pre}, post: {variant: post}}
profiles: {row_tiny: {steps: 6, evaluate_at: '0,6', seeds: 2}}
''')
write(os.path.join("bench/claims", "row-claims.yaml"), '''writeup: row-claims
title: Claims added by tests/rows.sh
source: "tests/rows.sh"
setups:
  toy:
    keys: {layers: [2]}
    choices: []
claims:
  - id: row-claims-1
    source: "rows.sh"
    says: "Post-LN's worst loss is another than Pre-LN's."
    setup: toy
    at: [6]
    family: rows
    tests:
      - {metric: row_worst, contrast: {post: 1, pre: -1}, expects: lower, test: row-test}
      - {metric: row_rates, contrast: {post: 1}, against: 0, expects: higher, test: row-test}
''')

write(os.path.join("bench/cli", "cmd_rowcommand.c"), '''/* normbench rowcommand: added by tests/rows.sh. */
#include <stdio.h>

#include "bench/cli/commands.h"

Rc command_rowcommand(Session *s, Error *e) {
    (void)s, (void)e;
    return printf("a command\\n") > 0 ? RC_OK : RC_UNMEASURED;
}
''')
add_row("bench/cli/commands.def", "COMMAND", 'COMMAND(rowcommand, TRY, "", "", "normbench rowcommand", "a command that tests/rows.sh added", "")')

# In any order: these tables say so. Not spec.def and metrics.def, whose order is that of records' texts; not profiles.def,
# steps.def and curves.def, whose order is what they say.
for path, macro in [("bench/options/options.def", "OPTION"), ("bench/cli/commands.def", "COMMAND"), ("base/exit_codes.def", "RC"),
                    ("models/schedule.def", "SCHEDULE"),
                    ("models/norms.def", "NORM"), ("models/rules.def", "RULE"), ("models/choices.def", "CHOICE"),
                    ("kernels/ops.def", "OP"),
                    ("kernels/optimizers.def", "OPTIMIZER"), ("kernels/backends.def", "BACKEND"),
                    ("kernels/precisions.def", "PRECISION"), ("stats/tests.def", "TEST"), ("models/probes.def", "PROBE"),
                    ("bench/plan/grids.def", "GRID"),
                    ("bench/tasks/tasks.def", "TASK"), ("datasets/manifest.def", "TOKENS")]:
    count = len(rows(path, macro)[1])
    swap_rows(path, macro, 0 if count < 3 else 1, 1 if count < 3 else 2)
