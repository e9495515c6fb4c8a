/* Paragraphs about one table: what was trained and how it was compared, and what each comparison found. */
#include "bench/write/prose.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "bench/formats/html.h"
#include "bench/plan/sources.h"
#include "bench/store/provenance.h"
#include "bench/verdict/words.h"
#include "bench/write/summaries.h"

int prose_digits(const Comparison *c) {
    int digits = decimals_for(c->t.se, 4);
    return digits > 4 ? 4 : digits;
}

const char *prose_unit(Metric m) {
    return m == METRIC_valid_loss || m == METRIC_train_loss ? " nats" : "";
}

/* "95% CI [0.477, 0.637], 6 seeds, p = .031, adjusted for 12 comparisons"; turned: of minus the difference. */
static void evidence(const Table *t, const Comparison *c, bool turned, Text *out) {
    int sign = turned ? -1 : 1;
    if (c->t_decides && c->t.status == ST_OK) {
        text_format(out, "%s%% %sCI ", TABLE_CONFIDENCE(t), t->family.anytime ? "anytime " : "");
        show_interval(out, turned ? sign * c->t.hi : c->t.lo, turned ? sign * c->t.lo : c->t.hi, prose_digits(c), "");
        text_format(out, ", ");
    }
    text_format(out, "%d seeds, %s", t->sample.seeds, SHOW_P_NAMED(c->joint.step));
    if (t->family.count > 1) text_format(out, ", adjusted for %d comparisons", t->family.count);
}

static void apart(const Table *t, const Comparison *c, const char *arm, const char *base, Text *out) {
    const MetricInfo *metric = &metric_info[c->what.metric];
    bool lower = decision_lower(c->decision);
    text_format(out, "%s has a %s %s than %s, by %s%s (", arm, lower ? "lower" : "higher", metric->heading, base,
                SHOW_NUMBER(fabs(c->t.mean), prose_digits(c)), prose_unit(c->what.metric));
    evidence(t, c, lower, out);
    text_format(out, ")");
    if (decision_negligible(c->decision))
        text_format(out, ", which is within %s and too small to matter", FORMAT_REAL(c->what.margin));
    text_format(out, ".");
}

static void alike(const Table *t, const Comparison *c, const char *arm, const char *base, Text *out) {
    text_format(out, "%s and %s have the same %s within %s%s: they differ by %s (", arm, base,
                metric_info[c->what.metric].heading, FORMAT_REAL(c->what.margin), prose_unit(c->what.metric),
                SHOW_SIGNED(c->t.mean, prose_digits(c)));
    evidence(t, c, false, out);
    text_format(out, "; equivalence %s).", SHOW_P_NAMED(c->inside_p));
}

static void open_between(const Table *t, const Comparison *c, const char *arm, const char *base, Text *out) {
    text_format(out, "it is not decided whether %s and %s differ in %s", arm, base,
                metric_info[c->what.metric].heading);
    if (c->status != ST_OK) {
        text_format(out, " (%s).", words_status(c));
        return;
    }
    text_format(out, ": the difference is %s%s (", SHOW_SIGNED(c->t.mean, prose_digits(c)), prose_unit(c->what.metric));
    evidence(t, c, false, out);
    text_format(out, ").");
}

void prose_comparison(const Table *t, const Comparison *c, Text *out) {
    const char *arm = t->x->arm[c->what.term[0].arm].label, *base = t->x->arm[c->what.term[1].arm].label;
    char where[256];
    size_t from = out->length;
    table_aside(t, out);
    if (experiment_cell_text(where, t->x, c->what.cell)[0]) text_format(out, "at %s, ", where);
    bool first = out->length == from;
    switch (c->decision) {
    case DECISION_LOWER:
    case DECISION_HIGHER:
    case DECISION_LOWER_NEGLIGIBLE:
    case DECISION_HIGHER_NEGLIGIBLE: apart(t, c, arm, base, out); break;
    case DECISION_EQUIVALENT: alike(t, c, arm, base, out); break;
    case DECISION_INCONCLUSIVE:
    case DECISION_NOT_TESTABLE:
        open_between(t, c, arm, base, out);
        first = false;
        break;
    }
    /* A name keeps its letters. */
    if (!first) out->at[from] = (char)toupper((unsigned char)out->at[from]);
}

