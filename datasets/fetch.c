#include "datasets/fetch.h"

#include <string.h>

#include "base/text.h"

static bool begins(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

#ifdef HAVE_CURL

#include <curl/curl.h>

typedef struct {
    const FetchRules *rules;
    Text body;
    bool too_long;
} Download;

bool fetch_available(void) {
    return true;
}

/* Receive a piece of the body from libcurl; any return but its length ends the download. */
static size_t receive(char *piece, size_t size, size_t count, void *context) {
    Download *d = context;
    d->too_long = size * count > d->rules->limit - d->body.length;
    if (d->too_long) return 0;
    text_add(&d->body, piece, size * count);
    return size * count;
}

static int progress(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now) {
    (void)total, (void)now, (void)up_total, (void)up_now;
    Download *d = context;
    return d->rules->stopped && d->rules->stopped();
}

static void set_options(CURL *curl, const char *url, Download *d, char why[CURL_ERROR_SIZE]) {
    curl_easy_setopt(curl, CURLOPT_URL, url);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, d->rules->allow_file ? "https,file" : "https");
#else
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS,
                     (long)(d->rules->allow_file ? CURLPROTO_HTTPS | CURLPROTO_FILE : CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 15L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1000L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 30L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "normbench");
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, d);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, d);
}

Rc fetch(const char *url, const FetchRules *rules, char **bytes, size_t *length, Error *e) {
    if (!begins(url, "https://") && !(rules->allow_file && begins(url, "file://")))
        return error_set(e, RC_USAGE, "%s: only https addresses are downloaded", url);
    CURL *curl = curl_easy_init();
    if (!curl) return error_set(e, RC_UNMEASURED, "%s: libcurl does not start", url);
    Download d = {.rules = rules};
    text_init(&d.body);
    char why[CURL_ERROR_SIZE] = "";
    set_options(curl, url, &d, why);
    CURLcode code = curl_easy_perform(curl);
    long status = 0; /* stays 0 for file:// */
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(curl);
    Rc rc = RC_OK;
    if (d.too_long)
        rc = error_set(e, RC_INTEGRITY, "%s: answers more than %zu bytes", url, rules->limit);
    else if (code == CURLE_ABORTED_BY_CALLBACK)
        rc = error_set(e, RC_INTERRUPTED, "%s: download stopped", url);
    else if (code)
        rc = error_set(e, RC_UNMEASURED, "%s: %s", url, *why ? why : curl_easy_strerror(code));
    else if (status >= 300 || (status && status < 200))
        rc = error_set(e, RC_UNMEASURED, "%s: the server answers %ld", url, status);
    if (rc) {
        text_release(&d.body);
        return rc;
    }
    *bytes = d.body.at;
    *length = d.body.length;
    return RC_OK;
}

#else

bool fetch_available(void) {
    return false;
}

Rc fetch(const char *url, const FetchRules *rules, char **bytes, size_t *length, Error *e) {
    (void)bytes, (void)length;
    if (!begins(url, "https://") && !(rules->allow_file && begins(url, "file://")))
        return error_set(e, RC_USAGE, "%s: only https addresses are downloaded", url);
    return error_set(e, RC_UNMEASURED, "%s: not downloaded, this build has no libcurl", url);
}

#endif
