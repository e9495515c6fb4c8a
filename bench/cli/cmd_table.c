/* normbench table EXPERIMENT: tables and figures of the runs that are stored. Reads files; trains nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/write/figure.h"
#include "bench/run/store.h"
#include "bench/write/sensitivity.h"
#include "bench/write/table.h"
#include "kernels/backend.h"

/* The command as a reader may type it again: paths of this machine are left out. */
static void command_text(const Session *s, const Experiment *x, Text *out) {
    const Options *o = s->options;
    static const OptionKind kept[] = {OPTION_set, OPTION_arm, OPTION_precision, OPTION_tokenizer};
    char name[OPTION_NAME];
    text_format(out, "normbench table %s --profile %s", x->name, x->profile);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        for (int i = 0; i < o->times[kept[k]]; i++)
            text_format(out, " --%s '%s'", option_name(name, kept[k]), o->value[kept[k]][i]);
    if (o->times[OPTION_text]) text_format(out, " --text FILE");
    if (o->times[OPTION_siunitx]) text_format(out, " --siunitx");
    if (o->times[OPTION_paper]) text_format(out, " --paper");
    if (o->times[OPTION_metrics]) text_format(out, " --metrics %s", option(o, OPTION_metrics, ""));
    if (o->times[OPTION_bold]) text_format(out, " --bold %s", option(o, OPTION_bold, ""));
}

static Rc write_file(const Table *t, const char *folder, const char *ending, void (*write)(const Table *, Text *),
                     Error *e) {
    char path[1200];
    Text text;
    text_init(&text);
    write(t, &text);
    if (!text.length) { /* not of this experiment */
        text_release(&text);
        return RC_OK;
    }
    snprintf(path, sizeof path, "%.900s/%s%s", folder, t->name, ending);
    Rc rc = file_write(path, text.at, text.length, e);
    if (!rc) fprintf(stderr, "  %s\n", path);
    text_release(&text);
    return rc;
}

static Rc write_files(const Table *t, const char *folder, Error *e) {
    static const struct {
        const char *ending;
        void (*write)(const Table *, Text *);
        bool claims;
    } files[] = {{".tex", table_tex, false},           {"-claims.tex", table_claims_tex, true},
                 {"-macros.tex", table_macros, false}, {".csv", table_csv, false},
                 {".json", table_json, false},         {".txt", table_text, false},
                 {"-cost.tex", table_cost_tex, false}, {"-cost.json", table_cost_json, false},
                 {"-cells.tex", table_cells_tex, false},
                 {"-sensitivity.tex", sensitivity_tex, false}, {"-curves.csv", figure_csv, false},
                 {"-blocks.csv", figure_blocks_csv, false}};
    Rc rc = RC_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !rc; i++)
        if (!files[i].claims || t->claims) rc = write_file(t, folder, files[i].ending, files[i].write, e);
    return rc;
}

/* Without gnuplot the tables are written without figures, without its pdfcairo without their PDFs, and one line says
 * so. path: of each PDF; freed by the caller. Returns how many. */
static int draw_figures(const Table *t, const char *folder, char (**path)[1200]) {
    Error why;
    Figure *figure;
    *path = NULL;
    if (figure_draw(t, folder, FIGURE_ALL, &why)) {
        fprintf(stderr, "normbench: note: no figures: %s\n", why.text);
        return 0;
    }
    int figures = figure_list(t, &figure), pdfs = 0;
    *path = mem_alloc((size_t)figures, sizeof **path);
    for (int i = 0; i < figures; i++) {
        snprintf((*path)[pdfs], sizeof **path, "%.900s/%s.pdf", folder, figure[i].name);
        bool pdf = file_exists((*path)[pdfs]);
        fprintf(stderr, "  %.900s/%s%s\n", folder, figure[i].name, pdf ? "{.svg,.pdf,-85mm.pdf}" : ".svg");
        pdfs += pdf;
    }
    if (pdfs < figures)
        fprintf(stderr, "normbench: note: no PDF of figures: this gnuplot lacks the terminal pdfcairo\n");
    free(figure);
    return pdfs;
}

