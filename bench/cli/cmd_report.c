/* normbench report: one page, and one PDF, of everything that is in results/. */
#include <stdio.h>

#include "base/file.h"
#include "bench/cli/commands.h"
#include "bench/report/report.h"

Rc command_report(Session *s, Error *e) {
    char folder[1024];
    LOCAL(ledger_release) Ledger b = {0};
    Error why = {.code = RC_OK};
    if (s->options->operands)
        return error_set(e, RC_USAGE, "report: it takes no argument, and '%s' is one", s->options->operand[0]);
    if (ledger_make(&b, s, NULL, true, e)) return e->code;
    Rc rc = s->options->times[OPTION_own] ? RC_OK : ledger_add_stored(&b, s, e);
    if (!rc) rc = report_take(&b, s, e);
    if (!rc && !b.made_count)
        rc = error_set(e, RC_UNMEASURED, "report: no experiment is complete in %s: normbench run NAME --profile quick",
                       s->runs);
    ledger_note_parts(&b);
    report_order(&b);
    const char *output = option(s->options, OPTION_output, NULL);
    snprintf(folder, sizeof folder, "%.900s%s", output ? output : s->results, output ? "" : "/out/report");
    if (!rc) rc = output ? folder_make(folder, e) : folder_make_own(folder, e);
    if (!rc) folder_sweep(folder);
    if (!rc) rc = report_html(&b, s, folder, e);
    if (!rc) rc = report_bib(&b, folder, e);
    if (!rc && report_pdf(&b, s, folder, &why)) fprintf(stderr, "normbench: note: no report.pdf: %s\n", why.text);
    return rc;
}
