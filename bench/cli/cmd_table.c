/* normbench table EXPERIMENT: tables and figures of the runs that are stored. Reads files; trains nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/cli/commands.h"
#include "bench/cli/theory.h"
#include "bench/compare/compare.h"
#include "bench/compare/print.h"
#include "bench/figures/figure.h"
#include "bench/formats/progress.h"
#include "bench/formats/terminal.h"
#include "bench/plan/profile.h"
#include "bench/store/partial.h"
#include "bench/store/run_list.h"
#include "bench/store/texts.h"
#include "bench/verdict/until.h"
#include "bench/write/prose.h"
#include "bench/write/summaries.h"
#include "bench/write/table.h"
#include "kernels/backend.h"

/* The command as a reader may type it again: paths of this machine are left out. */
static void command_text(const Session *s, const Experiment *x, Text *out) {
    const Options *o = s->options;
    session_shown(s, x, "table", out);
    const char *bold = option(o, OPTION_bold, NULL);
    if (bold || o->times[OPTION_siunitx])
        text_format(out, " --style %s%s%s%s", bold ? "bold=" : "", bold ? bold : "",
                    bold && o->times[OPTION_siunitx] ? "," : "", o->times[OPTION_siunitx] ? "siunitx" : "");
    if (o->times[OPTION_paper]) text_format(out, " --paper");
    if (o->times[OPTION_metric]) text_format(out, " --metric %s", option(o, OPTION_metric, ""));
    if (o->times[OPTION_target]) text_format(out, " --target %s", option(o, OPTION_target, ""));
}

static Rc write_text(const Table *t, const char *folder, const char *ending, const Text *text, Error *e) {
    char path[1200];
    snprintf(path, sizeof path, "%.900s/%s%s", folder, t->name, ending);
    return file_write(path, text->at, text->length, e);
}

/* Steps to the target of --target: printed, and written in both forms. */
static Rc publish_target(const Table *t, const TargetSteps *target, const char *folder, Error *e) {
    LOCAL_TEXT(text);
    LOCAL_TEXT(json);
    target_steps_text(target, t->x, &text);
    target_steps_json(target, t->x, &json);
    terminal_print(text.at);
    (void)output_flush(NULL);
    return write_text(t, folder, "-target.txt", &text, e) ? e->code : write_text(t, folder, "-target.json", &json, e);
}

static Rc write_file(const Table *t, const char *folder, const char *ending, void (*write)(const Table *, Text *),
                     Error *e) {
    LOCAL_TEXT(text);
    write(t, &text);
    return text.length ? write_text(t, folder, ending, &text, e) : RC_OK; /* empty: not of this experiment */
}

/* The table, what is said of it, and the papers it names. */
static Rc write_paper(const Table *t, const char *folder, Error *e) {
    Rc rc = write_file(t, folder, "-paper.tex", table_paper, e);
    if (!rc) rc = write_file(t, folder, "-paper-text.tex", prose_paper, e);
    if (!rc) rc = write_file(t, folder, "-paper.bib", prose_table_bibtex, e);
    return rc;
}

static Rc write_summary(const Table *t, int kind, const char *folder, Error *e) {
    static void (*const write[])(const Table *, int, Text *) = {summary_tex, summary_csv};
    static const char *const ending[] = {"tex", "csv"};
    char name[80];
    Rc rc = RC_OK;
    for (int i = 0; i < 2 && !rc; i++) {
        LOCAL_TEXT(text);
        write[i](t, kind, &text);
        snprintf(name, sizeof name, "-%.60s.%s", summary_rows[kind].name, ending[i]);
        if (text.length) rc = write_text(t, folder, name, &text, e);
    }
    return rc;
}

static Rc write_files(const Table *t, const char *folder, Error *e) {
    static const struct {
        const char *ending;
        void (*write)(const Table *, Text *);
        bool claims;
    } files[] = {{".tex", table_tex, false},
                 {"-claims.tex", table_claims_tex, true},
                 {"-macros.tex", table_macros, false},
                 {".csv", table_csv, false},
                 {".json", table_json, false},
                 {".txt", table_text, false},
                 {"-cost.json", table_cost_json, false},
                 {"-curves.csv", figure_csv, false},
                 {"-blocks.csv", figure_blocks_csv, false}};
    Rc rc = RC_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !rc; i++)
        if (!files[i].claims || t->claims) rc = write_file(t, folder, files[i].ending, files[i].write, e);
    for (int kind = 0; kind < summary_count && !rc; kind++) rc = write_summary(t, kind, folder, e);
    return rc;
}

