// Put before the C library of a cue by tools/power-cut.py, which compiles it: a library whose calls for durability are left out
// (CUT_MUTE), and a record of all that is done to a disk (CUT_LOG).
//
// Only the calls that cue and SQLite make are here. power-cut.py compares the record with the folder after each run, so a call that is
// missing stops it.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, #name)

// Everything that counts is below this folder: the disks, and `hold` for what has no name on them any more.
static const char *world;
static int is_muted, log_file = -1, hold = -1;
// The moment of the cut, in halves of calls: an odd one is before a call, an even one after it.
static long cut_at, ticks;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CUT_LOG"), *at = getenv("CUT_AT");
    char place[4096];
    world = getenv("CUT_WORLD");
    is_muted = getenv("CUT_MUTE") != 0;
    cut_at = at ? atol(at) : 0;
    if (!world || !path) return;
    snprintf(place, sizeof place, "%s/hold", world);
    REAL(int, open, const char *, int, ...);
    log_file = real(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    hold = real(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

// Where a call has its effect.
typedef enum { ELSEWHERE, IN_WORLD, ON_DISK, IN_LIBRARY } Where;

static Where where(int file) {
    char link[64], path[4096];
    size_t length = world ? strlen(world) : 0;
    int saved = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t n = world ? readlink(link, path, sizeof path - 1) : -1;
    errno = saved;
    if (n < 0) return ELSEWHERE;
    path[n] = 0;
    if (strncmp(path, world, length) != 0) return ELSEWHERE;
    const char *rest = path + length;
    // The library, and what a restore makes; not what cue remembers.
    if (strncmp(rest, "/disk/B", 7) == 0 || strncmp(rest, "/disk/out", 9) == 0) return IN_LIBRARY;
    return strncmp(rest, "/disk", 5) == 0 || strncmp(rest, "/memory", 7) == 0 ? ON_DISK : IN_WORLD;
}

// A name in a folder.
typedef struct { Where where; int folder; uint64_t inode; const char *name; } Place;

static Place place(int folder, const char *path) {
    char parent[4096];
    const char *slash = strrchr(path, '/');
    size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    struct stat info;
    int saved = errno;
    Place found = {ELSEWHERE, -1, 0, slash ? slash + 1 : path};
    if (log_file < 0 || length >= sizeof parent) return found;
    memcpy(parent, length ? path : ".", length ? length : 1);
    parent[length ? length : 1] = 0;
    REAL(int, openat, int, const char *, int, ...);
    found.folder = real(folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (found.folder >= 0 && fstat(found.folder, &info) == 0) {
        found.inode = info.st_ino;
        found.where = where(found.folder);
    }
    errno = saved;
    return found;
}

static void leave(Place place) { if (place.folder >= 0) close(place.folder); }

static struct stat info_of(Place place) {
    struct stat info = {0};
    fstatat(place.folder, place.name, &info, AT_SYMLINK_NOFOLLOW);
    return info;
}

static struct stat info_of_file(int file) {
    struct stat info = {0};
    fstat(file, &info);
    return info;
}

// One entry of the record; the two texts follow. tools/power-cut.py reads it as "=c7x6Q".
typedef struct { char kind, unused[7]; uint64_t a, b, c, time, length, second_length; } Entry;

static void note(char kind, uint64_t a, uint64_t b, uint64_t c, const void *text, size_t length, const char *second) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    Entry entry = {kind, {0}, a, b, c, now.tv_sec * 1000000000ULL + now.tv_nsec, length, second ? strlen(second) : 0};
    struct iovec parts[] = {{&entry, sizeof entry}, {(void *)text, length}, {(void *)second, entry.second_length}};
    if (writev(log_file, parts, 3) != (ssize_t)(sizeof entry + length + entry.second_length)) abort();
}

static void note_attributes(struct stat info) {
    note('a', info.st_ino, info.st_mode, info.st_mtim.tv_sec * 1000000000ULL + info.st_mtim.tv_nsec, 0, 0, 0);
}

static void tick(void) { if (++ticks == cut_at) kill(getpid(), SIGKILL); }

static void lock(short kind) {
    struct flock whole = {.l_type = kind, .l_whence = SEEK_SET};
    while (fcntl(log_file, F_SETLKW, &whole) != 0 && errno == EINTR) {}
}

// One call after the other, so that the record has the order of the effects. The lock lets power-cut.py kill between two calls.
static int begins(Where at) {
    if (log_file < 0 || at == ELSEWHERE) return 0;
    int saved = errno;
    pthread_mutex_lock(&turn);
    lock(F_WRLCK);
    tick();
    errno = saved;
    return 1;
}

static void ends(void) {
    tick();
    lock(F_UNLCK);
    pthread_mutex_unlock(&turn);
}

// Makes the call and notes it. Calls for the rest of the world are noted without their content: they are moments for a cut too.
#define RECORDED(at, call, noting) ({ \
    Where reached = (at); \
    int is_recorded = begins(reached); \
    __typeof__(call) result = call; \
    if (is_recorded) { \
        int saved = errno; \
        if (result >= 0 && reached >= ON_DISK) noting; else note('-', 0, 0, 0, 0, 0, 0); \
        ends(); \
        errno = saved; \
    } \
    result; \
})

