/* TensorBoard's event files: records with checksums (events.c), each a protocol buffer (events_proto.c). */
#ifndef BENCH_READERS_EVENTS_H
#define BENCH_READERS_EVENTS_H

#include <stdint.h>

#include "bench/readers/log.h"

/* Adds the scalars of one event; false: it is no event. */
bool event_read(const uint8_t *bytes, size_t length, Log *log);

/* Whether this build has protobuf-c. */
extern const bool event_known;

#endif
