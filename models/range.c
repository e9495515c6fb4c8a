#include "models/range.h"

#include <stdio.h>
#include <string.h>

static int first_of(Depth from, int depth) {
    if (from.of) return (int)((long)from.n * depth / from.of);
    return from.n ? from.n - 1 : 0;
}

static int last_of(Depth to, int depth) {
    if (to.of) return (int)((long)to.n * depth / to.of) - 1;
    return to.n ? to.n - 1 : depth - 1;
}

bool range_whole(BlockRange r) {
    return !r.from.n && !r.to.n && !r.to.of;
}

bool range_holds(BlockRange r, int layer, int depth) {
    return layer >= first_of(r.from, depth) && layer <= last_of(r.to, depth);
}

Rc range_check(BlockRange r, int depth, Error *e) {
    char text[RANGE_TEXT_SIZE];
    int first = first_of(r.from, depth), last = last_of(r.to, depth), needs = (last >= depth ? last : first) + 1;
    range_text(text, r);
    if ((!r.from.of && first >= depth) || (!r.to.of && last >= depth))
        return error_set(e, RC_USAGE, "'%s' needs %d blocks; layers is %d", text, needs, depth);
    if (first > last) return error_set(e, RC_USAGE, "'%s' holds no block when layers is %d", text, depth);
    return RC_OK;
}

static int divisor(int a, int b) {
    return b ? divisor(b, a % b) : a;
}

static bool fraction(Depth *d, int64_t n, int64_t of) {
    if (of < 1 || of > RANGE_MAX || n < 0 || n > of) return false;
    int by = divisor((int)n, (int)of);
    *d = (Depth){(int)n / by, (int)of / by};
    return true;
}

/* "3", "2/3", "0.5" (at most three digits behind the point, so that it is a fraction in whole numbers). */
static bool parse_place(Depth *d, const char *word) {
    char left[16];
    int64_t n, of = 1;
    size_t whole = strcspn(word, "/.");
    if (!word[whole]) {
        if (!parse_integer(word, &n) || n < 0 || n >= RANGE_MAX) return false;
        *d = (Depth)AT_BLOCK((int)n);
        return true;
    }
    const char *rest = word + whole + 1;
    if (whole >= sizeof left) return false;
    snprintf(left, sizeof left, "%.*s", (int)whole, word);
    if (!parse_integer(left, &n)) return false;
    if (word[whole] == '/') return parse_integer(rest, &of) && fraction(d, n, of);
    size_t digits = strspn(rest, "0123456789");
    if (!digits || digits > 3 || rest[digits] || n < 0 || n > 1) return false;
    for (size_t i = 0; i < digits; i++) n = n * 10 + (rest[i] - '0'), of *= 10;
    return fraction(d, n, of);
}

/* The next word of *at, which moves behind it; false at the end or when it does not fit into word[32]. */
static bool next_word(const char **at, char word[32]) {
    *at += strspn(*at, " ");
    size_t n = strcspn(*at, " ");
    if (!n || n > 31) return false;
    snprintf(word, 32, "%.*s", (int)n, *at);
    *at += n;
    return true;
}

/* Ends that say nothing become open ones, so that a range has one text. */
static BlockRange canonical(BlockRange r) {
    if (r.from.of ? !r.from.n : r.from.n == 1) r.from = (Depth){0, 0};
    if (r.to.of && r.to.n == r.to.of) r.to = (Depth){0, 0};
    return r;
}

static bool backward(BlockRange r) {
    if (r.to.of && !r.to.n) return true;
    if (r.from.of && r.to.of) return (long)r.from.n * r.to.of >= (long)r.to.n * r.from.of;
    if (r.from.of) return r.from.n == r.from.of;
    return r.from.n && r.to.n && !r.to.of && r.from.n > r.to.n;
}

Rc range_parse(BlockRange *out, const char *words, Error *e) {
    BlockRange r = {0};
    char name[32], place[32];
    bool given[2] = {false, false};
    while (next_word(&words, name)) {
        bool to = !strcmp(name, "to");
        if (!to && strcmp(name, "from") != 0) return error_set(e, RC_USAGE, "'%s' is neither 'from' nor 'to'", name);
        if (given[to]) return error_set(e, RC_USAGE, "'%s' is given twice", name);
        given[to] = true;
        if (!next_word(&words, place)) return error_set(e, RC_USAGE, "%s: the place is missing", name);
        if (!parse_place(to ? &r.to : &r.from, place))
            return error_set(
                e, RC_USAGE,
                "%s: '%s' is neither a block (0 is the first) nor a fraction of the depth such as 2/3 or 0.5", name,
                place);
    }
    if (words[strspn(words, " ")]) return error_set(e, RC_USAGE, "'%.40s' is too long", words + strspn(words, " "));
    if (backward(r)) {
        char text[RANGE_TEXT_SIZE];
        return error_set(e, RC_USAGE, "'%s' holds no block: it ends before it begins", range_text(text, r));
    }
    *out = canonical(r);
    return RC_OK;
}

static size_t add_place(char *out, size_t n, const char *word, Depth d) {
    if (!d.n && !d.of) return n;
    n += (size_t)snprintf(out + n, RANGE_TEXT_SIZE - n, "%s%s %d", n ? " " : "", word, d.of ? d.n : d.n - 1);
    if (d.of) n += (size_t)snprintf(out + n, RANGE_TEXT_SIZE - n, "/%d", d.of);
    return n;
}

char *range_text(char *out, BlockRange r) {
    out[0] = 0;
    add_place(out, add_place(out, 0, "from", r.from), "to", r.to);
    return out;
}