// A file that loses its name stays in `hold` under its inode, so that a cut can bring it back as the same file.
static void keep(Place there) {
    char number[32];
    struct stat info = info_of(there);
    if (there.where < ON_DISK || !info.st_ino || S_ISDIR(info.st_mode)) return;
    snprintf(number, sizeof number, "%llu", (unsigned long long)info.st_ino);
    linkat(there.folder, there.name, hold, number, 0);
}

// Instead of a removal: an empty folder moves to `hold`.
static int keep_folder(Place there) {
    char number[32];
    REAL(int, renameat2, int, const char *, int, const char *, unsigned);
    int folder = openat(there.folder, there.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), names = 0;
    if (folder < 0) return -1;
    DIR *listing = fdopendir(folder);
    while (readdir(listing)) names++;
    closedir(listing);
    if (names > 2) { errno = ENOTEMPTY; return -1; }
    snprintf(number, sizeof number, "%llu", (unsigned long long)info_of(there).st_ino);
    return real(there.folder, there.name, hold, number, 0);
}

// Contents

// A file that is about to be opened: its name may be new, and its content may go.
static int opened(int folder, const char *path, int flags, mode_t mode, int (*real)(int, const char *, int, ...)) {
    if (log_file < 0 || !(flags & (O_CREAT | O_TRUNC))) return real(folder, path, flags, mode);
    Place there = place(folder, path);
    int was_there = 1;
    int file = RECORDED(there.where, (was_there = info_of(there).st_ino != 0, real(folder, path, flags, mode)), ({
        struct stat info = info_of_file(result);
        if (!was_there) note('c', there.inode, info.st_ino, info.st_mode, there.name, strlen(there.name), 0);
        else if (flags & O_TRUNC) note('t', info.st_ino, 0, 0, 0, 0, 0);
        else note('-', 0, 0, 0, 0, 0, 0);
    }));
    leave(there);
    return file;
}

#define OPEN(name, real_name, parameters, folder) int name parameters { \
    mode_t mode = 0; \
    va_list more; \
    va_start(more, flags); \
    if (flags & O_CREAT) mode = va_arg(more, mode_t); \
    va_end(more); \
    REAL(int, real_name, int, const char *, int, ...); \
    return opened(folder, path, flags, mode, real); \
}
OPEN(open, openat, (const char *path, int flags, ...), AT_FDCWD)
OPEN(open64, openat64, (const char *path, int flags, ...), AT_FDCWD)
OPEN(openat, openat, (int folder, const char *path, int flags, ...), folder)
OPEN(openat64, openat64, (int folder, const char *path, int flags, ...), folder)

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(ssize_t, write, int, const void *, size_t);
    if (log_file < 0) return real(file, bytes, count);
    return RECORDED(where(file), real(file, bytes, count),
                    note('w', info_of_file(file).st_ino, lseek(file, 0, SEEK_CUR) - result, 0, bytes, result, 0));
}

