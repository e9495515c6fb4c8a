/* normbench compare FILE: paired statistics for anybody's numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/cli/compare_runs.h"
#include "bench/compare/against.h"
#include "bench/compare/curves.h"
#include "bench/compare/print.h"
#include "bench/figures/figure.h"
#include "bench/formats/terminal.h"

const char compare_help[] =
    "\nPATH is a file of values (below; - reads standard input), or logs of a trainer, or folders of them, told by\n"
    "what they hold: tensorboard, npy, npz, trainer_state (Hugging Face), lm_eval, record (normbench's), json_lines,\n"
    "wandb_chart, lightning, keras, runs_table (W&B, MLflow), curve_csv, fairseq, modded_nanogpt, megatron,\n"
    "torchtitan, litgpt, nanogpt, llmc, mlflow, json, yaml (DVC). --as names one. --name 's{seed}_{arm}' says where\n"
    "names hold arm and seed; --metric what is compared; --list shows the runs. More, with examples: docs/compare.md,\n"
    "docs/logs.md.\n"
    "\n"
    "A file of values is one of these; the first of , ; TAB in a header line separates its columns, or\n"
    "|, or blanks where there is none:\n"
    "  seed,arm,value                one run a line, in any order of columns; others are named by --column\n"
    "                                seed=NAME,arm=NAME and --metric, but seed,method,loss is understood as it is\n"
    "  seed,arm,block,value          its value for each block of the evaluation text; blocks count in text order\n"
    "  seed,pre,post,peri            one seed a line, one column per arm; seed,block,pre,post: also with blocks.\n"
    "                                A first column without a name (an index) is passed over; step, epoch, lr and the\n"
    "                                like are no arms and are refused\n"
    "  seed,corpus,arm,value         also corpus (or dataset) in any of these but the next: see below\n"
    "  pre-s1,pre-s2,post-s1         one column per run, where none is called seed; so is read what W&B exports with\n"
    "                                a chart: \"pre-s1 - val/loss\", whose __MIN and __MAX are passed over\n"
    "  {\"arms\": {\"pre\": {\"1\": 3.2, \"2\": 3.1}, \"post\": {\"1\": 3.3, \"2\": 3.4}}}\n"
    "  {\"pre\": [3.2, 3.1], \"post\": [3.3, 3.4]}                        with --unpaired: lists name no seeds\n"
    "  [{\"seed\": 1, \"arm\": \"pre\", \"value\": 3.2}, ...]                   also with \"block\",\n"
    "  {\"seed\": 1, \"arm\": \"pre\", \"value\": 3.2}                          or one such object a line (JSONL)\n"
    "  {\"seed\": {\"0\": 1}, \"pre\": {\"0\": 3.2}, \"post\": {\"0\": 3.3}}       a data frame's to_json, in any "
    "form\n"
    "Seeds and blocks are whole numbers, 3.0 too; every arm needs every seed, but for --unpaired. A run that diverged\n"
    "is no missing run: its value is nan, inf or diverged (in JSON a string, or Python's bare NaN and Infinity), and\n"
    "--cap says what it counts as. An empty cell, NA, N/A, None, null and - are a missing run. UTF-8, or UTF-16 with\n"
    "its mark; any line ends.\n"
    "\n"
    "d = arm - baseline, seed by seed, in the file's unit and sign. A comparison is better, worse, the same within\n"
    "the margin, or not decided, by the exact sign-flip test adjusted over all arms: docs/statistics.md. What\n"
    "--unpaired, --anytime, --target, --against, --at every and a column of corpora ask and do: docs/compare.md.\n"
    "\n"
    "Exit codes: 0 something was decided and no arm is worse, 1 some arm is worse than the baseline and not\n"
    "negligibly, 2 usage or input, 3 nothing to compare, 4 nothing could be decided. With --fail-on worse-by:D:\n"
    "1 when the sign-flip interval of some arm lies beyond D on the worse side, 0 when none reaches it, else 4.\n"
    "\n"
    "--format json: docs/json.md names every key. --format tex: a whole tabular for booktabs, with the notes as\n"
    "comments.\n"
    "-o FILE.svg draws the differences.\n";

static Rc read_looks(const Options *o, CompareOptions *x, Error *e) {
    const char *text = option(o, OPTION_looks, NULL);
    if (!text) return RC_OK;
    OWNED char *copy = mem_text(text);
    for (char *rest = copy, *one; (one = strsep(&rest, ","));) {
        int64_t n = 0;
        if (x->looks == COMPARE_LOOKS_MAX) return error_set(e, RC_USAGE, "--looks: %d at most", COMPARE_LOOKS_MAX);
        if (!parse_whole(trim(one), &n) || n < 1 || n > COMPARE_NUMBERS_MAX)
            return error_set(e, RC_USAGE, "--looks: '%.60s' is not a list of seed counts such as '3,5,8'", text);
        x->look[x->looks++] = (size_t)n;
    }
    return RC_OK;
}

static Rc read_options(const Options *o, CompareOptions *x, Error *e) {
    *x = (CompareOptions){.baseline = option(o, OPTION_baseline, NULL),
                          .higher = !strcmp(option(o, OPTION_better, "lower"), "higher"),
                          .margin = option_number(o, OPTION_margin, (double)NAN),
                          .conf = option_number(o, OPTION_conf, .95),
                          .cap = option_number(o, OPTION_cap, (double)NAN),
                          .stall = option_number(o, OPTION_stall, (double)NAN)};
    if (fail_on_read(&x->fail, option(o, OPTION_fail_on, "worse"), e)) return e->code;
    return read_looks(o, x, e);
}

/* Refuse options that do not go with `what`. */
static Rc not_both(const Options *o, const char *what, const OptionKind *others, size_t count, Error *e) {
    char name[OPTION_NAME];
    for (size_t i = 0; i < count; i++)
        if (o->times[others[i]])
            return error_set(e, RC_USAGE, "compare: %s or --%s, not both", what, option_name(name, others[i]));
    return RC_OK;
}
#define NOT_BOTH(o, what, e, ...) \
    not_both(o, what, (const OptionKind[]){__VA_ARGS__}, sizeof((OptionKind[]){__VA_ARGS__}) / sizeof(OptionKind), e)

