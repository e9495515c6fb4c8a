/* Render a table in LaTeX: booktabs, in floats that fit on a page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/formats/cells.h"
#include "bench/formats/latex.h"

/* BLOCK: points of a text block of 5.5 inches, minus a reserve. WIDEST: points that are still legible scaled to it. */
enum { WIDEST = 480, PAGE_ROWS = 44, PAGE_LINES = 56, LONGEST_WHOLE = 3, BLOCK = 385 };
enum { LEAST_PARAGRAPH = 80, LEAST_FLOWING = 64 }; /* points in footnotesize */
enum { SHORT_ROWS = 14 }; /* most rows of a table that is not broken across pages */
enum { FLOW_BLOCK = 448, PICTURE = 56, PICTURE_HEIGHT = 7 }; /* points */

/* Digits of a number that an S column aligns: -?digits(.digits)?, and an uncertainty after " +-". */
typedef struct {
    int whole, decimals, uncertain; /* digits; the uncertainty's without leading zeros */
    bool sign;
} Digits;

/* Return true if an S column can align the text. A long number is excluded: the column would be as wide as its digits
 * plus all decimals of smaller numbers. */
static bool alignable(const char *text, Digits *d) {
    const char *s = text + (*text == '-');
    size_t before = strspn(s, "0123456789"), after = 0;
    if (!before || before > LONGEST_WHOLE) return false;
    if (s[before] == '.') after = strspn(s + before + 1, "0123456789");
    *d = (Digits){(int)before, (int)after, 0, *text == '-'};
    s += before + (after ? after + 1 : 0);
    if (strncmp(s, " +-", 3) != 0) return !*s;
    s += 3 + strspn(s + 3, "0.");
    for (; *s; s++) {
        if (*s != '.' && (*s < '0' || *s > '9')) return false;
        d->uncertain += *s != '.';
    }
    return d->uncertain > 0;
}

/* Append marks, "$^{\dagger\S}$", or nothing. */
static void cells_marks_tex(unsigned marks, Text *out) {
    static const char *const sign[] = {"\\dagger", "\\ddagger", "\\S"};
    if (!marks) return;
    text_format(out, "$^{");
    for (int i = 0; i < 3; i++)
        if (marks >> i & 1) text_format(out, "%s", sign[i]);
    text_format(out, "}$");
}

/* Rows and columns of one float: the stub and columns from..to-1; rows first..end-1. */
typedef struct {
    const Cells *c;
    const TexLayout *layout;
    int stub, from, to, first, end;
} Part;

static int columns_of(const Part *p) {
    return p->stub + p->to - p->from;
}

static int next_column(const Part *p, int k) {
    k = k + 1 == p->stub ? p->from : k + 1;
    return k < p->to ? k : -1;
}

/* Append a table-format for every number of the column, with room for the widest mark. */
static void number_column(const Part *p, int column, Text *out) {
    const Cells *c = p->c;
    Digits most = {.whole = 1}, d;
    unsigned marks = 0;
    for (int i = p->first; i < p->end; i++) {
        const Cell *cell = cells_at(c, i, column);
        if (!cell || !alignable(cells_words_at(c, cell->shown), &d)) continue;
        most.whole = d.whole > most.whole ? d.whole : most.whole;
        most.decimals = d.decimals > most.decimals ? d.decimals : most.decimals;
        most.uncertain = d.uncertain > most.uncertain ? d.uncertain : most.uncertain;
        most.sign |= d.sign;
        marks |= cell->marks;
    }
    text_format(out, "S[table-align-text-post=false,table-format=%s%d.%d", most.sign ? "-" : "", most.whole,
                most.decimals);
    if (most.uncertain) text_format(out, "(%d),separate-uncertainty", most.uncertain);
    if (marks) {
        text_format(out, ",table-space-text-post={");
        cells_marks_tex(marks, out);
        text_format(out, "}");
    }
    text_format(out, "]");
}

