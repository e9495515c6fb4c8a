/* Run gnuplot on a Plot and adapt its SVG to pages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scratch.h"
#include "bench/formats/html.h"
#include "bench/formats/plot.h"
#include "bench/formats/subprocess.h"

static const char style[] = "<style>svg:root{color:#1b1b1b;background:#fff}@media(prefers-color-scheme:dark){"
                            "svg:root{color:#e8e8e6;background:#111}}</style>";

/* Replacements in gnuplot's output. */
static const struct {
    const char *from, *to;
} words[] = {
    {" color=\"white\"", ""},
    {"=\"black\"", "=\"currentColor\""},
    {"rgb(  0,   0,   0)", "currentColor"},
    {"rgb(0,0,0)", "currentColor"},
    {"stroke=\"rgb(102, 102, 102)\"", "stroke=\"currentColor\""}, /* a group's; its lines have their own */
    {"stroke=\"rgb(230, 230, 230)\"", "stroke=\"currentColor\""},
    {"stroke='rgb(230, 230, 230)'", "stroke='currentColor' stroke-opacity='0.14'"},
    {"stroke='rgb(102, 102, 102)'", "stroke='currentColor' stroke-opacity='0.7'"},
    {"fill=\"rgb(102,102,102)\"", "fill=\"currentColor\" fill-opacity=\"0.75\""},
};

static size_t replaced(const char *s, Text *out) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(s, words[i].from, strlen(words[i].from))) {
            text_format(out, "%s", words[i].to);
            return strlen(words[i].from);
        }
    return 0;
}

/* Return the bytes of a group's name, which browsers would show as a tooltip: "gnuplot_plot_3". */
static size_t dropped(const char *s) {
    const char *end = strncmp(s, "<title>gnuplot_plot_", 20) != 0 ? NULL : strstr(s, "</title>");
    return end ? (size_t)(end - s) + 8 : 0;
}

void plot_svg(const char *svg, const char *title, Text *out) {
    const char *size = strstr(svg, " width=\""), *view = strstr(svg, " viewBox=");
    int width, height;
    if (!size || !view || view < size ||
        sscanf(view, " viewBox=\"0 0 %d %d\"", &width, &height) != 2) { /* another gnuplot's: unchanged */
        text_format(out, "%s", svg);
        return;
    }
    text_add(out, svg, (size_t)(size - svg));
    text_format(out, " role=\"img\" width=\"%.2fmm\" height=\"%.2fmm\"\n", width / 6.0, height / 6.0);
    for (const char *s = view; *s;) {
        size_t n = 0;
        if (!strncmp(s, "<title>Gnuplot</title>", 22)) {
            text_format(out, "<title>");
            html_text(out, title);
            text_format(out, "</title>\n%s", style);
            n = 22;
        }
        if (!n) n = dropped(s);
        if (!n) n = replaced(s, out);
        if (!n) {
            n = 1 + strcspn(s + 1, "< =rsf"); /* what the replaced texts begin with */
            text_add(out, s, n);
        }
        s += n;
    }
}

/* Overwrite the digits of the date, which Cairo writes into a PDF whatever the environment says. */
static void fix_pdf_date(char *bytes, size_t length) {
    static const char key[] = "/CreationDate (D:";
    char *at = memmem(bytes, length, key, sizeof key - 1);
    if (at)
        for (char *s = at + sizeof key - 1; s < bytes + length && *s != ')'; s++)
            if (*s >= '0' && *s <= '9') *s = '0';
}

/* Read and adapt one drawn file; nothing for a PDF if gnuplot cannot write any. */
static Rc taken(const Plot *p, int format, const char *aside, Text *out, Error *e) {
    char from[1200], *bytes;
    size_t length;
    bool pdf = strstr(plot_endings[format], "pdf");
    snprintf(from, sizeof from, "%.1000s/figure%s", aside, plot_endings[format]);
    if (pdf && !file_exists(from)) return RC_OK;
    if (file_read(from, &bytes, &length, e)) return pdf ? e->code : error_set(e, RC_UNMEASURED, "gnuplot wrote no SVG");
    if (pdf)
        fix_pdf_date(bytes, length), text_add(out, bytes, length);
    else
        plot_svg(bytes, p->caption, out);
    free(bytes);
    return RC_OK;
}

/* Draw figure.svg and so on in the folder `aside`. */
static Rc run(const Plot *p, int formats, const char *aside, Error *e) {
    const char *const argv[] = {"gnuplot", "figure.gp", NULL};
    char path[1200], *said;
    size_t length;
    bool absent;
    Error ignored;
    LOCAL_TEXT(script);
    plot_gnuplot(p, formats, &script);
    snprintf(path, sizeof path, "%.1000s/figure.gp", aside);
    Rc rc = file_write(path, script.at, script.length, e);
    if (rc || !(rc = subprocess_run(argv, aside, &absent, e)) || absent) return rc;
    snprintf(path, sizeof path, "%.1000s/output.txt", aside);
    if (!file_read(path, &said, &length, &ignored)) {
        error_set(e, RC_UNMEASURED, "gnuplot failed: %.600s", trim(said));
        free(said);
    }
    return rc;
}

Rc plot_draw(const Plot *p, const char *name, int formats, const char *aside, const char *folder, Error *e) {
    char to[1400];
    Rc rc = run(p, formats, aside, e);
    for (int i = 0; i < PLOT_FORMATS && !rc; i++) {
        LOCAL_TEXT(file);
        if (!(formats >> i & 1)) continue;
        snprintf(to, sizeof to, "%.1000s/%.300s%s", folder, name, plot_endings[i]);
        rc = taken(p, i, aside, &file, e);
        if (!rc && file.length) rc = file_write_swept(to, file.at, file.length, e);
    }
    return rc;
}

Rc plot_write(const Plot *p, const char *path, Error *e) {
    Scratch aside;
    LOCAL_TEXT(file);
    if (scratch_make(&aside, e)) return e->code;
    Rc rc = run(p, PLOT_SVG, aside.path, e);
    if (!rc) rc = taken(p, 0, aside.path, &file, e);
    if (!rc) rc = file_write(path, file.at, file.length, e);
    scratch_remove(&aside);
    return rc;
}
