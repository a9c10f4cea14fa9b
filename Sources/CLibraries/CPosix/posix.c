#define _GNU_SOURCE
#include <poll.h>
#include <time.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif
#include "CPosix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#ifdef __GLIBC__
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif
#include <stdio.h>
#include <string.h>
#ifdef __APPLE__
#include <sys/mount.h>
#else
#include <sys/vfs.h>
#endif
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

int cue_openat(int folder, const char *path, int flags, mode_t mode) { return openat(folder, path, flags, mode); }

#ifdef __APPLE__
ssize_t cue_flistxattr(int file, char *names, size_t size) { return flistxattr(file, names, size, 0); }
ssize_t cue_fgetxattr(int file, const char *name, void *value, size_t size) {
    return fgetxattr(file, name, value, size, 0, 0);
}
int cue_fsetxattr(int file, const char *name, const void *value, size_t size) {
    return fsetxattr(file, name, value, size, 0, 0);
}
int cue_rename_new(int of, const char *on, int nf, const char *nn) { return renameatx_np(of, on, nf, nn, RENAME_EXCL); }
int cue_rename_exchange(int of, const char *on, int nf, const char *nn) {
    return renameatx_np(of, on, nf, nn, RENAME_SWAP);
}
// What libc's own readdir calls; its `struct dirent` is what the kernel writes.
extern ssize_t __getdirentries64(int, void *, size_t, off_t *);
ssize_t cue_entries(int folder, void *buffer, size_t size) {
    off_t base;
    return __getdirentries64(folder, buffer, size, &base);
}
const long cue_entry_size_offset = offsetof(struct dirent, d_reclen);
const long cue_entry_name_offset = offsetof(struct dirent, d_name);
int cue_birth(int folder, const char *name, int64_t *seconds, uint32_t *nanoseconds) {
    struct stat there;
    if (fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) != 0) return -1;
    *seconds = there.st_birthtimespec.tv_sec;
    *nanoseconds = (uint32_t)there.st_birthtimespec.tv_nsec;
    return 0;
}
int cue_synchronize_file_system(int folder) {
    return fsync_volume_np(folder, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT);
}
int cue_synchronizes_whole(int folder) {
    struct statfs there;
    if (fstatfs(folder, &there) != 0) return 0;
    return strcmp(there.f_fstypename, "apfs") == 0 || strcmp(there.f_fstypename, "hfs") == 0;
}
void cue_advise_sequential(int file) { fcntl(file, F_RDAHEAD, 1); }
int cue_set_direct(int file, int on) { return fcntl(file, F_NOCACHE, on); }
#else
ssize_t cue_flistxattr(int file, char *names, size_t size) { return flistxattr(file, names, size); }
ssize_t cue_fgetxattr(int file, const char *name, void *value, size_t size) {
    return fgetxattr(file, name, value, size);
}
int cue_fsetxattr(int file, const char *name, const void *value, size_t size) {
    return fsetxattr(file, name, value, size, 0);
}
int cue_rename_new(int of, const char *on, int nf, const char *nn) {
    if (renameat2(of, on, nf, nn, RENAME_NOREPLACE) == 0) return 0;
    // exFAT, SMB and old kernels do not know the flag. Names in a vault are random, so a look before is enough there.
    if (errno != EINVAL && errno != ENOSYS) return -1;
    struct stat there;
    if (fstatat(nf, nn, &there, AT_SYMLINK_NOFOLLOW) == 0) { errno = EEXIST; return -1; }
    return renameat(of, on, nf, nn);
}
int cue_rename_exchange(int of, const char *on, int nf, const char *nn) {
    return renameat2(of, on, nf, nn, RENAME_EXCHANGE);
}
// Not readdir: that wants a descriptor, a buffer and three more calls for every folder.
ssize_t cue_entries(int folder, void *buffer, size_t size) { return syscall(SYS_getdents64, folder, buffer, size); }
// `struct linux_dirent64`, the kernel's promise: 8 bytes of inode, 8 of place, 2 of length, 1 of kind, then the name.
const long cue_entry_size_offset = 16;
const long cue_entry_name_offset = 19;
int cue_birth(int folder, const char *name, int64_t *seconds, uint32_t *nanoseconds) {
    struct statx there;
    if (statx(folder, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &there) != 0 || !(there.stx_mask & STATX_BTIME)) return -1;
    *seconds = there.stx_btime.tv_sec;
    *nanoseconds = there.stx_btime.tv_nsec;
    return 0;
}
int cue_synchronize_file_system(int folder) { return syncfs(folder); }
// The kernel's own file systems on a local disk. A server behind FUSE or SMB gets an fsync and hears nothing of a syncfs.
int cue_synchronizes_whole(int folder) {
    struct statfs there;
    if (fstatfs(folder, &there) != 0) return 0;
    switch ((unsigned long)there.f_type & 0xFFFFFFFF) {
    case 0xEF53:      // ext2, ext3, ext4
    case 0x58465342:  // xfs
    case 0x9123683E:  // btrfs
    case 0xF2F52010:  // f2fs
    case 0xCA451A4E:  // bcachefs
    case 0x2FC12FC1:  // zfs
    case 0x01021994:  // tmpfs
    case 0x794C7630:  // overlayfs
    case 0x4D44:      // vfat
    case 0x2011BAB0:  // exfat
    case 0x7366746E:  // ntfs3
        return 1;
    default: return 0;
    }
}
void cue_advise_sequential(int file) { posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL); }
int cue_set_direct(int file, int on) {
    int flags = fcntl(file, F_GETFL);
    return flags < 0 ? -1 : fcntl(file, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}
#endif

void cue_return_freed_memory(int threshold, int heaps) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, threshold);
    mallopt(M_TRIM_THRESHOLD, threshold);
    mallopt(M_ARENA_MAX, heaps);
#endif
}

void cue_give_back_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#elif defined(__APPLE__)
    malloc_zone_pressure_relief(NULL, 0);
#endif
}

int cue_pipe(int ends[2]) {
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

int cue_wait(int watcher, int wake, int mounts, int milliseconds) {
    struct pollfd wanted[3] = {{watcher, POLLIN, 0}, {wake, POLLIN, 0}, {mounts, POLLPRI, 0}};
    if (poll(wanted, 3, milliseconds) <= 0) return 0;
    return (wanted[0].revents ? 1 : 0) | (wanted[1].revents ? 2 : 0) | (wanted[2].revents ? 4 : 0);
}

double cue_seconds_since_start(void) {
    struct timespec time;
#ifdef __linux__
    clock_gettime(CLOCK_BOOTTIME, &time);
#else
    // Goes on while the machine sleeps, on macOS.
    clock_gettime(CLOCK_MONOTONIC, &time);
#endif
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#ifdef __linux__
int cue_watch_open(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }

int cue_watch_add(int watcher, int folder) {
    // By the open folder: its path may lead elsewhere by now.
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
    return inotify_add_watch(watcher, path,
                             IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE |
                                 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK);
}

int cue_watch_remove(int watcher, int number) { return inotify_rm_watch(watcher, number); }
#else
int cue_watch_open(void) { errno = ENOSYS; return -1; }
int cue_watch_add(int watcher, int folder) { (void)watcher; (void)folder; errno = ENOSYS; return -1; }
int cue_watch_remove(int watcher, int number) { (void)watcher; (void)number; return 0; }
#endif

extern char **environ;

char *const *cue_environment(void) { return environ; }

int cue_spawn_quietly(const char *program, char *const *arguments, char *const *environment, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    for (int stream = 0; stream <= 2 && !error; stream++)
        error = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
    if (!error)
        error = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error) error = posix_spawn(process, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
