/* Tasks: prompts against strings written by hand from the harness's own definitions, and every bad file. */
#include "base/text.h"
#include "bench/tasks/task.h"
#include "tests/test.h"

typedef struct {
    int task;
    const char *line, *labels;
    int choices, label;
    const char *context[4], *text[4];
} Prompt;

static const Prompt prompts[] = {
    {TASK_arc_easy,
     "{\"id\": \"x\", \"question\": {\"stem\": \"What is ice?\", \"choices\": [{\"text\": \"water\", \"label\": "
     "\"1\"}, "
     "{\"text\": \"air\", \"label\": \"2\"}, {\"text\": \"fire\", \"label\": \"3\"}]}, \"answerKey\": \"2\"}\n",
     NULL,
     3,
     1,
     {"Question: What is ice?\nAnswer:", "Question: What is ice?\nAnswer:", "Question: What is ice?\nAnswer:"},
     {"water", "air", "fire"}},
    /* ctx_b is capitalized as Python does it, the rest of it lowered; brackets go, and what stands in them. */
    {TASK_hellaswag,
     "{\"activity_label\": \"Removing ice\", \"ctx_a\": \"A man [step] sits.\", \"ctx_b\": \"then Bob\", \"ctx\": "
     "\"?\", "
     "\"endings\": [\" he goes. [substeps] Done\", \"how [title] Tie\", \"c\", \"d  \"], \"label\": 3}\n",
     NULL,
     4,
     3,
     {"Removing ice: A man sits. Then bob", "Removing ice: A man sits. Then bob", "Removing ice: A man sits. Then bob",
      "Removing ice: A man sits. Then bob"},
     {"he goes. Done", "how. Tie", "c", "d"}},
    {TASK_hellaswag,
     "{\"ctx\": \"A dog\", \"endings\": [\"barks\", \"reads\"], \"label\": \"0\"}",
     NULL,
     2,
     0,
     {"A dog", "A dog"},
     {"barks", "reads"}},
    {TASK_piqa,
     "{\"goal\": \"boil \\u00e9 \", \"sol1\": \"heat\", \"sol2\": \" cool it\"}\r\n",
     "1\r\n",
     2,
     1,
     {"Question: boil \xc3\xa9 \nAnswer:", "Question: boil \xc3\xa9 \nAnswer:"},
     {"heat", " cool it"}},
    {TASK_siqa,
     "{\"context\": \"Al ran.\", \"question\": \"Why?\", \"answerA\": \"late\", \"answerB\": \"fun\", \"answerC\": "
     "\"cold\"}",
     "3",
     3,
     2,
     {"Q: Al ran. Why?\nA:", "Q: Al ran. Why?\nA:", "Q: Al ran. Why?\nA:"},
     {"late", "fun", "cold"}},
    {TASK_siqa,
     "{\"context\": \"Al ran.\", \"question\": \"Why?\", \"answerA\": \"late\", \"answerB\": \"fun\", \"answerC\": "
     "\"cold\", "
     "\"label\": \"1\"}",
     NULL,
     3,
     0,
     {"Q: Al ran. Why?\nA:", "Q: Al ran. Why?\nA:", "Q: Al ran. Why?\nA:"},
     {"late", "fun", "cold"}},
    {TASK_winogrande,
     "{\"qID\": \"1\", \"sentence\": \"Ann thanked Bea because _ had helped. \", \"option1\": \"Ann\", \"option2\": "
     "\"Bea\", \"answer\": \"2\"}",
     NULL,
     2,
     1,
     {"Ann thanked Bea because Ann", "Ann thanked Bea because Bea"},
     {"had helped.", "had helped."}},
};

Test(tasks, prompts_are_the_harness_s) {
    int tasks = 0;
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        const Prompt *p = &prompts[i];
        LOCAL(task_release) Task t;
        OK(task_read(&t, &task_info[p->task], "f", p->line, strlen(p->line), "l", p->labels, &e));
        cr_assert(t.items == 1 && t.item[0].choices == p->choices && t.item[0].label == p->label, "%zu", i);
        for (int c = 0; c < p->choices; c++) {
            cr_assert_str_eq(t.item[0].context[c], p->context[c]);
            cr_assert_str_eq(t.item[0].text[c], p->text[c]);
        }
        tasks |= 1 << p->task;
    }
    cr_assert_eq(tasks, (1 << TASK_COUNT) - 1, "a task without a prompt here");
}