/* ---- what a run found ---- */

typedef struct {
    const char *arm, *verdict;
    double mean, se, p;
    StTci t;
} Found;

static void found_pair(const Found *f, bool shown, int place, Text *out) {
    enum { MOST = 4 };
    int decimals = decimals_for(f->se, 4);
    if (place >= MOST) {
        if (place == MOST) text_format(out, "; more pairs stand in the table");
        return;
    }
    text_format(out, "%s%s: %s", place ? "; " : "", f->arm, f->verdict);
    if (isnan(f->mean)) return;
    text_format(out, " (%s", SHOW_SIGNED(f->mean, decimals));
    text_format(out, shown ? " " : ", no interval");
    if (shown) show_interval(out, f->t.lo, f->t.hi, decimals, "");
    text_format(out, ", p_adj %s)", isnan(f->p) ? "n/a" : SHOW_P(f->p));
}

static void pair_label(const Table *t, int arm, int against, Text *out) {
    text_clear(out);
    text_format(out, "%s", t->x->arm[arm].label);
    if (t->x->compares) text_format(out, " - %s", t->x->arm[against].label);
}

/* Of cells that no summary draws together. */
static bool found_counts(const Table *t, Text *out) {
    int all = 0, lower = 0, higher = 0, same = 0;
    const int better = metric_info[t->metric].better;
    for (const Comparison *c = t->family.at; c < t->family.at + t->family.count; c++) {
        if (c->what.step != table_last(t, c->what.cell)) continue;
        bool apart = decision_apart(c->decision), low = apart && decision_lower(c->decision);
        all++, lower += low, higher += apart && !low, same += c->decision == DECISION_EQUIVALENT;
    }
    if (!all) return false;
    text_format(out, "Of %d comparisons after the last step, %d paired seeds: %d %s, %d %s", all, t->x->seeds, lower,
                better < 0 ? "better" : better ? "worse" : "lower", higher,
                better < 0 ? "worse" : better ? "better" : "higher");
    if (same) text_format(out, ", %d the same within the margin", same);
    text_format(out, ", %d not decided", all - lower - higher - same);
    return true;
}

void prose_found(const Table *t, Text *out) {
    const Best *b = table_best(t);
    LOCAL_TEXT(label);
    LOCAL_TEXT(words);
    int place = 0;
    for (int i = 0; b && b->ranking.groups == 1 && i < b->pairs; i++) {
        const BestPair *p = &b->pair[i];
        if (!i)
            text_format(out, "With each arm at its best of %d rates, %d paired seeds: ", b->ranking.rates, t->x->seeds);
        pair_label(t, p->arm->arm, p->against->arm, &label);
        text_clear(&words), best_words(b, p, t->x->arm[p->against->arm].label, &words);
        Found f = {label.at, words.at, p->difference, p->minus.se, p->p.step, p->minus};
        found_pair(&f, p->minus.status == ST_OK, place++, out);
    }
    for (const Comparison *c = t->family.at; !b && t->sample.cells == 1 && c < t->family.at + t->family.count; c++) {
        if (c->what.step != table_last(t, 0)) continue;
        if (!place)
            text_format(out, "After %d steps, %d paired seeds: ", t->sample.cell[0].step[c->what.step], t->x->seeds);
        pair_label(t, c->what.term[0].arm, c->what.term[1].arm, &label);
        text_clear(&words), table_decision(t, c, &words);
        Found f = {label.at, words.at, c->t.mean, c->t.se, c->joint.step, c->t};
        found_pair(&f, c->t_decides && c->t.status == ST_OK, place++, out);
    }
    if (!place) place = across_found(t, out) || found_counts(t, out);
    if (place) text_format(out, t->exploratory ? " (exploratory)." : ".");
}