/* Without gnuplot the tables are written without figures, without its pdfcairo without their PDFs, and one line says
 * so. PDFs are three quarters of gnuplot's time and stand in LaTeX only: they are drawn if `formats` ask for them.
 * path: of each PDF; freed by the caller. Returns how many. */
static int draw_figures(const Table *t, const char *folder, int formats, char (**path)[1200]) {
    Error why;
    Figure *figure;
    *path = NULL;
    if (figure_draw(t, folder, formats, &why)) {
        terminal_say(stderr, "normbench: note: no figures: %s\n", why.text);
        return 0;
    }
    int figures = figure_list(t, &figure), pdfs = 0;
    *path = mem_alloc((size_t)figures, sizeof **path);
    for (int i = 0; i < figures; i++) {
        snprintf((*path)[pdfs], sizeof **path, "%.900s/%s.pdf", folder, figure[i].name);
        pdfs += file_exists((*path)[pdfs]);
    }
    if (formats & PLOT_PDF && pdfs < figures)
        terminal_say(stderr, "normbench: note: no PDF of figures: this gnuplot lacks the terminal pdfcairo\n");
    free(figure);
    return pdfs;
}

/* Figures and, when it is asked for, everything typeset. */
static Rc draw_all(const Session *s, const Table *t, const char *folder, Error *e) {
    Rc rc = RC_OK;
    char(*path)[1200];
    const int *times = s->options->times;
    int figures = draw_figures(t, folder, times[OPTION_pdf] || times[OPTION_paper] ? FIGURE_ALL : PLOT_SVG, &path);
    OWNED const char **figure = mem_alloc((size_t)figures + 1, sizeof *figure);
    for (int i = 0; i < figures; i++) figure[i] = path[i];
    if (times[OPTION_pdf]) rc = table_pdf(t, folder, figure, figures, e);
    free(path);
    return rc;
}

/* The folder on a line of its own, then what stands in it. */
static void print_files(const PlanFolder *f, const char *aside) {
    char **name;
    int count = folder_names(aside, "", &name), column = 0;
    int wide = isatty(STDERR_FILENO) ? terminal_columns(STDERR_FILENO, NULL) - 4 : PAGE_WIDTH;
    fprintf(stderr, "%s/\n ", f->path);
    for (int i = 0; i < count; i++) {
        if (name[i][0] == '.') continue;
        int width = (int)strlen(name[i]) + 1;
        if (column + width > wide) column = 0, fputs("\n ", stderr);
        fprintf(stderr, " %s", name[i]);
        column += width;
    }
    fputc('\n', stderr);
    names_free(name, count);
}

/* What would make an exploratory table confirmatory: its plan, on as many seeds as it has that were not seen. */
static void confirm_text(const Session *s, const Table *t, Text *out) {
    const Experiment *x = t->x;
    int most = x->looks ? x->look[x->looks - 1] : x->most > x->seeds ? x->most : x->seeds; /* x->seed holds them all */
    char seeds[64];
    uint64_t last = 0;
    if (!t->exploratory || t->partial) return;
    for (int i = 0; i < most; i++) last = x->seed[i] > last ? x->seed[i] : last;
    if (last > INT64_MAX - EXPERIMENT_SEEDS_MAX) return;
    snprintf(seeds, sizeof seeds, "seeds=%llu-%llu", (unsigned long long)last + 1, (unsigned long long)last + most);
    if (t->options.exploratory) {
        text_format(out, "To confirm: write the changes into an experiment file of your own, and run it with %s.\n",
                    seeds);
        return;
    }
    text_format(out, "To confirm: ");
    session_other_seeds(s, x, "run", seeds, out);
    text_format(out, "\nand then:   ");
    session_other_seeds(s, x, "table", seeds, out);
    text_format(out, "\n");
}

