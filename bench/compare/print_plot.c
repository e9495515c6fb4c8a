/* The picture of `compare --plot`: a row for each arm minus the baseline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/compare/print.h"
#include "bench/figures/forest.h"
#include "bench/figures/kinds.h"

static void compare_row(const CompareResult *r, const Comparison *c, PlotPanel *panel) {
    const CompareData *d = r->data;
    int arm = c->what.term[0].arm;
    LOCAL_TEXT(said);
    text_format(&said, "%s ", SHOW_WITH_ERROR(c->t.mean, c->t.se, true));
    compare_interval(r, c, &said);
    bool *lost = mem_alloc((size_t)d->seeds, sizeof *lost);
    for (int s = 0; s < d->seeds; s++)
        lost[s] = d->diverged[arm * d->seeds + s] || d->diverged[r->baseline * d->seeds + s];
    forest_row(panel, &(ForestRow){.family = &r->family,
                                   .c = c,
                                   .better = r->options.higher ? 1 : -1,
                                   .label = compare_arm_name(r, c),
                                   .numbers = said.at,
                                   .style = figure_style(arm, r->baseline),
                                   .of = arm,
                                   .lost = lost,
                                   .lost_at_end = true});
    free(lost);
}

void compare_plot(const CompareResult *r, Plot *p) {
    const char *base = r->data->arm[r->baseline];
    char minus[300];
    LOCAL_TEXT(words);
    plot_init(p, 1, 0);
    text_format(&words, "Each arm minus %s, ", base);
    compare_counts(r, &words);
    text_format(&words, "; %s is better", r->options.higher ? "higher" : "lower");
    plot_text(&p->title, "%s", words.at);
    plot_text(&p->caption, "%s", words.at);
    PlotPanel *panel = plot_panel(p, "", "", "");
    for (int i = 0; i < r->family.count; i++) compare_row(r, &r->family.at[i], panel);
    snprintf(minus, sizeof minus, "%s minus %.200s's", r->data->steps ? "steps" : "value", base);
    forest_axis(panel, minus, r->options.higher ? 1 : -1, r->options.margin);
    text_clear(&words);
    text_format(&words, "%s and %s%% %s.", r->data->unpaired ? "Mean" : "○ is one seed. Below stands the mean",
                FORMAT_REAL(round(1e8 * r->options.conf) / 1e6), compare_vocabulary(r)->t);
    if (!isnan(r->options.margin)) text_format(&words, " Shaded: within %s.", FORMAT_REAL(r->options.margin));
    if (r->data->lost)
        text_format(&words, " %s %s: no interval.", r->data->unpaired ? "A run" : "× marks a seed of which a run",
                    r->data->steps ? "never reached the target" : "diverged");
    plot_note(p, words.at);
}