/* ---- what was trained ---- */

/* "6", or "4, 12 and 20" where the key is a factor. */
static void values_of(const Table *t, const char *key, Text *out) {
    char value[SPEC_TEXT_SIZE], shown[SPEC_TEXT_SIZE], level[FACTOR_VALUE_SIZE];
    for (const Factor *f = t->x->factor; f < t->x->factor + t->x->factors; f++) {
        if (strcmp(f->key, key) != 0) continue;
        for (int i = 0; i < f->values; i++)
            text_format(out, "%s%s", i == 0 ? "" : i + 1 < f->values ? ", " : " and ",
                        factor_text(level, f, i));
        return;
    }
    spec_get(value, &sample_run(&t->sample, 0, 0, t->sample.baseline, 0)->record->spec, key);
    text_format(out, "%s", spec_shown(shown, key, value));
}

/* "0.18 M parameters", "0.71 to 1.1 M parameters". */
static void parameters_of(const Table *t, Text *out) {
    double least = (double)INFINITY, most = 0;
    char from[SHOWN], to[SHOWN];
    for (int cell = 0; cell < t->sample.cells; cell++)
        for (int arm = 0; arm < t->sample.arms; arm++) {
            double n = 1e-6 * (double)sample_run(&t->sample, cell, 0, arm, 0)->record->parameters;
            least = fmin(least, n), most = fmax(most, n);
        }
    show_number(from, least, least < .005 ? 4 : 2), show_number(to, most, least < .005 ? 4 : 2);
    if (!strcmp(from, to))
        text_format(out, "%s M parameters", from);
    else
        text_format(out, "%s to %s M parameters", from, to);
}

static const char *architecture(const RunSpec *s) {
    switch ((Objective)s->objective) {
    case OBJECTIVE_NEXT: return "decoder-only transformers";
    case OBJECTIVE_MASKED: return "transformers that predict masked tokens";
    case OBJECTIVE_TRANSLATE: return "encoder-decoder transformers";
    }
    return "";
}

void prose_size(const Table *t, Text *out) {
    const RunRecord *r = sample_run(&t->sample, 0, 0, t->sample.baseline, 0)->record;
    text_format(out, "%s of ", architecture(&r->spec));
    values_of(t, "layers", out);
    text_format(out, " layers of width ");
    values_of(t, "width", out);
    text_format(out, " (");
    parameters_of(t, out);
    text_format(out, "), ");
    values_of(t, "steps", out);
    text_format(out, " steps of ");
    values_of(t, "batch", out);
    text_format(out, " sequences of ");
    values_of(t, "context", out);
    text_format(out, " tokens of ");
    if (t->synthetic)
        text_format(out, "the built-in synthetic source, which is no text");
    else
        values_of(t, "dataset", out);
}

/* "; we vary lr (0.001, 0.003 and 0.01)" of the factors that the size does not name. */
static void varied(const Table *t, Text *out) {
    static const char *const said[] = {"layers", "width", "steps", "batch", "context", "dataset"};
    int written = 0;
    for (const Factor *f = t->x->factor; f < t->x->factor + t->x->factors; f++) {
        bool known = false;
        for (size_t i = 0; i < sizeof said / sizeof *said; i++) known |= !strcmp(said[i], f->key);
        if (known) continue;
        text_format(out, written++ ? " and %s (" : "; we vary %s (", f->key);
        values_of(t, f->key, out);
        text_format(out, ")");
    }
}

static void trained(const Table *t, const ProseForm *form, Text *out) {
    const RunSpec *s = &sample_run(&t->sample, 0, 0, t->sample.baseline, 0)->record->spec;
    bool swept = false, warmed = s->warmup != 0;
    LOCAL_TEXT(words);
    for (const Factor *f = t->x->factor; f < t->x->factor + t->x->factors; f++) {
        swept |= !strcmp(f->key, "lr");
        warmed &= strcmp(f->key, "warmup") != 0;
    }
    text_format(&words, "We train ");
    prose_size(t, &words);
    text_format(&words, " (tokenizer ");
    values_of(t, "tokenizer", &words);
    text_format(&words, ") with ");
    values_of(t, "optimizer", &words);
    if (!swept) text_format(&words, " at learning rate "), values_of(t, "lr", &words);
    text_format(&words, ", weight decay ");
    values_of(t, "weight_decay", &words);
    if (warmed) text_format(&words, ", %lld warm-up steps", (long long)s->warmup);
    varied(t, &words);
    text_format(&words, ". ");
    form->text(out, words.at);
}