static void show(const Session *s, const Table *t) {
    const Options *o = s->options;
    LOCAL_TEXT(text);
    if (o->times[OPTION_sentence])
        table_sentences(t,
                        o->times[OPTION_tex]        ? SENTENCE_TEX
                        : o->times[OPTION_markdown] ? SENTENCE_MARKDOWN
                                                    : SENTENCE_TEXT,
                        &text);
    else if (o->times[OPTION_markdown])
        table_markdown(t, &text);
    else {
        table_text_wide(t, terminal_width(), &text);
        summaries_text(t, true, terminal_width(), &text);
        confirm_text(s, t, &text);
    }
    terminal_print(text.at);
    (void)output_flush(NULL);
}

/* Of --target VALUE; none without it (no cells). */
static Rc make_target(const Session *s, const Table *t, TargetSteps *out, Error *e) {
    const char *text = option(s->options, OPTION_target, NULL);
    double value;
    *out = (TargetSteps){0};
    if (!text) return RC_OK;
    if (t->family.anytime)
        return error_set(e, RC_USAGE,
                         "--target: its test is for a fixed number of seeds, and this plan adds seeds until it is "
                         "decided");
    if (compare_number("--target", text, &value, e)) return e->code;
    return target_steps_make(out, &t->sample, value, s->threads, e);
}

/* A file of an earlier call that this one does not make: what an option asked for, figures that cannot be drawn now,
 * and the whole table beside one of some seeds. */
typedef struct {
    const Table *t;
    bool pdf, figures;
} Made;

static bool has_ending(const char *folder, const char *ending) {
    char **name;
    int count = folder_names(folder, ending, &name);
    names_free(name, count);
    return count > 0;
}

static bool another_call(const char *name, const void *made) {
    static const char *const asked[] = {"-paper", "-target"};
    const Made *m = made;
    size_t n = strlen(m->t->name);
    if (strncmp(name, m->t->name, n) != 0 || (name[n] != '-' && name[n] != '.')) return true;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!strncmp(name + n, asked[i], strlen(asked[i]))) return true;
    if (!strcmp(name + n, ".pdf")) return true;
    const char *ending = strrchr(name, '.');
    return (!strcmp(ending, ".svg") && !m->figures) || (!strcmp(ending, ".pdf") && !m->pdf);
}

/* All files are made aside, so that the folder holds those of one `table` and no others. The tables are put there also
 * when their typesetting failed. */
static Rc publish(const Session *s, const Table *t, const TargetSteps *target, const PlanFolder *folder, Error *e) {
    Scratch aside;
    Error typeset = {.code = RC_OK};
    Rc rc = folder_make_own(folder->path, e);
    if (!rc) rc = scratch_make(&aside, e);
    if (rc) return rc;
    show(s, t);
    rc = write_files(t, aside.path, e);
    if (!rc && target->cells) rc = publish_target(t, target, aside.path, e);
    if (!rc && s->options->times[OPTION_paper]) rc = write_paper(t, aside.path, e);
    if (!rc) (void)draw_all(s, t, aside.path, &typeset);
    const Made made = {t, has_ending(aside.path, ".pdf"), has_ending(aside.path, ".svg")};
    if (!rc) rc = plan_folder_fill(folder, aside.path, another_call, &made, s->root, t->x, &s->overrides, e);
    if (!rc) print_files(folder, aside.path);
    scratch_remove(&aside);
    if (!rc && typeset.code) *e = typeset, rc = e->code;
    return rc;
}

/* --metric 'loss,ppl': keys of metrics.def, or the names that macros give them. */
static Rc read_metrics(const Options *o, TableOptions *t, Error *e) {
    const char *text = option(o, OPTION_metric, NULL);
    if (!text) return RC_OK;
    if (!o->times[OPTION_paper])
        return error_set(e, RC_USAGE, "--metric: it chooses metrics of the table that --paper makes");
    OWNED char *copy = mem_text(text);
    for (char *rest = copy, *one; (one = strsep(&rest, ","));) {
        if (t->metrics == PAPER_METRICS_MAX) return error_set(e, RC_USAGE, "--metric: %d at most", PAPER_METRICS_MAX);
        if (metric_named(&t->metric[t->metrics++], trim(one), e)) return error_prefix(e, "--metric: ");
    }
    return RC_OK;
}