static bool in_s_column(const Part *p, int column) {
    return p->layout->siunitx && p->c->column[column].align == 'r';
}

/* Return the width of a text in footnotesize, in tenths of a point. */
static int width_of(const char *text) {
    int sum = 0;
    for (const char *s = text; *s; s++) {
        if ((*s & 0xC0) == 0x80 || (*s == '-' && s > text && s[-1] == '+')) continue; /* +- is one sign */
        sum += strchr(".,:;'il|jt()[] ", *s)             ? 27
               : strchr("mwMW+=<>", *s) || *s & 0x80     ? 70
               : *s == '-' && s[1] >= '0' && s[1] <= '9' ? 78
               : *s >= 'A' && *s <= 'Z'                  ? 62
                                                         : 43;
    }
    return sum;
}

/* Return the width of a float's column in footnotesize, in tenths of a point, by its widest cell. */
static int column_tenths(const Part *p, int k) {
    int most = width_of(cells_words_at(p->c, p->c->column[k].heading));
    if (p->c->column[k].align == 'g') return most > 10 * PICTURE ? most : 10 * PICTURE;
    for (int i = p->first; i < p->end; i++) {
        const Cell *cell = cells_at(p->c, i, k);
        int here = cell ? width_of(cells_words_at(p->c, cell->shown)) : 0;
        if (cell && p->c->row[i].below) here = here * 8 / 9;
        if (cell && cell->marks) here += 40;
        if (here > most) most = here;
    }
    return most;
}

static int column_width(const Part *p, int k) {
    return column_tenths(p, k) / 10 + 1;
}

/* A table that flows would else continue on its side, without the column that it leads to. */
static int least_paragraph(const Part *p) {
    return p->layout->flows ? LEAST_FLOWING : LEAST_PARAGRAPH;
}

/* Return the width of all columns in points, without gaps; paragraphs count at most least_paragraph each. */
static int natural_width(const Part *p) {
    int sum = 0, least = 10 * least_paragraph(p);
    for (int k = next_column(p, -1); k >= 0; k = next_column(p, k)) {
        int tenths = column_tenths(p, k);
        bool paragraph = p->c->column[k].align == 'p';
        sum += paragraph && tenths > least ? least : tenths;
    }
    return sum / 10;
}

/* Environment, type size and gaps with which a float fits into `room` points; scaled: it is also shrunk. */
typedef struct {
    bool star, scaled;
    const char *type;
    int separation, room;
} Fit;

/* Return the width in scriptsize, with small gaps. */
static int small_width(const Part *p) {
    return natural_width(p) * 7 / 8 + 2 * 3 * (columns_of(p) - 1);
}

static Fit fit_of(const Part *p) {
    static const int separation[] = {5, 3};
    int width = natural_width(p), gaps = 2 * (columns_of(p) - 1), column = p->layout->column;
    if (p->layout->flows) column = 0;
    bool star = column && small_width(p) * 108 / 100 > column; /* an estimate */
    int room = p->layout->flows ? FLOW_BLOCK : column && !star ? column : BLOCK;
    for (int i = column && !star ? 1 : 0; i < 2; i++)
        if (width + separation[i] * gaps <= room) return (Fit){star, false, "footnotesize", separation[i], room};
    return (Fit){star, small_width(p) > room, "scriptsize", 3, room};
}

/* Return the points for each column of paragraphs, which share what the other columns leave. */
static int paragraph_width(const Part *p) {
    Fit fit = fit_of(p);
    bool small = fit.type[0] == 's', flows = p->layout->flows;
    int rest = fit.room - 2 * fit.separation * (columns_of(p) - 1);
    int most = small && flows ? least_paragraph(p) * 7 / 8 : least_paragraph(p);
    int own[CELLS_COLUMNS_MAX], paragraphs = 0;
    for (int k = next_column(p, -1); k >= 0; k = next_column(p, k)) {
        int width = column_width(p, k);
        if (p->c->column[k].align == 'p')
            own[paragraphs++] = width;
        else
            rest -= small ? width * 8 / 9 : width;
    }
    for (int width = most, sum = 0; width <= rest && sum <= rest; width++) {
        most = width, sum = 0;
        for (int k = 0; k < paragraphs; k++) sum += own[k] < width + 1 ? own[k] : width + 1;
    }
    return most;
}

