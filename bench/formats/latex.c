#include "bench/formats/latex.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "datasets/tokenizer.h"

int decimals_for(double uncertainty, int fallback) {
    char text[SHOWN];
    if (!isfinite(uncertainty) || uncertainty == 0) return fallback;
    snprintf(text, sizeof text, "%.1e", fabs(uncertainty)); /* rounds first: 0.0996 to 1.0e-01 */
    int decimals = 1 - (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    return decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
}

char *show_number(char out[SHOWN], double x, int decimals) {
    if (!isfinite(x)) return strcpy(out, "n/a");
    if (fabs(x) >= 1e7)
        snprintf(out, SHOWN, "%.2e", x);
    else
        snprintf(out, SHOWN, "%.*f", decimals, x);
    if (out[0] == '-' && !strpbrk(out, "123456789")) memmove(out, out + 1, strlen(out));
    return out;
}

char *show_signed(char out[SHOWN], double x, int decimals) {
    show_number(out, x, decimals);
    if (isfinite(x) && out[0] != '-' && strpbrk(out, "123456789")) {
        memmove(out + 1, out, strlen(out) + 1);
        out[0] = '+';
    }
    return out;
}

/* Write with "%.*e" if the number is too small or large for decimals. */
char *show_with_error(char out[SHOWN], double x, double uncertainty, bool with_sign) {
    bool known = isfinite(uncertainty) && uncertainty != 0;
    double size = fabs(x);
    if (!isfinite(x)) return strcpy(out, "n/a");
    int own = size > 0 ? (int)floor(log10(size)) : 0, digits = known ? 0 : own < 2 ? 3 - own : 2;
    if (known) digits = decimals_for(uncertainty, 0);
    if (own > 2 && digits > 8 - own) digits = own > 8 ? 0 : 8 - own; /* an interval must fit its column */
    bool tiny = known ? uncertainty < 1e-5 : size > 0 && own < -4;
    if (tiny || size >= 1e7) {
        int more = known ? own - (int)floor(log10(uncertainty)) + 1 : 3;
        snprintf(out, SHOWN, with_sign ? "%+.*e" : "%.*e", more < 1 ? 1 : more > 5 ? 5 : more, x);
        return out;
    }
    return with_sign ? show_signed(out, x, digits) : show_number(out, x, digits);
}

char *show_p(char out[SHOWN], double p) {
    char digits[SHOWN];
    if (!isfinite(p)) return strcpy(out, "n/a");
    if (p < 0.001) return strcpy(out, "<.001");
    snprintf(digits, sizeof digits, "%.3f", p);
    return strcpy(out, digits[0] == '1' ? "1" : digits + 1);
}

char *show_text(char out[SHOWN_TEXT], const char *format, ...) {
    va_list list;
    va_start(list, format);
    (void)vsnprintf(out, SHOWN_TEXT, format, list);
    va_end(list);
    return out;
}

int show_bytes(const char *text, int *characters) {
    int bytes = 0, most = *characters;
    for (*characters = 0; text[bytes]; bytes++) {
        bool begins = (text[bytes] & 0xC0) != 0x80;
        if (begins && *characters == most) break;
        *characters += begins;
    }
    return bytes;
}

char *show_p_named(char out[SHOWN], double p) {
    const char *shown = SHOW_P(p);
    snprintf(out, SHOWN, "p %s%s", shown[0] == '<' ? "" : "= ", shown);
    return out;
}

char *show_bounds(char out[SHOWN_BOUNDS], double lo, double hi, double uncertainty) {
    snprintf(out, SHOWN_BOUNDS, "[%s, %s]", SHOW_WITH_ERROR(lo, uncertainty, false),
             SHOW_WITH_ERROR(hi, uncertainty, false));
    return out;
}

void show_interval(Text *out, double lo, double hi, int decimals, const char *why_not) {
    if (isfinite(lo) && isfinite(hi))
        text_format(out, "[%s, %s]", SHOW_NUMBER(lo, decimals), SHOW_NUMBER(hi, decimals));
    else
        text_format(out, "n/a (%s)", why_not);
}

void latex_number(Text *out, const char *shown) {
    const char *power = strchr(shown, 'e');
    if (!strncmp(shown, "n/a", 3))
        text_format(out, "%s", shown);
    else if (power)
        text_format(out, "$%.*s{\\times}10^{%d}$", (int)(power - shown), shown, (int)strtol(power + 1, NULL, 10));
    else if (shown[0] == '-' || shown[0] == '+' || shown[0] == '<')
        text_format(out, "$%c$%s", shown[0], shown + 1);
    else
        text_format(out, "%s", shown);
}

/* Append a character; pdflatex sets accented letters, but not these. */
static void latex_character(Text *out, const char *character, size_t bytes) {
    static const char *const symbols[][2] = {
        {"α", "alpha"},   {"β", "beta"},   {"γ", "gamma"},  {"δ", "delta"},     {"ε", "varepsilon"}, {"ζ", "zeta"},
        {"η", "eta"},     {"θ", "theta"},  {"ι", "iota"},   {"κ", "kappa"},     {"λ", "lambda"},     {"μ", "mu"},
        {"ν", "nu"},      {"ξ", "xi"},     {"π", "pi"},     {"ρ", "rho"},       {"σ", "sigma"},      {"τ", "tau"},
        {"υ", "upsilon"}, {"φ", "varphi"}, {"χ", "chi"},    {"ψ", "psi"},       {"ω", "omega"},      {"Γ", "Gamma"},
        {"Δ", "Delta"},   {"Θ", "Theta"},  {"Λ", "Lambda"}, {"Ξ", "Xi"},        {"Π", "Pi"},         {"Σ", "Sigma"},
        {"Φ", "Phi"},     {"Ψ", "Psi"},    {"Ω", "Omega"},  {"≤", "leq"},       {"≥", "geq"},        {"≠", "neq"},
        {"≈", "approx"},  {"∞", "infty"},  {"±", "pm"},     {"↓", "downarrow"}, {"↑", "uparrow"},    {"†", "dagger"},
        {"‡", "ddagger"}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!strncmp(symbols[i][0], character, bytes)) {
            text_format(out, "\\ensuremath{\\%s}", symbols[i][1]);
            return;
        }
    text_add(out, character, bytes);
}

/* before: the character before the text, by which quotes open or close. */
static void latex_escaped(Text *out, const char *text, char before) {
    static const char *const escapes[128] = {['_'] = "\\_",
                                             ['%'] = "\\%",
                                             ['&'] = "\\&",
                                             ['#'] = "\\#",
                                             ['$'] = "\\$",
                                             ['{'] = "\\{",
                                             ['}'] = "\\}",
                                             ['~'] = "\\textasciitilde{}",
                                             ['^'] = "\\textasciicircum{}",
                                             ['\\'] = "\\textbackslash{}",
                                             ['<'] = "\\textless{}",
                                             ['>'] = "\\textgreater{}",
                                             ['|'] = "\\textbar{}",
                                             ['`'] = "{`}", /* no ligature with ? or ! */
                                             ['"'] = "''"};
    for (const char *s = text; *s;) {
        uint32_t code;
        size_t bytes = utf8_next((const uint8_t *)s, strlen(s), &code);
        const char *escape = bytes == 1 ? escapes[code] : NULL;
        bool opens = strchr(" (", s > text ? s[-1] : before) != NULL;
        if (*s == '"' && opens) escape = "``";
        if (*s == '`' && !opens) escape = "'";
        if (*s == '-' && s[1] == '-') escape = "-{}"; /* two hyphens would become a dash */
        if (!bytes || code < ' ' || code == 127 || code == 0xFFFE || code == 0xFFFF) escape = "?";
        if (escape)
            text_format(out, "%s", escape);
        else
            latex_character(out, s, bytes);
        s += bytes ? bytes : 1;
    }
}

void latex_text(Text *out, const char *text) {
    if (text[0] == '[' || text[0] == '*') text_add(out, "{}", 2); /* else \\ of the row above would take it */
    latex_escaped(out, text, ' ');
}

/* Return the bytes of the number at the start of a text: a sign or '<', digits with a point, a power of ten; 0: none,
 * or it is part of a longer word. */
static size_t number_bytes(const char *s) {
    size_t n = strspn(s, "+-<") ? 1 : 0, whole = strspn(s + n, "0123456789"), part = 0;
    if (s[n + whole] == '.') part = strspn(s + n + whole + 1, "0123456789");
    if (!whole && !part) return 0;
    n += whole + (part ? 1 + part : 0);
    if (s[n] == 'e' && strspn(s + n + 1 + (s[n + 1] == '-' || s[n + 1] == '+'), "0123456789")) {
        n += 1 + (s[n + 1] == '-' || s[n + 1] == '+');
        n += strspn(s + n, "0123456789");
    }
    return s[n] == 0 || strchr(" )],;:/%*", s[n]) || (s[n] == '.' && (s[n + 1] == ' ' || !s[n + 1])) ? n : 0;
}

/* Append "p_adj" with an index in math; return the bytes read. */
static size_t latex_index(Text *out, const char *s) {
    size_t n = 2;
    if ((s[0] != 'p' && s[0] != 'g') || s[1] != '_') return 0;
    while ((s[n] | 32) >= 'a' && (s[n] | 32) <= 'z') n++;
    if (n == 2) return 0;
    text_format(out, "$%c_{\\mathrm{%.*s}}$", s[0], (int)n - 2, s + 2);
    return n;
}

void latex_shown(Text *out, const char *shown) {
    char piece[SHOWN];
    bool start = true;                                              /* at the start of a word */
    if (shown[0] == '[' || shown[0] == '*') text_add(out, "{}", 2); /* else \\ of the row above would take it */
    for (const char *s = shown; *s;) {
        size_t n = start ? number_bytes(s) : 0;
        if (start && !strncmp(s, "+-", 2)) {
            text_format(out, "$\\pm$");
            s += 2;
            continue;
        }
        if (n && n < sizeof piece) {
            snprintf(piece, sizeof piece, "%.*s", (int)n, s);
            latex_number(out, piece);
        } else if (!start || !(n = latex_index(out, s))) {
            n = 1;
            while (((unsigned char)s[n] & 0xC0) == 0x80 || (s[n] == '-' && s[n - 1] == '-')) n++;
            snprintf(piece, sizeof piece, "%.*s", (int)n, s);
            latex_escaped(out, piece, s > shown ? s[-1] : ' ');
        }
        s += n;
        start = strchr(" ([,;=/", s[-1]) != NULL;
    }
}

void latex_breakable(Text *out, const char *text) {
    enum { LONG_WORD = 20 };
    for (const char *s = text, *word = text; *s;) {
        char piece[160];
        size_t n = s == text || strchr(" ([,;=/", s[-1]) ? number_bytes(s) : 0;
        if (n && n < SHOWN) {
            snprintf(piece, sizeof piece, "%.*s", (int)n, s);
            latex_number(out, piece);
            s += n;
            continue;
        }
        n = strcspn(s, "_-./=:, ");
        n += s[n] != 0;
        while (n && s[n] == '-' && s[n - 1] == '-') n++; /* escaped together */
        if (n >= sizeof piece) n = sizeof piece - 1;
        while (n > 1 && ((unsigned char)s[n] & 0xC0) == 0x80) n--; /* cut between characters */
        memcpy(piece, s, n);
        piece[n] = 0;
        if (s == text)
            latex_text(out, piece);
        else
            latex_escaped(out, piece, s[-1]);
        s += n;
        if (s[-1] == ' ') word = s;
        if (*s && s > word && strcspn(word, " ") > LONG_WORD) text_format(out, "\\allowbreak{}");
    }
}

void latex_macro_name(Text *out, const char *text) {
    static const char *const digit[] = {"Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"};
    bool first = true;
    for (const char *s = text; *s; s++) {
        char c = *s;
        bool small = c >= 'a' && c <= 'z', capital = c >= 'A' && c <= 'Z';
        if (c >= '0' && c <= '9')
            text_format(out, "%s", digit[c - '0']);
        else if (small || capital)
            text_format(out, "%c", small && first ? c - 'a' + 'A' : c);
        first = !small && !capital;
    }
}

void csv_text(Text *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        text_add(out, text, strlen(text));
        return;
    }
    text_add(out, "\"", 1);
    for (const char *s = text; *s; s++) text_add(out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    text_add(out, "\"", 1);
}

void csv_number(Text *out, double x) {
    char shown[40];
    if (isfinite(x)) text_add(out, shown, strlen(format_real(shown, x == 0 ? 0 : x)));
}
