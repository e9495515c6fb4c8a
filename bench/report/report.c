/* What both forms of the report need: order, titles, what is in it and where the numbers come from. */
#include "bench/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/formats/latex.h"
#include "bench/store/provenance.h"

/* What decides something before what cannot, a text before the synthetic source; otherwise as they were. */
static int weight_of(const LedgerTable *made) {
    const Table *t = &made->table;
    return 2 * (t->family.count && t->family.floor >= t->x->alpha) + t->synthetic;
}

void report_order(Ledger *b) {
    for (int i = 1; i < b->made_count; i++) {
        LedgerTable *moved = b->made[i];
        int at = i;
        for (; at && weight_of(b->made[at - 1]) > weight_of(moved); at--) b->made[at] = b->made[at - 1];
        b->made[at] = moved;
    }
}

void report_id(const LedgerTable *made, Text *out) {
    html_text(out, made->table.name);
    text_format(out, "-%.8s", made->x.plan);
}

void report_title(const Ledger *b, const LedgerTable *made, Text *out) {
    int same = 0;
    for (int i = 0; i < b->made_count; i++) same += !strcmp(b->made[i]->x.title, made->x.title);
    text_format(out, "%s", made->x.title);
    if (same > 1 && made->slug && made->changed)
        text_format(out, " (%s)", made->slug);
    else if (same > 1 && made->x.profile[0])
        text_format(out, " (profile %s)", made->x.profile);
    else if (same > 1)
        text_format(out, " (plan %.8s)", made->x.plan);
}

/* "Changed on the command line: --set steps=4. Exploratory: …", or nothing. */
void report_caveats(const LedgerTable *made, Text *out) {
    const Table *t = &made->table;
    LOCAL_TEXT(why);
    if (t->synthetic) text_format(out, "Made on the built-in synthetic source, not on a text. ");
    if (made->changed) text_format(out, "Changed on the command line: %s. ", made->changed);
    table_exploratory(t, &why);
    if (t->exploratory && made->changed && t->options.exploratory)
        text_format(out, "So it is exploratory. ");
    else if (why.length)
        text_format(out, "Exploratory: %s. ", why.at);
    while (out->length && out->at[out->length - 1] == ' ') out->at[--out->length] = 0;
}

void report_warnings(const Ledger *b, Text *out) {
    int exploratory = 0, synthetic = 0;
    for (int i = 0; i < b->made_count; i++) {
        exploratory += b->made[i]->table.exploratory;
        synthetic += b->made[i]->table.synthetic;
    }
    if (exploratory)
        text_format(out,
                    "%d of %d experiment%s %s exploratory: plans were not written down before all of the runs, or were "
                    "changed; the rows say so.",
                    exploratory, b->made_count, b->made_count == 1 ? "" : "s", exploratory == 1 ? "is" : "are");
    if (synthetic)
        text_format(out, "%s%d of %d experiment%s %s trained on the built-in synthetic source, which is no text.",
                    exploratory ? " " : "", synthetic, b->made_count, b->made_count == 1 ? "" : "s",
                    synthetic == 1 ? "was" : "were");
}

void report_command(const LedgerTable *made, Text *out) {
    if (made->slug)
        text_format(out, "normbench run %s", made->slug);
    else
        experiment_command(&made->x, out);
}

void report_counts(const Ledger *b, Text *out) {
    int count[WORD_COUNT];
    ledger_count(b, NULL, count);
    count[WORD_NOT_TESTED] = 0;
    ledger_counts_text(count, out);
}

void report_open_claims(const Ledger *b, Text *out) {
    int count[WORD_COUNT], named = 0;
    ledger_count(b, NULL, count);
    if (!count[WORD_OPEN]) return;
    text_format(out, "Of the write-ups' claims %d %s open, as these runs cannot tell: ", count[WORD_OPEN],
                count[WORD_OPEN] == 1 ? "is" : "are");
    for (const LedgerClaim *c = b->claim; c < b->claim + b->claims; c++)
        if (c->word == WORD_OPEN) text_format(out, "%s%s", named++ ? ", " : "", c->claim->id);
    text_format(out, ". `normbench claims --open` prints how many seeds would decide each.");
}