/* --fail-on: of the arms at each cell's last step; nothing is decided by a partial table. RC_OK without it. */
static Rc gate(const Options *o, const Table *t, const FailOn *f) {
    if (!o->times[OPTION_fail_on]) return RC_OK;
    if (t->partial) {
        terminal_say(stderr, "normbench: --fail-on %s: not decided: a partial table decides nothing\n",
                     option(o, OPTION_fail_on, ""));
        return RC_INCONCLUSIVE;
    }
    OWNED bool *last = mem_alloc((size_t)t->family.count + 1, sizeof *last);
    for (int i = 0; i < t->family.count; i++) {
        const Contrast *what = &t->family.at[i].what;
        last[i] = what->step == t->sample.cell[what->cell].steps - 1;
    }
    Rc rc = comparisons_gate(t->family.at, t->family.count, last, f);
    terminal_say(stderr, "normbench: --fail-on %s: %s\n", option(o, OPTION_fail_on, ""),
                 rc == RC_OK                                 ? "passes"
                 : rc == RC_INCONCLUSIVE && !t->family.count ? "nothing is compared"
                 : rc == RC_INCONCLUSIVE                     ? "not decided"
                                                             : "fails");
    return rc;
}

/* partial: what is missing, or "". Claims are decided when all is there. */
static Rc make(const Session *s, const Experiment *x, const Records *records, const PlanFolder *folder,
               const char *partial, Error *e) {
    const Options *o = s->options;
    LOCAL(claims_release) ClaimFile claims = {0};
    LOCAL_TEXT(command);
    LOCAL(table_release) Table t = {0};
    LOCAL(target_steps_release) TargetSteps target = {0};
    FailOn fail;
    bool has_claims;
    if (fail_on_read(&fail, option(o, OPTION_fail_on, "worse"), e)) return e->code;
    if (o->times[OPTION_fail_on] && !metric_info[x->metric].better)
        return error_set(e, RC_USAGE, "--fail-on: %s is neither better lower nor higher", metric_info[x->metric].key);
    if (claims_find(&claims, s->root, x->writeup, &has_claims, e)) return e->code;
    if (x->writeup[0] && !has_claims)
        terminal_say(stderr, "normbench: note: bench/claims/%s.yaml is not there: no reported numbers, no claims\n",
                     x->writeup);
    command_text(s, x, &command);
    TableOptions options = {.bold = (BoldMode)option_choice(o, OPTION_bold, BOLD_tied),
                            .siunitx = o->times[OPTION_siunitx] > 0,
                            .slug = folder->slug,
                            .notes = records->notes,
                            .partial = partial,
                            .command = command.at};
    options.exploratory = experiment_changed(x);
    if (read_metrics(o, &options, e) ||
        table_make(&t, x, records->at, has_claims && !partial[0] ? &claims : NULL, options, e) ||
        make_target(s, &t, &target, e) || publish(s, &t, &target, folder, e))
        return e->code;
    return gate(o, &t, &fail);
}

/* Of the seeds that are whole; before the first look, of a plan without looks. */
static Rc take_partial(Records *records, const Session *s, Experiment *x, Text *words, Error *e) {
    LOCAL(store_release) Store stored;
    store_read(&stored, s->runs);
    if (partial_seeds(&stored, x, words, e)) return e->code;
    if (!x->looks || x->seeds >= x->look[0]) return until_take(records, &stored, x, s->precise, e);
    x->most = 0;
    return records_take(records, &stored, x, s->precise, e);
}

/* Where so much is stored that some seed may be whole. */
static void offer_partial(const Records *r, const Experiment *x, Error *e) {
    if (r->missing && r->runs - r->missing >= experiment_cells(x) * x->arms)
        error_add(e, "; --partial makes the table of the seeds whose runs are all stored");
}

