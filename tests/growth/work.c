/* Counts what a command does, for work.py: put in front of the program with LD_PRELOAD, it writes "name count" lines
 * to the file WORK_COUNTS when the program ends. Only calls that the program makes itself pass here, not those inside
 * the C library. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { COMPARED, FORMATTED, HASHED, BYTES, OPENED, EVENTS, NORMALS, DUMPED, LIMITS, COUNTS };
static const char *const names[COUNTS] = {"compared", "formatted", "hashed",  "bytes",
                                           "opened",   "events",    "normals", "dumped", "limits"};
static unsigned long long counts[COUNTS]; /* the commands here have one thread that counts */

/* ---- strings that are compared ---- */

int strcmp(const char *a, const char *b) {
    counts[COMPARED]++;
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

/* ---- numbers and texts that are formatted ---- */

int vsnprintf(char *to, size_t size, const char *format, va_list args) {
    static __typeof__(&vsnprintf) next;
    if (!next) next = NEXT(vsnprintf);
    counts[FORMATTED]++;
    return next(to, size, format, args);
}

int snprintf(char *to, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(to, size, format, args);
    va_end(args);
    return n;
}

int sprintf(char *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(to, (size_t)1 << 30, format, args);
    va_end(args);
    return n;
}

/* ---- hashes, and the bytes in them ---- */

int EVP_DigestUpdate(void *context, const void *bytes, size_t length) {
    static int (*next)(void *, const void *, size_t);
    if (!next) next = (int (*)(void *, const void *, size_t))dlsym(RTLD_NEXT, "EVP_DigestUpdate");
    counts[BYTES] += length;
    return next(context, bytes, length);
}

int EVP_DigestFinal_ex(void *context, unsigned char *out, unsigned *length) {
    static int (*next)(void *, unsigned char *, unsigned *);
    if (!next) next = (int (*)(void *, unsigned char *, unsigned *))dlsym(RTLD_NEXT, "EVP_DigestFinal_ex");
    counts[HASHED]++;
    return next(context, out, length);
}

int EVP_Digest(const void *bytes, size_t length, unsigned char *out, unsigned *size, const void *kind, void *engine) {
    static int (*next)(const void *, size_t, unsigned char *, unsigned *, const void *, void *);
    if (!next) next = (__typeof__(next))dlsym(RTLD_NEXT, "EVP_Digest");
    counts[HASHED]++, counts[BYTES] += length;
    return next(bytes, length, out, size, kind, engine);
}

/* ---- files, experiments and samples ---- */

static int opened(const char *name, const char *path, int flags, mode_t mode) {
    counts[OPENED]++;
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name))(path, flags, mode);
}

static mode_t mode_of(int flags, va_list args) {
    return flags & O_CREAT ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return opened("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return opened("open64", path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    counts[OPENED]++;
    return NEXT(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
    counts[OPENED]++;
    return ((FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen64"))(path, mode);
}

int yaml_parser_parse(void *parser, void *event) {
    static int (*next)(void *, void *);
    if (!next) next = (int (*)(void *, void *))dlsym(RTLD_NEXT, "yaml_parser_parse");
    counts[EVENTS]++;
    return next(parser, event);
}

/* JSON that is printed, in bytes. */
char *json_dumps(const void *value, size_t flags) {
    static char *(*next)(const void *, size_t);
    if (!next) next = (char *(*)(const void *, size_t))dlsym(RTLD_NEXT, "json_dumps");
    char *text = next(value, flags);
    counts[DUMPED] += text ? strlen(text) : 0;
    return text;
}

double gsl_ran_gaussian_ziggurat(const void *rng, double sigma) {
    static double (*next)(const void *, double);
    if (!next) next = (double (*)(const void *, double))dlsym(RTLD_NEXT, "gsl_ran_gaussian_ziggurat");
    counts[NORMALS]++;
    return next(rng, sigma);
}

/* Limits of intervals by sign flips: four of each comparison that is judged. */
double gsl_stats_select(double *from, size_t stride, size_t n, size_t k) {
    static double (*next)(double *, size_t, size_t, size_t);
    if (!next) next = (double (*)(double *, size_t, size_t, size_t))dlsym(RTLD_NEXT, "gsl_stats_select");
    counts[LIMITS]++;
    return next(from, stride, n, k);
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("WORK_COUNTS");
    FILE *to = path ? NEXT(fopen)(path, "w") : NULL;
    for (int i = 0; to && i < COUNTS; i++) fprintf(to, "%s %llu\n", names[i], counts[i]);
    if (to) fclose(to);
}