/* "21 November 2026" in UTC. */
static void day_text(int64_t when, Text *out) {
    char day[40];
    time_t seconds = (time_t)when;
    struct tm utc;
    if (gmtime_r(&seconds, &utc) && strftime(day, sizeof day, "%B %Y", &utc))
        text_format(out, "%d %s", utc.tm_mday, day);
}

/* " on 21 November 2026", " from … to …", or nothing where no record says it. */
static void when_trained(const Ledger *b, Text *out) {
    int64_t first = 0, last = 0;
    LOCAL_TEXT(from);
    LOCAL_TEXT(to);
    for (int t = 0; t < b->made_count; t++)
        for (int i = 0; i < b->made[t]->records.runs; i++) {
            int64_t made = b->made[t]->records.at[i].provenance.made;
            if (made && (!first || made < first)) first = made;
            if (made > last) last = made;
        }
    if (!first) return;
    day_text(first, &from);
    day_text(last, &to);
    if (!strcmp(from.at, to.at))
        text_format(out, " on %s", from.at);
    else
        text_format(out, " from %s to %s", from.at, to.at);
}

/* " by commit A", " by commits A and B", " by commits A, B and others". */
static void by_commits(const Ledger *b, Text *out) {
    enum { NAMED = 2 };
    const char *commit[NAMED + 1] = {NULL};
    int found = 0, more = 0;
    for (int t = 0; t < b->made_count; t++)
        for (int i = 0; i < b->made[t]->records.runs; i++) {
            const char *one = b->made[t]->records.at[i].provenance.commit;
            bool seen = false;
            for (int k = 0; k < found && !seen; k++) seen = !strcmp(commit[k], one);
            if (!seen && found < NAMED)
                commit[found++] = one;
            else if (!seen)
                more = 1;
        }
    text_format(out, " by commit%s %.40s", found > 1 ? "s" : "", commit[0]);
    if (found > 1) text_format(out, "%s %.40s%s", more ? "," : " and", commit[1], more ? " and others" : "");
}

void report_overview(const Ledger *b, Text *out) {
    int runs = 0;
    for (int i = 0; i < b->made_count; i++) runs += b->made[i]->records.runs;
    text_format(out, "%d experiment%s, %d runs, trained", b->made_count, b->made_count == 1 ? "" : "s", runs);
    when_trained(b, out);
    if (runs) by_commits(b, out);
    text_format(out, ". Report by normbench %s, commit %s.", NORMBENCH_VERSION, provenance_commit());
}

/* A line of the provenance table and how many runs it stands for. */
typedef struct {
    char text[600];
    int runs;
} Counted;

static void count_line(Counted **list, int *count, const char *text) {
    for (int i = 0; i < *count; i++)
        if (!strcmp((*list)[i].text, text)) {
            (*list)[i].runs++;
            return;
        }
    *list = mem_grow(*list, (size_t)*count + 1, sizeof **list);
    snprintf((*list)[*count].text, sizeof(*list)->text, "%s", text);
    (*list)[(*count)++].runs = 1;
}

/* "commit 36ba1eb, gcc 12.2.0 (buildtype=release), path v4, CPU NAME, GSL 2.7.1": of a stored run. */
static void built_by(const Provenance *p, char out[600]) {
    snprintf(out, 600, "commit %.60s, %.60s (%.80s), path %.20s, %.100s, GSL %.20s", p->commit, p->compiler, p->flags,
             p->isa, p->cpu, p->gsl);
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const Counted *)a)->text, ((const Counted *)b)->text);
}

const ReportMarkup report_in_html = {html_text, {"<h3>", "</h3>\n"}, {"<ul>\n", "</ul>\n"}, {"<li>", "</li>\n"}};
const ReportMarkup report_in_tex = {
    latex_text, {"\\subsection*{", "}\n"}, {"\\begin{itemize}\n", "\\end{itemize}\n"}, {"\\item ", "\n"}};