#define ARC(choices, answer) \
    "{\"question\": {\"stem\": \"s\", \"choices\": [" choices "]}, \"answerKey\": \"" answer "\"}"
#define CHOICE(text, label) "{\"text\": \"" text "\", \"label\": \"" label "\"}"
#define PIQA "{\"goal\": \"g\", \"sol1\": \"a\", \"sol2\": \"b\"}"
#define SIQA "{\"context\": \"c\", \"question\": \"q\", \"answerA\": \"a\", \"answerB\": \"b\", \"answerC\": \"c\""
#define WINO(sentence, one, two, more) \
    "{\"sentence\": \"" sentence "\", \"option1\": \"" one "\", \"option2\": \"" two "\"" more "}"

static const struct {
    int task;
    const char *line, *labels, *says;
} bad[] = {
    {TASK_piqa, "", "", "f: no items"},
    {TASK_piqa, "\n  \n", "", "f: no items"},
    {TASK_piqa, "goal,sol1,sol2\n", "0", "f:1: not a line of JSON"},
    {TASK_piqa, PIQA "\n[1]\n", "0\n1", "f:2: not an object of JSON"},
    {TASK_piqa, WINO("a _ b", "x", "y", ", \"answer\": \"1\""), "0",
     "f:1: no 'goal'; an item of piqa has goal, sol1, sol2"},
    {TASK_piqa, "{\"goal\": 7, \"sol1\": \"a\", \"sol2\": \"b\"}", "0", "f:1: 'goal' is not a text"},
    {TASK_piqa, "{\"goal\": \" \", \"sol1\": \"a\", \"sol2\": \"b\"}", "0", "f:1: 'goal' is blank"},
    {TASK_piqa, "\xFF\xFE{", "0", "f: UTF-16 that is cut off or holds an invalid character; save it as UTF-8"},
    {TASK_piqa, PIQA,
     "\xFF\xFE"
     "0",
     "l: UTF-16 that is cut off or holds an invalid character; save it as UTF-8"},
    {TASK_piqa, PIQA, NULL, "f:1: it has no label"},
    {TASK_piqa, PIQA, "", "l: 0 labels for 1 item of piqa"},
    {TASK_piqa, PIQA "\n" PIQA, "0\n", "l: 1 label for 2 items of piqa"},
    {TASK_piqa, PIQA, "0\n1\n", "l: 2 labels for 1 item of piqa"},
    {TASK_piqa, PIQA, "2\n", "l:1: '2' is not a label from 0 to 1"},
    {TASK_piqa, PIQA, "\n", "l:1: '' is not a label from 0 to 1"},
    {TASK_siqa, SIQA "}", "0", "l:1: '0' is not a label from 1 to 3"},
    {TASK_siqa, SIQA ", \"label\": \"4\"}", NULL, "f:1: 'label' is not a number from 1 to 3"},
    {TASK_siqa, SIQA ", \"label\": \"\"}", NULL,
     "f:1: it has no label: a test set whose answers are not published, or --file labels:siqa=FILE is missing"},
    {TASK_arc_easy, "{\"question\": \"s\", \"answerKey\": \"A\"}", NULL, "f:1: no 'question' with 'stem'"},
    {TASK_arc_easy, ARC(CHOICE("x", "A"), "A"), NULL, "f:1: 'choices' is not a list of 2 to 8"},
    {TASK_arc_easy, ARC(CHOICE("x", "A") "," CHOICE("y", "B"), "C"), NULL, "f:1: answerKey 'C' is no choice's label"},
    {TASK_arc_easy, ARC(CHOICE("x", "A") "," CHOICE("", "B"), "A"), NULL, "f:1: choice 2: 'text' is blank"},
    {TASK_hellaswag, "{\"ctx\": \"c\", \"endings\": [\"a\", \"b\"], \"label\": \"\"}", NULL, "f:1: it has no label"},
    {TASK_hellaswag, "{\"ctx\": \"c\", \"endings\": [\"a\", 1], \"label\": 0}", NULL,
     "f:1: ending 2 is blank or no text"},
    {TASK_hellaswag, "{\"ctx\": \"[c]\", \"endings\": [\"a\", \"b\"], \"label\": 0}", NULL,
     "f:1: its context is blank"},
    {TASK_hellaswag, "{\"ctx\": \"c\", \"endings\": [\"a\", \"b\"], \"label\": 2}", NULL,
     "f:1: 'label' is not a number from 0 to 1"},
    {TASK_hellaswag, "{\"ctx\": \"c\", \"endings\": \"a\", \"label\": 0}", NULL, "f:1: 'endings' is not a list"},
    {TASK_winogrande, WINO("a b", "x", "y", ", \"answer\": \"1\""), NULL, "f:1: 'sentence' has not just one _"},
    {TASK_winogrande, WINO("a _ _", "x", "y", ", \"answer\": \"1\""), NULL, "f:1: 'sentence' has not just one _"},
    {TASK_winogrande, WINO("a _", "x", "y", ", \"answer\": \"1\""), NULL, "f:1: 'sentence' has nothing behind its _"},
    {TASK_winogrande, WINO("a _ b", "x", "y", ""), NULL, "f:1: it has no label"},
    {TASK_winogrande, WINO("a _ b", "x", "y", ", \"answer\": \"3\""), NULL,
     "f:1: 'answer' is not a number from 1 to 2"},
};

