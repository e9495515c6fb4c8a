/* The write-ups' claims on the page: what was measured, by write-up; and, folded, what was not. */
#include <math.h>
#include <string.h>

#include "bench/write/replication.h"
#include "bench/write/report.h"
#include "bench/write/theory.h"

static void class_name(VerdictWord w, Text *out) {
    for (const char *s = verdict_code(w); *s; s++) text_add(out, *s == ' ' ? "-" : s, 1);
}

static void cell(Text *out, const char *label, const char *text) {
    text_format(out, "<td data-label=\"%s\">", label);
    html_text(out, text);
    text_format(out, "</td>");
}

/* ".031 (.031)": the p that decides, and the smallest that it could be. */
static void p_text(const ClaimVerdict *v, Text *out) {
    char number[SHOWN];
    text_format(out, "%s", show_p(number, v->p));
    if (v->floor > 0) text_format(out, " (%s)", show_p(number, v->floor));
}

static void effect_text(const ClaimVerdict *v, Text *out) {
    bool ratio = table_ratio(v->test) != NULL;
    int digits = table_effect_digits(v);
    char number[SHOWN];
    text_format(out, "%s", ratio ? show_number(number, v->effect, digits) : show_signed(number, v->effect, digits));
    if (isnan(v->lo)) return;
    text_format(out, " ");
    show_interval(out, v->lo, v->hi, digits, "", false);
}

static void place(const LedgerLine *l, Text *out) {
    char where[256];
    const ClaimVerdict *v = l->v;
    const Table *t = &l->in->table;
    text_format(out, "<td class=\"text\" data-label=\"measured in\"><a href=\"#");
    report_id(l->in, out);
    text_format(out, "\">");
    html_text(out, t->x->name);
    claim_verdict_cell(where, t->x, v);
    text_format(out, "</a> %s, step %d%s", t->x->profile, t->sample.cell[v->cell].step[v->step],
                where[0] ? ", " : "");
    html_text(out, where);
    ledger_class(l, out);
    text_format(out, "</td>");
}

static void claim_cells(const LedgerLine *l, Text *out) {
    char number[SHOWN];
    const ClaimVerdict *v = l->v;
    Text words;
    text_init(&words);
    place(l, out);
    text_format(out, "<td data-label=\"n\">%d</td>", l->in->table.sample.seeds);
    if (isnan(v->reported))
        text_format(out, "<td></td>");
    else {
        text_format(out, "<td data-label=\"reported\">");
        bool ratio = table_ratio(v->test) != NULL;
        html_text(out, ratio ? show_number(number, v->reported, 2) : show_signed(number, v->reported, 4));
        replication_text(v, &words);
        text_format(out, "<br><small>");
        html_text(out, words.at);
        text_format(out, "</small></td>");
        text_clear(&words);
    }
    effect_text(v, &words);
    cell(out, "ours", words.at);
    text_clear(&words);
    p_text(v, &words);
    cell(out, "p (floor)", words.at);
    cell(out, "test", v->by);
    text_release(&words);
}

static void hypothesis(const LedgerLine *l, Text *out) {
    Text words;
    char number[40];
    if (!l->test) return;
    text_init(&words);
    if (l->test->terms)
        table_expectation(l->test, &words);
    else
        text_format(&words, "%s", l->test->metric_text);
    if (!isnan(l->test->margin)) text_format(&words, ", margin %s", format_real(number, l->test->margin));
    html_text(out, words.at);
    text_release(&words);
}

/* A statement's numbers across the columns of a run's. */
static void stated_row(const LedgerLine *l, Text *out) {
    Text words;
    text_init(&words);
    theory_summary(l->stated, &words);
    text_format(out, "<tr><th scope=\"row\">");
    html_text(out, l->test->metric_text);
    text_format(out, "</th><td class=\"text\" data-label=\"measured in\"><a href=\"#theory\">theory</a></td>");
    text_format(out, "<td data-label=\"n\">%d</td><td class=\"text\" colspan=\"4\" data-label=\"ours\">",
                l->stated->m->seeds);
    html_text(out, words.at);
    text_format(out, "</td><td class=\"text verdict v-");
    class_name(ledger_word(l), out);
    text_format(out, "\">%s</td></tr>\n", verdict_word(ledger_word(l)));
    text_release(&words);
}