/* Append a paragraph column as wide as its words (an estimate), or as `most`. */
static void paragraph_format(int own, int most, Text *out) {
    text_format(out, "p{%dpt}", own < most ? own : most);
}

static void column_formats(const Part *p, Text *out) {
    const int paragraph = paragraph_width(p);
    text_format(out, "{@{}");
    for (int k = next_column(p, -1), at = 0; k >= 0; k = next_column(p, k), at++) {
        text_format(out, "%s", at ? " " : "");
        if (in_s_column(p, k))
            number_column(p, k, out);
        else if (p->c->column[k].align == 'p')
            paragraph_format(column_width(p, k) * 11 / 10, paragraph, out);
        else
            text_format(out, "%c", p->c->column[k].align == 'r' ? 'r' : 'l');
    }
    text_format(out, "@{}}");
}

static void picture_tex(const Cell *cell, Text *out) {
    CellAxis a = cell->axis;
    double scale = PICTURE / (a.to - a.from), zero = (0 - a.from) * scale, middle = PICTURE_HEIGHT / 2.0;
    double lo = fmax((cell->lo - a.from) * scale, 0), hi = fmin((cell->hi - a.from) * scale, PICTURE);
    if (!isfinite(cell->x) || !(a.from < a.to)) return;
    text_format(out, "{\\setlength{\\unitlength}{1pt}\\begin{picture}(%d,%d)", PICTURE, PICTURE_HEIGHT);
    if (a.margin > 0) {
        double from = fmax(zero - a.margin * scale, 0), to = fmin(zero + a.margin * scale, PICTURE);
        text_format(out, "\\put(%.1f,0){\\color[gray]{.85}\\rule{%.1fpt}{%dpt}}", from, to - from, PICTURE_HEIGHT);
    }
    text_format(out, "\\put(%.1f,0){\\line(0,1){%d}}", zero, PICTURE_HEIGHT);
    if (isfinite(cell->lo) && isfinite(cell->hi) && hi > lo)
        text_format(out, "\\thicklines\\put(%.1f,%.1f){\\line(1,0){%.1f}}", lo, middle, hi - lo);
    text_format(out, "\\put(%.1f,%.1f){\\circle*{3}}\\end{picture}}",
                fmin(fmax((cell->x - a.from) * scale, 0), PICTURE), middle);
}

/* Write a cell; in an S column, everything but a number is in braces. */
static void write_cell(const Part *p, int row, int column, Text *out) {
    const Cell *cell = cells_at(p->c, row, column);
    Digits digits;
    bool s_column = in_s_column(p, column);
    if (cell && cell->kind == CELL_picture) picture_tex(cell, out);
    if (!cell || !cell->shown) return;
    const char *shown = cells_words_at(p->c, cell->shown);
    if (p->c->row[row].below) {
        text_format(out, "{\\scriptsize ");
        latex_shown(out, shown);
        text_format(out, "}");
        return;
    }
    bool number = alignable(shown, &digits), braces = s_column && !number;
    if (p->c->column[column].align == 'p') {
        text_format(out, "\\raggedright%s ", next_column(p, column) < 0 ? "\\let\\\\\\tabularnewline" : "");
        latex_shown(out, shown);
        return;
    }
    if (braces) text_format(out, "{");
    if (!strncmp(shown, "  ", 2)) text_format(out, "\\quad ");
    if (s_column && number) {
        text_format(out, "%s%s", cell->strong ? "\\bfseries " : "", shown);
    } else {
        if (cell->strong) text_format(out, "\\textbf{");
        if (cell->emphatic) text_format(out, "\\textit{");
        latex_shown(out, shown);
        if (cell->strong || cell->emphatic) text_format(out, "}");
    }
    if (cell->marks) {
        if (strchr(shown, 'e')) text_format(out, "\\,"); /* not a second exponent */
        if (s_column && number) text_format(out, "{");
        cells_marks_tex(cell->marks, out);
        if (s_column && number) text_format(out, "}");
    }
    if (braces) text_format(out, "}");
}