Test(tasks, bad_files_get_one_line) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Task t;
        e = (Error){0};
        Rc rc = task_read(&t, &task_info[bad[i].task], "f", bad[i].line, strlen(bad[i].line), "l", bad[i].labels, &e);
        cr_expect_eq(rc, RC_USAGE, "%s", bad[i].line);
        cr_expect(!strncmp(e.text, bad[i].says, strlen(bad[i].says)), "%s\nnot: %s", e.text, bad[i].says);
        cr_expect(!strchr(e.text, '\n') && !t.item, "%s", e.text);
    }
}

/* Marks and line ends of other programs; the bytes of UTF-16 hold zeros. */
Test(tasks, files_of_other_programs_are_read) {
    static const char *const lines[] = {"\xEF\xBB\xBF" PIQA "\n" PIQA "\n", PIQA "\r" PIQA "\r", PIQA "\r\n" PIQA};
    static const char *const labels[] = {"\xEF\xBB\xBF"
                                         "0\n1\n",
                                         "0\r1\r", "0\r\n1"};
    char wide[256] = "\xFF\xFE";
    Task t;
    for (size_t i = 0; i < 4; i++) {
        const char *text = i < 3 ? lines[i] : wide;
        size_t length = strlen(lines[i % 3]);
        if (i == 3) { /* the first in UTF-16 */
            for (size_t k = 3; k < strlen(lines[0]); k++) wide[2 * (k - 2)] = lines[0][k];
            length = 2 * (strlen(lines[0]) - 2);
        }
        Rc rc = task_read(&t, &task_info[TASK_piqa], "f", text, length, "l", labels[i % 3], &e);
        cr_assert_eq(rc, RC_OK, "%zu: %s", i, e.text);
        cr_expect(t.items == 2 && t.item[0].label == 0 && t.item[1].label == 1 && t.item[1].line == 2);
        cr_expect_str_eq(t.item[1].text[1], "b");
        task_release(&t);
    }
}