/* The same for a stored verdict. */
static void stored_row(const LedgerLine *l, Text *out) {
    const StoredVerdict *v = l->stored;
    text_format(out, "<tr><th scope=\"row\">");
    hypothesis(l, out);
    text_format(out, "</th><td class=\"text\" data-label=\"measured in\">");
    html_text(out, v->where ? v->where : "theory");
    text_format(out, " <small>(stored: ");
    html_text(out, v->made);
    text_format(out, ")</small></td><td data-label=\"n\">%d</td><td class=\"text\" colspan=\"4\" data-label=\"ours\">",
                v->n);
    html_text(out, v->numbers);
    text_format(out, "</td><td class=\"text verdict v-");
    class_name(v->word, out);
    text_format(out, "\">%s <small>(stored%s)</small></td></tr>\n", verdict_word(v->word),
                v->exploratory ? ", exploratory" : "");
}

static void measured_row(const LedgerLine *l, Text *out) {
    if (l->stored || l->stated) {
        l->stored ? stored_row(l, out) : stated_row(l, out);
        return;
    }
    const char *side = table_side_found(l->v);
    text_format(out, "<tr><th scope=\"row\">");
    hypothesis(l, out);
    text_format(out, "</th>");
    claim_cells(l, out);
    text_format(out, "<td class=\"text verdict v-");
    class_name(ledger_word(l), out);
    text_format(out, "\">%s%s", verdict_word(ledger_word(l)),
                l->in->table.exploratory || l->v->undeclared ? " <small>(exploratory)</small>" : "");
    if (side[0]) text_format(out, "<br><small>%s</small>", side);
    if (l->v->replication.agrees) text_format(out, "<br><small>" REPLICATION_AGREES "</small>");
    if (l->v->why[0]) {
        text_format(out, "<br><small>");
        html_text(out, l->v->why);
        text_format(out, "</small>");
    }
    text_format(out, "</td></tr>\n");
}

static void said(const Claim *c, Text *out) {
    text_format(out, "<strong>%s</strong> ", c->id);
    html_text(out, c->says);
    if (!c->note) return;
    text_format(out, "<br><small>");
    html_text(out, c->note);
    text_format(out, "</small>");
}

static void heading(const ClaimFile *f, Text *out) {
    Text words;
    text_init(&words);
    text_format(out, "<h3>Write-up ");
    html_text(out, f->writeup);
    text_format(out, ": ");
    claims_cite(f, &words);
    html_text(out, words.at);
    text_format(out, "</h3>\n");
    text_release(&words);
}

/* What each test is that decided some claim of the write-up. */
static void tests(const Ledger *b, const ClaimFile *f, Text *out) {
    int count = 0;
    text_format(out, "</tbody></table></div>\n");
    for (const StTest *test = st_tests; test < st_tests + st_tests_count; test++) {
        bool named = false;
        for (const LedgerLine *l = b->line; l < b->line + b->lines && !named; l++)
            named = l->file == f && l->v && !strcmp(l->v->by, test->name);
        if (!named) continue;
        text_format(out, "%s%s: ", count++ ? "; " : "<p class=\"soft\">Tests. ", test->name);
        html_text(out, test->what);
        text_format(out, " (%s)", test->source);
    }
    if (count) text_format(out, ".</p>\n");
}

