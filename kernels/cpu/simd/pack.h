/* Pack lines of a matrix into panels, in the order in which the register tile reads them. */
#ifndef KERNELS_CPU_SIMD_PACK_H
#define KERNELS_CPU_SIMD_PACK_H

#include "kernels/cpu/simd/vec.h"

V_FN int least(int a, int b) {
    return a < b ? a : b;
}

/* Pack one panel: to[l * width + i] = from[i * line + l * along] for i < width, l < k, from `lines` lines that exist;
 * padding follows them and the last row. VEC lines contiguous in k are transposed in registers. */
V_FN void pack_along(float *to, const int width, const float *from, size_t line, size_t along, int lines, int k) {
    for (int first = 0; first < least(lines, width); first += VEC, from += VEC * line, to += VEC) {
        int l = 0;
        for (; along == 1 && lines - first >= VEC && l + 4 <= k; l += 4) {
            vec x[4];
            v_load_turned(x, from + l, line);
            UNROLL for (int i = 0; i < 4; i++) v_store(to + (l + i) * width, x[i]);
        }
        for (; l < k; l++)
            for (int i = 0; i < least(width - first, VEC); i++)
                to[l * width + i] = first + i < lines ? from[(size_t)i * line + (size_t)l * along] : 0;
    }
}

/* Pack panels of lines that are neighbours in memory (line = 1), row after row, in the order of memory. */
V_FN void pack_across(float *to, size_t panel, const int width, const float *from, size_t along, int lines, int k) {
    int whole = lines / width * width;
    for (int l = 0; l < k; l++, from += along, to += width) {
        float *at_panel = to;
        for (int i = 0; i < whole; i += width, at_panel += panel)
            UNROLL for (int v = 0; v < width; v += VEC)
                v_store(at_panel + v, v_load_first(from + i + v, least(width - v, VEC)));
        for (int i = 0; whole < lines && i < width; i++) at_panel[i] = whole + i < lines ? from[whole + i] : 0;
    }
}

/* Pack `lines` lines of a matrix into panels of `width` lines, `panel` numbers apart. */
V_FN void pack(float *to, size_t panel, const int width, const float *from, size_t line, size_t along, int lines,
               int k) {
    if (line == 1) pack_across(to, panel, width, from, along, lines, k);
    else
        for (int i = 0; i < lines; i += width, to += panel)
            pack_along(to, width, from + (size_t)i * line, line, along, lines - i, k);
}

#endif