/* What belongs to a fixed number of seeds, or to arms that share none, does not go with --anytime. */
static Rc read_anytime(const Options *o, CompareOptions *x, Error *e) {
    if (!o->times[OPTION_anytime] && o->times[OPTION_most_seeds])
        return error_set(e, RC_USAGE, "--most-seeds goes with --anytime, whose forecast ends there");
    if (!o->times[OPTION_anytime]) return RC_OK;
    if (NOT_BOTH(o, "--anytime", e, OPTION_unpaired, OPTION_looks, OPTION_fail_on, OPTION_output, OPTION_stall,
                 OPTION_against))
        return e->code;
    x->anytime = option_integer(o, OPTION_most_seeds, ANYTIME_MAX);
    return RC_OK;
}

static Rc read_columns(const Options *o, CompareColumns *c, Error *e) {
    const char *target = option(o, OPTION_target, NULL);
    *c = (CompareColumns){.seed = option(o, OPTION_seed_column, NULL),
                          .arm = option(o, OPTION_arm_column, NULL),
                          .value = option(o, OPTION_metric, NULL),
                          .unpaired = o->times[OPTION_unpaired] > 0,
                          .directed = o->times[OPTION_better] > 0,
                          .steps = target != NULL,
                          .rising = !strcmp(option(o, OPTION_better, "lower"), "higher"),
                          .step = option(o, OPTION_step_column, NULL)};
    if (c->step && !target)
        return error_set(e, RC_USAGE, "--column step names a column of the curves that --target VALUE reads");
    return target ? compare_number("--target", target, &c->target, e) : RC_OK;
}

/* X, or X:R with a rule. */
static Rc read_against(const Options *o, AgainstOptions *x, Error *e) {
    const char *text = option(o, OPTION_against, ""), *colon = strchr(text, ':');
    char number[80];
    snprintf(number, sizeof number, "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
    x->rule = (double)NAN;
    if (compare_number("--against", number, &x->number, e)) return e->code;
    if (!colon || (parse_real(colon + 1, &x->rule) && x->rule >= 0)) return RC_OK;
    return error_set(e, RC_USAGE, "--against: '%.60s' is no rule, a number from 0 on behind the colon", colon + 1);
}

static SentenceForm form_of(const Options *o) {
    if (o->times[OPTION_markdown]) return SENTENCE_MARKDOWN;
    return o->times[OPTION_tex] ? SENTENCE_TEX : SENTENCE_TEXT;
}

/* A page of text fits a terminal and is painted there; every other form is written as it is. */
static void put(const Options *o, const Text *out) {
    static const OptionKind others[] = {OPTION_json, OPTION_markdown, OPTION_tex, OPTION_junit, OPTION_sentence};
    bool page = true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) page &= !o->times[others[i]];
    page ? terminal_print(out->at) : (void)fwrite(out->at, 1, out->length, stdout);
}

static const char *metric_of(const Options *o, const CompareCorpora *data) {
    return data->metric ? data->metric : option(o, OPTION_metric, NULL);
}