static Rc write_all(Session *s, const Table *t, Error *e) {
    char folder[1024];
    Text text;
    if (session_output(s, t->x, folder, sizeof folder, e)) return e->code;
    text_init(&text);
    table_text(t, &text);
    table_cost_text(t, &text);
    fputs(text.at, stdout);
    fflush(stdout);
    text_release(&text);
    Rc rc = write_files(t, folder, e);
    if (!rc && s->options->times[OPTION_paper]) rc = write_file(t, folder, "-paper.tex", table_paper, e);
    if (rc) return rc;
    char(*path)[1200];
    int figures = draw_figures(t, folder, &path);
    const char **figure = mem_alloc((size_t)figures + 1, sizeof *figure);
    for (int i = 0; i < figures; i++) figure[i] = path[i];
    if (s->options->times[OPTION_pdf]) {
        rc = table_pdf(t, folder, figure, figures, e);
        if (!rc) fprintf(stderr, "  %s/%s.pdf\n", folder, t->name);
    }
    free(figure);
    free(path);
    return rc;
}

/* Whether the command line changed what the file says. A precision that is the file's own changes nothing. */
static bool changed(const Session *s, const Experiment *x) {
    const Options *o = s->options;
    Experiment plain;
    Error none;
    bool is = o->times[OPTION_arm] || o->times[OPTION_text] || o->times[OPTION_tokenizer];
    for (int i = 0; i < o->times[OPTION_set]; i++) is |= strncmp(o->value[OPTION_set][i], "precision=", 10) != 0;
    if (is || !s->precise || experiment_read(&plain, x->file, x->profile, NULL, &none)) return is;
    is = strcmp(plain.plan, x->plan) != 0;
    experiment_release(&plain);
    return is;
}

/* --metrics 'loss,ppl': keys of metrics.def, or the names that macros give them. */
static Rc read_metrics(const Options *o, TableOptions *t, Error *e) {
    const char *text = option(o, OPTION_metrics, NULL);
    if (!text) return RC_OK;
    if (!o->times[OPTION_paper]) return error_set(e, RC_USAGE, "--metrics: they are of the table that --paper makes");
    char *copy = mem_text(text), *rest = copy, *one;
    Rc rc = RC_OK;
    while (!rc && (one = strsep(&rest, ","))) {
        if (t->metrics == PAPER_MOST_METRICS)
            rc = error_set(e, RC_USAGE, "--metrics: %d at most", PAPER_MOST_METRICS);
        else if ((rc = metric_named(&t->metric[t->metrics++], trim(one), e))) error_prefix(e, "--metrics: ");
    }
    free(copy);
    return rc;
}

static Rc make(Session *s, const Experiment *x, const Records *records, Error *e) {
    const Options *o = s->options;
    ClaimFile claims;
    Text command;
    Table t;
    bool has_claims;
    if (claims_find(&claims, s->root, x->writeup, &has_claims, e)) return e->code;
    if (x->writeup[0] && !has_claims)
        fprintf(stderr, "normbench: note: bench/claims/%s.yaml is not there: no reported numbers, no claims\n",
                x->writeup);
    text_init(&command);
    command_text(s, x, &command);
    TableOptions options = {.bold = (BoldMode)option_choice(o, OPTION_bold, BOLD_tied),
                            .siunitx = o->times[OPTION_siunitx] > 0,
                            .exploratory = changed(s, x),
                            .notes = records->notes,
                            .command = command.at};
    Rc rc = read_metrics(o, &options, e);
    if (!rc) rc = table_make(&t, x, records->at, has_claims ? &claims : NULL, options, e);
    if (!rc) {
        rc = write_all(s, &t, e);
        table_release(&t);
    }
    if (has_claims) claims_release(&claims);
    text_release(&command);
    return rc;
}

static Rc take(Records *records, Session *s, Experiment *x, Error *e) {
    Store stored;
    store_read(&stored, s->runs);
    Rc rc = records_take_or_stand_in(records, &stored, x, s->precise, e);
    if (!rc && records->stand_in)
        fprintf(stderr,
                "normbench: note: no run is stored on the corpus that %s names; those on the built-in SYNTHETIC source "
                "are taken\n",
                x->file);
    store_release(&stored);
    return rc;
}

Rc command_table(Session *s, Error *e) {
    const Options *o = s->options;
    Experiment x;
    Records records;
    if (o->operands != 1) return error_set(e, RC_USAGE, "table: name one experiment (`normbench list` shows them)");
    if (session_plan(s, o->operand[0], &x, e)) return e->code;
    Rc rc = take(&records, s, &x, e);
    if (!rc) {
        rc = records_complete(&records, &x, e);
        if (!rc) {
            if (records.notes[0]) fprintf(stderr, "normbench: note: %s\n", records.notes);
            if (records.precision != PRECISION_exact)
                fprintf(stderr,
                        "normbench: note: the runs are not all stored in precision exact; those of %s are taken\n",
                        precision_name(records.precision));
            rc = make(s, &x, &records, e);
        }
        records_release(&records);
    }
    experiment_release(&x);
    return rc;
}
