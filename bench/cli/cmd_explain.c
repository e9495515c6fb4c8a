/* normbench explain VARIANT: what a row computes, and the program it becomes. */
#include <stdio.h>
#include <string.h>

#include "bench/cli/commands.h"
#include "bench/run/address.h"
#include "bench/run/record.h"

static void explain(const Variant *v, const char *title) {
    char value[VARIANT_TEXT_SIZE];
    RunSpec s;
    Tape t;
    Text program;
    spec_init(&s);
    s.variant = *v;
    s.layers = 2;
    ModelShape shape = spec_shape(&s, 65);
    transformer_build(&t, &shape, v, NULL);
    text_init(&program);
    tape_print(&t, &program);
    printf("%s\n  %s\n  source: %s\n\n", title, v->equation, v->cite);
    printf("one sublayer: x <- post( carry x + gate out( f( in(x) depth_scale ) ) )\n");
    for (int i = 0; i < variant_key_count; i++)
        printf("  %-12s %s\n", variant_keys[i], variant_get(value, v, variant_keys[i]));
    printf("\ninitialization: matrices N(0, init_std); the two projections into the stream are scaled by 1/sqrt(2L)\n"
           "(residual_init: scaled); token and position embeddings N(0, token_std), N(0, position_std); gains 1, "
           "biases 0.\n");
    printf("\ntape of 2 blocks x 128, 8 heads, context 128, batch 16 (%zu parameters, %.3g FLOPs a step):\n%s",
           tape_parameters(&t), tape_flops(&t), program.at);
    text_release(&program);
    tape_release(&t);
}

/* The variant of a stored run; e says that no variant is called so, and keeps saying it where `name` is no address. */
static Rc explain_run(const Session *s, const char *name, Error *e) {
    char id[SHA256_HEX], title[64 + ARM_NAME_SIZE];
    RunRecord r;
    Error why;
    bool address = strpbrk(name, "/:=") || (strlen(name) > 3 && strspn(name, "0123456789abcdef") == strlen(name));
    if (address_find(s, name, id, &why) || record_members(&r, s->runs, id, &why)) {
        if (address) *e = why, error_prefix(e, "explain: ");
        return e->code;
    }
    snprintf(title, sizeof title, "%s (run %.12s)", r.spec.variant.name, id);
    explain(&r.spec.variant, title);
    record_release(&r);
    return RC_OK;
}

Rc command_explain(Session *s, Error *e) {
    const Options *o = s->options;
    if (o->times[OPTION_arm]) {
        Experiment x;
        Overrides overrides = {.arm = o->value[OPTION_arm], .arms = o->times[OPTION_arm]};
        char path[1024];
        if (experiment_find(path, sizeof path, s->root, "smoke", e)) return e->code;
        if (experiment_read(&x, path, NULL, &overrides, e)) return e->code;
        for (int i = 0; i < x.arms; i++) explain(&x.arm[i].spec.variant, x.arm[i].name);
        experiment_release(&x);
        return RC_OK;
    }
    if (o->operands != 1) return error_set(e, RC_USAGE, "explain: name one variant (`normbench list` shows them)");
    const Variant *v = variant_find(o->operand[0], e);
    if (!v) return explain_run(s, o->operand[0], e);
    explain(v, v->name);
    return RC_OK;
}