/* Beside a sentence to paste: how its numbers were read, on standard error. */
static void say_aside(const CompareData *d) {
    LOCAL_TEXT(read);
    compare_reading(d, &read);
    compare_absent(d, &read);
    terminal_say(stderr, "%s", read.at);
}

/* Arms against a number, of one corpus. */
static Rc command_against(const Options *o, const CompareCorpora *data, Error *e) {
    AgainstOptions x = {.step = data->step,
                        .sigma = option_number(o, OPTION_sigma, (double)NAN),
                        .higher = !strcmp(option(o, OPTION_better, "lower"), "higher"),
                        .conf = option_number(o, OPTION_conf, .95),
                        .cap = option_number(o, OPTION_cap, (double)NAN)};
    LOCAL(against_release) Against r = {0};
    LOCAL_TEXT(out);
    if (data->corpora > 1)
        return error_set(e, RC_USAGE, "--against takes one corpus, and the file holds %d", data->corpora);
    if (read_against(o, &x, e) || against_make(&r, &data->of[0], &x, e)) return e->code;
    if (o->times[OPTION_sentence]) {
        say_aside(&data->of[0]);
        against_sentences(&r, metric_of(o, data), form_of(o), &out);
    } else if (o->times[OPTION_json]) {
        against_json(&r, &out);
    } else {
        ComparePage p;
        against_page(&r, &p);
        compare_show(&p, form_of(o), terminal_width(), &out);
    }
    put(o, &out);
    return against_exit(&r);
}

static void print(const Options *o, const CompareOver *result, Text *out) {
    const CompareResult *first = &result->of[0];
    bool json = o->times[OPTION_json] > 0;
    if (o->times[OPTION_sentence]) {
        say_aside(first->data);
        compare_sentences(result, metric_of(o, result->data), form_of(o), out);
    } else if (o->times[OPTION_markdown])
        compare_markdown(result, metric_of(o, result->data), out);
    else if (o->times[OPTION_junit])
        compare_junit(result, metric_of(o, result->data), out);
    else if (json)
        compare_over_json(result, out);
    else
        compare_over_show(result, form_of(o), terminal_width(), out);
}

/* Forms that exclude each other. */
static Rc check_forms(const Options *o, Error *e) {
    static const struct {
        OptionKind kind;
        const char *name;
        bool sentence, anytime, numbers; /* goes with --sentence; --anytime; --against and --at every */
    } forms[] = {{OPTION_json, "json", false, true, true},
                 {OPTION_tex, "tex", true, true, true},
                 {OPTION_markdown, "markdown", true, false, true},
                 {OPTION_junit, "junit", false, false, false}};
    const char *first = NULL;
    bool anytime = o->times[OPTION_anytime] > 0, every = !strcmp(option(o, OPTION_at, ""), "every");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *name = forms[i].name, *other = NULL;
        if (!o->times[forms[i].kind]) continue;
        if (first) return error_set(e, RC_USAGE, "compare: --format %s or --format %s, not both", first, name);
        if (o->times[OPTION_sentence] && !forms[i].sentence) other = "--sentence";
        if (anytime && !forms[i].anytime) other = "--anytime";
        if (every && !forms[i].numbers) other = "--at every";
        if (o->times[OPTION_against] && !forms[i].numbers) other = "--against";
        if (other) return error_set(e, RC_USAGE, "compare: %s or --format %s, not both", other, name);
        first = name;
    }
    if (anytime && o->times[OPTION_sentence])
        return error_set(e, RC_USAGE, "compare: --anytime or --sentence, not both");
    return RC_OK;
}

static Rc read_logs(const Options *o, CompareColumns columns, CompareCorpora *data, Error *e) {
    LOCAL(compare_runs_release) CompareRuns runs = {0};
    *data = (CompareCorpora){0};
    return compare_runs_read(&runs, o, e) ? e->code
                                          : compare_logs(data, &runs.pick, columns, o->times[OPTION_against] > 0, e);
}

/* A file of compare's own, or logs: what the command line asks for, else the first that can be read. */
static Rc read_data(const Options *o, CompareColumns columns, CompareCorpora *data, Error *e) {
    if (compare_runs_asked(o)) return read_logs(o, columns, data, e);
    if (!compare_corpora_read(data, o->operand[0], columns, e)) return RC_OK;
    bool log = e->code == RC_USAGE && compare_runs_known(o->operand[0]);
    if (!log && !(o->times[OPTION_metric] && file_exists(o->operand[0]))) return e->code;
    Error own = *e;
    *e = (Error){0};
    if (!read_logs(o, columns, data, e)) return RC_OK;
    if (!log && (strstr(e->text, "no reader knows") || strstr(e->text, "nothing says which arm"))) *e = own;
    return e->code;
}

