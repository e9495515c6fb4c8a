/* The report's figures: drawn side by side into a folder, then put into the page, a wide and a narrow one of each. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "bench/figures/figure.h"
#include "bench/formats/subprocess.h"
#include "bench/report/report.h"
#include "bench/write/theory.h"

typedef struct {
    const Ledger *b;
    const char *folder;
    int formats;
    Error error; /* one of them */
    atomic_int failed;
} Drawing;

static void draw_one(void *context, int i) {
    Drawing *d = context;
    char folder[1100];
    Error e;
    const bool theory = i == d->b->made_count; /* behind the experiments */
    snprintf(folder, sizeof folder, "%.1000s/%d", d->folder, i);
    Rc rc = folder_make(folder, &e);
    if (!rc && theory) rc = theory_draw(d->b->stated, folder, d->formats, &e);
    if (!rc && !theory) rc = figure_draw(&d->b->made[i]->table, folder, d->formats, &e);
    if (rc && !d->failed++) d->error = e;
}

Rc report_figures(const Ledger *b, const char *folder, int formats, int threads, Error *e) {
    Drawing d = {.b = b, .folder = folder, .formats = formats};
    pool_run(threads, b->made_count + (b->stated != NULL), draw_one, &d);
    if (d.failed) *e = d.error;
    return d.failed ? d.error.code : RC_OK;
}

/* The ids inside a figure, and references to them, get a prefix, so that ids are unique on the page. */
static void add_svg(Text *out, const char *svg, const char *prefix) {
    static const char *const before[] = {"id=\"", "id='", "'#", "\"#", "url(#"};
    for (const char *s = svg; *s;) {
        size_t n = 0;
        for (size_t i = 0; i < sizeof before / sizeof *before && !n; i++)
            if (!strncmp(s, before[i], strlen(before[i]))) n = strlen(before[i]);
        bool colour = n == 2 && strspn(s + n, "0123456789abcdefABCDEF") >= 6; /* "#0072B2" refers to no id */
        text_add(out, s, n ? n : 1);
        if (n && !colour) text_format(out, "%s", prefix);
        s += n ? n : 1;
    }
}

/* One width of a figure. class: which screens show it. */
static bool add_width(const char *folder, const char *name, const char *ending, const char *class, int number,
                      Text *out) {
    char *bytes;
    size_t length;
    Error ignored;
    if (file_read(SHOW_TEXT("%.1100s/%s%s", folder, name, ending), &bytes, &length, &ignored)) return false;
    const char *svg = strstr(bytes, "<svg");
    if (svg) {
        text_format(out, "<div class=\"%s\">", class);
        add_svg(out, svg, SHOW_TEXT("f%d%c-", number, class[0]));
        text_format(out, "</div>\n");
    }
    free(bytes);
    return svg != NULL;
}

void report_figure(const char *folder, const char *name, const char *caption, int *number, Text *out) {
    LOCAL_TEXT(drawn);
    if (add_width(folder, name, ".svg", "desk", *number + 1, &drawn) &&
        add_width(folder, name, "-85mm.svg", "phone", *number + 1, &drawn)) {
        ++*number;
        text_format(out, "<figure class=\"plot\" id=\"figure-%d\" aria-labelledby=\"caption-%d\">\n", *number, *number);
        text_format(out, "%s<figcaption id=\"caption-%d\">Figure %d. ", drawn.at, *number, *number);
        html_text(out, caption);
        text_format(out, "</figcaption></figure>\n");
    }
}

static void add_figure(const Table *t, const Figure *figure, const char *folder, int *number, Text *out) {
    LOCAL_TEXT(caption);
    figure_caption(t, figure, &caption);
    text_format(&caption, " ");
    report_see(t, figure, &caption);
    report_figure(folder, figure->name, caption.at, number, out);
}

void report_section_figures(const Table *t, const char *folder, int *number, Text *out) {
    enum { OPEN = 5 };
    Figure *figure;
    int figures = figure_list(t, &figure), shown = 0;
    for (int first = 1; first >= 0; first--) /* the differences before all others */
        for (int i = 0; i < figures; i++) {
            if ((figure[i].kind == FIGURE_differences) != first) continue;
            if (shown++ == OPEN) text_format(out, "<details><summary>%d more figures</summary>\n", figures - OPEN);
            add_figure(t, &figure[i], folder, number, out);
        }
    if (figures > OPEN) text_format(out, "</details>\n");
    free(figure);
}