/* "The arms are pre, which is Pre-LN [1] (the baseline), and mine: Pre-LN with gate: learned 0." */
static void arms(const Table *t, const ProseForm *form, Text *out) {
    LOCAL_TEXT(words);
    LOCAL_TEXT(cited);
    form->text(out, t->sample.arms == 1 ? "The arm is " : "The arms are: ");
    for (int arm = 0; arm < t->sample.arms; arm++) {
        const char *label = t->x->arm[arm].label;
        const ArmSource from = arm_source(&t->x->arm[arm]);
        text_clear(&words);
        arm_changes(t->x, arm, t->sample.baseline, &words);
        form->text(out, arm ? "; " : "");
        form->text(out, label);
        if (words.length || strcmp(label, from.label) != 0) form->text(out, ", which is "), form->text(out, from.label);
        if (!strstr(cited.at, from.cite)) form->cite(out, from.cite), text_format(&cited, "%s\n", from.cite);
        if (words.length) form->text(out, " with "), form->text(out, words.at);
        if (arm == t->sample.baseline && t->sample.arms > 1) form->text(out, " (the baseline)");
    }
    form->text(out, ". ");
}

/* ---- how it was compared ---- */

void prose_smallest_p(const Table *t, Text *out) {
    const Family *f = &t->family;
    if (f->joint.exact && f->joint.total)
        text_format(out, "%.0f/%llu", f->floor * (double)f->joint.total, (unsigned long long)f->joint.total);
    else
        text_format(out, "%s", SHOW_P(f->floor));
}

/* Which p; of seeds that are added until it is decided, one that holds at every stop. */
static void test_of(const Table *t, Text *out) {
    if (t->family.anytime) {
        text_format(out, "We added seeds until every comparison was decided at the last step (");
        table_stop(t, out);
        text_format(out, "), so p is that of test martingales of the signs, which holds whenever one stops");
        if (t->family.count > 1)
            text_format(out, ", adjusted by Holm's method for all %d comparisons", t->family.count);
        return;
    }
    text_format(out, "p is that of the ");
    table_flips(t, out);
    if (t->family.count > 1) text_format(out, ", adjusted by step-down max-T for all %d comparisons", t->family.count);
    text_format(out, "; with %d seeds the smallest possible p is ", t->sample.seeds);
    prose_smallest_p(t, out);
    if (t->x->looked) text_format(out, "."), table_look(t, out), out->at[--out->length] = 0;
}

static void tested(const Table *t, Text *out) {
    text_format(out,
                "Every arm is trained with the same %d seeds%s. Differences in %s %s%s are means over the seeds with "
                "paired %s%% %s intervals. ",
                t->sample.seeds,
                t->same_batches ? ": for one seed all arms read the same batches and start from the same values of the "
                                  "weights that they share"
                                : "",
                metric_info[t->metric].heading, t->x->compares ? "of two arms" : "to ",
                t->x->compares ? "" : t->x->arm[t->sample.baseline].label, TABLE_CONFIDENCE(t), table_interval(t));
    test_of(t, out);
    text_format(out, ". We call a difference real at p < %s", FORMAT_REAL(t->x->alpha));
    if (isfinite(t->x->margin) && t->x->margin > 0)
        text_format(out,
                    ", and two arms the same where their difference is shown to lie within %s%s by two one-sided %s "
                    "(which takes %d seeds or more)",
                    FORMAT_REAL(t->x->margin), prose_unit(t->metric),
                    t->family.anytime ? "tests of this kind" : "t tests and sign-flip tests", ST_EQUAL_SEEDS);
    text_format(out, ". ");
}

