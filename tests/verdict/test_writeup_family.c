/* The p's of several experiments become one family, and verdicts that do not hold there are taken back. */
#include <criterion/criterion.h>
#include <string.h>

#include "bench/verdict/writeup_family.h"

TestSuite(writeup_family, .timeout = 600);

/* Alone .03 is below .05; with another experiment whose tests are not all rejected it counts twice. */
Test(writeup_family, experiments_of_a_write_up_are_one_family) {
    ClaimVerdict v[3] = {{.p = .01, .word = WORD_REPRODUCED},
                         {.p = .03, .word = WORD_CONTRADICTED, .small = true},
                         {.p = .4, .word = WORD_NOT_REPRODUCED}};
    FamilyMember member[] = {{&v[0], 0, .05}, {&v[1], 1, .05}, {&v[2], 1, .05}, {NULL, 0, .05}};
    writeup_family(member, 4);
    cr_expect_float_eq(v[0].p_writeup, .02, 1e-12);
    cr_expect_float_eq(v[1].p_writeup, .06, 1e-12);
    cr_expect_float_eq(v[2].p_writeup, .8, 1e-12);
    cr_expect_eq(v[0].word, WORD_REPRODUCED);
    cr_expect(v[1].word == WORD_INCONCLUSIVE && !v[1].small && strstr(v[1].why, "together with"));
    cr_expect_eq(v[2].word, WORD_NOT_REPRODUCED, "it does not rest on p");
}
