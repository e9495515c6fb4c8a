/* compare on what people really hand in: an error that names the place, a status, never a wrong number. */
#include <ctype.h>
#include <jansson.h>

#include "bench/cli/commands.h"
#include "tests/compare/one_corpus.h"
#include "tests/test.h"

static const CompareOptions plain = {.margin = NAN, .conf = .95, .cap = NAN, .stall = NAN};

static CompareData d;
static CompareResult r;

static Rc parse(const char *text, CompareColumns columns) {
    e = (Error){0};
    compare_release(&r);
    compare_data_release(&d);
    return compare_parse(&d, "f", columns, text, strlen(text), &e);
}

static Rc run(const char *text, CompareOptions options) {
    return parse(text, (CompareColumns){0}) ? e.code : compare_make(&r, &d, &options, 1, &e);
}

static void refused(const char *text, CompareOptions options, Rc code, const char *says) {
    Rc rc = run(text, options);
    cr_expect_eq(rc, code, "%.60s: exit code %d, not %d", text, rc, code);
    cr_expect(strstr(e.text, says), "%.60s: '%s' does not say '%s'", text, e.text, says);
}

static void refused_with(const char *text, CompareColumns columns, const char *says) {
    Rc rc = parse(text, columns);
    cr_expect_eq(rc, RC_USAGE, "%.60s: exit code %d", text, rc);
    cr_expect(strstr(e.text, says), "%.60s: '%s' does not say '%s'", text, e.text, says);
}

