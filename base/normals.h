/* Standard normals of a stream, many at a time. */
#ifndef BASE_NORMALS_H
#define BASE_NORMALS_H

#include <stddef.h>
#include <stdint.h>

/* Write the normals at offsets from .. from + n - 1 of a stream (base/philox.h, canon_normal in base/canon.h) to x[n].
 * The bits are those of one call of canon_normal each. */
void normals_draw(float *x, size_t n, uint64_t seed, uint64_t stream, size_t from);

#endif
