#ifndef CUE_COUNTERS_H
#define CUE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/// What was asked of the heap since the program began. `live` and `peak` are bytes as the allocator rounds them.
typedef struct {
    int64_t calls, bytes, live, peak;
} cue_heap;

/// Whether this system lets a program stand in for malloc (glibc).
bool cue_counts_heap(void);
cue_heap cue_heap_now(void);
/// Lets `peak` begin again at `live`.
void cue_heap_reset_peak(void);

/// Opens the processor's counter of instructions, user mode, this thread; false where there is none.
bool cue_perf_open(void);
int64_t cue_perf_instructions(void);

/// Whether valgrind's header was there when this was built, and whether valgrind runs this process.
bool cue_knows_valgrind(void);
bool cue_is_under_valgrind(void);
void cue_callgrind_start(void);
/// Writes what was counted since the start to a file of its own, under `name`.
void cue_callgrind_stop(const char *name);

#endif
