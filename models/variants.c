/* The rows: name, label in tables, what it is and where it comes from, columns. `normbench explain` and `list` print
 * the equation that models/equation.h derives from the columns, because names collide in the wild. */
#include "models/variant.h"

#define NO NORM_none
#define LN NORM_layernorm
// clang-format off
#define ONE {RULE_constant, 1}
#define ALIKE {{0}} /* every block has these norms */

const Variant variants[] = {
    /*                    in  qk  mid out post     in  qk  mid out post  embed final carry gate depth_scale spans */
    {"none", "No norm", "plain residual network, no normalization",
                         {NO, NO, NO, NO, NO},    {NO, NO, NO, NO, NO},  NO,   NO,   ONE,  ONE, ONE, ALIKE},
    {"pre", "Pre-LN", "Baevski and Auli 2019; Radford et al. 2019; Xiong et al. 2020",
                         {LN, NO, NO, NO, NO},    {LN, NO, NO, NO, NO},  NO,   LN,   ONE,  ONE, ONE, ALIKE},
    {"post", "Post-LN", "Vaswani et al. 2017",
                         {NO, NO, NO, NO, LN},    {NO, NO, NO, NO, LN},  NO,   NO,   ONE,  ONE, ONE, ALIKE},
    {"peri", "Peri-LN", "Kim et al. 2025",
                         {LN, NO, NO, LN, NO},    {LN, NO, NO, LN, NO},  NO,   LN,   ONE,  ONE, ONE, ALIKE},
    {"prepost", "Pre+Post-LN",
                "the block write-up 004 draws as Peri-LN; equals Post-LN at initialization from the second sublayer on",
                         {LN, NO, NO, NO, LN},    {LN, NO, NO, NO, LN},  NO,   NO,   ONE,  ONE, ONE, ALIKE},
};
// clang-format on
const int variant_count = sizeof variants / sizeof variants[0];
