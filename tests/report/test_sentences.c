/* What the report says in words of made-up runs: what was found, and what to see in its figures. */
#include "bench/report/report.h"
#include "tests/verdict/made_up.h"

/* Runs of two arms at two warm-ups by a metric that a diverged run has no number of. */
Test(sentences, diverged_runs_of_a_metric_without_a_uniform_value) {
    made_up_init(made_up_four, "full");
    m.x.metric = METRIC_grad_norm;
    made_up_diverge(made_up_at(0, 1, 2), 77);
    OK(made_up_table((TableOptions){0}, &e));
    WRITES(report_finding, "1 of 64 runs diverged; they have no final grad norm, so their arms are not compared.");
    OMITS(report_finding, "uniform guess");
}
