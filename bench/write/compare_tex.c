/* compare as a LaTeX tabular that typesets by itself (booktabs): the baseline, then one line per comparison. */
#include <math.h>
#include <string.h>

#include "bench/formats/latex.h"
#include "bench/write/compare.h"

void compare_comments(const char *text, Text *out) {
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        text_format(out, "%% ");
        text_add(out, s, n);
        text_format(out, "\n");
        s += n + (s[n] != 0);
    }
}

/* "name & mean & sd" */
static void arm_cells(const CompareResult *r, int arm, Text *out) {
    char number[48];
    const CompareArm *a = &r->arm[arm];
    latex_text(out, r->data->arm[arm]);
    text_format(out, " & ");
    latex_number(out, compare_number(number, a->mean, a->sd, false));
    text_format(out, " & ");
    latex_number(out, compare_number(number, a->sd, a->sd, false));
}

static void line(const CompareResult *r, const Comparison *c, Text *out) {
    const double p[] = {c->flip.status == ST_OK ? c->flip.p : (double)NAN, c->joint.step};
    char number[48];
    arm_cells(r, c->what.term[0].arm, out);
    text_format(out, " & ");
    latex_number(out, compare_number(number, c->t.mean, c->t.se, true));
    text_format(out, " & ");
    compare_interval(r, c, out, true);
    for (size_t k = 0; k < sizeof p / sizeof *p; k++) {
        text_format(out, " & ");
        latex_number(out, show_p(number, p[k]));
    }
    Text words;
    text_init(&words);
    compare_words(r, c, c->decision, &words);
    text_format(out, " & \\raggedright ");
    latex_text(out, words.at);
    text_release(&words);
    text_format(out, " \\tabularnewline\n & & & & ");
    compare_flip_interval(r, c, out, true);
    text_format(out, " & & ");
    latex_number(out, show_p(number, c->joint_ranks));
    text_format(out, " & \\\\\n");
}

void compare_tex(const CompareResult *r, Text *out) {
    char number[48];
    Text words;
    text_init(&words);
    compare_signature(r, &words);
    text_format(&words,
                "\nneeds booktabs; %s is better; p: %s; smallest p possible: %s\n"
                "second line of a comparison: interval %s of all comparisons jointly; adjusted p on ranks\n",
                r->options.higher ? "higher" : "lower",
                r->data->unpaired ? "relabelling; adjusted: Holm" : "sign-flip; adjusted: step-down max-T",
                show_p(number, r->family.floor), compare_vocabulary(r)->flips);
    compare_notes(r, &words);
    compare_comments(words.at, out);
    text_format(out,
                "{\\setlength{\\tabcolsep}{4pt}%%\n\\begin{tabular}{@{}lrrrlrrp{1.1in}@{}}\n\\toprule\n"
                " & Mean & SD & Difference & %s\\%% interval & $p$ & adjusted & \\\\\n\\midrule\n",
                format_real(number, round(1e8 * r->options.conf) / 1e6));
    arm_cells(r, r->baseline, out);
    text_format(out, " & & & & & \\\\\n");
    for (int i = 0; i < r->family.count; i++) line(r, &r->family.at[i], out);
    text_format(out, "\\bottomrule\n\\end{tabular}}%%\n");
    text_release(&words);
}