/* Write words across all columns; a heading that fits on a line is not broken. */
static void write_words(const Part *p, const CellRow *row, Text *out) {
    const char *words = cells_words_at(p->c, row->shown);
    bool heading = row->kind == ROW_heading, line = heading && width_of(words) <= 10 * BLOCK;
    text_format(out, "\\multicolumn{%d}{@{}%s}{%s", columns_of(p), line ? "l" : "p{\\linewidth}@{}",
                line ? "" : "\\raggedright ");
    for (int i = 0; i < row->indent; i += 2) text_format(out, "\\quad ");
    text_format(out, "%s", heading ? "\\textit{" : "");
    latex_shown(out, words);
    /* No page ends behind a heading. */
    text_format(out, "%s} \\\\%s\n", heading ? "}" : "", heading && p->layout->flows ? "*" : "");
}

static void write_rows(const Part *p, Text *out) {
    for (int i = p->first; i < p->end; i++) {
        const CellRow *row = &p->c->row[i];
        switch (row->kind) {
        case ROW_space:
            if (i > p->first) text_format(out, "\\addlinespace\n");
            break;
        case ROW_heading:
            if (i > p->first && row[-1].kind == ROW_cells) text_format(out, "\\addlinespace\n");
            write_words(p, row, out);
            break;
        case ROW_words: write_words(p, row, out); break;
        case ROW_cells:
            if (i > p->first && row[-1].below && !row->below) text_format(out, "\\addlinespace[1.5pt]\n");
            for (int k = next_column(p, -1), at = 0; k >= 0; k = next_column(p, k), at++) {
                text_format(out, "%s", at ? " & " : "");
                write_cell(p, i, k, out);
            }
            bool followed = p->layout->flows && i + 1 < p->end && row[1].kind == ROW_words;
            text_format(out, " \\\\%s\n", followed ? "*" : ""); /* its words stand on its page */
            break;
        }
    }
}

static void heading_tex(const Part *p, size_t words, int k, Text *out) {
    bool braces = in_s_column(p, k);
    text_format(out, "%s", braces ? "{" : "");
    latex_shown(out, cells_words_at(p->c, words));
    text_format(out, "%s", braces ? "}" : "");
}

/* Write headings that several columns share above them, with a rule below. */
static void write_over(const Part *p, Text *out) {
    const Cells *c = p->c;
    bool any = false, joined = false;
    for (int k = p->from; k < p->to; k++) any |= c->column[k].over != 0;
    if (!any) return;
    LOCAL_TEXT(lines);
    for (int i = 1; i < p->stub; i++) text_format(out, " & ");
    for (int k = p->from, end; k < p->to; k = end) {
        for (end = k + 1; end < p->to && c->column[end].over && c->column[end].over == c->column[k].over;) end++;
        if (k > p->from || p->stub) text_format(out, " & ");
        if (!c->column[k].over) continue;
        text_format(out, "\\multicolumn{%d}{c}{", end - k);
        latex_shown(out, cells_words_at(c, c->column[k].over));
        text_format(out, "}");
        joined |= end - k > 1;
        text_format(&lines, "\\cmidrule(lr){%d-%d}", p->stub + k - p->from + 1, p->stub + end - p->from);
    }
    text_format(out, " \\\\\n");
    if (joined) text_format(out, "%s\n", lines.at);
}

