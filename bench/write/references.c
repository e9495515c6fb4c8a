/* The papers of a table's placements: as \cite, as BibTeX, and as the items of a bibliography. */
#include <stdlib.h>
#include <string.h>

#include "bench/formats/html.h"
#include "bench/plan/sources.h"
#include "bench/write/prose.h"

/* " (Xiong et al. 2020; Kim et al. 2025)" */
static void html_cite(Text *out, const char *cite) {
    int found = 0;
    for (const Reference *r = references; r < references + reference_count; r++) {
        if (!reference_named(r, cite)) continue;
        text_format(out, found++ ? "; " : " (");
        html_text(out, r->said);
    }
    if (found) text_format(out, ")");
}

static void tex_cite(Text *out, const char *cite) {
    int found = 0;
    for (const Reference *r = references; r < references + reference_count; r++)
        if (reference_named(r, cite)) text_format(out, "%s%s", found++ ? "," : "~\\cite{", r->key);
    if (found) text_format(out, "}");
}

const ProseForm prose_html = {html_text, html_cite}, prose_tex = {latex_shown, tex_cite};

static bool used(const Reference *r, const Table *const *t, int tables) {
    bool any = false;
    for (int i = 0; i < tables; i++) any |= experiment_cites(t[i]->x, r);
    return any;
}

static void field(const char *name, const char *value, Text *out) {
    if (value[0]) text_format(out, "  %s = {%s},\n", name, value);
}

static void entry(const Reference *r, Text *out) {
    text_format(out, "@%s{%s,\n", r->kind, r->key);
    field("author", r->authors, out);
    field("title", r->title, out);
    field(!strcmp(r->kind, "inproceedings") ? "booktitle" : "howpublished", r->venue, out);
    if (r->arxiv[0]) text_format(out, "  eprint = {%s},\n  archiveprefix = {arXiv},\n", r->arxiv);
    if (r->arxiv[0] && !r->venue[0]) text_format(out, "  howpublished = {arXiv:%s},\n", r->arxiv);
    text_format(out, "  year = {%d}\n}\n", r->year);
}

void prose_bibtex(const Table *const *t, int tables, Text *out) {
    for (const Reference *r = references; r < references + reference_count; r++)
        if (used(r, t, tables)) entry(r, out);
}

void prose_table_bibtex(const Table *t, Text *out) {
    prose_bibtex(&t, 1, out);
}

/* "A and B and C" as "A, B and C". */
static void authors(const char *names, Text *out) {
    for (const char *next; names; names = next) {
        next = strstr(names, " and ");
        size_t n = next ? (size_t)(next - names) : strlen(names);
        text_add(out, names, n);
        if (next) next += strlen(" and ");
        if (next) text_format(out, strstr(next, " and ") ? ", " : " and ");
    }
}

int prose_bibitems(const Table *const *t, int tables, Text *out) {
    int count = 0;
    for (const Reference *r = references; r < references + reference_count; r++) {
        if (!used(r, t, tables)) continue;
        text_format(out, "\\bibitem{%s} ", r->key);
        authors(r->authors, out);
        text_format(out, ". %s. ", r->title);
        if (r->venue[0])
            text_format(out, "\\emph{%s}, ", r->venue);
        else
            text_format(out, "arXiv:%s, ", r->arxiv);
        text_format(out, "%d.\n", r->year);
        count++;
    }
    return count;
}
