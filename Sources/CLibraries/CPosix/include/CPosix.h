// What Swift's own module of the C library does not show: variadic functions, extended attributes, Linux's own calls.
#ifndef CUE_POSIX_H
#define CUE_POSIX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int cue_openat(int folder, const char *path, int flags, mode_t mode);
ssize_t cue_flistxattr(int file, char *names, size_t size);
ssize_t cue_fgetxattr(int file, const char *name, void *value, size_t size);
int cue_fsetxattr(int file, const char *name, const void *value, size_t size);
// Renames without ever replacing what stands at the new name; errno EEXIST if something does.
int cue_rename_new(int old_folder, const char *old_name, int new_folder, const char *new_name);
// Changes two names in one step.
int cue_rename_exchange(int old_folder, const char *old_name, int new_folder, const char *new_name);
// Reads the next entries of an open folder: records with their own length at one offset and a name that ends in zero at another.
ssize_t cue_entries(int folder, void *buffer, size_t size);
extern const long cue_entry_size_offset;
extern const long cue_entry_name_offset;
// When what stands at a name was made, links not followed; -1 where the file system does not keep that.
int cue_birth(int folder, const char *name, int64_t *seconds, uint32_t *nanoseconds);
// Tells the kernel that the file is read from front to end.
void cue_advise_sequential(int file);
// Buffers of so many bytes and more go back to the system when they are freed, and there are at most so many heaps (glibc only).
void cue_return_freed_memory(int threshold, int heaps);
void cue_give_back_freed_memory(void);
// Waits until everything that was written to a folder's file system is on the disk, whoever wrote it; -1 after an error.
int cue_synchronize_file_system(int folder);
// Whether the call above is known to reach the disk on this file system: 1 or 0.
int cue_synchronizes_whole(int folder);
// Lets writes go past the page cache, or through it again.
int cue_set_direct(int file, int on);
// Hears of changes in folders: a descriptor that becomes readable, or -1 where the system has none. `cue_watch_add` gives a number for
// the folder.
int cue_watch_open(void);
int cue_watch_add(int watcher, int folder);
int cue_watch_remove(int watcher, int number);
// Waits until one of the two is readable (1 and 2), what is mounted changes on `mounts` (4), or so many milliseconds are over (0).
int cue_wait(int watcher, int wake, int mounts, int milliseconds);
// A pipe that neither blocks nor outlives the process.
int cue_pipe(int ends[2]);
// Seconds since the machine started, times asleep among them.
double cue_seconds_since_start(void);

// Starts a program in a process group of its own, with /dev/null for its streams and every signal as it is by default.
// Returns 0 and sets `process`, or returns an errno.
int cue_spawn_quietly(const char *program, char *const *arguments, char *const *environment, pid_t *process);
// The environment of this process: texts up to a null.
char *const *cue_environment(void);

#endif