static void write_head(const Part *p, Text *out) {
    bool any = false;
    write_over(p, out);
    for (int k = next_column(p, -1); k >= 0; k = next_column(p, k)) any |= p->c->column[k].heading != 0;
    if (!any) return;
    for (int k = next_column(p, -1), at = 0; k >= 0; k = next_column(p, k), at++) {
        text_format(out, "%s", at ? " & " : "");
        heading_tex(p, p->c->column[k].heading, k, out);
    }
    text_format(out, " \\\\\n");
}

static void write_tabular(const Part *p, Text *out) {
    text_format(out, "\\begin{tabular}");
    column_formats(p, out);
    text_format(out, "\n\\toprule\n");
    size_t before = out->length;
    write_head(p, out);
    if (out->length > before) text_format(out, "\\midrule\n");
    write_rows(p, out);
    text_format(out, "\\bottomrule\n\\end{tabular}\n");
}

/* "Table 3: …" of a table that flows; longtable's own \caption is centred over a table narrower than it. */
static void flowing_caption(const char *caption, Text *out) {
    text_format(out, "\\parbox[b]{\\textwidth}{\\small\\raggedright \\tablename~\\thetable: ");
    latex_breakable(out, caption);
    text_format(out, "}");
}

/* The head again on each page; what stands between two pages. */
static void write_longtable(const Part *p, const char *caption, Text *out) {
    LOCAL_TEXT(head);
    write_head(p, &head);
    if (head.length) text_format(&head, "\\midrule\n");
    text_format(out, "\\begin{longtable}[l]");
    column_formats(p, out);
    text_format(out, "\n");
    if (caption) {
        text_format(out, "\\multicolumn{%d}{@{}l@{}}{\\makebox[0pt][l]{", columns_of(p));
        flowing_caption(caption, out);
        text_format(out, "}}\\\\[3pt]\n");
    }
    text_format(out, "\\toprule\n%s\\endfirsthead\n", head.at);
    text_format(out, "\\multicolumn{%d}{@{}l}{%s} \\\\\n\\toprule\n%s\\endhead\n", columns_of(p),
                caption ? "\\tablename~\\thetable, continued" : "continued", head.at);
    text_format(out, "\\bottomrule\n\\endfoot\n\\bottomrule\n\\endlastfoot\n");
    write_rows(p, out);
    text_format(out, "\\end{longtable}\n");
    if (!caption) text_format(out, "\\addtocounter{table}{-1}\n");
}

/* A table that stays on one page. */
static void write_short(const Part *p, const char *caption, Text *out) {
    text_format(out, "\\par\\medskip\\noindent\\begin{minipage}{\\linewidth}\n");
    if (caption) {
        text_format(out, "\\refstepcounter{table}");
        flowing_caption(caption, out);
        text_format(out, "\\par\\smallskip\n");
    }
    write_tabular(p, out);
    text_format(out, "\\end{minipage}\\par\\medskip\n");
}

static Part whole(const Cells *c, const TexLayout *layout) {
    int stub = c->stub < c->shown ? c->stub : 0;
    return (Part){.c = c, .layout = layout, .stub = stub, .from = stub, .to = c->shown, .end = c->rows};
}

void cells_tabular(const Cells *c, const TexLayout *layout, Text *out) {
    Part p = whole(c, layout);
    write_tabular(&p, out);
}

/* Return the lines of a page that a row takes. */
static int lines_of(const Part *p, int row, int paragraph) {
    const CellRow *r = &p->c->row[row];
    int most = 1;
    if (r->kind != ROW_cells) return 1 + width_of(cells_words_at(p->c, r->shown)) / (10 * BLOCK);
    for (int k = next_column(p, -1); k >= 0; k = next_column(p, k)) {
        const Cell *cell = cells_at(p->c, row, k);
        if (!cell || p->c->column[k].align != 'p') continue;
        int lines = 1 + width_of(cells_words_at(p->c, cell->shown)) / (9 * paragraph); /* line breaks lose a tenth */
        most = lines > most ? lines : most;
    }
    return most;
}

