/* A CUDA driver with one device that is this processor. Its modules are shared objects; a kernel k is
   called as k__launch(blocks, threads, shared, parameters). What JCuda's binding needs of a driver,
   this one has, so all that Kenaz does with a driver can be run where there is no GPU. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef unsigned long long ptr;
#ifndef INIT
#define INIT 0
#endif
#ifndef COUNT
#define COUNT 1
#endif

static size_t limit = (size_t)1 << 31, used;
static int failure; /* what the next wait reports, once */
static int current; /* contexts entered */

static size_t blockSize(ptr p) { return ((size_t *)p)[-32]; }

int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuInit(unsigned flags) { (void)flags; return INIT; }
int cuDeviceGetCount(int *n) { *n = COUNT; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "processor %d", d); return 0; }
int cuDeviceTotalMem_v2(size_t *n, int d) { (void)d; *n = limit; return 0; }
int cuDeviceGetAttribute(int *v, int which, int d) {
  *v = which == 75 ? (d == 1 ? 5 : 9) : which == 76 ? 0 : which == 16 ? 132 : which == 97 ? 232448 : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **c, int d) { (void)d; *c = &current; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { (void)d; return 0; }
int cuCtxSetCurrent(void *c) { current += c != 0; return 0; }
int cuCtxSetLimit(int which, size_t n) { return which == 2 && n > 0 ? 0 : 1; }
int cuStreamCreate(void **s, unsigned f) { (void)f; *s = &used; return 0; }
int cuStreamDestroy_v2(void *s) { (void)s; return 0; }
int cuStreamSynchronize(void *s) { (void)s; int f = failure; failure = 0; return f; }
int cuEventCreate(void **e, unsigned f) { (void)f; *e = &used; return 0; }
int cuEventRecord(void *e, void *s) { (void)e; (void)s; return 0; }
int cuEventSynchronize(void *e) { (void)e; int f = failure; failure = 0; return f; }
int cuEventDestroy_v2(void *e) { (void)e; return 0; }
int cuMemHostAlloc(void **p, size_t n, unsigned f) { (void)f; *p = aligned_alloc(4096, n); return *p ? 0 : 2; }
int cuMemFreeHost(void *p) { free(p); return 0; }
int cuMemGetInfo_v2(size_t *f, size_t *t) { *f = limit - used; *t = limit; return 0; }
int cuMemAlloc_v2(ptr *p, size_t n) {
  if (n == 0) return 1;
  if (used + n > limit) return 2;
  char *b = aligned_alloc(256, (n + 511) / 256 * 256);
  if (!b) return 2;
  *(size_t *)b = n;
  used += n;
  *p = (ptr)b + 256;
  memset(b + 256, 0xcd, n);
  return 0;
}
int cuMemFree_v2(ptr p) { used -= blockSize(p); free((char *)p - 256); return 0; }
int cuMemcpyHtoDAsync_v2(ptr d, const void *s, size_t n, void *q) { (void)q; memcpy((void *)d, s, n); return 0; }
int cuMemcpyDtoHAsync_v2(void *d, ptr s, size_t n, void *q) { (void)q; memcpy(d, (void *)s, n); return 0; }
int cuMemcpyDtoDAsync_v2(ptr d, ptr s, size_t n, void *q) { (void)q; memcpy((void *)d, (void *)s, n); return 0; }
int cuMemsetD8Async(ptr d, unsigned char v, size_t n, void *q) { (void)q; memset((void *)d, v, n); return 0; }

/* The length of an ELF image is not given: the section headers are its end. */
static size_t elfSize(const unsigned char *e) {
  if (memcmp(e, "\177ELF", 4)) return 0;
  return *(const size_t *)(e + 40) + (size_t)*(const unsigned short *)(e + 58) * *(const unsigned short *)(e + 60);
}
static int load(void **module, const void *image) {
  size_t n = elfSize(image);
  if (!n) return 200;
  int f = memfd_create("module", 0);
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", f);
  if (write(f, image, n) != (ssize_t)n) return 999;
  *module = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!*module) { fprintf(stderr, "%s\n", dlerror()); return 200; }
  return 0;
}
int cuModuleLoadData(void **m, const void *image) { return load(m, image); }
int cuModuleLoadDataEx(void **m, const void *image, unsigned n, void *o, void *v) {
  (void)n; (void)o; (void)v;
  return load(m, image);
}
int cuModuleUnload(void *m) { dlclose(m); return 0; }
typedef void launcher(unsigned, unsigned, unsigned, void **);
int cuModuleGetFunction(void **f, void *m, const char *name) {
  char symbol[512];
  snprintf(symbol, sizeof symbol, "%s__launch", name);
  *f = dlsym(m, symbol);
  return *f ? 0 : 500;
}
int cuFuncSetAttribute(void *f, int which, int v) { (void)f; return which == 8 && v <= 232448 ? 0 : 1; }
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *s, void **parameters, void **extra) {
  (void)s; (void)extra;
  if (gy != 1 || gz != 1 || by != 1 || bz != 1) return 1;
  ((launcher *)f)(gx, bx, shared, parameters);
  return 0;
}
int cuGetErrorName(int e, const char **s) { (void)e; *s = "an error"; return 0; }
int cuGetErrorString(int e, const char **s) { (void)e; *s = "an error"; return 0; }

/* for tests */
void testLimit(size_t bytes) { limit = bytes; }
void testFailure(int status) { failure = status; }
size_t testUsed(void) { return used; }
