#include "bench/cli/theory.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "bench/figures/figure.h"
#include "bench/formats/terminal.h"
#include "bench/write/theory.h"

bool theory_asked(const Options *o) {
    return o->operands == 1 && !strcmp(o->operand[0], theory_word);
}

/* Everything else chooses among runs, and here are none. */
static Rc check_options(const Options *o, Error *e) {
    static const OptionKind taken[] = {OPTION_results, OPTION_threads};
    char name[OPTION_NAME];
    for (OptionKind kind = 0; kind < OPTION_COUNT; kind++) {
        bool known = !o->times[kind];
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) known |= taken[i] == kind;
        if (!known)
            return error_set(e, RC_USAGE, "--%s means nothing to '%s', which trains nothing",
                             option_name(name, kind), theory_word);
    }
    return RC_OK;
}

static Rc write_files(const Cells *c, const char *folder, Error *e) {
    static const struct {
        const char *ending;
        void (*write)(const Cells *, Text *);
    } files[] = {{"txt", theory_text}, {"csv", cells_csv}, {"json", theory_json}, {"tex", theory_tex}};
    Rc rc = RC_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !rc; i++) {
        char path[THEORY_PATH_SIZE + 16];
        LOCAL_TEXT(text);
        files[i].write(c, &text);
        snprintf(path, sizeof path, "%s/%s.%s", folder, theory_word, files[i].ending);
        rc = file_write(path, text.at, text.length, e);
    }
    return rc;
}

static Rc print_table(const Session *s, Error *e) {
    char folder[THEORY_PATH_SIZE], path[THEORY_PATH_SIZE];
    StatementVerdict verdict[STATEMENT_COUNT];
    Error why;
    LOCAL(theory_release) Theory t = {0};
    LOCAL_TEXT(text);
    LOCAL(cells_release) Cells c = {0};
    if (theory_read(&t, theory_file(s->results, path), e)) return e->code;
    theory_judge(&t, verdict);
    theory_cells(verdict, STATEMENT_COUNT, &c);
    cells_text(&c, terminal_width(), &text);
    terminal_print(text.at);
    Rc rc = folder_make_own(theory_folder(s->results, folder), e);
    if (!rc) rc = write_files(&c, folder, e);
    if (!rc && theory_draw(verdict, folder, FIGURE_ALL, &why))
        terminal_say(stderr, "normbench: note: no figures: %s\n", why.text);
    if (!rc) terminal_say(stderr, "%s/\n", folder);
    return rc;
}

Rc theory_table(Session *s, Error *e) {
    return check_options(s->options, e) ? e->code : print_table(s, e);
}

Rc theory_run(Session *s, Error *e) {
    char path[THEORY_PATH_SIZE], folder[THEORY_PATH_SIZE];
    LOCAL(theory_release) Theory t = {0};
    if (check_options(s->options, e)) return e->code;
    session_signals();
    if (folder_make_own(theory_folder(s->results, folder), e)) return e->code;
    terminal_say(stderr, "theory: %d statements, in double on %d thread%s\n", STATEMENT_COUNT, s->threads,
                 s->threads == 1 ? "" : "s");
    if (theory_measure(&t, s->threads, session_stopped, e) || theory_write(&t, theory_file(s->results, path), e))
        return e->code;
    return print_table(s, e);
}
