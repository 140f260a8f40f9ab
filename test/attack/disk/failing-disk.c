// Loaded in front of the C library: makes the disk below QUERN_FAULTY fail while the file QUERN_FAULTS/sync (fsync: EIO) or QUERN_FAULTS/open (new
// files: EMFILE) is there.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_on(const char *fault) {
  char path[4096];
  const char *folder = getenv("QUERN_FAULTS");
  if (folder == NULL) return 0;
  snprintf(path, sizeof path, "%s/%s", folder, fault);
  return access(path, F_OK) == 0;
}

static int is_refused(const char *path, int flags) {
  const char *faulty = getenv("QUERN_FAULTY");
  return faulty != NULL && (flags & O_CREAT) && strncmp(path, faulty, strlen(faulty)) == 0 && is_on("open");
}

#define FAILING_SYNC(name)                                   \
  int name(int fd) {                                         \
    if (is_on("sync")) {                                     \
      errno = EIO;                                           \
      return -1;                                             \
    }                                                        \
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name); \
    return real(fd);                                         \
  }

#define FAILING_OPEN(name)                                                                   \
  int name(const char *path, int flags, ...) {                                               \
    va_list rest;                                                                            \
    va_start(rest, flags);                                                                   \
    int mode = va_arg(rest, int);                                                            \
    va_end(rest);                                                                            \
    if (is_refused(path, flags)) {                                                           \
      errno = EMFILE;                                                                        \
      return -1;                                                                             \
    }                                                                                        \
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
    return real(path, flags, mode);                                                          \
  }

FAILING_SYNC(fsync)
FAILING_SYNC(fdatasync)
FAILING_OPEN(open)
FAILING_OPEN(open64)
