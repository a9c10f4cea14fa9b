#define _GNU_SOURCE
#include "counters.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAS_VALGRIND 1
#endif

// MARK: The heap

static _Atomic int64_t calls, bytes, live, peak;

#if defined(__GLIBC__)
#include <malloc.h>

// The names under which glibc keeps its own; what is defined here comes before them for every library of the process.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *took(void *p, size_t size) {
    if (!p) return p;
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, (int64_t)size, memory_order_relaxed);
    int64_t has = (int64_t)malloc_usable_size(p);
    int64_t now = atomic_fetch_add_explicit(&live, has, memory_order_relaxed) + has;
    int64_t most = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > most && !atomic_compare_exchange_weak_explicit(&peak, &most, now, memory_order_relaxed, memory_order_relaxed)) {}
    return p;
}

static void gave(void *p) {
    if (p) atomic_fetch_sub_explicit(&live, (int64_t)malloc_usable_size(p), memory_order_relaxed);
}

void *malloc(size_t size) { return took(__libc_malloc(size), size); }
void *calloc(size_t count, size_t size) { return took(__libc_calloc(count, size), count * size); }
void free(void *p) { gave(p); __libc_free(p); }
void *memalign(size_t alignment, size_t size) { return took(__libc_memalign(alignment, size), size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *p = memalign(alignment, size);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

void *realloc(void *p, size_t size) {
    int64_t had = p ? (int64_t)malloc_usable_size(p) : 0;
    void *new = __libc_realloc(p, size);
    if (new || size == 0) atomic_fetch_sub_explicit(&live, had, memory_order_relaxed);
    return took(new, size);
}

bool cue_counts_heap(void) { return true; }
#else
bool cue_counts_heap(void) { return false; }
#endif

cue_heap cue_heap_now(void) { return (cue_heap){calls, bytes, live, peak}; }
void cue_heap_reset_peak(void) { peak = live; }

// MARK: Instructions

static int counter = -1;

bool cue_perf_open(void) {
#if defined(__linux__)
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof attributes, .config = PERF_COUNT_HW_INSTRUCTIONS,
        .exclude_kernel = 1, .exclude_hv = 1,
    };
    counter = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
#endif
    return counter >= 0;
}

int64_t cue_perf_instructions(void) {
    int64_t value = 0;
    return counter >= 0 && read(counter, &value, sizeof value) == sizeof value ? value : 0;
}

#if defined(HAS_VALGRIND)
bool cue_knows_valgrind(void) { return true; }
bool cue_is_under_valgrind(void) { return RUNNING_ON_VALGRIND > 0; }
void cue_callgrind_start(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void cue_callgrind_stop(const char *name) { CALLGRIND_DUMP_STATS_AT(name); CALLGRIND_STOP_INSTRUMENTATION; }
#else
bool cue_knows_valgrind(void) { return false; }
bool cue_is_under_valgrind(void) { return false; }
void cue_callgrind_start(void) {}
void cue_callgrind_stop(const char *name) { (void)name; }
#endif
