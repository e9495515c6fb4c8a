#include "bench/formats/latex.h"
#include "bench/write/score.h"

static void accuracy(const TaskAccuracy *a, Text *out) {
    char share[SHOWN];
    text_format(out, " & ");
    latex_number(out, show_number(share, a->share, 4));
    text_format(out, " ");
    show_interval(out, a->lo, a->hi, 4, "", true);
    if (a->chance) text_format(out, "$^\\circ$");
}

void score_tex(const ScoreTable *t, Text *out) {
    char chance[SHOWN];
    text_format(out, "\\begin{table}[tbp]\n\\centering\n\\caption{Scores on tasks by the rules of lm\\_eval 0.4, "
                     "without examples, with Clopper and Pearson's 95\\%% interval. $\\circ$: the interval holds "
                     "chance.}\n\\small\n\\begin{tabular}{@{}l l r r l l@{}}\n\\toprule\n"
                     "model & task & items & chance & acc & acc\\_norm \\\\\n");
    for (const ScoredModel *m = t->model; m < t->model + t->models; m++) {
        text_format(out, "\\midrule\n");
        for (int k = 0; k < t->tasks; k++) {
            const TaskScore *s = &m->score[k];
            if (!k) latex_text(out, m->name);
            text_format(out, " & ");
            latex_text(out, s->task->info->name);
            text_format(out, " & %d & ", s->items);
            latex_number(out, show_number(chance, s->chance, 4));
            for (int i = 0; i < ACC_COUNT; i++) accuracy(&s->of[i], out);
            text_format(out, " \\\\\n");
        }
    }
    text_format(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
}
