#define _GNU_SOURCE
#include "CPosix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
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