Test(tasks, equal_choices_are_kept_and_marked) {
    static const struct {
        int task;
        const char *line;
        bool twins;
    } rows[] = {{TASK_arc_easy, ARC(CHOICE("x", "A") "," CHOICE("x", "B") "," CHOICE("y", "C"), "B"), true},
                {TASK_arc_easy, ARC(CHOICE("x", "A") "," CHOICE("y", "B"), "B"), false},
                {TASK_piqa, "{\"goal\": \"g\", \"sol1\": \"a\", \"sol2\": \"a\", \"label\": 1}", true},
                {TASK_winogrande, WINO("a _ b", "x", "x", ", \"answer\": \"1\""), true},
                {TASK_winogrande, WINO("a _ b", "x", "y", ", \"answer\": \"1\""), false},
                {TASK_hellaswag, "{\"ctx\": \"c\", \"endings\": [\"a\", \"[b]a\"], \"label\": 0}", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        LOCAL(task_release) Task t;
        e = (Error){0};
        Rc rc = task_read(&t, &task_info[rows[i].task], "f", rows[i].line, strlen(rows[i].line), NULL, NULL, &e);
        cr_assert_eq(rc, RC_OK, "%s: %s", rows[i].line, e.text);
        cr_expect_eq(t.item[0].twins, rows[i].twins, "%s", rows[i].line);
    }
}

/* The published files, where the mirror stands beside the checkout: all items, and a prompt of each read by eye. */
Test(tasks, pinned_files_are_read_completely) {
    static const struct {
        int task, items;
        const char *context, *text;
        int label;
    } want[] = {
        {TASK_arc_easy, 2376,
         "Question: Which statement best explains why photosynthesis is the foundation of most food webs?\nAnswer:",
         "Sunlight is the source of energy for nearly all ecosystems.", 0},
        {TASK_piqa, 1838, "Question: How do I ready a guinea pig cage for it's new occupants?\nAnswer:",
         "Provide the guinea pig with a cage full of a few inches of bedding made of ripped paper strips, you will "
         "also "
         "need to supply it with a water bottle and a food dish.",
         0},
    };
    DataPlaces places = {.root = SOURCE_ROOT, .offline = true};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        LOCAL(task_release) Task t;
        TaskFiles none = {0};
        Rc rc = task_open(&t, &task_info[want[i].task], &none, &places, &e);
        if (rc == RC_UNMEASURED) cr_skip_test("no mirror beside the checkout");
        OK(rc);
        cr_assert(t.items == want[i].items && t.pinned);
        cr_assert_str_eq(t.item[0].context[0], want[i].context);
        cr_assert_str_eq(t.item[0].text[0], want[i].text);
        cr_assert_eq(t.item[0].label, want[i].label);
        task_cut(&t, 5);
        cr_assert_eq(t.items, 5);
    }
}

Test(tasks, the_dev_set_of_arc_easy_is_read_completely) {
    size_t rows;
    const CorpusFile *row = manifest_task("arc-easy", &rows);
    DataPlaces places = {.root = SOURCE_ROOT, .offline = true};
    LOCAL(corpus_release) CorpusBytes c;
    LOCAL(task_release) Task t;
    cr_assert(rows == 2 && row[0].part == PART_VALID);
    if (corpus_obtain(&c, row, &places, &e) == RC_UNMEASURED) cr_skip_test("no mirror beside the checkout");
    OK(task_read(&t, &task_info[TASK_arc_easy], "dev", (char *)c.bytes, c.length, NULL, NULL, &e));
    cr_assert_eq(t.items, 570);
}

Test(tasks, what_is_not_pinned_asks_for_a_file) {
    Task t;
    TaskFiles none = {0}, absent = {"/nonexistent/items", NULL};
    DataPlaces places = {.offline = true};
    cr_assert_eq(task_open(&t, &task_info[TASK_siqa], &none, &places, &e), RC_USAGE);
    cr_assert(strstr(e.text, "siqa: not pinned here; --file siqa=FILE"), "%s", e.text);
    cr_assert_eq(task_open(&t, &task_info[TASK_arc_easy], &none, &places, &e), RC_UNMEASURED);
    cr_assert(strstr(e.text, "--file arc-easy=FILE") && strstr(e.text, "no address"), "%s", e.text);
    cr_assert_eq(task_open(&t, &task_info[TASK_siqa], &absent, &places, &e), RC_USAGE);
    cr_assert(strstr(e.text, "/nonexistent/items"), "%s", e.text);
}