/* Return the end of the rows of a float that begins with `first`: before a group that would be cut (a heading, a space,
 * else words), if any row is left. */
static int rows_end(const Part *p, int first) {
    const Cells *c = p->c;
    const Part all = {p->c, p->layout, p->stub, p->from, p->to, 0, c->rows};
    int most = c->most_rows ? c->most_rows : PAGE_ROWS, end = first, paragraph = paragraph_width(&all);
    while (end < c->rows && (most -= lines_of(p, end, paragraph)) >= 0) end++;
    if (end == first) end++;
    if (end >= c->rows) return c->rows;
    while (end > first + 1 && c->row[end].below) end--;
    for (int i = end; i > first; i--)
        if (c->row[i].kind == ROW_heading || c->row[i].kind == ROW_space) return i;
    for (int i = end; i > first; i--)
        if (c->row[i].kind == ROW_words && c->row[i - 1].kind != ROW_words) return i;
    return end;
}

static void write_notes(const Cells *c, Text *out) {
    if (!c->notes.length) return;
    text_format(out, "\n\\medskip\n\\parbox{\\linewidth}{\\scriptsize\\raggedright\n");
    latex_breakable(out, c->notes.at);
    text_format(out, "}\n");
}

static void begin_float(const Part *p, Fit fit, bool more, int number, Text *out) {
    const Cells *c = p->c;
    LOCAL_TEXT(words);
    const char *stop = c->title.length && c->title.at[c->title.length - 1] == '.' ? "" : ".";
    text_format(&words, "%s%s%s", p->layout->mark ? p->layout->mark : "", c->title.at, more ? ", continued." : stop);
    if (!more && c->caption.length) text_format(&words, " %s", c->caption.at);
    text_format(out, "\\begin{table%s}[tbp]\n\\centering\n\\caption{%s", fit.star ? "*" : "",
                p->layout->column ? "\\emergencystretch=2em " : "");
    latex_breakable(out, words.at);
    text_format(out, "}\n");
    if (p->layout->label) text_format(out, "\\label{tab:%s-%d}\n", p->layout->label, number);
    text_format(out, "\\%s\\setlength{\\tabcolsep}{%dpt}\n", fit.type, fit.separation);
}

/* Return the lines of a page that a table takes beside its rows: rules, heads, caption and notes. */
static int lines_around(const Cells *c) {
    enum { CAPTION = 90, NOTES = 120 }; /* characters of a line */
    return 4 + (int)((c->title.length + c->caption.length) / CAPTION + (c->notes.length + NOTES - 1) / NOTES);
}

static int lines_below(const Cells *c) {
    return c->data ? 0 : c->rows + lines_around(c);
}

static bool fits_below(const CellsList *l, int i, int used) {
    if (i >= l->count) return false;
    const Cells *c = &l->at[i];
    return c->data || (c->below && c->rows && used + lines_below(c) <= PAGE_LINES);
}

/* Write a tabular, shrunk if it is too wide. */
static void fitted(const Part *p, Fit fit, Text *out) {
    if (fit.scaled) text_format(out, "\\resizebox{\\linewidth}{!}{%%\n");
    write_tabular(p, out);
    if (fit.scaled) text_format(out, "}\n");
}

/* Write a table into the float of the previous one. */
static void write_below(const Cells *c, const TexLayout *layout, Text *out) {
    Part p = whole(c, layout);
    Fit fit = fit_of(&p);
    if (c->data) return;
    text_format(out, "\n\\medskip\n{\\%s\\setlength{\\tabcolsep}{%dpt}%%\n", fit.type, fit.separation);
    fitted(&p, fit, out);
    text_format(out, "}\n");
    write_notes(c, out);
}

