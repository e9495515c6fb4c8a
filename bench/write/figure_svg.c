/* gnuplot's SVG made fit for pages: black is the text's colour, wherever it is shown, and the size is that of print. */
#include <stdio.h>
#include <string.h>

#include "bench/formats/html.h"
#include "bench/write/figure_sheet.h"

static const char style[] = "<style>svg:root{color:#1b1b1b;background:#fff}@media(prefers-color-scheme:dark){"
                            "svg:root{color:#e8e8e6;background:#111}}</style>";

/* What gnuplot writes, and what stands in its place. */
static const struct {
    const char *from, *to;
} words[] = {
    {" color=\"white\"", ""},
    {"=\"black\"", "=\"currentColor\""},
    {"rgb(  0,   0,   0)", "currentColor"},
    {"rgb(0,0,0)", "currentColor"},
    {"stroke=\"rgb(102, 102, 102)\"", "stroke=\"currentColor\""}, /* of a group, whose lines have their own */
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

/* A group's name would be shown as a tooltip: "gnuplot_plot_3". */
static size_t dropped(const char *s) {
    const char *end = strncmp(s, "<title>gnuplot_plot_", 20) != 0 ? NULL : strstr(s, "</title>");
    return end ? (size_t)(end - s) + 8 : 0;
}

void figure_svg(const char *svg, const char *title, Text *out) {
    const char *size = strstr(svg, " width=\""), *view = strstr(svg, " viewBox=");
    int width, height;
    if (!size || !view || view < size ||
        sscanf(view, " viewBox=\"0 0 %d %d\"", &width, &height) != 2) { /* another gnuplot's: as it is */
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
        if (!n) text_add(out, s, 1), n = 1;
        s += n;
    }
}
