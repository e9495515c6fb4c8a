/* The rows. Formulas and what they were checked against: shared notes cite them by paper; the equation column is what
 * `normbench explain` and the tables print, because names collide in the wild. */
#include "models/variant.h"

#define NO NORM_none
#define LN NORM_layernorm
// clang-format off
#define ONE {RULE_constant, 1}

const Variant variants[] = {
    /*                    in  qk  mid out post     in  qk  mid out post  embed final carry gate depth_scale */
    {"none",    "plain residual network, no normalization",
     "x <- x + f(x)",
                         {NO, NO, NO, NO, NO},    {NO, NO, NO, NO, NO},  NO,   NO,   ONE,  ONE, ONE},
    {"pre",     "Pre-LN: Baevski and Auli 2019; Radford et al. 2019; Xiong et al. 2020",
     "x <- x + f(N(x)); N before the head",
                         {LN, NO, NO, NO, NO},    {LN, NO, NO, NO, NO},  NO,   LN,   ONE,  ONE, ONE},
    {"post",    "Post-LN: Vaswani et al. 2017",
     "x <- N(x + f(x)); no N before the head",
                         {NO, NO, NO, NO, LN},    {NO, NO, NO, NO, LN},  NO,   NO,   ONE,  ONE, ONE},
    {"peri",    "Peri-LN: Kim et al. 2025",
     "x <- x + N_out(f(N_in(x))); N before the head",
                         {LN, NO, NO, LN, NO},    {LN, NO, NO, LN, NO},  NO,   LN,   ONE,  ONE, ONE},
    {"prepost", "the block write-up 004 draws as Peri-LN; equals Post-LN at initialization from the second sublayer on",
     "x <- N_out(x + f(N_in(x))); no N before the head",
                         {LN, NO, NO, NO, LN},    {LN, NO, NO, NO, LN},  NO,   NO,   ONE,  ONE, ONE},
};
// clang-format on
const int variant_count = sizeof variants / sizeof variants[0];