/* Write a table and those below it that fit in its last float; return how many tables. */
static int write_floats(const CellsList *l, int i, const TexLayout *layout, int *number, Text *out) {
    const Cells *c = &l->at[i];
    int taken = 1, columns = c->most_columns ? c->most_columns : c->shown;
    Part p = whole(c, layout);
    for (int from = p.from; from < c->shown; from = p.to) {
        p.from = from, p.to = from + columns < c->shown ? from + columns : c->shown;
        for (p.first = 0; p.first < c->rows; p.first = p.end) {
            p.end = rows_end(&p, p.first);
            while (p.to > from + 1 && small_width(&p) > WIDEST) p.to--;
            Fit fit = fit_of(&p);
            begin_float(&p, fit, from > p.stub || p.first > 0, ++*number, out);
            fitted(&p, fit, out);
            if (p.end == c->rows && p.to == c->shown) {
                write_notes(c, out);
                for (int used = p.end - p.first + lines_around(c); fits_below(l, i + taken, used); taken++) {
                    write_below(&l->at[i + taken], layout, out);
                    used += lines_below(&l->at[i + taken]);
                }
            }
            text_format(out, "\\end{table%s}\n", fit.star ? "*" : "");
        }
    }
    return taken;
}

/* Write a table in place, over as many pages as it takes; columns that do not fit follow, with the stub again. */
static void write_flowing(const Cells *c, const TexLayout *layout, Text *out) {
    Part p = whole(c, layout);
    LOCAL_TEXT(caption);
    for (int from = p.from; from < c->shown; from = p.to) {
        p.from = from, p.to = c->shown;
        while (p.to > from + 1 && small_width(&p) > FLOW_BLOCK) p.to--;
        Fit fit = fit_of(&p);
        bool more = from > p.stub;
        text_clear(&caption);
        text_format(&caption, "%s%s%s.", layout->mark ? layout->mark : "", c->title.at, more ? ", continued" : "");
        if (!more && c->caption.length) text_format(&caption, " %s", c->caption.at);
        text_format(out, "{\\%s\\setlength{\\tabcolsep}{%dpt}%%\n", fit.type, fit.separation);
        (c->rows <= SHORT_ROWS ? write_short : write_longtable)(&p, c->below ? NULL : caption.at, out);
        text_format(out, "}\n");
    }
    if (c->notes.length) {
        text_format(out, "{\\scriptsize\\raggedright\\noindent ");
        latex_breakable(out, c->notes.at);
        text_format(out, "\\par}\\medskip\n");
    }
}

static void list_tex(const CellsList *l, const TexLayout *layout, Text *out) {
    int number = 0;
    for (int i = 0; i < l->count;) {
        if (l->at[i].data)
            i++;
        else if (l->at[i].rows && layout->flows)
            write_flowing(&l->at[i++], layout, out);
        else if (l->at[i].rows)
            i += write_floats(l, i, layout, &number, out);
        else { /* only words, which say why there is no table */
            latex_breakable(out, l->at[i].title.at);
            text_format(out, ". ");
            latex_breakable(out, l->at[i].caption.at);
            if (l->at[i].notes.length) text_format(out, " "), latex_breakable(out, l->at[i].notes.at);
            text_format(out, "\n");
            i++;
        }
    }
}

/* Pictures need a colour, which a file that is read into a paper does not ask for. */
void cells_list_tex(const CellsList *l, const TexLayout *layout, Text *out) {
    CellsList plain = {.at = mem_alloc((size_t)l->count + 1, sizeof *plain.at), .count = l->count};
    OWNED bool *own = mem_alloc((size_t)l->count + 1, sizeof *own);
    for (int i = 0; i < l->count; i++) {
        own[i] = !layout->flows && cells_without_pictures(&l->at[i], &plain.at[i]);
        if (!own[i]) plain.at[i] = l->at[i];
    }
    list_tex(&plain, layout, out);
    for (int i = 0; i < l->count; i++)
        if (own[i]) free(plain.at[i].row), free(plain.at[i].cell);
    free(plain.at);
}

void cells_tex(const Cells *c, const TexLayout *layout, Text *out) {
    CellsList one = {.at = (Cells *)c, .count = 1};
    cells_list_tex(&one, layout, out);
}