static void writeup(const Ledger *b, const ClaimFile *f, Text *out) {
    const LedgerLine *before = NULL;
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        if (l->file != f || ledger_word(l) == WORD_NOT_RUN) continue;
        if (!before) {
            heading(f, out);
            text_format(out, "<div class=\"wide\"><table class=\"stack\"><thead><tr>"
                             "<th scope=\"col\" class=\"text\">hypothesis</th>"
                             "<th scope=\"col\" class=\"text\">measured in</th>"
                             "<th scope=\"col\">n</th><th scope=\"col\">reported</th><th scope=\"col\">ours [CI]</th>"
                             "<th scope=\"col\">p (floor)</th><th scope=\"col\">test</th>"
                             "<th scope=\"col\" class=\"text\">verdict</th></tr></thead>\n<tbody>\n");
        }
        if (!before || before->claim != l->claim) {
            text_format(out, "%s<tr class=\"said\"><th colspan=\"8\" scope=\"rowgroup\">",
                        before ? "</tbody>\n<tbody>\n" : "");
            said(l->claim, out);
            text_format(out, "</th></tr>\n");
        }
        measured_row(l, out);
        before = l;
    }
    if (before) tests(b, f, out);
}

void report_ledger(const Ledger *b, Text *out) {
    int own[WORD_COUNT], stored[WORD_COUNT], kept = 0;
    ledger_count(b, NULL, false, own);
    ledger_count(b, NULL, true, stored);
    if (own[WORD_NOT_RUN] == b->lines) return;
    text_format(out, "<section id=\"claims\">\n<h2>The claims</h2>\n<p>p is that of the test beside it, adjusted by "
                     "Holm over the verdicts of the same test where it does not adjust by itself; in brackets the "
                     "smallest that it could be. The words:</p>\n<ul class=\"soft\">\n");
    for (int w = 0; w < WORD_COUNT; w++) {
        kept += stored[w];
        if (own[w] || stored[w]) {
            text_format(out, "<li><strong>%s</strong>: ", verdict_word((VerdictWord)w));
            html_text(out, verdict_meaning((VerdictWord)w));
            text_format(out, "</li>\n");
        }
    }
    if (kept)
        text_format(out, "<li><strong>stored</strong>: of results/reference/claims.json (commit %s), not of runs here; "
                         "<code>--own</code> leaves it out</li>\n",
                    b->kept.commit);
    text_format(out, "</ul>\n");
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++) writeup(b, f, out);
    text_format(out, "</section>\n");
}

/* One list per write-up: the claim, and of each test that was not run what would measure it. */
static void not_run_of(const Ledger *b, const ClaimFile *f, Text *out) {
    const LedgerLine *before = NULL;
    for (const LedgerLine *l = b->line; l < b->line + b->lines; l++) {
        if (l->file != f || ledger_word(l) != WORD_NOT_RUN) continue;
        if (!before) {
            heading(f, out);
            text_format(out, "<ul>\n");
        }
        if (!before || before->claim != l->claim) {
            text_format(out, "%s<li>", before ? "</ul></li>\n" : "");
            said(l->claim, out);
            text_format(out, "<ul>\n");
        }
        text_format(out, "<li>");
        hypothesis(l, out);
        text_format(out, "%s<small>not run: ", l->test ? " " : "");
        html_text(out, l->why);
        text_format(out, "</small></li>\n");
        before = l;
    }
    if (before) text_format(out, "</ul></li>\n</ul>\n");
}

void report_not_run(const Ledger *b, Text *out) {
    int count[WORD_COUNT];
    ledger_count(b, NULL, false, count);
    text_format(out, "<section id=\"not-run\">\n<h2>What was not run</h2>\n");
    if (count[WORD_NOT_RUN]) {
        text_format(out, "<details><summary>%d test%s of the write-ups' claims</summary>\n", count[WORD_NOT_RUN],
                    count[WORD_NOT_RUN] == 1 ? "" : "s");
        for (const ClaimFile *f = b->file; f < b->file + b->files; f++) not_run_of(b, f, out);
        text_format(out, "</details>\n");
    }
    report_parts(b, &report_in_html, out);
    if (!count[WORD_NOT_RUN] && !b->parts && !b->others) text_format(out, "<p>Nothing.</p>\n");
    text_format(out, "</section>\n");
}
