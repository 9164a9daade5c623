/*
 * Faults of clock and disk for one process, by LD_PRELOAD. The file that IDLA_SHIM names is mapped:
 * four 64-bit numbers that the campaign changes while the process runs.
 *   0: nanoseconds added to the wall clock   1: milliseconds that syncs under IDLA_SHIM_PREFIX take longer
 *   2: errno of writes under IDLA_SHIM_PREFIX, 0 for none   3: faults that were delivered
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *control;
static const char *prefix;

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("IDLA_SHIM");
  prefix = getenv("IDLA_SHIM_PREFIX");
  if (!file) return;
  int fd = open(file, O_RDWR);
  if (fd < 0) return;
  void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) control = map;
}

static void delivered(void) { __sync_fetch_and_add(&control[3], 1); }

int clock_gettime(clockid_t id, struct timespec *ts) {
  static int (*next)(clockid_t, struct timespec *);
  if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
  int result = next(id, ts);
  if (!result && control && control[0] && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    int64_t nanos = ts->tv_nsec + control[0] % 1000000000;
    ts->tv_sec += control[0] / 1000000000;
    if (nanos < 0) { nanos += 1000000000; ts->tv_sec--; }
    if (nanos >= 1000000000) { nanos -= 1000000000; ts->tv_sec++; }
    ts->tv_nsec = nanos;
  }
  return result;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
  struct timespec ts;
  (void)zone;
  int result = clock_gettime(CLOCK_REALTIME, &ts);
  if (tv) { tv->tv_sec = ts.tv_sec; tv->tv_usec = ts.tv_nsec / 1000; }
  return result;
}

time_t time(time_t *out) {
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  if (out) *out = ts.tv_sec;
  return ts.tv_sec;
}

static int ours(int fd) {
  if (!prefix) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return !strncmp(path, prefix, strlen(prefix));
}

static void slow(int fd) {
  if (control && control[1] && ours(fd)) {
    struct timespec pause = {control[1] / 1000, (control[1] % 1000) * 1000000};
    delivered();
    nanosleep(&pause, NULL);
  }
}

int fsync(int fd) {
  static int (*next)(int);
  if (!next) next = dlsym(RTLD_NEXT, "fsync");
  slow(fd);
  return next(fd);
}

int fdatasync(int fd) {
  static int (*next)(int);
  if (!next) next = dlsym(RTLD_NEXT, "fdatasync");
  slow(fd);
  return next(fd);
}

static int broken(int fd) {
  if (!control || !control[2] || !ours(fd)) return 0;
  delivered();
  errno = (int)control[2];
  return 1;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  static ssize_t (*next)(int, const void *, size_t);
  if (!next) next = dlsym(RTLD_NEXT, "write");
  return broken(fd) ? -1 : next(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  static ssize_t (*next)(int, const void *, size_t, off_t);
  if (!next) next = dlsym(RTLD_NEXT, "pwrite");
  return broken(fd) ? -1 : next(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  static ssize_t (*next)(int, const void *, size_t, off64_t);
  if (!next) next = dlsym(RTLD_NEXT, "pwrite64");
  return broken(fd) ? -1 : next(fd, bytes, count, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  static ssize_t (*next)(int, const struct iovec *, int);
  if (!next) next = dlsym(RTLD_NEXT, "writev");
  return broken(fd) ? -1 : next(fd, parts, count);
}