/* What is stored of another plan of the same file: "normbench table smoke-24252339 (--set steps=50; 30 of 30 runs)". */
static bool other_plan(const Session *s, const Experiment *x, const Store *stored, const char *word, Text *out) {
    char experiment[PATH_MAX];
    LOCAL(plan_note_release) PlanNote note = {0};
    LOCAL(experiment_release) Experiment other = {0};
    LOCAL(records_release) Records records = {0};
    LOCAL_TEXT(options);
    LOCAL_TEXT(results);
    Error none;
    plan_experiment(s->root, x, experiment);
    if (plan_note_read(&note, s->results, word, &none) || !note.all) return false;
    if (strcmp(note.experiment, experiment) != 0 || !strcmp(note.plan, x->plan) ||
        plan_note_experiment(&note, s->root, word, &other, &none))
        return false;
    texts_find(s, &other);
    if (until_take(&records, stored, &other, false, &none) || records.missing >= records.runs) return false;
    plan_note_options(&note, &options);
    session_results(s, &results);
    text_format(out, "%snormbench table %s%s (%s; %d of %d runs)", out->length ? ", " : "", word, results.at,
                options.length                               ? options.at + 1
                : other.yaml && !strcmp(other.yaml, x->yaml) ? "by the file as it is now"
                                                             : "by an earlier version of the file",
                records.runs - records.missing, records.runs);
    return true;
}

/* A note that names the plans of x's file of which runs are stored, when x's own lacks some. */
static void name_others(const Session *s, const Experiment *x) {
    enum { NAMED = 4 };
    LOCAL(store_release) Store stored;
    LOCAL_TEXT(out);
    char **word;
    int words = plan_slugs(s->results, &word), named = 0, more = 0;
    store_read(&stored, s->runs);
    for (int i = 0; i < words; i++) {
        if (named == NAMED)
            more++;
        else
            named += other_plan(s, x, &stored, word[i], &out);
    }
    if (named)
        terminal_say(stderr, "normbench: note: other plans of %s: %s%s\n", x->name, out.at,
                     more ? ", …; the folder out/ of the results holds all" : "");
    names_free(word, words);
}

static bool print_stored(const char *root, const Experiment *x, Error *e) {
    char file[RUN_LIST_PATH];
    OWNED char *text = stored_table(root, x, file);
    if (!text) return false;
    terminal_print(text);
    (void)output_flush(NULL);
    error_add(e, "; shown is the stored table %s", file);
    return true;
}

/* Where runs are missing: the table that is stored of the plan, or, where no profile is asked for, of another one. */
static void show_stored(const Session *s, const Experiment *x, Error *e) {
    if (s->options->times[OPTION_results] || print_stored(s->root, x, e) || s->profile[0]) return;
    for (int i = 0; i < PROFILE_COUNT; i++) {
        LOCAL(experiment_release) Experiment other = {0};
        Error none;
        if (experiment_parse(&other, x->file, x->yaml, profile_info[i].name, &s->overrides, &none)) continue;
        if (print_stored(s->root, &other, e)) return;
    }
}

Rc command_table(Session *s, Error *e) {
    const Options *o = s->options;
    LOCAL(experiment_release) Experiment x = {0};
    LOCAL(records_release) Records records = {0};
    LOCAL_TEXT(partial);
    LOCAL(plan_folder_release) PlanFolder folder = {0};
    if (options_one_experiment(o, e)) return e->code;
    if (o->times[OPTION_tex] && !o->times[OPTION_sentence])
        return error_set(e, RC_USAGE,
                         "table: --format tex goes with --sentence; the tables are written to .tex files anyway");
    if (theory_asked(o)) return theory_table(s, e);
    if (session_plan(s, o->operand[0], &x, e) || plan_folder_find(&folder, s->results, s->slug, &x, e) ||
        until_read(&records, s->runs, &x, s->precise, e))
        return e->code;
    if (records.missing && o->times[OPTION_partial]) {
        records_release(&records);
        if (take_partial(&records, s, &x, &partial, e)) return e->code;
    }
    if (records.missing) {
        Rc rc = records_complete(&records, s, &x, e);
        if (!o->times[OPTION_partial]) offer_partial(&records, &x, e);
        if (!s->recalled.all) name_others(s, &x);
        show_stored(s, &x, e);
        return rc;
    }
    if (records.notes[0]) terminal_say(stderr, "normbench: note: %s\n", records.notes);
    if (records.precision != PRECISION_exact)
        terminal_say(stderr,
                     "normbench: note: not all runs are stored in precision exact; this table is of the runs in %s\n",
                     precision_name(records.precision));
    return make(s, &x, &records, &folder, partial.at, e);
}
