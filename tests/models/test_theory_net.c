/* The networks that theory is checked on: hand-made numbers, and what their start promises. */
#include "models/theory_net.h"
#include "models/theory_part.h"
#include "tests/test.h"

static TheoryPlan plan_of(const char *row, int layers) {
    TheoryPlan p = {.layers = layers, .width = 16, .tokens = 4, .seed = 7};
    const Variant *v = variant_find(row, &e);
    cr_assert(v, "%s", e.text);
    p.variant = *v;
    return p;
}

static TheoryNet *made(const TheoryPlan *p) {
    TheoryNet *n;
    OK(theory_net_make(&n, p, &e));
    return n;
}

Test(theory_net, a_hidden_state_behind_layer_norm_is_sqrt_d_long) {
    TheoryPlan p = plan_of("post", 3);
    TheoryNet *n = made(&p);
    theory_net_forward(n);
    for (int l = 0; l < 3; l++) cr_assert_float_eq(theory_net_square(n, PLACE_leaving, l), 1, 1e-12);
    theory_net_free(n);
}

Test(theory_net, a_backward_that_ends_early_gives_the_same_gradient) {
    TheoryPlan p = plan_of("post", 3);
    p.start = START_gpt, p.heads = 2, p.ffn_mult = 4;
    const char *w2 = "mlp.c_proj.weight";
    TheoryNet *whole = made(&p), *early = made(&p);
    theory_net_gradients(whole);
    theory_net_gradients_until(early, 1, w2);
    for (int l = 1; l < 3; l++)
        cr_assert_eq(theory_net_gradient(early, l, w2), theory_net_gradient(whole, l, w2));
    cr_assert_eq(theory_net_gradient(early, 0, w2), 0);
    theory_net_gradients(early);
    cr_assert_eq(theory_net_gradient(early, 0, w2), theory_net_gradient(whole, 0, w2));
    theory_net_free(whole);
    theory_net_free(early);
}

/* Attention is the mean over all tokens of x W_V: what it shares is the squared length of the mean. */
Test(theory_net, attention_reads_the_mean_of_all_tokens) {
    TheoryPlan p = plan_of("none", 1);
    TheoryNet *n = made(&p);
    double x[64], mean, shared = 0;
    theory_net_forward(n);
    theory_net_input(n, x);
    for (int j = 0; j < 16; j++) {
        mean = (x[j] + x[16 + j] + x[32 + j] + x[48 + j]) / 4;
        shared += mean * mean / 16;
    }
    cr_assert_float_eq(theory_net_shared(n, 0), shared, 1e-12);
    theory_net_free(n);
}

/* ReZero's Jacobian is the identity: J^T c = c. Post-LN's last norm takes what is common to all columns from c. */
Test(theory_net, the_input_gradient_is_the_jacobian_times_the_direction) {
    enum { D = 16 };
    double c[D] = {0}, common[D], g[D];
    c[3] = 1, c[5] = -2;
    for (int i = 0; i < D; i++) common[i] = 1;
    TheoryPlan p = plan_of("none", 2);
    p.tokens = 1, p.head = HEAD_direction;
    cr_assert(!variant_set(&p.variant, "gate", "learned 0", &e));
    TheoryNet *n = made(&p);
    theory_net_direction(n, c);
    theory_net_gradients(n);
    theory_net_input_gradient(n, g);
    for (int i = 0; i < D; i++) cr_assert_float_eq(g[i], c[i], 1e-15);
    theory_net_free(n);
    p = plan_of("post", 2);
    p.tokens = 1, p.head = HEAD_direction;
    n = made(&p);
    theory_net_direction(n, common);
    theory_net_gradients(n);
    theory_net_input_gradient(n, g);
    for (int i = 0; i < D; i++) cr_assert_float_eq(g[i], 0, 1e-13);
    theory_net_free(n);
}