void report_marked(const ReportMarkup *m, const char *const pair[2], const char *text, Text *out) {
    text_format(out, "%s", pair[0]);
    m->text(out, text);
    text_format(out, "%s", pair[1]);
}

static void list_lines(const ReportMarkup *m, Counted *list, int count, Text *out) {
    if (count) qsort(list, (size_t)count, sizeof *list, by_text);
    text_format(out, "%s", m->list[0]);
    for (int i = 0; i < count; i++) {
        report_marked(m, m->item, SHOW_TEXT("%d run%s: %s", list[i].runs, list[i].runs == 1 ? "" : "s", list[i].text),
                      out);
    }
    text_format(out, "%s", m->list[1]);
    free(list);
}

void report_provenance(const Ledger *b, const ReportMarkup *m, Text *out) {
    Counted *builds = NULL, *corpora = NULL;
    int build_count = 0, corpus_count = 0;
    char text[700];
    snprintf(text, sizeof text,
             "Report by normbench %s (%s). Every run is a folder runs/ID of the results, ID being the hash "
             "of its specification, corpus and arithmetic.",
             NORMBENCH_VERSION, provenance_commit());
    m->text(out, text);
    text_format(out, "\n\n");
    for (int t = 0; t < b->made_count; t++)
        for (int i = 0; i < b->made[t]->records.runs; i++) {
            const RunRecord *r = &b->made[t]->records.at[i];
            built_by(&r->provenance, text);
            count_line(&builds, &build_count, text);
            snprintf(text, 600, "%.64s, corpus SHA-256 %.16s, tokenizer %.16s, vocabulary %d, arithmetic %s",
                     r->dataset, r->dataset_sha256, r->tokenizer_sha256, r->vocab, r->arithmetic_class);
            count_line(&corpora, &corpus_count, text);
        }
    report_marked(m, m->heading, "Builds and machines", out);
    list_lines(m, builds, build_count, out);
    report_marked(m, m->heading, "Corpora and arithmetic", out);
    list_lines(m, corpora, corpus_count, out);
    report_marked(m, m->heading, "Plans", out);
    text_format(out, "%s", m->list[0]);
    for (int i = 0; i < b->made_count; i++) {
        snprintf(text, sizeof text, "%s%s%s: plan %.16s, results %.16s", b->made[i]->x.name,
                 b->made[i]->x.profile[0] ? " " : "", b->made[i]->x.profile, b->made[i]->x.plan,
                 b->made[i]->table.results_hash);
        report_marked(m, m->item, text, out);
    }
    text_format(out, "%s", m->list[1]);
}

void report_parts(const Ledger *b, const ReportMarkup *m, Text *out) {
    if (!b->parts && !b->others) return;
    report_marked(m, m->heading, "Experiments that are not complete", out);
    text_format(out, "%s", m->list[0]);
    for (int i = 0; i < b->parts; i++) {
        LOCAL_TEXT(line);
        ledger_part(&b->part[i], &line);
        report_marked(m, m->item, line.at, out);
    }
    if (b->others) {
        report_marked(m, m->item,
                      SHOW_TEXT("%d stored run%s of no experiment above", b->others, b->others == 1 ? " is" : "s are"),
                      out);
    }
    text_format(out, "%s", m->list[1]);
}

static bool any_of(const Ledger *b, const ClaimFile *f) {
    for (int i = 0; i < b->made_count; i++)
        if (!strcmp(b->made[i]->x.writeup, f->writeup)) return true;
    return false;
}

void report_choices(const Ledger *b, const ReportMarkup *m, Text *out) {
    for (const ClaimFile *f = b->file; f < b->file + b->files; f++)
        for (const ClaimSetup *s = f->setup; s < f->setup + f->setups; s++) {
            if (!s->choices || !any_of(b, f)) continue;
            report_marked(m, m->heading, SHOW_TEXT("%s %.100s: %.200s", f->writeup, f->title, s->name), out);
            text_format(out, "%s", m->list[0]);
            for (int i = 0; i < s->choices; i++) report_marked(m, m->item, s->choice[i], out);
            text_format(out, "%s", m->list[1]);
        }
}