Test(compare_bad, columns_that_are_refused) {
    static const char wide[] = "run,method,loss,accuracy\n1,adam,3.2,.4\n1,lion,3.3,.5\n";
    static const struct {
        const char *text;
        CompareColumns columns;
        const char *says;
    } bad[] = {
        {wide,
         {.arm = "method"},
         "f:1: the header has no column 'seed' (--column seed=NAME names it); there are: 'run', "},
        {wide, {.seed = "runn"}, "f:1: the header has no column 'runn'; is 'run' meant? (--column seed"},
        {wide, {.seed = "run", .arm = "methd"}, "no column 'methd'; is 'method' meant? (--column arm"},
        {wide, {.seed = "run", .value = "los"}, "no column 'los'; is 'loss' meant? (--metric"},
        {wide, {.seed = "run", .arm = "method"}, "f:1: --metric NAME must say which column it is: loss, accuracy"},
        {wide,
         {.seed = "run", .value = "loss"},
         "f:1: --column arm=NAME must say which column it is: method, accuracy"},
        {wide, {.seed = "run", .arm = "method", .value = "method"}, "two of them are 'method'"},
        {wide, {.seed = "run", .arm = "run", .value = "loss"}, "two of them are 'run'"},
        {wide, {.seed = "run", .arm = "loss", .value = "method"}, "f:2:method: 'adam' is not a number"},
        {wide, {.seed = "run"}, "f:2:method: 'adam' is not a number (a diverged run is written nan); if a "},
        {"seed,method,loss\n1,0,3.2\n1,1,3.3\n", {NULL}, "there twice (first on line 2); if a line is one run, --"},
        {"seed,arm,value,lr\n1,a,2,3\n", {NULL}, "unknown column 'lr' (seed, arm, value, block and corpus are"},
        {"seed,arm,value,lr\n1,a,2,3\n1,a,3,4\n", {.value = "value"}, "seed 1 of arm 'a' is there twice"},
        {"{\"arms\": {\"a\": {\"1\": 2}}}", {.arm = "method"}, "has no columns to name"},
        {"seed,arm,loss,State\n1,a,2,finished\n1,b,9,crashed\n",
         {.value = "loss"},
         "f:3: its State is 'crashed': leave out this run and those of its seed"},
        {"pre,3.1\npre,3.2\npost,3.3\n",
         {.unpaired = true},
         "f:1: the first line has '3.1' where the name of a column"},
        {",pre,post\n0,3,4\nmean,3,4\n", {.unpaired = true}, "f:3: 'mean' is made of the other lines and is no run"},
        {"replica,pre,post\n1,2,3\n", {.unpaired = true}, "column 'replica' is no arm"},
        {"[{\"seed\": 1, \"method\": \"a\", \"loss\": 2}]",
         {.arm = "methods"},
         "f: no record has 'methods'; is 'method' meant? (--column arm"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused_with(bad[i].text, bad[i].columns, bad[i].says);
}

Test(compare_bad, files_that_are_refused) {
    static const struct {
        const char *text;
        Rc code;
        const char *says;
    } bad[] = {
        {"", RC_USAGE, "f: empty"},
        {"\n\r\n  \n", RC_USAGE, "f: empty"},
        {"seed,a,b\n", RC_UNMEASURED, "holds no runs"},
        {"seed,arm,value\n", RC_UNMEASURED, "holds no runs"},
        {"[]", RC_UNMEASURED, "holds no runs"},
        {"{\"arms\": {}}", RC_UNMEASURED, "holds no runs"},
        {"seed\n1\n", RC_UNMEASURED, "holds no runs"},
        {"seed,a\n1,2\n", RC_UNMEASURED, "'a' is the only arm"},
        {"step,a,b\n1,2,3\n", RC_USAGE,
         "f:1: the header has no column 'seed' (--column seed=NAME names it); there are:"},
        {"experiment,arm,mean,p_signflip\nx,pre,2,.5\n", RC_USAGE, "f:1: this is what `table` wrote, means over"},
        {"sed,a,b\n1,2,3\n", RC_USAGE, "f:1: the header has no column 'seed'; is 'sed' meant? (--column seed"},
        {"seed,a,a\n1,2,3\n", RC_USAGE, "f:1: two columns are called 'a'"},
        {"seed,seed,a\n1,2,3\n", RC_USAGE, "f:1: two columns are called 'seed'"},
        {"seed,a,\n1,2,3\n", RC_USAGE, "f:2: 3 fields where the header has 2"},
        {"1,2,3\n2,2,3\n", RC_USAGE, "f:1: the first line has numbers, not names"},
        {"seed,arm,loss\n1,a,1.2k\n", RC_USAGE, "f:2:loss: '1.2k' is not a number"},
        {"seed,arm,loss,acc\n1,a,2,3\n", RC_USAGE, "f:1: --metric NAME must say which column it is: loss, acc"},
        {"seed,arm,acc\n1,a,71.2\n1,b,.75\n", RC_USAGE, "acc: arm 'a' is in percent and arm 'b' in fractions"},
        {"seed,arm,val_accuracy\n1,a,71.2\n1,b,.75\n", RC_USAGE, "arm 'a' is in percent and arm 'b' in fractions"},
        {",seed,a,b\ncount,3,3,3\nmean,2,3.1,3.2\n", RC_USAGE, "f:2: 'count' is made of the other lines and is no run"},
        {"seed,arm,value,note\n1,a,2,x\n", RC_USAGE, "f:1: unknown column 'note'"},
        {"seed,a,b\n1,2\n", RC_USAGE, "f:2: 2 fields where the header has 3"},
        {"seed,a,b\n1,2,3\n\n2,2,3,4\n", RC_USAGE, "f:4: 4 fields where the header has 3"},
        {"seed,a,b\n1,2,\n", RC_USAGE, "f:2:b: empty"},
        {"seed,a,b\n,2,3\n", RC_USAGE, "f:2:seed: empty"},
        {"seed,a,b\n1,1e-3x,3\n", RC_USAGE, "f:2:a: '1e-3x' is not a number"},
        {"seed,a,b\n1,2,0x10\n", RC_USAGE, "f:2:b: '0x10' is not a number"},
        {"seed,a,b\n1,2,1e400\n", RC_USAGE, "f:2:b: '1e400' is not a number"},
        {"seed,a,b\n1,2,\"3,5\"\n", RC_USAGE, "f:2:b: '3,5' is not a number (decimals take a point)"},
        {"seed;a;b\n1;3,412;3,455\n", RC_USAGE, "f:2:a: '3,412' is not a number (decimals take a point)"},
        {"seed;a;b\n1;3,41;3.455\n", RC_USAGE, "f:2:a: '3,41' is not a number (decimals take a point)"},
        {"seed;a;b\n1;3,41;1,234,567\n", RC_USAGE, "f:2:a: '3,41' is not a number (decimals take a point)"},
        {"seed;a;b\n1;3,41;3,4x\n", RC_USAGE, "f:2:b: '3,4x' is not a number (decimals take a point)"},
        {"seed,a,b\n1,71%,72%\n2,71%,.72\n", RC_USAGE, "f:1: column 'b' has numbers with and without a sign of"},
        {"seed,a,b\n1,71%,.72\n", RC_USAGE, "f:1: column 'a' has numbers with a sign of percent and 'b' without"},
        {"seed,arm,value\n1,a,71%\n1,b,.72\n", RC_USAGE, "f:1: column 'value' has numbers with and without"},
        {"seed,a,b\n1,71%%,72%\n", RC_USAGE, "f:2:a: '71%%' is not a number (a column has a sign of percent behind"},
        {"seed,a,b\n1,2,NA\n", RC_USAGE, "f:2:b: 'NA' is a missing value (every arm needs every seed, but"},
        {"seed,a,b\n1,2,+-1\n", RC_USAGE, "f:2:b: '+-1' is not a number"},
        {"seed,a,b\n1,2,-+1\n", RC_USAGE, "f:2:b: '-+1' is not a number"},
        {"seed,a,b\n1,2,--1\n", RC_USAGE, "f:2:b: '--1' is not a number"},
        {"seed,arm,value\n1,a,2\n1,b,#N/A\n", RC_USAGE, "no run; a diverged run is written nan)"},
        {"seed,a,b\n1,2,+010\n", RC_USAGE, "f:2:b: '+010' is not a number"},
        {"seed,a,b\n1,2,1e308\n", RC_USAGE, "f:2:b: 1e+308 is too large"},
        {"seed,a,b\n1,-1e100,2\n", RC_USAGE, "f:2:a: -1e+100 is too large"},
        {"seed,a,b\n1.5,2,3\n", RC_USAGE, "f:2:seed: '1.5' is not a whole number"},
        {"seed,a,b\n-1,2,3\n", RC_USAGE, "f:2:seed: '-1' is not a whole number"},
        {"seed,pre,post\n1,3.2,crash\n2,3.3,3.4\n3,3.2,3.3\n", RC_USAGE,
         "f:2:post: 'crash' is not a number (a diverged run is written nan); if a line is one run, --column arm=NAME"},
        {"seed,a,b\n1,2,3\n99999999999999999999,2,3\n", RC_USAGE, "f:3:seed: '99999999999999999999'"},
        {"seed,a,b\n1,2,3\n1,2,3\n", RC_USAGE, "f:3: seed 1 of arm 'a' is there twice (first on line 2)"},
        {"seed,step,pre,post\n1,10,2,3\n", RC_USAGE, "f:1: column 'step' is no arm: leave it out"},
        {"seed,Epoch,loss\n1,10,3\n", RC_USAGE, "f:1: column 'Epoch' is no arm"},
        {"seed,pre,post,lr\n1,2,3,.1\n", RC_USAGE, "f:1: column 'lr' is no arm"},
        {"seed,pre,post,mean,std\n1,2,3,2.5,.7\n", RC_USAGE, "f:1: column 'mean' is no arm"},
        {"seed,pre,post,n,SD,Avg\n1,2,3,2,.7,2.5\n", RC_USAGE, "f:1: column 'n' is no arm"},
        {"seed,pre,post,std\n1,2,3,.7\n", RC_USAGE, "f:1: column 'std' is no arm"},
        {"seed,pre,post,p_value\n1,2,3,.7\n", RC_USAGE, "f:1: column 'p_value' is no arm"},
        {"seed,mean,max\n1,2,3\n1,2,3\n", RC_USAGE, "seed 1 of arm 'mean' is there twice"}, /* as one pools */
        {"seed,index,pre,post\n1,0,2,3\n", RC_USAGE, "f:1: column 'index' is no arm"},
        {"seed,,pre,post\n1,0,2,3\n", RC_USAGE, "f:1: column 2 has no name"},
        {"seed,block,pre,post\n1,x,2,3\n", RC_USAGE, "f:2:block: 'x' is not a whole number"},
        {"seed,block,pre,post\n1,1,2,3\n1,1,2,3\n", RC_USAGE, "f:3: seed 1 and block 1 of arm 'pre' is there twice"},
        {"seed,a,b\n1,2,1e-90\n", RC_USAGE, "f:2:b: 1e-90 is too small (numbers but 0 begin at 1e-80"},
        {"seed,arm,value\n1,a,2\n1,b,2\n2,a,2\n", RC_USAGE, "f:4: seed 2 is there for arm 'a' and missing for arm 'b'"},
        {"seed,arm,value\n1,a,2\n1,b,2\n1,b,3\n", RC_USAGE, "f:4: seed 1 of arm 'b' is there twice (first on line 3)"},
        {"seed,arm,value\n1,,2\n", RC_USAGE, "f:2: an arm without a name"},
        {"seed,arm,value\n1,a\x01z,2\n", RC_USAGE, "f:2: an arm's name is not UTF-8 or holds control"},
        {"seed,a\xff,b\n1,2,3\n", RC_USAGE, "f:1: an arm's name is not UTF-8 or holds control"},
        {"seed,a,\"b\n1,2,3\n", RC_USAGE, "f:1: a quoted field does not end on its line"},
        {"seed,a,\"b\"c\n1,2,3\n", RC_USAGE, "f:1: 'c' after a closing quote"},
        {"seed,arm,block,value\n1,a,1,2\n1,b,1,2\n1,a,2,2\n", RC_USAGE,
         "f:4: seed 1, block 2 is there for arm 'a' and missing for arm 'b'"},
        {"seed,arm,block,value\n1,a,1,2\n1,a,1,2\n", RC_USAGE, "f:3: seed 1 and block 1 of arm 'a' is there twice"},
        {"seed,arm,block,value\n1,a,x,2\n", RC_USAGE, "f:2:block: 'x' is not a whole number"},
        {"seed,a,b\n1,2,nan\n", RC_USAGE, "f:2: seed 1 of arm 'b' diverged: --cap VALUE says"},
        {"seed,a,b\n1,2,3\n7,-inf,3\n", RC_USAGE, "f:3: seed 7 of arm 'a' diverged"},
        {"{\"arms\": {\"a\": {\"1\": 1}, \"b\": {\"2\": 1}}}", RC_USAGE, "f: arms.b.2: seed 2 is there for arm 'b'"},
        {"{\"arms\": {\"a\": {\"1\": 1, \"1\": 2}}}", RC_USAGE, "f:1: duplicate object key"},
        {"{\"arms\": {\"a\": {\"x\": 1}}}", RC_USAGE, "f: arms.a:seed: 'x' is not a whole number"},
        {"{\"arms\": {\"a\": {\"1\": null}}}", RC_USAGE, "f: arms.a.1:value: 'null' is a missing value"},
        {"{\"arms\": {\"a\": {\"1\": true}}}", RC_USAGE, "f: arms.a.1: the value is not a number"},
        {"{\"arms\": {\"a\": [1, 2], \"b\": [1, 3]}}", RC_USAGE, "f: arms.a: a list names no seeds; write {SEED: "},
        {"{\"a\": [1, 2], \"b\": [1, 3]}", RC_USAGE, "or --unpaired compares runs without them"},
        {"[{\"arm\": \"a\", \"value\": 2}]", RC_USAGE,
         "f: no record has 'seed' (--column seed=NAME names it); there are: 'arm', "},
        {"arm,value\na,2\nb,3\n", RC_USAGE,
         "no column 'seed' (--column seed=NAME names it); there are: 'arm', 'value'; "
         "--unpaired compares runs without seeds"},
        {"\xFF\xFEs", RC_USAGE, "f: UTF-16 that is cut off or holds an invalid character; save it as UTF-8"},
        {"seed,a,b\n1,2,#DIV/0!\n", RC_USAGE, "f:2:b: '#DIV/0!' is not a number"},
        {"{\"arms\": {\"a\": {\"1\": 1e308}}}", RC_USAGE, "f: arms.a.1:value: 1e+308 is too large"},
        {"{\"arms\": [1]}", RC_USAGE, "a JSON object holds \"arms\""},
        {"{\"columns\": [\"seed\", \"a\", 3], \"data\": [[1, 2, 3]]}", RC_USAGE, "f: columns: name 3 is missing or no"},
        {"{\"columns\": [\"seed\", \"a\"], \"data\": [[1, 2, 3]]}", RC_USAGE,
         "f: columns: name 3 is missing or no text"},
        {"{\"arm\": {}}", RC_USAGE, "a JSON object holds \"arms\""},
        {"[{\"seed\": 1, \"arm\": \"a\", \"value\": 2}", RC_USAGE, "f:1: "},
        {"[{\"seed\": 1, \"arm\": \"a\"}]", RC_USAGE, "f: no key is left for the values"},
        {"[{\"seed\": 1.5, \"arm\": \"a\", \"value\": 2}]", RC_USAGE, "f: [0]:seed: '1.5' is not a whole number"},
        {"[{\"seed\": 1, \"a\": 2}, 3]", RC_USAGE, "f: [1]: not an object of seed, arm and value"},
        {"[{\"seed\": 1, \"a\": 2}, {\"seed\": 2, \"a\": true}]", RC_USAGE, "f: [1]:a: 'true' is not a number"},
        {"[{\"seed\": 1, \"a\": [2]}]", RC_USAGE, "f: [0]:a: '[2]' is not a number"},
        {"[{\"seed\": 1, \"a\": 2}, {\"seed\": 2}]", RC_USAGE, "f: [1]:a: empty (every arm needs every seed"},
        {"[{\"seed\": 1, \"a\\n\": 2}]", RC_USAGE, "f: an arm's name is not UTF-8 or holds control characters"},
        {"{\"seed\": {\"0\": 1}, \"a\": {\"0\": 1, \"1\": 2}}", RC_USAGE, "f: a: 2 values beside 1 seeds"},
        {"{\"seed\": {\"0\": 1}, \"a\": {\"7\": 1}}", RC_USAGE, "f: a: row '0' of the seeds is missing"},
        {"{\"columns\": [\"seed\", \"a\"], \"data\": [[1, 2], [2]]}", RC_USAGE, "f: [1]:a: empty"},
        {"[{\"seed\": 1, \"arm\": \"a\", \"value\": NaN}]", RC_UNMEASURED, "'a' is the only arm"},
        {"[{\"seed\": 1, \"arm\": \"a\", \"value\": nan}]", RC_USAGE, "f:1: "},
        {"[{\"seed\": NaN, \"arm\": \"a\", \"value\": 1}]", RC_USAGE, "seed: 'nan' is not a whole number"},
        {"[{\"seed\":1,\"arm\":\"a\",\"value\":2},{\"seed\":1,\"arm\":\"b\",\"value\":2,\"block\":1}]", RC_USAGE,
         "f: [0]:block: empty"},
        {"{\"seed\":1,\"arm\":\"a\",\"value\":2}\n\n{\"seed\":1,\"arm\":\"a\",\"value\":2}\n", RC_USAGE,
         "f:3: seed 1 of arm 'a' is there twice (first on line 1)"},
        {"{\"seed\":1,\"arm\":\"a\",\"value\":2}\n{\"seed\":1,\"arm\":\"b\",\"value\":\n", RC_USAGE, "f:2: "},
        {"\n{\"seed\":1,\"arm\":\"a\",\"value\":2}\n[1]\n", RC_USAGE, "f:3: not an object of seed, arm and value"},
        {"{\"seed\":1,\"arm\":\"a\",\"value\":2}\n{\"seed\":1,\"arm\":\"b\",\"valeu\":2}\n", RC_USAGE,
         "f: unknown key 'valeu'; did you mean 'value'?"},
        {"[{\"seed\":1,\"arm\":\"a\",\"value\":2},{\"seed\":1,\"arm\":\"a\",\"value\":2}]", RC_USAGE,
         "f: [1]: seed 1 of arm 'a' is there twice"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused(bad[i].text, plain, bad[i].code, bad[i].says);
    cr_expect_eq(compare_parse(&d, "f", (CompareColumns){0}, "seed,a\0,b\n", 10, &e), RC_USAGE);
    cr_expect(strstr(e.text, "zero byte"));
}

Test(compare_bad, options_that_do_not_fit) {
    CompareOptions o = plain;
    o.baseline = "prr";
    refused("seed,pre,post\n1,2,3\n2,2,3\n", o, RC_USAGE, "--baseline: there is no arm 'prr'; did you mean 'pre'?");
    o = plain, o.looks = 2, o.look[0] = 3, o.look[1] = 5;
    refused("seed,pre,post\n1,2,3\n2,2,3\n", o, RC_USAGE, "2 seeds, which is not one of the looks (3, 5)");
    o.look[0] = 9;
    refused("seed,pre,post\n1,2,3\n2,2,3\n", o, RC_USAGE, "--looks: seed counts must rise");
}

/* line: words with blanks between them. */
static void command_refused(const char *line, const char *says) {
    char *copy = mem_text(line), *rest = copy, *word[8], *one;
    LOCAL(options_release) Options o;
    Session s = {.options = &o, .threads = 1};
    int words = 0;
    while ((one = strsep(&rest, " ")) && words < 8) word[words++] = one;
    e = (Error){0};
    Rc rc = options_parse(&o, "compare", words, word, &e);
    if (!rc) rc = command_compare(&s, &e);
    cr_expect_eq(rc, RC_USAGE, "%s: exit code %d", line, rc);
    cr_expect(strstr(e.text, says), "'%s' does not say '%s'", e.text, says);
    free(copy);
}

Test(compare_bad, command_lines_that_are_refused) {
    command_refused("--format json", "name a file, a folder, or - for");
    command_refused("a b", "a: No such file");
    command_refused("a --as wandb-chrat", "no reader is called 'wandb-chrat'; did you mean 'wandb_chart'?");
    command_refused("a --at lst", "--at: 'lst' is none of last, best, own-best, step:N and every");
    command_refused("a --at step:", "--at: 'step:' is none of");
    command_refused("a --where loss", "--where: 'loss' is not key=value");
    command_refused("a --format json --format tex", "--format json or --format tex, not both");
    command_refused("a --format junit --sentence", "--sentence or --format junit, not both");
    command_refused("a --format junit --against 3", "--against or --format junit, not both");
    command_refused("a --format junit --at every", "--at every or --format junit, not both");
    command_refused("a --format junit --anytime", "--anytime or --format junit, not both");
    command_refused("a --better hgher", "--better: unknown 'hgher'; did you mean 'higher'?");
    command_refused("a --margin 1e-3x", "--margin: '1e-3x' is not a number");
    command_refused("a --margin 0", "--margin: '0' is not a number above 0");
    command_refused("a --margin .0.2", "--margin: '.0.2' is not a number");
    command_refused("no-such-file.csv --margin .02", "no-such-file.csv: No such file"); /* that margin is read */
    command_refused("no-such-file.csv --margin +2e-2 --cap -.5", "no-such-file.csv: No such file");
    command_refused("a --fail-on better", "--fail-on: 'better' is neither worse nor worse-by:D");
    command_refused("a --fail-on worse-by:", "--fail-on: 'worse-by:' is neither");
    command_refused("a --fail-on worse-by:-1", "--fail-on: 'worse-by:-1' is neither");
    command_refused("a --target soon", "--target: 'soon' is not a number");
    command_refused("a --target 1e100", "--target: '1e100' is not a number");
    command_refused("a --column step=epoch", "--column step names a column of the curves that --target VALUE reads");
    command_refused("a --stall nan", "--stall: 'nan' is not a number");
    command_refused("a --conf 95", "--conf: '95' is not a level from 0.5");
    command_refused("a --cap nan", "--cap: 'nan' is not a number");
    command_refused("a --looks 3,,8", "--looks: '3,,8' is not a list");
    command_refused("a --anytime --looks 3,8", "--anytime or --looks, not both");
    command_refused("a --anytime --unpaired", "--anytime or --unpaired, not both");
    command_refused("a --most-seeds 9", "--most-seeds goes with --anytime, whose forecast ends there");
    command_refused("no-such-file.csv", "no-such-file.csv: No such file");
    command_refused("a --threads 2", "does not take it");
}

/* "nan" and "inf" as words of their own, in the text and in LaTeX; in JSON only the string of a diverged run. */
static void no_words_for_numbers(const char *what) {
    static const char *const words[] = {"nan", "inf", "NaN", "Inf", "-0.000 ", "-0.00 "};
    void (*const write[])(const CompareResult *, Text *) = {compare_text, compare_tex};
    LOCAL_TEXT(out);
    for (size_t w = 0; w < 2; w++) {
        text_clear(&out);
        write[w](&r, &out);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            for (const char *at = out.at; (at = strstr(at, words[k])); at++) {
                bool alone = at == out.at || !isalpha((unsigned char)at[-1]);
                alone &= !isalpha((unsigned char)at[strlen(words[k])]);
                cr_expect(!alone, "%s: '%.60s'", what, at);
            }
        size_t longest = 0;
        for (const char *at = out.at; !w && *at; at += strcspn(at, "\n") + 1)
            longest = strcspn(at, "\n") > longest ? strcspn(at, "\n") : longest;
        cr_expect_leq(longest, 110, "%s: a line of %zu columns", what, longest);
    }
    text_clear(&out);
    compare_json(&r, &out);
    json_auto_t *root = json_loads(out.at, JSON_REJECT_DUPLICATES, NULL);
    cr_expect(root, "%s: JSON does not parse", what);
    int lost = 0;
    for (const char *at = out.at; (at = strstr(at, "\"nan\"")); at++) lost++;
    cr_expect_eq(lost, d.lost, "%s: nan is not only what a diverged run says", what);
}

Test(compare_bad, hard_numbers_give_a_status) {
    static const struct {
        const char *text;
        Rc code;
        const char *verdict; /* of the first comparison */
        StStatus t;
    } hard[] = {
        {"seed,a,b\n1,2,3\n", RC_INCONCLUSIVE, "not testable", ST_N_TOO_SMALL},
        {"seed,a,b\n1,2,3\n2,2.5,3.25\n", RC_INCONCLUSIVE, "not testable", ST_OK},
        {"seed,a,b\n1,2,2\n2,3,3\n3,4,4\n", RC_INCONCLUSIVE, "not testable", ST_DEGENERATE},
        {"seed,a,b\n1,2,2\n2,2,2\n3,2,2\n4,2,2\n5,2,2\n6,2,2\n7,2,2\n8,2,2\n", RC_OK, "equivalent", ST_DEGENERATE},
        {"seed,a,b\n1,3.38,3.39\n2,3.40,3.41\n", RC_INCONCLUSIVE, "not testable", ST_DEGENERATE},
        {"seed,a,b\n1,0.05,0.1\n2,0.15,0.2\n3,0.25,0.3\n4,0.35,0.4\n5,0.45,0.5\n6,0.55,0.6\n", RC_REGRESSION, "worse",
         ST_DEGENERATE},
        {"seed,a,b\n1,1e99,-1e99\n2,1e99,-9e98\n3,1e99,-9.5e98\n", RC_INCONCLUSIVE, "not testable", ST_OK},
        {"seed,a,b\n1,-0,0\n2,0,-0.0\n3,1e-30,0\n", RC_INCONCLUSIVE, "not testable", ST_OK},
        {"seed,a,b\n1,1e-12,3e-12\n2,2e-12,3e-12\n3,2e-12,5e-12\n", RC_INCONCLUSIVE, "not testable", ST_OK},
        {"seed,a,b\n1,nan,inf\n2,nan,nan\n3,diverged,-Infinity\n", RC_INCONCLUSIVE, "not testable", ST_DEGENERATE},
        {"seed,a,b\n9223372036854775807,1,2\n0,1.5,2\n", RC_INCONCLUSIVE, "not testable", ST_OK},
    };
    CompareOptions options = plain;
    options.margin = .01, options.cap = 5;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        Rc rc = run(hard[i].text, options);
        cr_assert_eq(rc, RC_OK, "%zu: %s", i, e.text);
        cr_expect_eq(compare_exit(&r), hard[i].code, "%zu: exit code %d", i, compare_exit(&r));
        const char *verdict = compare_word(&r, r.family.at->decision);
        cr_expect_str_eq(verdict, hard[i].verdict, "%zu", i);
        cr_expect_eq(r.family.at->t.status, hard[i].t, "%zu: %s", i, st_status_text(r.family.at->t.status));
        no_words_for_numbers(hard[i].text);
    }
}

Test(compare_bad, numbers_as_other_programs_write_them) {
    static const double want[] = {.5, 1, -.5, 2.5};
    OK(run("seed,a,b\n1,.5,-.5\n2,+1,+.25e1\n", plain));
    for (int i = 0; i < 4; i++) cr_expect_eq(d.value[i], want[i], "%d: %g", i, d.value[i]);
}

Test(compare_bad, names_that_latex_would_trip_over) {
    OK(run("seed,\"a,\"\"b\"\"\",50%_&#$\\x{}~^,a name that is much too long for the column of names of a table "
           "in text\n1,2,3,4\n2,2,3.5,4\n3,2,3,4.5\n",
           plain));
    cr_expect_str_eq(d.arm[0], "a,\"b\"");
    LOCAL_TEXT(out);
    compare_tex(&r, &out);
    HOLDS(out.at, "\n50\\%\\_\\&\\#\\$\\textbackslash{}x\\{\\}\\textasciitilde{}\\textasciicircum{} & ");
    no_words_for_numbers("odd names");
}

Test(compare_bad, a_thousand_comparisons) {
    enum { ARMS = 1001, SEEDS = 8 };
    LOCAL_TEXT(file);
    text_format(&file, "seed");
    for (int a = 0; a < ARMS; a++) text_format(&file, ",arm %d", a);
    for (int s = 0; s < SEEDS; s++) {
        text_format(&file, "\n%d", s);
        for (int a = 0; a < ARMS; a++)
            text_format(&file, ",%.6f", 3 + .01 * ((a * a * 31 + s * s * a * 17 + s * 101) % 1009) / 1009 + (a == 5));
    }
    OK(run(file.at, plain));
    cr_expect_eq(r.family.count, ARMS - 1);
    cr_expect_eq(r.family.at[4].joint.step_count, 2, "the floor holds for a thousand");
    cr_expect_str_eq(compare_word(&r, r.family.at[4].decision), "worse");
    cr_expect(r.no_omnibus);
}

/* A tenth of the seeds of `a` are better by .01, the others no different: seconds, where it took many minutes. */
Test(compare_bad, a_hundred_thousand_seeds) {
    LOCAL_TEXT(file);
    text_format(&file, "seed,base,a\n");
    for (int s = 0; s < 100000; s++)
        text_format(&file, "%d,%d,%.2f\n", s, s * 31 % 17, s * 31 % 17 - (s % 10 ? 0 : .01));
    CompareOptions options = plain;
    options.margin = .02;
    OK(run(file.at, options));
    const Comparison *c = r.family.at;
    cr_expect_str_eq(compare_word(&r, c->decision), "better but negligible");
    cr_expect_eq(c->joint.step_count, 1, "none of the patterns drawn is as extreme");
    cr_expect_eq(r.family.floor, 1. / 2001);
    cr_expect(c->together.status == ST_OK && c->together.hi < 0 && c->together.lo > -.02);
    no_words_for_numbers("many seeds");
}

Test(compare_bad, a_hundred_thousand_blocks) {
    LOCAL_TEXT(file);
    text_format(&file, "seed,arm,block,value\n");
    for (int s = 0; s < 3; s++)
        for (int arm = 0; arm < 2; arm++)
            for (int b = 0; b < 100000; b++)
                text_format(&file, "%d,%d,%d,%d\n", s, arm, b, (b * 31 + s * 7) % 11 + arm * (s + b % 3));
    OK(run(file.at, plain));
    cr_expect_eq(d.blocks, 100000);
    cr_expect_eq(r.family.at->crossed.status, ST_OK);
    cr_expect(fabs(r.family.at->t.mean - (1 + 99999.0 / 100000)) < 1e-9, "%.12g", r.family.at->t.mean);
    no_words_for_numbers("many blocks");
}

/* Any prefix of a file, and any file with one byte turned: an answer or an error, never a crash. */
Test(compare_bad, damaged_files) {
    static const char *const files[] = {
        "seed,\"a\",b\n1,2,3\n2,\"2.5\",3\n3,nan,3.5\n",
        "[{\"seed\":1,\"arm\":\"a\",\"value\":2},{\"seed\":1,\"arm\":\"b\",\"value\":\"nan\"}]",
        "seed\tarm\tblock\tvalue\n1\ta\t0\t1\n1\tb\t0\t1\n",
    };
    CompareOptions options = plain;
    options.cap = 9;
    int answers = 0, errors = 0;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (size_t at = 0; files[f][at]; at++)
            for (int how = 0; how < 4; how++) {
                static const char turned[] = {'"', ',', '\n'};
                OWNED char *copy = mem_text(files[f]);
                copy[at] = how ? turned[how - 1] : 0;
                if (run(copy, options)) {
                    cr_expect(e.text[0]);
                    errors++;
                } else {
                    no_words_for_numbers(copy);
                    answers++;
                }
            }
    cr_expect_gt(answers, 20);
    cr_expect_gt(errors, 200);
}
