/* Prose: paragraphs about one table, for a paper and for the report. The same words in plain text, HTML and LaTeX. */
#ifndef BENCH_WRITE_PROSE_H
#define BENCH_WRITE_PROSE_H

#include "bench/verdict/outlook.h"
#include "bench/write/table.h"

/* Of a whole run, in one sentence: of arms at their best rates, else of the last step of the only cell, what each pair
 * of arms is: "After 60 steps, 6 paired seeds: Late RMSNorm is worse than Pre-LN (+0.755 [0.639, 0.871], p_adj .031)."
 * Of several sizes or corpora what holds across them; of other cells how many comparisons were decided. Nothing where
 * nothing is compared. */
void prose_found(const Table *t, Text *out);

/* Decimals of a difference; " nats", or "". */
int prose_digits(const Comparison *c);
const char *prose_unit(Metric m);

/* How a form of text writes words, and the papers that a placement is from. */
typedef struct {
    void (*text)(Text *out, const char *text);
    void (*cite)(Text *out, const char *cite); /* of a Variant: nothing where it names no paper */
} ProseForm;
extern const ProseForm prose_html, prose_tex;

/* "At lr = 0.01, Gated late RMSNorm has a lower validation loss than Pre-LN, by 0.557 nats (95% CI [0.477, 0.637], 6
 * seeds, p = .031, adjusted for 12 comparisons)." Plain text. */
void prose_comparison(const Table *t, const Comparison *c, Text *out);

/* What was trained, how it was compared, what it cost: with the numbers of this plan. again: another table's methods
 * stand above, so that of the tests only the numbers are said. */
void prose_methods(const Table *t, bool again, const ProseForm *form, Text *out);

/* "decoder-only transformers of 4 layers of width 128 (0.8 M parameters), 300 steps of 16 sequences of 128
 * tokens of tinyshakespeare": the size at which something was found. Of keys that vary, all values. */
void prose_size(const Table *t, Text *out);

/* "2/64", or ".001" where sign patterns are drawn. */
void prose_smallest_p(const Table *t, Text *out);

/* NAME-paper-text.tex: a paragraph of methods and a sentence for each comparison, to be pasted. */
void prose_paper(const Table *t, Text *out);

/* NAME-paper.bib: BibTeX of the papers that some tables' placements are from, each once; nothing where none is. */
void prose_bibtex(const Table *const *t, int tables, Text *out);
void prose_table_bibtex(const Table *t, Text *out);

/* The same as the items of LaTeX's environment thebibliography; returns how many. */
int prose_bibitems(const Table *const *t, int tables, Text *out);

/* ---- What a plan can decide, in sentences: `run` says it before it trains. ---- */

/* Lines of two blanks and a sentence or two; nothing when there is but one arm. */
void outlook_text(const Outlook *o, const Experiment *x, Text *out);

#endif