#define PWRITE(name) ssize_t name(int file, const void *bytes, size_t count, off_t offset) { \
    REAL(ssize_t, name, int, const void *, size_t, off_t); \
    if (log_file < 0) return real(file, bytes, count, offset); \
    return RECORDED(where(file), real(file, bytes, count, offset), \
                    note('w', info_of_file(file).st_ino, offset, 0, bytes, result, 0)); \
}
PWRITE(pwrite) PWRITE(pwrite64)

#define FTRUNCATE(name) int name(int file, off_t size) { \
    REAL(int, name, int, off_t); \
    return RECORDED(where(file), real(file, size), note('t', info_of_file(file).st_ino, size, 0, 0, 0, 0)); \
}
FTRUNCATE(ftruncate) FTRUNCATE(ftruncate64)

// Names

static int renamed(int from, const char *old, int to, const char *new, unsigned flags) {
    REAL(int, renameat2, int, const char *, int, const char *, unsigned);
    if (log_file < 0) return real(from, old, to, new, flags);
    Place here = place(from, old), there = place(to, new);
    Where at = here.where > there.where ? here.where : there.where;
    int done = RECORDED(at, ((flags ? (void)0 : keep(there)), real(from, old, to, new, flags)),
                        note('r', here.inode, there.inode, flags, here.name, strlen(here.name), there.name));
    leave(here);
    leave(there);
    return done;
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) { return renamed(from, old, to, new, flags); }
int renameat(int from, const char *old, int to, const char *new) { return renamed(from, old, to, new, 0); }
int rename(const char *old, const char *new) { return renamed(AT_FDCWD, old, AT_FDCWD, new, 0); }

// A call for a name: its result is 0, and then `noting` is done.
#define NAMED(folder, path, call, noting) do { \
    Place there = place(folder, path); \
    int done = RECORDED(there.where, call, noting); \
    leave(there); \
    return done; \
} while (0)
#define NOTE_NEW(target) \
    note('c', there.inode, info_of(there).st_ino, info_of(there).st_mode, there.name, strlen(there.name), target)
#define NOTE_GONE note('u', there.inode, 0, 0, there.name, strlen(there.name), 0)

int unlinkat(int folder, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    if (flags & AT_REMOVEDIR)
        NAMED(folder, path, there.where >= ON_DISK ? keep_folder(there) : real(folder, path, flags), NOTE_GONE);
    NAMED(folder, path, (keep(there), real(folder, path, flags)), NOTE_GONE);
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(int, mkdirat, int, const char *, mode_t);
    NAMED(folder, path, real(folder, path, mode), NOTE_NEW(0));
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int symlinkat(const char *target, int folder, const char *path) {
    REAL(int, symlinkat, const char *, int, const char *);
    NAMED(folder, path, real(target, folder, path), NOTE_NEW(target));
}
int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

int link(const char *old, const char *path) {
    REAL(int, link, const char *, const char *);
    NAMED(AT_FDCWD, path, real(old, path), note('l', there.inode, info_of(there).st_ino, 0, there.name, strlen(there.name), 0));
}

// Modes and times

int fchmod(int file, mode_t mode) {
    REAL(int, fchmod, int, mode_t);
    return RECORDED(where(file), real(file, mode), note_attributes(info_of_file(file)));
}
int chmod(const char *path, mode_t mode) {
    REAL(int, chmod, const char *, mode_t);
    NAMED(AT_FDCWD, path, real(path, mode), note_attributes(info_of(there)));
}
int futimens(int file, const struct timespec times[2]) {
    REAL(int, futimens, int, const struct timespec *);
    return RECORDED(where(file), real(file, times), note_attributes(info_of_file(file)));
}
int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
    REAL(int, utimensat, int, const char *, const struct timespec *, int);
    NAMED(folder, path, real(folder, path, times, flags), note_attributes(info_of(there)));
}

// Calls that wait for the disk. With a record they do not wait: the record says what would be on the disk.

#define SYNCHRONIZE(name, kind) int name(int file) { \
    REAL(int, name, int); \
    if (is_muted && where(file) == IN_LIBRARY) return 0; \
    return RECORDED(where(file), is_recorded ? 0 : real(file), note(kind, info_of_file(file).st_ino, 0, 0, 0, 0, 0)); \
}
SYNCHRONIZE(fsync, 's') SYNCHRONIZE(fdatasync, 'd') SYNCHRONIZE(syncfs, 'f')