Test(theory_net, a_step_goes_down_and_back) {
    TheoryPlan p = plan_of("pre", 2);
    double before[64], after[64], back[64], moved = 0;
    TheoryNet *n = made(&p);
    theory_net_gradients(n);
    theory_net_output(n, before);
    theory_net_step(n, 1e-3);
    theory_net_forward(n);
    theory_net_output(n, after);
    theory_net_step(n, -1e-3);
    theory_net_forward(n);
    theory_net_output(n, back);
    for (int i = 0; i < 64; i++) {
        moved = fmax(moved, fabs(after[i] - before[i]));
        cr_assert_float_eq(back[i], before[i], 1e-12);
    }
    cr_assert_gt(moved, 1e-6);
    theory_net_free(n);
}

/* Pre-LN with a stream that is centered is Pre-RMSNorm; where it is not, the two differ. */
Test(theory_net, centering_makes_layer_norm_rms_norm) {
    double out[2][2][64], apart[2] = {0, 0};
    for (int centered = 0; centered < 2; centered++) {
        for (int rms = 0; rms < 2; rms++) {
            TheoryPlan p = plan_of("pre", 2);
            const char *const column[] = {"attn.in", "mlp.in", "final"};
            for (int i = 0; i < 3 && rms; i++) cr_assert(!variant_set(&p.variant, column[i], "rmsnorm", &e));
            TheoryNet *n = made(&p);
            if (centered) theory_net_center(n);
            theory_net_forward(n);
            theory_net_output(n, out[centered][rms]);
            theory_net_free(n);
        }
        for (int i = 0; i < 64; i++)
            apart[centered] = fmax(apart[centered], fabs(out[centered][0][i] - out[centered][1][i]));
    }
    cr_assert_lt(apart[1], 1e-12);
    cr_assert_gt(apart[0], 1e-3);
}

Test(theory_net, a_network_without_norms_leaves_the_doubles_without_a_crash) {
    TheoryPlan p = plan_of("none", 900);
    p.width = 8, p.tokens = 2;
    TheoryNet *n = made(&p);
    theory_net_gradients(n);
    cr_assert(isfinite(theory_net_square(n, PLACE_leaving, 10)));
    cr_assert_not(isfinite(theory_net_square(n, PLACE_leaving, 899)));
    theory_net_free(n);
}

Test(theory_net, a_plan_that_cannot_be_is_refused) {
    TheoryNet *n;
    TheoryPlan p = plan_of("post", 2);
    p.layers = 0;
    cr_assert_eq(theory_net_make(&n, &p, &e), RC_USAGE);
    cr_assert(strstr(e.text, "layers"), "%s", e.text);
    p.layers = 2, p.width = 0;
    cr_assert_eq(theory_net_make(&n, &p, &e), RC_USAGE);
    cr_assert(strstr(e.text, "width"), "%s", e.text);
}

/* x = (3, 4): |x| = 5. RMSNorm: y = x sqrt(2) / 5; J = sqrt(2)/5 (I - x x^T / 25). */
Test(theory_net, the_jacobian_of_rms_norm_by_hand) {
    const double x[] = {3, 4}, s = sqrt(2) / 5, expected[] = {s * 16 / 25, -s * 12 / 25, -s * 12 / 25, s * 9 / 25};
    double j[4];
    cr_assert(!theory_norm_jacobian(NORM_rmsnorm, x, 2, j, &e));
    for (int i = 0; i < 4; i++) cr_assert_float_eq(j[i], expected[i], 1e-14);
}

Test(theory_net, layer_norm_of_three_numbers_by_hand) {
    const Norm norm[] = {NORM_layernorm};
    const double x[] = {3.22, 0, -3.22};
    double y[3];
    cr_assert(!theory_norm(norm, 1, x, 3, y, &e));
    cr_assert_float_eq(y[0], sqrt(1.5), 1e-14);
    cr_assert_float_eq(y[1], 0, 1e-14);
    cr_assert_float_eq(y[2], -sqrt(1.5), 1e-14);
}

Test(theory_net, a_chain_by_hand) {
    double x[3];
    cr_assert(!theory_chain(3, 0.5, 2, x, &e));
    cr_assert_float_eq(x[0], 2, 1e-15);
    cr_assert_float_eq(x[1], 4, 1e-15);
    cr_assert_float_eq(x[2], 8, 1e-15);
}
