#include "bench/formats/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

int terminal_width_of(bool terminal, const char *columns, int own) {
    int64_t width = own;
    if (!terminal) return PAGE_WIDTH;
    if (columns) (void)parse_integer(columns, &width);
    if (width <= 0) return PAGE_WIDTH;
    return width < LEAST_PAGE_WIDTH ? LEAST_PAGE_WIDTH : width > MOST_PAGE_WIDTH ? MOST_PAGE_WIDTH : (int)width;
}

int terminal_width(void) {
    struct winsize size = {0};
    bool terminal = isatty(STDOUT_FILENO);
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)) size.ws_col = 0;
    return terminal_width_of(terminal, getenv("COLUMNS"), size.ws_col);
}