static void tested_alike(const Table *t, Text *out) {
    text_format(out, "The tests are those of the first experiment: %d seeds, %d comparison%s", t->sample.seeds,
                t->family.count, t->family.count == 1 ? "" : "s");
    if (!t->family.anytime) text_format(out, ", smallest possible p "), prose_smallest_p(t, out);
    if (isfinite(t->x->margin) && t->x->margin > 0)
        text_format(out, ", margin %s%s", FORMAT_REAL(t->x->margin), prose_unit(t->metric));
    text_format(out, ". ");
}

/* Runs that ended early, and what the others took: 6 FLOPs a parameter and token. */
static void spent(const Table *t, Text *out) {
    int runs = t->sample.cells * t->sample.arms * t->sample.seeds, lost = table_diverged(t);
    double tokens = 0, flops = 0;
    for (int i = 0; i < runs; i++) {
        const RunRecord *r = &t->records[i];
        int steps = r->diverged_step >= 0 ? r->diverged_step : (int)r->spec.steps;
        double own = (double)steps * (double)r->spec.batch * (double)r->spec.context;
        tokens += own, flops += 6 * own * (double)r->parameters;
    }
    if (lost && metric_has_uniform(t->metric))
        text_format(out, "%d of the %d runs diverged; they are kept and count as a uniform guess. ", lost, runs);
    else if (lost)
        text_format(out, "%d of the %d runs diverged; they are kept and have no %s, so their arms are not compared. ",
                    lost, runs, metric_info[t->metric].heading);
    else
        text_format(out, "None of the %d runs diverged. ", runs);
    bool many = flops >= 1e15;
    text_format(out, "Together they read %.3g million tokens, which takes about %.3g %s (6 per parameter and token).",
                1e-6 * tokens, flops * (many ? 1e-15 : 1e-12), many ? "PFLOP" : "TFLOP");
}

void prose_methods(const Table *t, bool again, const ProseForm *form, Text *out) {
    LOCAL_TEXT(words);
    trained(t, form, out);
    arms(t, form, out);
    if (t->sample.seeds > 1 && t->family.count && again)
        tested_alike(t, &words);
    else if (t->sample.seeds > 1 && t->family.count)
        tested(t, &words);
    else if (t->sample.seeds == 1)
        text_format(&words, "One seed is trained, so nothing is tested. ");
    spent(t, &words);
    if (t->exploratory) {
        text_format(&words, " The comparison is exploratory: ");
        table_exploratory(t, &words);
        text_format(&words, ".");
    }
    form->text(out, words.at);
}

void prose_paper(const Table *t, Text *out) {
    LOCAL_TEXT(words);
    table_header_comment(t, "text for a paper", out);
    text_format(out, "%% The keys of \\cite are those of %s-paper.bib. Each paragraph stands alone.\n\n", t->name);
    text_format(out, "\\paragraph{Method.} ");
    prose_methods(t, false, &prose_tex, out);
    text_format(out, " The runs are made by normbench %s, plan \\texttt{%.8s}.\n", NORMBENCH_VERSION, t->x->plan);
    if (t->sample.seeds > 1 && t->family.count) text_format(out, "\n\\paragraph{Results.}\n");
    const Best *b = table_best(t);
    for (int i = 0; b && i < b->pairs; i++) {
        text_clear(&words);
        best_sentence(t, b, &b->pair[i], &words);
        latex_shown(out, words.at);
        text_format(out, "\n");
    }
    for (const Comparison *c = t->family.at; c < t->family.at + t->family.count && t->sample.seeds > 1; c++) {
        if (c->what.step != table_last(t, c->what.cell)) continue;
        text_clear(&words);
        prose_comparison(t, c, &words);
        latex_shown(out, words.at);
        text_format(out, "\n");
    }
}

/* ---- The papers of a table's placements: as \cite, as BibTeX, and as the items of a bibliography ---- */

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