static Rc list_runs(const Options *o, Error *e) {
    LOCAL(compare_runs_release) CompareRuns runs = {0};
    if (compare_runs_read(&runs, o, e)) return e->code;
    compare_runs_list(&runs, o->times[OPTION_json] > 0);
    return RC_OK;
}

/* --at every: curves, of runs that were picked from logs. */
static Rc command_curves(const Options *o, CompareColumns columns, const CompareOptions *x, const char *plot,
                         Error *e) {
    LOCAL(compare_runs_release) CompareRuns runs = {0};
    LOCAL(compare_corpora_release) CompareCorpora data = {0};
    LOCAL(compare_curves_release) CompareCurves c = {0};
    LOCAL_TEXT(out);
    if (compare_runs_read(&runs, o, e) || compare_logs(&data, &runs.pick, columns, false, e) ||
        compare_curves_make(&c, &data, &runs.pick, x, e))
        return e->code;
    if (o->times[OPTION_json])
        compare_curves_json(&c, &out);
    else {
        ComparePage p;
        compare_curves_page(&c, &p);
        compare_show(&p, form_of(o), terminal_width(), &out);
    }
    Rc rc = compare_curves_exit(&c);
    if (plot) {
        LOCAL(plot_release) Plot drawn = {0};
        compare_curves_plot(&c, &drawn);
        if (plot_write(&drawn, plot, e)) rc = e->code;
    }
    put(o, &out);
    return rc;
}

/* Read the name of the figure to write; NULL: none is wanted. */
static Rc read_plot(const Options *o, const char **plot, Error *e) {
    *plot = option(o, OPTION_output, NULL);
    size_t length = *plot ? strlen(*plot) : 0;
    if (*plot && (length < 5 || strcmp(*plot + length - 4, ".svg") != 0))
        return error_set(e, RC_USAGE, "--output: '%.200s' does not end in .svg, the only kind there is", *plot);
    return RC_OK;
}

static Rc draw(const CompareResult *r, const char *path, Error *e) {
    LOCAL(plot_release) Plot drawn = {0};
    compare_plot(r, &drawn);
    return plot_write(&drawn, path, e);
}

Rc command_compare(Session *s, Error *e) {
    const Options *o = s->options;
    CompareOptions options;
    LOCAL(compare_corpora_release) CompareCorpora data = {0};
    LOCAL(compare_over_release) CompareOver result = {0};
    if (!o->operands) return error_set(e, RC_USAGE, "compare: name a file, a folder, or - for standard input");
    if (o->times[OPTION_list]) return list_runs(o, e);
    if (check_forms(o, e)) return e->code;
    bool against = o->times[OPTION_against] > 0;
    if (o->times[OPTION_sigma] && !against)
        return error_set(e, RC_USAGE, "--against: sigma needs the number too: --against X,sigma=SD");
    if (against && NOT_BOTH(o, "--against", e, OPTION_tex, OPTION_output, OPTION_looks, OPTION_margin, OPTION_fail_on,
                            OPTION_baseline, OPTION_stall))
        return e->code;
    CompareColumns columns;
    const char *plot;
    if (read_options(o, &options, e) || read_anytime(o, &options, e) || read_columns(o, &columns, e) ||
        read_plot(o, &plot, e))
        return e->code;
    columns.unpaired |= against;
    if (!strcmp(option(o, OPTION_at, ""), "every")) {
        Rc rc = NOT_BOTH(o, "--at every", e, OPTION_against, OPTION_target, OPTION_looks, OPTION_anytime,
                         OPTION_fail_on, OPTION_stall, OPTION_sentence, OPTION_margin);
        return rc ? rc : command_curves(o, columns, &options, plot, e);
    }
    if (read_data(o, columns, &data, e)) return e->code;
    if (against) return command_against(o, &data, e);
    if ((plot || options.anytime) && data.corpora > 1)
        return error_set(e, RC_USAGE, "%s one corpus, and the file holds %d",
                         plot ? "--output draws" : "--anytime takes", data.corpora);
    Progress progress;
    int comparisons = data.corpora * (data.of[0].arms - 1);
    progress_init(&progress, 2 * comparisons, comparisons);
    options.progress = &progress;
    Rc rc = compare_over_make(&result, &data, &options, s->threads, e);
    progress_end(&progress);
    if (rc) return rc;
    LOCAL_TEXT(out);
    print(o, &result, &out);
    rc = compare_over_exit(&result);
    if (plot && draw(&result.of[0], plot, e)) rc = e->code;
    put(o, &out);
    return rc;
}
